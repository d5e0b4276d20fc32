//! The first program: a target walks past a viewer. It comes into view at 50, and drops out at 55
//! on the other side.
//!
//! ```text
//! cargo run --example minimal
//! ```

use bevy::prelude::*;
use bevy_aoi::prelude::*;

fn main() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz())) // in a game: DefaultPlugins
        .add_systems(Startup, spawn)
        .add_systems(Update, walk)
        .add_systems(PostUpdate, tell.after(AoiSystems::Emit));
    (0..120).for_each(|_| app.update()); // in a game: app.run();
}

fn spawn(mut commands: Commands) {
    let viewer = AoiViewer::new(50.0).with_leave_margin(5.0);
    commands.spawn((Transform::default(), viewer));
    commands.spawn((Transform::from_xyz(-60.0, 0.0, 0.0), AoiTarget::default()));
}

fn walk(mut targets: Query<&mut Transform, With<AoiTarget>>) {
    for mut transform in &mut targets {
        transform.translation.x += 1.0;
    }
}

fn tell(mut left: MessageReader<LeaveView>, mut entered: MessageReader<EnterView>) {
    for LeaveView { viewer, target, .. } in left.read() {
        println!("{viewer} no longer sees {target}");
    }
    for EnterView { viewer, target } in entered.read() {
        println!("{viewer} sees {target}");
    }
}
