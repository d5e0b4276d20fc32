//! A game server without a window: 30 ticks per second, players who ride about, chat that is heard
//! by those who have the speaker in view, a wolf that wakes up when somebody comes near.
//!
//! ```text
//! cargo run --example headless -- --seconds 10
//! ```
//!
//! The plugin runs in `FixedPostUpdate`, once per tick, after the game has moved everybody in
//! `FixedUpdate`. The systems that read what it told run behind it in the same tick.

use bevy::{app::ScheduleRunnerPlugin, prelude::*, time::common_conditions::on_timer};
use bevy_aoi::prelude::*;
use clap::Parser;
use std::{f32::consts::TAU, time::Duration};

const TICKS_PER_SECOND: f64 = 30.0;

/// The layers of this game: who is seen as what.
mod layer {
    pub const PLAYER: u32 = 1 << 0;
    pub const MONSTER: u32 = 1 << 1;
}

/// A game server without a window: movement, chat and a wolf, by area of interest.
#[derive(Parser, Resource)]
struct Args {
    /// How long the server runs
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    #[arg(allow_negative_numbers = true)]
    seconds: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|error| error.to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn main() -> AppExit {
    let tick = Duration::from_secs_f64(1.0 / TICKS_PER_SECOND);
    App::new()
        .add_plugins((
            MinimalPlugins.set(ScheduleRunnerPlugin::run_loop(tick)),
            AoiPlugin::xz().in_schedule(FixedPostUpdate),
        ))
        .insert_resource(Time::<Fixed>::from_hz(TICKS_PER_SECOND))
        .insert_resource(Args::parse())
        .add_message::<Say>()
        .add_systems(Startup, populate)
        .add_systems(FixedUpdate, (ride, chase, close).chain())
        .add_systems(FixedUpdate, talk.run_if(on_timer(Duration::from_secs(1))))
        .add_systems(
            FixedPostUpdate,
            (tell_clients, wake, hear).chain().after(AoiSystems::Emit),
        )
        .run()
}

/// Somebody with a client: it shows what is in view and what is heard.
#[derive(Component)]
struct Player;

/// Rides in circles.
#[derive(Component)]
struct Ride {
    center: Vec3,
    radius: f32,
    /// Rounds per second.
    pace: f32,
}

/// Sleeps until a player comes into view, then runs after it.
#[derive(Component, Default)]
struct Wolf {
    prey: Option<Entity>,
}

/// Said by a player, heard by all who have it in view.
#[derive(Message)]
struct Say {
    speaker: Entity,
    words: &'static str,
}

fn populate(mut commands: Commands) {
    let players = [
        ("Ada", -10.0, 0.2),
        ("Ben", 15.0, -0.3),
        ("Cleo", 40.0, 0.25),
    ];
    for (name, x, pace) in players {
        commands.spawn((
            Name::new(name),
            Player,
            Ride {
                center: Vec3::new(x, 0.0, 0.0),
                radius: 20.0,
                pace,
            },
            Transform::default(),
            AoiViewer::new(30.0).with_leave_margin(3.0),
            AoiTarget::default().with_layers(layer::PLAYER),
            // Asked for, because `hear` starts from the one who is seen.
            SeenBy::default(),
        ));
    }
    commands.spawn((
        Name::new("wolf"),
        Wolf::default(),
        Transform::from_xyz(50.0, 0.0, 30.0),
        AoiViewer::new(20.0).with_sees(layer::PLAYER),
        AoiTarget::default().with_layers(layer::MONSTER),
    ));
}

fn ride(time: Res<Time>, mut riders: Query<(&mut Transform, &Ride)>) {
    for (mut transform, ride) in &mut riders {
        let angle = TAU * ride.pace * time.elapsed_secs();
        let around = Vec3::new(angle.cos(), 0.0, angle.sin());
        transform.translation = ride.center + ride.radius * around;
    }
}

/// Everybody says something, and does not know who is near.
fn talk(players: Query<Entity, With<Player>>, mut say: MessageWriter<Say>) {
    say.write_batch(players.iter().map(|speaker| Say {
        speaker,
        words: "anyone here?",
    }));
}

/// What a client must know to draw the scene: whom to show, and whom to take away.
fn tell_clients(
    mut entered: MessageReader<EnterView>,
    mut left: MessageReader<LeaveView>,
    clients: Query<&Name, With<Player>>,
    names: Query<&Name>,
) {
    // Leaves first, as the plugin orders them. Whoever left may not exist any more.
    for LeaveView { viewer, target, .. } in left.read() {
        if let Ok(client) = clients.get(*viewer) {
            println!("to {client}: take away {target}");
        }
    }
    for EnterView { viewer, target } in entered.read() {
        if let (Ok(client), Ok(name)) = (clients.get(*viewer), names.get(*target)) {
            println!("to {client}: show {target}, {name}");
        }
    }
}

/// Only a wolf whose view changed has to think.
fn wake(mut wolves: Query<(&Name, &InView, &mut Wolf), Changed<InView>>) {
    for (name, in_view, mut wolf) in &mut wolves {
        let prey = in_view.iter().next();
        match (wolf.prey, prey) {
            (None, Some(_)) => println!("{name} wakes up"),
            (Some(_), None) => println!("{name} falls asleep"),
            _ => {}
        }
        wolf.prey = prey;
    }
}

fn chase(
    time: Res<Time>,
    mut wolves: Query<(&mut Transform, &Wolf)>,
    others: Query<&Transform, Without<Wolf>>,
) {
    for (mut transform, wolf) in &mut wolves {
        if let Some(prey) = wolf.prey.and_then(|prey| others.get(prey).ok()) {
            let step = 10.0 * time.delta_secs();
            transform.translation = transform.translation.move_towards(prey.translation, step);
        }
    }
}

fn hear(
    mut said: MessageReader<Say>,
    speakers: Query<(&Name, &SeenBy)>,
    clients: Query<&Name, With<Player>>,
) {
    for Say { speaker, words } in said.read() {
        // Who spoke may be gone by now.
        let Ok((speaker, seen_by)) = speakers.get(*speaker) else {
            continue;
        };
        // The wolf may have the speaker in view too, but it has no client.
        for listener in clients.iter_many(seen_by) {
            println!("to {listener}: {speaker} says \"{words}\"");
        }
    }
}

fn close(time: Res<Time>, args: Res<Args>, mut exit: MessageWriter<AppExit>) {
    if time.elapsed() >= args.seconds {
        exit.write(AppExit::Success);
    }
}
