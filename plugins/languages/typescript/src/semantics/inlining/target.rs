//! The variable or type alias to inline, and the destructuring from its value to its name.

use marquetry_sdk::Result;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::{Semantics, refusal};

/// A variable or type alias.
pub(crate) struct InlineTarget<'s, 'a> {
    pub(crate) symbol: SymbolId,
    pub(crate) name: &'s str,
    pub(crate) name_span: Span,
    /// The variable declaration or the alias.
    pub(crate) declaration: NodeId,
    pub(crate) value: TargetValue<'a>,
    /// The declared type.
    pub(crate) annotation: Option<Span>,
    /// Steps from the value to the named part, if a pattern destructures it.
    pub(crate) steps: Vec<PatternStep<'a>>,
    /// True if the pattern binds other names to parts of the same value.
    pub(crate) binds_other_names: bool,
    /// True if the declaration must stay, because it excludes properties from `...rest`.
    pub(crate) is_kept: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum TargetValue<'a> {
    Expression(&'a Expression<'a>),
    Type(&'a TSTypeAliasDeclaration<'a>),
}

/// One step into a value.
#[derive(Clone, Copy)]
pub(crate) enum PatternStep<'a> {
    Property(&'a BindingProperty<'a>),
    Element(usize),
}

impl TargetValue<'_> {
    pub(crate) fn span(&self) -> Span {
        match self {
            TargetValue::Expression(value) => value.span(),
            TargetValue::Type(alias) => alias.type_annotation.span(),
        }
    }
}

impl InlineTarget<'_, '_> {
    /// Returns the parts of the program that are repeated at each use.
    pub(crate) fn repeated_parts(&self) -> impl Iterator<Item = Span> {
        let keys = self.steps.iter().filter_map(|step| match step {
            PatternStep::Property(property) if property.computed => Some(property.key.span()),
            _ => None,
        });
        std::iter::once(self.value.span()).chain(keys)
    }
}

impl InlineTarget<'_, '_> {
    /// Returns the names of the members on the way from the value to the name.
    pub(crate) fn step_names(&self) -> Vec<String> {
        let name = |step: &PatternStep<'_>| match step {
            PatternStep::Property(property) => property.key.static_name().map(|name| name.display().to_string()),
            PatternStep::Element(_) => None,
        };
        self.steps.iter().filter_map(name).collect()
    }
}

/// Returns the variable or type alias whose name, keyword or value is at the caret.
pub(crate) fn target_at<'s, 'a>(code: Semantics<'s, 'a>, caret: u32) -> Result<InlineTarget<'s, 'a>> {
    let touching: Vec<(NodeId, AstKind<'a>)> = code.nodes_at(caret).collect();
    let named = touching.iter().rev().find_map(|(node, kind)| match kind {
        AstKind::BindingIdentifier(name) => Some((*node, name.symbol_id.get())),
        AstKind::IdentifierReference(name) => Some((*node, code.symbol_of(name))),
        _ => None,
    });
    match named {
        Some((node, _)) if is_destructured(&code.parent_kind(node), code.span(node)) => {
            Err(refusal("the caret is on a destructured value", "place the caret on the name to inline"))
        }
        Some((_, Some(symbol))) => target_of_symbol(code, symbol),
        Some((node, None)) => {
            let name = code.source(code.span(node));
            Err(refusal(
                format!("`{name}` is not declared in this file"),
                "run the refactoring in the file that declares it",
            ))
        }
        None => target_of_declaration(code, touching.last().map(|(node, _)| *node)),
    }
}

/// Returns whether a pattern destructures this value.
fn is_destructured(around: &AstKind<'_>, span: Span) -> bool {
    let AstKind::VariableDeclarator(it) = around else { return false };
    !it.id.is_binding_identifier() && it.init.as_ref().is_some_and(|init| init.span() == span)
}

/// Returns the declaration for a caret on its keyword, its `=` or its value.
fn target_of_declaration<'s, 'a>(code: Semantics<'s, 'a>, innermost: Option<NodeId>) -> Result<InlineTarget<'s, 'a>> {
    let nothing = || refusal("the caret is not on a variable or type alias", "place the caret on its name");
    let innermost = innermost.ok_or_else(nothing)?;
    let (kind, around) = (code.kind(innermost), code.parent_kind(innermost));
    let declarator = match (kind, around) {
        (AstKind::TSTypeAliasDeclaration(alias), _) => {
            return target_of_symbol(code, alias.id.symbol_id.get().ok_or_else(nothing)?);
        }
        (AstKind::VariableDeclaration(variables), _) => match variables.declarations.as_slice() {
            [only] => only,
            several => {
                let names = several.iter().flat_map(|it| it.id.get_binding_identifiers());
                return Err(refusal("the statement declares several variables", "place the caret on one of the names")
                    .candidates(names.map(|name| name.name.to_string())));
            }
        },
        (AstKind::VariableDeclarator(declarator), _) => declarator,
        (AstKind::IdentifierName(_) | AstKind::StringLiteral(_), AstKind::BindingProperty(property)) => {
            let name = property.value.get_binding_identifier();
            return target_of_symbol(code, name.and_then(|name| name.symbol_id.get()).ok_or_else(nothing)?);
        }
        (value, AstKind::VariableDeclarator(declarator))
            if declarator.init.as_ref().is_some_and(|init| init.span() == value.span()) =>
        {
            declarator
        }
        _ => return Err(nothing()),
    };
    match declarator.id.get_binding_identifiers().as_slice() {
        [only] => target_of_symbol(code, only.symbol_id.get().ok_or_else(nothing)?),
        names => Err(refusal("the pattern declares several names", "place the caret on one of them")
            .candidates(names.iter().map(|name| name.name.to_string()))),
    }
}

fn target_of_symbol<'s, 'a>(code: Semantics<'s, 'a>, symbol: SymbolId) -> Result<InlineTarget<'s, 'a>> {
    let node = code.declaration_of(symbol);
    let name_span = code.scoping().symbol_span(symbol);
    let name = code.source(name_span);
    let target = |declaration, value| InlineTarget {
        symbol,
        name,
        name_span,
        declaration,
        value,
        annotation: None,
        steps: Vec::new(),
        binds_other_names: false,
        is_kept: false,
    };
    let declarator = match code.kind(node) {
        AstKind::TSTypeAliasDeclaration(alias) => return Ok(target(node, TargetValue::Type(alias))),
        AstKind::VariableDeclarator(declarator) => declarator,
        other => {
            let what = kind_label(&other);
            return Err(refusal(format!("`{name}` is {what}"), "only variables and type aliases can be inlined"));
        }
    };
    let declaration = code.parent(node);
    let AstKind::VariableDeclaration(variables) = code.kind(declaration) else {
        return Err(refusal(format!("`{name}` is not a variable"), "only variables and type aliases can be inlined"));
    };
    if matches!(
        code.parent_kind(declaration),
        AstKind::ForStatement(_) | AstKind::ForInStatement(_) | AstKind::ForOfStatement(_)
    ) {
        return Err(refusal(format!("`{name}` is a loop variable"), "it may have a different value in each iteration"));
    }
    if variables.kind.is_using() {
        return Err(refusal(
            format!("`{name}` is declared with `using`"),
            "without the declaration, its value would not be disposed of",
        ));
    }
    let Some(value) = &declarator.init else {
        return Err(refusal(
            format!("`{name}` has no initial value"),
            "only variables with an initial value can be inlined",
        ));
    };
    let mut found = target(declaration, TargetValue::Expression(value));
    found.annotation = declarator.type_annotation.as_ref().map(|it| it.type_annotation.span());
    found.binds_other_names = declarator.id.get_binding_identifiers().len() > 1;
    follow_pattern(&declarator.id, &mut found)?;
    if matches!(found.steps.first(), Some(PatternStep::Element(_))) {
        check_list(value, name)?;
    }
    Ok(found)
}

/// Follows a pattern down to the name.
fn follow_pattern<'a>(pattern: &'a BindingPattern<'a>, target: &mut InlineTarget<'_, 'a>) -> Result<()> {
    let mut next = pattern;
    loop {
        let name = target.name_span;
        next = match next {
            BindingPattern::BindingIdentifier(_) => return Ok(()),
            BindingPattern::ObjectPattern(object) => {
                let property = object.properties.iter().find(|property| property.value.span().contains_inclusive(name));
                let Some(property) = property else { return Err(rest_failure(target.name)) };
                target.is_kept |= object.rest.is_some();
                target.steps.push(PatternStep::Property(property));
                &property.value
            }
            BindingPattern::ArrayPattern(array) => {
                let index = array
                    .elements
                    .iter()
                    .position(|it| it.as_ref().is_some_and(|it| it.span().contains_inclusive(name)));
                let Some((index, element)) = index.and_then(|at| Some((at, array.elements[at].as_ref()?))) else {
                    return Err(rest_failure(target.name));
                };
                target.steps.push(PatternStep::Element(index));
                element
            }
            BindingPattern::AssignmentPattern(_) => {
                return Err(refusal(
                    format!("`{}` has a default", target.name),
                    "its value depends on the destructured value",
                ));
            }
        };
    }
}

/// Refuses elements of a value that is not certainly a list: a generator or a map has no elements by index.
fn check_list(value: &Expression<'_>, name: &str) -> Result<()> {
    match value.get_inner_expression() {
        Expression::CallExpression(_) | Expression::NewExpression(_) | Expression::StringLiteral(_) => Err(refusal(
            format!("`{name}` is an element of a value that may not be a list"),
            "first put the value into an own variable, if it is a list",
        )),
        _ => Ok(()),
    }
}

fn rest_failure(name: &str) -> marquetry_sdk::Failure {
    refusal(format!("`{name}` is a rest element of a pattern"), "no expression has the same value")
}

fn kind_label(kind: &AstKind<'_>) -> &'static str {
    match kind {
        AstKind::FormalParameter(_) | AstKind::FormalParameterRest(_) => "a parameter",
        AstKind::Function(_) => "a function",
        AstKind::Class(_) => "a class",
        AstKind::ImportSpecifier(_) | AstKind::ImportDefaultSpecifier(_) | AstKind::ImportNamespaceSpecifier(_) => {
            "imported"
        }
        AstKind::CatchParameter(_) | AstKind::CatchClause(_) => "the parameter of a `catch` clause",
        AstKind::TSInterfaceDeclaration(_) => "an interface",
        AstKind::TSEnumDeclaration(_) | AstKind::TSEnumMember(_) => "an enum",
        AstKind::TSTypeParameter(_) => "a type parameter",
        _ => "not a variable",
    }
}
