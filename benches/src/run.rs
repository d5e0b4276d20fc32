//! What all systems on both levels have in common: updates that take time and tell changes.

use crate::{
    Changes, Index, Method, heap,
    scene::{Order, Stage},
    workloads::Query,
    world::World,
};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// A system at work.
pub trait Run {
    /// One update.
    fn update(&mut self, order: Order) -> Done;

    /// Times of `Sync`, `Detect` and `Emit` in the last update, if it has these.
    fn stages(&self) -> Option<[Duration; 3]> {
        None
    }

    /// Stands for all messages of the last update in their order, if it promises one.
    fn digest(&self) -> Option<u64> {
        None
    }

    /// How many pairs are in view, if it counts them.
    fn pairs_in_view(&self) -> Option<usize> {
        None
    }

    /// Ends it, and tells how many bytes that freed; the world and the messages do not count.
    fn end(self: Box<Self>) -> usize;
}

/// What an update did.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub time: Duration,
    /// How many changes it told, or how many a query found.
    pub told: u64,
    /// How often it allocated.
    pub allocations: usize,
}

impl Done {
    /// Measures `work`, which answers with how much it told.
    pub fn measure(work: impl FnOnce() -> u64) -> Self {
        let (allocations, start) = (heap::allocations(), Instant::now());
        let told = work();
        Self {
            time: start.elapsed(),
            told,
            allocations: heap::allocations() - allocations,
        }
    }
}

/// How many bytes it frees to drop something.
pub fn freed(garbage: impl Sized) -> usize {
    let before = heap::live();
    drop(garbage);
    before - heap::live()
}

/// A method on arrays.
pub struct StructureRun {
    stage: Stage,
    method: Box<dyn Method>,
    changes: Changes,
}

impl StructureRun {
    pub fn new(stage: Stage, method: Box<dyn Method>) -> Self {
        Self {
            stage,
            method,
            changes: Changes::default(),
        }
    }
}

impl Run for StructureRun {
    fn update(&mut self, order: Order) -> Done {
        self.stage.advance(order);
        self.changes.clear();
        Done::measure(|| {
            self.method.update(self.stage.world(), &mut self.changes);
            (self.changes.entered.len() + self.changes.left.len()) as u64
        })
    }

    fn end(self: Box<Self>) -> usize {
        freed(self.method)
    }
}

/// How many queries an update stands for.
pub const QUERIES: usize = 1000;

/// Points to ask around: all over the world, the same for all systems, other ones in each update.
pub struct Questions {
    rng: fastrand::Rng,
    points: Vec<[f32; 2]>,
    half: f32,
}

impl Questions {
    pub fn new(stage: &Stage) -> Self {
        Self {
            rng: fastrand::Rng::with_seed(3),
            points: Vec::new(),
            half: stage.scene().ground.towns[0].half[0],
        }
    }

    pub fn ask(&mut self) -> &[[f32; 2]] {
        let Self { rng, points, half } = self;
        let mut coordinate = || (rng.f32() * 2.0 - 1.0) * *half;
        points.clear();
        points.extend((0..QUERIES).map(|_| [coordinate(), coordinate()]));
        points
    }
}

/// Queries of an index.
pub struct QueryRun {
    index: Box<dyn Index>,
    query: Query,
    questions: Questions,
    found: Vec<u32>,
}

impl QueryRun {
    /// Everybody comes, then `make` builds an index of them.
    pub fn new(mut stage: Stage, query: Query, make: fn(&World) -> Box<dyn Index>) -> Self {
        stage.advance(Order::Spawn);
        Self {
            index: make(stage.world()),
            query,
            questions: Questions::new(&stage),
            found: Vec::new(),
        }
    }
}

impl Run for QueryRun {
    fn update(&mut self, _: Order) -> Done {
        let points = self.questions.ask();
        Done::measure(|| {
            let mut told = 0;
            for &point in points {
                self.found.clear();
                match self.query {
                    Query::Within(radius) => self.index.within(point, radius, &mut self.found),
                    Query::Nearest(k) => self.index.nearest(point, k, &mut self.found),
                }
                told += black_box(&self.found).len() as u64;
            }
            told
        })
    }

    fn end(self: Box<Self>) -> usize {
        freed(self.index)
    }
}
