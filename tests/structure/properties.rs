//! What the structure promises, as properties of any sequence of operations: a sequence that breaks
//! one is shrunk to the shortest that does, and printed.
//!
//! Few ids and few coordinates, so that the same things meet often; crowds, so that lists are split
//! and joined. The seed is fixed, so a run today is a run tomorrow: `PROPTEST_RNG_SEED=n` tries
//! other sequences, `PROPTEST_CASES=n` more of them.

use std::fmt::{self, Debug, Formatter};
use std::ops::Range;

use crate::brute::{Op, Twin};
use bevy_aoi::crosslink::{CrossLink, Id, Relation, Shape, Target, Viewer};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Printed with one element to the line, so that a failure is short enough to be read.
struct Lines<T>(Vec<T>);

impl<T: Debug> Debug for Lines<T> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|line| write!(f, "\n    {line:?}"))
    }
}

fn lines<T: Debug>(
    element: impl Strategy<Value = T>,
    many: Range<usize>,
) -> impl Strategy<Value = Lines<T>> {
    vec(element, many).prop_map(Lines)
}

fn config(cases: u32) -> ProptestConfig {
    let chosen = ProptestConfig::default();
    ProptestConfig {
        failure_persistence: None,
        cases: if std::env::var_os("PROPTEST_CASES").is_some() {
            chosen.cases
        } else {
            cases
        },
        rng_seed: match chosen.rng_seed {
            RngSeed::Random => RngSeed::Fixed(0xa01),
            fixed => fixed,
        },
        max_shrink_iters: 200_000,
        max_shrink_time: 60_000,
        ..chosen
    }
}

// ---- What is thrown at it ----------------------------------------------------------------------

/// Few members for the most part, so that they meet.
fn id() -> impl Strategy<Value = Id> {
    prop_oneof![8 => 0u32..8, 1 => 0u32..300, 1 => Just(5000u32)]
}

/// Never a zero with a sign: it is the same place, but another key.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        10 => (-6i32..=6).prop_map(|x| x as f32),
        4 => -30.0f32..30.0,
        1 => prop::sample::select(vec![1e-3f32, -1e-3, 1e7, -1e7, 0.1, 1e-30, 1e19, -1e19, 3e38, -3e38]),
    ]
    .prop_map(|x| x + 0.0)
}

fn place<const D: usize>() -> impl Strategy<Value = [f32; D]> {
    vec(coordinate(), D).prop_map(|at| at.try_into().unwrap())
}

/// A place that now and then is none.
fn any_place<const D: usize>() -> impl Strategy<Value = [f32; D]> {
    let bad = prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    (place(), weighted(0.03, (0..D, bad))).prop_map(|(mut at, spoilt): ([f32; D], _)| {
        if let Some((axis, bad)) = spoilt {
            at[axis] = bad;
        }
        at
    })
}

fn length() -> impl Strategy<Value = f32> {
    prop_oneof![
        10 => (0i32..=8).prop_map(|x| x as f32),
        4 => 0.0f32..20.0,
        2 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, -2.0, 1e-30, 1e20]),
    ]
}

fn shape<const D: usize>() -> impl Strategy<Value = Shape<D>> {
    prop_oneof![
        4 => Just(Shape::Round),
        2 => Just(Shape::Square),
        1 => length().prop_map(|half_height| Shape::Cylinder { half_height }),
        1 => vec(length(), D).prop_map(|half| Shape::Box { half: half.try_into().unwrap() }),
    ]
}

fn mask() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(1u32), 1 => 0u32..4, 1 => Just(u32::MAX)]
}

fn viewer<const D: usize>() -> impl Strategy<Value = Viewer<D>> {
    let margin = prop_oneof![1 => Just(0.0f32), 1 => length()];
    (length(), margin, mask(), shape()).prop_map(|(radius, leave_margin, sees, shape)| Viewer {
        radius,
        leave_margin,
        sees,
        shape,
    })
}

fn target() -> impl Strategy<Value = Target> {
    let extra_range = prop_oneof![3 => Just(0.0f32), 1 => length()];
    (mask(), extra_range).prop_map(|(layers, extra_range)| Target {
        layers,
        extra_range,
    })
}

/// Many at once, in a row: it may have no length.
fn crowd<const D: usize>() -> impl Strategy<Value = Vec<(Id, [f32; D])>> {
    (0u32..4, 0u32..150, place::<D>(), place::<D>()).prop_map(|(hundreds, many, at, step)| {
        let stand = |n: u32| {
            let mut at = at;
            for axis in 0..D {
                at[axis] += 0.25 * step[axis] * n as f32;
            }
            (100 * hundreds + n, at)
        };
        (0..many).map(stand).collect()
    })
}

fn op<const D: usize>() -> impl Strategy<Value = Op<D>> {
    let few = || vec((id(), any_place::<D>()), 0..6);
    prop_oneof![
        12 => (id(), any_place()).prop_map(|(id, at)| Op::Move(id, at)),
        8 => (id(), any_place()).prop_map(|(id, at)| Op::Insert(id, at)),
        4 => id().prop_map(Op::Remove),
        8 => (id(), weighted(0.8, viewer())).prop_map(|(id, viewer)| Op::SetViewer(id, viewer)),
        8 => (id(), weighted(0.8, target())).prop_map(|(id, target)| Op::SetTarget(id, target)),
        2 => few().prop_map(Op::InsertMany),
        2 => few().prop_map(Op::MoveMany),
        1 => crowd().prop_map(Op::InsertMany),
        1 => crowd().prop_map(Op::MoveMany),
        1 => (crowd(), weighted(0.8, viewer()), weighted(0.8, target())).prop_map(
            |(members, viewer, target)| {
                let full = |(id, at)| (id, at, viewer, target);
                Op::InsertManyWith(members.into_iter().map(full).collect())
            }
        ),
        1 => crowd::<D>().prop_map(|members| {
            Op::RemoveMany(members.into_iter().map(|member| member.0).collect())
        }),
        1 => Just(Op::Clear),
        12 => Just(Op::Update),
        2 => question(),
    ]
}

fn question<const D: usize>() -> impl Strategy<Value = Op<D>> {
    prop_oneof![
        id().prop_map(Op::Member),
        (id(), length()).prop_map(|(id, r)| Op::Neighbors(id, r)),
        (place(), length()).prop_map(|(center, r)| Op::WithinRadius(center, r)),
        (place(), place()).prop_map(|(min, max)| Op::WithinBox(min, max)),
        (place(), 0usize..20).prop_map(|(center, k)| Op::Nearest(center, k)),
        (0..D, id()).prop_map(|(axis, id)| Op::Walk(axis, id)),
    ]
}

// ---- What must hold ----------------------------------------------------------------------------

/// Does all of it to the structure and to brute force, and ends with an update.
fn same_as_brute_force<const D: usize>(ops: &[Op<D>]) -> Result<(), TestCaseError> {
    let mut twin = Twin::<D>::default();
    for op in ops.iter().chain([&Op::Update]) {
        twin.apply(op).map_err(TestCaseError::fail)?;
    }
    Ok(())
}

/// All members see and are seen, from the beginning, often all alike; then they move, and little
/// else.
fn walkers<const D: usize>() -> impl Strategy<Value = Lines<Op<D>>> {
    let start = vec((place::<D>(), viewer::<D>(), target()), 2..12);
    let walk = prop_oneof![
        6 => (0u32..12, place()).prop_map(|(id, at)| Op::Move(id, at)),
        1 => (0u32..12, viewer()).prop_map(|(id, viewer)| Op::SetViewer(id, Some(viewer))),
        4 => Just(Op::Update),
    ];
    (start, any::<bool>(), vec(walk, 1..40)).prop_map(|(start, alike, walk)| {
        let first = start[0].1;
        let mut ops = Vec::new();
        for (id, (at, viewer, target)) in (0..).zip(start) {
            ops.push(Op::Insert(id, at));
            let viewer = if alike { first } else { viewer };
            ops.push(Op::SetViewer(id, Some(viewer)));
            ops.push(Op::SetTarget(id, Some(target)));
        }
        ops.push(Op::Update);
        ops.extend(walk);
        Lines(ops)
    })
}

/// A target that comes into view and then stands on and around the bounds, to the last bit.
fn on_the_edge<const D: usize>() -> impl Strategy<Value = Lines<Op<D>>> {
    let length = || 0.01f32..30.0;
    let step = (vec(-1.0f32..1.0, D), 0..4u32, -3i32..=3, 0..=D);
    let parts = (length(), length(), length(), length(), 0..5u32);
    (parts, vec(-50.0f32..50.0, D), vec(step, 1..20)).prop_map(|(parts, from, steps)| {
        let (radius, extra_range, leave_margin, half, shape) = parts;
        let shape = match shape {
            0 | 1 => Shape::Round,
            2 => Shape::Square,
            3 => Shape::Cylinder { half_height: half },
            _ => Shape::Box { half: [half; D] },
        };
        let viewer = Viewer {
            radius,
            leave_margin,
            sees: 1,
            shape,
        };
        let from: [f32; D] = from.try_into().unwrap();
        let mut ops = vec![
            Op::Insert(0, from),
            Op::SetViewer(0, Some(viewer)),
            Op::Insert(1, from),
            Op::SetTarget(
                1,
                Some(Target {
                    layers: 1,
                    extra_range,
                }),
            ),
            Op::Update,
        ];
        for (toward, bound, ulps, axis) in steps {
            let bound = [
                radius + extra_range,
                radius + extra_range + leave_margin,
                half + extra_range + leave_margin,
                half + leave_margin,
            ][bound as usize];
            // Along one axis, or in any direction.
            let length = toward.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
            let mut at = from;
            for (i, x) in at.iter_mut().enumerate() {
                *x += match axis {
                    axis if axis == D => bound * toward[i] / length,
                    axis if axis == i => bound.copysign(toward[i]),
                    _ => 0.0,
                } + 0.0;
            }
            let x = &mut at[axis % D];
            for _ in 0..ulps.abs() {
                *x = if ulps < 0 { x.next_down() } else { x.next_up() };
            }
            ops.push(Op::Move(1, at.map(|x| x + 0.0)));
            ops.push(Op::Update);
        }
        Lines(ops)
    })
}

/// The same members, put in and taken about in two orders and by two ways, at the same places.
fn no_matter_how<const D: usize>(
    places: &[[f32; D]],
    others: &[[f32; D]],
) -> Result<(), TestCaseError> {
    let roles = |link: &mut CrossLink<D>| {
        for id in 0..places.len() as Id {
            link.set_viewer(id, Some(Viewer::new(4.0)));
            link.set_target(id, Some(Target::default()));
        }
    };
    let all = || (0..).zip(places.iter().copied());
    let mut at_once = CrossLink::<D>::new();
    at_once.insert_many(all());
    roles(&mut at_once);

    let mut one_by_one = CrossLink::<D>::new();
    for (id, &at) in (0..places.len() as Id).rev().zip(others.iter().cycle()) {
        one_by_one.insert(id, at);
    }
    for (id, at) in all() {
        one_by_one.move_to(id, at);
    }
    roles(&mut one_by_one);

    let (mut a, mut b) = (Relation::new(), Relation::new());
    let (a, b) = (a.update(&mut at_once), b.update(&mut one_by_one));
    prop_assert_eq!(&a.entered, &b.entered);
    prop_assert!(a.left.is_empty() && b.left.is_empty());
    for axis in 0..D {
        prop_assert!(at_once.walk(axis).eq(one_by_one.walk(axis)));
    }
    at_once.check_invariants().map_err(TestCaseError::fail)?;
    one_by_one.check_invariants().map_err(TestCaseError::fail)
}

/// Many members, a few questions.
fn answers<const D: usize>(
    places: Vec<[f32; D]>,
    questions: &[Op<D>],
) -> Result<(), TestCaseError> {
    let mut twin = Twin::<D>::default();
    let members = (0..).zip(places).collect();
    twin.apply(&Op::InsertMany(members))
        .map_err(TestCaseError::fail)?;
    for question in questions {
        twin.apply(question).map_err(TestCaseError::fail)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn any_operations_on_a_plane(ops in lines(op::<2>(), 1..60)) {
        same_as_brute_force(&ops.0)?;
    }

    #[test]
    fn any_operations_in_space(ops in lines(op::<3>(), 1..60)) {
        same_as_brute_force(&ops.0)?;
    }

    #[test]
    fn walkers_on_a_plane(ops in walkers::<2>()) {
        same_as_brute_force(&ops.0)?;
    }

    #[test]
    fn walkers_in_space(ops in walkers::<3>()) {
        same_as_brute_force(&ops.0)?;
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn the_edge_on_a_plane(ops in on_the_edge::<2>()) {
        same_as_brute_force(&ops.0)?;
    }

    #[test]
    fn the_edge_in_space(ops in on_the_edge::<3>()) {
        same_as_brute_force(&ops.0)?;
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn how_they_got_there_does_not_matter_on_a_plane(
        places in lines(place::<2>(), 0..200),
        others in lines(place::<2>(), 1..20),
    ) {
        no_matter_how(&places.0, &others.0)?;
    }

    #[test]
    fn how_they_got_there_does_not_matter_in_space(
        places in lines(place::<3>(), 0..200),
        others in lines(place::<3>(), 1..20),
    ) {
        no_matter_how(&places.0, &others.0)?;
    }

    #[test]
    fn any_question_on_a_plane(
        places in lines(place::<2>(), 0..300),
        questions in lines(question::<2>(), 1..30),
    ) {
        answers(places.0, &questions.0)?;
    }

    #[test]
    fn any_question_in_space(
        places in lines(place::<3>(), 0..300),
        questions in lines(question::<3>(), 1..30),
    ) {
        answers(places.0, &questions.0)?;
    }
}
