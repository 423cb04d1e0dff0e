//! Renames a key or a section where it is written. Its uses are unknown, so no other text is changed. These formats have
//! no links to other files.

use marquetry_sdk::{
    Context, Destination, Document, Edit, Failure, FailureKind, InterfaceFacts, Link, Linking, RenameResult, Request,
    Resolution, Result, Rewrite, Span, SpecifierRequest, Subject, Symbols, fail, shared, span::apply,
};

use crate::{
    Properties,
    dialect::Continuation,
    document::PropertiesDocument,
    keys::check_new_key,
    parse::{Item, parse},
};

impl Linking for Properties {
    fn links(_document: &PropertiesDocument) -> Vec<Link> {
        Vec::new()
    }

    fn resolve(_context: &Context, requests: &[Request]) -> Vec<Destination> {
        requests.iter().map(|_| Destination::External).collect()
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        requests.iter().map(|_| Err(no_links_error())).collect()
    }

    fn unlink(_document: &PropertiesDocument, links: &[u32]) -> Result<Rewrite> {
        if links.is_empty() { Ok(Rewrite::default()) } else { Err(no_links_error()) }
    }
}

fn no_links_error() -> Failure {
    fail(FailureKind::InvalidArgument, "the file has no links")
}

impl Symbols for Properties {
    fn facts(_document: &PropertiesDocument) -> InterfaceFacts {
        InterfaceFacts { exports: Vec::new(), imports: Vec::new(), shared: Vec::new(), free: Vec::new() }
    }

    fn resolve_symbol(document: &PropertiesDocument, subject: Subject) -> Result<Resolution> {
        // A member of code, whose name the file contains. The keys of the file do not refer to it.
        if let Subject::Declared(key) = &subject {
            return Ok(shared::empty_resolution(&key.name));
        }
        item_of(document, &subject)?;
        Err(fail(FailureKind::TargetNotFound, "the uses of a key are not known"))
    }

    fn rename(document: &PropertiesDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Subject::Declared(key) = &subject {
            return Ok(shared::empty_renaming(&key.name));
        }
        let index = item_of(document, &subject)?;
        let (items, item) = (document.items(), &document.items()[index]);
        let is_sibling = |other: &&Item| other.section == item.section && other.name == new_name;
        if item.name != new_name && items[1..].iter().any(|other| is_sibling(&other)) {
            let taken = items[1..].iter().find(is_sibling).map_or(item.whole, |other| other.whole);
            return Err(fail(FailureKind::RefactorFailed, format!("`{new_name}` already exists"))
                .hint("choose another name")
                .at(taken));
        }
        let mut renaming = shared::empty_renaming(&item.name);
        if item.name != new_name {
            renaming.edits = vec![Edit::new(name_span(document, item), new_name)];
            if !is_only_renamed(document, index, &renaming.edits, new_name) {
                return Err(fail(
                    FailureKind::RefactorFailed,
                    format!("`{new_name}` cannot be written as a name here"),
                )
                .hint("choose a name without separators, brackets and comments"));
            }
            check_new_key(new_name, document.dialect())
                .map_err(|failure| Failure { kind: FailureKind::RefactorFailed, ..failure })?;
        }
        Ok(renaming)
    }
}

/// Returns the index of the item that the subject refers to.
fn item_of(document: &PropertiesDocument, subject: &Subject) -> Result<usize> {
    let items = document.items();
    let found: Vec<usize> = match subject {
        Subject::Address(address) => document.items_named(address),
        Subject::At(offset) => {
            let holds = |index: &usize| name_span(document, &items[*index]).touches(*offset as usize);
            (1..items.len()).filter(holds).collect()
        }
        _ => Vec::new(),
    };
    match (found.as_slice(), subject) {
        ([index], _) if *index > 0 => Ok(*index),
        ([_, _, ..], _) => Err(fail(FailureKind::AmbiguousTarget, "several keys have this name")
            .hint("give the address of one of them")
            .candidates(found.iter().map(|index| document.address(*index).into_owned()))),
        (_, Subject::Address(address)) => Err(document.not_found(address)),
        _ => {
            Err(fail(FailureKind::TargetNotFound, "no key is written there").hint("name a key, such as `server.port`"))
        }
    }
}

/// The span of the name of an entry or a section.
fn name_span(document: &PropertiesDocument, item: &Item) -> Span {
    let start = item.whole.range().start;
    let text = &document.text()[start..];
    let exported = if document.dialect().continuation == Continuation::Quotes { "export " } else { "" };
    let skipped = match item.is_section() {
        true => 1,
        false if text.starts_with(exported) => exported.len(),
        false => 0,
    };
    let start = start + skipped + text[skipped..].find(item.name.as_str()).unwrap_or(0);
    Span::new(start, start + item.name.len())
}

/// Returns whether the edits change the name of the item and nothing else.
fn is_only_renamed(document: &PropertiesDocument, index: usize, edits: &[Edit], name: &str) -> bool {
    let text = apply(document.text(), edits);
    let after = parse(&text, document.dialect());
    let is_same = |(at, (old, new)): (usize, (&Item, &Item))| {
        new.name == if at == index { name } else { old.name.as_str() }
            && new.section == old.section
            && (old.is_section() || new.value.slice(&text) == old.value.slice(document.text()))
    };
    after.problems.len() <= document.diagnostics().len()
        && after.items.len() == document.items().len()
        && document.items().iter().zip(&after.items).enumerate().all(is_same)
}
