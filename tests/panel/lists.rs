//! The Lists tab: bands, blocks, and the order along the axes.

use crate::desk::Desk;
use bevy::prelude::*;
use bevy_aoi::prelude::*;

/// A field of walkers, and one of them in its middle.
fn field() -> (Desk, Entity) {
    let mut desk = Desk::new();
    for number in 0..900 {
        let (x, y) = (number % 30, number / 30);
        desk.walker("Walker", x as f32 * 20.0, y as f32 * 20.0, 30.0);
    }
    let ann = desk.walker("Ann", 305.0, 305.0, 30.0);
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Lists);
    (desk, ann)
}

#[test]
fn the_bands_add_up_and_one_shows_its_blocks() {
    let (mut desk, _) = field();
    let (bands, blocks) = {
        let index = desk.app.world().resource::<AoiIndex>();
        let bands: Vec<_> = index.bands(AoiSpace(0)).collect();
        (bands, index.blocks(AoiSpace(0)).collect::<Vec<_>>())
    };
    desk.must_read(&format!("{} bands", bands.len()));
    let own = bands
        .iter()
        .position(|band| band.lo.y <= 305.0 && 305.0 <= band.hi.y);
    let own = own.unwrap();
    desk.must_read(&format!("Blocks of band {own}"));
    // That of another band by a click on it.
    let other = if own > 0 { own - 1 } else { own + 1 };
    let members = bands[other].members;
    let row = desk.texts.iter().find(|text| {
        let words: Vec<_> = text.text.split_whitespace().collect();
        words.len() == 4 && words[0] == other.to_string() && words[3] == members.to_string()
    });
    let at = row.expect("a row for each band").rect.center();
    desk.click_at(at);
    desk.must_read(&format!("Blocks of band {other}"));
    let first = blocks.iter().find(|block| block.band == other).unwrap();
    desk.must_read(&format!("{:>2} / {:>2}", first.members, first.capacity));
    desk.click("band of the picked");
    desk.must_read(&format!("Blocks of band {own}"));
    desk.is_tidy();
}

#[test]
fn the_order_along_both_axes_around_the_picked_one() {
    let (mut desk, ann) = field();
    desk.must_read("along x");
    desk.must_read("along y");
    desk.must_read("300.0");
    desk.must_read("320.0");
    let name = format!("Ann ({ann})");
    desk.place_of(&name, 1);
    // Whoever stands beside it on an axis is a link.
    let walkers = desk.app.world_mut();
    let beside = walkers.resource::<AoiIndex>().walk_up(ann, 0).next();
    let beside = beside.unwrap().1;
    desk.click(&format!("Walker ({beside})"));
    assert_eq!(desk.panel().picked, Some(beside));
}

#[test]
fn in_three_dimensions_there_are_three_orders() {
    let mut desk = Desk::with(AoiPlugin::xyz());
    let ann = desk.walker("Ann", 0.0, 0.0, 30.0);
    desk.walker("Bob", 5.0, 5.0, 30.0);
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Lists);
    for axis in ["along x", "along y", "along z"] {
        desk.must_read(axis);
    }
    desk.is_tidy();
}

#[test]
fn another_space() {
    let mut desk = Desk::new();
    let ann = desk.walker("Ann", 0.0, 0.0, 30.0);
    let bob = desk.walker("Bob", 0.0, 0.0, 30.0);
    desk.app.world_mut().entity_mut(bob).insert(AoiSpace(7));
    desk.panel().picked = Some(bob);
    desk.show(AoiTab::Lists);
    desk.must_read("along x");
    desk.click("7");
    desk.click("0");
    desk.must_read("Pick an entity of this space");
    desk.panel().picked = Some(ann);
    desk.settle();
    desk.must_read(&format!("Ann ({ann})"));
}

#[test]
fn nobody_takes_part() {
    let mut desk = Desk::new();
    desk.show(AoiTab::Lists);
    desk.must_read("Nobody takes part.");
}

#[test]
fn the_band_of_the_picked_one_is_in_sight_from_the_start() {
    let mut desk = Desk::new();
    for number in 0..6_000 {
        let (x, y) = (number % 10, number / 10);
        let at = Transform::from_xyz(x as f32 * 20.0, y as f32 * 20.0, 0.0);
        desk.spawn((at, AoiTarget::default()));
    }
    let ann = desk.walker("Ann", 0.0, 11_990.0, 30.0);
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Lists);
    let index = desk.app.world().resource::<AoiIndex>();
    let bands: Vec<_> = index.bands(AoiSpace(0)).collect();
    let own = bands.iter().position(|band| 11_990.0 <= band.max.y);
    let own = own.unwrap();
    assert!(own > 20, "so many that not all have room: {own}");
    let row = |desk: &Desk, band: usize| {
        desk.all().lines().any(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            words.len() == 4 && words[0] == band.to_string() && words[1].contains('.')
        })
    };
    assert!(row(&desk, own), "{}", desk.all());
    assert!(!row(&desk, 0));
    desk.is_tidy();
}

#[test]
fn coordinates_near_the_origin_are_written_like_the_others() {
    let mut desk = Desk::new();
    for number in -5..=5 {
        desk.walker("Walker", number as f32 * 9.0 + 0.032, 0.032, 30.0);
    }
    let ann = desk.walker("Ann", 0.01, -0.01, 30.0);
    desk.panel().picked = Some(ann);
    desk.show(AoiTab::Lists);
    desk.must_read("9.0");
    assert!(!desk.reads("e-"), "{}", desk.all());
    desk.is_tidy();
}
