//! [`AoiSystems::Sync`](crate::AoiSystems::Sync): brings the index in step with the world.
//!
//! Entities that were touched in any way but by moving are looked at one by one: what their
//! components ask for is compared with the member they are. Entities that only moved, which is
//! nearly all of them, take a short way of their own.

use bevy::{
    ecs::{
        entity::Entities,
        entity_disabling::Disabled,
        query::{Allow, QueryData},
        system::SystemParam,
    },
    platform::time::Instant,
    prelude::*,
};

use crate::{
    AlwaysInView, AoiIndex, AoiPins, AoiPosition, AoiSpace, AoiStats, AoiTarget, AoiViewer, InView,
    columns,
    crosslink::Buffer,
    detect::Changes,
    index::with_store,
    lifecycle::Pending,
    store::{Store, Wanted},
    workers::Pool,
};

/// All that decides what an entity is.
#[derive(QueryData)]
pub(crate) struct Taking<P: AoiPosition> {
    position: Option<&'static P>,
    viewer: Option<&'static AoiViewer>,
    target: Option<&'static AoiTarget>,
    space: Option<&'static AoiSpace>,
    always: Has<AlwaysInView>,
    pins: Option<&'static AoiPins>,
    disabled: Has<Disabled>,
}

/// Entities, and components of them that decide what they are.
#[derive(SystemParam)]
pub(crate) struct Touched<'w, 's> {
    viewers: Query<'w, 's, (Entity, Ref<'static, AoiViewer>)>,
    targets: Query<'w, 's, (Entity, Ref<'static, AoiTarget>)>,
    spaces: Query<'w, 's, (Entity, Ref<'static, AoiSpace>), Taker>,
    pins: Query<'w, 's, (Entity, Ref<'static, AoiPins>), Taker>,
    always: Query<'w, 's, (Entity, Ref<'static, AlwaysInView>), Taker>,
}

type Taker = Or<(With<AoiViewer>, With<AoiTarget>)>;

pub(crate) fn sync<P: AoiPosition>(
    mut commands: Commands,
    mut index: ResMut<AoiIndex>,
    mut pending: ResMut<Pending>,
    mut changes: ResMut<Changes>,
    mut stats: ResMut<AoiStats>,
    touched: Touched,
    positions: Query<(Entity, Ref<P>), Taker>,
    taking: Query<Taking<P>, Allow<Disabled>>,
    entities: &Entities,
    mut views: Query<&mut InView, Allow<Disabled>>,
) {
    let _span = tracing::info_span!("aoi_sync").entered();
    let start = Instant::now();
    // A view that was taken off an entity that lives on goes back to it; those of the dead are
    // told by `detect`.
    if !changes.orphans.is_empty() {
        pending.orphans.splice(..0, changes.orphans.drain(..));
    }
    pending.sort_orphans();
    core::mem::swap(&mut changes.orphans, &mut pending.orphans);
    changes.orphans.dedup_by(|other, first| {
        let same = other.0 == first.0;
        if same && !other.1.is_empty() {
            core::mem::swap(&mut other.1, &mut first.1);
        }
        same
    });
    changes.orphans.retain_mut(|(viewer, view)| {
        if !entities.contains_spawned(*viewer) {
            return true;
        }
        let view = core::mem::take(view);
        match views.get_mut(*viewer) {
            Ok(_) if view.is_empty() => {}
            Ok(mut now) => now.0 = view,
            Err(_) => {
                commands.entity(*viewer).try_insert(InView(view));
            }
        }
        false
    });
    let list = &mut pending.touched;
    let noted = list.len();
    columns::changed(&touched.viewers, |entity, _| list.push(entity));
    let (mut seen, viewers) = (noted, list.len());
    columns::changed(&touched.targets, |entity, _| {
        if list.get(seen) == Some(&entity) {
            seen += 1;
        } else {
            list.push(entity);
        }
    });
    let both = list.len();
    columns::changed(&touched.spaces, |entity, _| list.push(entity));
    columns::changed(&touched.pins, |entity, _| list.push(entity));
    columns::changed(&touched.always, |entity, _| list.push(entity));
    // What was noted comes in its own order, and often several times. Who just came is in both columns,
    // most in the same order: listed once they need no sort, which saved a tenth of this set's time where
    // all come at once.
    let each_once = noted == 0 && seen == viewers && both == list.len();
    if !each_once {
        list.sort_unstable();
        list.dedup();
    }
    with_store!(&mut index.spaces, |store| {
        Sync { store, taking }.all(&mut pending.touched, &positions);
        stats.members = store.members;
        stats.viewers = store.viewers;
        stats.targets = store.targets;
        stats.invalid_positions = store.invalid.len();
    });
    pending.touched.clear();
    stats.sync = start.elapsed();
}

struct Sync<'a, 'w, 's, P: AoiPosition, const D: usize> {
    store: &'a mut Store<D>,
    taking: Query<'w, 's, Taking<P>, Allow<Disabled>>,
}

impl<P: AoiPosition, const D: usize> Sync<'_, '_, '_, P, D> {
    fn all(&mut self, touched: &mut Buffer<Entity>, positions: &Query<(Entity, Ref<P>), Taker>) {
        // The dead first: their indices may be in use again.
        for &entity in &*touched {
            if !self.taking.contains(entity) {
                self.store.take(entity);
                self.store.invalid.remove(&entity);
            }
        }
        self.look_at(touched);
        touched.recycle();
        columns::changed(positions, |entity, position| {
            let at = self.store.project(position.position());
            match self.store.place(entity) {
                Some(place)
                    if self.store.spaces[place.space as usize]
                        .link
                        .note(place.id, at) => {}
                // Comes or goes with its position.
                _ => touched.push(entity),
            }
        });
        for space in &mut self.store.spaces {
            space.link.follow(&Pool);
        }
        self.look_at(touched);
    }

    fn look_at(&mut self, entities: &[Entity]) {
        for &entity in entities {
            match self.wanted(entity) {
                Some(wanted) => self.store.put(entity, &wanted),
                None => self.store.take(entity),
            }
        }
        self.store.apply();
    }

    /// What an entity asks to be; nothing if it takes no part.
    fn wanted(&mut self, entity: Entity) -> Option<Wanted<D>> {
        let wanted = self.taking.get(entity).ok().and_then(|taking| {
            let takes_part = taking.viewer.is_some() || taking.target.is_some();
            if taking.disabled || !takes_part {
                return None;
            }
            let at = self.store.project(taking.position?.position());
            let mut wanted =
                Wanted::new(self.store, taking.space, at, taking.viewer, taking.target);
            wanted.always = taking.always && taking.target.is_some();
            if let (Some(pins), Some(_)) = (taking.pins, taking.viewer) {
                wanted.pins.clone_from(&pins.0);
            }
            Some(wanted)
        });
        let Some(wanted) = wanted else {
            self.store.invalid.remove(&entity);
            return None;
        };
        if wanted.at.iter().all(|x| x.is_finite()) {
            self.store.invalid.remove(&entity);
            return Some(wanted);
        }
        if self.store.invalid.insert(entity) {
            tracing::warn!(
                "{entity} is left out of the area of interest until its position is finite: {:?}",
                wanted.at
            );
        }
        None
    }
}
