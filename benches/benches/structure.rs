//! What each operation of the structure costs by itself, on 10 000 members with 30 in view, all
//! viewers and targets.
//!
//! ```text
//! cargo bench --manifest-path benches/Cargo.toml --bench structure
//! ```

use bevy_aoi::crosslink::{CrossLink, Relation, Target, Viewer};
use divan::{Bencher, black_box};

const MEMBERS: u32 = 10_000;
const RADIUS: f32 = 50.0;
/// Half of the width of a square in which 30 are within the radius of each.
const HALF: f32 = 809.0;
/// How many operations of a kind are measured together.
const SOME: u32 = 1000;

fn main() {
    divan::main();
}

/// A random place in the square.
fn place(rng: &mut fastrand::Rng) -> [f32; 2] {
    [(); 2].map(|()| (rng.f32() * 2.0 - 1.0) * HALF)
}

fn places() -> Vec<(u32, [f32; 2])> {
    let mut rng = fastrand::Rng::with_seed(1);
    (0..MEMBERS).map(|id| (id, place(&mut rng))).collect()
}

/// Everybody is there, and the first update is over.
fn settled() -> (CrossLink<2>, Relation) {
    let (mut link, mut relation) = (CrossLink::new(), Relation::new());
    link.insert_many(places());
    for id in 0..MEMBERS {
        link.set_viewer(id, Some(Viewer::new(RADIUS)));
        link.set_target(id, Some(Target::default()));
    }
    relation.update(&mut link);
    (link, relation)
}

fn link() -> CrossLink<2> {
    settled().0
}

#[divan::bench(items_count = MEMBERS)]
fn insert(bencher: Bencher) {
    bencher
        .with_inputs(|| (CrossLink::<2>::new(), places()))
        .bench_local_values(|(mut link, places)| {
            for (id, at) in places {
                link.insert(id, at);
            }
            link
        });
}

#[divan::bench(items_count = MEMBERS)]
fn insert_many(bencher: Bencher) {
    bencher
        .with_inputs(|| (CrossLink::<2>::new(), places()))
        .bench_local_values(|(mut link, places)| {
            link.insert_many(places);
            link
        });
}

/// Steps of 0.1 m.
#[divan::bench(items_count = MEMBERS)]
fn move_short(bencher: Bencher) {
    bencher
        .with_inputs(|| {
            let mut rng = fastrand::Rng::with_seed(2);
            let moves = places().into_iter().map(|(id, [x, y])| {
                let (sin, cos) = (rng.f32() * std::f32::consts::TAU).sin_cos();
                (id, [x + 0.1 * cos, y + 0.1 * sin])
            });
            (link(), moves.collect::<Vec<_>>())
        })
        .bench_local_values(|(mut link, moves)| {
            link.move_many(moves);
            link
        });
}

/// To anywhere.
#[divan::bench(items_count = SOME)]
fn jump(bencher: Bencher) {
    bencher
        .with_inputs(|| {
            let mut rng = fastrand::Rng::with_seed(3);
            let jumps = (0..SOME).map(|id| (id, place(&mut rng)));
            (link(), jumps.collect::<Vec<_>>())
        })
        .bench_local_values(|(mut link, jumps)| {
            link.move_many(jumps);
            link
        });
}

#[divan::bench(items_count = SOME)]
fn remove(bencher: Bencher) {
    bencher.with_inputs(link).bench_local_values(|mut link| {
        for id in 0..SOME {
            link.remove(id);
        }
        link
    });
}

/// An update in which everybody took a step of 0.1 m.
#[divan::bench(items_count = MEMBERS)]
fn detect(bencher: Bencher) {
    let (mut link, mut relation) = settled();
    let mut rng = fastrand::Rng::with_seed(4);
    bencher.bench_local(|| {
        for id in 0..MEMBERS {
            let at = link.position(id).unwrap_or_default();
            let (sin, cos) = (rng.f32() * std::f32::consts::TAU).sin_cos();
            link.move_to(id, [at[0] + 0.1 * cos, at[1] + 0.1 * sin]);
        }
        relation.update(&mut link).entered.len()
    });
}

#[divan::bench(items_count = SOME)]
fn within_radius(bencher: Bencher) {
    query(bencher, |link, center| {
        link.within_radius(center, RADIUS).count()
    });
}

#[divan::bench(items_count = SOME)]
fn within_box(bencher: Bencher) {
    query(bencher, |link, [x, y]| {
        let (min, max) = ([x - RADIUS, y - RADIUS], [x + RADIUS, y + RADIUS]);
        link.within_box(min, max).count()
    });
}

#[divan::bench(items_count = SOME)]
fn nearest(bencher: Bencher) {
    query(bencher, |link, center| link.nearest(center, 8).len());
}

/// Asks around random places.
fn query(bencher: Bencher, ask: impl Fn(&CrossLink<2>, [f32; 2]) -> usize) {
    let link = link();
    let mut rng = fastrand::Rng::with_seed(5);
    let points: Vec<_> = (0..SOME).map(|_| place(&mut rng)).collect();
    bencher.bench_local(|| {
        for &point in &points {
            black_box(ask(&link, point));
        }
    });
}
