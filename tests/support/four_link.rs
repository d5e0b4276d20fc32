//! The plain cross-linked list: one node per entity, four links, two sorted circular lists.
//!
//! This is the method the crate descends from, written down again as simply as it can be: a place
//! is searched from the head of the list, a neighbour query walks the X band and the Y band and
//! keeps what is in both, and a scene tells who came and went by comparing everybody's old
//! neighbours with the new ones. It is slow on purpose, nothing in it is clever, and so it can
//! judge the structure that is.

use std::collections::BTreeMap;

use bevy_aoi::crosslink::Id;

/// The sentinel of both lists. Its links are the first and the last node.
const HEAD: usize = 0;

struct Node {
    id: Id,
    at: [f32; 2],
    previous: [usize; 2],
    next: [usize; 2],
    /// The last query in whose X band this node was. It dies with the node.
    mark: u64,
}

/// Entities on a list sorted by X and on a list sorted by Y, equal coordinates by id.
pub struct FourLink {
    nodes: Vec<Node>,
    free: Vec<usize>,
    places: BTreeMap<Id, usize>,
    queries: u64,
}

impl Default for FourLink {
    fn default() -> Self {
        let sentinel = Node {
            id: 0,
            at: [f32::NAN; 2],
            previous: [HEAD; 2],
            next: [HEAD; 2],
            mark: 0,
        };
        Self {
            nodes: vec![sentinel],
            free: Vec::new(),
            places: BTreeMap::new(),
            queries: 0,
        }
    }
}

impl FourLink {
    /// Adds an entity; one that is known moves.
    pub fn add(&mut self, id: Id, at: [f32; 2]) {
        if self.places.contains_key(&id) {
            return self.move_to(id, at);
        }
        let node = Node {
            id,
            at,
            previous: [HEAD; 2],
            next: [HEAD; 2],
            mark: 0,
        };
        let place = match self.free.pop() {
            Some(place) => {
                self.nodes[place] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        self.places.insert(id, place);
        self.link(place, 0);
        self.link(place, 1);
    }

    /// Moves an entity; one that is unknown is added.
    pub fn move_to(&mut self, id: Id, at: [f32; 2]) {
        let Some(&place) = self.places.get(&id) else {
            return self.add(id, at);
        };
        self.unlink(place, 0);
        self.unlink(place, 1);
        self.nodes[place].at = at;
        self.link(place, 0);
        self.link(place, 1);
    }

    /// Removes an entity; one that is unknown is none of its business.
    pub fn remove(&mut self, id: Id) {
        if let Some(place) = self.places.remove(&id) {
            self.unlink(place, 0);
            self.unlink(place, 1);
            self.free.push(place);
        }
    }

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// All within the circle around an entity, the bound included, without itself, ascending.
    pub fn neighbors_in_radius(&mut self, id: Id, r: f32) -> Vec<Id> {
        self.in_both_bands(id, r, |dx, dy| dx * dx + dy * dy <= r * r)
    }

    /// All within the square around an entity, the bound included, without itself, ascending.
    pub fn neighbors_in_square(&mut self, id: Id, r: f32) -> Vec<Id> {
        self.in_both_bands(id, r, |_, _| true)
    }

    /// One list from its first node to its last, having made sure that it reads the same backwards.
    pub fn list(&self, axis: usize) -> Vec<(f32, Id)> {
        let run = |links: fn(&Node) -> [usize; 2]| {
            let mut run = Vec::new();
            let mut place = links(&self.nodes[HEAD])[axis];
            while place != HEAD {
                let node = &self.nodes[place];
                run.push((node.at[axis], node.id));
                place = links(node)[axis];
            }
            run
        };
        let forward = run(|node| node.next);
        let mut backward = run(|node| node.previous);
        backward.reverse();
        assert_eq!(forward, backward, "the links of list {axis} disagree");
        forward
    }

    fn in_both_bands(&mut self, id: Id, r: f32, keep: impl Fn(f32, f32) -> bool) -> Vec<Id> {
        let Some(&place) = self.places.get(&id) else {
            return Vec::new();
        };
        self.queries += 1;
        for near in self.band(place, 0, r) {
            self.nodes[near].mark = self.queries;
        }
        let [x, y] = self.nodes[place].at;
        let mut found = Vec::new();
        for near in self.band(place, 1, r) {
            let node = &self.nodes[near];
            if node.mark == self.queries && keep(node.at[0] - x, node.at[1] - y) {
                found.push(node.id);
            }
        }
        found.sort_unstable();
        found
    }

    /// Both ways along one list while the distance on its axis is at most `r`.
    fn band(&self, from: usize, axis: usize, r: f32) -> Vec<usize> {
        let mut band = Vec::new();
        for links in [|node: &Node| node.next, |node: &Node| node.previous] {
            let mut place = links(&self.nodes[from])[axis];
            while place != HEAD
                && (self.nodes[place].at[axis] - self.nodes[from].at[axis]).abs() <= r
            {
                band.push(place);
                place = links(&self.nodes[place])[axis];
            }
        }
        band
    }

    /// Searches the place from the head, and links the node in before the first that comes later.
    fn link(&mut self, place: usize, axis: usize) {
        let mut after = self.nodes[HEAD].next[axis];
        while after != HEAD && self.before(after, place, axis) {
            after = self.nodes[after].next[axis];
        }
        let before = self.nodes[after].previous[axis];
        self.nodes[place].previous[axis] = before;
        self.nodes[place].next[axis] = after;
        self.nodes[before].next[axis] = place;
        self.nodes[after].previous[axis] = place;
    }

    fn unlink(&mut self, place: usize, axis: usize) {
        let (before, after) = (
            self.nodes[place].previous[axis],
            self.nodes[place].next[axis],
        );
        self.nodes[before].next[axis] = after;
        self.nodes[after].previous[axis] = before;
    }

    fn before(&self, a: usize, b: usize, axis: usize) -> bool {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        a.at[axis] < b.at[axis] || (a.at[axis] == b.at[axis] && a.id < b.id)
    }
}

/// A scene in which all can see and be seen, with one radius for all.
pub struct Scene {
    /// Where everybody is.
    pub list: FourLink,
    radius: f32,
    square: bool,
    seen: BTreeMap<Id, Vec<Id>>,
}

impl Scene {
    /// An empty scene whose areas have this radius; they are squares or circles.
    pub fn new(radius: f32, square: bool) -> Self {
        Self {
            list: FourLink::default(),
            radius,
            square,
            seen: BTreeMap::new(),
        }
    }

    /// Who has come into whose view and who has dropped out since the last step, as
    /// (viewer, target), sorted: everybody's new neighbours against the old ones, and only once
    /// all have moved.
    pub fn step(&mut self) -> (Vec<(Id, Id)>, Vec<(Id, Id)>) {
        let everybody: Vec<Id> = self.list.places.keys().copied().collect();
        let mut sees = BTreeMap::new();
        for id in everybody {
            let neighbors = if self.square {
                self.list.neighbors_in_square(id, self.radius)
            } else {
                self.list.neighbors_in_radius(id, self.radius)
            };
            sees.insert(id, neighbors);
        }
        let changes = (
            pairs_beyond(&sees, &self.seen),
            pairs_beyond(&self.seen, &sees),
        );
        self.seen = sees;
        changes
    }
}

/// The pairs of `these` that are not among `those`.
fn pairs_beyond(these: &BTreeMap<Id, Vec<Id>>, those: &BTreeMap<Id, Vec<Id>>) -> Vec<(Id, Id)> {
    let mut pairs = Vec::new();
    for (&viewer, targets) in these {
        let known = those.get(&viewer).map_or(&[][..], Vec::as_slice);
        for &target in targets {
            if known.binary_search(&target).is_err() {
                pairs.push((viewer, target));
            }
        }
    }
    pairs
}
