//! Names: classes, ids, custom properties, animations and placeholders, which all files share; exports of CSS modules;
//! and members in SCSS and LESS.

mod address;
mod collect;
mod members;

use std::collections::BTreeSet;

use marquetry_sdk::{
    Destination, Edit, ExportedName, FailureKind, ImportKey, InterfaceFacts, Occurrence, Place, Renamed, Renaming,
    Request, Resolution, Result, Span, Subject, Symbols, Usage, fail,
    shared::{self, CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES, Mention, Mentions, PLACEHOLDER, Spelling},
    stylesheet::modules,
    urls, workspace,
};

use self::collect::{Import, Known, MODULE};
use crate::{
    Css,
    document::Stylesheet,
    links::{
        find::{self, Found},
        resolve,
    },
    members::Members,
};

/// Namespaces of stylesheets.
const SHARED: [&str; 5] = [CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES, PLACEHOLDER];

/// The name that a query refers to.
#[derive(Debug)]
enum Asked {
    /// A name in a namespace.
    Name { space: &'static str, name: String },
    /// An import from another file.
    Imported(ImportKey),
    /// A class of another module, with the location of its declaration.
    Elsewhere(String, Place),
    /// A name of program code, which has no meaning in a stylesheet.
    Nothing(String),
}

fn asked(document: &Stylesheet, known: &Known, subject: Subject) -> Result<Asked> {
    let named = |space: &'static str, name: &str| Asked::Name { space, name: name.to_owned() };
    Ok(match subject {
        Subject::At(offset) => match known.imports.iter().find(|import| import.span.touches(offset as usize)) {
            Some(import) => Asked::Elsewhere(import.name.clone(), composed(document, import)?),
            None => known.mentions.at(offset).map(|mention| named(mention.space, &mention.name))?,
        },
        Subject::Address(address) => {
            let (space, name) = address::name_of(document, &known.mentions, &address)?;
            Asked::Name { space, name }
        }
        Subject::Exported(name) => named(MODULE, &name),
        Subject::Imported(key) => Asked::Imported(key),
        Subject::Shared(wanted) => match SHARED.iter().find(|space| **space == wanted.space) {
            Some(space) => named(space, &wanted.name),
            None => return Err(shared::unknown_space(&wanted.space)),
        },
        Subject::ImportedDefault(key) => Asked::Nothing(key.called),
        Subject::Declared(key) => Asked::Nothing(key.name),
    })
}

impl Symbols for Css {
    fn facts(document: &Stylesheet) -> InterfaceFacts {
        let known = Known::of(document);
        let members = Members::of(&document.tree);
        let mut exports = exports(&known.mentions);
        exports.extend(members::exports(&document.tree, &members));
        let mut imports = known.imported();
        imports.extend(members::imports(&members));
        InterfaceFacts { exports, imports, ..known.mentions.facts(|space| SHARED.contains(&space)) }
    }

    fn resolve_symbol(document: &Stylesheet, subject: Subject) -> Result<Resolution> {
        if members::may_ask(document, &subject) {
            let members = Members::of(&document.tree);
            if let Some(asked) = members::asked(document, &members, &subject) {
                return members::resolve(document, &members, &asked);
            }
        }
        let known = Known::of(document);
        match asked(document, &known, subject)? {
            Asked::Name { space, name } => {
                let address = address::of_declaration(document, &known.mentions, space, &name);
                let found = known.mentions.resolution(space, &name, address);
                Ok(match space {
                    MODULE => {
                        let exported_as = exported_as(&known.mentions.names(MODULE), &name);
                        Resolution { shared: None, exported_as, ..found }
                    }
                    _ => found,
                })
            }
            Asked::Nothing(name) => Ok(shared::found_nowhere(&name)),
            Asked::Elsewhere(name, place) => Ok(Resolution { elsewhere: Some(place), ..shared::found_nowhere(&name) }),
            Asked::Imported(key) => {
                let mut spans: Vec<Span> = places(&known, &key).map(|import| import.span).collect();
                spans.extend(addresses(document, &key));
                let occurrence = |span| Occurrence { span, usage: Usage::Imported, certain: true };
                Ok(Resolution {
                    kind: "class".to_owned(),
                    occurrences: spans.into_iter().map(occurrence).collect(),
                    origin: known.imported().into_iter().find(|import| is_meant(&key, &import.specifier, &import.name)),
                    ..shared::found_nowhere(&key.name)
                })
            }
        }
    }

    fn rename(document: &Stylesheet, subject: Subject, new_name: &str) -> Result<Renaming> {
        if members::may_ask(document, &subject) {
            let members = Members::of(&document.tree);
            if let Some(asked) = members::asked(document, &members, &subject) {
                return members::rename(document, &members, &asked, new_name);
            }
        }
        let known = Known::of(document);
        match asked(document, &known, subject)? {
            Asked::Name { space: MODULE, name } => {
                shared::check_new_name(CSS_CLASS, new_name)?;
                let renaming = known.mentions.renaming(MODULE, &name, new_name)?;
                let new = |old: &str| if old == name { new_name.to_owned() } else { modules::in_code(new_name) };
                let exported = exported_as(&known.mentions.names(MODULE), &name).into_iter();
                let exported = exported.map(|old| Renamed { new: new(&old), old }).collect();
                Ok(Renaming { shared: None, exported, ..renaming })
            }
            Asked::Name { space, name } => known.mentions.renaming(space, &name, new_name),
            Asked::Nothing(name) => Ok(shared::renamed_nowhere(&name)),
            Asked::Elsewhere(name, place) => Ok(Renaming { elsewhere: Some(place), ..shared::renamed_nowhere(&name) }),
            Asked::Imported(key) => {
                shared::check_new_name(CSS_CLASS, new_name)?;
                let edit = |import: &Import| Edit::new(import.span, Spelling::Identifier.spelled(new_name));
                let mut edits: Vec<Edit> = places(&known, &key).map(edit).collect();
                let address = |span| Edit::new(span, Spelling::Fragment.spelled(new_name));
                edits.extend(addresses(document, &key).into_iter().map(address));
                edits.sort_by_key(|edit| edit.span.start);
                Ok(Renaming { edits, ..shared::renamed_nowhere(&key.name) })
            }
        }
    }
}

/// All occurrences of names in a stylesheet.
pub(crate) fn mentions(document: &Stylesheet) -> Mentions {
    Known::of(document).mentions
}

/// Exports of a CSS module.
fn exports(mentions: &Mentions) -> Vec<ExportedName> {
    let mut seen = BTreeSet::new();
    let own_names = mentions.names(MODULE);
    let own = mentions.all().iter().filter(|mention| mention.space == MODULE && mention.declares);
    let first = own.filter(|mention| seen.insert(&mention.name));
    let export = |mention: &Mention| {
        exported_as(&own_names, &mention.name)
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

/// Names under which a module exports a class: its own, and the camel-case form that bundlers offer to code. `own` are
/// all names of the module, sorted.
fn exported_as(own: &[&str], name: &str) -> Vec<String> {
    let plain = modules::in_code(name);
    let is_taken = plain == name || own.binary_search(&plain.as_str()).is_ok();
    let mut all = vec![name.to_owned()];
    all.extend((!is_taken).then_some(plain));
    all
}

/// Location at which the other module declares a composed class.
fn composed(document: &Stylesheet, import: &Import) -> Result<Place> {
    let Import { specifier, name, .. } = import;
    let nothing = |why: String| {
        fail(FailureKind::RefactorFailed, why)
            .hint("only classes that are declared in the workspace can be renamed")
            .at(import.span)
    };
    let request = Request { kind: "composes".to_owned(), specifier: specifier.clone() };
    let Destination::Inside(target) = resolve::resolve(&document.path, &request) else {
        return Err(nothing(format!("`{specifier}` is not a file in the workspace")));
    };
    let text = workspace::read(&target.path).unwrap_or_default();
    let known = Known::of(&Stylesheet::open(&target.path, text));
    let own = |mention: &&Mention| mention.space == MODULE && mention.declares && mention.name == *name;
    let found = known.mentions.all().iter().find(own);
    let offset = found.ok_or_else(|| nothing(format!("no class `{name}` in `{}`", target.path)))?.span.start;
    Ok(Place { path: target.path, offset })
}

/// Occurrences of an imported name.
fn places<'k>(known: &'k Known, key: &'k ImportKey) -> impl Iterator<Item = &'k Import> {
    known.imports.iter().filter(|import| is_meant(key, &import.specifier, &import.name))
}

/// Fragments of addresses that refer to an id in another file, such as an SVG image.
fn addresses(document: &Stylesheet, key: &ImportKey) -> Vec<Span> {
    let text = &document.tree.text;
    let leads = |found: &Found| {
        let fragment = found.specifier.split_once('#').map(|(_, fragment)| urls::decoded(fragment));
        found.kind == "url"
            && fragment.is_some_and(|fragment| fragment == key.name)
            && key.specifiers.contains(&found.specifier)
    };
    let found = find::links(&document.tree).into_iter().filter(leads);
    found
        .filter_map(|found| {
            Some(Span::new(found.span.range().start + found.span.of(text).find('#')? + 1, found.span.range().end))
        })
        .collect()
}

fn is_meant(key: &ImportKey, specifier: &str, name: &str) -> bool {
    key.name == name && key.specifiers.iter().any(|known| known == specifier)
}
