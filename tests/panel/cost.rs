//! What gathering costs. It is printed, not judged:
//!
//! `cargo test --all-features --test panel cost -- --nocapture`

use crate::desk::{Desk, app};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use bevy_egui::EguiPlugin;
use core::time::Duration;

/// Walkers on a square, each viewer and target, with some others in view.
fn crowd(walkers: usize, in_view: f32) -> Desk {
    let mut app = app();
    app.add_plugins((
        AoiPlugin::xz(),
        EguiPlugin::default(),
        AoiPanelPlugin::default(),
    ));
    let mut rng = fastrand::Rng::with_seed(7);
    let side = (walkers as f32 / in_view * core::f32::consts::PI).sqrt() * 10.0;
    let walkers: Vec<_> = (0..walkers)
        .map(|number| {
            let at = Vec3::new(rng.f32(), 0.0, rng.f32()) * side;
            (
                Name::new(format!("Walker {number}")),
                Transform::from_translation(at),
                AoiViewer::new(10.0).with_leave_margin(1.0),
                AoiTarget::default(),
            )
        })
        .collect();
    let walkers: Vec<_> = app.world_mut().spawn_batch(walkers).collect();
    let mut desk = Desk::of(app);
    let mut panel = desk.panel();
    panel.picked = Some(walkers[walkers.len() / 2]);
    panel.other = Some(walkers[0]);
    desk
}

/// Every walker takes a step, the even ones there and the odd ones back.
fn walk(desk: &mut Desk, frame: usize) {
    let (x, z) = (frame as f32 * 0.1).sin_cos();
    let world = desk.app.world_mut();
    let mut walkers = world.query_filtered::<&mut Transform, With<AoiViewer>>();
    for (number, mut at) in walkers.iter_mut(world).enumerate() {
        let step = if number % 2 == 0 { 0.3 } else { -0.3 };
        at.translation += Vec3::new(x, 0.0, z) * step;
    }
}

fn print(what: &str, desk: &mut Desk, frames: usize, walking: bool) {
    let mut line = format!("{what:>40}:");
    for tab in [
        AoiTab::Overview,
        AoiTab::Entity,
        AoiTab::Log,
        AoiTab::Tune,
        AoiTab::Lists,
    ] {
        desk.panel().tab = tab;
        let mut times = Vec::new();
        for frame in 0..frames {
            if walking {
                walk(desk, frame);
            }
            desk.frame(Vec::new());
            times.push(desk.panel().gathering);
        }
        let mean = times.iter().sum::<Duration>() / times.len() as u32;
        let most = times.iter().max().unwrap();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        line += &format!(" {tab:?} {:.3} ({:.3})", ms(mean), ms(*most));
    }
    println!("{line}  ms per frame: mean (most)");
}

#[test]
fn cost_of_gathering() {
    let mut desk = crowd(10_000, 30.0);
    print("10 000 walkers", &mut desk, 40, true);
    let picked = desk.panel().picked.unwrap();
    let world = desk.app.world_mut();
    world.get_mut::<AoiViewer>(picked).unwrap().radius = f32::INFINITY;
    print("and the picked one sees all of them", &mut desk, 40, true);
}

#[test]
fn a_million_walkers() {
    let mut desk = crowd(1_000_000, 2.0);
    print("1 000 000 that stand still", &mut desk, 4, false);
    desk.show(AoiTab::Overview);
    desk.must_read("1 000 000");
}
