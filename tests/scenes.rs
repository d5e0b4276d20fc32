//! Saving and loading with Bevy's scenes, cloning, and serde: what the game set goes along, what
//! the plugin worked out does not (25).
//!
//! Numbers in brackets are points of `docs/semantics.md`.

#[path = "support/world.rs"]
mod world;

use std::{any::TypeId, fmt::Debug};

use bevy::{
    asset::{AssetPath, LoadFromPath, UntypedHandle},
    ecs::{entity::EntityHashMap, entity_disabling::Disabled, reflect::ReflectMapEntities},
    prelude::*,
    reflect::{TypeRegistry, serde::TypedReflectSerializer},
    world_serialization::{DynamicWorld, DynamicWorldBuilder, serde::WorldDeserializer},
};
use bevy_aoi::prelude::*;
use serde::{Serialize, de::DeserializeOwned, de::DeserializeSeed};
use world::{Game, Setup, Told, at, silence};

/// A game whose components can be saved.
fn game(setup: Setup) -> Game {
    let mut game = Game::new(setup, AoiPlugin::xz());
    game.app
        .register_type::<Transform>()
        .register_type::<GlobalTransform>()
        .register_type::<ChildOf>()
        .register_type::<Children>()
        .register_type::<Disabled>();
    game
}

/// No asset is in these scenes.
struct NoAssets;

impl LoadFromPath for NoAssets {
    fn load_from_path_erased(&mut self, _: TypeId, path: AssetPath<'static>) -> UntypedHandle {
        panic!("nobody asks for {path}")
    }
}

/// How a scene gets from one game to another.
#[derive(Clone, Copy, Debug)]
enum By {
    /// Given from hand to hand.
    Memory,
    /// As text in Bevy's format.
    Text,
}

/// Some entities, and no resources.
fn save(game: &Game, entities: &[Entity]) -> DynamicWorld {
    let world = game.app.world();
    let registry = world.resource::<AppTypeRegistry>().read();
    DynamicWorldBuilder::from_world(world, &registry)
        .deny_all_resources()
        .extract_entities(entities.iter().copied())
        .build()
}

fn text(game: &Game, scene: &DynamicWorld) -> String {
    let registry = game.app.world().resource::<AppTypeRegistry>().read();
    scene.serialize(&registry).unwrap()
}

/// Puts a scene into a game; which entity became which.
fn load(game: &mut Game, scene: &DynamicWorld, by: By) -> EntityHashMap<Entity> {
    let mut map = EntityHashMap::default();
    match by {
        By::Memory => scene.write_to_world(game.world(), &mut map).unwrap(),
        By::Text => {
            let text = text(game, scene);
            let registry = game.app.world().resource::<AppTypeRegistry>().clone();
            let seed = WorldDeserializer {
                type_registry: &registry.read(),
                load_from_path: &mut NoAssets,
            };
            let mut ron = ron::de::Deserializer::from_str(&text).unwrap();
            let scene = seed.deserialize(&mut ron).unwrap();
            scene.write_to_world(game.world(), &mut map).unwrap();
        }
    }
    map
}

/// All pairs in view among some entities, as other entities.
fn pairs(game: &Game, among: &[Entity], map: &EntityHashMap<Entity>) -> Vec<(Entity, Entity)> {
    let mut pairs: Vec<_> = among
        .iter()
        .flat_map(|&viewer| {
            game.view(viewer)
                .into_iter()
                .map(move |seen| (viewer, seen))
        })
        .map(|(viewer, target)| (map[&viewer], map[&target]))
        .collect();
    pairs.sort_unstable();
    pairs
}

fn ring_of(game: &Game, viewer: Entity, target: Entity) -> Option<u8> {
    game.app.world().get::<InRings>(viewer)?.ring_of(target)
}

/// Something of everything.
struct Story {
    all: Vec<Entity>,
    guard: Entity,
    owner: Entity,
    pet: Entity,
    child: Entity,
    asleep: Entity,
}

fn story(game: &mut Game) -> Story {
    let guard = AoiViewer::new(10.0)
        .with_leave_margin(2.0)
        .with_sees(0b11)
        .with_shape(ViewShape::Square);
    let rings = AoiRings::from_iter([2.0, 6.0]);
    let guard = game.spawn((at(0.0, 0.0), guard, rings, ReportMoves, AoiEvents));
    let pet = game.spawn((at(300.0, 0.0), AoiTarget::default(), SeenBy::default()));
    let owner = AoiViewer::new(0.0);
    let owner = game.spawn((at(-300.0, 0.0), owner, AoiPins::from_iter([pet])));
    let capped = AoiViewer::new(f32::INFINITY).with_max_targets(2);
    let capped = game.spawn((at(0.5, 0.0), capped, AoiTarget::default()));
    let looker = AoiViewer::new(5.0);
    let house = Vec3::new(4.0, 1.0, 4.0);
    let region = AoiViewer::default().with_shape(ViewShape::Box { half: house });
    let region = game.spawn((at(3.0, 3.0), region));
    let below = game.spawn((at(0.0, 0.0), looker, AoiSpace(7)));
    let stair = game.spawn((at(1.0, 0.0), AoiTarget::default(), AoiSpace(7)));
    let big = AoiTarget::default().with_extra_range(20.0);
    let big = game.spawn((at(25.0, 0.0), big, AoiSeenEvents));
    let hidden = AoiTarget::default().with_layers(0b100);
    let hidden = game.spawn((at(1.0, 0.0), hidden));
    let flag = game.spawn((at(900.0, 0.0), AoiTarget::default(), AlwaysInView));
    let cart = game.spawn(at(100.0, 0.0));
    let child = game.spawn((at(-95.0, 0.0), AoiTarget::default(), ChildOf(cart)));
    let asleep = (at(1.0, 1.0), AoiTarget::default(), Disabled);
    let asleep = game.spawn(asleep);
    let all = vec![
        guard, pet, owner, capped, region, below, stair, big, hidden, flag, cart, child, asleep,
    ];
    Story {
        all,
        guard,
        owner,
        pet,
        child,
        asleep,
    }
}

#[test]
fn components_reflect() {
    fn component<C: Component>(registry: &TypeRegistry) -> (bool, bool, bool) {
        let id = TypeId::of::<C>();
        let written = registry.get_type_data::<ReflectSerialize>(id).is_some();
        let read = registry.get_type_data::<ReflectDeserialize>(id).is_some();
        let saved = registry.get_type_data::<ReflectComponent>(id).is_some();
        assert!(registry.get(id).is_some(), "registered by the plugin");
        (written, read, saved)
    }

    let game = Game::xz();
    let registry = game.app.world().resource::<AppTypeRegistry>().read();
    let yes = (true, true, true);
    assert_eq!(component::<AoiViewer>(&registry), yes);
    assert_eq!(component::<AoiTarget>(&registry), yes);
    assert_eq!(component::<AoiSpace>(&registry), yes);
    assert_eq!(component::<AlwaysInView>(&registry), yes);
    assert_eq!(component::<AoiPins>(&registry), yes);
    assert_eq!(component::<AoiRings>(&registry), yes);
    assert_eq!(component::<ReportMoves>(&registry), yes);
    assert_eq!(component::<AoiEvents>(&registry), yes);
    assert_eq!(component::<AoiSeenEvents>(&registry), yes);
    // The plugin's own (25).
    let no = (false, false, false);
    assert_eq!(component::<InView>(&registry), no);
    assert_eq!(component::<SeenBy>(&registry), no);
    assert_eq!(component::<InRings>(&registry), no);

    // A component is made, read and changed by its name.
    let id = TypeId::of::<AoiViewer>();
    let make = registry.get_type_data::<ReflectDefault>(id).unwrap();
    let mut viewer = make.default();
    let fields = viewer.reflect_mut().as_struct().unwrap();
    *fields.get_field_mut("radius").unwrap() = 9.0f32;
    *fields.get_field_mut("shape").unwrap() = ViewShape::Square;
    let viewer: AoiViewer = *viewer.downcast_ref().unwrap();
    assert_eq!(viewer, AoiViewer::new(9.0).with_shape(ViewShape::Square));
    assert!(
        registry
            .get_type_data::<ReflectMapEntities>(TypeId::of::<AoiPins>())
            .is_none(),
        "scenes map a component by its own `map_entities`"
    );
    let ron = ron::to_string(&TypedReflectSerializer::new(&viewer, &registry)).unwrap();
    assert!(ron.contains("radius:9"), "{ron}");
}

#[test]
fn the_same_view_in_another_game() {
    for setup in Setup::ALL {
        for by in [By::Memory, By::Text] {
            let context = format!("{setup:?}, {by:?}");
            let mut old = game(setup);
            let story = story(&mut old);
            let told = old.tick();
            assert!(told.entered.len() > 12, "{context}: worth saving: {told:?}");
            let scene = save(&old, &story.all);

            let mut new = game(setup);
            // The ids are to be others.
            for x in 0..20 {
                new.spawn((at(x as f32, 5000.0), AoiTarget::default()));
            }
            new.tick();
            let map = load(&mut new, &scene, by);
            assert_eq!(map.len(), story.all.len(), "{context}");
            assert_ne!(map[&story.guard], story.guard, "{context}");
            for &entity in &story.all {
                let entity = map[&entity];
                assert_eq!(new.view(entity), [], "{context}: no view was saved");
                let world = new.app.world();
                assert!(!world.entity(entity).contains::<SeenBy>(), "{context}");
            }
            let pins = new.app.world().get::<AoiPins>(map[&story.owner]).unwrap();
            assert_eq!(pins.0[..], [map[&story.pet]], "{context}: mapped");

            let restored = new.tick();
            let expected = pairs(&old, &story.all, &map);
            assert_eq!(restored.entered, expected, "{context}: told as new (15)");
            assert_eq!(restored.left, [], "{context}");
            assert_eq!(restored.moved, [], "{context}");
            let mut rings: Vec<_> = told
                .rings
                .iter()
                .map(|&(viewer, target, ring)| (map[&viewer], map[&target], ring))
                .collect();
            rings.sort_unstable();
            assert_eq!(restored.rings, rings, "{context}");
            assert!(!rings.is_empty(), "{context}: worth saving");
            for &viewer in &story.all {
                for &target in &story.all {
                    let now = ring_of(&new, map[&viewer], map[&target]);
                    assert_eq!(now, ring_of(&old, viewer, target), "{context}");
                }
            }
            assert_eq!(new.tick(), silence(), "{context}: that was all");

            // And it lives on: the child with its parent, whoever was asleep when it wakes.
            let guard = map[&story.guard];
            let child = map[&story.child];
            assert!(new.view(guard).contains(&child), "{context}");
            new.move_to(guard, 0.0, 1.0);
            let moved = new.tick().moved;
            assert!(
                moved.contains(&(guard, child, Moved::Viewer)),
                "{context}: `ReportMoves` was saved: {moved:?}"
            );
            let asleep = map[&story.asleep];
            new.remove::<Disabled>(asleep);
            new.tick();
            assert!(new.view(guard).contains(&asleep), "{context}");
        }
    }
}

#[test]
fn what_the_plugin_worked_out_is_not_saved() {
    let mut game = game(Setup::Minimal);
    let story = story(&mut game);
    game.tick();
    let scene = save(&game, &story.all);
    let text = text(&game, &scene);
    for own in ["InView", "SeenBy", "InRings"] {
        let own = format!("bevy_aoi::components::{own}\"");
        assert!(!text.contains(&own), "{own} is in\n{text}");
    }
    for set in [
        "AoiViewer",
        "AoiTarget",
        "AoiSpace",
        "AlwaysInView",
        "AoiPins",
        "AoiRings",
        "ReportMoves",
        "AoiEvents",
        "AoiSeenEvents",
    ] {
        let set = format!("bevy_aoi::components::{set}\"");
        assert!(text.contains(&set), "{set} is not in\n{text}");
    }
}

#[test]
fn what_was_held_by_a_margin_has_to_come_near_again() {
    // The scene holds where all stand and not who was in view, so margins find nobody to hold.
    let mut old = game(Setup::Minimal);
    let viewer = AoiViewer::new(10.0).with_leave_margin(5.0);
    let viewer = old.spawn((at(0.0, 0.0), viewer));
    let target = old.target(9.0, 0.0);
    old.tick();
    old.move_to(target, 12.0, 0.0);
    assert_eq!(old.tick(), silence(), "still in view");
    let scene = save(&old, &[viewer, target]);
    let mut new = game(Setup::Minimal);
    let map = load(&mut new, &scene, By::Memory);
    assert_eq!(new.tick(), silence());
    new.move_to(map[&target], 10.0, 0.0);
    assert_eq!(new.tick(), silence().enter(map[&viewer], map[&target]));
}

#[test]
fn into_the_same_game() {
    for by in [By::Memory, By::Text] {
        let mut game = game(Setup::Minimal);
        let rings = AoiRings::from_iter([4.0]);
        let viewer = game.spawn((at(0.0, 0.0), AoiViewer::new(10.0), rings));
        let target = game.target(1.0, 0.0);
        let pet = game.target(90.0, 0.0);
        game.insert(viewer, AoiPins::from_iter([pet]));
        game.tick();
        let scene = save(&game, &[viewer, target, pet]);
        let map = load(&mut game, &scene, by);
        let twin = map[&viewer];
        assert_eq!(game.view(twin), [], "{by:?}: no false relations");
        assert_eq!(ring_of(&game, twin, target), None, "{by:?}");
        let both = |told: Told, viewer, target, ring| {
            told.enter(viewer, target).ring(viewer, target, ring)
        };
        let mut expected = both(silence(), viewer, map[&target], 0);
        expected = both(expected, twin, target, 0);
        expected = both(expected, twin, map[&target], 0);
        expected = both(expected, twin, map[&pet], 1);
        assert_eq!(
            game.tick(),
            expected,
            "{by:?}: the original pin is to the original pet, that of the twin to its own"
        );
        assert_eq!(game.tick(), silence(), "{by:?}");
    }
}

#[test]
fn back_to_a_saved_state() {
    // A game that loads its own save over the entities it has.
    let mut game = game(Setup::Minimal);
    let viewer = game.viewer(0.0, 0.0, 10.0);
    let target = game.target(1.0, 0.0);
    let other = game.target(50.0, 0.0);
    game.tick();
    let scene = save(&game, &[viewer, target, other]);
    game.move_to(target, 60.0, 0.0);
    game.move_to(other, 2.0, 0.0);
    game.change(viewer, |viewer: &mut AoiViewer| viewer.radius = 7.0);
    game.tick();
    let mut map: EntityHashMap<Entity> = [viewer, target, other]
        .into_iter()
        .map(|entity| (entity, entity))
        .collect();
    scene.write_to_world(game.world(), &mut map).unwrap();
    assert_eq!(game.view(viewer), [other], "as of the last update");
    assert_eq!(
        game.tick(),
        silence()
            .leave(viewer, other, LeaveReason::OutOfRange)
            .enter(viewer, target),
        "a change like any other"
    );
    assert_eq!(game.seen_by(target), [viewer]);
    scene.write_to_world(game.world(), &mut map).unwrap();
    assert_eq!(game.tick(), silence(), "the same again is no change (14)");
}

/// `DynamicWorld::from_world` without the one resource of `MinimalPlugins` that Bevy cannot write.
fn all_that_has_text(game: &Game) -> DynamicWorld {
    let world = game.app.world();
    let registry = world.resource::<AppTypeRegistry>().read();
    let entities = world.archetypes().iter().flat_map(|archetype| {
        let entities = archetype.entities().iter();
        entities.map(bevy::ecs::archetype::ArchetypeEntity::id)
    });
    DynamicWorldBuilder::from_world(world, &registry)
        .deny_resource::<Time<Real>>()
        .extract_entities(entities)
        .extract_resources()
        .build()
}

#[test]
fn a_whole_app() {
    for by in [By::Memory, By::Text] {
        let mut old = game(Setup::Minimal);
        let story = story(&mut old);
        for _ in 0..5 {
            old.tick();
        }
        // Everything: observers and resources as well.
        let scene = match by {
            By::Memory => DynamicWorld::from_world(old.app.world()),
            By::Text => all_that_has_text(&old),
        };
        let mut new = game(Setup::Minimal);
        let before = new.viewer(0.0, 8000.0, 10.0);
        let seen = new.target(0.0, 8001.0);
        assert_eq!(new.tick(), silence().enter(before, seen), "{by:?}");
        let map = load(&mut new, &scene, by);
        let restored = new.tick();
        assert_eq!(restored.left, [], "{by:?}");
        // Those who were here see the flag as well, which is another matter.
        let mut entered = restored.entered;
        entered.retain(|pair| pair.0 != before);
        assert_eq!(entered, pairs(&old, &story.all, &map), "{by:?}");
        assert!(new.view(before).contains(&seen), "{by:?}: as before");
        assert_eq!(new.tick(), silence(), "{by:?}");
    }
}

#[test]
fn statistics_are_those_of_the_app() {
    let mut old = game(Setup::Minimal);
    for _ in 0..5 {
        old.tick();
    }
    let scene = DynamicWorld::from_world(old.app.world());
    let mut new = game(Setup::Minimal);
    load(&mut new, &scene, By::Memory);
    new.tick();
    assert_eq!(
        new.stats().updates,
        1,
        "a scene does not say how often this app was updated"
    );
}

#[test]
fn clones_start_without_rings_and_views() {
    let mut game = game(Setup::Minimal);
    let story = story(&mut game);
    game.tick();
    let twin = game.world().entity_mut(story.guard).clone_and_spawn();
    assert_eq!(game.view(twin), []);
    assert_eq!(ring_of(&game, twin, story.child), None);
    let world = game.app.world();
    let rings = |entity| world.get::<AoiRings>(entity).unwrap();
    assert_eq!(
        rings(twin),
        rings(story.guard),
        "what the game set is cloned"
    );
    let told = game.tick();
    let view = game.view(story.guard);
    assert!(view.len() > 2);
    assert_eq!(game.view(twin), view, "one that stands on its original");
    assert!(
        told.entered
            .iter()
            .map(|enter| enter.1)
            .eq(view.iter().copied())
    );
    assert!(told.rings.iter().all(|ring| ring.0 == twin));
    assert_eq!(told.rings.len(), view.len());

    // A pin of a clone is to the same pet: it names an entity (11).
    let second = game.world().entity_mut(story.owner).clone_and_spawn();
    assert_eq!(
        game.tick()
            .entered
            .iter()
            .filter(|pair| pair.1 == story.pet)
            .count(),
        1
    );
    assert!(game.view(second).contains(&story.pet));
}

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
    let ron = ron::to_string(value).unwrap();
    assert_eq!(&ron::from_str::<T>(&ron).unwrap(), value, "{ron}");
}

#[test]
fn serde_of_components_and_messages() {
    let mut world = World::new();
    let [viewer, target] = [(); 2].map(|()| world.spawn_empty().id());
    let shapes = [
        ViewShape::Round,
        ViewShape::Square,
        ViewShape::Cylinder { half_height: 0.1 },
        ViewShape::Box {
            half: Vec3::new(1.0, -0.0, 1e-30),
        },
    ];
    for shape in shapes {
        round_trip(&shape);
        let viewer = AoiViewer::new(0.3).with_leave_margin(1e9).with_shape(shape);
        round_trip(&viewer);
        round_trip(&viewer.with_sees(0).with_max_targets(u32::MAX));
    }
    round_trip(&AoiTarget::default());
    round_trip(
        &AoiTarget::default()
            .with_layers(u32::MAX)
            .with_extra_range(0.7),
    );
    round_trip(&AoiSpace(u32::MAX));
    round_trip(&AlwaysInView);
    round_trip(&AoiPins::default());
    round_trip(&AoiPins::from_iter([
        target, viewer, target, viewer, target,
    ]));
    round_trip(&AoiRings::default());
    round_trip(&AoiRings::from_iter([0.1, 2.0, 30.0, 400.0, 5e3, 6e4]));
    round_trip(&ReportMoves);
    round_trip(&AoiEvents);
    round_trip(&AoiSeenEvents);

    round_trip(&EnterView { viewer, target });
    for reason in [
        LeaveReason::Despawned,
        LeaveReason::Removed,
        LeaveReason::Filtered,
        LeaveReason::OutOfRange,
        LeaveReason::Evicted,
    ] {
        round_trip(&reason);
        round_trip(&LeaveView {
            viewer,
            target,
            reason,
        });
    }
    for moved in [Moved::Viewer, Moved::Target, Moved::Both] {
        round_trip(&moved);
        round_trip(&MoveInView {
            viewer,
            target,
            moved,
        });
    }
    round_trip(&RingChanged {
        viewer,
        target,
        ring: u8::MAX,
    });

    // A viewer without bounds, in Bevy's format; JSON has no infinity.
    let endless = AoiViewer::new(f32::INFINITY);
    let text = ron::to_string(&endless).unwrap();
    assert_eq!(ron::from_str::<AoiViewer>(&text).unwrap(), endless);
}
