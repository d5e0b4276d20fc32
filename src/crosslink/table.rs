//! A table by id that gives memory back: ids are the caller's, who may never use one twice.

use super::Id;
use core::ops::{Index, IndexMut};

/// Entries per page.
const PAGE: usize = 1024;

/// Entries by id, in pages that exist while one of their entries is held.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table<T> {
    pages: Vec<Page<T>>,
}

#[derive(Debug, Clone, Default)]
struct Page<T> {
    /// All or none.
    entries: Vec<T>,
    held: usize,
}

impl<T: Clone + Default> Table<T> {
    pub fn new() -> Self {
        Self { pages: Vec::new() }
    }

    /// The entry of an id; none if nobody near it is held.
    #[inline]
    pub fn get(&self, id: Id) -> Option<&T> {
        let page = self.pages.get(id as usize / PAGE)?;
        page.entries.get(id as usize % PAGE)
    }

    /// See [`get`](Self::get).
    #[inline]
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        let page = self.pages.get_mut(id as usize / PAGE)?;
        page.entries.get_mut(id as usize % PAGE)
    }

    /// Above every id that is held.
    pub fn end(&self) -> usize {
        self.pages.len() * PAGE
    }

    /// Makes room for an id that is not held yet.
    pub fn hold(&mut self, id: Id) {
        let page = id as usize / PAGE;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, Page::default);
        }
        let page = &mut self.pages[page];
        if page.held == 0 {
            page.entries = vec![T::default(); PAGE];
        }
        page.held += 1;
    }

    /// Forgets an id that is held.
    pub fn release(&mut self, id: Id) {
        let page = &mut self.pages[id as usize / PAGE];
        page.entries[id as usize % PAGE] = T::default();
        page.held -= 1;
        if page.held == 0 {
            page.entries = Vec::new();
        }
    }

    /// The entries of all pages, those that are not held as well.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.pages.iter().flat_map(|page| &page.entries)
    }
}

impl<T> Index<Id> for Table<T> {
    type Output = T;

    /// Of an id that is held.
    #[inline]
    fn index(&self, id: Id) -> &T {
        &self.pages[id as usize / PAGE].entries[id as usize % PAGE]
    }
}

impl<T> IndexMut<Id> for Table<T> {
    #[inline]
    fn index_mut(&mut self, id: Id) -> &mut T {
        &mut self.pages[id as usize / PAGE].entries[id as usize % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_and_go_with_their_ids() {
        let mut table = Table::<u32>::new();
        assert_eq!(table.get(5), None);
        for id in [5, 6, Id::MAX] {
            table.hold(id);
            table[id] = id;
        }
        assert_eq!(
            (table.get(5), table.get(Id::MAX)),
            (Some(&5), Some(&Id::MAX))
        );
        assert_eq!(table.iter().count(), 2 * PAGE);
        table.release(5);
        assert_eq!((table.get(5), table[6]), (Some(&0), 6));
        table.release(6);
        table.release(Id::MAX);
        assert_eq!((table.get(6), table.iter().count()), (None, 0));
    }
}
