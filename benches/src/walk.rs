//! How everybody walks: the same steps for an app and for the bare structures.

use bevy::prelude::*;
use std::f32::consts::PI;

/// How far a walker goes in an update, in metres.
pub const STEP: f32 = 0.1;

/// How far a heading turns in an update at most: the smallest circle has 30 m radius.
const MAX_TURN: f32 = STEP / 30.0;

/// Where one is going.
#[derive(Component, Debug, Clone, Copy)]
pub struct Walker {
    /// Cosine and sine of the direction.
    heading: [f32; 2],
    /// By how much it turns in each update, likewise.
    turn: [f32; 2],
    town: u32,
    id: u32,
}

impl Walker {
    pub fn new(id: u32, town: u32, rng: &mut fastrand::Rng) -> Self {
        let mut around = |max: f32| {
            let (sin, cos) = ((rng.f32() * 2.0 - 1.0) * max).sin_cos();
            [cos, sin]
        };
        Self {
            heading: around(PI),
            turn: around(MAX_TURN),
            town,
            id,
        }
    }
}

/// A box that walkers do not leave. One without height is a line.
#[derive(Debug, Clone, Copy)]
pub struct Town {
    pub center: [f32; 2],
    pub half: [f32; 2],
}

impl Town {
    /// A place in it, for two numbers from 0 to 1.
    pub fn place(&self, at: [f32; 2]) -> [f32; 2] {
        std::array::from_fn(|axis| self.center[axis] + (at[axis] * 2.0 - 1.0) * self.half[axis])
    }
}

/// What all walkers have in common.
#[derive(Resource, Debug, Clone)]
pub struct Ground {
    pub towns: Vec<Town>,
    /// One in so many jumps anywhere in its town at each update; 0: nobody does.
    pub one_jumps_in: u32,
}

impl Ground {
    /// The next place of a walker. It turns back at the border of its town.
    #[inline]
    pub fn step(&self, walker: &mut Walker, at: [f32; 2], update: u32) -> [f32; 2] {
        let town = &self.towns[walker.town as usize];
        if self.one_jumps_in > 0 {
            let random = mix(u64::from(update) << 32 | u64::from(walker.id));
            if (random as u32).is_multiple_of(self.one_jumps_in) {
                let unit = |bits: u64| (bits & 0xff_ffff) as f32 / 16_777_216.0;
                return town.place([unit(random >> 16), unit(random >> 40)]);
            }
        }
        let ([cos, sin], [turn_cos, turn_sin]) = (walker.heading, walker.turn);
        let [x, y] = [
            cos * turn_cos - sin * turn_sin,
            sin * turn_cos + cos * turn_sin,
        ];
        // One step of Newton's method keeps the length at 1.
        let scale = 0.5 * (3.0 - (x * x + y * y));
        walker.heading = [x * scale, y * scale];
        std::array::from_fn(|axis| {
            let (center, half) = (town.center[axis], town.half[axis]);
            advance(at[axis], &mut walker.heading[axis], center, half)
        })
    }
}

/// One step on one axis, thrown back by the border.
fn advance(at: f32, heading: &mut f32, center: f32, half: f32) -> f32 {
    if half == 0.0 {
        return at;
    }
    let next = at + *heading * STEP;
    let off = next - center;
    if off.abs() <= half {
        return next;
    }
    *heading = -*heading;
    center + (2.0 * half.copysign(off) - off).clamp(-half, half)
}

/// Random bits for a number, the same for all systems (`SplitMix64`).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
