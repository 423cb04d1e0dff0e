//! Type printer: prints types that are evident from annotations, literals and similar code. Types that need a full type
//! checker are not printed.

mod context;
mod narrowed;
mod printed_type;
mod values;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_semantic::{NodeId, ScopeFlags, SymbolFlags, SymbolId};
use oxc_span::GetSpan as _;

use crate::infer::checker::Checker;
use crate::infer::ty::{Callable, Entity, Signature, Source, Substitution, Ty, key_name};
use crate::program::ResolvedModule;
use crate::program::exports::Export;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT, Owner};

pub(crate) use printed_type::{NamedSymbol, PrintedType};

/// Maximum length of a printed type.
const LONGEST: usize = 400;

impl<'w> Checker<'w> {
    /// Returns the type of a symbol as it would be written for a parameter that receives the symbol's value.
    pub(crate) fn print_symbol(&self, module: u32, symbol: SymbolId) -> Option<PrintedType> {
        let printed = self.with_depth(None, || self.compute_printed_symbol(module, symbol))?;
        (printed.text.len() <= LONGEST).then_some(printed)
    }

    fn compute_printed_symbol(&self, module: u32, symbol: SymbolId) -> Option<PrintedType> {
        let loaded = self.module(module);
        let flags = loaded.scoping().symbol_flags(symbol);
        if flags.is_import() || flags.is_type_import() {
            return match self.symbol_entity(module, symbol) {
                Entity::Symbol(found, other) if (found, other) != (module, symbol) => self.print_symbol(found, other),
                _ => None,
            };
        }
        if flags.is_class() || flags.is_enum() || flags.is_value_module() {
            let mut printed = PrintedType::plain("typeof ");
            printed.append(&self.print_symbol_name(module, symbol)?);
            return Some(printed);
        }
        for declaration in loaded.declarations(symbol) {
            let found = match loaded.kind(declaration) {
                AstKind::Function(function) => self.print_function(module, Callable::Function(function)),
                AstKind::VariableDeclarator(variable) => self.print_variable(module, declaration, variable, symbol),
                AstKind::FormalParameter(parameter) => self.print_parameter(module, declaration, parameter, symbol),
                AstKind::FormalParameterRest(rest) => {
                    let annotation = rest.type_annotation.as_ref()?;
                    is_name(&rest.rest.argument, symbol)
                        .then(|| self.print_annotation(module, &annotation.type_annotation))?
                }
                AstKind::CatchParameter(parameter) if is_name(&parameter.pattern, symbol) => {
                    match &parameter.type_annotation {
                        Some(annotation) => self.print_annotation(module, &annotation.type_annotation),
                        None => Some(PrintedType::plain("any")),
                    }
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn print_variable(
        &self,
        module: u32,
        node: NodeId,
        variable: &'w VariableDeclarator<'w>,
        symbol: SymbolId,
    ) -> Option<PrintedType> {
        if !is_name(&variable.id, symbol) {
            if let (BindingPattern::ArrayPattern(_), Some(annotation)) = (&variable.id, &variable.type_annotation) {
                return self.print_list_element(module, &annotation.type_annotation, &variable.id, symbol);
            }
            let of = match (&variable.type_annotation, &variable.init) {
                (Some(annotation), _) => self.annotation_type(module, &annotation.type_annotation, &None),
                (None, Some(init)) => self.expression_type(module, init),
                (None, None) => return None,
            };
            return self.print_object_binding(&of, &variable.id, symbol);
        }
        if let Some(annotation) = &variable.type_annotation {
            return self.print_annotation(module, &annotation.type_annotation);
        }
        if let Some(init) = &variable.init {
            return self.print_value(module, init);
        }
        let loaded = self.module(module);
        match loaded.parent_kind(loaded.parent(node)) {
            AstKind::ForOfStatement(of) => self.print_element(module, &of.right),
            AstKind::ForInStatement(_) => Some(PrintedType::plain("string")),
            _ => None,
        }
    }

    fn print_parameter(
        &self,
        module: u32,
        node: NodeId,
        parameter: &'w FormalParameter<'w>,
        symbol: SymbolId,
    ) -> Option<PrintedType> {
        if !is_name(&parameter.pattern, symbol) {
            let annotation = parameter.type_annotation.as_ref()?;
            if let BindingPattern::ArrayPattern(_) = &parameter.pattern {
                return self.print_list_element(module, &annotation.type_annotation, &parameter.pattern, symbol);
            }
            let of = self.annotation_type(module, &annotation.type_annotation, &None);
            return self.print_object_binding(&of, &parameter.pattern, symbol);
        }
        if let Some(annotation) = &parameter.type_annotation {
            let mut printed = self.print_annotation(module, &annotation.type_annotation)?;
            if parameter.optional {
                printed = printed.union_with(&PrintedType::plain("undefined"));
            }
            return Some(printed);
        }
        if let Some(context) = self.print_callback_parameter(module, node) {
            return Some(context);
        }
        match &parameter.initializer {
            Some(init) => self.print_value(module, init),
            None => self.has_no_context(module, node).then(|| PrintedType::plain("any")),
        }
    }

    /// Returns the type of a name that a pattern takes from a list or tuple with an annotation: `[a, b]: [A, B]`.
    fn print_list_element(
        &self,
        module: u32,
        ty: &'w TSType<'w>,
        pattern: &'w BindingPattern<'w>,
        symbol: SymbolId,
    ) -> Option<PrintedType> {
        let BindingPattern::ArrayPattern(list) = pattern else { return None };
        let at = list.elements.iter().position(|it| it.as_ref().is_some_and(|it| is_name(it, symbol)))?;
        match ty {
            TSType::TSTupleType(tuple) => self.print_annotation(module, tuple.element_types.get(at)?.as_ts_type()?),
            TSType::TSArrayType(array) => self.print_annotation(module, &array.element_type),
            _ => None,
        }
    }

    /// Returns the type of a name that a pattern takes from an object: `{ a }`, `{ a: b }`.
    fn print_object_binding(
        &self,
        of: &Ty<'w>,
        pattern: &'w BindingPattern<'w>,
        symbol: SymbolId,
    ) -> Option<PrintedType> {
        let BindingPattern::ObjectPattern(object) = pattern else { return None };
        object.properties.iter().find_map(|property| {
            let name = key_name(&property.key)?;
            if is_name(&property.value, symbol) {
                return self.print_member(of, &name);
            }
            match &property.value {
                BindingPattern::AssignmentPattern(assigned) if is_name(&assigned.left, symbol) => {
                    let printed = self.print_member(of, &name)?;
                    // A default replaces `undefined`.
                    let without = printed.text.strip_suffix(" | undefined")?.to_owned();
                    Some(PrintedType { text: without, ..printed })
                }
                inner => self.print_object_binding(&self.member_type(of, &name), inner, symbol),
            }
        })
    }

    /// Returns the type of a member.
    pub(super) fn print_member(&self, of: &Ty<'w>, name: &str) -> Option<PrintedType> {
        let props = self.props(of, name);
        if props.may_have_more || props.external {
            return None;
        }
        let [only] = props.found.as_slice() else { return None };
        let printed = self.with_depth(None, || self.print_source(&only.source))?;
        Some(if only.optional { printed.union_with(&PrintedType::plain("undefined")) } else { printed })
    }

    fn print_source(&self, source: &Source<'w>) -> Option<PrintedType> {
        match source {
            Source::Type(module, ty, substitution) => self.print_substituted(*module, ty, substitution),
            Source::Value(module, value) => self.print_value(*module, value),
            Source::Callable(signature) => self.print_signature(signature),
            Source::Returned(signature) => self.print_return_type(signature),
            Source::Symbol(module, symbol) => self.print_symbol(*module, *symbol),
            Source::Ty(ty) => self.print_ty(ty),
        }
    }

    /// Prints a type that is the name of a class or an interface.
    pub(super) fn print_ty(&self, ty: &Ty<'w>) -> Option<PrintedType> {
        match ty {
            // The project does not have the names of the library.
            Ty::Instance(Owner::Symbol(module, _), _) | Ty::Literal(module, ..) | Ty::Parameter(module, _)
                if self.is_library(*module) =>
            {
                None
            }
            Ty::Instance(Owner::Symbol(module, symbol), None) => {
                let loaded = self.module(*module);
                let generic = loaded.declarations(*symbol).into_iter().any(|node| match loaded.kind(node) {
                    AstKind::Class(class) => class.type_parameters.is_some(),
                    AstKind::TSInterfaceDeclaration(interface) => interface.type_parameters.is_some(),
                    _ => true,
                });
                (!generic).then(|| self.print_symbol_name(*module, *symbol))?
            }
            Ty::Instance(Owner::Symbol(module, symbol), Some(arguments)) if arguments.parameters.is_empty() => {
                self.print_symbol_name(*module, *symbol)
            }
            Ty::Literal(module, literal, None) => {
                let mut names = NameCollector::default();
                names.visit_ts_type_literal(literal);
                self.print_source_text(*module, literal.span, &names)
            }
            Ty::Parameter(module, symbol) => self.print_symbol_name(*module, *symbol),
            _ => None,
        }
    }

    /// Returns an annotation as it is written.
    pub(crate) fn print_annotation(&self, module: u32, ty: &'w TSType<'w>) -> Option<PrintedType> {
        if let TSType::TSTypePredicate(_) = ty {
            return Some(PrintedType::plain("boolean"));
        }
        let mut names = NameCollector::default();
        names.visit_ts_type(ty);
        let mut printed = self.print_source_text(module, ty.span(), &names)?;
        printed.is_compound = is_compound(ty);
        Some(printed)
    }

    /// Returns an annotation with substituted type parameters. An annotation that is a single type parameter becomes
    /// the type argument; `None` if it contains type parameters in another way.
    fn print_substituted(
        &self,
        module: u32,
        ty: &'w TSType<'w>,
        substitution: &Substitution<'w>,
    ) -> Option<PrintedType> {
        let printed = self.print_annotation(module, ty)?;
        let Some(substitution) = substitution else { return Some(printed) };
        let mut names = NameCollector::default();
        names.visit_ts_type(ty);
        let is_given = |name: &&'w IdentifierReference<'w>| {
            let symbol = self.resolve_identifier(module, name);
            substitution.parameters.iter().any(|((of, known), _)| (*of, Some(*known)) == (module, symbol))
        };
        match names.found.iter().find(|name| is_given(name)) {
            None => Some(printed),
            Some(name) if name.span == ty.span() => {
                let symbol = self.resolve_identifier(module, name)?;
                let given = substitution.parameters.iter().find(|(known, _)| *known == (module, symbol));
                self.print_ty(&given?.1)
            }
            Some(_) => None,
        }
    }

    /// Returns the text of a type in a module, with the symbols that its names refer to.
    fn print_source_text(&self, module: u32, span: oxc_span::Span, names: &NameCollector<'w>) -> Option<PrintedType> {
        let loaded = self.module(module);
        if span.size() as usize > LONGEST || names.has_this {
            return None;
        }
        let mut printed = PrintedType::plain(loaded.text().get(span.start as usize..span.end as usize)?);
        for name in &names.found {
            let Some(symbol) = self.resolve_identifier(module, name) else { continue };
            let declared = loaded.scoping().symbol_span(symbol);
            if span.start <= declared.start && declared.end <= span.end {
                continue;
            }
            let at = (name.span.start - span.start) as usize;
            printed.names.push((at, name.span.size() as usize, self.named_symbol(module, symbol)?));
        }
        Some(printed)
    }

    /// Prints a type that is a single name.
    pub(super) fn print_symbol_name(&self, module: u32, symbol: SymbolId) -> Option<PrintedType> {
        let loaded = self.module(module);
        let text = loaded.scoping().symbol_name(symbol).to_owned();
        let named = self.named_symbol(module, symbol)?;
        Some(PrintedType { names: vec![(0, text.len(), named)], text, is_compound: false })
    }

    /// Returns how the open document refers to a symbol of any module.
    fn named_symbol(&self, module: u32, symbol: SymbolId) -> Option<NamedSymbol> {
        if module == OPEN_DOCUMENT {
            return Some(NamedSymbol::InDocument(symbol));
        }
        let Entity::Symbol(home, symbol) = self.symbol_entity(module, symbol) else { return None };
        if home == OPEN_DOCUMENT {
            return Some(NamedSymbol::InDocument(symbol));
        }
        if let Some(local) = self.local_import(home, symbol) {
            return Some(NamedSymbol::InDocument(local));
        }
        let loaded = self.module(home);
        let exports = self.exports(ModuleRef { module: home, block: None });
        let name = loaded.scoping().symbol_name(symbol);
        let is_it = |export: &Export<'w>| matches!(export, Export::Declared(found) if *found == symbol);
        let exported = exports.named.get(name)?.iter().any(is_it);
        exported.then(|| NamedSymbol::Exported { specifier: self.specifier_of(home), name: name.to_owned() })
    }

    /// Returns the specifier for another module: the one that the open document already uses, or a relative path.
    fn specifier_of(&self, home: u32) -> String {
        let here = self.open_module();
        let mut with_extension = false;
        for statement in &here.program.body {
            let Statement::ImportDeclaration(import) = statement else { continue };
            let Some(specifier) = import.source.value.as_str() else { continue };
            let leads_to = ResolvedModule::Module(ModuleRef { module: home, block: None });
            if self.resolve_module(OPEN_DOCUMENT, specifier) == leads_to {
                return specifier.to_owned();
            }
            with_extension |= specifier.starts_with('.') && specifier.ends_with(".js");
        }
        let path = self.module(home).path.clone();
        let stem = [".d.ts", ".ts", ".tsx", ".js", ".jsx"].iter().find_map(|ending| path.strip_suffix(ending));
        let stem = stem.unwrap_or(&path);
        let stem = if with_extension { format!("{stem}.js") } else { stem.to_owned() };
        relative(&here.path, stem.strip_suffix("/index").unwrap_or(&stem))
    }

    /// Returns the local symbol under which the open document imports a symbol of another module.
    fn local_import(&self, home: u32, symbol: SymbolId) -> Option<SymbolId> {
        let here = self.open_module();
        let imports = here.scoping().symbol_ids().filter(|local| {
            here.scoping().symbol_flags(*local).intersects(SymbolFlags::Import | SymbolFlags::TypeImport)
        });
        let mut imports = imports;
        imports.find(|local| {
            matches!(self.symbol_entity(OPEN_DOCUMENT, *local), Entity::Symbol(found, other) if (found, other) == (home, symbol))
        })
    }

    /// Prints the type of a function: `(a: string) => void`.
    pub(super) fn print_function(&self, module: u32, callable: Callable<'w>) -> Option<PrintedType> {
        self.print_signature(&Signature { module, callable, substitution: None })
    }

    fn print_signature(&self, signature: &Signature<'w>) -> Option<PrintedType> {
        let module = signature.module;
        let has_own_types = match signature.callable {
            Callable::Function(it) => it.type_parameters.is_some() || it.this_param.is_some(),
            Callable::Arrow(it) => it.type_parameters.is_some(),
            Callable::FunctionType(it) => it.type_parameters.is_some(),
            Callable::MethodSignature(it) => it.type_parameters.is_some(),
            _ => true,
        };
        if has_own_types {
            return None;
        }
        let params = signature.callable.params();
        let mut printed = PrintedType { is_compound: true, ..PrintedType::plain("(") };
        for (index, param) in params.items.iter().enumerate() {
            let name = param.pattern.get_binding_identifier()?;
            printed.push(if index == 0 { "" } else { ", " });
            printed.push(name.name.as_str());
            printed.push(if param.optional || param.initializer.is_some() { "?: " } else { ": " });
            let ty = match (&param.type_annotation, &param.initializer) {
                (Some(annotation), _) => {
                    self.print_substituted(module, &annotation.type_annotation, &signature.substitution)?
                }
                (None, Some(init)) => self.print_value(module, init)?,
                (None, None) => PrintedType::plain("any"),
            };
            printed.append(&ty);
        }
        if let Some(rest) = &params.rest {
            let name = rest.rest.argument.get_binding_identifier()?;
            let annotation = rest.type_annotation.as_ref()?;
            printed.push(if params.items.is_empty() { "..." } else { ", ..." });
            printed.push(name.name.as_str());
            printed.push(": ");
            printed.append(&self.print_substituted(module, &annotation.type_annotation, &signature.substitution)?);
        }
        printed.push(") => ");
        printed.append(&self.print_return_type(signature)?);
        Some(printed)
    }

    /// Returns the return type of a signature.
    pub(crate) fn print_return_type(&self, signature: &Signature<'w>) -> Option<PrintedType> {
        if let Some(annotation) = signature.callable.return_type() {
            return self.print_substituted(signature.module, annotation, &signature.substitution);
        }
        let module = signature.module;
        let (body, is_async) = match signature.callable {
            Callable::Function(it) if !it.generator => (it.body.as_deref()?, it.r#async),
            Callable::Arrow(it) => match &it.body {
                ArrowFunctionBody::FunctionBody(body) => (&**body, it.r#async),
                other if !it.r#async => {
                    let value = other.as_expression()?;
                    return self.with_depth(None, || self.print_value(module, value));
                }
                _ => return None,
            },
            _ => return None,
        };
        let mut returns = ReturnValues::default();
        returns.visit_statements(&body.statements);
        let values = returns.values.into_iter().map(|value| self.with_depth(None, || self.print_value(module, value)));
        let values: Vec<PrintedType> = values.collect::<Option<_>>()?;
        let inner = match values.as_slice() {
            [] if returns.throws => return None,
            [] => PrintedType::plain("void"),
            [first, others @ ..] if others.iter().all(|other| other == first) => first.clone(),
            _ => return None,
        };
        if !is_async {
            return Some(inner);
        }
        let mut promise = PrintedType::plain("Promise<");
        promise.append(&inner);
        promise.push(">");
        Some(promise)
    }
}

/// Returns the relative path from a file to another path: `./a`, `../b/c`.
fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = from.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = folder.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = folder.len() - shared;
    let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    start + &to[shared..].join("/")
}

/// Returns whether the type needs parentheses in a larger type.
fn is_compound(ty: &TSType<'_>) -> bool {
    matches!(
        ty,
        TSType::TSUnionType(_)
            | TSType::TSIntersectionType(_)
            | TSType::TSFunctionType(_)
            | TSType::TSConstructorType(_)
            | TSType::TSConditionalType(_)
            | TSType::TSTypeOperatorType(_)
            | TSType::TSInferType(_)
    )
}

/// Returns whether a pattern is the name of this symbol.
fn is_name(pattern: &BindingPattern<'_>, symbol: SymbolId) -> bool {
    matches!(pattern, BindingPattern::BindingIdentifier(name) if name.symbol_id.get() == Some(symbol))
}

/// Collects the names in a type.
#[derive(Default)]
struct NameCollector<'w> {
    found: Vec<&'w IdentifierReference<'w>>,
    has_this: bool,
}

impl<'w> Visit<'w> for NameCollector<'w> {
    fn enter_node(&mut self, kind: AstKind<'w>) {
        match kind {
            AstKind::IdentifierReference(name) => self.found.push(name),
            AstKind::TSThisType(_) | AstKind::ThisExpression(_) => self.has_this = true,
            _ => {}
        }
    }
}

/// Collects the values that a function returns, without those of nested functions.
#[derive(Default)]
struct ReturnValues<'w> {
    values: Vec<&'w Expression<'w>>,
    throws: bool,
}

impl<'w> Visit<'w> for ReturnValues<'w> {
    fn enter_node(&mut self, kind: AstKind<'w>) {
        match kind {
            AstKind::ReturnStatement(statement) => self.values.extend(&statement.argument),
            AstKind::ThrowStatement(_) => self.throws = true,
            _ => {}
        }
    }

    fn visit_function(&mut self, _function: &Function<'w>, _flags: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _arrow: &ArrowFunctionExpression<'w>) {}

    fn visit_class(&mut self, _class: &Class<'w>) {}
}
