//! The last messages, and how many there were of each kind.

use bevy::{ecs::system::SystemParam, prelude::*};
use std::collections::VecDeque;

use crate::{EnterView, LeaveReason, LeaveView, MoveInView, Moved, RingChanged};

/// How many messages are kept.
pub(crate) const KEPT: usize = 5_000;

pub(crate) const REASONS: [LeaveReason; 5] = [
    LeaveReason::Despawned,
    LeaveReason::Removed,
    LeaveReason::Filtered,
    LeaveReason::OutOfRange,
    LeaveReason::Evicted,
];

/// All that is told.
#[derive(SystemParam)]
pub(crate) struct Told<'w, 's> {
    pub left: MessageReader<'w, 's, LeaveView>,
    pub entered: MessageReader<'w, 's, EnterView>,
    pub rings: MessageReader<'w, 's, RingChanged>,
    pub moves: MessageReader<'w, 's, MoveInView>,
}

impl Told<'_, '_> {
    /// Passes over what was told until now.
    pub fn clear(&mut self) {
        self.left.clear();
        self.entered.clear();
        self.rings.clear();
        self.moves.clear();
    }
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub update: u64,
    pub viewer: Entity,
    pub target: Entity,
    pub what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Entered,
    Left(LeaveReason),
    Ring(u8),
    Moved(Moved),
}

impl core::fmt::Display for What {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Entered => f.write_str("entered"),
            Self::Left(reason) => write!(f, "left: {}", reason_text(*reason)),
            Self::Ring(ring) => write!(f, "ring {ring}"),
            Self::Moved(Moved::Viewer) => f.write_str("viewer moved"),
            Self::Moved(Moved::Target) => f.write_str("target moved"),
            Self::Moved(Moved::Both) => f.write_str("both moved"),
        }
    }
}

pub(crate) fn reason_text(reason: LeaveReason) -> &'static str {
    match reason {
        LeaveReason::Despawned => "despawned",
        LeaveReason::Removed => "removed",
        LeaveReason::Filtered => "filtered",
        LeaveReason::OutOfRange => "out of range",
        LeaveReason::Evicted => "evicted",
    }
}

/// Which messages are kept and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Only those of the picked entity.
    pub only_picked: bool,
    pub entered: bool,
    /// By reason, in the order of [`REASONS`].
    pub left: [bool; 5],
    pub rings: bool,
    pub moves: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            only_picked: false,
            entered: true,
            left: [true; 5],
            rings: true,
            // One for each pair in view and update: they would push all others out.
            moves: false,
        }
    }
}

impl Filter {
    pub fn passes(&self, line: &Line, picked: Option<Entity>) -> bool {
        let kind = match line.what {
            What::Entered => self.entered,
            What::Left(reason) => self.left[reason as usize],
            What::Ring(_) => self.rings,
            What::Moved(_) => self.moves,
        };
        let entity = picked.is_none_or(|one| line.viewer == one || line.target == one);
        kind && (entity || !self.only_picked)
    }
}

/// How many messages there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub entered: u64,
    /// By reason, in the order of [`REASONS`].
    pub left: [u64; 5],
    pub rings: u64,
    pub moves: u64,
}

impl Counts {
    pub fn all_left(&self) -> u64 {
        self.left.iter().sum()
    }

    pub fn all(&self) -> u64 {
        self.entered + self.all_left() + self.rings + self.moves
    }
}

/// The last messages, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub lines: VecDeque<Line>,
    /// Since the panel was opened, whatever the filter.
    pub counts: Counts,
    /// Which lines pass the filter.
    pub shown: Vec<usize>,
}

impl Log {
    /// Reads what was told since, and keeps what passes the filter unless it is paused. Gives how
    /// many messages that were, and calls `watch` with each enter (true) and leave of a pair.
    pub fn read(
        &mut self,
        told: &mut Told,
        update: u64,
        filter: Option<(&Filter, Option<Entity>)>,
        mut watch: impl FnMut(bool, Entity, Entity),
    ) -> Counts {
        let mut counts = Counts::default();
        let mut keep = |what, viewer, target| {
            let line = Line {
                update,
                viewer,
                target,
                what,
            };
            if filter.is_some_and(|(filter, picked)| filter.passes(&line, picked)) {
                if self.lines.len() == KEPT {
                    self.lines.pop_front();
                }
                self.lines.push_back(line);
            }
        };
        for left in told.left.read() {
            counts.left[left.reason as usize] += 1;
            keep(What::Left(left.reason), left.viewer, left.target);
            watch(false, left.viewer, left.target);
        }
        for entered in told.entered.read() {
            counts.entered += 1;
            keep(What::Entered, entered.viewer, entered.target);
            watch(true, entered.viewer, entered.target);
        }
        for ring in told.rings.read() {
            counts.rings += 1;
            keep(What::Ring(ring.ring), ring.viewer, ring.target);
        }
        if filter.is_some_and(|(filter, _)| filter.moves) {
            for moved in told.moves.read() {
                counts.moves += 1;
                keep(What::Moved(moved.moved), moved.viewer, moved.target);
            }
        } else {
            counts.moves = told.moves.len() as u64;
            told.moves.clear();
        }
        self.counts.entered += counts.entered;
        for (sum, left) in self.counts.left.iter_mut().zip(counts.left) {
            *sum += left;
        }
        self.counts.rings += counts.rings;
        self.counts.moves += counts.moves;
        counts
    }

    /// Works out which lines to show.
    pub fn filter(&mut self, filter: &Filter, picked: Option<Entity>) {
        self.shown.clear();
        let lines = self.lines.iter().enumerate();
        let passing = lines.filter(|(_, line)| filter.passes(line, picked));
        self.shown.extend(passing.map(|(at, _)| at));
    }
}
