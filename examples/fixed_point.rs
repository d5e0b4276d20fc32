//! Positions of the game's own: a lockstep simulation in 64-bit fixed point, without a single
//! `Transform`. `AoiPlugin::with_position` takes the positions from there.
//!
//! ```text
//! cargo run --example fixed_point
//! ```
//!
//! A component of another crate, like the `Position` of the physics engine Avian, can be no
//! `AoiPosition`, since neither it nor the trait is yours. Avian writes `Transform` after each step,
//! so the plugin as it is will do, ordered behind the physics:
//!
//! ```ignore
//! use avian3d::prelude::*;
//!
//! app.add_plugins(AoiPlugin::xz().in_schedule(FixedPostUpdate))
//!     .configure_sets(FixedPostUpdate, AoiSystems::Sync.after(PhysicsSystems::Last));
//! ```
//!
//! Where positions are kept without `Transform`, wrap them: a component of your own with the same
//! numbers, written before `AoiSystems::Sync`.

use bevy::prelude::*;
use bevy_aoi::prelude::*;

/// 32.32 fixed point: the same on every machine, to the last bit.
#[derive(Component, Clone, Copy)]
struct Cell {
    x: i64,
    z: i64,
}

const ONE: i64 = 1 << 32;

impl AoiPosition for Cell {
    fn position(&self) -> Vec3 {
        let metres = |fixed: i64| (fixed as f64 / ONE as f64) as f32;
        Vec3::new(metres(self.x), 0.0, metres(self.z))
    }
}

#[derive(Component)]
struct Velocity(i64);

fn main() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz().with_position::<Cell>()))
        .add_systems(Startup, spawn)
        .add_systems(Update, step)
        .add_systems(PostUpdate, tell.after(AoiSystems::Emit));
    (0..100).for_each(|_| app.update());
}

fn spawn(mut commands: Commands) {
    commands.spawn((Cell { x: 0, z: 0 }, AoiViewer::new(10.0)));
    let start = Cell {
        x: -20 * ONE,
        z: 6 * ONE,
    };
    // A third of a unit per tick, which no float can say.
    commands.spawn((start, Velocity(ONE / 3), AoiTarget::default()));
}

fn step(mut cells: Query<(&mut Cell, &Velocity)>) {
    for (mut cell, velocity) in &mut cells {
        cell.x += velocity.0;
    }
}

fn tell(
    mut left: MessageReader<LeaveView>,
    mut entered: MessageReader<EnterView>,
    cells: Query<&Cell>,
) {
    let at = |target| cells.get(target).map_or(Vec3::NAN, Cell::position);
    for LeaveView { target, .. } in left.read() {
        println!("{target} drops out of view at {}", at(*target));
    }
    for EnterView { target, .. } in entered.read() {
        println!("{target} comes into view at {}", at(*target));
    }
}
