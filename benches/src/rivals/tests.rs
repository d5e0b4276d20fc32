//! Random worlds, played to all methods at once: they have to tell the same, and what
//! [`World::sees`] says.

use super::*;
use crate::world::Member;
use crate::{Changes, Index};

/// How the members of a world stand and step.
#[derive(Debug, Clone, Copy)]
struct Play {
    members: usize,
    side: [f32; 2],
    origin: [f32; 2],
    radius: f32,
    margin: f32,
    step: f32,
    /// Of 1 000 members and update.
    moves: u32,
    jumps: u32,
    comes: u32,
    /// Of 1 000 members.
    viewers: u32,
    targets: u32,
    bigs: u32,
    layers: bool,
    /// Positions and steps on a lattice of this width, so that distances tie.
    lattice: f32,
}

const TOWN: Play = Play {
    members: 200,
    side: [100.0; 2],
    origin: [0.0; 2],
    radius: 12.0,
    margin: 0.0,
    step: 1.0,
    moves: 1000,
    jumps: 0,
    comes: 0,
    viewers: 1000,
    targets: 1000,
    bigs: 0,
    layers: false,
    lattice: 0.0,
};

impl Play {
    fn snap(&self, at: f32) -> f32 {
        if self.lattice > 0.0 {
            (at / self.lattice).round() * self.lattice
        } else {
            at
        }
    }

    fn anywhere(&self, rng: &mut fastrand::Rng) -> [f32; 2] {
        [0, 1].map(|axis| self.snap(self.origin[axis] + rng.f32() * self.side[axis]))
    }

    fn world(&self, rng: &mut fastrand::Rng) -> World {
        let mut world = World {
            leave_margin: self.margin,
            ..World::default()
        };
        for _ in 0..self.members {
            world.positions.push(self.anywhere(rng));
            let viewer = chance(rng, self.viewers);
            let factor = if chance(rng, self.bigs) { 40.0 } else { 1.0 };
            let mut layers = || if self.layers { 1 << rng.u32(0..3) } else { !0 };
            world.members.push(Member {
                present: false,
                radius: if viewer { self.radius * factor } else { 0.0 },
                target: true,
                sees: layers() | layers(),
                layers: layers(),
            });
        }
        for member in &mut world.members {
            member.target = chance(rng, self.targets);
        }
        world
    }

    fn step(&self, world: &mut World, rng: &mut fastrand::Rng, first: bool) {
        world.moved.clear();
        world.came.clear();
        world.went.clear();
        for id in 0..world.positions.len() {
            let at = &mut world.positions[id];
            let before = *at;
            let present = world.members[id].present;
            if chance(rng, self.jumps) {
                *at = self.anywhere(rng);
            } else if chance(rng, self.moves) {
                *at = [0, 1].map(|axis| {
                    let step = (rng.f32() * 2.0 - 1.0) * self.step;
                    let low = self.origin[axis];
                    self.snap((at[axis] + step).clamp(low, low + self.side[axis]))
                });
            }
            let turns = if first {
                !chance(rng, self.comes)
            } else {
                chance(rng, self.comes)
            };
            if turns {
                world.members[id].present = !present;
                let list = if present {
                    &mut world.went
                } else {
                    &mut world.came
                };
                list.push(id as u32);
            } else if present && before != *at {
                world.moved.push(id as u32);
            }
        }
    }

    fn play(&self, updates: usize) {
        let seed = fastrand::u64(..);
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut world = self.world(&mut rng);
        let mut methods = all();
        let mut views: Vec<Vec<u32>> = vec![Vec::new(); self.members];
        let mut changes = Changes::default();
        for update in 0..updates {
            // A world that rests now and then.
            let quiet = Play {
                moves: self.moves / 50,
                jumps: self.jumps / 50,
                comes: self.comes / 10,
                ..*self
            };
            let play = match update % 40 {
                20..35 => &quiet,
                35 => &Play {
                    moves: 0,
                    jumps: 0,
                    comes: 0,
                    ..*self
                },
                _ => self,
            };
            play.step(&mut world, &mut rng, update == 0);
            let told = expect(&world, &mut views);
            for method in &mut methods {
                changes.clear();
                method.update(&world, &mut changes);
                changes.entered.sort_unstable();
                changes.left.sort_unstable();
                let name = method.name();
                let place = format!("{name}, seed {seed}, update {update}, {self:?}");
                assert_eq!(changes.entered, told.entered, "entered: {place}");
                assert_eq!(changes.left, told.left, "left: {place}");
                for (viewer, view) in (0..).zip(&views) {
                    let kept = method.in_view(viewer).unwrap();
                    assert_eq!(kept, view, "in view of {viewer}: {place}");
                }
            }
        }
    }
}

fn chance(rng: &mut fastrand::Rng, of_thousand: u32) -> bool {
    rng.u32(0..1000) < of_thousand
}

/// What [`World::sees`] says of all pairs, in order.
fn expect(world: &World, views: &mut [Vec<u32>]) -> Changes {
    let mut changes = Changes::default();
    for (viewer, view) in (0..).zip(views) {
        let before = std::mem::take(view);
        for target in 0..world.positions.len() as u32 {
            let had = before.binary_search(&target).is_ok();
            let has = world.sees(viewer, target, had);
            if has {
                view.push(target);
            }
            if has && !had {
                changes.entered.push((viewer, target));
            } else if had && !has {
                changes.left.push((viewer, target));
            }
        }
    }
    changes
}

#[test]
fn walkers() {
    TOWN.play(200);
    let members = 300;
    Play { members, ..TOWN }.play(120);
    Play { members: 3, ..TOWN }.play(120);
}

#[test]
fn ties_on_a_lattice() {
    let lattice = 3.0;
    Play {
        lattice,
        step: 6.0,
        ..TOWN
    }
    .play(200);
    Play {
        lattice,
        step: 6.0,
        margin: 3.0,
        jumps: 20,
        ..TOWN
    }
    .play(200);
}

#[test]
fn a_leave_margin() {
    let margin = 2.5;
    Play { margin, ..TOWN }.play(200);
    Play {
        margin,
        step: 5.0,
        jumps: 50,
        comes: 50,
        ..TOWN
    }
    .play(200);
}

#[test]
fn jumps() {
    Play { jumps: 100, ..TOWN }.play(200);
    Play {
        jumps: 1000,
        ..TOWN
    }
    .play(100);
    Play {
        moves: 10,
        jumps: 10,
        ..TOWN
    }
    .play(200);
}

#[test]
fn coming_and_going() {
    Play { comes: 100, ..TOWN }.play(200);
    Play { comes: 500, ..TOWN }.play(100);
    Play {
        moves: 0,
        comes: 5,
        ..TOWN
    }
    .play(200);
}

#[test]
fn few_move() {
    for moves in [5, 30, 60] {
        for step in [1.0, 20.0] {
            Play {
                moves,
                step,
                comes: 2,
                margin: 1.0,
                viewers: 700,
                targets: 900,
                ..TOWN
            }
            .play(200);
        }
    }
}

#[test]
fn all_at_once() {
    Play {
        margin: 3.0,
        jumps: 30,
        comes: 30,
        viewers: 600,
        targets: 800,
        bigs: 20,
        layers: true,
        ..TOWN
    }
    .play(300);
}

#[test]
fn few_viewers() {
    Play {
        viewers: 20,
        jumps: 20,
        comes: 5,
        ..TOWN
    }
    .play(200);
}

#[test]
fn mixed_radii() {
    let bigs = 50;
    Play { bigs, ..TOWN }.play(150);
    Play {
        bigs,
        side: [2000.0; 2],
        members: 300,
        moves: 100,
        ..TOWN
    }
    .play(150);
}

#[test]
fn lines_and_spots() {
    for side in [[1000.0, 0.0], [0.0, 1000.0], [5.0, 5.0], [0.0, 0.0]] {
        Play {
            side,
            comes: 20,
            ..TOWN
        }
        .play(100);
        Play {
            side,
            moves: 20,
            comes: 10,
            ..TOWN
        }
        .play(100);
    }
}

#[test]
fn wide_and_far_worlds() {
    Play {
        side: [1e7, 1e7],
        step: 1e6,
        radius: 1e6,
        bigs: 20,
        ..TOWN
    }
    .play(100);
    for origin in [[-1e6, 2e6], [-50.0, -50.0]] {
        Play {
            origin,
            jumps: 20,
            margin: 2.0,
            ..TOWN
        }
        .play(100);
    }
    // Two towns, a world apart.
    Play {
        side: [1e9, 20.0],
        lattice: 1e9,
        comes: 20,
        ..TOWN
    }
    .play(60);
}

#[test]
fn odd_input_does_no_harm() {
    for odd in [f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, -1.0] {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut world = TOWN.world(&mut rng);
        world.members[3].radius = odd;
        for margin in [0.0, odd] {
            world.leave_margin = margin;
            let mut changes = Changes::default();
            for mut method in all() {
                world.members.iter_mut().for_each(|m| m.present = false);
                TOWN.step(&mut world, &mut rng, true);
                // Positions that are not finite are worlds that nobody plays: kiddo and rstar
                // are not asked for them.
                let trees = ["kiddo", "rstar"].contains(&method.name());
                for id in [5, 9] {
                    if !trees {
                        world.positions[id] = [odd, 1.0];
                    }
                }
                method.update(&world, &mut changes);
                TOWN.step(&mut world, &mut rng, false);
                method.update(&world, &mut changes);
            }
        }
    }
}

#[test]
fn queries() {
    let seed = fastrand::u64(..);
    let mut rng = fastrand::Rng::with_seed(seed);
    for (members, side, lattice) in [
        (300, [100.0; 2], 0.0),
        (300, [60.0; 2], 3.0),
        (100, [1000.0, 0.0], 0.0),
        (200, [0.0; 2], 0.0),
        (30, [1e8; 2], 0.0),
        (1, [1.0; 2], 0.0),
        (0, [1.0; 2], 0.0),
    ] {
        let play = Play {
            members,
            side,
            lattice,
            comes: 100,
            ..TOWN
        };
        let mut world = play.world(&mut rng);
        play.step(&mut world, &mut rng, true);
        let indexes: [Box<dyn Index>; 4] = [
            Box::new(KiddoIndex::new(&world)),
            Box::new(RstarIndex::new(&world)),
            Box::new(GridIndex::new(&world, 10.0)),
            Box::new(GridIndex::new(&world, 0.0)),
        ];
        for _ in 0..100 {
            let center = [0, 1].map(|axis| play.snap(side[axis] * (rng.f32() * 1.4 - 0.2)));
            let radius = rng.f32() * 20.0;
            let k = rng.usize(0..12);
            let distance = |id: u32| {
                let at = world.positions[id as usize];
                let (dx, dy) = (at[0] - center[0], at[1] - center[1]);
                dx * dx + dy * dy
            };
            let mut all: Vec<u32> = present(&world).map(|(id, _)| id).collect();
            all.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            let nearest: Vec<f32> = all.iter().take(k).map(|&id| distance(id)).collect();
            all.retain(|&id| distance(id) <= radius * radius);
            all.sort_unstable();
            for index in &indexes {
                let place = format!("{}, seed {seed}, {center:?}, {play:?}", index.name());
                let mut found = Vec::new();
                index.within(center, radius, &mut found);
                found.sort_unstable();
                assert_eq!(found, all, "within {radius}: {place}");
                found.clear();
                index.nearest(center, k, &mut found);
                let found: Vec<f32> = found.into_iter().map(distance).collect();
                assert_eq!(found, nearest, "{k} nearest: {place}");
            }
        }
    }
}
