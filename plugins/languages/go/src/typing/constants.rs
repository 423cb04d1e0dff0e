//! Types of literals and operations.

use super::{Ty, Untyped};

impl Untyped {
    /// The type of a variable that is set to a constant of this kind. `None` for `nil`.
    pub(super) fn default_type(self) -> Option<Ty> {
        let name = match self {
            Untyped::Nil => return None,
            Untyped::Bool => "bool",
            Untyped::String => "string",
            Untyped::Int => "int",
            Untyped::Rune => "rune",
            Untyped::Float => "float64",
            Untyped::Complex => "complex128",
        };
        Some(Ty::Basic(name.to_owned()))
    }
}

/// The kind of a number or character literal.
pub(super) fn literal_kind(text: &str) -> Untyped {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    match () {
        () if text.starts_with('\'') => Untyped::Rune,
        () if text.ends_with('i') => Untyped::Complex,
        () if text.contains(['.', 'p', 'P']) || !is_hex && text.contains(['e', 'E']) => Untyped::Float,
        () => Untyped::Int,
    }
}

/// The type of a variable with a value of this type.
pub(super) fn of_variable(own: Ty) -> Option<Ty> {
    match own {
        Ty::Untyped(kind) => kind.default_type(),
        own => Some(own),
    }
}

/// The type of an operation with two operands.
pub(super) fn binary(operator: &str, left: Ty, right: Option<Ty>) -> Option<Ty> {
    match operator {
        "==" | "!=" | "<" | "<=" | ">" | ">=" => Some(Ty::Untyped(Untyped::Bool)),
        // The type of a shift of a constant may depend on the context.
        "<<" | ">>" => Some(left).filter(|left| !matches!(left, Ty::Untyped(_))),
        _ => match (left, right?) {
            (Ty::Untyped(left), Ty::Untyped(right)) => Some(Ty::Untyped(left.max(right))),
            (Ty::Untyped(_), right) => Some(right),
            (left, _) => Some(left),
        },
    }
}

/// The operator between two operands. `between` is the code after the left operand.
pub(super) fn operator(between: &str) -> &str {
    let text = between.trim_start();
    let end = text.find(|c: char| !"=!<>+-*/%&|^".contains(c)).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{Untyped, literal_kind, operator};

    #[test]
    fn literals_have_kinds() {
        let kinds = ["1", "0x1e", "1e3", "1.5", "0x1p2", "'a'", "2i", "0b11"].map(literal_kind);
        let [int, hex, exponent, float, power, rune, imaginary, binary] = kinds;
        assert_eq!([int, hex, binary], [Untyped::Int; 3]);
        assert_eq!([exponent, float, power], [Untyped::Float; 3]);
        assert_eq!([rune, imaginary], [Untyped::Rune, Untyped::Complex]);
    }

    #[test]
    fn operators_end_before_the_operand() {
        assert_eq!([" + ", "&&", " <<", " &^ x"].map(operator), ["+", "&&", "<<", "&^"]);
    }
}
