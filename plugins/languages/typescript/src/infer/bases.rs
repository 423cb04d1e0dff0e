//! Base types of classes and interfaces, and the interfaces that classes implement.

use oxc_ast::AstKind;
use oxc_ast::ast::*;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Substitution, Ty};
use crate::program::ids::Owner;

/// Maximum number of base classes to visit. A class with more bases is treated as having an unknown base.
const MOST_BASES: usize = 64;

impl<'w> Checker<'w> {
    /// Returns the types that a class or interface extends; empty if it extends itself.
    pub(crate) fn bases(&self, owner: Owner, substitution: &Substitution<'w>) -> Vec<Ty<'w>> {
        if self.extends_itself(owner) {
            return Vec::new();
        }
        self.direct_bases(owner, substitution)
    }

    fn direct_bases(&self, owner: Owner, substitution: &Substitution<'w>) -> Vec<Ty<'w>> {
        let module = owner.module();
        let mut bases = Vec::new();
        for node in self.owner_nodes(owner) {
            match self.module(module).kind(node) {
                AstKind::Class(class) => {
                    if let Some(heritage) = &class.heritage {
                        let arguments = self.type_arguments(module, heritage.type_arguments.as_deref(), substitution);
                        bases.extend(self.heritage_types(module, &heritage.expression, &arguments));
                    }
                }
                AstKind::TSInterfaceDeclaration(interface) => {
                    for heritage in &interface.extends {
                        let arguments = self.type_arguments(module, heritage.type_arguments.as_deref(), substitution);
                        bases.push(self.named_type(module, &heritage.type_name, arguments, substitution));
                    }
                }
                _ => {}
            }
        }
        bases
    }

    /// Returns the types that instances of a class have because of its `extends`: of each class that the expression may
    /// be, and of each class that a function mixes in.
    pub(crate) fn heritage_types(&self, module: u32, base: &'w Expression<'w>, arguments: &[Ty<'w>]) -> Vec<Ty<'w>> {
        let parts = |parts: &[&'w Expression<'w>]| {
            parts.iter().copied().flat_map(|part| self.heritage_types(module, part, arguments)).collect::<Vec<_>>()
        };
        match base {
            Expression::ParenthesizedExpression(inner) => parts(&[&inner.expression]),
            Expression::TSNonNullExpression(inner) => parts(&[&inner.expression]),
            Expression::TSSatisfiesExpression(inner) => parts(&[&inner.expression]),
            Expression::AssignmentExpression(set) => parts(&[&set.right]),
            Expression::ConditionalExpression(choice) => parts(&[&choice.consequent, &choice.alternate]),
            Expression::LogicalExpression(choice) => parts(&[&choice.left, &choice.right]),
            Expression::SequenceExpression(all) => all.expressions.last().map_or_else(Vec::new, |last| parts(&[last])),
            Expression::TSAsExpression(cast) => self.cast_heritage(module, base, &cast.expression),
            Expression::TSTypeAssertion(cast) => self.cast_heritage(module, base, &cast.expression),
            Expression::CallExpression(call) => self.mixed_in_types(module, base, call),
            _ => flat(self.base_instance(module, base, arguments)),
        }
    }

    /// Returns the types of a base class with a cast: those of the class, and the one that the cast names.
    fn cast_heritage(&self, module: u32, cast: &'w Expression<'w>, inner: &'w Expression<'w>) -> Vec<Ty<'w>> {
        let mut found = self.heritage_types(module, inner, &[]);
        found.extend(flat(self.base_instance(module, cast, &[])).into_iter().filter(|ty| !ty.is_unknown()));
        found
    }

    /// Returns the types of a base class that a call returns. If the returned class extends a parameter of the called
    /// function, the class that is passed to it is a base, too.
    fn mixed_in_types(&self, module: u32, base: &'w Expression<'w>, call: &'w CallExpression<'w>) -> Vec<Ty<'w>> {
        let mut found = flat(self.base_instance(module, base, &[]));
        let mut mixed: Vec<usize> = found.iter().filter_map(|made| self.extended_parameter(made)).collect();
        mixed.sort_unstable();
        mixed.dedup();
        for given in mixed.into_iter().filter_map(|index| call.arguments.get(index)?.as_expression()) {
            found.extend(self.heritage_types(module, given, &[]));
        }
        found
    }

    /// Returns the index of the parameter that a class in a function extends.
    fn extended_parameter(&self, made: &Ty<'w>) -> Option<usize> {
        let Ty::Instance(owner, _) = made else { return None };
        let module = owner.module();
        let loaded = self.module(module);
        let base = self.owner_nodes(*owner).into_iter().find_map(|node| match loaded.kind(node) {
            AstKind::Class(class) => class.heritage.as_ref(),
            _ => None,
        })?;
        let Expression::Identifier(name) = base.expression.get_inner_expression() else { return None };
        let declaration = loaded.scoping().symbol_declaration(self.resolve_identifier(module, name)?);
        let AstKind::FormalParameter(parameter) = loaded.kind(declaration) else { return None };
        let AstKind::FormalParameters(list) = loaded.parent_kind(declaration) else { return None };
        list.items.iter().position(|item| item.span == parameter.span)
    }

    /// Returns whether a class, or one that it extends, has a base whose type is unknown. The class may then be a
    /// subclass of any other class. Names that nothing declares count only if `globals` is set.
    pub(crate) fn has_unknown_base(&self, owner: Owner, globals: bool) -> bool {
        let (mut seen, mut next) = (vec![owner], vec![owner]);
        while let Some(owner) = next.pop() {
            let module = owner.module();
            let loaded = self.module(module);
            let is_unknown = |node| match loaded.kind(node) {
                AstKind::Class(class) => {
                    class.heritage.as_ref().is_some_and(|base| self.may_be_any_class(module, &base.expression, globals))
                }
                _ => false,
            };
            if self.owner_nodes(owner).into_iter().any(is_unknown) {
                return true;
            }
            for base in self.bases(owner, &None) {
                let Ty::Instance(base, _) = base else { continue };
                if !seen.contains(&base) {
                    seen.push(base);
                    next.push(base);
                }
            }
            if seen.len() > MOST_BASES {
                return true;
            }
        }
        false
    }

    /// Returns whether the type of a base class is unknown.
    fn may_be_any_class(&self, module: u32, base: &'w Expression<'w>, globals: bool) -> bool {
        let is_open = |ty: &Ty<'w>| matches!(ty, Ty::Unknown | Ty::Parameter(..));
        match base.get_inner_expression() {
            Expression::Identifier(name) if self.resolve_identifier(module, name).is_none() && !globals => false,
            // A function of a package can extend only the classes that are passed to it.
            Expression::CallExpression(call)
                if matches!(self.expression_type(module, &call.callee), Ty::External | Ty::Platform) =>
            {
                let may_be_class = |given: &'w Expression<'w>| match self.expression_type(module, given) {
                    Ty::Static(owner) => self.is_class(owner),
                    other => other.alternatives().iter().any(is_open),
                };
                call.arguments.iter().any(|given| given.as_expression().is_none_or(may_be_class))
            }
            base => self.heritage_types(module, base, &[]).iter().any(is_open),
        }
    }

    /// Returns the instance type of a base class.
    pub(crate) fn base_instance(&self, module: u32, base: &'w Expression<'w>, arguments: &[Ty<'w>]) -> Ty<'w> {
        let ty = self.expression_type(module, base);
        self.instance_of(ty, base, arguments)
    }

    /// Returns the type of the instances of a class.
    fn instance_of(&self, class: Ty<'w>, base: &'w Expression<'w>, arguments: &[Ty<'w>]) -> Ty<'w> {
        match class {
            Ty::Union(types) => Ty::union_of(types.iter().map(|ty| self.instance_of(ty.clone(), base, arguments))),
            Ty::Intersection(types) => {
                // The exports of a module, which a required class has as well, are not a class.
                let classes = types.iter().filter(|ty| !matches!(ty, Ty::Module(_) | Ty::Object(..)));
                Ty::intersection_of(classes.map(|ty| self.instance_of(ty.clone(), base, arguments)))
            }
            Ty::Static(owner) => {
                let home = owner.module();
                let parameters =
                    self.owner_nodes(owner).into_iter().find_map(|node| match self.module(home).kind(node) {
                        AstKind::Class(class) => class.type_parameters.as_deref(),
                        _ => None,
                    });
                Ty::Instance(owner, self.substitution_for(home, parameters, arguments))
            }
            Ty::Platform => match builtins::type_named(last_name(base), arguments.to_vec()) {
                Ty::Unknown => Ty::Platform,
                known => known,
            },
            Ty::External => builtins::package_type(last_name(base), arguments.to_vec()),
            other => {
                let signatures = self.signatures(&other, true);
                if signatures.is_empty() {
                    return Ty::Unknown;
                }
                Ty::union_of(signatures.iter().map(|signature| self.return_type_of(signature)))
            }
        }
    }

    /// Returns the types that a class implements.
    pub(crate) fn implemented_types(&self, owner: Owner, substitution: &Substitution<'w>) -> Vec<Ty<'w>> {
        let module = owner.module();
        let mut promised = Vec::new();
        for node in self.owner_nodes(owner) {
            if let AstKind::Class(class) = self.module(module).kind(node) {
                for implements in &class.implements {
                    let arguments = self.type_arguments(module, implements.type_arguments.as_deref(), substitution);
                    promised.push(self.named_type(module, &implements.expression, arguments, substitution));
                }
            }
        }
        promised
    }

    /// Returns the type of the base class itself.
    pub(crate) fn static_base(&self, owner: Owner) -> Option<Ty<'w>> {
        let module = owner.module();
        self.owner_nodes(owner).into_iter().find_map(|node| match self.module(module).kind(node) {
            AstKind::Class(class) => Some(self.expression_type(module, &class.heritage.as_ref()?.expression)),
            _ => None,
        })
    }

    /// Returns whether the owner extends itself, which is an error: it is treated as having no bases.
    fn extends_itself(&self, owner: Owner) -> bool {
        if let Some(known) = self.circular.borrow().get(&owner) {
            return *known;
        }
        let found = self.reaches_itself(owner);
        self.circular.borrow_mut().insert(owner, found);
        found
    }

    fn reaches_itself(&self, owner: Owner) -> bool {
        let mut seen = Vec::new();
        let mut next = vec![owner];
        while let Some(current) = next.pop() {
            for base in self.direct_bases(current, &None) {
                if let Ty::Instance(base, _) = base {
                    if base == owner {
                        return true;
                    }
                    if !seen.contains(&base) && seen.len() < 64 {
                        seen.push(base);
                        next.push(base);
                    }
                }
            }
        }
        false
    }
}

/// Returns the alternatives of a type, and the known parts of intersections, as a list.
fn flat(ty: Ty<'_>) -> Vec<Ty<'_>> {
    match ty {
        Ty::Union(types) => types.iter().cloned().flat_map(flat).collect(),
        Ty::Intersection(types) => {
            let known = types.iter().filter(|ty| !ty.is_unknown()).cloned().flat_map(flat).collect::<Vec<_>>();
            if known.is_empty() { vec![Ty::Unknown] } else { known }
        }
        other => vec![other],
    }
}

/// Returns the last name of `A.B`.
fn last_name<'x>(expression: &'x Expression<'_>) -> &'x str {
    match expression {
        Expression::Identifier(name) => name.name.as_str(),
        Expression::StaticMemberExpression(member) => member.property.name.as_str(),
        _ => "",
    }
}
