//! World positions, where Bevy has not propagated them: in schedules other than `PostUpdate`
//! `GlobalTransform` is a frame old, and without `TransformPlugin` it never moves.
//!
//! Bevy's own three systems could be run here too, but a second set of them disturbs the first:
//! each marks the trees it has seen as changed, and stops at a tree that is marked. An entity that
//! moves, is marked by one set, and is then given another parent is passed over by the other. This
//! system marks nothing. It writes what Bevy would write; entities that are disabled, and all below
//! them, stay as they are.

use core::ops::ControlFlow;

use bevy::prelude::*;

use crate::columns;

type Changes = Or<(Changed<Transform>, Changed<ChildOf>, Added<GlobalTransform>)>;

type NoTree = (Without<ChildOf>, Without<Children>);

type InTree = Or<(With<ChildOf>, With<Children>)>;

pub(crate) fn propagate(
    mut alone: ParamSet<(
        Query<(Entity, Ref<Transform>), (NoTree, With<GlobalTransform>)>,
        Query<(Entity, Ref<GlobalTransform>), (NoTree, With<Transform>)>,
        Query<(Ref<Transform>, Mut<GlobalTransform>), NoTree>,
    )>,
    mut trees: ParamSet<(
        Query<Entity, (Changes, InTree)>,
        Query<(&Transform, &mut GlobalTransform, Option<&Children>), InTree>,
    )>,
    parents: Query<&ChildOf>,
    mut changed: Local<Vec<Entity>>,
    mut stack: Local<Vec<(Entity, Option<GlobalTransform>)>>,
) {
    changed.clear();
    // Few are fetched one by one; if there are more, all are passed over.
    let few = alone.p2().iter().len() / 4;
    let mut note = |entity| {
        if changed.len() > few {
            return ControlFlow::Break(());
        }
        changed.push(entity);
        ControlFlow::Continue(())
    };
    let _ = columns::touched(&alone.p0(), false, &mut note);
    let _ = columns::touched(&alone.p1(), true, note);
    let mut all = alone.p2();
    if changed.len() > few {
        let copy = |(transform, mut global): (Ref<Transform>, Mut<GlobalTransform>)| {
            if transform.is_changed() || global.is_added() {
                *global = GlobalTransform::from(*transform);
            }
        };
        all.par_iter_mut().for_each(copy);
    } else {
        for &entity in &*changed {
            if let Ok((transform, mut global)) = all.get_mut(entity) {
                *global = GlobalTransform::from(*transform);
            }
        }
    }
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
