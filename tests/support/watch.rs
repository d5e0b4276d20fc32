//! Looks at everything after each update of a scenario: whether lists, statistics and queries agree with
//! what was told and with where everybody stands. Numbers in brackets are points of the contract.

use crate::{
    brute_queries::Brute,
    scenario::{Run, Told},
};
use bevy::{ecs::change_detection::Tick, prelude::*};
use bevy_aoi::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The view relation as the messages tell it, and what the lists were at the last update.
pub struct Watch {
    in_view: BTreeSet<(Entity, Entity)>,
    lists: BTreeMap<(Entity, &'static str), (Tick, Vec<Entity>)>,
    updates: Option<u64>,
    random: fastrand::Rng,
}

impl Watch {
    /// Before the first update.
    pub fn new() -> Self {
        Self {
            in_view: BTreeSet::new(),
            lists: BTreeMap::new(),
            updates: None,
            random: fastrand::Rng::with_seed(SEED),
        }
    }

    /// After an update; the first thing that is wrong.
    pub fn check(&mut self, run: &Run, told: &Told) -> Result<(), String> {
        let newcomers = self.follow(run, told)?;
        self.check_stats(run, told)?;
        self.check_lists::<InView>(run, "InView", |&(viewer, target)| (viewer, target))?;
        self.check_lists::<SeenBy>(run, "SeenBy", |&(viewer, target)| (target, viewer))?;
        for viewer in newcomers {
            // The list is the snapshot for one that comes late (15, 25).
            let entered: Vec<_> = told
                .entered_pairs()
                .filter(|pair| pair.0 == viewer)
                .map(|pair| pair.1)
                .collect();
            let list = run.app.world().get::<InView>(viewer).map(InView::as_slice);
            if list != Some(&entered) {
                return Err(format!(
                    "{} entered {entered:?}, but InView is {list:?}",
                    run.name(viewer)
                ));
            }
        }
        self.check_queries(run)
    }

    /// Enters and leaves alternate (14). Returns the viewers that had nobody in view before.
    fn follow(&mut self, run: &Run, told: &Told) -> Result<BTreeSet<Entity>, String> {
        let mut newcomers: BTreeSet<_> = told.entered_pairs().map(|pair| pair.0).collect();
        newcomers.retain(|viewer| !self.in_view.iter().any(|pair| pair.0 == *viewer));
        for pair in told.left_pairs() {
            if !self.in_view.remove(&pair) {
                return Err(format!(
                    "{}-{} was not in view",
                    run.name(pair.0),
                    run.name(pair.1)
                ));
            }
        }
        for pair in told.entered_pairs() {
            if !self.in_view.insert(pair) {
                return Err(format!(
                    "{}+{} was in view already",
                    run.name(pair.0),
                    run.name(pair.1)
                ));
            }
        }
        Ok(newcomers)
    }

    fn check_stats(&mut self, run: &Run, told: &Told) -> Result<(), String> {
        let stats = run.app.world().resource::<AoiStats>();
        let counts = (stats.entered, stats.left, stats.pairs_in_view);
        let wanted = (told.entered.len(), told.left.len(), self.in_view.len());
        if counts != wanted {
            return Err(format!(
                "entered, left, in view: counted {counts:?}, told {wanted:?}"
            ));
        }
        if self
            .updates
            .replace(stats.updates)
            .is_some_and(|before| stats.updates != before + 1)
        {
            return Err(format!(
                "the plugin ran not once, it counts {} updates",
                stats.updates
            ));
        }
        Ok(())
    }

    /// Each list is sorted, is what the messages say, and counts as changed if and only if it is another
    /// set than before (25). Disabled entities are looked at as well.
    fn check_lists<C>(
        &mut self,
        run: &Run,
        kind: &'static str,
        order: impl Fn(&(Entity, Entity)) -> (Entity, Entity),
    ) -> Result<(), String>
    where
        C: Component,
        for<'a> &'a C: IntoIterator<Item = Entity>,
    {
        for owner in run.entities() {
            let whole: Vec<_> = self
                .in_view
                .iter()
                .map(&order)
                .filter(|pair| pair.0 == owner)
                .collect();
            let wanted: Vec<_> = whole.iter().map(|pair| pair.1).collect();
            let Some(entity) = run.app.world().get_entity(owner).ok() else {
                if !wanted.is_empty() {
                    return Err(format!(
                        "{kind}: {} is gone, but in {whole:?}",
                        run.name(owner)
                    ));
                }
                continue;
            };
            let list: Vec<_> = entity.get::<C>().into_iter().flatten().collect();
            if list != wanted {
                return Err(format!(
                    "{kind} of {}: {list:?}, messages say {wanted:?}",
                    run.name(owner)
                ));
            }
            let Some(ticks) = entity.get_change_ticks::<C>() else {
                continue;
            };
            let changed = ticks.changed;
            if let Some((was_changed, was)) = self.lists.insert((owner, kind), (changed, list))
                && (was != wanted) != (was_changed != changed)
            {
                let (name, marked) = (run.name(owner), was_changed != changed);
                return Err(format!(
                    "{kind} of {name}: changed {marked}, from {was:?} to {wanted:?}"
                ));
            }
        }
        Ok(())
    }

    /// Each query gives what a look at everybody gives (26): those alone who are there, so that whoever
    /// was despawned never comes back.
    fn check_queries(&mut self, run: &Run) -> Result<(), String> {
        let brute = Brute::new(run);
        let index = run.app.world().resource::<AoiIndex>();
        let random = &mut self.random;
        let same = |query, found: Vec<Entity>, wanted: Vec<Entity>| same(run, query, found, wanted);

        for entity in run.entities() {
            let radius = RADII[random.usize(..RADII.len())];
            let found = index.neighbors_in_radius(entity, radius);
            let wanted = brute.neighbors_in_radius(entity, radius, None);
            same("neighbors_in_radius", sorted(found), wanted)?;

            let mask = MASKS[random.usize(..MASKS.len())];
            let found = index.in_layers(mask).neighbors_in_radius(entity, radius);
            let wanted = brute.neighbors_in_radius(entity, radius, Some(mask));
            same("neighbors_in_radius in layers", sorted(found), wanted)?;
        }

        for _ in 0..PROBES {
            let space = random.u32(..4);
            let radius = RADII[random.usize(..RADII.len())];
            let (center, other) = (brute.somewhere(random), brute.somewhere(random));
            let (min, max) = (center.min(other), center.max(other));
            let k = random.usize(..brute.bodies.len() + 3);

            let found = index.within_radius(space, center, radius);
            let wanted = brute.within_radius(space, center, radius, None);
            same("within_radius", sorted(found), wanted)?;
            let found = index.within_box(space, min, max);
            same(
                "within_box",
                sorted(found),
                brute.within_box(space, min, max, None),
            )?;
            let found = index.nearest(space, center, k);
            same("nearest", found, brute.nearest(space, center, k, None))?;

            let mask = MASKS[random.usize(..MASKS.len())];
            let (layers, mask) = (index.in_layers(mask), Some(mask));
            let found = layers.within_radius(space, center, radius);
            let wanted = brute.within_radius(space, center, radius, mask);
            same("within_radius in layers", sorted(found), wanted)?;
            let found = layers.within_box(space, min, max);
            same(
                "within_box in layers",
                sorted(found),
                brute.within_box(space, min, max, mask),
            )?;
            let found = layers.nearest(space, center, k);
            same(
                "nearest in layers",
                found,
                brute.nearest(space, center, k, mask),
            )?;
        }

        let nan = Vec3::splat(f32::NAN);
        same(
            "within_radius of NaN",
            sorted(index.within_radius(0, nan, 1e9)),
            vec![],
        )?;
        same("nearest to NaN", index.nearest(0, nan, 9), vec![])
    }
}

/// With the scenario and the set-up, all that is random follows from it.
const SEED: u64 = 26;
/// How many places are asked about after each update.
const PROBES: usize = 4;
const RADII: [f32; 11] = [
    -1.0,
    0.0,
    0.5,
    1.0,
    3.0,
    5.0,
    10.0,
    40.0,
    1e10,
    f32::INFINITY,
    f32::NAN,
];
const MASKS: [u32; 6] = [u32::MAX, 1, 2, 3, 1 << 31, 0];

fn sorted(found: impl Iterator<Item = Entity>) -> Vec<Entity> {
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    found
}

fn same(run: &Run, query: &str, found: Vec<Entity>, wanted: Vec<Entity>) -> Result<(), String> {
    if found == wanted {
        return Ok(());
    }
    let names = |list: Vec<Entity>| list.into_iter().map(|e| run.name(e)).collect::<Vec<_>>();
    Err(format!(
        "{query}: found {:?}, there are {:?}",
        names(found),
        names(wanted)
    ))
}
