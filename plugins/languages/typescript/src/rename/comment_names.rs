//! Renaming names that JSDoc comments declare or import: `@typedef`, `@callback`, `@template`, `@import`.

use marquetry_sdk::{DeclaredKey, Result, Usage};
use oxc_ast::ast::Ident;
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::jsdoc::{self, Mention, MentionKind};
use crate::program::ResolvedModule;
use crate::program::comment_names::{CommentName, CommentNameKind, comment_names};
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::rename::Usages;
use crate::rename::conflicts::collision_failure;
use crate::rename::shorthands::{Shorthand, ShorthandPart};
use crate::rename::subject::ResolvedSubject;
use crate::rename::uses::{FoundUses, Use};

/// Finds uses of a name that an `@import` tag imports for comments.
pub(super) fn usages_of_jsdoc_import(checker: &Checker<'_>, name: String) -> Usages {
    let here = checker.open_module();
    let mut uses = Vec::new();
    for import in jsdoc::tag_imports(&here) {
        if import.local.source_text(here.text()) == name {
            let pair = (import.local == import.name).then_some((Shorthand::Import, ShorthandPart::Second));
            uses.push(Use { shorthand: pair, ..Use::simple(import.local, Usage::InComment) });
        }
    }
    for mention in jsdoc::mentions(&here, &name) {
        let first = mention.parts[0];
        if mention.kind == MentionKind::Name && first.source_text(here.text()) == name {
            uses.push(Use::simple(first, Usage::InComment));
        }
    }
    uses.sort_by_key(|found| found.span.start);
    Usages { found: FoundUses { uses, ..FoundUses::default() }, name, ..Usages::default() }
}

/// Finds uses of the name that a tag declares at an offset.
pub(super) fn usages_of_comment_name(checker: &Checker<'_>, name: String, at: u32) -> Usages {
    let here = checker.open_module();
    let mut usages = Usages { name, ..Usages::default() };
    let names = comment_names(&here);
    let Some(declared) = names.iter().find(|declared| declared.span.start == at) else { return usages };
    let mut uses = vec![Use { is_binding: true, ..Use::simple(declared.span, Usage::Declaration) }];
    for mention in jsdoc::mentions(&here, &usages.name) {
        if declaration_of(checker, &names, &mention).is_some_and(|it| it.span == declared.span) {
            uses.push(Use::simple(mention.parts[0], Usage::InComment));
        }
    }
    uses.sort_by_key(|found| found.span.start);
    usages.found.uses = uses;
    if declared.kind == CommentNameKind::Type {
        if here.is_module() {
            usages.exported = vec![usages.name.clone()];
        } else {
            let place = checker.location_of(Site { module: OPEN_DOCUMENT, offset: at });
            let (name, forms) = (usages.name.clone(), Vec::new());
            usages.declared = Some(DeclaredKey { name, locations: vec![place], forms });
        }
    }
    usages
}

/// Lists the mentions of a type that a comment of a script declares: all scripts share it. `None` if the key is that of
/// something else.
pub(super) fn mentions_of_shared_type(checker: &Checker<'_>, key: &DeclaredKey) -> Option<Usages> {
    let sites: Vec<Site> = key.locations.iter().filter_map(|place| checker.site_at(place)).collect();
    let is_declared = |site: &Site| {
        let names = comment_names(&checker.module(site.module));
        names.iter().any(|name| name.span.start == site.offset)
    };
    let own = sites.iter().find(|site| is_declared(site))?;
    if own.module == OPEN_DOCUMENT {
        let usages = usages_of_comment_name(checker, key.name.clone(), own.offset);
        return Some(Usages { declared: Some(key.clone()), ..usages });
    }
    let here = checker.open_module();
    let names = comment_names(&here);
    let mut found = FoundUses::default();
    for mention in jsdoc::mentions(&here, &key.name) {
        let is_free = is_free_name(checker, &mention) && declaration_of(checker, &names, &mention).is_none();
        if is_free && mention.parts[0].source_text(here.text()) == key.name {
            found.unresolved.push(mention.parts[0]);
        }
    }
    Some(Usages { name: key.name.clone(), found, declared: Some(key.clone()), ..Usages::default() })
}

/// Returns whether the first part of a mention is a name that no code declares.
fn is_free_name(checker: &Checker<'_>, mention: &Mention) -> bool {
    mention.kind == MentionKind::Name && checker.mention_sites(OPEN_DOCUMENT, mention, 0).sites.is_empty()
}

/// Returns the declaration in a comment that the first part of a mention refers to.
fn declaration_of<'n>(checker: &Checker<'_>, names: &'n [CommentName], mention: &Mention) -> Option<&'n CommentName> {
    let here = checker.open_module();
    let (text, first) = (here.text(), mention.parts[0]);
    let is_same = |declared: &&CommentName| declared.span.source_text(text) == first.source_text(text);
    let is_in_reach = |declared: &&CommentName| {
        declared.comment.contains_inclusive(first)
            || documented_code(checker, declared).is_some_and(|code| code.contains_inclusive(first))
    };
    let mut parameters = names.iter().filter(|it| it.kind == CommentNameKind::Parameter).filter(is_same);
    if mention.kind != MentionKind::Name {
        return None;
    }
    // The innermost declaration is the last one that reaches the mention.
    if let Some(parameter) = parameters.rfind(is_in_reach) {
        return Some(parameter);
    }
    let mut types = names.iter().filter(|it| it.kind == CommentNameKind::Type).filter(is_same);
    types.next().filter(|_| is_free_name(checker, mention))
}

/// Returns the function or class that a comment with type parameters documents.
fn documented_code(checker: &Checker<'_>, declared: &CommentName) -> Option<Span> {
    let here = checker.open_module();
    let names_type = |kind: CommentNameKind| kind == CommentNameKind::Type;
    let is_type = comment_names(&here).iter().any(|it| it.comment == declared.comment && names_type(it.kind));
    if is_type || declared.code_offset == 0 {
        return None;
    }
    let nodes = here.semantic().nodes().iter();
    let starts = nodes.map(|node| node.kind().span()).filter(|span| span.start == declared.code_offset);
    starts.max_by_key(|span| span.end)
}

/// Returns the name at an offset of a comment, if a tag declares it there, or the declaration that a mention refers to.
pub(super) fn resolve_comment_name(checker: &Checker<'_>, offset: u32) -> Option<ResolvedSubject> {
    let here = checker.open_module();
    let names = comment_names(&here);
    let subject = |declared: &CommentName| ResolvedSubject::CommentName {
        name: declared.span.source_text(here.text()).to_owned(),
        at: declared.span.start,
    };
    let touches = |span: Span| span.start <= offset && offset < span.end;
    if let Some(declared) = names.iter().find(|declared| touches(declared.span)) {
        return Some(subject(declared));
    }
    let rest = here.text().get(offset as usize..)?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let start = here.text()[..offset as usize].trim_end_matches(is_part).len();
    let end = offset as usize + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let name = here.text().get(start..end).filter(|name| !name.is_empty())?;
    let mention = jsdoc::mentions(&here, name).into_iter().find(|it| it.parts[0].start as usize == start)?;
    match &mention.kind {
        MentionKind::Import(specifier) => imported_comment_name(checker, specifier, name),
        _ => declaration_of(checker, &names, &mention).map(subject),
    }
}

/// Returns the type that a comment of another module declares.
pub(super) fn imported_comment_name(checker: &Checker<'_>, specifier: &str, name: &str) -> Option<ResolvedSubject> {
    let text = checker.open_module().text();
    let at = text.find(specifier)?;
    let ResolvedModule::Module(found) = checker.resolve_module(OPEN_DOCUMENT, &text[at..at + specifier.len()]) else {
        return None;
    };
    let offset = type_in_comment(checker, found.module, name)?;
    let place = checker.location_of(Site { module: found.module, offset });
    Some(ResolvedSubject::Elsewhere { name: name.to_owned(), place })
}

/// Returns the type with a name that a comment of the open document declares.
pub(super) fn own_comment_name(checker: &Checker<'_>, name: &str) -> Option<ResolvedSubject> {
    let at = type_in_comment(checker, OPEN_DOCUMENT, name)?;
    Some(ResolvedSubject::CommentName { name: name.to_owned(), at })
}

/// Returns the offset of the type with a name that a comment of a module declares.
fn type_in_comment(checker: &Checker<'_>, module: u32, name: &str) -> Option<u32> {
    let loaded = checker.module(module);
    let names = comment_names(&loaded);
    let is_it = |it: &&CommentName| it.kind == CommentNameKind::Type && it.span.source_text(loaded.text()) == name;
    names.iter().find(is_it).map(|it| it.span.start)
}

/// Refuses a new name for a name of comments that another declaration already has.
pub(super) fn check_new_name(checker: &Checker<'_>, usages: &Usages, new: &str) -> Result<()> {
    let here = checker.open_module();
    let names = comment_names(&here);
    let is_renamed = |declared: &&CommentName| usages.found.uses.iter().any(|found| found.span == declared.span);
    let Some(renamed) = names.iter().find(is_renamed) else { return Ok(()) };
    let is_taken = |other: &&CommentName| {
        let is_near = renamed.kind == CommentNameKind::Type || other.comment == renamed.comment;
        is_near && other.span.source_text(here.text()) == new
    };
    let of_code = here.scoping().get_root_binding(Ident::from(new)).map(|symbol| here.scoping().symbol_span(symbol));
    match names.iter().find(is_taken).map(|other| other.span).or(of_code) {
        Some(at) => Err(collision_failure(format!("`{new}` is already declared in this file"), at)),
        None => Ok(()),
    }
}
