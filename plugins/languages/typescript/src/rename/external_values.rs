//! Values that cross the border between the program and packages or the platform: `const logger: Logger = console`. The
//! member keeps its name on the other side of the border, so such values are listed. So are object literals that are only
//! found by their use, because they lack members of the type: values of `Partial<T>`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan, Span};

use crate::imports::import_style::is_node_module;
use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::Ty;
use crate::program::commonjs::required_binding;
use crate::program::ids::{OPEN_DOCUMENT, Site};
use crate::program::module::Module;
use crate::rename::search_target::SearchTarget;

/// Platform objects whose functions take values of any type without reading their members by name.
const TAKES_ANYTHING: [&str; 16] = [
    "Array",
    "Boolean",
    "JSON",
    "Map",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "Reflect",
    "Set",
    "String",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "console",
    "structuredClone",
];

/// Properties of every function. Declarations of its methods are listed themselves.
const FUNCTION_MEMBERS: [&str; 2] = ["length", "name"];

/// Finds the values in the open document that are used as a type with the wanted member, but come from a package or the
/// platform, and arguments with the member for functions of the platform.
pub(super) fn find_external_values(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    if wanted.sites.iter().all(|site| checker.is_in_nominal_class(*site, &wanted.name)) {
        return Vec::new();
    }
    let here = checker.open_module();
    let declares_function = |site: &Site| checker.declares_function(*site, &wanted.name);
    let is_language_member = builtins::language_has_member(&wanted.name)
        || builtins::container_has_member(&wanted.name)
        || FUNCTION_MEMBERS.contains(&wanted.name.as_str());
    let is_function = wanted.sites.iter().any(declares_function);
    let search = Search { checker, wanted, here: &here, is_language_member, is_function };
    let nodes = here.semantic().nodes().iter();
    nodes.flat_map(|node| search.spans_across_border(node.kind())).collect()
}

/// Returns whether a function is one of the platform or of Node that reads members of its arguments.
pub(super) fn reads_arguments<'w>(checker: &Checker<'w>, wanted: &SearchTarget, callee: &'w Expression<'w>) -> bool {
    let here = checker.open_module();
    let search = Search { checker, wanted, here: &here, is_language_member: false, is_function: false };
    search.is_platform_function(callee)
}

struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    wanted: &'s SearchTarget,
    here: &'s Module<'w>,
    /// Strings, functions or collections have a member with the name.
    is_language_member: bool,
    /// The member is a function. Other members of values without a type are names in data.
    is_function: bool,
}

impl<'w> Search<'_, 'w> {
    fn spans_across_border(&self, parent: AstKind<'w>) -> Vec<Span> {
        let mut values = values_with_context(parent);
        values.retain(|value| self.is_language_member || can_be_external(value));
        if values.is_empty() {
            return Vec::new();
        }
        let callee = match parent {
            AstKind::CallExpression(call) => Some(&call.callee),
            AstKind::NewExpression(new) => Some(&new.callee),
            _ => None,
        };
        let is_package = || callee.is_some_and(|callee| self.is_package_function(callee));
        if callee.is_some_and(|callee| self.is_platform_function(callee)) || is_package() {
            // The keys of an object literal are reported separately.
            values.retain(|value| !matches!(value, Expression::ObjectExpression(_)) || !is_package());
            // Instances of classes and interfaces are found as values that are used as another type.
            values.retain(|value| self.has_wanted(&self.type_of(value)) && !self.is_class_instance(value));
            return values.into_iter().map(GetSpan::span).collect();
        }
        values.into_iter().filter_map(|value| self.span_in_value(value)).collect()
    }

    /// Returns what to list of a value that is used as a type with the wanted member but has another member of this name:
    /// the value itself if it is from outside of the program, or the key of an object literal.
    fn span_in_value(&self, value: &'w Expression<'w>) -> Option<Span> {
        let ty = self.type_of(value);
        if self.is_external_value(value, &ty) {
            return Some(value.span());
        }
        let is_object = |ty: &&Ty<'w>| matches!(ty, Ty::Object(..)) && !self.has_wanted(ty);
        let mut objects = ty.alternatives().iter().filter(is_object);
        let site = objects.find_map(|ty| self.checker.props(ty, &self.wanted.name).sites().first().copied())?;
        if !self.has_wanted(&self.checker.contextual_type(OPEN_DOCUMENT, value.node_id())) {
            return None;
        }
        let length = u32::try_from(self.wanted.name.len()).ok()?;
        let is_here = site.module == OPEN_DOCUMENT;
        Some(if is_here { Span::new(site.offset, site.offset + length) } else { value.span() })
    }

    fn type_of(&self, value: &'w Expression<'w>) -> Ty<'w> {
        self.checker.expression_type(OPEN_DOCUMENT, value)
    }

    /// Returns whether a function is one of the platform or of Node that reads members of its arguments.
    fn is_platform_function(&self, callee: &'w Expression<'w>) -> bool {
        let may_be_platform = builtins::platform_has_member(&self.wanted.name);
        let mut root = callee.get_inner_expression();
        while let Expression::StaticMemberExpression(member) = root {
            root = member.object.get_inner_expression();
        }
        let is_platform = |ty: Ty<'w>| may_be_platform && matches!(ty, Ty::Platform);
        match root {
            Expression::Identifier(name) if TAKES_ANYTHING.contains(&name.name.as_str()) => false,
            Expression::Identifier(name) => match self.checker.resolve_identifier(OPEN_DOCUMENT, name) {
                None => may_be_platform && builtins::is_platform_name(&name.name),
                Some(symbol) => {
                    self.is_from_node(symbol) || is_platform(self.checker.expression_type(OPEN_DOCUMENT, callee))
                }
            },
            _ => is_platform(self.checker.expression_type(OPEN_DOCUMENT, callee)),
        }
    }

    /// Returns whether a function is one of a package, which may read members of its arguments. The functions of test
    /// packages compare values.
    fn is_package_function(&self, callee: &'w Expression<'w>) -> bool {
        let mut root = callee.get_inner_expression();
        while let Expression::StaticMemberExpression(member) = root {
            root = member.object.get_inner_expression();
        }
        let Expression::Identifier(name) = root else { return false };
        let Some(symbol) = self.checker.resolve_identifier(OPEN_DOCUMENT, name) else { return false };
        let required = || required_binding(self.here, symbol).map(|(specifier, _)| specifier);
        let specifier = self.here.imported_specifier(symbol).or_else(required);
        specifier.is_some_and(|specifier| !is_node_module(specifier) && !is_test_package(specifier))
            && matches!(self.type_of(callee), Ty::External)
            && self.checker.callee_signatures(OPEN_DOCUMENT, callee).is_empty()
    }

    /// Returns whether a symbol is imported from a module of Node whose functions take options.
    fn is_from_node(&self, symbol: SymbolId) -> bool {
        let required = || required_binding(self.here, symbol).map(|(specifier, _)| specifier);
        let specifier = self.here.imported_specifier(symbol).or_else(required);
        specifier.is_some_and(|specifier| {
            is_node_module(specifier)
                && !matches!(specifier.trim_start_matches("node:"), "assert" | "events" | "test" | "util")
        })
    }

    fn has_wanted(&self, ty: &Ty<'w>) -> bool {
        let sites = self.checker.props(ty, &self.wanted.name).sites();
        let closure = self.checker.with_overridden_sites(&sites, &self.wanted.name);
        self.wanted.sites.iter().any(|site| closure.contains(site))
    }

    /// Returns whether a value is an instance of a class.
    fn is_class_instance(&self, value: &'w Expression<'w>) -> bool {
        let Ty::Instance(owner, _) = self.type_of(value) else { return false };
        let module = self.checker.module(owner.module());
        self.checker.owner_nodes(owner).into_iter().any(|node| matches!(module.kind(node), AstKind::Class(_)))
    }

    /// Returns whether a value comes from a package or the platform and is used as a type with the wanted member.
    fn is_external_value(&self, value: &'w Expression<'w>, ty: &Ty<'w>) -> bool {
        let name = self.wanted.name.as_str();
        let has_member = |ty: &Ty<'w>| match ty {
            Ty::External => true,
            Ty::Platform => builtins::platform_has_member(name),
            Ty::Builtin(..) | Ty::Tuple(_) => builtins::container_has_member(name),
            Ty::Primitive | Ty::String(..) => builtins::language_has_member(name),
            Ty::Static(_) | Ty::Callable(_) => FUNCTION_MEMBERS.contains(&name),
            Ty::Unknown => self.is_function && self.is_result_of_package(value),
            _ => false,
        };
        ty.alternatives().iter().any(has_member)
            && self.has_wanted(&self.checker.contextual_type(OPEN_DOCUMENT, value.node_id()))
    }

    /// Returns whether a value is the result of a function or class of a package.
    fn is_result_of_package(&self, value: &'w Expression<'w>) -> bool {
        match value {
            Expression::CallExpression(call) => self.is_external_callee(&call.callee),
            Expression::NewExpression(new) => self.is_external_callee(&new.callee),
            Expression::AwaitExpression(awaited) => self.is_result_of_package(&awaited.argument),
            Expression::Identifier(name) => self.is_constant_of_package(name),
            _ => false,
        }
    }

    fn is_external_callee(&self, callee: &'w Expression<'w>) -> bool {
        matches!(self.checker.expression_type(OPEN_DOCUMENT, callee), Ty::External)
    }

    /// Returns whether a name is that of a variable initialized by a function or class of a package.
    fn is_constant_of_package(&self, name: &'w IdentifierReference<'w>) -> bool {
        let Some(symbol) = self.checker.resolve_identifier(OPEN_DOCUMENT, name) else { return false };
        match self.here.kind(self.here.scoping().symbol_declaration(symbol)) {
            AstKind::VariableDeclarator(variable) if variable.type_annotation.is_none() => {
                match variable.init.as_ref().map(|init| init.get_inner_expression()) {
                    Some(Expression::CallExpression(call)) => self.is_external_callee(&call.callee),
                    Some(Expression::NewExpression(new)) => self.is_external_callee(&new.callee),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

impl Checker<'_> {
    /// Returns whether the member at a site is a function.
    pub(super) fn declares_function(&self, site: Site, name: &str) -> bool {
        if site == Site::WATCHED {
            return false;
        }
        let is_function_type = |annotation: &Option<oxc_allocator::Box<'_, TSTypeAnnotation<'_>>>| {
            let ty = annotation.as_ref().map(|annotation| &annotation.type_annotation);
            matches!(ty, Some(TSType::TSFunctionType(_)))
        };
        let loaded = self.module(site.module);
        self.member_declared_at(site, name).is_some_and(|declaration| match loaded.kind(declaration) {
            AstKind::TSMethodSignature(_) | AstKind::MethodDefinition(_) => true,
            AstKind::TSPropertySignature(it) => is_function_type(&it.type_annotation),
            AstKind::PropertyDefinition(it) => is_function_type(&it.type_annotation),
            _ => false,
        })
    }
}

/// Returns whether a package only compares the values that it gets.
fn is_test_package(specifier: &str) -> bool {
    let name = specifier.trim_start_matches('@');
    ["ava", "chai", "expect", "jest", "mocha", "sinon", "tap", "tape", "testing-library", "uvu", "vitest"]
        .iter()
        .any(|known| name == *known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with(['/', '-'])))
}

/// Returns whether an expression may be a value from outside of the program, as opposed to a literal.
fn can_be_external(value: &Expression<'_>) -> bool {
    matches!(
        value,
        Expression::Identifier(_)
            | Expression::StaticMemberExpression(_)
            | Expression::CallExpression(_)
            | Expression::NewExpression(_)
            | Expression::AwaitExpression(_)
    )
}

/// Returns the parts of an expression or declaration that may have a contextual type.
pub(super) fn values_with_context<'w>(parent: AstKind<'w>) -> Vec<&'w Expression<'w>> {
    let of_arguments = |arguments: &'w [Argument<'w>]| arguments.iter().filter_map(Argument::as_expression).collect();
    match parent {
        AstKind::VariableDeclarator(it) if it.type_annotation.is_some() => it.init.iter().collect(),
        AstKind::PropertyDefinition(it) if it.type_annotation.is_some() => it.value.iter().collect(),
        AstKind::FormalParameter(it) if it.type_annotation.is_some() => it.initializer.iter().map(|it| &**it).collect(),
        AstKind::AssignmentExpression(it) => vec![&it.right],
        AstKind::ConditionalExpression(it) => vec![&it.consequent, &it.alternate],
        AstKind::LogicalExpression(it) => vec![&it.left, &it.right],
        AstKind::ObjectProperty(it) => vec![&it.value],
        AstKind::CallExpression(it) => of_arguments(&it.arguments),
        AstKind::NewExpression(it) => of_arguments(&it.arguments),
        AstKind::ReturnStatement(it) => it.argument.iter().collect(),
        AstKind::ArrowFunctionExpression(it) => it.body.as_expression().into_iter().collect(),
        AstKind::ArrayExpression(it) => it.elements.iter().filter_map(ArrayExpressionElement::as_expression).collect(),
        AstKind::TSSatisfiesExpression(it) => vec![&it.expression],
        AstKind::JSXExpressionContainer(it) => it.expression.as_expression().into_iter().collect(),
        _ => Vec::new(),
    }
}
