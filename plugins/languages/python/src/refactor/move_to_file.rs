//! Moves a declaration to another module, with the imports that it needs.
//!
//! The file that has the declaration asks the destination to insert it, and the importers to import it from there. Each
//! of them plans the same move from the unchanged files.

mod circles;
mod destination;
mod importers;
mod plan;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Edit, Failure, FailureKind, Result, Rewrite, Span, fail,
    paths::{folder, join},
    refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure},
    workspace,
};

use crate::{modules, table};
use circles::Reach;
use plan::Plan;

pub(super) const MOVE_TO_FILE: Refactoring<CodeDocument> = Refactoring {
    id: "move_to_file",
    title: "Move to another file",
    place: Place::Selection,
    arguments: &[Argument {
        name: "destination",
        summary: "the path of the other file, from the root of the project; `./` starts at this file's folder",
        values: &[],
        required: true,
    }],
    asks_exporters: false,
    apply,
};

/// Starts the questions of this refactor.
const QUESTION: &str = "move_to_file\0";
/// Asks the destination to insert the declaration.
const INSERT: &str = "insert";
/// Asks an importer to follow the declaration.
const FOLLOW: &str = "follow";

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let Some(destination) = input.argument("destination") else {
        return Err(
            fail(FailureKind::InvalidArgument, "`move_to_file` needs `destination`").hint("give the path of a file")
        );
    };
    let path = destination_path(document, destination)?;
    let plan = Plan::new(document, input.at.span, path)?;
    let mut rewrite = Rewrite::from(plan.source_edits(document)?);
    rewrite.incomplete = plan.lost_registration(document);
    if plan.is_new() {
        let unknown = destination::check_circles(&plan, document)?;
        rewrite.incomplete = rewrite.incomplete.or(unknown);
        for package in new_packages(document.path(), &plan.destination) {
            rewrite.create(package, "");
        }
        rewrite.create(plan.destination.clone(), destination::new_text(&plan, document)?);
    } else {
        rewrite.ask_file(plan.destination.clone(), question(INSERT, document, input.at.span, &plan));
    }
    rewrite.ask_importers([plan.name.clone()], question(FOLLOW, document, input.at.span, &plan));
    super::packages::ask_packages(&mut rewrite, document.path(), &plan.name);
    if !plan.removed_imports.is_empty() {
        rewrite
            .ask_importers(plan.removed_imports.clone(), super::remove_unused_imports::payload(&plan.removed_imports));
    }
    Ok(rewrite)
}

fn question(kind: &str, document: &CodeDocument, at: Span, plan: &Plan) -> String {
    let (start, end) = (at.start.to_string(), at.end.to_string());
    format!("{QUESTION}{}", [kind, document.path(), &start, &end, &plan.destination].join("\0"))
}

/// The question in a payload, without its name. `None` for questions of other refactors.
pub(super) fn own_question(payload: &str) -> Option<&str> {
    payload.strip_prefix(QUESTION)
}

/// Updates a document that imports a moved declaration, or inserts the declaration into its destination.
///
/// # Errors
///
/// Fails if the document cannot refer to the declaration afterwards.
pub(super) fn answer(document: &CodeDocument, question: &str) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let unknown = || refactor_failure("the file of the declaration changed").hint("repeat the call");
    let [kind, source, start, end, destination] = question.splitn(5, '\0').collect::<Vec<_>>()[..] else {
        return Err(unknown());
    };
    let at = Span { start: start.parse().map_err(|_| unknown())?, end: end.parse().map_err(|_| unknown())? };
    let text = workspace::read(source).map_err(|_| unknown())?;
    let origin = CodeDocument::open(&table::PYTHON, source, text);
    let plan = Plan::new(&origin, at, destination.to_owned())?;
    match document.path() {
        path if path == destination && kind == INSERT => destination::insert(&plan, &origin, document),
        // The file was already asked to insert the declaration, or has it.
        path if path == destination || path == source => Ok(Rewrite::default()),
        _ => importers::update(&plan, &origin, document),
    }
}

fn destination_path(document: &CodeDocument, destination: &str) -> Result<String> {
    let is_relative = destination.starts_with("./") || destination.starts_with("../");
    let path = if is_relative { join(folder(document.path()), destination) } else { join("", destination) };
    let invalid = |message: String, hint: &str| Err(fail(FailureKind::InvalidArgument, message).hint(hint));
    match path {
        Some(path) if !path.ends_with(".py") => {
            invalid(format!("`{destination}` is not a Python file"), "its name ends with `.py`")
        }
        Some(path) if path == document.path() => {
            invalid("the declaration is in this file".to_owned(), "name another file")
        }
        Some(path) => Ok(path),
        None => invalid(format!("`{destination}` is outside of the project"), "name a file of the project"),
    }
}

/// The paths of the `__init__.py` files that the folders of a new module need.
fn new_packages(from: &str, to: &str) -> Vec<String> {
    let moves = [modules::Move { from: from.to_owned(), to: to.to_owned() }];
    let folders = modules::new_packages(from, to, &moves);
    folders.into_iter().map(|folder| format!("{folder}/__init__.py")).collect()
}

/// Refuses a new import that closes a circle of imports, or returns the reason why that is not known.
fn check_circle(start: Vec<String>, goal: &str, edge: (&str, &str)) -> Result<Option<String>> {
    match circles::reaches(start, goal) {
        Reach::No => Ok(None),
        Reach::Unknown => Ok(Some("the project has too many modules to find circles of imports".to_owned())),
        Reach::Yes => Err(refused(
            format!("{} would import {}, which imports it while it is loaded", edge.0, edge.1),
            "choose another destination, or move what the declaration needs first",
        )),
    }
}

/// An edit that changes the text `before` into `after` by replacing whole lines.
fn difference(before: &str, after: &str) -> Vec<Edit> {
    if before == after {
        return Vec::new();
    }
    let same = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    let start = before[..before.floor_char_boundary(same)].rfind('\n').map_or(0, |at| at + 1);
    let ends = before[start..].bytes().rev().zip(after[start..].bytes().rev());
    let same = ends.take_while(|(one, other)| one == other).count();
    let tail = &before[before.ceil_char_boundary(before.len() - same)..];
    let tail = tail.find('\n').map_or("", |at| &tail[at..]);
    vec![Edit::new(Span::new(start, before.len() - tail.len()), &after[start..after.len() - tail.len()])]
}
