//! What a guest says about a text of seven bytes, true and false.

use super::*;

/// `é` is two bytes long, so 2 is no boundary.
const TEXT: &str = "aé\nbcd";

fn checked() -> Checked<'static> {
    Checked::new("p", TEXT)
}

fn span(start: u32, end: u32) -> wit::Span {
    wit::Span { start, end }
}

fn node(address: &str, start: u32, end: u32) -> wit::Node {
    wit::Node {
        id: 7,
        parent: None,
        kind: "k".to_owned(),
        name: "n".to_owned(),
        address: address.to_owned(),
        span: span(start, end),
        selection: span(start, start),
        body: None,
        doc: None,
        level: Some(2),
        value: None,
    }
}

/// The message of a refusal, which is always the plugin's fault and names it.
#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Result<T>) -> String {
    let error = answer.expect_err("refused");
    assert_eq!(error.kind(), Kind::PluginFailed);
    let content = error.content();
    assert_eq!(content.hint.as_deref(), Some("this is a fault of the plugin; report it to its author"));
    let message = content.message.strip_prefix("plugin `p` returned ");
    message.unwrap_or_else(|| panic!("{}", content.message)).to_owned()
}

#[test]
fn spans() {
    for (start, end) in [(0, 0), (0, 7), (7, 7), (1, 3), (3, 4)] {
        let found = checked().span(span(start, end), "node").expect("a span of the text");
        assert_eq!((found.start, found.end), (start as usize, end as usize));
    }
    for (start, end, why) in [
        (3, 1, "a node at 3..1 that ends before it starts"),
        (0, 8, "a node at 0..8 that lies beyond the document"),
        (u32::MAX, u32::MAX, "a node at 4294967295..4294967295 that lies beyond the document"),
        (2, 3, "a node at 2..3 that cuts a character"),
        (0, 2, "a node at 0..2 that cuts a character"),
    ] {
        assert_eq!(refused(checked().span(span(start, end), "node")), why);
    }
}

#[test]
fn outlines() {
    let child = |parent, start, end| wit::Node { parent: Some(parent), ..node("c", start, end) };
    let nodes = checked().outline(vec![node("a", 0, 7), child(0, 1, 3), child(1, 1, 1)]).expect("nests");
    assert_eq!(nodes.iter().map(|node| node.parent).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
    assert_eq!((nodes[0].id, nodes[0].level, nodes[0].address.as_str()), (7, Some(2), "a"));
    for (nodes, why) in [
        (vec![child(0, 0, 1)], "an outline whose node 0 comes before its parent 0"),
        (vec![child(1, 0, 1), node("a", 0, 7)], "an outline whose node 0 comes before its parent 1"),
        (vec![node("a", 0, 1), child(9, 0, 1)], "an outline whose node 1 comes before its parent 9"),
        (vec![node("a", 0, 1), child(0, 0, 3)], "a node `c` that lies outside its parent"),
        (vec![wit::Node { selection: span(0, 3), ..node("a", 0, 1) }], "a node `a` whose selection lies outside it"),
        (vec![wit::Node { body: Some(span(0, 9)), ..node("a", 0, 1) }], "a body at 0..9 that lies beyond the document"),
        (vec![wit::Node { doc: Some(span(0, 2)), ..node("a", 0, 1) }], "a comment at 0..2 that cuts a character"),
        (
            vec![wit::Node { selection: span(0, 9), ..node("a", 0, 1) }],
            "a selection at 0..9 that lies beyond the document",
        ),
    ] {
        assert_eq!(refused(checked().outline(nodes)), why);
    }
    let long = wit::Node { name: "x".repeat(limits::MOST_TEXT + 1000), ..node("a", 0, 1) };
    assert!(refused(checked().outline(vec![long])).contains("bytes of names and addresses; at most"));
}

fn nodes(nodes: Vec<wit::Node>, total: u32) -> wit::Found {
    wit::Found::Nodes(wit::Nodes { nodes, total })
}

fn scalar(json: &str, text: &str) -> wit::Found {
    wit::Found::Scalar(wit::Scalar { json: json.to_owned(), text: text.to_owned() })
}

#[test]
fn matches() {
    match checked().found(nodes(vec![node("a", 0, 1), node("b", 1, 3)], 9), 2).expect("two of nine") {
        pack::Found::Nodes(nodes, total) => assert_eq!((nodes.len(), total), (2, 9)),
        pack::Found::Scalar(_) => panic!("nodes were found"),
    }
    match checked().found(scalar("\"x\"", "x"), 1).expect("a value") {
        pack::Found::Scalar(found) => assert_eq!((found.json.as_str(), found.text.as_str()), ("\"x\"", "x")),
        pack::Found::Nodes(..) => panic!("a value was found"),
    }
    for (found, why) in [
        (nodes(vec![], 0), "0 nodes of 0 where at most 2 were asked for"),
        (nodes(vec![], 5), "0 nodes of 5 where at most 2 were asked for"),
        (nodes(vec![node("a", 0, 1)], 0), "1 nodes of 0 where at most 2 were asked for"),
        (
            nodes(vec![node("a", 0, 1), node("a", 0, 1), node("a", 0, 1)], 3),
            "3 nodes of 3 where at most 2 were asked for",
        ),
        (nodes(vec![node("a", 0, 99)], 1), "a node at 0..99 that lies beyond the document"),
        (scalar("{", "x"), "a value that is not JSON"),
        (scalar("", "x"), "a value that is not JSON"),
        (scalar("1 2", "x"), "a value that is not JSON"),
    ] {
        assert_eq!(refused(checked().found(found, 2)), why);
    }
    let long = "x".repeat(limits::MOST_TEXT + 1000);
    assert!(refused(checked().found(scalar("1", &long), 1)).contains("bytes of text; at most"));
    assert!(refused(checked().found(nodes(vec![node(&long, 0, 1)], 1), 1)).contains("bytes of matches; at most"));
}

#[test]
fn views() {
    assert_eq!(checked().view(wit::View::Span(span(0, 1))).expect("a part"), pack::View::Span(Span::new(0, 1)));
    assert_eq!(checked().view(wit::View::Text("x".to_owned())).expect("a text"), pack::View::Text("x".to_owned()));
    assert_eq!(refused(checked().view(wit::View::Span(span(0, 2)))), "a view at 0..2 that cuts a character");
    let long = wit::View::Text("x".repeat(limits::MOST_TEXT + TEXT.len() * 16 + 1));
    let why = refused(checked().view(long));
    assert_eq!(why, format!("{} bytes of text; at most {} are taken", (16 << 20) + 7 * 16 + 1, (16 << 20) + 7 * 16));
}

fn edit(start: u32, end: u32, text: &str) -> wit::Edit {
    wit::Edit { span: span(start, end), text: text.to_owned() }
}

#[test]
fn edits_are_sorted_and_apart() {
    let set = checked().edits(vec![edit(4, 5, "x"), edit(0, 1, ""), edit(3, 3, "-"), edit(3, 3, "+")]).expect("apart");
    assert_eq!(set.len(), 4);
    let after = EditSet::new(TEXT, set.as_slice().to_vec()).expect("still a set").apply(TEXT);
    assert_eq!(after, "é-+\nxcd");
    for (edits, why) in [
        (vec![edit(0, 3, ""), edit(1, 4, "")], "edits that do not fit together: two edits overlap on line 1"),
        (vec![edit(4, 7, "x"), edit(4, 6, "y")], "edits that do not fit together: two edits overlap on line 2"),
        (vec![edit(0, 8, "")], "an edit at 0..8 that lies beyond the document"),
        (vec![edit(2, 2, "x")], "an edit at 2..2 that cuts a character"),
    ] {
        let said = refused(checked().edits(edits)).replace("a edit", "an edit");
        assert!(said.starts_with(why), "{said}");
    }
    let long = edit(0, 0, &"x".repeat(limits::MOST_TEXT + 1000));
    assert!(refused(checked().edits(vec![long])).contains("bytes of new text; at most"));
}

#[test]
fn problems() {
    let problem = |span, code: Option<&str>| wit::Problem {
        severity: wit::Severity::Warning,
        span,
        message: "m".repeat(5_000),
        code: code.map(str::to_owned),
    };
    let found = checked().problems(vec![problem(span(0, 1), Some("E1"))]).expect("a problem");
    assert_eq!((found[0].severity, found[0].code.as_deref()), (pack::Severity::Warning, Some("E1")));
    assert_eq!(found[0].message.chars().count(), 4_001, "cut, and it shows");
    assert!(found[0].message.ends_with('…'));
    assert_eq!(
        refused(checked().problems(vec![problem(span(6, 9), None)])),
        "a problem at 6..9 that lies beyond the document"
    );
}

#[test]
fn parts_in_other_languages() {
    let part = |start, end, language: &str| wit::Embedded { span: span(start, end), language: language.to_owned() };
    let parts = checked().embedded(vec![part(0, 3, "css")]).expect("a part");
    assert_eq!((parts[0].span, parts[0].language.as_str()), (Span::new(0, 3), "css"));
    assert_eq!(
        refused(checked().embedded(vec![part(0, 99, "css")])),
        "a embedded part at 0..99 that lies beyond the document"
    );
    let long = checked().embedded(vec![part(0, 1, &"é".repeat(200))]).expect("cut");
    assert!(long[0].language.len() <= 103 && long[0].language.ends_with('…'));
}

#[test]
fn links() {
    let link = |part: wit::Span, statement: wit::Span| wit::Link {
        kind: "import".to_owned(),
        span: part,
        statement,
        specifier: "./a".to_owned(),
        names: vec!["*".to_owned()],
        type_only: true,
    };
    let links = checked().links(vec![link(span(0, 1), span(0, 7))]).expect("a link");
    assert_eq!((links[0].specifier.as_str(), links[0].names.len(), links[0].type_only), ("./a", 1, true));
    assert_eq!(
        refused(checked().links(vec![link(span(0, 8), span(0, 7))])),
        "a link at 0..8 that lies beyond the document"
    );
    assert_eq!(
        refused(checked().links(vec![link(span(0, 1), span(0, 2))])),
        "a statement at 0..2 that cuts a character"
    );
}

#[test]
fn destinations_stay_below_the_root() {
    let inside =
        |path: &str| wit::Destination::Inside(wit::Resolved { path: path.to_owned(), suffix: "#x".to_owned() });
    let found = vec![
        inside("a/..b"),
        wit::Destination::External,
        wit::Destination::Missing("c".to_owned()),
        wit::Destination::Unknown("w".repeat(600)),
    ];
    let found = checked().destinations(found, 4).expect("four for four");
    assert_eq!(found[0], pack::Destination::Inside { path: "a/..b".to_owned(), suffix: "#x".to_owned() });
    assert_eq!(found[2], pack::Destination::Missing("c".to_owned()));
    assert!(matches!(&found[3], pack::Destination::Unknown(why) if why.chars().count() == 501));
    assert_eq!(refused(checked().destinations(vec![], 1)), "0 destinations for 1 specifiers");
    assert_eq!(
        refused(checked().destinations(vec![wit::Destination::External; 2], 1)),
        "2 destinations for 1 specifiers"
    );
    for path in ["/etc/passwd", "../x", "a/../../x", "a\\b", "a\0b", ".."] {
        let why = refused(checked().destinations(vec![inside(path)], 1));
        assert_eq!(why, format!("the path `{path}`, which leads out of the root"));
    }
}

#[test]
fn names() {
    let export = |start, end| wit::ExportedName {
        name: "default".to_owned(),
        local: Some("f".to_owned()),
        span: span(start, end),
        kind: "function".to_owned(),
        type_only: false,
    };
    let import = wit::ImportedName {
        specifier: "./a".to_owned(),
        name: "*".to_owned(),
        local: None,
        exported: Some("ns".to_owned()),
        type_only: true,
    };
    let facts = |exports| wit::InterfaceFacts {
        exports,
        imports: vec![import.clone()],
        shared: vec![wit::SharedName { space: "s".to_owned(), name: "S".to_owned() }],
        free: vec![wit::SharedName { space: "s".to_owned(), name: "F".to_owned() }],
    };
    let found = checked().facts(facts(vec![export(0, 1)])).expect("facts");
    assert_eq!(found.exports[0].local.as_deref(), Some("f"));
    assert_eq!((found.imports[0].exported.as_deref(), found.imports[0].type_only), (Some("ns"), true));
    let named = |name: &str| vec![pack::SharedName { space: "s".to_owned(), name: name.to_owned() }];
    assert_eq!((found.shared, found.free), (named("S"), named("F")));
    assert_eq!(
        refused(checked().facts(facts(vec![export(0, 9)]))),
        "a exported name at 0..9 that lies beyond the document"
    );
}

fn place(path: &str) -> wit::Place {
    wit::Place { path: path.to_owned(), offset: 3 }
}

#[test]
fn resolutions() {
    let occurrence = |usage| wit::Occurrence { span: span(0, 1), usage, certain: true };
    let usages = [
        wit::Usage::Declaration,
        wit::Usage::Read,
        wit::Usage::Write,
        wit::Usage::Called,
        wit::Usage::TypeUse,
        wit::Usage::Imported,
        wit::Usage::Exported,
        wit::Usage::InString,
        wit::Usage::InComment,
    ];
    let resolution = |elsewhere: Option<wit::Place>, at: wit::Span| wit::Resolution {
        name: "a".to_owned(),
        kind: "class".to_owned(),
        address: None,
        occurrences: usages
            .map(occurrence)
            .into_iter()
            .chain([wit::Occurrence { span: at, usage: wit::Usage::Read, certain: false }])
            .collect(),
        exported_as: vec!["a".to_owned()],
        origin: None,
        incomplete: Some("why".to_owned()),
        declared: Some(wit::DeclaredKey { name: "m".to_owned(), places: vec![place("a.ts")], forms: Vec::new() }),
        shared: Some("s".to_owned()),
        elsewhere,
    };
    let found = checked().resolution(resolution(Some(place("b/c.ts")), span(0, 1))).expect("found");
    let words: Vec<&str> = found.occurrences.iter().map(|occurrence| occurrence.usage).collect();
    assert_eq!(
        words,
        ["declaration", "read", "write", "call", "type", "import", "export", "string", "comment", "read"]
    );
    assert_eq!(found.elsewhere, Some(("b/c.ts".to_owned(), 3)));
    assert_eq!(found.declared.map(|member| member.places), Some(vec![("a.ts".to_owned(), 3)]));
    assert!(found.shared.as_deref() == Some("s") && !found.occurrences[9].certain);
    assert_eq!(
        refused(checked().resolution(resolution(Some(place("../a")), span(0, 1)))),
        "the path `../a`, which leads out of the root"
    );
    assert_eq!(
        refused(checked().resolution(resolution(None, span(1, 2)))),
        "a occurrence at 1..2 that cuts a character"
    );
}

#[test]
fn renamings() {
    let renaming = |edits, left| wit::Renaming {
        edits,
        exported: vec![wit::Renamed { old: "a".to_owned(), new: "b".to_owned() }],
        left,
        elsewhere: Some(place("x.ts")),
        declared: None,
        shared: None,
        name: "a".to_owned(),
    };
    let found = checked().renaming(renaming(vec![edit(0, 1, "b")], vec![span(4, 5)])).expect("a renaming");
    assert_eq!((found.edits.len(), found.left), (1, vec![Span::new(4, 5)]));
    assert_eq!(found.exported, [("a".to_owned(), "b".to_owned())]);
    assert_eq!(
        refused(checked().renaming(renaming(vec![], vec![span(4, 9)]))),
        "a place at 4..9 that lies beyond the document"
    );
    let overlapping = renaming(vec![edit(0, 3, "b"), edit(1, 3, "c")], vec![]);
    assert!(refused(checked().renaming(overlapping)).starts_with("edits that do not fit together"));
}

#[test]
fn cards_and_findings() {
    let card = |end, path: &str| wit::Card {
        name: "f".repeat(2_000),
        kind: "function".to_owned(),
        span: span(0, end),
        type_: Some("() => void".to_owned()),
        code: None,
        documentation: Some("Does.".to_owned()),
        notes: vec![wit::Note { label: "in".to_owned(), text: "x".to_owned(), place: Some(place(path)) }; 300],
        declared: None,
    };
    let found = checked().card(card(1, "a.ts")).expect("a card");
    assert_eq!((found.name.len(), found.notes.len()), (1_000 + "…".len(), 200));
    assert_eq!(found.notes[0].place, Some(("a.ts".to_owned(), 3)));
    assert_eq!(refused(checked().card(card(9, "a.ts"))), "a place at 0..9 that lies beyond the document");
    assert!(refused(checked().card(card(1, "../a.ts"))).contains("leads out of the root"));
    let finding = |end, conditions: usize| wit::Finding {
        area: wit::Area::Names,
        problem: wit::Problem {
            severity: wit::Severity::Hint,
            span: span(0, end),
            message: "m".to_owned(),
            code: None,
        },
        only_if: vec![wit::Condition::Exported("f".to_owned()); conditions],
        fix: Some(wit::Fix { refactor: "mend".to_owned(), arguments: Vec::new() }),
    };
    let inspection =
        |finding| wit::Inspection { checked: vec![wit::Area::Names, wit::Area::Names], findings: vec![finding] };
    let found = checked().findings(inspection(finding(1, 1))).expect("findings");
    assert_eq!((found.checked.len(), found.list[0].only_if.len()), (1, 1));
    assert_eq!(
        refused(checked().findings(inspection(finding(9, 0)))),
        "a problem at 0..9 that lies beyond the document"
    );
    assert_eq!(refused(checked().findings(inspection(finding(1, 99)))), "a finding with 99 conditions");
    assert_eq!(
        refused(checked().manifest_names(vec!["a/b".to_owned()])),
        "names of manifests that are no names of files"
    );
}

#[test]
fn relations_and_dependencies() {
    let related = |end| wit::Related {
        name: "f".to_owned(),
        span: span(0, end),
        address: None,
        from: Some("./a".to_owned()),
        declared: None,
    };
    let found = checked().related(vec![related(1)]).expect("a relation");
    assert_eq!((found[0].name.as_str(), found[0].from.as_deref()), ("f", Some("./a")));
    assert_eq!(refused(checked().related(vec![related(2)])), "a relation at 0..2 that cuts a character");
    let used = vec![wit::Dependency { symbol: "S".to_owned(), from: "./s".to_owned() }];
    let used = checked().dependencies(used).expect("a dependency");
    assert_eq!((used[0].symbol.as_str(), used[0].from.as_str()), ("S", "./s"));
}

#[test]
fn failures_are_bounded_and_point_at_their_place() {
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
    // A place that is none is left out: the failure itself is still worth telling.
    assert_eq!(checked().failure(failure(From::ParseError, Some(span(2, 99)))).content().message, "no such thing");
}

#[test]
fn descriptions() {
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
        help: help.to_owned(),
    };
    let said = checked().description(description("1.2.3", "help")).expect("a description");
    assert_eq!(
        (said.targets[0].kind, said.regions[0].name.as_str(), said.templates[0].body.as_str()),
        (pack::TargetKind::Xpath, "r", "b")
    );
    assert_eq!(
        refused(checked().description(description("1.2", ""))),
        "the version `1.2`, which is no semantic version"
    );
    let long = "h".repeat((1 << 20) + 1);
    assert_eq!(
        refused(checked().description(description("1.2.3", &long))),
        "a description of 1048580 bytes; at most 1 MiB is taken"
    );
}

fn found(start: u32, end: u32) -> wit::StructureMatch {
    wit::StructureMatch { span: span(start, end), captures: Vec::new(), unsaid: Vec::new() }
}

fn looked_like(matches: Vec<wit::StructureMatch>, total: u32) -> wit::StructureMatches {
    wit::StructureMatches { matches, total }
}

#[test]
fn places_that_look_like_a_pattern() {
    let capture = |name: &str, start, end| wit::Capture { name: name.to_owned(), span: span(start, end) };
    let whole = wit::StructureMatch {
        captures: vec![capture("A_1", 1, 3), capture("B", 7, 7)],
        unsaid: vec![span(3, 4)],
        ..found(0, 7)
    };
    let said = looked_like(vec![whole, found(0, 1), found(4, 7)], 3);
    let known = checked().structure_matches(said, 5).expect("sorted, in the text");
    assert_eq!(known.matches[0].captures, [("A_1".to_owned(), Span::new(1, 3)), ("B".to_owned(), Span::new(7, 7))]);
    assert_eq!((known.matches.len(), known.total), (3, 3));
    let with = |captures| wit::StructureMatch { captures, ..found(1, 4) };
    for (said, why) in [
        (looked_like(vec![found(0, 8)], 1), "a match at 0..8 that lies beyond the document"),
        (looked_like(vec![found(0, 1); 6], 6), "6 matches of 6 where at most 5 were asked for"),
        (looked_like(vec![found(0, 1)], 2), "1 matches of 2 where at most 5 were asked for"),
        (looked_like(vec![found(3, 4), found(0, 1)], 2), "matches that are not sorted"),
        (looked_like(vec![found(0, 1), found(0, 3)], 2), "matches that are not sorted"),
        (looked_like(vec![with(vec![capture("A", 0, 3)])], 1), "a capture that lies outside its match"),
        (looked_like(vec![with(vec![capture("a b", 1, 3)])], 1), "a hole `a b`"),
        (looked_like(vec![with(vec![capture("A", 1, 3); 65])], 1), "a match with 65 captures"),
        (
            looked_like(vec![wit::StructureMatch { unsaid: vec![span(0, 1)], ..found(1, 4) }], 1),
            "a part that lies outside its match",
        ),
    ] {
        assert_eq!(refused(checked().structure_matches(said, 5)), why);
    }
}

#[test]
fn patterns() {
    let help = |words: &[&str], captures: &[&str]| wit::PatternHelp {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        captures: captures.iter().map(|name| (*name).to_owned()).collect(),
    };
    checked().pattern_help(help(&["bcd", "aé"], &["A"])).expect("words of the pattern");
    assert_eq!(refused(checked().pattern_help(help(&["x"], &[]))), "the word `x`, which the pattern does not have");
    assert_eq!(refused(checked().pattern_help(help(&[""], &[]))), "the word ``, which the pattern does not have");
    assert_eq!(refused(checked().pattern_help(help(&[], &["$A"]))), "a hole `$A`");
    assert_eq!(refused(checked().pattern_help(help(&[], &["A"; 65]))), "0 words and 65 holes of one pattern");
}
