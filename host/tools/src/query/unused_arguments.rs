//! Arguments that only some query types use. Other types ignore them with a warning.

use super::QueryArgs;

/// Name of an argument, the query types that use it, and whether a call gives it.
type QueryOption = (&'static str, &'static [&'static str], fn(&QueryArgs) -> bool);

const OPTIONS: &[QueryOption] = &[
    ("severity", &["diagnostics"], |args| args.severity.is_some()),
    ("only", &["diagnostics"], |args| args.only.is_some()),
    ("checks", &["diagnostics"], |args| !args.checks.is_empty()),
    ("includeDeclaration", &["references"], |args| args.include_declaration.is_some()),
    ("usage", &["references"], |args| args.usage.is_some()),
    ("direction", &["dependencies", "callHierarchy", "typeHierarchy"], |args| args.direction.is_some()),
    ("query", &["workspaceSymbols", "search"], |args| args.query.is_some()),
    ("kind", &["workspaceSymbols"], |args| args.kind.is_some()),
    ("startLine", &["codeActions"], |args| args.start_line.is_some()),
    ("startColumn", &["codeActions"], |args| args.start_column.is_some()),
    ("endLine", &["codeActions"], |args| args.end_line.is_some()),
    ("endColumn", &["codeActions"], |args| args.end_column.is_some()),
    ("depth", &["documentSymbols", "callHierarchy", "typeHierarchy", "implementations", "files"], |args| {
        args.depth.is_some()
    }),
    ("files", &["search", "files"], |args| args.search.files.is_some()),
    ("text", &["search"], |args| args.search.text.is_some()),
    ("regex", &["search"], |args| args.search.regex.is_some()),
    ("pattern", &["search"], |args| args.search.pattern.is_some()),
    ("selector", &["search"], |args| args.search.selector.is_some()),
    ("xpath", &["search"], |args| args.search.xpath.is_some()),
    ("heading", &["search"], |args| args.search.heading.is_some()),
    ("region", &["search"], |args| args.search.region.is_some()),
    ("ignoreCase", &["search"], |args| args.search.ignore_case),
    ("wholeWord", &["search"], |args| args.search.whole_word),
    ("multiline", &["search"], |args| args.search.multiline),
    ("context", &["search"], |args| args.search.context.is_some()),
    ("countOnly", &["search"], |args| args.search.count_only),
];

/// Warnings for arguments that the query type does not use.
pub(super) fn unused_warnings(args: &QueryArgs) -> Vec<String> {
    let is_of = |types: &[&str]| types.contains(&args.r#type.as_str());
    let given = OPTIONS.iter().filter(|(_, types, is_given)| !is_of(types) && is_given(args));
    given
        .map(|(name, types, _)| format!("the argument `{name}` was not used: it applies only to {}", types.join(", ")))
        .collect()
}
