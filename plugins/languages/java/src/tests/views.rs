//! Views: `full`, `signature`, `body`, `summary`.

use marquetry_sdk::{Form, TargetKind::Symbol, testing};

use crate::Java;

const TEXT: &str = "package a;\n\n/** Has items. */\n@Entity(name = \"a\")\npublic class Cart<T> {\n    /** All. */\n    @Inject\n    private List<T> items = new ArrayList<>();\n\n    /** Sums. */\n    @Override\n    public int total(\n        int scale, // it\n        int more\n    ) throws A {\n        // Sum.\n        return 1; // one\n    }\n\n    int[] table = {\n        1, 2,\n    };\n\n    enum Kind {\n        A, B\n    }\n}\n";

#[track_caller]
fn check(target: &str, form: Form, expected: &str) {
    let bench = testing::open::<Java>("A.java", TEXT);
    let nodes = bench.nodes(Symbol, target).expect("found");
    assert_eq!(bench.show(&nodes[0], form).expect("shown"), expected, "{target} {form:?}");
}

#[test]
fn signatures_are_one_line() {
    check("Cart", Form::Signature, "public class Cart<T>");
    check("Cart.total", Form::Signature, "public int total(int scale, int more) throws A");
    check("Cart.items", Form::Signature, "private List<T> items = …");
    check("Cart.table", Form::Signature, "int[] table = …");
    check("Cart.Kind", Form::Signature, "enum Kind");
    check("Cart.Kind.A", Form::Signature, "A");
}

#[test]
fn bodies_have_their_comments() {
    check("Cart.total", Form::Body, "// Sum.\n        return 1; // one");
    check("Cart.items", Form::Body, "new ArrayList<>()");
    check("Cart.Kind", Form::Body, "A, B");
    check("Cart.items", Form::Full, "@Inject\n    private List<T> items = new ArrayList<>();");
}

#[test]
fn summaries_have_annotations_and_heads() {
    check(
        "Cart",
        Form::Summary,
        "/** Has items. */\n@Entity(name = \"a\")\npublic class Cart<T> { … }\n    @Inject\n    private List<T> items = …\n    @Override\n    public int total(int scale, int more) throws A { … }\n    int[] table = …\n    enum Kind { … }",
    );
}
