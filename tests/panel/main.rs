//! The panel, drawn without a window: egui is fed with clicks and keys, and the text that it
//! draws is read. One file per part of the panel.

#[path = "../support/log_lines.rs"]
mod log_lines;

mod click;
mod cost;
mod desk;
mod entity;
mod lists;
mod log;
mod overview;
mod survival;
mod tune;
mod why_not;
