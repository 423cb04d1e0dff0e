//! Names in JSDoc comments: `{@link A.b}`, `@see A`, `@param {A} b`, and other types in braces.

use std::collections::HashMap;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::infer::checker::Checker;
use crate::infer::members::Sites;
use crate::infer::ty::{Entity, Ty};
use crate::program::module::Module;

/// A dotted name in a comment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mention {
    pub(crate) parts: Vec<Span>,
    pub(crate) kind: MentionKind,
    /// Offset of the code that the comment precedes.
    pub(crate) code_offset: u32,
}

/// Kind of name in a comment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MentionKind {
    /// A name as in code.
    Name,
    /// `@param name`
    Parameter,
    /// `import("specifier").Name`
    Import(String),
}

/// Returns the mentions of a name in the JSDoc comments of a module.
pub(crate) fn mentions(module: &Module<'_>, name: &str) -> Vec<Mention> {
    let text = module.text();
    let mut found = Vec::new();
    for comment in module.program.comments.iter().filter(|comment| comment.is_block()) {
        let contents = comment.span.source_text(text);
        if contents.starts_with("/**") && contents.contains(name) {
            let mut scanner = Scanner {
                text,
                at: comment.span.start as usize + 3,
                end: comment.span.end as usize - 2,
                found: Vec::new(),
            };
            scanner.scan();
            let named =
                |mention: &(Vec<Span>, MentionKind)| mention.0.iter().any(|part| part.source_text(text) == name);
            found.extend(scanner.found.into_iter().filter(named).map(|(parts, how)| Mention {
                parts,
                kind: how,
                code_offset: comment.attached_to,
            }));
        }
    }
    found
}

/// A name that `@import { name as local } from "specifier"` declares for the comments of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TagImport {
    pub(crate) specifier: String,
    pub(crate) name: Span,
    pub(crate) local: Span,
}

/// Returns the names that `@import` tags declare.
pub(crate) fn tag_imports(module: &Module<'_>) -> Vec<TagImport> {
    let text = module.text();
    let mut found = Vec::new();
    for comment in module.program.comments.iter().filter(|comment| comment.is_block()) {
        let contents = comment.span.source_text(text);
        for (at, tag) in contents.match_indices("@import") {
            let rest = &contents[at + tag.len()..];
            let (Some(open), Some(close)) = (rest.find('{'), rest.find('}')) else { continue };
            let Some(specifier) = rest.get(close..).and_then(quoted_specifier) else { continue };
            let base = comment.span.start as usize + at + tag.len();
            let mut offset = open + 1;
            for part in rest.get(open + 1..close).unwrap_or_default().split(',') {
                found.extend(parse_tag_import(part, base + offset, &specifier));
                offset += part.len() + 1;
            }
        }
    }
    found
}

pub(super) fn quoted_specifier(text: &str) -> Option<String> {
    let open = text.find(['"', '\''])?;
    let quote = text[open..].chars().next()?;
    let length = text[open + 1..].find(quote)?;
    Some(text[open + 1..open + 1 + length].to_owned())
}

/// Parses `A`, `A as B` or `type A`.
fn parse_tag_import(part: &str, offset: usize, specifier: &str) -> Option<TagImport> {
    let mut words = Vec::new();
    let mut at = 0;
    for word in part.split(|c| !is_name_char(c)) {
        if !word.is_empty() {
            words.push((word, Span::new((offset + at) as u32, (offset + at + word.len()) as u32)));
        }
        at += word.len() + part[at + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    if words.len() > 1 && words[0].0 == "type" {
        words.remove(0);
    }
    let name = words.first()?.1;
    let local = if words.get(1).is_some_and(|word| word.0 == "as") { words.get(2)?.1 } else { name };
    Some(TagImport { specifier: specifier.to_owned(), name, local })
}

/// Returns the specifiers from which JSDoc comments import types.
pub(crate) fn specifiers(module: &Module<'_>) -> Vec<String> {
    let text = module.text();
    let mut found: Vec<String> = tag_imports(module).into_iter().map(|import| import.specifier).collect();
    for comment in module.program.comments.iter().filter(|comment| comment.is_block()) {
        let contents = comment.span.source_text(text);
        let calls = contents.match_indices("import(");
        found.extend(calls.filter_map(|(at, _)| quoted_specifier(&contents[at..])));
    }
    found.sort();
    found.dedup();
    found
}

/// Tags followed by a type in braces and the name of a parameter.
const PARAMETER_TAGS: [&str; 3] = ["param", "arg", "argument"];

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    found: Vec<(Vec<Span>, MentionKind)>,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    /// Scans the comment tag by tag.
    fn scan(&mut self) {
        // Parameters of an `@overload` or `@callback` are not parameters of the function below.
        let is_callback = self.rest().contains("@callback");
        let is_single_line = !self.rest().contains('\n');
        let mut overload = is_callback;
        let mut has_tag = false;
        while self.at < self.end {
            let Some(next) = self.rest().find('@') else { return };
            let inline = self.text[..self.at + next].ends_with('{');
            let starts_line = self.text[..self.at + next].trim_end_matches([' ', '\t', '*']).ends_with(['\n', '\r'])
                || self.text[..self.at + next].trim_end().ends_with("/**")
                || is_single_line && has_tag && self.text[..self.at + next].ends_with(' ');
            self.at += next + 1;
            let tag = self.word();
            if inline && matches!(tag, "link" | "linkcode" | "linkplain") {
                self.skip_space();
                self.scan_name(MentionKind::Name);
            } else if starts_line && !inline {
                has_tag = true;
                overload = match tag {
                    "overload" => true,
                    "param" | "template" | "this" => overload,
                    _ => is_callback,
                };
                self.scan_block_tag(tag, overload);
            }
        }
    }

    fn scan_block_tag(&mut self, tag: &str, overload: bool) {
        self.skip_space();
        if tag == "see" {
            let braced = self.rest().starts_with('{') && !self.rest().starts_with("{@");
            self.at += usize::from(braced);
            self.skip_space();
            self.scan_name(MentionKind::Name);
            return;
        }
        if tag != "import" && self.rest().starts_with('{') && !self.rest().starts_with("{@") {
            self.scan_braced_type();
            self.skip_space();
        }
        if PARAMETER_TAGS.contains(&tag) && !overload {
            self.at += usize::from(self.rest().starts_with('['));
            self.skip_space();
            self.scan_name(MentionKind::Parameter);
        }
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Skips white space on the current line.
    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// Reads a dotted name, if there is one.
    fn scan_name(&mut self, how: MentionKind) {
        let mut parts = Vec::new();
        loop {
            let start = self.at;
            if self.word().is_empty() {
                break;
            }
            parts.push(Span::new(start as u32, self.at as u32));
            let rest = self.rest();
            let joins = rest.starts_with(['.', '#', '~']) && rest[1..].starts_with(is_name_char);
            if !joins {
                break;
            }
            self.at += 1;
        }
        // `module:x/y` and URLs are not names.
        if !parts.is_empty() && !self.rest().starts_with([':', '/']) {
            self.found.push((parts, how));
        }
    }

    /// Reads the names in `{…}`.
    fn scan_braced_type(&mut self) {
        let mut depth = 0usize;
        while self.at < self.end {
            let Some(c) = self.rest().chars().next() else { return };
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                '"' | '\'' | '`' => {
                    let length = self.rest()[1..].find(c).map_or(self.rest().len(), |at| at + 1);
                    self.at += length;
                }
                c if is_name_char(c) => {
                    self.scan_type_name(depth);
                    continue;
                }
                _ => {}
            }
            self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            if depth == 0 {
                return;
            }
        }
    }

    fn scan_type_name(&mut self, depth: usize) {
        let before = self.text[..self.at].chars().next_back();
        let start = self.at;
        if self.rest().starts_with("import(")
            && let Some(specifier) = self.import_specifier()
        {
            if self.rest().starts_with('.') {
                self.at += 1;
                self.scan_name(MentionKind::Import(specifier));
            }
            return;
        }
        let known = self.found.len();
        self.scan_name(MentionKind::Name);
        let after = self.rest().trim_start().trim_start_matches('?');
        // Skip keys of object types, and parts of `module:` names and paths.
        let is_key = depth > 1 && after.starts_with(':');
        if is_key || matches!(before, Some('.' | '/' | ':' | '#')) {
            self.found.truncate(known);
        }
        if self.at == start {
            self.at += 1;
        }
    }

    /// Reads `import("…")` and returns the specifier.
    fn import_specifier(&mut self) -> Option<String> {
        let rest = &self.rest()["import(".len()..];
        let open = rest.len() - rest.trim_start().len();
        let quote = rest[open..].chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let length = rest[open + 1..].find(quote)?;
        let specifier = &rest[open + 1..open + 1 + length];
        let close = rest[open + 2 + length..].find(')')?;
        self.at += "import(".len() + open + 2 + length + close + 1;
        Some(specifier.to_owned())
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

impl<'w> Checker<'w> {
    /// Returns the declarations of one part of a mention.
    pub(crate) fn mention_sites(&self, module: u32, mention: &Mention, index: usize) -> Sites {
        let loaded = self.module(module);
        let part = |index: usize| mention.parts[index].source_text(loaded.text());
        match &mention.kind {
            MentionKind::Parameter => match documented_parameter(&loaded, mention.code_offset, part(0)) {
                Some(symbol) if index == 0 => self.sites_of(module, symbol).into(),
                Some(symbol) => self.followed_sites(&self.symbol_type(module, symbol), index, &part),
                None => Sites::default(),
            },
            MentionKind::Import(specifier) => {
                let Some(specifier) = self.specifier_in_module(module, specifier) else { return Sites::default() };
                let space = self.module_type(module, specifier);
                if index == 0 {
                    return self.props(&space, part(0)).into();
                }
                let first = self.member_type(&space, part(0));
                self.followed_sites(&first, index, &part)
            }
            MentionKind::Name => {
                let Some(symbol) = symbol_in_scope(&loaded, mention.code_offset, part(0)) else {
                    return Sites::default();
                };
                if index == 0 {
                    return self.sites_of(module, symbol).into();
                }
                let entity = self.symbol_entity(module, symbol);
                let mut found = match index {
                    1 => self.entity_props(&entity, part(1)).into(),
                    _ => self.followed_sites(&self.entity_type(&entity), index, &part),
                };
                if found.sites.is_empty()
                    && let ty @ (Ty::Instance(..) | Ty::Literal(..)) = self.declared_type(&entity, Vec::new())
                {
                    found = self.followed_sites(&ty, index, &part);
                }
                if matches!(entity, Entity::External) { Sites { external: true, ..found } } else { found }
            }
        }
    }

    fn followed_sites<'t>(&self, first: &Ty<'w>, index: usize, part: &impl Fn(usize) -> &'t str) -> Sites {
        let mut ty = first.clone();
        for step in 1..index {
            ty = self.member_type(&ty, part(step));
        }
        self.props(&ty, part(index)).into()
    }

    /// Returns a specifier from a comment as a slice of the module's text.
    fn specifier_in_module(&self, module: u32, specifier: &str) -> Option<&'w str> {
        let text = self.module(module).text();
        let at = text.find(specifier)?;
        Some(&text[at..at + specifier.len()])
    }
}

/// Returns the symbol that a name refers to at a comment.
pub(super) fn symbol_in_scope(module: &Module<'_>, before: u32, name: &str) -> Option<SymbolId> {
    let scoping = module.scoping();
    let starts = module.tables.node_starts.get_or_init(|| {
        let mut starts = HashMap::new();
        for node in module.semantic().nodes().iter().filter(|node| !matches!(node.kind(), AstKind::Program(_))) {
            starts.entry(node.kind().span().start).or_insert(node.id());
        }
        starts
    });
    let at = starts.get(&before).filter(|_| before > 0).map(|node| module.semantic().nodes().get_node(*node));
    let own = at.and_then(|node| match node.kind() {
        AstKind::Function(function) => function.scope_id.get(),
        AstKind::Class(class) => class.scope_id.get(),
        AstKind::MethodDefinition(method) => method.value.scope_id.get(),
        _ => None,
    });
    let scope = own.or(at.map(|node| node.scope_id())).unwrap_or(scoping.root_scope_id());
    scoping.find_binding(scope, Ident::from(name))
}

/// Returns the documented functions by the offset of the code after the comment: the function itself, or the statement
/// or declaration that contains it.
fn documented_functions(module: &Module<'_>) -> HashMap<u32, NodeId> {
    let carries = |kind: &AstKind<'_>| {
        matches!(
            kind,
            AstKind::VariableDeclarator(_)
                | AstKind::VariableDeclaration(_)
                | AstKind::ExportDeclaration(_)
                | AstKind::ExportDefaultDeclaration(_)
                | AstKind::MethodDefinition(_)
                | AstKind::PropertyDefinition(_)
                | AstKind::ObjectProperty(_)
                | AstKind::AssignmentExpression(_)
                | AstKind::ExpressionStatement(_)
                | AstKind::ParenthesizedExpression(_)
                | AstKind::ReturnStatement(_)
        )
    };
    let is_function = |kind: &AstKind<'_>| {
        matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) | AstKind::TSMethodSignature(_))
    };
    let mut found = HashMap::new();
    for node in module.semantic().nodes().iter().filter(|node| is_function(&node.kind())) {
        found.entry(node.kind().span().start).or_insert(node.id());
        for around in module.self_and_ancestors(node.id()).skip(1).map(|around| module.kind(around)).take_while(carries)
        {
            found.entry(around.span().start).or_insert(node.id());
        }
    }
    found
}

/// Returns the function that a comment before an offset of code documents.
pub(super) fn documented_function(module: &Module<'_>, before: u32) -> Option<NodeId> {
    module.tables.documented_functions.get_or_init(|| documented_functions(module)).get(&before).copied()
}

/// Returns the parameter of the function that a comment documents.
fn documented_parameter(module: &Module<'_>, before: u32, name: &str) -> Option<SymbolId> {
    let params = match module.kind(documented_function(module, before)?) {
        AstKind::Function(function) => &function.params,
        AstKind::ArrowFunctionExpression(arrow) => &arrow.params,
        AstKind::TSMethodSignature(method) => &method.params,
        _ => return None,
    };
    let names = params.items.iter().flat_map(|item| item.pattern.get_binding_identifiers());
    let rest = params.rest.iter().flat_map(|rest| rest.rest.argument.get_binding_identifiers());
    names.chain(rest).find(|bound| bound.name == name).and_then(|bound| bound.symbol_id.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Vec<String> {
        let mut scanner = Scanner { text, at: 3, end: text.len() - 2, found: Vec::new() };
        scanner.scan();
        let show = |(parts, how): &(Vec<Span>, MentionKind)| {
            let name: Vec<_> = parts.iter().map(|part| part.source_text(text)).collect();
            format!("{how:?} {}", name.join("."))
        };
        scanner.found.iter().map(show).collect()
    }

    #[test]
    fn jsdoc_names_are_found() {
        assert_eq!(scan("/** {@link A.b} and {@linkcode C#d|text} */"), ["Name A.b", "Name C.d"]);
        assert_eq!(scan("/** @see {A} */"), ["Name A"]);
        assert_eq!(scan("/** @see https://x.y */"), Vec::<String>::new());
        assert_eq!(
            scan("/**\n * @param {Map<A, B.C>} x text A\n * @param [y=1] z\n */"),
            ["Name Map", "Name A", "Name B.C", "Parameter x", "Parameter y"]
        );
        assert_eq!(scan("/** @type {{ key: A, 'q': B }} */"), ["Name A", "Name B"]);
        assert_eq!(scan("/** @type {module:foo/A} */"), Vec::<String>::new());
        assert_eq!(scan("/** @type {import('./x').Y.Z} */"), ["Import(\"./x\") Y.Z"]);
        assert_eq!(
            scan("/**\n * @overload\n * @param {A} x\n * @returns {B}\n * @param {C} x\n */"),
            ["Name A", "Name B", "Name C", "Parameter x"]
        );
        assert_eq!(scan("/** @param {A} x text @param {B} y */"), ["Name A", "Parameter x", "Name B", "Parameter y"]);
        assert_eq!(
            scan("/**\n * @callback F\n * @param {A} x\n * @returns {B}\n * @param {C} y\n */"),
            ["Name A", "Name B", "Name C"]
        );
        assert_eq!(scan("/** @ { */"), Vec::<String>::new());
        assert_eq!(scan("/** @type { */"), Vec::<String>::new());
        assert_eq!(scan("/** @type {\" */"), Vec::<String>::new());
    }
}
