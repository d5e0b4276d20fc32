//! The panel: what the plugin does, whom an entity sees, and why it does not see another one.
//!
//! Once per frame [`gather`] copies what the visible tab needs into the [`AoiSnapshot`]; [`ui()`]
//! draws it and gives back what the user asked for. So drawing needs no world, and the panel can
//! stand in any window of the game's own. Closed, all that runs is the look at one key.

mod apply;
mod draw;
mod gather;
mod history;
mod log;
mod look;
mod pick;
mod roster;
mod snapshot;
mod tabs;

use bevy::prelude::*;
use bevy_egui::{EguiPlugin, EguiPrimaryContextPass, input::EguiWantsInput};
use core::time::Duration;

use crate::{AoiIndex, AoiSpace, AoiSystems};

pub use apply::AoiEdit;
pub use snapshot::AoiSnapshot;
pub use tabs::ui;

/// The debug panel: figures and plots, whom an entity sees and who sees it, why one does not see
/// another, the messages, sliders, the structure. Opens with a key, [`F3`](KeyCode::F3) unless set.
///
/// It draws into the egui context of the primary window, or of [`AoiPanel::window`], beside the
/// game's own egui. Add [`EguiPlugin`] before or after it: without that it says so in the log and
/// does nothing. Closed it costs a look at the key.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
/// use bevy_egui::EguiPlugin;
///
/// App::new()
///     .add_plugins((MinimalPlugins, AoiPlugin::xz())) // in a game: DefaultPlugins
///     .add_plugins((EguiPlugin::default(), AoiPanelPlugin::default()))
///     .run();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AoiPanelPlugin {
    /// The key that opens and closes the panel; `None`: no key. While a text field has the
    /// keyboard only function keys count.
    pub toggle: Option<KeyCode>,
}

impl Default for AoiPanelPlugin {
    fn default() -> Self {
        Self {
            toggle: Some(KeyCode::F3),
        }
    }
}

/// What the [panel](AoiPanelPlugin) shows, and where. Every public field may be set at any time.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_aoi::prelude::*;
/// fn show_the_boss(mut panel: ResMut<AoiPanel>, boss: Single<Entity, With<AlwaysInView>>) {
///     panel.open = true;
///     panel.tab = AoiTab::Entity;
///     panel.picked = Some(*boss);
/// }
/// # bevy::ecs::system::assert_is_system(show_the_boss);
/// ```
#[derive(Resource, Debug, Clone)]
pub struct AoiPanel {
    /// Whether it is open. Closed it does no work.
    pub open: bool,
    /// The entity that is looked at. A change of it also reaches `AoiOverlay::picked`, but only while
    /// the panel is open; closed, set both.
    pub picked: Option<Entity>,
    /// The second entity of "why not?".
    pub other: Option<Entity>,
    /// The tab that is shown.
    pub tab: AoiTab,
    /// The window to draw in, and in which clicks count; `None`: the one with the primary egui
    /// context, and the primary window. A window without an egui context: nothing is drawn.
    pub window: Option<Entity>,
    /// The camera through which a click is looked at; `None`: of those that draw where the cursor
    /// is, the one drawn last.
    pub camera: Option<Entity>,
    /// Whether a click on an entity in the world picks it. Clicks that egui wants are left to it.
    pub click: bool,
    /// The game draws the panel with [`ui()`] in a window of its own; the plugin only gathers what
    /// it shows.
    pub embedded: bool,
    /// What the panel cost in the last frame, drawing not counted.
    pub gathering: Duration,
    pub(crate) search: String,
    /// The next entity chosen is the [`other`](Self::other).
    pub(crate) choosing_other: bool,
    pub(crate) filter: log::Filter,
    pub(crate) paused: bool,
    pub(crate) clear_log: bool,
    /// Space of the Lists tab; `None`: that of the picked entity.
    pub(crate) space: Option<AoiSpace>,
    /// Band of the Lists tab; `None`: that of the picked entity.
    pub(crate) band: Option<usize>,
    /// The band that the Lists tab was scrolled to.
    pub(crate) scrolled_to: Option<(AoiSpace, usize)>,
    /// Entities drawn in the last frame, whose names are to be gathered.
    pub(crate) drawn: Vec<Entity>,
}

impl Default for AoiPanel {
    fn default() -> Self {
        Self {
            open: false,
            picked: None,
            other: None,
            tab: AoiTab::default(),
            window: None,
            camera: None,
            click: true,
            embedded: false,
            gathering: Duration::ZERO,
            search: String::new(),
            choosing_other: false,
            filter: log::Filter::default(),
            paused: false,
            clear_log: false,
            space: None,
            band: None,
            scrolled_to: None,
            drawn: Vec::new(),
        }
    }
}

impl AoiPanel {
    /// An entity was chosen: by a click, from the list or from a link.
    pub(crate) fn choose(&mut self, entity: Entity) {
        if self.choosing_other {
            self.choosing_other = false;
            self.other = Some(entity);
        } else {
            self.picked = Some(entity);
            self.space = None;
            self.band = None;
            self.scrolled_to = None;
        }
    }
}

/// The tabs of the [panel](AoiPanelPlugin).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AoiTab {
    /// Figures, times and plots of all updates.
    #[default]
    Overview,
    /// One entity: whom it sees, who sees it, and why not.
    Entity,
    /// The messages.
    Log,
    /// Radius, margin, cap and shape of the picked viewer, and the overlay.
    Tune,
    /// The structure behind it.
    Lists,
}

impl AoiTab {
    pub(crate) const ALL: [Self; 5] = [
        Self::Overview,
        Self::Entity,
        Self::Log,
        Self::Tune,
        Self::Lists,
    ];
}

impl Plugin for AoiPanelPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<AoiPanel>()
            .init_resource::<AoiSnapshot>();
    }

    fn finish(&self, app: &mut App) {
        if !app.is_plugin_added::<EguiPlugin>() {
            tracing::error!(
                "AoiPanelPlugin shows nothing without egui: add bevy_egui::EguiPlugin to the app"
            );
            return;
        }
        if !app.world().contains_resource::<AoiIndex>() {
            tracing::error!("AoiPanelPlugin has nothing to show: add AoiPlugin to the app");
            return;
        }
        let is_open = |panel: Res<AoiPanel>| panel.open;
        let was_open = |panel: Res<AoiPanel>, snapshot: Res<AoiSnapshot>| {
            !panel.open && snapshot.is_gathered()
        };
        app.add_systems(
            Last,
            (
                draw::follow_the_window.run_if(is_open),
                pick::click.run_if(is_open),
                gather::gather.run_if(is_open),
                gather::forget.run_if(was_open),
            )
                .chain()
                .after(AoiSystems::Emit),
        )
        .add_systems(
            EguiPrimaryContextPass,
            draw::draw_in(EguiPrimaryContextPass).run_if(is_open),
        );
        if let Some(key) = self.toggle {
            app.add_systems(
                Update,
                move |keys: Option<Res<ButtonInput<KeyCode>>>,
                      wants: Res<EguiWantsInput>,
                      mut panel: ResMut<AoiPanel>| {
                    let types = wants.wants_keyboard_input() && !(KeyCode::F1..).contains(&key);
                    if !types && keys.is_some_and(|keys| keys.just_pressed(key)) {
                        panel.open ^= true;
                    }
                },
            );
        }
    }
}
