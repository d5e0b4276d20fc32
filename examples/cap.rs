//! A cap: a crowd of a thousand on one square, and each of them has only the ten nearest in view,
//! besides its friend, who is pinned, and the town crier, who is always in view.
//!
//! ```text
//! cargo run --release --example cap
//! ```

use bevy::prelude::*;
use bevy_aoi::prelude::*;

const PEOPLE: usize = 1000;
const NEAREST: u32 = 10;

fn main() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiPlugin::xz()))
        .add_systems(Startup, spawn)
        .add_systems(Update, walk)
        .add_systems(PostUpdate, tell.after(AoiSystems::Emit));
    (0..100).for_each(|_| app.update());
}

#[derive(Component)]
struct Walker {
    heading: f32,
}

fn spawn(mut commands: Commands) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut place = move || Vec3::new(random.f32() * 40.0, 0.0, random.f32() * 40.0);
    // Without the margin those at the border would change places all the time.
    let viewer = AoiViewer::new(100.0)
        .with_max_targets(NEAREST)
        .with_leave_margin(1.0);
    commands.spawn((
        Transform::from_translation(place()),
        AoiTarget::default(),
        AlwaysInView,
    ));
    let mut friend = None;
    for number in 0..PEOPLE {
        let walker = Walker {
            heading: number as f32,
        };
        let transform = Transform::from_translation(place());
        let mut person = commands.spawn((walker, transform, viewer, AoiTarget::default()));
        if let Some(friend) = friend {
            person.insert(AoiPins::from_iter([friend]));
        }
        friend = Some(person.id());
    }
}

fn walk(mut walkers: Query<(&mut Walker, &mut Transform)>) {
    for (mut walker, mut transform) in &mut walkers {
        walker.heading += 0.02;
        let (z, x) = walker.heading.sin_cos();
        transform.translation += 0.05 * Vec3::new(x, 0.0, z);
    }
}

fn tell(
    mut left: MessageReader<LeaveView>,
    mut entered: MessageReader<EnterView>,
    views: Query<&InView>,
    mut updates: Local<u32>,
) {
    let evicted = left
        .read()
        .filter(|left| left.reason == LeaveReason::Evicted)
        .count();
    let entered = entered.read().count();
    let most = views.iter().map(InView::len).max().unwrap_or(0);
    if updates.is_multiple_of(20) {
        println!(
            "update {}: {entered} came into view, {evicted} lost their place, \
             nobody sees more than {most} of {PEOPLE}",
            *updates
        );
    }
    *updates += 1;
}
