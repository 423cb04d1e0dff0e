//! Classes of CSS modules in code: `styles.card`, `styles['card-title']`, `const { card } = styles`, and
//! `styles.cardTitle` for the class `card-title`. The stylesheet declares them. If the whole object is passed
//! elsewhere, uses are uncertain.

use marquetry_sdk::stylesheet::{chars::Dialect, modules::in_code, names::Names};
use marquetry_sdk::{
    Destination, Edit, FailureKind, ImportKey, ImportedName, Linking, Occurrence, Place as FilePlace, Renaming,
    Request, Resolution, Result, SharedName, Span, Subject, Usage, fail,
    shared::{CSS_CLASS, check_new_name, found_nowhere, renamed_nowhere},
    workspace,
};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::GetSpan;

use super::{CLASS, places};
use crate::syntax::tree::{Parsed, Tree};
use crate::{TypeScript, TypeScriptDocument};

/// File extensions that bundlers accept for CSS modules.
const EXTENSIONS: [&str; 7] = ["css", "scss", "sass", "less", "styl", "pcss", "postcss"];

/// Syntactic form of a class name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// `.name`: offset of the dot, and whether it is `?.`.
    Dot(u32, bool),
    /// Within quotes.
    Text,
    /// Key of a pattern.
    Key,
    /// Key and variable in one: `{ name }`.
    Shorthand,
    /// Imported name with an alias: `{ name as other }`.
    Import,
    /// Imported name without an alias.
    ImportShorthand,
}

/// A use of a class.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    name: String,
    span: Span,
    form: Form,
    specifier: String,
}

/// Uses of CSS modules in a file.
#[derive(Debug, Default)]
struct Styles {
    places: Vec<Place>,
    /// Computed accesses, which may be any class: specifier, constant prefix of the key, span.
    computed: Vec<(String, String, Span)>,
    /// Uses of the whole object: specifier and span.
    whole: Vec<(String, Span)>,
}

/// The class of a CSS module that a request is about.
pub(crate) enum Asked {
    /// A use in code: the stylesheet declares the class.
    Class {
        specifier: String,
        name: String,
    },
    Imported(ImportKey),
}

/// Returns whether a specifier names a CSS module.
fn is_module(specifier: &str) -> bool {
    let path = specifier.split(['?', '#']).next().unwrap_or(specifier);
    let extension = path.rsplit('.').next().unwrap_or_default();
    marquetry_sdk::stylesheet::modules::is_module(path) && EXTENSIONS.contains(&extension)
}

/// Returns the class of a CSS module that a subject refers to, if any.
pub(crate) fn asked(document: &TypeScriptDocument, subject: &Subject) -> Option<Asked> {
    memchr::memmem::find(document.tree.text().as_bytes(), b".module.")?;
    match subject {
        Subject::Imported(key) if key.specifiers.iter().any(|specifier| is_module(specifier)) => {
            Some(Asked::Imported(key.clone()))
        }
        Subject::At(offset) => {
            let holds = |place: &Place| place.span.start <= *offset && *offset <= place.span.end;
            // A shorthand also declares a variable, which is what the offset means.
            let is_class = |place: &Place| !matches!(place.form, Form::Shorthand | Form::ImportShorthand);
            let place = styles(&document.tree).places.into_iter().find(|place| holds(place) && is_class(place))?;
            Some(Asked::Class { specifier: place.specifier, name: place.name })
        }
        _ => None,
    }
}

/// Returns the occurrences of the class.
pub(crate) fn resolve(document: &TypeScriptDocument, asked: &Asked) -> Result<Resolution> {
    let path = document.tree.path();
    let key = match asked {
        Asked::Class { specifier, name } => {
            let declared = declaration(path, specifier, name)?;
            return Ok(Resolution { elsewhere: Some(declared), ..found_nowhere(name) });
        }
        Asked::Imported(key) => key,
    };
    let found = found(&document.tree, key);
    let occurrence = |span, certain| Occurrence { span, usage: Usage::Read, certain };
    let certain = found.places.iter().map(|place| occurrence(place.span, true));
    let mut occurrences: Vec<Occurrence> =
        certain.chain(found.left.iter().map(|span| occurrence(*span, false))).collect();
    occurrences.sort_by_key(|occurrence| occurrence.span.start);
    let origin = found.places.first().map(|place| ImportedName {
        specifier: place.specifier.clone(),
        name: key.name.clone(),
        local: None,
        exported: None,
        type_only: false,
    });
    let unsure = found.left.len();
    Ok(Resolution {
        kind: "class".to_owned(),
        occurrences,
        origin,
        incomplete: (unsure > 0).then(|| format!("{unsure} occurrences may or may not be this class")),
        ..found_nowhere(&key.name)
    })
}

/// Renames the class.
pub(crate) fn rename(document: &TypeScriptDocument, asked: &Asked, new: &str) -> Result<Renaming> {
    check_new_name(CSS_CLASS, new)?;
    let path = document.tree.path();
    let key = match asked {
        Asked::Class { specifier, name } => {
            let declared = declaration(path, specifier, name)?;
            return Ok(Renaming { elsewhere: Some(declared), ..renamed_nowhere(name) });
        }
        Asked::Imported(key) => key,
    };
    let found = found(&document.tree, key);
    let text = document.tree.text();
    let quote = if text.find('"').is_some_and(|double| text[..double].find('\'').is_none()) { '"' } else { '\'' };
    // The code uses the class name itself if such a class exists; otherwise the camelCase form of one with dashes.
    let of_dashes = |specifier: &str| {
        let all = classes(path, specifier).map(|(_, all)| all).unwrap_or_default();
        !all.iter().any(|(class, _)| *class == key.name) && all.iter().any(|(class, _)| in_code(class) == key.name)
    };
    let mut edits: Vec<Edit> = Vec::new();
    for place in &found.places {
        let name = if of_dashes(&place.specifier) { in_code(new) } else { new.to_owned() };
        edits.push(place.edit(&name, quote));
    }
    edits.sort_by_key(|edit| edit.span.start);
    edits.retain(|edit| edit.span.of(text) != edit.text);
    Ok(Renaming { edits, unresolved: found.left, ..renamed_nowhere(&key.name) })
}

/// Uses of one class in a file; `left` are uncertain.
#[derive(Default)]
struct Found {
    places: Vec<Place>,
    left: Vec<Span>,
}

fn found(tree: &Tree, key: &ImportKey) -> Found {
    let Styles { places: all, computed, whole } = styles(tree);
    let is_meant = |specifier: &str| key.specifiers.iter().any(|known| known == specifier);
    let mut found = Found {
        places: all.into_iter().filter(|place| is_meant(&place.specifier) && place.name == key.name).collect(),
        left: Vec::new(),
    };
    let may_be =
        computed.iter().filter(|(specifier, start, _)| is_meant(specifier) && key.name.starts_with(start.as_str()));
    found.left.extend(may_be.map(|(_, _, span)| *span));
    if whole.iter().any(|(specifier, _)| is_meant(specifier)) {
        let wanted = SharedName { space: CLASS.to_owned(), name: key.name.clone() };
        let texts = places(tree, Some(&wanted)).into_iter().map(|place| place.span);
        found.left.extend(texts.filter(|span| found.places.iter().all(|place| place.span != *span)));
    }
    found.left.sort_by_key(|span| span.start);
    found.left.dedup();
    found
}

/// Returns the spans that certainly are classes of CSS modules.
pub(super) fn spans(tree: &Tree) -> Vec<Span> {
    if memchr::memmem::find(tree.text().as_bytes(), b".module.").is_none() {
        return Vec::new();
    }
    styles(tree).places.into_iter().map(|place| place.span).collect()
}

impl Place {
    fn edit(&self, new: &str, quote: char) -> Edit {
        let is_identifier = new.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
            && !new.starts_with(|c: char| c.is_ascii_digit());
        let quoted = || format!("{quote}{new}{quote}");
        let own = if is_identifier { new.to_owned() } else { quoted() };
        let whole = |start: u32, text: String| Edit { span: Span { start, end: self.span.end }, text };
        match self.form {
            Form::Text => whole(self.span.start, new.to_owned()),
            Form::Dot(..) if is_identifier => whole(self.span.start, new.to_owned()),
            Form::Dot(dot, true) => whole(dot, format!("?.[{}]", quoted())),
            Form::Dot(dot, false) => whole(dot, format!("[{}]", quoted())),
            Form::Key | Form::Import => whole(self.span.start, own),
            Form::Shorthand => whole(self.span.start, format!("{own}: {}", self.name)),
            Form::ImportShorthand => whole(self.span.start, format!("{own} as {}", self.name)),
        }
    }
}

// --- the stylesheet ---

/// Returns the stylesheet that a specifier resolves to, and its classes with their offsets.
fn classes(from: &str, specifier: &str) -> Option<(String, Vec<(String, u32)>)> {
    let request = Request { kind: "import".to_owned(), specifier: specifier.to_owned() };
    let Some(Destination::Inside(target)) = TypeScript::resolve(from, &[request]).into_iter().next() else {
        return None;
    };
    let text = workspace::read(&target.path)?;
    let mut names = Names::new(&text, Dialect::of_path(&target.path));
    names.sheet(0..text.len());
    let own = names.found.iter().filter(|mention| mention.space == CSS_CLASS && mention.declares);
    let all = own.map(|mention| (mention.name.clone(), mention.span.start)).collect();
    Some((target.path, all))
}

/// Returns where the stylesheet declares a class, or the dashed class whose camelCase form the name is.
fn declaration(from: &str, specifier: &str, name: &str) -> Result<FilePlace> {
    let nothing = |why: String| {
        fail(FailureKind::RefactorFailed, why).hint("only classes declared in files of the workspace can be renamed")
    };
    let Some((path, all)) = classes(from, specifier) else {
        return Err(nothing(format!("`{specifier}` does not resolve to a file of the workspace")));
    };
    let same = |of: &dyn Fn(&str) -> bool| all.iter().find(|(class, _)| of(class)).map(|(_, offset)| *offset);
    match same(&|class| class == name).or_else(|| same(&|class| in_code(class) == name)) {
        Some(offset) => Ok(FilePlace { path, offset }),
        None => Err(nothing(format!("`{path}` does not declare the class `{name}`"))),
    }
}

// --- the code ---

fn styles(tree: &Tree) -> Styles {
    tree.with(|parsed| if parsed.repaired { Styles::default() } else { collect(parsed) })
}

fn collect<'a>(parsed: &Parsed<'a>) -> Styles {
    let mut reader =
        Reader { semantic: parsed.semantic(), text: parsed.program.source_text, styles: Styles::default() };
    for statement in &parsed.program.body {
        match statement {
            Statement::ImportDeclaration(import) => reader.import(import),
            Statement::VariableDeclaration(declaration) => {
                declaration.declarations.iter().for_each(|declarator| reader.required(declarator));
            }
            Statement::ExportFromDeclaration(export) => reader.passed_on(&export.source),
            Statement::ExportAllDeclaration(export) => reader.passed_on(&export.source),
            _ => {}
        }
    }
    reader.styles
}

struct Reader<'s, 'a> {
    semantic: &'s Semantic<'a>,
    text: &'a str,
    styles: Styles,
}

fn own(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}

impl<'a> Reader<'_, 'a> {
    fn import(&mut self, import: &ImportDeclaration<'a>) {
        let Some(specifier) = import.source.value.as_str().filter(|specifier| is_module(specifier)) else { return };
        for listed in import.specifiers.iter().flatten() {
            match listed {
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                    self.object(specifier, default.local.symbol_id.get());
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => {
                    self.object(specifier, space.local.symbol_id.get());
                }
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    let name = crate::program::exports::export_name(&named.imported);
                    if name == "default" {
                        self.object(specifier, named.local.symbol_id.get());
                        continue;
                    }
                    let (mut span, is_text) =
                        (own(named.imported.span()), matches!(named.imported, ModuleExportName::StringLiteral(_)));
                    let mut form = Form::Import;
                    if is_text {
                        span = Span { start: span.start + 1, end: span.end - 1 };
                        form = Form::Text;
                    } else if named.imported.span() == named.local.span {
                        form = Form::ImportShorthand;
                    }
                    self.place(specifier, name, span, form);
                }
            }
        }
    }

    /// Handles `const styles = require('./a.module.css')`.
    fn required(&mut self, declarator: &VariableDeclarator<'a>) {
        let Some(Expression::CallExpression(call)) = &declarator.init else { return };
        let is_require = matches!(&call.callee, Expression::Identifier(name) if name.name == "require");
        let Some(Argument::StringLiteral(source)) = call.arguments.first().filter(|_| is_require) else { return };
        let Some(specifier) = source.value.as_str().filter(|specifier| is_module(specifier)) else { return };
        match &declarator.id {
            BindingPattern::BindingIdentifier(name) => self.object(specifier, name.symbol_id.get()),
            BindingPattern::ObjectPattern(pattern) => self.pattern(specifier, pattern),
            other => self.styles.whole.push((specifier.to_owned(), own(other.span()))),
        }
    }

    fn passed_on(&mut self, source: &StringLiteral<'a>) {
        if let Some(specifier) = source.value.as_str().filter(|specifier| is_module(specifier)) {
            self.styles.whole.push((specifier.to_owned(), own(source.span)));
        }
    }

    fn place(&mut self, specifier: &str, name: &str, span: Span, form: Form) {
        let (name, specifier) = (name.to_owned(), specifier.to_owned());
        self.styles.places.push(Place { name, span, form, specifier });
    }

    /// Collects all uses of the object with the classes.
    fn object(&mut self, specifier: &str, symbol: Option<SymbolId>) {
        let Some(symbol) = symbol else { return };
        let references: Vec<NodeId> =
            self.semantic.scoping().get_resolved_references(symbol).map(|reference| reference.node_id()).collect();
        for node in references {
            self.reference(specifier, node);
        }
    }

    fn reference(&mut self, specifier: &str, node: NodeId) {
        let nodes = self.semantic.nodes();
        let span = nodes.kind(node).span();
        match nodes.parent_kind(node) {
            AstKind::StaticMemberExpression(member) if member.object.span() == span => {
                let dot = span.end
                    + self.text[span.end as usize..member.property.span.start as usize].find(['.', '?']).unwrap_or(0)
                        as u32;
                let form = Form::Dot(dot, member.optional);
                self.place(specifier, &member.property.name, own(member.property.span), form);
            }
            AstKind::ComputedMemberExpression(member) if member.object.span() == span => {
                self.computed(specifier, &member.expression)
            }
            AstKind::VariableDeclarator(declarator) => match &declarator.id {
                BindingPattern::ObjectPattern(pattern) => self.pattern(specifier, pattern),
                _ => self.styles.whole.push((specifier.to_owned(), own(span))),
            },
            _ => self.styles.whole.push((specifier.to_owned(), own(span))),
        }
    }

    fn computed(&mut self, specifier: &str, key: &Expression<'a>) {
        let span = own(key.span());
        let inner = Span { start: span.start + 1, end: span.end.saturating_sub(1) };
        match key.get_inner_expression() {
            Expression::StringLiteral(text) if inner.of(self.text) == text.value.as_str().unwrap_or_default() => {
                self.place(specifier, inner.of(self.text), inner, Form::Text);
            }
            Expression::TemplateLiteral(template) => {
                let first = &template.quasis[0];
                match (first.value.cooked.and_then(|text| text.as_str()), template.expressions.is_empty()) {
                    (Some(text), true) => self.place(specifier, text, inner, Form::Text),
                    (start, _) => {
                        let start = start.unwrap_or_default().to_owned();
                        self.styles.computed.push((specifier.to_owned(), start, span));
                    }
                }
            }
            Expression::ConditionalExpression(either) => {
                self.computed(specifier, &either.consequent);
                self.computed(specifier, &either.alternate);
            }
            _ => self.styles.computed.push((specifier.to_owned(), String::new(), span)),
        }
    }

    fn pattern(&mut self, specifier: &str, pattern: &ObjectPattern<'a>) {
        if let Some(rest) = &pattern.rest {
            self.styles.whole.push((specifier.to_owned(), own(rest.span)));
        }
        for property in &pattern.properties {
            match &property.key {
                PropertyKey::StaticIdentifier(name) => {
                    let form = if property.shorthand { Form::Shorthand } else { Form::Key };
                    self.place(specifier, &name.name, own(name.span), form);
                }
                PropertyKey::StringLiteral(text) => {
                    let inner = Span { start: text.span.start + 1, end: text.span.end - 1 };
                    self.place(specifier, inner.of(self.text), inner, Form::Text);
                }
                other => self.styles.computed.push((specifier.to_owned(), String::new(), own(other.span()))),
            }
        }
    }
}
