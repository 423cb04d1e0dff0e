//! The laws (properties that every language pack must satisfy), checked through the sandbox. The SDK for packs checks
//! the same laws natively; the answers that this module checks have also passed through the WIT interface and its
//! validation.

use std::{fmt, sync::Arc};

use marquetry_model::{
    Edit, EditSet, Error, Interface, Kind, Relocation, Span,
    pack::{EditOptions, FindResult, Form, Node, Operation, Position, Query, Severity, Target, TargetKind, View},
    ports::{Document, Pack},
    refactor::FileMoves,
};

/// The number of nodes of a document that are checked.
const SAMPLE: usize = 40;

/// A law that a pack violates for a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// A short name of the law, the same for all violations of a kind.
    pub law: &'static str,
    /// The details.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.law, self.message)
    }
}

/// Converts an error that the laws do not allow to a violation: a trap, a timeout, an answer that failed validation.
impl From<Error> for Violation {
    fn from(error: Error) -> Violation {
        violation("no failure", format_args!("{}: {error}", error.kind().name()))
    }
}

type Result<T> = std::result::Result<T, Violation>;

fn violation(law: &'static str, what: impl fmt::Display) -> Violation {
    Violation { law, message: what.to_string() }
}

/// Checks the laws for one text.
pub fn laws(pack: &Arc<dyn Pack>, path: &str, text: &str) -> Result<()> {
    let text: Arc<str> = Arc::from(text);
    let kind = pack.description().targets.first().map_or(TargetKind::Lines, |target| target.kind);
    let mut document = Arc::clone(pack).open(path, &text)?;
    let (problems, outline) = (document.diagnostics()?, document.outline()?);
    document.embedded()?;
    for node in outline.iter().step_by(outline.len() / SAMPLE + 1) {
        check_address(document.as_mut(), kind, node)?;
        check_identity(document.as_mut(), node, &text)?;
        check_operations(document.as_mut(), node, &text)?;
        check_well_formed((pack, path), document.as_mut(), node, &text)?;
    }
    if pack.has_interface(Interface::Links) {
        check_links(document.as_mut(), &text)?;
    }
    if pack.has_interface(Interface::Symbols) {
        document.exports_and_imports()?;
    }
    let errors = document.parse_errors()?;
    if let Some(other) = errors.iter().find(|error| !problems.contains(error)) {
        return Err(violation("problems include all parse errors", format!("`{}` is missing", other.message)));
    }
    drop(document);
    // The second document may be opened on another instance: the same input must give the same output.
    let mut again = Arc::clone(pack).open(path, &Arc::from(&*text))?;
    if again.diagnostics()? != problems || again.outline()? != outline {
        return Err(violation("same input, same output", "problems or outline differ"));
    }
    Ok(())
}

/// Checks all addresses of a text, not just a sample: each must match its node only, and replacing the node with its
/// own text (if the pack allows it) must not change the file. Checks the addresses in the outline and all that the
/// target `also` matches. Returns their number.
pub fn check_all_addresses(pack: &Arc<dyn Pack>, path: &str, text: &str, also: Option<&str>) -> Result<usize> {
    let text: Arc<str> = Arc::from(text);
    let kind = pack.description().targets.first().map_or(TargetKind::Lines, |target| target.kind);
    let mut document = Arc::clone(pack).open(path, &text)?;
    let mut nodes = document.outline()?;
    if let Some(also) = also {
        let target = Target { kind, value: also.to_owned() };
        match document.find(&Query { target, limit: usize::MAX, values: false }) {
            Ok(FindResult::Nodes(found, _)) => nodes.extend(found),
            Ok(FindResult::Scalar(_)) => {}
            Err(error) if error.kind() == Kind::TargetNotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    nodes.sort_by(|a, b| (a.span.start, a.span.end, &a.address).cmp(&(b.span.start, b.span.end, &b.address)));
    nodes.dedup_by(|a, b| a.address == b.address && a.span == b.span);
    for node in &nodes {
        check_address(document.as_mut(), kind, node)?;
        let own = Operation::Replace(node.span.slice(&text).to_owned());
        match document.edit(&[node.id], &own, EditOptions::default()) {
            Ok(edits) if edits.apply(&text) == *text => {}
            Ok(_) => {
                let message = format!("replacing `{}` by its own text changes it", node.address);
                return Err(violation("replacing with the same text changes nothing", message));
            }
            Err(error) if error.kind() == Kind::PluginFailed => return Err(error.into()),
            // A refusal is not a violation: a pack may refuse to replace certain nodes.
            Err(_) => {}
        }
    }
    Ok(nodes.len())
}

/// Checks that the address of a node matches this node only.
fn check_address(document: &mut dyn Document, kind: TargetKind, node: &Node) -> Result<()> {
    let spans: Vec<Span> = find(document, kind, &node.address)?.iter().map(|node| node.span).collect();
    if spans == [node.span] {
        return Ok(());
    }
    let message = format!("the address `{}` of {:?} finds {spans:?}", node.address, node.span);
    Err(violation("an address finds exactly its node", message))
}

fn find(document: &mut dyn Document, kind: TargetKind, address: &str) -> Result<Vec<Node>> {
    let target = Target { kind, value: address.to_owned() };
    match document.find(&Query { target, limit: 10, values: false }) {
        Ok(FindResult::Nodes(nodes, _)) => Ok(nodes),
        Ok(FindResult::Scalar(_)) => {
            Err(violation("an address finds exactly its node", format!("`{address}` is a value")))
        }
        Err(error) if error.kind() == Kind::PluginFailed => Err(error.into()),
        Err(error) => Err(violation("an address finds exactly its node", error)),
    }
}

/// Checks that the full view of a node is exactly the text that `replace` replaces, and that replacing the body with
/// its own text changes nothing.
fn check_identity(document: &mut dyn Document, node: &Node, text: &str) -> Result<()> {
    let View::Span(span) = document.view(node.id, Form::Full)? else {
        let message = format!("the full view of `{}` is not a part of the text", node.address);
        return Err(violation("`replace` replaces what `full` shows", message));
    };
    if span != node.span {
        let message = format!("`full` shows {span:?} of `{}`, which is {:?}", node.address, node.span);
        return Err(violation("`replace` replaces what `full` shows", message));
    }
    let Some(body) = node.body else { return Ok(()) };
    let operation = Operation::ReplaceBody(body.slice(text).to_owned());
    if document.edit(&[node.id], &operation, EditOptions::default())?.apply(text) != text {
        let message = format!("replacing the body of `{}` by its own text changes it", node.address);
        return Err(violation("replacing with the same text changes nothing", message));
    }
    Ok(())
}

/// Checks that the edits of each operation can be applied and undone. The pack may refuse an operation, but not fail.
fn check_operations(document: &mut dyn Document, node: &Node, text: &str) -> Result<()> {
    let content = || "x".to_owned();
    for operation in [
        Operation::Replace(content()),
        Operation::ReplaceBody(content()),
        Operation::InsertBefore(content()),
        Operation::InsertAfter(content()),
        Operation::InsertInto(content(), Position::First),
        Operation::InsertInto(content(), Position::Last),
        Operation::InsertInto(content(), Position::Sorted),
        Operation::Wrap { before: "(".to_owned(), after: ")".to_owned() },
        Operation::Delete,
    ] {
        let edits = document.edit(&[node.id], &operation, EditOptions::default());
        check_reversible(edits, text, format_args!("{operation:?} of `{}`", node.address))?;
    }
    for form in [Form::Signature, Form::Body, Form::Summary] {
        match document.view(node.id, form) {
            Err(error) if error.kind() == Kind::PluginFailed => return Err(error.into()),
            _ => {}
        }
    }
    document.dependencies(node.id)?;
    Ok(())
}

/// Checks that the edited text has no more errors than before if the pack is certain that the edits add none.
fn check_well_formed(
    (pack, path): (&Arc<dyn Pack>, &str),
    document: &mut dyn Document,
    node: &Node,
    text: &str,
) -> Result<()> {
    let errors = |document: &mut dyn Document| -> Result<usize> {
        Ok(document.diagnostics()?.iter().filter(|problem| problem.severity == Severity::Error).count())
    };
    for new in ["", "x", "{}", "</a>"] {
        let set = EditSet::new(text, vec![Edit { span: node.span, text: new.to_owned() }])?;
        if !document.stays_well_formed(set.as_slice())? {
            continue;
        }
        let after: Arc<str> = Arc::from(set.apply(text));
        let (before, after) = (errors(document)?, errors(Arc::clone(pack).open(path, &after)?.as_mut())?);
        if after > before {
            let message = format!("{after} errors after `{new}` for `{}`, {before} before", node.address);
            return Err(violation("edits reported as well-formed add no errors", message));
        }
    }
    Ok(())
}

fn check_reversible(edits: marquetry_model::Result<EditSet>, text: &str, what: fmt::Arguments<'_>) -> Result<()> {
    match edits {
        Ok(set) => {
            let after = set.apply(text);
            if set.invert(text).apply(&after) != text {
                return Err(violation("an edit can be undone", what));
            }
            Ok(())
        }
        Err(error) if error.kind() == Kind::PluginFailed => Err(error.into()),
        Err(_) => Ok(()),
    }
}

/// Checks that each link can be removed separately.
fn check_links(document: &mut dyn Document, text: &str) -> Result<()> {
    let links = document.links()?;
    for index in (0..links.len()).step_by(links.len() / SAMPLE + 1) {
        let edits = document.remove_links(&[index as u32]).map(|rewrite| rewrite.edits);
        check_reversible(edits, text, format_args!("removing the link `{}`", links[index].specifier))?;
    }
    for (from, to) in [("src/a.ts", "lib/b.ts"), ("src", "lib/src")] {
        let relocations = vec![Relocation { from: from.to_owned(), to: to.to_owned() }];
        let rewrite = document.relink(&FileMoves { path: "a/moved".to_owned(), relocations, links: Vec::new() });
        check_reversible(rewrite.map(|rewrite| rewrite.edits), text, format_args!("moving {from} to {to}"))?;
    }
    Ok(())
}
