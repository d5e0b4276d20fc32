//! The panel.
