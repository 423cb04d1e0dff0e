//! Effect analysis: side effects and dependencies of code, to decide whether it can run earlier, later or more often.
//!
//! Reading a member has side effects if a getter in the same file has some, or the object is a proxy.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::{GetSpan as _, Span};

use crate::semantics::accessors::{is_proxy, runs_accessor};
use crate::semantics::names::FreeName;
use crate::semantics::written_members::writes_members;

/// Side effects and dependencies of a piece of code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Effects {
    /// It may change state or wait: calls, assignments, `await`.
    pub(crate) has_side_effects: bool,
    /// Each run creates a new mutable value: an object, an array, a regular expression.
    pub(crate) creates_object: bool,
    /// It contains `await` or `yield`, which only the surrounding function can run.
    pub(crate) suspends: bool,
    /// It needs the `this`, `super`, `arguments` or `new.target` of the surrounding function.
    pub(crate) uses_this: bool,
    /// Variables that it reads.
    pub(crate) reads: HashSet<SymbolId>,
    /// Variables that it writes.
    pub(crate) writes: HashSet<SymbolId>,
    /// Names of members that it reads; `[]` for computed names.
    pub(crate) members: HashSet<String>,
    /// Source texts of the objects of these members: `a.b` and `a` of `a.b.c`.
    pub(crate) objects: HashSet<String>,
    /// It reads something that a call may change: a variable that a function writes, a member that is written somewhere
    /// in the file, or what another module exports.
    pub(crate) reads_shared: bool,
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
pub(crate) fn effects_of(semantic: &Semantic<'_>, around: NodeId, within: Span) -> Effects {
    let scoping = semantic.scoping();
    let mut found = Effects::default();
    let (mut reads_import, mut converts) = (false, false);
    for (node, kind) in executed_nodes(semantic, around, within) {
        found.has_side_effects |= has_side_effect(&kind);
        match kind {
            AstKind::AwaitExpression(_) | AstKind::YieldExpression(_) => found.suspends = true,
            AstKind::ObjectExpression(_) | AstKind::ArrayExpression(_) | AstKind::RegExpLiteral(_) => {
                found.creates_object = true
            }
            AstKind::NewExpression(_) => found.creates_object = true,
            // A write may change the result, whatever it writes.
            AstKind::BinaryExpression(it) if it.operator == BinaryOperator::In => found.reads_shared = true,
            AstKind::BinaryExpression(_) | AstKind::UnaryExpression(_) | AstKind::TemplateLiteral(_) => converts = true,
            AstKind::ObjectProperty(it) => converts |= it.computed,
            AstKind::SpreadElement(it) => {
                found.members.insert("[]".to_owned());
                found.objects.insert(it.argument.span().source_text(semantic.source_text()).to_owned());
            }
            AstKind::Class(class) => {
                found.creates_object = true;
                found.has_side_effects |= !class.decorators.is_empty() || class.body.body.iter().any(runs_with_class);
            }
            AstKind::IdentifierReference(name) => {
                let reference = name.reference_id.get().map(|id| scoping.get_reference(id));
                found.uses_this |= name.name == "arguments";
                if let Some((reference, symbol)) = reference.and_then(|it| Some((it, it.symbol_id()?))) {
                    let is_called = || {
                        let parent = semantic.nodes().parent_kind(node);
                        matches!(parent, AstKind::CallExpression(call) if call.callee.span() == name.span)
                    };
                    reads_import |=
                        reference.flags().is_value() && scoping.symbol_flags(symbol).is_import() && !is_called();
                    if reference.is_read() && scoping.symbol_is_mutated(symbol) {
                        found.reads.insert(symbol);
                    }
                    if reference.is_write() {
                        found.writes.insert(symbol);
                    }
                }
            }
            _ => {
                if let Some((member, object)) = member_access(&kind) {
                    found.members.insert(member.to_owned());
                    found.objects.insert(object.span().source_text(semantic.source_text()).to_owned());
                    found.has_side_effects |= is_proxy(semantic, object);
                }
            }
        }
    }
    found.has_side_effects |= runs_accessor(semantic, &found.members, converts);
    found.uses_this |= needs_this(semantic, around, within);
    found.reads_shared |= reads_import
        || found.reads.iter().any(|symbol| is_written_by_function(semantic, *symbol))
        || found.members.iter().any(|member| member != "[]") && writes_members(semantic, &found.members);
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

/// Code that prevents a piece of code from moving across it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Obstacle {
    pub(crate) span: Span,
    /// Offset after which its effect has happened.
    pub(crate) effect_end: u32,
}

impl Effects {
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
    }

    /// Returns whether the result is the same whenever and however often the code runs.
    pub(crate) fn is_constant(&self) -> bool {
        let reads = !self.members.is_empty() || !self.reads.is_empty() || self.reads_shared;
        !self.has_side_effects && !self.creates_object && !reads
    }

    /// Returns the first node in `stretch` that prevents this code from moving from one end of the stretch to the
    /// other. The stretch is inside the node `around`.
    pub(crate) fn first_obstacle(&self, semantic: &Semantic<'_>, around: NodeId, stretch: Span) -> Option<Obstacle> {
        let is_fixed = !self.has_side_effects && self.members.is_empty() && self.reads.is_empty() && !self.reads_shared;
        if is_fixed || stretch.start >= stretch.end {
            return None;
        }
        let obstacles = executed_nodes(semantic, around, stretch).filter_map(|(node, kind)| {
            let done = self.interference_offset(semantic, node, &kind)?;
            (done <= stretch.end).then_some(Obstacle { span: kind.span(), effect_end: done })
        });
        obstacles.min_by_key(|obstacle| obstacle.effect_end)
    }

    /// Returns the offset at which the node interferes with this code, if it does.
    fn interference_offset(&self, semantic: &Semantic<'_>, node: NodeId, kind: &AstKind<'_>) -> Option<u32> {
        let scoping = semantic.scoping();
        let end = kind.span().end;
        if has_side_effect(kind)
            && (self.has_side_effects || self.reads_shared && !matches!(kind, AstKind::AssignmentExpression(_)))
        {
            return Some(end);
        }
        match kind {
            AstKind::IdentifierReference(name) => {
                let reference = name.reference_id.get().map(|id| scoping.get_reference(id))?;
                let symbol = reference.symbol_id()?;
                if reference.is_write() && self.reads.contains(&symbol) {
                    return Some(write_end(semantic, node));
                }
                let is_changed = reference.is_read()
                    && self.has_side_effects
                    && scoping.symbol_is_mutated(symbol)
                    && !self.only_writes_variables();
                (self.writes.contains(&symbol) || is_changed).then_some(end)
            }
            // A call may change its receiver and its arguments.
            AstKind::CallExpression(call) if !self.members.is_empty() => {
                let text = |span: Span| span.source_text(semantic.source_text());
                let changes = |span: Span| self.objects.contains(text(span));
                let object = call.callee.get_inner_expression().as_member_expression().map(|it| it.object().span());
                (object.is_some_and(changes) || call.arguments.iter().any(|it| changes(it.span()))).then_some(end)
            }
            AstKind::AssignmentExpression(_) | AstKind::UpdateExpression(_) | AstKind::UnaryExpression(_) => None,
            _ => {
                let (name, _) = member_access(kind)?;
                let around = semantic.nodes().parent_kind(node);
                let span = kind.span();
                if is_written(&around, span) {
                    return self.members.contains(name).then(|| write_end(semantic, node));
                }
                let is_passed = matches!(around, AstKind::CallExpression(call) if call.callee.span() == span)
                    || member_access(&around).is_some_and(|(_, object)| object.span() == span);
                (self.has_side_effects && !is_passed).then_some(end)
            }
        }
    }

    /// Returns whether the code only writes variables.
    fn only_writes_variables(&self) -> bool {
        !self.writes.is_empty() && !self.creates_object && self.members.is_empty()
    }
}

/// Returns the offset at which a write to the node has happened. In an assignment, the target comes before the value,
/// so the write happens at the end of the assignment.
fn write_end(semantic: &Semantic<'_>, node: NodeId) -> u32 {
    let writes = |kind: &AstKind<'_>| {
        matches!(
            kind,
            AstKind::AssignmentExpression(_)
                | AstKind::UpdateExpression(_)
                | AstKind::UnaryExpression(_)
                | AstKind::ForInStatement(_)
                | AstKind::ForOfStatement(_)
        )
    };
    let around = semantic.nodes().ancestor_kinds(node).find(writes);
    around.map_or(semantic.nodes().kind(node).span().end, |kind| kind.span().end)
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

/// The constructs between a node and one of its ancestors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EnclosingContext {
    /// There is a function between them; it may have the same `this`.
    pub(crate) in_function: bool,
    /// The inner node has a different `this`.
    pub(crate) own_this: bool,
    /// The inner node may run more than once.
    pub(crate) in_loop: bool,
    /// The inner node may not run at all.
    pub(crate) conditional: bool,
    /// There is a `try` between them that catches errors of the inner node.
    pub(crate) in_try: bool,
    /// The inner node is in an argument of a call or in the name of a computed member.
    is_argument: bool,
}

/// Returns the constructs between a node and its ancestor `to`.
pub(crate) fn enclosing_context(semantic: &Semantic<'_>, from: NodeId, to: NodeId) -> EnclosingContext {
    let nodes = semantic.nodes();
    let mut path = EnclosingContext::default();
    let mut span = nodes.kind(from).span();
    for around in nodes.ancestors(from).take_while(|around| around.id() != to) {
        path.add_enclosing_node(&around.kind(), span);
        span = around.kind().span();
    }
    path
}

impl EnclosingContext {
    fn add_enclosing_node(&mut self, around: &AstKind<'_>, inner: Span) {
        let is = |node: Span| node == inner;
        match around {
            AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => self.in_function = true,
            AstKind::PropertyDefinition(it) if !is(it.key.span()) => self.in_function = true,
            AstKind::StaticBlock(_) | AstKind::AccessorProperty(_) => self.in_function = true,
            AstKind::WhileStatement(_) | AstKind::DoWhileStatement(_) => self.in_loop = true,
            AstKind::ForStatement(it) => self.in_loop |= !it.init.as_ref().is_some_and(|init| is(init.span())),
            AstKind::ForInStatement(it) => self.in_loop |= !is(it.right.span()),
            AstKind::ForOfStatement(it) => self.in_loop |= !is(it.right.span()),
            AstKind::IfStatement(it) => self.conditional |= !is(it.test.span()),
            AstKind::ConditionalExpression(it) => self.conditional |= !is(it.test.span()),
            AstKind::LogicalExpression(it) => self.conditional |= !is(it.left.span()),
            AstKind::AssignmentExpression(it) => self.conditional |= it.operator.is_logical() && is(it.right.span()),
            AstKind::SwitchStatement(it) => self.conditional |= !is(it.discriminant.span()),
            AstKind::AssignmentPattern(it) => self.conditional |= is(it.right.span()),
            AstKind::AssignmentTargetWithDefault(it) => self.conditional |= is(it.init.span()),
            AstKind::FormalParameter(_) => self.conditional = true,
            AstKind::CatchClause(_) => self.conditional = true,
            AstKind::TryStatement(_) => self.in_try = true,
            AstKind::CallExpression(it) => self.is_argument |= !is(it.callee.span()),
            AstKind::ComputedMemberExpression(it) => self.is_argument |= is(it.expression.span()),
            // Arguments of an optional call may not be evaluated.
            AstKind::ChainExpression(_) => self.conditional |= self.is_argument,
            _ => {}
        }
        self.own_this |= has_own_this(around);
    }
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
            let found = effects_of(semantic, NodeId::ROOT, span);
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

    /// Returns whether the marked code could run after the rest of the text instead.
    fn moves(marked: &str) -> bool {
        with_piece(marked, |semantic, span| {
            let rest = Span::new(span.end, semantic.source_text().len() as u32);
            effects_of(semantic, NodeId::ROOT, span).first_obstacle(semantic, NodeId::ROOT, rest).is_none()
        })
    }

    #[test]
    fn expressions_move_past_independent_code() {
        assert!(moves("let b = 1; «b»; f(b);"));
        assert!(!moves("let b = 1; «b»; b = 2;"));
        assert!(!moves("let b = 1; «b»; b++;"));
        assert!(!moves("«f()»; g();"));
        assert!(moves("«f()»; const c = 1;"));
        assert!(!moves("«f()»; const c = a.b;"));
        assert!(!moves("let i = 0; «i++»; const c = i;"));
        assert!(moves("const a = []; «a.length»; f();"));
        assert!(!moves("const a = []; «a.length»; a.push(1);"));
        assert!(!moves("const a = []; «a.length»; f(a);"));
        assert!(!moves("const a = {}; «a.b»; a.b = 1;"));
        assert!(moves("const a = {}; «a.b»; a.c = 1;"));
        assert!(moves("const a = {}; «a.b»; f(a.b);"));
        assert!(!moves("const a = {}; «a.b.c»; f(a.b);"));
        assert!(!moves("«this.a»; this.f();"));
        assert!(moves("let b = 1; «b»; () => b = 2;"));
    }
}
