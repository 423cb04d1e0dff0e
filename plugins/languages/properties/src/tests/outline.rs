//! Tests of the outline: sections with their entries, and their addresses.

use marquetry_sdk::testing::open;

use super::{ENV, INI, JAVA, SETUP};
use crate::Properties;

#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    assert_eq!(open::<Properties>(path, text).outline(), expected);
}

#[test]
fn outline_has_entries_of_each_format() {
    check(".env", ENV, "property DATABASE_URL @DATABASE_URL\nproperty PORT @PORT\nproperty EMPTY @EMPTY\n");
    check(
        ".editorconfig",
        INI,
        "\
property root @root
section * @*
  property indent_style @*.indent_style
section *.md @*.md
  property indent_size @*.md.indent_size
",
    );
    check(
        "setup.cfg",
        SETUP,
        "\
section metadata @metadata
  property name @metadata.name
section options @options
  property install_requires @options.install_requires
  property zip_safe @options.zip_safe
",
    );
    check(
        "application.properties",
        JAVA,
        "property server.port @server.port\nproperty server.hosts @server.hosts\nproperty server[0] @server[0]\nproperty empty @empty\n",
    );
}

#[test]
fn finds_section_by_its_header() {
    let bench = open::<Properties>(".editorconfig", "root = true\n[*]\na = 1\n[ {*.md,*.txt} ]\na = 2\n[[x]]\nb = 3\n");
    let addresses = |target: &str| {
        let nodes = bench.nodes(marquetry_sdk::TargetKind::Path, target).unwrap_or_default();
        nodes.into_iter().map(|node| node.address).collect::<Vec<_>>()
    };
    for target in ["*", "[*]"] {
        assert_eq!(addresses(target), ["*"]);
    }
    assert_eq!(addresses("[*].a"), ["*.a"]);
    assert_eq!(addresses("[{*.md,*.txt}].a"), ["{*.md,*.txt}.a"]);
    assert_eq!(addresses("[{*.md,*.txt}]"), ["{*.md,*.txt}"]);
    for none in ["[root]", "[]", "[*", "[a]", "[*].b"] {
        assert!(addresses(none).is_empty(), "{none}");
    }
}

#[test]
fn repeated_names_are_numbered() {
    check(
        "a.ini",
        "[a]\nx=1\n[b]\nx=1\n[a]\nx=1\n",
        "\
section a @a[1]
  property x @a.x[1]
section b @b
  property x @b.x
section a @a[2]
  property x @a.x[2]
",
    );
    // A key that looks like a numbered address keeps its own address.
    check("a.properties", "a=1\na=2\na[1]=3\n", "property a @a[1][1]\nproperty a @a[2]\nproperty a[1] @a[1]\n");
}
