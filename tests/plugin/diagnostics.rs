//! The figures of [`AoiStats`] as Bevy's diagnostics, and the spans that a profiler shows.

use std::sync::{Arc, Mutex};

use crate::log_lines::{stay_on_this_thread, warnings};
use crate::world::{Game, Setup};
use bevy::{
    diagnostic::{DiagnosticPath, DiagnosticsPlugin, DiagnosticsStore, LogDiagnosticsPlugin},
    prelude::*,
};
use bevy_aoi::prelude::*;
use tracing::{Subscriber, span, subscriber};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry::{LookupSpan, Registry},
};

type Diagnostics = AoiDiagnosticsPlugin;

fn values(app: &App, path: &DiagnosticPath) -> Vec<f64> {
    let store = app.world().resource::<DiagnosticsStore>();
    let diagnostic = store.get(path).expect("it is registered");
    diagnostic.values().copied().collect()
}

#[test]
fn the_figures_of_each_update_are_measured() {
    // Given: diagnostics added before the plugin, or after it.
    for before in [true, false] {
        for setup in Setup::ALL {
            let mut app = App::new();
            app.add_plugins(MinimalPlugins);
            if before {
                app.add_plugins(AoiDiagnosticsPlugin);
            }
            app.add_plugins(AoiPlugin::xz().in_schedule(setup.schedule()));
            if !before {
                app.add_plugins(AoiDiagnosticsPlugin);
            }
            let mut game = Game::watch(app, setup.schedule());
            game.viewer(0.0, 0.0, 10.0);
            game.viewer(0.0, 0.0, 10.0);
            let target = game.target(5.0, 0.0);
            game.target(500.0, 0.0);
            game.target(f32::NAN, 0.0);

            // When: one comes into view, nothing happens, it goes.
            game.tick();
            game.tick();
            game.move_to(target, 50.0, 0.0);
            game.tick();

            // Then: each update is one measurement.
            let app = &game.app;
            let expect = |path, expected: [f64; 3]| {
                assert_eq!(
                    values(app, &path),
                    expected,
                    "{path} in {setup:?}, {before}"
                );
            };
            expect(Diagnostics::VIEWERS, [2.0; 3]);
            expect(Diagnostics::TARGETS, [2.0; 3]);
            expect(Diagnostics::PAIRS_IN_VIEW, [2.0, 2.0, 0.0]);
            expect(Diagnostics::MOVED, [0.0, 0.0, 1.0]);
            expect(Diagnostics::ENTERED, [2.0, 0.0, 0.0]);
            expect(Diagnostics::LEFT, [0.0, 0.0, 2.0]);
            expect(Diagnostics::INVALID_POSITIONS, [1.0; 3]);
            assert_eq!(
                values(app, &Diagnostics::PAIRS_TESTED)[2],
                game.stats().pairs_tested as f64
            );
            for time in [Diagnostics::SYNC, Diagnostics::DETECT, Diagnostics::EMIT] {
                assert_eq!(values(app, &time).len(), 3, "{time}");
                assert!(values(app, &time).iter().all(|time| *time >= 0.0));
            }
        }
    }
}

#[test]
fn a_frame_of_several_updates_is_several_measurements() {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        AoiPlugin::xz().in_schedule(FixedPostUpdate),
        AoiDiagnosticsPlugin,
    ));
    let mut game = Game::watch(app, FixedPostUpdate);
    game.viewer(0.0, 0.0, 10.0);
    game.target(5.0, 0.0);
    game.timesteps(3);
    let app = &game.app;
    assert_eq!(values(app, &Diagnostics::ENTERED), [1.0, 0.0, 0.0]);
    game.timesteps(0);
    let app = &game.app;
    assert_eq!(
        values(app, &Diagnostics::ENTERED).len(),
        3,
        "no update, no measurement"
    );
}

#[test]
fn a_diagnostic_that_is_switched_off_is_not_measured() {
    let mut game = Game::xz();
    game.app.add_plugins(AoiDiagnosticsPlugin);
    let mut store = game.world().resource_mut::<DiagnosticsStore>();
    store.get_mut(&Diagnostics::MOVED).unwrap().is_enabled = false;
    game.tick();
    assert_eq!(values(&game.app, &Diagnostics::MOVED), [0.0; 0]);
    assert_eq!(values(&game.app, &Diagnostics::ENTERED), [0.0]);
}

#[test]
fn without_the_plugin_it_says_what_to_add() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AoiDiagnosticsPlugin));
    stay_on_this_thread(&mut app);
    let lines = warnings(|| {
        app.update();
        app.update();
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("add AoiPlugin::xy()"), "{lines:?}");
}

#[test]
fn it_lives_beside_bevys_own_plugins_in_any_order() {
    for late in [true, false] {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AoiDiagnosticsPlugin));
        if late {
            app.add_plugins(AoiPlugin::xy());
        }
        app.add_plugins((DiagnosticsPlugin, LogDiagnosticsPlugin::default()));
        if !late {
            app.add_plugins(AoiPlugin::xy());
        }
        stay_on_this_thread(&mut app);
        let lines = warnings(|| app.update());
        assert_eq!(lines, [""; 0]);
        assert_eq!(values(&app, &Diagnostics::VIEWERS), [0.0]);
    }
}

/// A layer that keeps the names of the spans of this crate, as they are entered.
struct Spans(Arc<Mutex<Vec<&'static str>>>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_enter(&self, id: &span::Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && span.metadata().target().starts_with("bevy_aoi")
        {
            self.0.lock().unwrap().push(span.name());
        }
    }
}

#[test]
fn each_set_has_a_span_that_a_profiler_shows() {
    let mut game = Game::xz();
    stay_on_this_thread(&mut game.app);
    let entered = Arc::default();
    // As in `warnings`: a second subscriber, so that each thread is asked for itself.
    warnings(|| {
        let spans = Registry::default().with(Spans(Arc::clone(&entered)));
        subscriber::with_default(spans, || game.tick());
    });
    assert_eq!(
        *entered.lock().unwrap(),
        ["aoi_sync", "aoi_detect", "aoi_emit"]
    );
}
