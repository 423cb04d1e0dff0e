//! Links: the modules that a module imports, their files, and the changes of imports after moves.

use marquetry_sdk::{
    Context, Destination, FileMoves, Linking, Relocation, Request, SpecifierRequest, span::apply, testing,
    workspace::set_files,
};

use super::meanings::set_package;
use crate::{
    Python,
    relink::{Move, Relinked, relink},
};

/// Sets the files of the workspace: these paths, with empty texts.
fn files(paths: &[&str]) {
    set_files(paths.iter().map(|path| ((*path).to_owned(), String::new())));
}

const SHOP: &[&str] =
    &["shop/__init__.py", "shop/money.py", "shop/cart.py", "shop/util/__init__.py", "main.py", "tests/test_cart.py"];

#[track_caller]
fn check_links(text: &str, expected: &str) {
    let links = Python::links(testing::open::<Python>("a.py", text).document());
    let line = |link: &marquetry_sdk::Link| {
        format!("{} {} {} {:?}", link.kind, link.span.slice(text), link.specifier, link.names.join(","))
    };
    assert_eq!(links.iter().map(line).collect::<Vec<_>>().join("\n"), expected.trim(), "{text}");
}

#[test]
fn links_are_listed() {
    check_links("import a.b, c as d\n", "import a.b a.b \"*\"\nimport-as c c \"*\"");
    check_links(
        "from a.b import c as d, e\n",
        "import-from a.b a.b \"c,e\"\nsubmodule c a.b.c \"*\"\nsubmodule e a.b.e \"*\"",
    );
    check_links(
        "from .. import x\nfrom ...y import (\n    z,\n)\n",
        "import-from .. .. \"x\"\nsubmodule x ..x \"*\"\nimport-from ...y ...y \"z\"\nsubmodule z ...y.z \"*\"",
    );
    check_links("from a import *\n", "import-from a a \"*\"");
    check_links("importlib.import_module('a.b')\nx = 'a b.c'\ny = 'v1.2'\n", "possible a.b a.b \"\"");
    check_links("def f():\n    import a\n", "import a a \"*\"");
}

#[track_caller]
pub(super) fn check_resolved(from: &str, kind: &str, specifier: &str, expected: &str) {
    let request = Request { kind: kind.to_owned(), specifier: specifier.to_owned() };
    let found = match &Python::resolve(&Context::for_path(from), &[request])[0] {
        Destination::Inside(resolved) => resolved.path.clone(),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(reason) => reason.clone(),
    };
    assert_eq!(found, expected, "{specifier} in {from}");
}

#[test]
fn folders_without_package_files_are_not_libraries() {
    let celery = "examples/celery/src/task_app/views.py";
    files(&[
        "examples/celery/make_celery.py",
        "examples/celery/pyproject.toml",
        "examples/celery/src/task_app/__init__.py",
        celery,
    ]);
    check_resolved(celery, "import-from", "celery", "external");
    check_resolved(celery, "import-from", "celery.result", "external");
    check_resolved(celery, "import-from", "task_app", "examples/celery/src/task_app/__init__.py");
    files(&["json/a.py", "main.py", "shop/cart.py"]);
    check_resolved("main.py", "import", "json.decoder", "external");
    check_resolved("main.py", "import", "shop.cart", "shop/cart.py");
    check_resolved("main.py", "import", "shop.gone", "missing shop/gone.py");
    let files = [("docker/build.py", ""), ("requirements.txt", "docker>=7\n"), ("main.py", "")];
    set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
    check_resolved("main.py", "import", "docker.errors", "external");
    check_resolved("main.py", "import", "docker.build", "docker/build.py");
}

#[test]
fn modules_are_found() {
    files(SHOP);
    check_resolved("main.py", "import", "shop.money", "shop/money.py");
    check_resolved("main.py", "import", "shop", "shop/__init__.py");
    check_resolved("main.py", "import", "os.path", "external");
    check_resolved("main.py", "import", "shop.gone", "missing shop/gone.py");
    check_resolved("shop/cart.py", "import-from", ".", "shop/__init__.py");
    check_resolved("shop/cart.py", "import-from", ".money", "shop/money.py");
    check_resolved("shop/cart.py", "import-from", ".gone", "missing shop/gone.py");
    check_resolved("shop/util/__init__.py", "import-from", "..money", "shop/money.py");
    check_resolved("shop/cart.py", "import", "shop.util", "shop/util/__init__.py");
    check_resolved("tests/test_cart.py", "import", "shop.cart", "shop/cart.py");
    check_resolved("main.py", "submodule", "shop.money", "shop/money.py");
    check_resolved("main.py", "submodule", "shop.price", "external");
    check_resolved(
        "main.py",
        "possible",
        "shop.money.price",
        "it may refer to `shop/money.py`, but this is not certain",
    );
    check_resolved("main.py", "possible", "a.b", "external");
}

#[test]
fn libraries_are_found_before_modules_of_the_package() {
    set_files(
        [
            ("shop/__init__.py", ""),
            ("shop/main.py", ""),
            ("shop/logging.py", ""),
            ("shop/money.py", ""),
            ("shop/requests.py", ""),
            ("shop/yaml.py", ""),
            ("shop/celery.py", ""),
            ("shop/parts/units.py", ""),
            ("scripts/run.py", ""),
            ("scripts/logging.py", ""),
            ("pyproject.toml", "dependencies = [\"requests>=2\"]"),
            ("requirements/base.txt", "PyYAML==6\n"),
            ("requirements-dev.txt", "celery[redis]\n"),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned())),
    );
    for library in ["logging", "logging.handlers", "requests", "yaml", "celery"] {
        check_resolved("shop/main.py", "import", library, "external");
    }
    check_resolved("shop/parts/units.py", "import", "logging", "external");
    check_resolved("shop/main.py", "import-from", ".logging", "shop/logging.py");
    check_resolved("shop/main.py", "import", "shop.logging", "shop/logging.py");
    // Only the package has these modules, so the file is run as a script.
    check_resolved("shop/main.py", "import", "money", "shop/money.py");
    check_resolved("shop/main.py", "import-from", "parts.units", "shop/parts/units.py");
    // A folder that is not a package is searched first.
    check_resolved("scripts/run.py", "import", "logging", "scripts/logging.py");
}

#[test]
fn source_folders_and_namespace_packages_are_found() {
    files(&["pkg/src/shop/money.py", "pkg/src/shop/cart.pyi", "pkg/tests/test_a.py", "data/x.json"]);
    check_resolved("pkg/tests/test_a.py", "import", "shop.money", "pkg/src/shop/money.py");
    check_resolved("pkg/tests/test_a.py", "import-from", "shop", "pkg/src/shop");
    check_resolved("pkg/src/shop/money.py", "import", "shop.cart", "pkg/src/shop/cart.pyi");
    check_resolved("pkg/tests/test_a.py", "import", "data", "external");
}

#[track_caller]
fn check_specifier(kind: &str, specifier: &str, (from, was, to): (&str, &str, &str), expected: Option<&str>) {
    let request = SpecifierRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        was: was.to_owned(),
        kind: kind.to_owned(),
        specifier: specifier.to_owned(),
    };
    let new = Python::format_specifiers(&Context::for_path(""), &[request]).remove(0);
    match (new, expected) {
        (Ok(new), expected) => assert_eq!(Some(new.as_str()), expected),
        (Err(failure), None) => assert!(failure.hint.is_some(), "{failure:?}"),
        (Err(failure), Some(expected)) => panic!("{expected}: {failure:?}"),
    }
}

#[test]
fn specifiers_are_formatted_or_refused() {
    files(SHOP);
    check_specifier(
        "import-from",
        "shop.money",
        ("main.py", "shop/money.py", "shop/util/cash.py"),
        Some("shop.util.cash"),
    );
    check_specifier(
        "import-from",
        ".money",
        ("shop/cart.py", "shop/money.py", "shop/util/cash.py"),
        Some(".util.cash"),
    );
    check_specifier("import-as", "shop.money", ("main.py", "shop/money.py", "shop/cash.py"), Some("shop.cash"));
    check_specifier("submodule", "shop.money", ("main.py", "shop/money.py", "shop/cash.py"), Some("cash"));
    check_specifier("submodule", "shop.money", ("main.py", "shop/money.py", "shop/util/cash.py"), None);
    check_specifier("import", "shop.money", ("main.py", "shop/money.py", "shop/cash.py"), None);
    check_specifier("import-from", "shop.money", ("main.py", "shop/money.py", "shop/my-cash.py"), None);
}

#[track_caller]
fn check_unlink(text: &str, index: u32, expected: &str) {
    let bench = testing::open::<Python>("a.py", text);
    let edits = Python::unlink(bench.document(), &[index]).expect("unlinked").edits;
    assert_eq!(apply(text, &edits), expected, "{text}");
}

#[test]
fn links_are_removed() {
    check_unlink("import a, b\n", 0, "import b\n");
    check_unlink("import a, b\n", 1, "import a\n");
    check_unlink("import a\nx = 1\n", 0, "x = 1\n");
    check_unlink("from a import (\n    b,\n    c,  # c\n)\n", 2, "from a import (\n    b,\n)\n");
    check_unlink("from a import b, c\n", 0, "");
    check_unlink("try:\n    import a\nexcept E:\n    pass\n", 0, "try:\n    pass\nexcept E:\n    pass\n");
}

/// Returns the paths of the files that are created for a moved module.
#[track_caller]
fn created(from: &str, to: &str) -> Vec<String> {
    created_with(from, to, &[(from, to)])
}

/// Returns the paths of the files that are created for one module of a change.
#[track_caller]
fn created_with(from: &str, to: &str, moves: &[(&str, &str)]) -> Vec<String> {
    let bench = testing::open::<Python>(from, "");
    let relocation = |(from, to): &(&str, &str)| Relocation { from: (*from).to_owned(), to: (*to).to_owned() };
    let relocations = moves.iter().map(relocation).collect();
    let moves = FileMoves { path: to.to_owned(), relocations, links: Vec::new() };
    let rewrite = Python::relink(bench.document(), &moves).expect("a rewrite");
    rewrite.create.into_iter().map(|file| file.path).collect()
}

#[test]
fn module_of_a_package_gets_new_packages() {
    files(&["shop/__init__.py", "shop/money.py", "shop/util/__init__.py", "tools/run.py", "scripts/x.py"]);
    assert_eq!(created("shop/money.py", "shop/util/cash.py"), [""; 0]);
    assert_eq!(
        created("shop/money.py", "shop/new/deep/cash.py"),
        ["shop/new/deep/__init__.py", "shop/new/__init__.py"]
    );
    assert_eq!(created("shop/money.py", "money.py"), [""; 0]);
    assert_eq!(created("shop/money.py", "tools/money.py"), [""; 0], "an existing folder without a package stays so");
    assert_eq!(created("tools/run.py", "tools/new/run.py"), [""; 0], "the module was not in a package");
}

#[test]
fn module_can_become_the_package_file_of_its_folder() {
    files(&["shop/__init__.py", "shop/money.py", "shop/money.pyi", "shop/cart.py", "run.py"]);
    assert_eq!(created("shop/money.py", "shop/money/__init__.py"), [""; 0]);
    assert_eq!(created("shop/money.pyi", "shop/money/__init__.pyi"), [""; 0]);
    assert_eq!(created("shop/money.py", "shop/new/deep/__init__.py"), ["shop/new/__init__.py"]);
    assert_eq!(created("run.py", "run/__init__.py"), [""; 0]);
    let both = [("shop/money.py", "shop/money/__init__.py"), ("shop/cart.py", "shop/money/cart.py")];
    assert_eq!(created_with("shop/cart.py", "shop/money/cart.py", &both), [""; 0]);
    files(&["shop/__init__.py", "shop/money/__init__.py", "shop/money/rates.py"]);
    assert_eq!(created("shop/money/__init__.py", "shop/money.py"), [""; 0]);
}

#[track_caller]
pub(super) fn relinked(path: &str, text: &str, moves: &[(&str, &str)]) -> (String, Relinked) {
    let moves: Vec<Move> =
        moves.iter().map(|(from, to)| Move { from: (*from).to_owned(), to: (*to).to_owned() }).collect();
    let bench = testing::open::<Python>(path, text);
    let result = relink(bench.document(), &moves);
    let after = apply(text, &result.edits);
    assert_eq!(testing::open::<Python>(path, &after).diagnostics(), Vec::<String>::new(), "{after}");
    (after, result)
}

#[track_caller]
pub(super) fn check_relink(path: &str, text: &str, moves: &[(&str, &str)], expected: &str) {
    let (after, result) = relinked(path, text, moves);
    assert_eq!(after, expected, "{text}");
    assert_eq!(result.unresolved, Vec::new(), "{text}");
}

pub(super) const CASH: &[(&str, &str)] = &[("shop/money.py", "shop/util/cash.py")];

#[test]
fn moved_modules_are_renamed_in_imports_and_code() {
    files(SHOP);
    check_relink(
        "main.py",
        "from shop import money\nimport shop.money\nprint(shop.money.x, money.y)\n",
        CASH,
        "from shop.util import cash\nimport shop.util.cash\nprint(shop.util.cash.x, cash.y)\n",
    );
    check_relink("main.py", "import shop.money as m\nm.x\n", CASH, "import shop.util.cash as m\nm.x\n");
    check_relink("main.py", "from shop.money import a, b as c\n", CASH, "from shop.util.cash import a, b as c\n");
    check_relink(
        "shop/cart.py",
        "from .money import a\nfrom . import money as m\n",
        CASH,
        "from .util.cash import a\nfrom .util import cash as m\n",
    );
    check_relink("main.py", "import shop.money, os\n", CASH, "import shop.util.cash, os\n");
    check_relink("main.py", "import os\nfrom json import money\n", CASH, "import os\nfrom json import money\n");
}

#[test]
fn statements_are_split() {
    files(SHOP);
    check_relink(
        "main.py",
        "from shop import cart, money\nmoney.y\n",
        CASH,
        "from shop import cart\nfrom shop.util import cash\ncash.y\n",
    );
    check_relink(
        "main.py",
        "from shop import (\n    cart,\n    money as m,  # it\n    NAME,\n)\nx = 1\n",
        CASH,
        "from shop import (\n    cart,\n    NAME,\n)\nfrom shop.util import cash as m\nx = 1\n",
    );
    check_relink(
        "main.py",
        "def f():\n    from shop import money, X\n    return money\n",
        CASH,
        "def f():\n    from shop import X\n    from shop.util import cash\n    return cash\n",
    );
}

#[test]
fn modules_that_leave_their_package_are_imported_by_name() {
    files(SHOP);
    let moves: &[(&str, &str)] = &[("shop/money.py", "cash.py")];
    check_relink("main.py", "from shop import money\nmoney.x\n", moves, "import cash\ncash.x\n");
    check_relink("shop/cart.py", "from . import money as m\nm.x\n", moves, "import cash as m\nm.x\n");
    check_relink("shop/__init__.py", "from . import money\n", moves, "import cash as money\n");
    check_relink(
        "shop/cart.py",
        "from . import (\n    money,\n    NAME,\n)\nmoney.x\n",
        moves,
        "from . import (\n    NAME,\n)\nimport cash\ncash.x\n",
    );
    check_relink("main.py", "from shop import money; x = 1\n", moves, "import cash; x = 1\n");
    let both: &[(&str, &str)] = &[("shop/money.py", "cash.py"), ("shop/cart.py", "cart.py")];
    check_relink("main.py", "from shop import (cart, money)\ncart, money\n", both, "import cart, cash\ncart, cash\n");
    check_relink("main.py", "from shop import cart, money, X\n", both, "from shop import X\nimport cart, cash\n");
    let (after, result) = relinked("main.py", "from shop import (\n    money,  # it\n)\n", moves);
    assert_eq!((after.as_str(), result.unresolved.len()), ("from shop import (\n    money,  # it\n)\n", 1));
}

#[test]
fn modules_that_move_to_the_root_import_by_full_names() {
    files(SHOP);
    check_relink(
        "shop/cart.py",
        "from . import money\nfrom .money import a\nfrom . import NAME\n",
        &[("shop/cart.py", "cart.py")],
        "from shop import money\nfrom shop.money import a\nfrom shop import NAME\n",
    );
}

#[test]
fn taken_names_keep_the_old_one() {
    files(SHOP);
    check_relink(
        "main.py",
        "from shop import money\ncash = money.x\n",
        CASH,
        "from shop.util import cash as money\ncash = money.x\n",
    );
    check_relink("shop/__init__.py", "from . import money\n", CASH, "from .util import cash as money\n");
    check_relink(
        "main.py",
        "from shop import money\n__all__ = ['money']\n",
        CASH,
        "from shop.util import cash as money\n__all__ = ['money']\n",
    );
}

#[test]
fn relative_imports_of_moved_files_are_kept() {
    files(SHOP);
    let moves: &[(&str, &str)] = &[("shop/cart.py", "shop/util/cart.py")];
    check_relink(
        "shop/cart.py",
        "from .money import a\nfrom . import money\nimport os\n",
        moves,
        "from ..money import a\nfrom .. import money\nimport os\n",
    );
    check_relink("shop/cart.py", "from . import NAME\n", moves, "from .. import NAME\n");
    let folder: &[(&str, &str)] = &[("shop", "store")];
    check_relink(
        "main.py",
        "import shop.money\nfrom shop import cart\nshop.money.x\n",
        folder,
        "import store.money\nfrom store import cart\nstore.money.x\n",
    );
    check_relink(
        "shop/cart.py",
        "from .money import a\nimport shop.money\nshop.money.a\n",
        folder,
        "from .money import a\nimport store.money\nstore.money.a\n",
    );
}

#[test]
fn imports_stay_if_a_module_becomes_a_package() {
    files(SHOP);
    let package: &[(&str, &str)] = &[("shop/money.py", "shop/money/__init__.py")];
    let uses = "from . import money\nfrom .money import x\nimport shop.money\nshop.money.x\n";
    check_relink("shop/cart.py", uses, package, uses);
    check_relink(
        "shop/money.py",
        "from .cart import a\nfrom . import cart\nimport shop.cart\n",
        package,
        "from ..cart import a\nfrom .. import cart\nimport shop.cart\n",
    );
    files(&["shop/__init__.py", "shop/money/__init__.py", "shop/money/rates.py", "shop/cart.py"]);
    let module: &[(&str, &str)] = &[("shop/money/__init__.py", "shop/money.py")];
    check_relink("shop/cart.py", uses, module, uses);
    check_relink(
        "shop/money/__init__.py",
        "from ..cart import a\nfrom .rates import b\nfrom . import rates\n",
        module,
        "from .cart import a\nfrom .money.rates import b\nfrom .money import rates\n",
    );
}

#[test]
fn what_cannot_be_rewritten_is_reported() {
    files(SHOP);
    let (after, result) =
        relinked("main.py", "import shop.money\nshop.NAME\nshop.money.x\n", &[("shop/money.py", "cash.py")]);
    assert_eq!(after, "import cash\nshop.NAME\ncash.x\n");
    assert_eq!(result.unresolved.len(), 1, "{result:?}");
    let (after, result) = relinked("main.py", "from shop.money import a\n", &[("shop/money.py", "shop/my-cash.py")]);
    assert_eq!((after.as_str(), result.unresolved.len()), ("from shop.money import a\n", 1));
    let (after, result) = relinked("main.py", "cash = 1\nimport shop.money\n", &[("shop/money.py", "cash.py")]);
    assert_eq!((after.as_str(), result.unresolved.len()), ("cash = 1\nimport shop.money\n", 1));
}

const CODE: &str = "import shop\nfrom shop import cart\nfrom shop.money import a\nimport shop.money\nshop.money.x\n";

#[test]
fn package_that_moves_into_or_out_of_the_source_folder_keeps_its_name() {
    for project in ["pyproject.toml", "setup.py", "setup.cfg"] {
        files(&[project, "shop/__init__.py", "shop/money.py", "shop/cart.py", "tests/test_a.py"]);
        check_relink("tests/test_a.py", CODE, &[("shop", "src/shop")], CODE);
        check_relink("shop/cart.py", CODE, &[("shop", "src/shop")], CODE);
        files(&[project, "src/shop/__init__.py", "src/shop/money.py", "src/shop/cart.py", "tests/test_a.py"]);
        check_relink("tests/test_a.py", CODE, &[("src/shop", "shop")], CODE);
        check_relink("src/shop/cart.py", CODE, &[("src/shop", "shop")], CODE);
        check_relink("tests/test_a.py", CODE, &[("src", "lib")], CODE);
    }
}

#[test]
fn package_that_moves_into_a_project_keeps_its_name() {
    files(&["shop/__init__.py", "shop/money.py", "shop/cart.py", "pkg/pyproject.toml", "tests/test_a.py"]);
    check_relink("tests/test_a.py", CODE, &[("shop", "pkg/shop")], CODE);
    check_relink("tests/test_a.py", CODE, &[("shop", "pkg/src/shop")], CODE);
    let files_of_move = [("shop/__init__.py", "pkg/shop/__init__.py"), ("shop/money.py", "pkg/shop/money.py")];
    check_relink("tests/test_a.py", "import shop.money\n", &files_of_move, "import shop.money\n");
}

#[test]
fn name_of_a_folder_in_the_imports_stays_a_part_of_the_name() {
    // `src` is not the source folder of a project.
    files(&["shop/__init__.py", "shop/money.py", "tests/test_a.py"]);
    check_relink("tests/test_a.py", "import shop.money\n", &[("shop", "src/shop")], "import src.shop.money\n");
    files(&["setup.py", "src/__init__.py", "src/shop/__init__.py", "src/shop/money.py", "shop.py", "tests/test_a.py"]);
    check_relink("tests/test_a.py", "import shop\n", &[("shop.py", "src/util.py")], "import src.util\n");
    files(&["setup.py", "src/shop/__init__.py", "src/shop/money.py", "main.py"]);
    check_relink("main.py", "import src.shop.money\n", &[("src/shop", "src/store")], "import src.store.money\n");
}

#[test]
fn modules_named_through_a_package_are_links() {
    check_links(
        "import a\na.b.f\na.b.g\n",
        "import a a \"*\"\nmember b a.b \"*\"\nmember f a.b.f \"*\"\nmember g a.b.g \"*\"",
    );
    check_links(
        "import a.b\na.b.f\na.c\n",
        "import a.b a.b \"*\"\nmember a a \"*\"\nmember f a.b.f \"*\"\nmember c a.c \"*\"",
    );
    check_links("import a.b as x\nx.c.f\n", "import-as a.b a.b \"*\"\nmember c a.b.c \"*\"\nmember f a.b.c.f \"*\"");
    check_links(
        "from a import b, C\nb.c\nC.d\n",
        "import-from a a \"b,C\"\nsubmodule b a.b \"*\"\nsubmodule C a.C \"*\"\nmember c a.b.c \"*\"",
    );
    check_links("a.b\n\ndef f(a):\n    a.b\n", "");
    files(SHOP);
    check_resolved("main.py", "member", "shop.money", "shop/money.py");
    check_resolved("main.py", "member", "shop", "shop/__init__.py");
    check_resolved("main.py", "member", "shop.money.x", "external");
    check_resolved("main.py", "member", "os.path", "external");
}

#[test]
fn code_that_names_a_module_through_a_package_follows_moves() {
    files(SHOP);
    check_relink(
        "main.py",
        "import shop\nshop.money.x(shop.cart.y)\n",
        CASH,
        "import shop\nshop.util.cash.x(shop.cart.y)\n",
    );
    check_relink("main.py", "import shop as s\ns.money.x\n", CASH, "import shop as s\ns.util.cash.x\n");
    check_relink("main.py", "import shop.cart\nshop.money.x\n", CASH, "import shop.cart\nshop.util.cash.x\n");
    check_relink("shop/cart.py", "from . import util\nutil.x\n", CASH, "from . import util\nutil.x\n");
    let folder: &[(&str, &str)] = &[("shop", "store")];
    check_relink("main.py", "import shop\nshop.money.x\nshop.y\n", folder, "import store\nstore.money.x\nstore.y\n");
    check_relink("main.py", "import shop as s\ns.money.x\n", folder, "import store as s\ns.money.x\n");
    // The package declares another thing of that name.
    set_package("from .money import money\n");
    check_relink("main.py", "import shop\nshop.money.x\n", CASH, "import shop\nshop.money.x\n");
}

#[test]
fn code_that_names_a_module_that_leaves_its_package_is_listed() {
    files(SHOP);
    for text in ["import shop\nshop.money.x\n", "import shop as s\ns.money.x\n"] {
        let (after, result) = relinked("main.py", text, &[("shop/money.py", "money.py")]);
        assert_eq!(after, text);
        assert_eq!(result.unresolved.len(), 1, "{text}");
    }
}

/// Asks for the update of `main.py` after moves.
fn moved(paths: &[&str], moves: &[[&str; 2]]) -> marquetry_sdk::Result<marquetry_sdk::Rewrite> {
    files(paths);
    let relocations = moves.iter().map(|[from, to]| Relocation { from: (*from).to_owned(), to: (*to).to_owned() });
    let moves = FileMoves { path: "main.py".to_owned(), relocations: relocations.collect(), links: Vec::new() };
    Python::relink(testing::open::<Python>("main.py", "import shop\n").document(), &moves)
}

#[test]
fn modules_that_a_package_would_hide_are_refused() {
    let refused = |moves: &[[&str; 2]], message: &str| {
        let failure = moved(SHOP, moves).expect_err("a package hides the module");
        assert!(failure.message.contains(message), "{failure:?}");
        assert!(failure.hint.is_some(), "{failure:?}");
    };
    let module = "the package `shop/util` instead of the module `shop/util.py`";
    refused(&[["shop/money.py", "shop/util.py"]], module);
    refused(&[["main.py", "shop.py"]], "the package `shop` instead of the module `shop.py`");
    refused(&[["shop/util", "shop/money"]], "instead of the module `shop/money.py`");
    refused(&[["shop/util/__init__.py", "shop/money/__init__.py"]], "instead of the module `shop/money.py`");
    refused(&[["shop/cart.py", "shop/money/__init__.py"]], "instead of the module `shop/money.py`");
    let accepted = |moves: &[[&str; 2]]| {
        moved(SHOP, moves).unwrap_or_else(|failure| panic!("{moves:?}: {failure:?}"));
    };
    accepted(&[["shop/money.py", "shop/money/__init__.py"]]);
    accepted(&[["shop/util/__init__.py", "shop/util.py"]]);
    accepted(&[["shop/money.py", "shop/util.py"], ["shop/util", "shop/tools"]]);
    accepted(&[["shop/money.py", "shop/util/money.py"]]);
    accepted(&[["shop/money.py", "tests/money.py"]]);
    // The pair exists already.
    let pair = ["main.py", "shop/__init__.py", "shop/util.py", "shop/util/__init__.py"];
    moved(&pair, &[["shop", "store"]]).unwrap_or_else(|failure| panic!("{failure:?}"));
}
