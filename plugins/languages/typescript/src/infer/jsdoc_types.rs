//! Types in JSDoc comments of JavaScript: `@param {Item} x`, `@type {import("./a").Item}`, `@returns {Item[]}`. Comments
//! are not checked, so only types that the program declares count, and lists, promises and unions of them.

use std::collections::HashMap;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::jsdoc::{documented_function, quoted_specifier, symbol_in_scope};
use crate::infer::ty::{Callable, Entity, Signature, Ty};
use crate::program::comment_names::comment_names;
use crate::program::module::Module;

/// Tags with the type of a parameter.
const PARAMETER_TAGS: [&str; 3] = ["param", "arg", "argument"];
/// Tags with the type of a result.
const RESULT_TAGS: [&str; 2] = ["returns", "return"];
/// Maximum length of a type that is read.
const MAX_LENGTH: usize = 512;

impl<'w> Checker<'w> {
    /// Returns the type that a comment gives for a parameter.
    pub(super) fn commented_parameter_type(&self, module: u32, parameter: NodeId) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        let AstKind::FormalParameter(declared) = loaded.kind(parameter) else { return None };
        let name = declared.pattern.get_binding_identifier()?.name.as_str();
        let comment = function_comment(&loaded, loaded.parent(loaded.parent(parameter)))?;
        let text = comment.span.source_text(loaded.text());
        let is_it = |tag: &Tag<'_>| PARAMETER_TAGS.contains(&tag.name) && tag.subject == name;
        let found = tags_of(text).into_iter().find(is_it)?;
        self.commented_type(module, comment.code, found.ty)
    }

    /// Returns the type that a comment gives for the result of a function.
    pub(super) fn commented_return_type(&self, signature: &Signature<'w>) -> Option<Ty<'w>> {
        let module = signature.module;
        let loaded = self.module(module);
        let function = match signature.callable {
            Callable::Function(function) => function.node_id.get(),
            Callable::Arrow(arrow) => arrow.node_id.get(),
            _ => return None,
        };
        let comment = function_comment(&loaded, function)?;
        let text = comment.span.source_text(loaded.text());
        let found = tags_of(text).into_iter().find(|tag| RESULT_TAGS.contains(&tag.name))?;
        self.commented_type(module, comment.code, found.ty)
    }

    /// Returns the type that a comment before an expression or a declaration of a variable gives it.
    pub(super) fn commented_value_type(&self, module: u32, code: u32) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        let comments = comments_by_code(&loaded);
        let comment = comments.get(&code)?;
        let text = comment.source_text(loaded.text());
        let found = tags_of(text).into_iter().find(|tag| tag.name == "type")?;
        self.commented_type(module, code, found.ty)
    }

    /// Returns the type that a comment gives for the only variable of a declaration.
    pub(super) fn commented_declaration_type(&self, module: u32, declaration: NodeId) -> Option<Ty<'w>> {
        let loaded = self.module(module);
        let AstKind::VariableDeclaration(variables) = loaded.kind(declaration) else { return None };
        let start = match loaded.parent_kind(declaration) {
            AstKind::ExportDeclaration(export) => export.span.start,
            _ => variables.span.start,
        };
        if variables.declarations.len() == 1 { self.commented_value_type(module, start) } else { None }
    }

    /// Returns the type of an expression in parentheses: a comment before it is a cast.
    pub(super) fn parenthesized_type(&self, module: u32, inner: &'w ParenthesizedExpression<'w>) -> Ty<'w> {
        let cast = self.module(module).is_javascript().then(|| self.commented_value_type(module, inner.span.start));
        cast.flatten().unwrap_or_else(|| self.expression_type(module, &inner.expression))
    }

    /// Returns the type that is written in a comment, or `None` if the program does not declare the type.
    fn commented_type(&self, module: u32, code: u32, text: &'w str) -> Option<Ty<'w>> {
        let found = self.with_depth(Ty::Unknown, || self.read_type_text(module, code, text));
        self.is_of_program(&found).then_some(found)
    }

    fn is_of_program(&self, ty: &Ty<'w>) -> bool {
        match ty {
            Ty::Instance(..) | Ty::Literal(..) | Ty::Static(_) => true,
            Ty::Builtin(_, inner) => inner.iter().any(|inner| self.is_of_program(inner)),
            Ty::Union(types) => types.iter().all(|ty| self.is_of_program(ty)),
            _ => false,
        }
    }

    fn read_type_text(&self, module: u32, code: u32, text: &'w str) -> Ty<'w> {
        let text = text.trim().trim_start_matches(['?', '!']).trim_end_matches('=').trim();
        if text.len() > MAX_LENGTH || text.contains('\n') {
            return Ty::Unknown;
        }
        let parts = split_outside(text, '|');
        if parts.len() > 1 {
            return Ty::union_of(parts.into_iter().map(|part| self.read_type_text(module, code, part)));
        }
        if let Some(element) = text.strip_suffix("[]") {
            return Ty::array(self.read_type_text(module, code, element));
        }
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return if is_closed(inner) { self.read_type_text(module, code, inner) } else { Ty::Unknown };
        }
        let (name, arguments) = match text.find('<').filter(|_| text.ends_with('>')) {
            Some(open) => (text[..open].trim_end_matches('.'), &text[open + 1..text.len() - 1]),
            None => (text, ""),
        };
        let given = if arguments.is_empty() { Vec::new() } else { split_outside(arguments, ',') };
        let given = given.into_iter().map(|argument| self.read_type_text(module, code, argument)).collect();
        self.named_in_comment(module, code, name, given)
    }

    /// Returns the type with a name, as in `Item`, `a.Item` and `import("./a").Item`.
    fn named_in_comment(&self, module: u32, code: u32, text: &'w str, given: Vec<Ty<'w>>) -> Ty<'w> {
        if is_primitive(text) {
            return Ty::Primitive;
        }
        let loaded = self.module(module);
        let (mut entity, path) = match text.strip_prefix("import(") {
            Some(rest) => {
                let Some(specifier) = quoted_in(rest) else { return Ty::Unknown };
                let Some(close) = rest.find(')') else { return Ty::Unknown };
                let space = match self.module_type(module, specifier) {
                    Ty::Module(found) => Entity::Module(found),
                    _ => return Ty::Unknown,
                };
                (space, rest[close + 1..].trim_start_matches('.'))
            }
            None => {
                let (first, path) = text.split_once('.').unwrap_or((text, ""));
                let is_of_comment =
                    || comment_names(&loaded).iter().any(|it| it.span.source_text(loaded.text()) == first);
                match symbol_in_scope(&loaded, code, first) {
                    _ if !is_name(first) || is_of_comment() => return Ty::Unknown,
                    Some(symbol) => (self.symbol_entity(module, symbol), path),
                    None if path.is_empty() => return builtins::type_named(first, given),
                    None => return Ty::Unknown,
                }
            }
        };
        for name in path.split('.').filter(|name| !name.is_empty()) {
            if !is_name(name) {
                return Ty::Unknown;
            }
            entity = self.member_entity(&entity, name);
        }
        match entity {
            Entity::External | Entity::Unknown | Entity::Module(_) => Ty::Unknown,
            found => self.declared_type(&found, given),
        }
    }
}

/// Returns the specifier at the start of the text after `import(`.
fn quoted_in(text: &str) -> Option<&str> {
    let specifier = quoted_specifier(text)?;
    let at = text.find(specifier.as_str())?;
    text.get(at..at + specifier.len())
}

fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "string"
            | "number"
            | "boolean"
            | "bigint"
            | "symbol"
            | "null"
            | "undefined"
            | "void"
            | "never"
            | "true"
            | "false"
    ) || name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-'))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// A comment before code.
struct Comment {
    span: Span,
    code: u32,
}

/// Returns the comment that documents a function.
fn function_comment(module: &Module<'_>, function: NodeId) -> Option<Comment> {
    if !module.is_javascript() {
        return None;
    }
    let at = module.kind(function).span();
    let starts = module.self_and_ancestors(function).map(|around| module.kind(around).span().start);
    let comments = comments_by_code(module);
    for start in starts.take(MAX_ANCESTORS).filter(|start| *start <= at.start) {
        if let Some(span) = comments.get(&start)
            && documented_function(module, start) == Some(function)
        {
            return Some(Comment { span: *span, code: start });
        }
    }
    None
}

/// Maximum number of nodes between a function and the statement that a comment precedes.
const MAX_ANCESTORS: usize = 6;

/// Returns the last JSDoc comment before each offset of code.
fn comments_by_code<'m>(module: &'m Module<'_>) -> &'m HashMap<u32, Span> {
    module.tables.comments_by_code.get_or_init(|| {
        let text = module.text();
        let comments = module.program.comments.iter().filter(|comment| comment.is_block());
        let documented = comments.filter(|comment| comment.span.source_text(text).starts_with("/**"));
        documented.map(|comment| (comment.attached_to, comment.span)).collect()
    })
}

/// A tag with a type in braces.
struct Tag<'t> {
    name: &'t str,
    ty: &'t str,
    /// The word after the type: the name of a parameter.
    subject: &'t str,
}

/// Returns the tags of a comment that have a type in braces.
fn tags_of(comment: &str) -> Vec<Tag<'_>> {
    let mut found = Vec::new();
    for (at, _) in comment.match_indices('@') {
        let rest = &comment[at + 1..];
        let name = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
        let after = rest[name.len()..].trim_start_matches([' ', '\t']);
        let Some(braced) = after.strip_prefix('{') else { continue };
        let Some(length) = closing_brace(braced) else { continue };
        let subject = braced[length + 1..].trim_start().trim_start_matches('[').trim_start();
        let end = subject.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(subject.len());
        found.push(Tag { name, ty: &braced[..length], subject: &subject[..end] });
    }
    found
}

fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 1usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Splits a type at a character outside of brackets and quotes.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '<' | '{' | '[') => depth += 1,
            (None, ')' | '>' | '}' | ']') => depth = depth.saturating_sub(1),
            (None, c) if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Returns whether every bracket that a text closes is opened in it.
fn is_closed(text: &str) -> bool {
    let mut depth = 0i32;
    text.chars().all(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth >= 0
    })
}

#[cfg(test)]
mod tests {
    use super::{split_outside, tags_of};

    #[test]
    fn tags_with_types() {
        let comment = "/**\n * @param {Map<A, {b: 1}>} [x=1] text {@link A}\n * @returns {A} y\n * @type {B\n * @x */";
        let found: Vec<_> = tags_of(comment).into_iter().map(|tag| (tag.name, tag.ty, tag.subject)).collect();
        assert_eq!(found, [("param", "Map<A, {b: 1}>", "x"), ("returns", "A", "y")]);
    }

    #[test]
    fn parts_of_unions() {
        assert_eq!(split_outside("A|B<C|D>|'|'", '|'), ["A", "B<C|D>", "'|'"]);
        assert_eq!(split_outside("", ','), [""]);
    }
}
