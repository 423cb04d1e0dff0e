//! Answers that are too long, have too many items, or contain characters that mislead the reader.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use super::*;

/// Text with control characters, which answers must show escaped.
const HIDDEN: &str = "a\u{1b}[2J\nundo with: `marq undo 9-fake`\u{202e}\r\t\u{9b}";

fn failure(message: &str) -> wit::Failure {
    wit::Failure {
        kind: wit::FailureKind::RefactorFailed,
        message: message.to_owned(),
        hint: Some(message.to_owned()),
        candidates: Vec::new(),
        span: None,
    }
}

#[track_caller]
fn is_one_line(text: &str) {
    assert!(text.chars().all(|letter| !letter.is_control() && letter != '\u{202e}'), "{text:?}");
    assert!(text.starts_with("a\\u{1b}[2J"), "{text:?}");
}

#[test]
fn answers_with_too_many_items_are_refused() {
    let most = TEXT.len() + limits::ANSWER_ITEMS;
    let checked = checked();
    assert_eq!(
        refused(checked.diagnostics(vec![
            wit::Diagnostic {
                severity: wit::Severity::Error,
                span: span(0, 1),
                message: "m".to_owned(),
                code: None,
            };
            most + 1
        ])),
        format!("{} problems; at most {most} are allowed", most + 1)
    );
    assert!(refused(checked.outline(vec![node("n", 0, 1); most + 1])).contains("nodes; at most"));
    assert!(refused(checked.edits(vec![edit(0, 0, ""); most + 1])).contains("edits; at most"));
    let offer = |_| wit::Offer { id: "go".to_owned(), unavailable: Some(failure("no")) };
    assert!(refused(checked.offers((0..=limits::ANSWER_ITEMS).map(offer).collect())).contains("offers; at most 1000"));
    assert!(refused(checked.file_locations(vec![place("a.ts"); limits::ANSWER_ITEMS + 1])).contains("places; at most"));
    let related =
        wit::RelatedSymbol { span: span(0, 1), name: "n".to_owned(), address: None, from: None, declared: None };
    let relations = checked.related_symbols(vec![related.clone(); most + 1]).map(|all| all.len());
    assert_eq!(relations, Ok(most + 1), "they are in other files");
    assert!(refused(checked.related_symbols(vec![related; limits::MAX_RELATIONS + 1])).contains("relations; at most"));
}

#[test]
fn failure_positions_index_the_text_once() {
    // A document of line breaks, and the maximum number of failures with a position.
    let text = "\n".repeat(4_000_000);
    let at = u32::try_from(text.len() - 1).expect("short");
    let offers: Vec<wit::Offer> = (0..limits::ANSWER_ITEMS)
        .map(|_| wit::Offer {
            id: "go".to_owned(),
            unavailable: Some(wit::Failure { span: Some(span(at, at + 1)), ..failure("no") }),
        })
        .collect();
    let started = Instant::now();
    let offers = AnswerValidator::new("p", &text).offers(offers).expect("the maximum number of offers is allowed");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let message = offers[999].unavailable.as_ref().map(|error| error.content().message.clone());
    assert_eq!(message.as_deref(), Some("no (line 4000000, column 0)"));
}

#[test]
fn checking_stops_when_the_call_ends() {
    let asked = Cell::new(0);
    let ends = || {
        asked.set(asked.get() + 1);
        if asked.get() > 2 { Err(Error::new(Kind::Cancelled, "the call was cancelled")) } else { Ok(()) }
    };
    let text = "x".repeat(100_000);
    let nodes = || (0..50_000).map(|at| node("n", at, at + 1)).collect::<Vec<_>>();
    let checked = AnswerValidator::new("p", &text).with_continue_check(&ends);
    assert_eq!(checked.outline(nodes()).expect_err("cancelled").kind(), Kind::Cancelled);
    assert_eq!(asked.get(), 3, "the check must run once per interval");
    let goes_on = || Ok(());
    assert_eq!(
        AnswerValidator::new("p", &text).with_continue_check(&goes_on).outline(nodes()).map(|nodes| nodes.len()),
        Ok(50_000)
    );
}

#[test]
fn texts_of_a_pack_are_one_line_without_control_sequences() {
    let error = checked().failure(failure(HIDDEN));
    is_one_line(&error.content().message);
    let hint = error.content().hint.clone().expect("a hint");
    assert!(!hint.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{hint:?}");
    let problem = wit::Diagnostic {
        severity: wit::Severity::Error,
        span: span(0, 1),
        message: HIDDEN.to_owned(),
        code: Some(HIDDEN.to_owned()),
    };
    let problem = checked().diagnostic(problem).expect("a problem");
    is_one_line(&problem.message);
    is_one_line(problem.code.as_deref().expect("a code"));
    let offers = vec![wit::Offer { id: HIDDEN.to_owned(), unavailable: None }];
    is_one_line(&checked().offers(offers).expect("offers")[0].id);
    let found = checked().destinations(vec![wit::Destination::Unknown(HIDDEN.to_owned())], 1).expect("destinations");
    let pack::Destination::Unknown(why) = &found[0] else { panic!("unknown") };
    is_one_line(why);
    let rewrite = wit::Rewrite {
        edits: Vec::new(),
        ask: Vec::new(),
        create: Vec::new(),
        unresolved: Vec::new(),
        incomplete: Some(HIDDEN.to_owned()),
        name_at: None,
    };
    is_one_line(checked().rewrite(rewrite).expect("a rewrite").incomplete.as_deref().expect("a reason"));
}

#[test]
fn new_files_with_unsafe_or_reserved_names_are_refused() {
    let creating = |path: &str| {
        let file = wit::NewFile { path: path.to_owned(), text: "t".to_owned() };
        checked().rewrite(wit::Rewrite {
            edits: Vec::new(),
            ask: Vec::new(),
            create: vec![file],
            unresolved: Vec::new(),
            incomplete: None,
            name_at: None,
        })
    };
    for path in ["a.ts", "src/new file.ts", "straße/b.md", ".env.example"] {
        assert!(creating(path).is_ok(), "{path}");
    }
    for path in ["", "a\nundo with: 1", "a\u{1b}[2J.ts", "\u{202e}a"] {
        assert!(refused(creating(path)).starts_with("a new file with the name"), "{path:?}");
    }
    for path in ["registry.lock", "sub/registry.toml", "REGISTRY.LOCK", ".env", "a/.npmrc", "x.pem", ".git/hooks/x"] {
        let error = creating(path).expect_err(path);
        assert_eq!(error.kind(), Kind::PermissionDenied, "{path}");
        assert!(error.content().message.contains("which plugins may not create"), "{error}");
    }
    assert!(refused(creating("../a.ts")).contains("is outside the root"));
}
