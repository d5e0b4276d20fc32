//! What a debug view asks [`AoiIndex`]: where somebody is, the bands and blocks of each space, and
//! the order along an axis.

use crate::world::{Game, Setup, at};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use fastrand::Rng;

fn place(x: f32, y: f32, z: f32) -> Transform {
    Transform::from_xyz(x, y, z)
}

#[test]
fn a_position_is_that_of_the_last_update_on_the_plane() {
    for (plugin, expected) in [
        (AoiPlugin::xy(), Vec3::new(1.0, 2.0, 0.0)),
        (AoiPlugin::xz(), Vec3::new(1.0, 0.0, 3.0)),
        (AoiPlugin::xyz(), Vec3::new(1.0, 2.0, 3.0)),
    ] {
        let mut game = Game::new(Setup::Minimal, plugin);
        let target = game.spawn((place(1.0, 2.0, 3.0), AoiTarget::default()));
        let bystander = game.spawn(place(0.0, 0.0, 0.0));
        assert_eq!(game.index().position(target), None, "not before an update");
        game.tick();
        assert_eq!(game.index().position(target), Some(expected));
        assert_eq!(game.index().position(bystander), None, "it takes no part");
        assert_eq!(game.index().space_of(bystander), None);
        game.insert(target, place(9.0, 9.0, 9.0));
        assert_eq!(game.index().position(target), Some(expected));
        game.insert(target, place(f32::NAN, f32::NAN, f32::NAN));
        game.tick();
        assert_eq!(game.index().position(target), None);
        game.despawn(target);
        game.tick();
        assert_eq!(game.index().position(target), None);
    }
}

#[test]
fn spaces_are_those_with_members() {
    let mut game = Game::xz();
    assert_eq!(game.index().spaces().count(), 0);
    let seventh = game.spawn((at(1.0, 1.0), AoiTarget::default(), AoiSpace(7)));
    game.spawn((at(1.0, 1.0), AoiTarget::default(), AoiSpace(3)));
    game.target(0.0, 0.0);
    game.tick();
    let spaces: Vec<_> = game.index().spaces().collect();
    assert_eq!(spaces, [AoiSpace(0), AoiSpace(3), AoiSpace(7)]);
    assert_eq!(game.index().space_of(seventh), Some(AoiSpace(7)));
    assert_eq!(game.index().bands(7).count(), 1);
    assert_eq!(game.index().blocks(7).count(), 1);

    // When: the only one there leaves.
    game.insert(seventh, AoiSpace(3));
    game.tick();

    // Then: the space is no more.
    let spaces: Vec<_> = game.index().spaces().collect();
    assert_eq!(spaces, [AoiSpace(0), AoiSpace(3)]);
    assert_eq!(game.index().bands(7).count(), 0);
    assert_eq!(game.index().blocks(7).count(), 0);
    assert_eq!(game.index().count_bands_and_blocks(7), (0, 0));
    assert_eq!(
        game.index()
            .bands(3)
            .map(|band| band.members)
            .sum::<usize>(),
        2
    );
}

#[test]
fn bands_and_blocks_are_in_world_coordinates() {
    let mut rng = Rng::with_seed(11);
    for plugin in [AoiPlugin::xy(), AoiPlugin::xz(), AoiPlugin::xyz()] {
        let mut game = Game::new(Setup::Minimal, plugin);
        let mut places = Vec::new();
        for _ in 0..500 {
            let transform = place(
                rng.f32() * 100.0,
                200.0 + rng.f32() * 100.0,
                400.0 + rng.f32() * 100.0,
            );
            let viewer = AoiViewer::new(10.0);
            places.push(game.spawn((transform, viewer, AoiTarget::default())));
        }
        game.tick();
        let index = game.index();
        let axes = index.plane().axes();
        let inside = |lo: Vec3, hi: Vec3, point: Vec3| {
            (0..3).all(|axis| lo[axis] <= point[axis] && point[axis] <= hi[axis])
        };
        let bands: Vec<AoiBand> = index.bands(0).collect();
        let blocks: Vec<AoiBlock> = index.blocks(0).collect();
        assert_eq!(index.count_bands_and_blocks(0), (bands.len(), blocks.len()));
        assert_eq!(bands.iter().map(|band| band.members).sum::<usize>(), 500);
        for band in &bands {
            let members = places.iter().filter(|&&entity| {
                let position = index.position(entity).unwrap();
                inside(band.lo, band.hi, position) && inside(band.min, band.max, position)
            });
            assert_eq!(members.count(), band.members, "{:?}", index.plane());
        }
        for (at, band) in bands.iter().enumerate() {
            let of_band = blocks.iter().filter(|block| block.band == at);
            assert_eq!(of_band.count(), band.blocks);
        }
        for block in &blocks {
            assert!(inside(block.lo, block.hi, block.min));
            assert!(inside(block.lo, block.hi, block.max));
            assert!(block.members <= block.capacity);
            for axis in 0..3 {
                if !axes.contains(&axis) {
                    let off = [block.lo, block.hi, block.min, block.max].map(|at| at[axis]);
                    assert_eq!(off, [0.0; 4], "off the plane there is nothing");
                }
            }
        }
    }
}

#[test]
fn the_order_along_an_axis() {
    // Given: four on a line up the z axis, in one space, and one beside them in another.
    let mut game = Game::xz();
    let [a, b, c, d] =
        [0.0, 10.0, 20.0, 30.0].map(|z| game.spawn((at(100.0 - z, z), AoiTarget::default())));
    let other = game.spawn((at(0.0, 15.0), AoiTarget::default(), AoiSpace(1)));
    let bystander = game.spawn(at(0.0, 15.0));
    game.insert(b, AoiViewer::new(1.0));
    game.tick();
    let index = game.index();
    let up = |from, axis| index.walk_up(from, axis).collect::<Vec<_>>();
    let down = |from, axis| index.walk_down(from, axis).collect::<Vec<_>>();

    // Then: z goes one way, x the other, and y is no axis of the plane.
    assert_eq!(up(b, 2), [(20.0, c), (30.0, d)]);
    assert_eq!(down(b, 2), [(0.0, a)]);
    assert_eq!(up(b, 0), [(100.0, a)]);
    assert_eq!(down(b, 0), [(80.0, c), (70.0, d)]);
    assert_eq!(up(d, 2), []);
    assert_eq!(up(other, 2), [], "spaces are apart");
    for (entity, axis) in [(b, 1), (b, 3), (b, usize::MAX), (bystander, 0)] {
        assert_eq!((up(entity, axis), down(entity, axis)), (vec![], vec![]));
    }
}
