//! Applies random changes to random trees. Each is rejected, or applied completely and as its steps specify, and
//! undoing it restores the tree.

use std::collections::BTreeMap;

use crate::common::*;
use marquetry_model::{Outcome, Step};
use proptest::prelude::*;

/// A random step. Sources index existing files, destinations index `PATHS`.
#[derive(Debug, Clone)]
enum RandomStep {
    Edit(usize),
    Create(usize, bool),
    Delete(usize),
    Move(usize, usize, bool),
    Copy(usize, usize, bool),
}

const PATHS: [&str; 20] = [
    "a", "b", "A", "d", "e", "f", "d/a", "d/b", "d/d", "d/d/a", "d/d/b", "d/e/a", "e/a", "e/b", "e/d", "e/d/a", "f/a",
    "f/d/d/d", "D/a", "f/e",
];

fn random_step() -> impl Strategy<Value = RandomStep> {
    let (from, to) = (|| 0..100_usize, || 0..PATHS.len());
    prop_oneof![
        4 => from().prop_map(RandomStep::Edit),
        2 => (to(), any::<bool>()).prop_map(|(to, over)| RandomStep::Create(to, over)),
        3 => from().prop_map(RandomStep::Delete),
        8 => (from(), to(), any::<bool>()).prop_map(|(from, to, over)| RandomStep::Move(from, to, over)),
        2 => (from(), to(), any::<bool>()).prop_map(|(from, to, over)| RandomStep::Copy(from, to, over)),
    ]
}

/// A tree: for each path, the number that is its content, or `None` if it does not exist. If two paths conflict, the
/// later one is left out.
fn contents() -> impl Strategy<Value = Vec<Option<u8>>> {
    prop::collection::vec(prop::option::weighted(0.6, 0..4_u8), PATHS.len())
}

fn planted(contents: &[Option<u8>]) -> Place {
    let place = fast_place(&[]);
    for (path, content) in PATHS.iter().zip(contents) {
        let Some(content) = content else { continue };
        let full = place.path(path);
        let free = full.ancestors().skip(1).all(|above| !above.is_file() && !above.is_symlink());
        if !free || full.symlink_metadata().is_ok() {
            continue;
        }
        if *content == 3 && !path.contains('/') {
            std::fs::create_dir(full).unwrap();
        } else if *content == 2 {
            std::fs::create_dir_all(full.parent().unwrap()).unwrap();
            place.link(path, "some/where");
        } else {
            place.write(path, content.to_string());
            place.mode(path, if *content == 0 { 0o600 } else { 0o644 });
        }
    }
    place
}

/// Converts a random step to a step in a tree.
fn step(place: &Place, tree: &Tree, random_step: &RandomStep) -> Option<Step> {
    let there = |index: usize| tree.keys().nth(index % tree.len().max(1)).cloned();
    let name = |index: usize| PATHS[index].to_owned();
    Some(match *random_step {
        RandomStep::Edit(at) => {
            let path = there(at).filter(|path| place.path(path).is_file())?;
            // Sometimes to the content of another file.
            let (old, new) = (place.text(&path), if at % 3 == 0 { "1" } else { "new" });
            if old == new {
                return None;
            }
            place.edit(&path, &old, new)
        }
        RandomStep::Create(to, overwrite) => {
            let content = if to % 2 == 0 { b"1".to_vec() } else { b"created".to_vec() };
            Step::Create { path: name(to), content, overwrite, directories: true }
        }
        RandomStep::Delete(path) => delete(&there(path)?),
        RandomStep::Move(from, to, overwrite) => {
            Step::Move { from: there(from).filter(|from| *from != PATHS[to])?, to: name(to), overwrite }
        }
        RandomStep::Copy(from, to, overwrite) => {
            Step::Copy { from: there(from)?, to: name(to), overwrite, edits: None }
        }
    })
}

/// Chooses steps that are possible in one change. Some steps are possible only together with another one.
fn possible(place: &Place, steps: &[Step]) -> Vec<Step> {
    let fits = |steps: &[Step]| place.files.apply(&change(steps.to_vec()), true, &Work::default()).is_ok();
    let mut chosen: Vec<Step> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let alone = [step.clone()];
        let pairs = steps[index + 1..].iter().map(|other| vec![step.clone(), other.clone()]);
        for more in pairs.chain([alone.to_vec()]) {
            let all = [chosen.clone(), more].concat();
            if fits(&all) {
                chosen = all;
                break;
            }
        }
    }
    chosen
}

type Files = BTreeMap<String, Vec<u8>>;

fn files(tree: &Tree) -> Files {
    let content = |node: &Node| match node {
        Node::File(bytes, _) => Some(bytes.clone()),
        Node::Link(target) => Some(format!("-> {target}").into_bytes()),
        Node::Directory(_) | Node::Other => None,
    };
    tree.iter().filter_map(|(path, node)| Some((path.clone(), content(node)?))).collect()
}

fn within(above: &str, path: &str) -> bool {
    path == above || path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the expected result of the steps, computed in the simplest way.
fn expected(before: &Files, steps: &[Step]) -> Files {
    let longest = |path: &str| {
        let ways = steps.iter().filter_map(|step| match step {
            Step::Move { from, to, .. } if within(from, path) => Some((from, to)),
            _ => None,
        });
        ways.max_by_key(|(from, _)| from.len())
    };
    let deleted = |path: &str| {
        let by = |step: &Step| match step {
            Step::Delete { path: above, .. } if within(above, path) => Some(above.len()),
            _ => None,
        };
        let deletion = steps.iter().filter_map(by).max();
        // The step with the longest path takes precedence, so a file that is moved out of a deleted directory is kept.
        deletion.is_some_and(|length| longest(path).is_none_or(|(from, _)| from.len() < length))
    };
    let mut after = Files::new();
    let mut fill = |path: &str, content: Vec<u8>| drop(after.insert(path.to_owned(), content));
    for (path, content) in before {
        if deleted(path) {
            continue;
        }
        let edit = steps.iter().find_map(|step| match step {
            Step::Edit { path: edited, edits, .. } if edited == path => Some(edits),
            _ => None,
        });
        let content = edit
            .map_or_else(|| content.clone(), |edits| edits.apply(std::str::from_utf8(content).unwrap()).into_bytes());
        let replaced = steps.iter().any(|step| match step {
            Step::Move { to, from, .. } => to == path && from != path,
            _ => false,
        });
        match longest(path) {
            Some((from, to)) => fill(&format!("{to}{}", &path[from.len()..]), content),
            None if replaced => {}
            None => fill(path, content),
        }
    }
    // A moved file replaces the target, even if that was moved there with a directory.
    for step in steps {
        if let Step::Move { from, to, .. } = step
            && let Some(content) = before.get(from)
            && !steps.iter().any(|step| matches!(step, Step::Edit { path, .. } if path == from))
        {
            fill(to, content.clone());
        }
    }
    for step in steps {
        match step {
            Step::Create { path, content, .. } => fill(path, content.clone()),
            Step::Copy { from, to, .. } => fill(to, before[from].clone()),
            _ => {}
        }
    }
    after
}

/// Runs `action`, interrupts it before operation number `stop`, and recovers. Returns whether it was applied: after the
/// commit point, only its marker remains to be removed.
fn carried_out(place: &Place, stop: usize, action: impl Fn(&dyn marquetry_model::ports::Files)) -> bool {
    let stopped = stopped(place.directory.path(), stop, action);
    place.files.walk("").unwrap();
    stopped.is_none_or(is_committed)
}

fn checked(contents: &[Option<u8>], wanted: &[RandomStep], stops: (usize, usize)) {
    let place = planted(contents);
    let before = place.tree();
    let steps: Vec<Step> = wanted.iter().filter_map(|random_step| step(&place, &before, random_step)).collect();
    if place.files.apply(&change(steps.clone()), true, &Work::default()).is_err() {
        assert!(
            place.files.apply(&change(steps.clone()), false, &Work::default()).is_err(),
            "a change that a dry run refuses must be refused"
        );
    }
    let steps = possible(&place, &steps);
    let change = change(steps.clone());
    assert_eq!(place.tree(), before, "a refused change or a dry run must change nothing");
    if !carried_out(&place, stops.0, |files| drop(files.apply(&change, false, &Work::default()).unwrap())) {
        assert_eq!(place.tree(), before, "an interrupted change must be rolled back");
        place.files.apply(&change, false, &Work::default()).unwrap();
    }
    let after = place.tree();
    assert_eq!(files(&after), expected(&files(&before), &steps));
    if place.files.history(1).unwrap().is_empty() {
        assert_eq!(after, before);
        return;
    }
    if !carried_out(&place, stops.1, |files| drop(files.undo(None, false, &Work::default()).unwrap())) {
        assert_eq!(place.tree(), after, "an interrupted undo must be rolled back");
        let (_, undone) = place.files.undo(None, false, &Work::default()).unwrap();
        assert_eq!(undone.outcome, Outcome::Applied);
    }
    assert_eq!(place.tree(), before, "undo must restore the tree before the change");
    let undoing = place.files.history(1).unwrap().remove(0).id;
    place.files.undo(Some(&undoing), false, &Work::default()).unwrap();
    assert_eq!(place.tree(), after, "redo must restore the tree after the change");
}

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    ProptestConfig { cases: config.cases * 4, ..config }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_changes_match_a_simple_model(
        contents in contents(),
        wanted in prop::collection::vec(random_step(), 1..8),
        stops in (0..80_usize, 0..80_usize),
    ) {
        quietly();
        checked(&contents, &wanted, stops);
    }
}
