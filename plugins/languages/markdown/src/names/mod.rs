//! Headings as names: resolves links to their anchors in this file and in others, and renames them with these links.

pub(crate) mod anchors;
mod components;
mod rename;

use marquetry_sdk::{
    Destination, ExportedName, Failure, FailureKind, ImportKey, ImportedName, InterfaceFacts, Occurrence, Place,
    Renaming, Request, Resolution, Result, Span, Subject, Symbols, Usage, fail, shared, workspace,
};

use self::anchors::{Anchor, Reference, shown};
use self::components::Others;
use crate::Markdown;
use crate::document::MarkdownDocument;
use crate::links::resolve;

/// Subject of a request.
#[derive(Debug)]
enum Asked {
    /// The index of a heading, with its text and the generated anchor.
    Heading(u32),
    /// An explicit anchor.
    Anchor(Anchor),
    /// A target in another file that a link here refers to.
    Elsewhere(String, Place),
    /// Links here to a target in another file.
    Incoming(ImportKey),
    /// A name that does not exist here.
    Nothing(String),
}

impl MarkdownDocument {
    fn asked(&self, subject: Subject) -> Result<Asked> {
        match subject {
            Subject::At(offset) => self.asked_at(offset),
            Subject::Address(address) => self.asked_by_address(address.trim()),
            Subject::Exported(name) => {
                let found = self.place_called(&name).map(Self::asked_place);
                found.ok_or_else(|| self.no_anchor(&name))
            }
            Subject::Imported(key) => Ok(Asked::Incoming(key)),
            Subject::ImportedDefault(key) => Ok(Asked::Nothing(key.called)),
            Subject::Declared(key) => Ok(Asked::Nothing(key.name)),
            Subject::Shared(name) => Err(shared::unknown_space(&name.space)),
        }
    }

    fn asked_at(&self, offset: u32) -> Result<Asked> {
        let at = offset as usize;
        let places = self.places();
        if let Some(anchor) = places.iter().find(|anchor| !anchor.is_made && anchor.span.touches(at)) {
            return Ok(Asked::Anchor(anchor.clone()));
        }
        if let Some(link) = self.references().into_iter().find(|link| link.span.touches(at)) {
            return self.asked_by_link(&link);
        }
        let holds = |block: u32, end: u32| {
            let start = self.block(block).span.start;
            (start..=end).contains(&offset)
        };
        let heading = self.tree().headings.iter().position(|heading| holds(heading.block, heading.line_end));
        heading.map(|index| Asked::Heading(index as u32)).ok_or_else(|| {
            fail(FailureKind::TargetNotFound, "no heading or link to a heading at this position")
                .hint("give the heading, or the position of the `#anchor` of a link")
        })
    }

    fn asked_by_link(&self, link: &Reference) -> Result<Asked> {
        if link.is_own() {
            let found = self.place_called(&link.anchor).map(Self::asked_place);
            return found.ok_or_else(|| self.no_anchor(&link.anchor));
        }
        let request = Request { kind: link.kind.clone(), specifier: link.specifier.clone() };
        let missing = |why: String| fail(FailureKind::TargetNotFound, why).at(link.span);
        let Destination::Inside(target) = resolve::resolve(&self.path, &request) else {
            return Err(missing(format!("`{}` does not lead to a file in the workspace", link.specifier)));
        };
        let text = workspace::read(&target.path).unwrap_or_default();
        let other = MarkdownDocument::new(&target.path, text);
        let found = other.place_called(&link.anchor).ok_or_else(|| {
            missing(format!("`{}` has no anchor `{}`", target.path, link.anchor))
                .candidates(marquetry_sdk::nearest(&link.anchor, other.places().iter().map(|place| &*place.name)))
        })?;
        Ok(Asked::Elsewhere(link.anchor.clone(), Place { path: target.path, offset: found.span.start }))
    }

    fn asked_by_address(&self, address: &str) -> Result<Asked> {
        let anchor = address.strip_prefix('#').filter(|anchor| !anchor.starts_with(['#', ' ']));
        if let Some(place) = anchor.and_then(|anchor| self.place_called(anchor)) {
            return Ok(Self::asked_place(place));
        }
        let target = marquetry_sdk::Target { kind: marquetry_sdk::TargetKind::Heading, value: address.to_owned() };
        self.find_all(&marquetry_sdk::Query { target, limit: 1, values: false })?;
        let found = self.resolve(address, false)?;
        match found[..] {
            [block] => match self.tree().blocks.get(block as usize).map(|block| block.detail) {
                Some(crate::blocks::Detail::Heading(index)) => Ok(Asked::Heading(index)),
                _ => Err(Failure::unsupported(format!("`{address}` is not a heading, so it has no anchor"))
                    .hint("rename a heading, or an anchor such as `#install`")),
            },
            _ => Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` matches {} places", found.len()))
                .hint("give a name that matches only one")
                .candidates(found.iter().take(12).map(|block| self.address(*block)))),
        }
    }

    fn asked_place(place: Anchor) -> Asked {
        match place.heading.filter(|_| place.is_made) {
            Some(index) => Asked::Heading(index),
            None => Asked::Anchor(place),
        }
    }

    fn place_called(&self, anchor: &str) -> Option<Anchor> {
        self.places().into_iter().find(|place| place.name == anchor)
    }

    fn no_anchor(&self, anchor: &str) -> Failure {
        let places = self.places();
        Failure::not_found("anchor", anchor, places.iter().map(|place| &*place.name))
    }

    /// Returns the links of this file to an anchor on this page.
    fn own_links<'a>(&self, anchor: &'a str) -> impl Iterator<Item = Reference> + use<'a> {
        self.references().into_iter().filter(move |link| link.is_own() && link.anchor == anchor)
    }

    /// Returns the links of this file to an anchor of another file.
    fn links_to<'a>(&self, key: &'a ImportKey) -> impl Iterator<Item = Reference> + use<'a> {
        let leads = |link: &Reference| link.anchor == key.name && key.specifiers.contains(&link.specifier);
        self.references().into_iter().filter(leads)
    }
}

impl Symbols for Markdown {
    fn facts(document: &MarkdownDocument) -> InterfaceFacts {
        let export = |place: Anchor| ExportedName {
            local: place.heading.map(|index| {
                let heading = &document.tree().headings[index as usize];
                shown(document.tree().name(heading)).into_owned()
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
            exports: document.places().into_iter().map(export).collect(),
            imports: document.references().into_iter().filter(|link| !link.is_own()).map(import).collect(),
            shared: Vec::new(),
            free: Vec::new(),
        }
    }

    fn resolve_symbol(document: &MarkdownDocument, subject: Subject) -> Result<Resolution> {
        let used = |links: &mut dyn Iterator<Item = Reference>| -> Vec<Occurrence> {
            links.map(|link| Occurrence { span: link.span, usage: Usage::Read, certain: true }).collect()
        };
        Ok(match document.asked(subject)? {
            Asked::Heading(index) => {
                let tree = document.tree();
                let heading = &tree.headings[index as usize];
                let place = document.places().into_iter().find(|place| place.heading == Some(index));
                let anchor = place.map(|place| place.name).unwrap_or_default();
                let span = document.block(heading.block).inner;
                let mut occurrences = used(&mut document.own_links(&anchor));
                occurrences.push(Occurrence { span, usage: Usage::Declaration, certain: true });
                occurrences.sort_by_key(|occurrence| occurrence.span.start);
                Resolution {
                    kind: "heading".to_owned(),
                    address: Some(document.address(heading.block)),
                    occurrences,
                    exported_as: vec![anchor],
                    ..shared::found_nowhere(&shown(tree.name(heading)))
                }
            }
            Asked::Anchor(place) => {
                let mut occurrences = used(&mut document.own_links(&place.name));
                occurrences.push(Occurrence { span: place.span, usage: Usage::Declaration, certain: true });
                occurrences.sort_by_key(|occurrence| occurrence.span.start);
                Resolution {
                    kind: "anchor".to_owned(),
                    occurrences,
                    exported_as: vec![place.name.clone()],
                    ..shared::found_nowhere(&place.name)
                }
            }
            Asked::Elsewhere(name, place) => {
                Resolution { kind: "anchor".to_owned(), elsewhere: Some(place), ..shared::found_nowhere(&name) }
            }
            Asked::Incoming(key) if document.others(&key) == Others::Code => {
                let imports = document.imports_of(&key);
                let occurrence = |usage| move |span| Occurrence { span, usage, certain: true };
                let mut occurrences: Vec<Occurrence> =
                    imports.iter().map(|import| import.span()).map(occurrence(Usage::Imported)).collect();
                let elements = imports.iter().filter_map(|import| document.elements(import, &key.name));
                occurrences.extend(elements.flatten().map(occurrence(Usage::Read)));
                let unsure = |span| Occurrence { span, usage: Usage::Read, certain: false };
                let possible = document.uses_of_wholes(&key).into_iter().chain(document.possible_uses(&key));
                let is_known = |span: &Span| occurrences.iter().any(|known| known.span == *span);
                let possible: Vec<Span> = possible.filter(|span| !is_known(span)).collect();
                occurrences.extend(possible.into_iter().map(unsure));
                occurrences.sort_by_key(|occurrence| occurrence.span.start);
                let is_plain = imports.iter().all(|import| document.elements(import, &key.name).is_some());
                let incomplete = (!is_plain).then(|| "code in this file may use it and was not checked".to_owned());
                Resolution { kind: "import".to_owned(), occurrences, incomplete, ..shared::found_nowhere(&key.name) }
            }
            Asked::Incoming(key) => Resolution {
                kind: "anchor".to_owned(),
                occurrences: used(&mut document.links_to(&key)),
                ..shared::found_nowhere(&key.name)
            },
            Asked::Nothing(name) => shared::found_nowhere(&name),
        })
    }

    fn rename(document: &MarkdownDocument, subject: Subject, new_name: &str) -> Result<Renaming> {
        match document.asked(subject)? {
            Asked::Heading(index) => rename::heading(document, index, new_name),
            Asked::Anchor(place) => rename::anchor(document, &place, new_name),
            Asked::Elsewhere(name, place) => Ok(Renaming { elsewhere: Some(place), ..shared::renamed_nowhere(&name) }),
            Asked::Incoming(key) if document.others(&key) == Others::Code => {
                let edits = document.renamed_imports(&document.imports_of(&key), new_name);
                let unresolved = document.uses_of_wholes(&key);
                Ok(Renaming { edits, unresolved, ..shared::renamed_nowhere(&key.name) })
            }
            Asked::Incoming(key) => rename::incoming(document, &key, new_name),
            Asked::Nothing(name) => Ok(shared::renamed_nowhere(&name)),
        }
    }
}
