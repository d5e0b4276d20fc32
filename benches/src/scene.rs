//! A workload made ready to run: who is where at the start, and what happens then.

use crate::{
    recording::Recording,
    walk::{Ground, Town, Walker},
    workloads::{Among, Area, Crowd, Motion, Viewers, Workload},
    world::{Member, World},
};
use std::{path::Path, sync::Arc};

/// How far everybody sees, in metres.
pub const RADIUS: f32 = 50.0;

/// How much further than others a far viewer sees.
const FAR: f32 = 40.0;

/// All that the systems of one workload have in common.
#[derive(Clone)]
pub struct Scene {
    /// Nobody is present yet; `positions` is where they will appear.
    pub world: World,
    /// By id; those that rest have none.
    pub walkers: Vec<Option<Walker>>,
    pub ground: Ground,
    pub recording: Option<Arc<Recording>>,
    /// `SeenBy` on all, and rings on one in 100.
    pub service: bool,
    /// How many entities the time of an update is divided by.
    pub entities: f64,
}

/// What happens in an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All come.
    Spawn,
    /// All go.
    Despawn,
    /// Those who walk do, or the next frame of the recording is shown.
    Walk,
    /// Nothing.
    Rest,
}

impl Scene {
    /// The same for the same workload. An error if a recording cannot be read.
    pub fn new(workload: &Workload) -> Result<Self, String> {
        match &workload.among {
            Among::Crowd(crowd) | Among::Queries(crowd, _) => Ok(Self::crowd(crowd)),
            Among::Recording { path, radius } => Self::recording(path, *radius),
        }
    }

    fn crowd(crowd: &Crowd) -> Self {
        let mut rng = fastrand::Rng::with_seed(1);
        let towns = towns(crowd);
        let (mut positions, mut walkers) = (Vec::new(), Vec::new());
        for (town, &(place, population)) in towns.iter().enumerate() {
            for _ in 0..population {
                let id = positions.len() as u32;
                positions.push(place.place([rng.f32(), rng.f32()]));
                let walker = Walker::new(id, town as u32, &mut rng);
                let walks = match crowd.motion {
                    Motion::Walk | Motion::Jump => true,
                    Motion::Some(some) => id < some,
                    Motion::Rest => false,
                };
                walkers.push(walks.then_some(walker));
            }
        }
        let members = (0..positions.len() as u32).map(|id| member(crowd, id));
        Self {
            entities: positions.len() as f64,
            world: World {
                members: members.collect(),
                positions,
                leave_margin: crowd.leave_margin,
                ..World::default()
            },
            walkers,
            ground: Ground {
                towns: towns.iter().map(|town| town.0).collect(),
                one_jumps_in: if crowd.motion == Motion::Jump { 10 } else { 0 },
            },
            recording: None,
            service: crowd.service,
        }
    }

    /// In the plane, also where it was recorded in space.
    fn recording(path: &Path, radius: f32) -> Result<Self, String> {
        let recording = Recording::read(path).map_err(|error| error.to_string())?;
        let rows = (0..recording.frames()).flat_map(|frame| recording.frame(frame));
        let (rows, last) = rows.fold((0, 0), |(rows, last), row| (rows + 1, row.id.max(last)));
        let member = Member {
            present: false,
            radius,
            target: true,
            sees: u32::MAX,
            layers: 1,
        };
        let agents = last as usize + 1;
        Ok(Self {
            entities: f64::from(rows) / recording.frames() as f64,
            world: World {
                positions: vec![[0.0; 2]; agents],
                members: vec![member; agents],
                ..World::default()
            },
            walkers: vec![None; agents],
            ground: Ground {
                towns: Vec::new(),
                one_jumps_in: 0,
            },
            recording: Some(Arc::new(recording)),
            service: false,
        })
    }
}

/// Where people are, and how many.
fn towns(crowd: &Crowd) -> Vec<(Town, u32)> {
    let (n, r) = (crowd.entities as f32, RADIUS);
    let one = |half| {
        let center = [0.0; 2];
        vec![(Town { center, half }, crowd.entities)]
    };
    let half = n * r / crowd.in_view;
    match crowd.area {
        Area::Field => one([(n * std::f32::consts::PI * r * r / crowd.in_view).sqrt() / 2.0; 2]),
        Area::LineX => one([half, 0.0]),
        Area::LineY => one([0.0, half]),
        // All within 10 m of the centre.
        Area::Spot => one([7.0; 2]),
        Area::Towns(count) => {
            // The k-th largest has 1 / sqrt(k) of the people of the largest.
            let weight = |rank: u32| 1.0 / f64::from(rank).sqrt();
            let all: f64 = (1..=count).map(weight).sum();
            let mut rng = fastrand::Rng::with_seed(2);
            let land = Town {
                center: [0.0; 2],
                half: [10_000.0; 2],
            };
            (1..=count)
                .map(|rank| {
                    let town = Town {
                        center: land.place([rng.f32(), rng.f32()]),
                        half: [60.0; 2],
                    };
                    let share = weight(rank) / all;
                    (town, (f64::from(crowd.entities) * share).round() as u32)
                })
                .collect()
        }
    }
}

fn member(crowd: &Crowd, id: u32) -> Member {
    let sees = match crowd.viewers {
        Viewers::All => true,
        Viewers::First(some) => id < some,
    };
    let far = crowd.far && id.is_multiple_of(1000);
    Member {
        present: false,
        radius: match (sees, far) {
            (false, _) => 0.0,
            (true, false) => RADIUS,
            (true, true) => FAR * RADIUS,
        },
        target: true,
        // With layers: on one of four, blind for another one.
        sees: if crowd.layers {
            !(1_u32 << (id / 4 % 4))
        } else {
            u32::MAX
        },
        layers: if crowd.layers { 1 << (id % 4) } else { 1 },
    }
}

/// A world that goes on, as the bare structures see it.
pub struct Stage {
    scene: Scene,
    /// How often they walked, or the number of the next frame.
    updates: u32,
}

impl Stage {
    pub fn new(scene: Scene) -> Self {
        Self { scene, updates: 0 }
    }

    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    pub fn world(&self) -> &World {
        &self.scene.world
    }

    /// One update of the world: `came`, `went` and `moved` say what was done.
    pub fn advance(&mut self, order: Order) {
        let world = &mut self.scene.world;
        world.came.clear();
        world.went.clear();
        world.moved.clear();
        let everybody = 0..world.members.len() as u32;
        match (order, &self.scene.recording) {
            (Order::Rest, _) => {}
            (Order::Spawn | Order::Walk, Some(recording)) => {
                play(world, recording, self.updates as usize % recording.frames());
                self.updates += 1;
            }
            (Order::Spawn, None) => {
                world.came.extend(everybody);
                for member in &mut world.members {
                    member.present = true;
                }
            }
            (Order::Despawn, _) => {
                let present = everybody.filter(|&id| world.members[id as usize].present);
                world.went.extend(present);
                for member in &mut world.members {
                    member.present = false;
                }
            }
            (Order::Walk, None) => {
                for (id, walker) in (0..).zip(&mut self.scene.walkers) {
                    let Some(walker) = walker else { continue };
                    let at = &mut world.positions[id as usize];
                    let next = self.scene.ground.step(walker, *at, self.updates);
                    if next != std::mem::replace(at, next) {
                        world.moved.push(id);
                    }
                }
                self.updates += 1;
            }
        }
    }
}

/// Shows a frame of a recording.
fn play(world: &mut World, recording: &Recording, frame: usize) {
    let mut rows = recording.frame(frame).iter().peekable();
    for (id, member) in (0..).zip(&mut world.members) {
        let at = rows
            .next_if(|row| row.id == id)
            .map(|row| [row.at[0], row.at[1]]);
        match (at, member.present) {
            (None, true) => world.went.push(id),
            (Some(at), true) if world.positions[id as usize] != at => world.moved.push(id),
            (Some(_), false) => world.came.push(id),
            _ => {}
        }
        member.present = at.is_some();
        if let Some(at) = at {
            world.positions[id as usize] = at;
        }
    }
}
