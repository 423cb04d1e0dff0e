//! Ids as symbols: `xml:id`, attributes that a DTD declares as ids, and `id` in SVG. Their references are in the same
//! file and in links from other files.

mod collect;

use marquetry_sdk::{
    Context, Destination, Document, Edit, ExportedName, Failure, FailureKind, FileLocation, FindResult, ImportKey,
    ImportedName, InterfaceFacts, Linking, Occurrence, Query, RenameResult, RenamedExport, Request, Resolution, Result,
    Span, Subject, Symbols, Target, TargetKind, Usage, fail,
    refactor::{Refactoring, Refactors},
    shared::{self, CSS_ID, Mentions},
    workspace,
};

use self::collect::OutgoingReference;
use crate::{Xml, XmlDocument, tree::Kind};

/// The name that a query refers to.
enum RequestedName {
    Local(String),
    /// An id that is declared in another file.
    OtherFile(String, FileLocation),
    Imported(ImportKey),
    /// A name that is not an id.
    NotAnId(String),
}

impl Symbols for Xml {
    fn facts(document: &XmlDocument) -> InterfaceFacts {
        let mentions = collect::id_mentions(document);
        let declared = mentions.mentions().iter().filter(|mention| mention.declares);
        let export = |mention: &shared::Mention| ExportedName {
            name: mention.name.clone(),
            local: Some(mention.name.clone()),
            span: mention.span,
            kind: "id".to_owned(),
            type_only: false,
        };
        let import = |outgoing: OutgoingReference| ImportedName {
            specifier: outgoing.specifier,
            name: outgoing.name,
            local: None,
            exported: None,
            type_only: false,
        };
        InterfaceFacts {
            exports: declared.map(export).collect(),
            imports: collect::outgoing_references(document).into_iter().map(import).collect(),
            shared: Vec::new(),
            free: Vec::new(),
        }
    }

    fn resolve_symbol(document: &XmlDocument, subject: Subject) -> Result<Resolution> {
        let mentions = collect::id_mentions(document);
        Ok(match resolve_subject(document, &mentions, subject)? {
            RequestedName::Local(name) => {
                let found = mentions.resolution(CSS_ID, &name, None);
                Resolution { shared: None, exported_as: vec![name], ..found }
            }
            RequestedName::OtherFile(name, place) => {
                Resolution { kind: "id".to_owned(), elsewhere: Some(place), ..shared::empty_resolution(&name) }
            }
            RequestedName::Imported(key) => {
                let occurrence = |span| Occurrence { span, usage: Usage::Read, certain: true };
                let occurrences = references_to(document, &key).map(|outgoing| occurrence(outgoing.span)).collect();
                Resolution { kind: "id".to_owned(), occurrences, ..shared::empty_resolution(&key.name) }
            }
            RequestedName::NotAnId(name) => shared::empty_resolution(&name),
        })
    }

    fn rename(document: &XmlDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        let mentions = collect::id_mentions(document);
        match resolve_subject(document, &mentions, subject)? {
            RequestedName::Local(name) => {
                check_name(new_name)?;
                if !mentions.mentions().iter().any(|mention| mention.declares && mention.name == name) {
                    let message = format!("nothing in this file has the id `{name}`");
                    return Err(fail(FailureKind::RefactorFailed, message).hint("rename it where it is declared"));
                }
                let renaming = mentions.renaming(CSS_ID, &name, new_name)?;
                let exported = vec![RenamedExport { old: name, new: new_name.to_owned() }];
                Ok(RenameResult { shared: None, exported, ..renaming })
            }
            RequestedName::OtherFile(name, place) => {
                Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&name) })
            }
            RequestedName::Imported(key) => {
                check_name(new_name)?;
                let edit = |outgoing: OutgoingReference| Edit::new(outgoing.span, outgoing.spelling.encode(new_name));
                let edits = references_to(document, &key).map(edit).collect();
                Ok(RenameResult { edits, ..shared::empty_renaming(&key.name) })
            }
            RequestedName::NotAnId(name) => Ok(shared::empty_renaming(&name)),
        }
    }
}

impl Refactors for Xml {
    fn table() -> &'static [Refactoring<XmlDocument>] {
        &[]
    }
}

/// Fails unless the name can be an id: in XML, an id must be a name without a colon.
fn check_name(name: &str) -> Result<()> {
    shared::check_new_name(CSS_ID, name)?;
    if crate::chars::is_name(name) && !name.contains(':') {
        return Ok(());
    }
    Err(fail(FailureKind::InvalidArgument, format!("`{name}` is not an XML name"))
        .hint("start with a letter or `_`, then use letters, digits, `-`, `_` and `.`"))
}

fn references_to(document: &XmlDocument, key: &ImportKey) -> impl Iterator<Item = OutgoingReference> {
    let meant =
        |outgoing: &OutgoingReference| outgoing.name == key.name && key.specifiers.contains(&outgoing.specifier);
    collect::outgoing_references(document).into_iter().filter(meant).collect::<Vec<_>>().into_iter()
}

fn resolve_subject(document: &XmlDocument, mentions: &Mentions, subject: Subject) -> Result<RequestedName> {
    match subject {
        Subject::At(offset) => {
            if let Ok(mention) = mentions.at(offset) {
                return Ok(RequestedName::Local(mention.name.clone()));
            }
            let outgoing =
                collect::outgoing_references(document).into_iter().find(|place| place.span.touches(offset as usize));
            let nothing = || {
                fail(FailureKind::TargetNotFound, "no id or reference to an id at this position")
                    .hint("give the position of an id, or of a reference to one")
                    .at(Span { start: offset, end: offset })
            };
            resolve_outgoing(document, outgoing.ok_or_else(nothing)?)
        }
        Subject::Address(address) => id_at_address(document, mentions, address.trim()).map(RequestedName::Local),
        Subject::Exported(name) => Ok(RequestedName::Local(name)),
        Subject::Imported(key) => Ok(RequestedName::Imported(key)),
        Subject::ImportedDefault(key) => Ok(RequestedName::NotAnId(key.called)),
        Subject::Declared(key) => Ok(RequestedName::NotAnId(key.name)),
        Subject::Shared(name) => Err(shared::unknown_namespace(&name.namespace)),
    }
}

/// Resolves `#id`, or an XPath that finds the attribute or its element.
fn id_at_address(document: &XmlDocument, mentions: &Mentions, address: &str) -> Result<String> {
    if let Some(name) = address.strip_prefix('#') {
        let names = mentions.names(CSS_ID);
        return match names.contains(&name) {
            true => Ok(name.to_owned()),
            false => Err(Failure::not_found("id", name, names.iter().copied())),
        };
    }
    let target = Target { kind: TargetKind::Xpath, value: address.to_owned() };
    let no_id = || {
        fail(FailureKind::TargetNotFound, format!("`{address}` has no id"))
            .hint("give an id, such as `#intro`, or an element that has one")
    };
    let FindResult::Nodes(nodes) = document.find(&Query { target, limit: 2, values: false })? else {
        return Err(no_id());
    };
    let [node] = &nodes.nodes[..] else {
        return Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` matches {} places", nodes.total))
            .hint("give a name that matches only one"));
    };
    let tree = &document.tree;
    let is_element = node.id < tree.len() && tree.kind(node.id) == Kind::Element;
    let own = if is_element { tree.attributes(node.id) } else { node.id..node.id + 1 };
    let spans: Vec<Span> = own.filter(|id| *id < tree.len()).map(|id| tree.span(id)).collect();
    let within = |mention: &&shared::Mention| {
        (mention.declares || !is_element) && spans.iter().any(|span| span.contains(mention.span))
    };
    mentions.mentions().iter().find(within).map(|mention| mention.name.clone()).ok_or_else(no_id)
}

/// Finds the id in another file that a link refers to.
fn resolve_outgoing(document: &XmlDocument, outgoing: OutgoingReference) -> Result<RequestedName> {
    let missing = |why: String| fail(FailureKind::TargetNotFound, why).at(outgoing.span);
    let request = Request { kind: outgoing.kind.clone(), specifier: outgoing.specifier.clone() };
    let target = match Xml::resolve(&Context::for_path(&document.path), &[request]).pop() {
        Some(Destination::Inside(target)) => target.path,
        _ => return Err(missing(format!("`{}` does not resolve to a file in the workspace", outgoing.specifier))),
    };
    let other = XmlDocument::new(&target, workspace::read(&target).unwrap_or_default());
    let mentions = collect::id_mentions(&other);
    let found = mentions.mentions().iter().find(|mention| mention.declares && mention.name == outgoing.name);
    let found = found.ok_or_else(|| missing(format!("{target} has no id `{}`", outgoing.name)))?;
    Ok(RequestedName::OtherFile(outgoing.name.clone(), FileLocation { path: target, offset: found.span.start }))
}
