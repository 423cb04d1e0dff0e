//! Moves of declarations to other modules, in small workspaces.

use std::collections::BTreeMap;

use marquetry_sdk::{
    Audience, Edit, Failure, Question, Rewrite, Span,
    refactor::{self, Refactors},
    span::apply,
    testing,
    workspace::{read, set_files},
};

use crate::Python;

/// The result of a move: the texts of the changed files, the texts at listed places, and the reason why it is incomplete.
#[derive(Debug, Default)]
pub(super) struct Moved {
    pub(super) files: BTreeMap<String, String>,
    pub(super) listed: Vec<String>,
    pub(super) incomplete: Option<String>,
}

/// Moves the declaration at the mark.
fn moved(case: &str, destination: &str) -> Result<Moved, Failure> {
    run(case, "move_to_file", ("destination", destination))
}

/// Runs a refactor at the mark. The files of the case are separated by `--` lines; each starts with `path:`. Asks the other
/// files in the same way as the host.
pub(super) fn run(case: &str, id: &str, (name, value): (&str, &str)) -> Result<Moved, Failure> {
    let (mut marked, mut files) = (None, BTreeMap::new());
    for part in case.split("--\n") {
        let (path, text) = part.split_once(":\n").expect("a path");
        if let Some(at) = text.find('‸') {
            marked = Some((path.to_owned(), at));
        }
        files.insert(path.to_owned(), text.replace('‸', ""));
    }
    set_files(files.clone());
    let (source, at) = marked.expect("a mark");
    let bench = testing::open::<Python>(&source, &files[&source]);
    let argument = marquetry_sdk::Argument { name: name.to_owned(), value: value.to_owned() };
    let at = marquetry_sdk::Selection::from_span(Span::new(at, at));
    let first = refactor::apply::<Python>(bench.document(), id, at, vec![argument])?;
    let mut result = Moved::default();
    let mut edits: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
    let mut take = |path: &str, rewrite: Rewrite| {
        let text = files.get(path).cloned().unwrap_or_default();
        result.listed.extend(rewrite.unresolved.iter().map(|span| span.slice(&text).to_owned()));
        result.incomplete = result.incomplete.take().or(rewrite.incomplete);
        edits.entry(path.to_owned()).or_default().extend(rewrite.edits);
        result.files.extend(rewrite.create.into_iter().map(|new| (new.path, new.text)));
    };
    let mut open: Vec<(String, Question)> =
        first.ask.iter().map(|question| (source.clone(), question.clone())).collect();
    while let Some((from, question)) = open.pop() {
        for (path, text) in files.iter().filter(|(path, _)| **path != from) {
            let is_asked = match &question.audience {
                Audience::File(asked) => asked == path,
                Audience::Importers(_) | Audience::Containing(_) => true,
            };
            if is_asked {
                let bench = testing::open::<Python>(path, text);
                let answer = <Python as Refactors>::answer(bench.document(), &from, &question.payload)?;
                open.extend(answer.ask.iter().map(|question| (path.clone(), question.clone())));
                take(path, answer);
            }
        }
    }
    take(&source, first);
    for (path, mut edits) in edits.into_iter().filter(|(_, edits)| !edits.is_empty()) {
        edits.sort_by_key(|edit| edit.span.start);
        edits.dedup();
        let text = apply(&read(&path).expect("a text"), &edits);
        assert!(testing::open::<Python>(&path, &text).document().arena().errors.is_empty(), "{path}:\n{text}");
        result.files.insert(path, text);
    }
    Ok(result)
}

/// Asserts the changed files, in the notation of the case, and that nothing is listed.
#[track_caller]
fn check(case: &str, destination: &str, expected: &str) {
    let found = moved(case, destination).unwrap_or_else(|failure| panic!("{failure:?} in\n{case}"));
    let texts: Vec<String> = found.files.iter().map(|(path, text)| format!("{path}:\n{text}")).collect();
    assert_eq!(texts.join("--\n"), expected, "{case}");
    assert_eq!((found.listed, found.incomplete), (Vec::new(), None), "{case}");
}

#[track_caller]
fn check_refused(case: &str, destination: &str, message: &str) {
    match moved(case, destination) {
        Ok(found) => panic!("not refused: {found:#?}"),
        Err(failure) => {
            assert!(failure.message.contains(message), "{failure:?} in\n{case}");
            assert!(failure.hint.is_some(), "{failure:?}");
        }
    }
}

#[test]
fn declarations_move_to_new_files() {
    check(
        "a.py:\nx = 1\n\n\n# About f.\n@cache\ndef ‸f():  # end\n    return 1\n\n\ny = 2\n",
        "b.py",
        "a.py:\nx = 1\n\n\ny = 2\n--\nb.py:\n# About f.\n@cache\ndef f():  # end\n    return 1\n",
    );
    check("p/a.py:\n‸LIMIT = 1  # most\nx = 2\n", "./b.py", "p/a.py:\nx = 2\n--\np/b.py:\nLIMIT = 1  # most\n");
    check(
        "p/__init__.py:\n--\np/a.py:\nclass ‸A:\n    x: 'A' = 1\n",
        "p/q/b.py",
        "p/a.py:\n--\np/q/__init__.py:\n--\np/q/b.py:\nclass A:\n    x: 'A' = 1\n",
    );
    check("a.py:\ntype ‸T = int\nx = 1\n", "b.py", "a.py:\nx = 1\n--\nb.py:\ntype T = int\n");
}

#[test]
fn needed_imports_move() {
    check(
        "a.py:\nimport os\nimport re\nfrom m import x, y as z\n\n\ndef ‸f():\n    return os.x, x, z\n\n\nre.x, x\n",
        "b.py",
        "a.py:\nimport re\nfrom m import x\n\n\nre.x, x\n--\nb.py:\nimport os\nfrom m import x\nfrom m import y as z\n\n\ndef f():\n    return os.x, x, z\n",
    );
    // Relative imports and imports of neighbors are written for the new folder.
    check(
        "p/__init__.py:\n--\np/m.py:\nx = 1\n--\np/q/__init__.py:\n--\np/a.py:\nfrom .m import x\nfrom . import m\n\n\ndef ‸f():\n    return x, m\n",
        "p/q/b.py",
        "p/a.py:\n--\np/q/b.py:\nfrom ..m import x\nfrom .. import m\n\n\ndef f():\n    return x, m\n",
    );
    check(
        "a.py:\nfrom __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from m import T\n\n\ndef ‸f(x: T): ...\n\n\nT\n",
        "b.py",
        "a.py:\nfrom __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from m import T\n\n\nT\n--\nb.py:\nfrom __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from m import T\n\n\ndef f(x: T): ...\n",
    );
    check(
        "a.py:\nimport os.path\nimport os.abc\n\n\ndef ‸f():\n    return os.path\n\n\nos.abc\n",
        "b.py",
        "a.py:\nimport os.path\nimport os.abc\n\n\nos.abc\n--\nb.py:\nimport os.path\nimport os.abc\n\n\ndef f():\n    return os.path\n",
    );
}

#[test]
fn declarations_move_to_files_that_exist() {
    check(
        "a.py:\nimport os\n\n\ndef ‸f():\n    return os.x\n--\nb.py:\nimport re\n\nre.x\n\nif __name__ == '__main__':\n    re.y\n",
        "b.py",
        "a.py:\n--\nb.py:\nimport os\nimport re\n\nre.x\n\n\ndef f():\n    return os.x\n\n\nif __name__ == '__main__':\n    re.y\n",
    );
    // The destination imported the name, and declares another one that the declaration needs.
    check(
        "a.py:\nfrom b import g\n\n\ndef ‸f():\n    return g()\n--\nb.py:\nimport a\n\n\ndef g():\n    return a.f\n",
        "b.py",
        "a.py:\n--\nb.py:\ndef g():\n    return f\n\n\ndef f():\n    return g()\n",
    );
}

#[test]
fn importers_follow() {
    let expected = |importer: &str| format!("a.py:\nx = 1\n--\nb.py:\ndef f(): ...\n--\nn.py:\n{importer}");
    let case = |importer: &str| format!("a.py:\ndef ‸f(): ...\nx = 1\n--\nn.py:\n{importer}");
    let follows = |before: &str, after: &str| check(&case(before), "b.py", &expected(after));
    follows("from a import f\nf()\n", "from b import f\nf()\n");
    follows("from a import f as g\ng()\n", "from b import f as g\ng()\n");
    follows("from a import f, x\nf(x)\n", "from a import x\nfrom b import f\nf(x)\n");
    follows("from a import (\n    x,\n    f,\n)\n", "from a import (\n    x,\n)\nfrom b import f\n");
    follows(
        "def g():\n    from a import x, f\n    f()\n",
        "def g():\n    from a import x\n    from b import f\n    f()\n",
    );
    follows("import a\na.f(a.x)\n", "import a\nimport b\nb.f(a.x)\n");
    follows("import a\na.f()\n", "import b\nb.f()\n");
    follows("import a as k\nk.f()\nk.f\n", "import b\nb.f()\nb.f\n");
    follows("import os, a\na.f()\n", "import os\nimport b\nb.f()\n");
    follows("from a import *\nf()\n", "from a import *\nfrom b import f\nf()\n");
    follows("import a\nx: 'a.f' = 1\n", "import b\nx: 'b.f' = 1\n");
}

#[test]
fn importers_of_packages_follow() {
    let case = |importer: &str| {
        format!(
            "p/__init__.py:\n{importer}--\np/a.py:\ndef ‸f(): ...\nx = 1\n--\nn.py:\nfrom p import f\nimport p.a\np.a.f(p.a.x)\n"
        )
    };
    check(
        &case("from .a import f, x\n__all__ = ['f']\n"),
        "p/b.py",
        "n.py:\nfrom p import f\nimport p.a\nimport p.b\np.b.f(p.a.x)\n--\np/__init__.py:\nfrom .a import x\nfrom .b import f\n__all__ = ['f']\n--\np/a.py:\nx = 1\n--\np/b.py:\ndef f(): ...\n",
    );
    check(
        "p/__init__.py:\n--\np/a.py:\ndef ‸f(): ...\nx = 1\n--\np/n.py:\nfrom . import a\nfrom p import a as k\na.f(a.x)\nk.f()\n",
        "p/b.py",
        "p/a.py:\nx = 1\n--\np/b.py:\ndef f(): ...\n--\np/n.py:\nfrom . import a\nfrom . import b\nfrom p import b\nb.f(a.x)\nb.f()\n",
    );
}

#[test]
fn packages_keep_their_names() {
    check(
        "p/__init__.py:\nx = 1\n\n\ndef ‸f(): ...\n--\nn.py:\nimport p\np.f(p.x)\n--\nm.py:\nfrom p import f\n",
        "p/b.py",
        "m.py:\nfrom p.b import f\n--\nn.py:\nimport p\nimport p.b\np.b.f(p.x)\n--\np/__init__.py:\nfrom p.b import f\n\nx = 1\n--\np/b.py:\ndef f(): ...\n",
    );
}

#[test]
fn names_that_stay_are_imported_back() {
    check(
        "a.py:\nlimit = 1\n\n\ndef ‸f():\n    return limit\n",
        "b.py",
        "a.py:\nlimit = 1\n--\nb.py:\nfrom a import limit\n\n\ndef f():\n    return limit\n",
    );
    check(
        "a.py:\nlimit = 1\ndef ‸f(): return limit\n--\nb.py:\nfrom a import limit\nlimit\n",
        "b.py",
        "a.py:\nlimit = 1\n--\nb.py:\nfrom a import limit\nlimit\n\n\ndef f(): return limit\n",
    );
    check(
        "a.py:\nimport re\n\n\ndef ‸f(): ...\n\n\nre.x(f)\n",
        "b.py",
        "a.py:\nimport re\nfrom b import f\n\n\nre.x(f)\n--\nb.py:\ndef f(): ...\n",
    );
    check(
        "a.py:\n__all__ = ['f']\ndef ‸f(): ...\n",
        "b.py",
        "a.py:\nfrom b import f\n\n__all__ = ['f']\n--\nb.py:\ndef f(): ...\n",
    );
}

#[test]
fn circles_are_refused() {
    check_refused("a.py:\nx = 1\ndef ‸f(): return x\nf()\n", "b.py", "needs `x`, which stays");
    check_refused(
        "a.py:\ndef ‸f(): ...\nf()\n--\nb.py:\nimport c\n--\nc.py:\nimport a\n",
        "b.py",
        "a.py would import b.py",
    );
    check_refused(
        "a.py:\nimport b\nx = 1\ndef ‸f(): return x\nb.y\n--\nb.py:\ny = 1\n",
        "b.py",
        "b.py would import a.py",
    );
    check_refused(
        "a.py:\ndef ‸f(): ...\n--\nn.py:\nfrom a import f\n--\nb.py:\nimport n\n",
        "b.py",
        "n.py would import b.py",
    );
    // An import in a function or for type checkers is not executed when the module is loaded.
    check(
        "a.py:\ndef ‸f(): ...\nf()\n--\nb.py:\ndef g():\n    import a\n",
        "b.py",
        "a.py:\nfrom b import f\n\nf()\n--\nb.py:\ndef g():\n    import a\n\n\ndef f(): ...\n",
    );
}

#[test]
fn declarations_that_depend_on_their_module_are_refused() {
    let refused = |text: &str, message: &str| check_refused(&format!("a.py:\n{text}"), "b.py", message);
    refused("class A:\n    x = 1\nif y:\n    ‸z = 1\n", "not in a declaration at the top");
    refused("a, ‸b = 1, 2\n", "not in a declaration at the top");
    refused("‸import os\n", "not in a declaration at the top");
    refused("x = 1; ‸y = 2\n", "shares its line");
    refused("@overload\ndef f(x): ...\ndef ‸f(y): ...\n", "more than once");
    refused("‸x = 1\ndef f():\n    global x\n    x = 2\n", "more than once");
    refused("‸log = getLogger(__name__)\n", "`__name__` has another value");
    refused("x = 1\ndef ‸f():\n    global x\n    x = 2\n", "assigns the variable `x`");
    refused("x = 1\nx = 2\ndef ‸f(): return x\n", "`x`, which the declaration uses, is assigned more than once");
    refused("try:\n    import m\nexcept E:\n    m = None\ndef ‸f(): return m\n", "`m`, which the declaration uses");
    refused("from m import *\ndef ‸f(): return g()\n", "`g` may come from an import of `*`");
    refused("def ‸f(:\n", "syntax errors");
    check_refused("a.pyi:\n--\na.py:\ndef ‸f(): ...\n", "b.py", "a.pyi declares the types");
    check_refused("p/a.py:\ndef ‸f():\n    from .m import x\n", "q/b.py", "has a relative import");
}

#[test]
fn invalid_destinations_are_refused() {
    let refused = |destination: &str, message: &str| check_refused("p/a.py:\ndef ‸f(): ...\n", destination, message);
    refused("p/b.txt", "is not a Python file");
    refused("p/a.py", "is in this file");
    refused("./a.py", "is in this file");
    refused("../../b.py", "outside of the project");
    check_refused("a.py:\ndef ‸f(): ...\n--\nn.py:\nfrom a import f\n", "my-module.py", "cannot import my-module.py");
    check_refused("a.py:\ndef ‸f(): ...\n--\nb.py:\ndef g(:\n", "b.py", "syntax errors");
}

#[test]
fn names_of_the_destination_are_not_captured() {
    let refused = |source: &str, destination: &str, message: &str| {
        check_refused(&format!("a.py:\n{source}--\nb.py:\n{destination}"), "b.py", message);
    };
    refused("def ‸f(): ...\n", "f = 1\n", "already has a `f`");
    refused("def ‸f(): ...\n", "from a import f\nf()\n", "uses `f` while it is loaded");
    refused("def ‸f(): ...\n", "from a import f as g\n", "under another name");
    refused("def ‸f(): print(1)\n", "def print(): ...\n", "`print` has another meaning");
    refused("import os\ndef ‸f(): os.x\n", "os = 1\n", "already has another `os`");
    refused("import b\ndef ‸f(): b.x\n", "x = 1\n", "as a module");
    refused(
        "from __future__ import annotations\ndef ‸f(x: T): ...\n",
        "x = 1\n",
        "lacks `from __future__ import annotations`",
    );
    refused(
        "if TYPE_CHECKING:\n    pass\nimport m\ndef ‸f(): m.x\n",
        "if TYPE_CHECKING:\n    import m\n",
        "only for type checkers",
    );
    // A module that is used in another importer.
    check_refused("a.py:\ndef ‸f(): ...\n--\nn.py:\nimport a\nb = 1\na.f()\n", "b.py", "already uses the name `b`");
    check_refused(
        "a.py:\ndef ‸f(): ...\n--\nn.py:\nimport a\na.f = 1\n",
        "b.py",
        "assigns the name through its module",
    );
    check_refused("a.py:\nimport m\ndef ‸f(): m.x\n--\nn.py:\nfrom a import m\n", "b.py", "imports `m` from `a.py`");
}

#[test]
fn imports_for_type_checkers_are_merged() {
    let source = "a.py:\nif TYPE_CHECKING:\n    from m import T\n\n\ndef ‸f(x: 'T'): ...\n\n\nT\n--\n";
    let rest = "a.py:\nif TYPE_CHECKING:\n    from m import T\n\n\nT\n--\n";
    check(
        &format!("{source}b.py:\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import n\n\nx = 1\n"),
        "b.py",
        &format!(
            "{rest}b.py:\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import n\n    from m import T\n\nx = 1\n\n\ndef f(x: 'T'): ...\n"
        ),
    );
    check(
        &format!("{source}b.py:\nimport os\n\nos.x\n"),
        "b.py",
        &format!(
            "{rest}b.py:\nimport os\nfrom typing import TYPE_CHECKING\n\n\nif TYPE_CHECKING:\n    from m import T\n\n\nos.x\n\n\ndef f(x: 'T'): ...\n"
        ),
    );
}

#[test]
fn uncertain_uses_are_listed() {
    let package =
        "p/__init__.py:\nfrom . import a\n--\np/a.py:\ndef ‸f(): ...\n--\nn.py:\nimport p\np.a.f()\nq.b.f()\n";
    assert_eq!(moved(package, "p/b.py").expect("moved").listed, ["f"]);
    let found = moved(
        "p/__init__.py:\n--\np/a.py:\ndef ‸f(): ...\n--\nn.py:\nfrom p import a\npatch('p.a.f')\npatch('p.a.g')\n",
        "p/b.py",
    );
    assert_eq!(found.expect("moved").listed, ["'p.a.f'"]);
    let found = moved("a.py:\nfrom m import app\n@app.get('/')\ndef ‸f(): ...\n", "b.py").expect("moved");
    assert_eq!(
        found.incomplete.expect("a reason"),
        "a.py no longer runs `@app.get('/')`; import b.py where it must run"
    );
}
