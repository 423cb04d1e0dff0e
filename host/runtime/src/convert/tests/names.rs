//! Links, names and hover information.

use super::*;

#[test]
fn links_are_validated() {
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
        "an invalid range 0..8 (link): it is beyond the end of the document"
    );
    assert_eq!(
        refused(checked().links(vec![link(span(0, 1), span(0, 2))])),
        "an invalid range 0..2 (statement): it splits a character"
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
        let shown = path.replace('\0', "\\u{0}");
        assert_eq!(why, format!("the path `{shown}`, which is outside the root"));
    }
}

#[test]
fn facts_are_validated() {
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
        shared: vec![wit::SharedName { namespace: "s".to_owned(), name: "S".to_owned() }],
        free: vec![wit::SharedName { namespace: "s".to_owned(), name: "F".to_owned() }],
    };
    let found = checked().exports_and_imports(facts(vec![export(0, 1)])).expect("facts");
    assert_eq!(found.exports[0].local.as_deref(), Some("f"));
    assert_eq!((found.imports[0].exported.as_deref(), found.imports[0].type_only), (Some("ns"), true));
    let named = |name: &str| vec![pack::SharedName { namespace: "s".to_owned(), name: name.to_owned() }];
    assert_eq!((found.shared, found.free), (named("S"), named("F")));
    assert_eq!(
        refused(checked().exports_and_imports(facts(vec![export(0, 9)]))),
        "an invalid range 0..9 (exported name): it is beyond the end of the document"
    );
}

#[test]
fn resolutions_are_validated() {
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
    let resolution = |elsewhere: Option<wit::FileLocation>, at: wit::Span| wit::Resolution {
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
        declared: Some(wit::DeclaredKey { name: "m".to_owned(), locations: vec![place("a.ts")], forms: Vec::new() }),
        shared: Some("s".to_owned()),
        elsewhere,
    };
    let found = checked().resolution(resolution(Some(place("b/c.ts")), span(0, 1))).expect("found");
    let words: Vec<&str> = found.occurrences.iter().map(|occurrence| occurrence.usage).collect();
    assert_eq!(
        words,
        ["declaration", "read", "write", "call", "type", "import", "export", "string", "comment", "read"]
    );
    assert_eq!(found.declaration, Some(("b/c.ts".to_owned(), 3)));
    assert_eq!(found.member.map(|member| member.locations), Some(vec![("a.ts".to_owned(), 3)]));
    assert!(found.namespace.as_deref() == Some("s") && !found.occurrences[9].certain);
    assert_eq!(
        refused(checked().resolution(resolution(Some(place("../a")), span(0, 1)))),
        "the path `../a`, which is outside the root"
    );
    assert_eq!(
        refused(checked().resolution(resolution(None, span(1, 2)))),
        "an invalid range 1..2 (occurrence): it splits a character"
    );
}

#[test]
fn renamings_are_validated() {
    let renaming = |edits, unresolved| wit::RenameResult {
        edits,
        exported: vec![wit::RenamedExport { old: "a".to_owned(), new: "b".to_owned() }],
        unresolved,
        elsewhere: Some(place("x.ts")),
        declared: None,
        shared: None,
        file: Some("a.ts".to_owned()),
        name: "a".to_owned(),
    };
    let found = checked().rename_result(renaming(vec![edit(0, 1, "b")], vec![span(4, 5)])).expect("a renaming");
    assert_eq!((found.edits.len(), found.unresolved), (1, vec![Span::new(4, 5)]));
    assert_eq!(found.exported, [("a".to_owned(), "b".to_owned())]);
    assert_eq!(
        refused(checked().rename_result(renaming(vec![], vec![span(4, 9)]))),
        "an invalid range 4..9 (place): it is beyond the end of the document"
    );
    let overlapping = renaming(vec![edit(0, 3, "b"), edit(1, 3, "c")], vec![]);
    assert!(refused(checked().rename_result(overlapping)).starts_with("invalid edits"));
}

#[test]
fn relations_and_dependencies_are_validated() {
    let related = |end| wit::RelatedSymbol {
        name: "f".to_owned(),
        span: span(0, end),
        address: None,
        from: Some("./a".to_owned()),
        declared: None,
    };
    let found = checked().related_symbols(vec![related(1)]).expect("a relation");
    assert_eq!((found[0].name.as_str(), found[0].specifier.as_deref()), ("f", Some("./a")));
    assert_eq!(
        refused(checked().related_symbols(vec![related(2)])),
        "an invalid range 0..2 (relation): it splits a character"
    );
    let used = vec![wit::Dependency { symbol: "S".to_owned(), from: "./s".to_owned() }];
    let used = checked().dependencies(used).expect("a dependency");
    assert_eq!((used[0].symbol.as_str(), used[0].specifier.as_str()), ("S", "./s"));
}
