//! What a debug view is told of the structure is what is there: bands and blocks cover their
//! members, in order, and nobody is counted twice or missed.

use bevy_aoi::crosslink::{BandInfo, BlockInfo, CrossLink, Id, Relation, Target, Viewer};
use fastrand::Rng;

/// A crowd of walkers that has moved for a while, so that blocks were split and joined.
fn crowd<const D: usize>(rng: &mut Rng, count: u32) -> (CrossLink<D>, Vec<[f32; D]>) {
    let (mut link, mut relation) = (CrossLink::new(), Relation::new());
    let mut places = vec![[0.0; D]; count as usize];
    for place in &mut places {
        *place = core::array::from_fn(|_| rng.f32() * 1000.0 - 500.0);
    }
    link.insert_many((0..).zip(places.iter().copied()));
    for id in 0..count {
        link.set_viewer(id, Some(Viewer::new(40.0)));
        link.set_target(id, Some(Target::default()));
    }
    for _ in 0..20 {
        relation.update(&mut link);
        for (id, place) in (0..).zip(&mut places) {
            let jump = rng.u32(..50) == 0;
            let step = if jump { 1000.0 } else { 4.0 };
            *place = place.map(|x| (x + (rng.f32() - 0.5) * step).clamp(-500.0, 500.0));
            link.move_to(id, *place);
        }
    }
    relation.update(&mut link);
    link.check_invariants().unwrap();
    (link, places)
}

fn holds<const D: usize>(span: [[f32; 2]; D], at: [f32; D]) -> bool {
    (0..D).all(|axis| span[axis][0] <= at[axis] && at[axis] <= span[axis][1])
}

fn bands_and_blocks_hold_everybody_once<const D: usize>() {
    let mut rng = Rng::with_seed(0x0b5e);
    for count in [1, 31, 33, 2000] {
        let (link, places) = crowd::<D>(&mut rng, count);
        let bands: Vec<BandInfo<D>> = link.bands().collect();
        let blocks: Vec<BlockInfo<D>> = link.blocks().collect();
        let all = places.len();
        assert_eq!(link.count_bands_and_blocks(), (bands.len(), blocks.len()));
        assert_eq!(bands.iter().map(|band| band.members).sum::<usize>(), all);
        assert_eq!(blocks.iter().map(|block| block.members).sum::<usize>(), all);
        // The parts of two bands never overlap, so whoever stands in the part is a member.
        for (at, band) in bands.iter().enumerate() {
            let inside = places.iter().filter(|&&place| holds(band.span, place));
            assert_eq!(inside.count(), band.members, "band {at} of {count}");
            let of_band = || blocks.iter().filter(move |block| block.band == at);
            assert_eq!(of_band().count(), band.blocks);
            assert_eq!(
                of_band().map(|block| block.members).sum::<usize>(),
                band.members
            );
            // Along x the parts of its blocks follow one another without a gap.
            let mut end = f32::NEG_INFINITY;
            for block in of_band() {
                assert_eq!(block.span[0][0], end);
                assert_eq!(block.span[1..], band.span[1..]);
                end = block.span[0][1];
            }
            assert_eq!(end, f32::INFINITY);
        }
        for block in &blocks {
            assert!((1..=block.capacity).contains(&block.members));
            assert!(holds(block.span, block.min) && holds(block.span, block.max));
            let inside = link.within_box(block.min, block.max).count();
            assert!(inside >= block.members, "the box is around all members");
        }
        // Ascending along the last axis, then along axis 1.
        let key = |band: &BandInfo<D>| (band.span[D - 1][0], band.span[1][0]);
        assert!(bands.is_sorted_by(|a, b| key(a) < key(b)));
        // The boxes touch the outermost members, and none is larger than needed once all is told.
        for axis in 0..D {
            let least = places.iter().map(|at| at[axis]).fold(f32::MAX, f32::min);
            let most = places.iter().map(|at| at[axis]).fold(f32::MIN, f32::max);
            let min = bands
                .iter()
                .map(|band| band.min[axis])
                .fold(f32::MAX, f32::min);
            let max = bands
                .iter()
                .map(|band| band.max[axis])
                .fold(f32::MIN, f32::max);
            assert_eq!((min, max), (least, most), "axis {axis} of {count}");
        }
    }
}

#[test]
fn bands_and_blocks_hold_everybody_once_on_a_plane() {
    bands_and_blocks_hold_everybody_once::<2>();
}

#[test]
fn bands_and_blocks_hold_everybody_once_in_space() {
    bands_and_blocks_hold_everybody_once::<3>();
}

#[test]
fn an_empty_structure_has_no_bands() {
    let mut link = CrossLink::<2>::new();
    assert_eq!((link.bands().count(), link.blocks().count()), (0, 0));
    link.insert(3, [1.0, 2.0]);
    link.remove(3);
    assert_eq!(
        (link.bands().count(), link.count_bands_and_blocks()),
        (0, (0, 0))
    );
}

#[test]
fn all_on_one_spot_are_one_band_without_an_end() {
    let mut link = CrossLink::<2>::new();
    link.insert_many((0..100 as Id).map(|id| (id, [5.0, -7.0])));
    let bands: Vec<_> = link.bands().collect();
    assert_eq!(bands.len(), 1);
    assert_eq!(bands[0].members, 100);
    assert_eq!(bands[0].span, [[f32::NEG_INFINITY, f32::INFINITY]; 2]);
    assert_eq!((bands[0].min, bands[0].max), ([5.0, -7.0], [5.0, -7.0]));
    assert!(bands[0].blocks >= 4, "a block has room for 32");
}
