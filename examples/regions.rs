//! Trigger regions: a viewer that stands still, with a shape of the size of the region, tells who
//! walks in and out. A safe zone (square), the aggro range of a wolf (round) and a doorway (box).
//!
//! ```text
//! cargo run --example regions
//! ```

use bevy::prelude::*;
use bevy_aoi::prelude::*;

/// What a region is called, and what it does to those inside.
#[derive(Component)]
struct Region {
    name: &'static str,
    enter: &'static str,
    leave: &'static str,
}

#[derive(Component)]
struct Walker(&'static str);

/// Regions look at people only.
const PEOPLE: u32 = 1 << 3;

fn main() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()))
        .add_systems(Startup, spawn)
        .add_systems(Update, walk)
        .add_systems(PostUpdate, tell.after(AoiSystems::Emit));
    (0..60).for_each(|_| app.update());
}

fn spawn(mut commands: Commands) {
    let people = |viewer: AoiViewer| viewer.with_sees(PEOPLE);
    commands.spawn((
        Region {
            name: "the safe zone",
            enter: "cannot be attacked any more",
            leave: "can be attacked",
        },
        Transform::from_xyz(10.0, 0.0, 0.0),
        people(AoiViewer::new(6.0).with_shape(ViewShape::Square)),
    ));
    commands.spawn((
        Region {
            name: "the wolf",
            enter: "wakes the wolf",
            leave: "is forgotten",
        },
        Transform::from_xyz(30.0, 0.0, 4.0),
        // It gives up only when its prey is well away.
        people(AoiViewer::new(8.0).with_leave_margin(4.0)),
    ));
    commands.spawn((
        Region {
            name: "the doorway",
            enter: "opens the door",
            leave: "lets the door fall shut",
        },
        Transform::from_xyz(50.0, 0.0, 0.0),
        people(AoiViewer::default().with_shape(ViewShape::Box {
            half: Vec3::new(0.5, f32::INFINITY, 2.0),
        })),
    ));
    let person = AoiTarget::default().with_layers(PEOPLE);
    commands.spawn((Walker("Ada"), Transform::default(), person));
    // Takes no part in what regions look at, though it walks through all of them.
    commands.spawn((Walker("a leaf"), Transform::default(), AoiTarget::default()));
}

fn walk(mut walkers: Query<&mut Transform, With<Walker>>) {
    for mut transform in &mut walkers {
        transform.translation.x += 1.0;
    }
}

fn tell(
    mut left: MessageReader<LeaveView>,
    mut entered: MessageReader<EnterView>,
    regions: Query<&Region>,
    walkers: Query<(&Walker, &Transform)>,
) {
    for &LeaveView { viewer, target, .. } in left.read() {
        let (Ok(region), Ok((walker, at))) = (regions.get(viewer), walkers.get(target)) else {
            continue;
        };
        let Region { name, leave, .. } = region;
        println!(
            "x = {:>2}: {} leaves {name} and {leave}",
            at.translation.x, walker.0
        );
    }
    for &EnterView { viewer, target } in entered.read() {
        let (Ok(region), Ok((walker, at))) = (regions.get(viewer), walkers.get(target)) else {
            continue;
        };
        let Region { name, enter, .. } = region;
        println!(
            "x = {:>2}: {} comes to {name} and {enter}",
            at.translation.x, walker.0
        );
    }
}
