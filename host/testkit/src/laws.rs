//! The laws that every language pack keeps, through the sandbox: what the guest crate checks natively, checked once more
//! where the answers have crossed the contract and were validated.

use std::sync::Arc;

use marquetry_model::{
    EditSet, Error, Kind, Result, Span,
    pack::{EditOptions, Form, Found, Node, Operation, Position, Query, Target, TargetKind, View},
    ports::{Document, Pack},
};

/// Nodes of one document that are tried one by one.
const SAMPLE: usize = 40;

/// Check the laws on one text; the message says which one is broken.
pub fn laws(pack: &dyn Pack, path: &str, text: &str) -> std::result::Result<(), String> {
    check(pack, path, text).map_err(|error| format!("{path}: {}: {error}\n--- the text:\n{text}", error.kind().name()))
}

fn broken(what: impl std::fmt::Display) -> Error {
    Error::internal(format!("law broken: {what}"))
}

fn check(pack: &dyn Pack, path: &str, text: &str) -> Result<()> {
    let text: Arc<str> = Arc::from(text);
    let kind = pack.description().targets.first().map_or(TargetKind::Lines, |target| target.kind);
    let mut document = pack.open(path, &text)?;
    let (problems, outline) = (document.problems()?, document.outline()?);
    document.embedded()?;
    for node in outline.iter().step_by(outline.len() / SAMPLE + 1) {
        let found = find(document.as_mut(), kind, &node.address)?;
        let spans: Vec<Span> = found.iter().map(|node| node.span).collect();
        if spans != [node.span] {
            return Err(broken(format_args!("the address `{}` of {:?} finds {spans:?}", node.address, node.span)));
        }
        identity(document.as_mut(), node, &text)?;
        operations(document.as_mut(), node, &text)?;
    }
    drop(document);
    // On another instance, or on this one again: the same input gives the same output.
    let mut again = pack.open(path, &Arc::from(&*text))?;
    if again.problems()? != problems || again.outline()? != outline {
        return Err(broken("the same input gave another output"));
    }
    Ok(())
}

fn find(document: &mut dyn Document, kind: TargetKind, address: &str) -> Result<Vec<Node>> {
    let target = Target { kind, value: address.to_owned() };
    match document.find(&Query { target, limit: 10, values: false })? {
        Found::Nodes(nodes, _) => Ok(nodes),
        Found::Scalar(_) => Err(broken(format_args!("the address `{address}` is a value"))),
    }
}

/// What `full` shows is what `replace` replaces, and replacing it by itself changes nothing.
fn identity(document: &mut dyn Document, node: &Node, text: &str) -> Result<()> {
    let View::Span(span) = document.view(node.id, Form::Full)? else {
        return Err(broken(format_args!("the full view of `{}` is no part of the text", node.address)));
    };
    if span != node.span {
        return Err(broken(format_args!("`full` shows {span:?} of `{}`, which is {:?}", node.address, node.span)));
    }
    let edits = document.edit(&[node.id], &Operation::Replace(span.of(text).to_owned()), EditOptions::default())?;
    if EditSet::new(text, edits)?.apply(text) != text {
        return Err(broken(format_args!("replacing `{}` by its own text changes it", node.address)));
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
        match document.edit(&[node.id], &operation, EditOptions::default()) {
            Ok(edits) => {
                let set = EditSet::new(text, edits)?;
                let after = set.apply(text);
                if set.invert(text).apply(&after) != text {
                    return Err(broken(format_args!("{operation:?} of `{}` cannot be taken back", node.address)));
                }
            }
            Err(error) if error.kind() == Kind::PluginFailed => return Err(error),
            Err(_) => {}
        }
    }
    for form in [Form::Signature, Form::Body, Form::Summary] {
        match document.view(node.id, form) {
            Err(error) if error.kind() == Kind::PluginFailed => return Err(error),
            _ => {}
        }
    }
    document.dependencies(node.id)?;
    Ok(())
}
