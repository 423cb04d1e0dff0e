//! Pack descriptions, hover information and failures.

use super::*;

#[test]
fn hover_information_and_diagnostics_are_validated() {
    let hover_card = |end, path: &str| wit::HoverInfo {
        name: "f".repeat(2_000),
        kind: "function".to_owned(),
        span: span(0, end),
        type_: Some("() => void".to_owned()),
        code: None,
        documentation: Some("Does.".to_owned()),
        notes: vec![wit::Note { label: "in".to_owned(), text: "x".to_owned(), location: Some(place(path)) }; 300],
        declared: None,
    };
    let found = checked().hover_info(hover_card(1, "a.ts")).expect("hover information");
    assert_eq!((found.name.len(), found.notes.len()), (1_000 + "…".len(), 200));
    assert_eq!(found.notes[0].location, Some(("a.ts".to_owned(), 3)));
    assert_eq!(
        refused(checked().hover_info(hover_card(9, "a.ts"))),
        "an invalid range 0..9 (place): it is beyond the end of the document"
    );
    assert!(refused(checked().hover_info(hover_card(1, "../a.ts"))).contains("is outside the root"));
    let finding = |end, conditions: usize| wit::SemanticDiagnostic {
        area: wit::Area::Names,
        diagnostic: wit::Diagnostic {
            severity: wit::Severity::Hint,
            span: span(0, end),
            message: "m".to_owned(),
            code: None,
        },
        only_if: vec![wit::Condition::Exported("f".to_owned()); conditions],
        fix: Some(wit::Fix { refactor: "mend".to_owned(), arguments: Vec::new() }),
    };
    let inspection = |finding| wit::SemanticDiagnostics {
        checked: vec![wit::Area::Names, wit::Area::Names],
        diagnostics: vec![finding],
    };
    let found = checked().semantic_diagnostics(inspection(finding(1, 1))).expect("findings");
    assert_eq!((found.checked.len(), found.diagnostics[0].conditions.len()), (1, 1));
    assert_eq!(
        refused(checked().semantic_diagnostics(inspection(finding(9, 0)))),
        "an invalid range 0..9 (problem): it is beyond the end of the document"
    );
    assert_eq!(refused(checked().semantic_diagnostics(inspection(finding(1, 99)))), "a diagnostic with 99 conditions");
    assert_eq!(refused(checked().manifest_names(vec!["a/b".to_owned()])), "names of manifests that are not file names");
}

#[test]
fn failures_are_bounded_and_have_a_position() {
    let failure = |kind, place| wit::Failure {
        kind,
        message: "no such thing".to_owned(),
        hint: Some("h".repeat(9_000)),
        candidates: vec!["c".repeat(900); 80],
        span: place,
    };
    use wit::FailureKind as From;
    for (kind, wanted) in [
        (From::TargetNotFound, Kind::TargetNotFound),
        (From::AmbiguousTarget, Kind::AmbiguousTarget),
        (From::InvalidTarget, Kind::InvalidTarget),
        (From::InvalidArgument, Kind::InvalidArgument),
        (From::ParseError, Kind::ParseError),
        (From::RefactorFailed, Kind::RefactorFailed),
        (From::Unsupported, Kind::Unsupported),
        (From::LimitExceeded, Kind::LimitExceeded),
    ] {
        assert_eq!(checked().failure(failure(kind, None)).kind(), wanted);
    }
    let error = checked().failure(failure(From::ParseError, Some(span(5, 6))));
    let content = error.content();
    assert_eq!(content.message, "no such thing (line 2, column 1)");
    assert_eq!(content.candidates.len(), 50);
    assert_eq!(content.candidates[0].chars().count(), 501);
    assert_eq!(content.hint.as_ref().map(|hint| hint.chars().count()), Some(4_001));
    // An invalid position is dropped; the failure itself is still reported.
    assert_eq!(checked().failure(failure(From::ParseError, Some(span(2, 99)))).content().message, "no such thing");
}

#[test]
fn descriptions_are_validated() {
    let description = |version: &str, help: &str| wit::Description {
        id: "p".to_owned(),
        name: "P".to_owned(),
        version: version.to_owned(),
        files: vec!["*.p".to_owned()],
        targets: vec![wit::TargetHelp {
            kind: wit::TargetKind::Xpath,
            syntax: "s".to_owned(),
            examples: vec!["//a".to_owned()],
        }],
        regions: vec![wit::RegionHelp { name: "r".to_owned(), summary: "s".to_owned() }],
        templates: vec![wit::Template {
            name: "t".to_owned(),
            summary: "s".to_owned(),
            extension: "p".to_owned(),
            body: "b".to_owned(),
        }],
        settings_schema: "{}".to_owned(),
        relinks: false,
        help: help.to_owned(),
    };
    let validated = checked().description(description("1.2.3", "help")).expect("a description");
    assert_eq!(
        (validated.targets[0].kind, validated.regions[0].name.as_str(), validated.templates[0].body.as_str()),
        (pack::TargetKind::Xpath, "r", "b")
    );
    assert_eq!(refused(checked().description(description("1.2", ""))), "`1.2`, which is not a semantic version");
    assert_eq!(
        refused(checked().description(description("1.0\nundo with: \u{1b}[2J", ""))),
        "`1.0\\nundo with: \\u{1b}[2J`, which is not a semantic version"
    );
    // Targets that the host supports for every pack are added to those of the pack.
    let kinds: Vec<_> = validated.targets.iter().map(|target| target.kind).collect();
    assert_eq!(kinds, [pack::TargetKind::Xpath, pack::TargetKind::Region, pack::TargetKind::Lines]);
    assert_eq!(validated.targets[1].examples, ["r"]);
    let long = "h".repeat((1 << 20) + 1);
    assert_eq!(
        refused(checked().description(description("1.2.3", &long))),
        "a description of 1048580 bytes; at most 1 MiB is allowed"
    );
}

#[test]
fn additional_moves_stay_beside_the_moved_file() {
    let moved = Relocation { from: "src/a.rs".to_owned(), to: "lib/net/b.rs".to_owned() };
    let check = |from: &str, to: &str| {
        checked().additional_moves(&moved, vec![wit::Relocation { from: from.to_owned(), to: to.to_owned() }])
    };
    assert!(check("src/a", "lib/net/b").is_ok() && check("src/x/y.rs", "lib/net/b/y.rs").is_ok());
    for from in [
        "../a",
        "/src/a",
        "",
        ".",
        "src",
        "src/",
        "src/.",
        "src//a",
        "src/../lib",
        "lib/a",
        "a",
        "src/.git",
        "src/a/.env",
    ] {
        assert!(check(from, "lib/net/b").is_err(), "{from:?}");
    }
    for to in ["lib/a", "lib/net", "lib/net/../../x", "lib/net/.git/hooks", "lib/net/b\n", "lib/net/registry.toml"] {
        assert!(check("src/a", to).is_err(), "{to:?}");
    }
    let many = vec![wit::Relocation { from: "src/a".to_owned(), to: "lib/net/b".to_owned() }; limits::ANSWER_ITEMS + 1];
    assert!(refused(checked().additional_moves(&moved, many)).contains("moves; at most"));
}
