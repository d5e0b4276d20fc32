//! What a viewer sees: the one place where the arithmetic of the view relation is written down.
//!
//! All of it is plain `f32`, one rounding per operation and no fused multiply-add, so the answer
//! is the same on every machine, thread count and code path. Each test is monotone in every `|d|`,
//! which is what lets whole blocks be judged by their boxes: fed with the least (greatest)
//! difference of two boxes it bounds the answer for every pair in them, exactly.

/// How a member sees others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewer<const D: usize> {
    /// Distance at which a target comes into view, inclusive. Not above 0, or NaN: blind.
    pub radius: f32,
    /// How much further a target in view may go. Negative or NaN counts as 0.
    pub leave_margin: f32,
    /// Mask of the layers it sees.
    pub sees: u32,
    /// Form of the area.
    pub shape: Shape<D>,
}

impl<const D: usize> Viewer<D> {
    /// A viewer with a round area, no margin, that sees all layers.
    pub const fn new(radius: f32) -> Self {
        Self {
            radius,
            leave_margin: 0.0,
            sees: u32::MAX,
            shape: Shape::Round,
        }
    }

    /// Whether both see the same of what is on their layers.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let sees = self.sees;
        *self == Self { sees, ..*other }
    }

    /// Whether it sees nothing by distance.
    pub fn is_blind(&self) -> bool {
        match self.shape {
            // The radius plays no part, so it blinds nobody either.
            Shape::Box { .. } => false,
            _ => self.radius <= 0.0 || self.radius.is_nan(),
        }
    }

    /// Whether a target `d` away is within the bound for coming into view, and within the wider
    /// one for staying.
    pub(crate) fn bounds(&self, extra: f32, d: [f32; D]) -> (bool, bool) {
        if self.is_blind() {
            return (false, false);
        }
        match self.shape {
            Shape::Round => Round::new(self, extra).bounds(d),
            Shape::Square | Shape::Box { .. } => Boxed::new(self, extra).bounds(d),
            Shape::Cylinder { .. } => Upright::new(self, extra).bounds(d),
        }
    }

    /// How far a target without extra range can be on any axis and still be in view: an upper
    /// bound a little above the true one, infinite where the squares overflow.
    pub(crate) fn reach(&self) -> f32 {
        if self.is_blind() {
            return 0.0;
        }
        let margin = or_zero(self.leave_margin);
        let reach = match self.shape {
            Shape::Round | Shape::Square => self.radius + margin,
            Shape::Cylinder { half_height } => {
                (self.radius + margin).max(or_zero(half_height) + margin)
            }
            Shape::Box { half } => half.map(or_zero).into_iter().fold(0.0, f32::max) + margin,
        };
        widened(reach)
    }
}

/// Form of a viewer's area; `r` is the radius plus the target's extra range. Bounds are inclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape<const D: usize> {
    /// Circle or sphere of radius `r`.
    Round,
    /// `|d| <= r` on every axis.
    Square,
    /// In three dimensions a circle on the axes 0 and 2, and `half_height` up and down on axis 1.
    /// In two dimensions a circle.
    Cylinder {
        /// Negative or NaN counts as 0.
        half_height: f32,
    },
    /// `|d| <= half + extra_range` on every axis; the radius plays no part.
    Box {
        /// Negative or NaN counts as 0.
        half: [f32; D],
    },
}

/// How a member can be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Mask of the layers it is on; a pair matches if `layers & sees != 0`.
    pub layers: u32,
    /// How much further it is seen from. Negative or NaN counts as 0.
    pub extra_range: f32,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            layers: 1,
            extra_range: 0.0,
        }
    }
}

impl Target {
    pub(crate) fn extra(&self) -> f32 {
        or_zero(self.extra_range)
    }
}

/// Whether `viewer` sees `target` by layers and distance, `d` apart, given whether the pair is in
/// view already (`held`). Spaces, presence, overrides and caps are the caller's.
pub fn in_view<const D: usize>(
    viewer: &Viewer<D>,
    target: &Target,
    d: [f32; D],
    held: bool,
) -> bool {
    viewer.sees & target.layers != 0 && in_range(viewer, target, d, held)
}

/// The distance part of [`in_view`].
pub fn in_range<const D: usize>(
    viewer: &Viewer<D>,
    target: &Target,
    d: [f32; D],
    held: bool,
) -> bool {
    let (near, wide) = viewer.bounds(target.extra(), d);
    if held { wide } else { near }
}

/// Sum of squares in axis order.
pub(crate) fn squared<const D: usize>(d: [f32; D]) -> f32 {
    let mut sum = d[0] * d[0];
    for x in &d[1..] {
        sum += x * x;
    }
    sum
}

/// `to - from` on each axis.
pub(crate) fn delta<const D: usize>(from: [f32; D], to: [f32; D]) -> [f32; D] {
    core::array::from_fn(|axis| to[axis] - from[axis])
}

/// An upper bound for distances that compare as within `reach`: above the roundings of difference,
/// square and sum, above what squares to zero, and without bound where the square overflows.
pub(crate) fn widened(reach: f32) -> f32 {
    if reach * reach == f32::INFINITY {
        f32::INFINITY
    } else {
        reach * 1.000_001 + 1e-22
    }
}

fn or_zero(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// A shape with its bounds worked out, for use in a loop.
pub(crate) trait Area<const D: usize>: Copy {
    /// For a viewer that is not blind, and the extra range of the target.
    fn new(viewer: &Viewer<D>, extra: f32) -> Self;

    /// [`Viewer::bounds`].
    fn bounds(&self, d: [f32; D]) -> (bool, bool);

    /// Where pairs have to be that can have changed, if neither end has gone further than that
    /// together; none if the shape has no quick answer.
    fn verge(&self, gone: f32) -> Option<Verge> {
        let _ = gone;
        None
    }
}

/// Intervals of squared distances around the bounds of a round area.
#[derive(Clone, Copy)]
pub(crate) struct Verge {
    near: [f32; 2],
    /// The same as `near` if there is one interval for both.
    wide: [f32; 2],
}

impl Verge {
    pub fn is_one(&self) -> bool {
        self.near == self.wide
    }

    /// Looks at the present distance alone, half of the work of comparing it with the old one.
    #[inline(always)]
    pub fn holds<const ONE: bool>(&self, square: f32) -> bool {
        let within = |[from, to]: [f32; 2]| (from <= square) & (square <= to);
        if ONE {
            within(self.near)
        } else {
            within(self.near) | within(self.wide)
        }
    }

    /// Whether distances from `least` to `most` can hold.
    #[inline(always)]
    pub fn meets(&self, least: f32, most: f32) -> bool {
        (self.near[0] <= most) & (least <= self.wide[1])
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Round {
    near: f32,
    wide: f32,
}

impl<const D: usize> Area<D> for Round {
    fn new(viewer: &Viewer<D>, extra: f32) -> Self {
        let r = viewer.radius + extra;
        let wide = r + or_zero(viewer.leave_margin);
        Self {
            near: r * r,
            wide: wide * wide,
        }
    }

    #[inline(always)]
    fn bounds(&self, d: [f32; D]) -> (bool, bool) {
        let sum = squared(d);
        (sum <= self.near, sum <= self.wide)
    }

    fn verge(&self, gone: f32) -> Option<Verge> {
        // Squares that keep their precision; what rounding adds is far below a millionth.
        if !(1e-30..f32::INFINITY).contains(&self.near) || self.wide == f32::INFINITY {
            return None;
        }
        let around = |square: f32| {
            let range = square.sqrt();
            let from = (range - gone).max(0.0) * 0.999_999;
            let to = (range + gone) * 1.000_001;
            [from * from, to * to]
        };
        let (mut near, mut wide) = (around(self.near), around(self.wide));
        if wide[0] <= near[1] {
            let both = [near[0], wide[1]];
            (near, wide) = (both, both);
        }
        Some(Verge { near, wide })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Boxed<const D: usize> {
    near: [f32; D],
    wide: [f32; D],
}

impl<const D: usize> Area<D> for Boxed<D> {
    fn new(viewer: &Viewer<D>, extra: f32) -> Self {
        let near = match viewer.shape {
            Shape::Box { half } => half.map(|half| or_zero(half) + extra),
            _ => [viewer.radius + extra; D],
        };
        Self {
            near,
            wide: near.map(|r| r + or_zero(viewer.leave_margin)),
        }
    }

    #[inline(always)]
    fn bounds(&self, d: [f32; D]) -> (bool, bool) {
        let (mut near, mut wide) = (true, true);
        for ((d, bound), wider) in d.into_iter().zip(self.near).zip(self.wide) {
            near &= d.abs() <= bound;
            wide &= d.abs() <= wider;
        }
        (near, wide)
    }
}

/// A cylinder around axis 1.
#[derive(Clone, Copy)]
pub(crate) struct Upright {
    round: Round,
    near: f32,
    wide: f32,
}

impl<const D: usize> Area<D> for Upright {
    fn new(viewer: &Viewer<D>, extra: f32) -> Self {
        let half = match viewer.shape {
            Shape::Cylinder { half_height } => or_zero(half_height),
            _ => 0.0,
        };
        Self {
            round: Round::new(viewer, extra),
            near: half,
            wide: half + or_zero(viewer.leave_margin),
        }
    }

    #[inline(always)]
    fn bounds(&self, d: [f32; D]) -> (bool, bool) {
        if D < 3 {
            return self.round.bounds(d);
        }
        let (near, wide) = self.round.bounds([d[0], d[2]]);
        let up = d[1].abs();
        (near & (up <= self.near), wide & (up <= self.wide))
    }

    fn verge(&self, gone: f32) -> Option<Verge> {
        if D < 3 {
            Area::<D>::verge(&self.round, gone)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Target = Target {
        layers: 1,
        extra_range: 0.0,
    };

    fn sees<const D: usize>(viewer: Viewer<D>, d: [f32; D], held: bool) -> bool {
        in_view(&viewer, &TARGET, d, held)
    }

    #[test]
    fn the_bound_is_inclusive_and_the_margin_holds() {
        let viewer = Viewer {
            leave_margin: 2.0,
            ..Viewer::new(5.0)
        };
        assert!(sees(viewer, [3.0, 4.0], false));
        assert!(!sees(viewer, [3.0, 4.000_001], false));
        assert!(sees(viewer, [7.0, 0.0], true));
        assert!(!sees(viewer, [7.000_001, 0.0], true));
    }

    #[test]
    fn a_radius_that_makes_no_sense_is_blind() {
        for radius in [0.0, -0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
            let viewer = Viewer {
                leave_margin: f32::INFINITY,
                ..Viewer::new(radius)
            };
            assert!(!sees(viewer, [0.0, 0.0], true), "{radius}");
        }
        assert!(sees(Viewer::new(f32::INFINITY), [1e38, -3e38], false));
    }

    #[test]
    fn a_box_has_its_own_extent_on_each_axis_and_no_radius() {
        let viewer = Viewer {
            shape: Shape::Box {
                half: [3.0, f32::NAN, 1.0],
            },
            ..Viewer::new(0.0)
        };
        assert!(sees(viewer, [3.0, 0.0, -1.0], false));
        assert!(!sees(viewer, [3.1, 0.0, 0.0], false));
        assert!(!sees(viewer, [0.0, 0.1, 0.0], false));
    }

    #[test]
    fn extra_range_does_not_raise_a_cylinder() {
        let viewer = Viewer {
            shape: Shape::Cylinder { half_height: 2.0 },
            ..Viewer::new(5.0)
        };
        let big = Target {
            extra_range: 10.0,
            ..TARGET
        };
        assert!(in_view(&viewer, &big, [12.0, 2.0, 9.0], false));
        assert!(!in_view(&viewer, &big, [0.0, 2.1, 0.0], false));
    }

    #[test]
    fn reach_is_never_short() {
        for radius in [1e-38, 1e-23, 0.1, 5.0, 1e18, 3e19] {
            let viewer = Viewer::<2>::new(radius);
            assert!(viewer.reach() >= radius);
            for d in [radius, 2e-23, 1e20] {
                let seen = sees(viewer, [d, 0.0], false);
                assert!(!seen || d <= viewer.reach(), "{radius} {d}");
            }
        }
    }
}
