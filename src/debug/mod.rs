//! What shows the area of interest to whoever builds with it.

#[cfg(feature = "overlay")]
pub(crate) mod overlay;
