//! The gizmo overlay without a window: what is drawn is read from the gizmo asset of its group, as a
//! renderer does.

#[path = "../support/log_lines.rs"]
mod log_lines;

mod pairs;
mod shapes;
mod structure;
mod survival;

use bevy::{
    asset::AssetPlugin,
    gizmos::{GizmoHandles, GizmoPlugin},
    mesh::MeshPlugin,
    prelude::*,
    time::TimeUpdateStrategy,
};
use bevy_aoi::prelude::*;
use core::{any::TypeId, time::Duration};

/// An app that draws, with a clock that goes a tenth of a second per frame.
struct Screen {
    app: App,
}

/// A frame, as lines.
#[derive(Debug, Default)]
struct Drawn {
    /// Single lines with their colours.
    lines: Vec<(Vec3, Vec3, Color)>,
    /// Lines of several points: circles and frames.
    strips: Vec<(Vec<Vec3>, Color)>,
}

/// A strip that is a circle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Circle {
    center: Vec3,
    radius: f32,
    normal: Vec3,
    color: Color,
}

impl Screen {
    fn new<P: AoiPosition>(plugin: AoiPlugin<P>) -> Self {
        let mut app = bare();
        app.add_plugins((plugin, AoiOverlayPlugin));
        Self { app }
    }

    fn spawn(&mut self, bundle: impl Bundle) -> Entity {
        self.app.world_mut().spawn(bundle).id()
    }

    fn overlay(&mut self) -> Mut<'_, AoiOverlay> {
        self.app.world_mut().resource_mut()
    }

    /// Shows one entity.
    fn pick(&mut self, entity: Entity) {
        let mut overlay = self.overlay();
        overlay.scope = AoiOverlayScope::Picked;
        overlay.picked = Some(entity);
    }

    /// Draws nothing but what `choose` switches on.
    fn only(&mut self, choose: impl FnOnce(&mut AoiOverlay)) {
        let mut overlay = self.overlay();
        overlay.shapes = false;
        overlay.links = false;
        overlay.flashes = false;
        choose(&mut overlay);
    }

    fn colors(&self) -> AoiGizmos {
        let store = self.app.world().resource::<GizmoConfigStore>();
        store.config::<AoiGizmos>().1.clone()
    }

    /// Runs a frame and reads what it drew.
    fn frame(&mut self) -> Drawn {
        self.app.update();
        let world = self.app.world();
        let handles = world.resource::<GizmoHandles>().handles();
        let handle = handles.get(&TypeId::of::<AoiGizmos>());
        let Some(Some(handle)) = handle else {
            return Drawn::default();
        };
        let assets = world.resource::<Assets<GizmoAsset>>();
        let buffer = assets.get(handle).expect("the handle is held").buffer();
        assert_eq!(buffer.list_positions.len(), buffer.list_colors.len());
        assert_eq!(buffer.strip_positions.len(), buffer.strip_colors.len());
        let mut drawn = Drawn::default();
        let ends = buffer.list_positions.chunks(2);
        for (ends, colors) in ends.zip(buffer.list_colors.chunks(2)) {
            drawn.lines.push((ends[0], ends[1], colors[0].into()));
        }
        let mut strip = Vec::new();
        let mut color = Color::NONE;
        for (&at, &its) in buffer.strip_positions.iter().zip(&buffer.strip_colors) {
            if at.is_nan() {
                drawn.strips.push((core::mem::take(&mut strip), color));
            } else {
                strip.push(at);
                color = its.into();
            }
        }
        drawn
    }
}

/// What an app needs to draw gizmos that nobody sees.
fn bare() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AssetPlugin::default()));
    app.add_plugins((MeshPlugin, GizmoPlugin));
    let step = TimeUpdateStrategy::ManualDuration(Duration::from_millis(100));
    app.insert_resource(step);
    app
}

impl Drawn {
    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.strips.is_empty()
    }

    /// The strips that are circles.
    fn circles(&self) -> Vec<Circle> {
        let circle = |(points, color): &(Vec<Vec3>, Color)| {
            if points.len() < 16 {
                return None;
            }
            let (a, b) = (points[0], points[points.len() / 4]);
            let center = a.midpoint(points[points.len() / 2]);
            let radius = a.distance(center);
            for point in points {
                let off = (point.distance(center) - radius).abs();
                assert!(off <= radius * 1e-4, "{point} is not on the circle");
            }
            Some(Circle {
                center,
                radius,
                normal: (a - center).cross(b - center).normalize().abs(),
                color: *color,
            })
        };
        self.strips.iter().filter_map(circle).collect()
    }

    /// The least and the greatest corner of each strip that is no circle.
    fn frames(&self) -> Vec<(Vec3, Vec3, Color)> {
        let frames = self.strips.iter().filter(|strip| strip.0.len() < 16);
        let bounds = |(points, color): &(Vec<Vec3>, Color)| {
            let min = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
            let max = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
            (min, max, *color)
        };
        frames.map(bounds).collect()
    }

    /// The lines between two points, whichever way.
    fn between(&self, a: Vec3, b: Vec3) -> Vec<Color> {
        let same = |line: &&(Vec3, Vec3, Color)| {
            (line.0 == a && line.1 == b) || (line.0 == b && line.1 == a)
        };
        self.lines.iter().filter(same).map(|line| line.2).collect()
    }
}

/// Whether two colours are one but for rounding.
fn alike(a: Color, b: Color) -> bool {
    let (a, b) = (a.to_linear(), b.to_linear());
    let off = (a.to_vec3() - b.to_vec3()).abs().max_element();
    off < 1e-4 && (a.alpha - b.alpha).abs() < 1e-4
}

fn place(at: Vec3) -> Transform {
    Transform::from_translation(at)
}
