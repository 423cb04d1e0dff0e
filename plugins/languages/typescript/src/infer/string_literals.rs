//! String literals of union types: `"left" | "right"`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::GetSpan;

use crate::infer::checker::Checker;
use crate::infer::members::Sites;
use crate::infer::ty::{Entity, Signature, Ty};
use crate::program::identifiers::{Identifier, Role};
use crate::program::ids::Site;

/// Returns whether a function replaces the member with the given name: `vi.spyOn(object, "name")`.
fn is_spy_function(callee: &Expression<'_>) -> bool {
    let name = match callee {
        Expression::StaticMemberExpression(member) => member.property.name.as_str(),
        Expression::Identifier(name) => name.name.as_str(),
        _ => return false,
    };
    matches!(name, "spyOn" | "replaceProperty")
}

impl<'w> Checker<'w> {
    /// Returns the string literal types that an identifier is or has as its contextual type.
    pub(crate) fn string_sites(&self, module: u32, identifier: &Identifier<'w>) -> Sites {
        let loaded = self.module(module);
        if let AstKind::TSLiteralType(_) = loaded.parent_kind(identifier.node) {
            let mut sites = vec![Site { module, offset: loaded.kind(identifier.node).span().start }];
            if self.is_in_type_argument(module, loaded.parent(identifier.node)) {
                // The literal must be one of those that the type parameter accepts.
                sites.extend(self.type_argument_key_sites(module, identifier).sites);
            }
            return sites.into();
        }
        let mut found = Sites::default();
        for alternative in self.contextual_type(module, identifier.node).alternatives() {
            match self.constraint_or_self(alternative) {
                Ty::String(text, Some(site)) if text == identifier.name => found.sites.push(site),
                Ty::Unknown => found.may_have_more = true,
                _ => {}
            }
        }
        found
    }

    /// Returns the member that a string names as a type argument: `Pick<T, "name">`.
    pub(crate) fn type_argument_key_sites(&self, module: u32, identifier: &Identifier<'w>) -> Sites {
        let loaded = self.module(module);
        let mut whole = loaded.parent(identifier.node);
        while matches!(loaded.parent_kind(whole), AstKind::TSUnionType(_) | AstKind::TSParenthesizedType(_)) {
            whole = loaded.parent(whole);
        }
        let list = loaded.parent(whole);
        if let AstKind::TSTypeParameter(parameter) = loaded.kind(list) {
            return self.default_key(module, parameter, identifier.name);
        }
        let AstKind::TSTypeParameterInstantiation(arguments) = loaded.kind(list) else { return Sites::default() };
        let index = arguments.params.iter().position(|argument| argument.span() == loaded.kind(whole).span());
        let of = match loaded.parent_kind(list) {
            AstKind::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name) if self.resolve_identifier(module, name).is_none() => {
                    name.name.as_str()
                }
                name => return self.required_key(module, name, arguments, index, identifier.name),
            },
            AstKind::CallExpression(call) => {
                let signatures = self.signatures(&self.expression_type(module, &call.callee), false);
                return self.keys_of_call(module, &signatures, arguments, index, identifier.name);
            }
            _ => "",
        };
        let Some(first) = arguments.params.first().filter(|first| first.span() != loaded.kind(whole).span()) else {
            return Sites { may_have_more: true, ..Sites::default() };
        };
        match (of, self.annotation_type(module, first, &None)) {
            ("Pick" | "Omit", ty) => self.props(&ty, identifier.name).into(),
            ("Exclude" | "Extract", Ty::Keys(of)) => self.props(&of, identifier.name).into(),
            ("Exclude" | "Extract", union @ (Ty::String(..) | Ty::Union(_))) => self.key_sites(&union, identifier.name),
            // The meaning of the string in another type is unknown.
            _ => Sites { may_have_more: true, ..Sites::default() },
        }
    }

    /// Returns the member that a string names where a key is expected: `get(object, "name")`.
    pub(crate) fn argument_key_sites(&self, module: u32, identifier: &Identifier<'w>) -> Sites {
        let mut found = Sites::default();
        for wanted in self.contextual_type(module, identifier.node).alternatives() {
            match self.constraint_or_self(wanted) {
                Ty::Keys(of) => {
                    let props = self.props(&of, identifier.name);
                    found.may_have_more |= props.may_have_more;
                    found.sites.extend(props.sites());
                }
                // The wanted type is one key of a type.
                Ty::String(text, site) if text == identifier.name => found.sites.extend(site),
                _ => {}
            }
        }
        found
    }

    /// Returns the members with this name of the arguments before a string, if the called function cannot be read:
    /// packages often have functions that take an object and a key. `external` is true if the function is known to
    /// replace a member.
    pub(crate) fn sibling_argument_sites(&self, module: u32, identifier: &Identifier<'w>) -> Sites {
        let loaded = self.module(module);
        let mut argument = identifier.node;
        // A list of keys: `pick(object, ["name"])`.
        while let AstKind::ArrayExpression(_) = loaded.parent_kind(argument) {
            argument = loaded.parent(argument);
        }
        let AstKind::CallExpression(call) = loaded.parent_kind(argument) else { return Sites::default() };
        let at = loaded.kind(argument).span();
        let before: Vec<_> = call.arguments.iter().take_while(|given| given.span() != at).collect();
        if before.is_empty() || before.len() == call.arguments.len() {
            return Sites::default();
        }
        let callee = self.expression_type(module, &call.callee);
        if !self.signatures(&callee, false).is_empty() {
            return Sites::default();
        }
        let mut found = Sites { external: is_spy_function(&call.callee), ..Sites::default() };
        for given in before.iter().filter_map(|given| given.as_expression()) {
            let ty = self.expression_type(module, given);
            // If the argument is a list, the key may name a member of its elements or of the list itself.
            for of in [self.element_type(&ty), ty] {
                if !matches!(of, Ty::Unknown) {
                    found.sites.extend(self.props(&of, identifier.name).sites());
                }
            }
            found.may_have_more |= matches!(self.expression_type(module, given), Ty::Unknown);
        }
        found.may_have_more &= found.sites.is_empty();
        found
    }

    /// Returns the member that a string names as an argument of a generic type of the program: `K extends keyof T`.
    fn required_key(
        &self,
        module: u32,
        name: &'w TSTypeName<'w>,
        arguments: &'w TSTypeParameterInstantiation<'w>,
        index: Option<usize>,
        text: &str,
    ) -> Sites {
        let unseen = Sites { may_have_more: true, ..Sites::default() };
        let Entity::Symbol(home, symbol) = self.name_entity(module, name) else { return unseen };
        let loaded = self.module(home);
        let parameters =
            loaded.declarations(symbol).into_iter().find_map(|declaration| match loaded.kind(declaration) {
                AstKind::TSTypeAliasDeclaration(alias) => alias.type_parameters.as_deref(),
                AstKind::TSInterfaceDeclaration(interface) => interface.type_parameters.as_deref(),
                AstKind::Class(class) => class.type_parameters.as_deref(),
                _ => None,
            });
        self.key_for_parameters(module, (home, parameters), arguments, index, text)
    }

    /// Like [`Checker::required_key`], for a call of a generic function: the results for all signatures.
    fn keys_of_call(
        &self,
        module: u32,
        signatures: &[Signature<'w>],
        arguments: &'w TSTypeParameterInstantiation<'w>,
        index: Option<usize>,
        text: &str,
    ) -> Sites {
        let mut found = Sites { may_have_more: signatures.is_empty(), ..Sites::default() };
        for signature in signatures {
            let declared = (signature.module, signature.callable.type_parameters());
            let one = self.key_for_parameters(module, declared, arguments, index, text);
            found.sites.extend(one.sites);
            found.may_have_more |= one.may_have_more;
        }
        found
    }

    /// Returns the member that a string names as the argument for one of these type parameters.
    fn key_for_parameters(
        &self,
        module: u32,
        (home, parameters): (u32, Option<&'w TSTypeParameterDeclaration<'w>>),
        arguments: &'w TSTypeParameterInstantiation<'w>,
        index: Option<usize>,
        text: &str,
    ) -> Sites {
        let parameter = index.and_then(|index| parameters?.params.get(index));
        let constraint = parameter.and_then(|parameter| parameter.constraint.as_ref());
        let Some(constraint) = constraint else { return Sites { may_have_more: true, ..Sites::default() } };
        let substitution =
            self.substitution_for(home, parameters, &self.type_arguments(module, Some(arguments), &None));
        self.key_sites(&self.annotation_type(home, constraint, &substitution), text)
    }

    /// Returns the member that a string names as the default of a type parameter: `K extends keyof T = "name"`.
    fn default_key(&self, module: u32, parameter: &'w TSTypeParameter<'w>, text: &str) -> Sites {
        match &parameter.constraint {
            Some(constraint) if constraint.span().end < parameter.span.end && parameter.default.is_some() => {
                self.key_sites(&self.annotation_type(module, constraint, &None), text)
            }
            _ => Sites { may_have_more: true, ..Sites::default() },
        }
    }

    /// Returns the member that a string names where a type of keys is expected.
    fn key_sites(&self, wanted: &Ty<'w>, text: &str) -> Sites {
        let mut found = Sites::default();
        for wanted in wanted.alternatives() {
            match self.constraint_or_self(wanted) {
                Ty::Keys(of) => {
                    let props: Sites = self.props(&of, text).into();
                    found.sites.extend(props.sites);
                    found.may_have_more |= props.may_have_more;
                }
                Ty::String(known, site) => found.sites.extend(site.filter(|_| known == text)),
                _ => return Sites { may_have_more: true, ..Sites::default() },
            }
        }
        found
    }

    /// Returns the sites of the same string in other types of these modules with the same set of strings, because
    /// values are assigned between such types.
    pub(crate) fn sites_in_equal_unions(&self, sites: &[Site], name: &str) -> Vec<Site> {
        let mut all = sites.to_vec();
        for site in sites {
            let loaded = self.module(site.module);
            let identifiers = loaded.identifiers(name);
            let typed = |identifier: &&Identifier<'w>| {
                matches!(loaded.role(identifier), Role::StringLiteral)
                    && matches!(loaded.parent_kind(identifier.node), AstKind::TSLiteralType(_))
            };
            let choice = |identifier: &Identifier<'w>| self.union_strings(site.module, loaded.parent(identifier.node));
            let offset = |identifier: &Identifier<'w>| loaded.kind(identifier.node).span().start;
            let Some(own) = identifiers.iter().filter(typed).find(|identifier| offset(identifier) == site.offset)
            else {
                continue;
            };
            let wanted = choice(own);
            let same = identifiers.iter().filter(typed).filter(|identifier| choice(identifier) == wanted);
            all.extend(same.map(|identifier| Site { module: site.module, offset: offset(identifier) }));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns whether a string literal type is part of a type argument. Its meaning then depends on the generic type:
    /// see [`Checker::type_argument_key_sites`].
    pub(crate) fn is_in_type_argument(&self, module: u32, literal: NodeId) -> bool {
        let loaded = self.module(module);
        let is_part = |kind| matches!(kind, AstKind::TSUnionType(_) | AstKind::TSParenthesizedType(_));
        let whole = loaded.self_and_ancestors(literal).skip(1).find(|around| !is_part(loaded.kind(*around)));
        whole.is_some_and(|whole| matches!(loaded.kind(whole), AstKind::TSTypeParameterInstantiation(_)))
    }

    /// Returns whether the code at a site is a string literal of a type.
    pub(crate) fn is_string_literal_type(&self, site: Site, name: &str) -> bool {
        if site == Site::WATCHED {
            return false;
        }
        let loaded = self.module(site.module);
        let identifiers = loaded.identifiers(name);
        let own = identifiers.iter().find(|identifier| loaded.kind(identifier.node).span().start == site.offset);
        own.is_some_and(|identifier| matches!(loaded.role(identifier), Role::StringLiteral))
    }

    /// Returns all strings of the union that a string literal type belongs to.
    pub(crate) fn union_strings(&self, module: u32, literal: NodeId) -> Vec<&'w str> {
        let loaded = self.module(module);
        let mut whole = literal;
        while matches!(loaded.parent_kind(whole), AstKind::TSUnionType(_) | AstKind::TSParenthesizedType(_)) {
            whole = loaded.parent(whole);
        }
        let ty = match loaded.kind(whole) {
            AstKind::TSUnionType(union) => {
                Ty::union_of(union.types.iter().map(|ty| self.annotation_type(module, ty, &None)))
            }
            AstKind::TSParenthesizedType(inner) => self.annotation_type(module, &inner.type_annotation, &None),
            AstKind::TSLiteralType(literal) => match &literal.literal {
                TSLiteral::StringLiteral(text) => {
                    text.value.as_str().map_or(Ty::Primitive, |text| Ty::String(text, None))
                }
                _ => Ty::Primitive,
            },
            _ => Ty::Primitive,
        };
        let text = |ty: &Ty<'w>| if let Ty::String(text, _) = ty { Some(*text) } else { None };
        let mut texts: Vec<&'w str> = ty.alternatives().iter().filter_map(text).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }
}
