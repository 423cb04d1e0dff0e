//! Refactors: texts before and after.

use marquetry_sdk::{
    TargetKind,
    testing::{self, check_refactor, last, sorted},
    workspace::set_files,
};

use crate::Go;

#[track_caller]
fn check(id: &str, arguments: &[(&str, &str)], before: &str, after: &str) {
    check_refactor::<Go>(("a.go", before), id, arguments, after);
}

#[track_caller]
fn refused(id: &str, arguments: &[(&str, &str)], before: &str, message: &str) {
    testing::check_refused::<Go>(("a.go", before), id, arguments, message);
}

#[test]
fn imports_are_added() {
    let add = |path: &str, before: &str, after: &str| check("add_import", &[("path", path)], before, after);
    add("os", "package a\n", "package a\n\nimport \"os\"\n");
    add("os", "package a\n\nfunc f() {}\n", "package a\n\nimport \"os\"\n\nfunc f() {}\n");
    add("os", "package a\n\nimport \"fmt\"\n", "package a\n\nimport \"fmt\"\nimport \"os\"\n");
    add(
        "io",
        "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n",
        "package a\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n",
    );
    let groups = "package a\n\nimport (\n\t\"fmt\"\n\n\t\"a.org/b\"\n)\n";
    add("net/http", groups, "package a\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\n\t\"a.org/b\"\n)\n");
    add("a.org/c", groups, "package a\n\nimport (\n\t\"fmt\"\n\n\t\"a.org/b\"\n\t\"a.org/c\"\n)\n");
    add("fmt", groups, groups);
    check(
        "add_import",
        &[("path", "b/fmt"), ("alias", "f")],
        groups,
        "package a\n\nimport (\n\tf \"b/fmt\"\n\t\"fmt\"\n\n\t\"a.org/b\"\n)\n",
    );
    refused("add_import", &[("path", "b.org/fmt")], groups, "another `fmt`");
    refused("add_import", &[("path", "a b")], groups, "not an import path");
    refused("add_import", &[("path", "os"), ("alias", "func")], groups, "not a valid name");
}

#[test]
fn imports_of_a_content_are_added() {
    let before = "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n";
    let check = |content: &str, expected: &str| {
        testing::check_edit::<Go>(("a.go", before), (TargetKind::Region, "imports"), last(content), expected);
    };
    check("import \"io\"", "package a\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n");
    check("import (\n\t\"fmt\"\n)", before);
    check("import \"b\"\nimport \"c\"", "package a\n\nimport (\n\t\"b\"\n\t\"c\"\n\t\"fmt\"\n\t\"os\"\n)\n");
    check("\"io\"", "package a\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n");
    check("io", "package a\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n");
    check("  net/http  \n", "package a\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"os\"\n)\n");
    check("_ \"embed\"", "package a\n\nimport (\n\t_ \"embed\"\n\t\"fmt\"\n\t\"os\"\n)\n");
    check(". \"math\"", "package a\n\nimport (\n\t\"fmt\"\n\t. \"math\"\n\t\"os\"\n)\n");
    check("`io`", "package a\n\nimport (\n\t\"fmt\"\n\t`io`\n\t\"os\"\n)\n");
    check(
        "// Reads.\n\"io\" // it (here)\n\"fmt\"\nlog \"a.org/log\"; \"a.org/b\"",
        "package a\n\nimport (\n\t\"fmt\"\n\t// Reads.\n\t\"io\" // it (here)\n\t\"os\"\n\n\t\"a.org/b\"\n\tlog \"a.org/log\"\n)\n",
    );
    for content in ["var x = 1", "log a.org/log", "\"io\" x", "// only a comment", "f()", "io, os"] {
        testing::check_refusal::<Go>(("a.go", before), (TargetKind::Region, "imports"), last(content));
    }
}

#[test]
fn imports_go_to_the_group_of_their_class() {
    set_files([("go.mod".to_owned(), "module shop\n".to_owned())]);
    let check = |before: &str, content: &str, expected: &str| {
        let text = |imports: &str| format!("package a\n\nimport ({imports})\n");
        let (before, expected) = (text(before), text(expected));
        testing::check_edit::<Go>(("a.go", &before), (TargetKind::Region, "imports"), sorted(content), &expected);
    };
    let three = "\n\t\"fmt\"\n\t\"os\"\n\n\t\"a.org/b\"\n\n\t\"shop/cart\"\n";
    check(three, "\"io\"", "\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n\n\t\"a.org/b\"\n\n\t\"shop/cart\"\n");
    check(three, "\"a.org/a\"", "\n\t\"fmt\"\n\t\"os\"\n\n\t\"a.org/a\"\n\t\"a.org/b\"\n\n\t\"shop/cart\"\n");
    check(three, "\"shop/user\"", "\n\t\"fmt\"\n\t\"os\"\n\n\t\"a.org/b\"\n\n\t\"shop/cart\"\n\t\"shop/user\"\n");
    // Without a group of its class, an import gets one, except that projects may mix other modules with their own.
    check("\n\t\"a.org/b\"\n", "\"shop/user\"", "\n\t\"a.org/b\"\n\t\"shop/user\"\n");
    check("\n\t\"shop/user\"\n", "\"a.org/b\"", "\n\t\"a.org/b\"\n\t\"shop/user\"\n");
    check("\n\t// The cart.\n\t\"shop/cart\"\n", "io", "\n\t\"io\"\n\n\t// The cart.\n\t\"shop/cart\"\n");
    check("\n\t\"io\" // it\n", "a.org/b", "\n\t\"io\" // it\n\n\t\"a.org/b\"\n");
    check("\"io\"", "a.org/b", "\n\t\"io\"\n\t\"a.org/b\"\n");
    check("", "a.org/b\nio", "\n\t\"io\"\n\n\t\"a.org/b\"\n");
    let mixed = "\n\t\"fmt\"\n\t\"github.com/a\"\n\t\"os\"\n";
    check(mixed, "io", "\n\t\"fmt\"\n\t\"github.com/a\"\n\t\"io\"\n\t\"os\"\n");
    check("\n\t\"fmt\"\n", "a.org/b\nio", "\n\t\"fmt\"\n\t\"io\"\n\n\t\"a.org/b\"\n");
    check("\n\t\"a.org/m\"\n", "io\na.org/b", "\n\t\"io\"\n\n\t\"a.org/b\"\n\t\"a.org/m\"\n");
    let none = |content: &str, expected: &str| {
        testing::check_edit::<Go>(("a.go", "package a\n"), (TargetKind::Region, "imports"), last(content), expected);
    };
    none("io\na.org/b", "package a\n\nimport (\n\t\"io\"\n\n\t\"a.org/b\"\n)\n");
    none("io", "package a\n\nimport \"io\"\n");
}

#[test]
fn imports_are_sorted() {
    let sort = |before: &str, after: &str| check("organize_imports", &[], before, after);
    sort(
        "package a\n\nimport (\n\t\"os\" // it\n\t// The format.\n\t\"fmt\"\n\n\tz \"b\"\n\t\"a\"\n\t\"a\"\n)\n",
        "package a\n\nimport (\n\t// The format.\n\t\"fmt\"\n\t\"os\" // it\n\n\t\"a\"\n\tz \"b\"\n)\n",
    );
    sort("package a\n\nimport (\"b\"; \"a\")\n", "package a\n\nimport (\"b\"; \"a\")\n");
    refused("organize_imports", &[], "package a\nfunc (", "syntax");
}

#[test]
fn unused_imports_are_removed() {
    let files = [("go.mod", "module x.org/m\n"), ("b/b.go", "package other\n"), ("c.go", "package a\nvar os = 1\n")];
    set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let remove = |before: &str, after: &str| check("remove_unused_imports", &[], before, after);
    remove(
        "package a\n\nimport (\n\t\"fmt\"\n\t\"io\" // it\n\t_ \"embed\"\n\t. \"math\"\n\tx \"strings\"\n\t\"x.org/m/b\"\n)\n\nvar v = fmt.Sprint()\n",
        "package a\n\nimport (\n\t\"fmt\"\n\t_ \"embed\"\n\t. \"math\"\n)\n\nvar v = fmt.Sprint()\n",
    );
    remove("package a\n\nimport \"io\"\n\nvar x = 1\n", "package a\n\nvar x = 1\n");
    remove("package a\n\nimport (\n\t\"io\"\n)\n\nvar x = 1\n", "package a\n\nvar x = 1\n");
    let used = "package a\n\nimport \"x.org/m/b\"\n\nvar x = other.X\n";
    remove(used, used);
    // The name of a package from outside of the workspace is not known: it may be the package of the qualifier.
    let unknown = "package a\n\nimport \"x.org/go-thing\"\n\nvar x = widget.X\n";
    remove(unknown, unknown);
    remove("package a\n\nimport \"x.org/go-thing\"\n\nvar x = 1\n", "package a\n\nvar x = 1\n");
    remove("package a\n\nimport \"io\"\n\nfunc f(io T) { io.x() }\n", "package a\n\nfunc f(io T) { io.x() }\n");
}

#[track_caller]
fn extract(before: &str, after: &str) {
    let (before, after) = (format!("package a\n\n{before}"), format!("package a\n\n{after}"));
    check("extract_variable", &[("extractedName", "v")], &before, &after);
}

#[track_caller]
fn extract_refused(before: &str, message: &str) {
    refused("extract_variable", &[("extractedName", "v")], &format!("package a\n\n{before}"), message);
}

#[test]
fn expressions_are_extracted() {
    extract("func f() {\n\tg(«a + b»)\n}\n", "func f() {\n\tv := a + b\n\tg(v)\n}\n");
    extract("func f() int {\n\treturn 1 + «h(x)»\n}\n", "func f() int {\n\tv := h(x)\n\treturn 1 + v\n}\n");
    extract("func f() {\n\tvar x float64 = «2 * 3»\n}\n", "func f() {\n\tconst v = 2 * 3\n\tvar x float64 = v\n}\n");
    extract("func f() {\n\tif «len(s) > 1» {\n\t}\n}\n", "func f() {\n\tv := len(s) > 1\n\tif v {\n\t}\n}\n");
    extract(
        "func f() {\n\tswitch x {\n\tcase 1:\n\t\tg(«y.z»)\n\t}\n}\n",
        "func f() {\n\tswitch x {\n\tcase 1:\n\t\tv := y.z\n\t\tg(v)\n\t}\n}\n",
    );
    extract("func f() {\n\tg(a, «func() { b() }»)\n}\n", "func f() {\n\tv := func() { b() }\n\tg(a, v)\n}\n");
}

#[test]
fn expressions_that_cannot_be_evaluated_earlier_stay() {
    extract_refused("func f() {\n\tfor «g()» {\n\t}\n}\n", "later, often or never");
    extract_refused("func f() {\n\tif a {\n\t} else if «g()» {\n\t}\n}\n", "later, often or never");
    extract_refused("func f() {\n\tif x := g(); «x > 1» {\n\t}\n}\n", "its statement declares");
    extract_refused("func f() {\n\th(func() { g(«x») })\n}\n", "");
    extract_refused("func f() {\n\tx := a != nil && «a.b»\n}\n", "`&&`");
    extract_refused("func f() {\n\tg(h(), «x.y»)\n}\n", "code before it");
    extract_refused("func f() {\n\ta, b := «g()»\n}\n", "single value");
    extract_refused("func f() {\n\tg(«h()»)\n}\n", "single value");
    extract_refused("func f() {\n\t«g()»\n}\n", "single value");
    extract_refused("func f() {\n\t«x[1]» = 2\n}\n", "single value");
    extract_refused("func f() {\n\tp := &«x.y»\n}\n", "single value");
    extract_refused("func f() {\n\tvar x «T»\n}\n", "single value");
    extract_refused("func f(v int) {\n\tx := «a + b»\n}\n", "the name `v`");
}

#[track_caller]
fn inline(before: &str, after: &str) {
    let (before, after) = (format!("package a\n\n{before}"), format!("package a\n\n{after}"));
    check("inline_variable", &[], &before, &after);
}

#[track_caller]
fn inline_refused(before: &str, message: &str) {
    refused("inline_variable", &[], &format!("package a\n\n{before}"), message);
}

#[test]
fn variables_are_inlined() {
    inline("func f(a, b int) {\n\t‸x := a + b\n\tg(x, x*2)\n}\n", "func f(a, b int) {\n\tg(a + b, (a + b)*2)\n}\n");
    inline("func f() {\n\tx := g()\n\th(‸x)\n}\n", "func f() {\n\th(g())\n}\n");
    inline("func f() int {\n\t‸x := a.b[1]\n\treturn x\n}\n", "func f() int {\n\treturn a.b[1]\n}\n");
    inline("func f() {\n\tvar ‸x = g()\n\tif x > 1 {\n\t}\n}\n", "func f() {\n\tif g() > 1 {\n\t}\n}\n");
    inline("func f() {\n\tconst ‸x = \"a\"\n\tg(func() { h(x) })\n}\n", "func f() {\n\tg(func() { h(\"a\") })\n}\n");
    inline("func f() {\n\t‸x := &T{1}\n\tx.run()\n}\n", "func f() {\n\t(&T{1}).run()\n}\n");
    inline("func f() {\n\t‸x := T{1}\n\tif x == y {\n\t}\n}\n", "func f() {\n\tif (T{1}) == y {\n\t}\n}\n");
    inline(
        "func f() {\n\t‸x := g()\n\tfor y := x; y > 1; y-- {\n\t}\n}\n",
        "func f() {\n\tfor y := g(); y > 1; y-- {\n\t}\n}\n",
    );
    inline(
        "func f() {\n\tswitch y {\n\tcase 1:\n\t\t‸x := g()\n\t\th(x.y)\n\t}\n}\n",
        "func f() {\n\tswitch y {\n\tcase 1:\n\t\th(g().y)\n\t}\n}\n",
    );
}

#[test]
fn variables_whose_value_may_change_stay() {
    let may_change = "may change";
    inline_refused("func f() {\n\t‸x := g()\n\th(x, x)\n}\n", may_change);
    inline_refused("func f() {\n\t‸x := g()\n\th()\n\th(x)\n}\n", may_change);
    inline_refused("func f() {\n\t‸x := g()\n\th(k(), x)\n}\n", may_change);
    inline_refused("func f() {\n\t‸x := a.b\n\th(func() { k(x) })\n}\n", may_change);
    inline_refused("func f() {\n\t‸x := g()\n\tfor x {\n\t}\n}\n", may_change);
    inline_refused("func f() {\n\t‸x := g()\n\ty := a && x\n}\n", may_change);
    inline_refused("func f() {\n\t‸x := g()\n\tif a {\n\t\th(x)\n\t}\n}\n", may_change);
    inline_refused("func f(a int) {\n\t‸x := a + 1\n\ta = 2\n\th(x)\n}\n", may_change);
    inline_refused("func f(a int) {\n\t‸x := a\n\tp := &a\n\th(p, x)\n}\n", may_change);
}

#[test]
fn variables_that_are_needed_stay() {
    inline_refused("func f() {\n\t‸x := g()\n\tx = 2\n}\n", "more than once");
    inline_refused("func f() {\n\t‸x := g()\n\tx++\n}\n", "more than once");
    inline_refused("func f() {\n\t‸x := g()\n\th(&x)\n}\n", "address");
    inline_refused("func f() {\n\t‸x := g()\n\tx.run()\n}\n", "need a variable");
    inline_refused("func f() {\n\t‸x := g()\n\tx.y = 1\n}\n", "need a variable");
    inline_refused("func f() {\n\t‸x := g()\n\tx[1]++\n}\n", "need a variable");
    inline_refused("func f() {\n\t‸x := 1\n\th(x / 2.0)\n}\n", "another type");
    inline_refused("func f() {\n\tvar ‸x float64 = 1\n\th(x)\n}\n", "has a type");
    inline_refused("func f() {\n\t‸x, y := g()\n\th(x, y)\n}\n", "one name");
    inline_refused("func f() {\n\tif ‸x := g(); x {\n\t}\n}\n", "one name");
    inline_refused("func f(a int) {\n\t‸x := a\n\t{\n\t\ta := 2\n\t\th(x, a)\n\t}\n}\n", "another meaning");
    inline_refused("func f() {\n\tswitch y {\n\tcase 1: ‸x := g()\n\t\th(x)\n\t}\n}\n", "shares its line");
    inline_refused("var ‸x = 1\n\nvar y = x\n", "not a local variable");
    inline_refused("func f(‸x int) {\n\th(x)\n}\n", "not a local variable");
    inline_refused("func f() {\n\t‸x := g()\n}\n", "not used");
}
