//! Plays scenario files on a real `App` and compares what is told with what the file expects.
//!
//! A scenario is a short script of operations on entities, with the messages that each update must
//! write; `tests/cases/README.md` defines the format and `tests/cases/scenario_oracle.py` is a second,
//! brute-force interpreter of it.
//!
//! One file must tell the same whatever the app around it, so a [`Setup`] says in which schedule the
//! plugin runs, with which other plugins, and below which root the entities hang. A hook that is called
//! after each update lets other tests check more in the same runs.

use bevy::{
    app::FixedPostUpdate,
    ecs::{component::Mutable, entity_disabling::Disabled, message::MessageCursor},
    prelude::*,
    time::TimeUpdateStrategy,
};
use bevy_aoi::prelude::*;
use std::collections::{BTreeMap, HashMap};

#[path = "scenario_compare.rs"]
mod compare;
#[path = "scenario_format.rs"]
mod format;

pub use compare::Told;
use format::{Number, Step, is_id};
pub use format::{Plane, Scenario};

/// What surrounds the entities of a scenario; none of it may change a message.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// The plugin runs in `FixedPostUpdate`, one timestep per update, instead of in `PostUpdate`.
    pub fixed: bool,
    /// Bevy's `TransformPlugin` is there, as with `DefaultPlugins`.
    pub transform_plugin: bool,
    /// What the entities without a parent hang on.
    pub root: Root,
}

/// What the entities of a scenario that have no parent hang on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// Nothing.
    None,
    /// One entity far from the origin, at coordinates that cost small numbers their last bits.
    Shifted,
    /// One entity that is rotated and stretched, while all local translations are rotated and stretched
    /// back. Axes change places and the factors are powers of two, so that the entities stand in the world
    /// where the file says, to the last bit.
    Turned,
}

/// What is called after each update, with its messages; an error is a failure of the scenario.
pub type Hook<'a> = &'a mut dyn FnMut(&mut Run, &Told) -> Result<(), String>;

/// An app in which a scenario is played.
pub struct Run {
    /// The app, for hooks to look into.
    pub app: App,
    plane: Plane,
    setup: Setup,
    root: Option<Entity>,
    /// Every entity that ever was, with its name; several may have had the same one.
    names: BTreeMap<Entity, String>,
    newest: HashMap<String, Entity>,
    enters: MessageCursor<EnterView>,
    leaves: MessageCursor<LeaveView>,
}

impl Run {
    /// An app without entities, up to the root of the set-up, ready for the first step.
    pub fn new(plane: Plane, setup: Setup) -> Self {
        let plugin = match plane {
            Plane::Xy => AoiPlugin::xy(),
            Plane::Xz => AoiPlugin::xz(),
            Plane::Xyz => AoiPlugin::xyz(),
        };
        let mut app = App::new();
        app.add_plugins(MinimalPlugins);
        if setup.transform_plugin {
            app.add_plugins(TransformPlugin);
        }
        if setup.fixed {
            app.add_plugins(plugin.in_schedule(FixedPostUpdate))
                .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        } else {
            app.add_plugins(plugin);
        }
        let root = match setup.root {
            Root::None => None,
            Root::Shifted => Some(Transform::from_translation(match plane {
                Plane::Xz => Vec3::new(-1000.5, 0.0, -0.25),
                Plane::Xy | Plane::Xyz => Vec3::new(-1000.5, -0.25, 0.0),
            })),
            Root::Turned => Some(Transform {
                rotation: TURN,
                scale: STRETCH,
                ..default()
            }),
        };
        let root = root.map(|transform| app.world_mut().spawn(transform).id());
        if setup.fixed {
            // No time has passed in the first frame, so it has no timestep.
            app.update();
        }
        Self {
            enters: app
                .world()
                .resource::<Messages<EnterView>>()
                .get_cursor_current(),
            leaves: app
                .world()
                .resource::<Messages<LeaveView>>()
                .get_cursor_current(),
            app,
            plane,
            setup,
            root,
            names: BTreeMap::new(),
            newest: HashMap::new(),
        }
    }

    /// Plays all steps. The failures say in which step, and what is different.
    pub fn play(&mut self, scenario: &Scenario, hook: Hook) -> Result<(), Vec<String>> {
        let mut failures = Vec::new();
        if let Err(broken) = self.steps(&scenario.steps, "", hook, &mut failures) {
            failures.push(broken);
        }
        if failures.is_empty() {
            Ok(())
        } else {
            Err(failures)
        }
    }

    /// One update, outside of the script; what it tells.
    pub fn update(&mut self) -> Told {
        self.app.update();
        let world = self.app.world();
        let (enters, leaves) = (world.resource(), world.resource());
        Told {
            entered: self.enters.read(enters).copied().collect(),
            left: self.leaves.read(leaves).copied().collect(),
        }
    }

    /// The plane that is played on.
    pub fn plane(&self) -> Plane {
        self.plane
    }

    /// All entities that the script has ever spawned, dead ones included, by `Entity`.
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.names.keys().copied()
    }

    /// What the script calls an entity, or called it when it lived.
    pub fn name(&self, entity: Entity) -> String {
        self.names
            .get(&entity)
            .cloned()
            .unwrap_or_else(|| format!("{entity}?"))
    }

    fn steps(
        &mut self,
        steps: &[Step],
        prefix: &str,
        hook: Hook,
        failures: &mut Vec<String>,
    ) -> Result<(), String> {
        for (i, step) in steps.iter().enumerate() {
            let place = format!("{prefix}step {i}");
            match step {
                Step::Repeat { n, steps, .. } => {
                    for round in 0..*n {
                        self.steps(steps, &format!("{place}, round {round}, "), hook, failures)?;
                    }
                }
                Step::Tick {
                    expect,
                    views,
                    watchers,
                    n,
                } => {
                    for _ in 0..*n {
                        let told = self.update();
                        let mut differences = self.compare_messages(&told, expect);
                        differences.extend(compare::out_of_order(&told));
                        self.compare_lists::<InView>("views", views, &mut differences)
                            .and_then(|()| {
                                self.compare_lists::<SeenBy>("watchers", watchers, &mut differences)
                            })
                            .map_err(|broken| format!("{place}: {broken}"))?;
                        differences.extend(hook(self, &told).err());
                        failures.extend(differences.iter().map(|text| format!("{place}: {text}")));
                    }
                }
                _ => self
                    .apply(step)
                    .map_err(|broken| format!("{place}: {broken}"))?,
            }
        }
        Ok(())
    }

    /// One operation on the entities; an error if the script asks for what cannot be.
    fn apply(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Spawn { .. } => self.spawn(step)?,
            Step::Move { id, to } => {
                let translation = self.translation(to)?;
                self.part::<Transform>(id)?.translation = translation;
            }
            Step::Touch { id } => {
                let same = self.part::<Transform>(id)?.translation;
                self.part::<Transform>(id)?.translation = same;
            }
            Step::Despawn { id } => self.living(id)?.despawn(),
            Step::SetViewer { id, viewer } => {
                self.living(id)?.insert(viewer.component());
            }
            Step::RemoveViewer { id } => {
                self.living(id)?.remove::<AoiViewer>();
            }
            Step::SetTarget { id, target } => {
                self.living(id)?
                    .insert(target.component())
                    .insert_if_new(SeenBy::default());
            }
            Step::RemoveTarget { id } => {
                self.living(id)?.remove::<AoiTarget>();
            }
            Step::SetSpace {
                id,
                space: Some(space),
            } => {
                self.living(id)?.insert(AoiSpace(*space));
            }
            Step::SetSpace { id, space: None } => {
                self.living(id)?.remove::<AoiSpace>();
            }
            Step::SetPins { id, pins } => {
                let pins = self.pins(pins)?;
                self.living(id)?.insert(pins);
            }
            Step::SetAlways { id, always: true } => {
                self.living(id)?.insert(AlwaysInView);
            }
            Step::SetAlways { id, always: false } => {
                self.living(id)?.remove::<AlwaysInView>();
            }
            Step::Disable { id } => {
                self.living(id)?.insert(Disabled);
            }
            Step::Enable { id } => {
                self.living(id)?.remove::<Disabled>();
            }
            Step::SetParent { id, parent } => {
                let parent = self.living(parent)?.id();
                self.living(id)?.insert(ChildOf(parent));
            }
            Step::ClearParent { id } => {
                match self.root {
                    Some(root) => self.living(id)?.insert(ChildOf(root)),
                    None => self.living(id)?.remove::<ChildOf>(),
                };
            }
            Step::Tick { .. } | Step::Repeat { .. } => unreachable!("these run other steps"),
        }
        Ok(())
    }

    fn spawn(&mut self, step: &Step) -> Result<(), String> {
        let Step::Spawn {
            id,
            at,
            viewer,
            target,
            space,
            parent,
            pins,
            always,
        } = step
        else {
            unreachable!("only called with a spawn");
        };
        if !is_id(id) || self.living(id).is_ok() {
            return Err(format!("cannot spawn {id:?}"));
        }
        let translation = self.translation(at)?;
        let parent = match parent {
            Some(parent) => Some(self.living(parent)?.id()),
            None => self.root,
        };
        let transform = Transform::from_translation(translation);
        let entity = self
            .app
            .world_mut()
            .spawn((transform, GlobalTransform::default()))
            .id();
        self.names.insert(entity, id.clone());
        self.newest.insert(id.clone(), entity);
        // After the entity has its name: it may pin itself.
        let pins = (!pins.is_empty()).then(|| self.pins(pins)).transpose()?;

        let mut entity = self.living(id)?;
        if let Some(parent) = parent {
            entity.insert(ChildOf(parent));
        }
        if let Some(viewer) = viewer {
            entity.insert(viewer.component());
        }
        if let Some(target) = target {
            entity.insert((target.component(), SeenBy::default()));
        }
        if let Some(space) = space {
            entity.insert(AoiSpace(*space));
        }
        if let Some(pins) = pins {
            entity.insert(pins);
        }
        if *always {
            entity.insert(AlwaysInView);
        }
        Ok(())
    }

    /// The newest entity of a name, which must be alive.
    fn living(&mut self, id: &str) -> Result<EntityWorldMut<'_>, String> {
        let entity = self.newest.get(id);
        entity
            .and_then(|entity| self.app.world_mut().get_entity_mut(*entity).ok())
            .ok_or_else(|| format!("no living entity {id:?}"))
    }

    /// A component of the newest entity of a name, to be written.
    fn part<C: Component<Mutability = Mutable>>(&mut self, id: &str) -> Result<Mut<'_, C>, String> {
        let missing = format!("{id:?} lacks a component");
        self.living(id)?.into_mut::<C>().ok_or(missing)
    }

    /// Pins to the entities that bear these names now, dead ones too.
    fn pins(&self, names: &[String]) -> Result<AoiPins, String> {
        let pin = |name: &String| {
            self.newest
                .get(name)
                .copied()
                .ok_or_else(|| format!("no entity ever was {name:?}"))
        };
        names.iter().map(pin).collect()
    }

    /// The local translation that stands for coordinates of the file.
    fn translation(&self, at: &[Number]) -> Result<Vec3, String> {
        let at = match (self.plane, at) {
            (_, &[Number(x), Number(y), Number(z)]) => Vec3::new(x, y, z),
            (Plane::Xy, &[Number(x), Number(y)]) => Vec3::new(x, y, 0.0),
            (Plane::Xz, &[Number(x), Number(z)]) => Vec3::new(x, 0.0, z),
            _ => {
                return Err(format!(
                    "{} coordinates on the plane {:?}",
                    at.len(),
                    self.plane
                ));
            }
        };
        Ok(match self.setup.root {
            Root::None => at,
            Root::Shifted => self.finite_off_plane(at),
            Root::Turned => {
                let at = self.finite_off_plane(at);
                Vec3::new(at.y, at.z, at.x) / STRETCH
            }
        })
    }

    /// In Bevy's matrices an infinite coordinate of a child, times 0, makes all of its world position NaN.
    /// So below a root a coordinate that does not count may be anything but that: here it is just huge.
    fn finite_off_plane(&self, mut at: Vec3) -> Vec3 {
        for axis in 0..3 {
            if !self.plane.axes().contains(&axis) && !at[axis].is_finite() {
                at[axis] = 1e30;
            }
        }
        at
    }
}

/// Turns x to y, y to z and z to x. All numbers in its matrix are exactly 0 and 1.
const TURN: Quat = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
const STRETCH: Vec3 = Vec3::new(2.0, 0.5, 4.0);
