//! What takes a look at all members: the list, the search, the histogram, and who sees an entity
//! that has no [`SeenBy`](crate::SeenBy). A frame looks at some of them and goes on in the next.

use bevy::{
    ecs::entity::{EntityHashSet, EntityIndex},
    platform::time::Instant,
    prelude::*,
};
use core::time::Duration;
use std::collections::BTreeMap;

/// How long a frame may look through members.
const BUDGET: Duration = Duration::from_micros(200);
/// How many it looks at between two looks at the clock; so many at least.
const CHUNK: usize = 128;
/// How often the list is taken anew.
const AGE: Duration = Duration::from_millis(250);
/// How many hits of a search are kept.
pub(crate) const HITS: usize = 1_000;

/// All viewers and targets.
#[derive(Default)]
pub(crate) struct Roster {
    pub members: Vec<Entity>,
    taken: Option<Instant>,
    /// Counts up when it is taken anew.
    pub edition: u32,
}

impl Roster {
    /// Takes the list anew if it is old, and at once on request.
    pub fn refresh(&mut self, at_once: bool, now: Instant, all: impl Iterator<Item = Entity>) {
        let fresh = |taken| now.duration_since(taken) < AGE;
        if !at_once && self.taken.is_some_and(fresh) {
            return;
        }
        self.taken = Some(now);
        self.edition = self.edition.wrapping_add(1);
        self.members.clear();
        self.members.extend(all);
        // They come in runs, which this sort makes use of.
        self.members.sort_by_key(|member| member.index_u32());
    }
}

/// How far a walk through the roster has come.
#[derive(Default)]
pub(crate) struct Walk {
    edition: u32,
    at: usize,
    /// Whether all were seen, of whichever edition.
    pub done: bool,
}

impl Walk {
    fn restart(&mut self, roster: &Roster) {
        *self = Self {
            edition: roster.edition,
            ..Default::default()
        };
    }

    /// Whether it has been through this edition of the list.
    fn is_through(&self, roster: &Roster) -> bool {
        self.edition == roster.edition && self.at >= roster.members.len()
    }

    /// Goes on while the budget of the frame that began at `start` lasts. Gives whether that was
    /// the end.
    fn go_on(&mut self, roster: &Roster, start: Instant, mut look: impl FnMut(Entity)) -> bool {
        while !self.is_through(roster) {
            let to = (self.at + CHUNK).min(roster.members.len());
            for &entity in &roster.members[self.at..to] {
                look(entity);
            }
            self.at = to;
            if start.elapsed() > BUDGET {
                break;
            }
        }
        self.done = self.is_through(roster);
        self.done
    }

    /// From 0 to 1.
    pub fn share(&self, roster: &Roster) -> f32 {
        if self.is_through(roster) {
            return 1.0;
        }
        self.at as f32 / roster.members.len() as f32
    }
}

/// How many viewers see how many.
#[derive(Default)]
pub(crate) struct Histogram {
    /// Viewers by the number of targets they have in view.
    pub viewers: BTreeMap<usize, u32>,
    counting: BTreeMap<usize, u32>,
    walk: Walk,
}

impl Histogram {
    pub fn is_busy(&self) -> bool {
        !self.walk.done
    }

    pub fn count(
        &mut self,
        roster: &Roster,
        start: Instant,
        view: impl Fn(Entity) -> Option<usize>,
    ) {
        if self.walk.edition != roster.edition {
            self.walk.restart(roster);
            self.counting.clear();
        } else if self.walk.done {
            return;
        }
        let counting = &mut self.counting;
        let done = self.walk.go_on(roster, start, |entity| {
            if let Some(len) = view(entity) {
                *counting.entry(len).or_default() += 1;
            }
        });
        if done {
            core::mem::swap(&mut self.viewers, &mut self.counting);
        }
    }

    /// Sums of viewers, in bars of one width.
    pub fn bars(&self, at_most: usize) -> (usize, Vec<u32>) {
        let Some((&most, _)) = self.viewers.last_key_value() else {
            return (1, Vec::new());
        };
        let width = (most + 1).div_ceil(at_most).max(1);
        let mut bars = vec![0; most / width + 1];
        for (&len, &viewers) in &self.viewers {
            bars[len / width] += viewers;
        }
        (width, bars)
    }

    /// How many the viewer in the middle sees, and the one that sees most.
    pub fn median_and_most(&self) -> Option<(usize, usize)> {
        let all: u32 = self.viewers.values().sum();
        let (&most, _) = self.viewers.last_key_value()?;
        let mut before = 0;
        let middle = self.viewers.iter().find(|(_, viewers)| {
            before += **viewers;
            before * 2 >= all
        });
        Some((*middle?.0, most))
    }
}

/// The hits of a search by name or id.
#[derive(Default)]
pub(crate) struct Search {
    text: String,
    pub hits: Vec<Entity>,
    next: Vec<Entity>,
    pub walk: Walk,
    first: bool,
}

impl Search {
    /// Whether there is a text to search for.
    pub fn is_on(&self) -> bool {
        !self.text.is_empty()
    }

    pub fn is_busy(&self) -> bool {
        self.is_on() && !self.walk.done
    }

    pub fn look<'a>(
        &mut self,
        text: &str,
        roster: &Roster,
        start: Instant,
        of_index: impl Fn(EntityIndex) -> Option<Entity>,
        name: impl Fn(Entity) -> Option<&'a str>,
    ) {
        let text = text.trim().to_lowercase();
        if text != self.text {
            self.text = text;
            self.hits.clear();
            self.first = true;
            self.walk.restart(roster);
            self.begin(&of_index);
        } else if self.walk.edition != roster.edition {
            self.walk.restart(roster);
            self.begin(&of_index);
        }
        if self.text.is_empty() || self.walk.done {
            return;
        }
        let (text, next) = (&self.text, &mut self.next);
        let done = self.walk.go_on(roster, start, |entity| {
            if next.len() < HITS
                && name(entity).is_some_and(|name| contains(name, text))
                && next.first() != Some(&entity)
            {
                next.push(entity);
            }
        });
        if done || self.first {
            self.hits.clone_from(&self.next);
        }
        self.first &= !done;
    }

    /// An id is found without looking at all.
    fn begin(&mut self, of_index: impl Fn(EntityIndex) -> Option<Entity>) {
        self.next.clear();
        let index = self.text.split('v').next().unwrap_or_default();
        let index = index.parse().ok().and_then(EntityIndex::from_raw_u32);
        let entity = index.and_then(of_index);
        self.next.extend(entity.filter(|entity| {
            let id = entity.to_string();
            id == self.text || id.split('v').next() == Some(self.text.as_str())
        }));
    }
}

/// Whether a text contains one in small letters, not looking at the case of ASCII.
fn contains(text: &str, small: &str) -> bool {
    let (text, small) = (text.as_bytes(), small.as_bytes());
    small.is_empty()
        || text
            .windows(small.len())
            .any(|part| part.eq_ignore_ascii_case(small))
}

/// Who sees an entity: found by one walk through all views, then kept up to date by what is told.
#[derive(Default)]
pub(crate) struct Seers {
    pub of: Option<Entity>,
    pub viewers: EntityHashSet,
    pub walk: Walk,
}

impl Seers {
    pub fn is_busy(&self) -> bool {
        self.of.is_some() && !self.walk.done
    }

    /// Begins with another entity.
    pub fn begin(&mut self, of: Option<Entity>, roster: &Roster) {
        self.of = of;
        self.viewers.clear();
        self.walk.restart(roster);
    }

    pub fn told(&mut self, entered: bool, viewer: Entity, target: Entity) {
        if self.of != Some(target) {
            return;
        }
        if entered {
            self.viewers.insert(viewer);
        } else {
            self.viewers.remove(&viewer);
        }
    }

    pub fn look(&mut self, roster: &Roster, start: Instant, sees: impl Fn(Entity, Entity) -> bool) {
        let Some(of) = self.of else {
            return;
        };
        // The list that it ended with is enough: who came later is told.
        if self.walk.done {
            return;
        }
        if self.walk.edition != roster.edition {
            self.walk.restart(roster);
        }
        let viewers = &mut self.viewers;
        self.walk.go_on(roster, start, |viewer| {
            if sees(viewer, of) {
                viewers.insert(viewer);
            }
        });
    }
}
