//! One import declaration, as a text of its own: what it gains when it imports more.

use marquetry_sdk::items::{C_STYLE, Empty, Items, sorted_index};
use marquetry_sdk::span::apply;
use marquetry_sdk::{Edit, Span};
use oxc_ast::ast::*;
use oxc_span::{GetSpan, SourceType};

use crate::imports::model::bindings;
use crate::rewrite::fragment::parse;
use crate::syntax::comments;
use crate::syntax::spans::{skip_trivia, span_in};

/// How a file writes its imports.
pub(crate) struct Style<'f> {
    pub(crate) unit: &'f str,
    pub(crate) grammar: SourceType,
    /// Types are marked one by one somewhere.
    pub(crate) marks_types: bool,
    /// `{ a }` rather than `{a}`.
    pub(crate) padded: bool,
}

/// A name that is to be imported.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) local: String,
    /// By its own mark, or by that of the statement.
    pub(crate) is_type: bool,
    /// The statement that names it is an `import type`.
    pub(crate) in_type_statement: bool,
    /// As it is written, without `type`.
    pub(crate) text: String,
}

impl Style<'_> {
    /// The statement with one name more.
    ///
    /// It goes into a list that is there or, with `make_list`, into a new one behind the default import.
    pub(crate) fn with_name(&self, text: &str, name: &Wanted, make_list: bool) -> Option<String> {
        alone(text, self.grammar, |declaration, program| self.extended(declaration, program, text, name, make_list))
    }

    fn extended(
        &self,
        declaration: &ImportDeclaration<'_>,
        program: &Program<'_>,
        text: &str,
        name: &Wanted,
        make_list: bool,
    ) -> Option<String> {
        let names = bindings(declaration);
        let has = |wanted: &str| names.iter().any(|it| it.name == wanted);
        let types = declaration.import_kind.is_type();
        if name.name == "default" {
            let fits = !types && !name.is_type && !names.is_empty() && !declares_default(declaration);
            let at = skip_trivia(text, "import".len());
            return fits.then(|| apply(text, &[Edit::insert(at, format!("{}, ", name.text))]));
        }
        let mark = match (types, name.is_type) {
            (true, true) => "",
            (true, false) => return None,
            (false, false) => "",
            // `import type` keeps to itself where no other type is marked alone.
            (false, true) if name.in_type_statement && !self.marks_types => return None,
            (false, true) => "type ",
        };
        let item = format!("{mark}{}", name.text);
        if has("*") || (types && declares_default(declaration)) {
            return None;
        }
        match list(declaration, text) {
            Some(inner) => {
                let items = self.items(declaration, program, text, inner);
                Some(apply(text, &items.insert(place_of(&listed(declaration), &name.name), &item)))
            }
            None if make_list => {
                let default = names.first()?;
                let item = if self.padded { format!("{{ {item} }}") } else { format!("{{{item}}}") };
                Some(apply(text, &[Edit::insert(default.local.span.end as usize, format!(", {item}"))]))
            }
            None => None,
        }
    }

    /// The names between the braces.
    fn items<'t>(
        &'t self,
        declaration: &ImportDeclaration<'_>,
        program: &Program<'_>,
        text: &'t str,
        inner: Span,
    ) -> Items<'t> {
        let items = named(declaration).map(|named| {
            let span = span_in(named.span, text);
            comments::attached(&program.comments, text, span.range().start)
                .filter(|doc| doc.start >= inner.start)
                .map_or(span, |doc| Span { start: doc.start, end: span.end })
        });
        Items {
            text,
            inner,
            items: items.collect(),
            separator: ",",
            terminated: false,
            comments: C_STYLE,
            unit: self.unit,
            empty: if self.padded { Empty::Padded } else { Empty::Tight },
            breaks: 1,
        }
    }
}

fn named<'i, 'a>(import: &'i ImportDeclaration<'a>) -> impl Iterator<Item = &'i ImportSpecifier<'a>> {
    import.specifiers.iter().flatten().filter_map(|specifier| match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => Some(&**named),
        _ => None,
    })
}

/// The names of the other module that stand in the list.
fn listed(import: &ImportDeclaration<'_>) -> Vec<String> {
    named(import).map(|named| named.imported.name().to_string()).collect()
}

/// Look at an import declaration that is a text of its own.
fn alone<R>(
    text: &str,
    grammar: SourceType,
    look: impl FnOnce(&ImportDeclaration<'_>, &Program<'_>) -> Option<R>,
) -> Option<R> {
    parse(text, grammar, |program| match program.body.as_slice() {
        [Statement::ImportDeclaration(import)] => look(import, program),
        _ => None,
    })?
}

fn declares_default(import: &ImportDeclaration<'_>) -> bool {
    let default =
        |it: &ImportDeclarationSpecifier<'_>| matches!(it, ImportDeclarationSpecifier::ImportDefaultSpecifier(_));
    import.specifiers.iter().flatten().any(default)
}

/// What a declaration that imports the name already is to become.
pub(crate) enum Imported {
    AsItIs,
    /// It imported a type, and the value is wanted.
    With(String),
}

/// Whether a declaration imports the name.
pub(crate) fn imports(text: &str, grammar: SourceType, name: &Wanted) -> Option<Imported> {
    alone(text, grammar, |declaration, _| {
        let mut known = bindings(declaration).into_iter();
        let known = known.find(|known| known.name == name.name && known.local.name == name.local.as_str())?;
        let is_enough = !known.type_only || name.is_type;
        Some(if is_enough { Imported::AsItIs } else { Imported::With(made_value(declaration, text, &name.local)) })
    })
}

/// The statement where one name that was a type is a value; the others of an `import type` stay types.
fn made_value(import: &ImportDeclaration<'_>, text: &str, local: &str) -> String {
    let mut edits = Vec::new();
    let word = |at: usize| Edit::remove(at..skip_trivia(text, at + "type".len()));
    if import.import_kind.is_type() {
        edits.push(word(skip_trivia(text, "import".len())));
    }
    for named in named(import) {
        let start = named.span.start as usize;
        match (named.local.name == local, import.import_kind.is_type()) {
            (true, false) if named.import_kind.is_type() => edits.push(word(start)),
            (false, true) => edits.push(Edit::insert(start, "type ")),
            _ => {}
        }
    }
    apply(text, &edits)
}

/// What is between the braces of an import declaration.
fn list(import: &ImportDeclaration<'_>, text: &str) -> Option<Span> {
    let default = import.specifiers.iter().flatten().find_map(|specifier| match specifier {
        ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => Some(default.span.end as usize),
        _ => None,
    });
    let mut at = skip_trivia(text, default.unwrap_or("import".len()));
    if default.is_some() {
        at = skip_trivia(text, at + text[at..].starts_with(',').then_some(1)?);
    } else if import.import_kind.is_type() {
        at = skip_trivia(text, at + "type".len());
    }
    let open = at + text[at..].starts_with('{').then_some(1)?;
    let last = import.specifiers.iter().flatten().last().map_or(open, |last| (last.span().end as usize).max(open));
    let mut close = skip_trivia(text, last);
    if text[close..].starts_with(',') {
        close = skip_trivia(text, close + 1);
    }
    text[close..].starts_with('}').then(|| Span::new(open, close))
}

/// Where a name belongs in a list: in its place if the others are sorted, else at the end.
fn place_of(names: &[String], name: &str) -> usize {
    if names.is_sorted_by_key(|name| name.to_lowercase()) {
        sorted_index(names.iter().map(String::as_str), name)
    } else if names.is_sorted() {
        names.partition_point(|known| known.as_str() < name)
    } else {
        names.len()
    }
}
