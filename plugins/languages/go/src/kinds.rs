//! The kinds and roles of the nodes in the arena.

use marquetry_code::{Arena, Field, Kind, NodeIndex};

/// Defines an enum whose discriminants index a list of names.
macro_rules! names {
    ($(#[$about:meta])* $enum:ident $list:ident: $($variant:ident $name:expr),* $(,)?) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $enum { $($variant),* }

        /// The names, in the order of the discriminants.
        pub(crate) static $list: &[&str] = &[$($name),*];
    };
}

// Expressions and types have the same kind if their syntax is the same: `a.B` is a `Selector`, `*a` a `Unary`, and
// `a[b]` an `Index`. A declaration has the same kind in a group as outside of one.
names! {
    /// The kinds of nodes.
    K KINDS:
    Root "ROOT", File "FILE", Package "PACKAGE",
    Import "IMPORT", ImportGroup "IMPORT_GROUP", ImportSpecs "IMPORT_SPECS", Const "CONST", ConstGroup "CONST_GROUP",
    ConstSpecs "CONST_SPECS", Var "VAR", VarGroup "VAR_GROUP", VarSpecs "VAR_SPECS", Type "TYPE",
    TypeGroup "TYPE_GROUP", TypeSpecs "TYPE_SPECS",
    Func "FUNC", Method "METHOD", Receiver "RECEIVER", TypeParams "TYPE_PARAMS", TypeParam "TYPE_PARAM",
    Params "PARAMS", Param "PARAM", Results "RESULTS", Variadic "VARIADIC",
    Fields "FIELDS", Field "FIELD", Tag "TAG", Elems "ELEMS", ElemMethod "ELEM_METHOD", ElemEmbed "ELEM_EMBED",
    Block "BLOCK", ExprStmt "EXPR_STMT", Send "SEND", IncDec "INC_DEC", Assign "ASSIGN", Define "DEFINE", Go "GO",
    Defer "DEFER", Return "RETURN", Branch "BRANCH", If "IF", For "FOR", Range "RANGE", Switch "SWITCH",
    Select "SELECT", Cases "CASES", Case "CASE", CaseBody "CASE_BODY", Labeled "LABELED",
    Name "NAME", NameRef "NAME_REF", Member "MEMBER", Label "LABEL", Literal "LITERAL", Text "STRING",
    FuncLit "FUNC_LIT", Composite "COMPOSITE", Values "VALUES", Keyed "KEYED", Paren "PAREN", Selector "SELECTOR",
    Index "INDEX", Slice "SLICE", Assert "ASSERT", Call "CALL", Args "ARGS", Spread "SPREAD", Unary "UNARY",
    Binary "BINARY", ArrayType "ARRAY_TYPE", StructType "STRUCT_TYPE", InterfaceType "INTERFACE_TYPE",
    MapType "MAP_TYPE", ChanType "CHAN_TYPE", FuncType "FUNC_TYPE",
}

names! {
    /// The roles of nodes.
    F FIELDS:
    None "", Name "name", Body "body", Type "type", Path "path", Left "left", Right "right", Key "key",
    Condition "condition", Init "init", Post "post", Else "else", Result "result",
}

impl From<K> for Kind {
    fn from(kind: K) -> Kind {
        Kind(kind as u8)
    }
}

impl From<F> for Field {
    fn from(field: F) -> Field {
        Field(field as u8)
    }
}

/// Returns whether a node has this kind.
pub(crate) fn has_kind(arena: &Arena, node: NodeIndex, kind: K) -> bool {
    arena.node(node).kind == kind.into()
}

/// Returns whether a node has this role.
pub(crate) fn has_role(arena: &Arena, node: NodeIndex, role: F) -> bool {
    arena.node(node).field == role.into()
}

/// The first child of a kind.
pub(crate) fn child(arena: &Arena, node: NodeIndex, kind: K) -> Option<NodeIndex> {
    arena.child_of_kind(node, kind.into())
}

/// The children of a kind.
pub(crate) fn children(arena: &Arena, node: NodeIndex, kind: K) -> impl Iterator<Item = NodeIndex> + '_ {
    arena.children(node).filter(move |child| has_kind(arena, *child, kind))
}

/// The children with a role.
pub(crate) fn with_role(arena: &Arena, node: NodeIndex, role: F) -> impl Iterator<Item = NodeIndex> + '_ {
    arena.children(node).filter(move |child| has_role(arena, *child, role))
}
