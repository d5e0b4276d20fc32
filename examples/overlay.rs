//! Who sees whom, drawn into the world: two lines add it, both in `main`.
//!
//! ```sh
//! cargo run --features window --example overlay
//! cargo run --features window --example overlay -- xyz
//! ```
//!
//! The planes are `xy`, `xz` (looked at from the side) and `xyz`. Keys: S shapes, L links, F flashes,
//! B bands, N blocks, and the space bar walks through the scopes.

use bevy::prelude::*;
use bevy_aoi::prelude::*;
use core::f32::consts::TAU;

/// Walks in a circle around a place.
#[derive(Component)]
struct Walker {
    around: Vec3,
    radius: f32,
    speed: f32,
}

fn main() {
    let plane = std::env::args().nth(1).unwrap_or_else(|| "xy".into());
    let aoi = match plane.as_str() {
        "xy" => AoiPlugin::xy(),
        "xz" => AoiPlugin::xz(),
        "xyz" => AoiPlugin::xyz(),
        other => {
            eprintln!("there is no plane '{other}': xy, xz or xyz");
            std::process::exit(2);
        }
    };
    App::new()
        .add_plugins((DefaultPlugins, aoi))
        // The overlay, and what it shows; without the second line it shows all viewers.
        .add_plugins(AoiOverlayPlugin)
        .insert_resource(AoiOverlay {
            blocks: true,
            ..default()
        })
        .add_systems(Startup, spawn)
        .add_systems(Update, (walk, dots, keys))
        .run();
}

fn spawn(mut commands: Commands, index: Res<AoiIndex>) {
    // In space and on the ground the camera looks down from the side.
    let from = match index.plane() {
        AoiPlane::Xy => Vec3::Z * 100.0,
        AoiPlane::Xz | AoiPlane::Xyz => Vec3::new(150.0, 300.0, 400.0),
    };
    let camera = Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((Camera2d, camera));

    // The plane that things stand on.
    let at = |x: f32, y: f32| match index.plane() {
        AoiPlane::Xy => Vec3::new(x, y, 0.0),
        AoiPlane::Xz | AoiPlane::Xyz => Vec3::new(x, 0.0, -y),
    };
    let height = match index.plane() {
        AoiPlane::Xyz => 120.0,
        _ => 0.0,
    };
    for i in 0..150 {
        let angle = i as f32 * 2.4;
        let out = 25.0 * (i as f32).sqrt();
        let up = Vec3::Y * height * ((i * 7 % 11) as f32 / 5.0 - 1.0);
        commands.spawn((
            Transform::default(),
            AoiTarget::default(),
            Walker {
                around: at(out * angle.cos(), out * angle.sin()) + up,
                radius: 10.0 + (i % 7) as f32 * 5.0,
                speed: 0.1 + (i % 5) as f32 * 0.1,
            },
        ));
    }
    let half = Vec3::new(90.0, 50.0, 50.0);
    let viewers = [
        (at(-270.0, 120.0), ViewShape::Round),
        (at(0.0, 120.0), ViewShape::Square),
        (at(280.0, 120.0), ViewShape::Cylinder { half_height: 50.0 }),
        (at(-130.0, -150.0), ViewShape::Box { half }),
    ];
    for (place, shape) in viewers {
        commands.spawn((
            Transform::from_translation(place),
            AoiViewer::new(80.0)
                .with_leave_margin(12.0)
                .with_shape(shape),
        ));
    }
    // With rings: the nearer, the warmer the colour of the link.
    commands.spawn((
        Transform::from_translation(at(170.0, -150.0)),
        AoiViewer::new(110.0).with_leave_margin(12.0),
        AoiRings::from_iter([40.0, 70.0, 95.0]),
        ShowAoi,
    ));
}

fn walk(time: Res<Time>, mut walkers: Query<(&Walker, &mut Transform)>) {
    for (walker, mut transform) in &mut walkers {
        let (sin, cos) = (time.elapsed_secs() * walker.speed * TAU).sin_cos();
        let way = Vec3::new(cos, sin, sin) * walker.radius;
        transform.translation = walker.around + way;
    }
}

/// The game's own picture of its entities; the overlay does not draw them.
fn dots(mut gizmos: Gizmos, everybody: Query<(&GlobalTransform, Has<AoiViewer>)>) {
    for (transform, sees) in &everybody {
        let radius = if sees { 4.0 } else { 2.0 };
        let color = if sees {
            Color::WHITE
        } else {
            Color::srgb(0.7, 0.7, 0.7)
        };
        gizmos
            .sphere(transform.translation(), radius, color)
            .resolution(8);
    }
}

fn keys(
    pressed: Res<ButtonInput<KeyCode>>,
    mut overlay: ResMut<AoiOverlay>,
    viewers: Query<Entity, With<AoiViewer>>,
) {
    let AoiOverlay {
        shapes,
        links,
        flashes,
        bands,
        blocks,
        ..
    } = &mut *overlay;
    for (key, switch) in [
        (KeyCode::KeyS, shapes),
        (KeyCode::KeyL, links),
        (KeyCode::KeyF, flashes),
        (KeyCode::KeyB, bands),
        (KeyCode::KeyN, blocks),
    ] {
        *switch ^= pressed.just_pressed(key);
    }
    if pressed.just_pressed(KeyCode::Space) {
        overlay.picked = viewers.iter().next();
        overlay.scope = match overlay.scope {
            AoiOverlayScope::All => AoiOverlayScope::Marked,
            AoiOverlayScope::Marked => AoiOverlayScope::Picked,
            AoiOverlayScope::Picked => AoiOverlayScope::All,
        };
    }
}
