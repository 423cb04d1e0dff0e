//! The uses of a member in one document.

use marquetry_code::{Arena, CodeDocument, NodeIndex, TokenKind};
use marquetry_sdk::{FailureKind, FileLocation, Result, Span, fail};

use super::{Kind, Member, declaration_at, implementers::Implementers};
use crate::{
    kinds::{F, K, child, has_kind},
    modules::plain,
    names::{BindingKind, ScopeIndex, TYPES, VALUES},
    paths::Path,
    symbols::{Symbol, is_visible},
    types::{owners::Owner, types_in},
};

/// Maximum number of tokens before a word in which its bracket is searched.
const MAX_TOKENS: usize = 4096;

/// The uses of a member.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The names. For a shorthand also the position before the variable.
    pub(super) uses: Vec<(Span, Option<u32>)>,
    /// Places that may be uses.
    pub(super) unresolved: Vec<Span>,
}

pub(super) struct Search<'s> {
    pub(super) arena: &'s Arena,
    document: &'s CodeDocument,
    symbol: &'s Symbol<'s>,
    pub(super) owner: Declaring<'s>,
    pub(super) member: &'s Member,
}

/// The type or trait that declares the member.
pub(super) enum Declaring<'s> {
    Type(Box<Owner<'s>>),
    Trait(Box<Implementers<'s>>),
}

impl Declaring<'_> {
    fn is_receiver(&self, access: NodeIndex) -> Option<bool> {
        match self {
            Declaring::Type(own) => own.is_receiver(access),
            Declaring::Trait(own) => own.is_receiver(access),
        }
    }

    fn is_path(&self, path: NodeIndex) -> Option<bool> {
        match self {
            Declaring::Type(own) => own.is_path(path),
            Declaring::Trait(own) => own.is_path(path),
        }
    }
}

impl<'s> Search<'s> {
    pub(super) fn new(document: &'s CodeDocument, symbol: &'s Symbol<'s>, member: &'s Member) -> Search<'s> {
        let arena = document.arena();
        let is_it = |name: Span| symbol.related(name.start).place.as_ref() == Some(&member.owner);
        let is_declared = |place: &FileLocation| *place == member.owner;
        let owner = Owner::new(document, symbol, (&member.name, member.kind == Kind::Field), is_it, is_declared);
        let owner = if member.of_trait {
            let names = (member.owner_name.as_str(), member.name.as_str());
            Declaring::Trait(Box::new(Implementers::new((document, symbol), owner, &member.owner, names)))
        } else {
            Declaring::Type(Box::new(owner))
        };
        Search { arena, document, symbol, owner, member }
    }

    /// All uses in the document.
    pub(super) fn run(&self) -> Found {
        let arena = self.arena;
        let mut found = Found::default();
        for (node, own) in arena.nodes() {
            let is = |kind: K| own.kind == kind.into();
            if is(K::NAME_REF) && plain(arena.slice(node)) == self.member.name {
                self.name(node, &mut found);
            } else if is(K::RECORD_EXPR_FIELD) || is(K::RECORD_PAT_FIELD) {
                self.shorthand(node, &mut found);
            } else if is(K::NAME) && plain(arena.slice(node)) == self.member.name {
                self.declaration(node, &mut found);
            }
        }
        if self.member.declared.path == self.document.path() {
            let start = self.member.declared.offset;
            found.uses.push((Span { start, end: start + self.member.name.len() as u32 }, None));
        }
        self.imports(&mut found);
        self.words(&mut found);
        found.uses.sort_by_key(|(span, _)| span.start);
        found.uses.dedup();
        found
    }

    fn add(&self, is_use: Option<bool>, place: (Span, Option<u32>), found: &mut Found) {
        match is_use {
            Some(true) => found.uses.push(place),
            Some(false) => {}
            None => found.unresolved.push(place.0),
        }
    }

    /// Adds the use if a name with the text of the member refers to it.
    fn name(&self, node: NodeIndex, found: &mut Found) {
        let arena = self.arena;
        let (span, parent) = (arena.node(node).span, arena.node(node).parent);
        let is = |kind: K| has_kind(arena, parent, kind);
        let is_use = match self.member.kind {
            Kind::Field if is(K::FIELD_EXPR) && self.member.variant.is_some() => Some(false),
            Kind::Field if is(K::FIELD_EXPR) => self.owner.is_receiver(parent),
            Kind::Field if is(K::RECORD_EXPR_FIELD) || is(K::RECORD_PAT_FIELD) => self.is_record(parent),
            Kind::Function { has_self: true, count } if is(K::METHOD_CALL_EXPR) => {
                let list = child(arena, parent, K::ARG_LIST);
                let is_same = list.is_some_and(|list| arena.children(list).count() == count);
                if is_same { self.owner.is_receiver(parent) } else { Some(false) }
            }
            Kind::Type => self.is_associated_type(node),
            Kind::Function { .. } if is(K::PATH_SEGMENT) && self.is_other_item(span) => Some(false),
            Kind::Variant | Kind::Function { .. } if is(K::PATH_SEGMENT) => {
                let path = arena.node(parent).parent;
                let in_import = arena.ancestors(path).any(|above| has_kind(arena, above, K::USE));
                match child(arena, path, K::PATH).filter(|_| !in_import) {
                    Some(outer) => self.owner.is_path(outer),
                    None => Some(false),
                }
            }
            _ => Some(false),
        };
        self.add(is_use, (span, None), found);
    }

    /// Returns whether a path is that of an item of a module.
    fn is_other_item(&self, name: Span) -> bool {
        let place = self.symbol.related(name.start).place;
        self.member.of_trait && place.is_some_and(|place| place != self.member.declared)
    }

    /// Adds the name of another declaration of the member: of a function that implements one of the trait, or of one for
    /// another configuration.
    fn declaration(&self, name: NodeIndex, found: &mut Found) {
        let arena = self.arena;
        let item = arena.node(name).parent;
        let around = arena.node(arena.node(item).parent).parent;
        let is_function = [K::FN, K::CONST, K::TYPE_ALIAS].into_iter().any(|kind| has_kind(arena, item, kind));
        let path = |own: NodeIndex| child(arena, own, K::PATH);
        let types: Vec<NodeIndex> = types_in(arena, around).filter(|_| has_kind(arena, around, K::IMPL)).collect();
        let is_use = match (&self.owner, &types[..]) {
            (Declaring::Trait(own), [of, _]) if is_function => path(*of).and_then(|path| own.is_trait(path)),
            (Declaring::Type(own), [of]) if is_function && matches!(self.member.kind, Kind::Function { .. }) => {
                path(*of).and_then(|path| own.is_path(path))
            }
            _ => Some(self.is_twin(item)),
        };
        self.add(is_use, (arena.node(name).span, None), found);
    }

    /// Returns whether an item is in the same list as the declaration of the member.
    fn is_twin(&self, item: NodeIndex) -> bool {
        let is_here = self.member.declared.path == self.document.path();
        let declared = declaration_at(self.arena, self.member.declared.offset).filter(|_| is_here);
        declared.is_some_and(|(_, own)| self.arena.node(own).parent == self.arena.node(item).parent)
    }

    /// Macros of the standard library that call a method by its name.
    fn calling_macros(&self) -> impl Iterator<Item = Span> {
        let arena = self.arena;
        let is_it = self.member.name == "write_fmt";
        let text = |span: Span| span.slice(&arena.text);
        let pairs = arena.tokens.windows(2).filter(move |_| is_it);
        let calls =
            pairs.filter(move |pair| matches!(text(pair[0].span), "write" | "writeln") && text(pair[1].span) == "!");
        calls.map(|pair| pair[0].span)
    }

    /// Functions of types that get the same name as a function of a trait, and are called instead of it.
    pub(super) fn methods_named(&self, new_name: &str) -> Vec<Span> {
        let arena = self.arena;
        let Declaring::Trait(implementers) = &self.owner else { return Vec::new() };
        let names = arena.nodes().map(|(node, _)| node).filter(|node| {
            let item = arena.node(*node).parent;
            let around = arena.node(arena.node(item).parent).parent;
            let types: Vec<NodeIndex> = types_in(arena, around).collect();
            let is_method = has_kind(arena, *node, K::NAME) && has_kind(arena, item, K::FN);
            let is_own = is_method && plain(arena.slice(*node)) == new_name && has_kind(arena, around, K::IMPL);
            is_own && matches!(types[..], [own] if implementers.is_type(arena.slice(own), *node, 2) != Some(false))
        });
        names.map(|node| arena.node(node).span).collect()
    }

    /// Adds a field with the name of a variable: `P { name }`.
    fn shorthand(&self, node: NodeIndex, found: &mut Found) {
        let arena = self.arena;
        if self.member.kind != Kind::Field || child(arena, node, K::NAME_REF).is_some() {
            return;
        }
        let Some(value) = arena.children(node).find(|own| !has_kind(arena, *own, K::ATTR)) else { return };
        let name = arena.child(value, F::Name.into()).unwrap_or(value);
        if plain(arena.slice(name)) == self.member.name {
            let start = arena.node(value).span.start;
            self.add(self.is_record(node), (arena.node(name).span, Some(start)), found);
        }
    }

    /// Returns whether a field belongs to a literal or pattern of the type.
    fn is_record(&self, field: NodeIndex) -> Option<bool> {
        let arena = self.arena;
        let record = arena.node(arena.node(field).parent).parent;
        let path = child(arena, record, K::PATH)?;
        match &self.member.variant {
            Some(variant) => self.is_variant(path, variant),
            None => self.owner.is_path(path),
        }
    }

    /// Returns whether a path refers to a variant of the type. `None` if that is not known.
    fn is_variant(&self, path: NodeIndex, variant: &str) -> Option<bool> {
        let arena = self.arena;
        let node = child(arena, child(arena, path, K::PATH_SEGMENT)?, K::NAME_REF)?;
        let (name, span) = (plain(arena.slice(node)), arena.node(node).span);
        if let Some(outer) = child(arena, path, K::PATH) {
            return if name == variant { self.owner.is_path(outer) } else { Some(false) };
        }
        let names = &self.symbol.names;
        let binding = names.at(span.start).and_then(|place| names.binding_of(place));
        // A glob import of a block hides those of the file.
        let is_inner = |path: &&Path| path.is_glob && path.block.is_some_and(|block| block.contains(span));
        let has_inner_glob = self.symbol.paths.paths.iter().any(|path| is_inner(&path));
        let is_imported = self.import_paths().any(|import| {
            if import.is_glob {
                name == variant && !has_inner_glob && self.symbol.free(import, variant).any(|place| place.span == span)
            } else {
                binding.is_some() && self.symbol.binding_of_leaf(import) == binding
            }
        });
        let is_item = binding.is_some_and(|binding| names.bindings[binding].kind == BindingKind::Item);
        match () {
            () if is_imported => Some(true),
            () => (name != variant || is_item).then_some(false),
        }
    }

    /// The leaves of `use` trees that import the variant or that of the field, and the glob imports of the enum.
    fn import_paths(&self) -> impl Iterator<Item = &'s Path> {
        let member = self.member;
        let variant = member.variant.as_ref().or((member.kind == Kind::Variant).then_some(&member.name));
        let imports = self.symbol.paths.paths.iter().filter(move |path| variant.is_some() && path.import.is_some());
        imports.filter(move |path| {
            let index =
                if path.is_glob { path.segments.len().checked_sub(1) } else { path.segments.len().checked_sub(2) };
            let is_named = path.is_glob
                || path.segments.last().is_some_and(|last| Some(plain(&last.name)) == variant.map(|own| own.as_str()));
            let owner = index.filter(|_| is_named && !path.is_self).map(|index| path.segments[index].span);
            owner.is_some_and(|owner| matches!(&self.owner, Declaring::Type(own) if own.is_name(owner) == Some(true)))
        })
    }

    /// Adds the uses of a variant by imports.
    fn imports(&self, found: &mut Found) {
        for path in self.import_paths() {
            if self.member.variant.is_some() {
                // Other files may import the variant with another name.
                let is_renamed = path.alias.is_some() && is_visible(self.arena, path);
                found.unresolved.extend(is_renamed.then(|| path.span()));
                continue;
            }
            if path.is_glob {
                found.uses.extend(self.symbol.free(path, &self.member.name).map(|place| (place.span, None)));
            } else if let Some(last) = path.segments.last() {
                found.uses.push((last.span, None));
                let local = self.symbol.binding_of_leaf(path).filter(|_| path.alias.is_none());
                let places = local.into_iter().flat_map(|local| self.symbol.names.references(local));
                found.uses.extend(places.map(|place| (place.span, None)));
            }
            // Other files may import the variant from here.
            if is_visible(self.arena, path) {
                found.unresolved.push(path.span());
            }
        }
    }

    /// Refuses a new name that has another meaning where an import provides the variant.
    pub(super) fn check_imports(&self, new_name: &str) -> Result<()> {
        let names = &self.symbol.names;
        let imports = self.import_paths().filter(|_| self.member.variant.is_none());
        for path in imports.filter(|path| path.alias.is_none()) {
            let taken = match self.symbol.binding_of_leaf(path).filter(|_| !path.is_glob) {
                Some(local) => names.conflict(local, new_name, true),
                None => self.symbol.free(path, new_name).next().map(|place| place.span).or_else(|| {
                    let mut places = self.symbol.free(path, &self.member.name);
                    let place = places.find(|place| names.lookup(new_name, TYPES | VALUES, place.scope()).is_some());
                    place.map(|place| place.span)
                }),
            };
            if let Some(at) = taken {
                let message = format!("`{new_name}` has another meaning in this file, which imports the variant");
                return Err(fail(FailureKind::RefactorFailed, message).hint("choose another name").at(at));
            }
        }
        Ok(())
    }

    /// Adds words in the arguments of macros, and paths in comments.
    fn words(&self, found: &mut Found) {
        let text = &self.arena.text;
        let has_imports = self.member.kind == Kind::Variant && self.import_paths().next().is_some();
        let is_possible = |(span, scope): &(Span, ScopeIndex)| {
            let before = text[..span.range().start].trim_end();
            let is_path = before.ends_with("::");
            let is_access = before.ends_with('.') && !before.ends_with("..");
            match self.member.kind {
                Kind::Field => {
                    is_access
                        || text[span.range().end..].trim_start().starts_with(':')
                        || self.may_be_field(*span, *scope)
                }
                Kind::Type => is_path || before.ends_with("type") || self.may_be_argument(*span, *scope),
                Kind::Variant => is_path || has_imports || self.may_be_argument(*span, *scope),
                Kind::Function { .. } => {
                    let is_declared = self.member.of_trait && before.ends_with("fn");
                    is_path || is_access || is_declared || self.may_be_argument(*span, *scope)
                }
            }
        };
        let words = self.symbol.names.member_words(text, &self.member.name);
        let words = words.filter(is_possible).filter(|(span, _)| !self.is_of_other_item(*span));
        found.unresolved.extend(words.map(|(span, _)| span));
        if self.member.kind != Kind::Field {
            let is_owned = |span: &Span| text[..span.range().start].ends_with(&format!("{}::", self.member.owner_name));
            found.unresolved.extend(self.symbol.paths_in_comments(&self.member.name).into_iter().filter(is_owned));
        }
        found.unresolved.extend(self.in_examples());
        found.unresolved.extend(self.calling_macros());
    }

    /// Returns whether a path in the arguments of a macro is that of a member of something from outside of the
    /// workspace. The code of a macro may have another meaning for the name of the type.
    fn is_of_other_item(&self, word: Span) -> bool {
        let mut paths = self.symbol.paths.in_macros.iter();
        let owner = paths.find_map(|path| {
            let index = path.segments.iter().position(|segment| segment.span == word)?;
            path.segments.get(index.checked_sub(1)?)
        });
        owner.is_some_and(|owner| plain(&owner.name) != self.member.owner_name && self.symbol.is_outside(owner.span))
    }

    /// Words in the examples of comments that may refer to the member.
    fn in_examples(&self) -> impl Iterator<Item = Span> {
        let (text, member) = (&self.arena.text, self.member);
        let is_owner_named = member.owner.path == self.document.path() || text.contains(&member.owner_name);
        let is_possible = move |span: &Span| {
            let (before, after) = (text[..span.range().start].trim_end(), text[span.range().end..].trim_start());
            let is_access = before.ends_with('.') && !before.ends_with("..");
            let is_value = after.starts_with(':') && !after.starts_with("::");
            match member.kind {
                Kind::Field => is_access || is_value || before.ends_with(['{', ',']) && after.starts_with([',', '}']),
                Kind::Variant => before.ends_with("::"),
                Kind::Function { .. } => is_access || before.ends_with("::"),
                Kind::Type => before.ends_with("::") || before.ends_with("type") || after.starts_with('='),
            }
        };
        let words = self.symbol.words_in_examples(&member.name);
        words.into_iter().filter(move |span| is_owner_named && is_possible(span))
    }

    /// Returns whether a macro may put a word of its arguments after `::`.
    fn may_be_argument(&self, word: Span, scope: ScopeIndex) -> bool {
        let (arena, names) = (self.arena, &self.symbol.names);
        if arena.text[..word.range().start].trim_end().ends_with(['.', '$']) {
            return false;
        }
        let mut around = arena.ancestors(arena.innermost(word));
        let around = around.find(|above| [K::MACRO_CALL, K::ATTR].iter().any(|kind| has_kind(arena, *above, *kind)));
        let binding = names.any_binding(word.slice(&arena.text), scope);
        let call = around.filter(|node| has_kind(arena, *node, K::MACRO_CALL));
        let name = call.and_then(|call| {
            let segment = child(arena, child(arena, call, K::PATH)?, K::PATH_SEGMENT)?;
            child(arena, segment, K::NAME_REF)
        });
        let Some(name) = name else { return self.is_argument_in_macro(word) || self.may_be_field(word, scope) };
        let related = self.symbol.related(arena.node(name).span.start);
        let is_outside = related.specifier.is_some_and(|own| own.starts_with("self::"));
        match () {
            () if is_outside => self.may_be_field(word, scope),
            // An own macro. A type may have the name of the member, too.
            () if related.place.is_some() => {
                binding.is_none_or(|binding| names.bindings[binding].kind != BindingKind::Local)
            }
            () => binding.is_none(),
        }
    }

    /// Returns whether a word in the body of a macro is a whole argument of another macro: `extract!(name, 1)`.
    fn is_argument_in_macro(&self, word: Span) -> bool {
        let arena = self.arena;
        let code = |index: usize| arena.tokens.get(index).map_or("", |token| token.span.slice(&arena.text));
        let at = arena.token_at(word.start);
        let mut depth = 0_usize;
        let is_open = |index: &usize| match code(*index) {
            ")" | "]" | "}" => {
                depth += 1;
                false
            }
            "(" | "[" | "{" if depth == 0 => true,
            "(" | "[" | "{" => {
                depth -= 1;
                false
            }
            _ => false,
        };
        let open = (at.saturating_sub(MAX_TOKENS)..at).rev().find(is_open);
        let is_call = open.and_then(|open| open.checked_sub(1)).is_some_and(|sign| code(sign) == "!");
        let is_whole =
            at > 0 && matches!(code(at - 1), "(" | "[" | "{" | ",") && matches!(code(at + 1), ")" | "]" | "}" | ",");
        is_call && is_whole
    }

    /// Returns whether a word in the arguments of a macro may be a field without a value, or only its name:
    /// `P { name, .. }`, `offset_of!(P, name)`.
    fn may_be_field(&self, word: Span, scope: ScopeIndex) -> bool {
        let arena = self.arena;
        let at = arena.token_at(word.start);
        let is_code = |index: &usize| arena.tokens[*index].kind != TokenKind::Comment;
        let code = |index: usize| arena.tokens[index].span.slice(&arena.text);
        let before: Vec<&str> = (0..at).rev().filter(is_code).map(code).take(MAX_TOKENS).collect();
        let next = (at + 1..arena.tokens.len()).find(is_code).map_or("", code);
        let mut depth = 0_usize;
        let open = before.iter().position(|sign| {
            let is_open = matches!(*sign, "(" | "[" | "{");
            depth += usize::from(matches!(*sign, ")" | "]" | "}"));
            let is_found = is_open && depth == 0;
            depth = depth.saturating_sub(usize::from(is_open));
            is_found
        });
        let previous = before.iter().find(|own| !matches!(**own, "ref" | "mut"));
        let (Some(open), Some(previous)) = (open, previous) else { return false };
        let is_token = arena.tokens.get(at).is_some_and(|token| token.span == word);
        let is_item = matches!(*previous, "{" | "(" | "[" | ",") && matches!(next, "," | "}" | ")" | "]" | ".");
        let is_offset = before.get(open + 2).is_some_and(|name| *name == "offset_of");
        let is_unbound = || self.symbol.names.any_binding(word.slice(&arena.text), scope).is_none();
        let in_attribute = || arena.ancestors(arena.innermost(word)).any(|above| has_kind(arena, above, K::ATTR));
        is_token && is_item && (before[open] == "{" || is_offset || is_unbound()) && !in_attribute()
    }

    /// Calls of other methods with the new name, which may refer to the renamed one afterwards.
    pub(super) fn calls_of(&self, new_name: &str) -> Vec<Span> {
        let arena = self.arena;
        if !matches!(self.member.kind, Kind::Function { has_self: true, .. }) {
            return Vec::new();
        }
        let calls = arena.nodes().map(|(node, _)| node).filter(|node| {
            has_kind(arena, *node, K::NAME_REF)
                && has_kind(arena, arena.node(*node).parent, K::METHOD_CALL_EXPR)
                && arena.slice(*node) == new_name
                && self.owner.is_receiver(arena.node(*node).parent) != Some(false)
        });
        calls.map(|node| arena.node(node).span).collect()
    }
}
