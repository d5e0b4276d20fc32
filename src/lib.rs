//! Area of interest for Bevy: every tick, who has come into whose view and who has dropped out.
//!
//! Give [`AoiViewer`] to what sees and [`AoiTarget`] to what can be seen, add [`AoiPlugin`], and
//! read [`EnterView`] and [`LeaveView`]:
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_aoi::prelude::*;
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, AoiPlugin::xz())).add_systems(Startup, |mut commands: Commands| {
//!     commands.spawn((Transform::default(), AoiViewer::new(50.0).with_leave_margin(5.0)));
//!     commands.spawn((Transform::from_xyz(10.0, 0.0, 0.0), AoiTarget::default()));
//! });
//! app.add_systems(Last, |mut entered: MessageReader<EnterView>| {
//!     for EnterView { viewer, target } in entered.read() {
//!         println!("{viewer} sees {target}");
//!     }
//! });
//! app.update();
//! ```
//!
//! | what | |
//! | --- | --- |
//! | set up | [`AoiPlugin`], [`AoiPlane`], [`AoiPosition`], [`AoiSystems`] |
//! | who takes part | [`AoiViewer`], [`ViewShape`], [`AoiTarget`], [`AoiSpace`] |
//! | beyond distance | [`AlwaysInView`], [`AoiPins`], [`AoiViewer::max_targets`] |
//! | what is told | [`EnterView`], [`LeaveView`], [`LeaveReason`] |
//! | told on request | [`ReportMoves`] and [`MoveInView`], [`AoiRings`] and [`RingChanged`] |
//! | entity events | [`AoiEvents`] on viewers; [`AoiSeenEvents`], [`Seen`], [`Unseen`] on targets |
//! | what holds now | [`InView`], [`SeenBy`], [`InRings`] |
//! | asking | [`Aoi`], [`AoiIndex`], [`AoiQuery`], [`Why`], [`WhyNot`] |
//! | how it runs | [`AoiStats`], [`AoiDiagnosticsPlugin`] |
//! | looking into it | [`AoiIndex::bands`], [`AoiIndex::blocks`], [`AoiIndex::walk_up`] |
//! | the structure by itself | [`crosslink`] |
//!
//! The path of the data: `lifecycle` notes what was touched, `sync` brings the [`AoiIndex`] in step
//! with the world, `detect` works out what changed, `emit` tells. What is promised, point by point,
//! is in `docs/semantics.md` of the repository.
//!
//! # Features
//!
//! - `parallel`: Bevy's `multi_threaded`, and detection on the threads of its compute pool.
//! - `overlay`: the views drawn into the world with Bevy's gizmos, `AoiOverlayPlugin`.
//! - `panel`: the debug panel in egui, `AoiPanelPlugin`.
//! - `serialize`: serde for components and messages.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod crosslink;

mod aoi;
mod asked;
mod checks;
mod columns;
mod components;
#[cfg(any(feature = "panel", feature = "overlay"))]
mod debug;
mod detect;
mod diagnostics;
mod emit;
mod evaluate;
mod index;
mod inspect;
mod judge;
mod lifecycle;
mod messages;
mod plugin;
mod propagate;
mod report;
mod stats;
mod store;
mod sync;
mod told;
mod workers;

pub use aoi::Aoi;
pub use components::*;
#[cfg(feature = "overlay")]
pub use debug::overlay::{AoiGizmos, AoiOverlay, AoiOverlayPlugin, AoiOverlayScope, ShowAoi};
#[cfg(feature = "panel")]
pub use debug::panel::{AoiEdit, AoiPanel, AoiPanelPlugin, AoiSnapshot, AoiTab, ui as panel_ui};
pub use diagnostics::AoiDiagnosticsPlugin;
pub use evaluate::{Absence, Why, WhyNot};
pub use index::{AoiIndex, AoiQuery};
pub use inspect::{AoiBand, AoiBlock};
pub use messages::*;
pub use plugin::{AoiPlane, AoiPlugin, AoiPosition, AoiSystems};
pub use stats::AoiStats;

/// What a game needs: `use bevy_aoi::prelude::*;`
pub mod prelude {
    pub use crate::{
        Absence, AlwaysInView, Aoi, AoiBand, AoiBlock, AoiDiagnosticsPlugin, AoiEvents, AoiIndex,
        AoiPins, AoiPlane, AoiPlugin, AoiPosition, AoiRings, AoiSeenEvents, AoiSpace, AoiStats,
        AoiSystems, AoiTarget, AoiViewer, EnterView, InRings, InView, LeaveReason, LeaveView,
        MoveInView, Moved, ReportMoves, RingChanged, Seen, SeenBy, Unseen, ViewShape, Why, WhyNot,
    };
    #[cfg(feature = "panel")]
    pub use crate::{AoiEdit, AoiPanel, AoiPanelPlugin, AoiSnapshot, AoiTab};
    #[cfg(feature = "overlay")]
    pub use crate::{AoiGizmos, AoiOverlay, AoiOverlayPlugin, AoiOverlayScope, ShowAoi};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
