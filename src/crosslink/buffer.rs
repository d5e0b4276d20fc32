//! Lists that are filled anew in each update.

use core::ops::{Deref, DerefMut};

/// Updates in a row for which a list has to be far too large before its memory is given back.
const PATIENCE: u8 = 4;

/// A list that keeps its memory from update to update, unless it is far too large for several of them:
/// after all have come at once it would hold more than the members do.
///
/// What comes and goes in waves finds its memory again: a spawn of 100 000 at once takes a tenth less
/// than if it had to ask for it anew. Memory is given back whole; to make the list smaller would be an
/// allocation, maybe in an update that has nothing to do and must not allocate.
#[derive(Debug, Clone)]
pub(crate) struct Buffer<T> {
    items: Vec<T>,
    /// Updates for which it has been too large.
    idle: u8,
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            idle: 0,
        }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = Vec<T>;

    #[inline]
    fn deref(&self) -> &Vec<T> {
        &self.items
    }
}

impl<T> DerefMut for Buffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}

impl<'a, T> IntoIterator for &'a Buffer<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Buffer<T> {
    /// Empties it for the next update.
    pub fn recycle(&mut self) {
        let used = self.len();
        self.clear();
        self.used(used);
    }

    /// Moves all items behind those of another list.
    pub fn pour(&mut self, into: &mut Self) {
        if into.is_empty() {
            core::mem::swap(self, into);
            return;
        }
        let used = self.len();
        into.append(self);
        self.used(used);
    }

    /// Notes how many items of the list, which is empty, were needed.
    pub fn used(&mut self, used: usize) {
        give_back(&mut self.items, used, &mut self.idle);
    }
}

/// The same for a list that others may hold: `idle` counts the updates for which it has been too large.
pub(crate) fn give_back<T>(items: &mut Vec<T>, used: usize, idle: &mut u8) {
    if items.capacity() <= 4096 {
        return;
    }
    if items.capacity() / 16 <= used {
        *idle = 0;
        return;
    }
    *idle += 1;
    if *idle >= PATIENCE {
        (*items, *idle) = (Vec::new(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_back_after_a_while_without_need() {
        let mut list = Buffer::default();
        let fill = |list: &mut Buffer<u8>, len: usize| {
            list.resize(len, 0);
            list.recycle();
            list.capacity()
        };
        for waves in 0..3 {
            assert!(fill(&mut list, 100_000) >= 100_000, "wave {waves}");
            for _ in 1..PATIENCE {
                assert!(fill(&mut list, 10) >= 100_000);
            }
        }
        assert_eq!(fill(&mut list, 10), 0);
        assert!(fill(&mut list, 10) > 0, "what is small stays");
        let mut other = Buffer::default();
        other.push(7);
        other.pour(&mut list);
        assert_eq!((other.len(), list.as_slice()), (0, &[7][..]));
    }
}
