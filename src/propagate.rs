//! World positions, where Bevy has not propagated them: in schedules other than `PostUpdate`
//! `GlobalTransform` is a frame old, and without `TransformPlugin` it never moves.
//!
//! Bevy's own three systems could be run here too, but a second set of them disturbs the first:
//! each marks the trees it has seen as changed, and stops at a tree that is marked. An entity that
//! moves, is marked by one set, and is then given another parent is passed over by the other. This
//! system marks nothing. It writes what Bevy would write; entities that are disabled, and all below
//! them, stay as they are.

use bevy::prelude::*;

type Changes = Or<(Changed<Transform>, Changed<ChildOf>, Added<GlobalTransform>)>;

type NoTree = (Without<ChildOf>, Without<Children>);

type Alone = (&'static Transform, &'static mut GlobalTransform);

type AloneItem<'a> = (&'a Transform, Mut<'a, GlobalTransform>);

type InTree = Or<(With<ChildOf>, With<Children>)>;

pub(crate) fn propagate(
    mut alone: ParamSet<(
        Query<Alone, (Changed<Transform>, NoTree)>,
        Query<Alone, (Added<GlobalTransform>, NoTree)>,
    )>,
    mut trees: ParamSet<(
        Query<Entity, (Changes, InTree)>,
        Query<(&Transform, &mut GlobalTransform, Option<&Children>), InTree>,
    )>,
    parents: Query<&ChildOf>,
    mut changed: Local<Vec<Entity>>,
    mut stack: Local<Vec<(Entity, Option<GlobalTransform>)>>,
) {
    // One after the other: a query that looks for either takes longer than both.
    let copy = |(transform, mut global): AloneItem| *global = GlobalTransform::from(*transform);
    alone.p0().par_iter_mut().for_each(copy);
    alone.p1().par_iter_mut().for_each(copy);
    changed.clear();
    changed.extend(&trees.p0());
    changed.sort_unstable();
    let mut nodes = trees.p1();
    for &entity in &*changed {
        // What hangs below another changed entity is reached from there.
        if parents
            .iter_ancestors(entity)
            .any(|above| changed.binary_search(&above).is_ok())
        {
            continue;
        }
        let parent = match parents.get(entity) {
            Err(_) => None,
            // All of it stays as it is below a parent that is disabled or has no transform.
            Ok(child) => match nodes.get(child.parent()) {
                Ok((_, global, _)) => Some(*global),
                Err(_) => continue,
            },
        };
        stack.push((entity, parent));
        while let Some((entity, parent)) = stack.pop() {
            let Ok((transform, mut global, children)) = nodes.get_mut(entity) else {
                continue;
            };
            *global = match parent {
                Some(parent) => parent.mul_transform(*transform),
                None => GlobalTransform::from(*transform),
            };
            stack.extend(
                children
                    .into_iter()
                    .flatten()
                    .map(|&child| (child, Some(*global))),
            );
        }
    }
}
