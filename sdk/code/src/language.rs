//! The description of a language: plain data that the kit reads, and a few functions for properties that data cannot
//! express.

use marquetry_sdk::{Dependency, Edit, Failure, items::Comments};

use crate::{
    arena::{Arena, Field, Kind, NodeIndex},
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
    /// The kind of a node whose children are the statements of a block.
    pub block: &'static str,
    /// The kind of a statement that is only an expression.
    pub expression_statement: &'static str,
    /// The notation of blocks.
    pub form: Block,
    /// Comments.
    pub comments: Comments,
    /// One step of indentation, if a document shows none.
    pub unit: &'static str,
    /// Number of line breaks before and after a declaration with a block, if a document shows none: at the top level,
    /// and inside of other declarations.
    pub gaps: (usize, usize),
    /// The declarations that the outline has.
    pub declarations: &'static [Declaration],
    /// Roles of nodes that are written in front of a declaration and belong to it: decorators, attributes.
    pub attached: &'static [&'static str],
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
}

/// A kind of declaration.
#[derive(Debug)]
pub struct Declaration {
    /// The kind of its node in the tree.
    pub node: &'static str,
    /// Its kind in the outline.
    pub kind: &'static str,
    /// The role of the node that has its names. Names in a list are each a declaration.
    pub name: &'static str,
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

/// Functions for properties that data cannot express.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Parses a text. Never fails: what cannot be parsed becomes errors.
    pub parse: fn(path: &str, text: String) -> Arena,
    /// The kind of a declaration in the outline, if it depends on more than its node.
    pub kind: fn(&Arena, &Symbol) -> Option<&'static str>,
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

    /// Returns whether the node is a block.
    pub fn is_block(&self, arena: &Arena, node: NodeIndex) -> bool {
        self.kind_name(arena.node(node).kind) == self.block
    }

    /// The entry of a declaration's node.
    pub fn declaration(&self, arena: &Arena, node: NodeIndex) -> Option<&'static Declaration> {
        let name = self.kind_name(arena.node(node).kind);
        self.declarations.iter().find(|declaration| declaration.node == name)
    }
}
