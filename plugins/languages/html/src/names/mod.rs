//! Names in a page: classes, ids, custom properties and animations. All of them can also be used in other files.

mod collect;
mod scripts;
mod templates;

use marquetry_sdk::{
    Edit, FailureKind, ImportKey, InterfaceFacts, Occurrence, RenameResult, Resolution, Result, Subject, Symbols,
    Usage, fail,
    refactor::{Refactoring, Refactors},
    shared::{self, CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES, Mentions, Notation},
    stylesheet::chars::{escape_identifier, ident_end, unescape},
    urls,
};

use crate::{
    Html,
    document::HtmlDocument,
    syntax::{Id, Tree},
    target,
};

/// Namespaces of a page.
const NAMESPACES: [&str; 4] = [CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES];

/// Returns the namespace and the name that a query refers to.
fn resolve_query(document: &HtmlDocument, mentions: &Mentions, subject: Subject) -> Result<(&'static str, String)> {
    match subject {
        Subject::At(offset) => mentions.at(offset).map(|mention| (mention.namespace, mention.name.clone())),
        Subject::Address(address) => resolve_address(document, mentions, address.trim()),
        Subject::Shared(wanted) => match NAMESPACES.iter().find(|space| **space == wanted.namespace) {
            Some(space) => Ok((space, wanted.name)),
            None => Err(shared::unknown_namespace(&wanted.namespace)),
        },
        Subject::Exported(_) | Subject::Imported(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => {
            Err(fail(FailureKind::TargetNotFound, "an HTML page does not export names"))
        }
    }
}

/// Returns the name if the query is about a symbol of program code. Its uses in the scripts of a page are unknown.
fn code_name(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Exported(name) => Some(name),
        Subject::Imported(key) => Some(&key.name),
        Subject::ImportedDefault(key) => Some(&key.called),
        Subject::Declared(key) => Some(&key.name),
        Subject::At(_) | Subject::Address(_) | Subject::Shared(_) => None,
    }
}

/// Returns whether the anchors of the imported file are its ids. This is the case for SVG images and other XML.
fn has_id_anchors(key: &ImportKey) -> bool {
    key.specifiers.iter().all(|specifier| {
        let path = urls::split(specifier).0;
        path.ends_with(".svg") || path.ends_with(".xml")
    })
}

/// Resolves an address to a name. The address is `.class`, `#id`, `--property`, `@keyframes name` or a selector. A
/// selector that ends with a class or id stands for this name. Any other selector stands for the id of the element that
/// it finds, or for the only class of this element.
fn resolve_address(document: &HtmlDocument, mentions: &Mentions, address: &str) -> Result<(&'static str, String)> {
    if address.starts_with("--") {
        return resolve_known_name(mentions, CUSTOM_PROPERTY, &unescape(address), address);
    }
    if let Some(name) = address.strip_prefix("@keyframes") {
        return resolve_known_name(mentions, KEYFRAMES, &unescape(name.trim()), address);
    }
    if let Some((space, name)) = last_name(address) {
        return resolve_known_name(mentions, space, &name, address);
    }
    let tree = &document.tree;
    let (selector, _) = target::split_target(address);
    let found: Vec<Id> =
        target::select(tree, selector)?.iter().filter(|id| !tree.element(*id).implied).take(2).collect();
    let candidates = element_names(tree, found.first().copied());
    match (&found[..], &candidates[..]) {
        ([], _) => Err(fail(FailureKind::TargetNotFound, format!("no element `{address}`"))
            .hint("use a class or an id of the page: `.button`, `#main`")),
        ([_], [(space, name)]) => Ok((space, name.clone())),
        ([_], []) => Err(fail(FailureKind::TargetNotFound, format!("`{address}` has neither id nor class"))
            .hint("use a class or an id of the page: `.button`, `#main`")),
        _ => Err(fail(FailureKind::AmbiguousTarget, format!("`{address}` has several names"))
            .hint("use one of the candidates")
            .candidates(candidates.iter().map(|(space, name)| display_address(space, name)))),
    }
}

/// Returns the id of an element, or its classes if it has no id.
fn element_names(tree: &Tree, id: Option<Id>) -> Vec<(&'static str, String)> {
    let Some(id) = id else { return Vec::new() };
    let own = tree.attribute_value(id, "id").filter(|own| !own.is_empty());
    if let Some(own) = own {
        return vec![(CSS_ID, own.into_owned())];
    }
    let classes = tree.attribute_value(id, "class").unwrap_or_default();
    classes.split_ascii_whitespace().map(|class| (CSS_CLASS, class.to_owned())).collect()
}

/// Returns the class or id at the end of a selector.
fn last_name(selector: &str) -> Option<(&'static str, String)> {
    let at = selector.rfind(['.', '#'])?;
    // An escaped character is not a delimiter.
    let at = if selector[..at].ends_with('\\') { selector.find(['.', '#'])? } else { at };
    let space = if selector.as_bytes()[at] == b'.' { CSS_CLASS } else { CSS_ID };
    let written = &selector[at + 1..];
    (ident_end(written, 0) == Some(written.len())).then(|| (space, unescape(written).into_owned()))
}

fn resolve_known_name(
    mentions: &Mentions,
    space: &'static str,
    name: &str,
    address: &str,
) -> Result<(&'static str, String)> {
    if mentions.referring_to(space, name).next().is_some() {
        return Ok((space, name.to_owned()));
    }
    let names = mentions.names(space);
    let shown: Vec<String> = names.iter().map(|name| display_address(space, name)).collect();
    Err(marquetry_sdk::Failure::not_found(shared::name_kind(space), address, shown.iter().map(String::as_str)))
}

/// Returns the address of a name, such as `.class` or `#id`.
fn display_address(space: &str, name: &str) -> String {
    let written = escape_identifier(name);
    match space {
        CSS_CLASS => format!(".{written}"),
        CSS_ID => format!("#{written}"),
        KEYFRAMES => format!("@keyframes {written}"),
        _ => written,
    }
}

impl Symbols for Html {
    fn facts(document: &HtmlDocument) -> InterfaceFacts {
        let mut facts = collect::collect_mentions(&document.tree).facts(|space| NAMESPACES.contains(&space));
        facts.imports.extend(scripts::imported_names(&document.tree));
        facts
    }

    fn resolve_symbol(document: &HtmlDocument, subject: Subject) -> Result<Resolution> {
        if let Subject::Imported(key) = &subject
            && has_id_anchors(key)
        {
            let occurrence = |span| Occurrence { span, usage: Usage::Read, certain: true };
            let occurrences = collect::link_fragments(&document.tree, key).into_iter().map(occurrence).collect();
            return Ok(Resolution { occurrences, ..shared::empty_resolution(&key.name) });
        }
        if let Subject::Imported(key) = &subject {
            let named = scripts::ExportOccurrences::find(&document.tree, key);
            let imports = named.imports.iter().map(|(span, _)| (*span, Usage::Imported, true));
            let unsure = named.uncertain.iter().map(|span| (*span, Usage::Read, false));
            let mut occurrences: Vec<Occurrence> =
                imports.chain(unsure).map(|(span, usage, certain)| Occurrence { span, usage, certain }).collect();
            occurrences.sort_by_key(|occurrence| occurrence.span.start);
            return Ok(Resolution { occurrences, ..shared::empty_resolution(&key.name) });
        }
        if let Some(name) = code_name(&subject) {
            return Ok(shared::empty_resolution(name));
        }
        let mentions = collect::collect_mentions(&document.tree);
        let (space, name) = resolve_query(document, &mentions, subject)?;
        let declared = || {
            let tree = &document.tree;
            let own =
                (0..tree.element_count()).find(|id| tree.attribute_value(*id, "id").is_some_and(|own| own == name))?;
            Some(document.address(own))
        };
        let address = if space == CSS_ID { declared() } else { None };
        let mut found = mentions.resolution(space, &name, address);
        let in_scripts = collect::strings_in_scripts(&document.tree, &name);
        let unsure = |span| Occurrence { span, usage: Usage::InString, certain: false };
        found.occurrences.extend(in_scripts.into_iter().map(unsure));
        found.occurrences.sort_by_key(|occurrence| occurrence.span.start);
        Ok(found)
    }

    fn rename(document: &HtmlDocument, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if let Subject::Imported(key) = &subject {
            let places = collect::link_fragments(&document.tree, key);
            if has_id_anchors(key) {
                shared::check_new_name(CSS_ID, new_name)?;
                let edit = |span| Edit::new(span, Notation::Fragment.encode(new_name));
                let edits = places.into_iter().map(edit).collect();
                return Ok(RenameResult { edits, ..shared::empty_renaming(&key.name) });
            }
            let named = scripts::ExportOccurrences::find(&document.tree, key);
            let edits = named.rename_edits(&key.name, new_name);
            // It is unknown how the other file derives its anchors from its content, so the links to them are not
            // changed.
            let mut unresolved: Vec<_> = places.into_iter().chain(named.uncertain).collect();
            unresolved.sort_by_key(|span| span.start);
            return Ok(RenameResult { edits, unresolved, ..shared::empty_renaming(&key.name) });
        }
        if let Some(name) = code_name(&subject) {
            return Ok(shared::empty_renaming(name));
        }
        let mentions = collect::collect_mentions(&document.tree);
        let (space, name) = resolve_query(document, &mentions, subject)?;
        let mut renaming = mentions.renaming(space, &name, new_name)?;
        renaming.unresolved.extend(collect::strings_in_scripts(&document.tree, &name));
        renaming.unresolved.sort_by_key(|span| span.start);
        Ok(renaming)
    }
}

impl Refactors for Html {
    fn table() -> &'static [Refactoring<HtmlDocument>] {
        &[]
    }
}
