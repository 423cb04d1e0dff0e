//! Refactors: texts before and after.

use marquetry_sdk::{
    Operation, Position, TargetKind,
    testing::{self, check_refactor, insert_into},
    workspace::set_files,
};

use crate::Python;

#[track_caller]
fn check(id: &str, arguments: &[(&str, &str)], before: &str, after: &str) {
    check_refactor::<Python>(("a.py", before), id, arguments, after);
}

#[track_caller]
fn refused(id: &str, arguments: &[(&str, &str)], before: &str, message: &str) {
    testing::check_refused::<Python>(("a.py", before), id, arguments, message);
}

#[test]
fn imports_are_added() {
    let add = |arguments: &[(&str, &str)], before: &str, after: &str| check("add_import", arguments, before, after);
    add(&[("module", "os")], "", "import os\n");
    add(&[("module", "os")], "# a", "# a\n\nimport os");
    add(&[("module", "os")], "# a\n", "# a\n\nimport os\n");
    add(&[("module", "os")], "'''Doc.'''", "'''Doc.'''\n\nimport os");
    add(&[("module", "os")], "'''Doc.'''\n", "'''Doc.'''\n\nimport os\n");
    add(&[("module", "os")], "'''Doc.'''\n\n\ndef f(): ...\n", "'''Doc.'''\n\nimport os\n\n\ndef f(): ...\n");
    add(&[("module", "os")], "'''Doc.'''\n\nx = 1\n", "'''Doc.'''\n\nimport os\n\nx = 1\n");
    add(&[("module", "a"), ("symbol", "b")], "import os\nx = 1\n", "import os\nfrom a import b\nx = 1\n");
    add(&[("module", "a"), ("symbol", "b")], "from a import c\n", "from a import c, b\n");
    add(
        &[("module", "a"), ("symbol", "b"), ("alias", "d")],
        "from a import (\n    c,\n)\n",
        "from a import (\n    c,\n    b as d,\n)\n",
    );
    add(&[("module", ".a"), ("symbol", "b")], "from .a import b\n", "from .a import b\n");
    add(
        &[("module", "a"), ("symbol", "b")],
        "import x\nif TYPE_CHECKING:\n    from a import c\n",
        "import x\nfrom a import b\nif TYPE_CHECKING:\n    from a import c\n",
    );
    refused("add_import", &[("module", "a"), ("symbol", "b")], "b = 1\n", "another `b`");
    refused("add_import", &[("module", "a-b")], "", "not a module");
    refused("add_import", &[("module", ".a")], "", "not a module");
    refused("add_import", &[("module", "a")], "def f(:\n", "syntax errors");
}

#[test]
fn imports_are_merged_into_the_region() {
    let bench = testing::open::<Python>("a.py", "import os\nfrom a import b\n\nx = 1\n");
    let insert = |content: &str| bench.edit(TargetKind::Region, "imports", insert_into(content, Position::Last));
    assert_eq!(
        insert("from a import c\nimport os\nimport re").expect("inserted"),
        "import os\nimport re\nfrom a import b, c\n\nx = 1\n"
    );
    assert!(insert("x = 2").is_err_and(|failure| failure.hint.is_some()));
    assert_eq!(bench.edit(TargetKind::Region, "imports", Operation::Delete).expect("deleted"), "x = 1\n");
}

#[track_caller]
fn check_sorted_import(text: &str, import: &str, expected: &str) {
    let bench = testing::open::<Python>("a.py", text);
    let insert = insert_into(import, Position::Sorted);
    assert_eq!(bench.edit(TargetKind::Region, "imports", insert).expect("inserted"), expected, "{text}");
}

#[test]
fn imports_are_inserted_in_order() {
    check_sorted_import("import os\nimport sys\n", "import re", "import os\nimport re\nimport sys\n");
    check_sorted_import("import os\nimport sys\n", "import abc", "import abc\nimport os\nimport sys\n");
    check_sorted_import(
        "import os\n\nimport a.b\nimport c\n",
        "import a.c",
        "import os\n\nimport a.b\nimport a.c\nimport c\n",
    );
    check_sorted_import(
        "import os\n\nfrom .a import x\nfrom .c import z\n",
        "from .b import y",
        "import os\n\nfrom .a import x\nfrom .b import y\nfrom .c import z\n",
    );
    check_sorted_import(
        "import os\nfrom a import b\n",
        "from c import d",
        "import os\nfrom a import b\nfrom c import d\n",
    );
    // Imports in another order stay in it.
    check_sorted_import("import sys\nimport os\n", "import re", "import sys\nimport os\nimport re\n");
    check_sorted_import("x = 1\n", "import re", "import re\n\nx = 1\n");
    // `import` comes before `from`.
    check_sorted_import("from a import b\n", "import c", "import c\nfrom a import b\n");
    check_sorted_import("import c\n", "from a import b", "import c\nfrom a import b\n");
}

#[test]
fn imports_are_inserted_into_the_group_of_their_class() {
    set_files(["shop/__init__.py", "shop/cart.py", "shop/pay.py", "a.py"].map(|path| (path.to_owned(), String::new())));
    let text = "from __future__ import annotations\n\nimport os\nfrom typing import Any\n\n# Slow.\nimport httpx\nfrom requests import get\n\nfrom shop.pay import charge\n\nif TYPE_CHECKING:\n    from shop import cart\n\nx = 1\n";
    let check = |import: &str, from: &str, to: &str| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        check_sorted_import(text, import, &text.replacen(from, to, 1));
    };
    check("import attrs", "# Slow.", "import attrs\n# Slow.");
    check("import zope", "import httpx", "import httpx\nimport zope");
    check("from attrs import define", "from requests", "from attrs import define\nfrom requests");
    check("import abc", "import os", "import abc\nimport os");
    check("from shop.cart import add", "from shop.pay", "from shop.cart import add\nfrom shop.pay");
    check("import shop.cart", "from shop.pay", "import shop.cart\nfrom shop.pay");
    check("from .cart import add", "charge\n", "charge\n\nfrom .cart import add\n");
    check_sorted_import(
        text,
        "import attrs\nimport abc\nfrom shop.cart import add",
        &text
            .replacen("import os", "import abc\nimport os", 1)
            .replacen("# Slow.", "import attrs\n# Slow.", 1)
            .replacen("from shop.pay", "from shop.cart import add\nfrom shop.pay", 1),
    );
    // A class without a group gets one if the file has several.
    let two = "import os\n\nfrom shop.pay import charge\n";
    check_sorted_import(two, "import attrs", "import os\n\nimport attrs\n\nfrom shop.pay import charge\n");
    check_sorted_import(two, "from . import b", "import os\n\nfrom shop.pay import charge\n\nfrom . import b\n");
    check_sorted_import(
        "import attrs\n\nfrom shop.pay import charge\n",
        "import os\nfrom __future__ import annotations",
        "from __future__ import annotations\n\nimport os\n\nimport attrs\n\nfrom shop.pay import charge\n",
    );
    check_sorted_import("import os  # it\n", "import attrs", "import os  # it\nimport attrs\n");
}

#[test]
fn unused_imports_are_removed() {
    let remove = |before: &str, after: &str| check("remove_unused_imports", &[], before, after);
    remove("import os\nimport re\nre.x\n", "import re\nre.x\n");
    remove("from a import b, c, d\nc\n", "from a import c\nc\n");
    remove("from a import (\n    b,\n    c,\n)\nb\n", "from a import (\n    b,\n)\nb\n");
    remove("import a.b\na.b\n", "import a.b\na.b\n");
    remove("def f():\n    import os\n", "def f():\n    pass\n");
    remove(
        "from __future__ import annotations\nfrom a import *\nimport b as b\nfrom c import d as d\n",
        "from __future__ import annotations\nfrom a import *\nimport b as b\nfrom c import d as d\n",
    );
    remove(
        "try:\n    import a\nexcept ImportError:\n    a = None\n",
        "try:\n    import a\nexcept ImportError:\n    a = None\n",
    );
    remove("from a import T\ndef f(x: 'list[T]'): ...\n", "from a import T\ndef f(x: 'list[T]'): ...\n");
    remove(
        "import a  # noqa: F401\nfrom b import c\n__all__ = ['c']\n",
        "import a  # noqa: F401\nfrom b import c\n__all__ = ['c']\n",
    );
}

#[test]
fn imports_are_organized() {
    let organize = |before: &str, after: &str| check("organize_imports", &[], before, after);
    organize(
        "import b\nfrom c import z, A, B_C, y as w\nimport a\n\nfrom z import q\nimport z\n",
        "import a\nimport b\nfrom c import A, B_C, y as w, z\n\nimport z\nfrom z import q\n",
    );
    organize("from a import c\nfrom a import b\nfrom a import *\n", "from a import b, c\nfrom a import *\n");
    organize("from __future__ import b\nimport c\nimport a\n", "from __future__ import b\nimport a\nimport c\n");
    organize("# b\nimport b  # why\nimport a\n", "import a\n# b\nimport b  # why\n");
    organize("from b import (\n    y,\n    x,\n)\nfrom b import w\n", "from b import (\n    w,\n    x,\n    y,\n)\n");
    organize("import a\nx = 1\nimport b\n", "import a\nx = 1\nimport b\n");
}

#[test]
fn variables_are_extracted() {
    let extract = |before: &str, after: &str| check("extract_variable", &[("extractedName", "v")], before, after);
    extract("def f(a):\n    return g(«a + 1», 2)\n", "def f(a):\n    v = a + 1\n    return g(v, 2)\n");
    extract("if «a.b(c)»:\n    pass\n", "v = a.b(c)\nif v:\n    pass\n");
    extract("x = «(a +\n     b)» * 2\n", "v = (a +\n     b)\nx = v * 2\n");
    extract("«f(1)»\n", "v = f(1)\nv\n");
    extract("x = [i for i in «items()»]\n", "v = items()\nx = [i for i in v]\n");
    let refused = |before: &str, message: &str| refused("extract_variable", &[], before, message);
    refused("x = «a\nc» = 1\n", "not an expression");
    refused("x = [«i + 1» for i in y]\n", "for each item");
    refused("x = a and «b()»\n", "operand before it");
    refused("while «a()»:\n    pass\n", "a condition");
    refused("x = f() + «a.b»\n", "code before it");
    refused("value = «a + b»\n", "the name `value`");
    refused("x = lambda: «y + 1»\n", "runs later");
    refused("def f():\n    x: 'list[«T»]' = 1\n", "in a string");
}

#[test]
fn variables_are_inlined() {
    let inline = |before: &str, after: &str| check("inline_variable", &[], before, after);
    inline("def f(a):\n    ‸x = a + 1\n    return x * x\n", "def f(a):\n    return (a + 1) * (a + 1)\n");
    inline("def f():\n    x = 1\n    y = g(‸x)\n    return y\n", "def f():\n    y = g(1)\n    return y\n");
    inline("def f(a):\n    ‸x = a.b()\n    return x\n", "def f(a):\n    return a.b()\n");
    let refused = |before: &str, message: &str| refused("inline_variable", &[], before, message);
    refused("‸x = 1\ny = x\n", "not a local variable");
    refused("def f():\n    ‸x = 1\n    x = 2\n    return x\n", "more than once");
    refused("def f(a):\n    ‸x = a.b()\n    a.c()\n    return x\n", "may change");
    refused("def f(a):\n    ‸x = [a]\n    return x, x\n", "may change");
    refused("def f(a):\n    ‸x = a\n    a = 1\n    return x, a\n", "may change");
    refused("def f():\n    ‸x = 1\n    return lambda: x\n", "may not have run");
    refused("def f():\n    ‸x = 1\n", "not used");
    refused("def f():\n    ‸x = 'a'\n    y: 'x' = 1\n", "in a string");
    refused("def f(‸x):\n    return x\n", "not assigned by a statement with one target");
}

#[test]
fn refactor_laws_hold() {
    let text = "import os, re\nfrom a import (\n    b,\n    c,\n)\nfrom a import d\nx = b\n";
    let arguments = [("module", "shop.money"), ("symbol", "total"), ("alias", "sum_of"), ("extractedName", "fresh")];
    assert!(testing::check_refactor_laws::<Python>(("a.py", text), &arguments) > 0);
}
