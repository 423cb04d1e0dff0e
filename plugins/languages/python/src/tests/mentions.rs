//! Dotted names of modules in texts of any format.

use marquetry_sdk::{Mentions, SearchedText, workspace::set_files};

use crate::Python;

/// Sets a workspace with the modules `shop.views` and `main`, which contain `app` and `v`, and the package `proj` with
/// the module `app`.
fn set_shop() {
    let files = ["shop/__init__.py", "shop/views.py", "main.py", "proj/__init__.py", "proj/app.py"];
    set_files(files.map(|path| (path.to_owned(), "def app(): pass\nv = 1\n".to_owned())));
}

fn names(paths: &[&str]) -> Vec<String> {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    Python::text_names(&paths, "{}").into_iter().map(|name| name.name).collect()
}

/// The mentions of a path in a text, each with its first attribute.
fn mentions_in<'t>(file: &str, is_code: bool, text: &'t str, path: &str) -> Vec<(&'t str, &'t str)> {
    set_shop();
    let source = SearchedText { path: file.to_owned(), text: text.to_owned(), is_code };
    let found = Python::find_mentions(&Python::text_names(&[path.to_owned()], "{}"), &source);
    let part = |span: marquetry_sdk::Span| span.slice(text);
    found.into_iter().map(|found| (part(found.span), found.member.map_or("", part))).collect()
}

fn mentions<'t>(text: &'t str, path: &str) -> Vec<&'t str> {
    mentions_in("a.txt", false, text, path).into_iter().map(|(mention, _)| mention).collect()
}

#[test]
fn names_start_at_folders_that_are_not_packages() {
    set_files(
        ["src/shop/__init__.py", "src/shop/views.py", "my-app/shop/views.pyi"]
            .map(|path| (path.to_owned(), String::new())),
    );
    assert_eq!(names(&["src/shop/views.py"]), ["src.shop.views", "shop.views"]);
    assert_eq!(names(&["src/shop/__init__.py"]), ["src.shop", "shop"]);
    assert_eq!(names(&["src/shop"]), ["src.shop", "shop"]);
    assert_eq!(names(&["my-app/shop/views.pyi"]), ["shop.views", "views"]);
    assert_eq!(names(&["manage.py", "__init__.py", "my-app", "2024/x-y.py"]), ["manage"]);
}

#[test]
fn names_are_found_in_settings_and_commands() {
    for (text, expected) in [
        ("x = \"shop.views:v\"", "shop.views:v"),
        ("mock.patch('shop.views.v')", "shop.views.v"),
        ("\tpython -m shop.views", "shop.views"),
        ("CMD [\"python\", \"-m\", \"shop.views\"]", "shop.views"),
        ("DJANGO_SETTINGS_MODULE = shop.views", "shop.views"),
        ("--settings=shop.views --x", "shop.views"),
        ("handlers: shop.views.Handler.make", "shop.views.Handler.make"),
        ("See shop.views.", "shop.views"),
    ] {
        assert_eq!(mentions(text, "shop/views.py"), [expected], "{text}");
    }
}

#[test]
fn parts_of_paths_calls_and_longer_names_do_not_count() {
    for text in [
        "shop.views_old",
        "my.shop.views",
        "my_shop.views",
        "https://a.b/shop.views",
        "shop.views/x",
        "shop.views.py",
        "shop.views()",
        "shop.views-2",
        "a@shop.views",
        "shop views",
    ] {
        assert_eq!(mentions(text, "shop/views.py"), [""; 0], "{text}");
    }
}

#[test]
fn calls_of_names_in_the_module_count() {
    for (text, path, expected) in [
        ("Use shop.views.app(x)", "shop/views.py", "shop.views.app"),
        ("Use proj.app(x)", "proj", "proj.app"),
        ("    client = proj.app.run()", "proj", "proj.app.run"),
        ("proj.v", "proj", "proj.v"),
    ] {
        assert_eq!(mentions(text, path), [expected], "{text}");
    }
    let docstring = "def f():\n    \"\"\"Use it:\n\n        x = proj.v()\n    \"\"\"\n";
    assert_eq!(mentions_in("a.py", true, docstring, "proj"), [("proj.v", "v")]);
    for (text, path) in [
        ("shop.views.other()", "shop/views.py"),
        ("main.app()", "main.py"),
        ("proj.other()", "proj"),
        ("proj()", "proj"),
        ("proj.app-x", "proj"),
    ] {
        assert_eq!(mentions(text, path), [""; 0], "{text}");
    }
    assert_eq!(mentions_in("a.py", true, "x = proj.v()\n", "proj"), []);
}

#[test]
fn names_of_one_part_need_a_certain_position() {
    for (text, expected) in [
        ("python -m main", "main"),
        ("[\"-m\", \"main\"]", "main"),
        ("command:\n  - python\n  - -m\n  - main\n", "main"),
        ("[\n  \"-m\",\n  \"main\"\n]", "main"),
        ("uvicorn main:app", "main:app"),
        ("mock.patch(\"main.v\")", "main.v"),
    ] {
        assert_eq!(mentions(text, "main.py"), [expected], "{text}");
    }
    for text in [
        "branches: [main]",
        "main: x",
        "image: main:latest",
        "main.v",
        "\"main.other\"",
        "xm main",
        "tool-m main",
        "--m main",
        "-mmain",
        "- -x\n- main",
    ] {
        assert_eq!(mentions(text, "main.py"), [""; 0], "{text}");
    }
}

#[test]
fn names_of_packages_need_a_module_that_exists() {
    assert_eq!(mentions("DJANGO_SETTINGS_MODULE = proj.app", "proj"), ["proj.app"]);
    assert_eq!(mentions("[\"proj.app.Config\"]", "proj"), ["proj.app.Config"]);
    assert_eq!(mentions("[\"proj\"]\nproj.other", "proj"), [""; 0]);
}

#[test]
fn mention_has_its_first_attribute() {
    assert_eq!(mentions_in("a.txt", false, "x = 'shop.views.v.w'", "shop/views.py"), [("shop.views.v.w", "v")]);
    assert_eq!(mentions_in("a.txt", false, "shop.views", "shop/views.py"), [("shop.views", "")]);
}

#[test]
fn only_strings_count_in_code() {
    let text = "shop.views.v; use('shop.views')";
    for (file, is_code) in [("a.py", false), ("a.pyi", true), ("a.ts", true)] {
        assert_eq!(mentions_in(file, is_code, text, "shop/views.py"), [("shop.views", "")], "{file}");
    }
    assert_eq!(mentions(text, "shop/views.py").len(), 2);
}
