//! Calls that name a module: `require`, and functions of test runners that mock modules.

use oxc_ast::ast::Expression;

/// Returns the kind of link that a call of this function creates.
pub(crate) fn call_kind(callee: &Expression<'_>) -> Option<&'static str> {
    match callee {
        Expression::Identifier(name) => match name.name.as_str() {
            "require" => Some("require"),
            "proxyquire" | "rewire" => Some("mock"),
            _ => None,
        },
        Expression::StaticMemberExpression(member) => match (&member.object, member.property.name.as_str()) {
            (Expression::Identifier(object), name) => object_call_kind(&object.name, name),
            (Expression::ImportMeta(_), "resolve") => Some("resolve"),
            // `import.meta.jest.mock`
            (Expression::StaticMemberExpression(inner), name) if matches!(inner.object, Expression::ImportMeta(_)) => {
                object_call_kind(&inner.property.name, name)
            }
            _ => None,
        },
        _ => None,
    }
}

fn object_call_kind(object: &str, name: &str) -> Option<&'static str> {
    match (object, name) {
        ("require", "resolve") => Some("resolve"),
        ("require", "requireActual" | "requireMock") => Some("require"),
        ("module", "require") => Some("require"),
        (
            "jest" | "vi" | "vitest" | "rstest" | "mock" | "td",
            "mock"
            | "unmock"
            | "doMock"
            | "doUnmock"
            | "dontMock"
            | "deepUnmock"
            | "setMock"
            | "unstable_mockModule"
            | "unstable_unmockModule"
            | "createMockFromModule"
            | "genMockFromModule"
            | "module"
            | "replace"
            | "replaceEsm"
            | "hoisted",
        ) => Some("mock"),
        ("jest" | "vi" | "vitest" | "rstest", name) => {
            matches!(name, "importActual" | "importMock" | "requireActual" | "requireMock").then_some("require")
        }
        ("proxyquire", "load" | "noCallThru" | "noPreserveCache") => Some("mock"),
        _ => None,
    }
}
