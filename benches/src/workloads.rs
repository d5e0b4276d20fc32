//! The workloads: what is measured, and how much of it.

use crate::scene::RADIUS;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A workload, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// As it is asked for: `W7`.
    pub name: &'static str,
    /// Which of its parts, if it has several: `spot`.
    pub part: String,
    pub what: &'static str,
    pub among: Among,
    pub timed: Timed,
}

impl Workload {
    /// Name and part: `W7-spot`.
    pub fn label(&self) -> String {
        format!("{}-{}", self.name, self.part)
            .trim_end_matches('-')
            .to_owned()
    }

    /// How many others each has in view, by the density; none is known for a recording.
    pub fn in_view(&self) -> Option<f32> {
        match &self.among {
            Among::Crowd(crowd) | Among::Queries(crowd, _) => Some(crowd.in_view),
            Among::Recording { .. } => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Among {
    Crowd(Crowd),
    Queries(Crowd, Query),
    Recording { path: PathBuf, radius: f32 },
}

/// Which updates are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// One like the other.
    Each,
    /// That in which all come.
    Spawn,
    /// That in which all go.
    Despawn,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crowd {
    pub entities: u32,
    /// How many others each has within [`RADIUS`].
    pub in_view: f32,
    pub area: Area,
    pub motion: Motion,
    pub viewers: Viewers,
    /// One in 1 000 sees 40 times as far.
    pub far: bool,
    pub leave_margin: f32,
    pub layers: bool,
    /// `SeenBy` on all, and rings on one in 100.
    pub service: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    Field,
    LineX,
    LineY,
    Spot,
    Towns(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Walk,
    /// Walk, and one in ten jumps at each update.
    Jump,
    /// Only so many walk.
    Some(u32),
    Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewers {
    All,
    First(u32),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Query {
    /// All within this radius.
    Within(f32),
    /// So many nearest.
    Nearest(usize),
}

/// All of them. `quick`: a few thousand entities at most, only to see that everything works.
pub fn all(quick: bool) -> Result<Vec<Workload>, String> {
    let mut all = crowds();
    all.extend(queries());
    all.extend(recordings()?);
    if quick {
        all.iter_mut().for_each(shrink);
    }
    Ok(all)
}

fn city() -> Crowd {
    Crowd {
        entities: 100_000,
        in_view: 30.0,
        area: Area::Field,
        motion: Motion::Walk,
        viewers: Viewers::All,
        far: false,
        leave_margin: 0.0,
        layers: false,
        service: false,
    }
}

fn field(entities: u32, in_view: f32) -> Crowd {
    Crowd {
        entities,
        in_view,
        ..city()
    }
}

fn crowds() -> Vec<Workload> {
    let crowd = |name, part: &str, what, crowd| Workload {
        name,
        part: part.to_owned(),
        what,
        among: Among::Crowd(crowd),
        timed: Timed::Each,
    };
    let line = |area| Crowd {
        area,
        ..field(20_000, 30.0)
    };
    let resting = Crowd {
        motion: Motion::Rest,
        ..city()
    };
    let bulk = |part: &str, timed| Workload {
        timed,
        ..crowd("W9", part, "bulk", resting)
    };
    vec![
        crowd("W1", "", "town", field(10_000, 30.0)),
        crowd("W2", "", "city", city()),
        crowd("W3", "", "world", field(1_000_000, 30.0)),
        crowd("W4", "", "packed square", field(10_000, 300.0)),
        crowd(
            "W5",
            "",
            "server: 100 viewers, all targets walk",
            Crowd {
                viewers: Viewers::First(100),
                ..city()
            },
        ),
        crowd(
            "W6",
            "",
            "resting world: 1 000 walk, only they view",
            Crowd {
                motion: Motion::Some(1000),
                viewers: Viewers::First(1000),
                ..field(1_000_000, 30.0)
            },
        ),
        crowd("W7", "line-x", "all on a line along X", line(Area::LineX)),
        crowd("W7", "line-y", "all on a line along Y", line(Area::LineY)),
        crowd(
            "W7",
            "spot",
            "all within 10 m, all see all",
            Crowd {
                area: Area::Spot,
                ..field(3000, 3000.0)
            },
        ),
        crowd(
            "W8",
            "",
            "jumps: 1 in 10 at each update",
            Crowd {
                motion: Motion::Jump,
                ..field(10_000, 30.0)
            },
        ),
        bulk("spawn", Timed::Spawn),
        bulk("despawn", Timed::Despawn),
        crowd("W10", "", "idle", resting),
        crowd(
            "W11",
            "",
            "mixed: 1 in 1 000 sees 40 times as far",
            Crowd {
                far: true,
                ..city()
            },
        ),
        crowd(
            "W14",
            "",
            "full service: margin, layers, SeenBy, rings on 1 in 100",
            Crowd {
                leave_margin: 5.0,
                layers: true,
                service: true,
                ..city()
            },
        ),
        crowd(
            "clusters",
            "",
            "100 towns, far apart, of 100 to 1 000",
            Crowd {
                area: Area::Towns(100),
                ..field(20_000, 100.0)
            },
        ),
        crowd("growth", "", "a tenth of W1", field(1000, 30.0)),
        crowd("density", "10", "W1, emptier", field(10_000, 10.0)),
        crowd("density", "100", "W1, fuller", field(10_000, 100.0)),
    ]
}

fn queries() -> impl Iterator<Item = Workload> {
    let parts = [
        ("radius", "all within 50 m", Query::Within(RADIUS)),
        ("nearest", "the 8 nearest", Query::Nearest(8)),
    ];
    parts.into_iter().map(|(part, what, query)| Workload {
        name: "W12",
        part: part.to_owned(),
        what,
        among: Among::Queries(city(), query),
        timed: Timed::Each,
    })
}

/// Where the repository is.
pub fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// One for each recording, with the greatest of its radii.
fn recordings() -> Result<Vec<Workload>, String> {
    let folder = repository().join("assets/recordings");
    let path = folder.join("expected.json");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let expected: Value =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let recordings = expected.as_object().into_iter().flatten();
    let workload = |(name, recording): (&String, &Value)| {
        let radii = recording["radii"].as_array()?;
        let radii = radii.iter().filter_map(|radius| radius["radius"].as_f64());
        Some(Workload {
            name: "W13",
            part: name.clone(),
            what: "recorded",
            among: Among::Recording {
                path: folder.join(recording["file"].as_str()?),
                radius: radii.fold(0.0, f64::max) as f32,
            },
            timed: Timed::Each,
        })
    };
    Ok(recordings.filter_map(workload).collect())
}

fn shrink(workload: &mut Workload) {
    let (Among::Crowd(crowd) | Among::Queries(crowd, _)) = &mut workload.among else {
        return;
    };
    let entities = match crowd.entities {
        0..=3000 => crowd.entities.min(500),
        3001..=20_000 => 1000,
        20_001..=100_000 => 2000,
        _ => 3000,
    };
    if crowd.area == Area::Spot {
        crowd.in_view = entities as f32;
    }
    crowd.entities = entities;
    if let Motion::Some(walk) = &mut crowd.motion {
        *walk = 50;
    }
    if let Viewers::First(view) = &mut crowd.viewers {
        *view = 50;
    }
}
