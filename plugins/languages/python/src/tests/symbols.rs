//! Names: references, renames in the file and through imports, and conflicts.

use marquetry_sdk::{DeclaredKey, ImportKey, RenameResult, Result, Subject, Symbols, Usage, span::apply, testing};

use crate::Python;

/// The text without its mark, and the offset of the mark.
fn marked(text: &str) -> (String, u32) {
    let at = text.find('‸').expect("a mark");
    (text.replace('‸', ""), at as u32)
}

fn rename_at(text: &str, new: &str) -> (String, Result<RenameResult>) {
    let (text, at) = marked(text);
    let bench = testing::open::<Python>("a.py", &text);
    let result = Python::rename(bench.document(), Subject::At(at), new);
    (text, result)
}

#[track_caller]
fn check_rename(text: &str, new: &str, expected: &str) -> RenameResult {
    let (text, result) = rename_at(text, new);
    let result = result.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    assert_eq!(apply(&text, &result.edits), expected, "{text}");
    result
}

#[track_caller]
fn check_refused(text: &str, new: &str, message: &str) {
    match rename_at(text, new) {
        (text, Ok(result)) => panic!("not refused:\n{}", apply(&text, &result.edits)),
        (text, Err(failure)) => {
            assert!(failure.message.contains(message), "{failure:?} in\n{text}");
            assert!(failure.hint.is_some());
        }
    }
}

#[test]
fn renames_change_the_name_that_a_declaration_repeats() {
    for function in ["TypeVar", "t.TypeVar", "typing.NewType", "collections.namedtuple", "Enum"] {
        let text = format!("‸F = {function}(\"F\", x)\n");
        check_rename(&text, "G", &text.replace("‸F = ", "G = ").replace("(\"F\"", "(\"G\""));
    }
    check_rename(
        "def f():\n    ‸T: Any = TypeVar(\n        'T')\n",
        "U",
        "def f():\n    U: Any = TypeVar(\n        'U')\n",
    );
    check_rename("F = TypeVar(\"F\")\ndef f(x: ‸F): ...\n", "G", "G = TypeVar(\"G\")\ndef f(x: G): ...\n");
    for (text, expected) in [
        ("‸F = ContextVar(\"F\")\n", "G = ContextVar(\"F\")\n"),
        ("‸F = t.TypeVar(name=\"F\")\n", "G = t.TypeVar(name=\"G\")\n"),
        ("‸F = TypeVar(bound=\"F\", name=\"F\")\n", "G = TypeVar(bound=\"G\", name=\"G\")\n"),
        ("‸F = namedtuple(field_names=\"F\", typename=\"F\")\n", "G = namedtuple(field_names=\"F\", typename=\"G\")\n"),
        ("‸F = NewType(tp=int, name='F')\n", "G = NewType(tp=int, name='G')\n"),
        ("‸F = TypeVar(name=\"H\")\n", "G = TypeVar(name=\"H\")\n"),
        ("‸F = TypeVar(\"H\")\n", "G = TypeVar(\"H\")\n"),
        ("‸F = namedtuple(x, \"F\")\n", "G = namedtuple(x, \"F\")\n"),
        ("‸F = f\"F\"\n", "G = f\"F\"\n"),
    ] {
        check_rename(text, "G", expected);
    }
}

#[test]
fn renames_follow_scopes() {
    let result = check_rename(
        "def ‸f(): return f()\nx = f\nclass A:\n    def f(self): return f\n",
        "g",
        "def g(): return g()\nx = g\nclass A:\n    def f(self): return g\n",
    );
    assert_eq!(result.exported[0].new, "g");
    check_rename(
        "def f(‸x, y=1):\n    return [x for y in x], lambda z: x\nx = 2\n",
        "q",
        "def f(q, y=1):\n    return [q for y in q], lambda z: q\nx = 2\n",
    );
    check_rename(
        "def f():\n    ‸x = 1\n    def g():\n        nonlocal x\n        x = 2\n    return f'{x}'\n",
        "y",
        "def f():\n    y = 1\n    def g():\n        nonlocal y\n        y = 2\n    return f'{y}'\n",
    );
    check_rename(
        "‸x = 1\ndef f():\n    global x\n    x = 2\ndef g(x): return x\n",
        "y",
        "y = 1\ndef f():\n    global y\n    y = 2\ndef g(x): return x\n",
    );
    check_rename("x = 1\nclass A:\n    x = ‸x\n    y = x\n", "z", "z = 1\nclass A:\n    x = z\n    y = x\n");
    check_rename(
        "def f():\n    if (‸n := 1): return [m := n for i in n], m\n",
        "k",
        "def f():\n    if (k := 1): return [m := k for i in k], m\n",
    );
    check_rename("def f(x: ‸T) -> T: ...\nT = int\n", "U", "def f(x: U) -> U: ...\nU = int\n");
    check_rename("def f[‸T](x: T) -> T: ...\n", "U", "def f[U](x: U) -> U: ...\n");
    check_rename("try: pass\nexcept E as ‸e:\n    print(e)\n", "err", "try: pass\nexcept E as err:\n    print(err)\n");
    check_rename("match p:\n    case [‸a, *b]: print(a, b)\n", "c", "match p:\n    case [c, *b]: print(c, b)\n");
}

#[test]
fn imports_get_aliases() {
    check_rename("import os\n‸os.path\n", "system", "import os as system\nsystem.path\n");
    check_rename("from a import f\n‸f()\n", "g", "from a import f as g\ng()\n");
    check_rename("from a import f as ‸h\nh()\n", "g", "from a import f as g\ng()\n");
    check_refused("import a.b\n‸a.b\n", "c", "cannot be renamed");
}

#[test]
fn exported_names_are_renamed_in_lists() {
    let result = check_rename(
        "__all__ = ['f', 'g']\ndef ‸f(x: 'f') -> None: ...\n",
        "h",
        "__all__ = ['h', 'g']\ndef h(x: 'h') -> None: ...\n",
    );
    assert!(result.unresolved.is_empty());
}

#[test]
fn keywords_of_parameters_are_renamed() {
    check_rename("def f(‸x): return x\nf(x=1)\ng(x=1)\n", "y", "def f(y): return y\nf(y=1)\ng(x=1)\n");
    check_rename(
        "class A:\n    def __init__(self, *, ‸x): self.x = x\nA(x=1)\n",
        "y",
        "class A:\n    def __init__(self, *, y): self.x = y\nA(y=1)\n",
    );
    check_rename("async def f(‸x=1): ...\nf(1, x=2)(x=3)\n", "y", "async def f(y=1): ...\nf(1, y=2)(x=3)\n");
}

#[test]
fn keywords_of_local_functions_are_renamed() {
    check_rename(
        "def f():\n    def g(‸x): return x\n    return g(x=1)\ng(x=1)\n",
        "y",
        "def f():\n    def g(y): return y\n    return g(y=1)\ng(x=1)\n",
    );
    check_rename("f = lambda ‸x: x\nf(x=1)\n", "y", "f = lambda y: y\nf(y=1)\n");
    check_rename(
        "def f():\n    class A:\n        def __init__(self, ‸x): ...\n    A(x=1)\n",
        "y",
        "def f():\n    class A:\n        def __init__(self, y): ...\n    A(y=1)\n",
    );
}

#[track_caller]
fn check_possible_keywords(text: &str, expected: &[&str]) {
    let plain = text.replace('‸', "");
    let result = check_rename(text, "y", &plain.replacen("x", "y", 1));
    let found: Vec<&str> = result.unresolved.iter().map(|span| span.slice(&plain)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn possible_keywords_of_parameters_are_reported() {
    check_possible_keywords("def f(‸x): ...\nf(**options)\n", &["**options"]);
    check_possible_keywords("def f(‸x): ...\nmodule.f(x=1)\nmodule.g(x=1)\n", &["x"]);
    check_possible_keywords("def f(‸x): ...\nprint(f(1), x=1)\ng(x=1)\n", &[]);
    check_possible_keywords("def f(‸x): ...\ndef g(**k): ...\ng(x=1)\n", &[]);
    // The function is passed on as a value.
    check_possible_keywords("def f(‸x): ...\np = partial(f, x=1)\n", &["f", "x"]);
    check_possible_keywords("def f(‸x): ...\ng = f\ng(x=1)\n", &["f", "x"]);
    check_possible_keywords("def f(‸x): ...\na = [f]\na[0](x=1)\na.c(x=1)\nprint(x=1)\n", &["f", "x", "x"]);
    check_possible_keywords("import os\ndef f(‸x): ...\nuse(f)\nos.g(x=1)\n", &["f"]);
}

#[test]
fn possible_keywords_of_methods_and_constructors_are_reported() {
    check_possible_keywords("class A:\n    def f(self, ‸x): ...\na.f(x=1)\nf(x=1)\nt(a.f)\n", &["x", "a.f"]);
    check_possible_keywords("class A:\n    def __init__(self, ‸x): ...\n    def c(cls): cls(x=1)\n", &["x"]);
    check_possible_keywords("class A:\n    def __init__(self, ‸x): ...\n    def c(self): type(self)(x=1)\n", &["x"]);
    check_possible_keywords(
        "class A:\n    def __init__(self, ‸x): ...\nclass B(A):\n    def __init__(self, **k): super().__init__(**k)\nB(x=1)\n",
        &["**k"],
    );
    check_possible_keywords("class A:\n    def __init__(self, ‸x): ...\nclass B(M, A): ...\n", &["A"]);
    check_possible_keywords("class A:\n    def __init__(self, ‸x): ...\ndef f(a: A) -> A: isinstance(a, A)\n", &[]);
}

#[test]
fn keywords_of_subclasses_are_renamed() {
    let result = check_rename(
        "class A:\n    def __init__(self, ‸x): ...\nclass B(A): ...\nclass C(B): ...\nB(x=1)\nC(x=2)\n",
        "y",
        "class A:\n    def __init__(self, y): ...\nclass B(A): ...\nclass C(B): ...\nB(y=1)\nC(y=2)\n",
    );
    let exported: Vec<&str> = result.exported.iter().map(|export| export.old.as_str()).collect();
    assert_eq!(exported, ["A.x", "B.x", "C.x"]);
    let own = "class B(A):\n    def __init__(self, x): ...\nB(x=1)\n";
    check_rename(
        &format!("class A:\n    def __init__(self, ‸x): ...\n{own}"),
        "y",
        &format!("class A:\n    def __init__(self, y): ...\n{own}"),
    );
}

#[test]
fn calls_of_methods_in_other_files_are_reported() {
    let key = DeclaredKey { name: "x".to_owned(), locations: Vec::new(), forms: vec!["f".to_owned()] };
    let text = "a.f(x=1)\na.g(x=1)\nf(x=1)\na.f(**k)\n";
    let bench = testing::open::<Python>("a.py", text);
    let result = Python::rename(bench.document(), Subject::Declared(key), "y").expect("renamed");
    let found: Vec<&str> = result.unresolved.iter().map(|span| span.slice(text)).collect();
    assert_eq!((found, result.edits.len()), (vec!["x", "**k"], 0));
}

#[test]
fn parameters_are_exported_with_their_function() {
    let exported = |text: &str| {
        let result = check_rename(text, "y", &text.replace('‸', "").replacen("x", "y", 1));
        result.exported.into_iter().map(|export| export.old).collect::<Vec<_>>()
    };
    assert_eq!(exported("def f(‸x): ...\n"), ["f.x"]);
    assert_eq!(exported("class A:\n    def __init__(self, ‸x): ...\n"), ["A.x"]);
    assert!(exported("class A:\n    def f(self, ‸x): ...\n").is_empty());
    assert!(exported("def f():\n    def g(‸x): ...\n").is_empty());
    assert_eq!(exported("f = lambda ‸x: 1\n"), ["f.x"]);
    assert!(exported("g(lambda ‸x: 1)\n").is_empty());
}

#[test]
fn keywords_of_imported_functions_are_renamed() {
    check_import("from m import f\nf(x=1)\ng(x=1)\n", "f.x", "y", "from m import f\nf(y=1)\ng(x=1)\n");
    check_import("from m import f as g\ng(x=1)\nf(x=1)\n", "f.x", "y", "from m import f as g\ng(y=1)\nf(x=1)\n");
    check_import("import p.m\np.m.f(x=1)\np.n.f(x=1)\n", "f.x", "y", "import p.m\np.m.f(y=1)\np.n.f(x=1)\n");
    check_import("from p import m\nm.A(x=1)\n", "A.x", "y", "from p import m\nm.A(y=1)\n");
    let passed = check_import("from m import f as g\n", "f.x", "y", "from m import f as g\n");
    assert_eq!(passed.exported[0].old, "g.x");
}

#[test]
fn conflicts_are_refused() {
    check_refused("def ‸f(): pass\ndef g(): pass\n", "g", "another meaning");
    check_refused("def ‸f(): pass\ndef h(g): return f()\n", "g", "another meaning");
    check_refused("def ‸f(): pass\nprint(1)\n", "print", "another meaning");
    check_refused("def h(‸x):\n    return g(x)\n", "g", "another meaning");
    check_refused("‸x = 1\n", "class", "not a valid name");
    check_refused("‸x = 1\n", "1a", "not a valid name");
    check_refused("class A:\n    def ‸__len__(self): ...\n", "g", "Python itself uses");
    check_refused("‸print(1)\n", "p", "not declared in this file");
}

#[track_caller]
fn check_import(text: &str, name: &str, new: &str, expected: &str) -> RenameResult {
    let bench = testing::open::<Python>("a.py", text);
    let key = ImportKey { specifiers: vec!["m".to_owned(), ".m".to_owned(), "p.m".to_owned()], name: name.to_owned() };
    let found = Python::resolve_symbol(bench.document(), Subject::Imported(key.clone())).expect("resolved");
    let result = Python::rename(bench.document(), Subject::Imported(key), new).expect("renamed");
    assert_eq!(apply(text, &result.edits), expected, "{text}");
    let certain: Vec<_> = found.occurrences.iter().filter(|o| o.certain).map(|o| o.span).collect();
    for edit in result.edits.iter().filter(|edit| edit.text == new) {
        assert!(certain.contains(&edit.span), "{edit:?} is not an occurrence in\n{text}");
    }
    result
}

#[test]
fn imported_names_are_renamed() {
    let result = check_import("from m import f, x\nf(); f\n", "f", "g", "from m import g, x\ng(); g\n");
    assert_eq!(result.exported[0].old, "f");
    assert!(check_import("from m import f as h\nh()\n", "f", "g", "from m import g as h\nh()\n").exported.is_empty());
    check_import("import m\nm.f(m.x)\nf = 1\n", "f", "g", "import m\nm.g(m.x)\nf = 1\n");
    check_import("import p.m\np.m.f; p.f\n", "f", "g", "import p.m\np.m.g; p.f\n");
    check_import("from p import m as q\nq.f.f\n", "f", "g", "from p import m as q\nq.g.f\n");
    check_import("from .m import f\ng = f\n", "f", "g", "from .m import g as f\ng = f\n");
    check_import(
        "def a():\n    from m import f\n    return f\n",
        "f",
        "g",
        "def a():\n    from m import g\n    return g\n",
    );
    assert_eq!(check_import("from m import *\nf()\n", "f", "g", "from m import *\nf()\n").unresolved.len(), 1);
    check_import("from n import f\nf()\n", "f", "g", "from n import f\nf()\n");
}

#[test]
fn facts_have_exports_and_imports() {
    let bench =
        testing::open::<Python>("a.py", "import a.b\nfrom m import f as g, *\nX = 1\ndef h(): y = 1\nclass C: z = 1\n");
    let facts = Python::facts(bench.document());
    let exports: Vec<String> = facts.exports.iter().map(|e| format!("{} {}", e.kind, e.name)).collect();
    assert_eq!(exports, ["class C", "constant X", "function h"]);
    let imports: Vec<String> = facts
        .imports
        .iter()
        .map(|i| format!("{} {} {:?} {:?}", i.specifier, i.name, i.local.as_deref(), i.exported.as_deref()))
        .collect();
    assert_eq!(
        imports,
        [
            "a.b * Some(\"a\") Some(\"a\")",
            "m f Some(\"g\") Some(\"g\")",
            "m.f * Some(\"g\") Some(\"g\")",
            "m * None Some(\"*\")"
        ]
    );
}

#[test]
fn references_have_their_use() {
    let text = "def f(): ...\nf()\nx = f\n__all__ = ['f']\n";
    let bench = testing::open::<Python>("a.py", text);
    let found = Python::resolve_symbol(bench.document(), Subject::Address("f".to_owned())).expect("resolved");
    let uses: Vec<Usage> = found.occurrences.iter().map(|o| o.usage).collect();
    assert_eq!(uses, [Usage::Declaration, Usage::Called, Usage::Read, Usage::Exported]);
    assert_eq!((found.kind.as_str(), found.address.as_deref(), found.incomplete), ("function", Some("f"), None));
}

#[track_caller]
fn check_address(text: &str, address: &str, new: &str, expected: &str) {
    let bench = testing::open::<Python>("a.py", text);
    let subject = Subject::Address(address.to_owned());
    let known = Python::resolve_symbol(bench.document(), subject.clone());
    known.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    let result = Python::rename(bench.document(), subject, new);
    let result = result.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    assert_eq!(apply(text, &result.edits), expected, "{text}");
}

#[test]
fn locals_are_renamed_by_address() {
    let text = "def names(users):\n    u = users[0]\n    all = [u.name for u in users]\n    def inner(u=u): return u\n    return u\n";
    check_address(
        text,
        "names.u",
        "head",
        "def names(users):\n    head = users[0]\n    all = [u.name for u in users]\n    def inner(u=head): return u\n    return head\n",
    );
    check_address(text, "names.inner.u", "v", &text.replacen("inner(u=u): return u", "inner(v=u): return v", 1));
    let text =
        "def send(to, *, subj=''): return to, subj\nsend(1, subj=2)\nclass A:\n    def send(self, subj): return subj\n";
    check_address(
        text,
        "send.subj",
        "topic",
        &text
            .replacen("subj='')", "topic='')", 1)
            .replacen("to, subj\n", "to, topic\n", 1)
            .replacen("subj=2", "topic=2", 1),
    );
    check_address(
        text,
        "A.send.subj",
        "topic",
        &text.replacen("self, subj): return subj", "self, topic): return topic", 1),
    );
    let text = "def f(a): ...\ndef f(a, b): ...\n";
    check_address(text, "f.b", "c", &text.replacen("a, b", "a, c", 1));
    check_address(text, "f[1].a", "c", &text.replacen("f(a)", "f(c)", 1));
    let refused = |address: &str| {
        let bench = testing::open::<Python>("a.py", text);
        Python::rename(bench.document(), Subject::Address(address.to_owned()), "c").expect_err("no such name")
    };
    assert_eq!(refused("f.a").candidates, ["f[1].a", "f[2].a"]);
    assert_eq!(refused("f.bb").candidates, ["f[2].b"]);
    assert!(refused("g.a").hint.is_some() && refused("a").hint.is_some());
}
