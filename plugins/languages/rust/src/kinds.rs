//! The kinds and roles of the nodes in the arena.

use marquetry_code::{Arena, Field, Kind, NodeIndex};
use ra_ap_parser::SyntaxKind;

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

/// Defines the kinds: those of the parser with their names, and a few additional ones.
macro_rules! kinds {
    ($($kind:ident)*; $($own:ident)*) => {
        names! {
            /// The kinds of nodes: those of the parser, with its names.
            #[expect(non_camel_case_types, clippy::enum_variant_names, clippy::upper_case_acronyms, reason = "the names of the parser")]
            K KINDS: $($kind stringify!($kind),)* $($own stringify!($own),)*
        }

        impl From<SyntaxKind> for K {
            fn from(kind: SyntaxKind) -> K {
                match kind {
                    $(SyntaxKind::$kind => K::$kind,)*
                    _ => K::OTHER,
                }
            }
        }
    };
}

// `INNER_ATTR` is an attribute of the surrounding item, `MACRO_TOKEN` a token in the arguments of a macro, and `OTHER`
// a node with errors or of a built-in macro.
kinds! {
    SOURCE_FILE ABI ARG_LIST ARRAY_EXPR ARRAY_TYPE ASSOC_ITEM_LIST ASSOC_TYPE_ARG ATTR AWAIT_EXPR BIN_EXPR BLOCK_EXPR
    BREAK_EXPR CALL_EXPR CAST_EXPR CFG_ATOM CFG_ATTR_META CFG_COMPOSITE CFG_META CLOSURE_EXPR CONST CONST_ARG
    CONST_BLOCK_PAT CONST_PARAM CONTINUE_EXPR DYN_TRAIT_TYPE ENUM EXPR_STMT EXTERN_BLOCK EXTERN_CRATE EXTERN_ITEM_LIST
    FIELD_EXPR FN FN_PTR_TYPE FOR_BINDER FOR_EXPR FOR_TYPE GENERIC_ARG_LIST GENERIC_PARAM_LIST IDENT_PAT IF_EXPR IMPL
    IMPL_TRAIT_TYPE INDEX_EXPR INFER_TYPE ITEM_LIST KEY_VALUE_META LABEL LET_ELSE LET_EXPR LET_STMT LIFETIME
    LIFETIME_ARG LIFETIME_PARAM LITERAL LITERAL_PAT LOOP_EXPR MACRO_CALL MACRO_DEF MACRO_EXPR MACRO_PAT MACRO_RULES
    MACRO_TYPE MATCH_ARM MATCH_ARM_LIST MATCH_EXPR MATCH_GUARD METHOD_CALL_EXPR MODULE NAME NAME_REF NEVER_TYPE OR_PAT
    PARAM PARAM_LIST PARENTHESIZED_ARG_LIST PAREN_EXPR PAREN_PAT PAREN_TYPE PATH PATH_EXPR PATH_META PATH_PAT
    PATH_SEGMENT PATH_TYPE PREFIX_EXPR PTR_TYPE RANGE_EXPR RANGE_PAT RECORD_EXPR RECORD_EXPR_FIELD
    RECORD_EXPR_FIELD_LIST RECORD_FIELD RECORD_FIELD_LIST RECORD_PAT RECORD_PAT_FIELD RECORD_PAT_FIELD_LIST REF_EXPR
    REF_PAT REF_TYPE RENAME REST_PAT RETURN_EXPR RET_TYPE SELF_PARAM SLICE_PAT SLICE_TYPE STATIC STMT_LIST STRUCT
    TOKEN_TREE TOKEN_TREE_META TRAIT TRY_EXPR TUPLE_EXPR TUPLE_FIELD TUPLE_FIELD_LIST TUPLE_PAT TUPLE_STRUCT_PAT
    TUPLE_TYPE TYPE_ALIAS TYPE_ANCHOR TYPE_ARG TYPE_BOUND TYPE_BOUND_LIST TYPE_PARAM UNDERSCORE_EXPR UNION UNSAFE_META
    USE USE_BOUND_GENERIC_ARGS USE_TREE USE_TREE_LIST VARIANT VARIANT_LIST VISIBILITY VISIBILITY_INNER WHERE_CLAUSE WHERE_PRED
    WHILE_EXPR WILDCARD_PAT;
    INNER_ATTR MACRO_TOKEN OTHER
}

names! {
    /// The roles of nodes.
    F FIELDS:
    None "", Name "name", Body "body", Value "value", Attribute "attribute",
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

/// The first child of a kind.
pub(crate) fn child(arena: &Arena, node: NodeIndex, kind: K) -> Option<NodeIndex> {
    arena.child_of_kind(node, kind.into())
}

/// Returns whether a node of this kind is an expression.
pub(crate) fn is_expression(kind: K) -> bool {
    kind == K::LITERAL || KINDS.get(kind as usize).is_some_and(|name| name.ends_with("_EXPR"))
}

/// Returns whether a node of this kind is a type.
pub(crate) fn is_type(kind: &str) -> bool {
    kind.ends_with("_TYPE")
}

/// Returns whether a node is an expression.
pub(crate) fn is_expression_kind(arena: &Arena, node: NodeIndex) -> bool {
    KINDS.get(usize::from(arena.node(node).kind.0)).is_some_and(|name| *name == "LITERAL" || name.ends_with("_EXPR"))
}
