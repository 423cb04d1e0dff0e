//! Members of classes, objects, interfaces, type literals, enums and namespaces.

use marquetry_sdk::Span;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;

use crate::outline::declarations::names::{self, Name};
use crate::outline::declarations::walk::Walk;
use crate::outline::declarations::{BodyKind, DeclId, Kind, Value, unwrap_value};

impl Walk<'_> {
    pub(super) fn add_class_members<'a>(&mut self, it: &Class<'a>) {
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        for member in &it.body.body {
            self.add_class_member(member);
        }
    }

    fn add_class_member<'a>(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::MethodDefinition(method) => self.add_method(method),
            ClassElement::PropertyDefinition(property) => {
                let span = self.with_decorators(self.span(&**property), &property.decorators);
                let (name, selection) = names::from_key(&property.key, property.computed, self.text);
                let id = self.push_member(Kind::Property, name, span, selection);
                self.exclude_decorators(id, &property.decorators);
                self.within(id, false, |walk| walk.walk_decorators(&property.decorators));
                match (&property.value, &property.type_annotation) {
                    (Some(value), _) => self.walk_value(id, value),
                    (None, Some(annotation)) => self.add_type_literal_members(id, &annotation.type_annotation),
                    (None, None) => {}
                }
            }
            ClassElement::AccessorProperty(property) => {
                let span = self.with_decorators(self.span(&**property), &property.decorators);
                let (name, selection) = names::from_key(&property.key, property.computed, self.text);
                let id = self.push_member(Kind::Property, name, span, selection);
                self.exclude_decorators(id, &property.decorators);
                self.within(id, false, |walk| walk.walk_decorators(&property.decorators));
                if let Some(value) = &property.value {
                    self.walk_value(id, value);
                }
            }
            ClassElement::StaticBlock(block) => {
                let span = self.span(&**block);
                let id = self.push_member(Kind::StaticBlock, Name::Fixed("static"), span, Span::at(span.range().start));
                let open = span.slice(self.text).find('{').unwrap_or(0) as u32;
                let braces = oxc_span::Span::new(span.start + open, span.end);
                self.set_body(id, Some((self.between_braces(braces), BodyKind::Statements)));
                self.within(id, true, |walk| walk.visit_statements(&block.body));
            }
            ClassElement::TSIndexSignature(index) => self.add_index_signature(index),
        }
    }

    /// Adds a member. Members are never local themselves, even if their class is.
    fn push_member(&mut self, kind: Kind, name: Name, span: Span, selection: Span) -> DeclId {
        let id = self.push(kind, name, span, selection);
        self.decl(id).is_local = false;
        id
    }

    fn with_decorators(&self, mut span: Span, decorators: &[Decorator<'_>]) -> Span {
        if let Some(first) = decorators.first() {
            span.start = span.start.min(first.span.start);
        }
        span
    }

    fn exclude_decorators(&mut self, id: DeclId, decorators: &[Decorator<'_>]) {
        if let Some(last) = decorators.last() {
            self.set_head(id, last.span.end);
        }
    }

    fn walk_decorators<'a>(&mut self, decorators: &[Decorator<'a>]) {
        for decorator in decorators {
            self.visit_decorator(decorator);
        }
    }

    fn add_method<'a>(&mut self, it: &MethodDefinition<'a>) {
        let kind = match it.kind {
            MethodDefinitionKind::Constructor => Kind::Constructor,
            MethodDefinitionKind::Method => Kind::Method,
            MethodDefinitionKind::Get => Kind::Getter,
            MethodDefinitionKind::Set => Kind::Setter,
        };
        let span = self.with_decorators(self.span(it), &it.decorators);
        let (name, selection) = names::from_key(&it.key, it.computed, self.text);
        let id = self.push_member(kind, name, span, selection);
        self.exclude_decorators(id, &it.decorators);
        if let Some(body) = &it.value.body {
            self.set_body(id, Some((self.between_braces(body.span), BodyKind::Statements)));
        }
        if kind == Kind::Constructor {
            for parameter in &it.value.params.items {
                self.add_parameter_property(parameter);
            }
        }
        self.within(id, true, |walk| {
            walk.walk_decorators(&it.decorators);
            walk.walk_function(&it.value);
        });
    }

    /// Adds the property that `constructor(private name: string)` declares.
    fn add_parameter_property(&mut self, it: &FormalParameter<'_>) {
        if it.accessibility.is_none() && !it.readonly && !it.r#override {
            return;
        }
        if let BindingPattern::BindingIdentifier(name) = &it.pattern {
            let span = self.with_decorators(self.span(it), &it.decorators);
            let selection = self.span(&**name);
            self.push_member(Kind::Property, Name::from_written(&name.name, selection, self.text), span, selection);
        }
    }

    /// Visits the properties of an object literal: all of them if `all`, else only those that are functions.
    pub(super) fn add_object_members<'a>(&mut self, it: &ObjectExpression<'a>, all: bool) {
        for property in &it.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => self.add_property(property, all),
                ObjectPropertyKind::SpreadProperty(spread) => self.visit_spread_element(spread),
            }
        }
    }

    fn add_property<'a>(&mut self, it: &ObjectProperty<'a>, all: bool) {
        let kind = match (it.kind, unwrap_value(&it.value)) {
            (PropertyKind::Get, _) => Kind::Getter,
            (PropertyKind::Set, _) => Kind::Setter,
            (_, Value::Function(_) | Value::Arrow(_)) => Kind::Method,
            (_, Value::Class(_)) => Kind::Class,
            (_, Value::Object(_)) => Kind::Property,
            _ if all => Kind::Property,
            _ => return self.visit_expression(&it.value),
        };
        let (name, selection) = names::from_key(&it.key, it.computed, self.text);
        let span = self.span(it);
        let id = self.push(kind, name, span, selection);
        if !all {
            self.decl(id).is_nested = true;
        }
        if it.shorthand {
            return;
        }
        self.walk_value(id, &it.value);
    }

    pub(super) fn add_enum_members(&mut self, members: &[TSEnumMember<'_>]) {
        for member in members {
            let (name, selection) = names::from_enum_member(&member.id, self.text);
            let span = self.span(member);
            let id = self.push_member(Kind::EnumMember, name, span, selection);
            if let Some(value) = &member.initializer {
                self.set_body(id, Some((self.span(value), BodyKind::Value)));
            }
        }
    }

    pub(super) fn walk_namespace_block<'a>(&mut self, id: DeclId, block: &TSModuleBlock<'a>) {
        self.set_body(id, Some((self.between_braces(block.span), BodyKind::Statements)));
        self.within(id, false, |walk| walk.visit_statements(&block.body));
    }

    /// Visits the members of the type literals in the type of a declaration.
    pub(super) fn add_type_literal_members<'a>(&mut self, id: DeclId, it: &TSType<'a>) {
        match it {
            TSType::TSTypeLiteral(literal) => {
                let body = self.between_braces(literal.span);
                self.set_body(id, Some((body, BodyKind::TypeMembers)));
                self.within(id, false, |walk| walk.add_type_members(&literal.members));
            }
            _ => self.within(id, false, |walk| walk.add_literals_in(it)),
        }
    }

    fn add_literals_in<'a>(&mut self, it: &TSType<'a>) {
        match it {
            TSType::TSTypeLiteral(literal) => self.add_type_members(&literal.members),
            TSType::TSParenthesizedType(inner) => self.add_literals_in(&inner.type_annotation),
            TSType::TSArrayType(array) => self.add_literals_in(&array.element_type),
            TSType::TSTypeOperatorType(operator) => self.add_literals_in(&operator.type_annotation),
            TSType::TSIntersectionType(all) => all.types.iter().for_each(|part| self.add_literals_in(part)),
            TSType::TSUnionType(any) => any.types.iter().for_each(|part| self.add_literals_in(part)),
            _ => {}
        }
    }

    pub(super) fn add_type_members(&mut self, members: &[TSSignature<'_>]) {
        for member in members {
            match member {
                TSSignature::TSPropertySignature(property) => {
                    let (name, selection) = names::from_key(&property.key, property.computed, self.text);
                    let span = self.without_comma(self.span(&**property));
                    let id = self.push_member(Kind::Property, name, span, selection);
                    if let Some(annotation) = &property.type_annotation {
                        self.add_type_literal_members(id, &annotation.type_annotation);
                    }
                }
                TSSignature::TSMethodSignature(method) => {
                    let kind = match method.kind {
                        TSMethodSignatureKind::Method => Kind::Method,
                        TSMethodSignatureKind::Get => Kind::Getter,
                        TSMethodSignatureKind::Set => Kind::Setter,
                    };
                    let (name, selection) = names::from_key(&method.key, method.computed, self.text);
                    let span = self.without_comma(self.span(&**method));
                    self.push_member(kind, name, span, selection);
                }
                TSSignature::TSIndexSignature(index) => self.add_index_signature(index),
                TSSignature::TSCallSignatureDeclaration(call) => {
                    let span = self.without_comma(self.span(&**call));
                    self.push_member(Kind::CallSignature, Name::Fixed("()"), span, Span::at(span.range().start));
                }
                TSSignature::TSConstructSignatureDeclaration(new) => {
                    let span = self.without_comma(self.span(&**new));
                    self.push_member(
                        Kind::ConstructSignature,
                        Name::Fixed("new()"),
                        span,
                        Span::at(span.range().start),
                    );
                }
            }
        }
    }

    fn add_index_signature(&mut self, it: &TSIndexSignature<'_>) {
        let span = self.without_comma(self.span(it));
        let key = self.span(&it.parameter);
        let words: Vec<&str> = key.slice(self.text).split_whitespace().collect();
        let name = Name::Owned(format!("[{}]", words.join(" ")).into());
        self.push_member(Kind::IndexSignature, name, span, key);
    }

    /// Returns the span without a trailing `,`, which separates members; a `;` is part of the member.
    fn without_comma(&self, span: Span) -> Span {
        let own = span.slice(self.text);
        match own.strip_suffix(',') {
            Some(rest) => Span { start: span.start, end: span.start + rest.trim_end().len() as u32 },
            None => span,
        }
    }
}
