//! The declarations of a document: one compact table, built in one walk over the tree.
//!
//! Nothing in the table borrows from the tree: names are spans of the text wherever the text spells them plainly.

mod members;
mod names;
mod suites;
mod values;
mod walk;

use marquetry_sdk::Span;

pub(crate) use names::Name;
pub(crate) use values::{Value, peel};

use crate::syntax::tree::Parsed;

/// The index of a declaration in the table.
pub(crate) type DeclId = u32;

/// No declaration: the parent of what stands at the top.
const NONE: u32 = u32::MAX;

/// What a declaration is.
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
    /// The word for it in answers.
    pub(crate) fn word(self) -> &'static str {
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

    /// Whether it is a mere value: of these, locals are left out of the outline.
    fn is_value(self) -> bool {
        matches!(self, Kind::Const | Kind::Let | Kind::Var | Kind::Using | Kind::Property | Kind::Alias)
    }

    /// Whether it is a test block, addressed by its title.
    pub(crate) fn is_block(self) -> bool {
        matches!(self, Kind::Suite | Kind::Test)
    }
}

/// What stands inside a declaration, and so what can be put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
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
    /// A value: what follows `=` or `:`.
    Value,
    /// A type: what follows `=` of an alias.
    Type,
}

impl Inside {
    /// Whether it is between braces.
    pub(crate) fn is_braced(self) -> bool {
        !matches!(self, Inside::Returned | Inside::Value | Inside::Type)
    }
}

/// One declaration.
#[derive(Debug)]
pub(crate) struct Decl {
    pub(crate) kind: Kind,
    /// Declared inside a function, however deep.
    pub(crate) local: bool,
    /// Declared in a block or in a function without a name below its parent: a bare name prefers the others.
    pub(crate) nested: bool,
    /// The module's default export under a name of its own.
    pub(crate) default: bool,
    /// One of several names that one pattern binds: the span is that of them all.
    pub(crate) shared: bool,
    /// The name is a path: `module.exports`, `A.prototype.m`.
    pub(crate) dotted: bool,
    pub(crate) name: Name,
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    /// Exactly what `replace` replaces.
    pub(crate) span: Span,
    /// Where it starts without decorators and `export`.
    pub(crate) head: u32,
    /// The name.
    pub(crate) selection: Span,
    /// What `replace_body` replaces, and what it is. Braces are outside.
    pub(crate) body: Option<(Span, Inside)>,
}

impl Decl {
    /// The declaration it belongs to.
    pub(crate) fn parent(&self) -> Option<DeclId> {
        (self.parent != NONE).then_some(self.parent)
    }

    /// A mere value inside a function, or in an object that no declaration holds: not for an outline.
    fn is_minor(&self) -> bool {
        self.kind.is_value() && (self.local || (self.nested && self.kind == Kind::Property))
    }
}

/// The name of the first thing that a program declares; inside a declaration named `_`, if that is all there is.
pub(crate) fn first_name(program: &oxc_ast::ast::Program<'_>) -> Option<String> {
    let text = program.source_text;
    let decls = walk::collect(program, text);
    let name = |decl: &Decl| decl.name.of(text).to_owned();
    let first = decls.iter().find(|decl| !decl.nested)?;
    if name(first) != "_" {
        return Some(name(first));
    }
    decls.iter().find(|decl| decl.parent() == Some(0) && !decl.nested).map(name)
}

/// All declarations of a document, in document order, parents before children.
#[derive(Debug)]
pub(crate) struct Table {
    decls: Vec<Decl>,
    first: u32,
}

impl Table {
    /// Collect the declarations of a program.
    pub(crate) fn build(parsed: &Parsed<'_>, text: &str) -> Table {
        let mut decls = walk::collect(parsed.program, text);
        let mut first = NONE;
        for id in (0..decls.len()).rev() {
            let parent = decls[id].parent;
            let head = if parent == NONE { &mut first } else { &mut decls[parent as usize].first_child };
            let next = std::mem::replace(head, id as u32);
            decls[id].next_sibling = next;
        }
        Table { decls, first }
    }

    /// The declaration with this id.
    pub(crate) fn get(&self, id: DeclId) -> Option<&Decl> {
        self.decls.get(id as usize)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.decls.len()
    }

    /// All, with their ids.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (DeclId, &Decl)> + ExactSizeIterator {
        self.decls.iter().enumerate().map(|(id, decl)| (id as DeclId, decl))
    }

    /// What is declared directly in `parent`, or at the top of the document.
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

    /// Which declarations an outline shows: all but the mere values local to functions. Parents of what it shows are shown.
    pub(crate) fn shown(&self) -> Vec<bool> {
        let mut shown: Vec<bool> = self.decls.iter().map(|decl| !decl.is_minor()).collect();
        for (id, decl) in self.iter().rev() {
            if shown[id as usize]
                && let Some(parent) = decl.parent()
            {
                shown[parent as usize] = true;
            }
        }
        shown
    }

    /// The innermost declaration around an offset.
    pub(crate) fn at(&self, offset: u32) -> Option<DeclId> {
        let mut found = None;
        loop {
            let inner = self.children(found).filter(|(_, decl)| decl.span.start <= offset && offset <= decl.span.end);
            // Of two that touch at the offset the later one starts there; a name is nearer than its statement.
            match inner.min_by_key(|(id, decl)| (decl.span.len(), std::cmp::Reverse(*id))) {
                Some((id, _)) => found = Some(id),
                None => return found,
            }
        }
    }
}
