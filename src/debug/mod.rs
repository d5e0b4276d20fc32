//! What shows the plugin at work, each behind its feature: the overlay and the panel.

#[cfg(feature = "overlay")]
pub(crate) mod overlay;
#[cfg(feature = "panel")]
pub(crate) mod panel;
