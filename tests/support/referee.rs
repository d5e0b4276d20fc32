//! The contract read aloud: who is in whose view, worked out anew from all pairs at each update.
//!
//! Dumb on purpose. It looks at the components as they are, walks up the parents by itself and
//! keeps nothing from one update to the next but the view relation. Numbers are points of
//! `docs/semantics.md`.

use std::collections::{BTreeMap, BTreeSet};

use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

use crate::world::Told;

/// An entity that exists, as it is at this update.
#[derive(Clone, Debug)]
pub struct Body {
    /// Which one.
    pub id: Entity,
    /// Where it stands in the world (1); `None` without the position source.
    pub place: Option<Vec3>,
    /// Its space (4).
    pub space: u32,
    disabled: bool,
    viewer: Option<AoiViewer>,
    target: Option<AoiTarget>,
    always: bool,
    pins: Vec<Entity>,
    reports_moves: bool,
    has_events: bool,
    has_seen_events: bool,
    rings: Option<Vec<f32>>,
}

impl Body {
    fn read(entity: EntityRef, world: &World) -> Self {
        Self {
            id: entity.id(),
            place: place(entity, world),
            disabled: entity.contains::<Disabled>(),
            viewer: entity.get::<AoiViewer>().copied(),
            target: entity.get::<AoiTarget>().copied(),
            space: entity.get::<AoiSpace>().map_or(0, |space| space.0),
            always: entity.contains::<AlwaysInView>(),
            pins: entity
                .get::<AoiPins>()
                .map_or_else(Vec::new, |pins| pins.0.to_vec()),
            reports_moves: entity.contains::<ReportMoves>(),
            has_events: entity.contains::<AoiEvents>(),
            has_seen_events: entity.contains::<AoiSeenEvents>(),
            rings: entity.get::<AoiRings>().map(|rings| rings.0.to_vec()),
        }
    }
}

/// (1): by the transforms from the root down. Where these cannot be followed, since an ancestor is
/// disabled or has no transform, the entity stands where its `GlobalTransform` says.
fn place(entity: EntityRef, world: &World) -> Option<Vec3> {
    let told = entity.get::<GlobalTransform>()?;
    let mut chain = vec![entity];
    while let Some(parent) = chain.last().unwrap().get::<ChildOf>() {
        chain.push(world.entity(parent.parent()));
    }
    let broken = chain[1..].iter().any(EntityRef::contains::<Disabled>)
        || chain
            .iter()
            .any(|entity| !entity.contains::<Transform>() || !entity.contains::<GlobalTransform>());
    if broken {
        return Some(told.translation());
    }
    let mut above = GlobalTransform::IDENTITY;
    for (depth, entity) in chain.iter().rev().enumerate() {
        let transform = *entity.get::<Transform>().unwrap();
        above = if depth == 0 {
            transform.into()
        } else {
            above.mul_transform(transform)
        };
    }
    Some(above.translation())
}

/// An entity event, with all that it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heard {
    /// On the viewer.
    Left(LeaveView),
    /// On the target.
    Unseen(Unseen),
    /// On the viewer.
    Entered(EnterView),
    /// On the target.
    Seen(Seen),
}

/// Works out what an update must tell.
#[derive(Debug)]
pub struct Referee {
    /// The axes of the plane: 0 for x, 1 for y, 2 for z.
    axes: &'static [usize],
    /// V, and for each pair whether a pin or `AlwaysInView` held it (11).
    view: BTreeMap<(Entity, Entity), bool>,
    /// For viewers with `AoiRings` the ring of each pair in view (22).
    rings: BTreeMap<(Entity, Entity), u8>,
    bodies: BTreeMap<Entity, Body>,
}

impl Referee {
    /// One for the plane of these axes, to which nothing is in view.
    pub fn new(axes: &'static [usize]) -> Self {
        Self {
            axes,
            view: BTreeMap::new(),
            rings: BTreeMap::new(),
            bodies: BTreeMap::new(),
        }
    }

    /// Settles the state as it is now; what that tells.
    pub fn settle(&mut self, world: &World) -> Told {
        let bodies = world
            .iter_entities()
            .map(|entity| (entity.id(), Body::read(entity, world)))
            .collect();
        let before = core::mem::replace(&mut self.bodies, bodies);
        let mut view = BTreeMap::new();
        let mut evicted = BTreeSet::new();
        let targets: Vec<_> = self.targets().collect();
        for viewer in self.bodies.values() {
            let Some(eyes) = viewer.viewer.filter(|_| self.present(viewer)) else {
                continue;
            };
            let mut near = Vec::new();
            for &target in &targets {
                if target.id == viewer.id || target.space != viewer.space {
                    continue;
                }
                let matches = eyes.sees & target.target.unwrap().layers != 0;
                if viewer.pins.contains(&target.id) || target.always && matches {
                    view.insert((viewer.id, target.id), true);
                } else if matches && self.reaches(viewer, &eyes, target) {
                    near.push(target);
                }
            }
            let (chosen, out) = self.capped(viewer, &eyes, near);
            view.extend(chosen.iter().map(|target| ((viewer.id, target.id), false)));
            evicted.extend(out.iter().map(|target| (viewer.id, target.id)));
        }

        let mut told = Told::default();
        for (&pair, &held) in &self.view {
            if !view.contains_key(&pair) {
                let reason = self.reason(pair, held, evicted.contains(&pair));
                told.left.push((pair.0, pair.1, reason));
            }
        }
        let new = view.keys().filter(|pair| !self.view.contains_key(pair));
        told.entered.extend(new);
        for &pair in view.keys() {
            if self.view.contains_key(&pair)
                && self.bodies[&pair.0].reports_moves
                && let Some(moved) = self.moved(pair, &before)
            {
                told.moved.push((pair.0, pair.1, moved));
            }
        }
        let mut rings = BTreeMap::new();
        for &pair in view.keys() {
            if let Some(ring) = self.ring(pair) {
                rings.insert(pair, ring);
                if self.rings.get(&pair) != Some(&ring) {
                    told.rings.push((pair.0, pair.1, ring));
                }
            }
        }
        self.view = view;
        self.rings = rings;
        told
    }

    /// The entity events of an update that told this (23), of those who asked for them and exist.
    pub fn heard(&self, told: &Told) -> Vec<Heard> {
        let asked = |id, wants: fn(&Body) -> bool| self.bodies.get(&id).is_some_and(wants);
        let viewer_asked = |id| asked(id, |body| body.has_events);
        let target_asked = |id| asked(id, |body| body.has_seen_events);
        let mut heard = Vec::new();
        for &(viewer, target, reason) in &told.left {
            if viewer_asked(viewer) {
                heard.push(Heard::Left(LeaveView {
                    viewer,
                    target,
                    reason,
                }));
            }
            if target_asked(target) {
                heard.push(Heard::Unseen(Unseen {
                    target,
                    viewer,
                    reason,
                }));
            }
        }
        for &(viewer, target) in &told.entered {
            if viewer_asked(viewer) {
                heard.push(Heard::Entered(EnterView { viewer, target }));
            }
            if target_asked(target) {
                heard.push(Heard::Seen(Seen { target, viewer }));
            }
        }
        heard
    }

    /// Where somebody who is present stands, on the plane.
    pub fn place(&self, id: Entity) -> Vec<f32> {
        self.on_plane(self.bodies[&id].place.expect("it is present"))
    }

    /// The rings of the targets that `viewer` has in view (22). Ascending by target.
    pub fn rings_of(&self, viewer: Entity) -> Vec<(Entity, u8)> {
        let rings = self.rings.iter();
        rings
            .filter(|(pair, _)| pair.0 == viewer)
            .map(|(pair, &ring)| (pair.1, ring))
            .collect()
    }

    /// (21), for a pair that was in view before and is now.
    fn moved(&self, pair: (Entity, Entity), before: &BTreeMap<Entity, Body>) -> Option<Moved> {
        let moved = |id| {
            let place = |bodies: &BTreeMap<Entity, Body>| {
                self.on_plane(bodies[&id].place.expect("it is in V"))
            };
            place(before) != place(&self.bodies)
        };
        match (moved(pair.0), moved(pair.1)) {
            (true, true) => Some(Moved::Both),
            (true, false) => Some(Moved::Viewer),
            (false, true) => Some(Moved::Target),
            (false, false) => None,
        }
    }

    /// (22), for a pair in view.
    fn ring(&self, pair: (Entity, Entity)) -> Option<u8> {
        let (viewer, target) = (&self.bodies[&pair.0], &self.bodies[&pair.1]);
        let mut radii: Vec<f32> = Vec::new();
        for &radius in viewer.rings.as_ref()? {
            if radius > radii.last().copied().unwrap_or(0.0) {
                radii.push(radius);
            }
        }
        let margin = or_zero(viewer.viewer.unwrap().leave_margin);
        let squared = self.squared(target.place.unwrap() - viewer.place.unwrap());
        let within = |radius: f32| squared <= radius * radius;
        let ring = radii.iter().position(|&radius| within(radius));
        let ring = ring.unwrap_or(radii.len());
        match self.rings.get(&pair).map(|&had| usize::from(had)) {
            Some(had) if had < ring && within(radii[had] + margin) => Some(had as u8),
            _ => Some(ring as u8),
        }
    }

    /// Those who can be seen at all (2).
    pub fn targets(&self) -> impl Iterator<Item = &Body> {
        let bodies = self.bodies.values();
        bodies.filter(|body| body.target.is_some() && self.present(body))
    }

    /// Those who see (2), blind ones included.
    pub fn viewers(&self) -> impl Iterator<Item = &Body> {
        let bodies = self.bodies.values();
        bodies.filter(|body| body.viewer.is_some() && self.present(body))
    }

    /// Those with a component of ours that only their position keeps out (2).
    pub fn invalid(&self) -> impl Iterator<Item = &Body> {
        self.bodies.values().filter(|body| {
            (body.viewer.is_some() || body.target.is_some())
                && !body.disabled
                && body.place.is_some()
                && !self.present(body)
        })
    }

    /// The targets of `space` on a layer of `mask` for which `fits` holds, given where they stand
    /// on the plane (26). Ascending.
    pub fn ask(&self, space: u32, mask: u32, fits: impl Fn(Entity, &[f32]) -> bool) -> Vec<Entity> {
        self.targets()
            .filter(|body| body.space == space && body.target.unwrap().layers & mask != 0)
            .filter(|body| fits(body.id, &self.on_plane(body.place.unwrap())))
            .map(|body| body.id)
            .collect()
    }

    /// `at` as the coordinates that count, in axis order.
    pub fn on_plane(&self, at: Vec3) -> Vec<f32> {
        self.axes.iter().map(|&axis| at[axis]).collect()
    }

    /// Whether the entity may be in V at all, its component aside (2).
    fn present(&self, body: &Body) -> bool {
        let place = body.place.filter(|_| !body.disabled);
        place.is_some_and(|at| self.axes.iter().all(|&axis| at[axis].is_finite()))
    }

    /// (6) to (10).
    fn reaches(&self, viewer: &Body, eyes: &AoiViewer, target: &Body) -> bool {
        // The radius plays no part in a box.
        let boxed = matches!(eyes.shape, ViewShape::Box { .. });
        if !boxed && (eyes.radius.is_nan() || eyes.radius <= 0.0) {
            return false;
        }
        let extra = or_zero(target.target.unwrap().extra_range);
        let d = target.place.unwrap() - viewer.place.unwrap();
        let within = |margin: f32| {
            let r = (eyes.radius + extra) + margin;
            match eyes.shape {
                ViewShape::Square => self.axes.iter().all(|&axis| d[axis].abs() <= r),
                ViewShape::Box { half } => self
                    .axes
                    .iter()
                    .all(|&axis| d[axis].abs() <= (or_zero(half[axis]) + extra) + margin),
                ViewShape::Cylinder { half_height } if self.axes.len() == 3 => {
                    d.x * d.x + d.z * d.z <= r * r && d.y.abs() <= or_zero(half_height) + margin
                }
                ViewShape::Round | ViewShape::Cylinder { .. } => self.squared(d) <= r * r,
            }
        };
        within(0.0)
            || within(or_zero(eyes.leave_margin)) && self.view.contains_key(&(viewer.id, target.id))
    }

    /// (8)
    fn squared(&self, d: Vec3) -> f32 {
        let mut squares = self.axes.iter().map(|&axis| d[axis] * d[axis]);
        let first = squares.next().unwrap();
        squares.fold(first, |sum, square| sum + square)
    }

    /// (12): who of `near` has a place, and who has none.
    fn capped<'a>(
        &self,
        viewer: &Body,
        eyes: &AoiViewer,
        near: Vec<&'a Body>,
    ) -> (Vec<&'a Body>, Vec<&'a Body>) {
        let Some(n) = eyes.max_targets else {
            return (near, Vec::new());
        };
        let n = n as usize;
        let margin = or_zero(eyes.leave_margin);
        // Nearest first, ties by `Entity`.
        let rank = |target: &Body| {
            let d = target.place.unwrap() - viewer.place.unwrap();
            (self.squared(d).sqrt(), target.id)
        };
        let by_rank = |targets: &mut Vec<&Body>| {
            targets.sort_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap());
        };

        let (mut inside, mut outside): (Vec<_>, Vec<_>) = near
            .into_iter()
            .partition(|target| self.view.contains_key(&(viewer.id, target.id)));
        by_rank(&mut inside);
        outside.extend(inside.split_off(n.min(inside.len())));
        by_rank(&mut outside);
        while inside.len() < n && !outside.is_empty() {
            inside.push(outside.remove(0));
        }
        loop {
            by_rank(&mut inside);
            by_rank(&mut outside);
            let (Some(&nearest), Some(&farthest)) = (outside.first(), inside.last()) else {
                break;
            };
            if rank(nearest).0 + margin < rank(farthest).0 {
                inside.pop();
                inside.push(nearest);
                outside[0] = farthest;
            } else {
                break;
            }
        }
        (inside, outside)
    }

    /// (17): the first that holds.
    fn reason(&self, pair: (Entity, Entity), held: bool, evicted: bool) -> LeaveReason {
        let (Some(viewer), Some(target)) = (self.bodies.get(&pair.0), self.bodies.get(&pair.1))
        else {
            return LeaveReason::Despawned;
        };
        let (Some(eyes), Some(looks)) = (
            viewer.viewer.filter(|_| self.present(viewer)),
            target.target.filter(|_| self.present(target)),
        ) else {
            return LeaveReason::Removed;
        };
        if held || viewer.space != target.space || eyes.sees & looks.layers == 0 {
            // One that a pin or `AlwaysInView` held and that is not in view has lost it.
            LeaveReason::Filtered
        } else if evicted {
            LeaveReason::Evicted
        } else {
            LeaveReason::OutOfRange
        }
    }
}

/// (9): a margin, extra range or half height that is negative or NaN counts as 0.
fn or_zero(length: f32) -> f32 {
    if length > 0.0 { length } else { 0.0 }
}
