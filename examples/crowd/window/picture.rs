//! Saves a picture of the window and ends; or ends after so many updates.

use bevy::{
    app::AppExit,
    prelude::*,
    render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk},
};
use bevy_aoi::prelude::*;
use std::path::PathBuf;

/// So many updates until averages are averages of something.
const UPDATES: u64 = 60;

/// Saves a picture after so many updates, if there is a path, and ends; without both it goes on.
pub fn plugin(path: Option<PathBuf>, frames: Option<u64>) -> impl Fn(&mut App) + Send + Sync {
    let frames = frames.or(path.as_ref().map(|_| UPDATES)).unwrap_or(0);
    move |app| {
        if frames > 0 {
            app.insert_resource(End {
                path: path.clone(),
                frames,
            })
            .add_systems(Last, end.run_if(resource_exists::<End>));
        }
    }
}

#[derive(Resource)]
struct End {
    path: Option<PathBuf>,
    frames: u64,
}

fn end(
    mut commands: Commands,
    end: Res<End>,
    stats: Res<AoiStats>,
    mut exit: MessageWriter<AppExit>,
) {
    if stats.updates < end.frames {
        return;
    }
    match &end.path {
        None => _ = exit.write(AppExit::Success),
        Some(path) => {
            commands
                .spawn(Screenshot::primary_window())
                .observe(save_and_leave(path.clone()));
        }
    }
    commands.remove_resource::<End>();
}

/// Ends with an error if there is no picture then.
fn save_and_leave(path: PathBuf) -> impl FnMut(On<ScreenshotCaptured>, MessageWriter<AppExit>) {
    let mut save = save_to_disk(path.clone());
    move |captured, mut exit| {
        save(captured);
        exit.write(match path.exists() {
            true => AppExit::Success,
            false => AppExit::error(),
        });
    }
}
