//! Replaces the uses of a local variable with its value, and removes the variable.

use marquetry_code::{CodeDocument, NodeIndex, blocks::Statements};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, Span, Usage, lines,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use crate::{
    kinds::{F, K, has_kind, has_role, with_role},
    names::{BindingIndex, BindingKind, Names, Place as NamePlace},
};

pub(super) const INLINE_VARIABLE: Refactoring<crate::GoDocument> = Refactoring {
    id: "inline_variable",
    title: "Inline a variable",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply: |document, input| apply(document, input),
};

fn refused(why: impl Into<String>) -> Failure {
    refactor_failure(why).hint("only local variables with one value that cannot change between its uses can be inlined")
}

/// A variable: its statement and its value.
struct Variable<'d> {
    document: &'d CodeDocument,
    names: Names,
    binding: BindingIndex,
    statement: NodeIndex,
    value: NodeIndex,
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let variable = Variable::at(document, input.at.caret)?;
    let arena = document.arena();
    let uses: Vec<&NamePlace> =
        variable.names.references(variable.binding).filter(|place| place.usage != Usage::Declaration).collect();
    let name = &variable.names.bindings[variable.binding].name;
    if uses.is_empty() {
        return Err(refused(format!("`{name}` is not used")).hint("delete its statement"));
    }
    for place in &uses {
        variable.check_use(place)?;
    }
    if !variable.is_stable() {
        let [only] = uses[..] else {
            return Err(refused("the value may change between its uses").at(arena.node(variable.value).span));
        };
        variable.check_next(only)?;
    }
    let mut edits: Vec<Edit> =
        uses.iter().map(|place| Edit::new(place.span, variable.as_operand(place.node))).collect();
    edits.extend(removal(document, variable.statement)?);
    edits.sort_by_key(|edit| edit.span.start);
    Ok(edits.into())
}

/// The edits that remove a statement. The statements of a `case` have no separate block.
fn removal(document: &CodeDocument, statement: NodeIndex) -> Result<Vec<Edit>> {
    let (arena, text) = (document.arena(), document.text_str());
    let block = arena.node(statement).parent;
    let not_alone = || refused("the statement shares its line with other code").at(arena.node(statement).span);
    if !has_kind(arena, block, K::CaseBody) {
        let statements = Statements::new(document, block);
        return statements.delete(&[statements.position(statement).ok_or_else(not_alone)?]);
    }
    let own = arena.node(statement).span.range();
    let end = document.end_of_line_tail(own.end);
    if !lines::starts_line(text, own.start) || !lines::ends_line(text, end) {
        return Err(not_alone());
    }
    let start = own.start - lines::indent_at(text, own.start).len();
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    Ok(vec![Edit::remove(Span::new(start, end))])
}

impl<'d> Variable<'d> {
    fn at(document: &'d CodeDocument, caret: u32) -> Result<Variable<'d>> {
        let arena = document.arena();
        let names = Names::new(arena);
        let binding = names.at(caret).and_then(|place| place.binding);
        let is_local = |kind: BindingKind| matches!(kind, BindingKind::Variable | BindingKind::Constant);
        let Some(binding) = binding.filter(|index| is_local(names.bindings[*index].kind)) else {
            return Err(refused("the name is not a local variable: other code may use it"));
        };
        let node = names.bindings[binding].node;
        let statement = arena.node(node).parent;
        let (left, right) =
            if has_kind(arena, statement, K::Define) { (F::Left, F::Right) } else { (F::Name, F::Body) };
        let is_declaration = [K::Define, K::Var, K::Const].iter().any(|kind| has_kind(arena, statement, *kind));
        let is_in_block =
            [K::Block, K::CaseBody].iter().any(|kind| has_kind(arena, arena.node(statement).parent, *kind));
        let values: Vec<NodeIndex> = with_role(arena, statement, right).collect();
        let (true, true, 1, [value]) =
            (is_declaration, is_in_block, with_role(arena, statement, left).count(), &values[..])
        else {
            return Err(refused("the variable is not declared by a statement with one name and one value"));
        };
        let value = *value;
        if arena.child(statement, F::Type.into()).is_some() {
            return Err(refused("the declaration has a type, to which the value may be converted"));
        }
        if names.references(binding).any(|place| place.usage == Usage::Write) {
            return Err(refused("the variable is assigned more than once"));
        }
        Ok(Variable { document, names, binding, statement, value })
    }

    fn is_one_of(&self, node: NodeIndex, kinds: &[K]) -> bool {
        kinds.iter().any(|kind| has_kind(self.document.arena(), node, *kind))
    }

    /// The node of the value and its descendants.
    fn parts(&self) -> impl Iterator<Item = NodeIndex> {
        std::iter::once(self.value).chain(self.document.arena().descendants(self.value))
    }

    /// Refuses uses that require a variable, or at which a name in the value has another meaning.
    fn check_use(&self, place: &NamePlace) -> Result<()> {
        let arena = self.document.arena();
        let parent = arena.node(place.node).parent;
        let failure = |why: &str| Err(refused(why).at(place.span));
        if place.is_key {
            return failure("the name is a key of a composite literal, where it may be a field name");
        }
        if self.is_one_of(parent, &[K::Unary]) && arena.slice(parent).starts_with('&') {
            return failure("the address of the variable is used");
        }
        let is_access = self.is_one_of(parent, &[K::Selector, K::Index, K::Slice]);
        let around = arena.node(parent).parent;
        let is_changed = has_role(arena, parent, F::Left) && self.is_one_of(around, &[K::Assign, K::Range])
            || self.is_one_of(around, &[K::IncDec])
            || self.is_one_of(around, &[K::Unary]) && arena.slice(around).starts_with('&');
        let is_called = self.is_one_of(parent, &[K::Selector]) && self.is_one_of(around, &[K::Call]) && {
            arena.children(around).next() == Some(parent)
        };
        let is_nested = self.is_one_of(around, &[K::Selector, K::Index]);
        let is_pointer = self.is_one_of(self.value, &[K::Unary]) && arena.slice(self.value).starts_with('&');
        if is_access && !is_pointer && (is_changed || is_called || is_nested || self.is_one_of(parent, &[K::Slice])) {
            return failure("the use may need a variable: it may change the value or take its address");
        }
        if self.is_one_of(self.value, &[K::Literal]) && self.is_one_of(parent, &[K::Binary]) {
            return failure("the constant could have another type as an operand");
        }
        let moved = self.names.places.iter().filter(|name| arena.node(self.value).span.contains(name.span));
        let is_inside = |name: &NamePlace| {
            name.binding.is_some_and(|own| arena.node(self.value).span.contains(self.names.bindings[own].visible))
        };
        let mut captured = moved.filter(|name| !is_inside(name));
        if captured.any(|name| self.names.lookup(arena.slice(name.node), place.span.start) != name.binding) {
            return failure("a name in the value has another meaning here");
        }
        Ok(())
    }

    /// Returns whether the value is the same wherever it is evaluated, because it consists of literals and local
    /// variables that are not assigned again.
    fn is_stable(&self) -> bool {
        let arena = self.document.arena();
        let is_fixed = |node: NodeIndex| {
            let place = self.names.places.iter().find(|place| place.node == node);
            let own = place.and_then(|place| place.binding);
            own.is_some_and(|own| {
                let is_kept = |place: &NamePlace| {
                    let parent = arena.node(place.node).parent;
                    let is_address = self.is_one_of(parent, &[K::Unary]) && arena.slice(parent).starts_with('&');
                    let is_accessed = self.is_one_of(parent, &[K::Selector, K::Slice, K::Index]);
                    place.usage != Usage::Write && !is_address && !is_accessed
                };
                let is_local = !matches!(self.names.bindings[own].kind, BindingKind::Package | BindingKind::Import);
                is_local && self.names.references(own).all(is_kept)
            })
        };
        self.parts().all(|node| match () {
            () if self.is_one_of(node, &[K::Unary]) => arena.slice(node).starts_with(['-', '+', '!', '^']),
            () if self.is_one_of(node, &[K::NameRef]) => is_fixed(node),
            () => self.is_one_of(node, &[K::Literal, K::Text, K::Binary, K::Paren]),
        })
    }

    /// Refuses a use of a value that may change, unless the next statement evaluates the value before any other code.
    fn check_next(&self, place: &NamePlace) -> Result<()> {
        let arena = self.document.arena();
        let block = arena.node(self.statement).parent;
        let next = arena.children(block).find(|other| *other > self.statement);
        let failure = || Err(refused("the value may change before it is used").at(arena.node(self.value).span));
        let Some(next) = next.filter(|next| arena.ancestors(place.node).any(|above| above == *next)) else {
            return failure();
        };
        let mut inner = place.node;
        for above in arena.ancestors(place.node).skip(1).take_while(|above| *above != block) {
            let is_repeated = self.is_one_of(above, &[K::For]) && !has_role(arena, inner, F::Init);
            let is_conditional = self.is_one_of(above, &[K::Binary]) && has_role(arena, inner, F::Right);
            if is_repeated
                || is_conditional
                || self.is_one_of(above, &[K::FuncLit, K::Block, K::Case, K::Cases, K::Go, K::Defer])
            {
                return failure();
            }
            inner = above;
        }
        let runs_before = arena.descendants(next).any(|node| {
            let span = arena.node(node).span;
            let is_effect = self.is_one_of(node, &[K::Call])
                || self.is_one_of(node, &[K::Unary]) && arena.slice(node).starts_with("<-");
            is_effect && span.start < place.span.start && !span.contains(place.span)
        });
        if runs_before { failure() } else { Ok(()) }
    }

    /// The code of the value, with parentheses if the use requires them.
    fn as_operand(&self, node: NodeIndex) -> String {
        let arena = self.document.arena();
        let code = arena.slice(self.value).to_owned();
        let parent = arena.node(node).parent;
        let is_closed =
            self.is_one_of(self.value, &[K::Literal, K::Text, K::NameRef, K::Call, K::Selector, K::Index, K::Paren]);
        let is_header = arena
            .ancestors(node)
            .take_while(|above| !self.is_one_of(*above, &[K::Block, K::Args]))
            .any(|above| self.is_one_of(above, &[K::If, K::For, K::Switch]));
        let stands_alone = self.is_one_of(parent, &[K::Args, K::Return, K::Keyed, K::Values])
            || has_role(arena, node, F::Right) && self.is_one_of(parent, &[K::Define, K::Assign])
            || has_role(arena, node, F::Body) && self.is_one_of(parent, &[K::Var, K::Const]);
        let is_literal = self.is_one_of(self.value, &[K::Composite, K::FuncLit]);
        if is_closed || stands_alone && !(is_literal && is_header) { code } else { format!("({code})") }
    }
}
