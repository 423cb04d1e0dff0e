//! Classes of CSS modules in code: `styles.card`, `styles['card-title']`, `const { card } = styles`, and
//! `styles.cardTitle` for the class `card-title`. The stylesheet declares them. If the whole object is passed
//! elsewhere, uses are uncertain.

use marquetry_sdk::stylesheet::{chars::Dialect, modules::camel_case, names::Names};
use marquetry_sdk::{
    Context, Destination, Edit, FailureKind, FileLocation as FilePlace, ImportKey, ImportedName, Linking, Occurrence,
    RenameResult, Request, Resolution, Result, SharedName, Span, Subject, Usage, fail,
    shared::{CSS_CLASS, check_new_name, empty_renaming, empty_resolution},
    workspace,
};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::GetSpan;

use super::{CLASS_NAMESPACE, find_mentions};
use crate::syntax::spans::to_sdk_span;
use crate::syntax::tree::{Parsed, Tree};
use crate::{TypeScript, TypeScriptDocument};

/// File extensions that bundlers accept for CSS modules.
const EXTENSIONS: [&str; 7] = ["css", "scss", "sass", "less", "styl", "pcss", "postcss"];

/// Syntactic form of a class name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ClassSyntax {
    /// `.name`: offset of the dot, and whether it is `?.`.
    Dot(u32, bool),
    /// Within quotes.
    Text,
    /// Key of a pattern.
    Key,
    /// Key and variable in one word: `{ name }`.
    Shorthand,
    /// Imported name with an alias: `{ name as other }`.
    Import,
    /// Imported name without an alias.
    ImportShorthand,
}

/// A use of a class.
#[derive(Debug, Clone, PartialEq)]
struct ClassUse {
    name: String,
    span: Span,
    form: ClassSyntax,
    specifier: String,
}

/// Uses of CSS modules in a file.
#[derive(Debug, Default)]
struct CssModuleUses {
    places: Vec<ClassUse>,
    /// Computed accesses, which may be any class: specifier, constant prefix of the key, span.
    computed: Vec<(String, String, Span)>,
    /// Uses of the whole object: specifier and span.
    whole_objects: Vec<(String, Span)>,
}

/// The class of a CSS module that a request is about.
pub(crate) enum ModuleClass {
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
pub(crate) fn module_class_of(document: &TypeScriptDocument, subject: &Subject) -> Option<ModuleClass> {
    memchr::memmem::find(document.tree.text().as_bytes(), b".module.")?;
    match subject {
        Subject::Imported(key) if key.specifiers.iter().any(|specifier| is_module(specifier)) => {
            Some(ModuleClass::Imported(key.clone()))
        }
        Subject::At(offset) => {
            let holds = |place: &ClassUse| place.span.start <= *offset && *offset <= place.span.end;
            // A shorthand also declares a variable. An offset in it refers to the variable, not to the class.
            let is_class =
                |place: &ClassUse| !matches!(place.form, ClassSyntax::Shorthand | ClassSyntax::ImportShorthand);
            let place = cached_uses(&document.tree).places.into_iter().find(|place| holds(place) && is_class(place))?;
            Some(ModuleClass::Class { specifier: place.specifier, name: place.name })
        }
        _ => None,
    }
}

/// Returns the occurrences of the class.
pub(crate) fn resolve(document: &TypeScriptDocument, query: &ModuleClass) -> Result<Resolution> {
    let path = document.tree.path();
    let key = match query {
        ModuleClass::Class { specifier, name } => {
            let declared = declared_class(path, specifier, name)?;
            return Ok(Resolution { elsewhere: Some(declared), ..empty_resolution(name) });
        }
        ModuleClass::Imported(key) => key,
    };
    let found = find_class_uses(&document.tree, key);
    let occurrence = |span, certain| Occurrence { span, usage: Usage::Read, certain };
    let certain = found.places.iter().map(|place| occurrence(place.span, true));
    let mut occurrences: Vec<Occurrence> =
        certain.chain(found.unresolved.iter().map(|span| occurrence(*span, false))).collect();
    occurrences.sort_by_key(|occurrence| occurrence.span.start);
    let origin = found.places.first().map(|place| ImportedName {
        specifier: place.specifier.clone(),
        name: key.name.clone(),
        local: None,
        exported: None,
        type_only: false,
    });
    let unsure = found.unresolved.len();
    Ok(Resolution {
        kind: "class".to_owned(),
        occurrences,
        origin,
        incomplete: (unsure > 0).then(|| format!("{unsure} occurrences may or may not be this class")),
        ..empty_resolution(&key.name)
    })
}

/// Renames the class.
pub(crate) fn rename(document: &TypeScriptDocument, query: &ModuleClass, new: &str) -> Result<RenameResult> {
    check_new_name(CSS_CLASS, new)?;
    let path = document.tree.path();
    let key = match query {
        ModuleClass::Class { specifier, name } => {
            let declared = declared_class(path, specifier, name)?;
            return Ok(RenameResult { elsewhere: Some(declared), ..empty_renaming(name) });
        }
        ModuleClass::Imported(key) => key,
    };
    let found = find_class_uses(&document.tree, key);
    let text = document.tree.text();
    let quote = if text.find('"').is_some_and(|double| text[..double].find('\'').is_none()) { '"' } else { '\'' };
    // The code uses the class name itself if the stylesheet has such a class. Otherwise it uses the camelCase form of a
    // class with dashes.
    let of_dashes = |specifier: &str| {
        let all = stylesheet_classes(path, specifier).map(|(_, all)| all).unwrap_or_default();
        !all.iter().any(|(class, _)| *class == key.name) && all.iter().any(|(class, _)| camel_case(class) == key.name)
    };
    let mut edits: Vec<Edit> = Vec::new();
    for place in &found.places {
        let name = if of_dashes(&place.specifier) { camel_case(new) } else { new.to_owned() };
        edits.push(place.edit(&name, quote));
    }
    edits.sort_by_key(|edit| edit.span.start);
    edits.retain(|edit| edit.span.slice(text) != edit.text);
    Ok(RenameResult { edits, unresolved: found.unresolved, ..empty_renaming(&key.name) })
}

/// Uses of one class in a file; those in `unresolved` are uncertain.
#[derive(Default)]
struct ClassUses {
    places: Vec<ClassUse>,
    unresolved: Vec<Span>,
}

fn find_class_uses(tree: &Tree, key: &ImportKey) -> ClassUses {
    let CssModuleUses { places: all, computed, whole_objects: whole } = cached_uses(tree);
    let is_meant = |specifier: &str| key.specifiers.iter().any(|known| known == specifier);
    let mut found = ClassUses {
        places: all.into_iter().filter(|place| is_meant(&place.specifier) && place.name == key.name).collect(),
        unresolved: Vec::new(),
    };
    let may_be =
        computed.iter().filter(|(specifier, start, _)| is_meant(specifier) && key.name.starts_with(start.as_str()));
    found.unresolved.extend(may_be.map(|(_, _, span)| *span));
    if whole.iter().any(|(specifier, _)| is_meant(specifier)) {
        let wanted = SharedName { namespace: CLASS_NAMESPACE.to_owned(), name: key.name.clone() };
        let texts = find_mentions(tree, Some(&wanted)).into_iter().map(|place| place.span);
        found.unresolved.extend(texts.filter(|span| found.places.iter().all(|place| place.span != *span)));
    }
    found.unresolved.sort_by_key(|span| span.start);
    found.unresolved.dedup();
    found
}

/// Returns the spans that certainly are classes of CSS modules.
pub(super) fn certain_class_spans(tree: &Tree) -> Vec<Span> {
    if memchr::memmem::find(tree.text().as_bytes(), b".module.").is_none() {
        return Vec::new();
    }
    cached_uses(tree).places.into_iter().map(|place| place.span).collect()
}

impl ClassUse {
    fn edit(&self, new: &str, quote: char) -> Edit {
        let is_identifier = new.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
            && !new.starts_with(|c: char| c.is_ascii_digit());
        let quoted = || format!("{quote}{new}{quote}");
        let own = if is_identifier { new.to_owned() } else { quoted() };
        let whole = |start: u32, text: String| Edit { span: Span { start, end: self.span.end }, text };
        match self.form {
            ClassSyntax::Text => whole(self.span.start, new.to_owned()),
            ClassSyntax::Dot(..) if is_identifier => whole(self.span.start, new.to_owned()),
            ClassSyntax::Dot(dot, true) => whole(dot, format!("?.[{}]", quoted())),
            ClassSyntax::Dot(dot, false) => whole(dot, format!("[{}]", quoted())),
            ClassSyntax::Key | ClassSyntax::Import => whole(self.span.start, own),
            ClassSyntax::Shorthand => whole(self.span.start, format!("{own}: {}", self.name)),
            ClassSyntax::ImportShorthand => whole(self.span.start, format!("{own} as {}", self.name)),
        }
    }
}

// --- the stylesheet ---

/// Returns the stylesheet that a specifier resolves to, and its classes with their offsets.
fn stylesheet_classes(from: &str, specifier: &str) -> Option<(String, Vec<(String, u32)>)> {
    let request = Request { kind: "import".to_owned(), specifier: specifier.to_owned() };
    let Some(Destination::Inside(target)) =
        TypeScript::resolve(&Context::for_path(from), &[request]).into_iter().next()
    else {
        return None;
    };
    let text = workspace::read(&target.path).ok()?;
    let mut names = Names::new(&text, Dialect::of_path(&target.path));
    names.stylesheet(0..text.len());
    let own = names.found.iter().filter(|mention| mention.namespace == CSS_CLASS && mention.declares);
    let all = own.map(|mention| (mention.name.clone(), mention.span.start)).collect();
    Some((target.path, all))
}

/// Returns where the stylesheet declares a class. `name` is the class itself or the camelCase form of a class with
/// dashes.
fn declared_class(from: &str, specifier: &str, name: &str) -> Result<FilePlace> {
    let nothing = |why: String| {
        fail(FailureKind::RefactorFailed, why).hint("only classes declared in files of the workspace can be renamed")
    };
    let Some((path, all)) = stylesheet_classes(from, specifier) else {
        return Err(nothing(format!("`{specifier}` does not resolve to a file of the workspace")));
    };
    let same = |of: &dyn Fn(&str) -> bool| all.iter().find(|(class, _)| of(class)).map(|(_, offset)| *offset);
    match same(&|class| class == name).or_else(|| same(&|class| camel_case(class) == name)) {
        Some(offset) => Ok(FilePlace { path, offset }),
        None => Err(nothing(format!("`{path}` does not declare the class `{name}`"))),
    }
}

// --- the code ---

fn cached_uses(tree: &Tree) -> CssModuleUses {
    tree.with(|parsed| if parsed.repaired { CssModuleUses::default() } else { collect_uses(parsed) })
}

fn collect_uses<'a>(parsed: &Parsed<'a>) -> CssModuleUses {
    let mut reader = UseCollector {
        semantic: parsed.semantic(),
        text: parsed.program.source_text,
        styles: CssModuleUses::default(),
    };
    for statement in &parsed.program.body {
        match statement {
            Statement::ImportDeclaration(import) => reader.add_import(import),
            Statement::VariableDeclaration(declaration) => {
                declaration.declarations.iter().for_each(|declarator| reader.add_require(declarator));
            }
            Statement::ExportFromDeclaration(export) => reader.add_reexport(&export.source),
            Statement::ExportAllDeclaration(export) => reader.add_reexport(&export.source),
            _ => {}
        }
    }
    reader.styles
}

struct UseCollector<'s, 'a> {
    semantic: &'s Semantic<'a>,
    text: &'a str,
    styles: CssModuleUses,
}

impl<'a> UseCollector<'_, 'a> {
    fn add_import(&mut self, import: &ImportDeclaration<'a>) {
        let Some(specifier) = import.source.value.as_str().filter(|specifier| is_module(specifier)) else { return };
        for listed in import.specifiers.iter().flatten() {
            match listed {
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => {
                    self.add_object_uses(specifier, default.local.symbol_id.get());
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(space) => {
                    self.add_object_uses(specifier, space.local.symbol_id.get());
                }
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    let name = crate::program::exports::export_name(&named.imported);
                    if name == "default" {
                        self.add_object_uses(specifier, named.local.symbol_id.get());
                        continue;
                    }
                    let (mut span, is_text) = (
                        to_sdk_span(named.imported.span()),
                        matches!(named.imported, ModuleExportName::StringLiteral(_)),
                    );
                    let mut form = ClassSyntax::Import;
                    if is_text {
                        span = Span { start: span.start + 1, end: span.end - 1 };
                        form = ClassSyntax::Text;
                    } else if named.imported.span() == named.local.span {
                        form = ClassSyntax::ImportShorthand;
                    }
                    self.add_use(specifier, name, span, form);
                }
            }
        }
    }

    /// Handles `const styles = require('./a.module.css')`.
    fn add_require(&mut self, declarator: &VariableDeclarator<'a>) {
        let Some(Expression::CallExpression(call)) = &declarator.init else { return };
        let is_require = matches!(&call.callee, Expression::Identifier(name) if name.name == "require");
        let Some(Argument::StringLiteral(source)) = call.arguments.first().filter(|_| is_require) else { return };
        let Some(specifier) = source.value.as_str().filter(|specifier| is_module(specifier)) else { return };
        match &declarator.id {
            BindingPattern::BindingIdentifier(name) => self.add_object_uses(specifier, name.symbol_id.get()),
            BindingPattern::ObjectPattern(pattern) => self.add_pattern(specifier, pattern),
            other => self.styles.whole_objects.push((specifier.to_owned(), to_sdk_span(other.span()))),
        }
    }

    fn add_reexport(&mut self, source: &StringLiteral<'a>) {
        if let Some(specifier) = source.value.as_str().filter(|specifier| is_module(specifier)) {
            self.styles.whole_objects.push((specifier.to_owned(), to_sdk_span(source.span)));
        }
    }

    fn add_use(&mut self, specifier: &str, name: &str, span: Span, form: ClassSyntax) {
        let (name, specifier) = (name.to_owned(), specifier.to_owned());
        self.styles.places.push(ClassUse { name, span, form, specifier });
    }

    /// Collects all uses of the object with the classes.
    fn add_object_uses(&mut self, specifier: &str, symbol: Option<SymbolId>) {
        let Some(symbol) = symbol else { return };
        let references: Vec<NodeId> =
            self.semantic.scoping().get_resolved_references(symbol).map(|reference| reference.node_id()).collect();
        for node in references {
            self.add_reference(specifier, node);
        }
    }

    fn add_reference(&mut self, specifier: &str, node: NodeId) {
        let nodes = self.semantic.nodes();
        let span = nodes.kind(node).span();
        match nodes.parent_kind(node) {
            AstKind::StaticMemberExpression(member) if member.object.span() == span => {
                let dot = span.end
                    + self.text[span.end as usize..member.property.span.start as usize].find(['.', '?']).unwrap_or(0)
                        as u32;
                let form = ClassSyntax::Dot(dot, member.optional);
                self.add_use(specifier, &member.property.name, to_sdk_span(member.property.span), form);
            }
            AstKind::ComputedMemberExpression(member) if member.object.span() == span => {
                self.add_computed_access(specifier, &member.expression)
            }
            AstKind::VariableDeclarator(declarator) => match &declarator.id {
                BindingPattern::ObjectPattern(pattern) => self.add_pattern(specifier, pattern),
                _ => self.styles.whole_objects.push((specifier.to_owned(), to_sdk_span(span))),
            },
            _ => self.styles.whole_objects.push((specifier.to_owned(), to_sdk_span(span))),
        }
    }

    fn add_computed_access(&mut self, specifier: &str, key: &Expression<'a>) {
        let span = to_sdk_span(key.span());
        let inner = Span { start: span.start + 1, end: span.end.saturating_sub(1) };
        match key.get_inner_expression() {
            Expression::StringLiteral(text) if inner.slice(self.text) == text.value.as_str().unwrap_or_default() => {
                self.add_use(specifier, inner.slice(self.text), inner, ClassSyntax::Text);
            }
            Expression::TemplateLiteral(template) => {
                let first = &template.quasis[0];
                match (first.value.cooked.and_then(|text| text.as_str()), template.expressions.is_empty()) {
                    (Some(text), true) => self.add_use(specifier, text, inner, ClassSyntax::Text),
                    (start, _) => {
                        let start = start.unwrap_or_default().to_owned();
                        self.styles.computed.push((specifier.to_owned(), start, span));
                    }
                }
            }
            Expression::ConditionalExpression(either) => {
                self.add_computed_access(specifier, &either.consequent);
                self.add_computed_access(specifier, &either.alternate);
            }
            _ => self.styles.computed.push((specifier.to_owned(), String::new(), span)),
        }
    }

    fn add_pattern(&mut self, specifier: &str, pattern: &ObjectPattern<'a>) {
        if let Some(rest) = &pattern.rest {
            self.styles.whole_objects.push((specifier.to_owned(), to_sdk_span(rest.span)));
        }
        for property in &pattern.properties {
            match &property.key {
                PropertyKey::StaticIdentifier(name) => {
                    let form = if property.shorthand { ClassSyntax::Shorthand } else { ClassSyntax::Key };
                    self.add_use(specifier, &name.name, to_sdk_span(name.span), form);
                }
                PropertyKey::StringLiteral(text) => {
                    let inner = Span { start: text.span.start + 1, end: text.span.end - 1 };
                    self.add_use(specifier, inner.slice(self.text), inner, ClassSyntax::Text);
                }
                other => self.styles.computed.push((specifier.to_owned(), String::new(), to_sdk_span(other.span()))),
            }
        }
    }
}
