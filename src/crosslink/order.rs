//! Pairs in the order of viewer, then target.

use super::{Buffer, Id};

/// Sorts pairs; buffers kept from update to update. `T` is what members are called outside.
#[derive(Debug)]
pub(crate) struct Order<T> {
    /// By viewer: how many pairs it has, then where the next one goes.
    places: Buffer<u32>,
    viewers: Buffer<(T, Id)>,
}

impl<T> Default for Order<T> {
    fn default() -> Self {
        Self {
            places: Buffer::default(),
            viewers: Buffer::default(),
        }
    }
}

impl<T: Copy + Ord> Order<T> {
    /// Appends pairs under the names of their members, in the order of the names. `key` is a number
    /// that ascends as pairs do, and `members` is above every id.
    ///
    /// Where there are more pairs than members they are counted viewer by viewer: with one jump in ten a
    /// twentieth of an update less than comparing them.
    pub fn append<K: Ord>(
        &mut self,
        pairs: &[(Id, Id)],
        members: usize,
        name: impl Fn(Id) -> T,
        key: impl Fn(&(T, T)) -> K,
        out: &mut Vec<(T, T)>,
    ) {
        let from = out.len();
        out.extend(
            pairs
                .iter()
                .map(|&(viewer, target)| (name(viewer), name(target))),
        );
        let out = &mut out[from..];
        let Self { places, viewers } = self;
        places.recycle();
        viewers.recycle();
        if pairs.len() < members {
            out.sort_unstable_by_key(key);
            return;
        }
        places.resize(members, 0);
        for pair in pairs {
            places[pair.0 as usize] += 1;
        }
        let counted = (0..).zip(&*places).filter(|count| *count.1 > 0);
        viewers.extend(counted.map(|(id, _)| (name(id), id)));
        viewers.sort_unstable();
        let mut next = 0;
        for &(_, id) in &*viewers {
            let count = core::mem::replace(&mut places[id as usize], next);
            next += count;
        }
        for &(viewer, target) in pairs {
            let place = &mut places[viewer as usize];
            out[*place as usize] = (name(viewer), name(target));
            *place += 1;
        }
        for of_one in out.chunk_by_mut(|a, b| a.0 == b.0) {
            of_one.sort_unstable_by_key(|pair| pair.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_in_the_order_of_names() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut order = Order::default();
        for pairs in [0, 1, 30, 99, 100, 3000] {
            let pairs: Vec<_> = (0..pairs)
                .map(|_| (rng.u32(..100), rng.u32(..100)))
                .collect();
            let name = |id: Id| (id * 37) % 101;
            let mut out = vec![(7, 7)];
            order.append(&pairs, 100, name, |&pair| pair, &mut out);
            let mut right: Vec<_> = pairs
                .iter()
                .map(|pair| (name(pair.0), name(pair.1)))
                .collect();
            right.sort_unstable();
            assert_eq!(out[0], (7, 7));
            assert_eq!(out[1..], right);
        }
    }
}
