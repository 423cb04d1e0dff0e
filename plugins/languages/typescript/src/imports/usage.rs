//! Determines which imported names a file uses: in its code, in types and links of JSDoc, and in JSX.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use marquetry_sdk::Span;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::GetSpan as _;

use crate::program::commonjs::required_module;
use crate::program::resolution::json::Json;
use crate::program::resolution::monorepo;
use crate::program::resolution::paths;
use crate::program::resolution::tsconfig;
use crate::program::resolution::workspace::Workspace;
use crate::semantics::effects::effects_of;
use crate::semantics::implicit_code::ImplicitCode;
use crate::syntax::tree::Parsed;

/// Usage of names, including uses that are not references.
pub(crate) struct Usage<'p, 'a> {
    parsed: &'p Parsed<'a>,
    /// Imported symbols by the offset of their name.
    imported: HashMap<u32, SymbolId>,
    /// Names used by JSDoc or required by JSX.
    others: HashSet<String>,
    /// Modules that the file augments with `declare module`.
    augmented: HashSet<String>,
    /// True if the file calls `eval`, which may use any name.
    has_eval: bool,
}

impl<'p, 'a> Usage<'p, 'a> {
    pub(crate) fn collect(parsed: &'p Parsed<'a>, path: &str) -> Usage<'p, 'a> {
        let mut others = HashSet::new();
        let text = parsed.program.source_text;
        for comment in parsed.program.comments.iter().filter(|comment| comment.is_block()) {
            add_jsdoc_names(comment.span.source_text(text), &mut others);
        }
        if has_jsx(parsed) {
            others.extend(jsx_names(parsed, path));
        }
        let augmented = parsed.program.body.iter().filter_map(|statement| match statement {
            Statement::TSExternalModuleDeclaration(module) => Some(module.id.value.display().to_string()),
            _ => None,
        });
        let scoping = parsed.semantic().scoping();
        let nodes = parsed.semantic().nodes();
        let implicit = Rc::new(ImplicitCode::of_file(parsed.semantic()));
        let imports = scoping.symbol_ids().filter(|symbol| {
            let flags = scoping.symbol_flags(*symbol);
            let declaration = scoping.symbol_declaration(*symbol);
            // A pattern that runs code, such as `{ a = f() }`, stays.
            let is_required = || match nodes.kind(declaration) {
                AstKind::VariableDeclarator(variable) => {
                    variable.init.as_ref().and_then(required_module).is_some()
                        && !effects_of(parsed.semantic(), &implicit, declaration, variable.id.span()).has_side_effects
                }
                _ => false,
            };
            flags.is_import() || flags.is_type_import() || is_required()
        });
        let imported = imports.map(|symbol| (scoping.symbol_span(symbol).start, symbol)).collect();
        let has_eval = scoping.root_scope_flags().contains_direct_eval();
        Usage { parsed, imported, others, augmented: augmented.collect(), has_eval }
    }

    /// Returns whether the import that declares this local name is used.
    pub(crate) fn is_used(&self, local: Span, name: &str) -> bool {
        let scoping = self.parsed.semantic().scoping();
        let refers = |symbol: &SymbolId| !scoping.get_resolved_reference_ids(*symbol).is_empty();
        // A name that is imported as a type and used as a value is an unresolved reference, but counts as used. If a
        // name is declared twice, both declarations share a symbol, so the import is kept.
        let is_free = || scoping.root_unresolved_references().contains_key(&Ident::from(name));
        let is_unreferenced = self.imported.get(&local.start).is_some_and(|symbol| !refers(symbol));
        self.has_eval || !is_unreferenced || self.others.contains(name) || is_free()
    }

    /// Returns whether the file augments a module that it imports.
    pub(crate) fn is_augmented(&self, specifier: &str) -> bool {
        self.augmented.contains(specifier)
    }
}

/// Returns whether the file contains JSX.
pub(crate) fn has_jsx(parsed: &Parsed<'_>) -> bool {
    parsed.semantic().nodes().iter().any(|node| matches!(node.kind(), AstKind::JSXElement(_) | AstKind::JSXFragment(_)))
}

fn is_identifier_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

/// Collects the words in the braces of a JSDoc comment, and after tags that name something.
pub(crate) fn add_jsdoc_names(comment: &str, names: &mut HashSet<String>) {
    if !comment.starts_with("/**") {
        return;
    }
    let mut depth = 0_usize;
    let mut words = comment.char_indices().peekable();
    let mut tag = "";
    while let Some((at, char)) = words.next() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '\n' => tag = "",
            _ if is_identifier_char(char) || char == '@' => {
                let mut end = at + char.len_utf8();
                while let Some((next, more)) = words.next_if(|(_, next)| is_identifier_char(*next)) {
                    end = next + more.len_utf8();
                }
                let word = &comment[at..end];
                let names_something =
                    matches!(tag, "@see" | "@throws" | "@exception" | "@augments" | "@extends" | "@implements");
                if char == '@' {
                    tag = if depth == 0 { word } else { tag };
                } else if depth > 0 || names_something {
                    names.insert(word.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// The functions that compiled JSX calls by name.
pub(crate) struct JsxNames {
    /// `React` for `React.createElement`; `None` if no import is needed.
    pub(crate) factory: Option<String>,
    pub(crate) fragment: Option<String>,
    /// True if the settings say that JSX is compiled to calls of these functions.
    pub(crate) is_certain: bool,
}

/// Returns the names that JSX requires, according to comments in the file and the project's settings.
pub(crate) fn required_jsx_names(parsed: &Parsed<'_>, path: &str) -> JsxNames {
    let workspace = Workspace::current();
    let config = tsconfig::config_for(&workspace, path);
    let option = |name: &str| config.as_ref().and_then(|config| config.option(name));
    let text = |name: &str| option(name).and_then(Json::as_text).map(str::to_owned);
    let first = |name: String| name.split('.').next().unwrap_or_default().trim().to_owned();
    let pragma = |word: &str| pragma_value(parsed, word);
    let factory = pragma("@jsx").or_else(|| text("jsxFactory")).map(first).or_else(|| text("reactNamespace"));
    let fragment = pragma("@jsxFrag").or_else(|| text("jsxFragmentFactory")).map(first);
    let mode = text("jsx").map(|mode| mode.to_lowercase());
    let names = |is_certain| JsxNames {
        factory: Some(factory.clone().unwrap_or_else(|| "React".to_owned())),
        fragment: fragment.clone(),
        is_certain,
    };
    let none = JsxNames { factory: None, fragment: None, is_certain: true };
    match mode.as_deref() {
        Some("react" | "react-native") => names(true),
        Some(mode) if mode.starts_with("react-") => none,
        // In the remaining cases, another tool compiles JSX. If the file belongs to a package, that tool may need these
        // names.
        _ if pragma("@jsxImportSource").is_some() || text("jsxImportSource").is_some() => none,
        _ if factory.is_some() || monorepo::enclosing_package(&workspace, paths::parent(path)).is_some() => {
            names(false)
        }
        _ => none,
    }
}

/// Yields the names that JSX may require.
fn jsx_names(parsed: &Parsed<'_>, path: &str) -> impl Iterator<Item = String> {
    let names = required_jsx_names(parsed, path);
    names.factory.into_iter().chain(names.fragment)
}

/// Returns the value of a pragma in a comment of the file.
fn pragma_value(parsed: &Parsed<'_>, word: &str) -> Option<String> {
    let text = parsed.program.source_text;
    let comments = parsed.program.comments.iter().filter(|comment| comment.is_block());
    comments.map(|comment| comment.span.source_text(text)).find_map(|comment| {
        let (_, rest) = comment.split_once(word)?;
        let value = rest.strip_prefix([' ', '\t'])?.split_whitespace().next()?;
        Some(value.trim_end_matches("*/").to_owned())
    })
}
