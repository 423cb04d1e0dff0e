//! Properties of moves, tested with random small workspaces: after a move, every link has the same target, or the
//! answer lists it and is not `complete`; after moving back, every byte is as before.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_native::Project;
use serde_json::{Value, json};

/// Pseudo-random numbers, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % end.max(1)
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const FOLDERS: [&str; 9] = ["", "src", "src/cli", "src/lib", "src/lib/deep", "web", "web/public", "docs", "docs/cli"];
/// File names without extensions. Some are equal to the name of a folder next to them.
const STEMS: [&str; 6] = ["cli", "lib", "a", "b", "index", "deep"];
const EXTENSIONS: [&str; 5] = ["ts", "html", "css", "md", "png"];

/// Relative path from the folder of a file.
fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let from = &from[..from.len() - 1];
    let to: Vec<&str> = to.split('/').collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let shared = shared.min(to.len() - 1);
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

fn dotted(path: &str) -> String {
    if path.starts_with("../") { path.to_owned() } else { format!("./{path}") }
}

fn at(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Text of a file with links to others, in one of the forms of its format.
fn text(chance: &mut Chance, path: &str, all: &[String]) -> String {
    let mut lines = Vec::new();
    for other in all.iter().filter(|other| *other != path) {
        if chance.below(3) > 0 {
            continue;
        }
        let way = relative(path, other);
        let bare = |way: &str| way.strip_suffix(".ts").unwrap_or(way).to_owned();
        let line = match (path.rsplit('.').next(), other.rsplit('.').next()) {
            (Some("ts"), Some("ts")) if other.starts_with("src/") && chance.below(3) == 0 => {
                format!("import '@/{}';", bare(&other["src/".len()..]))
            }
            (Some("ts"), Some("ts")) if chance.below(2) == 0 => {
                format!("import {{ x }} from '{}.js';", bare(&dotted(&way)))
            }
            (Some("ts"), Some("ts")) => format!("export * from '{}';", bare(&dotted(&way))),
            (Some("ts"), _) => format!("import '{}';", dotted(&way)),
            (Some("html"), Some("ts")) => format!("<script src=\"{way}\"></script>"),
            (Some("html"), Some("css")) => format!("<link rel=\"stylesheet\" href=\"{way}\">"),
            (Some("html"), Some("png")) => match other.strip_prefix("web/") {
                Some(rooted) if path.starts_with("web/") => format!("<img src=\"/{rooted}\">"),
                _ => format!("<img src=\"{way}\">"),
            },
            (Some("html"), _) => format!("<a href=\"{way}#top\">x</a>"),
            (Some("css"), Some("css")) => format!("@import \"{}\";", dotted(&way)),
            (Some("css"), Some("png")) => format!(".x {{ background: url({}) }}", dotted(&way)),
            (Some("md"), _) => format!("[x]({way}) and more"),
            _ => continue,
        };
        lines.push(line);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A workspace: paths and texts.
fn workspace(chance: &mut Chance) -> BTreeMap<String, String> {
    let count = 6 + chance.below(10);
    let mut paths = BTreeSet::new();
    while paths.len() < count {
        let name = format!("{}.{}", chance.pick(&STEMS), chance.pick(&EXTENSIONS));
        paths.insert(at(chance.pick(&FOLDERS), &name));
    }
    let all: Vec<String> = paths.into_iter().collect();
    let mut files: BTreeMap<String, String> = all.iter().map(|path| (path.clone(), text(chance, path, &all))).collect();
    let source = if all.iter().any(|path| path.starts_with("src/")) { "./src/*" } else { "./*" };
    let options =
        format!("{{\n  \"compilerOptions\": {{ \"baseUrl\": \".\", \"paths\": {{ \"@/*\": [\"{source}\"] }} }}\n}}\n");
    files.insert("tsconfig.json".to_owned(), options);
    let script = chance.pick(&all).clone();
    files.insert("package.json".to_owned(), format!("{{\n  \"scripts\": {{ \"run\": \"node {script}\" }}\n}}\n"));
    files.insert(
        "compose.yaml".to_owned(),
        format!(
            "services:\n  app:\n    build: .\n    volumes:\n      - .:/app\n      - ./{}:/one\n",
            chance.pick(&all)
        ),
    );
    files
}

fn project(files: &BTreeMap<String, String>) -> Project {
    let project = Project::new("//- /empty.txt\n");
    std::fs::remove_file(project.root().join("empty.txt")).expect("it was there");
    files.iter().for_each(|(path, text)| project.write(path, text));
    project
}

/// The links of all files to files of the workspace, by file. Each link is identified by its index in the file.
fn links(project: &Project, files: &BTreeSet<String>) -> BTreeMap<String, Vec<String>> {
    let of_file = |path: &String| {
        let query = json!({ "type": "dependencies", "path": path, "limit": 1000 });
        let answer = project.call("query", &query.to_string()).expect("dependencies");
        let found = answer["data"]["dependencies"].as_array().cloned().unwrap_or_default();
        let resolved = |link: &Value| link["path"].as_str().unwrap_or("-").to_owned();
        (path.clone(), found.iter().map(resolved).collect())
    };
    files.iter().filter(|path| !path.ends_with(".png")).map(of_file).collect()
}

fn paths(project: &Project) -> BTreeSet<String> {
    project.snapshot().0.keys().cloned().collect()
}

/// A random file or folder, and a free destination.
fn a_move(chance: &mut Chance, files: &BTreeSet<String>) -> (String, String) {
    let all: Vec<&String> = files.iter().collect();
    loop {
        let file = chance.pick(&all).as_str();
        let above: Vec<&str> = file.match_indices('/').map(|(at, _)| &file[..at]).collect();
        let from = if above.is_empty() || chance.below(3) > 0 { file } else { *chance.pick(&above) };
        let name = from.rsplit('/').next().unwrap_or(from);
        let (stem, extension) = name.rsplit_once('.').map_or((name, ""), |(stem, extension)| (stem, extension));
        let stem = if chance.below(2) == 0 { stem } else { *chance.pick(&STEMS) };
        let name = if extension.is_empty() { stem.to_owned() } else { format!("{stem}.{extension}") };
        let folders = [&FOLDERS[..], &["new", "new/cli", "src/new"]].concat();
        let to = at(chance.pick(&folders), &name);
        let is_taken = files
            .iter()
            .any(|path| *path == to || path.starts_with(&format!("{to}/")) || to.starts_with(&format!("{path}/")));
        if !is_taken && to != from && !to.starts_with(&format!("{from}/")) {
            return (from.to_owned(), to);
        }
    }
}

fn moved(path: &str, from: &str, to: &str) -> String {
    match path.strip_prefix(from) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{to}{rest}"),
        _ => path.to_owned(),
    }
}

/// The links that do not have the same target any more, by the path of their file after the move.
fn broken(project: &Project, before: &BTreeMap<String, Vec<String>>, from: &str, to: &str) -> Vec<String> {
    let after = links(project, &paths(project));
    let mut broken = Vec::new();
    for (path, targets) in before {
        let path = moved(path, from, to);
        let now = after.get(&path).cloned().unwrap_or_default();
        for (index, was) in targets.iter().enumerate().filter(|(_, was)| *was != "-") {
            let expected = moved(was, from, to);
            if now.get(index) != Some(&expected) {
                broken.push(format!("{path} link {index}: {was} is {:?}", now.get(index)));
            }
        }
    }
    broken
}

/// Returns whether an answer lists a link as unresolved.
fn is_listed(answer: &Value, place: &str) -> bool {
    let file = place.split(' ').next().unwrap_or_default();
    let listed = answer["unresolved"].as_array().cloned().unwrap_or_default();
    listed.iter().filter_map(Value::as_str).any(|line| line.starts_with(file))
}

/// Result of a move.
#[derive(PartialEq, Eq)]
enum Outcome {
    /// The answer was not `complete`.
    Partial,
    Complete,
    /// The answers were `complete` for the move and for the move back.
    Back,
}

/// Moves something in the workspace of a seed, and back.
fn try_a_move(seed: u64) -> Result<Outcome, String> {
    let mut chance = Chance(seed * 7_919 + 11);
    let files = workspace(&mut chance);
    let project = project(&files);
    let original = project.snapshot();
    let before = links(&project, &paths(&project));
    let (from, to) = a_move(&mut chance, &paths(&project));
    let what = format!("seed {seed}: {from} to {to}\n{files:#?}");
    let call = |from: &str, to: &str| {
        let answer = project.call("file_move", &json!({ "source": from, "destination": to }).to_string());
        answer.map_err(|error| format!("{error}\n{what}"))
    };
    let answer = call(&from, &to)?;
    for place in broken(&project, &before, &from, &to) {
        if !is_listed(&answer, &place) || answer["completeness"] == "complete" {
            return Err(format!("{place}\n{answer:#}\n{what}"));
        }
    }
    if answer["completeness"] != "complete" {
        return Ok(Outcome::Partial);
    }
    let answer = call(&to, &from)?;
    if answer["completeness"] != "complete" {
        return Ok(Outcome::Complete);
    }
    match original.diff(&project.snapshot()).as_str() {
        "" => Ok(Outcome::Back),
        diff => Err(format!("moved back: {diff}\n{answer:#}\n{what}")),
    }
}

#[test]
fn moves_keep_link_targets_or_list_the_links() {
    let outcomes: Vec<Result<Outcome, String>> = (0..workspaces()).map(try_a_move).collect();
    let wrong: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        outcomes.len(),
        wrong.iter().take(3).map(|it| it.as_str()).collect::<Vec<_>>().join("\n\n")
    );
    let count = |wanted: Outcome| outcomes.iter().filter(|outcome| outcome.as_ref().ok() == Some(&wanted)).count();
    let (partial, complete, back) = (count(Outcome::Partial), count(Outcome::Complete), count(Outcome::Back));
    assert!(
        back > partial && back > 4 * complete,
        "{partial} partial, {complete} complete only for the first move, {back} for both"
    );
}

/// Number of workspaces; `MARQ_MOVES` sets it.
fn workspaces() -> u64 {
    std::env::var("MARQ_MOVES").ok().and_then(|number| number.parse().ok()).unwrap_or(60)
}

#[test]
fn list_of_moves_is_one_change() {
    let files: BTreeMap<String, String> = [
        ("a/main.ts", "import { p } from './p';\nimport { q } from './q';\np(q);\n"),
        ("a/p.ts", "import { q } from './q';\nexport const p = q;\n"),
        ("a/q.ts", "export const q = 1;\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    let project = project(&files);
    let before = project.snapshot();
    let moves = json!([
        { "source": "a/main.ts", "destination": "b/src/main.ts" },
        { "source": "a/p.ts", "destination": "b/src/p.ts" },
        { "source": "a/q.ts", "destination": "a/p.ts" },
    ]);
    let answer = project.call("file_move", &json!({ "moves": moves }).to_string()).expect("moved");
    assert_eq!(answer["completeness"], "complete", "{answer:#}");
    assert_eq!(answer["moves"].as_array().map(Vec::len), Some(3));
    let main = "import { p } from './p';\nimport { q } from '../../a/p';\np(q);\n";
    assert_eq!(project.text("b/src/main.ts"), main);
    assert_eq!(project.text("b/src/p.ts"), "import { q } from '../../a/p';\nexport const p = q;\n");
    assert_eq!(project.text("a/p.ts"), "export const q = 1;\n");
    let id = answer["id"].as_str().expect("an id");
    project.call("file_undo", &json!({ "id": id }).to_string()).expect("undone");
    assert_eq!(before.diff(&project.snapshot()), "");
}

#[test]
fn contradicting_moves_are_refused() {
    let files = BTreeMap::from([("a.ts".to_owned(), "x".to_owned()), ("b.ts".to_owned(), "y".to_owned())]);
    let project = project(&files);
    let before = project.snapshot();
    let pair = |source: &str, destination: &str| json!({ "source": source, "destination": destination });
    for arguments in [
        json!({ "moves": [pair("a.ts", "b.ts"), pair("b.ts", "a.ts")] }),
        json!({ "moves": [pair("a.ts", "c.ts"), pair("b.ts", "c.ts")] }),
        json!({ "moves": [pair("a.ts", "c.ts"), pair("a.ts", "d.ts")] }),
        json!({ "moves": [] }),
        json!({ "source": "a.ts" }),
        json!({ "source": "a.ts", "destination": "c.ts", "moves": [pair("b.ts", "d.ts")] }),
        json!({ "moves": [pair("a.ts", "c.ts"), pair("none.ts", "d.ts")] }),
    ] {
        let error = project.call("file_move", &arguments.to_string()).expect_err("refused");
        assert!(error.content().hint.is_some() || !error.content().candidates.is_empty(), "{arguments}: {error}");
        assert_eq!(before.diff(&project.snapshot()), "", "{arguments}");
    }
}
