//! The format of the scenario files, read into Rust; `tests/cases/README.md` defines it.
//!
//! Reading is strict, so that a slip of the pen in a file cannot pass as an expectation that was met: an
//! operation, a field or a value that is not in the format is an error that names its step.

use bevy_aoi::prelude::*;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// The plane of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plane {
    /// x and y.
    Xy,
    /// x and z.
    Xz,
    /// All three.
    Xyz,
}

impl Plane {
    /// The coordinates of a world position that count.
    pub fn axes(self) -> &'static [usize] {
        match self {
            Plane::Xy => &[0, 1],
            Plane::Xz => &[0, 2],
            Plane::Xyz => &[0, 1, 2],
        }
    }
}

/// A scenario file that was read and found well-formed.
#[derive(Debug)]
pub struct Scenario {
    /// Where the entities live.
    pub plane: Plane,
    /// What is done to them, in order.
    pub steps: Vec<Step>,
}

impl Scenario {
    /// Reads a file, or says in which step it leaves the format.
    pub fn read(path: &Path) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            name: String,
            points: Vec<u32>,
            kind: String,
            plane: Plane,
            steps: Vec<Value>,
        }
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let file: File = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        if file.name.is_empty() || file.points.is_empty() || file.kind.is_empty() {
            return Err("a scenario needs a name, points of the contract and a kind".to_owned());
        }
        Ok(Self {
            plane: file.plane,
            steps: parse(&file.steps, "")?,
        })
    }
}

/// One operation; the fields are those of the file.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    Spawn {
        id: String,
        at: Vec<Number>,
        viewer: Option<ViewerSpec>,
        target: Option<TargetSpec>,
        space: Option<u32>,
        parent: Option<String>,
        #[serde(default)]
        pins: Vec<String>,
        #[serde(default)]
        always: bool,
    },
    Move {
        id: String,
        to: Vec<Number>,
    },
    Touch {
        id: String,
    },
    Despawn {
        id: String,
    },
    SetViewer {
        id: String,
        viewer: ViewerSpec,
    },
    RemoveViewer {
        id: String,
    },
    SetTarget {
        id: String,
        target: TargetSpec,
    },
    RemoveTarget {
        id: String,
    },
    SetSpace {
        id: String,
        // Without this an absent field would be taken for `null`.
        #[serde(deserialize_with = "Option::deserialize")]
        space: Option<u32>,
    },
    SetPins {
        id: String,
        pins: Vec<String>,
    },
    SetAlways {
        id: String,
        always: bool,
    },
    Disable {
        id: String,
    },
    Enable {
        id: String,
    },
    SetParent {
        id: String,
        parent: String,
    },
    ClearParent {
        id: String,
    },
    Tick {
        expect: Expected,
        #[serde(default)]
        views: BTreeMap<String, Vec<String>>,
        #[serde(default)]
        watchers: BTreeMap<String, Vec<String>>,
        #[serde(default = "once")]
        n: u32,
    },
    Repeat {
        n: u32,
        #[serde(rename = "steps")]
        unread: Vec<Value>,
        #[serde(skip)]
        steps: Vec<Step>,
    },
}

fn once() -> u32 {
    1
}

/// Reads steps one by one, so that an error can say which of them it means.
fn parse(values: &[Value], prefix: &str) -> Result<Vec<Step>, String> {
    let parse_one = |(i, value): (usize, &Value)| {
        let place = format!("{prefix}step {i}");
        let mut step = Step::deserialize(value).map_err(|error| format!("{place}: {error}"))?;
        if let Step::Repeat { unread, steps, .. } = &mut step {
            *steps = parse(unread, &format!("{place}, "))?;
        }
        Ok(step)
    };
    values.iter().enumerate().map(parse_one).collect()
}

/// A number, or one of the strings "nan", "inf", "-inf"; read as `f64`, then rounded.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub f32);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Word(String),
        }
        match Written::deserialize(from)? {
            Written::Number(number) => Ok(Self(number as f32)),
            Written::Word(word) => match word.as_str() {
                "nan" => Ok(Self(f32::NAN)),
                "inf" => Ok(Self(f32::INFINITY)),
                "-inf" => Ok(Self(f32::NEG_INFINITY)),
                _ => Err(serde::de::Error::custom(format!(
                    "{word:?} is not a number"
                ))),
            },
        }
    }
}

/// An `AoiViewer`; what is absent has the default of the format.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewerSpec {
    radius: Number,
    leave_margin: Option<Number>,
    sees: Option<u32>,
    shape: Option<ShapeSpec>,
    max_targets: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ShapeSpec {
    Round,
    Square,
    Cylinder(Number),
}

impl ViewerSpec {
    /// The component.
    pub fn component(&self) -> AoiViewer {
        AoiViewer {
            radius: self.radius.0,
            leave_margin: self.leave_margin.map_or(0.0, |margin| margin.0),
            sees: self.sees.unwrap_or(u32::MAX),
            shape: match self.shape {
                None | Some(ShapeSpec::Round) => ViewShape::Round,
                Some(ShapeSpec::Square) => ViewShape::Square,
                Some(ShapeSpec::Cylinder(Number(half_height))) => {
                    ViewShape::Cylinder { half_height }
                }
            },
            max_targets: self.max_targets,
        }
    }
}

/// An `AoiTarget`; what is absent has the default of the format.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    layers: Option<u32>,
    extra_range: Option<Number>,
}

impl TargetSpec {
    /// The component.
    pub fn component(&self) -> AoiTarget {
        AoiTarget {
            layers: self.layers.unwrap_or(1),
            extra_range: self.extra_range.map_or(0.0, |range| range.0),
        }
    }
}

/// What one update must tell, with the reason of a leave where the file names it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Expected(pub BTreeMap<Key, Option<String>>);

/// Viewer, sign, target.
pub type Key = (String, char, String);

impl TryFrom<Vec<String>> for Expected {
    type Error = String;

    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        let mut expected = BTreeMap::new();
        for text in texts {
            let (key, reason) =
                message(&text).ok_or_else(|| format!("{text:?} is not a message"))?;
            if expected.insert(key, reason).is_some() {
                return Err(format!("{text:?} is expected twice"));
            }
        }
        Ok(Self(expected))
    }
}

const REASONS: [&str; 5] = [
    "despawned",
    "removed",
    "filtered",
    "out_of_range",
    "evicted",
];

/// Reads `A+B`, `A-B` or `A-B:reason`.
fn message(text: &str) -> Option<(Key, Option<String>)> {
    let (pair, reason) = match text.split_once(':') {
        Some((pair, reason)) => (pair, Some(reason)),
        None => (text, None),
    };
    let sign = pair.chars().find(|sign| matches!(sign, '+' | '-'))?;
    let (viewer, target) = pair.split_once(sign)?;
    let right = reason.is_none_or(|reason| sign == '-' && REASONS.contains(&reason));
    let key = (viewer.to_owned(), sign, target.to_owned());
    (right && is_id(viewer) && is_id(target)).then(|| (key, reason.map(str::to_owned)))
}

/// Whether a text can name an entity.
pub fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// What the format calls a reason.
pub fn reason_name(reason: LeaveReason) -> &'static str {
    REASONS[match reason {
        LeaveReason::Despawned => 0,
        LeaveReason::Removed => 1,
        LeaveReason::Filtered => 2,
        LeaveReason::OutOfRange => 3,
        LeaveReason::Evicted => 4,
    }]
}
