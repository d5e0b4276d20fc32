//! Saving and loading.
fn main(){}
