//! Links from viewers to what they see, and flashes for what comes and goes.

use crate::{Drawn, Screen, alike, place};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use core::time::Duration;

/// A place on the ground, at a height that plays no part.
fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, x + z, z)
}

/// A viewer at the origin that sees 100 far, shown.
fn watching(screen: &mut Screen) -> Entity {
    screen.spawn((place(at(0.0, 0.0)), AoiViewer::new(100.0)))
}

fn target(screen: &mut Screen, x: f32, z: f32) -> Entity {
    screen.spawn((place(at(x, z)), AoiTarget::default(), SeenBy::default()))
}

fn links(drawn: &Drawn, expected: &[(Vec3, Vec3)]) {
    for &(from, to) in expected {
        assert_eq!(drawn.between(from, to).len(), 1, "{from} to {to}");
    }
    assert_eq!(drawn.lines.len(), expected.len());
}

#[test]
fn a_link_is_a_line_from_a_viewer_to_what_it_sees() {
    for plugin in [AoiPlugin::xz(), AoiPlugin::xyz()] {
        let mut screen = Screen::new(plugin);
        screen.only(|overlay| overlay.links = true);
        watching(&mut screen);
        target(&mut screen, 10.0, 0.0);
        target(&mut screen, 0.0, 20.0);
        target(&mut screen, 0.0, 200.0);
        let drawn = screen.frame();
        let origin = at(0.0, 0.0);
        links(&drawn, &[(origin, at(10.0, 0.0)), (origin, at(0.0, 20.0))]);
        let color = screen.colors().link;
        assert!(drawn.lines.iter().all(|line| alike(line.2, color)));
        assert_eq!(drawn.strips.len(), 0);
    }
}

#[test]
fn links_have_the_colour_of_their_ring() {
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| overlay.links = true);
    let viewer = watching(&mut screen);
    let radii = [10.0, 20.0, 30.0, 40.0, 50.0];
    let rings = AoiRings::from_iter(radii);
    screen.app.world_mut().entity_mut(viewer).insert(rings);
    let spots = [5.0, 15.0, 25.0, 35.0, 45.0, 55.0];
    for x in spots {
        target(&mut screen, x, 0.0);
    }
    let drawn = screen.frame();
    let colors = screen.colors();
    // The last colour is that of all rings beyond as well.
    for (x, ring) in spots.into_iter().zip([0, 1, 2, 3, 3, 3]) {
        let color = drawn.between(at(0.0, 0.0), at(x, 0.0));
        assert_eq!(color.len(), 1);
        assert!(alike(color[0], colors.rings[ring]), "{x} is in ring {ring}");
    }
}

#[test]
fn a_picked_target_shows_who_sees_it() {
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| overlay.links = true);
    watching(&mut screen);
    let seen = target(&mut screen, 10.0, 0.0);
    target(&mut screen, 0.0, 20.0);
    screen.spawn((place(at(-5.0, 0.0)), AoiViewer::new(100.0)));
    screen.pick(seen);
    let drawn = screen.frame();
    let expected = [at(0.0, 0.0), at(-5.0, 0.0)].map(|from| (from, at(10.0, 0.0)));
    links(&drawn, &expected);
}

#[test]
fn a_picked_viewer_shows_its_own_view_only() {
    let mut screen = Screen::new(AoiPlugin::xz());
    watching(&mut screen);
    let picked = screen.spawn((place(at(500.0, 0.0)), AoiViewer::new(20.0)));
    target(&mut screen, 10.0, 0.0);
    target(&mut screen, 510.0, 0.0);
    screen.overlay().flashes = false;
    screen.pick(picked);
    let drawn = screen.frame();
    links(&drawn, &[(at(500.0, 0.0), at(510.0, 0.0))]);
    assert_eq!(drawn.circles().len(), 1);
}

#[test]
fn a_link_between_two_that_are_marked_is_drawn_once() {
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| overlay.links = true);
    screen.overlay().scope = AoiOverlayScope::Marked;
    let viewer = watching(&mut screen);
    let seen = target(&mut screen, 10.0, 0.0);
    let other = screen.spawn((place(at(-5.0, 0.0)), AoiViewer::new(100.0)));
    assert!(screen.frame().is_empty(), "nobody is marked");

    for marked in [viewer, seen] {
        screen.app.world_mut().entity_mut(marked).insert(ShowAoi);
    }
    let drawn = screen.frame();
    let from = [at(0.0, 0.0), at(-5.0, 0.0)];
    links(&drawn, &from.map(|from| (from, at(10.0, 0.0))));

    screen.app.world_mut().entity_mut(other).insert(ShowAoi);
    screen.app.world_mut().entity_mut(seen).remove::<ShowAoi>();
    links(&screen.frame(), &from.map(|from| (from, at(10.0, 0.0))));
}

#[test]
fn an_enter_flashes_for_a_while_and_closes_in() {
    // Given: flashes of 400 ms in a world of 100 ms per frame.
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| overlay.flashes = true);
    watching(&mut screen);
    let moving = target(&mut screen, 500.0, 0.0);
    assert!(screen.frame().is_empty());

    // When: it comes into view.
    let world = screen.app.world_mut();
    world.entity_mut(moving).insert(place(at(50.0, 0.0)));

    // Then: a line and a circle around it, fainter and smaller by the frame, and gone in time.
    let colors = screen.colors();
    let mut last = f32::INFINITY;
    for frame in 0..4 {
        let drawn = screen.frame();
        let line = drawn.between(at(0.0, 0.0), at(50.0, 0.0));
        assert_eq!(line.len(), 1, "frame {frame}");
        let alpha = 1.0 - frame as f32 / 4.0;
        assert!(
            alike(line[0], colors.enter.with_alpha(alpha)),
            "frame {frame}"
        );
        let circles = drawn.circles();
        assert_eq!(circles.len(), 1);
        assert!(circles[0].center.distance(at(50.0, 0.0)) < 1e-3);
        assert!((circles[0].normal - Vec3::Y).length() < 1e-3);
        assert!(circles[0].radius < last);
        last = circles[0].radius;
    }
    assert!(screen.frame().is_empty(), "it is over");
}

#[test]
fn a_leave_flashes_where_the_target_went_and_as_a_cross() {
    for plugin in [AoiPlugin::xz(), AoiPlugin::xyz()] {
        let lines_of_a_cross = if screen_is_deep(&plugin) { 3 } else { 2 };
        let mut screen = Screen::new(plugin);
        screen.only(|overlay| overlay.flashes = true);
        watching(&mut screen);
        let leaving = target(&mut screen, 50.0, 0.0);
        for _ in 0..5 {
            screen.frame();
        }
        assert!(screen.frame().is_empty(), "the enter is over");

        let world = screen.app.world_mut();
        world.entity_mut(leaving).insert(place(at(500.0, 0.0)));
        let drawn = screen.frame();
        assert_eq!(drawn.between(at(0.0, 0.0), at(500.0, 0.0)).len(), 1);
        assert_eq!(drawn.lines.len(), 1 + lines_of_a_cross);
        assert_eq!(drawn.strips.len(), 0);
        let color = screen.colors().leave;
        assert!(drawn.lines.iter().all(|line| alike(line.2, color)));
    }
}

#[test]
fn a_flash_goes_along_with_those_it_is_about() {
    // Given: somebody who has just left.
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| overlay.flashes = true);
    let viewer = watching(&mut screen);
    let leaving = target(&mut screen, 50.0, 0.0);
    for _ in 0..6 {
        screen.frame();
    }
    let world = screen.app.world_mut();
    world.entity_mut(leaving).insert(place(at(110.0, 0.0)));
    screen.frame();

    // When: both go on.
    let world = screen.app.world_mut();
    world.entity_mut(leaving).insert(place(at(120.0, 5.0)));
    world.entity_mut(viewer).insert(place(at(-5.0, 0.0)));

    // Then: the line is between them, and the cross on the target.
    let drawn = screen.frame();
    assert_eq!(drawn.between(at(-5.0, 0.0), at(120.0, 5.0)).len(), 1);
    let middles = drawn.lines.iter().map(|line| line.0.midpoint(line.1));
    let on_target = middles.filter(|middle| middle.distance(at(120.0, 5.0)) < 1e-3);
    assert_eq!(on_target.count(), 2);

    // And: it stays where the target is gone.
    screen.app.world_mut().despawn(leaving);
    let drawn = screen.frame();
    assert_eq!(drawn.between(at(-5.0, 0.0), at(120.0, 5.0)).len(), 1);
}

fn screen_is_deep(plugin: &AoiPlugin) -> bool {
    let mut app = App::new();
    app.add_plugins(MinimalPlugins);
    plugin.build(&mut app);
    app.world().resource::<AoiIndex>().plane() == AoiPlane::Xyz
}

#[test]
fn who_is_despawned_flashes_where_it_was_last() {
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| overlay.flashes = true);
    let viewer = watching(&mut screen);
    let dying = target(&mut screen, 50.0, 0.0);
    for _ in 0..6 {
        screen.frame();
    }
    screen.app.world_mut().despawn(dying);
    let drawn = screen.frame();
    assert_eq!(drawn.between(at(0.0, 0.0), at(50.0, 0.0)).len(), 1);
    for _ in 0..6 {
        screen.frame();
    }

    // The viewer as well.
    target(&mut screen, 60.0, 0.0);
    for _ in 0..6 {
        screen.frame();
    }
    screen.app.world_mut().despawn(viewer);
    let drawn = screen.frame();
    assert_eq!(drawn.between(at(0.0, 0.0), at(60.0, 0.0)).len(), 1);
}

#[test]
fn flashes_are_those_of_the_scope() {
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|overlay| overlay.flashes = true);
    watching(&mut screen);
    let other = screen.spawn((place(at(-5.0, 0.0)), AoiViewer::new(100.0)));
    screen.pick(other);
    target(&mut screen, 50.0, 0.0);
    let drawn = screen.frame();
    links(&drawn, &[(at(-5.0, 0.0), at(50.0, 0.0))]);

    screen.overlay().scope = AoiOverlayScope::Marked;
    screen.overlay().flash = Duration::ZERO;
    let marked = target(&mut screen, 0.0, 50.0);
    screen.app.world_mut().entity_mut(marked).insert(ShowAoi);
    let drawn = screen.frame();
    let from = [at(0.0, 0.0), at(-5.0, 0.0)];
    links(&drawn, &from.map(|from| (from, at(0.0, 50.0))));
    assert!(screen.frame().is_empty(), "a flash of no time is one frame");
}

#[test]
fn what_was_told_while_flashes_were_off_is_not_shown_later() {
    let mut screen = Screen::new(AoiPlugin::xz());
    screen.only(|_| {});
    watching(&mut screen);
    target(&mut screen, 50.0, 0.0);
    assert!(screen.frame().is_empty());
    screen.overlay().flashes = true;
    assert!(screen.frame().is_empty());
}

#[test]
fn flashes_of_a_fixed_schedule_come_once() {
    let mut screen = Screen::new(AoiPlugin::xz().in_schedule(FixedPostUpdate));
    screen.only(|overlay| {
        overlay.flashes = true;
        overlay.flash = Duration::from_millis(1);
    });
    watching(&mut screen);
    target(&mut screen, 50.0, 0.0);
    let flashes: usize = (0..10).map(|_| screen.frame().circles().len()).sum();
    assert_eq!(flashes, 1);
}
