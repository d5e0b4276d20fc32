//! What a view looks like on each plane.

use bevy::{gizmos::gizmos::GizmoBuffer, math::bounding::Aabb3d, prelude::*};
use core::f32::consts::FRAC_PI_2;

use super::AoiGizmos;
use crate::{AoiPlane, AoiViewer, ViewShape};

pub(super) type Pen = GizmoBuffer<AoiGizmos, ()>;

/// Segments of a view: the middle of one is off by a thousandth of the radius.
const FINE: u32 = 64;

/// Segments of a mark.
const COARSE: u32 = 16;

/// What has no end is drawn so far to each side, where that makes sense.
const ENDLESS: f32 = 10_000.0;

/// The line around a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outline {
    /// Circle or sphere, by its radius.
    Round(f32),
    /// Rectangle or box, by half of its extent.
    Box(Vec3),
    /// Cylinder along y.
    Upright { radius: f32, half_height: f32 },
}

impl Outline {
    /// How far a viewer sees, `margin` further: 0, or its leave margin. None for a viewer that is
    /// blind, or sees without an end.
    pub fn new(viewer: &AoiViewer, plane: AoiPlane, margin: f32) -> Option<Self> {
        let radius = viewer.radius + margin;
        let is_round = viewer.radius > 0.0 && radius.is_finite();
        match viewer.shape {
            ViewShape::Box { half } => Some(Self::Box(Vec3::from_array(
                half.to_array().map(|half| limited(half, margin)),
            ))),
            _ if !is_round => None,
            ViewShape::Square => Some(Self::Box(Vec3::splat(radius))),
            ViewShape::Cylinder { half_height } if plane == AoiPlane::Xyz => Some(Self::Upright {
                radius,
                half_height: limited(half_height, margin),
            }),
            ViewShape::Round | ViewShape::Cylinder { .. } => Some(Self::Round(radius)),
        }
    }

    pub fn draw(self, pen: &mut Pen, plane: AoiPlane, at: Vec3, color: Color) {
        match self {
            Self::Round(radius) => round(pen, plane, at, radius, FINE, color),
            Self::Box(half) => {
                let (mut min, mut max) = (at, at);
                for &axis in plane.axes() {
                    min[axis] -= half[axis];
                    max[axis] += half[axis];
                }
                frame(pen, plane, min, max, color);
            }
            Self::Upright {
                radius,
                half_height,
            } if !fits(at, radius.max(half_height)) => {}
            Self::Upright {
                radius,
                half_height,
            } => {
                let up = Vec3::Y * half_height;
                for end in [at + up, at - up] {
                    circle(pen, AoiPlane::Xz, end, radius, FINE, color);
                }
                for side in [Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z] {
                    let side = at + side * radius;
                    pen.line(side - up, side + up, color);
                }
            }
        }
    }
}

/// Half of an extent, `margin` longer; negative or NaN counts as 0.
fn limited(half: f32, margin: f32) -> f32 {
    let half = half.max(0.0) + margin;
    if half == f32::INFINITY { ENDLESS } else { half }
}

/// How large a mark beside a view has to be so that both can be made out.
pub(super) fn mark_size(viewer: &AoiViewer, plane: AoiPlane) -> Option<f32> {
    let extent = match Outline::new(viewer, plane, 0.0)? {
        Outline::Round(radius) | Outline::Upright { radius, .. } => radius,
        Outline::Box(half) => plane
            .axes()
            .iter()
            .map(|&axis| half[axis])
            .fold(f32::INFINITY, f32::min),
    };
    (extent > 0.0).then_some(extent * 0.05)
}

/// A small circle or sphere around a place.
pub(super) fn mark(pen: &mut Pen, plane: AoiPlane, at: Vec3, size: f32, color: Color) {
    round(pen, plane, at, size, COARSE, color);
}

/// Whether nothing within `reach` of a place is beyond the numbers; it would be drawn anywhere.
fn fits(at: Vec3, reach: f32) -> bool {
    (at.abs() + 2.0 * reach).is_finite()
}

/// A circle on the plane; in space a sphere of three.
fn round(pen: &mut Pen, plane: AoiPlane, at: Vec3, radius: f32, segments: u32, color: Color) {
    if plane != AoiPlane::Xyz {
        circle(pen, plane, at, radius, segments, color);
    } else if fits(at, radius) {
        pen.sphere(at, radius, color).resolution(segments);
    }
}

fn circle(pen: &mut Pen, plane: AoiPlane, at: Vec3, radius: f32, segments: u32, color: Color) {
    if !fits(at, radius) {
        return;
    }
    let rotation = match plane {
        AoiPlane::Xy | AoiPlane::Xyz => Quat::IDENTITY,
        AoiPlane::Xz => Quat::from_rotation_x(FRAC_PI_2),
    };
    pen.circle(Isometry3d::new(at, rotation), radius, color)
        .resolution(segments);
}

/// Two crossed lines on the plane, in space three.
pub(super) fn cross(pen: &mut Pen, plane: AoiPlane, at: Vec3, size: f32, color: Color) {
    if !fits(at, size) {
        return;
    }
    // Diagonal, so that it is not taken for two sides of a frame.
    let arms: &[Vec3] = match plane {
        AoiPlane::Xy => &[Vec3::new(0.7, 0.7, 0.0), Vec3::new(0.7, -0.7, 0.0)],
        AoiPlane::Xz => &[Vec3::new(0.7, 0.0, 0.7), Vec3::new(0.7, 0.0, -0.7)],
        AoiPlane::Xyz => &Vec3::AXES,
    };
    for &arm in arms {
        pen.line(at - arm * size, at + arm * size, color);
    }
}

/// A rectangle on the plane, at the height of `min`, in space a box.
pub(super) fn frame(pen: &mut Pen, plane: AoiPlane, min: Vec3, max: Vec3, color: Color) {
    if !(min.is_finite() && max.is_finite()) {
        return;
    }
    let &[first, second] = plane.axes() else {
        let bounds = Aabb3d {
            min: min.into(),
            max: max.into(),
        };
        pen.aabb_3d(bounds, Transform::IDENTITY, color);
        return;
    };
    let corner = |a: f32, b: f32| {
        let mut corner = min;
        (corner[first], corner[second]) = (a, b);
        corner
    };
    let corners = [
        corner(min[first], min[second]),
        corner(max[first], min[second]),
        corner(max[first], max[second]),
        corner(min[first], max[second]),
        corner(min[first], min[second]),
    ];
    pen.linestrip(corners, color);
}
