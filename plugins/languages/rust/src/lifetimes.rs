//! Lifetimes and labels: the declaration of each, its uses, and renames.
//!
//! Lifetimes are declared in lists of generic parameters and by `for<…>`, labels before loops and blocks. Both are
//! visible only in one node of the syntax tree, so no other file is concerned.

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{
    Edit, FailureKind, Occurrence, RenameResult, Resolution, Result, Span, Subject, Usage, fail, shared,
};

use crate::{
    kinds::{K, child, has_kind},
    table::check_name,
};

/// Items, in which the lifetimes and labels of the code around them are not visible.
const ITEMS: [K; 10] =
    [K::FN, K::STRUCT, K::ENUM, K::UNION, K::TRAIT, K::IMPL, K::TYPE_ALIAS, K::CONST, K::STATIC, K::MODULE];

/// The two namespaces of names that start with `'`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lifetime,
    Label,
}

/// A declared lifetime or label.
pub(crate) struct Lifetime<'d> {
    document: &'d CodeDocument,
    class: Class,
    /// The node of its name in the declaration.
    declaration: NodeIndex,
}

impl<'d> Lifetime<'d> {
    /// The lifetime or label that a subject refers to. `None` if the subject is another name.
    pub(crate) fn find(document: &'d CodeDocument, subject: &Subject) -> Option<Result<Lifetime<'d>>> {
        let Subject::At(offset) = subject else { return None };
        let arena = document.arena();
        let is_here = |span: Span| span.start <= *offset && *offset <= span.end;
        let (node, _) = arena.nodes().find(|(_, node)| node.kind == K::LIFETIME.into() && is_here(node.span))?;
        Some(Lifetime::declared(document, node))
    }

    fn declared(document: &'d CodeDocument, node: NodeIndex) -> Result<Lifetime<'d>> {
        let arena = document.arena();
        let (name, class) = (arena.slice(node), class_of(arena, node));
        if let Some(declaration) = lookup(arena, name, class, node) {
            return Ok(Lifetime { document, class, declaration });
        }
        let span = arena.node(node).span;
        if is_reserved(name) {
            return Err(fail(FailureKind::Unsupported, format!("`{name}` is a lifetime of the language"))
                .hint("declare a lifetime parameter, and use it instead")
                .at(span));
        }
        Err(fail(FailureKind::TargetNotFound, format!("`{name}` is not declared around this position"))
            .hint("give the position of a lifetime or label that the file declares")
            .at(span))
    }

    /// All occurrences of the name, in document order.
    fn occurrences(&self) -> impl Iterator<Item = NodeIndex> {
        let arena = self.document.arena();
        let name = arena.slice(self.declaration);
        let own = arena.descendants(self.owner()).filter(move |node| has_kind(arena, *node, K::LIFETIME));
        own.filter(move |node| {
            arena.slice(*node) == name
                && class_of(arena, *node) == self.class
                && lookup(arena, name, self.class, *node) == Some(self.declaration)
        })
    }

    /// The node in which the name is visible.
    fn owner(&self) -> NodeIndex {
        let arena = self.document.arena();
        let declarator = arena.node(arena.node(self.declaration).parent).parent;
        let around = arena.node(declarator).parent;
        match self.class {
            Class::Label => declarator,
            Class::Lifetime if has_kind(arena, around, K::FOR_BINDER) => arena.node(around).parent,
            Class::Lifetime => around,
        }
    }

    /// The same words in the arguments of macros in the node in which the name is visible.
    fn words(&self) -> Vec<Span> {
        let arena = self.document.arena();
        let name = arena.slice(self.declaration);
        let inside = arena.descendants(self.owner()).filter(|node| has_kind(arena, *node, K::MACRO_TOKEN));
        inside.filter(|node| arena.slice(*node) == name).map(|node| arena.node(node).span).collect()
    }

    /// The occurrences of the name in the document.
    pub(crate) fn resolution(&self) -> Resolution {
        let arena = self.document.arena();
        let usage = |node| if node == self.declaration { Usage::Declaration } else { Usage::Read };
        let certain = |node| Occurrence { span: arena.node(node).span, usage: usage(node), certain: true };
        let possible = |span| Occurrence { span, usage: Usage::Read, certain: false };
        let mut occurrences: Vec<Occurrence> = self.occurrences().map(certain).collect();
        occurrences.extend(self.words().into_iter().map(possible));
        occurrences.sort_by_key(|occurrence| occurrence.span.start);
        let kind = match self.class {
            Class::Lifetime => "lifetime",
            Class::Label => "label",
        };
        Resolution { kind: kind.to_owned(), occurrences, ..shared::empty_resolution(arena.slice(self.declaration)) }
    }

    /// Renames the declaration and all uses. The new name may lack its `'`.
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid, or if it already has a meaning where the renamed name is visible.
    pub(crate) fn rename(&self, new_name: &str) -> Result<RenameResult> {
        let arena = self.document.arena();
        let bare = new_name.strip_prefix('\'').unwrap_or(new_name);
        let new_name = format!("'{bare}");
        if is_reserved(&new_name) {
            return Err(fail(FailureKind::InvalidArgument, format!("`{new_name}` is a lifetime of the language"))
                .hint("choose another name"));
        }
        check_name(bare)?;
        let old = arena.slice(self.declaration);
        let mut result = shared::empty_renaming(old);
        if old == new_name {
            return Ok(result);
        }
        if let Some(taken) = self.conflict(&new_name) {
            let message = format!("`{new_name}` already has another meaning here");
            return Err(fail(FailureKind::RefactorFailed, message)
                .hint("choose another name: the two could not be distinguished afterwards")
                .at(arena.node(taken).span));
        }
        result.edits = self.occurrences().map(|node| Edit::new(arena.node(node).span, new_name.clone())).collect();
        result.unresolved = self.words();
        Ok(result)
    }

    /// A lifetime or label that would shadow the renamed one, or that the renamed one would shadow.
    fn conflict(&self, new_name: &str) -> Option<NodeIndex> {
        let arena = self.document.arena();
        let old = arena.slice(self.declaration);
        let outer = lookup(arena, new_name, self.class, self.declaration);
        let mut inside = arena.descendants(self.owner()).filter(|node| {
            has_kind(arena, *node, K::LIFETIME)
                && arena.slice(*node) == new_name
                && class_of(arena, *node) == self.class
        });
        outer.or_else(|| inside.find(|node| lookup(arena, old, self.class, *node) == Some(self.declaration)))
    }
}

/// The declaration of the lifetime or label that a node names.
pub(crate) fn declaration_of(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    lookup(arena, arena.slice(node), class_of(arena, node), node)
}

fn is_reserved(name: &str) -> bool {
    matches!(name, "'static" | "'_")
}

fn class_of(arena: &Arena, node: NodeIndex) -> Class {
    let parent = arena.node(node).parent;
    let is_label = [K::LABEL, K::BREAK_EXPR, K::CONTINUE_EXPR].into_iter().any(|kind| has_kind(arena, parent, kind));
    if is_label { Class::Label } else { Class::Lifetime }
}

/// The declaration of a name that is visible at a node.
fn lookup(arena: &Arena, name: &str, class: Class, node: NodeIndex) -> Option<NodeIndex> {
    for above in arena.ancestors(node).skip(1) {
        let found = match class {
            Class::Lifetime => parameters(arena, above).find(|own| arena.slice(*own) == name),
            Class::Label => child(arena, above, K::LABEL)
                .and_then(|label| child(arena, label, K::LIFETIME))
                .filter(|own| arena.slice(*own) == name),
        };
        if found.is_some() {
            return found;
        }
        let is_item = ITEMS.into_iter().any(|kind| has_kind(arena, above, kind));
        let is_member = has_kind(arena, arena.node(above).parent, K::ASSOC_ITEM_LIST);
        let ends = match class {
            Class::Lifetime => is_item && !is_member,
            Class::Label => is_item || runs_elsewhere(arena, above),
        };
        if ends {
            break;
        }
    }
    None
}

/// The names of the lifetime parameters of an item, or of a `for<…>` in a type, bound, predicate or closure.
fn parameters(arena: &Arena, owner: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let binder = child(arena, owner, K::FOR_BINDER);
    let lists =
        [Some(owner), binder].into_iter().flatten().filter_map(|node| child(arena, node, K::GENERIC_PARAM_LIST));
    let parameters =
        lists.flat_map(|list| arena.children(list)).filter(|node| has_kind(arena, *node, K::LIFETIME_PARAM));
    parameters.filter_map(|parameter| child(arena, parameter, K::LIFETIME))
}

/// Returns whether the code of a node does not run as part of the loops around it.
fn runs_elsewhere(arena: &Arena, node: NodeIndex) -> bool {
    let is_separate_block = has_kind(arena, node, K::BLOCK_EXPR)
        && ["async", "const"].iter().any(|word| arena.slice(node).starts_with(word));
    is_separate_block || has_kind(arena, node, K::CLOSURE_EXPR)
}
