//! [`AoiOverlayPlugin`]: the area of interest drawn into the world, with Bevy's gizmos.

mod draw;
mod flashes;
mod outlines;

use bevy::{gizmos::GizmoPlugin, prelude::*, transform::TransformSystems};
use core::time::Duration;

use crate::AoiSystems;

/// Draws who sees how far and whom, with gizmos: for finding out why somebody is not in view, not
/// for players.
///
/// What is drawn is said by the resource [`AoiOverlay`], how by the gizmo group [`AoiGizmos`]. It
/// needs Bevy's `GizmoPlugin`, which is among the `DefaultPlugins`; without it, or without
/// [`AoiPlugin`](crate::AoiPlugin), one line in the log says so and nothing is drawn.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// let mut app = App::new();
/// # app.add_plugins(MinimalPlugins);
/// // Beside your DefaultPlugins:
/// app.add_plugins((AoiPlugin::xz(), AoiOverlayPlugin));
///
/// // Only what belongs to some entities, and the structure below them.
/// app.insert_resource(AoiOverlay {
///     scope: AoiOverlayScope::Marked,
///     blocks: true,
///     ..default()
/// });
/// app.world_mut().spawn((Transform::default(), AoiViewer::new(20.0), ShowAoi));
/// ```
///
/// It draws in [`PostUpdate`], after [`AoiSystems::Emit`] and [`TransformSystems::Propagate`]. On
/// [`AoiPlane::Xy`](crate::AoiPlane::Xy) and [`Xz`](crate::AoiPlane::Xz) everything lies flat, at the
/// height of its viewer; in space a round view is a sphere of three circles. Places on the plane
/// are those of the last update, so with a plugin in a fixed schedule they stand still between
/// two timesteps.
///
/// The cost follows [`AoiOverlay::limit`], not the number of entities, apart from a count of the
/// bands if they or the blocks are drawn and, unless all is shown, a look at each message for the
/// flashes. Switched off it does nothing.
pub struct AoiOverlayPlugin;

impl Plugin for AoiOverlayPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<AoiOverlay>()
            .register_type::<AoiOverlay>()
            .register_type::<ShowAoi>()
            .add_systems(
                PostUpdate,
                draw::draw
                    .after(AoiSystems::Emit)
                    .after(TransformSystems::Propagate),
            );
        init_gizmos(app);
    }

    fn finish(&self, app: &mut App) {
        init_gizmos(app);
    }
}

/// The gizmo group needs what `GizmoPlugin` brings, which may be added later.
fn init_gizmos(app: &mut App) {
    if !app.is_plugin_added::<GizmoPlugin>() {
        return;
    }
    let known = app.world().get_resource::<GizmoConfigStore>();
    if known.is_some_and(|store| store.get_config::<AoiGizmos>().is_some()) {
        return;
    }
    let config = GizmoConfig {
        // Circles on the ground do not flicker with it.
        depth_bias: -0.01,
        ..default()
    };
    app.insert_gizmo_config(AoiGizmos::default(), config);
}

/// The gizmo group of the overlay: its colours, and with Bevy's [`GizmoConfigStore`] the width of
/// the lines, the render layers, and a switch for everything.
///
/// The colours are those of Okabe and Ito, which people of any colour vision can tell apart, and
/// grey for the structure.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// fn toggle(mut store: ResMut<GizmoConfigStore>) {
///     let (config, _colors) = store.config_mut::<AoiGizmos>();
///     config.enabled = !config.enabled;
/// }
/// # bevy::ecs::system::assert_is_system(toggle);
/// ```
#[derive(Reflect, GizmoConfigGroup, Debug, Clone, PartialEq)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub struct AoiGizmos {
    /// How far a viewer sees. Sky blue.
    pub view: Color,
    /// How far what it sees may go before it leaves: where the
    /// [`leave_margin`](crate::AoiViewer::leave_margin) ends. A fainter sky blue.
    pub margin: Color,
    /// From a viewer without [`AoiRings`](crate::AoiRings) to what it sees. Reddish purple.
    pub link: Color,
    /// The same in the rings of a viewer with [`AoiRings`](crate::AoiRings), from the innermost;
    /// the last one also stands for all rings beyond. Orange, yellow, blue, reddish purple.
    pub rings: [Color; 4],
    /// What has come into view. Bluish green.
    pub enter: Color,
    /// What has dropped out of view. Vermilion.
    pub leave: Color,
    /// Bands of the structure. A faint grey.
    pub bands: Color,
    /// Blocks of the structure; the emptier, the fainter. Grey.
    pub blocks: Color,
}

impl Default for AoiGizmos {
    fn default() -> Self {
        const GREY: Color = Color::srgb_u8(153, 153, 153);
        const ORANGE: Color = Color::srgb_u8(230, 159, 0);
        const SKY_BLUE: Color = Color::srgb_u8(86, 180, 233);
        const BLUISH_GREEN: Color = Color::srgb_u8(0, 158, 115);
        const YELLOW: Color = Color::srgb_u8(240, 228, 66);
        const BLUE: Color = Color::srgb_u8(0, 114, 178);
        const VERMILION: Color = Color::srgb_u8(213, 94, 0);
        const REDDISH_PURPLE: Color = Color::srgb_u8(204, 121, 167);
        Self {
            view: SKY_BLUE,
            margin: SKY_BLUE.with_alpha(0.35),
            link: REDDISH_PURPLE,
            rings: [ORANGE, YELLOW, BLUE, REDDISH_PURPLE],
            enter: BLUISH_GREEN,
            leave: VERMILION,
            bands: GREY.with_alpha(0.35),
            blocks: GREY,
        }
    }
}

/// What the overlay draws, and of whom. With all five switches off nothing is done.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// fn pick(mut overlay: ResMut<AoiOverlay>, player: Single<Entity, With<AoiViewer>>) {
///     overlay.scope = AoiOverlayScope::Picked;
///     overlay.picked = Some(*player);
/// }
/// # bevy::ecs::system::assert_is_system(pick);
/// ```
#[derive(Resource, Reflect, Debug, Clone, PartialEq)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub struct AoiOverlay {
    /// Whose views are drawn; all unless set.
    pub scope: AoiOverlayScope,
    /// The one that [`AoiOverlayScope::Picked`] is about. Nothing is drawn for one that takes no
    /// part, or is gone.
    pub picked: Option<Entity>,
    /// The form of each view, and a fainter one where its leave margin ends. A blind viewer and an
    /// infinite radius have none. The extra range of targets is not in it.
    pub shapes: bool,
    /// A line from each viewer to each target it has in view, in the colour of the ring. Of a
    /// picked or marked entity with [`SeenBy`](crate::SeenBy) also from those who see it.
    pub links: bool,
    /// For a moment, who has come into view (a line, and a circle that closes in on the target) and
    /// who has dropped out of it (a line, and a cross). It goes along with both; where one of them is
    /// gone, it stays at its last place.
    pub flashes: bool,
    /// How long a flash lasts, by Bevy's `Time`; 0.4 seconds unless set.
    pub flash: Duration,
    /// The bands of the structure, in the spaces of those who are shown.
    pub bands: bool,
    /// The blocks of the structure, each as a box around its members, likewise.
    pub blocks: bool,
    /// At most so many shapes, links, flashes, bands and blocks are drawn, of each kind; 500
    /// unless set.
    pub limit: usize,
    /// Written by the overlay: how many things were left out of the last frame by the
    /// [`limit`](Self::limit). The first time that any are, a line in the log says so, too.
    pub cut: usize,
}

impl Default for AoiOverlay {
    fn default() -> Self {
        Self {
            scope: AoiOverlayScope::default(),
            picked: None,
            shapes: true,
            links: true,
            flashes: true,
            flash: Duration::from_millis(400),
            bands: false,
            blocks: false,
            limit: 500,
            cut: 0,
        }
    }
}

/// Whose views the overlay draws.
#[derive(Reflect, Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[reflect(Default, Debug, Clone, PartialEq, Hash)]
pub enum AoiOverlayScope {
    /// That of [`AoiOverlay::picked`].
    Picked,
    /// Those of the entities with [`ShowAoi`].
    Marked,
    /// Those of all viewers, as far as [`AoiOverlay::limit`] goes.
    #[default]
    All,
}

/// Marks an entity for [`AoiOverlayScope::Marked`]: a viewer whose view is drawn, or a target with
/// [`SeenBy`](crate::SeenBy) of which it is drawn who sees it.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// # let mut world = World::new();
/// world.spawn((Transform::default(), AoiViewer::new(20.0), ShowAoi));
/// ```
#[derive(Component, Reflect, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[reflect(Component, Debug, Clone, PartialEq, Default)]
pub struct ShowAoi;
