//! The published methods of the *structure* level, and two ablations.
//!
//! | name | what it is |
//! | --- | --- |
//! | `brute` | [`Brute`]: all pairs |
//! | `crosslink-classic` | [`CrosslinkClassic`]: 十字链表, two sorted lists, bands intersected |
//! | `nine-grid` | [`NineGrid`]: 九宫格, cells of one radius |
//! | `towers` | [`Towers`]: 灯塔, cells with lists of watchers |
//! | `kiddo`, `rstar` | [`Kiddo`], [`Rstar`]: a tree, built anew or mended |
//! | `brute-xor`, `grid-xor` | [`BruteXor`], [`GridXor`]: ablations, with the old/new test |
//!
//! All but `towers` and the ablations share one loop (`rediff.rs`), and differ in how they find
//! the new set of a viewer. All keep sorted lists of who is in view, judge distances as
//! [`World::sees`] does, and ask nobody again around whom nothing stirred.

mod brute;
mod brute_xor;
mod cell_index;
mod columns;
mod crosslink;
mod grid;
mod grid_xor;
mod kd_tree;
mod nine_grid;
mod r_tree;
mod rediff;
mod roster;
#[cfg(test)]
mod tests;
mod towers;
mod views;
mod xor;

pub use self::{
    brute::Brute,
    brute_xor::BruteXor,
    cell_index::GridIndex,
    crosslink::CrosslinkClassic,
    grid_xor::GridXor,
    kd_tree::{Kiddo, KiddoIndex},
    nine_grid::NineGrid,
    r_tree::{Rstar, RstarIndex},
    towers::Towers,
};
use crate::Method;
use crate::world::World;

/// Makes a method that knows an empty world.
pub type Constructor = fn() -> Box<dyn Method>;

/// The published methods, by name.
pub const RIVALS: [(&str, Constructor); 6] = [
    ("brute", || Box::new(Brute::default())),
    (
        "crosslink-classic",
        || Box::new(CrosslinkClassic::default()),
    ),
    ("nine-grid", || Box::new(NineGrid::default())),
    ("towers", || Box::new(Towers::default())),
    ("kiddo", || Box::new(Kiddo::default())),
    ("rstar", || Box::new(Rstar::default())),
];

/// Widths of the cells of [`GridXor`] to choose the best from, in radii of the common viewer.
pub const GRID_XOR_CELLS: [f32; 5] = [0.25, 0.5, 1.0, 1.5, 2.0];

/// All rivals and ablations, `grid-xor` once for each of [`GRID_XOR_CELLS`].
pub fn all() -> Vec<Box<dyn Method>> {
    let rivals = RIVALS.iter().map(|(_, constructor)| constructor());
    let grids = GRID_XOR_CELLS.iter();
    let grids = grids.map(|&cell| Box::new(GridXor::new(cell)) as Box<dyn Method>);
    let brute: Box<dyn Method> = Box::new(BruteXor::default());
    rivals.chain([brute]).chain(grids).collect()
}

/// Those who are there, and where.
fn present(world: &World) -> impl Iterator<Item = (u32, [f32; 2])> {
    let members = (0..).zip(&world.members).zip(&world.positions);
    let present = members.filter(|((_, member), _)| member.present);
    present.map(|((id, _), &at)| (id, at))
}
