//! Every operation on typical targets, and refusals.

use marquetry_sdk::{
    Operation,
    TargetKind::Symbol,
    testing::{self, after, before, body, first, last, replace, sorted, wrap},
};

use super::check;
use crate::Python;

const CART: &str = "import os\n\nLIMIT = 3\n\n\nclass Cart:\n    \"\"\"A cart.\"\"\"\n\n    size = 0\n\n    # Adds.\n    def add(self, x):\n        self.x = x  # it\n        return x\n\n    def clear(self):\n        pass\n\n\ndef main(): return Cart()\n";

#[track_caller]
fn check_cart(target: &str, operation: Operation, from: &str, to: &str) {
    assert!(CART.contains(from), "{from}");
    check(CART, target, operation, &CART.replacen(from, to, 1));
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) {
    testing::check_refusal::<Python>(("a.py", text), (Symbol, target), operation);
}

#[test]
fn replaces() {
    check_cart("LIMIT", replace("LIMIT = 4"), "LIMIT = 3", "LIMIT = 4");
    let add = "def add(self, x):\n        self.x = x  # it\n        return x";
    check_cart("Cart.add", replace("def add(self):\n  return 1"), add, "def add(self):\n        return 1");
    // The new text starts with a comment, so the old comment is replaced, too.
    let with_comment = format!("# Adds.\n    {add}");
    check_cart("Cart.add", replace("# New.\ndef add(self): ..."), &with_comment, "# New.\n    def add(self): ...");
    check_cart("main", replace("def main():\n\treturn 1"), "def main(): return Cart()", "def main():\n    return 1");
}

#[test]
fn replaces_bodies() {
    check_cart("Cart.add", body("return 0"), "self.x = x  # it\n        return x", "return 0");
    check_cart(
        "Cart.add",
        body("if x:\n    return 0\nreturn 1\n"),
        "self.x = x  # it\n        return x",
        "if x:\n            return 0\n        return 1",
    );
    // The new text is copied from a file, without the indentation of its first line.
    check_cart(
        "Cart.add",
        body("y = 1\n        return y"),
        "self.x = x  # it\n        return x",
        "y = 1\n        return y",
    );
    check_cart(
        "Cart.add",
        body("if x:\n            return y\n        return z"),
        "self.x = x  # it\n        return x",
        "if x:\n            return y\n        return z",
    );
    check_cart("main", body("return 1"), "return Cart()", "return 1");
    check_cart("main", body("x = 1\nreturn x"), "def main(): return Cart()", "def main():\n    x = 1\n    return x");
    check_cart("Cart.clear", body(""), "pass", "pass");
    check_cart("Cart.add", body(""), "self.x = x  # it\n        return x", "pass");
    check_cart("Cart.add", body("# later"), "self.x = x  # it\n        return x", "# later\n        pass");
    check_cart("LIMIT", body("4"), "= 3", "= 4");
}

#[test]
fn strings_keep_their_lines() {
    let content = "def f(self):\n    s = '''a\n  b\n'''\n    return f\"\"\"\n{s}\n\"\"\"";
    let expected = "def f(self):\n        s = '''a\n  b\n'''\n        return f\"\"\"\n{s}\n\"\"\"";
    check("class A:\n    def f(self): ...\n", "A.f", replace(content), &format!("class A:\n    {expected}\n"));
}

#[test]
fn continuation_lines_keep_their_distance() {
    let content = "x = f(a,\n      b)\nif x:\n\ty = [\n\t\t1,\n\t]";
    check(
        "def f():\n  pass\n",
        "f",
        body(content),
        "def f():\n  x = f(a,\n        b)\n  if x:\n    y = [\n    \t1,\n    ]\n",
    );
}

#[test]
fn comments_move_with_their_code() {
    let content = "# a\nx = 1\nif x:\n        # b\n        y = 2\n        # c\n# d\nelse:\n        z = 3";
    check(
        "def f():\n  pass\n",
        "f",
        body(content),
        "def f():\n  # a\n  x = 1\n  if x:\n    # b\n    y = 2\n    # c\n  # d\n  else:\n    z = 3\n",
    );
}

#[test]
fn inserts_beside() {
    check_cart("LIMIT", after("MORE = 1"), "LIMIT = 3\n", "LIMIT = 3\nMORE = 1\n");
    check_cart("LIMIT", after("def f():\n  pass"), "LIMIT = 3\n", "LIMIT = 3\n\n\ndef f():\n    pass\n");
    check_cart("Cart", before("def f(): pass"), "class Cart:", "def f(): pass\n\n\nclass Cart:");
    check_cart("Cart.add", before("def g(self): pass"), "    # Adds.", "    def g(self): pass\n\n    # Adds.");
    check_cart(
        "Cart.add",
        after("def g(self): pass"),
        "        return x\n",
        "        return x\n\n    def g(self): pass\n",
    );
    check_cart("main", after("X = 1"), "return Cart()\n", "return Cart()\n\n\nX = 1\n");
    check_cart("Cart.add", before("# Note."), "    def add", "    # Note.\n    def add");
    check("x = 1; y = 2\n", "x", after("z = 3"), "x = 1\nz = 3\ny = 2\n");
    check("x = 1;  # c\n", "x", after("z = 3"), "x = 1;  # c\nz = 3\n");
    check("class A: x = 1; y = 2\n", "A.x", after("z = 3"), "class A:\n    x = 1\n    z = 3\n    y = 2\n");
}

#[test]
fn inserts_into() {
    check_cart("Cart", first("a = 1"), "    size = 0", "    a = 1\n    size = 0");
    check_cart(
        "Cart",
        last("def z(self):\n  return 1"),
        "        pass\n",
        "        pass\n\n    def z(self):\n        return 1\n",
    );
    check_cart(
        "Cart",
        sorted("def b(self):\n  return 1"),
        "    def clear",
        "    def b(self):\n        return 1\n\n    def clear",
    );
    check_cart("Cart.clear", last("x = 1"), "        pass", "        x = 1");
    check("class A: pass\n", "A", last("x = 1\ny = 2"), "class A:\n    x = 1\n    y = 2\n");
    check("class A: ...  # c\n", "A", last("x = 1"), "class A:\n    x = 1  # c\n");
    check(
        "def f():\n    x = 1\n    # end\n\n\ny = 1\n",
        "f",
        last("z = 1"),
        "def f():\n    x = 1\n    # end\n    z = 1\n\n\ny = 1\n",
    );
    check("class A:\n    '''Doc.'''\n", "A", first("x = 1"), "class A:\n    '''Doc.'''\n    x = 1\n");
    refused(CART, "LIMIT", last("x = 1"));
    refused(CART, "Cart", sorted("print(1)"));
    refused(CART, "Cart", last(" \n"));
}

#[test]
fn wraps() {
    check_cart("LIMIT", wrap("if x:", ""), "LIMIT = 3", "if x:\n    LIMIT = 3");
    check_cart(
        "LIMIT",
        wrap("try:", "except E:\n    LIMIT = 0"),
        "LIMIT = 3",
        "try:\n    LIMIT = 3\nexcept E:\n    LIMIT = 0",
    );
    check_cart(
        "Cart.clear",
        wrap("if x:\n    with y:", ""),
        "    def clear(self):\n        pass",
        "    if x:\n        with y:\n            def clear(self):\n                pass",
    );
    check_cart("LIMIT", wrap("# begin", "# end"), "LIMIT = 3", "# begin\nLIMIT = 3\n# end");
    check("s = '''a\nb'''\n", "s", wrap("if x:", ""), "if x:\n    s = '''a\nb'''\n");
}

#[test]
fn deletes() {
    check_cart(
        "Cart.add",
        Operation::Delete,
        "    # Adds.\n    def add(self, x):\n        self.x = x  # it\n        return x\n\n",
        "",
    );
    check_cart("Cart", Operation::Delete, &CART[CART.find("class Cart").unwrap()..CART.find("def main").unwrap()], "");
    check_cart("LIMIT", Operation::Delete, "LIMIT = 3\n\n", "");
    check_cart("main", Operation::Delete, "\n\ndef main(): return Cart()\n", "");
    check("class A:\n    x = 1  # c\n", "A.x", Operation::Delete, "class A:\n    pass\n");
    check("class A: x = 1\n", "A.x", Operation::Delete, "class A: pass\n");
    check("x = 1; y = 2; z = 3\n", "y", Operation::Delete, "x = 1; z = 3\n");
    check("x = 1; y = 2\n", "y", Operation::Delete, "x = 1\n");
    check("try:\n    x = 1\nexcept E:\n    pass\n", "x", Operation::Delete, "try:\n    pass\nexcept E:\n    pass\n");
    refused("a, b = 1, 2\n", "a", Operation::Delete);
}

#[test]
fn cases_of_match_statements_keep_their_indentation() {
    let cases = "match x:\n  case 1:\n    return 1\n  case _ if y:\n\n    # Other.\n    return 2";
    let expected = "match x:\n        case 1:\n            return 1\n        case _ if y:\n\n            # Other.\n            return 2\n";
    check("def f():\n    pass\n", "f", body(cases), &format!("def f():\n    {expected}"));
}

const NESTED: &str = "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n";

#[test]
fn docstrings_of_new_content_move_with_their_statement() {
    let function = "def f():\n  r\"\"\"A.\n\n  B:\n    b\n \n c\nd\n  \"\"\"\n  x = \"\"\"a\n  b\"\"\"\n  return x";
    let moved = "def f():\n        r\"\"\"A.\n\n        B:\n          b\n\n       c\n      d\n        \"\"\"\n        x = \"\"\"a\n  b\"\"\"\n        return x";
    check(NESTED, "A.n", after(function), &format!("{NESTED}\n    {moved}\n"));
    check(NESTED, "A.n", replace(function), &NESTED.replacen("def n(self):\n        return 2", moved, 1));
    // The content is copied from deeper code: no line starts before column 0.
    let copied = "        def f():\n            \"\"\"A.\n\n            B.\n  c\n            \"\"\"\n";
    let moved = "def f():\n    \"\"\"A.\n\n    B.\nc\n    \"\"\"\n";
    check("x = 1\n", "x", after(copied), &format!("x = 1\n\n\n{moved}"));
    // A module or class of the content.
    let class = "class B:\n    '''A.\n\n    B.\n    '''\n    x = 1";
    let moved = "class B:\n        '''A.\n\n        B.\n        '''\n        x = 1";
    check(NESTED, "A", first(class), &NESTED.replacen("    def m", &format!("    {moved}\n\n    def m"), 1));
}

#[test]
fn docstrings_of_new_bodies_move() {
    let moved = "\"\"\"A.\n\n          B.\n        \"\"\"";
    let expected = |rest: &str| NESTED.replacen("return 1", &format!("{moved}{rest}"), 1);
    check(NESTED, "A.m", body("\"\"\"A.\n\n  B.\n\"\"\"\nreturn 0"), &expected("\n        return 0"));
    check(NESTED, "A.m", body("\"\"\"A.\n\n  B.\n\"\"\""), &expected(""));
    check(NESTED, "A.m", body("    \"\"\"A.\n\n      B.\n    \"\"\"\n    return 0"), &expected("\n        return 0"));
    // The first line lacks the indentation of the other lines.
    check(NESTED, "A.m", body(&format!("{moved}\n        return 0")), &expected("\n        return 0"));
    check(NESTED, "A.m", body(moved), &expected(""));
    check(NESTED, "A.m", body("\"\"\"A.\n\n      B.\n    \"\"\""), &expected(""));
    check(
        NESTED,
        "A.m",
        before("def b(): \"\"\"A.\n  B.\"\"\""),
        &NESTED.replacen("    def m", "    def b(): \"\"\"A.\n      B.\"\"\"\n\n    def m", 1),
    );
}

#[test]
fn strings_that_are_not_docstrings_do_not_move() {
    for string in [
        "x = 1\n\"\"\"a\nb\"\"\"",
        "f(\"\"\"a\nb\"\"\")",
        "if x:\n            \"\"\"a\nb\"\"\"",
        "f\"\"\"a\nb\"\"\"",
        "b\"\"\"a\nb\"\"\"",
    ] {
        let expected = NESTED.replacen("return 1", &string.replacen("x = 1\n", "x = 1\n        ", 1), 1);
        check(NESTED, "A.m", body(string), &expected);
    }
    // The text of the file.
    let text = "def f():\n    \"\"\"A.\n\n    B.\n    \"\"\"\n";
    check(text, "f", wrap("if x:", ""), "if x:\n    def f():\n        \"\"\"A.\n\n    B.\n    \"\"\"\n");
    let mixed = "class A:\n    def f():\n        \"\"\"A.\n   \n\tB.\nc\n    \"\"\"\n";
    check(mixed, "A.f", replace(mixed[13..].trim_end()), mixed);
}

#[test]
fn decorators_are_attached() {
    let method = |new: &str| NESTED.replacen("    def n", &format!("    {new}\n    def n"), 1);
    check(NESTED, "A.n", before("@cache"), &method("@cache"));
    check(NESTED, "A.n", before("@a\n@b(\n  1,\n)\n"), &method("@a\n    @b(\n      1,\n    )"));
    check(NESTED, "A.n", before("    # why\n    @a  # it"), &method("# why\n    @a  # it"));
    check(NESTED, "A", before("@cache"), &format!("@cache\n{NESTED}"));
    check(
        "import os\n\n\n# It.\n@b\ndef f(): pass\n",
        "f",
        before("@a"),
        "import os\n\n\n# It.\n@a\n@b\ndef f(): pass\n",
    );
    check("x = 1\ndef f(): pass\n", "f", before("@a\ndef g(): pass"), "x = 1\n@a\ndef g(): pass\ndef f(): pass\n");
}
