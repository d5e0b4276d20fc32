//! The crowd in a window, with the debug panel and the overlay of the crate.
//!
//! The walkers carry no component for drawing: [`marks`] makes one mesh of all that are in the
//! picture, so that what a frame takes is shown beside what the area of interest takes of it.

mod bar;
mod camera;
mod live;
mod marks;
mod picture;

use crate::{Args, ground::Pace};
use bevy::{prelude::*, render::RenderPlugin, window::WindowResolution};
use bevy_aoi::prelude::*;
use bevy_egui::EguiPlugin;
use std::{env, path::PathBuf, process::ExitCode};

/// Arguments that only a window has.
#[derive(clap::Args)]
pub struct WindowArgs {
    /// Save a picture of the window as PNG once all is drawn, after --frames updates (60 unless
    /// given), and end
    #[arg(long, value_name = "PATH")]
    screenshot: Option<PathBuf>,

    /// Begin with the one picked that is the N-th nearest to the middle, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pick: usize,

    /// Ask why the picked one does not see the one that is the N-th nearest to it
    #[arg(long, value_name = "N")]
    why_not: Option<usize>,

    /// The tab of the panel to begin with: overview, entity, log, tune or lists
    #[arg(long, value_name = "TAB", default_value = "overview", value_parser = tab)]
    tab: AoiTab,

    /// Begin with the crowd standing still
    #[arg(long)]
    paused: bool,

    /// How much of the ground is in the picture, in view circles from top to bottom
    #[arg(long, value_name = "CIRCLES", default_value_t = 3.5)]
    circles: f32,
}

fn tab(name: &str) -> Result<AoiTab, String> {
    Ok(match name {
        "overview" => AoiTab::Overview,
        "entity" => AoiTab::Entity,
        "log" => AoiTab::Log,
        "tune" => AoiTab::Tune,
        "lists" => AoiTab::Lists,
        _ => return Err("one of overview, entity, log, tune, lists".to_owned()),
    })
}

/// Why no window can be opened, if that is known beforehand.
pub fn missing_display() -> Option<String> {
    if cfg!(not(target_os = "linux")) {
        return None;
    }
    let Some(display) = env::var_os("DISPLAY").filter(|name| !name.is_empty()) else {
        return Some("DISPLAY is not set".to_owned());
    };
    // A local one is a socket, that of another machine has a host before the colon.
    let display = display.to_string_lossy();
    let number = display.strip_prefix(':')?.split('.').next()?;
    let socket = PathBuf::from(format!("/tmp/.X11-unix/X{number}"));
    (!socket.exists()).then(|| format!("there is no display {display}"))
}

/// How the crowd goes on.
#[derive(Resource, Debug)]
struct Going {
    paused: bool,
    /// One update although it is paused.
    step: bool,
    /// 1 is real time.
    speed: f32,
}

/// Opens the window, and ends when it is closed.
pub fn run(app: &mut App, args: &Args) -> ExitCode {
    add_window(app, args);
    match crate::populate(app, args) {
        Ok(title) => println!("{title}"),
        Err(error) => return crate::refused(&error),
    }
    show(app, args);
    match app.run() {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(code) => ExitCode::from(code.get()),
    }
}

fn add_window(app: &mut App, args: &Args) {
    let window = Window {
        title: "bevy_aoi: crowd".to_owned(),
        resolution: WindowResolution::new(1280, 720),
        ..default()
    };
    let plugins = DefaultPlugins
        .set(WindowPlugin {
            primary_window: Some(window),
            ..default()
        })
        .set(RenderPlugin {
            // Nothing pops up later, on a picture least of all.
            synchronous_pipeline_compilation: true,
            ..default()
        });
    app.add_plugins(plugins)
        .add_plugins(EguiPlugin::default())
        .insert_resource(ClearColor(Color::srgb_u8(16, 18, 22)))
        .insert_resource(Going {
            paused: args.window.paused,
            // The first update of a recording brings its people.
            step: true,
            speed: 1.0,
        })
        .add_systems(PreUpdate, set_pace);
}

/// What shows the crowd.
fn show(app: &mut App, args: &Args) {
    // These two are all that a game needs.
    app.add_plugins((AoiPanelPlugin::default(), AoiOverlayPlugin));

    let mut panel = app.world_mut().resource_mut::<AoiPanel>();
    panel.open = true;
    panel.tab = args.window.tab;
    app.insert_resource(AoiOverlay {
        scope: AoiOverlayScope::Picked,
        ..default()
    });
    app.add_plugins((
        bar::plugin,
        camera::plugin(args.window.circles),
        marks::plugin,
        picture::plugin(args.window.screenshot.clone(), args.frames),
    ));
    app.insert_resource(live::Crowds::new(args.recording.clone(), args.walkers()))
        .insert_resource(Begin {
            pick: args.window.pick,
            why_not: args.window.why_not,
        })
        .add_systems(
            PostUpdate,
            begin
                .after(AoiSystems::Emit)
                .run_if(resource_exists::<Begin>),
        )
        .add_systems(Startup, color_links)
        .add_systems(Update, show_the_picked)
        .add_systems(Last, watch_the_picked)
        // Before the camera goes after the one that is picked now.
        .add_systems(First, tell);
}

fn set_pace(time: Res<Time<Real>>, mut going: ResMut<Going>, mut pace: ResMut<Pace>) {
    let way = crate::UPDATES_PER_SECOND * time.delta_secs();
    pace.0 = match *going {
        Going { step: true, .. } => 1.0,
        Going { paused: true, .. } => 0.0,
        // What is late is not made up for: a slow machine shows a slow crowd.
        Going { speed, .. } => way.min(1.0) * speed,
    };
    going.step = false;
}

/// In the colour of those who are in view, and faint: thirty links at once hide what is below them.
fn color_links(mut gizmos: ResMut<GizmoConfigStore>) {
    let (config, colors) = gizmos.config_mut::<AoiGizmos>();
    config.line.width = 1.5;
    colors.link = colors.view.with_alpha(0.4);
}

/// Whom to pick at the beginning.
#[derive(Resource)]
struct Begin {
    pick: usize,
    why_not: Option<usize>,
}

fn begin(
    mut commands: Commands,
    begin: Res<Begin>,
    index: Res<AoiIndex>,
    ground: Res<crate::ground::Ground>,
    mut panel: ResMut<AoiPanel>,
) {
    let nearest = |at: Vec3, nth: usize| index.nearest(AoiSpace(0), at, nth + 1).last().copied();
    panel.picked = nearest(ground.0.center().extend(0.0), begin.pick);
    let place = panel.picked.and_then(|picked| index.position(picked));
    panel.other = place.and_then(|place| nearest(place, begin.why_not?));
    commands.remove_resource::<Begin>();
}

/// The panel tells the overlay whom it has picked only while it is open, and Tab picks at any time.
fn show_the_picked(panel: Res<AoiPanel>, mut overlay: ResMut<AoiOverlay>) {
    overlay.picked = panel.picked;
}

/// Lets the plugin keep who sees the picked one, for the links of the overlay and for the marks.
fn watch_the_picked(
    mut commands: Commands,
    panel: Res<AoiPanel>,
    watched: Query<Entity, With<SeenBy>>,
) {
    for entity in watched
        .iter()
        .filter(|&entity| panel.picked != Some(entity))
    {
        commands.entity(entity).remove::<SeenBy>();
    }
    let picked = panel.picked.filter(|&entity| !watched.contains(entity));
    if let Some(mut picked) = picked.and_then(|entity| commands.get_entity(entity).ok()) {
        picked.try_insert(SeenBy::default());
    }
}

/// A line on the standard output when another one is picked, and when another tab is shown: so that
/// whoever sends clicks from a script can see what became of them.
fn tell(
    panel: Res<AoiPanel>,
    index: Res<AoiIndex>,
    view: Res<camera::View>,
    mut told: Local<(Option<Entity>, Option<AoiTab>)>,
) {
    if view.scale.is_none() {
        return;
    }
    if told.0 != panel.picked {
        told.0 = panel.picked;
        let place = panel.picked.and_then(|entity| index.position(entity));
        match (panel.picked, place) {
            (Some(entity), Some(place)) => {
                let Vec2 { x, y } = view.of(place.truncate());
                println!("picked {entity} at {x:.0} {y:.0}");
            }
            (Some(entity), None) => println!("picked {entity}"),
            (None, _) => println!("picked nobody"),
        }
    }
    if told.1 != Some(panel.tab) {
        told.1 = Some(panel.tab);
        println!("tab {:?}", panel.tab);
    }
}
