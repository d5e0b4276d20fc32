//! [`Aoi`]: everything a system can ask, in one parameter.

use bevy::{
    ecs::{entity::Entities, entity_disabling::Disabled, query::Allow, system::SystemParam},
    prelude::*,
};

use crate::{
    Absence, AoiIndex, AoiTarget, AoiViewer, InRings, InView, Why, WhyNot, index::with_store,
};
use core::ops::Deref;

/// The index and the views in one system parameter. Dereferences to [`AoiIndex`], so all its
/// queries are at hand. Read-only, as of the last update.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_aoi::prelude::*;
///
/// #[derive(Resource)]
/// struct Quest {
///     guard: Entity,
///     thief: Entity,
/// }
///
/// fn caught(aoi: Aoi, quest: Res<Quest>) {
///     if aoi.can_see(quest.guard, quest.thief) {
///         println!("Stop, thief!");
///     } else if let Some(why) = aoi.why_not(quest.guard, quest.thief) {
///         println!("the guard does not see the thief: {why}");
///     }
///     for heard in aoi.viewers_within(AoiSpace(0), Vec3::ZERO, 30.0) {
///         println!("{heard} hears the shout");
///     }
/// }
/// # bevy::ecs::system::assert_is_system(caught);
/// ```
#[derive(SystemParam)]
pub struct Aoi<'w, 's> {
    index: Res<'w, AoiIndex>,
    views: Query<'w, 's, (Entity, &'static InView), Allow<Disabled>>,
    rings: Query<'w, 's, &'static InRings, Allow<Disabled>>,
    roles: Query<'w, 's, (Has<AoiViewer>, Has<AoiTarget>, Has<Disabled>), Allow<Disabled>>,
    entities: &'w Entities,
}

impl Deref for Aoi<'_, '_> {
    type Target = AoiIndex;

    fn deref(&self) -> &AoiIndex {
        &self.index
    }
}

impl Aoi<'_, '_> {
    /// Whether `viewer` has `target` in view. O(log n) in the size of the view.
    pub fn can_see(&self, viewer: Entity, target: Entity) -> bool {
        self.in_view(viewer).binary_search(&target).is_ok()
    }

    /// Whom `viewer` has in view, ascending by [`Entity`]'s `Ord`; nobody if it is no viewer.
    pub fn in_view(&self, viewer: Entity) -> &[Entity] {
        let view = self.views.get(viewer).map(|(_, view)| view.as_slice());
        view.unwrap_or(&[])
    }

    /// All pairs (viewer, target) in view, in no particular order of viewers.
    pub fn pairs(&self) -> impl Iterator<Item = (Entity, Entity)> + '_ {
        self.views
            .iter()
            .flat_map(|(viewer, view)| view.iter().map(move |target| (viewer, target)))
    }

    /// The ring that `target` is in around a `viewer` with [`AoiRings`](crate::AoiRings); none if
    /// it is not in view.
    pub fn ring_of(&self, viewer: Entity, target: Entity) -> Option<u8> {
        self.rings.get(viewer).ok()?.ring_of(target)
    }

    /// Why a pair is in view; none if it is not. The answer comes from the function that decides
    /// about views.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_aoi::prelude::*;
    ///
    /// fn explain(aoi: Aoi) {
    ///     for (viewer, target) in aoi.pairs() {
    ///         if let Some(why) = aoi.why(viewer, target) {
    ///             println!("{viewer} sees {target} {why}");
    ///         }
    ///     }
    /// }
    /// # bevy::ecs::system::assert_is_system(explain);
    /// ```
    pub fn why(&self, viewer: Entity, target: Entity) -> Option<Why> {
        if !self.can_see(viewer, target) {
            return None;
        }
        with_store!(&self.index.spaces, |store| {
            let seeing = store.seeing(viewer);
            store.judge(viewer, seeing.as_ref(), target, true).ok()
        })
    }

    /// Which rule keeps a pair apart; none if it is in view. The answer comes from the function
    /// that decides about views.
    pub fn why_not(&self, viewer: Entity, target: Entity) -> Option<WhyNot> {
        if self.can_see(viewer, target) {
            return None;
        }
        with_store!(&self.index.spaces, |store| {
            match store.judge(viewer, store.seeing(viewer).as_ref(), target, false) {
                Err(WhyNot::NoViewer(_)) => Some(WhyNot::NoViewer(self.absence(viewer, true))),
                Err(WhyNot::NoTarget(_)) => Some(WhyNot::NoTarget(self.absence(target, false))),
                Err(why) => Some(why),
                // In reach, and yet not in the list: a cap is the only rule that is left, unless
                // there is no list any more.
                Ok(_) => Some(match store.caps.get(&viewer) {
                    Some(&max_targets) if self.views.contains(viewer) => {
                        WhyNot::Cap { max_targets }
                    }
                    _ => WhyNot::NoViewer(self.absence(viewer, true)),
                }),
            }
        })
    }

    pub(crate) fn absence(&self, entity: Entity, as_viewer: bool) -> Absence {
        let roles = self.roles.get(entity);
        if !self.entities.contains_spawned(entity) {
            return Absence::Despawned;
        }
        match roles {
            Ok((viewer, target, _)) if !(if as_viewer { viewer } else { target }) => {
                Absence::NoComponent
            }
            Ok((_, _, true)) => Absence::Disabled,
            _ if self.index.is_invalid(entity) => Absence::NotFinite,
            _ => Absence::NoPosition,
        }
    }
}
