//! The tests of the systems this crate descends from: published write-ups of the cross-linked
//! list (十字链表) for the area of interest of an MMO server.
//!
//! What they tested is tested here, on the plain four-link list (which the random tests use as a
//! reference) and on the structure; and for each fault they had there is a test that it is not in
//! ours.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;

use crate::brute::{Op, Pair, Twin};
use crate::four_link::{FourLink, Scene};
use bevy_aoi::crosslink::{CrossLink, Id, Relation, Shape, Target, Viewer};
use fastrand::Rng;

/// What the write-ups' list can do; a test on this runs on the plain list and on the structure.
trait List: Default {
    fn add(&mut self, id: Id, at: [f32; 2]);
    fn move_to(&mut self, id: Id, at: [f32; 2]);
    fn remove(&mut self, id: Id);
    fn len(&self) -> usize;
    /// Ascending.
    fn neighbors_in_radius(&mut self, id: Id, r: f32) -> Vec<Id>;
    fn list(&self, axis: usize) -> Vec<(f32, Id)>;

    fn ids(&self, axis: usize) -> Vec<Id> {
        self.list(axis).into_iter().map(|(_, id)| id).collect()
    }
}

impl List for FourLink {
    fn add(&mut self, id: Id, at: [f32; 2]) {
        FourLink::add(self, id, at);
    }
    fn move_to(&mut self, id: Id, at: [f32; 2]) {
        FourLink::move_to(self, id, at);
    }
    fn remove(&mut self, id: Id) {
        FourLink::remove(self, id);
    }
    fn len(&self) -> usize {
        FourLink::len(self)
    }
    fn neighbors_in_radius(&mut self, id: Id, r: f32) -> Vec<Id> {
        FourLink::neighbors_in_radius(self, id, r)
    }
    fn list(&self, axis: usize) -> Vec<(f32, Id)> {
        FourLink::list(self, axis)
    }
}

impl List for CrossLink<2> {
    fn add(&mut self, id: Id, at: [f32; 2]) {
        self.insert(id, at);
    }
    fn move_to(&mut self, id: Id, at: [f32; 2]) {
        CrossLink::move_to(self, id, at);
    }
    fn remove(&mut self, id: Id) {
        CrossLink::remove(self, id);
    }
    fn len(&self) -> usize {
        CrossLink::len(self)
    }
    fn neighbors_in_radius(&mut self, id: Id, r: f32) -> Vec<Id> {
        sorted(CrossLink::neighbors_in_radius(self, id, r))
    }
    fn list(&self, axis: usize) -> Vec<(f32, Id)> {
        self.check_invariants().unwrap();
        self.walk(axis).collect()
    }
}

fn sorted(ids: impl Iterator<Item = Id>) -> Vec<Id> {
    let mut ids: Vec<Id> = ids.collect();
    ids.sort_unstable();
    ids
}

/// Runs a test on the plain list and on the structure.
macro_rules! on_both {
    ($test:ident) => {
        $test::<FourLink>();
        $test::<CrossLink<2>>();
    };
}

// ---- Adding, moving, removing ------------------------------------------------------------------

#[test]
fn adding_a_known_id_moves_it() {
    fn case<L: List>() {
        let mut list = L::default();
        list.add(1, [5.0, 5.0]);
        list.add(2, [6.0, 5.0]);
        list.add(1, [9.0, 1.0]);
        assert_eq!(list.len(), 2);
        assert_eq!(list.list(0), [(6.0, 2), (9.0, 1)]);
        assert_eq!(list.list(1), [(1.0, 1), (5.0, 2)]);
    }
    on_both!(case);
}

#[test]
fn moving_an_unknown_id_adds_it() {
    fn case<L: List>() {
        let mut list = L::default();
        list.move_to(7, [3.0, 4.0]);
        assert_eq!(list.len(), 1);
        assert_eq!(list.list(0), [(3.0, 7)]);
        assert_eq!(list.list(1), [(4.0, 7)]);
    }
    on_both!(case);
}

#[test]
fn removing_an_unknown_id_does_nothing() {
    fn case<L: List>() {
        let mut list = L::default();
        list.remove(1);
        list.add(1, [0.0, 0.0]);
        list.remove(2);
        list.remove(1);
        list.remove(1);
        assert_eq!(list.len(), 0);
        list.add(1, [0.0, 0.0]);
        assert_eq!(list.len(), 1);
    }
    on_both!(case);
}

#[test]
fn after_all_are_removed_both_lists_are_empty() {
    fn case<L: List>() {
        let mut list = L::default();
        for id in 0..300 {
            list.add(id, [(id % 17) as f32, (id % 23) as f32]);
        }
        for id in (0..300).rev() {
            list.remove(id);
            assert_eq!(list.len(), id as usize);
        }
        assert_eq!(list.list(0), []);
        assert_eq!(list.list(1), []);
        assert_eq!(list.neighbors_in_radius(0, f32::INFINITY), []);
    }
    on_both!(case);
    let mut link = CrossLink::<2>::new();
    assert!(link.is_empty());
    link.insert(1, [0.0, 0.0]);
    assert!(!link.is_empty());
    link.remove(1);
    assert!(link.is_empty());
}

#[test]
fn the_structure_says_what_it_did() {
    let mut link = CrossLink::<2>::new();
    assert!(link.insert(1, [1.0, 2.0]));
    assert!(link.insert(1, [3.0, 4.0]), "a known id moves");
    assert!(link.move_to(2, [0.0, 0.0]), "an unknown id is added");
    assert!(link.contains(1) && link.contains(2) && !link.contains(3));
    assert_eq!(link.position(1), Some([3.0, 4.0]));
    assert_eq!(link.position(3), None);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in [[bad, 0.0], [0.0, bad]] {
            assert!(!link.insert(1, at) && !link.move_to(1, at) && !link.insert(3, at));
            link.insert_many([(1, at), (3, at)]);
            link.move_many([(1, at), (3, at)]);
        }
    }
    assert_eq!(
        link.position(1),
        Some([3.0, 4.0]),
        "what is refused changes nothing"
    );
    assert!(!link.contains(3));
    assert!(link.remove(1) && !link.remove(1));
    assert!(!link.set_viewer(1, Some(Viewer::new(1.0))) && !link.set_target(1, None));
    assert_eq!(link.len(), 1);
    link.clear();
    assert_eq!(link.len(), 0);
    link.check_invariants().unwrap();
}

#[test]
fn many_at_once_are_as_many_one_by_one() {
    let mut scene = Squares::new(2.0);
    for id in 0..10 {
        scene.add(id, [10.0 * id as f32, 0.0]);
    }
    // Known and unknown ones, one that is named twice, one that is nowhere.
    let moves = vec![
        (1, [9.0, 0.0]),
        (2, [1.0, 1.0]),
        (2, [5.0, 5.0]),
        (77, [0.0, 0.0]),
    ];
    scene.twin.apply(&Op::MoveMany(moves)).unwrap();
    scene
        .twin
        .apply(&Op::InsertMany(vec![(3, [f32::NAN, 0.0]), (4, [6.0, 4.0])]))
        .unwrap();
    scene.twin.apply(&Op::Update).unwrap();
    assert_eq!(
        scene.twin.link.position(2),
        Some([5.0, 5.0]),
        "the last one counts"
    );
    assert_eq!(scene.twin.link.position(3), Some([30.0, 0.0]), "refused");
    assert_eq!(scene.twin.told, (vec![(2, 4), (4, 2)], vec![]));
    assert_eq!(scene.twin.link.len(), 11);

    scene.twin.apply(&Op::Clear).unwrap();
    scene.twin.apply(&Op::Update).unwrap();
    assert_eq!(scene.twin.told, (vec![], vec![(2, 4), (4, 2)]));
}

// ---- The order of the lists --------------------------------------------------------------------

#[test]
fn keys_never_decrease_along_either_list() {
    fn case<L: List>() {
        let mut rng = Rng::with_seed(0x5eed_0001);
        let mut list = L::default();
        for id in 0..500 {
            list.add(id, [rng.f32() * 100.0, (rng.u32(..20)) as f32]);
        }
        for round in 0..20 {
            for _ in 0..50 {
                let id = rng.u32(..500);
                list.move_to(id, [rng.f32() * 100.0, (rng.u32(..20)) as f32]);
            }
            for axis in 0..2 {
                let run = list.list(axis);
                assert_eq!(run.len(), 500, "round {round}, axis {axis}");
                assert!(run.is_sorted(), "round {round}, axis {axis}: {run:?}");
            }
        }
    }
    on_both!(case);
}

#[test]
fn the_lists_can_be_walked_both_ways_from_anybody() {
    let mut rng = Rng::with_seed(0x5eed_0002);
    let mut twin = Twin::<3>::default();
    for id in 0..200 {
        let at = [rng.f32(), rng.u32(..9) as f32, 7.0];
        twin.apply(&Op::Insert(id, at)).unwrap();
    }
    for axis in 0..3 {
        for from in 0..200 {
            twin.apply(&Op::Walk(axis, from)).unwrap();
        }
        let up: Vec<(f32, Id)> = twin.link.walk(axis).collect();
        assert!(up.is_sorted());
        let (first, last) = (up[0].1, up[199].1);
        let mut down: Vec<(f32, Id)> = twin.link.walk_down(last, axis).collect();
        assert!(down.is_sorted_by(|a, b| a > b));
        down.reverse();
        assert_eq!(down, up[..199]);
        assert!(twin.link.walk_up(first, axis).eq(up[1..].iter().copied()));
        assert_eq!(twin.link.walk_up(999, axis).count(), 0, "an unknown id");
    }
}

#[test]
fn zero_with_a_sign_is_zero() {
    let mut link = CrossLink::<2>::new();
    for (id, x) in [-0.0, 0.0, -0.0, 1.0, -1.0, 0.0].into_iter().enumerate() {
        link.insert(id as Id, [x, -x]);
    }
    link.check_invariants().unwrap();
    assert!(link.walk(0).map(|(x, _)| x).is_sorted());
    assert_eq!(sorted(link.neighbors_in_radius(0, 0.0)), [1, 2, 5]);
    assert_eq!(sorted(link.within_radius([-0.0, 0.0], -0.0)), [0, 1, 2, 5]);
    assert_eq!(
        sorted(link.within_box([0.0, -0.0], [-0.0, 0.0])),
        [0, 1, 2, 5]
    );
    assert_eq!(link.nearest([0.0, -0.0], 5), [0, 1, 2, 5, 3]);
}

#[test]
fn a_third_list_where_the_map_has_height() {
    let mut link = CrossLink::<3>::new();
    link.insert_many([
        (1, [0.0, 3.0, 5.0]),
        (2, [1.0, 1.0, 4.0]),
        (3, [2.0, 2.0, 5.0]),
    ]);
    let ids = |axis| -> Vec<Id> { link.walk(axis).map(|(_, id)| id).collect() };
    assert_eq!([ids(0), ids(1), ids(2)], [[1, 2, 3], [2, 3, 1], [2, 1, 3]]);
    assert_eq!(sorted(link.neighbors_in_radius(2, 2.5)), [1, 3]);
    assert_eq!(sorted(link.neighbors_in_radius(1, 2.45)), [2, 3]);
    assert_eq!(sorted(link.neighbors_in_radius(1, 2.44)), [3]);
}

#[test]
fn the_dump_prints_all_lists() {
    let mut link = CrossLink::<2>::new();
    for (id, at) in [(41, [1.0, 8.0]), (42, [2.0, 7.0]), (43, [3.0, 9.0])] {
        link.insert(id, at);
    }
    let dump = link.dump().to_string();
    // A line for each axis; what it says of the structure comes after.
    let order = |text: &str, lists: usize| -> Vec<Id> {
        let text: String = text.lines().take(lists).collect();
        let numbers = text.split(|c: char| !c.is_ascii_digit());
        let ids = numbers.filter_map(|number| number.parse().ok());
        ids.filter(|id| (41..=43).contains(id)).collect()
    };
    assert_eq!(order(&dump, 2), [41, 42, 43, 42, 41, 43], "{dump}");

    let mut solid = CrossLink::<3>::new();
    solid.insert(41, [1.0, 2.0, 2.0]);
    solid.insert(42, [2.0, 1.0, 1.0]);
    let dump = solid.dump().to_string();
    assert_eq!(order(&dump, 3), [41, 42, 42, 41, 42, 41], "{dump}");
}

// ---- Neighbours --------------------------------------------------------------------------------

#[test]
fn the_circle_includes_its_edge_but_not_oneself() {
    fn case<L: List>() {
        let mut list = L::default();
        list.add(1, [0.0, 0.0]);
        list.add(2, [3.0, 4.0]);
        list.add(3, [-5.0, 0.0]);
        list.add(4, [0.0, 5.0001]);
        list.add(5, [4.0, 4.0]);
        assert_eq!(list.neighbors_in_radius(1, 5.0), [2, 3]);
        assert_eq!(list.neighbors_in_radius(1, 4.9999), []);
        assert_eq!(list.neighbors_in_radius(1, 6.0), [2, 3, 4, 5]);
    }
    on_both!(case);
}

#[test]
fn one_band_is_not_enough() {
    fn case<L: List>() {
        let mut list = L::default();
        list.add(1, [0.0, 0.0]);
        list.add(2, [0.0, 100.0]);
        list.add(3, [100.0, 0.0]);
        list.add(4, [7.0, 7.0]);
        assert_eq!(list.neighbors_in_radius(1, 8.0), []);
        assert_eq!(list.neighbors_in_radius(1, 10.0), [4]);
    }
    on_both!(case);
}

#[test]
fn an_unknown_id_has_no_neighbors() {
    fn case<L: List>() {
        let mut list = L::default();
        assert_eq!(list.neighbors_in_radius(1, 8.0), []);
        list.add(2, [0.0, 0.0]);
        assert_eq!(list.neighbors_in_radius(1, f32::INFINITY), []);
        list.remove(2);
        assert_eq!(list.neighbors_in_radius(2, f32::INFINITY), []);
    }
    on_both!(case);
}

#[test]
fn any_number_may_ask_at_once() {
    let mut rng = Rng::with_seed(0x5eed_0003);
    let mut link = CrossLink::<2>::new();
    link.insert_many((0..500).map(|id| (id, [rng.f32() * 100.0, rng.f32() * 100.0])));
    let alone: Vec<Vec<Id>> = (0..500)
        .map(|id| sorted(link.neighbors_in_radius(id, 8.0)))
        .collect();

    // One query inside another, and the first goes on undisturbed.
    let mut outer = Vec::new();
    for near in link.neighbors_in_radius(0, 30.0) {
        assert_eq!(
            sorted(link.neighbors_in_radius(near, 8.0)),
            alone[near as usize]
        );
        outer.push(near);
    }
    assert_eq!(
        sorted(outer.into_iter()),
        sorted(link.neighbors_in_radius(0, 30.0))
    );

    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (id, right) in alone.iter().enumerate() {
                    assert_eq!(&sorted(link.neighbors_in_radius(id as Id, 8.0)), right);
                }
            });
        }
    });
}

/// The write-up's reference: cells as large as the radius, of which the nine around a place are
/// looked at.
#[derive(Default)]
struct NineGrid {
    cells: BTreeMap<[i32; 2], Vec<(Id, [f32; 2])>>,
}

impl NineGrid {
    const CELL: f32 = 8.0;

    fn cell(at: [f32; 2]) -> [i32; 2] {
        at.map(|x| (x / Self::CELL).floor() as i32)
    }

    fn add(&mut self, id: Id, at: [f32; 2]) {
        self.cells.entry(Self::cell(at)).or_default().push((id, at));
    }

    fn neighbors(&self, id: Id, at: [f32; 2]) -> Vec<Id> {
        let [cx, cy] = Self::cell(at);
        let mut found = Vec::new();
        for cell in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| [cx + dx, cy + dy])) {
            for &(other, [x, y]) in self.cells.get(&cell).into_iter().flatten() {
                let (dx, dy) = (x - at[0], y - at[1]);
                if other != id && dx * dx + dy * dy <= Self::CELL * Self::CELL {
                    found.push(other);
                }
            }
        }
        sorted(found.into_iter())
    }
}

#[test]
fn five_hundred_points_have_the_neighbors_of_a_nine_cell_grid() {
    for seed in 0..5 {
        let mut rng = Rng::with_seed(seed);
        let points: Vec<[f32; 2]> = (0..500)
            .map(|_| [rng.f32() * 100.0, rng.f32() * 100.0])
            .collect();
        let (mut grid, mut plain, mut twin) = (
            NineGrid::default(),
            FourLink::default(),
            Twin::<2>::default(),
        );
        for (id, &at) in (0..).zip(&points) {
            grid.add(id, at);
            plain.add(id, at);
            twin.apply(&Op::Insert(id, at)).unwrap();
        }
        let mut found = 0;
        for (id, &at) in (0..).zip(&points) {
            let right = grid.neighbors(id, at);
            assert_eq!(
                twin.brute.neighbors_in_radius(id, 8.0),
                right,
                "seed {seed}"
            );
            assert_eq!(plain.neighbors_in_radius(id, 8.0), right, "seed {seed}");
            assert_eq!(
                sorted(twin.link.neighbors_in_radius(id, 8.0)),
                right,
                "seed {seed}"
            );
            found += right.len();
        }
        assert!(
            found > 2000,
            "seed {seed}: a field this dense has about 4500, not {found}"
        );
    }
}

#[test]
fn five_hundred_points_answer_every_other_question() {
    let mut rng = Rng::with_seed(0x5eed_0004);
    let mut twin = Twin::<2>::default();
    let mut point = || [rng.f32() * 100.0, rng.f32() * 100.0];
    twin.apply(&Op::InsertMany((0..500).map(|id| (id, point())).collect()))
        .unwrap();
    for id in 0..500 {
        let (here, there) = (point(), point());
        let corner = |pick: fn(f32, f32) -> f32| [pick(here[0], there[0]), pick(here[1], there[1])];
        twin.apply(&Op::Neighbors(id, 8.0)).unwrap();
        twin.apply(&Op::WithinRadius(here, 8.0)).unwrap();
        twin.apply(&Op::WithinBox(corner(f32::min), corner(f32::max)))
            .unwrap();
        twin.apply(&Op::Nearest(here, id as usize % 40)).unwrap();
        twin.apply(&Op::Member(id)).unwrap();
    }
    assert_eq!(twin.link.nearest([50.0, 50.0], 1000).len(), 500);
}

#[test]
fn one_that_comes_from_afar_is_a_neighbor() {
    fn case<L: List>() {
        let mut list = L::default();
        list.add(1, [0.0, 0.0]);
        list.add(2, [50.0, 50.0]);
        assert_eq!(list.neighbors_in_radius(1, 8.0), []);
        list.move_to(2, [3.0, 4.0]);
        assert_eq!(list.neighbors_in_radius(1, 8.0), [2]);
        assert_eq!(list.neighbors_in_radius(2, 8.0), [1]);
        list.remove(1);
        list.remove(2);
        assert_eq!(list.len(), 0);
    }
    on_both!(case);
}

#[test]
fn no_density_needs_a_setting() {
    // The same figure in nine sizes, all in one list at once, a world apart.
    let mut rng = Rng::with_seed(0x5eed_0005);
    let mut twin = Twin::<2>::default();
    let mut members = Vec::new();
    for (size, exponent) in (-3..6).enumerate() {
        let scale = 10f32.powi(exponent);
        for n in 0..100 {
            let at = [scale * (3.0 + rng.f32()), scale * (3.0 + rng.f32())];
            members.push((size as Id * 100 + n, at));
        }
    }
    twin.apply(&Op::InsertMany(members)).unwrap();
    for id in 0..900 {
        let scale = 10f32.powi(id as i32 / 100 - 3);
        for r in [0.1 * scale, scale] {
            twin.apply(&Op::Neighbors(id, r)).unwrap();
        }
    }
}

// ---- The scene: who enters, who leaves ---------------------------------------------------------

/// A scene in the structure, by brute force and in the plain list, where all have square areas.
struct Squares {
    twin: Twin<2>,
    plain: Scene,
    viewer: Viewer<2>,
}

impl Squares {
    fn new(radius: f32) -> Self {
        let mut viewer = Viewer::new(radius);
        viewer.shape = Shape::Square;
        Self {
            twin: Twin::default(),
            plain: Scene::new(radius, true),
            viewer,
        }
    }

    fn add(&mut self, id: Id, at: [f32; 2]) {
        self.twin.apply(&Op::Insert(id, at)).unwrap();
        self.twin
            .apply(&Op::SetViewer(id, Some(self.viewer)))
            .unwrap();
        self.twin
            .apply(&Op::SetTarget(id, Some(Target::default())))
            .unwrap();
        self.plain.list.add(id, at);
    }

    fn move_to(&mut self, id: Id, at: [f32; 2]) {
        self.twin.apply(&Op::Move(id, at)).unwrap();
        self.plain.list.move_to(id, at);
    }

    fn remove(&mut self, id: Id) {
        self.twin.apply(&Op::Remove(id)).unwrap();
        self.plain.list.remove(id);
    }

    /// Who entered and who left since the last step, each pair in one direction, smaller id first.
    fn step(&mut self) -> (Vec<Pair>, Vec<Pair>) {
        let (entered, left) = self.plain.step();
        self.twin.apply(&Op::Update).unwrap();
        assert_eq!(self.twin.told, (entered.clone(), left.clone()));
        let once = |pairs: Vec<Pair>| -> Vec<Pair> {
            for &(viewer, target) in &pairs {
                assert!(
                    pairs.contains(&(target, viewer)),
                    "both see each other or neither does"
                );
            }
            pairs
                .into_iter()
                .filter(|(viewer, target)| viewer < target)
                .collect()
        };
        (once(entered), once(left))
    }
}

#[test]
fn six_entities_come_and_go() {
    let mut scene = Squares::new(2.0);
    let coming: [(Id, [f32; 2], &[Pair]); 6] = [
        (1, [1.0, 5.0], &[]),
        (2, [2.0, 2.0], &[]),
        (3, [3.0, 1.0], &[(2, 3)]),
        (4, [5.0, 3.0], &[(3, 4)]),
        (5, [6.0, 6.0], &[]),
        (6, [3.0, 3.0], &[(1, 6), (2, 6), (3, 6), (4, 6)]),
    ];
    for (id, at, enters) in coming {
        scene.add(id, at);
        assert_eq!(scene.step(), (enters.to_vec(), vec![]), "{id} comes");
    }

    scene.move_to(6, [4.0, 4.0]);
    assert_eq!(
        scene.step(),
        (vec![(5, 6)], vec![(1, 6), (3, 6)]),
        "6 moves"
    );
    assert_eq!(
        scene.twin.relation.in_view(6),
        [2, 4, 5],
        "2 and 4 stayed in view"
    );

    let going: [(Id, &[Pair]); 6] = [
        (1, &[]),
        (2, &[(2, 3), (2, 6)]),
        (3, &[(3, 4)]),
        (4, &[(4, 6)]),
        (5, &[(5, 6)]),
        (6, &[]),
    ];
    for (id, leaves) in going {
        scene.remove(id);
        assert_eq!(scene.step(), (vec![], leaves.to_vec()), "{id} goes");
        assert_eq!(scene.twin.relation.in_view(id), [] as [Id; 0]);
    }
    assert!(scene.twin.link.is_empty());
    assert_eq!(FourLink::len(&scene.plain.list), 0);
}

#[test]
fn a_square_is_no_circle() {
    for (square, right) in [(true, vec![(1, 2), (2, 1)]), (false, vec![])] {
        let mut link = CrossLink::<2>::new();
        let mut plain = Scene::new(2.0, square);
        for (id, at) in [(1, [0.0, 0.0]), (2, [2.0, 2.0])] {
            let mut viewer = Viewer::new(2.0);
            viewer.shape = if square { Shape::Square } else { Shape::Round };
            link.insert(id, at);
            link.set_viewer(id, Some(viewer));
            link.set_target(id, Some(Target::default()));
            plain.list.add(id, at);
        }
        assert_eq!(plain.step(), (right.clone(), vec![]));
        assert_eq!(Relation::new().update(&mut link).entered, right);
    }
}

// ---- Faults that must not come back ------------------------------------------------------------

/// A leap search in a list whose length was not kept, and that gave up when its leaps ended before
/// the key was passed, lost what was inserted.
#[test]
fn no_insert_vanishes_wherever_it_belongs() {
    fn case<L: List>() {
        for len in [
            0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200,
        ] {
            let mut list = L::default();
            for id in 0..len {
                list.add(id, [2.0 * id as f32, 0.0]);
            }
            // Before the first, between any two, after the last, and on top of each.
            for place in 0..=2 * len {
                let x = place as f32 - 1.0;
                list.add(1000, [x, 1.0]);
                let order = list.list(0);
                assert_eq!(order.len(), len as usize + 1, "{len} and one at {x}");
                assert!(order.is_sorted() && order.contains(&(x, 1000)), "{order:?}");
                assert_eq!(list.len(), len as usize + 1);
                list.remove(1000);
                assert_eq!(list.len(), len as usize);
            }
        }
    }
    on_both!(case);
}

#[test]
fn no_insert_vanishes_in_a_growing_list() {
    fn case<L: List>() {
        let ways: [fn(u32) -> f32; 4] = [
            |n| n as f32,
            |n| -(n as f32),
            |_| 5.0,
            |n| if n % 2 == 0 { n as f32 } else { -(n as f32) },
        ];
        for (way, x) in ways.into_iter().enumerate() {
            let mut list = L::default();
            for id in 0..700 {
                list.add(id, [x(id), x(id)]);
                assert_eq!(list.len(), id as usize + 1);
                if id % 50 == 0 || id == 699 {
                    let mut right: Vec<(f32, Id)> = (0..=id).map(|id| (x(id), id)).collect();
                    right.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    assert_eq!(list.list(0), right, "way {way}");
                    assert_eq!(list.list(1), right, "way {way}");
                }
            }
        }
    }
    on_both!(case);
}

/// Moving toward smaller keys compared the wrong way round and never reached the first place.
#[test]
fn everyone_can_become_the_first_and_the_last() {
    fn case<L: List>() {
        for len in [1u32, 2, 3, 40, 150] {
            let mut list = L::default();
            for id in 0..len {
                list.add(id, [id as f32, id as f32]);
            }
            // Each in turn steps before the first: the order comes out reversed.
            for id in 0..len {
                let x = -1.0 - id as f32;
                list.move_to(id, [x, x]);
                assert_eq!(list.ids(0)[0], id);
                assert_eq!(list.ids(1)[0], id);
            }
            let reversed: Vec<Id> = (0..len).rev().collect();
            assert_eq!(list.ids(0), reversed);
            // And back behind the last.
            for id in 0..len {
                let x = 1.0 + id as f32;
                list.move_to(id, [x, x]);
                assert_eq!(list.ids(0).last(), Some(&id));
                assert_eq!(list.ids(1).last(), Some(&id));
            }
            assert_eq!(list.ids(1), (0..len).collect::<Vec<Id>>());
        }
    }
    on_both!(case);
}

#[test]
fn a_walk_toward_smaller_keys_keeps_the_order() {
    fn case<L: List>() {
        let mut list = L::default();
        for id in 0..100 {
            list.add(id, [id as f32, 0.5 * id as f32]);
        }
        // One that stands between, upon and beside the others, all the way down and out.
        for step in 0..=210 {
            let x = 100.0 - 0.5 * step as f32;
            list.move_to(100, [x, x]);
            for axis in 0..2 {
                let order = list.list(axis);
                assert!(order.is_sorted() && order.contains(&(x, 100)), "{order:?}");
            }
        }
        assert_eq!(list.list(0)[0], (-5.0, 100));
    }
    on_both!(case);
}

/// Moves told one by one made pairs enter and leave that were together in no settled state.
#[test]
fn what_was_passed_on_the_way_is_not_told() {
    let mut scene = Squares::new(2.0);
    scene.add(1, [0.0, 0.0]);
    scene.add(2, [10.0, 0.0]);
    scene.add(3, [50.0, 0.0]);
    assert_eq!(scene.step(), (vec![], vec![]));
    // 3 passes 2 on its way to 1.
    scene.move_to(3, [11.0, 0.0]);
    scene.move_to(3, [9.0, 0.0]);
    scene.move_to(3, [1.0, 0.0]);
    assert_eq!(scene.step(), (vec![(1, 3)], vec![]));
    // 1 and 2 change places: moved one by one they stand on one spot for a while.
    scene.move_to(1, [10.0, 0.0]);
    scene.move_to(2, [0.0, 0.0]);
    assert_eq!(scene.step(), (vec![(2, 3)], vec![(1, 3)]));
    // All go together: the first one's step alone would take it out of the other's view.
    scene.move_to(2, [1000.0, 0.0]);
    scene.move_to(3, [1001.0, 0.0]);
    assert_eq!(scene.step(), (vec![], vec![]));
    // Out and back, and gone and back.
    scene.move_to(2, [0.0, 0.0]);
    scene.move_to(2, [1000.0, 0.0]);
    scene.remove(3);
    scene.add(3, [1001.0, 0.0]);
    assert_eq!(scene.step(), (vec![], vec![]));
}

/// A removed id kept its mark for ever.
#[test]
fn nothing_is_left_of_one_that_was_removed() {
    let mut link = CrossLink::<2>::new();
    let mut relation = Relation::new();
    for id in [1, 2] {
        link.insert(id, [0.5, 0.25]);
        link.set_viewer(id, Some(Viewer::new(2.0)));
        link.set_target(id, Some(Target::default()));
    }
    assert_eq!(relation.update(&mut link).entered, [(1, 2), (2, 1)]);

    link.remove(1);
    assert!(!link.contains(1));
    assert_eq!((link.position(1), link.len()), (None, 1));
    assert!(link.viewer(1).is_none() && link.target(1).is_none());
    assert!(link.neighbors_in_radius(1, 9.0).next().is_none());
    assert!(link.neighbors_in_radius(2, 9.0).next().is_none());
    assert_eq!(link.nearest([0.5, 0.25], 9), [2]);
    for axis in 0..2 {
        assert!(link.walk(axis).map(|(_, id)| id).eq([2]));
        assert!(link.walk_up(1, axis).next().is_none() && link.walk_down(1, axis).next().is_none());
    }
    assert_eq!(relation.update(&mut link).left, [(1, 2), (2, 1)]);
    assert_eq!(
        (relation.in_view(1), relation.in_view(2)),
        (&[][..], &[][..])
    );

    // The next one of that name starts with nothing: it neither sees nor is seen.
    link.insert(1, [0.5, 0.25]);
    assert!(link.viewer(1).is_none() && link.target(1).is_none());
    let told = relation.update(&mut link);
    assert_eq!((told.entered.len(), told.left.len()), (0, 0));
}

/// Memory of the current thread, as other tests run beside this one.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // The last frees of a thread may come when its counter is gone.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many bytes more there are after 380 000 members than after the first 20 000, where never
/// more than 1000 are there at once; `first_id` says how the ids of a generation begin.
fn growth(first_id: fn(u32) -> u32) -> isize {
    let mut rng = Rng::with_seed(0x5eed_0006);
    let mut link = CrossLink::<2>::new();
    let mut relation = Relation::new();
    let mut generation = |n: u32| {
        let ids = first_id(n)..first_id(n) + 1000;
        for id in ids.clone() {
            link.insert(id, [rng.f32() * 100.0, rng.f32() * 100.0]);
            link.set_viewer(id, Some(Viewer::new(8.0)));
            link.set_target(id, Some(Target::default()));
        }
        assert!(!relation.update(&mut link).entered.is_empty());
        for id in ids {
            link.remove(id);
        }
        assert!(!relation.update(&mut link).left.is_empty());
        LIVE.get()
    };
    let early = (0..20).map(&mut generation).max().unwrap();
    let late = (20..400).map(&mut generation).max().unwrap();
    late - early
}

/// The marks of removed ids grew without bound. With one byte kept for each that has gone, neither
/// of these would hold.
#[test]
fn memory_does_not_grow_with_those_that_have_gone() {
    let grown = growth(|_| 0);
    assert!(grown < 100_000, "{grown} bytes more");
}

#[test]
fn memory_does_not_grow_with_ids_that_never_come_back() {
    let grown = growth(|generation| 1000 * generation);
    assert!(grown < 100_000, "{grown} bytes more");
}
