//! Effect analysis: side effects and dependencies of code, to decide whether it can run earlier, later or more often.
//!
//! Reading a member has side effects if a getter of that name has some, or the object is a proxy.

use std::collections::HashSet;
use std::rc::Rc;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::collections::{Collection, is_new_object};
use crate::semantics::implicit_code::ImplicitCode;
use crate::semantics::names::FreeName;
use crate::semantics::operands::{converts, is_object_operand};
use crate::semantics::written_members::writes_members;

/// Side effects and dependencies of a piece of code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    /// The code may change state or wait: calls, assignments, `await`.
    pub(crate) has_side_effects: bool,
    /// Each run creates a new mutable value: an object, an array, a regular expression.
    pub(crate) creates_object: bool,
    /// The code contains `await` or `yield`, which only the surrounding function can run.
    pub(crate) suspends: bool,
    /// The code needs the `this`, `super`, `arguments` or `new.target` of the surrounding function.
    pub(crate) uses_this: bool,
    /// Variables that the code reads.
    pub(crate) reads: HashSet<SymbolId>,
    /// Variables that the code writes.
    pub(crate) writes: HashSet<SymbolId>,
    /// Names of members that the code reads; `[]` for computed names.
    pub(crate) members: HashSet<String>,
    /// Source texts of the objects of these members: `a.b` and `a` of `a.b.c`.
    pub(crate) objects: HashSet<String>,
    /// The code reads something that a call may change: a variable that a function writes, a member that is written
    /// somewhere in the file, or an export of another module.
    pub(crate) reads_shared: bool,
    /// Lists, maps and sets whose size or elements the code reads.
    pub(crate) collections: HashSet<Collection>,
    /// The getters, conversions and other functions that run without a call in the text.
    pub(super) implicit: Rc<ImplicitCode>,
}

/// Yields the nodes in the range `within`, which is inside the node `around`, from the outside in.
///
/// In the list of all nodes, a node is directly followed by the nodes inside it, so only these are visited.
fn nodes_within<'s, 'a>(
    semantic: &'s Semantic<'a>,
    around: NodeId,
    within: Span,
) -> impl Iterator<Item = (NodeId, AstKind<'a>)> + use<'s, 'a> {
    let nodes = semantic.nodes();
    let end = nodes.kind(around).span().end;
    let is_first = move |id: NodeId| id == around;
    let following =
        nodes.iter().skip(around.index()).take_while(move |node| is_first(node.id()) || node.kind().span().start < end);
    following.map(|node| (node.id(), node.kind())).filter(move |(_, kind)| contains(within, kind.span()))
}

/// Yields the nodes that run when the code runs, from the outside in: nodes of nested functions are excluded.
pub(crate) fn executed_nodes<'s, 'a>(
    semantic: &'s Semantic<'a>,
    around: NodeId,
    within: Span,
) -> impl Iterator<Item = (NodeId, AstKind<'a>)> + use<'s, 'a> {
    let mut passed = 0;
    nodes_within(semantic, around, within).filter(move |(_, kind)| {
        let span = kind.span();
        if span.end <= passed {
            return false;
        }
        if matches!(kind, AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)) {
            passed = span.end;
        }
        true
    })
}

/// Returns the names that the code uses but does not declare.
pub(crate) fn used_names<'s>(semantic: &'s Semantic<'_>, around: NodeId, within: Span) -> Vec<FreeName<'s>> {
    let scoping = semantic.scoping();
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for (_, kind) in nodes_within(semantic, around, within) {
        let AstKind::IdentifierReference(name) = kind else { continue };
        let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
        let is_own = |symbol: SymbolId| {
            let again = scoping.symbol_redeclarations(symbol).iter().map(|declaration| declaration.span);
            std::iter::once(scoping.symbol_span(symbol)).chain(again).any(|span| contains(within, span))
        };
        if symbol.is_some_and(is_own) {
            continue;
        }
        let free = FreeName { name: name.name.as_str(), symbol };
        if seen.insert(free.clone()) {
            found.push(free);
        }
    }
    found
}

/// Returns whether the node itself may change state, regardless of its children.
pub(crate) fn has_side_effect(kind: &AstKind<'_>) -> bool {
    match kind {
        AstKind::CallExpression(_)
        | AstKind::NewExpression(_)
        | AstKind::TaggedTemplateExpression(_)
        | AstKind::ImportExpression(_)
        | AstKind::AssignmentExpression(_)
        | AstKind::UpdateExpression(_)
        | AstKind::AwaitExpression(_)
        | AstKind::YieldExpression(_)
        | AstKind::ForInStatement(_)
        | AstKind::ForOfStatement(_)
        | AstKind::ReturnStatement(_)
        | AstKind::ThrowStatement(_)
        | AstKind::BreakStatement(_)
        | AstKind::ContinueStatement(_)
        | AstKind::V8IntrinsicExpression(_) => true,
        AstKind::UnaryExpression(unary) => unary.operator == UnaryOperator::Delete,
        AstKind::VariableDeclaration(variables) => variables.kind.is_using(),
        _ => false,
    }
}

/// Returns the effects of the code in the range `within`, which is inside the node `around`.
pub(crate) fn effects_of(
    semantic: &Semantic<'_>,
    implicit: &Rc<ImplicitCode>,
    around: NodeId,
    within: Span,
) -> Effects {
    let mut found = Effects { implicit: implicit.clone(), ..Effects::default() };
    let mut does_convert = false;
    for (node, kind) in executed_nodes(semantic, around, within) {
        found.has_side_effects |= has_side_effect(&kind) || implicit.acts_at(semantic, node, &kind);
        does_convert |= converts(semantic, &kind);
        found.collections.extend(Collection::read_at(semantic, node, &kind));
        found.add_node(semantic, node, &kind);
    }
    found.add_implicit(semantic, does_convert);
    found.uses_this |= needs_this(semantic, around, within);
    found.reads_shared |= found.reads.iter().any(|symbol| is_written_by_function(semantic, *symbol))
        || found.collections.iter().any(|read| read.is_changed_by_function(semantic));
    found
}

/// Returns whether a function within the scope of a variable writes it.
fn is_written_by_function(semantic: &Semantic<'_>, symbol: SymbolId) -> bool {
    let (scoping, nodes) = (semantic.scoping(), semantic.nodes());
    let home = scoping.get_node_id(scoping.symbol_scope_id(symbol));
    let mut writes = scoping.get_resolved_references(symbol).filter(|reference| reference.is_write());
    writes.any(|reference| {
        let mut around = nodes.ancestors(reference.node_id()).take_while(|around| around.id() != home);
        around.any(|around| matches!(around.kind(), AstKind::Function(_) | AstKind::ArrowFunctionExpression(_)))
    })
}

/// Returns whether part of a class element runs when the class is created.
fn runs_with_class(element: &ClassElement<'_>) -> bool {
    match element {
        ClassElement::StaticBlock(_) => true,
        ClassElement::PropertyDefinition(property) => {
            property.computed || property.r#static && property.value.is_some()
        }
        ClassElement::MethodDefinition(method) => method.computed || !method.decorators.is_empty(),
        ClassElement::AccessorProperty(_) => true,
        ClassElement::TSIndexSignature(_) => false,
    }
}

/// Returns whether the code needs the surrounding `this`. Arrow functions in it do not change `this`.
fn needs_this(semantic: &Semantic<'_>, around: NodeId, within: Span) -> bool {
    let nodes = semantic.nodes();
    let is_use = |kind: &AstKind<'_>| match kind {
        AstKind::ThisExpression(_) | AstKind::Super(_) | AstKind::NewTarget(_) | AstKind::TSThisType(_) => true,
        AstKind::IdentifierReference(name) => name.name == "arguments",
        _ => false,
    };
    nodes_within(semantic, around, within).filter(|(_, kind)| is_use(kind)).any(|(node, _)| {
        let mut around = nodes.ancestor_kinds(node).take_while(|around| contains(within, around.span()));
        !around.any(|around| has_own_this(&around))
    })
}

/// Returns whether the node has its own `this`.
pub(crate) fn has_own_this(kind: &AstKind<'_>) -> bool {
    matches!(
        kind,
        AstKind::Function(_) | AstKind::PropertyDefinition(_) | AstKind::StaticBlock(_) | AstKind::AccessorProperty(_)
    )
}

/// Returns the name of the member that the node reads or writes, and the object.
pub(crate) fn member_access<'a>(kind: &AstKind<'a>) -> Option<(&'a str, &'a Expression<'a>)> {
    match kind {
        AstKind::StaticMemberExpression(it) => Some((it.property.name.as_str(), &it.object)),
        AstKind::PrivateFieldExpression(it) => Some((it.field.name.as_str(), &it.object)),
        AstKind::ComputedMemberExpression(it) => {
            let name = match &it.expression {
                Expression::StringLiteral(key) => key.value.as_str(),
                _ => None,
            };
            Some((name.unwrap_or("[]"), &it.object))
        }
        _ => None,
    }
}

impl Effects {
    /// Adds the effects and dependencies of a node, regardless of its children.
    fn add_node(&mut self, semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) {
        match kind {
            AstKind::AwaitExpression(_) | AstKind::YieldExpression(_) => self.suspends = true,
            AstKind::ObjectExpression(_)
            | AstKind::ArrayExpression(_)
            | AstKind::RegExpLiteral(_)
            | AstKind::NewExpression(_) => self.creates_object = true,
            AstKind::BinaryExpression(it) => {
                // A write may change the result, whatever it writes.
                self.reads_shared |= it.operator == BinaryOperator::In;
                self.add_converted(semantic, node, [&it.left, &it.right]);
            }
            AstKind::UnaryExpression(it) => self.add_converted(semantic, node, [&it.argument]),
            AstKind::CallExpression(it) => {
                self.add_converted(semantic, node, it.arguments.iter().filter_map(|given| given.as_expression()));
            }
            AstKind::TemplateLiteral(it) => self.add_converted(semantic, node, &it.expressions),
            AstKind::SpreadElement(it) => self.add_content(semantic, node, &it.argument),
            AstKind::Class(class) => {
                self.creates_object = true;
                self.has_side_effects |= !class.decorators.is_empty() || class.body.body.iter().any(runs_with_class);
            }
            AstKind::IdentifierReference(name) => self.add_name(semantic, node, name),
            AstKind::BindingProperty(it) => {
                self.members.extend(it.key.static_name().map(|name| name.display().to_string()));
            }
            _ => {
                if let Some((member, object)) = member_access(kind) {
                    self.members.insert(member.to_owned());
                    self.objects.insert(object.span().source_text(semantic.source_text()).to_owned());
                }
            }
        }
    }

    fn add_name(&mut self, semantic: &Semantic<'_>, node: NodeId, name: &IdentifierReference<'_>) {
        let scoping = semantic.scoping();
        self.uses_this |= name.name == "arguments";
        let reference = name.reference_id.get().map(|id| scoping.get_reference(id));
        let Some((reference, symbol)) = reference.and_then(|it| Some((it, it.symbol_id()?))) else { return };
        let is_called = || {
            let parent = semantic.nodes().parent_kind(node);
            matches!(parent, AstKind::CallExpression(call) if call.callee.span() == name.span)
        };
        self.reads_shared |= reference.flags().is_value() && scoping.symbol_flags(symbol).is_import() && !is_called();
        if reference.is_read() && scoping.symbol_is_mutated(symbol) {
            self.reads.insert(symbol);
        }
        if reference.is_write() {
            self.writes.insert(symbol);
        }
    }

    /// Adds the elements of an object, which the code reads.
    fn add_content(&mut self, semantic: &Semantic<'_>, node: NodeId, object: &Expression<'_>) {
        self.members.insert("[]".to_owned());
        self.objects.insert(object.span().source_text(semantic.source_text()).to_owned());
        self.collections.extend(Collection::at(semantic, node, object));
    }

    /// Adds the elements of the lists among values that are converted to texts.
    fn add_converted<'e, 'a: 'e>(
        &mut self,
        semantic: &Semantic<'_>,
        node: NodeId,
        values: impl IntoIterator<Item = &'e Expression<'a>>,
    ) {
        for value in values {
            match value.get_inner_expression() {
                Expression::LogicalExpression(it) => self.add_converted(semantic, node, [&it.left, &it.right]),
                Expression::ConditionalExpression(it) => {
                    self.add_converted(semantic, node, [&it.consequent, &it.alternate]);
                }
                Expression::ArrayExpression(it) => {
                    let elements = it.elements.iter().filter_map(|element| element.as_expression());
                    elements.for_each(|element| self.add_converted(semantic, node, [element]));
                }
                _ if is_new_object(semantic, value) => self.add_content(semantic, node, value),
                _ if is_object_operand(semantic, value) => {
                    self.collections.extend(Collection::at(semantic, node, value));
                }
                _ => {}
            }
        }
    }

    /// Adds what runs when the members are read, and what converts values if the code does that.
    fn add_implicit(&mut self, semantic: &Semantic<'_>, does_convert: bool) {
        let implicit = self.implicit.clone();
        for function in implicit.run_by(&self.members.clone(), does_convert) {
            self.has_side_effects |= function.has_side_effects;
            self.creates_object |= function.creates_object;
            self.reads_shared |= function.reads_shared;
            self.members.extend(function.members.iter().cloned());
            self.reads.extend(&function.reads);
        }
        self.reads_shared |=
            self.members.iter().any(|member| member != "[]") && writes_members(semantic, &self.members);
        self.reads_shared |= self.reads.iter().any(|symbol| is_written_by_function(semantic, *symbol));
    }

    /// Adds members that the code reads besides those that it names.
    pub(crate) fn read_members(&mut self, semantic: &Semantic<'_>, names: impl IntoIterator<Item = String>) {
        self.members.extend(names);
        self.add_implicit(semantic, false);
    }

    /// Adds the effects of another piece of code.
    pub(crate) fn add(&mut self, other: Effects) {
        self.has_side_effects |= other.has_side_effects;
        self.creates_object |= other.creates_object;
        self.suspends |= other.suspends;
        self.uses_this |= other.uses_this;
        self.reads_shared |= other.reads_shared;
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.members.extend(other.members);
        self.objects.extend(other.objects);
        self.collections.extend(other.collections);
        self.implicit = other.implicit;
    }

    /// Returns whether the result is the same whenever and however often the code runs.
    pub(crate) fn is_constant(&self) -> bool {
        let reads = !self.members.is_empty() || !self.reads.is_empty() || self.reads_shared;
        !self.has_side_effects && !self.creates_object && !reads
    }
}

/// Returns whether the node at the span is the target of a write in its parent.
pub(crate) fn is_written(around: &AstKind<'_>, span: Span) -> bool {
    match around {
        AstKind::AssignmentExpression(it) => it.left.span() == span,
        AstKind::ForInStatement(it) => it.left.span() == span,
        AstKind::ForOfStatement(it) => it.left.span() == span,
        AstKind::AssignmentTargetPropertyProperty(it) => it.binding.span() == span,
        AstKind::AssignmentTargetWithDefault(it) => it.binding.span() == span,
        AstKind::UpdateExpression(_) | AstKind::ArrayAssignmentTarget(_) | AstKind::AssignmentTargetRest(_) => true,
        AstKind::UnaryExpression(it) => it.operator == UnaryOperator::Delete,
        _ => false,
    }
}

pub(crate) fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::tree::Tree;

    fn with_piece<R>(marked: &str, look: impl FnOnce(&Semantic<'_>, Span) -> R) -> R {
        let start = marked.find('«').expect("«");
        let end = marked.find('»').expect("»") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let span = Span::new(start as u32, end as u32);
        Tree::parse("a.tsx", text).with(|parsed| look(parsed.semantic(), span))
    }

    fn words(marked: &str) -> String {
        with_piece(marked, |semantic, span| {
            let found = effects_of(semantic, &Rc::new(ImplicitCode::of_file(semantic)), NodeId::ROOT, span);
            let words = [
                (found.has_side_effects, "acts"),
                (found.creates_object, "makes"),
                (found.suspends, "suspends"),
                (found.uses_this, "this"),
                (found.is_constant(), "constant"),
            ];
            words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
        })
    }

    #[test]
    fn detects_effects_of_expressions() {
        assert_eq!(words("«1 + 2»"), "constant");
        assert_eq!(words("const a = 1; «a + `${a}`»"), "constant");
        assert_eq!(words("let a = 1; a = 2; «a»"), "");
        assert_eq!(words("«f(1)»"), "acts");
        assert_eq!(words("(«{ a: 1 }»)"), "makes");
        assert_eq!(words("«() => f(this)»"), "this constant");
        assert_eq!(words("«function () { f(this) }»"), "constant");
        assert_eq!(words("«await a»"), "acts suspends");
        assert_eq!(words("«delete a.b»"), "acts");
        assert_eq!(words("«<a b={1} />»"), "constant");
        assert_eq!(words("(«class { static a = f() }»)"), "acts makes");
        assert_eq!(words("«a.b»"), "");
    }
}
