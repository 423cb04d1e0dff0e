//! Names that a file uses without declaring them.

use std::collections::{BTreeMap, HashSet};

use marquetry_sdk::{Failure, FailureKind, Result, Span, fail};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{ReferenceId, Semantic};
use oxc_span::GetSpan as _;

use crate::imports::export_resolver::ExportMeaning;
use crate::imports::usage;
use crate::infer::builtins;
use crate::syntax::tree::Parsed;

/// A name to import.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MissingName {
    pub(crate) name: String,
    /// True if at least one use is a value.
    pub(crate) as_value: bool,
    /// True if at least one use is a type.
    pub(crate) as_type: bool,
    /// True if all uses are JSX tags.
    pub(crate) only_as_tag: bool,
    /// True if only JSDoc uses it.
    pub(crate) only_in_jsdoc: bool,
}

impl MissingName {
    /// Returns whether an export is of the kind that the uses need.
    pub(crate) fn accepts(&self, meaning: &ExportMeaning) -> bool {
        match (self.as_value, self.as_type) {
            (true, _) => meaning.is_value,
            (false, true) => meaning.is_type,
            (false, false) => true,
        }
    }
}

/// Returns all undeclared names, except those of the platform.
pub(crate) fn all_missing_names(parsed: &Parsed<'_>, path: &str) -> Vec<MissingName> {
    let mut names: BTreeMap<u32, MissingName> = BTreeMap::new();
    for (name, references) in parsed.semantic().scoping().root_unresolved_references() {
        if !builtins::is_platform_name(name.as_str())
            && !is_declared_locally(parsed, name.as_str())
            && let Some((at, missing)) = usage_of_references(parsed.semantic(), name.as_str(), references)
        {
            names.insert(at, missing);
        }
    }
    if let Some(factory) = missing_jsx_factory(parsed, path) {
        names.entry(u32::MAX).or_insert(factory);
    }
    if parsed.program.source_type.is_javascript() {
        let scoping = parsed.semantic().scoping();
        let declared = scoping.symbol_ids().map(|symbol| scoping.symbol_name(symbol));
        let known = names.values().map(|missing| missing.name.clone()).chain(declared.map(str::to_owned));
        let known: HashSet<String> = known.collect();
        let new =
            jsdoc_names(parsed).into_iter().filter(|name| !builtins::is_platform_name(name) && !known.contains(name));
        for (index, name) in new.enumerate() {
            names.insert(u32::MAX - 1 - index as u32, jsdoc_name(&name));
        }
    }
    names.into_values().collect()
}

/// Returns the requested name.
pub(crate) fn missing_name(parsed: &Parsed<'_>, path: &str, symbol: &str) -> Result<MissingName> {
    let scoping = parsed.semantic().scoping();
    let free = scoping.root_unresolved_references();
    let is_tag = || symbol != "this" && jsx_tags(parsed).any(|(name, _)| name == symbol);
    let factory = || missing_jsx_factory(parsed, path);
    // If the tag is only imported as a type and the JSX factory is missing as well, import the factory first.
    if is_declared(parsed, symbol)
        && free.contains_key(&Ident::from(symbol))
        && is_tag()
        && let Some(factory) = factory()
    {
        return Ok(factory);
    }
    if let Some(references) = free.get(&Ident::from(symbol))
        && let Some((_, missing)) = usage_of_references(parsed.semantic(), symbol, references)
    {
        if is_declared_locally(parsed, symbol) {
            return Err(fail(FailureKind::RefactorFailed, format!("the file declares `{symbol}` as something else"))
                .hint("rename the declaration in this file, or import the name under an alias"));
        }
        return Ok(missing);
    }
    // A declared tag may need the JSX factory.
    let fragment = matches!(symbol, "<>" | "</>");
    if let Some(factory) = factory().filter(|factory| factory.name == symbol || fragment || is_tag()) {
        return Ok(factory);
    }
    if !is_declared(parsed, symbol) && jsdoc_names(parsed).iter().any(|name| name == symbol) {
        return Ok(jsdoc_name(symbol));
    }
    let known = suggested_names(parsed, path);
    if is_declared(parsed, symbol) {
        return Err(fail(FailureKind::RefactorFailed, format!("`{symbol}` is already declared in this file"))
            .hint("give a name that is used but not declared")
            .candidates(known));
    }
    Err(Failure::not_found("undeclared name", symbol, known.iter().map(String::as_str)))
}

/// Returns the undeclared name of which a use is at a place.
pub(crate) fn missing_name_at(parsed: &Parsed<'_>, path: &str, place: Span) -> Result<MissingName> {
    let scoping = parsed.semantic().scoping();
    let touches = |span: oxc_span::Span| span.start <= place.end && place.start <= span.end;
    for (name, references) in scoping.root_unresolved_references() {
        let used_there = |id: &ReferenceId| touches(parsed.semantic().reference_span(scoping.get_reference(*id)));
        if !references.iter().any(used_there) {
            continue;
        }
        if builtins::is_platform_name(name.as_str()) {
            return Err(fail(FailureKind::RefactorFailed, format!("`{name}` is a global of the platform"))
                .hint("give it as `symbol` to import it from a module"));
        }
        if let Some((_, missing)) = usage_of_references(parsed.semantic(), name.as_str(), references) {
            return Ok(missing);
        }
    }
    if jsx_tags(parsed).any(|(_, span)| touches(span))
        && let Some(factory) = missing_jsx_factory(parsed, path)
    {
        return Ok(factory);
    }
    Err(fail(FailureKind::RefactorFailed, "the selection contains no undeclared name")
        .hint("give a name as `symbol`, or use `all`")
        .candidates(suggested_names(parsed, path)))
}

/// Returns names to suggest.
fn suggested_names(parsed: &Parsed<'_>, path: &str) -> Vec<String> {
    all_missing_names(parsed, path)
        .into_iter()
        .map(|missing| missing.name)
        .take(marquetry_sdk::failure::MAX_CANDIDATES)
        .collect()
}

fn jsdoc_name(name: &str) -> MissingName {
    MissingName { name: name.to_owned(), as_value: false, as_type: true, only_as_tag: false, only_in_jsdoc: true }
}

/// Returns the offset of the first use of an undeclared name, and how the name is used. `None` without references.
fn usage_of_references(semantic: &Semantic<'_>, name: &str, references: &[ReferenceId]) -> Option<(u32, MissingName)> {
    let mut missing =
        MissingName { name: name.to_owned(), as_value: false, as_type: false, only_as_tag: true, only_in_jsdoc: false };
    let mut first = None;
    for id in references {
        let reference = semantic.scoping().get_reference(*id);
        let at = semantic.reference_span(reference).start;
        first = Some(first.map_or(at, |first: u32| first.min(at)));
        let flags = reference.flags();
        // A `typeof` in a type does not need the value at run time.
        missing.as_value |= flags.is_value() && !flags.is_value_as_type();
        missing.as_type |= flags.is_type();
        let around = semantic.nodes().parent_kind(reference.node_id());
        missing.only_as_tag &= matches!(
            around,
            AstKind::JSXOpeningElement(_) | AstKind::JSXClosingElement(_) | AstKind::JSXMemberExpression(_)
        );
    }
    Some((first?, missing))
}

/// Returns the JSX factory of this file, if it is certain that the factory is needed and not declared.
fn missing_jsx_factory(parsed: &Parsed<'_>, path: &str) -> Option<MissingName> {
    if !parsed.program.source_type.is_jsx() || !usage::has_jsx(parsed) {
        return None;
    }
    let names = usage::required_jsx_names(parsed, path);
    let name = names.factory.filter(|_| names.is_certain)?;
    let scoping = parsed.semantic().scoping();
    let root = scoping.get_binding(scoping.root_scope_id(), Ident::from(name.as_str()));
    let is_value = root.is_some_and(|symbol| !scoping.symbol_flags(symbol).is_type_import());
    (!is_value).then_some(MissingName {
        name,
        as_value: true,
        as_type: false,
        only_as_tag: false,
        only_in_jsdoc: false,
    })
}

/// Returns the names of all opening and closing tags; those of fragments are empty.
fn jsx_tags<'p, 'a>(parsed: &'p Parsed<'a>) -> impl Iterator<Item = (&'p str, oxc_span::Span)> {
    let text = parsed.program.source_text;
    parsed.semantic().nodes().iter().filter_map(move |node| {
        let name = match node.kind() {
            AstKind::JSXOpeningElement(tag) => tag.name.span(),
            AstKind::JSXClosingElement(tag) => tag.name.span(),
            AstKind::JSXOpeningFragment(tag) => return Some(("", tag.span)),
            AstKind::JSXClosingFragment(tag) => return Some(("", tag.span)),
            _ => return None,
        };
        Some((name.source_text(text), name))
    })
}

/// Returns the names in the JSDoc of a JavaScript file.
fn jsdoc_names(parsed: &Parsed<'_>) -> Vec<String> {
    let mut names = HashSet::new();
    let text = parsed.program.source_text;
    for comment in parsed.program.comments.iter().filter(|comment| comment.is_block()) {
        let comment = comment.span.source_text(text);
        if !comment.contains("@import") {
            usage::add_jsdoc_names(comment, &mut names);
        }
    }
    // The names in these tags are declared by the tag or imported from another module.
    let tags = parsed.program.comments.iter().map(|comment| comment.span.source_text(text));
    let tags = tags.filter(|comment| comment.contains("@import") || comment.contains("@typedef"));
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
    let declared: HashSet<&str> = tags.flat_map(|tag| tag.split(move |char| !is_word(char))).collect();
    let is_free = |name: &String| !name.starts_with('@') && !declared.contains(name.as_str());
    let mut names: Vec<String> = names.into_iter().filter(is_free).collect();
    names.sort();
    names
}

/// Returns whether the file declares the name at the top level other than by an import.
fn is_declared_locally(parsed: &Parsed<'_>, name: &str) -> bool {
    let scoping = parsed.semantic().scoping();
    let root = scoping.get_binding(scoping.root_scope_id(), Ident::from(name));
    root.is_some_and(|symbol| {
        let flags = scoping.symbol_flags(symbol);
        !flags.is_import() && !flags.is_type_import()
    })
}

fn is_declared(parsed: &Parsed<'_>, name: &str) -> bool {
    let scoping = parsed.semantic().scoping();
    scoping.symbol_ids().any(|symbol| scoping.symbol_name(symbol) == name)
}
