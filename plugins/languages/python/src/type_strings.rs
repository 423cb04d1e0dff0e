//! Types in strings: `x: "Node"`, `cast("Node", x)`. The expression in such a string becomes part of the tree, so that its
//! names are found like all others.

use marquetry_code::Flags;
use ruff_python_ast::{AnyNodeRef, Arguments, Expr, ExprCall, ExprStringLiteral};
use ruff_text_size::{Ranged, TextLen, TextRange};

/// Generic types of `typing` whose arguments are types wherever they are written.
const GENERICS: [&str; 9] =
    ["Optional", "Union", "List", "Dict", "Callable", "Sequence", "Iterable", "Iterator", "Mapping"];

/// Libraries whose types have arguments that are strings but not types, such as `Float[Array, "batch"]`.
const LIBRARIES: [&str; 3] = ["jaxtyping", "torchtyping", "nptyping"];

/// The strings of a file that contain types.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TypeStrings<'t> {
    text: &'t str,
    /// True if arguments of generic types may be other strings than types.
    has_other_strings: bool,
    is_in_string: bool,
}

impl<'t> TypeStrings<'t> {
    pub(crate) fn new(text: &'t str) -> TypeStrings<'t> {
        let renames = ["Literal as ", "Annotated as "].iter().any(|import| text.contains(import));
        let has_other_strings = renames || LIBRARIES.iter().any(|library| text.contains(library));
        TypeStrings { text, has_other_strings, is_in_string: false }
    }

    /// The rules for the expression in a string.
    pub(crate) fn inside_of_string(self) -> TypeStrings<'t> {
        TypeStrings { is_in_string: true, ..self }
    }

    /// The flags of nodes: names in strings are looked up after the module was executed.
    pub(crate) fn flags(&self) -> Flags {
        if self.is_in_string { Flags::LATE } else { Flags::default() }
    }

    /// The expression in a string. `None` if the node is not a string, or the string does not contain a type.
    pub(crate) fn expression(&self, around: &[AnyNodeRef<'_>], node: AnyNodeRef<'_>) -> Option<Expr> {
        let AnyNodeRef::ExprStringLiteral(literal) = node else { return None };
        // Escapes change the offsets of names. A string in a string can contain the quotes of the outer one only as such.
        if self.is_in_string || !self.is_type(around, literal) {
            return None;
        }
        let content = content(self.text, literal)?;
        let parsed = ruff_python_parser::parse_expression_range(self.text, content).ok()?;
        let expression = parsed.into_expr();
        (expression.range() == content).then_some(expression)
    }

    /// Returns whether a string is a type, given the nodes around it.
    fn is_type(&self, around: &[AnyNodeRef<'_>], literal: &ExprStringLiteral) -> bool {
        let mut child = AnyNodeRef::from(literal);
        let mut position = None;
        let mut is_argument = false;
        for (index, parent) in around.iter().enumerate().rev() {
            match parent {
                AnyNodeRef::ExprSubscript(subscript) => {
                    let base = last_name(&subscript.value);
                    let is_other = base == "Literal" || base == "Annotated" && position.is_some_and(|at| at > 0);
                    if is_other || self.has_other_strings || contains(&subscript.value, child) {
                        return false;
                    }
                    is_argument |= GENERICS.contains(&base);
                    position = None;
                }
                AnyNodeRef::ExprTuple(list) => position = list.elts.iter().position(|part| contains(part, child)),
                AnyNodeRef::ExprList(_) | AnyNodeRef::ExprStarred(_) => {}
                AnyNodeRef::ExprBinOp(operation) if operation.op == ruff_python_ast::Operator::BitOr => {}
                AnyNodeRef::Keyword(keyword) => {
                    let is_bound = keyword.arg.as_ref().is_some_and(|name| name == "bound" || name == "default");
                    let call = index.checked_sub(2).and_then(|above| around.get(above));
                    return is_argument || is_bound && call.is_some_and(|call| called(*call) == "TypeVar");
                }
                AnyNodeRef::Arguments(arguments) => {
                    let call = index.checked_sub(1).and_then(|above| around.get(above));
                    return is_argument || call.is_some_and(|call| takes_type(called(*call), arguments, child));
                }
                _ => return is_argument || is_type_of(*parent, child),
            }
            child = *parent;
        }
        is_argument
    }
}

/// Returns whether a direct part of a node is a type.
fn is_type_of(parent: AnyNodeRef<'_>, child: AnyNodeRef<'_>) -> bool {
    match parent {
        AnyNodeRef::StmtAnnAssign(assign) => {
            contains(&assign.annotation, child) || last_name(&assign.annotation) == "TypeAlias"
        }
        AnyNodeRef::Parameter(parameter) => parameter.annotation.as_ref().is_some_and(|own| contains(own, child)),
        AnyNodeRef::StmtFunctionDef(function) => function.returns.as_ref().is_some_and(|own| contains(own, child)),
        AnyNodeRef::StmtTypeAlias(_) | AnyNodeRef::TypeParamTypeVar(_) => true,
        _ => false,
    }
}

/// Returns whether an argument of a call of this function is a type.
fn takes_type(function: &str, arguments: &Arguments, child: AnyNodeRef<'_>) -> bool {
    let position = arguments.args.iter().position(|argument| contains(argument, child));
    match function {
        "cast" => position == Some(0),
        "assert_type" | "NewType" => position == Some(1),
        "TypeVar" => position.is_some_and(|at| at > 0),
        _ => false,
    }
}

fn called(node: AnyNodeRef<'_>) -> &str {
    match node {
        AnyNodeRef::ExprCall(ExprCall { func, .. }) => last_name(func),
        _ => "",
    }
}

fn contains(expression: &Expr, node: AnyNodeRef<'_>) -> bool {
    expression.range().contains_range(node.range())
}

/// The last name of a dotted name.
fn last_name(expression: &Expr) -> &str {
    match expression {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    }
}

/// The range of the content of a string. `None` for strings with a prefix, with escapes, with several lines or parts.
fn content(text: &str, literal: &ExprStringLiteral) -> Option<TextRange> {
    let own = text.get(literal.range().to_std_range())?;
    let content = ['"', '\''].iter().find_map(|quote| own.strip_prefix(*quote)?.strip_suffix(*quote))?;
    let is_plain = !content.is_empty() && !content.contains(['\\', '\n', '\r', '"', '\'']) && content.trim() == content;
    let start = literal.range().start() + '"'.text_len();
    is_plain.then(|| TextRange::at(start, content.text_len()))
}
