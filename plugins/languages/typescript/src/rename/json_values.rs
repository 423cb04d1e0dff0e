//! Data that is written as JSON and used as a type with the wanted member: `const all: Item[] = data` of
//! `import data from "./items.json"`, `JSON.parse(text) as Item`. The data keeps the old key, so these values are listed.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::SymbolId;
use oxc_span::{GetSpan, Span};

use marquetry_sdk::Destination;

use crate::infer::checker::Checker;
use crate::infer::ty::{Ty, key_name};
use crate::infer::values::is_const;
use crate::program::commonjs::required_binding;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::module::Module;
use crate::rename::external_values::values_with_context;
use crate::rename::search_target::SearchTarget;

/// Maximum number of members, elements or variables between a type or value and the data in it.
const MAX_STEPS: usize = 6;

/// Methods of lists that return elements of the list.
const ELEMENT_METHODS: [&str; 10] =
    ["at", "concat", "filter", "find", "findLast", "flat", "reverse", "slice", "sort", "values"];

/// Finds the values in the open document that come from JSON and are used as a type with the wanted member.
pub(super) fn find_json_values(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    if !["json", "JSON"].iter().any(|word| here.text().contains(word)) {
        return Vec::new();
    }
    let search = Search { checker, wanted, here: &here };
    let nodes = here.semantic().nodes().iter();
    nodes.flat_map(|node| search.values_at(node.id(), node.kind())).collect()
}

struct Search<'s, 'w> {
    checker: &'s Checker<'w>,
    wanted: &'s SearchTarget,
    here: &'s Module<'w>,
}

impl<'w> Search<'_, 'w> {
    fn values_at(&self, node: oxc_semantic::NodeId, kind: AstKind<'w>) -> Vec<Span> {
        let spread = |value: &'w Expression<'w>| {
            let context = || self.checker.contextual_type(OPEN_DOCUMENT, self.here.parent(node));
            let is_used = self.is_json(value, 0) && self.contains_wanted(&context(), 0);
            if is_used { vec![value.span()] } else { Vec::new() }
        };
        let in_cast = |value: &'w Expression<'w>, ty: &'w TSType<'w>| {
            let target = || self.checker.annotation_type(OPEN_DOCUMENT, ty, &None);
            let is_used = !is_const(ty) && self.is_json(value, 0) && self.contains_wanted(&target(), 0);
            if is_used { vec![value.span()] } else { Vec::new() }
        };
        match kind {
            AstKind::SpreadElement(it) => spread(&it.argument),
            AstKind::TSAsExpression(cast) => in_cast(&cast.expression, &cast.type_annotation),
            AstKind::TSTypeAssertion(cast) => in_cast(&cast.expression, &cast.type_annotation),
            _ => {
                let mut values = values_with_context(kind);
                values.retain(|value| self.is_json(value, 0) && self.has_wanted_context(value));
                values.into_iter().map(GetSpan::span).collect()
            }
        }
    }

    fn has_wanted_context(&self, value: &'w Expression<'w>) -> bool {
        self.contains_wanted(&self.checker.contextual_type(OPEN_DOCUMENT, value.node_id()), 0)
    }

    /// Returns whether values of a type have the wanted member, themselves or in their elements and members.
    fn contains_wanted(&self, ty: &Ty<'w>, steps: usize) -> bool {
        let name = self.wanted.name.as_str();
        let inside = |ty: &Ty<'w>| steps < MAX_STEPS && self.contains_wanted(ty, steps + 1);
        match ty {
            Ty::Union(types) | Ty::Intersection(types) => types.iter().any(|ty| self.contains_wanted(ty, steps)),
            Ty::Builtin(_, inner) => inner.iter().any(inside),
            Ty::Tuple(elements) => elements.iter().any(inside),
            Ty::Instance(..) | Ty::Literal(..) | Ty::Mapped(..) => {
                let closure = self.checker.with_overridden_sites(&self.checker.props(ty, name).sites(), name);
                self.wanted.sites.iter().any(|site| closure.contains(site))
                    || self.member_names(ty).into_iter().any(|member| inside(&self.checker.member_type(ty, &member)))
                    || self.checker.index_signature(ty).is_some_and(|element| inside(&element))
            }
            _ => false,
        }
    }

    /// Returns the names of the members that an interface or type literal declares.
    fn member_names(&self, ty: &Ty<'w>) -> Vec<String> {
        let of_members = |members: &'w [TSSignature<'w>]| {
            let key = |member: &'w TSSignature<'w>| match member {
                TSSignature::TSPropertySignature(property) => key_name(&property.key),
                _ => None,
            };
            members.iter().filter_map(key).map(|name| name.into_owned()).collect::<Vec<String>>()
        };
        match ty {
            Ty::Literal(_, literal, _) => of_members(&literal.members),
            Ty::Instance(owner, _) => {
                let module = self.checker.module(owner.module());
                let declared = self.checker.owner_nodes(*owner).into_iter().map(|node| match module.kind(node) {
                    AstKind::TSInterfaceDeclaration(interface) => of_members(&interface.body.body),
                    _ => Vec::new(),
                });
                declared.flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether a value, or a part of it, is read from JSON that may have the key.
    fn is_json(&self, value: &'w Expression<'w>, steps: usize) -> bool {
        let inner = |value: &'w Expression<'w>| steps < MAX_STEPS && self.is_json(value, steps + 1);
        match value {
            Expression::ParenthesizedExpression(it) => inner(&it.expression),
            Expression::TSNonNullExpression(it) => inner(&it.expression),
            Expression::AwaitExpression(it) => inner(&it.argument),
            Expression::TSAsExpression(cast) => {
                let ty = &cast.type_annotation;
                let says_nothing = matches!(ty, TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_));
                (says_nothing || is_const(ty)) && inner(&cast.expression)
            }
            Expression::StaticMemberExpression(member) => inner(&member.object),
            Expression::ComputedMemberExpression(member) => inner(&member.object),
            Expression::LogicalExpression(it) => inner(&it.left) || inner(&it.right),
            Expression::ConditionalExpression(it) => inner(&it.consequent) || inner(&it.alternate),
            Expression::ArrayExpression(list) => list.elements.iter().any(|element| match element {
                ArrayExpressionElement::SpreadElement(spread) => inner(&spread.argument),
                _ => false,
            }),
            Expression::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => self.is_json_file(source.value.as_str()),
                _ => false,
            },
            Expression::CallExpression(call) => self.is_json_call(call, &inner),
            Expression::Identifier(name) => {
                let symbol = self.checker.resolve_identifier(OPEN_DOCUMENT, name);
                symbol.is_some_and(|symbol| self.is_json_symbol(symbol, &inner))
            }
            _ => false,
        }
    }

    fn is_json_call(&self, call: &'w CallExpression<'w>, inner: &dyn Fn(&'w Expression<'w>) -> bool) -> bool {
        let first = || call.arguments.first().and_then(Argument::as_expression);
        match &call.callee {
            Expression::Identifier(name) if name.name == "require" => match first() {
                Some(Expression::StringLiteral(source)) => self.is_json_file(source.value.as_str()),
                _ => false,
            },
            Expression::Identifier(name) if name.name == "structuredClone" => first().is_some_and(inner),
            Expression::StaticMemberExpression(member) => {
                let method = member.property.name.as_str();
                match &member.object {
                    Expression::Identifier(name) if name.name == "JSON" => method == "parse",
                    Expression::Identifier(name) if name.name == "Object" => {
                        matches!(method, "values" | "freeze" | "assign") && first().is_some_and(inner)
                    }
                    object => ELEMENT_METHODS.contains(&method) && inner(object),
                }
            }
            _ => false,
        }
    }

    /// Returns whether a variable without a declared type holds JSON.
    fn is_json_symbol(&self, symbol: SymbolId, inner: &dyn Fn(&'w Expression<'w>) -> bool) -> bool {
        if let Some(specifier) = self.here.imported_specifier(symbol) {
            return self.is_json_file(Some(specifier));
        }
        if let Some((specifier, _)) = required_binding(self.here, symbol) {
            return self.is_json_file(Some(specifier));
        }
        let declaration = self.here.scoping().symbol_declaration(symbol);
        match self.here.kind(declaration) {
            AstKind::VariableDeclarator(variable) if variable.type_annotation.is_none() => match &variable.init {
                Some(init) => inner(init),
                None => match self.here.parent_kind(self.here.parent(declaration)) {
                    AstKind::ForOfStatement(each) => inner(&each.right),
                    _ => false,
                },
            },
            AstKind::FormalParameter(parameter) if parameter.type_annotation.is_none() => {
                let function = self.here.parent(self.here.parent(declaration));
                let AstKind::CallExpression(call) = self.here.parent_kind(function) else { return false };
                match &call.callee {
                    Expression::StaticMemberExpression(member) => inner(&member.object),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Returns whether a specifier is that of a JSON file that may have the key.
    fn is_json_file(&self, specifier: Option<&'w str>) -> bool {
        let Some(specifier) = specifier.filter(|specifier| specifier.ends_with(".json")) else { return false };
        let path = match self.checker.destination(OPEN_DOCUMENT, specifier) {
            Destination::Inside(found) => found.path,
            _ => return true,
        };
        let text = self.checker.workspace.read(&path);
        text.is_none_or(|text| text.contains(self.wanted.name.as_str()) || text.contains('\\'))
    }
}
