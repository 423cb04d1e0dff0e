//! Names: classes, ids, custom properties and animations, which all files share, and what CSS modules export.

mod address;
mod collect;

use std::collections::BTreeSet;

use marquetry_sdk::{
    Edit, ExportedName, ImportKey, InterfaceFacts, Occurrence, Renamed, Renaming, Resolution, Result, Span, Subject,
    Symbols, Usage,
    shared::{self, CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES, Mentions, Spelling},
};

use self::collect::{Import, Known, MODULE};
use crate::{Css, document::Stylesheet};

/// The spaces that stylesheets know.
const SHARED: [&str; 4] = [CSS_CLASS, CSS_ID, CUSTOM_PROPERTY, KEYFRAMES];

/// What a file is asked for.
#[derive(Debug)]
enum Asked {
    /// A name of a space.
    Name { space: &'static str, name: String },
    /// What came in from another file.
    Imported(ImportKey),
    /// A name of code, which means nothing here.
    Nothing(String),
}

fn asked(document: &Stylesheet, known: &Known, subject: Subject) -> Result<Asked> {
    let named = |space: &'static str, name: &str| Asked::Name { space, name: name.to_owned() };
    Ok(match subject {
        Subject::At(offset) => match known.imports.iter().find(|import| import.span.touches(offset as usize)) {
            Some(import) => {
                Asked::Imported(ImportKey { specifiers: vec![import.specifier.clone()], name: import.name.clone() })
            }
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
        InterfaceFacts {
            exports: exports(&known.mentions),
            imports: known.imported(),
            ..known.mentions.facts(|space| SHARED.contains(&space))
        }
    }

    fn resolve_symbol(document: &Stylesheet, subject: Subject) -> Result<Resolution> {
        let known = Known::of(document);
        match asked(document, &known, subject)? {
            Asked::Name { space, name } => {
                let address = address::of_declaration(document, &known.mentions, space, &name);
                let found = known.mentions.resolution(space, &name, address);
                Ok(match space {
                    MODULE => Resolution { shared: None, exported_as: vec![name], ..found },
                    _ => found,
                })
            }
            Asked::Nothing(name) => Ok(shared::found_nowhere(&name)),
            Asked::Imported(key) => {
                let spans: Vec<Span> = places(&known, &key).map(|import| import.span).collect();
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
        let known = Known::of(document);
        match asked(document, &known, subject)? {
            Asked::Name { space: MODULE, name } => {
                shared::check_new_name(CSS_CLASS, new_name)?;
                let renamed = Renamed { old: name.clone(), new: new_name.to_owned() };
                let renaming = known.mentions.renaming(MODULE, &name, new_name)?;
                Ok(Renaming { shared: None, exported: vec![renamed], ..renaming })
            }
            Asked::Name { space, name } => known.mentions.renaming(space, &name, new_name),
            Asked::Nothing(name) => Ok(shared::renamed_nowhere(&name)),
            Asked::Imported(key) => {
                shared::check_new_name(CSS_CLASS, new_name)?;
                let edit = |import: &Import| Edit::new(import.span, Spelling::Identifier.spelled(new_name));
                let edits = places(&known, &key).map(edit).collect();
                Ok(Renaming { edits, ..shared::renamed_nowhere(&key.name) })
            }
        }
    }
}

/// Every place of a stylesheet that has a name.
pub(crate) fn mentions(document: &Stylesheet) -> Mentions {
    Known::of(document).mentions
}

/// What a CSS module exports.
fn exports(mentions: &Mentions) -> Vec<ExportedName> {
    let mut seen = BTreeSet::new();
    let own = mentions.all().iter().filter(|mention| mention.space == MODULE && mention.declares);
    let first = own.filter(|mention| seen.insert(&mention.name));
    let export = |mention: &shared::Mention| ExportedName {
        name: mention.name.clone(),
        local: Some(mention.name.clone()),
        span: mention.span,
        kind: "class".to_owned(),
        type_only: false,
    };
    first.map(export).collect()
}

/// The places where a name from another file stands.
fn places<'k>(known: &'k Known, key: &'k ImportKey) -> impl Iterator<Item = &'k Import> {
    known.imports.iter().filter(|import| is_meant(key, &import.specifier, &import.name))
}

fn is_meant(key: &ImportKey, specifier: &str, name: &str) -> bool {
    key.name == name && key.specifiers.iter().any(|known| known == specifier)
}
