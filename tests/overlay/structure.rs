//! Bands and blocks are drawn where they are; and what goes beyond the limit is counted.

use crate::{Screen, alike, log_lines::*, place};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use fastrand::Rng;

/// A crowd of viewers that are targets, and see each other here and there.
fn crowd(screen: &mut Screen, count: usize, space: u32) {
    let mut rng = Rng::with_seed(5);
    for _ in 0..count {
        let spot = Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 100.0;
        screen.spawn((
            place(spot),
            AoiViewer::new(10.0),
            AoiTarget::default(),
            AoiSpace(space),
        ));
    }
}

#[test]
fn bands_and_blocks_are_boxes_around_their_members() {
    for plugin in [AoiPlugin::xy(), AoiPlugin::xz(), AoiPlugin::xyz()] {
        let mut screen = Screen::new(plugin);
        crowd(&mut screen, 300, 0);
        screen.only(|overlay| overlay.bands = true);
        let bands = screen.frame();
        screen.only(|overlay| {
            overlay.bands = false;
            overlay.blocks = true;
        });
        let blocks = screen.frame();
        let colors = screen.colors();
        let index = screen.app.world().resource::<AoiIndex>();
        let plane = index.plane();
        let expected: Vec<AoiBand> = index.bands(0).collect();
        let frames = bands.frames();
        assert!(expected.len() > 1);
        // A box in space is drawn as one strip, too, with some lines.
        assert_eq!(frames.len(), expected.len());
        for ((min, max, color), band) in frames.into_iter().zip(expected) {
            assert!(alike(color, colors.bands));
            for &axis in plane.axes() {
                let ends = [band.lo[axis], band.hi[axis]];
                let inner = [band.min[axis], band.max[axis]];
                let end = |at: usize| {
                    if ends[at].is_finite() {
                        ends[at]
                    } else {
                        inner[at]
                    }
                };
                assert_eq!((min[axis], max[axis]), (end(0), end(1)));
            }
        }
        let expected: Vec<AoiBlock> = index.blocks(0).collect();
        let frames = blocks.frames();
        assert_eq!(frames.len(), expected.len());
        let mut alphas = Vec::new();
        for ((min, max, color), block) in frames.into_iter().zip(&expected) {
            for &axis in plane.axes() {
                assert_eq!((min[axis], max[axis]), (block.min[axis], block.max[axis]));
            }
            alphas.push((block.members, color.alpha()));
        }
        alphas.sort_unstable_by_key(|block| block.0);
        let rising = alphas.is_sorted_by(|a, b| a.1 <= b.1 && (a.0 == b.0) == (a.1 == b.1));
        assert!(rising, "the emptier, the fainter: {alphas:?}");
    }
}

#[test]
fn the_structure_is_that_of_the_spaces_that_are_shown() {
    let mut screen = Screen::new(AoiPlugin::xz());
    crowd(&mut screen, 10, 0);
    crowd(&mut screen, 10, 3);
    let picked = screen.spawn((
        place(Vec3::new(1.0, 44.0, 1.0)),
        AoiTarget::default(),
        AoiSpace(3),
    ));
    screen.only(|overlay| overlay.blocks = true);
    assert_eq!(screen.frame().frames().len(), 2, "all spaces");
    screen.pick(picked);
    let frames = screen.frame().frames();
    assert_eq!(frames.len(), 1, "that of the one that is picked");
    assert_eq!(
        (frames[0].0.y, frames[0].1.y),
        (44.0, 44.0),
        "at its height"
    );
}

#[test]
fn what_goes_beyond_the_limit_is_counted_and_told_once() {
    let mut screen = Screen::new(AoiPlugin::xz());
    crowd(&mut screen, 300, 0);
    stay_on_this_thread(&mut screen.app);

    // Given: room for all.
    let lines = warnings(|| {
        screen.overlay().limit = 100_000;
        screen.overlay().bands = true;
        screen.overlay().blocks = true;
        screen.frame();
    });
    assert_eq!(screen.overlay().cut, 0);
    assert_eq!(lines, [""; 0]);
    let stats = screen.app.world().resource::<AoiStats>().clone();
    assert!(stats.pairs_in_view > 200);

    // When: there is room for ten of each kind.
    let lines = warnings(|| {
        screen.only(|overlay| {
            overlay.limit = 10;
            overlay.bands = false;
            overlay.blocks = false;
        });
        screen.frame();
        assert_eq!(screen.overlay().cut, 0, "nothing is drawn, nothing is cut");

        screen.overlay().shapes = true;
        assert_eq!(screen.frame().circles().len(), 10);
        assert_eq!(screen.overlay().cut, 290);

        screen.overlay().links = true;
        let drawn = screen.frame();
        assert_eq!((drawn.circles().len(), drawn.lines.len()), (10, 10));
        assert_eq!(screen.overlay().cut, 290 + stats.pairs_in_view - 10);
    });
    assert_eq!(lines.len(), 1, "one line: {lines:?}");
    assert!(lines[0].contains("290") && lines[0].contains("10"));

    let (bands, blocks) = {
        let index = screen.app.world().resource::<AoiIndex>();
        index.count_bands_and_blocks(0)
    };
    screen.only(|overlay| {
        overlay.limit = 3;
        overlay.bands = true;
        overlay.blocks = true;
    });
    assert_eq!(screen.frame().frames().len(), 6);
    assert_eq!(screen.overlay().cut, bands + blocks - 6);

    screen.overlay().limit = 0;
    assert!(screen.frame().is_empty());
    assert_eq!(screen.overlay().cut, bands + blocks);
}

#[test]
fn flashes_are_limited_too() {
    let mut screen = Screen::new(AoiPlugin::xz());
    crowd(&mut screen, 300, 0);
    screen.only(|overlay| {
        overlay.flashes = true;
        overlay.limit = 7;
    });
    let drawn = screen.frame();
    let entered = screen.app.world().resource::<AoiStats>().entered;
    assert_eq!(drawn.circles().len(), 7);
    assert_eq!(screen.overlay().cut, entered - 7);
    // Nothing came since, and those that are drawn take their places.
    assert_eq!(screen.frame().circles().len(), 7);
    assert_eq!(screen.overlay().cut, 0);
}

#[test]
fn the_limit_counts_what_is_marked_and_seen() {
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| {
        overlay.shapes = true;
        overlay.links = true;
        overlay.scope = AoiOverlayScope::Marked;
        overlay.limit = 4;
    });
    for x in 0..6 {
        let spot = place(Vec3::new(x as f32 * 100.0, 0.0, 0.0));
        screen.spawn((spot, AoiViewer::new(10.0), ShowAoi));
        screen.spawn((spot, AoiTarget::default()));
        screen.spawn((spot, AoiTarget::default()));
    }
    let drawn = screen.frame();
    assert_eq!((drawn.circles().len(), drawn.lines.len()), (4, 4));
    assert_eq!(
        screen.overlay().cut,
        2 + 4,
        "two views, and four links of the rest"
    );
}
