//! Collects scopes and names in one walk over the arena.

use std::collections::HashMap;

use marquetry_code::{Arena, NodeIndex, TokenKind};
use marquetry_sdk::{Span, Usage};

use super::{
    Binding, BindingKind, EVERY, FILE_SCOPE, Form, MACROS, Place, Scope, ScopeIndex, ScopeKind, TYPES, Tables, VALUES,
    captures, format_macros,
};
use crate::{
    hierarchy::usage_at,
    kinds::{F, K, child, has_kind},
    modules::{modules_around, plain},
    outline::is_constant,
};

/// A node that is being visited.
struct Frame {
    node: NodeIndex,
    end: NodeIndex,
    /// The scope to restore after the node.
    restore: Option<ScopeIndex>,
    /// The scope for the rest of the block after the node.
    then: Option<ScopeIndex>,
    /// True if patterns in the node bind their variables in a separate scope.
    has_target: bool,
}

struct Collector<'a> {
    arena: &'a Arena,
    names: Tables,
    current: ScopeIndex,
    /// The scopes in which patterns bind their variables, the innermost last.
    targets: Vec<ScopeIndex>,
    frames: Vec<Frame>,
    /// Names of constants, structs and variants. A pattern with such a name does not bind a variable.
    constants: Vec<String>,
}

/// Finds all names of a document.
pub(super) fn collect(arena: &Arena) -> Tables {
    let file = Scope { kind: ScopeKind::Module, parent: FILE_SCOPE, bound: HashMap::new() };
    let (bindings, places, members, words, macro_members) = Default::default();
    let modules = HashMap::from([(Vec::new(), FILE_SCOPE)]);
    let names = Tables {
        scopes: vec![file],
        bindings,
        places,
        members,
        words,
        macro_members,
        modules,
        format_calls: Vec::new(),
    };
    let is_constant =
        |kind| [K::CONST, K::STATIC, K::STRUCT, K::VARIANT, K::CONST_PARAM].iter().any(|known| kind == (*known).into());
    let named = arena.nodes().filter(|(_, node)| is_constant(node.kind));
    let constants =
        named.filter_map(|(node, _)| arena.child(node, F::Name.into())).map(|name| arena.slice(name).to_owned());
    let constants = constants.collect();
    let (targets, frames) = (vec![FILE_SCOPE], Vec::new());
    let mut collector = Collector { arena, names, current: FILE_SCOPE, targets, frames, constants };
    for index in 1..arena.node_count() {
        collector.close_before(index);
        collector.visit(index);
    }
    collector.close_before(arena.node_count());
    let mut names = collector.names;
    names.places.sort_by_key(|place| (place.span.start, place.span.end));
    names
}

impl Collector<'_> {
    fn close_before(&mut self, index: NodeIndex) {
        while let Some(frame) = self.frames.pop_if(|frame| frame.end <= index) {
            if let Some(scope) = frame.restore {
                self.current = scope;
            }
            if let Some(scope) = frame.then {
                self.current = scope;
            }
            if frame.has_target {
                self.targets.pop();
            }
        }
    }

    fn open(&mut self, kind: ScopeKind, parent: ScopeIndex) -> ScopeIndex {
        self.names.scopes.push(Scope { kind, parent, bound: HashMap::new() });
        self.names.scopes.len() - 1
    }

    /// The scope to which an item at the current position belongs.
    fn item_scope(&self) -> ScopeIndex {
        let mut at = self.current;
        while matches!(self.names.scopes[at].kind, ScopeKind::Local | ScopeKind::Item) {
            at = self.names.scopes[at].parent;
        }
        at
    }

    fn visit(&mut self, node: NodeIndex) {
        let arena = self.arena;
        let end = arena.end_of(node);
        let mut frame = Frame { node, end, restore: None, then: None, has_target: false };
        let kind = arena.node(node).kind;
        let is_kind = |known: K| kind == known.into();
        if let Some(outer) = self.scope_beside(node) {
            frame.restore = Some(self.current);
            self.current = outer;
        }
        let opens_item = [K::FN, K::STRUCT, K::ENUM, K::UNION, K::TRAIT, K::IMPL, K::TYPE_ALIAS, K::CONST, K::STATIC];
        if opens_item.iter().any(|known| is_kind(*known)) {
            self.item(node, &mut frame);
        } else if is_kind(K::MODULE) {
            self.bind_name(node, TYPES, BindingKind::Item);
        } else if is_kind(K::MACRO_RULES) || is_kind(K::MACRO_DEF) {
            self.bind_name(node, MACROS, BindingKind::Item);
        } else if is_kind(K::ITEM_LIST) && has_kind(arena, arena.node(node).parent, K::MODULE) {
            self.enter(&mut frame, ScopeKind::Module, self.current);
            self.names.modules.insert(modules_around(arena, node), self.current);
        } else if is_kind(K::STMT_LIST) {
            self.enter(&mut frame, ScopeKind::Block, self.current);
        } else if is_kind(K::LET_STMT) || is_kind(K::LET_EXPR) {
            let scope = self.open(ScopeKind::Local, self.current);
            (frame.then, frame.has_target) = (Some(scope), true);
            self.targets.push(scope);
        } else if is_kind(K::IF_EXPR) || is_kind(K::WHILE_EXPR) {
            frame.restore = frame.restore.or(Some(self.current));
        } else if is_kind(K::MATCH_ARM) || is_kind(K::CLOSURE_EXPR) {
            self.enter(&mut frame, ScopeKind::Local, self.current);
            (frame.has_target, self.current) = (true, self.current);
            self.targets.push(self.current);
        } else if is_kind(K::FOR_EXPR) {
            let scope = self.open(ScopeKind::Local, self.current);
            frame.restore = frame.restore.or(Some(self.current));
            frame.has_target = true;
            self.targets.push(scope);
        } else {
            self.name(node);
        }
        self.frames.push(frame);
    }

    fn enter(&mut self, frame: &mut Frame, kind: ScopeKind, parent: ScopeIndex) {
        frame.restore = frame.restore.or(Some(self.current));
        self.current = self.open(kind, parent);
    }

    /// The scope of an `else` branch, in which variables of the condition are not visible, or of the body of a `for`,
    /// in which variables of the pattern are visible. `None` for other nodes.
    fn scope_beside(&self, node: NodeIndex) -> Option<ScopeIndex> {
        let arena = self.arena;
        let parent = arena.node(node).parent;
        let is_block = |node: NodeIndex| has_kind(arena, node, K::BLOCK_EXPR) || has_kind(arena, node, K::IF_EXPR);
        if has_kind(arena, parent, K::IF_EXPR) && is_block(node) {
            let blocks = arena.children(parent).filter(|child| is_block(*child));
            let else_at = arena.children(parent).find(|child| has_kind(arena, *child, K::BLOCK_EXPR))?;
            let is_else = blocks.last() == Some(node) && node > else_at;
            let frame = self.frames.iter().rfind(|frame| frame.node == parent)?;
            return frame.restore.filter(|_| is_else);
        }
        if has_kind(arena, parent, K::FOR_EXPR)
            && has_kind(arena, node, K::BLOCK_EXPR)
            && arena.children(parent).last() == Some(node)
        {
            return self.targets.last().copied();
        }
        None
    }

    fn item(&mut self, node: NodeIndex, frame: &mut Frame) {
        let arena = self.arena;
        let is_member = has_kind(arena, arena.node(node).parent, K::ASSOC_ITEM_LIST);
        let namespaces = match () {
            () if has_kind(arena, node, K::FN)
                || has_kind(arena, node, K::CONST)
                || has_kind(arena, node, K::STATIC) =>
            {
                VALUES
            }
            // Tuple structs and unit structs are also values.
            () if is_constant(arena, node) => TYPES | VALUES,
            () => TYPES,
        };
        if is_member {
            self.names.members.extend(arena.child(node, F::Name.into()).map(|name| arena.node(name).span));
        } else {
            self.bind_name(node, namespaces, BindingKind::Item);
            let name = arena.child(node, F::Name.into()).map(|name| arena.node(name).span);
            let bound = self.names.places.last().filter(|place| Some(place.span) == name && is_constant(arena, node));
            if let Some(index) = bound.and_then(|place| place.binds) {
                self.names.bindings[index].is_constant = true;
            }
        }
        let parent = if is_member { self.current } else { self.item_scope() };
        let kind = if is_member { ScopeKind::Local } else { ScopeKind::Item };
        self.enter(frame, kind, parent);
        frame.has_target = true;
        self.targets.push(self.current);
    }

    /// Binds the name of an item in the surrounding module or block.
    fn bind_name(&mut self, node: NodeIndex, namespaces: u8, kind: BindingKind) {
        let Some(name) = self.arena.child(node, F::Name.into()) else { return };
        let span = self.arena.node(name).span;
        let scope = self.item_scope();
        self.bind(span, (scope, namespaces), (kind, Usage::Declaration, Form::Plain));
    }

    fn bind(
        &mut self,
        span: Span,
        (scope, namespaces): (ScopeIndex, u8),
        (kind, usage, form): (BindingKind, Usage, Form),
    ) {
        let name = plain(span.slice(&self.arena.text)).to_owned();
        if span.is_empty() || name == "_" {
            return;
        }
        let known = self.names.scopes[scope].bound.get(&name).into_iter().flatten();
        let same = known.copied().find(|index| {
            let other = &self.names.bindings[*index];
            other.kind == kind && other.namespaces & namespaces != 0
        });
        let index = same.unwrap_or(self.names.bindings.len());
        match same {
            Some(index) => self.names.bindings[index].namespaces |= namespaces,
            None => {
                self.names.bindings.push(Binding { name: name.clone(), scope, kind, namespaces, is_constant: false });
                self.names.scopes[scope].bound.entry(name.clone()).or_default().push(index);
            }
        }
        let place = Place {
            name,
            span,
            scope,
            namespaces,
            usage,
            form,
            start: span.start,
            before: String::new(),
            binds: Some(index),
        };
        self.names.places.push(place);
    }

    fn use_name(&mut self, span: Span, namespaces: u8, usage: Usage, form: Form) {
        if span.is_empty() {
            return;
        }
        let name = plain(span.slice(&self.arena.text)).to_owned();
        let scope = self.current;
        self.names.places.push(Place {
            name,
            span,
            scope,
            namespaces,
            usage,
            form,
            start: span.start,
            before: String::new(),
            binds: None,
        });
    }

    /// Records a name that is not the name of an item.
    fn name(&mut self, node: NodeIndex) {
        let arena = self.arena;
        let (own, parent) = (arena.node(node), arena.node(node).parent);
        let parent_is = |kind: K| has_kind(arena, parent, kind);
        if own.kind == K::NAME.into() {
            if parent_is(K::IDENT_PAT) {
                self.pattern_name(node, parent);
            } else if parent_is(K::TYPE_PARAM) {
                self.bind(own.span, (self.current, TYPES), (BindingKind::Generic, Usage::Declaration, Form::Plain));
            } else if parent_is(K::CONST_PARAM) {
                self.bind(own.span, (self.current, VALUES), (BindingKind::Generic, Usage::Declaration, Form::Plain));
            } else if parent_is(K::RENAME) {
                let (scope, kind) = (self.item_scope(), (BindingKind::Import, Usage::Imported, Form::Plain));
                self.bind(own.span, (scope, EVERY), kind);
            } else if parent_is(K::RECORD_FIELD) || parent_is(K::VARIANT) {
                self.names.members.push(own.span);
            }
        } else if own.kind == K::NAME_REF.into() {
            if parent_is(K::FIELD_EXPR)
                || parent_is(K::METHOD_CALL_EXPR)
                || parent_is(K::RECORD_EXPR_FIELD)
                || parent_is(K::RECORD_PAT_FIELD)
            {
                self.names.members.push(own.span);
            } else if parent_is(K::PATH_SEGMENT) {
                self.path_name(node, parent);
            }
        } else if own.kind == K::USE_TREE.into() {
            self.import(node);
        } else if own.kind == K::MACRO_TOKEN.into() {
            self.macro_token(node);
        } else if own.kind == K::LITERAL.into() {
            self.captures(node);
        } else if own.kind == K::MACRO_CALL.into() {
            self.names.format_calls.extend(format_macros::format_call(arena, node, self.current));
        }
    }

    /// Records the words of a token in the arguments of a macro or attribute. A string may be a format string or a
    /// path.
    fn macro_token(&mut self, node: NodeIndex) {
        let own = self.arena.node(node).span;
        let text = own.slice(&self.arena.text);
        let Some(content) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
            return self.names.words.push((own, self.current));
        };
        let is_path = !content.is_empty() && content.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
        let words: Vec<(usize, usize)> = if is_path && (content.contains("::") || self.in_attribute(node)) {
            let starts = content.split("::").scan(1, |at, name| {
                let start = *at;
                *at += name.len() + 2;
                Some((start, start + name.len()))
            });
            starts.collect()
        } else {
            captures::captured(text)
        };
        for (start, end) in words {
            let span = Span { start: own.start + start as u32, end: own.start + end as u32 };
            self.names.words.push((span, self.current));
        }
    }

    fn in_attribute(&self, node: NodeIndex) -> bool {
        let arena = self.arena;
        arena.ancestors(node).any(|above| has_kind(arena, above, K::ATTR) || has_kind(arena, above, K::INNER_ATTR))
    }

    fn pattern_name(&mut self, node: NodeIndex, pattern: NodeIndex) {
        let arena = self.arena;
        let span = arena.node(node).span;
        let name = span.slice(&arena.text);
        let is_alone = arena.children(pattern).count() == 1 && arena.slice(pattern) == name;
        let is_constant =
            name.starts_with(|c: char| c.is_uppercase()) || self.constants.iter().any(|known| known == name);
        let is_field = has_kind(arena, arena.node(pattern).parent, K::RECORD_PAT_FIELD);
        let is_named_field = is_field && child(arena, arena.node(pattern).parent, K::NAME_REF).is_some();
        let form = if is_field && !is_named_field { Form::Shorthand } else { Form::Plain };
        if is_alone && is_constant && form == Form::Plain {
            self.use_name(span, VALUES, Usage::Read, Form::Plain);
            return;
        }
        let scope = self.targets.last().copied().unwrap_or(FILE_SCOPE);
        self.bind(span, (scope, VALUES), (BindingKind::Local, Usage::Declaration, form));
        let start = arena.node(pattern).span.start;
        let before = Span { start, end: span.start }.slice(&arena.text).to_owned();
        if let Some(place) = self.names.places.last_mut().filter(|place| place.span == span) {
            (place.start, place.before) = (start, before);
        }
    }

    /// Records the first name of a path as a use.
    fn path_name(&mut self, node: NodeIndex, segment: NodeIndex) {
        let arena = self.arena;
        let path = arena.node(segment).parent;
        if child(arena, path, K::PATH).is_some() || arena.slice(path).starts_with(':') {
            return;
        }
        let span = arena.node(node).span;
        if matches!(span.slice(&arena.text), "self" | "super" | "crate" | "Self") {
            return;
        }
        let around = arena.node(path).parent;
        let next = arena.tokens[arena.token_at(span.end)..].first().map_or("", |token| token.span.slice(&arena.text));
        let around_is = |kind: K| has_kind(arena, around, kind);
        let in_import = arena.ancestors(around).any(|above| has_kind(arena, above, K::USE));
        if self.in_attribute(around) {
            return;
        }
        match () {
            // `import` handles the last name of an import, because it binds a name.
            () if in_import && around_is(K::USE_TREE) => {}
            () if in_import && self.is_outside_of_scope(node) => {}
            () if around_is(K::PATH) => self.use_name(span, TYPES, Usage::Read, Form::Plain),
            () if around_is(K::MACRO_CALL) || next == "!" => self.use_name(span, MACROS, Usage::Called, Form::Plain),
            () if around_is(K::PATH_TYPE) && has_kind(arena, arena.node(around).parent, K::TYPE_ARG) => {
                self.use_name(span, TYPES | VALUES, Usage::TypeUse, Form::Plain);
            }
            () if around_is(K::PATH_EXPR) => {
                let is_shorthand = has_kind(arena, arena.node(around).parent, K::RECORD_EXPR_FIELD)
                    && child(arena, arena.node(around).parent, K::NAME_REF).is_none();
                let form = if is_shorthand { Form::Shorthand } else { Form::Plain };
                self.use_name(span, VALUES, usage_at(arena, span), form);
            }
            () if around_is(K::PATH_PAT) || around_is(K::TUPLE_STRUCT_PAT) => {
                self.use_name(span, VALUES, Usage::Read, Form::Plain);
            }
            () => self.use_name(span, TYPES, Usage::TypeUse, Form::Plain),
        }
    }

    /// Returns whether the first name of a part of a `use` tree is not looked up in the scope around it: another path is
    /// before it (`b` in `use a::{b::c}`), or it has the name that the tree binds (`use a::a`).
    fn is_outside_of_scope(&self, name: NodeIndex) -> bool {
        let arena = self.arena;
        let trees: Vec<NodeIndex> =
            arena.ancestors(name).filter(|above| has_kind(arena, *above, K::USE_TREE)).collect();
        let has_prefix = trees.iter().skip(1).any(|tree| child(arena, *tree, K::PATH).is_some());
        let leaves = trees.first().into_iter().flat_map(|tree| arena.descendants(*tree));
        let is_leaf = |node: NodeIndex| {
            let tree = arena.ancestors(node).find(|above| has_kind(arena, *above, K::USE_TREE));
            let last = tree.and_then(|tree| child(arena, child(arena, tree, K::PATH)?, K::PATH_SEGMENT));
            last.is_some_and(|last| child(arena, last, K::NAME_REF) == Some(node))
        };
        let is_same = |node: &NodeIndex| has_kind(arena, *node, K::NAME_REF) && arena.slice(*node) == arena.slice(name);
        has_prefix || leaves.into_iter().filter(is_same).any(is_leaf)
    }

    /// Binds the name of a leaf of a `use` tree without `as`.
    fn import(&mut self, tree: NodeIndex) {
        let arena = self.arena;
        let is_leaf = child(arena, tree, K::USE_TREE_LIST).is_none() && child(arena, tree, K::RENAME).is_none();
        let path = child(arena, tree, K::PATH).filter(|_| is_leaf && !arena.slice(tree).ends_with('*'));
        let Some(name) =
            path.and_then(|path| child(arena, path, K::PATH_SEGMENT)).and_then(|last| child(arena, last, K::NAME_REF))
        else {
            return;
        };
        let span = arena.node(name).span;
        if matches!(span.slice(&arena.text), "self" | "super" | "crate") {
            return;
        }
        let scope = self.item_scope();
        self.bind(span, (scope, EVERY), (BindingKind::Import, Usage::Imported, Form::Imported));
    }

    /// Records the variables in a format string: `"{name} {x:>width$}"`.
    fn captures(&mut self, literal: NodeIndex) {
        let arena = self.arena;
        let own = arena.node(literal).span;
        let arguments = arena.node(literal).parent;
        let is_macro = has_kind(arena, arguments, K::ARG_LIST) && {
            let before = arena.tokens[..arena.token_at(arena.node(arguments).span.start)].last();
            before.is_some_and(|token| token.span.slice(&arena.text) == "!")
        };
        let is_text = arena.tokens_in(own).first().is_some_and(|token| token.kind == TokenKind::Text);
        if !is_macro || !is_text {
            return;
        }
        for (start, end) in captures::captured(own.slice(&arena.text)) {
            let span = Span { start: own.start + start as u32, end: own.start + end as u32 };
            self.use_name(span, VALUES, Usage::InString, Form::Plain);
        }
    }
}
