//! The cross-linked list.
