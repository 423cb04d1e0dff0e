//! Code for the template of a component. It is parsed on its own and becomes the last statement of the script's
//! program, with the offsets of the document: expressions refer to the names of the script, components are JSX elements
//! with their attributes, and blocks such as `v-for` and `{#each}` are scopes.
//!
//! Code that cannot be parsed is left out, and its names are found as words.

mod astro;
mod astro_scan;
mod markup;
mod names;
mod patterns;
mod styles;
mod svelte;
mod svelte_tags;
#[cfg(test)]
mod tests;
mod vue;
mod vue_names;
mod writer;

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast::builder::AstBuilder;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};

use crate::syntax::components::{Kind, Template};
use crate::syntax::depth;
use markup::read_tag;
pub(crate) use markup::{camel_case, pascal_case};
use names::ScriptNames;
use writer::{Writer, WrittenCode};

/// Adds the code of a component's template to the program of its scripts. The text of the program then has the parts of
/// the template that were read. Returns whether these are all.
pub(super) fn add_template<'a>(
    arena: &'a Allocator,
    template: &Template,
    text: &str,
    program: &mut Program<'a>,
) -> bool {
    let mut names = ScriptNames::collect(program);
    names.has_members = template.kind == Kind::Vue;
    names.is_options = template.kind == Kind::Vue && !template.is_setup;
    names.has_stores = template.kind == Kind::Svelte;
    if names.has_stores {
        StoreNames { names: &names }.visit_program(program);
    }
    let mut writer = Writer::new(text, &names);
    match template.kind {
        Kind::Vue => vue::write(&mut writer, &template.parts),
        Kind::Svelte => svelte::write(&mut writer, &template.parts),
        Kind::Astro => astro::write(&mut writer, &template.parts),
    }
    // Only Vue has expressions in styles.
    for style in template.styles.iter().filter(|_| template.kind == Kind::Vue) {
        styles::write(&mut writer, style.clone());
    }
    let written = writer.finish();
    if !written.text.is_empty() {
        let Some(code) = parse(arena, &written, template.script_start, program) else { return false };
        program.body.push(code);
    }
    let mut shown = program.source_text.as_bytes().to_vec();
    written.show(text, &template.parts, &mut shown);
    written.show(text, &template.styles, &mut shown);
    styles::hide_rules(&template.styles, &mut shown);
    // Whole characters were copied over spaces, or blanked out.
    if let Ok(shown) = std::str::from_utf8(&shown) {
        program.source_text = arena.alloc_str(shown);
    }
    written.is_complete(text)
}

/// Returns whether a statement contains the code of a template. Only such a statement is a block with an empty span.
fn is_template(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::BlockStatement(block) if block.span.is_empty())
}

/// Returns the statements of a program without the code of a template.
pub(crate) fn script_statements<'b, 'a>(program: &'b Program<'a>) -> &'b [Statement<'a>] {
    match program.body.split_last() {
        Some((last, script)) if is_template(last) => script,
        _ => &program.body,
    }
}

/// A tag of a template, with the places of the names and values of its attributes.
pub(crate) struct MarkupTag {
    pub(crate) name: Range<usize>,
    pub(crate) values: Vec<(Range<usize>, Range<usize>)>,
}

/// Returns the tags that open elements in a part of a document. Attributes may have code in braces.
pub(crate) fn markup_tags(text: &str, part: Range<usize>, braces: bool) -> Vec<MarkupTag> {
    let mut found = Vec::new();
    let mut at = part.start;
    while let Some(next) = text[at..part.end].find('<').map(|next| at + next) {
        let rest = &text[next..part.end];
        at = next + 1;
        if rest.starts_with("<!--") {
            at = rest.find("-->").map_or(part.end, |end| next + end);
        } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let Some(tag) = read_tag(text, next..part.end, braces) else { break };
            let values = tag.attributes.into_iter().filter_map(|one| Some((one.name, one.value?)));
            at = tag.end;
            found.push(MarkupTag { name: tag.name, values: values.collect() });
        }
    }
    found
}

/// Returns the places of tags of Vue that name components which the script neither imports nor registers.
pub(crate) fn unbound_tags(text: &str, parts: &[Range<usize>], program: &Program<'_>) -> Vec<Range<usize>> {
    let names = ScriptNames::collect(program);
    let tags = parts.iter().flat_map(|part| markup_tags(text, part.clone(), false)).map(|tag| tag.name);
    tags.filter(|tag| vue_names::is_unbound(&text[tag.clone()], &names)).collect()
}

/// Parses the code of a template as one block, at the end of the last statement of the script.
fn parse<'a>(
    arena: &'a Allocator,
    written: &WrittenCode,
    script_start: usize,
    program: &Program<'a>,
) -> Option<Statement<'a>> {
    if depth::too_deep(&written.text, true).is_some() {
        return None;
    }
    let parsed = Parser::new(arena, arena.alloc_str(&written.text), SourceType::tsx().with_module(true)).parse();
    if parsed.fatal_error || !parsed.diagnostics.is_empty() {
        return None;
    }
    let mut template = parsed.program;
    Places { written }.visit_program(&mut template);
    let end = program.body.last().map_or(script_start as u32, |last| last.span().end);
    let builder = AstBuilder::new(arena);
    Some(Statement::new_block_statement(Span::empty(end), template.body, &builder))
}

/// Replaces positions in generated code by those in the document.
struct Places<'w> {
    written: &'w WrittenCode,
}

impl<'a> VisitMut<'a> for Places<'_> {
    fn visit_span(&mut self, span: &mut Span) {
        *span = self.written.place_of(*span);
    }
}

/// Makes `$name` a reference to the store `name`.
struct StoreNames<'n> {
    names: &'n ScriptNames,
}

impl<'a> VisitMut<'a> for StoreNames<'_> {
    fn visit_object_property(&mut self, property: &mut ObjectProperty<'a>) {
        // The key of `{ $name }` has another name than the store.
        if !property.shorthand {
            walk_mut::walk_object_property(self, property);
        }
    }

    fn visit_identifier_reference(&mut self, name: &mut IdentifierReference<'a>) {
        let whole: &'a str = name.name.as_str();
        if let Some(store) = self.names.store_named(whole) {
            name.span.start += 1;
            name.name = Ident::from(store);
        }
    }
}
