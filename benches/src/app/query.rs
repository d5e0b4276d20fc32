//! Queries in an app: entities are asked for, not ids.

use crate::{
    Index,
    app::{AppRun, Finder},
    run::{Done, Questions, Run, freed},
    scene::{Order, Stage},
    workloads::Query,
    world::World,
};
use bevy::prelude::*;
use bevy_aoi::prelude::*;
use std::hint::black_box;

/// The plugin's resource.
pub struct OursQueryRun {
    app: Box<AppRun>,
    query: Query,
    questions: Questions,
    found: Vec<Entity>,
}

impl OursQueryRun {
    pub fn new(stage: Stage, query: Query) -> Self {
        let questions = Questions::new(&stage);
        let mut app = AppRun::new(stage, Finder::Ours);
        app.update(Order::Spawn);
        Self {
            app: Box::new(app),
            query,
            questions,
            found: Vec::new(),
        }
    }
}

impl Run for OursQueryRun {
    fn update(&mut self, _: Order) -> Done {
        let index = self.app.app.world().resource::<AoiIndex>();
        let points = self.questions.ask();
        Done::measure(|| {
            let mut told = 0;
            for &[x, y] in points {
                let center = Vec3::new(x, y, 0.0);
                self.found.clear();
                match self.query {
                    Query::Within(radius) => {
                        self.found.extend(index.within_radius(0, center, radius));
                    }
                    Query::Nearest(k) => self.found.extend(index.nearest(0, center, k)),
                }
                told += black_box(&self.found).len() as u64;
            }
            told
        })
    }

    fn end(self: Box<Self>) -> usize {
        self.app.end()
    }
}

/// An index of ids, and who they are.
pub struct RivalQueryRun {
    index: Box<dyn Index>,
    entities: Vec<Entity>,
    query: Query,
    questions: Questions,
    ids: Vec<u32>,
    found: Vec<Entity>,
}

impl RivalQueryRun {
    /// Everybody comes, then `make` builds an index of them.
    pub fn new(mut stage: Stage, query: Query, make: fn(&World) -> Box<dyn Index>) -> Self {
        stage.advance(Order::Spawn);
        let members = 0..stage.world().members.len() as u32;
        Self {
            index: make(stage.world()),
            entities: members.filter_map(Entity::from_raw_u32).collect(),
            query,
            questions: Questions::new(&stage),
            ids: Vec::new(),
            found: Vec::new(),
        }
    }
}

impl Run for RivalQueryRun {
    fn update(&mut self, _: Order) -> Done {
        let points = self.questions.ask();
        Done::measure(|| {
            let mut told = 0;
            for &point in points {
                self.ids.clear();
                self.found.clear();
                match self.query {
                    Query::Within(radius) => self.index.within(point, radius, &mut self.ids),
                    Query::Nearest(k) => self.index.nearest(point, k, &mut self.ids),
                }
                let entities = self.ids.iter().map(|&id| self.entities[id as usize]);
                self.found.extend(entities);
                told += black_box(&self.found).len() as u64;
            }
            told
        })
    }

    fn end(self: Box<Self>) -> usize {
        freed(self.index)
    }
}
