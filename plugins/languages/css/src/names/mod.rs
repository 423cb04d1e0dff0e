//! Names in stylesheets. Classes, ids, custom properties, animations and placeholders are the same in all files. In
//! addition, there are the exports of CSS modules, and the members of SCSS and LESS.

mod address;
mod collect;
mod members;

use std::collections::BTreeSet;

use marquetry_sdk::{
    Destination, Edit, ExportedName, FailureKind, FileLocation, ImportKey, InterfaceFacts, Occurrence, RenameResult,
    RenamedExport, Request, Resolution, Result, Span, Subject, Symbols, Usage, fail,
    shared::{self, CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES, Mention, Mentions, Notation, PLACEHOLDER},
    stylesheet::modules,
    urls, workspace,
};

use self::collect::{Import, MODULE_NAMESPACE, StylesheetNames};
use crate::{
    Css,
    document::Stylesheet,
    links::{
        find::{self, FoundLink},
        resolve,
    },
    members::Members,
};

/// Namespaces of stylesheets.
const NAMESPACES: [&str; 5] = [CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES, PLACEHOLDER];

/// The name that a query refers to.
#[derive(Debug)]
enum NameQuery {
    /// A name in a namespace.
    Name { space: &'static str, name: String },
    /// An import from another file.
    Imported(ImportKey),
    /// A class that another CSS module declares, and the location of its declaration.
    Elsewhere(String, FileLocation),
    /// A symbol of program code. Stylesheets do not contain such symbols.
    CodeName(String),
}

fn resolve_query(document: &Stylesheet, known: &StylesheetNames, subject: Subject) -> Result<NameQuery> {
    let named = |space: &'static str, name: &str| NameQuery::Name { space, name: name.to_owned() };
    Ok(match subject {
        Subject::At(offset) => match known.imports.iter().find(|import| import.span.touches(offset as usize)) {
            Some(import) => NameQuery::Elsewhere(import.name.clone(), composed_class_location(document, import)?),
            None => known.mentions.at(offset).map(|mention| named(mention.namespace, &mention.name))?,
        },
        Subject::Address(address) => {
            let (space, name) = address::resolve_address(document, &known.mentions, &address)?;
            NameQuery::Name { space, name }
        }
        Subject::Exported(name) => named(MODULE_NAMESPACE, &name),
        Subject::Imported(key) => NameQuery::Imported(key),
        Subject::Shared(wanted) => match NAMESPACES.iter().find(|space| **space == wanted.namespace) {
            Some(space) => named(space, &wanted.name),
            None => return Err(shared::unknown_namespace(&wanted.namespace)),
        },
        Subject::ImportedDefault(key) => NameQuery::CodeName(key.called),
        Subject::Declared(key) => NameQuery::CodeName(key.name),
    })
}

impl Symbols for Css {
    fn facts(document: &Stylesheet) -> InterfaceFacts {
        let known = StylesheetNames::collect(document);
        let members = Members::from_tree(&document.tree);
        let mut exports = exports(&known.mentions);
        exports.extend(members::exports(&document.tree, &members));
        let mut imports = known.imported_names();
        imports.extend(members::imports(&members));
        InterfaceFacts { exports, imports, ..known.mentions.facts(|space| NAMESPACES.contains(&space)) }
    }

    fn resolve_symbol(document: &Stylesheet, subject: Subject) -> Result<Resolution> {
        if members::can_query_member(document, &subject) {
            let members = Members::from_tree(&document.tree);
            if let Some(query) = members::resolve_query(document, &members, &subject) {
                return members::resolve(document, &members, &query);
            }
        }
        let known = StylesheetNames::collect(document);
        match resolve_query(document, &known, subject)? {
            NameQuery::Name { space, name } => {
                let address = address::declaration_address(document, &known.mentions, space, &name);
                let found = known.mentions.resolution(space, &name, address);
                Ok(match space {
                    MODULE_NAMESPACE => {
                        let exported_as = exported_names(&known.mentions.names(MODULE_NAMESPACE), &name);
                        Resolution { shared: None, exported_as, ..found }
                    }
                    _ => found,
                })
            }
            NameQuery::CodeName(name) => Ok(shared::empty_resolution(&name)),
            NameQuery::Elsewhere(name, place) => {
                Ok(Resolution { elsewhere: Some(place), ..shared::empty_resolution(&name) })
            }
            NameQuery::Imported(key) => {
                let mut spans: Vec<Span> = import_occurrences(&known, &key).map(|import| import.span).collect();
                spans.extend(url_fragments(document, &key));
                let occurrence = |span| Occurrence { span, usage: Usage::Imported, certain: true };
                Ok(Resolution {
                    kind: "class".to_owned(),
                    occurrences: spans.into_iter().map(occurrence).collect(),
                    origin: known
                        .imported_names()
                        .into_iter()
                        .find(|import| matches_key(&key, &import.specifier, &import.name)),
                    ..shared::empty_resolution(&key.name)
                })
            }
        }
    }

    fn rename(document: &Stylesheet, subject: Subject, new_name: &str) -> Result<RenameResult> {
        if members::can_query_member(document, &subject) {
            let members = Members::from_tree(&document.tree);
            if let Some(query) = members::resolve_query(document, &members, &subject) {
                return members::rename(document, &members, &query, new_name);
            }
        }
        let known = StylesheetNames::collect(document);
        match resolve_query(document, &known, subject)? {
            NameQuery::Name { space: MODULE_NAMESPACE, name } => {
                shared::check_new_name(CSS_CLASS, new_name)?;
                let renaming = known.mentions.renaming(MODULE_NAMESPACE, &name, new_name)?;
                let new = |old: &str| if old == name { new_name.to_owned() } else { modules::camel_case(new_name) };
                let exported = exported_names(&known.mentions.names(MODULE_NAMESPACE), &name).into_iter();
                let exported = exported.map(|old| RenamedExport { new: new(&old), old }).collect();
                Ok(RenameResult { shared: None, exported, ..renaming })
            }
            NameQuery::Name { space, name } => known.mentions.renaming(space, &name, new_name),
            NameQuery::CodeName(name) => Ok(shared::empty_renaming(&name)),
            NameQuery::Elsewhere(name, place) => {
                Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&name) })
            }
            NameQuery::Imported(key) => {
                shared::check_new_name(CSS_CLASS, new_name)?;
                let edit = |import: &Import| Edit::new(import.span, Notation::Identifier.encode(new_name));
                let mut edits: Vec<Edit> = import_occurrences(&known, &key).map(edit).collect();
                let address = |span| Edit::new(span, Notation::Fragment.encode(new_name));
                edits.extend(url_fragments(document, &key).into_iter().map(address));
                edits.sort_by_key(|edit| edit.span.start);
                Ok(RenameResult { edits, ..shared::empty_renaming(&key.name) })
            }
        }
    }
}

/// Returns all occurrences of names in a stylesheet.
pub(crate) fn collect_mentions(document: &Stylesheet) -> Mentions {
    StylesheetNames::collect(document).mentions
}

/// Returns the exports of a CSS module.
fn exports(mentions: &Mentions) -> Vec<ExportedName> {
    let mut seen = BTreeSet::new();
    let own_names = mentions.names(MODULE_NAMESPACE);
    let own = mentions.mentions().iter().filter(|mention| mention.namespace == MODULE_NAMESPACE && mention.declares);
    let first = own.filter(|mention| seen.insert(&mention.name));
    let export = |mention: &Mention| {
        exported_names(&own_names, &mention.name)
            .into_iter()
            .map(|name| ExportedName {
                name,
                local: Some(mention.name.clone()),
                span: mention.span,
                kind: "class".to_owned(),
                type_only: false,
            })
            .collect::<Vec<_>>()
    };
    first.flat_map(export).collect()
}

/// Returns the names under which a module exports a class: the name of the class, and its camel-case form, which
/// bundlers provide for scripts. `own` are all names in the module, sorted.
fn exported_names(own: &[&str], name: &str) -> Vec<String> {
    let plain = modules::camel_case(name);
    let is_taken = plain == name || own.binary_search(&plain.as_str()).is_ok();
    let mut all = vec![name.to_owned()];
    all.extend((!is_taken).then_some(plain));
    all
}

/// Returns the location at which another module declares a composed class.
fn composed_class_location(document: &Stylesheet, import: &Import) -> Result<FileLocation> {
    let Import { specifier, name, .. } = import;
    let nothing = |why: String| {
        fail(FailureKind::RefactorFailed, why)
            .hint("only classes that are declared in the workspace can be renamed")
            .at(import.span)
    };
    let request = Request { kind: "composes".to_owned(), specifier: specifier.clone() };
    let Destination::Inside(target) = resolve::resolve_link(&document.path, &request) else {
        return Err(nothing(format!("`{specifier}` is not a file in the workspace")));
    };
    let text = workspace::read(&target.path).unwrap_or_default();
    let known = StylesheetNames::collect(&Stylesheet::open(&target.path, text));
    let own = |mention: &&Mention| mention.namespace == MODULE_NAMESPACE && mention.declares && mention.name == *name;
    let found = known.mentions.mentions().iter().find(own);
    let offset = found.ok_or_else(|| nothing(format!("no class `{name}` in `{}`", target.path)))?.span.start;
    Ok(FileLocation { path: target.path, offset })
}

/// Returns the occurrences of an imported name.
fn import_occurrences<'k>(known: &'k StylesheetNames, key: &'k ImportKey) -> impl Iterator<Item = &'k Import> {
    known.imports.iter().filter(|import| matches_key(key, &import.specifier, &import.name))
}

/// Returns the fragments of URLs that refer to an id in another file, such as an SVG image.
fn url_fragments(document: &Stylesheet, key: &ImportKey) -> Vec<Span> {
    let text = &document.tree.text;
    let is_requested = |found: &FoundLink| {
        let fragment = found.specifier.split_once('#').map(|(_, fragment)| urls::decode(fragment));
        found.kind == "url"
            && fragment.is_some_and(|fragment| fragment == key.name)
            && key.specifiers.contains(&found.specifier)
    };
    let found = find::find_links(&document.tree).into_iter().filter(is_requested);
    found
        .filter_map(|found| {
            Some(Span::new(found.span.range().start + found.span.slice(text).find('#')? + 1, found.span.range().end))
        })
        .collect()
}

fn matches_key(key: &ImportKey, specifier: &str, name: &str) -> bool {
    key.name == name && key.specifiers.iter().any(|known| known == specifier)
}
