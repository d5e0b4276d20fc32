//! The structure without Bevy: the tests of its ancestors, and random and shrinking operations
//! against brute force and the plain four-link list.

#[path = "../support/brute.rs"]
mod brute;
#[path = "../support/four_link.rs"]
mod four_link;

mod inspect;
mod properties;
mod random;
mod seeds;
