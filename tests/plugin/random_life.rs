//! Long lives in which everything happens in any order, against the contract read aloud.
//!
//! [`Referee`] works out what each update must tell, from all pairs, and the plugin must tell just
//! that, in that order, with those reasons. A failure names the seed and the update; the proptest
//! variant finds a short life that fails. `AOI_SEED=5 cargo test --test plugin random_life` lives other
//! lives. Everything of the contract takes part at once, and so do observers that act on what they
//! hear. Numbers in brackets are points of `docs/semantics.md`.

use crate::referee::{Heard, Referee};
use crate::world::{Game, Setup, Told};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;
use fastrand::Rng;
use proptest::prelude::*;

/// A number that an operation uses as it needs: small, of any kind, and good to shrink.
type Dice = u8;

/// Something that a game does to the entity `who`, taken modulo the number of those that live.
#[derive(Clone, Copy, Debug)]
struct Op {
    deed: Deed,
    who: u16,
    dice: Dice,
    at: (i8, i8, i8),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Deed {
    /// Runs an update.
    Tick,
    Spawn,
    /// Puts another in its place, with its index.
    Respawn,
    Clone,
    Despawn,
    Step,
    Jump,
    Far,
    NoPlace,
    Turn,
    Touch,
    Disable,
    Enable,
    Space,
    Viewer,
    NoViewer,
    Radius,
    Margin,
    Sees,
    Shape,
    Cap,
    Target,
    NoTarget,
    Layers,
    Extra,
    Pin,
    PinTheDead,
    Unpin,
    Always,
    NotAlways,
    Parent,
    NoParent,
    SeenBy,
    NoSeenBy,
    NoSource,
    Source,
    Events,
    NoEvents,
    SeenEvents,
    NoSeenEvents,
    Moves,
    NoMoves,
    Rings,
    NoRings,
}

/// How often each is done.
const WEIGHTS: [(Deed, u8); 44] = [
    (Deed::Tick, 12),
    (Deed::Spawn, 6),
    (Deed::Respawn, 1),
    (Deed::Clone, 1),
    (Deed::Despawn, 3),
    (Deed::Step, 10),
    (Deed::Jump, 6),
    (Deed::Far, 1),
    (Deed::NoPlace, 1),
    (Deed::Turn, 1),
    (Deed::Touch, 1),
    (Deed::Disable, 1),
    (Deed::Enable, 2),
    (Deed::Space, 1),
    (Deed::Viewer, 1),
    (Deed::NoViewer, 1),
    (Deed::Radius, 1),
    (Deed::Margin, 1),
    (Deed::Sees, 1),
    (Deed::Shape, 1),
    (Deed::Cap, 5),
    (Deed::Target, 1),
    (Deed::NoTarget, 1),
    (Deed::Layers, 1),
    (Deed::Extra, 1),
    (Deed::Pin, 1),
    (Deed::PinTheDead, 1),
    (Deed::Unpin, 1),
    (Deed::Always, 1),
    (Deed::NotAlways, 1),
    (Deed::Parent, 1),
    (Deed::NoParent, 1),
    (Deed::SeenBy, 1),
    (Deed::NoSeenBy, 1),
    (Deed::NoSource, 1),
    (Deed::Source, 2),
    (Deed::Events, 2),
    (Deed::NoEvents, 1),
    (Deed::SeenEvents, 2),
    (Deed::NoSeenEvents, 1),
    (Deed::Moves, 2),
    (Deed::NoMoves, 1),
    (Deed::Rings, 2),
    (Deed::NoRings, 1),
];

/// The deed that a number stands for, so that a seed and proptest draw from the same.
fn deed(number: u8) -> Deed {
    let mut rest = number;
    for (deed, weight) in WEIGHTS {
        if rest < weight {
            return deed;
        }
        rest -= weight;
    }
    Deed::Tick
}

fn deeds() -> u8 {
    WEIGHTS.iter().map(|weight| weight.1).sum()
}

fn random_op(rng: &mut Rng) -> Op {
    let deed = deed(rng.u8(..deeds()));
    // Mostly whole steps, so that borders are hit exactly.
    let range = if deed == Deed::Step { 2 } else { 20 };
    let mut coordinate = || rng.i8(-range..=range);
    let at = (coordinate(), coordinate(), coordinate());
    Op {
        deed,
        who: rng.u16(..),
        dice: rng.u8(..),
        at,
    }
}

fn any_op() -> impl Strategy<Value = Op> {
    let at = (-20..=20i8, -20..=20i8, -20..=20i8);
    (0..deeds(), 0..8u16, any::<u8>(), at).prop_map(|(number, who, dice, at)| Op {
        deed: deed(number),
        who,
        dice,
        at,
    })
}

fn place(at: (i8, i8, i8)) -> Vec3 {
    Vec3::new(at.0.into(), at.1.into(), at.2.into())
}

/// Mostly a few units, sometimes a length that is none.
fn length(dice: Dice, most: u8) -> f32 {
    match dice {
        255 => f32::NAN,
        254 => f32::INFINITY,
        253 => -3.0,
        252 => f32::MAX,
        251 => 1e-30,
        240..=250 => f32::from(dice % most) + 0.1,
        _ => f32::from(dice % most),
    }
}

fn eyes(radius: Dice) -> AoiViewer {
    AoiViewer::new(length(radius, 13)).with_leave_margin(f32::from(radius % 4))
}

fn looks(dice: Dice) -> AoiTarget {
    AoiTarget::default().with_extra_range(f32::from(dice % 7 / 5))
}

/// What it must tell and trigger, worked out in each update, and what it triggered.
#[derive(Resource)]
struct Verdicts {
    referee: Referee,
    expected: Vec<Told>,
    to_hear: Vec<Heard>,
    heard: Vec<Heard>,
}

/// Runs before anybody is told, since observers change what they hear of.
fn judge(world: &mut World) {
    world.resource_scope(|world, mut verdicts: Mut<Verdicts>| {
        let told = verdicts.referee.settle(world);
        let to_hear = verdicts.referee.heard(&told);
        verdicts.to_hear.extend(to_hear);
        verdicts.expected.push(told);
    });
}

/// Some who hear of an enter act on it at once, which is told in the next update (20). A short
/// temper, so that most live on.
fn act(enter: EnterView, commands: &mut Commands) {
    let EnterView { viewer, target } = enter;
    let temper = viewer.index_u32() % 16 * 16 + target.index_u32() % 16;
    let Ok(mut entity) = commands.get_entity(if temper.is_multiple_of(2) {
        target
    } else {
        viewer
    }) else {
        return;
    };
    match temper / 2 {
        0 => entity.try_despawn(),
        1 => {
            entity.try_insert(Disabled);
        }
        2 => {
            entity.try_insert(Transform::from_xyz(3.0, -2.0, 1.0));
        }
        3 => {
            entity.try_remove::<AoiTarget>();
        }
        4 => {
            entity.try_remove::<AoiViewer>();
        }
        5 => {
            entity.try_insert(AoiSpace(1));
        }
        6 => {
            entity.try_insert((eyes(5), AlwaysInView));
        }
        _ => {}
    }
}

fn hear(app: &mut App) {
    app.add_observer(|leave: On<LeaveView>, mut verdicts: ResMut<Verdicts>| {
        verdicts.heard.push(Heard::Left(*leave));
    });
    app.add_observer(|unseen: On<Unseen>, mut verdicts: ResMut<Verdicts>| {
        verdicts.heard.push(Heard::Unseen(*unseen));
    });
    app.add_observer(
        |enter: On<EnterView>, mut verdicts: ResMut<Verdicts>, mut commands: Commands| {
            verdicts.heard.push(Heard::Entered(*enter));
            act(*enter, &mut commands);
        },
    );
    app.add_observer(|seen: On<Seen>, mut verdicts: ResMut<Verdicts>| {
        verdicts.heard.push(Heard::Seen(*seen));
    });
}

/// A world in which things happen.
struct Life {
    game: Game,
    /// All that live, in order of birth.
    living: Vec<Entity>,
    dead: Vec<Entity>,
    most: usize,
    /// How far apart they live.
    spread: f32,
    told: Vec<Told>,
    /// How many entity events there were.
    heard: usize,
}

impl Life {
    fn new(setup: Setup, plane: AoiPlane, most: usize, spread: f32) -> Self {
        let (plugin, axes): (_, &[usize]) = match plane {
            AoiPlane::Xy => (AoiPlugin::xy(), &[0, 1]),
            AoiPlane::Xz => (AoiPlugin::xz(), &[0, 2]),
            AoiPlane::Xyz => (AoiPlugin::xyz(), &[0, 1, 2]),
        };
        let mut game = Game::new(setup, plugin);
        game.app
            .insert_resource(Verdicts {
                referee: Referee::new(axes),
                expected: Vec::new(),
                to_hear: Vec::new(),
                heard: Vec::new(),
            })
            .add_systems(
                setup.schedule(),
                judge.after(AoiSystems::Detect).before(AoiSystems::Emit),
            );
        hear(&mut game.app);
        Self {
            game,
            living: Vec::new(),
            dead: Vec::new(),
            most,
            spread,
            told: Vec::new(),
            heard: 0,
        }
    }

    /// Does `op`; after an update, whether it told what it must.
    fn apply(&mut self, op: Op) -> Result<(), String> {
        match op.deed {
            Deed::Tick => return self.tick(1),
            Deed::Spawn => self.spawn(op.dice, place(op.at) * self.spread),
            _ if self.living.is_empty() => {}
            _ => self.change(op),
        }
        Ok(())
    }

    fn spawn(&mut self, kind: Dice, at: Vec3) {
        if self.living.len() >= self.most {
            return;
        }
        let mut entity = self
            .game
            .app
            .world_mut()
            .spawn(Transform::from_translation(at));
        if !kind.is_multiple_of(8) {
            entity.insert(looks(kind));
        }
        if !kind.is_multiple_of(3) {
            entity.insert(eyes(kind));
        }
        if !kind.is_multiple_of(4) {
            entity.insert(SeenBy::default());
        }
        if kind % 31 == 30 {
            entity.insert(Disabled);
        }
        if kind % 17 == 16 {
            entity.insert(AoiSpace(1));
        }
        if kind % 7 == 6 {
            entity.insert((AoiEvents, AoiSeenEvents));
        }
        if kind % 5 == 4 {
            entity.insert((ReportMoves, AoiRings::from_iter([4.0, 8.0])));
        }
        self.living.push(entity.id());
    }

    fn slot(&self, who: u16) -> Entity {
        self.living[usize::from(who) % self.living.len()]
    }

    fn change(&mut self, op: Op) {
        let Op {
            deed,
            who,
            dice,
            at,
        } = op;
        let id = self.slot(who);
        // Any of them, however many there are.
        let other = self.slot(u16::from(dice) * 257);
        let [form, _] = who.to_le_bytes();
        let mut entity = self.game.app.world_mut().entity_mut(id);
        match deed {
            Deed::Tick | Deed::Spawn => unreachable!(),
            Deed::Respawn => {
                let transform = *entity.get::<Transform>().unwrap();
                entity.despawn();
                self.bury();
                let body = (transform, eyes(form), looks(form), SeenBy::default());
                let successor = self.game.in_place_of(id, body);
                self.living.push(successor);
            }
            Deed::Clone => {
                if self.living.len() < self.most {
                    let clone = entity.clone_and_spawn();
                    self.living.push(clone);
                }
            }
            Deed::Despawn => {
                entity.despawn();
                self.bury();
            }
            Deed::Step => {
                let mut transform = entity.get_mut::<Transform>().unwrap();
                transform.translation += place(at);
            }
            Deed::Jump => {
                let mut transform = entity.get_mut::<Transform>().unwrap();
                transform.translation = place(at) * self.spread;
            }
            Deed::Far => {
                let far = [f32::MAX, -f32::MAX, 1e7, -1e20, 1e-20, 0.1];
                let far = far[usize::from(dice) % far.len()];
                let mut transform = entity.get_mut::<Transform>().unwrap();
                transform.translation[usize::from(dice / 8) % 3] = far;
            }
            Deed::NoPlace => {
                let none = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
                let none = none[usize::from(dice) % none.len()];
                let mut transform = entity.get_mut::<Transform>().unwrap();
                transform.translation[usize::from(dice / 8) % 3] = none;
            }
            Deed::Turn => {
                let mut transform = entity.get_mut::<Transform>().unwrap();
                transform.rotation = Quat::from_rotation_y(f32::from(dice % 8));
                transform.scale = Vec3::splat(f32::from(dice % 3) * 0.5 + 0.5);
            }
            Deed::Touch => {
                entity.get_mut::<Transform>().unwrap().set_changed();
                if let Some(mut viewer) = entity.get_mut::<AoiViewer>() {
                    viewer.set_changed();
                }
                if let Some(mut target) = entity.get_mut::<AoiTarget>() {
                    target.set_changed();
                }
            }
            Deed::Disable => {
                entity.insert(Disabled);
            }
            Deed::Enable => {
                entity.remove::<Disabled>();
            }
            Deed::Space => match dice % 6 {
                0..3 => {
                    entity.remove::<AoiSpace>();
                }
                3..5 => {
                    entity.insert(AoiSpace(1));
                }
                _ => {
                    entity.insert(AoiSpace(7));
                }
            },
            Deed::Viewer => {
                entity.insert(eyes(dice));
            }
            Deed::NoViewer => {
                entity.remove::<AoiViewer>();
            }
            Deed::Radius => {
                if let Some(mut viewer) = entity.get_mut::<AoiViewer>() {
                    viewer.radius = length(dice, 25);
                }
            }
            Deed::Margin => {
                if let Some(mut viewer) = entity.get_mut::<AoiViewer>() {
                    viewer.leave_margin = length(dice, 6);
                }
            }
            Deed::Sees => {
                if let Some(mut viewer) = entity.get_mut::<AoiViewer>() {
                    viewer.sees = [u32::MAX, 1, 2, 3, 0, u32::MAX][usize::from(dice) % 6];
                }
            }
            Deed::Shape => {
                if let Some(mut viewer) = entity.get_mut::<AoiViewer>() {
                    let size = length(dice, 9);
                    viewer.shape = match dice % 5 {
                        0 | 1 => ViewShape::Round,
                        2 => ViewShape::Square,
                        3 => ViewShape::Cylinder { half_height: size },
                        _ => ViewShape::Box {
                            half: Vec3::new(size, 6.0, f32::from(dice % 11)),
                        },
                    };
                }
            }
            Deed::Cap => {
                if let Some(mut viewer) = entity.get_mut::<AoiViewer>() {
                    viewer.max_targets = (!dice.is_multiple_of(3)).then_some(u32::from(dice % 7));
                }
            }
            Deed::Target => {
                entity.insert(looks(form));
            }
            Deed::NoTarget => {
                entity.remove::<AoiTarget>();
            }
            Deed::Layers => {
                if let Some(mut target) = entity.get_mut::<AoiTarget>() {
                    target.layers = [1, 1, 2, 3, 0][usize::from(dice) % 5];
                }
            }
            Deed::Extra => {
                if let Some(mut target) = entity.get_mut::<AoiTarget>() {
                    target.extra_range = length(dice, 8);
                }
            }
            Deed::Pin => {
                self.pin(id, other);
            }
            Deed::PinTheDead => {
                if !self.dead.is_empty() {
                    let friend = self.dead[usize::from(dice) % self.dead.len()];
                    self.pin(id, friend);
                }
            }
            Deed::Unpin => {
                if dice.is_multiple_of(2) {
                    entity.remove::<AoiPins>();
                } else if let Some(mut pins) = entity.get_mut::<AoiPins>() {
                    pins.0.pop();
                }
            }
            Deed::Always => {
                entity.insert(AlwaysInView);
            }
            Deed::NotAlways => {
                entity.remove::<AlwaysInView>();
            }
            Deed::Parent => {
                self.adopt(id, other);
            }
            Deed::NoParent => {
                entity.remove::<ChildOf>();
            }
            Deed::SeenBy => {
                // Writing over the list would be a change of the game's own.
                entity.insert_if_new(SeenBy::default());
            }
            Deed::NoSeenBy => {
                entity.remove::<SeenBy>();
            }
            Deed::NoSource => {
                entity.remove::<GlobalTransform>();
            }
            Deed::Source => {
                entity.insert_if_new(GlobalTransform::default());
            }
            Deed::Events => {
                entity.insert(AoiEvents);
            }
            Deed::NoEvents => {
                entity.remove::<AoiEvents>();
            }
            Deed::SeenEvents => {
                entity.insert(AoiSeenEvents);
            }
            Deed::NoSeenEvents => {
                entity.remove::<AoiSeenEvents>();
            }
            Deed::Moves => {
                entity.insert(ReportMoves);
            }
            Deed::NoMoves => {
                entity.remove::<ReportMoves>();
            }
            Deed::Rings => {
                let radii: &[f32] = match dice % 5 {
                    0 => &[4.0, 8.0],
                    1 => &[5.0, f32::NAN, 2.0, 9.0, f32::INFINITY],
                    2 => &[-1.0, 3.0, 3.0, f32::MAX],
                    3 => &[0.0, 1e-30, 6.0, 7.0, 8.0, 9.0, 10.0],
                    _ => &[],
                };
                entity.insert(AoiRings::from_iter(radii.iter().copied()));
            }
            Deed::NoRings => {
                entity.remove::<AoiRings>();
            }
        }
    }

    fn pin(&mut self, id: Entity, friend: Entity) {
        let mut entity = self.game.app.world_mut().entity_mut(id);
        if let Some(mut pins) = entity.get_mut::<AoiPins>() {
            pins.0.push(friend);
        } else {
            entity.insert(AoiPins::from_iter([friend]));
        }
    }

    fn adopt(&mut self, id: Entity, parent: Entity) {
        let world = self.game.app.world_mut();
        let mut above = Some(parent);
        while let Some(ancestor) = above {
            if ancestor == id {
                return;
            }
            above = world.get::<ChildOf>(ancestor).map(ChildOf::parent);
        }
        world.entity_mut(id).insert(ChildOf(parent));
    }

    /// Moves those who died, with their children, over to the dead.
    fn bury(&mut self) {
        let world = self.game.app.world();
        let gone = |entity: &mut Entity| world.get_entity(*entity).is_err();
        self.dead.extend(self.living.extract_if(.., gone));
    }

    /// Runs a frame of so many updates and holds each against the referee.
    fn tick(&mut self, updates: u32) -> Result<(), String> {
        let told = if updates == 1 {
            self.game.frame()
        } else {
            self.game.timesteps(updates)
        };
        let mut verdicts = self.game.world().resource_mut::<Verdicts>();
        let expected = core::mem::take(&mut verdicts.expected);
        let to_hear = core::mem::take(&mut verdicts.to_hear);
        let heard = core::mem::take(&mut verdicts.heard);
        if told != expected {
            return Err(format!("told {told:#?}\nexpected {expected:#?}"));
        }
        if heard != to_hear {
            return Err(format!("triggered {heard:#?}\nexpected {to_hear:#?}"));
        }
        self.heard += heard.len();
        self.bury();
        self.told.extend(told);
        Ok(())
    }

    /// Asks the index what the referee knows (26).
    fn ask(&self, rng: &mut Rng) -> Result<(), String> {
        let world = self.game.app.world();
        let referee = &world.resource::<Verdicts>().referee;
        let index = self.game.index();
        let stats = self.game.stats();
        let counts = (stats.viewers, stats.targets, stats.invalid_positions);
        let expected = (
            referee.viewers().count(),
            referee.targets().count(),
            referee.invalid().count(),
        );
        if counts != expected {
            return Err(format!(
                "viewers, targets and invalid positions: {counts:?}, expected {expected:?}"
            ));
        }

        let mut coordinate = |range: i8| f32::from(rng.i8(-range..=range));
        let center = Vec3::new(coordinate(20), coordinate(20), coordinate(20)) * self.spread;
        let half = Vec3::new(coordinate(8), coordinate(8), coordinate(8)).abs();
        let space = u32::from(rng.u8(..6) == 0);
        let radius = f32::from(rng.u8(..15));
        let mask = [u32::MAX, 1, 2, 3][rng.usize(..4)];
        let k = rng.usize(..12);
        let view = index.in_layers(mask);

        let from = |center: Vec3| {
            let center = referee.on_plane(center);
            move |at: &[f32]| {
                let squares = at.iter().zip(&center).map(|(a, c)| (a - c) * (a - c));
                squares.reduce(|sum, square| sum + square).unwrap()
            }
        };
        let agree = |what: &str, answer: Vec<Entity>, expected: Vec<Entity>| {
            (answer == expected).then_some(()).ok_or_else(|| {
                format!(
                    "{what} around {center}, radius {radius}, half {half}, space {space}, layers \
                     {mask:b}: {answer:?}, expected {expected:?}"
                )
            })
        };
        let sorted = |answer: &mut dyn Iterator<Item = Entity>| {
            let mut answer: Vec<_> = answer.collect();
            answer.sort_unstable();
            answer
        };

        let distance = from(center);
        agree(
            "within the radius",
            sorted(&mut view.within_radius(space, center, radius)),
            referee.ask(space, mask, |_, at| distance(at) <= radius * radius),
        )?;
        let (min, max) = (center - half, center + half);
        let (low, high) = (referee.on_plane(min), referee.on_plane(max));
        agree(
            "within the box",
            sorted(&mut view.within_box(space, min, max)),
            referee.ask(space, mask, |_, at| {
                (0..at.len()).all(|axis| low[axis] <= at[axis] && at[axis] <= high[axis])
            }),
        )?;
        let everybody = referee.ask(space, mask, |_, _| true);
        let mut ranked: Vec<_> = everybody
            .into_iter()
            .map(|id| (distance(&referee.place(id)), id))
            .collect();
        ranked.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let nearest = ranked.into_iter().map(|ranked| ranked.1).take(k).collect();
        agree("the nearest", view.nearest(space, center, k), nearest)?;
        if !self.living.is_empty() {
            let asker = self.slot(rng.u16(..));
            let rings = world.get::<InRings>(asker);
            let rings = rings.map_or_else(Vec::new, |rings| rings.iter().collect());
            if rings != referee.rings_of(asker) {
                return Err(format!("the rings of {asker}: {rings:?}"));
            }
            let body = referee
                .viewers()
                .chain(referee.targets())
                .find(|body| body.id == asker);
            let expected = body.map_or_else(Vec::new, |body| {
                let distance = from(body.place.unwrap());
                let near = |id, at: &[f32]| id != asker && distance(at) <= radius * radius;
                referee.ask(body.space, mask, near)
            });
            agree(
                "the neighbours",
                sorted(&mut view.neighbors_in_radius(asker, radius)),
                expected,
            )?;
        }
        Ok(())
    }
}

/// Says where a life went wrong, also if a check inside the app panicked.
struct Biography {
    seed: u64,
    setup: Setup,
    plane: AoiPlane,
    update: usize,
}

impl Drop for Biography {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "seed {}, {:?}, {:?}, update {}",
                self.seed, self.setup, self.plane, self.update
            );
        }
    }
}

const PLANES: [AoiPlane; 3] = [AoiPlane::Xy, AoiPlane::Xz, AoiPlane::Xyz];

/// 0, or what the environment says.
fn first_seed() -> u64 {
    let given = std::env::var("AOI_SEED");
    given.map_or(0, |seed| seed.parse().expect("AOI_SEED is a number"))
}

/// A kind of life: how many live, how far apart, how long, and how much happens.
#[derive(Clone, Copy)]
struct Kind {
    setup: Setup,
    plane: AoiPlane,
    /// How many entities there are at every update, at least.
    least: usize,
    most: usize,
    spread: f32,
    /// How many frames; in a set-up with fixed timesteps a frame may hold no update, or two.
    frames: usize,
    /// How much is done between two of them, at most.
    changes: usize,
}

impl Kind {
    fn small(setup: Setup, plane: AoiPlane, most: usize) -> Self {
        Self {
            setup,
            plane,
            least: most / 2,
            most,
            spread: 1.0,
            frames: 500,
            changes: 8,
        }
    }

    /// Lives one life; what became of it.
    fn live(self, seed: u64) -> Life {
        let seed = seed + 1_000_000 * first_seed();
        let mut biography = Biography {
            seed,
            setup: self.setup,
            plane: self.plane,
            update: 0,
        };
        let mut rng = Rng::with_seed(seed);
        let mut life = Life::new(self.setup, self.plane, self.most, self.spread);
        for update in 0..self.frames {
            biography.update = update;
            for _ in 0..rng.usize(..=self.changes) {
                let op = random_op(&mut rng);
                if op.deed != Deed::Tick {
                    life.apply(op).unwrap();
                }
            }
            while life.living.len() < self.least {
                let mut coordinate = || rng.i8(-20..=20);
                let at = (coordinate(), coordinate(), coordinate());
                life.spawn(rng.u8(..), place(at) * self.spread);
            }
            let timesteps = if Setup::FIXED.contains(&self.setup) {
                // Frames with no update and with two are as common as in a game that stutters.
                [1, 1, 1, 1, 1, 0, 2][rng.usize(..7)]
            } else {
                1
            };
            let outcome = life.tick(timesteps).and_then(|()| life.ask(&mut rng));
            if let Err(difference) = outcome {
                panic!("{difference}");
            }
        }
        life
    }
}

/// What happened in many lives, so that none of it can be missing unnoticed.
#[derive(Debug, Default)]
struct Sum {
    updates: usize,
    entered: usize,
    left: [usize; 5],
    moved: [usize; 3],
    rings: usize,
    heard: usize,
}

impl Sum {
    fn add(&mut self, life: &Life) {
        self.updates += life.told.len();
        self.heard += life.heard;
        for told in &life.told {
            self.entered += told.entered.len();
            self.rings += told.rings.len();
            for leave in &told.left {
                self.left[leave.2 as usize] += 1;
            }
            for moves in &told.moved {
                self.moved[moves.2 as usize] += 1;
            }
        }
    }

    /// These lives were not dull: all that can be told was told, often.
    fn assert_at_least(&self, updates: usize, often: usize) {
        assert!(self.updates >= updates, "{self:?}");
        let all = [self.entered, self.rings, self.heard];
        let all = all.into_iter().chain(self.left).chain(self.moved);
        assert!(all.min() >= Some(often), "{self:?}");
    }
}

/// How many lives of a kind are lived. With threads an update of a world this small takes several times
/// as long, and does the same.
const fn lives(many: u32) -> u32 {
    if cfg!(feature = "parallel") {
        many / 4
    } else {
        many
    }
}

/// Many small worlds, in one of the set-ups.
fn small_worlds(setup: Setup) {
    let mut sum = Sum::default();
    for seed in 0..u64::from(lives(102)) {
        let most = [2, 3, 4, 6, 8, 12, 40][seed as usize % 7];
        let plane = PLANES[seed as usize % 3];
        let seed = 1000 * setup as u64 + seed;
        sum.add(&Kind::small(setup, plane, most).live(seed));
    }
    sum.assert_at_least(lives(48_000) as usize, lives(100) as usize);
}

#[test]
fn small_worlds_without_transform_plugin() {
    small_worlds(Setup::Minimal);
}

#[test]
fn small_worlds_with_transform_plugin() {
    small_worlds(Setup::Transforms);
}

#[test]
fn small_worlds_in_fixed_time_without_transform_plugin() {
    small_worlds(Setup::FixedMinimal);
}

#[test]
fn small_worlds_in_fixed_time_with_transform_plugin() {
    small_worlds(Setup::FixedTransforms);
}

#[test]
fn crowded_worlds() {
    for (i, plane) in PLANES.into_iter().enumerate() {
        for setup in [Setup::Minimal, Setup::FixedTransforms] {
            let kind = Kind {
                frames: 40,
                changes: 60,
                ..Kind::small(setup, plane, 300)
            };
            kind.live(10_000 + i as u64);
        }
    }
}

#[test]
fn wide_worlds() {
    // Given so many that the structure divides the world, with jumps from one end to the other.
    for (i, plane) in PLANES.into_iter().enumerate() {
        let wide = Kind {
            spread: 12.0,
            frames: 40,
            changes: 120,
            ..Kind::small(Setup::Minimal, plane, 600)
        };
        wide.live(20_000 + i as u64);
        let closer = Kind {
            spread: 3.7,
            frames: 80,
            changes: 40,
            ..Kind::small(Setup::Minimal, plane, 300)
        };
        closer.live(30_000 + i as u64);
    }
}

#[test]
fn large_worlds() {
    let mut sum = Sum::default();
    let setups = [Setup::Transforms, Setup::Minimal, Setup::FixedMinimal];
    for (i, (setup, plane)) in setups.into_iter().zip(PLANES).enumerate() {
        let large = Kind {
            setup,
            plane,
            least: 2_000,
            most: 2_200,
            spread: 12.0,
            frames: 175,
            changes: 200,
        };
        sum.add(&large.live(40_000 + i as u64));
    }
    sum.assert_at_least(500, 100);
}

#[test]
fn the_same_life_tells_the_same() {
    for setup in [Setup::Transforms, Setup::FixedMinimal] {
        let kind = Kind {
            frames: 300,
            changes: 12,
            ..Kind::small(setup, AoiPlane::Xz, 60)
        };
        let lives = [(); 2].map(|()| kind.live(77).told);
        let [first, second] = &lives;
        assert!(
            first == second,
            "{setup:?}: the same messages in the same order"
        );
        let count = first.iter().map(|told| told.entered.len()).sum::<usize>();
        assert!(count > 500, "the story needs something to tell: {count}");
    }
}

#[test]
fn enters_and_leaves_balance() {
    // Given a long life, when all is despawned at its end, then every enter has had its leave.
    for setup in Setup::ALL {
        let mut rng = Rng::with_seed(14);
        let mut life = Life::new(setup, AoiPlane::Xz, 30, 1.0);
        for _ in 0..200 {
            for _ in 0..6 {
                let op = random_op(&mut rng);
                if op.deed != Deed::Tick {
                    life.apply(op).unwrap();
                }
            }
            life.tick(1).unwrap();
        }
        while let Some(&last) = life.living.last() {
            life.game.despawn(last);
            life.bury();
        }
        life.tick(1).unwrap();
        let entered: usize = life.told.iter().map(|told| told.entered.len()).sum();
        let left: usize = life.told.iter().map(|told| told.left.len()).sum();
        assert_eq!(entered, left, "{setup:?}: nothing is lost (14)");
        let stats = life.game.stats();
        assert_eq!((stats.members, stats.pairs_in_view), (0, 0), "{setup:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: lives(400),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn short_lives(
        setup in prop::sample::select(&Setup::ALL[..]),
        plane in prop::sample::select(&PLANES[..]),
        born in prop::collection::vec(any_op(), 0..6),
        mut ops in prop::collection::vec(any_op(), 1..60),
    ) {
        ops.push(Op { deed: Deed::Tick, who: 0, dice: 0, at: (0, 0, 0) });
        let mut life = Life::new(setup, plane, 10, 1.0);
        for op in born {
            // Near each other, so that there is something to see from the start.
            life.spawn(op.dice, place(op.at) * 0.25);
        }
        for op in ops {
            if let Err(difference) = life.apply(op) {
                prop_assert!(false, "{}", difference);
            }
        }
    }
}
