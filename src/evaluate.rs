//! The one function that decides whether a pair is in view, and which rule keeps it apart.
//!
//! `detect` asks it for every candidate that is not certain and makes a [`LeaveReason`](crate::LeaveReason) of the
//! answer; [`Aoi::why_not`](crate::Aoi::why_not) shows the answer as it is.

use bevy::prelude::*;

#[cfg(feature = "panel")]
use crate::{AoiIndex, index::with_store};
use crate::{
    AoiSpace,
    crosslink::{Shape, Viewer, delta, in_range, squared},
    store::{Place, Store},
};

/// Which rule keeps a pair apart. If several do it is the first of them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WhyNot {
    /// Nobody sees itself.
    Itself,
    /// The viewer takes no part.
    NoViewer(Absence),
    /// The target takes no part.
    NoTarget(Absence),
    /// They are in different spaces.
    Space {
        /// Where the viewer is.
        viewer: AoiSpace,
        /// Where the target is.
        target: AoiSpace,
    },
    /// The viewer sees none of the layers of the target.
    Layers {
        /// What the viewer sees.
        sees: u32,
        /// The layers the target is on.
        layers: u32,
    },
    /// The radius of the viewer is zero, negative or NaN.
    Blind,
    /// The target is too far away.
    OutOfRange {
        /// How far, in world units: for a square or a box on the axis that matters, for the
        /// height of a cylinder up or down.
        distance: f32,
        /// How far it may be to come into view.
        range: f32,
    },
    /// It is near enough, but others have the places.
    Cap {
        /// How many targets the viewer has in view at most.
        max_targets: u32,
    },
}

/// Why an entity takes no part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Absence {
    /// It does not exist.
    Despawned,
    /// It lacks `AoiViewer`, or `AoiTarget`.
    NoComponent,
    /// It is `Disabled`.
    Disabled,
    /// Its position is NaN or infinite.
    NotFinite,
    /// It lacks the component that positions are taken from, or came, or came back, after the last
    /// update.
    NoPosition,
}

impl core::fmt::Display for WhyNot {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Itself => write!(f, "nobody sees itself"),
            Self::NoViewer(absence) => write!(f, "the viewer {}", absence.text("AoiViewer")),
            Self::NoTarget(absence) => write!(f, "the target {}", absence.text("AoiTarget")),
            Self::Space { viewer, target } => {
                write!(
                    f,
                    "the viewer is in space {}, the target in {}",
                    viewer.0, target.0
                )
            }
            Self::Layers { sees, layers } => {
                let (sees, on) = (bits(*sees), bits(*layers));
                write!(
                    f,
                    "no layer in common: the viewer sees {sees}; the target is on {on}"
                )
            }
            Self::Blind => write!(f, "the viewer is blind: its radius is not above 0"),
            Self::OutOfRange { distance, range } => {
                let (distance, range) = told_apart(*distance, *range);
                write!(f, "too far away: distance {distance} of {range}")
            }
            Self::Cap { max_targets } => write!(f, "all {max_targets} places are taken"),
        }
    }
}

/// A mask of layers: which bits are set, all or none.
pub(crate) fn bits(mask: u32) -> String {
    match mask {
        u32::MAX => "all".into(),
        0 => "none".into(),
        _ => {
            let bits = (0..32).filter(|bit| mask >> bit & 1 == 1);
            let bits: Vec<_> = bits.map(|bit: u32| bit.to_string()).collect();
            let name = if bits.len() == 1 { "bit" } else { "bits" };
            format!("{name} {}", bits.join(", "))
        }
    }
}

/// Two numbers with as many decimals as it takes to see that they differ, at least one.
fn told_apart(a: f32, b: f32) -> (String, String) {
    let text = |decimals: usize| {
        let text = |x: f32| match x.abs() {
            1e-3..1e7 | 0.0 => format!("{x:.decimals$}"),
            _ => format!("{x:.decimals$e}"),
        };
        (text(a), text(b))
    };
    (1..9)
        .map(text)
        .find(|(a, b)| a != b)
        .unwrap_or_else(|| text(1))
}

impl Absence {
    pub(crate) fn text(self, component: &str) -> String {
        match self {
            Self::Despawned => "does not exist".into(),
            Self::NoComponent => format!("has no {component}"),
            Self::Disabled => "is disabled".into(),
            Self::NotFinite => "has a position that is not finite".into(),
            Self::NoPosition => "had no position at the last update".into(),
        }
    }
}

/// Why a pair is in view. If several reasons hold it is the first of them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Reflect)]
#[reflect(Debug, Clone, PartialEq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// The viewer has the target among its [`AoiPins`](crate::AoiPins).
    Pin,
    /// The target is [`AlwaysInView`](crate::AlwaysInView).
    Always,
    /// The target is near enough.
    Distance,
}

impl core::fmt::Display for Why {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Pin => "by a pin",
            Self::Always => "always in view",
            Self::Distance => "by distance",
        })
    }
}

/// A present viewer.
pub(crate) struct Seeing<const D: usize> {
    pub place: Place,
    pub viewer: Viewer<D>,
}

impl<const D: usize> Store<D> {
    /// The viewer that an entity is.
    pub fn seeing(&self, viewer: Entity) -> Option<Seeing<D>> {
        let place = self.place(viewer)?;
        let viewer = self.link(place).viewer(place.id)?;
        Some(Seeing { place, viewer })
    }

    /// Whether a pair is in view, given what the viewer is and whether it was: contract points 2
    /// to 11; by distance unless a cap says no. An absence is given as [`Absence::NoPosition`]; what it is, only the world knows.
    pub fn judge(
        &self,
        viewer: Entity,
        seeing: Option<&Seeing<D>>,
        target: Entity,
        held: bool,
    ) -> Result<Why, WhyNot> {
        if viewer == target {
            return Err(WhyNot::Itself);
        }
        let Some(&Seeing {
            place: from,
            viewer: ref seeing,
        }) = seeing
        else {
            return Err(WhyNot::NoViewer(Absence::NoPosition));
        };
        let (to, seen) = self
            .place(target)
            .and_then(|place| Some((place, self.link(place).target(place.id)?)))
            .ok_or(WhyNot::NoTarget(Absence::NoPosition))?;
        if from.space != to.space {
            return Err(WhyNot::Space {
                viewer: self.number(from),
                target: self.number(to),
            });
        }
        if self
            .pins
            .get(&viewer)
            .is_some_and(|pins| pins.contains(&target))
        {
            return Ok(Why::Pin);
        }
        if seeing.sees & seen.layers == 0 {
            return Err(WhyNot::Layers {
                sees: seeing.sees,
                layers: seen.layers,
            });
        }
        if self.always.contains(&target) {
            return Ok(Why::Always);
        }
        if seeing.is_blind() {
            return Err(WhyNot::Blind);
        }
        let apart = self.apart(from, to);
        if in_range(seeing, &seen, apart, held) {
            return Ok(Why::Distance);
        }
        let margin = if held {
            seeing.leave_margin.max(0.0)
        } else {
            0.0
        };
        let extra = seen.extra_range.max(0.0);
        let range = seeing.radius + extra + margin;
        let (distance, range) = match seeing.shape {
            Shape::Round => (squared(apart).sqrt(), range),
            Shape::Square => (
                apart
                    .into_iter()
                    .fold(0.0, |most: f32, d| most.max(d.abs())),
                range,
            ),
            Shape::Cylinder { half_height } => {
                let height = half_height.max(0.0) + margin;
                if D == 3 && apart[1].abs() > height {
                    (apart[1].abs(), height)
                } else {
                    (apart[0].hypot(apart[D - 1]), range)
                }
            }
            Shape::Box { half } => {
                let sides = half.map(|half| half.max(0.0) + extra + margin);
                let out = apart
                    .into_iter()
                    .zip(sides)
                    .find(|(d, side)| d.abs() > *side);
                out.map_or((0.0, 0.0), |(d, side)| (d.abs(), side))
            }
        };
        Err(WhyNot::OutOfRange { distance, range })
    }

    /// From one member of a space to another.
    pub fn apart(&self, from: Place, to: Place) -> [f32; D] {
        let link = self.link(from);
        let places = link.position(from.id).zip(link.position(to.id));
        places.map_or([f32::NAN; D], |(from, to)| delta(from, to))
    }
}

#[cfg(feature = "panel")]
impl AoiIndex {
    /// How far apart two members of one space are, as the view relation has it.
    pub(crate) fn distance(&self, a: Entity, b: Entity) -> Option<f32> {
        with_store!(&self.spaces, |store| {
            let (a, b) = (store.place(a)?, store.place(b)?);
            (a.space == b.space).then(|| squared(store.apart(a, b)).sqrt())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn layers_are_numbered() {
        assert_eq!(bits(u32::MAX), "all");
        assert_eq!(bits(0), "none");
        assert_eq!(bits(0b101), "bits 0, 2");
        assert_eq!(bits(1 << 31), "bit 31");
    }
}
