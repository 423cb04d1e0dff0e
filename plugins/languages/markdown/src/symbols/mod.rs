//! Headings as symbols: resolves links to their anchors in this file and in others, and renames headings together with
//! these links.

pub(crate) mod anchors;
mod components;
mod rename;

use marquetry_sdk::{
    Destination, ExportedName, Failure, FailureKind, FileLocation, ImportKey, ImportedName, InterfaceFacts, Occurrence,
    RenameResult, Request, Resolution, Result, Span, Subject, Symbols, Usage, fail, shared, workspace,
};

use self::anchors::{Anchor, Reference, without_explicit_anchor};
use self::components::OtherNames;
use crate::Markdown;
use crate::document::MarkdownDocument;
use crate::links::resolve;

/// The name that a request refers to.
#[derive(Debug)]
enum RequestedName {
    /// A heading, given by its index. Its symbol is its text together with the generated anchor.
    Heading(u32),
    /// An explicit anchor.
    Anchor(Anchor),
    /// An anchor in another file, which a link of this file refers to.
    Elsewhere(String, FileLocation),
    /// Links of this file to an anchor in another file.
    Incoming(ImportKey),
    /// A name that does not exist in this file.
    Nothing(String),
}

impl MarkdownDocument {
    fn resolve_subject(&self, subject: Subject) -> Result<RequestedName> {
        match subject {
            Subject::At(offset) => self.resolve_offset(offset),
            Subject::Address(address) => self.resolve_address(address.trim()),
            Subject::Exported(name) => {
                let found = self.anchor_named(&name).map(Self::requested_anchor);
                found.ok_or_else(|| self.unknown_anchor_error(&name))
            }
            Subject::Imported(key) => Ok(RequestedName::Incoming(key)),
            Subject::ImportedDefault(key) => Ok(RequestedName::Nothing(key.called)),
            Subject::Declared(key) => Ok(RequestedName::Nothing(key.name)),
            Subject::Shared(name) => Err(shared::unknown_namespace(&name.namespace)),
        }
    }

    fn resolve_offset(&self, offset: u32) -> Result<RequestedName> {
        let at = offset as usize;
        let places = self.all_anchors();
        if let Some(anchor) = places.iter().find(|anchor| !anchor.is_generated && anchor.span.touches(at)) {
            return Ok(RequestedName::Anchor(anchor.clone()));
        }
        if let Some(link) = self.anchor_references().into_iter().find(|link| link.span.touches(at)) {
            return self.resolve_link(&link);
        }
        let holds = |block: u32, end: u32| {
            let start = self.block(block).span.start;
            (start..=end).contains(&offset)
        };
        let heading = self.tree().headings.iter().position(|heading| holds(heading.block, heading.line_end));
        heading.map(|index| RequestedName::Heading(index as u32)).ok_or_else(|| {
            fail(FailureKind::TargetNotFound, "no heading or link to a heading at this position")
                .hint("give the heading, or the position of the `#anchor` of a link")
        })
    }

    fn resolve_link(&self, link: &Reference) -> Result<RequestedName> {
        if link.is_same_page() {
            let found = self.anchor_named(&link.anchor).map(Self::requested_anchor);
            return found.ok_or_else(|| self.unknown_anchor_error(&link.anchor));
        }
        let request = Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
        let missing = |why: String| fail(FailureKind::TargetNotFound, why).at(link.span);
        let Destination::Inside(target) = resolve::resolve_link(&self.path, &request) else {
            return Err(missing(format!("`{}` does not resolve to a file in the workspace", link.specifier)));
        };
        let text = workspace::read(&target.path).unwrap_or_default();
        let other = MarkdownDocument::new(&target.path, text);
        let found = other.anchor_named(&link.anchor).ok_or_else(|| {
            missing(format!("`{}` has no anchor `{}`", target.path, link.anchor))
                .candidates(marquetry_sdk::nearest(&link.anchor, other.all_anchors().iter().map(|place| &*place.name)))
        })?;
        Ok(RequestedName::Elsewhere(link.anchor.clone(), FileLocation { path: target.path, offset: found.span.start }))
    }

    fn resolve_address(&self, address: &str) -> Result<RequestedName> {
        let anchor = address.strip_prefix('#').filter(|anchor| !anchor.starts_with(['#', ' ']));
        if let Some(place) = anchor.and_then(|anchor| self.anchor_named(anchor)) {
            return Ok(Self::requested_anchor(place));
        }
        let target = marquetry_sdk::Target { kind: marquetry_sdk::TargetKind::Heading, value: address.to_owned() };
        self.find_nodes(&marquetry_sdk::Query { target, limit: 1, values: false })?;
        let found = self.resolve(address, false)?;
        match found[..] {
            [block] => match self.tree().blocks.get(block as usize).map(|block| block.detail) {
                Some(crate::blocks::Detail::Heading(index)) => Ok(RequestedName::Heading(index)),
                _ => Err(Failure::unsupported(format!("`{address}` is not a heading, so it has no anchor"))
                    .hint("rename a heading, or an anchor such as `#install`")),
            },
            _ => Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` matches {} places", found.len()))
                .hint("give a name that matches only one")
                .candidates(found.iter().take(12).map(|block| self.address(*block)))),
        }
    }

    fn requested_anchor(place: Anchor) -> RequestedName {
        match place.heading.filter(|_| place.is_generated) {
            Some(index) => RequestedName::Heading(index),
            None => RequestedName::Anchor(place),
        }
    }

    fn anchor_named(&self, anchor: &str) -> Option<Anchor> {
        self.all_anchors().into_iter().find(|place| place.name == anchor)
    }

    fn unknown_anchor_error(&self, anchor: &str) -> Failure {
        let places = self.all_anchors();
        Failure::not_found("anchor", anchor, places.iter().map(|place| &*place.name))
    }

    /// Returns the links of this file to an anchor on this page.
    fn same_page_links<'a>(&self, anchor: &'a str) -> impl Iterator<Item = Reference> + use<'a> {
        self.anchor_references().into_iter().filter(move |link| link.is_same_page() && link.anchor == anchor)
    }

    /// Returns the links of this file to an anchor of another file.
    fn links_to_import<'a>(&self, key: &'a ImportKey) -> impl Iterator<Item = Reference> + use<'a> {
        let refers_to_key = |link: &Reference| link.anchor == key.name && key.specifiers.contains(&link.specifier);
        self.anchor_references().into_iter().filter(refers_to_key)
    }
}

impl Symbols for Markdown {
    fn facts(document: &MarkdownDocument) -> InterfaceFacts {
        let export = |place: Anchor| ExportedName {
            local: place.heading.map(|index| {
                let heading = &document.tree().headings[index as usize];
                without_explicit_anchor(document.tree().name(heading)).into_owned()
            }),
            name: place.name,
            span: place.span,
            kind: if place.heading.is_some() { "heading" } else { "anchor" }.to_owned(),
            type_only: false,
        };
        let import = |link: Reference| ImportedName {
            specifier: link.specifier,
            name: link.anchor,
            local: None,
            exported: None,
            type_only: false,
        };
        InterfaceFacts {
            exports: document.all_anchors().into_iter().map(export).collect(),
            imports: document.anchor_references().into_iter().filter(|link| !link.is_same_page()).map(import).collect(),
            shared: Vec::new(),
            free: Vec::new(),
        }
    }

    fn resolve_symbol(document: &MarkdownDocument, subject: Subject) -> Result<Resolution> {
        let used = |links: &mut dyn Iterator<Item = Reference>| -> Vec<Occurrence> {
            links.map(|link| Occurrence { span: link.span, usage: Usage::Read, certain: true }).collect()
        };
        Ok(match document.resolve_subject(subject)? {
            RequestedName::Heading(index) => {
                let tree = document.tree();
                let heading = &tree.headings[index as usize];
                let place = document.all_anchors().into_iter().find(|place| place.heading == Some(index));
                let anchor = place.map(|place| place.name).unwrap_or_default();
                let span = document.block(heading.block).inner;
                let mut occurrences = used(&mut document.same_page_links(&anchor));
                occurrences.push(Occurrence { span, usage: Usage::Declaration, certain: true });
                occurrences.sort_by_key(|occurrence| occurrence.span.start);
                Resolution {
                    kind: "heading".to_owned(),
                    address: Some(document.address(heading.block)),
                    occurrences,
                    exported_as: vec![anchor],
                    ..shared::empty_resolution(&without_explicit_anchor(tree.name(heading)))
                }
            }
            RequestedName::Anchor(place) => {
                let mut occurrences = used(&mut document.same_page_links(&place.name));
                occurrences.push(Occurrence { span: place.span, usage: Usage::Declaration, certain: true });
                occurrences.sort_by_key(|occurrence| occurrence.span.start);
                Resolution {
                    kind: "anchor".to_owned(),
                    occurrences,
                    exported_as: vec![place.name.clone()],
                    ..shared::empty_resolution(&place.name)
                }
            }
            RequestedName::Elsewhere(name, place) => {
                Resolution { kind: "anchor".to_owned(), elsewhere: Some(place), ..shared::empty_resolution(&name) }
            }
            RequestedName::Incoming(key) if document.other_names(&key) == OtherNames::Code => {
                let imports = document.imports_of(&key);
                let occurrence = |usage| move |span| Occurrence { span, usage, certain: true };
                let mut occurrences: Vec<Occurrence> =
                    imports.iter().map(|import| import.span()).map(occurrence(Usage::Imported)).collect();
                let elements = imports.iter().filter_map(|import| document.component_tags(import, &key.name));
                occurrences.extend(elements.flatten().map(occurrence(Usage::Read)));
                let unsure = |span| Occurrence { span, usage: Usage::Read, certain: false };
                let possible = document.namespace_uses(&key).into_iter().chain(document.possible_uses(&key));
                let is_known = |span: &Span| occurrences.iter().any(|known| known.span == *span);
                let possible: Vec<Span> = possible.filter(|span| !is_known(span)).collect();
                occurrences.extend(possible.into_iter().map(unsure));
                occurrences.sort_by_key(|occurrence| occurrence.span.start);
                let is_plain = imports.iter().all(|import| document.component_tags(import, &key.name).is_some());
                let incomplete = (!is_plain).then(|| "code in this file may use it and was not checked".to_owned());
                Resolution { kind: "import".to_owned(), occurrences, incomplete, ..shared::empty_resolution(&key.name) }
            }
            RequestedName::Incoming(key) => Resolution {
                kind: "anchor".to_owned(),
                occurrences: used(&mut document.links_to_import(&key)),
                ..shared::empty_resolution(&key.name)
            },
            RequestedName::Nothing(name) => shared::empty_resolution(&name),
        })
    }

    fn rename(document: &MarkdownDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        match document.resolve_subject(subject)? {
            RequestedName::Heading(index) => rename::rename_heading(document, index, new_name),
            RequestedName::Anchor(place) => rename::rename_anchor(document, &place, new_name),
            RequestedName::Elsewhere(name, place) => {
                Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&name) })
            }
            RequestedName::Incoming(key) if document.other_names(&key) == OtherNames::Code => {
                let edits = document.renamed_imports(&document.imports_of(&key), new_name);
                let unresolved = document.namespace_uses(&key);
                Ok(RenameResult { edits, unresolved, ..shared::empty_renaming(&key.name) })
            }
            RequestedName::Incoming(key) => rename::rename_incoming_links(document, &key, new_name),
            RequestedName::Nothing(name) => Ok(shared::empty_renaming(&name)),
        }
    }
}
