//! The description of a language: plain data that the kit reads, and a few functions for properties that data cannot
//! express.

use marquetry_sdk::{Dependency, Edit, Failure, Span, items::Comments};

use crate::{
    arena::{Arena, Builder, Field, Kind, NodeIndex, ROOT},
    document::CodeDocument,
    outline::Symbol,
    scopes::NamePlace,
};

/// A programming language. A pack has one `static` of this type.
#[derive(Debug)]
pub struct Language {
    /// The name of the language in messages: `Python`.
    pub name: &'static str,
    /// The names of all kinds of nodes that the parser's lowering creates; [`Kind`] is an index into them.
    pub kinds: &'static [&'static str],
    /// The names of all roles; [`Field`] is an index into them, and the first one is empty.
    pub fields: &'static [&'static str],
    /// The kinds of nodes whose children are the statements of a block.
    pub blocks: &'static [&'static str],
    /// The kinds of nodes whose children are the items of a list with a separator, such as the variants of an enum. The
    /// operations treat them like blocks.
    pub lists: &'static [List],
    /// The kind of a statement that is only an expression.
    pub expression_statement: &'static str,
    /// The notation of blocks.
    pub form: Block,
    /// Comments.
    pub comments: Comments,
    /// Starts of comments that document what is around them, not what is below: `//!`.
    pub inner_comments: &'static [&'static str],
    /// Statements at the start of a block that belong to what is around it: `#![attribute]`.
    pub leading: &'static [&'static str],
    /// The notation of addresses.
    pub addresses: Addresses,
    /// One step of indentation, if a document shows none.
    pub unit: &'static str,
    /// Number of line breaks before and after a declaration with a block, if a document shows none: at the top level,
    /// and inside of other declarations.
    pub gaps: (usize, usize),
    /// The declarations that the outline has.
    pub declarations: &'static [Declaration],
    /// Roles of nodes that are written in front of a declaration and belong to it: decorators, attributes.
    pub attached: &'static [&'static str],
    /// Places that a structural pattern is parsed for.
    pub patterns: &'static [ParseContext],
    /// Describes patterns, for the failures of wrong ones.
    pub pattern_hint: &'static str,
    /// Examples of patterns.
    pub pattern_examples: &'static [&'static str],
    /// Statements that form the region `imports`.
    pub imports: &'static [&'static str],
    /// Nodes that open a scope.
    pub scopes: &'static [Scope],
    /// Children that belong to the scope around the innermost one, as kinds of the parent and roles: the name of a
    /// function, its decorators, default values.
    pub outside: &'static [(&'static str, &'static str)],
    /// Places that bind a name.
    pub bindings: &'static [Binding],
    /// Kinds of nodes that are a name.
    pub names: &'static [&'static str],
    /// Those of them that are a use of a name wherever they occur; the others bind a name, or are names of members.
    pub uses: &'static [&'static str],
    /// Functions for properties that data cannot express.
    pub hooks: Hooks,
}

/// A list with a separator.
#[derive(Debug)]
pub struct List {
    /// The kind of its node.
    pub node: &'static str,
    /// The separator of its items: `,`.
    pub separator: &'static str,
}

/// The notation of addresses.
#[derive(Debug)]
pub struct Addresses {
    /// Separates the names of an address: `.`.
    pub separator: &'static str,
    /// Other separators that targets may have.
    pub also: &'static [&'static str],
}

/// `Outer.inner`.
pub const DOTTED: Addresses = Addresses { separator: ".", also: &[] };

/// The notation of the blocks of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// By indentation: a header with `opener` at its end, and deeper lines below it.
    Indentation {
        /// The end of a header: `:`.
        opener: &'static str,
        /// Separates statements on one line: `;`.
        separator: &'static str,
        /// The statement of an empty block: `pass`.
        placeholder: &'static str,
    },
    /// Between two delimiters, which belong to the node of the block: `{` and `}`; or the end of the header's line,
    /// which is written as an empty opener, and `end`.
    Delimited {
        /// Starts a block; empty if the header's line break does.
        open: &'static str,
        /// Ends a block.
        close: &'static str,
        /// Ends of a header that a block follows, such as `{`: what comes below it is indented.
        headers: &'static [&'static str],
    },
}

impl Block {
    /// The statement of an empty block; empty if a block can be empty.
    pub fn placeholder(self) -> &'static str {
        match self {
            Block::Indentation { placeholder, .. } => placeholder,
            Block::Delimited { .. } => "",
        }
    }

    /// The end of a header that the view of the header leaves out.
    pub(crate) fn opener(self) -> &'static str {
        match self {
            Block::Indentation { opener, .. } => opener,
            Block::Delimited { .. } => "",
        }
    }

    /// Separates statements on one line, in addition to those in the tree; empty if statements contain their end.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Block::Indentation { separator, .. } => separator,
            Block::Delimited { .. } => "",
        }
    }

    /// Stands for a block in a summary.
    pub(crate) fn summary(self) -> String {
        match self {
            Block::Indentation { opener, .. } => format!("{opener} …"),
            Block::Delimited { open: "", close, .. } => format!(" … {close}"),
            Block::Delimited { open, close, .. } => format!(" {open} … {close}"),
        }
    }
}

/// A kind of declaration.
#[derive(Debug)]
pub struct Declaration {
    /// The kind of its node in the tree.
    pub node: &'static str,
    /// Its kind in the outline.
    pub kind: &'static str,
    /// The role of the node that has its names. Names in a list are each a declaration. Empty if the hook `title` names
    /// it.
    pub name: &'static str,
    /// Separates its name from the address of what contains it, if that is not the separator of the language.
    pub separator: Option<&'static str>,
    /// The role of its body, which `replace_body` replaces.
    pub body: Option<&'static str>,
    /// Kinds in the outline inside of which the kind is another one.
    pub inside: &'static [(&'static str, &'static str)],
    /// Kinds in the outline inside of which it is not listed.
    pub not_inside: &'static [&'static str],
}

/// A kind of node that opens a scope.
#[derive(Debug)]
pub struct Scope {
    /// The kind of the node.
    pub node: &'static str,
    /// The way in which names in it are found.
    pub kind: ScopeKind,
}

/// The way in which names in a scope are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The scope of the file.
    Module,
    /// Names of the members are not visible in the functions inside.
    Class,
    /// Members that are visible in the functions inside.
    Members,
    /// A function.
    Function,
    /// Like a function, but assignments inside of an expression belong to the scope around it.
    Comprehension,
}

/// A place that binds a name.
#[derive(Debug)]
pub struct Binding {
    /// The kind of the parent of the name.
    pub parent: &'static str,
    /// The role of the name in the parent.
    pub field: &'static str,
    /// The kind of the binding.
    pub kind: BindingKind,
}

/// A kind of binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// The name of a declaration, in the scope around it.
    Declaration,
    /// A parameter of the function.
    Parameter,
    /// A variable.
    Variable,
    /// A variable assigned in an expression: it belongs to the scope around comprehensions.
    InExpression,
    /// A name that an import binds.
    Import,
    /// Says that the name belongs to the module.
    Global,
    /// Says that the name belongs to a function around this one.
    Nonlocal,
}

/// Returns the edits that add imports to a document.
pub type InsertImport = fn(&CodeDocument, &str) -> Result<Vec<Edit>, Failure>;

/// The name of a declaration that is not one name in the tree, such as `impl Display for Point`.
#[derive(Debug)]
pub struct Title {
    /// The name.
    pub name: String,
    /// The range of the name.
    pub selection: Span,
    /// The name that replaces it in the addresses of its members: `Point` for the members of `impl Point`.
    pub members: Option<String>,
    /// Another name that targets may have in the addresses of its members.
    pub also: Option<String>,
}

/// The context for which a text is parsed: inside which block or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseContext {
    /// A whole file.
    File,
    /// Statements at the top level of a file, without what only a whole file needs, such as the clause of a package.
    Items,
    /// The content of a block or list of this kind. The arena has the same form as that of a file: one block with
    /// the statements or items.
    Inside(&'static str),
}

/// Functions for properties that data cannot express.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Parses a text. Never fails: what cannot be parsed becomes errors.
    pub parse: fn(path: &str, text: String, context: ParseContext) -> Arena,
    /// The name of a declaration whose node has no name.
    pub title: fn(&Arena, NodeIndex) -> Option<Title>,
    /// The statement at the end of a block that is its value, so that nothing can follow it.
    pub tail: fn(&Arena, block: NodeIndex) -> Option<NodeIndex>,
    /// The kind of a declaration in the outline, if it depends on more than its node.
    pub kind: fn(&Arena, &Symbol) -> Option<&'static str>,
    /// The declaration that a member is written outside of, as targets may name it: the type of a method's receiver. The
    /// first one is the start of its address. Empty for other declarations.
    pub receiver: fn(&Arena, NodeIndex) -> Vec<String>,
    /// The name of a block that is listed in the outline although it declares nothing, and whose declarations belong
    /// to the block around it.
    pub section: fn(&Arena, NodeIndex) -> Option<String>,
    /// The documentation at the start of a block: its statement.
    pub documentation: fn(&Arena, block: NodeIndex) -> Option<NodeIndex>,
    /// The names that a node uses from other files.
    pub dependencies: fn(&CodeDocument, NodeIndex) -> Vec<Dependency>,
    /// The edit that gives the name at an import another local name. `None` if it cannot have one.
    pub rename_import: fn(&CodeDocument, &NamePlace, &str) -> Option<Edit>,
    /// Edits that add imports to a document and merge them with those it has.
    pub insert_import: Option<InsertImport>,
    /// Checks that a word is a valid name.
    pub check_name: fn(&str) -> Result<(), Failure>,
}

impl Hooks {
    /// No properties beyond the table. The pack sets `parse`.
    pub const NONE: Hooks = Hooks {
        parse: |_, text, _| Builder::new(text, Kind(0)).finish(Vec::new(), Vec::new(), Vec::new()),
        title: |_, _| None,
        tail: |_, _| None,
        kind: |_, _| None,
        receiver: |_, _| Vec::new(),
        section: |_, _| None,
        documentation: |_, _| None,
        dependencies: |_, _| Vec::new(),
        rename_import: |_, _, _| None,
        insert_import: None,
        check_name: |_| Ok(()),
    };
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hooks")
    }
}

impl Language {
    /// The kind with this name. Names are checked by `testing::check_language`.
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.kinds.iter().position(|known| *known == name).map(|index| Kind(index as u8))
    }

    /// The role with this name.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().position(|known| *known == name).map(|index| Field(index as u8))
    }

    /// The name of a kind.
    pub fn kind_name(&self, kind: Kind) -> &'static str {
        self.kinds.get(usize::from(kind.0)).copied().unwrap_or_default()
    }

    /// The name of a role.
    pub fn field_name(&self, field: Field) -> &'static str {
        self.fields.get(usize::from(field.0)).copied().unwrap_or_default()
    }

    /// Returns whether a node has one of these kinds.
    pub fn is_one_of(&self, arena: &Arena, node: NodeIndex, kinds: &[&str]) -> bool {
        kinds.contains(&self.kind_name(arena.node(node).kind))
    }

    /// Returns whether the node is a block or a list.
    pub fn is_block(&self, arena: &Arena, node: NodeIndex) -> bool {
        let name = self.kind_name(arena.node(node).kind);
        self.blocks.contains(&name) || self.lists.iter().any(|list| list.node == name)
    }

    /// The separator of the items of a list; empty for a block.
    pub fn separator(&self, arena: &Arena, node: NodeIndex) -> &'static str {
        let name = self.kind_name(arena.node(node).kind);
        self.lists.iter().find(|list| list.node == name).map_or("", |list| list.separator)
    }

    /// The context of new content: a block or list of a tree.
    pub fn context(&self, arena: &Arena, block: NodeIndex) -> ParseContext {
        if arena.node(block).parent == ROOT {
            return ParseContext::Items;
        }
        ParseContext::Inside(self.kind_name(arena.node(block).kind))
    }

    /// The entry of a declaration's node.
    pub fn declaration(&self, arena: &Arena, node: NodeIndex) -> Option<&'static Declaration> {
        let name = self.kind_name(arena.node(node).kind);
        self.declarations.iter().find(|declaration| declaration.node == name)
    }
}
