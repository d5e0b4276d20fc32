//! Random operations, more than a million of them, on the structure and on two that are too simple
//! to be wrong: brute force over all pairs, and the plain four-link list.
//!
//! Every world is made from one seed. When one fails, the operations that led there are cut down
//! to the few that matter, and those are printed with the seed. `AOI_SEED=n` runs other worlds
//! (the seed of a failure runs that one first), `AOI_TIMES=n` runs n times as many operations.

use std::time::{Duration, Instant};

use crate::brute::{Op, Twin};
use crate::four_link::{FourLink, Scene};
use bevy_aoi::crosslink::{CrossLink, Id, Relation, Shape, Target, Viewer};
use fastrand::Rng;

/// Worlds of every ground under every rule.
const KINDS: usize = GROUNDS.len() * RULES.len();
/// How many changes of one member are made in each world at least, once it is set up.
const SMALL: usize = 5_000;
const LARGE: usize = 5_000;
/// How many in all.
const RESTING: usize = 2_000;
const FOUR_LINK: usize = 150_000;
const _: () = assert!(2 * KINDS * (SMALL + LARGE) + RESTING + FOUR_LINK >= 1_000_000);

#[test]
fn small_worlds_on_a_plane() {
    run_worlds::<2>(0x2d00_0000, SMALL, |rng, ground, rules| Recipe {
        members: rng.u32(30..200),
        ground,
        rules,
        cast: Cast::any(rng),
    });
}

#[test]
fn small_worlds_in_space() {
    run_worlds::<3>(0x3d00_0000, SMALL, |rng, ground, rules| Recipe {
        members: rng.u32(30..200),
        ground,
        rules,
        cast: Cast::any(rng),
    });
}

#[test]
fn large_worlds_on_a_plane() {
    run_worlds::<2>(0x2d11_0000, LARGE, large);
}

#[test]
fn large_worlds_in_space() {
    run_worlds::<3>(0x3d11_0000, LARGE, large);
}

fn large(rng: &mut Rng, ground: Ground, rules: Rules) -> Recipe {
    // Where all see all a pair takes no less time to check, and there are more of them.
    let crowded = matches!(ground, Ground::Spot | Ground::Extreme) || rules == Rules::Hostile;
    Recipe {
        members: if crowded { 400 } else { rng.u32(1500..2500) },
        ground,
        rules,
        cast: Cast::any(rng),
    }
}

#[test]
fn few_move_among_many_that_rest() {
    for (seed, ground) in (0x4e57_0000..).zip([Ground::Field, Ground::Clusters, Ground::Line(0)]) {
        let recipe = |cast, rules| Recipe {
            members: 20_000,
            ground,
            rules,
            cast,
        };
        World::<2>::new(seed, recipe(Cast::FewViewers, Rules::Mixed)).rest(RESTING / 6);
        World::<3>::new(seed, recipe(Cast::FewTargets, Rules::OneHuge)).rest(RESTING / 6);
    }
}

/// Runs a world of every kind, with so many changes in each.
fn run_worlds<const D: usize>(
    first_seed: u64,
    changes: usize,
    recipe: impl Fn(&mut Rng, Ground, Rules) -> Recipe,
) {
    let worlds = KINDS * from_env("AOI_TIMES").unwrap_or(1) as usize;
    let first_seed = from_env("AOI_SEED").unwrap_or(first_seed);
    let mut done = 0;
    for seed in (first_seed..).take(worlds) {
        // All that a world is follows from its seed.
        let kind = seed as usize % KINDS;
        let (ground, rules) = (GROUNDS[kind % GROUNDS.len()], RULES[kind / GROUNDS.len()]);
        let recipe = recipe(&mut Rng::with_seed(seed), ground, rules);
        done += World::<D>::new(seed, recipe).run(changes);
    }
    assert!(done >= worlds * changes, "only {done} changes");
}

fn from_env(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} must be a number")),
    )
}

// ---- What a world is like ----------------------------------------------------------------------

/// Where its members stand.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ground {
    /// Evenly, in a field around the origin.
    Field,
    /// All on one line along an axis.
    Line(usize),
    /// All on one spot, or nearly.
    Spot,
    /// In a few dense heaps far apart.
    Clusters,
    /// On whole numbers, so that coordinates and distances are often equal.
    Lattice,
    /// Within a thousandth.
    Tiny,
    /// Ten million to each side.
    Wide,
    /// A field so far from the origin that coordinates are coarse.
    FarAway,
    /// From a thousandth to ten million, evenly in the exponent.
    AllScales,
    /// Where squares and even differences overflow or underflow.
    Extreme,
}

const GROUNDS: [Ground; 12] = [
    Ground::Field,
    Ground::Line(0),
    Ground::Line(1),
    Ground::Line(2),
    Ground::Spot,
    Ground::Clusters,
    Ground::Lattice,
    Ground::Tiny,
    Ground::Wide,
    Ground::FarAway,
    Ground::AllScales,
    Ground::Extreme,
];

/// How its members see and are seen.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rules {
    /// One round radius for all.
    Equal,
    /// One radius and one margin for all.
    Margin,
    /// One square for all.
    Squares,
    /// One radius for all, and some that are seen from further away.
    Landmarks,
    /// One huge radius, and small ones.
    OneHuge,
    /// Everything that makes sense.
    Mixed,
    /// And what makes none: NaN, infinite, negative, zero.
    Hostile,
}

const RULES: [Rules; 7] = [
    Rules::Equal,
    Rules::Margin,
    Rules::Squares,
    Rules::Landmarks,
    Rules::OneHuge,
    Rules::Mixed,
    Rules::Hostile,
];

/// Who sees and who is seen.
#[derive(Debug, Clone, Copy)]
enum Cast {
    Everyone,
    Mixed,
    FewViewers,
    FewTargets,
}

impl Cast {
    fn any(rng: &mut Rng) -> Self {
        [
            Self::Everyone,
            Self::Mixed,
            Self::FewViewers,
            Self::FewTargets,
        ][rng.usize(..4)]
    }

    fn sees(self, id: Id, rng: &mut Rng) -> bool {
        match self {
            Self::Everyone | Self::FewTargets => true,
            Self::Mixed => rng.u32(..10) < 7,
            Self::FewViewers => id < 20,
        }
    }

    fn is_seen(self, id: Id, rng: &mut Rng) -> bool {
        match self {
            Self::Everyone | Self::FewViewers => true,
            Self::Mixed => rng.u32(..10) < 7,
            // Some of those that see, and others.
            Self::FewTargets => id.is_multiple_of(7) && id < 200,
        }
    }
}

#[derive(Debug)]
struct Recipe {
    members: u32,
    ground: Ground,
    rules: Rules,
    cast: Cast,
}

struct World<const D: usize> {
    seed: u64,
    rng: Rng,
    recipe: Recipe,
    centers: Vec<[f32; D]>,
    twin: Twin<D>,
    /// All that was done, to be cut down if it fails.
    log: Vec<Op<D>>,
    changes: usize,
}

impl<const D: usize> World<D> {
    fn new(seed: u64, recipe: Recipe) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0xa01_a01);
        let centers = (0..5)
            .map(|_| [(); D].map(|()| between(&mut rng, -500.0, 500.0)))
            .collect();
        let mut world = Self {
            seed,
            rng,
            recipe,
            centers,
            twin: Twin::default(),
            log: Vec::new(),
            changes: 0,
        };
        let members = (0..world.recipe.members)
            .map(|id| (id, world.anywhere()))
            .collect();
        world.apply(Op::InsertMany(members));
        for id in 0..world.recipe.members {
            world.set_roles(id);
        }
        world.apply(Op::Update);
        world
    }

    /// Rounds of changes, each with an update and a few questions, until there were enough.
    fn run(mut self, changes: usize) -> usize {
        let before = self.changes;
        while self.changes < before + changes {
            let members = self.recipe.members as usize;
            let tempo = match self.rng.u32(..8) {
                0 => 0,
                1 => self.rng.usize(1..4),
                2 => members / 8,
                3 => 2 * members,
                _ => members,
            };
            if self.rng.u32(..4) == 0 {
                self.walk_all();
            } else {
                for _ in 0..tempo {
                    self.change();
                }
            }
            self.ask();
            self.apply(Op::Update);
            self.ask();
        }
        self.changes - before
    }

    /// Rounds in which a few move and the rest does nothing.
    fn rest(mut self, changes: usize) {
        let before = self.changes;
        while self.changes < before + changes {
            for _ in 0..20 {
                match self.rng.u32(..10) {
                    0 => self.change(),
                    _ => self.move_somewhere(),
                }
            }
            self.ask();
            self.apply(Op::Update);
        }
    }

    fn anyone(&mut self) -> Id {
        self.rng.u32(..self.recipe.members)
    }

    /// One change of any kind.
    fn change(&mut self) {
        let id = self.anyone();
        match self.rng.u32(..100) {
            0..50 => self.move_somewhere(),
            50..58 => {
                let at = self.anywhere();
                self.apply(Op::Insert(id, at));
                if self.rng.bool() {
                    self.set_roles(id);
                }
            }
            58..66 => self.apply(Op::Remove(id)),
            66..70 => {
                // Gone and back, here or elsewhere, with the same roles or others, before anyone looks.
                let here = self.twin.brute.position(id);
                let at = here
                    .filter(|_| self.rng.bool())
                    .unwrap_or_else(|| self.anywhere());
                let roles = (self.twin.link.viewer(id), self.twin.link.target(id));
                self.apply(Op::Remove(id));
                self.apply(Op::Insert(id, at));
                if self.rng.bool() {
                    self.apply(Op::SetViewer(id, roles.0));
                    self.apply(Op::SetTarget(id, roles.1));
                } else {
                    self.set_roles(id);
                }
            }
            70..80 => {
                let viewer = self.viewer(id);
                self.apply(Op::SetViewer(id, Some(viewer)));
            }
            80..84 => self.apply(Op::SetViewer(id, None)),
            84..91 => {
                let target = self.target();
                self.apply(Op::SetTarget(id, Some(target)));
            }
            91..95 => self.apply(Op::SetTarget(id, None)),
            95 => {
                let mut ids: Vec<_> = (0..self.rng.usize(..20)).map(|_| self.anyone()).collect();
                if self.rng.u8(..4) == 0 {
                    // Many of all at once, who may come back with all that they are.
                    ids.extend(self.twin.brute.ids());
                    self.rng.shuffle(&mut ids);
                    let most = ids.len() + 1;
                    ids.truncate(self.rng.usize(..most));
                }
                self.apply(Op::RemoveMany(ids.clone()));
                if self.rng.bool() {
                    let back = ids.into_iter().map(|id| {
                        let at = self.anywhere();
                        let viewer = self.rng.bool().then(|| self.viewer(id));
                        let target = self.rng.bool().then(|| self.target());
                        (id, at, viewer, target)
                    });
                    let back = back.collect();
                    self.apply(Op::InsertManyWith(back));
                }
            }
            96 => {
                let op = if self.rng.bool() {
                    Op::InsertMany
                } else {
                    Op::MoveMany
                };
                let many = self.rng.usize(0..20);
                let mut members: Vec<_> = (0..many)
                    .map(|_| (self.anyone(), self.anywhere()))
                    .collect();
                if many > 0 && self.rng.bool() {
                    members[self.rng.usize(..many)].1[self.rng.usize(..D)] = f32::NAN;
                }
                self.apply(op(members));
            }
            97..99 => {
                let mut at = self.anywhere();
                let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
                at[self.rng.usize(..D)] = bad[self.rng.usize(..3)];
                let op = if self.rng.bool() {
                    Op::Insert
                } else {
                    Op::Move
                };
                self.apply(op(id, at));
            }
            _ if self.rng.u32(..40) == 0 => {
                self.apply(Op::Clear);
                for id in 0..self.recipe.members {
                    if self.rng.bool() {
                        let at = self.anywhere();
                        self.apply(Op::Insert(id, at));
                        self.set_roles(id);
                    }
                }
            }
            // There and back.
            _ => {
                let away = self.anywhere();
                if let Some(here) = self.twin.brute.position(id) {
                    self.apply(Op::Move(id, away));
                    self.apply(Op::Move(id, here));
                }
            }
        }
    }

    fn move_somewhere(&mut self) {
        let id = self.anyone();
        let here = self.twin.brute.position(id);
        let at = match (self.rng.u32(..20), here) {
            (0..13, Some(here)) => self.nearby(here),
            (13, Some(here)) => here,
            // Onto somebody, or just as far from somebody as it sees.
            (14..17, _) => {
                let other = self.anyone();
                match self.twin.brute.position(other) {
                    Some(mut at) => {
                        if self.rng.bool() {
                            let r = self.twin.link.viewer(other).map_or(1.0, |v| v.radius);
                            let r = if self.rng.bool() { r } else { -r };
                            at[self.rng.usize(..D)] += r;
                        }
                        at
                    }
                    None => self.anywhere(),
                }
            }
            _ => self.anywhere(),
        };
        // A zero with a sign would be another key, but no other place.
        self.apply(Op::Move(id, at.map(|x| x + 0.0)));
    }

    /// Everybody makes a small step.
    fn walk_all(&mut self) {
        let mut moves = Vec::new();
        for id in self.twin.brute.ids() {
            if let Some(here) = self.twin.brute.position(id) {
                moves.push((id, self.nearby(here)));
            }
        }
        if self.rng.bool() {
            self.apply(Op::MoveMany(moves));
        } else {
            for (id, at) in moves {
                self.apply(Op::Move(id, at));
            }
        }
    }

    /// One question of each kind.
    fn ask(&mut self) {
        let (id, somewhere, there) = (self.anyone(), self.anywhere(), self.anywhere());
        let r = self.reach();
        let other = self.anyone();
        let center = self.twin.brute.position(other).unwrap_or(somewhere);
        let mut max = there;
        for axis in 0..D {
            max[axis] = if self.rng.bool() {
                there[axis]
            } else {
                somewhere[axis] + r
            };
        }
        let k = self.rng.usize(..12) * self.rng.usize(..12);
        let axis = self.rng.usize(..D);
        self.apply(Op::Member(id));
        self.apply(Op::Neighbors(id, r));
        self.apply(Op::WithinRadius(somewhere, r));
        self.apply(Op::WithinRadius(center, r));
        self.apply(Op::WithinBox(somewhere, max));
        self.apply(Op::Nearest(center, k));
        self.apply(Op::Nearest(somewhere, 1));
        self.apply(Op::Walk(axis, id));
    }

    // ---- Places ----

    /// A length that matters on this ground.
    fn base(&self) -> f32 {
        match self.recipe.ground {
            Ground::Field | Ground::FarAway if self.recipe.members > 1000 => 4.0,
            Ground::Field | Ground::FarAway => 12.0,
            Ground::Line(_) if self.recipe.members > 1000 => 0.5,
            Ground::Line(_) => 5.0,
            Ground::Spot => 1.0,
            Ground::Clusters if self.recipe.members > 1000 => 2.0,
            Ground::Clusters => 6.0,
            Ground::Lattice => 2.0,
            Ground::Tiny => 2e-4,
            Ground::Wide => 1e6,
            Ground::AllScales => 10.0,
            Ground::Extreme => 1e18,
        }
    }

    fn anywhere(&mut self) -> [f32; D] {
        let rng = &mut self.rng;
        let large = self.recipe.members > 1000;
        let mut at = [0.0; D];
        let center = self.centers[rng.usize(..self.centers.len())];
        for (axis, x) in at.iter_mut().enumerate() {
            *x = match self.recipe.ground {
                Ground::Field => between(rng, -50.0, 50.0),
                Ground::Line(along) if along % D == axis => between(rng, -60.0, 60.0),
                Ground::Line(_) => 3.0,
                Ground::Spot if rng.u32(..10) == 0 => 7.0 + between(rng, -1.5, 1.5),
                Ground::Spot => 7.0,
                Ground::Clusters => center[axis] + between(rng, -10.0, 10.0),
                Ground::Lattice => rng.i32(if large { -20..20 } else { -5..5 }) as f32,
                Ground::Tiny => between(rng, -1e-3, 1e-3),
                Ground::Wide => between(rng, -1e7, 1e7),
                Ground::FarAway => 4e6 + between(rng, -50.0, 50.0),
                Ground::AllScales => {
                    let size = 10f32.powf(between(rng, -3.0, 7.0));
                    if rng.bool() { size } else { -size }
                }
                Ground::Extreme => {
                    let size = [0.0, 1e-40, 1e-25, 1.0, 1e10, 1e18, 2e19, 1e30, 3e38];
                    let size = size[rng.usize(..size.len())] * between(rng, 0.9, 1.1);
                    if rng.bool() { size } else { -size }
                }
            } + 0.0;
        }
        at
    }

    /// A small step from `here`.
    fn nearby(&mut self, here: [f32; D]) -> [f32; D] {
        let step = self.base() * [0.01, 0.1, 1.0][self.rng.usize(..3)];
        let rng = &mut self.rng;
        let mut at = here;
        for (axis, x) in at.iter_mut().enumerate() {
            *x += match self.recipe.ground {
                Ground::Line(along) if along % D != axis => 0.0,
                Ground::Lattice => rng.i32(-1..=1) as f32,
                Ground::Spot if rng.u32(..4) > 0 => 0.0,
                // In proportion to where it is.
                Ground::AllScales | Ground::Extreme => *x * between(rng, -0.3, 0.3),
                _ => between(rng, -step, step),
            } + 0.0;
        }
        at
    }

    // ---- Roles ----

    fn set_roles(&mut self, id: Id) {
        if self.recipe.cast.sees(id, &mut self.rng) {
            let viewer = self.viewer(id);
            self.apply(Op::SetViewer(id, Some(viewer)));
        }
        if self.recipe.cast.is_seen(id, &mut self.rng) {
            let target = self.target();
            self.apply(Op::SetTarget(id, Some(target)));
        }
    }

    /// A radius, half height or the like.
    fn reach(&mut self) -> f32 {
        let base = self.base();
        let rng = &mut self.rng;
        let sound = match self.recipe.ground {
            Ground::AllScales => 10f32.powf(between(rng, -3.0, 7.0)),
            Ground::Extreme => {
                [1e-40, 1e-25, 1e-20, 1.0, 1e18, 2e19, 1e30, f32::MAX][rng.usize(..8)]
            }
            _ => base * between(rng, 0.2, 2.0),
        };
        match self.recipe.rules {
            Rules::Hostile => {
                let odd = [
                    f32::NAN,
                    f32::INFINITY,
                    f32::NEG_INFINITY,
                    0.0,
                    -0.0,
                    -base,
                    1e30,
                ];
                if rng.u32(..3) == 0 {
                    odd[rng.usize(..odd.len())]
                } else {
                    sound
                }
            }
            _ => sound,
        }
    }

    fn viewer(&mut self, id: Id) -> Viewer<D> {
        let base = self.base();
        let mut viewer = Viewer::new(base);
        match self.recipe.rules {
            Rules::Equal | Rules::Landmarks => {}
            Rules::Margin => viewer.leave_margin = 0.25 * base,
            Rules::Squares => viewer.shape = Shape::Square,
            Rules::OneHuge => viewer.radius = if id == 0 { 40.0 * base } else { base },
            Rules::Mixed | Rules::Hostile => {
                viewer.radius = self.reach();
                viewer.leave_margin = if self.rng.bool() {
                    0.3 * self.reach()
                } else {
                    0.0
                };
                viewer.sees = if self.rng.bool() {
                    u32::MAX
                } else {
                    self.rng.u32(..8)
                };
                viewer.shape = match self.rng.u32(..8) {
                    0..4 => Shape::Round,
                    4 => Shape::Square,
                    5 => Shape::Cylinder {
                        half_height: self.reach(),
                    },
                    _ => Shape::Box {
                        half: [(); D].map(|()| self.reach()),
                    },
                };
            }
        }
        viewer
    }

    fn target(&mut self) -> Target {
        let mut target = Target::default();
        if self.recipe.rules == Rules::Landmarks && self.rng.u32(..4) == 0 {
            target.extra_range = self.reach();
        }
        if matches!(self.recipe.rules, Rules::Mixed | Rules::Hostile) {
            if self.rng.bool() {
                target.layers = self.rng.u32(..8);
            }
            if self.rng.u32(..4) == 0 {
                target.extra_range = self.reach();
            }
        }
        target
    }

    // ---- Doing it ----

    fn apply(&mut self, op: Op<D>) {
        self.changes += changes_of(&op);
        self.log.push(op);
        if let Err(difference) = self.twin.apply(self.log.last().unwrap()) {
            self.give_up(&difference);
        }
    }

    fn give_up(&self, difference: &str) -> ! {
        let Self { seed, recipe, .. } = self;
        let few = cut_down(self.log.clone(), kind(difference));
        let still = replay(&few).unwrap_or_else(|| "nothing, when it is done again".into());
        let few: Vec<String> = few.iter().map(|op| format!("    {op:?}")).collect();
        panic!(
            "AOI_SEED={seed} ({D}D {recipe:?}), operation {}: {difference}\n{} operations are \
             enough:\n{}\n  lead to {still}",
            self.log.len(),
            few.len(),
            few.join("\n"),
        );
    }
}

/// How many changes of one member an operation stands for; questions are none.
fn changes_of<const D: usize>(op: &Op<D>) -> usize {
    match op {
        Op::InsertMany(members) | Op::MoveMany(members) => members.len(),
        Op::InsertManyWith(members) => members.len(),
        Op::RemoveMany(ids) => ids.len(),
        Op::Insert(..)
        | Op::Move(..)
        | Op::Remove(..)
        | Op::Clear
        | Op::SetViewer(..)
        | Op::SetTarget(..) => 1,
        _ => 0,
    }
}

fn between(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.f32()
}

// ---- Cutting a failure down --------------------------------------------------------------------

/// What goes wrong when these are done from the start, if anything does.
fn replay<const D: usize>(ops: &[Op<D>]) -> Option<String> {
    let mut twin = Twin::<D>::default();
    ops.iter().find_map(|op| twin.apply(op).err())
}

/// What went wrong, without ids and numbers: one fault must not be cut down to another.
fn kind(difference: &str) -> &str {
    match difference.strip_prefix("panicked at ") {
        Some(place) => place.split_whitespace().next().unwrap_or(""),
        None => difference.split([':', '(']).next().unwrap_or(""),
    }
}

/// Leaves out operations, and members of bulk operations, as long as it fails in the same way; a
/// large log takes a while, so there is an end to it.
fn cut_down<const D: usize>(ops: Vec<Op<D>>, fault: &str) -> Vec<Op<D>> {
    let end = Instant::now() + Duration::from_secs(30);
    let fails = |ops: &[Op<D>]| {
        let difference = replay(ops);
        difference.is_some_and(|difference| kind(&difference) == fault)
    };
    let mut ops = leave_out(ops, end, fails);
    for place in 0..ops.len() {
        let (Op::InsertMany(members) | Op::MoveMany(members)) = ops[place].clone() else {
            continue;
        };
        let with = |members: &[(Id, [f32; D])]| {
            let mut ops = ops.clone();
            if let Op::InsertMany(all) | Op::MoveMany(all) = &mut ops[place] {
                *all = members.to_vec();
            }
            ops
        };
        let members = leave_out(members, end, |members| fails(&with(members)));
        ops = with(&members);
    }
    leave_out(ops, end, fails)
}

/// Leaves out ever smaller runs of `all` as long as `fails` holds.
fn leave_out<T: Clone>(mut all: Vec<T>, end: Instant, fails: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut run = all.len().div_ceil(2);
    while run > 0 {
        let (mut from, mut helped) = (0, false);
        while from < all.len() {
            if Instant::now() > end {
                return all;
            }
            let mut fewer = all[..from].to_vec();
            fewer.extend_from_slice(&all[all.len().min(from + run)..]);
            if fails(&fewer) {
                all = fewer;
                helped = true;
            } else {
                from += run;
            }
        }
        if run > 1 || !helped {
            run /= 2;
        }
    }
    all
}

// ---- Against the plain list --------------------------------------------------------------------

#[test]
fn the_plain_list_tells_the_same() {
    let mut seed = from_env("AOI_SEED").unwrap_or(0x41_0000);
    let changes = FOUR_LINK * from_env("AOI_TIMES").unwrap_or(1) as usize;
    let mut done = 0;
    while done < changes {
        done += beside_the_plain_list(seed);
        seed += 1;
    }
}

/// One world of 30 to 200 with one radius for all, which come, move and go.
fn beside_the_plain_list(seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let (members, square) = (rng.u32(30..200), rng.u32(..4) == 0);
    let size = [10.0, 30.0, 100.0, 1000.0][rng.usize(..4)];
    let whole = rng.bool();
    let radius = if whole {
        6.0
    } else {
        between(&mut rng, 1.0, 12.0)
    };
    let place = |rng: &mut Rng| -> [f32; 2] {
        let at = [(); 2].map(|()| between(rng, -size, size));
        if whole {
            at.map(|x| x.round() + 0.0)
        } else {
            at
        }
    };
    let mut viewer = Viewer::new(radius);
    viewer.shape = if square { Shape::Square } else { Shape::Round };

    let mut link = CrossLink::<2>::new();
    let mut relation = Relation::new();
    let mut scene = Scene::new(radius, square);
    let mut done = 0;
    for round in 0..40 {
        let context = format!("AOI_SEED={seed}, round {round}");
        let changes = [0, 3, members, 2 * members][rng.usize(..4)];
        for _ in 0..changes {
            let id = rng.u32(..members);
            if rng.u32(..6) == 0 {
                link.remove(id);
                scene.list.remove(id);
            } else {
                let mut at = place(&mut rng);
                if let (Some(here), true) = (link.position(id), rng.bool()) {
                    let step = if whole { 1.0 } else { 0.1 * radius };
                    at = [0, 1].map(|axis| here[axis] + (at[axis] / size).round() * step + 0.0);
                }
                if rng.bool() {
                    link.insert(id, at);
                    scene.list.add(id, at);
                } else {
                    link.move_to(id, at);
                    scene.list.move_to(id, at);
                }
                link.set_viewer(id, Some(viewer));
                link.set_target(id, Some(Target::default()));
            }
            done += 1;
        }
        link.check_invariants()
            .unwrap_or_else(|fault| panic!("{context}: {fault}"));
        let (entered, left) = scene.step();
        let told = relation.update(&mut link);
        assert_eq!(told.entered, entered, "{context}");
        assert_eq!(told.left, left, "{context}");
        for axis in 0..2 {
            assert!(
                link.walk(axis).eq(scene.list.list(axis)),
                "{context}, axis {axis}"
            );
        }
        for id in 0..members {
            let r = between(&mut rng, 0.0, 2.0 * radius);
            let mut near: Vec<Id> = link.neighbors_in_radius(id, r).collect();
            near.sort_unstable();
            assert_eq!(
                near,
                scene.list.neighbors_in_radius(id, r),
                "{context}: {id} within {r}"
            );
        }
        assert_eq!(link.len(), FourLink::len(&scene.list), "{context}");
    }
    done
}
