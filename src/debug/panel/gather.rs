//! Fills the [`AoiSnapshot`](super::AoiSnapshot), once per frame while the panel is open.
//!
//! What a frame looks at does not grow with the number of pairs, and beyond the views of the picked
//! entity not with the number of members either: long walks are spread over frames.

use bevy::{
    ecs::{entity::Entities, entity_disabling::Disabled, query::Allow, system::SystemParam},
    platform::time::Instant,
    prelude::*,
};
use core::time::Duration;

use super::{
    AoiPanel, AoiSnapshot, AoiTab,
    history::Sums,
    log::Told,
    snapshot::{Answer, Detail, Lists, Order, Row, Seen},
};
use crate::{
    AlwaysInView, Aoi, AoiPins, AoiRings, AoiSpace, AoiStats, AoiTarget, AoiViewer, InView, SeenBy,
};

/// Views up to this size are sorted whole; of larger ones the index is asked for the nearest.
const SORTED: usize = 10_000;
/// How many rows of a view are shown.
const ROWS: usize = 500;
/// How many bands and blocks are shown.
const PARTS: usize = 2_000;
/// How many neighbours on each side along an axis.
const BESIDE: usize = 5;
/// Up to this many members the structure is looked at in each frame.
const SMALL: usize = 20_000;
/// Rows that fit on a screen.
const SCREEN: usize = 48;
/// How often otherwise.
const SELDOM: Duration = Duration::from_millis(250);

/// All that is looked at.
#[derive(SystemParam)]
pub(crate) struct Watched<'w, 's> {
    aoi: Aoi<'w, 's>,
    stats: Res<'w, AoiStats>,
    entities: &'w Entities,
    members: Query<'w, 's, Entity, Or<(With<AoiViewer>, With<AoiTarget>)>>,
    views: Query<'w, 's, &'static InView, (With<AoiViewer>, Allow<Disabled>)>,
    names: Query<'w, 's, &'static Name, Allow<Disabled>>,
    parts: Query<
        'w,
        's,
        (
            Option<&'static AoiViewer>,
            Option<&'static AoiTarget>,
            Option<&'static AoiSpace>,
            Has<AlwaysInView>,
            Option<&'static AoiPins>,
            Option<&'static AoiRings>,
            Option<&'static SeenBy>,
        ),
        Allow<Disabled>,
    >,
}

pub(crate) fn gather(
    watched: Watched,
    mut told: Told,
    mut panel: ResMut<AoiPanel>,
    mut snapshot: ResMut<AoiSnapshot>,
    #[cfg(feature = "overlay")] overlay: Option<ResMut<crate::AoiOverlay>>,
) {
    let start = Instant::now();
    let (panel, snapshot) = (&mut *panel, &mut *snapshot);
    let last = snapshot.gathered.replace(start);
    if last.is_none() {
        // What was told while the panel was closed is of the past.
        told.clear();
        snapshot.stats = watched.stats.clone();
    }
    record(&watched, &mut told, panel, snapshot, last, start);
    snapshot.plane = Some(watched.aoi.plane());

    let other_picked = panel.tab == AoiTab::Entity && snapshot.seers.of != panel.picked;
    let wants_roster = match panel.tab {
        AoiTab::Overview => !snapshot.histogram.is_busy(),
        AoiTab::Entity => !(snapshot.search.is_busy() || snapshot.seers.is_busy()),
        _ => false,
    };
    if wants_roster || other_picked || snapshot.roster.edition == 0 {
        let members = watched.members.iter();
        snapshot.roster.refresh(other_picked, start, members);
    }
    match panel.tab {
        AoiTab::Overview => {
            let view = |entity| watched.views.get(entity).ok().map(InView::len);
            snapshot.histogram.count(&snapshot.roster, start, view);
        }
        AoiTab::Entity => {
            if other_picked {
                snapshot.seers.begin(panel.picked, &snapshot.roster);
            }
            look_around(&watched, panel, snapshot, start);
        }
        AoiTab::Log => {
            if core::mem::take(&mut panel.clear_log) {
                snapshot.log.lines.clear();
            }
            snapshot.log.filter(&panel.filter, panel.picked);
        }
        AoiTab::Tune => {
            snapshot.detail = panel.picked.map(|picked| {
                let mut detail = watched.detail(picked);
                detail.sees.all = watched.aoi.in_view(picked).len();
                detail
            });
        }
        AoiTab::Lists => look_inside(&watched, panel, &mut snapshot.lists, start),
    }
    name(&watched, panel, snapshot);
    #[cfg(feature = "overlay")]
    {
        snapshot.overlay = overlay.map(|mut overlay| {
            if snapshot.overlaid != panel.picked {
                snapshot.overlaid = panel.picked;
                overlay.picked = panel.picked;
            }
            overlay.clone()
        });
    }
    panel.gathering = start.elapsed();
}

/// The names of what is drawn: of what was drawn last, and of what is new every time.
fn name(watched: &Watched, panel: &mut AoiPanel, snapshot: &mut AoiSnapshot) {
    let wanted = &mut panel.drawn;
    wanted.extend(panel.picked.into_iter().chain(panel.other));
    match panel.tab {
        AoiTab::Entity => {
            wanted.extend(snapshot.search.hits.iter().take(SCREEN));
            if let Some(detail) = &snapshot.detail {
                for seen in [&detail.sees, &detail.seen_by] {
                    wanted.extend(seen.rows.iter().take(SCREEN).map(|row| row.entity));
                }
            }
        }
        AoiTab::Log => {
            let log = &snapshot.log;
            let lines = log.shown.iter().rev().take(SCREEN);
            let lines = lines.filter_map(|&at| log.lines.get(at));
            wanted.extend(lines.flat_map(|line| [line.viewer, line.target]));
        }
        AoiTab::Lists => {
            for order in &snapshot.lists.orders {
                let beside = order.before.iter().chain(&order.after);
                wanted.extend(beside.map(|&(_, entity)| entity));
            }
        }
        AoiTab::Overview | AoiTab::Tune => {}
    }
    snapshot.names.clear();
    for entity in wanted.drain(..) {
        if let Ok(name) = watched.names.get(entity) {
            snapshot.names.insert(entity, name.to_string());
        }
    }
}

/// Lets go of all that was gathered, when the panel is closed.
pub(crate) fn forget(mut snapshot: ResMut<AoiSnapshot>) {
    *snapshot = AoiSnapshot::default();
}

/// What was told, and what the updates of the frame took.
fn record(
    watched: &Watched,
    told: &mut Told,
    panel: &AoiPanel,
    snapshot: &mut AoiSnapshot,
    last: Option<Instant>,
    now: Instant,
) {
    let stats = &*watched.stats;
    let filter = (!panel.paused).then_some((&panel.filter, panel.picked));
    let seers = &mut snapshot.seers;
    let told = snapshot
        .log
        .read(told, stats.updates, filter, |entered, viewer, target| {
            seers.told(entered, viewer, target);
        });
    // A frame may have none or several updates; the figures are those of the last of them.
    let updates = stats.updates.saturating_sub(snapshot.stats.updates) as f64;
    let frame = last.map_or(0.0, |last| now.duration_since(last).as_secs_f64());
    snapshot.history.push(Sums {
        frames: 1.0,
        updates,
        frame,
        sync: stats.sync.as_secs_f64() * updates,
        detect: stats.detect.as_secs_f64() * updates,
        emit: stats.emit.as_secs_f64() * updates,
        gathering: panel.gathering.as_secs_f64(),
        moved: stats.moved as f64 * updates,
        entered: told.entered as f64,
        left: told.all_left() as f64,
        messages: told.all() as f64,
    });
    snapshot.stats.clone_from(stats);
}

/// The Entity tab.
fn look_around(watched: &Watched, panel: &AoiPanel, snapshot: &mut AoiSnapshot, start: Instant) {
    snapshot.search.look(
        &panel.search,
        &snapshot.roster,
        start,
        |index| {
            let entity = watched.entities.resolve_from_index(index);
            watched.entities.contains_spawned(entity).then_some(entity)
        },
        |entity| watched.names.get(entity).ok().map(Name::as_str),
    );
    snapshot
        .seers
        .look(&snapshot.roster, start, |viewer, target| {
            watched
                .views
                .get(viewer)
                .is_ok_and(|view| view.contains(target))
        });
    let aoi = &watched.aoi;
    snapshot.pair = panel.picked.zip(panel.other).map(|(picked, other)| {
        [(picked, other), (other, picked)].map(|(viewer, target)| Answer {
            viewer,
            target,
            distance: aoi.distance(viewer, target),
            answer: match aoi.why_not(viewer, target) {
                Some(why_not) => Err(why_not),
                None => Ok(aoi.why(viewer, target)),
            },
        })
    });
    snapshot.detail = panel.picked.map(|picked| {
        let mut detail = watched.detail(picked);
        detail.sees = watched.nearest(aoi.in_view(picked).iter().copied(), picked, true);
        let listed = watched.parts.get(picked).ok().and_then(|parts| parts.6);
        detail.seen_by = match listed {
            Some(listed) => watched.nearest(listed.iter(), picked, false),
            None => {
                let seers = &snapshot.seers;
                let viewers = seers.viewers.iter().copied();
                Seen {
                    searched: if seers.walk.done {
                        1.0
                    } else {
                        seers.walk.share(&snapshot.roster)
                    },
                    ..watched.nearest(viewers, picked, false)
                }
            }
        };
        detail
    });
}

impl Watched<'_, '_> {
    /// An entity by itself.
    fn detail(&self, entity: Entity) -> Detail {
        let parts = self.parts.get(entity).ok();
        let (viewer, target, space, always, pins, rings, _) = parts.unwrap_or_default();
        let absence = if self.aoi.contains(entity) {
            None
        } else if !self.entities.contains_spawned(entity) {
            Some("does not exist any more".into())
        } else if viewer.is_none() && target.is_none() {
            Some("has neither AoiViewer nor AoiTarget".into())
        } else {
            Some(self.aoi.absence(entity, viewer.is_some()).text("AoiViewer"))
        };
        Detail {
            entity,
            absence,
            viewer: viewer.copied(),
            target: target.copied(),
            space: space.copied().unwrap_or_default(),
            always,
            pins: pins.map_or(0, |pins| pins.0.len()),
            rings: rings.cloned(),
            position: self.aoi.position(entity),
            sees: Seen::default(),
            seen_by: Seen::default(),
        }
    }

    /// Those of a side of the view relation that are nearest to an entity.
    fn nearest(
        &self,
        side: impl ExactSizeIterator<Item = Entity>,
        entity: Entity,
        sees: bool,
    ) -> Seen {
        let aoi = &self.aoi;
        let all = side.len();
        let with_distance = |other| {
            let distance = aoi.distance(entity, other);
            (distance.unwrap_or(f32::INFINITY), other)
        };
        // Sorting more takes too long for a frame.
        let mut rows: Vec<(f32, Entity)> = if all > SORTED && sees {
            let at = aoi.position(entity).unwrap_or(Vec3::NAN);
            let space = aoi.space_of(entity).unwrap_or_default();
            let near = aoi.nearest(space, at, ROWS).into_iter();
            near.filter(|&other| aoi.can_see(entity, other))
                .map(with_distance)
                .collect()
        } else {
            side.take(SORTED).map(with_distance).collect()
        };
        let by_distance =
            |a: &(f32, Entity), b: &(f32, Entity)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if rows.len() > ROWS {
            rows.select_nth_unstable_by(ROWS, by_distance);
            rows.truncate(ROWS);
        }
        rows.sort_unstable_by(by_distance);
        let row = |(distance, other)| {
            let (viewer, target) = if sees {
                (entity, other)
            } else {
                (other, entity)
            };
            Row {
                entity: other,
                distance,
                ring: aoi.ring_of(viewer, target),
                why: aoi.why(viewer, target),
            }
        };
        Seen {
            rows: rows.into_iter().map(row).collect(),
            all,
            searched: 1.0,
        }
    }
}

/// The Lists tab.
fn look_inside(watched: &Watched, panel: &AoiPanel, lists: &mut Lists, now: Instant) {
    let of = (panel.space, panel.band, panel.picked);
    let fresh = |looked| now.duration_since(looked) < SELDOM;
    if watched.stats.members > SMALL && lists.of == of && lists.looked.is_some_and(fresh) {
        return;
    }
    let aoi = &watched.aoi;
    lists.looked = Some(now);
    lists.of = of;
    lists.spaces = aoi.spaces().collect();
    let own = panel.picked.and_then(|picked| aoi.space_of(picked));
    let first = lists.spaces.first().copied();
    lists.space = panel.space.or(own).or(first).unwrap_or_default();
    lists.bands.clear();
    lists.bands.extend(aoi.bands(lists.space).take(PARTS));
    lists.all_bands = aoi.count_bands_and_blocks(lists.space).0;
    let at = panel.picked.filter(|_| own == Some(lists.space));
    let at = at.and_then(|picked| aoi.position(picked));
    let holds = |at: Vec3| {
        let mut bands = lists.bands.iter();
        bands.position(|band| at.cmpge(band.min).all() && at.cmple(band.max).all())
    };
    lists.band = panel.band.or(at.and_then(holds)).unwrap_or_default();
    lists.blocks.clear();
    let blocks = aoi.blocks(lists.space);
    let blocks = blocks.skip_while(|block| block.band < lists.band);
    let blocks = blocks.take_while(|block| block.band == lists.band);
    lists.blocks.extend(blocks.take(PARTS));
    lists.orders.clear();
    if let Some((picked, at)) = panel.picked.zip(at) {
        for &axis in aoi.plane().axes() {
            lists.orders.push(Order {
                axis,
                at: at[axis],
                before: aoi.walk_down(picked, axis).take(BESIDE).collect(),
                after: aoi.walk_up(picked, axis).take(BESIDE).collect(),
            });
        }
    }
}
