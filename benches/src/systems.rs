//! Who takes part: every system by name, and on what it is not tried.

use crate::{
    Index,
    app::{AppRun, Finder, OursQueryRun, RivalQueryRun},
    ours::{Ours, OursIndex},
    rivals::{
        BruteXor, Constructor, GRID_XOR_CELLS, GridIndex, GridXor, KiddoIndex, RIVALS, RstarIndex,
    },
    run::{QueryRun, Run, StructureRun},
    scene::{RADIUS, Scene, Stage},
    workloads::{Among, Workload},
    world::World,
};
use serde::{Deserialize, Serialize};

/// Arrays in, arrays out; or a whole `App::update`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Structure,
    App,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::App => "app",
        }
    }
}

type MakeIndex = fn(&World) -> Box<dyn Index>;

/// A system that takes part. Of several with one name the fastest counts.
#[derive(Clone, Copy)]
pub struct Entrant {
    pub name: &'static str,
    make: Make,
    /// It looks at so many pairs in an update at most: viewers times targets.
    most_pairs: f64,
    most_entities: f64,
    /// Whether it stands only for what a part of our structure gains.
    ablation: bool,
}

#[derive(Clone, Copy)]
enum Make {
    Floor,
    Ours,
    Method(Constructor),
    /// With its cell size in radii.
    GridXor(f32),
    #[cfg(feature = "avian")]
    Avian,
    Index(MakeIndex),
}

/// All that can take part in a workload.
pub fn entrants(level: Level, workload: &Workload) -> Vec<Entrant> {
    if matches!(workload.among, Among::Queries(..)) {
        return queries(level);
    }
    let mut all = vec![entrant("ours", Make::Ours)];
    if level == Level::App {
        all.push(entrant("floor", Make::Floor));
    }
    let methods = methods().into_iter();
    all.extend(methods.filter(|entrant| level == Level::Structure || !entrant.ablation));
    #[cfg(feature = "avian")]
    if level == Level::App && ["W1", "W2"].contains(&workload.name) {
        all.push(entrant("avian", Make::Avian));
    }
    all
}

fn entrant(name: &'static str, make: Make) -> Entrant {
    Entrant {
        name,
        make,
        most_pairs: f64::INFINITY,
        most_entities: f64::INFINITY,
        ablation: false,
    }
}

/// All pairs of 10 000.
const MOST_PAIRS: f64 = 1e8;

/// Beyond, it takes seconds for an update and minutes for the first one.
const MOST_CLASSIC: f64 = 25_000.0;

fn methods() -> Vec<Entrant> {
    let rivals = RIVALS.iter().map(|&(name, make)| match name {
        "crosslink-classic" => Entrant {
            most_entities: MOST_CLASSIC,
            ..entrant(name, Make::Method(make))
        },
        "brute" => all_pairs(entrant(name, Make::Method(make))),
        _ => entrant(name, Make::Method(make)),
    });
    let grids = GRID_XOR_CELLS.iter().map(|&cell| Entrant {
        ablation: true,
        ..entrant("grid-xor", Make::GridXor(cell))
    });
    let brute = all_pairs(Entrant {
        ablation: true,
        ..entrant("brute-xor", Make::Method(|| Box::<BruteXor>::default()))
    });
    rivals.chain(grids).chain([brute]).collect()
}

fn all_pairs(entrant: Entrant) -> Entrant {
    Entrant {
        most_pairs: MOST_PAIRS,
        ..entrant
    }
}

fn queries(level: Level) -> Vec<Entrant> {
    let index = |name, make: MakeIndex| entrant(name, Make::Index(make));
    let ours = match level {
        Level::Structure => index("ours", |world| Box::new(OursIndex::new(world))),
        Level::App => entrant("ours", Make::Ours),
    };
    vec![
        ours,
        index("kiddo", |world| Box::new(KiddoIndex::new(world))),
        index("grid", |world| Box::new(GridIndex::new(world, RADIUS))),
        index("rstar", |world| Box::new(RstarIndex::new(world))),
    ]
}

impl Entrant {
    /// Why it is not tried on this.
    pub fn excuse(&self, scene: &Scene) -> Option<String> {
        let members = &scene.world.members;
        let viewers = members.iter().filter(|member| member.radius > 0.0).count();
        let pairs = viewers as f64 * members.len() as f64;
        if pairs > self.most_pairs {
            return Some(format!(
                "{pairs:.0e} pairs, more than {:.0e}",
                self.most_pairs
            ));
        }
        (members.len() as f64 > self.most_entities)
            .then(|| format!("more than {} entities", self.most_entities))
    }

    /// The cell size in radii, if there is a choice.
    pub fn cell(&self) -> Option<f32> {
        match self.make {
            Make::GridXor(cell) => Some(cell),
            _ => None,
        }
    }

    /// Begins with nobody present.
    pub fn start(&self, level: Level, workload: &Workload, scene: &Scene) -> Box<dyn Run> {
        let stage = Stage::new(scene.clone());
        let app = |stage, finder| -> Box<dyn Run> { Box::new(AppRun::new(stage, finder)) };
        match (level, &workload.among, self.make) {
            (Level::App, Among::Queries(_, query), Make::Ours) => {
                Box::new(OursQueryRun::new(stage, *query))
            }
            (Level::App, Among::Queries(_, query), Make::Index(make)) => {
                Box::new(RivalQueryRun::new(stage, *query, make))
            }
            (Level::Structure, Among::Queries(_, query), Make::Index(make)) => {
                Box::new(QueryRun::new(stage, *query, make))
            }
            (Level::App, _, Make::Floor) => app(stage, Finder::Floor),
            (Level::App, _, Make::Ours) => app(stage, Finder::Ours),
            #[cfg(feature = "avian")]
            (Level::App, _, Make::Avian) => app(stage, Finder::Avian),
            (Level::App, _, Make::Method(make)) => app(stage, Finder::Rival(make())),
            (Level::Structure, _, Make::Ours) => {
                Box::new(StructureRun::new(stage, Box::<Ours>::default()))
            }
            (Level::Structure, _, Make::Method(make)) => Box::new(StructureRun::new(stage, make())),
            (Level::Structure, _, Make::GridXor(cell)) => {
                Box::new(StructureRun::new(stage, Box::new(GridXor::new(cell))))
            }
            _ => unreachable!("{} is not on this level", self.name),
        }
    }
}
