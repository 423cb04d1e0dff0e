//! A grammar, and the facts about its tree that `marquetry_code` needs.

use std::{collections::HashMap, sync::OnceLock};

use marquetry_code::{Arena, Field, Kind, ParseContext};
use marquetry_sdk::Span;

use crate::{
    lower::{self, Rule},
    runtime::{self, RawLanguage},
    tree::Tree,
};

/// The kind of the arena's root. The root contains one block, whose kind is that of the grammar's root.
const ROOT: &str = "ROOT";
/// The role of the block in the root.
const BODY: &str = "body";
/// Maximum number of kinds. The arena stores a kind in one byte.
const MAX_KINDS: usize = 255;

/// The conversion of a grammar's tree to the arena of `marquetry_code`. Names of nodes are names of the grammar, or are
/// added here.
#[derive(Debug)]
pub struct Lowering {
    /// Kinds of comments.
    pub comments: &'static [&'static str],
    /// Kinds of string and character literals. Each literal is one token.
    pub strings: &'static [&'static str],
    /// Kinds of code inside of strings. A string that contains such code has several tokens.
    pub interpolations: &'static [&'static str],
    /// Kinds of nodes that are omitted. Their children become children of the parent, with the role of the omitted
    /// node.
    pub inlined: &'static [&'static str],
    /// Roles that the grammar does not define: the kind of the parent (empty for all), the kind of the child, and the
    /// role.
    pub roles: &'static [(&'static str, &'static str, &'static str)],
    /// Nodes that get another kind: the kind of the parent, the role (`*` for all), the old kind and the new kind.
    pub renamed: &'static [(&'static str, &'static str, &'static str, &'static str)],
    /// Kinds that only `reshape` creates.
    pub added: &'static [&'static str],
    /// Blocks and lists whose content can be parsed without the text around it.
    pub contexts: &'static [Context],
    /// Tokens and names that may be missing in such content, for example in search patterns.
    pub optional: &'static [&'static str],
    /// The token that ends a statement. It may be missing at the end of content, for example in search patterns.
    pub terminator: &'static str,
    /// Replaces syntax that the grammar does not support with similar supported syntax of the same length. This is used
    /// if a text has errors, and if the result has fewer errors.
    pub masked: fn(&str) -> Option<String>,
    /// Changes the tree in ways that these tables cannot express.
    pub reshape: fn(&Grammar, &str, &mut Tree),
}

impl Lowering {
    /// A lowering that changes nothing.
    pub const NONE: Lowering = Lowering {
        comments: &[],
        strings: &[],
        interpolations: &[],
        inlined: &[],
        roles: &[],
        renamed: &[],
        added: &[],
        contexts: &[],
        optional: &[],
        terminator: "",
        masked: |_| None,
        reshape: |_, _, _| {},
    };
}

/// A context for content that is parsed alone: the text that is put around the content.
#[derive(Debug)]
pub struct Context {
    /// The kind of the block or list.
    pub name: &'static str,
    /// The kind of the node that contains the content in the parsed text.
    pub node: &'static str,
    /// The text before the content. The node `node` starts at the last character of this text.
    pub before: &'static str,
    /// The text after the content. The node `node` ends with the first character of this text.
    pub after: &'static str,
}

/// A compiled grammar and its [`Lowering`].
#[derive(Debug)]
pub struct Grammar {
    pub(crate) language: fn() -> *const RawLanguage,
    pub(crate) lowering: &'static Lowering,
    tables: OnceLock<Tables>,
}

/// The names of a grammar and the corresponding kinds and roles of `marquetry_code`.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) fields: Vec<&'static str>,
    kind_numbers: HashMap<&'static str, Kind>,
    /// The rule for each symbol of the grammar.
    pub(crate) rules: Vec<Rule>,
    pub(crate) roles: Vec<(Option<Kind>, Kind, Field)>,
    pub(crate) renamed: Vec<(Kind, Option<Field>, Kind, Kind)>,
    /// The name of each symbol of the grammar.
    pub(crate) names: Vec<&'static str>,
}

impl Grammar {
    /// Creates a grammar. The macro `grammar` calls this function.
    #[doc(hidden)]
    pub const fn new(language: fn() -> *const RawLanguage, lowering: &'static Lowering) -> Grammar {
        Grammar { language, lowering, tables: OnceLock::new() }
    }

    pub(crate) fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| Tables::new(self))
    }

    /// The names of all kinds, for [`Language::kinds`](marquetry_code::Language::kinds).
    pub fn kinds(&'static self) -> &'static [&'static str] {
        &self.tables().kinds
    }

    /// The names of all roles, for [`Language::fields`](marquetry_code::Language::fields).
    pub fn fields(&'static self) -> &'static [&'static str] {
        &self.tables().fields
    }

    /// The kind with this name. An unknown name returns the kind 0, which is the kind of the root.
    pub fn kind(&self, name: &str) -> Kind {
        self.tables().kind_numbers.get(name).copied().unwrap_or(Kind(0))
    }

    /// The role with this name. An unknown name returns the role 0, which means no role.
    pub fn field(&self, name: &str) -> Field {
        self.tables().field(name)
    }

    /// Parses a text.
    pub fn parse(&self, text: String, context: ParseContext) -> Arena {
        if context == ParseContext::File {
            let tree = self.tree(&text, true);
            let block = (tree.nodes[0].kind, self.field(BODY));
            return tree.build(text, 0, block);
        }
        let named = match context {
            ParseContext::Inside(name) => self.lowering.contexts.iter().find(|context| context.name == name),
            ParseContext::File | ParseContext::Items => None,
        };
        let mut part = self.part(&text, "", named);
        let terminator = self.lowering.terminator;
        if !part.0.errors.is_empty() && !terminator.is_empty() {
            let ended = self.part(&text, terminator, named);
            if ended.0.errors.is_empty() {
                part = ended;
            }
        }
        let (tree, root, kind) = part;
        tree.build(text, root, (kind, self.field(BODY)))
    }

    fn tree(&self, text: &str, is_file: bool) -> Tree {
        let mut tree = lower::lower(self, text, is_file);
        (self.lowering.reshape)(self, text, &mut tree);
        tree
    }

    /// Parses a part of a file, followed by `end`. Returns the tree, the node that contains the statements, and the
    /// kind of the block for these statements.
    fn part(&self, text: &str, end: &str, around: Option<&Context>) -> (Tree, usize, Kind) {
        let Some(around) = around else {
            let mut tree = self.tree(&format!("{text}{end}"), false);
            tree.shift(0, text.len());
            let kind = tree.nodes[0].kind;
            return (tree, 0, kind);
        };
        let whole = format!("{}{text}{end}\n{}", around.before, around.after);
        let mut tree = self.tree(&whole, false);
        let opener = around.before.chars().next_back().map_or(0, char::len_utf8);
        let closer = around.after.chars().next().map_or(0, char::len_utf8);
        let start = around.before.len() - opener;
        let span = Span::new(start, whole.len() - around.after.len() + closer);
        let root = tree.find(self.kind(around.node), span);
        if root.is_none() && tree.errors.is_empty() {
            tree.errors.push(lower::error(span, "a bracket is closed that was not opened"));
        }
        tree.shift(around.before.len(), text.len());
        if root.is_none() {
            tree.nodes[0].children.clear();
        }
        (tree, root.unwrap_or(0), self.kind(around.name))
    }
}

impl Tables {
    fn new(grammar: &Grammar) -> Tables {
        let (names, lowering) = (runtime::names(grammar.language), grammar.lowering);
        let mut kinds = vec![ROOT];
        let is_comment = |name: &str| lowering.comments.contains(&name);
        let own = names.symbols.iter().filter(|(name, is_kind)| *is_kind && *name != "end" && !is_comment(name));
        let renamed = lowering.renamed.iter().map(|(.., name)| *name);
        for name in own.map(|(name, _)| *name).chain(renamed).chain(lowering.added.iter().copied()) {
            if !kinds.contains(&name) && kinds.len() < MAX_KINDS {
                kinds.push(name);
            }
        }
        let mut fields = names.fields.clone();
        for name in lowering.roles.iter().map(|(.., role)| *role).chain([BODY]) {
            if !fields.contains(&name) {
                fields.push(name);
            }
        }
        let kind_numbers: HashMap<&str, Kind> =
            kinds.iter().enumerate().map(|(index, name)| (*name, Kind(index as u8))).collect();
        let mut tables = Tables {
            rules: names.symbols.iter().map(|(name, _)| Rule::new(lowering, name, &kind_numbers)).collect(),
            names: names.symbols.iter().map(|(name, _)| *name).collect(),
            kinds,
            fields,
            kind_numbers,
            roles: Vec::new(),
            renamed: Vec::new(),
        };
        let kind = |name: &str| tables.kind_numbers.get(name).copied().unwrap_or(Kind(0));
        let parent = |name: &str| (!name.is_empty()).then(|| kind(name));
        let role = |name: &str| (name != "*").then(|| tables.field(name));
        let roles = lowering.roles.iter().map(|(above, own, role)| (parent(above), kind(own), tables.field(role)));
        let renamed =
            lowering.renamed.iter().map(|(above, own, from, to)| (kind(above), role(own), kind(from), kind(to)));
        let (roles, renamed) = (roles.collect(), renamed.collect());
        tables.roles = roles;
        tables.renamed = renamed;
        tables
    }

    fn field(&self, name: &str) -> Field {
        self.fields.iter().position(|known| *known == name).map_or(Field::NONE, |index| Field(index as u8))
    }
}
