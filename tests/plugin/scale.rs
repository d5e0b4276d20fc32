//! Many at once: the work grows with those who take part and with the pairs that change, not faster.
//!
//! Counted, not timed. Numbers in brackets are points of `docs/semantics.md`.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy_aoi::prelude::*;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()));
    app
}

fn at(x: f32, z: f32) -> Transform {
    Transform::from_xyz(x, 0.0, z)
}

fn stats(app: &App) -> &AoiStats {
    app.world().resource()
}

/// The leaves and enters that were written since the last call.
fn told(app: &mut App) -> (Vec<LeaveView>, Vec<EnterView>) {
    let world = app.world_mut();
    (
        world
            .resource_mut::<Messages<LeaveView>>()
            .drain()
            .collect(),
        world
            .resource_mut::<Messages<EnterView>>()
            .drain()
            .collect(),
    )
}

#[test]
fn mass_despawn_tells_each_pair_once() {
    // Given 5 000 that all see and are seen, and some that stay behind.
    let mut app = app();
    let side = 71;
    let crowd: Vec<_> = (0..5000)
        .map(|i| {
            app.world_mut()
                .spawn((
                    at((i % side) as f32 * 10.0, (i / side) as f32 * 10.0),
                    AoiViewer::new(25.0),
                    AoiTarget::default(),
                    SeenBy::default(),
                ))
                .id()
        })
        .collect();
    let stay: BTreeSet<_> = crowd.iter().copied().step_by(500).collect();
    app.update();
    let (left, entered) = told(&mut app);
    let pairs: BTreeSet<_> = entered.iter().map(|m| (m.viewer, m.target)).collect();
    assert_eq!(entered.len(), pairs.len(), "each pair once (14)");
    assert_eq!(stats(&app).pairs_in_view, pairs.len());
    assert!(left.is_empty());
    let budget = 64 * (crowd.len() + pairs.len()) as u64;
    let spawned = stats(&app).pairs_tested;
    assert!(
        spawned < budget,
        "a mass spawn looks at {spawned} pairs, more than {budget}"
    );

    // When all the others are despawned at once,
    for &entity in &crowd {
        if !stay.contains(&entity) {
            app.world_mut().despawn(entity);
        }
    }
    app.update();

    // then each pair leaves once, and nothing is looked at many times over.
    let (left, entered) = told(&mut app);
    assert!(entered.is_empty());
    let told_pairs: Vec<_> = left.iter().map(|m| (m.viewer, m.target)).collect();
    let expected: Vec<_> = pairs
        .iter()
        .copied()
        .filter(|(viewer, target)| !stay.contains(viewer) || !stay.contains(target))
        .collect();
    assert_eq!(
        told_pairs, expected,
        "one leave for each pair, sorted (16, 18)"
    );
    assert!(left.iter().all(|m| m.reason == LeaveReason::Despawned));
    let stats = stats(&app);
    assert_eq!(stats.members, stay.len());
    assert_eq!(stats.left, expected.len());
    assert!(
        stats.pairs_tested < budget,
        "a mass despawn looks at {} pairs, more than {budget}",
        stats.pairs_tested
    );
    for &survivor in &stay {
        let list = app.world().get::<InView>(survivor).unwrap();
        assert!(list.iter().all(|target| stay.contains(&target)));
    }

    // And the updates after it are as if they had never been.
    for _ in 0..5 {
        app.update();
        assert_eq!(self::stats(&app).pairs_tested, 0);
        let (left, entered) = told(&mut app);
        assert!(left.is_empty() && entered.is_empty());
    }
}

#[test]
fn a_line_on_one_axis_is_not_quadratic() {
    // Given 20 000 on a line, 10 apart, along each axis and along both.
    const N: usize = 20_000;
    for direction in [Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::NEG_X] {
        let mut app = app();
        let line: Vec<_> = (0..N)
            .map(|i| {
                let place = direction * (10.0 * i as f32);
                app.world_mut()
                    .spawn((Transform::from_translation(place), AoiTarget::default()))
                    .id()
            })
            .collect();
        for i in 0..20 {
            let place = direction * (10_000.0 * i as f32);
            app.world_mut()
                .spawn((Transform::from_translation(place), AoiViewer::new(53.0)));
        }
        app.update();
        let (_, entered) = told(&mut app);
        assert!(!entered.is_empty());

        // When all walk a little, ten times,
        let mut tested = 0;
        for _ in 0..10 {
            for &entity in &line {
                let mut transform = app.world_mut().get_mut::<Transform>(entity).unwrap();
                transform.translation += direction * 0.1;
            }
            app.update();
            let (left, entered) = told(&mut app);
            assert!(
                left.is_empty() && entered.is_empty(),
                "{direction}: nobody crossed a border"
            );
            assert_eq!(stats(&app).moved, N, "{direction}");
            tested += stats(&app).pairs_tested;
        }

        // then the work is so much for each of them, however many stand on the line.
        let each = tested / 10 / N as u64;
        assert!(each < 64, "{direction}: {each} pairs for each of {N}");
    }
}

#[test]
fn everybody_walks_on_one_line() {
    // Given the same where all see, then still each looks only at those around.
    const N: usize = 5_000;
    for direction in [Vec3::X, Vec3::Z] {
        let mut app = app();
        let line: Vec<_> = (0..N)
            .map(|i| {
                app.world_mut()
                    .spawn((
                        Transform::from_translation(direction * (10.0 * i as f32)),
                        AoiTarget::default(),
                        AoiViewer::new(55.0),
                    ))
                    .id()
            })
            .collect();
        app.update();
        assert_eq!(
            stats(&app).pairs_in_view,
            N * 10 - 30,
            "{direction}: five to each side, fewer at the ends"
        );
        for _ in 0..5 {
            for &entity in &line {
                let mut transform = app.world_mut().get_mut::<Transform>(entity).unwrap();
                transform.translation += direction * 0.1;
            }
            told(&mut app);
            app.update();
            let each = stats(&app).pairs_tested / N as u64;
            assert!(each < 400, "{direction}: {each} pairs for each of {N}");
        }
    }
}

#[test]
fn few_movers_cost_by_the_movers() {
    // Given a large resting world in which few walk.
    const N: usize = 20_000;
    let mut app = app();
    let mut rng = fastrand::Rng::with_seed(6);
    let mut walkers = Vec::new();
    for i in 0..N {
        let place = at(rng.f32() * 4000.0, rng.f32() * 4000.0);
        let mut entity = app.world_mut().spawn((place, AoiTarget::default()));
        if i % 200 == 0 {
            entity.insert(AoiViewer::new(50.0));
            walkers.push(entity.id());
        }
    }
    app.update();
    for _ in 0..5 {
        for &walker in &walkers {
            let mut transform = app.world_mut().get_mut::<Transform>(walker).unwrap();
            transform.translation.x += 0.1;
        }
        app.update();
        let stats = stats(&app);
        assert_eq!(stats.moved, walkers.len());
        let each = stats.pairs_tested / walkers.len() as u64;
        assert!(
            each < N as u64 / 10,
            "{each} pairs for each walker, in a world of {N}"
        );
    }
}

#[test]
fn everybody_on_one_spot() {
    // Given a crowd on one point, the most pairs there can be, each told once.
    let mut app = app();
    let crowd: Vec<_> = (0..400)
        .map(|_| {
            app.world_mut()
                .spawn((at(5.0, 5.0), AoiViewer::new(10.0), AoiTarget::default()))
                .id()
        })
        .collect();
    app.update();
    assert_eq!(told(&mut app).1.len(), 400 * 399);
    for &entity in &crowd {
        app.world_mut().entity_mut(entity).insert(at(-900.0, 31.0));
    }
    app.update();
    let (left, entered) = told(&mut app);
    assert!(
        left.is_empty() && entered.is_empty(),
        "all moved together (14)"
    );
    for &entity in &crowd[200..] {
        app.world_mut().entity_mut(entity).insert(at(900.0, 31.0));
    }
    app.update();
    let (left, entered) = told(&mut app);
    assert!(entered.is_empty());
    assert_eq!(left.len(), 2 * 200 * 200);
}
