//! [`Store`]: all spaces of a plane or of a world, and which entity is which member of them.

use bevy::{
    ecs::entity::{EntityGeneration, EntityHashMap, EntityHashSet},
    platform::collections::HashMap,
    prelude::*,
};
use smallvec::SmallVec;
use std::collections::BTreeSet;

use crate::{
    AoiSpace, AoiTarget, AoiViewer, ViewShape,
    crosslink::{Buffer, CrossLink, Id, Member, Shape, Target, Viewer},
};

/// One of two iterators.
pub(crate) enum Either<A, B> {
    A(A),
    B(B),
}

impl<T, A: Iterator<Item = T>, B: Iterator<Item = T>> Iterator for Either<A, B> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match self {
            Self::A(a) => a.next(),
            Self::B(b) => b.next(),
        }
    }
}

/// The entities of some members of a space; none if there is no such space.
struct Entities<'a, I> {
    ids: Option<I>,
    entities: &'a [Entity],
}

impl<'a, I: Iterator<Item = Id>> Entities<'a, I> {
    pub fn new<const D: usize>(
        space: Option<&'a Space<D>>,
        ids: impl FnOnce(&'a CrossLink<D>) -> I,
    ) -> Self {
        Self {
            ids: space.map(|space| ids(&space.link)),
            entities: space.map_or(&[], |space| &space.entities),
        }
    }
}

impl<I: Iterator<Item = Id>> Iterator for Entities<'_, I> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        let id = self.ids.as_mut()?.next()?;
        Some(self.entities[id as usize])
    }
}

/// All spaces, and what is known of the members beyond positions.
///
/// An entity is a member while it takes part. Its [`Id`] belongs to its space; an id that became
/// free is given away again only after the update has told of its former owner.
pub(crate) struct Store<const D: usize> {
    axes: [usize; D],
    numbers: HashMap<AoiSpace, u32>,
    pub spaces: Vec<Space<D>>,
    free: Vec<u32>,
    /// By the index of the entity, whichever its generation, which is kept beside.
    places: Vec<(EntityGeneration, Place)>,
    pub members: usize,
    pub viewers: usize,
    pub targets: usize,
    /// Targets that are always in view, ascending.
    pub always: BTreeSet<Entity>,
    /// Viewers with pins.
    pub pins: EntityHashMap<Pins>,
    /// Viewers with a cap.
    pub caps: EntityHashMap<u32>,
    /// Members as they were at the last update, of those that were changed since, moves apart. Sorted
    /// by [`order`](Self::order), once all are known.
    pub before: Buffer<(Entity, Before<D>)>,
    /// Whether anybody became a member since the last update.
    pub newcomers: bool,
    /// Entities left out at present because their position is not finite.
    pub invalid: EntityHashSet,
    /// Ids to be freed when the update has been told.
    gone: Vec<Place>,
}

pub(crate) type Pins = SmallVec<[Entity; 4]>;

pub(crate) struct Space<const D: usize> {
    pub number: AoiSpace,
    pub link: CrossLink<D>,
    /// By id.
    pub entities: Vec<Entity>,
    free: Vec<Id>,
    /// To be members once [`Store::apply`] was called.
    coming: Buffer<(Id, [f32; D], Option<Member<D>>)>,
    /// No members any more once it was.
    leaving: Buffer<Id>,
}

/// A member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub space: u32,
    pub id: Id,
}

const NOWHERE: Place = Place {
    space: u32::MAX,
    id: 0,
};

/// What a member is to be.
#[derive(Debug, Clone)]
pub(crate) struct Wanted<const D: usize> {
    pub space: AoiSpace,
    pub at: [f32; D],
    pub member: Member<D>,
    pub always: bool,
    pub pins: Pins,
    pub cap: Option<u32>,
}

/// What decided about overrides at the last update.
#[derive(Debug, Clone)]
pub(crate) struct Before<const D: usize> {
    /// How many were noted before.
    turn: u32,
    pub at: Option<[f32; D]>,
    pub space: u32,
    pub sees: u32,
    pub layers: u32,
    pub always: bool,
    pub pins: Box<[Entity]>,
}

impl<const D: usize> Space<D> {
    pub fn spawn_id(&mut self, entity: Entity) -> Id {
        match self.free.pop() {
            Some(id) => {
                self.entities[id as usize] = entity;
                id
            }
            None => {
                self.entities.push(entity);
                self.entities.len() as Id - 1
            }
        }
    }
}

impl<const D: usize> Store<D> {
    pub fn new(axes: [usize; D]) -> Self {
        Self {
            axes,
            numbers: HashMap::default(),
            spaces: Vec::new(),
            free: Vec::new(),
            places: Vec::new(),
            members: 0,
            viewers: 0,
            targets: 0,
            always: BTreeSet::new(),
            pins: EntityHashMap::default(),
            caps: EntityHashMap::default(),
            before: Buffer::default(),
            newcomers: false,
            invalid: EntityHashSet::default(),
            gone: Vec::new(),
        }
    }

    /// The coordinates on the plane.
    #[inline]
    pub fn project(&self, at: Vec3) -> [f32; D] {
        let at = at.to_array();
        self.axes.map(|axis| at[axis])
    }

    /// The point in the world; 0 on an axis off the plane.
    pub fn unproject(&self, at: [f32; D]) -> Vec3 {
        let mut point = Vec3::ZERO;
        for (axis, x) in self.axes.into_iter().zip(at) {
            point[axis] = x;
        }
        point
    }

    /// The world axes of the plane.
    pub fn axes(&self) -> [usize; D] {
        self.axes
    }

    /// The spaces in use.
    pub fn numbers(&self) -> impl Iterator<Item = AoiSpace> + '_ {
        self.numbers.keys().copied()
    }

    /// The member that `entity` is.
    #[inline]
    pub fn place(&self, entity: Entity) -> Option<Place> {
        let &(generation, place) = self.places.get(entity.index_u32() as usize)?;
        (generation == entity.generation() && place.space != NOWHERE.space).then_some(place)
    }

    pub fn link(&self, place: Place) -> &CrossLink<D> {
        &self.spaces[place.space as usize].link
    }

    /// The space a member is in.
    pub fn number(&self, place: Place) -> AoiSpace {
        self.spaces[place.space as usize].number
    }

    pub fn space(&self, number: AoiSpace) -> Option<&Space<D>> {
        let index = self.numbers.get(&number)?;
        Some(&self.spaces[*index as usize])
    }

    pub fn neighbors(
        &self,
        entity: Entity,
        radius: f32,
        mask: Option<u32>,
    ) -> impl Iterator<Item = Entity> + '_ {
        let place = self.place(entity);
        let space = place.map(|place| &self.spaces[place.space as usize]);
        let own = place.map_or(Id::MAX, |place| place.id);
        Entities::new(space, move |link| {
            let center = link.position(own).unwrap_or([f32::NAN; D]);
            link.targets_within(center, radius, mask)
                .filter(move |&id| id != own)
        })
    }

    pub fn in_radius(
        &self,
        space: AoiSpace,
        center: Vec3,
        radius: f32,
        mask: Option<u32>,
    ) -> impl Iterator<Item = Entity> + '_ {
        let center = self.project(center);
        Entities::new(self.space(space), move |link| {
            link.targets_within(center, radius, mask)
        })
    }

    pub fn viewers_within(
        &self,
        space: AoiSpace,
        center: Vec3,
        radius: f32,
    ) -> impl Iterator<Item = Entity> + '_ {
        let center = self.project(center);
        Entities::new(self.space(space), move |link| {
            link.viewers_within(center, radius)
        })
    }

    pub fn in_box(
        &self,
        space: AoiSpace,
        min: Vec3,
        max: Vec3,
        mask: Option<u32>,
    ) -> impl Iterator<Item = Entity> + '_ {
        let (min, max) = (self.project(min), self.project(max));
        Entities::new(self.space(space), move |link| {
            link.targets_in_box(min, max, mask)
        })
    }

    /// Makes `entity` a member, or the member it is into what it is to be. New ones are members once
    /// [`apply`](Self::apply) was called.
    pub fn put(&mut self, entity: Entity, wanted: &Wanted<D>) {
        if let Some(place) = self.place(entity) {
            if self.spaces[place.space as usize].number == wanted.space {
                self.change(entity, place, wanted);
                return;
            }
            self.take(entity);
        }
        let index = entity.index_u32() as usize;
        if index >= self.places.len() {
            let nobody = (EntityGeneration::FIRST, NOWHERE);
            self.places.resize(index + 1, nobody);
        }
        // Whoever had the index before is gone, even if no observer said so.
        let before = self.places[index].1;
        if let Some(space) = self.spaces.get(before.space as usize) {
            self.take(space.entities[before.id as usize]);
        }
        let space = self.space_index(wanted.space);
        let id = self.spaces[space as usize].spawn_id(entity);
        let place = Place { space, id };
        self.places[index] = (entity.generation(), place);
        self.note(entity, wanted);
        self.members += 1;
        self.viewers += usize::from(wanted.member.viewer.is_some());
        self.targets += usize::from(wanted.member.target.is_some());
        let coming = &mut self.spaces[space as usize].coming;
        coming.push((id, wanted.at, Some(wanted.member)));
    }

    /// Takes out of the structures whom [`take`](Self::take) took, and adds whom [`put`](Self::put)
    /// found to be new; many in one space sort once.
    pub fn apply(&mut self) {
        for space in &mut self.spaces {
            if !space.leaving.is_empty() {
                space.link.remove_many(&space.leaving);
                space.leaving.recycle();
            }
            if !space.coming.is_empty() {
                self.newcomers = true;
                let count = space.coming.len();
                space.link.insert_members(&mut space.coming);
                space.coming.used(count);
            }
        }
    }

    /// Changes a member that stays in its space.
    pub fn change(&mut self, entity: Entity, place: Place, wanted: &Wanted<D>) {
        let link = &self.spaces[place.space as usize].link;
        let had = (link.viewer(place.id), link.target(place.id));
        let pins = self.pins.get(&entity);
        let same = had == (wanted.member.viewer, wanted.member.target)
            && self.always.contains(&entity) == wanted.always
            && self.caps.get(&entity).copied() == wanted.cap
            && pins.map_or(&[][..], |pins| pins.as_slice()) == wanted.pins.as_slice();
        if !same {
            self.remember(entity, place);
            self.note(entity, wanted);
            let (viewer, target) = had;
            self.viewers += usize::from(wanted.member.viewer.is_some());
            self.viewers -= usize::from(viewer.is_some());
            self.targets += usize::from(wanted.member.target.is_some());
            self.targets -= usize::from(target.is_some());
        }
        let link = &mut self.spaces[place.space as usize].link;
        if !same {
            link.set_member(place.id, wanted.member);
        }
        link.move_to(place.id, wanted.at);
    }

    /// Ends the membership of an entity, if it is one; in the structure once [`apply`](Self::apply) was
    /// called.
    pub fn take(&mut self, entity: Entity) {
        let Some(place) = self.place(entity) else {
            return;
        };
        self.remember(entity, place);
        let space = &mut self.spaces[place.space as usize];
        self.viewers -= usize::from(space.link.viewer(place.id).is_some());
        self.targets -= usize::from(space.link.target(place.id).is_some());
        self.members -= 1;
        space.leaving.push(place.id);
        self.always.remove(&entity);
        self.pins.remove(&entity);
        self.caps.remove(&entity);
        self.places[entity.index_u32() as usize].1 = NOWHERE;
        self.gone.push(place);
    }

    /// Writes down what decides about overrides and caps.
    pub fn note(&mut self, entity: Entity, wanted: &Wanted<D>) {
        if wanted.always {
            self.always.insert(entity);
        } else {
            self.always.remove(&entity);
        }
        if wanted.pins.is_empty() {
            self.pins.remove(&entity);
        } else {
            self.pins.insert(entity, wanted.pins.clone());
        }
        match wanted.cap {
            Some(cap) => self.caps.insert(entity, cap),
            None => self.caps.remove(&entity),
        };
    }

    /// Keeps what a member was at the last update; if that is done several times, the first counts.
    pub fn remember(&mut self, entity: Entity, place: Place) {
        let link = self.link(place);
        if link.is_new(place.id) {
            return;
        }
        let before = Before {
            turn: self.before.len() as u32,
            at: link.settled_position(place.id),
            space: place.space,
            sees: link.viewer(place.id).map_or(0, |viewer| viewer.sees),
            layers: link.target(place.id).map_or(0, |target| target.layers),
            always: self.always.contains(&entity),
            pins: (self.pins.get(&entity)).map_or_else(Box::default, |pins| pins.as_slice().into()),
        };
        self.before.push((entity, before));
    }

    /// Sorts what was remembered, so that it can be found.
    pub fn order(&mut self) {
        let order = |entry: &(Entity, Before<D>)| (entry.0, entry.1.turn);
        if !self.before.is_sorted_by_key(order) {
            self.before.sort_unstable_by_key(order);
        }
        self.before.dedup_by_key(|entry| entry.0);
    }

    /// What a member was at the last update, if it was one and was changed since.
    pub fn before(&self, entity: Entity) -> Option<&Before<D>> {
        let at = self.before.binary_search_by_key(&entity, |entry| entry.0);
        at.ok().map(|at| &self.before[at].1)
    }

    /// Whether there is a [`before`](Self::before). `next` is the place behind the last one that was
    /// found: where many are asked for in their order, which is so when all go at once, none is searched.
    pub fn has_before(&self, entity: Entity, next: &mut usize) -> bool {
        if self.before.get(*next).is_none_or(|entry| entry.0 != entity) {
            let at = self.before.binary_search_by_key(&entity, |entry| entry.0);
            let Ok(at) = at else { return false };
            *next = at;
        }
        *next += 1;
        true
    }

    /// Whether an entity is a member that was none at the last update. Known until the structure has
    /// been asked for changes.
    pub fn is_newborn(&self, entity: Entity) -> bool {
        self.place(entity)
            .is_some_and(|place| self.link(place).is_new(place.id))
            && self.before(entity).is_none()
    }

    pub fn space_index(&mut self, number: AoiSpace) -> u32 {
        if let Some(&index) = self.numbers.get(&number) {
            return index;
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.spaces.push(Space {
                number,
                link: CrossLink::new(),
                entities: Vec::new(),
                free: Vec::new(),
                coming: Buffer::default(),
                leaving: Buffer::default(),
            });
            self.spaces.len() as u32 - 1
        });
        self.spaces[index as usize].number = number;
        self.numbers.insert(number, index);
        index
    }

    /// Forgets what was needed to tell of this update.
    pub fn settle(&mut self) {
        self.before.recycle();
        self.newcomers = false;
        for space in &mut self.spaces {
            space.coming.used(0);
            space.leaving.used(0);
        }
        for Place { space, id } in self.gone.drain(..) {
            let index = space;
            let space = &mut self.spaces[space as usize];
            space.entities[id as usize] = Entity::PLACEHOLDER;
            space.free.push(id);
            if space.link.is_empty() && self.numbers.get(&space.number) == Some(&index) {
                self.numbers.remove(&space.number);
                self.free.push(index);
            }
        }
    }
}

impl<const D: usize> Wanted<D> {
    /// What the components of an entity ask for. A cap is kept beside the structure, which only
    /// has to say when anything in reach moved.
    pub fn new(
        axes: &Store<D>,
        space: Option<&AoiSpace>,
        at: [f32; D],
        viewer: Option<&AoiViewer>,
        target: Option<&AoiTarget>,
    ) -> Self {
        let cap = viewer.and_then(|viewer| viewer.max_targets);
        Self {
            space: space.copied().unwrap_or_default(),
            at,
            member: Member::new(
                viewer.map(|viewer| Viewer {
                    radius: viewer.radius,
                    leave_margin: viewer.leave_margin,
                    sees: viewer.sees,
                    shape: match viewer.shape {
                        ViewShape::Round => Shape::Round,
                        ViewShape::Square => Shape::Square,
                        ViewShape::Cylinder { half_height } => Shape::Cylinder { half_height },
                        ViewShape::Box { half } => Shape::Box {
                            half: axes.project(half),
                        },
                    },
                }),
                target.map(|target| Target {
                    layers: target.layers,
                    extra_range: target.extra_range,
                }),
                cap.is_some(),
            ),
            always: false,
            pins: Pins::new(),
            cap,
        }
    }
}
