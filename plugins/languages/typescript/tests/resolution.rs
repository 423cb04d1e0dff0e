//! Resolution of specifiers: settings that refer to themselves, and files that a server offers at its root.

use marquetry_sdk::{Context, Destination, Linking, Request, SpecifierRequest, workspace};
use marquetry_typescript::TypeScript;

fn set(files: &[(&str, &str)]) {
    workspace::set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
}

fn resolved(from: &str, kind: &str, specifier: &str) -> String {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    match &TypeScript::resolve(&Context::for_path(from), &[request])[0] {
        Destination::Inside(found) => format!("{}{}", found.path, found.suffix),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(why) => format!("unknown: {why}"),
    }
}

fn formatted(from: &str, specifier: &str, was: &str, to: &str) -> String {
    let [from, specifier, was, to] = [from, specifier, was, to].map(str::to_owned);
    let request = SpecifierRequest { from, to, was, kind: "import".to_owned(), specifier };
    TypeScript::format_specifiers(&Context::for_path(""), &[request]).remove(0).expect("a specifier")
}

#[test]
fn main_that_names_its_own_folder_is_its_index() {
    for main in [".", "./", "..", "../sub", "./.", "../sub/", "../sub/.", "../sub/../sub", ""] {
        let manifest = format!(r#"{{"name": "x", "main": "{main}"}}"#);
        set(&[("sub/package.json", &manifest), ("sub/index.js", ""), ("sub/n.js", ""), ("a.js", ""), ("index.js", "")]);
        let expected = if main == ".." { "index.js" } else { "sub/index.js" };
        assert_eq!(resolved("a.js", "require", "./sub"), expected, "{main}");
        assert_eq!(resolved("sub/n.js", "require", "."), expected, "{main}");
        assert_eq!(resolved("sub/n.js", "require", "./"), expected, "{main}");
        assert_eq!(resolved("sub/n.js", "require", "x"), expected, "{main}");
    }
}

#[test]
fn main_entries_that_name_each_other_end() {
    set(&[
        ("a/package.json", r#"{"name": "a", "main": "../b"}"#),
        ("b/package.json", r#"{"name": "b", "main": "../a"}"#),
        ("b/index.js", ""),
        ("c/package.json", r#"{"name": "c", "exports": {".": "./d"}}"#),
        ("c/d/package.json", r#"{"main": ".."}"#),
        ("e/package.json", r##"{"name": "e", "imports": {"#x": "#x", "#y": "."}, "main": "../none"}"##),
        ("e/f.js", ""),
        ("n.js", ""),
    ]);
    assert_eq!(resolved("n.js", "require", "./a"), "b/index.js");
    assert_eq!(resolved("n.js", "require", "./b"), "b/index.js");
    assert!(resolved("c/x.js", "require", "c").starts_with("unknown"));
    assert_eq!(resolved("e/f.js", "require", "#x"), "external");
    assert_eq!(resolved("e/f.js", "require", "#y"), "missing e");
    assert_eq!(resolved("e/f.js", "require", "."), "missing e");
}

#[test]
fn main_is_a_folder_with_an_index() {
    set(&[("p/package.json", r#"{"main": "./lib"}"#), ("p/lib/index.js", ""), ("p/index.js", ""), ("n.js", "")]);
    assert_eq!(resolved("n.js", "require", "./p"), "p/lib/index.js");
    // The manifest of the folder that `main` names does not count.
    set(&[
        ("p/package.json", r#"{"main": "./lib"}"#),
        ("p/lib/package.json", r#"{"main": "./x.js"}"#),
        ("p/lib/x.js", ""),
        ("p/lib/index.js", ""),
        ("n.js", ""),
    ]);
    assert_eq!(resolved("n.js", "require", "./p"), "p/lib/index.js");
}

#[test]
fn configurations_that_extend_each_other_end() {
    let both = r#"{"extends": ["./tsconfig.json", "./b.json", "./c.json"], "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#;
    let files = [("tsconfig.json", both), ("b.json", both), ("c.json", both), ("src/a.ts", ""), ("m.ts", "")];
    set(&files);
    assert_eq!(resolved("m.ts", "import", "@/a"), "src/a.ts");
    // Without a cycle, the number of ways doubles at every step.
    let names: Vec<(String, String)> = (0..15)
        .map(|step| (format!("t{step}.json"), format!(r#"{{"extends": ["./t{0}.json", "./t{0}.json"]}}"#, step + 1)))
        .collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("tsconfig.json", r#"{"extends": "./t0.json", "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#));
    files.extend([("src/a.ts", ""), ("m.ts", "")]);
    set(&files);
    assert_eq!(resolved("m.ts", "import", "@/a"), "src/a.ts");
    set(&[
        ("tsconfig.json", r#"{"references": [{"path": "."}, {"path": "./p"}], "files": []}"#),
        ("p/tsconfig.json", r#"{"references": [{"path": ".."}], "compilerOptions": {"paths": {"@/*": ["./s/*"]}}}"#),
        ("p/s/a.ts", ""),
        ("p/m.ts", ""),
    ]);
    assert_eq!(resolved("p/m.ts", "import", "@/a"), "p/s/a.ts");
}

#[test]
fn files_in_public_are_named_without_it() {
    set(&[
        ("package.json", "{}"),
        ("src/main.ts", ""),
        ("public/logo.svg", ""),
        ("public/l.svg", ""),
        ("public/data/d.json", ""),
        ("src/pic.svg", ""),
        ("public/src/pic.svg", ""),
    ]);
    assert_eq!(formatted("src/main.ts", "/logo.svg", "public/logo.svg", "public/l.svg"), "/l.svg");
    assert_eq!(formatted("src/main.ts", "/public/logo.svg", "public/logo.svg", "public/l.svg"), "/public/l.svg");
    assert_eq!(formatted("src/main.ts", "/logo.svg", "public/logo.svg", "src/pic.svg"), "/src/pic.svg");
    assert_eq!(formatted("src/main.ts", "/src/x.svg", "src/x.svg", "public/l.svg"), "/l.svg");
    // The short name would mean the file in `src`.
    assert_eq!(formatted("src/main.ts", "/logo.svg", "public/logo.svg", "public/src/pic.svg"), "/public/src/pic.svg");
}
