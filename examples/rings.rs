//! Rings: what is near is sent often, what is far seldom. A target walks away from a viewer with
//! two rings; its ring is the exponent of its update rate. A viewer with `ReportMoves` says which
//! moves there are to be sent.
//!
//! ```text
//! cargo run --example rings
//! ```

use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::collections::BTreeSet;

/// Which tick it is, and what was sent.
#[derive(Resource, Default)]
struct Traffic {
    tick: u32,
    moves: u32,
    sent: u32,
}

#[derive(Component)]
struct Walker;

fn main() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()))
        .init_resource::<Traffic>()
        .add_systems(Startup, spawn)
        .add_systems(Update, walk)
        .add_systems(PostUpdate, (tell, send).chain().after(AoiSystems::Emit));
    (0..100).for_each(|_| app.update());
    let Traffic { moves, sent, .. } = app.world().resource();
    println!("{sent} of {moves} moves were sent");
}

fn spawn(mut commands: Commands) {
    commands.spawn((
        Transform::default(),
        AoiViewer::new(80.0).with_leave_margin(2.0),
        // Near up to 10, middle up to 30, far beyond, as far as the view goes.
        AoiRings::from_iter([10.0, 30.0]),
        ReportMoves,
    ));
    commands.spawn((Walker, Transform::default(), AoiTarget::default()));
}

fn walk(mut walkers: Query<&mut Transform, With<Walker>>, mut traffic: ResMut<Traffic>) {
    for mut transform in &mut walkers {
        transform.translation.x += 1.0;
    }
    traffic.tick += 1;
}

fn tell(mut rings: MessageReader<RingChanged>, traffic: Res<Traffic>) {
    for RingChanged { target, ring, .. } in rings.read() {
        let every = rate(*ring);
        println!(
            "tick {}: {target} is in ring {ring}, sent every {every} ticks",
            traffic.tick
        );
    }
}

/// What moved waits until it is its turn, so that the last place of one that stops is sent too.
fn send(
    mut moves: MessageReader<MoveInView>,
    aoi: Aoi,
    mut traffic: ResMut<Traffic>,
    mut waiting: Local<BTreeSet<(Entity, Entity)>>,
) {
    let moves = moves.read().filter(|moves| moves.moved != Moved::Viewer);
    for &MoveInView { viewer, target, .. } in moves {
        traffic.moves += 1;
        waiting.insert((viewer, target));
    }
    waiting.retain(|&(viewer, target)| match aoi.ring_of(viewer, target) {
        Some(ring) if traffic.tick.is_multiple_of(rate(ring)) => {
            traffic.sent += 1;
            false
        }
        in_view => in_view.is_some(),
    });
}

/// Every tick, every fourth, every sixteenth.
fn rate(ring: u8) -> u32 {
    1 << (2 * u32::from(ring.min(2)))
}
