//! A small world to tell stories in: an app with the plugin, and what each update of it told.
//!
//! Beside keeping the messages, it holds every update against what must be true of all of them,
//! so that each test is a test of these as well: the order of the messages (18), enters and leaves
//! that alternate for each pair (14), lists that are sorted, agree with what was told and are
//! up to date when the messages are read (19, 25), and change detection that fires for those whose
//! list changed and for nobody else (25). Numbers are points of `docs/semantics.md`.

use std::collections::{BTreeMap, BTreeSet};

use bevy::{
    ecs::{
        component::Mutable,
        entity_disabling::Disabled,
        query::Allow,
        schedule::{InternedScheduleLabel, ScheduleLabel},
    },
    prelude::*,
    time::TimeUpdateStrategy,
};
use bevy_aoi::prelude::*;

/// In which surroundings the plugin runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setup {
    /// `PostUpdate`, and nobody propagates transforms but the plugin.
    Minimal,
    /// `PostUpdate` beside Bevy's own `TransformPlugin`.
    Transforms,
    /// `FixedPostUpdate`, one timestep per frame, and nobody propagates transforms but the plugin.
    FixedMinimal,
    /// `FixedPostUpdate`, one timestep per frame, while `TransformPlugin` propagates in
    /// `PostUpdate`, one frame too late for us.
    FixedTransforms,
}

impl Setup {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Minimal,
        Self::Transforms,
        Self::FixedMinimal,
        Self::FixedTransforms,
    ];

    /// Those in which a frame may hold no update, or several.
    pub const FIXED: [Self; 2] = [Self::FixedMinimal, Self::FixedTransforms];

    fn is_fixed(self) -> bool {
        Self::FIXED.contains(&self)
    }

    /// The schedule that the plugin runs in.
    pub fn schedule(self) -> InternedScheduleLabel {
        if self.is_fixed() {
            FixedPostUpdate.intern()
        } else {
            PostUpdate.intern()
        }
    }
}

/// What one update told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Viewer, target and reason of each `LeaveView`, in the order told.
    pub left: Vec<(Entity, Entity, LeaveReason)>,
    /// Viewer and target of each `EnterView`, in the order told.
    pub entered: Vec<(Entity, Entity)>,
    /// Viewer and target of each `MoveInView`, and which of them moved, in the order told.
    pub moved: Vec<(Entity, Entity, Moved)>,
    /// Viewer, target and ring of each `RingChanged`, in the order told.
    pub rings: Vec<(Entity, Entity, u8)>,
}

/// An update that told nothing; the beginning of an expectation.
pub fn silence() -> Told {
    Told::default()
}

impl Told {
    /// The same and an enter, put where it belongs by (18).
    pub fn enter(mut self, viewer: Entity, target: Entity) -> Self {
        self.entered.push((viewer, target));
        self.entered.sort_unstable();
        self
    }

    /// The same and a leave, put where it belongs by (18).
    pub fn leave(mut self, viewer: Entity, target: Entity, reason: LeaveReason) -> Self {
        self.left.push((viewer, target, reason));
        self.left.sort_unstable();
        self
    }

    /// The same and a move, put where it belongs by (21).
    pub fn moves(mut self, viewer: Entity, target: Entity, moved: Moved) -> Self {
        self.moved.push((viewer, target, moved));
        self.moved.sort_unstable();
        self
    }

    /// The same and a ring, put where it belongs by (22).
    pub fn ring(mut self, viewer: Entity, target: Entity, ring: u8) -> Self {
        self.rings.push((viewer, target, ring));
        self.rings.sort_unstable();
        self
    }
}

/// A place on the plane of x and z.
pub fn at(x: f32, z: f32) -> Transform {
    Transform::from_xyz(x, 0.0, z)
}

/// An app with the plugin and a reader that keeps what is told.
pub struct Game {
    /// The app itself, for what the methods here do not cover.
    pub app: App,
}

impl Game {
    /// `AoiPlugin::xz()` in `PostUpdate` with `MinimalPlugins`.
    pub fn xz() -> Self {
        Self::new(Setup::Minimal, AoiPlugin::xz())
    }

    /// `plugin` in the surroundings of `setup`.
    pub fn new<P: AoiPosition>(setup: Setup, plugin: AoiPlugin<P>) -> Self {
        let mut app = App::new();
        app.add_plugins(MinimalPlugins);
        if matches!(setup, Setup::Transforms | Setup::FixedTransforms) {
            app.add_plugins(TransformPlugin);
        }
        app.add_plugins(plugin.in_schedule(setup.schedule()));
        Self::watch(app, setup.schedule())
    }

    /// Keeps what is told in an app that has the plugin in `schedule`.
    pub fn watch<S: ScheduleLabel>(mut app: App, schedule: S) -> Self {
        let schedule = schedule.intern();
        app.init_resource::<Kept>()
            .add_systems(schedule, keep.after(AoiSystems::Emit));
        // Time goes by the frame, so that Bevy forgets messages and runs timesteps alike each time.
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        let mut game = Self { app };
        let clock = game.app.world().resource::<Time<Real>>();
        if schedule == FixedPostUpdate.intern() && clock.last_update().is_none() {
            // The first frame only starts Bevy's clock, so it goes by without a timestep.
            let told = game.frame();
            assert!(told.is_empty(), "without a timestep there is no update");
        }
        game
    }

    /// Runs one frame that holds one update; what it told.
    #[track_caller]
    pub fn tick(&mut self) -> Told {
        let mut updates = self.frame();
        assert_eq!(updates.len(), 1, "one frame is one update");
        updates.remove(0)
    }

    /// Runs one frame of `timesteps` fixed timesteps; what its updates told, one by one.
    pub fn timesteps(&mut self, timesteps: u32) -> Vec<Told> {
        self.app
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(timesteps));
        let told = self.frame();
        self.app
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        told
    }

    /// Runs one frame; what its updates told, one by one.
    pub fn frame(&mut self) -> Vec<Told> {
        self.app.update();
        core::mem::take(&mut self.app.world_mut().resource_mut::<Kept>().updates)
    }

    /// The world of the app.
    pub fn world(&mut self) -> &mut World {
        self.app.world_mut()
    }

    /// A new entity.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Entity {
        self.world().spawn(bundle).id()
    }

    /// A new target at `x`, `z`, with [`SeenBy`].
    pub fn target(&mut self, x: f32, z: f32) -> Entity {
        self.spawn((at(x, z), AoiTarget::default(), SeenBy::default()))
    }

    /// A new viewer at `x`, `z` that is no target.
    pub fn viewer(&mut self, x: f32, z: f32, radius: f32) -> Entity {
        self.spawn((at(x, z), AoiViewer::new(radius)))
    }

    /// A new entity that has the index of one that is gone, with another generation.
    pub fn in_place_of<B: Bundle>(&mut self, gone: Entity, bundle: B) -> Entity {
        let world = self.world();
        // Bevy gives freed indices away again in lots of 128, so this spawns until it comes up, and
        // now and then frees so many that the next lot is due.
        let mut others = Vec::new();
        let id = loop {
            let id = world.spawn_empty().id();
            if id.index() == gone.index() {
                break id;
            }
            others.push(id);
            if others.len() == 200 {
                for other in others.drain(..) {
                    world.despawn(other);
                }
            }
        };
        for other in others {
            world.despawn(other);
        }
        world.entity_mut(id).insert(bundle);
        id
    }

    /// Inserts or replaces components.
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        self.world().entity_mut(entity).insert(bundle);
    }

    /// Removes components.
    pub fn remove<B: Bundle>(&mut self, entity: Entity) {
        self.world().entity_mut(entity).remove::<B>();
    }

    /// Despawns the entity and its children.
    pub fn despawn(&mut self, entity: Entity) {
        self.world().entity_mut(entity).despawn();
    }

    /// Writes the translation, through `&mut` as a game does.
    pub fn move_to(&mut self, entity: Entity, x: f32, z: f32) {
        let mut transform = self.world().get_mut::<Transform>(entity).unwrap();
        transform.translation = Vec3::new(x, 0.0, z);
    }

    /// Changes a component through `&mut`.
    pub fn change<C, F>(&mut self, entity: Entity, change: F)
    where
        C: Component<Mutability = Mutable>,
        F: FnOnce(&mut C),
    {
        change(&mut self.world().get_mut::<C>(entity).unwrap());
    }

    /// The [`InView`] of `entity`; empty if there is none.
    pub fn view(&self, entity: Entity) -> Vec<Entity> {
        let list = self.app.world().get::<InView>(entity);
        list.map_or_else(Vec::new, |list| list.iter().collect())
    }

    /// The [`SeenBy`] of `entity`; empty if there is none.
    pub fn seen_by(&self, entity: Entity) -> Vec<Entity> {
        let list = self.app.world().get::<SeenBy>(entity);
        list.map_or_else(Vec::new, |list| list.iter().collect())
    }

    /// The statistics of the last update.
    pub fn stats(&self) -> &AoiStats {
        self.app.world().resource()
    }

    /// The queries, as of the last update.
    pub fn index(&self) -> &AoiIndex {
        self.app.world().resource()
    }
}

/// What was told since the last [`Game::frame`], and the pairs that are in view by it.
#[derive(Resource, Default)]
struct Kept {
    updates: Vec<Told>,
    pairs: BTreeSet<(Entity, Entity)>,
}

fn keep(
    mut left: MessageReader<LeaveView>,
    mut entered: MessageReader<EnterView>,
    mut moved: MessageReader<MoveInView>,
    mut rings: MessageReader<RingChanged>,
    views: Query<(Entity, Ref<InView>), Allow<Disabled>>,
    watched: Query<(Entity, Ref<SeenBy>), Allow<Disabled>>,
    stats: Res<AoiStats>,
    mut kept: ResMut<Kept>,
) {
    let told = Told {
        left: left
            .read()
            .map(|leave| (leave.viewer, leave.target, leave.reason))
            .collect(),
        entered: entered
            .read()
            .map(|enter| (enter.viewer, enter.target))
            .collect(),
        moved: moved
            .read()
            .map(|moves| (moves.viewer, moves.target, moves.moved))
            .collect(),
        rings: rings
            .read()
            .map(|change| (change.viewer, change.target, change.ring))
            .collect(),
    };

    // (18), and (14): strictly ascending, so at most one for each pair.
    let pair_of = |leave: &(Entity, Entity, LeaveReason)| (leave.0, leave.1);
    assert!(
        told.left.is_sorted_by(|a, b| pair_of(a) < pair_of(b)),
        "leaves are sorted by viewer, then target: {:?}",
        told.left
    );
    assert!(
        told.entered.is_sorted_by(|a, b| a < b),
        "enters are sorted by viewer, then target: {:?}",
        told.entered
    );
    assert!(
        told.moved.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)),
        "moves are sorted by viewer, then target: {:?}",
        told.moved
    );
    assert!(
        told.rings.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)),
        "rings are sorted by viewer, then target: {:?}",
        told.rings
    );

    // (14)
    for leave in &told.left {
        assert!(
            kept.pairs.remove(&pair_of(leave)),
            "only a pair that was in view can leave: {leave:?}"
        );
    }
    for enter in &told.entered {
        assert!(
            kept.pairs.insert(*enter),
            "only a pair that was not in view can enter: {enter:?}"
        );
    }
    for leave in &told.left {
        assert!(
            told.entered.binary_search(&pair_of(leave)).is_err(),
            "a pair does not leave and enter in one update: {leave:?}"
        );
    }

    // (19) and (25): lists and messages say the same now.
    let mut pairs = Vec::new();
    for (viewer, list) in &views {
        assert!(
            list.as_slice().is_sorted_by(|a, b| a < b),
            "the view of {viewer} is sorted: {:?}",
            list.as_slice()
        );
        pairs.extend(list.iter().map(|target| (viewer, target)));
        let changed = told.entered.iter().any(|enter| enter.0 == viewer)
            || told.left.iter().any(|leave| leave.0 == viewer);
        assert!(
            list.is_added() || list.is_changed() == changed,
            "`Changed<InView>` of {viewer} is {}, but its set did {}change",
            list.is_changed(),
            if changed { "" } else { "not " }
        );
    }
    // An observer of one of our events may have despawned a viewer by now.
    let known = kept.pairs.iter().filter(|pair| views.contains(pair.0));
    pairs.sort_unstable();
    assert_eq!(
        pairs,
        known.copied().collect::<Vec<_>>(),
        "`InView` (left) and the messages (right) say the same"
    );
    let mut watchers: BTreeMap<Entity, Vec<Entity>> = BTreeMap::new();
    for &(viewer, target) in &kept.pairs {
        watchers.entry(target).or_default().push(viewer);
    }
    for (target, list) in &watched {
        assert!(
            list.iter()
                .eq(watchers.get(&target).into_iter().flatten().copied()),
            "the watchers of {target} are those who have it in view, sorted: {:?}",
            list.as_slice()
        );
        let changed = told.entered.iter().any(|enter| enter.1 == target)
            || told.left.iter().any(|leave| leave.1 == target);
        assert!(
            list.is_added() || list.is_changed() == changed,
            "`Changed<SeenBy>` of {target} is {}, but its set did {}change",
            list.is_changed(),
            if changed { "" } else { "not " }
        );
    }
    assert_eq!(
        (stats.entered, stats.left, stats.pairs_in_view),
        (told.entered.len(), told.left.len(), kept.pairs.len()),
        "the statistics count what was told"
    );
    kept.updates.push(told);
}

// Each test file uses only some of these. Naming all of them here says that this is intended.
const _: () = {
    let _ = (Setup::ALL, Setup::FIXED, Setup::schedule);
    let _ = (
        silence,
        Told::enter,
        Told::leave,
        Told::moves,
        Told::ring,
        at,
    );
    let _ = (Game::xz, Game::new::<GlobalTransform>, Game::watch::<Last>);
    let _ = (Game::tick, Game::timesteps, Game::frame, Game::world);
    let _ = (Game::spawn::<()>, Game::target, Game::viewer);
    let _ = Game::in_place_of::<()>;
    let _ = (Game::insert::<()>, Game::remove::<()>, Game::despawn);
    let _ = Game::change::<Transform, fn(&mut Transform)>;
    let _ = (Game::move_to, Game::view, Game::seen_by);
    let _ = (Game::stats, Game::index);
};
