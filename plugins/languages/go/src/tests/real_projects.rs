//! Refactors of several files in real projects, each checked with the compiler. The environment variable
//! `MARQ_GO_PROJECTS` names the modules.

use std::{collections::BTreeMap, path::Path, process::Command};

use marquetry_code::NodeIndex;
use marquetry_sdk::{
    Argument, Audience, Document, Result, Selection, Span,
    refactor::{self, Refactors},
    span::apply,
    testing,
    workspace::set_files,
};

use crate::{
    Go,
    kinds::{K, has_kind},
    packages::package_clause,
};

/// Maximum number of changes of each kind in a project.
const MAX_CHANGES: usize = 40;

type Files = BTreeMap<String, String>;

/// Numbers of changes by result.
#[derive(Debug, Default)]
struct Counts {
    compiled: usize,
    refused: usize,
    wrong: usize,
}

fn read_below(root: &Path, folder: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_below(root, &path, files);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let own = path.strip_prefix(root).expect("a path below").to_string_lossy().replace('\\', "/");
            files.insert(own, text);
        }
    }
}

/// Returns the first errors of the compiler.
fn errors_of(folder: &Path, files: &Files) -> Option<String> {
    let _ = std::fs::remove_dir_all(folder);
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is created");
        std::fs::write(path, text).expect("a file is written");
    }
    let output = Command::new("go").args(["vet", "-unreachable=false", "./..."]).current_dir(folder).output();
    let output = output.expect("go runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then(|| errors.lines().take(6).collect::<Vec<_>>().join("\n    "))
}

/// The files after a refactor.
fn changed(files: &Files, path: &str, at: Selection, id: &str, argument: (&str, &str)) -> Result<Files> {
    let arguments = vec![Argument { name: argument.0.to_owned(), value: argument.1.to_owned() }];
    let bench = testing::open::<Go>(path, &files[path]);
    let first = refactor::apply::<Go>(bench.document(), id, at, arguments)?;
    let mut after = files.clone();
    let mut add = |path: &str, rewrite: marquetry_sdk::Rewrite| {
        let text = apply(&files[path], &rewrite.edits);
        after.insert(path.to_owned(), text);
        after.extend(rewrite.create.into_iter().map(|new| (new.path, new.text)));
    };
    for question in &first.ask {
        let asked: Vec<&String> = match &question.audience {
            Audience::File(other) => vec![other],
            Audience::Containing(texts) => {
                let has_any = |text: &String| texts.iter().any(|wanted| text.contains(wanted.as_str()));
                files.iter().filter(|(other, text)| *other != path && has_any(text)).map(|(other, _)| other).collect()
            }
            Audience::Importers(_) => panic!("a question to importers"),
        };
        for other in asked {
            let bench = testing::open::<Go>(other, &files[other]);
            add(other, Go::answer(bench.document(), path, &question.payload)?);
        }
    }
    add(path, first);
    Ok(after)
}

fn check(folder: &Path, what: &str, after: Result<Files>, counts: &mut Counts) {
    match after {
        Err(failure) => {
            counts.refused += 1;
            println!("refused {what}: {}", failure.message);
        }
        Ok(files) => match errors_of(folder, &files) {
            None => counts.compiled += 1,
            Some(error) => {
                counts.wrong += 1;
                println!("WRONG {what}\n    {error}");
            }
        },
    }
}

/// Items at equal distances in a list, at most [`MAX_CHANGES`].
fn sample<T>(items: Vec<T>) -> impl Iterator<Item = T> {
    let step = items.len().div_ceil(MAX_CHANGES).max(1);
    items.into_iter().step_by(step)
}

/// Runs of statements in blocks of functions.
fn runs(text: &str) -> Vec<Span> {
    let bench = testing::open::<Go>("a.go", text);
    let arena = bench.document().arena();
    let is_block = |node: NodeIndex| has_kind(arena, node, K::Block) || has_kind(arena, node, K::CaseBody);
    let blocks = arena.nodes().map(|(node, _)| node).filter(|node| is_block(*node));
    let run = |(index, block): (usize, NodeIndex)| {
        let statements: Vec<NodeIndex> = arena.children(block).collect();
        let first = index % statements.len().max(1);
        let last = (first + index % 4).min(statements.len().checked_sub(1)?);
        Some(Span { start: arena.node(statements[first]).span.start, end: arena.node(statements[last]).span.end })
    };
    blocks.enumerate().filter_map(run).collect()
}

#[test]
fn extractions_of_real_projects_compile() {
    let Some(sources) = std::env::var_os("MARQ_GO_PROJECTS") else { return };
    let mut wrong = 0;
    for source in std::env::split_paths(&sources) {
        let name = source.file_name().expect("a name").to_string_lossy().into_owned();
        let folder = std::env::temp_dir().join("marq-go-extractions").join(&name);
        let mut files = Files::new();
        read_below(&source, &source, &mut files);
        set_files(files.clone());
        let sources = files.keys().filter(|path| path.ends_with(".go") && !path.contains("testdata"));
        let all: Vec<(&String, Span)> =
            sources.flat_map(|path| runs(&files[path]).into_iter().map(move |span| (path, span))).collect();
        let mut counts = Counts::default();
        for (path, span) in sample(all) {
            let after =
                changed(&files, path, Selection::from_span(span), "extract_function", ("extractedName", "zzExtracted"));
            check(&folder, &format!("extract {path} {span:?}"), after, &mut counts);
        }
        println!("{name}: extractions {counts:?}");
        wrong += counts.wrong;
    }
    assert_eq!(wrong, 0);
}

#[test]
fn changes_of_real_projects_compile() {
    let Some(sources) = std::env::var_os("MARQ_GO_PROJECTS") else { return };
    let mut wrong = 0;
    for source in std::env::split_paths(&sources) {
        let name = source.file_name().expect("a name").to_string_lossy().into_owned();
        let folder = std::env::temp_dir().join("marq-go-projects").join(&name);
        let mut files = Files::new();
        read_below(&source, &source, &mut files);
        if let Some(error) = errors_of(&folder, &files) {
            println!("{name} does not compile: {error}");
            continue;
        }
        set_files(files.clone());
        let sources: Vec<&String> =
            files.keys().filter(|path| path.ends_with(".go") && !path.ends_with("_test.go")).collect();
        let mut folders: Vec<&str> = sources.iter().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
        folders.dedup();
        let mut declared = Vec::new();
        for path in &sources {
            let bench = testing::open::<Go>(path, &files[*path]);
            let arena = bench.document().arena();
            if package_clause(arena).is_none_or(|package| package == "main") {
                continue;
            }
            let is_declared =
                |node: &marquetry_sdk::Node| !matches!(node.kind.as_str(), "package" | "import" | "field");
            let nodes = bench.document().outline().into_iter().filter(|node| is_declared(node));
            declared.extend(nodes.map(|node| ((*path).clone(), node)));
        }
        let (mut moves, mut signatures) = (Counts::default(), Counts::default());
        let tops: Vec<_> =
            declared.iter().filter(|(_, node)| node.parent.is_none() && !node.address.contains('.')).collect();
        for (index, (path, node)) in tops.into_iter().enumerate() {
            if moves.compiled + moves.wrong >= MAX_CHANGES {
                break;
            }
            set_files(files.clone());
            let own = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let others: Vec<&&str> = folders.iter().filter(|folder| **folder != own).collect();
            let there = others[index * 7 % others.len()];
            let destination = if index % 3 == 0 { format!("{there}/zz_moved.go") } else { "zznew/zz.go".to_owned() };
            let at = Selection::caret(node.selection.start);
            let after = changed(&files, path, at, "move_to_file", ("destination", &destination));
            check(&folder, &format!("move {path} {} {destination}", node.address), after, &mut moves);
        }
        let functions =
            declared.iter().filter(|(_, node)| matches!(node.kind.as_str(), "function" | "method")).collect();
        for (path, node) in sample(functions) {
            set_files(files.clone());
            let text = node.span.slice(&files[path]);
            let head = text.split_once('(').map_or("", |(_, rest)| rest);
            let head =
                if text.starts_with("func (") { head.split_once('(').map_or("", |(_, rest)| rest) } else { head };
            let list = head.split(')').next().unwrap_or_default();
            let names: Vec<&str> = list.split(',').filter_map(|param| param.split_whitespace().next()).collect();
            if list.contains('(') || list.contains("...") {
                continue;
            }
            let kept = names.iter().rev().map(|name| format!("\"{name}\"")).collect::<Vec<_>>();
            let new = "{\"name\": \"zzNew\", \"type\": \"[]int\", \"value\": \"nil\"}".to_owned();
            let parameters = format!("[{}]", [vec![new], kept].concat().join(", "));
            let at = Selection::caret(node.selection.start);
            let after = changed(&files, path, at, "change_signature", ("parameters", &parameters));
            check(&folder, &format!("signature {path} {}", node.address), after, &mut signatures);
        }
        println!("{name}: moves {moves:?}, signatures {signatures:?}");
        wrong += moves.wrong + signatures.wrong;
    }
    assert_eq!(wrong, 0);
}
