//! The Entity tab: choosing by search, from the list, by a link; whom one sees and who sees it.

use crate::desk::{Desk, Text};
use bevy::{ecs::entity_disabling::Disabled, prelude::*};
use bevy_aoi::prelude::*;
use bevy_egui::egui;

/// How an entity with a name is written.
fn label(name: &str, entity: Entity) -> String {
    format!("{name} ({entity})")
}

/// Frames until the search has looked at all.
fn search(desk: &mut Desk, text: &str) {
    desk.click("search: name or id");
    desk.write(text);
    for _ in 0..200 {
        if !desk.reads("% searched") {
            break;
        }
        desk.settle();
    }
}

#[test]
fn picked_from_the_list() {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
    let bob = desk.walker("Bob", 30.0, 0.0, 50.0);
    desk.show(AoiTab::Entity);
    desk.must_read("2 entities");
    desk.must_read("No entity is picked.");
    desk.click(&label("Bob", bob));
    assert_eq!(desk.panel().picked, Some(bob));
    desk.click(&label("Ann", ann));
    assert_eq!(desk.panel().picked, Some(ann));
}

#[test]
fn found_by_a_part_of_its_name_in_any_case() {
    let mut desk = Desk::new();
    for number in 0..500 {
        desk.walker(&format!("Walker {number}"), number as f32 * 90.0, 0.0, 50.0);
    }
    let wolf = desk.walker("Grey Wolf", -90.0, 0.0, 50.0);
    desk.show(AoiTab::Entity);
    search(&mut desk, "grey w");
    desk.must_read("1 found");
    assert!(!desk.reads("Walker 1"));
    desk.click(&label("Grey Wolf", wolf));
    assert_eq!(desk.panel().picked, Some(wolf));
    desk.click("×");
    desk.must_read("501 entities");
    search(&mut desk, "nobody of this name");
    desk.must_read("0 found");
}

#[test]
fn found_by_its_id() {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
    let nameless = desk.spawn((Transform::default(), AoiTarget::default()));
    desk.show(AoiTab::Entity);
    search(&mut desk, &nameless.to_string());
    desk.must_read("1 found");
    desk.click_nth(&nameless.to_string(), 1);
    assert_eq!(desk.panel().picked, Some(nameless));
    desk.click("×");
    search(&mut desk, &ann.index_u32().to_string());
    desk.click(&label("Ann", ann));
    assert_eq!(desk.panel().picked, Some(ann), "the index alone will do");
}

#[test]
fn a_search_stays_up_to_date() {
    let mut desk = Desk::new();
    desk.walker("Ann", 0.0, 0.0, 50.0);
    desk.show(AoiTab::Entity);
    search(&mut desk, "zoe");
    desk.must_read("0 found");
    let zoe = desk.walker("Zoe", 30.0, 0.0, 50.0);
    // The list is taken anew several times per second.
    let mut frames = 0;
    while !desk.reads("1 found") {
        desk.settle();
        frames += 1;
        assert!(frames < 1_000_000, "{}", desk.all());
    }
    desk.settle();
    desk.click(&label("Zoe", zoe));
    assert_eq!(desk.panel().picked, Some(zoe));
}

#[test]
fn what_is_known_of_it() {
    let mut desk = Desk::new();
    let ann = desk.spawn((
        Name::new("Ann"),
        Transform::from_xyz(12.34, -5.0, 9.0),
        AoiViewer::new(50.0)
            .with_leave_margin(2.5)
            .with_sees(0b101)
            .with_max_targets(7),
        AoiTarget::default().with_layers(0b10).with_extra_range(3.0),
        AoiSpace(4),
        AoiRings::from_iter([10.0, 30.0]),
        AoiPins::from_iter([Entity::from_raw_u32(999_999).unwrap()]),
    ));
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Entity);
    let all = desk.all();
    let after = |name: &str| {
        let mut lines = all.lines().skip_while(|line| line.trim() != name).skip(1);
        lines.next().unwrap_or_default().trim().to_owned()
    };
    for (name, value) in [
        ("position", "12.3  -5.0  0.0"),
        ("space", "4"),
        ("radius", "50.0"),
        ("margin", "2.5"),
        ("shape", "round"),
        ("cap", "7"),
        ("sees layers", "bits 0, 2"),
        ("pins", "1"),
        ("rings", "10.0  30.0"),
        ("on layers", "bit 1"),
        ("extra range", "3.0"),
    ] {
        assert_eq!(after(name), value, "{name}");
    }
    for (shape, text) in [
        (ViewShape::Square, "square"),
        (ViewShape::Cylinder { half_height: 3.0 }, "cylinder ±3.0"),
        (
            ViewShape::Box {
                half: Vec3::new(1.0, 2.0, 3.0),
            },
            "box ±1.0 ±2.0 ±3.0",
        ),
    ] {
        desk.app
            .world_mut()
            .get_mut::<AoiViewer>(ann)
            .unwrap()
            .shape = shape;
        desk.settle();
        desk.must_read(text);
    }
}

/// Ann sees Bob near, Cleo by a pin and Dora since she is always in view; Eve is out of reach.
fn company() -> (Desk, [Entity; 5]) {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", 0.0, 0.0, 50.0);
    let bob = desk.walker("Bob", 30.0, 0.0, 100.0);
    let cleo = desk.walker("Cleo", 200.0, 0.0, 1.0);
    let dora = desk.walker("Dora", 100.0, 0.0, 1.0);
    let eve = desk.walker("Eve", 52.3, 0.0, 60.0);
    let world = desk.app.world_mut();
    world.entity_mut(ann).insert((
        AoiPins::from_iter([cleo]),
        AoiRings::from_iter([10.0, 40.0]),
    ));
    world.entity_mut(dora).insert(AlwaysInView);
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Entity);
    (desk, [ann, bob, cleo, dora, eve])
}

/// The pieces of text in the lower part, row by row, of the left or the right table.
fn table(desk: &Desk, right: bool) -> Vec<String> {
    let top = desk.place_of("away", 0).bottom();
    let middle = desk
        .place_of("away", usize::from(desk.reads("seen by")))
        .left()
        - 40.0;
    let mut texts: Vec<_> = desk
        .texts
        .iter()
        .filter(|text| text.rect.top() > top && (text.rect.left() > middle) == right)
        .collect();
    texts.sort_by(|a, b| a.rect.top().total_cmp(&b.rect.top()));
    let rows = texts.chunk_by_mut(|a, b| b.rect.top() - a.rect.top() < 8.0);
    let words = |row: &mut [&Text]| {
        row.sort_by(|a, b| a.rect.left().total_cmp(&b.rect.left()));
        let words: Vec<_> = row.iter().map(|text| text.text.trim()).collect();
        words.join(" ")
    };
    rows.map(words).collect()
}

#[test]
fn whom_it_sees_and_who_sees_it() {
    let (desk, [_, bob, cleo, dora, eve]) = company();
    desk.must_read("sees 3");
    desk.must_read("seen by 2");
    desk.is_tidy();
    assert_eq!(
        table(&desk, false),
        [
            format!("30.0 1 near {}", label("Bob", bob)),
            format!("100.0 2 always {}", label("Dora", dora)),
            format!("200.0 2 pin {}", label("Cleo", cleo)),
        ],
        "nearest first, with ring and reason"
    );
    assert_eq!(
        table(&desk, true),
        [
            format!("30.0 near {}", label("Bob", bob)),
            format!("52.3 near {}", label("Eve", eve)),
        ]
    );
}

#[test]
fn a_link_in_a_table_leads_on() {
    let (mut desk, [ann, bob, cleo, ..]) = company();
    desk.click_nth(&label("Bob", bob), 1);
    assert_eq!(desk.panel().picked, Some(bob));
    desk.must_read("sees 3");
    desk.click_nth(&label("Ann", ann), 1);
    assert_eq!(desk.panel().picked, Some(ann));
    desk.click_nth(&label("Cleo", cleo), 1);
    assert_eq!(desk.panel().picked, Some(cleo));
}

#[test]
fn the_tables_follow_what_is_told() {
    let (mut desk, [ann, bob, _, _, eve]) = company();
    let world = desk.app.world_mut();
    world.get_mut::<Transform>(bob).unwrap().translation.x = 500.0;
    desk.settle();
    desk.must_read("sees 2");
    desk.must_read("seen by 1");
    let late = desk.walker("Late", -5.0, 0.0, 50.0);
    desk.settle();
    desk.must_read("sees 3");
    desk.must_read("seen by 2");
    assert!(table(&desk, true)[0].contains(&label("Late", late)));
    desk.app.world_mut().despawn(late);
    desk.app.world_mut().entity_mut(eve).insert(Disabled);
    desk.settle();
    desk.must_read("seen by 0");
    // The same, where the target lists who sees it.
    desk.app.world_mut().entity_mut(eve).remove::<Disabled>();
    desk.app
        .world_mut()
        .entity_mut(ann)
        .insert(SeenBy::default());
    desk.settle();
    desk.must_read("seen by 1");
}

#[test]
fn of_one_that_is_only_a_viewer_or_only_a_target() {
    let mut desk = Desk::new();
    let eye = desk.spawn((Transform::default(), AoiViewer::new(5.0)));
    let stone = desk.spawn((Transform::default(), AoiTarget::default()));
    desk.panel().picked = Some(eye);
    desk.show(AoiTab::Entity);
    desk.must_read("It is no target: nobody sees it.");
    desk.must_read("sees 1");
    desk.panel().picked = Some(stone);
    desk.settle();
    desk.must_read("It is no viewer: it sees nobody.");
    desk.must_read("seen by 1");
}

#[test]
fn a_long_view_can_be_scrolled() {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", 0.0, 0.0, 10_000.0);
    for number in 1..=2_000 {
        desk.walker(&format!("Walker {number}"), number as f32, 0.0, 0.0);
    }
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Entity);
    desk.must_read("sees 2 000");
    desk.must_read("the nearest 500");
    assert!(table(&desk, false)[0].starts_with("1.0 near Walker 1 "));
    let over = desk.place_of("near", 0).center();
    for _ in 0..10 {
        desk.frame(vec![
            egui::Event::PointerMoved(over),
            egui::Event::MouseWheel {
                unit: egui::MouseWheelUnit::Point,
                delta: egui::vec2(0.0, -2_000.0),
                phase: egui::TouchPhase::Move,
                modifiers: egui::Modifiers::NONE,
            },
        ]);
    }
    for _ in 0..60 {
        desk.frame(Vec::new());
    }
    let rows = table(&desk, false);
    let last = rows.last().unwrap();
    assert!(last.starts_with("500.0 near Walker 500 "), "{rows:?}");
}
