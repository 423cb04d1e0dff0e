//! Renames and references from the position of an imported name, in small workspaces.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_sdk::{
    ImportKey, Linking, Resolution, Subject, Symbols,
    span::apply,
    testing,
    workspace::{read, set_files},
};

use crate::{
    Python,
    modules::{Found, resolve},
};

/// The files of a case: `path:` and the text, with `--` lines between the files. Also returns the path and offset of
/// the mark.
fn workspace(case: &str) -> (Vec<String>, String, u32) {
    let (mut marked, mut files) = (None, BTreeMap::new());
    for part in case.split("--\n") {
        let (path, text) = part.split_once(":\n").expect("a path");
        if let Some(at) = text.find('‸') {
            marked = Some((path.to_owned(), at as u32));
        }
        files.insert(path.to_owned(), text.replace('‸', ""));
    }
    let paths = files.keys().cloned().collect();
    set_files(files);
    let (path, at) = marked.expect("a mark");
    (paths, path, at)
}

/// Asks the declaring file, and then every file that imports the name, in the same way as the host.
fn renamed(case: &str, new: &str) -> BTreeMap<String, String> {
    let (paths, path, at) = workspace(case);
    let mut open = vec![(path, Subject::At(at))];
    let (mut asked, mut changed) = (BTreeSet::new(), BTreeMap::<String, Vec<_>>::new());
    while let Some((path, subject)) = open.pop() {
        if !asked.insert(format!("{path} {subject:?}")) {
            continue;
        }
        let text = read(&path).expect("a text");
        let bench = testing::open::<Python>(&path, &text);
        let result = Python::rename(bench.document(), subject, new).unwrap_or_else(|failure| panic!("{failure:?}"));
        if let Some(place) = result.elsewhere {
            assert!(result.edits.is_empty());
            open.push((place.path, Subject::At(place.offset)));
            continue;
        }
        for export in &result.exported {
            for other in paths.iter().filter(|other| **other != path) {
                let specifiers = specifiers_of(other, &path);
                let key = ImportKey { specifiers, name: export.old.clone() };
                open.push((other.clone(), Subject::Imported(key)));
            }
        }
        changed.entry(path).or_default().extend(result.edits);
    }
    let apply_all = |(path, mut edits): (String, Vec<marquetry_sdk::Edit>)| {
        edits.sort_by_key(|edit| edit.span.start);
        edits.dedup();
        let text = apply(&read(&path).expect("a text"), &edits);
        (path, text)
    };
    changed.into_iter().map(apply_all).collect()
}

/// The specifiers by which a file imports another file.
fn specifiers_of(from: &str, to: &str) -> Vec<String> {
    let bench = testing::open::<Python>(from, &read(from).expect("a text"));
    let links = Python::links(bench.document()).into_iter().map(|link| link.specifier);
    links.filter(|specifier| matches!(resolve(from, specifier), Found::Inside(module) if module.path == to)).collect()
}

#[track_caller]
fn check_rename(case: &str, new: &str, expected: &[(&str, &str)]) {
    let expected: BTreeMap<String, String> =
        expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let mut found = renamed(case, new);
    found.retain(|path, text| read(path).as_ref() != Ok(text));
    assert_eq!(found, expected, "{case}");
}

#[test]
fn imported_name_is_renamed_where_it_is_declared() {
    let expected = [("m.py", "class PP:\n    pass\n"), ("n.py", "from m import PP\nPP()\n")];
    check_rename("m.py:\nclass P:\n    pass\n--\nn.py:\nfrom m import P\n‸P()\n", "PP", &expected);
    check_rename("m.py:\nclass P:\n    pass\n--\nn.py:\nfrom m import ‸P\nP()\n", "PP", &expected);
    check_rename(
        "p/__init__.py:\n--\np/a.py:\nLIMIT = 1\n--\np/b.py:\nfrom .a import LIMIT\nprint(‸LIMIT)\n--\nc.py:\nimport p.a\np.a.LIMIT\n",
        "MAX",
        &[("p/a.py", "MAX = 1\n"), ("p/b.py", "from .a import MAX\nprint(MAX)\n"), ("c.py", "import p.a\np.a.MAX\n")],
    );
    check_rename(
        "m.py:\ndef f(): return f\n--\nn.py:\ndef g():\n    from m import f\n    return ‸f()\n",
        "h",
        &[("m.py", "def h(): return h\n"), ("n.py", "def g():\n    from m import h\n    return h()\n")],
    );
}

#[test]
fn attribute_of_a_module_is_renamed_where_it_is_declared() {
    let expected = [("m.py", "def g(): ...\n"), ("n.py", "import m\nm.g()\n"), ("o.py", "from m import g as h\n")];
    check_rename("m.py:\ndef f(): ...\n--\nn.py:\nimport m\nm.‸f()\n--\no.py:\nfrom m import f as h\n", "g", &expected);
    check_rename(
        "p/__init__.py:\n--\np/m.py:\ndef f(): ...\n--\nn.py:\nfrom p import m as q\nq.‸f()\n",
        "g",
        &[("p/m.py", "def g(): ...\n"), ("n.py", "from p import m as q\nq.g()\n")],
    );
}

#[test]
fn names_after_as_are_local() {
    check_rename(
        "m.py:\nclass P: ...\n--\nn.py:\nfrom m import P as Q\n‸Q()\n",
        "R",
        &[("n.py", "from m import P as R\nR()\n")],
    );
    check_rename(
        "m.py:\nclass P: ...\n--\nn.py:\nfrom m import ‸P as Q\nQ()\n",
        "R",
        &[("m.py", "class R: ...\n"), ("n.py", "from m import R as Q\nQ()\n")],
    );
    check_rename("m.py:\n--\nn.py:\nimport m as q\n‸q.x\n", "r", &[("n.py", "import m as r\nr.x\n")]);
}

#[test]
fn names_are_followed_through_packages() {
    check_rename(
        "p/__init__.py:\nfrom .a import f\n__all__ = ['f']\n--\np/a.py:\ndef f(): ...\n--\nn.py:\nfrom p import f\n‸f()\n",
        "g",
        &[("p/__init__.py", "from .a import g as f\n__all__ = ['f']\n"), ("p/a.py", "def g(): ...\n")],
    );
    check_rename(
        "p/q.py:\nfrom .a import f\n--\np/a.py:\ndef f(): ...\n--\nn.py:\nfrom p.q import f\n‸f()\n",
        "g",
        &[("p/q.py", "from .a import g\n"), ("p/a.py", "def g(): ...\n"), ("n.py", "from p.q import g\ng()\n")],
    );
    // The package declares the name with `as`. The function in the module keeps its own name.
    check_rename(
        "p/__init__.py:\nfrom .a import f as shown\n--\np/a.py:\ndef f(): ...\n--\nn.py:\nfrom p import shown\n‸shown()\n",
        "g",
        &[("p/__init__.py", "from .a import f as g\n"), ("n.py", "from p import g\ng()\n")],
    );
    check_rename(
        "p/__init__.py:\nfrom .a import *\n--\np/a.py:\ndef f(): ...\n--\nn.py:\nfrom p import f\n‸f()\n",
        "g",
        &[("p/a.py", "def g(): ...\n"), ("n.py", "from p import g\ng()\n")],
    );
}

#[test]
fn names_of_other_projects_are_renamed_in_the_file() {
    check_rename("n.py:\nfrom os import path\n‸path.join\n", "q", &[("n.py", "from os import path as q\nq.join\n")]);
    // A module can be renamed only by renaming its file.
    check_rename(
        "p/__init__.py:\n--\np/a.py:\nx = 1\n--\nn.py:\nfrom p import a\n‸a.x\n",
        "b",
        &[("n.py", "from p import a as b\nb.x\n")],
    );
    // Two modules that import the name from each other do not declare it.
    check_rename(
        "a.py:\nfrom b import f\n--\nb.py:\nfrom a import f\n--\nn.py:\nfrom a import f\n‸f()\n",
        "g",
        &[("n.py", "from a import f as g\ng()\n")],
    );
    // Two modules may provide the name.
    check_rename(
        "a.py:\ndef f(): ...\n--\nb.py:\ndef f(): ...\n--\nn.py:\ntry:\n    from a import f\nexcept ImportError:\n    from b import f\n‸f()\n",
        "g",
        &[("n.py", "try:\n    from a import f as g\nexcept ImportError:\n    from b import f as g\ng()\n")],
    );
}

/// The answer to a request for references at the mark.
fn resolved(case: &str) -> Resolution {
    let (_, path, at) = workspace(case);
    let bench = testing::open::<Python>(&path, &read(&path).expect("a text"));
    Python::resolve_symbol(bench.document(), Subject::At(at)).expect("resolved")
}

#[track_caller]
fn check_declared(case: &str, expected: Option<(&str, u32)>) {
    let found = resolved(case).elsewhere;
    assert_eq!(found.as_ref().map(|place| (place.path.as_str(), place.offset)), expected, "{case}");
}

#[test]
fn references_lead_to_the_declaration() {
    check_declared("m.py:\nclass P: ...\n--\nn.py:\nfrom m import P\n‸P()\n", Some(("m.py", 6)));
    check_declared("m.py:\nclass P: ...\n--\nn.py:\nfrom m import ‸P as Q\nQ()\n", Some(("m.py", 6)));
    check_declared("m.py:\nclass P: ...\n--\nn.py:\nfrom m import P as ‸Q\nQ()\n", None);
    check_declared("m.py:\nclass P: ...\n--\nn.py:\nimport m\nm.‸P()\n", Some(("m.py", 6)));
    check_declared("m.py:\nclass P: ...\n--\nn.py:\nfrom m import *\n‸P()\n", Some(("m.py", 6)));
    check_declared("m.py:\n_p = 1\n--\nn.py:\nimport m\nm.‸_p\n", Some(("m.py", 0)));
    check_declared("m.py:\nx = 1\n--\nn.py:\nfrom m import x\ndef f(x): return ‸x\n", None);
    check_declared("m.py:\nx = 1\n--\nn.py:\nfrom m import x\nx = ‸x + 1\n", None);
    check_declared("n.py:\nfrom os import path\n‸path\n", None);
    let found = resolved("m.py:\nclass P: ...\n--\nn.py:\nfrom m import P\n‸P()\n");
    assert_eq!((found.name.as_str(), found.occurrences.len()), ("P", 2));
}
