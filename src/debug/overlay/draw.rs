//! One look at the world per frame: whose views are shown, and the lines for them.

use bevy::{ecs::system::SystemParam, platform::collections::HashMap, prelude::*};

use super::{
    AoiGizmos, AoiOverlay, AoiOverlayScope, ShowAoi,
    flashes::{Flashes, Told},
    outlines::{Outline, Pen, frame, mark_size},
};
use crate::{AoiIndex, AoiSpace, AoiStats, AoiViewer, InRings, InView, SeenBy};

/// What there is to see.
#[derive(SystemParam)]
pub(super) struct Scene<'w, 's> {
    index: Res<'w, AoiIndex>,
    stats: Res<'w, AoiStats>,
    viewers: Query<
        'w,
        's,
        (
            Entity,
            &'static AoiViewer,
            &'static InView,
            Option<&'static InRings>,
        ),
    >,
    seen_by: Query<'w, 's, &'static SeenBy>,
    marked: Query<'w, 's, Entity, With<ShowAoi>>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
}

/// Kept from frame to frame.
#[derive(Default)]
pub(super) struct Kept {
    /// Who is shown; ascending unless all are.
    shown: Vec<Entity>,
    /// The spaces that they are in, with the place of one of them.
    spaces: HashMap<AoiSpace, Vec3>,
    flashes: Flashes,
    /// Lines that were written to the log.
    said: Said,
}

#[derive(Default)]
struct Said {
    no_gizmos: bool,
    no_plugin: bool,
    cut: bool,
}

fn is_first(said: &mut bool) -> bool {
    !core::mem::replace(said, true)
}

pub(super) fn draw(
    mut overlay: ResMut<AoiOverlay>,
    gizmos: Option<Gizmos<AoiGizmos>>,
    scene: Option<Scene>,
    told: Option<Told>,
    time: Option<Res<Time>>,
    mut kept: Local<Kept>,
) {
    let kept = &mut *kept;
    let Some(mut gizmos) = gizmos else {
        if is_first(&mut kept.said.no_gizmos) {
            tracing::warn!(
                "AoiOverlayPlugin: nothing is drawn, since there is no GizmoPlugin; add Bevy's \
                 DefaultPlugins, or GizmoPlugin before AoiOverlayPlugin"
            );
        }
        return;
    };
    let (Some(scene), Some(mut told)) = (scene, told) else {
        if is_first(&mut kept.said.no_plugin) {
            tracing::warn!(
                "AoiOverlayPlugin: nothing is drawn, since there is no AoiPlugin; add \
                 AoiPlugin::xy(), xz() or xyz()"
            );
        }
        return;
    };
    let enabled = gizmos.config.enabled;
    if !(enabled && overlay.flashes) {
        kept.flashes.clear(&mut told);
    }
    let mut cut = 0;
    if enabled && overlay.draws_anything() {
        let colors = gizmos.config_ext;
        let mut sketch = Sketch {
            overlay: &overlay,
            scene: &scene,
            colors,
            pen: &mut gizmos,
        };
        cut += sketch.choose(&mut kept.shown);
        cut += sketch.views(&kept.shown, &mut kept.flashes);
        if overlay.flashes {
            // Without a clock a flash is one frame.
            let seconds = time.map_or(f32::MAX, |time| time.delta_secs());
            cut += sketch.flashes(seconds, &mut told, &mut kept.flashes);
        }
        if overlay.bands || overlay.blocks {
            cut += sketch.structure(&kept.shown, &mut kept.spaces);
        }
    }
    if overlay.cut != cut {
        overlay.cut = cut;
    }
    if cut > 0 && is_first(&mut kept.said.cut) {
        tracing::warn!(
            "AoiOverlay: {cut} things are not drawn, since there are more than its limit of {}; \
             AoiOverlay::cut says how many at any time",
            overlay.limit
        );
    }
}

impl AoiOverlay {
    fn draws_anything(&self) -> bool {
        self.shapes || self.links || self.flashes || self.bands || self.blocks
    }
}

/// The drawing of one frame. Methods return how much there was no room for.
struct Sketch<'a, 'w, 's> {
    overlay: &'a AoiOverlay,
    scene: &'a Scene<'w, 's>,
    colors: &'a AoiGizmos,
    pen: &'a mut Pen,
}

impl Sketch<'_, '_, '_> {
    /// Who is shown, among those who take part.
    fn choose(&self, shown: &mut Vec<Entity>) -> usize {
        let Scene {
            index,
            stats,
            viewers,
            marked,
            ..
        } = self.scene;
        let limit = self.overlay.limit;
        let present = |&entity: &Entity| index.contains(entity);
        shown.clear();
        let all = match self.overlay.scope {
            AoiOverlayScope::Picked => {
                let picked = self.overlay.picked.into_iter();
                shown.extend(picked.filter(present).take(limit));
                usize::from(self.overlay.picked.is_some())
            }
            AoiOverlayScope::Marked => {
                shown.extend(marked.iter().filter(present).take(limit));
                shown.sort_unstable();
                marked.iter().len()
            }
            AoiOverlayScope::All => {
                let viewers = viewers.iter().map(|viewer| viewer.0);
                shown.extend(viewers.filter(present).take(limit));
                stats.viewers
            }
        };
        if shown.len() == limit && (self.overlay.shapes || self.overlay.links) {
            all.saturating_sub(limit)
        } else {
            0
        }
    }

    /// Shapes of the views, and links.
    fn views(&mut self, shown: &[Entity], flashes: &mut Flashes) -> usize {
        let scene = self.scene;
        let (mut room, mut cut) = (self.overlay.limit, 0);
        for &entity in shown {
            let Some(at) = scene.place(entity) else {
                continue;
            };
            if self.overlay.flashes {
                flashes.place(entity, at);
            }
            if let Ok((_, viewer, view, rings)) = scene.viewers.get(entity) {
                self.shape(viewer, at);
                for target in view.iter().take(room) {
                    if let Some(to) = scene.place(target) {
                        self.link(at, to, rings, target);
                        if self.overlay.flashes {
                            flashes.place(target, to);
                        }
                    }
                }
                cut += view.len().saturating_sub(room);
                room = room.saturating_sub(view.len());
            }
            if self.overlay.scope == AoiOverlayScope::All {
                continue;
            }
            let seen_by = scene.seen_by.get(entity);
            let mut watchers = seen_by.map_or(&[][..], SeenBy::as_slice).iter();
            while room > 0
                && let Some(&watcher) = watchers.next()
            {
                // Those who are shown themselves have this link already.
                if shown.binary_search(&watcher).is_err()
                    && let Some(from) = scene.place(watcher)
                    && let Ok((.., rings)) = scene.viewers.get(watcher)
                {
                    self.link(from, at, rings, entity);
                    if self.overlay.flashes {
                        flashes.place(watcher, from);
                    }
                    room -= 1;
                }
            }
            cut += watchers.len();
        }
        if self.overlay.scope == AoiOverlayScope::All {
            let drawn = self.overlay.limit - room;
            cut = scene.stats.pairs_in_view.saturating_sub(drawn);
        }
        if self.overlay.links { cut } else { 0 }
    }

    fn shape(&mut self, viewer: &AoiViewer, at: Vec3) {
        if !self.overlay.shapes {
            return;
        }
        let plane = self.scene.index.plane();
        let margin = viewer.leave_margin;
        if margin > 0.0
            && margin.is_finite()
            && let Some(outline) = Outline::new(viewer, plane, margin)
        {
            outline.draw(self.pen, plane, at, self.colors.margin);
        }
        if let Some(outline) = Outline::new(viewer, plane, 0.0) {
            outline.draw(self.pen, plane, at, self.colors.view);
        }
    }

    fn link(&mut self, from: Vec3, to: Vec3, rings: Option<&InRings>, target: Entity) {
        if !self.overlay.links {
            return;
        }
        let color = match rings.and_then(|rings| rings.ring_of(target)) {
            Some(ring) => self.colors.rings[usize::from(ring).min(self.colors.rings.len() - 1)],
            None => self.colors.link,
        };
        self.pen.line(from, to, color);
    }

    fn flashes(&mut self, seconds: f32, told: &mut Told, flashes: &mut Flashes) -> usize {
        let scene = self.scene;
        let plane = scene.index.plane();
        let size = |viewer: Entity| {
            let (_, viewer, ..) = scene.viewers.get(viewer).ok()?;
            mark_size(viewer, plane)
        };
        let place = |entity: Entity| scene.place(entity);
        let cut = flashes.update(self.overlay, seconds, told, place, size);
        flashes.draw(self.overlay, self.pen, plane, self.colors);
        cut
    }

    /// Bands and blocks.
    fn structure(&mut self, shown: &[Entity], spaces: &mut HashMap<AoiSpace, Vec3>) -> usize {
        let scene = self.scene;
        spaces.clear();
        for &entity in shown {
            if let (Some(space), Some(at)) = (scene.index.space_of(entity), scene.place(entity)) {
                spaces.entry(space).or_insert(at);
            }
        }
        if self.overlay.scope == AoiOverlayScope::All {
            for space in scene.index.spaces() {
                spaces.entry(space).or_insert(Vec3::ZERO);
            }
        }
        let (mut bands_room, mut blocks_room) = (self.overlay.limit, self.overlay.limit);
        let mut cut = 0;
        for (&space, &at) in &*spaces {
            let (bands, blocks) = scene.index.count_bands_and_blocks(space);
            if self.overlay.bands {
                for corners in scene.index.band_boxes(space).take(bands_room) {
                    self.frame(corners, at, self.colors.bands);
                }
                cut += bands.saturating_sub(bands_room);
                bands_room = bands_room.saturating_sub(bands);
            }
            if self.overlay.blocks {
                for block in scene.index.blocks(space).take(blocks_room) {
                    let full = block.members as f32 / block.capacity as f32;
                    let color = self.colors.blocks;
                    let color = color.with_alpha(color.alpha() * (0.2 + 0.8 * full));
                    self.frame([block.min, block.max], at, color);
                }
                cut += blocks.saturating_sub(blocks_room);
                blocks_room = blocks_room.saturating_sub(blocks);
            }
        }
        cut
    }

    /// A box of the structure, at the height of a place.
    fn frame(&mut self, corners: [Vec3; 2], at: Vec3, color: Color) {
        let plane = self.scene.index.plane();
        let [min, max] = corners.map(|corner| {
            let mut place = at;
            for &axis in plane.axes() {
                place[axis] = corner[axis];
            }
            place
        });
        frame(self.pen, plane, min, max, color);
    }
}

impl Scene<'_, '_> {
    /// Where somebody is: on the plane as of the last update, off it as it is drawn.
    fn place(&self, entity: Entity) -> Option<Vec3> {
        let mut at = self.index.position(entity)?;
        if let Ok(transform) = self.transforms.get(entity) {
            let drawn = transform.translation();
            for axis in 0..3 {
                let is_off = !self.index.plane().axes().contains(&axis);
                if is_off && drawn[axis].is_finite() {
                    at[axis] = drawn[axis];
                }
            }
        }
        Some(at)
    }
}
