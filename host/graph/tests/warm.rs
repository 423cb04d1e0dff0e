//! After any sequence of changes, an index equals a newly built one: in its files, in the files that contain a name,
//! and in the answers to every question.

use std::{collections::BTreeSet, fmt::Write, sync::Arc};

use crate::common::{Numbers, Project, workspace_text};
use marquetry_graph::{DetailLevel, Graph, Survey, Workspace};
use marquetry_model::{
    Work,
    pack::{Member, Subject},
};
use marquetry_native::NativePacks;

/// Possible texts of each path, one after the other.
const SITE: &str = include_str!("warm/site.txt");
const CODE: &str = include_str!("warm/code.txt");
const NOTES: &str = include_str!("warm/notes.txt");

/// Number of sequences, and of steps in each. `MARQ_CHANGES=100` runs a longer test.
const SEQUENCES: u64 = 3;
const STEPS: usize = 20;

/// A set of files with their possible texts.
struct World {
    /// Path and text; a path can occur several times.
    texts: Vec<(String, String)>,
    paths: Vec<String>,
    /// Paths that ignore files exclude.
    ignored: Vec<String>,
    /// Names that are asked for.
    names: Vec<String>,
}

impl World {
    fn from_description(text: &str) -> World {
        let (head, rest) = text.split_once("//- ").unwrap();
        let listed = |word: &str| -> Vec<String> {
            let line = head.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default();
            line.split_whitespace().map(str::to_owned).collect()
        };
        let file = |file: &str| {
            let (path, text) = file.split_once('\n').unwrap();
            (path.trim_start_matches('/').trim().to_owned(), text.to_owned())
        };
        let texts: Vec<_> = rest.split("//- ").map(file).collect();
        let paths: BTreeSet<String> = texts.iter().map(|(path, _)| path.clone()).collect();
        let paths = paths.into_iter().collect();
        World { texts, paths, ignored: listed("ignored:"), names: listed("names:") }
    }

    /// Makes a random change and describes it.
    fn change(&self, project: &Project, numbers: &mut Numbers) -> String {
        let path = numbers.one_of(&self.paths);
        match numbers.below(14) {
            12 => {
                // The index is read while a walked file is missing.
                project.vanish(&[path]);
                project.workspace(DetailLevel::Names);
                project.vanish(&[]);
                format!("{path} goes and comes back as it was")
            }
            13 => {
                match numbers.below(4) {
                    0 => project.notes.install(".txt"),
                    1 => project.notes.install(".bin"),
                    2 => project.notes.uninstall(),
                    _ => project.notes.replace(["1", "2"][numbers.below(2)]),
                }
                "another pack".to_owned()
            }
            0..=5 => {
                let (path, text) = numbers.one_of(&self.texts);
                project.write(path, text);
                format!("write {path} {text:?}")
            }
            6 => {
                let (path, text) = numbers.one_of(&self.texts);
                project.write_now(path, text);
                format!("write {path} just now {text:?}")
            }
            7 | 8 => {
                project.remove(path);
                format!("remove {path}")
            }
            9 | 10 => {
                let to = numbers.one_of(&self.paths);
                project.rename(path, to);
                format!("rename {path} to {to}")
            }
            _ => {
                project.touch(path);
                format!("touch {path}")
            }
        }
    }
}

/// The whole index, and the answers of files to all questions.
fn answers(project: &Project, graph: &Graph, world: &World) -> String {
    let work = Work::default();
    let workspace = graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Names, &work).unwrap();
    let survey = graph.survey(&project.files, &project.packs, &workspace, &work);
    let mut out = names_said(project, &workspace, &survey, world);
    let workspace = graph.workspace(&project.files, project.packs.as_ref(), DetailLevel::Symbols, &work).unwrap();
    out.push_str(&workspace_text(&workspace));
    let survey = graph.survey(&project.files, &project.packs, &workspace, &work);
    for file in workspace.files() {
        let path = file.path.as_str();
        let _ = writeln!(out, "{path} {:?} {:?}", survey.inspect(path), survey.types(path));
    }
    let alone = Survey::without_index(&project.files, &project.packs, &work);
    for (path, name) in workspace.files().flat_map(|file| world.names.iter().map(move |name| (&file.path, name))) {
        let nobody = Subject::Member(Member { name: name.clone(), ..Member::default() });
        let (asked, surveyed) = (alone.resolve(path, &nobody), survey.resolve(path, &nobody));
        assert_eq!(
            format!("{asked:?}"),
            format!("{surveyed:?}"),
            "{name} in {path}, asked without an index and with one"
        );
    }
    graph.keep_answers(&project.files, &survey);
    out
}

fn names_said(project: &Project, workspace: &Arc<Workspace>, survey: &Survey, world: &World) -> String {
    let mut out = String::new();
    for name in &world.names {
        let _ = writeln!(out, "{name} stands in {:?}", workspace.files_containing(&project.files, &[name]));
        let declared =
            workspace.files().filter(|file| file.names.as_ref().is_some_and(|names| names.exports.contains(name)));
        let places: Vec<(String, usize)> = declared.map(|file| (file.path.clone(), 0)).collect();
        for (path, _) in &places {
            let _ = writeln!(out, "{name} of {path} is taken by {:?}", workspace.files_using(path, name));
        }
        let nobody = Member { name: name.clone(), ..Member::default() };
        for member in
            places.into_iter().map(|place| Member { locations: vec![place], ..nobody.clone() }).chain([nobody.clone()])
        {
            let _ = writeln!(out, "{member:?} {:?}", workspace.member_files(&survey.files(), &member));
            let subject = Subject::Member(member);
            for file in workspace.files() {
                let path = file.path.as_str();
                let _ = writeln!(out, "{path} {:?}", survey.resolve(path, &subject));
                let _ = writeln!(out, "{path} {:?}", survey.rename(path, &subject, "other"));
            }
        }
        for file in workspace.files() {
            let _ = writeln!(out, "{} {:?}", file.path, survey.resolve(&file.path, &Subject::Exported(name.clone())));
        }
    }
    out
}

/// The first line that differs.
fn differing(a: &str, b: &str) -> String {
    let lines: Vec<(&str, &str)> = a.lines().zip(b.lines()).collect();
    let at = lines.iter().position(|(a, b)| a != b).unwrap_or(lines.len());
    format!("warm {:?}\nnew  {:?}", a.lines().nth(at), b.lines().nth(at))
}

/// Makes random changes and compares the index of this process and the one on disk with a newly built one.
fn stays_true(world: &str, native: bool) {
    let world = World::from_description(world);
    let sequences = std::env::var("MARQ_CHANGES").map_or(SEQUENCES, |count| count.parse().unwrap());
    for seed in 0..sequences {
        let mut numbers = Numbers(seed);
        let project = Project::read_by("", |notes| if native { Arc::new(NativePacks::default()) } else { notes });
        for path in &world.ignored {
            project.ignore(path);
        }
        let mut changes = Vec::new();
        for step in 0..STEPS {
            for _ in 0..1 + numbers.below(3) {
                changes.push(world.change(&project, &mut numbers));
            }
            if numbers.below(3) == 0 {
                let need = [DetailLevel::Links, DetailLevel::Names, DetailLevel::Symbols][numbers.below(3)];
                project.workspace(need);
            }
            let fresh = answers(&project, &Graph::new(None), &world);
            let mut warm = vec![answers(&project, &project.graph, &world)];
            if numbers.below(3) == 0 {
                warm.push(answers(&project, &project.other_process(), &world));
            }
            for warm in warm {
                assert!(
                    warm == fresh,
                    "seed {seed}, step {step}\n{}\n{}",
                    changes[changes.len().saturating_sub(12)..].join("\n"),
                    differing(&warm, &fresh)
                );
            }
        }
    }
}

#[test]
fn incremental_index_of_notes_stays_correct() {
    stays_true(NOTES, false);
}

#[test]
fn incremental_index_of_a_site_stays_correct() {
    stays_true(SITE, true);
}

#[test]
fn incremental_index_of_code_stays_correct() {
    stays_true(CODE, true);
}
