//! Files that a tool finds by the name of another one: the mock `__mocks__/a.ts` of `a.ts`, the snapshots
//! `__snapshots__/a.test.ts.snap` of `a.test.ts`, and the declarations `a.d.ts` of `a.js`. No text names the other file.
//! Snapshots move with their test. Each of the other pairs is a possible link, which is listed when one of the files moves.

use marquetry_sdk::{Link, Relocation, Span, paths, workspace};

use crate::links::link_parts::build_link;
use crate::program::resolution::POSSIBLE;

/// Endings of declaration files, with those of the files that they describe.
const DECLARATIONS: [(&str, &[&str]); 3] = [(".d.ts", &[".js", ".jsx"]), (".d.mts", &[".mjs"]), (".d.cts", &[".cjs"])];

/// Endings of files that a mock may replace.
const MOCKED: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

/// Returns the possible links of a file to those that belong to it by their names.
pub(super) fn find_companions(path: &str, text: &str) -> Vec<Link> {
    let Some(span) = first_word(text) else { return Vec::new() };
    let link = |specifier: String| build_link(POSSIBLE, span, &specifier, span, Vec::new(), false);
    companions_of(path).into_iter().map(link).collect()
}

/// Returns the paths of the files that belong to a file and do not move with it, relative to its folder. Not all of them
/// exist.
fn companions_of(path: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut found = Vec::new();
    let declared = DECLARATIONS.iter().find_map(|(end, others)| Some((name.strip_suffix(end)?, *others)));
    if let Some((stem, endings)) = declared {
        found.extend(endings.iter().map(|ending| format!("./{stem}{ending}")));
    }
    if folder.rsplit('/').next() == Some("__mocks__")
        && let Some(stem) = MOCKED.iter().find_map(|ending| name.strip_suffix(ending))
    {
        found.extend(MOCKED.iter().map(|ending| format!("../{stem}{ending}")));
    }
    found
}

/// Returns the moves of the files that a tool finds by the name of a moved file. They are in a folder beside the file, so
/// they stay beside it.
pub(super) fn additional_moves(relocation: &Relocation) -> Vec<Relocation> {
    let Relocation { from, to } = relocation;
    let moves = snapshots_of(from).zip(snapshots_of(to)).map(|(from, to)| Relocation { from, to });
    moves.filter(|one| workspace::stat(&one.from).is_some()).into_iter().collect()
}

/// Returns the path of the snapshots of a file, if it may contain tests.
fn snapshots_of(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_test =
        name.contains(".test.") || name.contains(".spec.") || folder.split('/').any(|part| part == "__tests__");
    is_test.then(|| paths::join(folder, &format!("__snapshots__/{name}.snap")))?
}

/// Returns the span of the first word of a text: a link needs a place, and this file has no better one.
fn first_word(text: &str) -> Option<Span> {
    let start = text.find(|c: char| c.is_ascii_alphabetic())?;
    let rest = &text[start..];
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    Some(Span { start: u32::try_from(start).ok()?, end: u32::try_from(start + length).ok()? })
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::{Relocation, workspace};

    use super::{additional_moves, companions_of, find_companions};

    #[test]
    fn snapshots_move_with_their_test() {
        workspace::set_files(
            ["src/__snapshots__/a.test.ts.snap", "__snapshots__/b.spec.js.snap", "__tests__/__snapshots__/c.js.snap"]
                .map(|path| (path.to_owned(), String::new())),
        );
        for (from, to, expected) in [
            (
                "src/a.test.ts",
                "src/b.test.ts",
                &[("src/__snapshots__/a.test.ts.snap", "src/__snapshots__/b.test.ts.snap")][..],
            ),
            ("src/a.test.ts", "a.test.ts", &[("src/__snapshots__/a.test.ts.snap", "__snapshots__/a.test.ts.snap")]),
            ("b.spec.js", "test/b.spec.js", &[("__snapshots__/b.spec.js.snap", "test/__snapshots__/b.spec.js.snap")]),
            (
                "__tests__/c.js",
                "__tests__/d.js",
                &[("__tests__/__snapshots__/c.js.snap", "__tests__/__snapshots__/d.js.snap")],
            ),
            // No snapshots, not a test, and no test after the move.
            ("src/c.test.ts", "src/d.test.ts", &[]),
            ("src/a.ts", "src/b.ts", &[]),
            ("src/a.test.ts", "src/a.ts", &[]),
        ] {
            let found = additional_moves(&Relocation { from: from.to_owned(), to: to.to_owned() });
            let pairs: Vec<(&str, &str)> = found.iter().map(|one| (one.from.as_str(), one.to.as_str())).collect();
            assert_eq!(pairs, expected, "{from} {to}");
        }
    }

    #[test]
    fn companions_by_name() {
        for (path, expected) in
            [("src/a.d.ts", &["./a.js", "./a.jsx"][..]), ("a.d.mts", &["./a.mjs"]), ("src/a.ts", &[]), ("a.css", &[])]
        {
            assert_eq!(companions_of(path), expected, "{path}");
        }
        assert!(companions_of("src/__mocks__/a.ts").contains(&"../a.tsx".to_owned()));
        assert!(companions_of("src/mocks/a.ts").is_empty());
    }

    #[test]
    fn link_of_companion_is_at_the_first_word() {
        let links = find_companions("a.d.cts", "// note\nexport {}");
        let places: Vec<_> = links.iter().map(|link| (link.kind.as_str(), link.span.start, link.span.end)).collect();
        assert_eq!(places, [("possible", 3, 7)]);
        assert!(find_companions("a.d.ts", "{}").is_empty());
    }
}
