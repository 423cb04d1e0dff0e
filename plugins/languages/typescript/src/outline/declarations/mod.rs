//! Table of the declarations of a document, built in one walk over the tree.
//!
//! The table does not borrow from the tree: names are spans of the text unless they are written with escapes.

mod expandos;
mod members;
mod names;
mod test_blocks;
mod values;
mod walk;

use marquetry_sdk::Span;

pub(crate) use names::Name;
pub(crate) use values::{Value, unwrap_value};

use crate::syntax::tree::Parsed;

/// The index of a declaration in the table.
pub(crate) type DeclId = u32;

/// No declaration: the parent of top-level declarations.
const NONE: u32 = u32::MAX;

/// Kind of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Class,
    Interface,
    Enum,
    EnumMember,
    Namespace,
    Function,
    Method,
    Constructor,
    Getter,
    Setter,
    Property,
    IndexSignature,
    CallSignature,
    ConstructSignature,
    Type,
    Const,
    Let,
    Var,
    Using,
    StaticBlock,
    Suite,
    Test,
    Hook,
    Export,
    Alias,
}

impl Kind {
    /// Returns the name of the kind in answers.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Kind::Class => "class",
            Kind::Interface => "interface",
            Kind::Enum => "enum",
            Kind::EnumMember => "enum-member",
            Kind::Namespace => "namespace",
            Kind::Function => "function",
            Kind::Method => "method",
            Kind::Constructor => "constructor",
            Kind::Getter => "getter",
            Kind::Setter => "setter",
            Kind::Property => "property",
            Kind::IndexSignature => "index-signature",
            Kind::CallSignature => "call-signature",
            Kind::ConstructSignature => "construct-signature",
            Kind::Type => "type",
            Kind::Const => "const",
            Kind::Let => "let",
            Kind::Var => "var",
            Kind::Using => "using",
            Kind::StaticBlock => "static-block",
            Kind::Suite => "suite",
            Kind::Test => "test",
            Kind::Hook => "hook",
            Kind::Export => "export",
            Kind::Alias => "alias",
        }
    }

    /// Returns whether the kind is a plain value. Local values are not part of the outline.
    fn is_value(self) -> bool {
        matches!(self, Kind::Const | Kind::Let | Kind::Var | Kind::Using | Kind::Property | Kind::Alias)
    }

    /// Returns whether the kind is a test block, which is addressed by its title.
    pub(crate) fn is_test_block(self) -> bool {
        matches!(self, Kind::Suite | Kind::Test)
    }
}

/// Contents of a declaration's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// Statements between braces.
    Statements,
    /// Members of a class.
    ClassMembers,
    /// Members of an interface or of a type literal.
    TypeMembers,
    /// Members of an enum.
    EnumMembers,
    /// Properties of an object.
    Properties,
    /// The one expression of an arrow function.
    Returned,
    /// The value after `=` or `:`.
    Value,
    /// The type after the `=` of an alias.
    Type,
}

impl BodyKind {
    /// Returns whether the body is in braces.
    pub(crate) fn is_braced(self) -> bool {
        !matches!(self, BodyKind::Returned | BodyKind::Value | BodyKind::Type)
    }
}

/// A declaration.
#[derive(Debug)]
pub(crate) struct Decl {
    pub(crate) kind: Kind,
    /// Declared inside a function, at any depth.
    pub(crate) is_local: bool,
    /// Declared in a block or an anonymous function within its parent. A bare name prefers other declarations.
    pub(crate) is_nested: bool,
    /// The module's default export that also has a name.
    pub(crate) is_named_default: bool,
    /// One of several names that a pattern binds: the span is that of the whole pattern.
    pub(crate) in_pattern: bool,
    /// The name is a path: `module.exports`, `A.prototype.m`.
    pub(crate) is_dotted: bool,
    pub(crate) name: Name,
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    /// The span that `replace` replaces.
    pub(crate) span: Span,
    /// Offset of its start without decorators and `export`.
    pub(crate) head: u32,
    /// Span of the name.
    pub(crate) selection: Span,
    /// The span that `replace_body` replaces, without braces, and its contents.
    pub(crate) body: Option<(Span, BodyKind)>,
}

impl Decl {
    /// Returns the parent declaration.
    pub(crate) fn parent(&self) -> Option<DeclId> {
        (self.parent != NONE).then_some(self.parent)
    }

    /// Returns whether the declaration is omitted from the outline: a plain value inside a function, or in an object
    /// that is not the value of a declaration.
    fn is_omitted(&self) -> bool {
        self.kind.is_value() && (self.is_local || (self.is_nested && self.kind == Kind::Property))
    }
}

/// Returns the name of the first declaration of a program; if it is `_`, the name of the first declaration inside it.
pub(crate) fn first_name(program: &oxc_ast::ast::Program<'_>) -> Option<String> {
    let text = program.source_text;
    let decls = walk::collect(program, text);
    let name = |decl: &Decl| decl.name.resolve(text).to_owned();
    let first = decls.iter().find(|decl| !decl.is_nested)?;
    if name(first) != "_" {
        return Some(name(first));
    }
    decls.iter().find(|decl| decl.parent() == Some(0) && !decl.is_nested).map(name)
}

/// All declarations of a document, in document order, parents before children.
#[derive(Debug)]
pub(crate) struct DeclTable {
    decls: Vec<Decl>,
    first: u32,
}

impl DeclTable {
    /// Builds the table for a program.
    pub(crate) fn build(parsed: &Parsed<'_>, text: &str) -> DeclTable {
        let mut decls = walk::collect(parsed.program, text);
        let mut first = NONE;
        for id in (0..decls.len()).rev() {
            let parent = decls[id].parent;
            let head = if parent == NONE { &mut first } else { &mut decls[parent as usize].first_child };
            let next = std::mem::replace(head, id as u32);
            decls[id].next_sibling = next;
        }
        DeclTable { decls, first }
    }

    /// Returns the declaration with this id.
    pub(crate) fn get(&self, id: DeclId) -> Option<&Decl> {
        self.decls.get(id as usize)
    }

    /// Returns the number of declarations.
    pub(crate) fn len(&self) -> usize {
        self.decls.len()
    }

    /// Yields all declarations with their ids.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (DeclId, &Decl)> + ExactSizeIterator {
        self.decls.iter().enumerate().map(|(id, decl)| (id as DeclId, decl))
    }

    /// Yields the direct children of `parent`, or the top-level declarations.
    pub(crate) fn children(&self, parent: Option<DeclId>) -> impl Iterator<Item = (DeclId, &Decl)> {
        let mut next = match parent {
            None => self.first,
            Some(id) => self.get(id).map_or(NONE, |decl| decl.first_child),
        };
        std::iter::from_fn(move || {
            let decl = self.get(next)?;
            let id = std::mem::replace(&mut next, decl.next_sibling);
            Some((id, decl))
        })
    }

    /// Returns which declarations an outline shows: all except plain values that are local to functions. Parents of
    /// shown declarations are always shown.
    pub(crate) fn shown_in_outline(&self) -> Vec<bool> {
        let mut shown: Vec<bool> = self.decls.iter().map(|decl| !decl.is_omitted()).collect();
        for (id, decl) in self.iter().rev() {
            if shown[id as usize]
                && let Some(parent) = decl.parent()
            {
                shown[parent as usize] = true;
            }
        }
        shown
    }

    /// Returns the innermost declaration around an offset.
    pub(crate) fn innermost_at(&self, offset: u32) -> Option<DeclId> {
        let mut found = None;
        loop {
            let inner = self.children(found).filter(|(_, decl)| decl.span.start <= offset && offset <= decl.span.end);
            // If two declarations touch at the offset, take the shorter one, such as a name and not its statement.
            match inner.min_by_key(|(id, decl)| (decl.span.len(), std::cmp::Reverse(*id))) {
                Some((id, _)) => found = Some(id),
                None => return found,
            }
        }
    }
}
