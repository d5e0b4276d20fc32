//! Brute force: every pair is looked at, with the rules and the arithmetic of the contract
//! (`docs/semantics.md`, points 3 to 10 and 26), and nothing is kept but what was in view.
//!
//! [`Twin`] runs it beside the structure: each operation goes to both, and whatever the two can be
//! asked must get the same answer.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{Debug, Display, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use bevy_aoi::crosslink::{CrossLink, Id, Relation, Shape, Target, Viewer};

/// (viewer, target)
pub type Pair = (Id, Id);

struct Member<const D: usize> {
    at: [f32; D],
    viewer: Option<Viewer<D>>,
    target: Option<Target>,
}

/// Members by id, and who had whom in view at the last update.
pub struct Brute<const D: usize> {
    members: BTreeMap<Id, Member<D>>,
    view: BTreeMap<Id, Vec<Id>>,
}

impl<const D: usize> Default for Brute<D> {
    fn default() -> Self {
        Self {
            members: BTreeMap::new(),
            view: BTreeMap::new(),
        }
    }
}

impl<const D: usize> Brute<D> {
    /// Adds or moves a member. A place that is not finite is refused.
    pub fn place(&mut self, id: Id, at: [f32; D]) -> bool {
        if at.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let newcomer = Member {
            at,
            viewer: None,
            target: None,
        };
        self.members.entry(id).or_insert(newcomer).at = at;
        true
    }

    /// Takes a member out, and its roles with it.
    pub fn remove(&mut self, id: Id) -> bool {
        self.members.remove(&id).is_some()
    }

    /// Takes all members out.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Gives a member eyes, or takes them.
    pub fn set_viewer(&mut self, id: Id, viewer: Option<Viewer<D>>) -> bool {
        self.members
            .get_mut(&id)
            .map(|m| m.viewer = viewer)
            .is_some()
    }

    /// Makes a member visible, or invisible.
    pub fn set_target(&mut self, id: Id, target: Option<Target>) -> bool {
        self.members
            .get_mut(&id)
            .map(|m| m.target = target)
            .is_some()
    }

    /// All ids, ascending.
    pub fn ids(&self) -> Vec<Id> {
        self.members.keys().copied().collect()
    }

    /// Where a member stands.
    pub fn position(&self, id: Id) -> Option<[f32; D]> {
        self.members.get(&id).map(|member| member.at)
    }

    /// Looks at all pairs; who has come into view since the last time, and who has dropped out.
    pub fn update(&mut self) -> (Vec<Pair>, Vec<Pair>) {
        let before = std::mem::take(&mut self.view);
        let targets: Vec<(Id, [f32; D], Target)> = self
            .members
            .iter()
            .filter_map(|(&id, member)| Some((id, member.at, member.target?)))
            .collect();
        for (&id, member) in &self.members {
            let Some(viewer) = &member.viewer else {
                continue;
            };
            let held = before.get(&id).map_or(&[][..], Vec::as_slice);
            let sees = |&(other, at, target): &(Id, [f32; D], Target)| {
                let held = held.binary_search(&other).is_ok();
                (other != id && in_view(viewer, member.at, &target, at, held)).then_some(other)
            };
            self.view
                .insert(id, targets.iter().filter_map(sees).collect());
        }
        (
            pairs_beyond(&self.view, &before),
            pairs_beyond(&before, &self.view),
        )
    }

    /// Whom a viewer had in view at the last update, ascending.
    pub fn in_view(&self, viewer: Id) -> &[Id] {
        self.view.get(&viewer).map_or(&[], Vec::as_slice)
    }

    /// All members but `id` itself within `r` of it, ascending.
    pub fn neighbors_in_radius(&self, id: Id, r: f32) -> Vec<Id> {
        let mut found = match self.position(id) {
            Some(at) => self.within_radius(at, r),
            None => Vec::new(),
        };
        found.retain(|&other| other != id);
        found
    }

    /// All members within `r` of `center`, ascending.
    pub fn within_radius(&self, center: [f32; D], r: f32) -> Vec<Id> {
        self.all(|at| r >= 0.0 && squared(center, at) <= r * r)
    }

    /// All members within a box, its faces included, ascending.
    pub fn within_box(&self, min: [f32; D], max: [f32; D]) -> Vec<Id> {
        self.all(|at| (0..D).all(|axis| min[axis] <= at[axis] && at[axis] <= max[axis]))
    }

    /// The `k` nearest to `center`, the nearest first, equal ones by id.
    pub fn nearest(&self, center: [f32; D], k: usize) -> Vec<Id> {
        if center.iter().any(|x| x.is_nan()) {
            return Vec::new();
        }
        let mut all: Vec<(f32, Id)> = self
            .members
            .iter()
            .map(|(&id, member)| (squared(center, member.at), id))
            .collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.into_iter().map(|(_, id)| id).take(k).collect()
    }

    /// All members by their coordinate on an axis, equal ones by id.
    pub fn walk(&self, axis: usize) -> Vec<(f32, Id)> {
        let mut all: Vec<(f32, Id)> = self
            .members
            .iter()
            .map(|(&id, member)| (member.at[axis], id))
            .collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all
    }

    fn all(&self, keep: impl Fn([f32; D]) -> bool) -> Vec<Id> {
        let kept = self.members.iter().filter(|(_, member)| keep(member.at));
        kept.map(|(&id, _)| id).collect()
    }

    /// Compares what was told with what is right, and describes a pair that differs.
    fn same_pairs(&self, what: &str, told: &[Pair], right: &[Pair]) -> Result<(), String> {
        if told == right {
            return Ok(());
        }
        let mut report = format!(
            "{what}: {} pairs told, {} are right",
            told.len(),
            right.len()
        );
        for (kind, these, those) in [("missing", right, told), ("wrong", told, right)] {
            if let Some(&pair) = these.iter().find(|pair| !those.contains(pair)) {
                write!(report, "\n  {kind}: {}", self.describe(pair)).unwrap();
            }
        }
        Err(report)
    }

    /// What there is to know about a pair, for a person who must find out what went wrong.
    fn describe(&self, (viewer, target): Pair) -> String {
        let known = |id| match self.members.get(&id) {
            Some(m) => format!("{id} at {:?} {:?} {:?}", m.at, m.viewer, m.target),
            None => format!("{id} (gone)"),
        };
        format!("viewer {}; target {}", known(viewer), known(target))
    }
}

/// Points 5 to 10, for a pair of two that are present; `held` if it was in view until now.
fn in_view<const D: usize>(
    viewer: &Viewer<D>,
    from: [f32; D],
    target: &Target,
    at: [f32; D],
    held: bool,
) -> bool {
    if viewer.sees & target.layers == 0 {
        return false;
    }
    let boxed = matches!(viewer.shape, Shape::Box { .. });
    // With a box the radius plays no part, not even as blindness.
    if !boxed && (viewer.radius.is_nan() || viewer.radius <= 0.0) {
        return false;
    }
    let margin = if held {
        or_zero(viewer.leave_margin)
    } else {
        0.0
    };
    let extra = or_zero(target.extra_range);
    let r = (viewer.radius + extra) + margin;
    match viewer.shape {
        Shape::Square => (0..D).all(|axis| (at[axis] - from[axis]).abs() <= r),
        Shape::Cylinder { half_height } if D == 3 => {
            let (dx, dz) = (at[0] - from[0], at[2] - from[2]);
            dx * dx + dz * dz <= r * r && (at[1] - from[1]).abs() <= or_zero(half_height) + margin
        }
        Shape::Round | Shape::Cylinder { .. } => squared(from, at) <= r * r,
        Shape::Box { half } => (0..D)
            .all(|axis| (at[axis] - from[axis]).abs() <= (or_zero(half[axis]) + extra) + margin),
    }
}

/// Negative and NaN count as 0.
fn or_zero(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// The square of a distance, summed in the order of the axes.
fn squared<const D: usize>(from: [f32; D], to: [f32; D]) -> f32 {
    let mut sum = 0.0;
    for axis in 0..D {
        let d = to[axis] - from[axis];
        sum += d * d;
    }
    sum
}

/// The pairs of `these` that are not among `those`, sorted.
fn pairs_beyond(these: &BTreeMap<Id, Vec<Id>>, those: &BTreeMap<Id, Vec<Id>>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (&viewer, targets) in these {
        let known = those.get(&viewer).map_or(&[][..], Vec::as_slice);
        let new = targets
            .iter()
            .filter(|target| known.binary_search(target).is_err());
        pairs.extend(new.map(|&target| (viewer, target)));
    }
    pairs
}

/// A member with all that it is.
pub type Full<const D: usize> = (Id, [f32; D], Option<Viewer<D>>, Option<Target>);

/// What can be done to the structure, and asked of it.
#[derive(Debug, Clone)]
pub enum Op<const D: usize> {
    /// `insert`
    Insert(Id, [f32; D]),
    /// `move_to`
    Move(Id, [f32; D]),
    /// `insert_many`
    InsertMany(Vec<(Id, [f32; D])>),
    /// `insert_many_with`
    InsertManyWith(Vec<Full<D>>),
    /// `remove_many`
    RemoveMany(Vec<Id>),
    /// `move_many`
    MoveMany(Vec<(Id, [f32; D])>),
    /// `remove`
    Remove(Id),
    /// `clear`
    Clear,
    /// `set_viewer`
    SetViewer(Id, Option<Viewer<D>>),
    /// `set_target`
    SetTarget(Id, Option<Target>),
    /// `Relation::update`, and a comparison of all that is in view
    Update,
    /// `position`, `contains`, `viewer`, `target`
    Member(Id),
    /// `neighbors_in_radius`
    Neighbors(Id, f32),
    /// `within_radius`
    WithinRadius([f32; D], f32),
    /// `within_box`
    WithinBox([f32; D], [f32; D]),
    /// `nearest`
    Nearest([f32; D], usize),
    /// `walk`, and from this member `walk_up` and `walk_down`
    Walk(usize, Id),
}

/// The structure and brute force side by side.
#[derive(Default)]
pub struct Twin<const D: usize> {
    /// The structure under test.
    pub link: CrossLink<D>,
    /// Its relation.
    pub relation: Relation,
    /// What is right.
    pub brute: Brute<D>,
    /// Who entered and who left at the last update, told alike by both.
    pub told: (Vec<Pair>, Vec<Pair>),
}

impl<const D: usize> Twin<D> {
    /// Does the same to both, or asks both the same; an error says in what they differ. That the
    /// structure panics is an error like others, so that what led to it can be cut down in peace.
    pub fn apply(&mut self, op: &Op<D>) -> Result<(), String> {
        quietly(|| self.try_apply(op))
    }

    fn try_apply(&mut self, op: &Op<D>) -> Result<(), String> {
        let Self { link, brute, .. } = self;
        match op {
            &Op::Insert(id, at) => same("insert", link.insert(id, at), brute.place(id, at)),
            &Op::Move(id, at) => same("move_to", link.move_to(id, at), brute.place(id, at)),
            Op::InsertMany(members) => {
                link.insert_many(members.iter().copied());
                for &(id, at) in members {
                    brute.place(id, at);
                }
                same("len", link.len(), brute.members.len())
            }
            Op::InsertManyWith(members) => {
                link.insert_many_with(members.iter().copied());
                for &(id, at, viewer, target) in members {
                    if brute.place(id, at) {
                        brute.set_viewer(id, viewer);
                        brute.set_target(id, target);
                    }
                }
                same("len", link.len(), brute.members.len())
            }
            Op::RemoveMany(ids) => {
                link.remove_many(ids);
                for &id in ids {
                    brute.remove(id);
                }
                same("len", link.len(), brute.members.len())
            }
            Op::MoveMany(members) => {
                link.move_many(members.iter().copied());
                for &(id, at) in members {
                    brute.place(id, at);
                }
                same("len", link.len(), brute.members.len())
            }
            &Op::Remove(id) => same("remove", link.remove(id), brute.remove(id)),
            Op::Clear => {
                link.clear();
                brute.clear();
                same("len", link.len(), 0)
            }
            &Op::SetViewer(id, viewer) => same(
                "set_viewer",
                link.set_viewer(id, viewer),
                brute.set_viewer(id, viewer),
            ),
            &Op::SetTarget(id, target) => same(
                "set_target",
                link.set_target(id, target),
                brute.set_target(id, target),
            ),
            Op::Update => self.update(),
            &Op::Member(id) => {
                let member = brute.members.get(&id);
                same("contains", link.contains(id), member.is_some())?;
                same("position", link.position(id), member.map(|m| m.at))?;
                // As text, since a field may be NaN; and a zero is a zero.
                let text = |roles| format!("{roles:?}").replace("-0.0", "0.0");
                let right = (member.and_then(|m| m.viewer), member.and_then(|m| m.target));
                same(
                    "roles",
                    text((link.viewer(id), link.target(id))),
                    text(right),
                )
            }
            &Op::Neighbors(id, r) => same(
                format_args!("neighbors_in_radius({id}, {r:?})"),
                sorted(link.neighbors_in_radius(id, r)),
                brute.neighbors_in_radius(id, r),
            ),
            &Op::WithinRadius(center, r) => same(
                format_args!("within_radius({center:?}, {r:?})"),
                sorted(link.within_radius(center, r)),
                brute.within_radius(center, r),
            ),
            &Op::WithinBox(min, max) => same(
                format_args!("within_box({min:?}, {max:?})"),
                sorted(link.within_box(min, max)),
                brute.within_box(min, max),
            ),
            &Op::Nearest(center, k) => same(
                format_args!("nearest({center:?}, {k})"),
                link.nearest(center, k),
                brute.nearest(center, k),
            ),
            &Op::Walk(axis, from) => {
                let order = brute.walk(axis);
                let (down, up) = match order.iter().position(|&(_, id)| id == from) {
                    Some(place) => (&order[..place], &order[place + 1..]),
                    None => (&[][..], &[][..]),
                };
                let up: Vec<_> = up.to_vec();
                let down: Vec<_> = down.iter().rev().copied().collect();
                same(
                    format_args!("walk_up({from}, {axis})"),
                    link.walk_up(from, axis).collect(),
                    up,
                )?;
                same(
                    format_args!("walk_down({from}, {axis})"),
                    link.walk_down(from, axis).collect(),
                    down,
                )?;
                same(
                    format_args!("walk({axis})"),
                    link.walk(axis).collect(),
                    order,
                )
            }
        }
    }

    fn update(&mut self) -> Result<(), String> {
        let Self {
            link,
            relation,
            brute,
            told,
        } = self;
        link.check_invariants()?;
        let (entered, left) = brute.update();
        let changes = relation.update(link);
        brute.same_pairs("left", &changes.left, &left)?;
        brute.same_pairs("entered", &changes.entered, &entered)?;
        let gone = left.iter().map(|&(viewer, _)| viewer);
        for id in brute.ids().into_iter().chain(gone) {
            let what = format_args!("in_view({id})");
            same(what, relation.in_view(id), brute.in_view(id))?;
        }
        same("len", link.len(), brute.members.len())?;
        same("is_empty", link.is_empty(), brute.members.is_empty())?;
        *told = (entered, left);
        link.check_invariants()
    }
}

/// Runs something whose panic is an error, told with its place, and not printed.
fn quietly(run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    thread_local! {
        static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = take_hook();
        set_hook(Box::new(move |info| {
            PANIC.with_borrow_mut(|panic| match panic {
                Some(told) => *told = info.to_string().replace('\n', " "),
                None => loud(info),
            });
        }));
    });
    PANIC.set(Some(String::new()));
    let outcome = catch_unwind(AssertUnwindSafe(run));
    let told = PANIC.take().unwrap_or_default();
    outcome.unwrap_or(Err(told))
}

fn same<T: PartialEq + Debug>(what: impl Display, seen: T, right: T) -> Result<(), String> {
    if seen == right {
        return Ok(());
    }
    Err(format!("{what}: seen {seen:?}, right {right:?}"))
}

/// Answers that come in no particular order.
fn sorted(ids: impl Iterator<Item = Id>) -> Vec<Id> {
    let mut ids: Vec<Id> = ids.collect();
    ids.sort_unstable();
    ids
}
