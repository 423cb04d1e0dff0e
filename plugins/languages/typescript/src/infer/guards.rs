//! Facts that tests establish about a reference (`instanceof`, discriminants, `in`, type guards), and narrowing of
//! types by them.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};

use crate::infer::calls::CallArguments;
use crate::infer::checker::Checker;
use crate::infer::literal_types::Literal;
use crate::infer::narrowable::Reference;
use crate::infer::ty::{Callable, Signature, Ty};
use crate::program::ids::Owner;

/// A fact that a test establishes about a reference.
#[derive(Clone)]
pub(crate) enum Fact<'w> {
    Is(Ty<'w>),
    IsNot(Ty<'w>),
    /// A property equals this literal, or does not.
    PropertyEquals(&'w str, Literal<'w>, bool),
    /// A property is truthy or falsy.
    PropertyIsTruthy(&'w str, bool),
    /// A property exists or does not.
    HasProperty(&'w str, bool),
    /// The reference was assigned the value of this expression. The number is that of the expression's module.
    AssignedFrom(u32, &'w Expression<'w>),
    /// One of two sets of facts holds.
    OneOf(Vec<Fact<'w>>, Vec<Fact<'w>>),
}

impl<'w> Callable<'w> {
    /// Returns the expression of a function that only returns it, if the function has no return type.
    pub(crate) fn returned_expression(self) -> Option<&'w Expression<'w>> {
        let body = match self {
            Callable::Function(it) if !it.r#async && !it.generator && it.return_type.is_none() => it.body.as_ref()?,
            Callable::Arrow(it) if !it.r#async && it.return_type.is_none() => match &it.body {
                ArrowFunctionBody::FunctionBody(body) => body,
                other => return other.as_expression(),
            },
            _ => return None,
        };
        match body.statements.as_slice() {
            [Statement::ReturnStatement(only)] => only.argument.as_ref(),
            _ => None,
        }
    }
}

impl<'w> Checker<'w> {
    /// Returns the facts about a reference if a test has this result.
    pub(crate) fn facts_of(
        &self,
        module: u32,
        test: &'w Expression<'w>,
        truth: bool,
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        self.with_depth(Vec::new(), || match test {
            Expression::ParenthesizedExpression(inner) => self.facts_of(module, &inner.expression, truth, of),
            Expression::UnaryExpression(not) if not.operator == UnaryOperator::LogicalNot => {
                self.facts_of(module, &not.argument, !truth, of)
            }
            Expression::LogicalExpression(both) => self.facts_of_both(module, both, truth, of),
            Expression::BinaryExpression(binary) => {
                self.fact_of_comparison(module, binary, truth, of).into_iter().collect()
            }
            Expression::CallExpression(call) => self.facts_of_call(module, call, truth, false, of),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => self.facts_of_call(module, call, truth, false, of),
                _ => self.fact_of_property(module, test, truth, of).into_iter().collect(),
            },
            Expression::Identifier(name) => self.facts_of_name(module, name, truth, of),
            _ => self.fact_of_property(module, test, truth, of).into_iter().collect(),
        })
    }

    fn facts_of_both(
        &self,
        module: u32,
        both: &'w LogicalExpression<'w>,
        truth: bool,
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let is_and = match both.operator {
            LogicalOperator::And => true,
            LogicalOperator::Or => false,
            LogicalOperator::Coalesce => return Vec::new(),
        };
        let right = |truth| self.facts_of(module, &both.right, truth, of);
        let mut facts = self.facts_of(module, &both.left, truth, of);
        if is_and == truth {
            facts.extend(right(truth));
            return facts;
        }
        let mut second = self.facts_of(module, &both.left, !truth, of);
        second.extend(right(truth));
        if facts.is_empty() || second.is_empty() { Vec::new() } else { vec![Fact::OneOf(facts, second)] }
    }

    fn fact_of_comparison(
        &self,
        module: u32,
        binary: &'w BinaryExpression<'w>,
        truth: bool,
        of: &Reference<'w>,
    ) -> Option<Fact<'w>> {
        match binary.operator {
            BinaryOperator::Instanceof => {
                (self.reference(module, &binary.left)? == *of).then_some(())?;
                let class = self.base_instance(module, &binary.right, &[]);
                Some(if truth { Fact::Is(class) } else { Fact::IsNot(class) })
            }
            BinaryOperator::In => {
                (self.reference(module, &binary.right)? == *of).then_some(())?;
                match self.literal_value(module, &binary.left)? {
                    Literal::String(name) => Some(Fact::HasProperty(name, truth)),
                    _ => None,
                }
            }
            operator if operator.is_equality() => {
                let same = matches!(operator, BinaryOperator::Equality | BinaryOperator::StrictEquality) == truth;
                let one = |value, other| self.fact_of_equality(module, value, other, same, of);
                one(&binary.left, &binary.right).or_else(|| one(&binary.right, &binary.left))
            }
            _ => None,
        }
    }

    /// Returns the fact that the comparison of a discriminant establishes.
    pub(crate) fn fact_of_equality(
        &self,
        module: u32,
        value: &'w Expression<'w>,
        other: &'w Expression<'w>,
        same: bool,
        of: &Reference<'w>,
    ) -> Option<Fact<'w>> {
        let name = self.property_of(module, value, of)?;
        if name == "constructor" {
            return same.then(|| Fact::Is(self.base_instance(module, other, &[])));
        }
        Some(Fact::PropertyEquals(name, self.literal_value(module, other)?, same))
    }

    /// Returns the property of the reference that an expression reads: `r.kind`, or `kind` after `const { kind } = r`.
    fn property_of(&self, module: u32, value: &'w Expression<'w>, of: &Reference<'w>) -> Option<&'w str> {
        let found = self.reference(module, value)?;
        if let Some(name) = of.property_to(&found) {
            return Some(name);
        }
        let symbol = found.symbol().filter(|_| !found.is_path())?;
        let loaded = self.module(module);
        let AstKind::VariableDeclarator(variable) = loaded.kind(loaded.scoping().symbol_declaration(symbol)) else {
            return None;
        };
        let (BindingPattern::ObjectPattern(pattern), Some(init)) = (&variable.id, &variable.init) else { return None };
        (self.reference(module, init)? == *of && self.is_unchanged(module, symbol, of)).then_some(())?;
        pattern.properties.iter().find_map(|property| {
            let local = property.value.get_binding_identifier()?;
            let PropertyKey::StaticIdentifier(key) = &property.key else { return None };
            (local.symbol_id.get() == Some(symbol)).then(|| key.name.as_str())
        })
    }

    /// Returns whether neither a variable nor the reference that its value tests can change in between: a constant, and a
    /// variable or parameter that is never assigned. A member may change, because `readonly` is not looked up.
    fn is_unchanged(&self, module: u32, variable: SymbolId, of: &Reference<'w>) -> bool {
        let loaded = self.module(module);
        let is_constant = loaded.scoping().symbol_flags(variable).is_const_variable();
        let root = of.symbol().filter(|_| !of.is_path());
        is_constant && root.is_some_and(|root| !loaded.scoping().symbol_is_mutated(root))
    }

    fn fact_of_property(
        &self,
        module: u32,
        test: &'w Expression<'w>,
        truth: bool,
        of: &Reference<'w>,
    ) -> Option<Fact<'w>> {
        Some(Fact::PropertyIsTruthy(self.property_of(module, test, of)?, truth))
    }

    /// Returns the facts of a test by a variable that holds a condition or a discriminant.
    fn facts_of_name(
        &self,
        module: u32,
        name: &'w IdentifierReference<'w>,
        truth: bool,
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let Some(symbol) = self.resolve_identifier(module, name) else { return Vec::new() };
        let loaded = self.module(module);
        let AstKind::VariableDeclarator(variable) = loaded.kind(loaded.scoping().symbol_declaration(symbol)) else {
            return Vec::new();
        };
        if !self.is_unchanged(module, symbol, of) {
            return Vec::new();
        }
        match (&variable.id, &variable.init) {
            (BindingPattern::BindingIdentifier(_), Some(init)) if variable.type_annotation.is_none() => {
                self.facts_of(module, init, truth, of)
            }
            (BindingPattern::ObjectPattern(pattern), Some(init))
                if self.reference(module, init).as_ref() == Some(of) =>
            {
                let found = pattern.properties.iter().find_map(|property| {
                    let local = property.value.get_binding_identifier()?;
                    let PropertyKey::StaticIdentifier(key) = &property.key else { return None };
                    (local.symbol_id.get() == Some(symbol)).then(|| key.name.as_str())
                });
                found.map(|name| Fact::PropertyIsTruthy(name, truth)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the facts that a call of a type guard or an assertion function establishes.
    pub(crate) fn facts_of_call(
        &self,
        module: u32,
        call: &'w CallExpression<'w>,
        truth: bool,
        asserts: bool,
        of: &Reference<'w>,
    ) -> Vec<Fact<'w>> {
        let is_it = |value: &'w Expression<'w>| self.reference(module, value).as_ref() == Some(of);
        let at = call.arguments.iter().position(|given| given.as_expression().is_some_and(is_it));
        let on_it = matches!(&call.callee, Expression::StaticMemberExpression(member) if is_it(&member.object));
        if at.is_none() && !on_it {
            return Vec::new();
        }
        let given = CallArguments { module, types: call.type_arguments.as_deref(), values: &call.arguments };
        let signatures = self.signatures(&self.expression_type(module, &call.callee), false);
        for signature in &signatures {
            if let Some(ty) = self.predicate_type(signature, at, on_it, asserts, &given) {
                return vec![if truth { Fact::Is(ty) } else { Fact::IsNot(ty) }];
            }
            if let Some(facts) = at.filter(|_| !asserts && truth).and_then(|at| self.inferred_guard(signature, at)) {
                return facts;
            }
        }
        Vec::new()
    }

    /// Returns the type in the type predicate of a signature for an argument or `this`: `x is T`, `asserts x is T`.
    fn predicate_type(
        &self,
        signature: &Signature<'w>,
        at: Option<usize>,
        on_it: bool,
        asserts: bool,
        given: &CallArguments<'w>,
    ) -> Option<Ty<'w>> {
        let TSType::TSTypePredicate(predicate) = signature.callable.return_type()? else { return None };
        if predicate.asserts != asserts {
            return None;
        }
        match &predicate.parameter_name {
            TSTypePredicateName::Identifier(subject) => {
                let parameter = signature.callable.params().items.get(at?)?.pattern.get_binding_identifier()?;
                (parameter.name == subject.name).then_some(())?;
            }
            TSTypePredicateName::This(_) => on_it.then_some(())?,
        }
        let substitution = self.infer_substitution(signature, given);
        Some(self.annotation_type(
            signature.module,
            &predicate.type_annotation.as_ref()?.type_annotation,
            &substitution,
        ))
    }

    /// Returns the facts about the argument at an index if a function returns true.
    pub(crate) fn guard_facts(&self, signature: &Signature<'w>, at: usize) -> Option<Vec<Fact<'w>>> {
        if let Some(TSType::TSTypePredicate(predicate)) = signature.callable.return_type() {
            let annotation = &predicate.type_annotation.as_ref().filter(|_| !predicate.asserts)?.type_annotation;
            return Some(vec![Fact::Is(self.annotation_type(signature.module, annotation, &signature.substitution))]);
        }
        self.inferred_guard(signature, at)
    }

    /// Narrows a declared type by facts.
    pub(crate) fn apply_facts(&self, declared: Ty<'w>, facts: &[Fact<'w>]) -> Ty<'w> {
        facts.iter().fold(declared, |ty, fact| self.apply_fact(ty, fact))
    }

    fn apply_fact(&self, declared: Ty<'w>, fact: &Fact<'w>) -> Ty<'w> {
        let keep = |keeps: &dyn Fn(&Ty<'w>) -> bool| {
            let kept: Vec<Ty<'w>> = declared.alternatives().iter().filter(|ty| keeps(ty)).cloned().collect();
            // Type-checked code does not read an impossible value, so the test must have been interpreted wrongly.
            if kept.is_empty() { declared.clone() } else { Ty::union_of(kept) }
        };
        match fact {
            Fact::Is(shown) => self.narrow_to(declared, shown.clone()),
            Fact::IsNot(Ty::Instance(class, _)) => {
                keep(&|ty| !matches!(ty, Ty::Instance(owner, _) if self.extends(*owner, *class)))
            }
            Fact::IsNot(_) => declared,
            Fact::PropertyEquals(name, literal, same) => keep(&|ty| match self.literals_of_property(ty, name) {
                Some(literals) if *same => literals.contains(literal),
                Some(literals) => literals.iter().any(|it| it != literal),
                None => true,
            }),
            Fact::PropertyIsTruthy(name, truth) => keep(&|ty| match self.literals_of_property(ty, name) {
                Some(literals) => literals.iter().any(|it| it.truthiness() != Some(!truth)),
                None => true,
            }),
            Fact::HasProperty(name, truth) => keep(&|ty| {
                let props = self.props(ty, name);
                if *truth { !props.is_absent() } else { props.found.iter().all(|prop| prop.optional) }
            }),
            Fact::AssignedFrom(module, value) => self.narrow_by_assignment(declared, *module, value),
            Fact::OneOf(one, other) => {
                let both = [self.apply_facts(declared.clone(), one), self.apply_facts(declared, other)];
                if both.iter().any(Ty::is_unknown) { Ty::Unknown } else { Ty::union_of(both) }
            }
        }
    }

    /// Narrows a type to the type that a test established.
    fn narrow_to(&self, declared: Ty<'w>, shown: Ty<'w>) -> Ty<'w> {
        let Ty::Instance(wanted, _) = &shown else {
            let same = |ty: &&Ty<'w>| shown.alternatives().iter().any(|it| is_same_declaration(it, ty));
            let fitting: Vec<Ty<'w>> = declared.alternatives().iter().filter(same).cloned().collect();
            return if fitting.is_empty() { Ty::intersection_of([shown, declared]) } else { Ty::union_of(fitting) };
        };
        let fits = |ty: &&Ty<'w>| matches!(ty, Ty::Instance(owner, _) if self.extends(*owner, *wanted));
        let fitting: Vec<Ty<'w>> = declared.alternatives().iter().filter(fits).cloned().collect();
        if fitting.is_empty() { shown } else { Ty::union_of(fitting) }
    }

    /// Evaluates `Extract<T, U>` or `Exclude<T, U>`: the alternatives of a type that are assignable to another type, or
    /// those that are not. Returns the whole type if this is unknown for an alternative.
    pub(crate) fn extract_or_exclude(&self, arguments: &[Ty<'w>], wanted: bool) -> Ty<'w> {
        let [declared, other] = arguments else { return Ty::Unknown };
        let fits =
            |ty: &&Ty<'w>| other.alternatives().iter().any(|other| self.is_assignable(ty, other) == Some(wanted));
        let is_sure = |ty: &Ty<'w>| other.alternatives().iter().all(|other| self.is_assignable(ty, other).is_some());
        let sure = declared.alternatives().iter().all(is_sure);
        let keeps = |ty: &&Ty<'w>| match wanted {
            true => fits(ty),
            false => other.alternatives().iter().all(|other| self.is_assignable(ty, other) == Some(false)),
        };
        if !sure {
            return declared.clone();
        }
        let kept: Vec<Ty<'w>> = declared.alternatives().iter().filter(keeps).cloned().collect();
        if kept.is_empty() { declared.clone() } else { Ty::union_of(kept) }
    }

    /// Returns whether an alternative is assignable to a type, judging by names and discriminants. `None` if unknown.
    fn is_assignable(&self, ty: &Ty<'w>, to: &Ty<'w>) -> Option<bool> {
        if is_same_declaration(ty, to) {
            return Some(true);
        }
        match (ty, to) {
            (Ty::Instance(..) | Ty::Literal(..), Ty::Literal(_, literal, _)) => {
                let mut fits = true;
                for member in &literal.members {
                    let TSSignature::TSPropertySignature(property) = member else { return None };
                    let PropertyKey::StaticIdentifier(key) = &property.key else { return None };
                    let wanted = self.literals_of_property(to, key.name.as_str())?;
                    let own = self.literals_of_property(ty, key.name.as_str())?;
                    fits &= own.iter().all(|literal| wanted.contains(literal));
                }
                Some(fits)
            }
            (Ty::Instance(one, _), Ty::Instance(other, _)) if self.extends(*one, *other) => Some(true),
            // A different interface: compare the discriminants.
            (Ty::Instance(..), Ty::Instance(owner, _)) => self.is_excluded_by_literal(ty, *owner, to).then_some(false),
            _ => None,
        }
    }

    /// Returns whether a literal property of a class or interface excludes the other type.
    fn is_excluded_by_literal(&self, ty: &Ty<'w>, owner: Owner, other: &Ty<'w>) -> bool {
        let module = self.module(owner.module());
        let names = self.owner_nodes(owner).into_iter().flat_map(|node| match module.kind(node) {
            AstKind::TSInterfaceDeclaration(interface) => {
                interface.body.body.iter().filter_map(signature_name).collect()
            }
            _ => Vec::new(),
        });
        names.into_iter().any(|name| {
            let (own, others) = (self.literals_of_property(ty, name), self.literals_of_property(other, name));
            own.zip(others).is_some_and(|(own, others)| !own.iter().any(|literal| others.contains(literal)))
        })
    }

    /// Returns the alternatives of a type that a value can have.
    fn narrow_by_assignment(&self, declared: Ty<'w>, module: u32, value: &'w Expression<'w>) -> Ty<'w> {
        if declared.alternatives().len() < 2 {
            return declared;
        }
        if let Expression::ObjectExpression(object) = value.get_inner_expression() {
            return self.alternative_of_object(declared, module, object);
        }
        let set = self.expression_type(module, value);
        let is_set = |ty: &&Ty<'w>| set.alternatives().iter().any(|it| is_same_declaration(it, ty));
        let is_known =
            set.alternatives().iter().all(|it| declared.alternatives().iter().any(|ty| is_same_declaration(it, ty)));
        let kept: Vec<Ty<'w>> = declared.alternatives().iter().filter(is_set).cloned().collect();
        if kept.is_empty() || !is_known { declared } else { Ty::union_of(kept) }
    }

    /// Returns the contextual type of an object literal; of a union, only the alternatives that match its
    /// discriminants.
    pub(crate) fn contextual_alternative(&self, module: u32, object: NodeId) -> Ty<'w> {
        let wanted = self.contextual_type(module, object);
        match self.module(module).kind(object) {
            AstKind::ObjectExpression(object) if wanted.alternatives().len() > 1 => {
                self.alternative_of_object(wanted, module, object)
            }
            _ => wanted,
        }
    }

    fn alternative_of_object(&self, declared: Ty<'w>, module: u32, object: &'w ObjectExpression<'w>) -> Ty<'w> {
        let literals = object.properties.iter().filter_map(|property| match property {
            ObjectPropertyKind::ObjectProperty(property) => match &property.key {
                PropertyKey::StaticIdentifier(key) => {
                    Some(Fact::PropertyEquals(key.name.as_str(), self.literal_value(module, &property.value)?, true))
                }
                _ => None,
            },
            ObjectPropertyKind::SpreadProperty(_) => None,
        });
        self.apply_facts(declared, &literals.collect::<Vec<_>>())
    }
}

fn signature_name<'w>(member: &'w TSSignature<'w>) -> Option<&'w str> {
    match member {
        TSSignature::TSPropertySignature(property) => match &property.key {
            PropertyKey::StaticIdentifier(key) => Some(key.name.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether two types are the same class, interface or type literal.
fn is_same_declaration(one: &Ty<'_>, other: &Ty<'_>) -> bool {
    match (one, other) {
        (Ty::Instance(one, _), Ty::Instance(other, _)) => one == other,
        (Ty::Literal(module, one, _), Ty::Literal(home, other, _)) => module == home && std::ptr::eq(*one, *other),
        _ => false,
    }
}
