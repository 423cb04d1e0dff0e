//! Base types of classes and interfaces, and the interfaces that classes implement.

use oxc_ast::AstKind;
use oxc_ast::ast::*;

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::infer::ty::{Substitution, Ty};
use crate::program::ids::Owner;

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
                        bases.push(self.base_instance(module, &heritage.expression, &arguments));
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

    /// Returns the instance type of a base class.
    pub(crate) fn base_instance(&self, module: u32, base: &'w Expression<'w>, arguments: &[Ty<'w>]) -> Ty<'w> {
        match self.expression_type(module, base) {
            Ty::Static(owner) => {
                let home = owner.module();
                let parameters =
                    self.owner_nodes(owner).into_iter().find_map(|node| match self.module(home).kind(node) {
                        AstKind::Class(class) => class.type_parameters.as_deref(),
                        _ => None,
                    });
                Ty::Instance(owner, self.substitution_for(home, parameters, arguments))
            }
            Ty::Platform if arguments.is_empty() => Ty::Platform,
            Ty::External | Ty::Platform => builtins::package_type(last_name(base), arguments.to_vec()),
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

/// Returns the last name of `A.B`.
fn last_name<'x>(expression: &'x Expression<'_>) -> &'x str {
    match expression {
        Expression::Identifier(name) => name.name.as_str(),
        Expression::StaticMemberExpression(member) => member.property.name.as_str(),
        _ => "",
    }
}
