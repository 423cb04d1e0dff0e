//! The laws that every language pack keeps, through the sandbox: what the guest crate checks natively, checked once more
//! where the answers have crossed the contract and were validated.

use std::{fmt, sync::Arc};

use marquetry_model::{
    Edit, EditSet, Error, Kind, Relocation, Span,
    pack::{EditOptions, Form, Found, Node, Operation, Position, Query, Severity, Target, TargetKind, View},
    ports::{Document, Pack},
};

/// Nodes of one document that are tried one by one.
const SAMPLE: usize = 40;

/// A law that a pack broke on a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Which law, in a few words: what failures of a kind have in common.
    pub law: &'static str,
    /// What happened, where.
    pub message: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.law, self.message)
    }
}

/// An error where the laws allow none: a trap, a timeout, an answer that did not pass the host's checks.
impl From<Error> for Broken {
    fn from(error: Error) -> Broken {
        broken("no failure", format_args!("{}: {error}", error.kind().name()))
    }
}

type Result<T> = std::result::Result<T, Broken>;

fn broken(law: &'static str, what: impl fmt::Display) -> Broken {
    Broken { law, message: what.to_string() }
}

/// Check the laws on one text.
pub fn laws(pack: &Arc<dyn Pack>, path: &str, text: &str) -> Result<()> {
    let text: Arc<str> = Arc::from(text);
    let kind = pack.description().targets.first().map_or(TargetKind::Lines, |target| target.kind);
    let mut document = Arc::clone(pack).open(path, &text)?;
    let (problems, outline) = (document.problems()?, document.outline()?);
    document.embedded()?;
    for node in outline.iter().step_by(outline.len() / SAMPLE + 1) {
        alone(document.as_mut(), kind, node)?;
        identity(document.as_mut(), node, &text)?;
        operations(document.as_mut(), node, &text)?;
        form((pack, path), document.as_mut(), node, &text)?;
    }
    if pack.has("links") {
        links(document.as_mut(), &text)?;
    }
    if pack.has("symbols") {
        document.facts()?;
    }
    let errors = document.parse_errors()?;
    if let Some(other) = errors.iter().find(|error| !problems.contains(error)) {
        return Err(broken("errors of the parser are among the problems", format!("`{}` is not", other.message)));
    }
    drop(document);
    // On another instance, or on this one again: the same input gives the same output.
    let mut again = Arc::clone(pack).open(path, &Arc::from(&*text))?;
    if again.problems()? != problems || again.outline()? != outline {
        return Err(broken("same input, same output", "problems or outline differ"));
    }
    Ok(())
}

/// Every address of a text, and not a sample: it finds its node alone, and the pack, where it replaces at all, gives byte for byte the
/// same for the node's own text. Addresses are those of the outline, and of all that `also` finds. Answers how many there are.
pub fn every_address(pack: &Arc<dyn Pack>, path: &str, text: &str, also: Option<&str>) -> Result<usize> {
    let text: Arc<str> = Arc::from(text);
    let kind = pack.description().targets.first().map_or(TargetKind::Lines, |target| target.kind);
    let mut document = Arc::clone(pack).open(path, &text)?;
    let mut nodes = document.outline()?;
    if let Some(also) = also {
        let target = Target { kind, value: also.to_owned() };
        match document.find(&Query { target, limit: usize::MAX, values: false }) {
            Ok(Found::Nodes(found, _)) => nodes.extend(found),
            Ok(Found::Scalar(_)) => {}
            Err(error) if error.kind() == Kind::TargetNotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    nodes.sort_by(|a, b| (a.span.start, a.span.end, &a.address).cmp(&(b.span.start, b.span.end, &b.address)));
    nodes.dedup_by(|a, b| a.address == b.address && a.span == b.span);
    for node in &nodes {
        alone(document.as_mut(), kind, node)?;
        let own = Operation::Replace(node.span.of(&text).to_owned());
        match document.edit(&[node.id], &own, EditOptions::default()) {
            Ok(edits) if edits.apply(&text) == *text => {}
            Ok(_) => {
                let message = format!("replacing `{}` by its own text changes it", node.address);
                return Err(broken("own text changes nothing", message));
            }
            Err(error) if error.kind() == Kind::PluginFailed => return Err(error.into()),
            // That some nodes are not replaced is the pack's to say; the host answers for a node's own text before it is asked.
            Err(_) => {}
        }
    }
    Ok(nodes.len())
}

/// The node's address finds it and nothing else.
fn alone(document: &mut dyn Document, kind: TargetKind, node: &Node) -> Result<()> {
    let spans: Vec<Span> = find(document, kind, &node.address)?.iter().map(|node| node.span).collect();
    if spans == [node.span] {
        return Ok(());
    }
    let message = format!("the address `{}` of {:?} finds {spans:?}", node.address, node.span);
    Err(broken("an address finds its node alone", message))
}

fn find(document: &mut dyn Document, kind: TargetKind, address: &str) -> Result<Vec<Node>> {
    let target = Target { kind, value: address.to_owned() };
    match document.find(&Query { target, limit: 10, values: false }) {
        Ok(Found::Nodes(nodes, _)) => Ok(nodes),
        Ok(Found::Scalar(_)) => Err(broken("an address finds its node alone", format!("`{address}` is a value"))),
        Err(error) if error.kind() == Kind::PluginFailed => Err(error.into()),
        Err(error) => Err(broken("an address finds its node alone", error)),
    }
}

/// What `full` shows is what `replace` replaces, and replacing the body by its own text changes nothing. Replacing the whole
/// by its own text never reaches a pack.
fn identity(document: &mut dyn Document, node: &Node, text: &str) -> Result<()> {
    let View::Span(span) = document.view(node.id, Form::Full)? else {
        let message = format!("the full view of `{}` is not a part of the text", node.address);
        return Err(broken("what is shown is replaced", message));
    };
    if span != node.span {
        let message = format!("`full` shows {span:?} of `{}`, which is {:?}", node.address, node.span);
        return Err(broken("what is shown is replaced", message));
    }
    let Some(body) = node.body else { return Ok(()) };
    let operation = Operation::ReplaceBody(body.of(text).to_owned());
    if document.edit(&[node.id], &operation, EditOptions::default())?.apply(text) != text {
        let message = format!("replacing the body of `{}` by its own text changes it", node.address);
        return Err(broken("own text changes nothing", message));
    }
    Ok(())
}

/// Whatever an operation answers can be applied and taken back; it may refuse, it may not fail.
fn operations(document: &mut dyn Document, node: &Node, text: &str) -> Result<()> {
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
        reversible(edits, text, format_args!("{operation:?} of `{}`", node.address))?;
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

/// Where a part of the text is enough for the pack to be certain, the whole text after has no errors more.
fn form((pack, path): (&Arc<dyn Pack>, &str), document: &mut dyn Document, node: &Node, text: &str) -> Result<()> {
    let errors = |document: &mut dyn Document| -> Result<usize> {
        Ok(document.problems()?.iter().filter(|problem| problem.severity == Severity::Error).count())
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
            return Err(broken("a pack is certain only of what is so", message));
        }
    }
    Ok(())
}

fn reversible(edits: marquetry_model::Result<EditSet>, text: &str, what: fmt::Arguments<'_>) -> Result<()> {
    match edits {
        Ok(set) => {
            let after = set.apply(text);
            if set.invert(text).apply(&after) != text {
                return Err(broken("an edit can be taken back", what));
            }
            Ok(())
        }
        Err(error) if error.kind() == Kind::PluginFailed => Err(error.into()),
        Err(_) => Ok(()),
    }
}

/// Every link can be asked for and removed, alone.
fn links(document: &mut dyn Document, text: &str) -> Result<()> {
    let links = document.links()?;
    for index in (0..links.len()).step_by(links.len() / SAMPLE + 1) {
        let edits = document.unlink(&[index as u32]);
        reversible(edits, text, format_args!("removing the link `{}`", links[index].specifier))?;
    }
    for (from, to) in [("src/a.ts", "lib/b.ts"), ("src", "lib/src")] {
        let edits = document.cover(&[Relocation { from: from.to_owned(), to: to.to_owned() }]);
        reversible(edits, text, format_args!("covering {from} as {to}"))?;
    }
    Ok(())
}
