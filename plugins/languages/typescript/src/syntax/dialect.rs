//! Grammar of a file, determined by its name, and the options of the parser.

use oxc_parser::ParseOptions;
use oxc_span::SourceType;

/// Returns the grammar for a path by its extension. Unknown extensions are parsed as TypeScript with JSX.
pub(crate) fn source_type(path: &str) -> SourceType {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit('.').next().unwrap_or_default();
    let declares = |suffix: &str| name.ends_with(suffix) && name.len() > suffix.len();
    match extension {
        // Plain JavaScript often contains JSX.
        "js" | "jsx" => SourceType::unambiguous().with_jsx(true),
        "mjs" => SourceType::mjs().with_jsx(true),
        "cjs" => SourceType::cjs().with_jsx(true),
        "mts" => SourceType::ts().with_module(true).with_typescript_definition(declares(".d.mts")),
        "cts" => SourceType::ts().with_commonjs(true).with_typescript_definition(declares(".d.cts")),
        "ts" => {
            let definition = name.find(".d.").is_some_and(|at| at > 0);
            SourceType::ts().with_unambiguous(true).with_typescript_definition(definition)
        }
        _ => SourceType::tsx().with_unambiguous(true),
    }
}

/// Parser options for all texts.
pub(crate) fn parse_options() -> ParseOptions {
    ParseOptions { parse_regular_expression: true, ..ParseOptions::default() }
}
