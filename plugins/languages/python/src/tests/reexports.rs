//! Renames of names that packages export to their users.

use marquetry_sdk::{ImportKey, RenameResult, Subject, Symbols, span::apply, testing};

use crate::Python;

/// Renames `f` of the module `m` to `g` in a file that imports it.
fn renamed(path: &str, text: &str) -> RenameResult {
    let bench = testing::open::<Python>(path, text);
    let specifiers = ["m", ".m", "p.m", "..m"].map(str::to_owned).to_vec();
    let key = ImportKey { specifiers, name: "f".to_owned() };
    Python::rename(bench.document(), Subject::Imported(key), "g").expect("renamed")
}

/// Asserts that a file exports the old name after a rename, and its text after a second rename of that export.
#[track_caller]
fn check_kept(path: &str, before: &str, kept: &str, exports_renamed: &str) {
    let result = renamed(path, before);
    assert_eq!(apply(before, &result.edits), kept, "{before}");
    assert!(result.exported.is_empty(), "{before}: {:?}", result.exported);
    // The host finds kept exports by edits whose old and new texts contain the name.
    let keeps = |edit: &marquetry_sdk::Edit| edit.span.slice(before).contains('f') && edit.text.contains('f');
    assert!(result.edits.iter().any(keeps), "{before}");
    let bench = testing::open::<Python>(path, kept);
    let result = Python::rename(bench.document(), Subject::Exported("f".to_owned()), "g").expect("renamed");
    assert_eq!(apply(kept, &result.edits), exports_renamed, "{kept}");
    assert_eq!((result.exported[0].old.as_str(), result.exported[0].new.as_str()), ("f", "g"));
}

#[track_caller]
fn check_followed(path: &str, before: &str, after: &str) {
    let result = renamed(path, before);
    assert_eq!(apply(before, &result.edits), after, "{before}");
}

#[test]
fn exports_of_packages_are_kept() {
    check_kept(
        "p/__init__.py",
        "from .m import f, x\n\nf(x)\n",
        "from .m import g as f, x\n\nf(x)\n",
        "from .m import g, x\n\ng(x)\n",
    );
    check_kept(
        "p/__init__.py",
        "from p.m import x, f\n__all__ = ['f', 'x']\n",
        "from p.m import x, g as f\n__all__ = ['f', 'x']\n",
        "from p.m import x, g\n__all__ = ['g', 'x']\n",
    );
    check_kept(
        "p/q/__init__.py",
        "from ..m import (\n    f,\n    x,\n)\n",
        "from ..m import (\n    g as f,\n    x,\n)\n",
        "from ..m import (\n    g,\n    x,\n)\n",
    );
    check_kept(
        "p/__init__.py",
        "from q import x\nif TYPE_CHECKING:\n    from .m import f\n",
        "from q import x\nif TYPE_CHECKING:\n    from .m import g as f\n",
        "from q import x\nif TYPE_CHECKING:\n    from .m import g\n",
    );
}

#[test]
fn explicit_exports_are_kept_in_every_file() {
    check_kept("a.py", "from m import f as f\n", "from m import g as f\n", "from m import g as g\n");
    check_kept(
        "p/__init__.pyi",
        "from .m import f as f\nfrom .n import x as x\n",
        "from .m import g as f\nfrom .n import x as x\n",
        "from .m import g as g\nfrom .n import x as x\n",
    );
    check_kept(
        "a.py",
        "from m import f\n__all__ = [\"f\"]\nf()\n",
        "from m import g as f\n__all__ = [\"f\"]\nf()\n",
        "from m import g\n__all__ = [\"g\"]\ng()\n",
    );
}

#[test]
fn imports_of_modules_are_renamed() {
    check_followed("a.py", "from m import f\nf()\n", "from m import g\ng()\n");
    check_followed("p/__init__.py", "from .m import f as h\n", "from .m import g as h\n");
    // A package does not export names that it imports from elsewhere, or in a function.
    check_followed("p/__init__.py", "from m import f\nf()\n", "from m import g\ng()\n");
    check_followed(
        "p/__init__.py",
        "def h():\n    from .m import f\n    f()\n",
        "def h():\n    from .m import g\n    g()\n",
    );
    check_followed("p/__init__.py", "from . import m\nm.f()\n", "from . import m\nm.g()\n");
}

#[test]
fn another_import_of_the_name_is_not_changed() {
    check_followed(
        "a.py",
        "try:\n    from m import f\nexcept ImportError:\n    from n import f\nf()\n",
        "try:\n    from m import g as f\nexcept ImportError:\n    from n import f\nf()\n",
    );
    check_followed(
        "a.py",
        "try:\n    from m import f\nexcept ImportError:\n    f = None\nf()\n",
        "try:\n    from m import g\nexcept ImportError:\n    g = None\ng()\n",
    );
    check_followed(
        "a.py",
        "if TYPE_CHECKING:\n    from m import f\nelse:\n    from .m import f\nf()\n",
        "if TYPE_CHECKING:\n    from m import g\nelse:\n    from .m import g\ng()\n",
    );
}

#[test]
fn lists_of_names_from_wildcard_imports_are_listed() {
    let text = "from .m import *\n__all__ = ['f', 'x']\n";
    let result = renamed("p/__init__.py", text);
    let listed: Vec<&str> = result.unresolved.iter().map(|span| span.slice(text)).collect();
    assert_eq!((apply(text, &result.edits).as_str(), listed), (text, vec!["f"]));
    assert_eq!(result.exported[0].old, "f");
}
