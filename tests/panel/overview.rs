//! The Overview tab, and what holds for all of them.

use crate::desk::Desk;
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use bevy_egui::egui;

const TABS: [AoiTab; 5] = [
    AoiTab::Overview,
    AoiTab::Entity,
    AoiTab::Log,
    AoiTab::Tune,
    AoiTab::Lists,
];

/// Two that see each other and one that is far away, the first of them picked.
fn three() -> (Desk, [Entity; 3]) {
    let mut desk = Desk::new();
    let first = desk.walker("Ann", 0.0, 0.0, 50.0);
    let second = desk.walker("Bob", 30.0, 0.0, 50.0);
    let third = desk.walker("Cleo", 300.0, 0.0, 50.0);
    desk.panel().picked = Some(first);
    desk.settle();
    (desk, [first, second, third])
}

#[test]
fn each_tab_draws_and_is_tidy() {
    let (mut desk, [first, second, _]) = three();
    desk.panel().other = Some(second);
    for (tab, texts) in [
        (
            AoiTab::Overview,
            [
                "viewers",
                "messages per second",
                "detect",
                "pairs per update",
            ],
        ),
        (
            AoiTab::Entity,
            ["radius", "Why not?", "sees 1", "seen by 1"],
        ),
        (
            AoiTab::Log,
            ["entered", "left: out of range", "pause", "copy"],
        ),
        (AoiTab::Tune, ["radius", "margin", "cap", "shape"]),
        (
            AoiTab::Lists,
            ["Bands", "Blocks of band 0", "along x", "along y"],
        ),
    ] {
        desk.show(tab);
        assert_eq!(desk.panel().tab, tab);
        for text in texts {
            desk.must_read(text);
        }
        desk.must_read("Area of interest");
        desk.is_tidy();
    }
    assert_eq!(desk.panel().picked, Some(first), "looking changes nothing");
}

#[test]
fn a_click_on_its_name_opens_a_tab() {
    let (mut desk, _) = three();
    for tab in TABS {
        desk.click(&format!("{tab:?}"));
        assert_eq!(desk.panel().tab, tab);
    }
}

#[test]
fn the_figures_of_the_updates() {
    let (mut desk, _) = three();
    desk.show(AoiTab::Overview);
    let all = desk.all();
    let after = |name: &str| {
        let mut lines = all.lines().skip_while(|line| line.trim() != name).skip(1);
        lines.next().unwrap_or_default().trim().to_owned()
    };
    assert_eq!(after("viewers"), "3");
    assert_eq!(after("targets"), "3");
    assert_eq!(after("pairs in view"), "2");
    assert_eq!(after("not finite"), "0");
    desk.must_read("half see up to 1, one sees 1");
}

#[test]
fn the_key_opens_and_closes() {
    let (mut desk, _) = three();
    let press = |desk: &mut Desk| {
        let mut keys = desk.app.world_mut().resource_mut::<ButtonInput<KeyCode>>();
        keys.press(KeyCode::F3);
        // As the system that reads the keyboard would, which has nothing to read.
        let world = desk.app.world_mut();
        world.run_schedule(Update);
        let mut keys = desk.app.world_mut().resource_mut::<ButtonInput<KeyCode>>();
        keys.reset_all();
    };
    press(&mut desk);
    assert!(!desk.panel().open);
    desk.settle();
    assert_eq!(desk.all(), "", "nothing is drawn");
    press(&mut desk);
    assert!(desk.panel().open);
    desk.settle();
    desk.must_read("Area of interest");
}

#[test]
fn closed_it_does_nothing() {
    let (mut desk, [first, ..]) = three();
    desk.panel().open = false;
    desk.settle();
    let world = desk.app.world_mut();
    world.clear_trackers();
    let changes = |world: &World| {
        [
            world.get_resource_ref::<AoiPanel>().unwrap().last_changed(),
            world
                .get_resource_ref::<AoiSnapshot>()
                .unwrap()
                .last_changed(),
        ]
    };
    let before = changes(world);
    for x in 0..100 {
        let world = desk.app.world_mut();
        world.get_mut::<Transform>(first).unwrap().translation.x = x as f32 * 10.0;
        desk.app.update();
    }
    assert_eq!(changes(desk.app.world()), before, "nobody wrote to either");
}

#[test]
fn a_click_on_the_cross_closes_it() {
    let (mut desk, _) = three();
    let bar = desk.place_of("Area of interest", 0);
    // The cross is drawn as lines, at the right end of the title bar.
    let mut right = 0.0_f32;
    for text in &desk.texts {
        right = right.max(text.clip.right());
    }
    let mut x = right.min(700.0);
    while desk.panel().open && x > bar.right() {
        desk.click_at(egui::pos2(x, bar.center().y));
        x -= 4.0;
    }
    assert!(!desk.panel().open);
}

#[test]
fn the_body_in_a_window_of_the_game() {
    let (mut desk, _) = three();
    desk.panel().embedded = true;
    desk.settle();
    assert_eq!(desk.all(), "", "the plugin draws nothing");
    let context = egui::Context::default();
    let mut texts = Vec::new();
    let world = desk.app.world_mut();
    world.resource_scope(|world, mut panel: Mut<AoiPanel>| {
        let snapshot = world.resource::<AoiSnapshot>();
        for _ in 0..2 {
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                let edits = bevy_aoi::panel_ui(ui, &mut panel, snapshot);
                assert!(edits.is_empty());
            });
            output.textures_delta.clear();
            for shape in core::mem::take(&mut output.shapes) {
                if let egui::Shape::Text(text) = shape.shape {
                    texts.push(text.galley.text().to_owned());
                }
            }
        }
    });
    assert!(
        texts.iter().any(|text| text == "pairs in view"),
        "{texts:?}"
    );
}
