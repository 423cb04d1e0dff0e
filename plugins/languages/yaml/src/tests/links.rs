//! Tests of links in YAML files, and of their text after an update.

use marquetry_sdk::{Context, Destination, Linking, Request, SpecifierRequest, testing, workspace};

use crate::Yaml;

const API: &str = "openapi: 3.1.0\npaths:\n  /users:\n    $ref: ./paths/users.yaml#/all\ncomponents:\n  schemas:\n    User: {$ref: \"../schemas/user.yaml\"}\n    Own:\n      $ref: '#/components/schemas/User'\n    Same: &same\n      $ref: 'it''s.yaml'\n    Again: *same\n";

#[test]
fn finds_references() {
    let bench = testing::open::<Yaml>("api/openapi.yaml", API);
    let links = Yaml::links(bench.document());
    let found: Vec<(&str, &str)> = links.iter().map(|link| (link.span.slice(API), link.statement.slice(API))).collect();
    assert_eq!(
        found,
        [
            ("./paths/users.yaml#/all", "$ref: ./paths/users.yaml#/all"),
            ("../schemas/user.yaml", "$ref: \"../schemas/user.yaml\""),
        ]
    );
}

#[test]
fn resolves_and_formats_references() {
    workspace::set_files([("api/paths/users.yaml".to_owned(), String::new())]);
    let (from, kind, specifier) = ("api/openapi.yaml", "ref".to_owned(), "./paths/users.yaml#/all".to_owned());
    let request = Request { kind: kind.clone(), specifier: specifier.clone() };
    let Destination::Inside(was) = Yaml::resolve(&Context::for_path(from), &[request]).remove(0) else {
        panic!("the target exists")
    };
    let formatted = |to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        Yaml::format_specifiers(
            &Context::for_path(""),
            &[SpecifierRequest { from, to, was: was.path.clone(), kind: kind.clone(), specifier: specifier.clone() }],
        )
        .remove(0)
    };
    assert_eq!(formatted("api/people.yaml").expect("a path"), "./people.yaml#/all");
    assert!(formatted("api/it's.yaml").is_err());
}

#[test]
fn removes_references() {
    let text = "extends: ./base.yml\nrules: {}\n";
    let bench = testing::open::<Yaml>(".eslintrc.yml", text);
    let edits = Yaml::unlink(bench.document(), &[0]).expect("removed").edits;
    assert_eq!(marquetry_sdk::span::apply(text, &edits), "rules: {}\n");
    let api = testing::open::<Yaml>("a.yaml", API);
    assert!(Yaml::unlink(api.document(), &[0]).is_err());
}

#[track_caller]
fn check_links(path: &str, text: &str, expected: &[(&str, &str)]) {
    let bench = testing::open::<Yaml>(path, text);
    let links = Yaml::links(bench.document());
    let found: Vec<(&str, &str)> = links.iter().map(|link| (link.kind.as_str(), link.span.slice(text))).collect();
    assert_eq!(found, expected, "{path}");
    for link in links {
        assert_eq!(link.span.slice(text), link.specifier);
    }
}

#[test]
fn finds_links_of_workflows() {
    check_links(
        ".github/workflows/ci.yml",
        "on:\n  push:\n    paths: ['src/**', '!docs/a.md']\njobs:\n  a:\n    uses: ./.github/workflows/b.yml\n  b:\n    steps:\n      - uses: ./ci/setup\n      - uses: actions/checkout@v4\n      - run: ./run.sh now\n      - run: |\n          node scripts/a.js\n          cd x\n          node b.js\n      - run: ./c.sh\n        working-directory: sub\n",
        &[
            ("pattern in ../..", "src/**"),
            ("pattern in ../..", "docs/a.md"),
            ("action in ../..", "./.github/workflows/b.yml"),
            ("action in ../..", "./ci/setup"),
            ("script in ../..", "./run.sh"),
            ("script in ../..", "scripts/a.js"),
            ("script in ../..", "x"),
            ("script in ../../x", "b.js"),
            ("script in ../../sub", "./c.sh"),
            ("folder in ../..", "sub"),
        ],
    );
}

#[test]
fn finds_links_of_compose_files() {
    check_links(
        "deploy/compose.yaml",
        "services:\n  web:\n    build:\n      context: ../app\n      dockerfile: docker/Dockerfile\n    env_file: [web.env]\n    volumes:\n      - ./data:/data:ro\n      - .:/app\n      - type: bind\n        source: ..\n      - named:/x\n  db:\n    build: ./db\nsecrets:\n  key:\n    file: ./key.txt\n",
        &[
            ("folder", "../app"),
            ("file in ../app", "docker/Dockerfile"),
            ("file", "web.env"),
            ("volume", "./data"),
            ("volume", "."),
            ("volume", ".."),
            ("folder", "./db"),
            ("file", "./key.txt"),
        ],
    );
}

#[test]
fn finds_links_of_workspaces() {
    check_links(
        "pnpm-workspace.yaml",
        "packages:\n  - packages/*\n  - tools/build\n  - '!packages/old'\ncatalog:\n  react: ^19.0.0\n",
        &[("glob", "packages/*"), ("glob", "tools/build"), ("glob", "packages/old")],
    );
}

#[test]
fn finds_links_of_site_configurations() {
    check_links(
        "mkdocs.yml",
        "docs_dir: pages\nnav:\n  - Home: index.md\n  - Guide:\n      - guide/start.md\n  - Else: https://example.com/a.md\n",
        &[("folder", "pages"), ("page in pages", "index.md"), ("page in pages", "guide/start.md")],
    );
}

#[test]
fn path_like_text_is_a_possible_link() {
    check_links("data.yaml", "a: scripts/x.sh\nb: application/json\nc: plain words\n", &[("possible", "scripts/x.sh")]);
}

/// Returns the text after the removal of the links with these specifiers, or the message of the refusal.
fn unlinked(path: &str, text: &str, wanted: &[&str]) -> Result<String, String> {
    let bench = testing::open::<Yaml>(path, text);
    let links = Yaml::links(bench.document()).into_iter().enumerate();
    let links = links.filter(|(_, link)| wanted.contains(&link.specifier.as_str()));
    let links: Vec<u32> = links.map(|(index, _)| index as u32).collect();
    assert_eq!(links.len(), wanted.len(), "{path}: {wanted:?}");
    let edits = Yaml::unlink(bench.document(), &links).map_err(|failure| failure.message)?.edits;
    let after = marquetry_sdk::span::apply(text, &edits);
    assert!(testing::open::<Yaml>(path, &after).diagnostics().is_empty(), "{after}");
    Ok(after)
}

#[test]
fn unlink_removes_items_with_their_reference() {
    let check = |path: &str, text: &str, wanted: &[&str], expected: &str| {
        assert_eq!(unlinked(path, text, wanted).as_deref(), Ok(expected), "{text}");
    };
    let nav = "nav:\n  - A: a.md\n  - B: b.md\n";
    check("mkdocs.yml", nav, &["a.md"], "nav:\n  - B: b.md\n");
    check("mkdocs.yml", nav, &["a.md", "b.md"], "nav: []\n");
    check("mkdocs.yml", "nav: [{A: a.md}, b.md]\n", &["a.md"], "nav: [b.md]\n");
    let guide = "nav:\n  - index.md\n  - Guide:\n      - One: one.md\n      - two.md\n";
    check("mkdocs.yml", guide, &["one.md"], "nav:\n  - index.md\n  - Guide:\n      - two.md\n");
    check("mkdocs.yml", guide, &["one.md", "two.md"], "nav:\n  - index.md\n");
    check("mkdocs.yml", "extra_css:\n  - a.css\n  - b.css\n", &["a.css"], "extra_css:\n  - b.css\n");
    let service = |inside: &str| format!("services:\n  a:\n    image: x\n{inside}");
    check("compose.yml", &service("    build: p1\n"), &["p1"], &service(""));
    check(
        "compose.yml",
        &service("    volumes:\n      - type: bind\n        source: ./d\n        target: /d\n      - x:/x\n"),
        &["./d"],
        &service("    volumes:\n      - x:/x\n"),
    );
    check(
        "compose.yml",
        &service("    env_file:\n      - path: a.env\n        required: false\n      - b.env\n"),
        &["a.env"],
        &service("    env_file:\n      - b.env\n"),
    );
    check("compose.yml", &service("    env_file: a.env\n"), &["a.env"], &service(""));
    check("pnpm-workspace.yaml", "packages:\n  - p1\n  - p2\n", &["p1"], "packages:\n  - p2\n");
    let job = "jobs:\n  a:\n    steps:\n      - uses: ./setup\n      - run: make\n";
    check(".github/workflows/a.yml", job, &["./setup"], "jobs:\n  a:\n    steps:\n      - run: make\n");
}

#[test]
fn unlink_refuses_to_leave_invalid_entries() {
    for (path, text, wanted, name) in [
        ("compose.yml", "services:\n  a:\n    build: p1\n    ports: [\"80\"]\n", "p1", "build"),
        ("compose.yml", "services:\n  a:\n    build:\n      context: p1\n      target: x\n", "p1", "context"),
        ("compose.yml", "services:\n  a:\n    build:\n      context: .\n      dockerfile: d/D\n", "d/D", "dockerfile"),
        ("compose.yml", "services:\n  a:\n    extends:\n      file: x.yml\n      service: y\n", "x.yml", "file"),
        ("compose.yml", "secrets:\n  k:\n    file: ./key.txt\n", "./key.txt", "file"),
        ("pnpm-workspace.yaml", "packages:\n  - p1\n", "p1", "packages"),
        (
            ".github/workflows/a.yml",
            "jobs:\n  a:\n    uses: ./.github/workflows/b.yml\n",
            "./.github/workflows/b.yml",
            "uses",
        ),
        (".github/workflows/a.yml", "jobs:\n  a:\n    steps:\n      - uses: ./x\n        id: x\n", "./x", "uses"),
        (".github/workflows/a.yml", "jobs:\n  a:\n    steps:\n      - uses: ./x\n", "./x", "steps"),
        (".github/workflows/a.yml", "on:\n  push:\n    paths: ['src/**']\n", "src/**", "paths"),
        (
            ".github/workflows/a.yml",
            "jobs:\n  a:\n    defaults:\n      run:\n        working-directory: w\n",
            "w",
            "working-directory",
        ),
        ("action.yml", "runs:\n  using: node20\n  main: dist/index.js\n", "dist/index.js", "main"),
        ("mkdocs.yml", "docs_dir: pages\n", "pages", "docs_dir"),
    ] {
        let message = unlinked(path, text, &[wanted]).expect_err(text);
        assert!(message.starts_with(&format!("`{name}` cannot be removed alone: ")), "{text}: {message}");
    }
    let message = unlinked("pnpm-workspace.yaml", "packages: [p1, p2]\n", &["p1", "p2"]).expect_err("empty");
    assert_eq!(message, "`packages` cannot be removed alone: the list would be empty, which is an error");
}
