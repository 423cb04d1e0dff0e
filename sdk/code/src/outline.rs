//! The outline: declarations with their kinds, addresses and ranges.

use std::collections::{HashMap, HashSet};

use marquetry_sdk::{Node, NodeId, Span, lines};

use crate::{
    arena::{Arena, Flags, NodeIndex},
    comments, delimited,
    language::{Addresses, Block, Declaration, Language, Title},
    literals,
};

mod attributes;
mod find;

/// The kind of blocks that are listed in the outline although they declare nothing.
pub const SECTION: &str = "block";

/// A declaration, or a block that is listed in the outline.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// The kind of the symbol in the outline.
    pub kind: &'static str,
    /// The name of the symbol.
    pub name: String,
    /// The number of the symbol among symbols with the same name in the same container, from 1; 0 if the name is unique
    /// in the container.
    pub ordinal: usize,
    /// The word that replaces the number in the address if it is unique among these symbols.
    variant: Option<&'static str>,
    /// The symbol that contains this symbol.
    pub parent: Option<usize>,
    /// The symbol whose address is the prefix of this symbol's address.
    pub owner: Option<usize>,
    /// The address of the symbol.
    pub address: String,
    /// The name that replaces the symbol's name in the addresses of the symbol's members.
    pub members: Option<String>,
    /// An alternative to the symbol's name in the addresses of the symbol's members, which targets may use.
    pub also: Option<String>,
    /// Other names of the symbol, which targets may use.
    pub aliases: Vec<String>,
    /// The names of the type to which the symbol belongs although it is declared outside of the type. The symbol's
    /// address starts with the first of these names.
    receiver: Vec<String>,
    /// The separator between the address of the symbol's owner and the name of the symbol.
    separator: &'static str,
    /// The node of the symbol's statement.
    pub node: NodeIndex,
    /// The node of the symbol's name.
    pub name_node: Option<NodeIndex>,
    /// The block that contains the symbol's statement.
    pub block: NodeIndex,
    /// The range that `replace` replaces.
    pub span: Span,
    /// The range of the symbol's name.
    pub selection: Span,
    /// The range that `replace_body` replaces.
    pub body: Option<Span>,
    /// The block of the symbol's members or statements.
    pub inner: Option<NodeIndex>,
    /// The literal of a collection that is the value of the symbol.
    pub literal: Option<NodeIndex>,
    /// True if the symbol's statement declares no other names.
    pub is_alone: bool,
    /// The comment above the symbol that describes the symbol.
    pub doc: Option<Span>,
    /// True if the outline lists the symbol. The others can only be found by their addresses.
    pub is_listed: bool,
}

/// All symbols of a document, in order.
#[derive(Debug)]
pub struct Outline {
    /// The symbols; parents come before their children, and symbols that the outline lists before all others.
    pub symbols: Vec<Symbol>,
    notation: &'static Addresses,
}

impl Outline {
    /// Collects the declarations of a document.
    pub fn new(language: &'static Language, arena: &Arena) -> Outline {
        let mut collector = Collector { language, arena, symbols: Vec::new(), attributes: HashSet::new() };
        collector.blocks_of(crate::arena::ROOT, None, None);
        let mut outline =
            Outline { symbols: attributes::listed_first(collector.symbols), notation: &language.addresses };
        outline.limit_spans();
        outline.number();
        outline
    }

    /// Limits every span to the span of the parent, because the spans in a tree with errors may exceed it.
    fn limit_spans(&mut self) {
        let clamp = |span: Span, around: Span| {
            let start = span.start.clamp(around.start, around.end);
            Span { start, end: span.end.clamp(start, around.end) }
        };
        for index in 0..self.symbols.len() {
            let around = self.symbols[index].parent.map(|parent| self.symbols[parent].span);
            let symbol = &mut self.symbols[index];
            symbol.span = around.map_or(symbol.span, |around| clamp(symbol.span, around));
            symbol.selection = clamp(symbol.selection, symbol.span);
            symbol.body = symbol.body.map(|body| clamp(body, symbol.span));
        }
    }

    /// Numbers the symbols with the same name in the same container, and builds the addresses.
    fn number(&mut self) {
        // The members of several implementations of one type (two `impl Point`) are in the same container.
        let mut places: Vec<String> = Vec::with_capacity(self.symbols.len());
        for symbol in &self.symbols {
            let outer = match symbol.owner {
                Some(owner) => self.member_place(owner, &places),
                None => symbol.receiver.first().cloned().unwrap_or_default(),
            };
            places.push(if outer.is_empty() { outer } else { outer + symbol.separator });
        }
        let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
        for (symbol, place) in self.symbols.iter().zip(&places) {
            *counts.entry((place, &symbol.name)).or_default() += 1;
        }
        let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
        let mut ordinals = Vec::with_capacity(self.symbols.len());
        for (symbol, place) in self.symbols.iter().zip(&places) {
            let key = (place.as_str(), symbol.name.as_str());
            let number = seen.entry(key).or_default();
            *number += 1;
            ordinals.push(if counts[&key] > 1 { *number } else { 0 });
        }
        let mut variants: HashMap<(&str, &str, &str), usize> = HashMap::new();
        for (symbol, place) in self.symbols.iter().zip(&places) {
            *variants.entry((place, &symbol.name, symbol.variant.unwrap_or_default())).or_default() += 1;
        }
        let is_only = |(symbol, place): (&Symbol, &String)| {
            let key = (place.as_str(), symbol.name.as_str());
            symbol.variant.filter(|variant| counts[&key] > 1 && variants[&(key.0, key.1, *variant)] == 1)
        };
        let variants: Vec<Option<&'static str>> = self.symbols.iter().zip(&places).map(is_only).collect();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (index, (ordinal, variant)) in ordinals.into_iter().zip(variants).enumerate() {
            let symbol = &self.symbols[index];
            let outer = match symbol.owner {
                Some(owner) => self.member_address(owner),
                None => symbol.receiver.first().cloned().unwrap_or_default(),
            };
            let outer = if outer.is_empty() { outer } else { outer + symbol.separator };
            let mut address = format!("{outer}{}", symbol.name);
            match variant {
                Some(variant) => address += &format!("{}{variant}", self.notation.separator),
                None if ordinal > 0 => address += &format!("[{ordinal}]"),
                None => {}
            }
            // A name may contain the separator, so two symbols may get the same address.
            while known.contains_key(&address) {
                address += "[2]";
            }
            known.insert(address.clone(), index);
            self.symbols[index].ordinal = ordinal;
            self.symbols[index].variant = variant;
            self.symbols[index].address = address;
        }
    }

    /// The prefix of the addresses of a symbol's members.
    fn member_address(&self, index: usize) -> String {
        let symbol = &self.symbols[index];
        let Some(members) = &symbol.members else { return symbol.address.clone() };
        match symbol.owner {
            Some(owner) => format!("{}{}{members}", self.member_address(owner), symbol.separator),
            None => members.clone(),
        }
    }

    /// The key of the container of a symbol's members. Symbols with the same key number their members together.
    fn member_place(&self, index: usize, places: &[String]) -> String {
        let symbol = &self.symbols[index];
        match &symbol.members {
            Some(members) => format!("{}{members}", places[index]),
            // Symbols with the same name have separate members.
            None => format!("{}{}#{index}", places[index], symbol.name),
        }
    }

    /// A symbol as a node of the contract.
    pub fn node(&self, index: usize) -> Node {
        let symbol = &self.symbols[index];
        Node {
            id: index as NodeId,
            parent: symbol.parent.map(|parent| parent as u32),
            kind: symbol.kind.to_owned(),
            name: symbol.name.clone(),
            address: symbol.address.clone(),
            span: symbol.span,
            selection: symbol.selection,
            body: symbol.body,
            doc: symbol.doc,
            level: None,
            value: None,
        }
    }

    /// The symbols that contain a symbol, the innermost first.
    pub fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.symbols[index].parent, |above| self.symbols[*above].parent)
    }
}

struct Collector<'a> {
    language: &'static Language,
    arena: &'a Arena,
    symbols: Vec<Symbol>,
    /// The attributes that methods set, each with the class.
    attributes: HashSet<(usize, String)>,
}

impl Collector<'_> {
    /// Collects the symbols in the blocks of a node and of its clauses.
    fn blocks_of(&mut self, node: NodeIndex, parent: Option<usize>, owner: Option<usize>) {
        for child in self.arena.children(node) {
            if self.language.is_block(self.arena, child) {
                self.block(child, parent, owner);
                continue;
            }
            for inner in self.arena.children(child) {
                if self.language.is_block(self.arena, inner) {
                    self.block(inner, parent, owner);
                }
            }
        }
    }

    fn block(&mut self, block: NodeIndex, parent: Option<usize>, owner: Option<usize>) {
        for statement in self.arena.children(block) {
            self.attribute(statement, block, (parent, owner));
            if let Some(declaration) = self.language.declaration(self.arena, statement) {
                self.declaration(declaration, statement, block, (parent, owner));
            } else if let Some(title) = (self.language.hooks.section)(self.arena, statement) {
                let section = self.section(title, statement, block, (parent, owner));
                self.blocks_of(statement, Some(section), owner);
            } else {
                self.blocks_of(statement, parent, owner);
            }
        }
    }

    fn section(
        &mut self,
        title: String,
        statement: NodeIndex,
        block: NodeIndex,
        (parent, owner): (Option<usize>, Option<usize>),
    ) -> usize {
        let inner = self.arena.children(statement).find(|child| self.language.is_block(self.arena, *child));
        let span = statement_span(self.language, self.arena, statement);
        let selection = Span { start: span.start, end: span.start };
        self.push(Symbol {
            kind: SECTION,
            name: title,
            ordinal: 0,
            variant: None,
            parent,
            owner,
            address: String::new(),
            members: None,
            also: None,
            aliases: Vec::new(),
            receiver: Vec::new(),
            separator: self.language.addresses.separator,
            node: statement,
            name_node: None,
            block,
            span,
            selection,
            body: inner.map(|inner| self.block_span(inner)),
            inner,
            literal: None,
            is_alone: true,
            doc: None,
            is_listed: parent.is_none_or(|parent| self.symbols[parent].is_listed),
        })
    }

    fn push(&mut self, mut symbol: Symbol) -> usize {
        let start = symbol.span.range().start;
        symbol.doc = comments::attached_above(self.language, self.arena, start);
        self.symbols.push(symbol);
        self.symbols.len() - 1
    }

    fn declaration(
        &mut self,
        declaration: &'static Declaration,
        statement: NodeIndex,
        block: NodeIndex,
        (parent, owner): (Option<usize>, Option<usize>),
    ) {
        let outer = owner.map_or("", |owner| self.symbols[owner].kind);
        let names = self.names(declaration, statement);
        let title = names.is_empty().then(|| (self.language.hooks.title)(self.arena, statement)).flatten();
        let field = declaration.body.and_then(|body| self.language.field(body));
        let body = field.and_then(|field| self.arena.child(statement, field));
        let is_alone =
            title.is_some() || matches!(names[..], [name] if self.is_only_target(declaration, statement, name));
        let literal = body.filter(|_| is_alone).and_then(|body| literals::inside(self.language, self.arena, body));
        let is_hidden = declaration.not_inside.contains(&outer)
            && !literal.is_some_and(|literal| literals::is_listed_locally(self.language, self.arena, literal));
        if (names.is_empty() && title.is_none()) || is_hidden {
            return self.blocks_of(statement, parent, owner);
        }
        let inner = body.filter(|body| self.language.is_block(self.arena, *body));
        let whole = statement_span(self.language, self.arena, statement);
        let kind = declaration.inside.iter().find(|(around, _)| *around == outer);
        let kind = kind.map_or(declaration.kind, |(_, kind)| kind);
        let own = Symbol {
            kind,
            name: String::new(),
            ordinal: 0,
            variant: (self.language.hooks.variant)(self.arena, statement),
            parent,
            owner,
            address: String::new(),
            members: None,
            also: None,
            aliases: Vec::new(),
            receiver: (self.language.hooks.receiver)(self.arena, statement),
            separator: declaration.separator.unwrap_or(self.language.addresses.separator),
            node: statement,
            name_node: None,
            block,
            span: whole,
            selection: whole,
            body: body.filter(|_| is_alone).map(|body| match inner {
                Some(inner) => self.block_span(inner),
                None => self.arena.node(body).span,
            }),
            inner,
            literal,
            is_alone,
            doc: None,
            is_listed: parent.is_none_or(|parent| self.symbols[parent].is_listed),
        };
        if let Some(title) = title {
            let Title { name, selection, members, also, aliases } = title;
            return self.add(Symbol { name, selection, members, also, aliases, ..own });
        }
        for name in names {
            let selection = self.arena.node(name).span;
            self.add(Symbol {
                name: selection.slice(&self.arena.text).to_owned(),
                name_node: Some(name),
                span: if is_alone { whole } else { selection },
                selection,
                ..own.clone()
            });
        }
    }

    fn add(&mut self, mut symbol: Symbol) {
        symbol.kind = (self.language.hooks.kind)(self.arena, &symbol).unwrap_or(symbol.kind);
        let (statement, literal, is_listed) = (symbol.node, symbol.literal, symbol.is_listed);
        let index = self.push(symbol);
        if is_listed {
            self.blocks_of(statement, Some(index), Some(index));
        }
        for item in literal.into_iter().flat_map(|literal| self.arena.children(literal)) {
            if let Some(declaration) = self.language.declaration(self.arena, item) {
                self.declaration(declaration, item, self.arena.node(item).parent, (Some(index), Some(index)));
            }
        }
    }

    /// The nodes of the names that a statement declares.
    fn names(&self, declaration: &Declaration, statement: NodeIndex) -> Vec<NodeIndex> {
        let field = self.language.field(declaration.name).filter(|_| !declaration.name.is_empty());
        let Some(field) = field else { return Vec::new() };
        let mut names = Vec::new();
        for target in self.arena.children(statement).filter(|child| self.arena.node(*child).field == field) {
            if self.is_name(target) {
                names.push(target);
                continue;
            }
            let inside = self.arena.descendants(target);
            names.extend(inside.filter(|node| self.is_name(*node) && self.arena.node(*node).flags.has(Flags::WRITTEN)));
        }
        names.retain(|name| !self.arena.node(*name).span.is_empty());
        names
    }

    fn is_name(&self, node: NodeIndex) -> bool {
        self.language.is_one_of(self.arena, node, self.language.names)
    }

    /// Returns whether this name is the only target of the statement.
    fn is_only_target(&self, declaration: &Declaration, statement: NodeIndex, name: NodeIndex) -> bool {
        let field = self.language.field(declaration.name);
        let mut targets = self.arena.children(statement).filter(|child| Some(self.arena.node(*child).field) == field);
        targets.next() == Some(name) && targets.next().is_none()
    }

    /// The range of a block, including the comments above its first statement and at its end.
    fn block_span(&self, block: NodeIndex) -> Span {
        if let Block::Delimited { .. } = self.language.form {
            return delimited::content_span(self.language, self.arena, block);
        }
        let (text, own) = (&self.arena.text, self.arena.node(block).span.range());
        let end = comments::end_of_block(text, own.start, own.end, self.language.comments);
        let mut start = own.start;
        let mut line = lines::line_start(text, start);
        while let Some(above) = lines::previous_line(text, line) {
            let whole = &text[above..lines::line_end(text, above)];
            let comment = whole.trim_start_matches([' ', '\t']);
            if comments::is_comment(comment, self.language.comments) {
                start = above + whole.len() - comment.len();
            } else if !comment.trim().is_empty() {
                break;
            }
            line = above;
        }
        Span::new(if lines::starts_line(text, own.start) { start } else { own.start }, end.max(own.end))
    }
}

/// The range of a statement, including the comments at the end of its last block, or of an item of a literal.
pub(crate) fn statement_span(language: &Language, arena: &Arena, statement: NodeIndex) -> Span {
    let own = arena.node(statement).span;
    if language.literal(arena, arena.node(statement).parent).is_some() {
        return literals::item_span(arena, statement);
    }
    if let Block::Delimited { .. } = language.form {
        return own;
    }
    let mut last = None;
    let mut at = statement;
    while let Some(child) = arena.children(at).last() {
        if language.is_block(arena, child) {
            last = Some(child);
            break;
        }
        at = child;
    }
    let Some(last) = last.map(|block| arena.node(block).span.range()) else { return own };
    let end = comments::end_of_block(&arena.text, last.start, last.end, language.comments);
    Span { start: own.start, end: own.end.max(end as u32) }
}
