//! The Log tab: what is told, filtered, counted, held and copied.

use crate::desk::Desk;
use bevy::prelude::*;
use bevy_aoi::prelude::*;

/// Ann, who sees 50 far, and Bob at a place.
fn pair(x: f32) -> (Desk, [Entity; 2]) {
    let mut desk = Desk::new();
    desk.panel().tab = AoiTab::Log;
    desk.settle();
    let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
    let bob = desk.walker("Bob", x, 0.0, 0.0);
    desk.settle();
    (desk, [ann, bob])
}

fn go(desk: &mut Desk, entity: Entity, x: f32) {
    let world = desk.app.world_mut();
    world.get_mut::<Transform>(entity).unwrap().translation.x = x;
    desk.settle();
}

/// What is in the column of what was told, top down.
fn lines(desk: &Desk) -> Vec<String> {
    let top = desk.place_of("update", 0).bottom();
    let column = desk.place_of("what", 0).left();
    let mut lines: Vec<_> = desk
        .texts
        .iter()
        .filter(|text| text.rect.top() > top && (text.rect.left() - column).abs() < 4.0)
        .collect();
    lines.sort_by(|a, b| a.rect.top().total_cmp(&b.rect.top()));
    lines
        .iter()
        .map(|text| text.text.trim().to_owned())
        .collect()
}

#[test]
fn what_is_told_is_listed_with_its_ends() {
    let (mut desk, [ann, bob]) = pair(30.0);
    assert_eq!(lines(&desk), ["entered"]);
    go(&mut desk, bob, 80.0);
    go(&mut desk, bob, 40.0);
    desk.app.world_mut().despawn(bob);
    desk.settle();
    assert_eq!(
        lines(&desk),
        [
            "entered",
            "left: out of range",
            "entered",
            "left: despawned"
        ]
    );
    desk.must_read("4 lines");
    desk.is_tidy();
    desk.click(&format!("Ann ({ann})"));
    assert_eq!(desk.panel().picked, Some(ann), "ends are links");
}

#[test]
fn every_reason_and_kind() {
    let (mut desk, [ann, bob]) = pair(30.0);
    let cleo = desk.walker("Cleo", 20.0, 0.0, 0.0);
    let world = desk.app.world_mut();
    world
        .entity_mut(ann)
        .insert((AoiRings::from_iter([25.0]), ReportMoves));
    desk.settle();
    desk.click("moved");
    desk.app
        .world_mut()
        .get_mut::<AoiViewer>(ann)
        .unwrap()
        .max_targets = Some(1);
    desk.settle();
    desk.app.world_mut().entity_mut(cleo).insert(AoiSpace(1));
    desk.settle();
    go(&mut desk, bob, 10.0);
    go(&mut desk, bob, 30.0);
    desk.app.world_mut().entity_mut(bob).remove::<AoiTarget>();
    desk.settle();
    let told = lines(&desk);
    for what in [
        "entered",
        "left: evicted",
        "left: filtered",
        "left: removed",
        "ring 0",
        "ring 1",
        "target moved",
    ] {
        assert!(told.iter().any(|line| line == what), "{what}: {told:?}");
    }
}

#[test]
fn a_filter_hides_and_the_counts_go_on() {
    let (mut desk, [_, bob]) = pair(30.0);
    desk.click("entered");
    go(&mut desk, bob, 80.0);
    go(&mut desk, bob, 30.0);
    assert_eq!(lines(&desk), ["left: out of range"]);
    let count = |desk: &Desk, name: &str| {
        let all = desk.all();
        let mut lines = all.lines().skip_while(|line| line.trim() != name).skip(1);
        lines.next().unwrap_or_default().trim().to_owned()
    };
    assert_eq!(count(&desk, "entered"), "2");
    assert_eq!(count(&desk, "left: out of range"), "1");
    assert_eq!(count(&desk, "left: despawned"), "0");
    desk.click_nth("left: out of range", 0);
    assert_eq!(lines(&desk), [""; 0]);
    desk.click("all kinds");
    go(&mut desk, bob, 80.0);
    assert_eq!(
        lines(&desk),
        ["entered", "left: out of range", "left: out of range"],
        "what was hidden when it was told is not kept, the rest is"
    );
}

#[test]
fn only_those_of_the_picked_entity() {
    let (mut desk, [ann, _]) = pair(30.0);
    desk.panel().picked = Some(ann);
    desk.settle();
    desk.click(&format!("only Ann ({ann})"));
    desk.walker("Cleo", 500.0, 0.0, 50.0);
    desk.walker("Dora", 510.0, 0.0, 50.0);
    desk.settle();
    desk.must_read("1 lines");
    desk.click(&format!("only Ann ({ann})"));
    desk.walker("Eve", 520.0, 0.0, 5.0);
    desk.settle();
    desk.must_read("3 lines");
}

#[test]
fn paused_it_stands_still() {
    let (mut desk, [_, bob]) = pair(30.0);
    desk.click("pause");
    desk.must_read("1 lines, paused");
    go(&mut desk, bob, 80.0);
    assert_eq!(lines(&desk), ["entered"]);
    desk.click("go on");
    go(&mut desk, bob, 30.0);
    assert_eq!(lines(&desk), ["entered", "entered"]);
    desk.click("clear");
    assert_eq!(lines(&desk), [""; 0]);
    desk.must_read("0 lines");
}

#[test]
fn copied_as_text() {
    let (mut desk, [ann, bob]) = pair(30.0);
    go(&mut desk, bob, 80.0);
    desk.click("copy");
    assert_eq!(desk.copied.len(), 1);
    let lines: Vec<_> = desk.copied[0].lines().collect();
    assert_eq!(lines[0], "update\tviewer\ttarget\twhat");
    assert!(lines[1].ends_with(&format!("\t{ann}\t{bob}\tentered")));
    assert!(lines[2].ends_with(&format!("\t{ann}\t{bob}\tleft: out of range")));
    assert_eq!(lines.len(), 3);
}

#[test]
fn what_was_told_while_it_was_closed_is_passed_over() {
    let (mut desk, [_, bob]) = pair(30.0);
    desk.panel().open = false;
    for step in 0..50 {
        go(&mut desk, bob, if step % 2 == 0 { 80.0 } else { 30.0 });
    }
    desk.panel().open = true;
    desk.settle();
    assert_eq!(lines(&desk), [""; 0]);
    go(&mut desk, bob, 80.0);
    assert_eq!(lines(&desk), ["left: out of range"]);
}

#[test]
fn a_flood_keeps_the_last_and_ends_at_the_newest() {
    let (mut desk, _) = pair(30.0);
    for number in 0..120 {
        desk.walker("Walker", 1_000.0 + number as f32 * 0.1, 0.0, 50.0);
    }
    desk.settle();
    desk.must_read("5 000 lines");
    let world = desk.app.world_mut();
    let mut walkers = world.query_filtered::<Entity, With<AoiViewer>>();
    let last = walkers.iter(world).last().unwrap();
    world.despawn(last);
    desk.settle();
    assert_eq!(lines(&desk).last().unwrap(), "left: despawned");
}
