//! Any method as a Bevy system: changed transforms in, messages and lists of who is in view out.

use crate::{
    Changes, Method,
    app::{Told, people::Dress},
    world::{Member, World as Flat},
};
use bevy::{prelude::*, transform::TransformSystems};

/// Which member an entity is.
#[derive(Component, Debug, Clone, Copy)]
pub struct Number(u32);

/// Whom a viewer has in view, as the method orders them.
#[derive(Component, Debug, Default)]
pub struct Seen(Vec<Entity>);

impl Seen {
    pub fn as_slice(&self) -> &[Entity] {
        &self.0
    }

    /// For methods that do not keep views: puts one in its place, or takes it out.
    fn change(&mut self, target: Entity, came: bool) {
        match self.0.binary_search(&target) {
            Err(at) if came => self.0.insert(at, target),
            Ok(at) if !came => {
                self.0.remove(at);
            }
            _ => {}
        }
    }
}

#[derive(Message, Debug, Clone, Copy)]
pub struct Entered {
    pub viewer: Entity,
    pub target: Entity,
}

#[derive(Message, Debug, Clone, Copy)]
pub struct Left {
    pub viewer: Entity,
    pub target: Entity,
}

/// Numbers on all, lists on viewers.
pub struct Numbered;

impl Dress for Numbered {
    type Target = Number;
    type Viewer = Seen;

    fn target(id: u32, _: &Member) -> Number {
        Number(id)
    }

    fn viewer(_: &Member, _: f32) -> Seen {
        Seen::default()
    }
}

/// The method and its input.
struct Rival {
    method: Box<dyn Method>,
    /// What each member is, is known from the start.
    flat: Flat,
    changes: Changes,
    /// By number.
    entities: Vec<Entity>,
    /// By index of the entity.
    numbers: Vec<u32>,
    /// By viewer: the last update in which its view changed.
    touched: Vec<u32>,
    updates: u32,
}

/// Adds a method. `flat` is the world without anybody present.
pub fn add(app: &mut App, method: Box<dyn Method>, flat: &Flat) {
    let members = flat.members.len();
    app.add_message::<Entered>()
        .add_message::<Left>()
        .insert_non_send(Rival {
            method,
            flat: flat.clone(),
            changes: Changes::default(),
            entities: vec![Entity::PLACEHOLDER; members],
            numbers: Vec::new(),
            touched: vec![0; members],
            updates: 0,
        })
        .add_systems(
            PostUpdate,
            (gather, tell)
                .chain()
                .after(TransformSystems::Propagate)
                .after(super::propagate),
        )
        .add_systems(Last, count);
}

/// Who came, moved and went.
fn gather(
    mut rival: NonSendMut<Rival>,
    changed: Query<(Entity, &Number, &GlobalTransform), Changed<GlobalTransform>>,
    mut gone: RemovedComponents<Number>,
) {
    let Rival {
        flat,
        entities,
        numbers,
        ..
    } = &mut *rival;
    flat.came.clear();
    flat.moved.clear();
    flat.went.clear();
    for entity in gone.read() {
        let id = numbers[entity.index_u32() as usize];
        flat.members[id as usize].present = false;
        flat.went.push(id);
    }
    for (entity, &Number(id), transform) in &changed {
        let at = transform.translation();
        let (at, held) = ([at.x, at.y], &mut flat.positions[id as usize]);
        let member = &mut flat.members[id as usize];
        if !member.present {
            member.present = true;
            flat.came.push(id);
            entities[id as usize] = entity;
            let index = entity.index_u32() as usize;
            if index >= numbers.len() {
                numbers.resize(index + 1, 0);
            }
            numbers[index] = id;
        } else if at != *held {
            flat.moved.push(id);
        }
        *held = at;
    }
    for ids in [&mut flat.came, &mut flat.moved, &mut flat.went] {
        if !ids.is_sorted() {
            ids.sort_unstable();
        }
    }
}

/// What that changed: the lists first, then the messages.
fn tell(
    mut rival: NonSendMut<Rival>,
    mut lists: Query<&mut Seen>,
    mut entered: MessageWriter<Entered>,
    mut left: MessageWriter<Left>,
) {
    let Rival {
        method,
        flat,
        changes,
        entities,
        touched,
        updates,
        ..
    } = &mut *rival;
    changes.clear();
    *updates += 1;
    method.update(flat, changes);
    let entity = |id: u32| entities[id as usize];
    for (pairs, came) in [(&changes.left, false), (&changes.entered, true)] {
        for &(viewer, target) in pairs {
            let Some(view) = method.in_view(viewer) else {
                if let Ok(mut list) = lists.get_mut(entity(viewer)) {
                    list.change(entity(target), came);
                }
                continue;
            };
            if std::mem::replace(&mut touched[viewer as usize], *updates) == *updates {
                continue;
            }
            if let Ok(mut list) = lists.get_mut(entity(viewer)) {
                list.0.clear();
                list.0.extend(view.iter().map(|&target| entity(target)));
            }
        }
    }
    left.write_batch(changes.left.iter().map(|&(viewer, target)| Left {
        viewer: entity(viewer),
        target: entity(target),
    }));
    entered.write_batch(changes.entered.iter().map(|&(viewer, target)| Entered {
        viewer: entity(viewer),
        target: entity(target),
    }));
}

fn count(
    mut told: ResMut<Told>,
    mut entered: MessageReader<Entered>,
    mut left: MessageReader<Left>,
) {
    told.0 += (entered.read().count() + left.read().count()) as u64;
}
