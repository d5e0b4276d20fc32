//! A mark for everybody in the picture, all in one mesh.
//!
//! Colours are from the palette of Okabe and Ito, which people of any colour vision can tell apart; the
//! forms differ as well.

use super::camera::View;
use bevy::{
    asset::{AssetEventSystems, RenderAssetUsages},
    camera::visibility::NoFrustumCulling,
    mesh::{Indices, PrimitiveTopology},
    prelude::*,
};
use bevy_aoi::prelude::*;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui};

/// More marks than this are not told apart; of a larger crowd every so many-th is drawn.
const MAX_MARKS: usize = 50_000;

/// What somebody is to the picked one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Other,
    /// It is seen, and does not see.
    Seen,
    /// It sees, and is not seen.
    Seer,
    /// Both.
    Mutual,
    /// The panel is asked why the picked one does not see it.
    Asked,
    Picked,
}

impl Mark {
    pub const ALL: [Self; 6] = [
        Self::Picked,
        Self::Asked,
        Self::Mutual,
        Self::Seen,
        Self::Seer,
        Self::Other,
    ];

    pub fn color(self) -> [u8; 3] {
        match self {
            Self::Other => [0x96, 0x96, 0x96],
            Self::Seen => [0xF0, 0xE4, 0x42],
            Self::Seer => [0xCC, 0x79, 0xA7],
            Self::Mutual => [0x56, 0xB4, 0xE9],
            // Vermilion is what has just left.
            Self::Asked => [0xFF, 0xFF, 0xFF],
            Self::Picked => [0xE6, 0x9F, 0x00],
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Other => "others",
            Self::Seen => "seen by picked",
            Self::Seer => "sees picked",
            Self::Mutual => "see each other",
            Self::Asked => "why not?",
            Self::Picked => "picked",
        }
    }

    /// The corners, in logical pixels, around and in order; y goes up.
    pub fn corners(self) -> &'static [[f32; 2]] {
        match self {
            Self::Other => &[[0.0, 3.0], [-3.0, 0.0], [0.0, -3.0], [3.0, 0.0]],
            Self::Seen => &[[-5.5, 4.5], [0.0, -5.5], [5.5, 4.5]],
            Self::Seer => &[[-5.5, -4.5], [5.5, -4.5], [0.0, 5.5]],
            Self::Mutual => &[[-4.0, 4.0], [-4.0, -4.0], [4.0, -4.0], [4.0, 4.0]],
            Self::Asked => &[[0.0, 8.0], [-8.0, 0.0], [0.0, -8.0], [8.0, 0.0]],
            Self::Picked => &[
                [7.0, 0.0],
                [5.0, 5.0],
                [0.0, 7.0],
                [-5.0, 5.0],
                [-7.0, 0.0],
                [-5.0, -5.0],
                [0.0, -7.0],
                [5.0, -5.0],
            ],
        }
    }
}

/// What was drawn.
#[derive(Resource, Default)]
pub struct Drawn {
    /// How many are in the picture.
    pub there: usize,
    /// One in so many of them has a mark.
    pub one_in: u32,
}

#[derive(Component)]
struct Marks;

pub fn plugin(app: &mut App) {
    app.init_resource::<Drawn>()
        .add_systems(Startup, spawn)
        .add_systems(
            PostUpdate,
            draw.before(AssetEventSystems).after(AoiSystems::Emit),
        )
        .add_systems(EguiPrimaryContextPass, draw_picked);
}

fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    commands.spawn((
        Marks,
        Mesh2d(meshes.add(Shapes::default().into_mesh())),
        MeshMaterial2d(materials.add(ColorMaterial::default())),
        NoFrustumCulling,
    ));
}

fn draw(
    panel: Res<AoiPanel>,
    aoi: Aoi,
    view: Res<View>,
    window: Single<&Window>,
    seen_by: Query<&SeenBy>,
    places: Query<&GlobalTransform>,
    marks: Single<&Mesh2d, With<Marks>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut drawn: ResMut<Drawn>,
) {
    let scale = view.scale.unwrap_or(1.0);
    let size = Vec2::new(window.width(), window.height());
    let (a, b) = (view.at(Vec2::ZERO), view.at(size));
    let (min, max) = (a.min(b), a.max(b));
    let there = || aoi.within_box(AoiSpace(0), min.extend(f32::MIN), max.extend(f32::MAX));
    drawn.there = there().count();
    drawn.one_in = drawn.there.div_ceil(MAX_MARKS).next_power_of_two() as u32;

    let seen = panel.picked.map_or(&[][..], |picked| aoi.in_view(picked));
    let seers = panel.picked.and_then(|picked| seen_by.get(picked).ok());
    let seers = seers.map_or(&[][..], |seers| seers.as_slice());
    let mark = |entity: Entity| {
        let is_seen = seen.binary_search(&entity).is_ok();
        let sees = seers.binary_search(&entity).is_ok();
        match (is_seen, sees) {
            _ if panel.picked == Some(entity) => Mark::Picked,
            _ if panel.other == Some(entity) => Mark::Asked,
            (true, true) => Mark::Mutual,
            (true, false) => Mark::Seen,
            (false, true) => Mark::Seer,
            (false, false) => Mark::Other,
        }
    };
    let mut shapes = Shapes::default();
    for entity in there() {
        let mark = mark(entity);
        // By their number, so that it is the same ones in the next picture.
        if mark == Mark::Other && !entity.index_u32().is_multiple_of(drawn.one_in) {
            continue;
        }
        if let Ok(place) = places.get(entity) {
            shapes.push(mark, place.translation().truncate(), scale);
        }
    }
    if let Some(mut mesh) = meshes.get_mut(&marks.0) {
        *mesh = shapes.into_mesh();
    }
}

/// Gizmos lie above all meshes, and their links all begin at the picked one: its disc is drawn once
/// more, by egui, which lies above both.
fn draw_picked(
    mut contexts: EguiContexts,
    panel: Res<AoiPanel>,
    view: Res<View>,
    places: Query<&GlobalTransform>,
) -> Result {
    let picked = panel.picked.and_then(|picked| places.get(picked).ok());
    if let Some(place) = picked {
        let Vec2 { x, y } = view.of(place.translation().truncate());
        let [red, green, blue] = Mark::Picked.color();
        let painter = contexts
            .ctx_mut()?
            .layer_painter(egui::LayerId::background());
        painter.circle(
            egui::pos2(x, y),
            6.0,
            egui::Color32::from_rgb(red, green, blue),
            (1.0, egui::Color32::BLACK),
        );
    }
    Ok(())
}

/// The marks as triangles.
#[derive(Default)]
struct Shapes {
    positions: Vec<[f32; 3]>,
    colors: Vec<[f32; 4]>,
    indices: Vec<u32>,
}

impl Shapes {
    fn push(&mut self, mark: Mark, at: Vec2, scale: f32) {
        let [red, green, blue] = mark.color();
        let color = Color::srgb_u8(red, green, blue).to_linear().to_f32_array();
        let first = self.positions.len() as u32;
        let corners = mark.corners();
        // Who matters lies on top.
        let height = if mark == Mark::Other { 0.0 } else { 1.0 };
        for [x, y] in corners {
            self.positions
                .push([at.x + x * scale, at.y + y * scale, height]);
            self.colors.push(color);
        }
        for corner in 1..corners.len() as u32 - 1 {
            self.indices
                .extend([first, first + corner, first + corner + 1]);
        }
    }

    fn into_mesh(mut self) -> Mesh {
        if self.positions.is_empty() {
            // A mesh without any triangle is not drawn but complained about.
            self.positions = vec![[0.0; 3]; 3];
            self.colors = vec![[0.0; 4]; 3];
            self.indices = vec![0, 1, 2];
        }
        Mesh::new(
            PrimitiveTopology::TriangleList,
            RenderAssetUsages::RENDER_WORLD,
        )
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, self.colors)
        .with_inserted_indices(Indices::U32(self.indices))
    }
}
