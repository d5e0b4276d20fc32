//! The last seconds, in steps that are short enough for a plot.

use std::collections::VecDeque;

/// How far back, in seconds.
pub(crate) const SPAN: f64 = 10.0;
/// Frames within one step are added up.
const STEP: f64 = 0.05;

/// Sums over some frames; times in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sums {
    pub frames: f64,
    pub updates: f64,
    pub frame: f64,
    pub sync: f64,
    pub detect: f64,
    pub emit: f64,
    pub gathering: f64,
    pub moved: f64,
    pub entered: f64,
    pub left: f64,
    pub messages: f64,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.frames += other.frames;
        self.updates += other.updates;
        self.frame += other.frame;
        self.sync += other.sync;
        self.detect += other.detect;
        self.emit += other.emit;
        self.gathering += other.gathering;
        self.moved += other.moved;
        self.entered += other.entered;
        self.left += other.left;
        self.messages += other.messages;
    }

    /// What an update had on average; nothing if there was none.
    pub fn per_update(&self, sum: f64) -> Option<f64> {
        (self.updates > 0.0).then(|| sum / self.updates)
    }

    /// What a frame had on average.
    pub fn per_frame(&self, sum: f64) -> f64 {
        sum / self.frames.max(1.0)
    }

    /// What a second had on average.
    pub fn per_second(&self, sum: f64) -> f64 {
        if self.frame > 0.0 {
            sum / self.frame
        } else {
            0.0
        }
    }
}

/// The frames of the last [`SPAN`] seconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// Seconds since the first frame.
    now: f64,
    /// Each with the moment it began.
    steps: VecDeque<(f64, Sums)>,
}

impl History {
    /// Adds a frame.
    pub fn push(&mut self, sums: Sums) {
        self.now += sums.frame;
        match self.steps.back_mut() {
            Some((began, last)) if self.now - *began < STEP => last.add(&sums),
            _ => self.steps.push_back((self.now, sums)),
        }
        while matches!(self.steps.front(), Some((began, _)) if self.now - began > SPAN) {
            self.steps.pop_front();
        }
    }

    /// The steps with the seconds from now to their beginning, from `-SPAN` to 0.
    pub fn steps(&self) -> impl Iterator<Item = (f64, &Sums)> {
        self.steps
            .iter()
            .map(|(began, sums)| (began - self.now, sums))
    }

    /// The last seconds together.
    pub fn recent(&self, seconds: f64) -> Sums {
        let mut all = Sums::default();
        for (_, sums) in self.steps().filter(|&(at, _)| at >= -seconds) {
            all.add(sums);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(seconds: f64) -> Sums {
        Sums {
            frames: 1.0,
            updates: 2.0,
            frame: seconds,
            entered: 6.0,
            ..Default::default()
        }
    }

    #[test]
    fn many_frames_make_few_steps_and_old_ones_go() {
        let mut history = History::default();
        for _ in 0..20_000 {
            history.push(frame(0.001));
        }
        assert!((190..=201).contains(&history.steps.len()));
        let first = history.steps().next().unwrap().0;
        assert!((-SPAN..-9.8).contains(&first), "{first}");
    }

    #[test]
    fn averages_of_the_last_second() {
        let mut history = History::default();
        for _ in 0..100 {
            history.push(frame(0.1));
        }
        let second = history.recent(0.95);
        assert_eq!(second.frames, 10.0);
        assert_eq!(second.per_update(second.entered), Some(3.0));
        assert_eq!(second.per_frame(second.entered), 6.0);
        assert!((second.per_second(second.entered) - 60.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_happened_yet() {
        let nothing = History::default().recent(1.0);
        assert_eq!(nothing.per_update(nothing.entered), None);
        assert_eq!(nothing.per_second(nothing.messages), 0.0);
    }
}
