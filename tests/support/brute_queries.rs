//! Queries answered by looking at everybody: what `AoiIndex` must answer (point 26 of the contract).
//!
//! A mask of `None` asks for all targets, also those that are on no layer.

use crate::scenario::{Plane, Run};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

/// An entity that takes part, as target or as viewer.
pub struct Body {
    /// Which one.
    pub entity: Entity,
    at: Vec3,
    space: AoiSpace,
    /// If it is a target.
    layers: Option<u32>,
}

/// Answers queries by looking at everybody.
pub struct Brute {
    plane: Plane,
    /// Who takes part, by `Entity`.
    pub bodies: Vec<Body>,
}

impl Brute {
    /// Everybody as of now, which is as of the last update if nothing was done since.
    pub fn new(run: &Run) -> Self {
        let (plane, world) = (run.plane(), run.app.world());
        let body = |id| {
            let entity = world.get_entity(id).ok()?;
            let at = position(world, id)?;
            let takes_part = entity.contains::<AoiTarget>() || entity.contains::<AoiViewer>();
            let finite = plane.axes().iter().all(|&axis| at[axis].is_finite());
            let present = takes_part && finite && !entity.contains::<Disabled>();
            present.then(|| Body {
                entity: id,
                at,
                space: entity.get().copied().unwrap_or_default(),
                layers: entity.get::<AoiTarget>().map(|target| target.layers),
            })
        };
        let bodies = run.entities().filter_map(body).collect();
        Self { plane, bodies }
    }

    /// Where somebody stands, or a place near the origin.
    pub fn somewhere(&self, random: &mut fastrand::Rng) -> Vec3 {
        match self.bodies.get(random.usize(..=self.bodies.len())) {
            Some(body) => body.at,
            None => Vec3::from_array([(); 3].map(|()| random.f32() * 20.0 - 10.0)),
        }
    }

    fn targets(&self, space: AoiSpace, mask: Option<u32>) -> impl Iterator<Item = &Body> {
        let matches = move |layers| mask.is_none_or(|mask| layers & mask != 0);
        let bodies = self.bodies.iter().filter(move |body| body.space == space);
        bodies.filter(move |body| body.layers.is_some_and(matches))
    }

    fn squared(&self, a: Vec3, b: Vec3) -> f32 {
        let square = |&axis: &usize| (b[axis] - a[axis]) * (b[axis] - a[axis]);
        // From the first square on, not from 0: the order of the contract (8).
        self.plane
            .axes()
            .iter()
            .map(square)
            .reduce(|sum, square| sum + square)
            .unwrap()
    }

    /// The targets around an entity that takes part, ascending, without itself.
    pub fn neighbors_in_radius(
        &self,
        entity: Entity,
        radius: f32,
        mask: Option<u32>,
    ) -> Vec<Entity> {
        let Some(body) = self.bodies.iter().find(|body| body.entity == entity) else {
            return Vec::new();
        };
        let mut found = self.within_radius(body.space, body.at, radius, mask);
        found.retain(|other| *other != entity);
        found
    }

    /// The targets in a circle or sphere, ascending.
    pub fn within_radius(
        &self,
        space: impl Into<AoiSpace>,
        center: Vec3,
        radius: f32,
        mask: Option<u32>,
    ) -> Vec<Entity> {
        let inside =
            |body: &&Body| radius >= 0.0 && self.squared(center, body.at) <= radius * radius;
        self.targets(space.into(), mask)
            .filter(inside)
            .map(|body| body.entity)
            .collect()
    }

    /// The targets in a box, its faces included, ascending.
    pub fn within_box(&self, space: u32, min: Vec3, max: Vec3, mask: Option<u32>) -> Vec<Entity> {
        let axes = self.plane.axes();
        let inside = |body: &&Body| {
            axes.iter()
                .all(|&axis| (min[axis]..=max[axis]).contains(&body.at[axis]))
        };
        self.targets(AoiSpace(space), mask)
            .filter(inside)
            .map(|body| body.entity)
            .collect()
    }

    /// The nearest targets, ties by `Entity`.
    pub fn nearest(&self, space: u32, center: Vec3, k: usize, mask: Option<u32>) -> Vec<Entity> {
        let distance = |body: &Body| (self.squared(center, body.at), body.entity);
        let mut found: Vec<_> = self.targets(AoiSpace(space), mask).map(distance).collect();
        found.sort_by(|a, b| a.partial_cmp(b).expect("all positions are finite"));
        found
            .into_iter()
            .take(k)
            .map(|(_, entity)| entity)
            .collect()
    }
}

/// World position (1), by climbing up the parents. Below a disabled one it is what `GlobalTransform` says.
fn position(world: &World, entity: Entity) -> Option<Vec3> {
    let parent_of = |entity: &Entity| world.get::<ChildOf>(*entity).map(ChildOf::parent);
    let chain: Vec<_> = std::iter::successors(Some(entity), parent_of).collect();
    if chain[1..]
        .iter()
        .any(|&ancestor| world.get::<Disabled>(ancestor).is_some())
    {
        return Some(world.get::<GlobalTransform>(entity)?.translation());
    }
    let mut global = GlobalTransform::IDENTITY;
    for (depth, &link) in chain.iter().rev().enumerate() {
        let transform = *world.get::<Transform>(link)?;
        global = match depth {
            0 => transform.into(),
            _ => global * transform,
        };
    }
    Some(global.translation())
}
