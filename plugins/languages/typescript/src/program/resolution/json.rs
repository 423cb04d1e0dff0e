//! JSON with comments and trailing commas, as in `tsconfig.json` and `package.json`.
//!
//! Such a text is a JavaScript expression, so the JavaScript parser reads it. The order of keys is kept, because
//! conditions in `exports` depend on it.

use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrayExpressionElement, Expression, ObjectPropertyKind, PropertyKey};
use oxc_parser::Parser;
use oxc_span::SourceType;

/// Maximum nesting depth. Texts that are nested deeper are read as [`Json::Other`].
const DEEPEST: usize = 64;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    /// Null, a number that is not a count, or anything that is not JSON.
    Other,
    Bool(bool),
    /// A non-negative whole number.
    Count(usize),
    String(String),
    Array(Vec<Json>),
    /// Keys in the order written.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a text. Returns [`Json::Other`] if it is invalid.
    pub(crate) fn parse(text: &str) -> Json {
        let arena = Allocator::default();
        if nests_deeper(text, DEEPEST) {
            return Json::Other;
        }
        match Parser::new(&arena, text, SourceType::mjs()).parse_expression() {
            Ok(expression) => json_value(&expression),
            Err(_) => Json::Other,
        }
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the text of a key.
    pub(crate) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    /// Returns the items of a list, or a single value as a list of one.
    pub(crate) fn array_items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            single => std::slice::from_ref(single),
        }
    }

    /// Returns the texts in the list of a key; `None` if the key does not exist.
    pub(crate) fn texts_of(&self, key: &str) -> Option<Vec<String>> {
        let list = self.get(key)?;
        Some(list.array_items().iter().filter_map(Json::as_text).map(str::to_owned).collect())
    }

    /// Returns the entries of an object.
    pub(crate) fn entries(&self) -> &[(String, Json)] {
        if let Json::Object(entries) = self { entries } else { &[] }
    }
}

/// Returns whether brackets nest deeper than `limit`. Checked first, because the parser is recursive.
fn nests_deeper(text: &str, limit: usize) -> bool {
    let (mut depth, mut deepest) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest > limit
}

fn json_value(expression: &Expression<'_>) -> Json {
    match expression {
        Expression::BooleanLiteral(literal) => Json::Bool(literal.value),
        Expression::NumericLiteral(literal) if literal.value.fract() == 0.0 => Json::Count(literal.value as usize),
        Expression::StringLiteral(literal) => {
            literal.value.as_str().map_or(Json::Other, |text| Json::String(text.to_owned()))
        }
        Expression::ArrayExpression(array) => {
            let element =
                |element: &ArrayExpressionElement<'_>| element.as_expression().map_or(Json::Other, json_value);
            Json::Array(array.elements.iter().map(element).collect())
        }
        Expression::ObjectExpression(object) => {
            let entry = |property: &ObjectPropertyKind<'_>| {
                let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
                let PropertyKey::StringLiteral(key) = &property.key else { return None };
                Some((key.value.as_str()?.to_owned(), json_value(&property.value)))
            };
            Json::Object(object.properties.iter().filter_map(entry).collect())
        }
        _ => Json::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_with_comments_and_trailing_commas_is_read() {
        let json = Json::parse("\u{feff}// c\n{ \"b\": [\"x\", 1,], /* c */ \"a\": {\"t\": true,}, }");
        assert_eq!(json.texts_of("b").expect("a list"), ["x"]);
        assert_eq!(json.get("a").expect("an object").get("t"), Some(&Json::Bool(true)));
        assert_eq!(json.entries().iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(Json::parse(""), Json::Other);
        assert_eq!(Json::parse("{"), Json::Other);
        assert_eq!(Json::parse(&"[".repeat(100_000)), Json::Other);
    }
}
