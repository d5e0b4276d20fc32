//! "Why not?": every rule that keeps a pair apart, and every reason that holds one, in words.

use crate::desk::Desk;
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;

/// A viewer and target at a place, and another one, as the game spawned them.
struct Pair {
    desk: Desk,
    ann: Entity,
    bob: Entity,
}

impl Pair {
    /// Ann at the origin sees 50 far, Bob 10.
    fn apart(x: f32) -> Self {
        let mut desk = Desk::new();
        let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
        let bob = desk.walker("Bob", x, 0.0, 10.0);
        Self { desk, ann, bob }
    }

    fn insert(mut self, entity: impl Fn(&Self) -> Entity, bundle: impl Bundle) -> Self {
        let entity = entity(&self);
        self.desk.app.world_mut().entity_mut(entity).insert(bundle);
        self
    }

    fn remove<B: Bundle>(mut self, entity: impl Fn(&Self) -> Entity) -> Self {
        let entity = entity(&self);
        self.desk.app.world_mut().entity_mut(entity).remove::<B>();
        self
    }

    /// What the panel says of Ann and Bob, in this direction and the other.
    #[track_caller]
    fn says(mut self, there: &str, back: &str) {
        let (ann, bob) = (self.ann, self.bob);
        let mut panel = self.desk.panel();
        (panel.picked, panel.other) = (Some(ann), Some(bob));
        self.desk.show(AoiTab::Entity);
        let name = |entity, name| match self.desk.app.world().get::<Name>(entity) {
            Some(_) => format!("{name} ({entity})"),
            None => entity.to_string(),
        };
        let (ann, bob) = (name(ann, "Ann"), name(bob, "Bob"));
        let sentence = |viewer, target, says: &str| match says.strip_prefix("sees: ") {
            Some(says) => format!("{viewer} sees {target}: {says}"),
            None => format!("{viewer} does not see {target}: {says}"),
        };
        self.desk.must_read(&sentence(&ann, &bob, there));
        self.desk.must_read(&sentence(&bob, &ann, back));
    }
}

fn ann(pair: &Pair) -> Entity {
    pair.ann
}

fn bob(pair: &Pair) -> Entity {
    pair.bob
}

#[test]
fn too_far_away() {
    Pair::apart(52.3).says(
        "too far away: distance 52.3 of 50.0",
        "too far away: distance 52.3 of 10.0",
    );
    Pair::apart(50.04).says(
        "too far away: distance 50.04 of 50.00",
        "too far away: distance 50.0 of 10.0",
    );
}

#[test]
fn in_view_after_all() {
    Pair::apart(30.0).says(
        "sees: by distance, 30.0 away",
        "too far away: distance 30.0 of 10.0",
    );
    let pair = Pair::apart(300.0).insert(bob, AlwaysInView);
    let pin = AoiPins::from_iter([pair.ann]);
    pair.insert(bob, pin).says(
        "sees: always in view, 300.0 away",
        "sees: by a pin, 300.0 away",
    );
}

#[test]
fn nobody_sees_itself() {
    let mut pair = Pair::apart(1.0);
    let ann = pair.ann;
    let mut panel = pair.desk.panel();
    (panel.picked, panel.other) = (Some(ann), Some(ann));
    pair.desk.show(AoiTab::Entity);
    pair.desk
        .must_read(&format!("Ann ({ann}): nobody sees itself"));
}

#[test]
fn a_component_is_missing() {
    Pair::apart(1.0)
        .remove::<AoiViewer>(ann)
        .says("the viewer has no AoiViewer", "sees: by distance, 1.0 away");
    Pair::apart(1.0)
        .remove::<AoiTarget>(bob)
        .says("the target has no AoiTarget", "sees: by distance, 1.0 away");
}

#[test]
fn one_does_not_exist_any_more() {
    let mut pair = Pair::apart(1.0);
    pair.desk.settle();
    pair.desk.app.world_mut().despawn(pair.bob);
    pair.says("the target does not exist", "the viewer does not exist");
}

#[test]
fn one_is_disabled() {
    Pair::apart(1.0)
        .insert(bob, Disabled)
        .says("the target is disabled", "the viewer is disabled");
}

#[test]
fn one_is_at_no_place() {
    Pair::apart(f32::NAN).says(
        "the target has a position that is not finite",
        "the viewer has a position that is not finite",
    );
    Pair::apart(1.0)
        .remove::<(Transform, GlobalTransform)>(bob)
        .says(
            "the target had no position at the last update",
            "the viewer had no position at the last update",
        );
}

#[test]
fn another_space() {
    Pair::apart(1.0).insert(bob, AoiSpace(7)).says(
        "the viewer is in space 0, the target in 7",
        "the viewer is in space 7, the target in 0",
    );
}

#[test]
fn no_layer_in_common() {
    Pair::apart(1.0)
        .insert(bob, AoiTarget::default().with_layers(0b100))
        .insert(ann, AoiViewer::new(50.0).with_sees(0b11))
        .says(
            "no layer in common: the viewer sees bits 0, 1; the target is on bit 2",
            "sees: by distance, 1.0 away",
        );
}

#[test]
fn a_viewer_is_blind() {
    for radius in [0.0, -1.0, f32::NAN] {
        Pair::apart(1.0).insert(ann, AoiViewer::new(radius)).says(
            "the viewer is blind: its radius is not above 0",
            "sees: by distance, 1.0 away",
        );
    }
}

#[test]
fn others_have_the_places() {
    let mut pair = Pair::apart(9.0);
    for x in [1.0, 2.0] {
        pair.desk.walker("Crowd", x, 0.0, 0.0);
    }
    pair.insert(ann, AoiViewer::new(50.0).with_max_targets(2))
        .says("all 2 places are taken", "sees: by distance, 9.0 away");
}

#[test]
fn the_other_one_is_chosen_from_the_list_or_by_a_link() {
    let mut pair = Pair::apart(30.0);
    let (ann, bob) = (pair.ann, pair.bob);
    let desk = &mut pair.desk;
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Entity);
    desk.must_read("Choose another entity");
    let name = format!("Bob ({bob})");
    // From the list, which is drawn first, and then from the table of those it sees.
    for nth in [0, 1] {
        desk.panel().other = None;
        desk.settle();
        desk.click("choose the other");
        desk.must_read("Now click the other one");
        desk.click_nth(&name, nth);
        assert_eq!(desk.panel().other, Some(bob));
        assert_eq!(desk.panel().picked, Some(ann), "that stays");
        desk.must_read("by distance, 30.0 away");
    }
    desk.click("swap");
    assert_eq!(desk.panel().picked, Some(bob));
    assert_eq!(desk.panel().other, Some(ann));
}

#[test]
fn the_other_one_is_found_by_a_search() {
    let mut pair = Pair::apart(300.0);
    let (ann, bob) = (pair.ann, pair.bob);
    let desk = &mut pair.desk;
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Entity);
    desk.click("choose the other");
    desk.click("search: name or id");
    desk.write("bob");
    desk.must_read("1 found");
    desk.click(&format!("Bob ({bob})"));
    assert_eq!(desk.panel().other, Some(bob));
    desk.must_read("too far away: distance 300.0 of 50.0");
    desk.is_tidy();
}
