//! Manual mocks: a test runner loads `__mocks__/api.ts` in place of `api.ts`. The mock must export the same names, and no
//! import connects the two files.

use marquetry_sdk::{Destination, Usage};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::Span;

use crate::imports::import_style::mentions_word;
use crate::infer::checker::Checker;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::resolution::paths;
use crate::rename::Usages;
use crate::syntax::module_calls::call_kind;

/// Endings of files that a mock may have.
const ENDINGS: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

/// Lists the declaration of an export if a manual mock of the file has the name, and the calls in a test that replace the
/// file by such a mock.
pub(crate) fn report_manual_mocks(checker: &Checker<'_>, usages: &mut Usages) {
    let here = checker.open_module();
    if usages.exported.is_empty() && !usages.found.uses.iter().any(|found| found.usage == Usage::Imported) {
        return;
    }
    let mut names: Vec<&str> = usages.exported.iter().map(String::as_str).collect();
    names.push(&usages.name);
    let mut places: Vec<Span> = Vec::new();
    if !usages.exported.is_empty() && is_mocked(checker, &here.path, &names) {
        let declared =
            usages.found.uses.iter().filter(|found| matches!(found.usage, Usage::Declaration | Usage::Exported));
        places.extend(declared.map(|found| found.span));
    }
    if here.text().contains("mock") {
        let nodes = here.semantic().nodes().iter();
        places.extend(nodes.filter_map(|node| match node.kind() {
            AstKind::CallExpression(call) => mocked_file(checker, call, &names),
            _ => None,
        }));
    }
    usages.found.unresolved.extend(places);
    usages.found.unresolved.sort_by_key(|span| (span.start, span.end));
    usages.found.unresolved.dedup();
}

/// Returns the path in a call such as `jest.mock("./api")` without a function that creates the mock.
fn mocked_file<'w>(checker: &Checker<'w>, call: &'w CallExpression<'w>, names: &[&str]) -> Option<Span> {
    let [Argument::StringLiteral(source)] = call.arguments.as_slice() else { return None };
    if call_kind(&call.callee) != Some("mock") {
        return None;
    }
    let Destination::Inside(found) = checker.destination(OPEN_DOCUMENT, source.value.as_str()?) else { return None };
    is_mocked(checker, &found.path, names).then(|| Span::new(source.span.start + 1, source.span.end - 1))
}

/// Returns whether there is a manual mock of a file that contains one of the names.
fn is_mocked(checker: &Checker<'_>, path: &str, names: &[&str]) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(stem) = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)) else { return false };
    ENDINGS.iter().any(|ending| {
        let mock = paths::join_path(folder, &format!("__mocks__/{stem}{ending}"));
        let text = checker.workspace.is_file(&mock).then(|| checker.workspace.read(&mock)).flatten();
        text.is_some_and(|text| names.iter().any(|name| mentions_word(&text, name)))
    })
}
