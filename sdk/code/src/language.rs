//! The description of a language: plain data that this crate reads, and a few functions for properties that data cannot
//! express.

use marquetry_sdk::{Dependency, Edit, Failure, Span, items::Comments};

use crate::{
    arena::{Arena, Builder, Field, Kind, NodeIndex, ROOT},
    document::CodeDocument,
    literals::SEPARATOR,
    outline::Symbol,
    scopes::NamePlace,
};

/// A programming language. A pack has one `static` of this type.
#[derive(Debug)]
pub struct Language {
    /// The name of the language in messages: `Python`.
    pub name: &'static str,
    /// The names of all kinds of nodes that the lowering creates; [`Kind`] is an index into them.
    pub kinds: &'static [&'static str],
    /// The names of all roles; [`Field`] is an index into them. The first name is empty.
    pub fields: &'static [&'static str],
    /// The kinds of nodes whose children are the statements of a block.
    pub blocks: &'static [&'static str],
    /// Lists with separators, such as the variants of an enum. Edit operations handle their items like the statements
    /// of a block.
    pub lists: &'static [List],
    /// Literals of collections whose items are inserted and deleted one by one. Items that are declarations have
    /// addresses if the value of a declaration is such a literal.
    pub literals: &'static [Literal],
    /// The kind of a statement that consists only of an expression.
    pub expression_statement: &'static str,
    /// The syntax of blocks.
    pub form: Block,
    /// The syntax of comments.
    pub comments: Comments,
    /// Prefixes of comments that document the item around them instead of the item below: `//!`.
    pub inner_comments: &'static [&'static str],
    /// Kinds of statements at the start of a block that belong to the item around the block: `#![attribute]`.
    pub leading: &'static [&'static str],
    /// The syntax of addresses.
    pub addresses: Addresses,
    /// The text that indents a line by one level, for documents whose indentation cannot be detected.
    pub unit: &'static str,
    /// Number of line breaks before and after a declaration with a block, for documents in which this number cannot be
    /// detected: at the top level, and inside of other declarations.
    pub gaps: (usize, usize),
    /// The declarations in the outline.
    pub declarations: &'static [Declaration],
    /// Roles of nodes before a declaration that belong to it: decorators, attributes.
    pub attached: &'static [&'static str],
    /// The contexts in which a structural pattern is parsed.
    pub patterns: &'static [ParseContext],
    /// The hint in the failure of an invalid pattern. It describes the syntax of patterns.
    pub pattern_hint: &'static str,
    /// Examples of patterns.
    pub pattern_examples: &'static [&'static str],
    /// Kinds of statements in the region `imports`, in the order that they have in a sorted group.
    pub imports: &'static [&'static str],
    /// Kinds of nodes that open a scope.
    pub scopes: &'static [Scope],
    /// Children that belong to the scope around the scope of their parent, as pairs of the parent's kind and the
    /// child's role: the name of a function, its decorators, default values.
    pub outside: &'static [(&'static str, &'static str)],
    /// Positions in the tree at which a name is bound.
    pub bindings: &'static [Binding],
    /// Kinds of nodes that are names.
    pub names: &'static [&'static str],
    /// The kinds in `names` whose nodes always use a name. The other kinds bind names or are names of members.
    pub uses: &'static [&'static str],
    /// Functions for properties that data cannot express.
    pub hooks: Hooks,
}

/// A list with a separator.
#[derive(Debug)]
pub struct List {
    /// The kind of the list's node.
    pub node: &'static str,
    /// The separator between items: `,`.
    pub separator: &'static str,
}

/// A literal of a collection, such as a list or a dictionary. Its children are its items, which commas separate.
#[derive(Debug)]
pub struct Literal {
    /// The kind of the literal's node.
    pub node: &'static str,
    /// The bracket at the start of a literal.
    pub open: &'static str,
    /// The bracket at the end of a literal.
    pub close: &'static str,
    /// The code before and after new items, with which they are parsed as a file.
    pub context: (&'static str, &'static str),
    /// The kind of the literal's node in that file, if the new items are valid in the literal.
    pub parsed: &'static str,
    /// True if a literal with only one item needs a separator after it, such as `(1,)`.
    pub is_terminated: bool,
    /// Kinds of nodes that end with a literal and have its items: `Config{…}`, `&Config{…}`.
    pub around: &'static [&'static str],
    /// The separator between a key and its value, if values on consecutive lines are aligned in one column.
    pub aligned_after: Option<&'static str>,
    /// True if local variables with such a value are listed in the outline, although other local variables are not. The
    /// literal must have entries or several lines.
    pub is_listed_locally: bool,
    /// An item, for messages.
    pub example: &'static str,
}

impl Literal {
    /// A literal in brackets, with default properties.
    pub const fn new(node: &'static str, open: &'static str, close: &'static str, example: &'static str) -> Literal {
        Literal {
            node,
            open,
            close,
            context: (open, close),
            parsed: node,
            is_terminated: false,
            around: &[],
            aligned_after: None,
            is_listed_locally: false,
            example,
        }
    }
}

/// The syntax of addresses.
#[derive(Debug)]
pub struct Addresses {
    /// The separator between the names in an address: `.`.
    pub separator: &'static str,
    /// Other separators that targets may contain.
    pub also: &'static [&'static str],
}

/// Addresses of the form `Outer.inner`.
pub const DOTTED: Addresses = Addresses { separator: ".", also: &[] };

/// The syntax of the blocks of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// Blocks by indentation: a header that ends with `opener`, and lines with more indentation below it.
    Indentation {
        /// The token that ends a header: `:`.
        opener: &'static str,
        /// The separator between statements on one line: `;`.
        separator: &'static str,
        /// The statement that an empty block must contain: `pass`.
        placeholder: &'static str,
    },
    /// Blocks between two delimiters that belong to the node of the block: `{` and `}`. If the line break after the
    /// header starts the block, `open` is empty, and `close` is a word such as `end`.
    Delimited {
        /// The start of a block; empty if the line break after the header starts the block.
        open: &'static str,
        /// The end of a block.
        close: &'static str,
        /// Suffixes of headers, such as `{`. Lines below a header are indented.
        headers: &'static [&'static str],
    },
}

impl Block {
    /// The statement that an empty block must contain; empty if a block may be empty.
    pub fn placeholder(self) -> &'static str {
        match self {
            Block::Indentation { placeholder, .. } => placeholder,
            Block::Delimited { .. } => "",
        }
    }

    /// The end of a header that the view `signature` omits.
    pub(crate) fn opener(self) -> &'static str {
        match self {
            Block::Indentation { opener, .. } => opener,
            Block::Delimited { .. } => "",
        }
    }

    /// The separator between statements on one line. Empty if the nodes of statements include their separators.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Block::Indentation { separator, .. } => separator,
            Block::Delimited { .. } => "",
        }
    }

    /// The text that represents a block in a summary.
    pub(crate) fn summary(self) -> String {
        match self {
            Block::Indentation { opener, .. } => format!("{opener} …"),
            Block::Delimited { open: "", close, .. } => format!(" … {close}"),
            Block::Delimited { open, close, .. } => format!(" {open} … {close}"),
        }
    }
}

/// A kind of declaration in the outline.
#[derive(Debug)]
pub struct Declaration {
    /// The kind of the declaration's node in the tree.
    pub node: &'static str,
    /// The kind of the declaration in the outline.
    pub kind: &'static str,
    /// The role of the node with the names of the declaration. Each name in a list is a separate declaration. Empty if
    /// the hook `title` returns the name.
    pub name: &'static str,
    /// The separator between the address of the container and the name, if it differs from the separator of the
    /// language.
    pub separator: Option<&'static str>,
    /// The role of the body that `replace_body` replaces.
    pub body: Option<&'static str>,
    /// Pairs of outline kinds: inside a container of the first kind, the declaration has the second kind.
    pub inside: &'static [(&'static str, &'static str)],
    /// Kinds of containers in which the declaration is not listed in the outline.
    pub not_inside: &'static [&'static str],
}

/// A kind of node that opens a scope.
#[derive(Debug)]
pub struct Scope {
    /// The kind of the node.
    pub node: &'static str,
    /// The rules for looking up names in the scope.
    pub kind: ScopeKind,
}

/// The rules for looking up names in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The scope of the file.
    Module,
    /// A class whose members are not visible in its functions without a qualifier.
    Class,
    /// A class whose members are visible in its functions without a qualifier.
    Members,
    /// A function.
    Function,
    /// Like a function, except that assignment expressions bind names in the scope around it.
    Comprehension,
}

/// A position in the tree at which a name is bound.
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
    /// The name of a declaration, which is bound in the scope around the declaration.
    Declaration,
    /// A parameter of the function.
    Parameter,
    /// A variable.
    Variable,
    /// A variable that an assignment expression binds in the scope around all comprehensions.
    InExpression,
    /// A name that an import binds.
    Import,
    /// Declares that the name is bound in the scope of the module (`global`).
    Global,
    /// Declares that the name is bound in a surrounding function (`nonlocal`).
    Nonlocal,
}

/// A function that returns the edits for adding imports to a document.
pub type InsertImport = fn(&CodeDocument, &str) -> Result<Vec<Edit>, Failure>;

/// A function that returns the edits for removing some of the names that a statement declares.
pub type RemoveNames = fn(&CodeDocument, statement: NodeIndex, names: &[NodeIndex]) -> Result<Vec<Edit>, Failure>;

/// The name of a declaration that has no single name node, such as `impl Display for Point`.
#[derive(Debug)]
pub struct Title {
    /// The name.
    pub name: String,
    /// The range of the name.
    pub selection: Span,
    /// The name of the container in the addresses of its members: `Point` for the members of `impl Point`.
    pub members: Option<String>,
    /// An alternative name of the container in the addresses of its members, which targets may use.
    pub also: Option<String>,
    /// Other names that select the declaration if no declaration has the name and only one has the alias.
    pub aliases: Vec<String>,
}

/// The context in which a text is parsed: a whole file, or the content of a block or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseContext {
    /// A whole file.
    File,
    /// Statements at the top level of a file, without parts that a file requires, such as a package clause.
    Items,
    /// The content of a block or list of this kind. The arena has the same structure as the arena of a file: one block
    /// with the statements or items.
    Inside(&'static str),
}

/// Functions for properties that data cannot express.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Parses a text. Never fails: invalid code becomes syntax errors.
    pub parse: fn(path: &str, text: String, context: ParseContext) -> Arena,
    /// The name of a declaration that has no name node.
    pub title: fn(&Arena, NodeIndex) -> Option<Title>,
    /// The word that distinguishes a declaration from others with the same name, such as `setter`. Its address ends with
    /// the word instead of a number if only one of the declarations has it.
    pub variant: fn(&Arena, NodeIndex) -> Option<&'static str>,
    /// The attribute of an object that a statement in a method sets: `self.size = 0`. It has an address in the class of
    /// the method, but the outline does not list it.
    pub attribute: fn(&Arena, NodeIndex) -> Option<Title>,
    /// The statement at the end of a block that is the value of the block, so that no statement may follow it.
    pub tail: fn(&Arena, block: NodeIndex) -> Option<NodeIndex>,
    /// The kind of a declaration in the outline, if the kind of its node does not determine it.
    pub kind: fn(&Arena, &Symbol) -> Option<&'static str>,
    /// The names of the type that a member belongs to although the member is declared outside of it, such as the
    /// receiver of a method in Go. Targets may use any of these names. The address of the member starts with the first
    /// one. Empty for other declarations.
    pub receiver: fn(&Arena, NodeIndex) -> Vec<String>,
    /// The name of a block that is listed in the outline although it declares nothing. The declarations in the block
    /// belong to the block around it.
    pub section: fn(&Arena, NodeIndex) -> Option<String>,
    /// The statement at the start of a block that is its documentation.
    pub documentation: fn(&Arena, block: NodeIndex) -> Option<NodeIndex>,
    /// The names that a node uses from other files.
    pub dependencies: fn(&CodeDocument, NodeIndex) -> Vec<Dependency>,
    /// The edit that makes an import bind another local name. `None` if the import cannot have one.
    pub rename_import: fn(&CodeDocument, &NamePlace, &str) -> Option<Edit>,
    /// Edits that add imports to a document and merge them with the existing imports.
    pub insert_import: Option<InsertImport>,
    /// Edits that remove some of the names that a statement declares. Without this function, only the whole statement
    /// can be deleted.
    pub remove_names: Option<RemoveNames>,
    /// The class of an import: imports of the standard library, of other packages and of the own package. A sorted
    /// insertion prefers a group with an import of the same class.
    pub import_class: fn(&CodeDocument, &str) -> u8,
    /// Returns whether a statement may be between two imports without ending the region `imports`.
    pub is_among_imports: fn(&Arena, NodeIndex) -> bool,
    /// Checks that a word is a valid name.
    pub check_name: fn(&str) -> Result<(), Failure>,
}

impl Hooks {
    /// Default hooks without any properties. The pack must set `parse`.
    pub const NONE: Hooks = Hooks {
        parse: |_, text, _| Builder::new(text, Kind(0)).finish(Vec::new(), Vec::new(), Vec::new()),
        title: |_, _| None,
        variant: |_, _| None,
        attribute: |_, _| None,
        tail: |_, _| None,
        kind: |_, _| None,
        receiver: |_, _| Vec::new(),
        section: |_, _| None,
        documentation: |_, _| None,
        dependencies: |_, _| Vec::new(),
        rename_import: |_, _, _| None,
        insert_import: None,
        remove_names: None,
        import_class: |_, _| 0,
        is_among_imports: |_, _| false,
        check_name: |_| Ok(()),
    };
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hooks")
    }
}

impl Language {
    /// The kind with this name. `testing::check_language` checks the names in the table.
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

    /// The table entry for the kind of a node, if the node is the literal of a collection.
    pub fn literal(&self, arena: &Arena, node: NodeIndex) -> Option<&'static Literal> {
        let name = self.kind_name(arena.node(node).kind);
        self.literals.iter().find(|literal| literal.node == name)
    }

    /// The separator of the items of a list or literal; empty for a block.
    pub fn separator(&self, arena: &Arena, node: NodeIndex) -> &'static str {
        let name = self.kind_name(arena.node(node).kind);
        let list = self.lists.iter().find(|list| list.node == name).map(|list| list.separator);
        list.or_else(|| self.literal(arena, node).map(|_| SEPARATOR)).unwrap_or_default()
    }

    /// The context in which new content for a block or list is parsed.
    pub fn context(&self, arena: &Arena, block: NodeIndex) -> ParseContext {
        if arena.node(block).parent == ROOT {
            return ParseContext::Items;
        }
        ParseContext::Inside(self.kind_name(arena.node(block).kind))
    }

    /// The table entry for the kind of a node, if the node is a declaration.
    pub fn declaration(&self, arena: &Arena, node: NodeIndex) -> Option<&'static Declaration> {
        let name = self.kind_name(arena.node(node).kind);
        self.declarations.iter().find(|declaration| declaration.node == name)
    }
}
