//! Tests of views of entries and sections.

use marquetry_sdk::{Form, TargetKind::Path, testing::open};

use super::{ENV, INI, JAVA};
use crate::Properties;

#[track_caller]
fn check(path: &str, text: &str, target: &str, form: Form, expected: &str) {
    let bench = open::<Properties>(path, text);
    let node = bench.nodes(Path, target).expect(target).remove(0);
    assert_eq!(bench.show(&node, form).expect("shown"), expected);
}

#[test]
fn shows_entry() {
    check(".env", ENV, "DATABASE_URL", Form::Body, "postgres://db/shop");
    check(".env", ENV, "PORT", Form::Body, "8080");
    check(".env", ENV, "PORT", Form::Signature, "export PORT = 8080");
    check("a.properties", JAVA, "server.hosts", Form::Signature, "server.hosts a.example, \\");
    check("a.properties", JAVA, "server.hosts", Form::Summary, "server.hosts a.example, \\\n             b.example");
}

#[test]
fn shows_section() {
    check(".editorconfig", INI, "*", Form::Body, "indent_style = space");
    check(".editorconfig", INI, "*", Form::Signature, "[*]");
    check("a.ini", "[a]\nx=1\ny=2\n", "a", Form::Summary, "x\ny\n");
}

#[test]
fn comment_above_is_part_of_entry() {
    let text = "# file\n\n# one\n# two\nA=1\nB=2\n";
    let bench = open::<Properties>(".env", text);
    let doc = |target: &str| bench.nodes(Path, target).expect(target)[0].doc.map(|doc| doc.slice(text).to_owned());
    assert_eq!(doc("A").as_deref(), Some("# one\n# two"));
    assert_eq!(doc("B"), None);
}
