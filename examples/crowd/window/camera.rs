//! The camera: drag to move it, turn the wheel to come nearer, follow the picked one.

use crate::ground::Ground;
use bevy::{
    input::mouse::{AccumulatedMouseScroll, MouseScrollUnit},
    prelude::*,
    transform::TransformSystems,
};
use bevy_aoi::prelude::*;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui, input::EguiWantsInput};

/// How far the pointer goes, in logical pixels, before a click is a drag: as far as a click that
/// picks somebody may go.
const STEADY: f32 = 4.0;

/// Where the camera looks.
#[derive(Resource, Debug)]
pub struct View {
    /// Whether it goes along with the picked one.
    pub follows: bool,
    /// What is in the middle of the part of the window that is free.
    pub center: Vec2,
    /// Units of the ground in a logical pixel; none: still to be chosen.
    pub scale: Option<f32>,
    /// How many view circles to show from top to bottom at first.
    circles: f32,
    /// The part of the window beside the panel and above the bar, in logical pixels.
    pub free: Rect,
    /// Where the pointer was when a drag began or went on; and whether it is one by now.
    drag: Option<(Vec2, bool)>,
}

/// The camera shows so many view circles at first, from top to bottom.
pub fn plugin(circles: f32) -> impl Fn(&mut App) + Send + Sync + 'static {
    move |app| {
        app.insert_resource(View {
            follows: true,
            center: Vec2::ZERO,
            scale: None,
            circles,
            free: Rect::default(),
            drag: None,
        })
        .add_systems(Startup, spawn)
        .add_systems(Update, (drag, zoom))
        .add_systems(EguiPrimaryContextPass, find_free_part)
        .add_systems(PostUpdate, place.before(TransformSystems::Propagate));
    }
}

fn spawn(mut commands: Commands) {
    let projection = OrthographicProjection {
        near: -1e6,
        far: 1e6,
        ..OrthographicProjection::default_2d()
    };
    // Software renderers are twice as fast without anti-aliasing.
    commands.spawn((Camera2d, Msaa::Off, Projection::Orthographic(projection)));
}

impl View {
    /// Shows the whole ground.
    pub fn whole(&mut self, ground: Rect) {
        let size = ground.size() / self.free.size().max(Vec2::ONE);
        self.scale = Some(size.max_element().max(1e-3) * 1.05);
        self.center = ground.center();
        self.follows = false;
    }

    /// Where on the ground a point of the window is, given in logical pixels.
    pub fn at(&self, point: Vec2) -> Vec2 {
        let from_middle = (point - self.free.center()) * Vec2::new(1.0, -1.0);
        self.center + from_middle * self.scale.unwrap_or(1.0)
    }

    /// Where in the window a point of the ground is, in logical pixels.
    pub fn of(&self, ground: Vec2) -> Vec2 {
        let from_middle = (ground - self.center) / self.scale.unwrap_or(1.0);
        self.free.center() + from_middle * Vec2::new(1.0, -1.0)
    }
}

fn drag(
    buttons: Res<ButtonInput<MouseButton>>,
    wants: Res<EguiWantsInput>,
    window: Single<&Window>,
    mut view: ResMut<View>,
) {
    const BUTTONS: [MouseButton; 3] = [MouseButton::Left, MouseButton::Middle, MouseButton::Right];
    let Some(cursor) = window.cursor_position() else {
        return;
    };
    if buttons.any_just_pressed(BUTTONS) && !wants.wants_any_pointer_input() {
        view.drag = Some((cursor, false));
    }
    if !buttons.any_pressed(BUTTONS) {
        view.drag = None;
    }
    if let Some((from, is_drag)) = view.drag
        && (is_drag || from.distance(cursor) > STEADY)
    {
        let way = view.at(from) - view.at(cursor);
        view.center += way;
        view.follows = false;
        view.drag = Some((cursor, true));
    }
}

fn zoom(
    scroll: Res<AccumulatedMouseScroll>,
    wants: Res<EguiWantsInput>,
    window: Single<&Window>,
    ground: Res<Ground>,
    mut view: ResMut<View>,
) {
    let lines = match scroll.unit {
        MouseScrollUnit::Line => scroll.delta.y,
        MouseScrollUnit::Pixel => scroll.delta.y / 40.0,
    };
    let (Some(cursor), Some(scale)) = (window.cursor_position(), view.scale) else {
        return;
    };
    if lines == 0.0 || wants.wants_any_pointer_input() {
        return;
    }
    // What is under the pointer stays there, or the picked one in the middle.
    let before = view.at(cursor);
    let widest = ground.0.size().max_element().max(1.0) / 100.0;
    let wanted = scale * 0.85_f32.powf(lines.clamp(-10.0, 10.0));
    view.scale = Some(wanted.clamp(widest * 1e-4, widest));
    if !view.follows {
        let moved = before - view.at(cursor);
        view.center += moved;
    }
}

/// Looks where the panel is: the plugin's own window, wherever it was put.
fn find_free_part(
    mut contexts: EguiContexts,
    panel: Res<AoiPanel>,
    bar: Res<super::bar::Bar>,
    mut view: ResMut<View>,
) -> Result {
    let context = contexts.ctx_mut()?;
    let mut free = context.content_rect();
    let window = context.memory(|memory| memory.area_rect(egui::Id::new("bevy_aoi")));
    if let Some(window) = window.filter(|_| panel.open) {
        let middle = free.center().x;
        if window.left() < middle && window.right() < free.right() - 200.0 {
            free.min.x = window.right();
        } else if window.left() > middle {
            free.max.x = window.left();
        }
    }
    free.max.y -= bar.height;
    view.free = Rect::new(free.min.x, free.min.y, free.max.x, free.max.y);
    Ok(())
}

fn place(
    panel: Res<AoiPanel>,
    ground: Res<Ground>,
    transforms: Query<(&Transform, Option<&AoiViewer>), Without<Camera>>,
    window: Single<&Window>,
    begin: Option<Res<super::Begin>>,
    camera: Single<(&mut Transform, &mut Projection), With<Camera>>,
    mut view: ResMut<View>,
) {
    let picked = panel.picked.and_then(|entity| transforms.get(entity).ok());
    // Somebody is picked in the first update, if there is anybody.
    if view.scale.is_none() && view.free.height() > 1.0 && begin.is_none() {
        let (circles, height) = (view.circles, view.free.height());
        match picked {
            Some((_, Some(viewer))) if viewer.radius > 0.0 => {
                view.scale = Some(circles * 2.0 * viewer.radius / height);
            }
            _ => view.scale = Some(ground.0.height().max(1.0) / height),
        }
        if view
            .scale
            .is_some_and(|scale| scale * height > ground.0.height())
        {
            view.whole(ground.0);
        }
    }
    if let Some((transform, _)) = picked.filter(|_| view.follows) {
        view.center = transform.translation.truncate();
    }
    let scale = view.scale.unwrap_or(1.0);
    let (mut transform, mut projection) = camera.into_inner();
    if let Projection::Orthographic(projection) = &mut *projection {
        projection.scale = scale;
    }
    let size = Vec2::new(window.width(), window.height());
    let aside = (size / 2.0 - view.free.center()) * Vec2::new(1.0, -1.0);
    transform.translation = (view.center + aside * scale).extend(0.0);
}
