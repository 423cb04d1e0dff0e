//! Names that are exported and imported through `module.exports` and `require`. If the pack can follow a name from the
//! declaration to a use, the use is found and renamed. Otherwise the use is listed as unresolved, or the exported name
//! is kept. An answer never claims to be complete if a use in another file was not checked.

use crate::host::{check_marked as check, files_of, open, rename_showing};
use marquetry_sdk::{DefaultKey, ImportKey, Linking, Subject, Symbols, workspace};
use marquetry_typescript::TypeScript;

/// Returns the occurrences in a file of a name that it imports, each as `line:text`.
fn found_references(path: &str, text: &str, files: &[(&str, &str)], name: &str) -> Vec<String> {
    let all = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    workspace::set_files(all.chain([(path.to_owned(), text.to_owned())]));
    let key = ImportKey { specifiers: vec!["./a".to_owned()], name: name.to_owned() };
    let document = open(path, text);
    let resolution = TypeScript::resolve_symbol(&document, Subject::Imported(key)).expect("resolved");
    let shown = |place: &marquetry_sdk::Occurrence| {
        let line = text[..place.span.start as usize].matches('\n').count() + 1;
        format!("{line}:{}", place.span.slice(text))
    };
    resolution.occurrences.iter().map(shown).collect()
}

const EXPORTER: &str = "function one() {}\nclass K {}\nmodule.exports = { one, K };\n";

#[test]
fn references_of_required_names() {
    let files = [("a.js", EXPORTER)];
    let of = |text: &str, name: &str| found_references("use.js", text, &files, name);
    assert_eq!(of("const { one, K } = require('./a');\none(); new K();\n", "one"), ["1:one", "2:one"]);
    assert_eq!(of("const { one: uno } = require('./a');\nuno();\n", "one"), ["1:one", "2:uno"]);
    assert_eq!(of("const a = require('./a');\na.one();\n", "one"), ["2:one"]);
    assert_eq!(of("const uno = require('./a').one;\nuno();\n", "one"), ["1:one", "2:uno"]);
    assert_eq!(of("require('./a').one();\n", "one"), ["1:one"]);
    assert_eq!(of("function f() {\n  const { one } = require('./a');\n  one();\n}\n", "one"), ["2:one", "3:one"]);
    assert_eq!(of("const { K } = require('./a');\nnew K();\n", "one"), [""; 0]);
}

#[test]
fn references_of_required_modules() {
    let whole = [("a.js", "function make() {}\nmodule.exports = make;\n")];
    assert_eq!(found_references("use.js", "const make = require('./a');\nmake();\n", &whole, "default"), ["2:make"]);
    let object = [("a.js", EXPORTER)];
    assert_eq!(found_references("use.js", "const a = require('./a');\na.one();\n", &object, "*"), ["2:a"]);
    assert_eq!(found_references("use.ts", "import a = require('./a');\na.one();\n", &object, "*"), ["2:a"]);
    // The default export of an ES module is not the module itself.
    let module = [("a.js", "export default function make() {}\n")];
    assert_eq!(found_references("use.js", "const a = require('./a');\na;\n", &module, "default"), [""; 0]);
}

#[test]
fn facts_list_commonjs_exports() {
    let exported = |text: &str, subject: &str| {
        workspace::set_files([("a.js".to_owned(), text.to_owned())]);
        let at = text.find(subject).expect("the text contains the subject") as u32;
        TypeScript::resolve_symbol(&open("a.js", text), Subject::At(at)).expect("resolved").exported_as
    };
    assert_eq!(exported(EXPORTER, "one()"), ["one"]);
    assert_eq!(exported("class K {}\nmodule.exports = { Kind: K };\n", "K {}"), ["Kind"]);
    assert_eq!(exported("function f() {}\nexports.f = f;\n", "f()"), ["f"]);
    assert_eq!(exported("function f() {}\nmodule.exports.g = f;\n", "f()"), ["g"]);
    assert_eq!(exported("function f() {}\nObject.assign(module.exports, { f });\n", "f()"), ["f"]);
    assert_eq!(exported("function f() {}\nexports = module.exports = { f };\n", "f()"), ["f"]);
    assert_eq!(exported("function f() {}\nmodule.exports = exports = f;\n", "f()"), ["default"]);
    assert_eq!(exported("function f() {}\nmodule.exports = f;\n", "f()"), ["default"]);
}

#[test]
fn exports_through_expressions_are_followed() {
    let exported = |text: &str| {
        workspace::set_files([("a.js".to_owned(), text.to_owned())]);
        let at = text.find("f()").expect("the text contains the subject") as u32;
        let found = TypeScript::resolve_symbol(&open("a.js", text), Subject::At(at)).expect("resolved");
        assert_eq!(found.incomplete, None, "{text}");
        found.exported_as
    };
    for whole in [
        "Object.freeze({ f })",
        "Object.freeze(Object.seal({ f }))",
        "Object.assign({}, { f })",
        "c ? { f } : { g }",
        "c ? { g } : { f }",
        "c || { f }",
        "(0, { f })",
    ] {
        assert_eq!(
            exported(&format!("const c = 0;\nfunction f() {{}}\nfunction g() {{}}\nmodule.exports = {whole};\n")),
            ["f"],
            "{whole}"
        );
    }
    for before in [
        "const api = { f };\nmodule.exports = api;",
        "const api = {};\napi.f = f;\nmodule.exports = api;",
        "module.exports = api;\nfunction api() {}\napi.f = f;",
        "class Api {}\nApi.f = f;\nmodule.exports = Api;",
        "const base = { f };\nconst api = base;\nmodule.exports = Object.freeze(api);",
        "const api = module.exports = { f };",
    ] {
        assert_eq!(exported(&format!("function f() {{}}\n{before}\n")), ["f"], "{before}");
    }
    assert_eq!(exported("module.exports = class f { m() { f(); } };\n"), ["default"]);
    assert_eq!(exported("module.exports = function f() {};\n"), ["default"]);
}

#[test]
fn exports_through_unknown_functions_are_incomplete() {
    let incomplete = |text: &str| {
        workspace::set_files([("a.js".to_owned(), text.to_owned())]);
        let at = text.find("f()").expect("the text contains the subject") as u32;
        TypeScript::resolve_symbol(&open("a.js", text), Subject::At(at)).expect("resolved").incomplete
    };
    for whole in ["wrap({ f })", "new Api(f)", "c ? wrap(f) : 1", "wrap`${f}`", "({ ...wrap(f) }).g", "[f]"] {
        let text = format!("function f() {{}}\nmodule.exports = {whole};\n");
        assert!(incomplete(&text).is_some_and(|why| why.contains("module.exports")), "{whole}");
    }
    // The export does not use the symbol.
    assert_eq!(incomplete("function f() {}\nmodule.exports = wrap({ g });\n"), None);
    assert_eq!(incomplete("function f() {}\nmodule.exports = { g: f };\n"), None);
}

#[test]
fn references_of_names_exported_through_expressions() {
    for exporter in [
        "module.exports = Object.freeze({ one });",
        "const api = { one };\nmodule.exports = api;",
        "const api = {};\napi.one = one;\nmodule.exports = api;",
        "module.exports = 1 ? { one } : {};",
    ] {
        let text = format!("function one() {{}}\n{exporter}\n");
        let files = [("a.js", text.as_str())];
        let of = |text: &str| found_references("use.js", text, &files, "one");
        assert_eq!(of("const { one } = require('./a');\none();\n"), ["1:one", "2:one"], "{exporter}");
        assert_eq!(of("const a = require('./a');\na.one();\n"), ["2:one"], "{exporter}");
        check(
            &format!("// a.js\nfunction ¦one() {{}}\n{exporter}\n// use.js\nconst {{ one }} = require('./a');\none();"),
            &format!(
                "// a.js\nfunction New() {{}}\n{}\n// use.js\nconst {{ New }} = require('./a');\nNew();",
                exporter.replace("one", "New")
            ),
        );
    }
    let whole = [("a.js", "module.exports = class Solo { go() {} };\n")];
    assert_eq!(
        found_references("use.js", "const Solo = require('./a');\nnew Solo();\n", &whole, "default"),
        ["2:Solo"]
    );
}

#[test]
fn required_names_resolve_to_declaration() {
    let text = "const { one: uno, K } = require('./a');\nuno(); new K();\n";
    workspace::set_files([("a.js".to_owned(), EXPORTER.to_owned()), ("use.js".to_owned(), text.to_owned())]);
    for (name, declared) in [("uno();", "one()"), ("K();", "K {}")] {
        let at = text.find(name).expect("the text contains the name") as u32;
        let found = TypeScript::resolve_symbol(&open("use.js", text), Subject::At(at)).expect("resolved");
        let place = found.elsewhere.expect("another file");
        assert_eq!(
            (place.path.as_str(), place.offset as usize),
            ("a.js", EXPORTER.find(declared).expect("a declaration"))
        );
    }
}

#[test]
fn rename_of_symbol_keeps_exported_alias() {
    check(
        "// a.js\nfunction ¦one() {}\nmodule.exports = { first: one };\n// use.js\nconst { first } = require('./a');\nfirst();",
        "// a.js\nfunction New() {}\nmodule.exports = { first: New };\n// use.js\nconst { first } = require('./a');\nfirst();",
    );
    check(
        "// a.js\nfunction ¦one() {}\nexports.first = one;\n// use.js\nrequire('./a').first();",
        "// a.js\nfunction New() {}\nexports.first = New;\n// use.js\nrequire('./a').first();",
    );
}

#[test]
fn rename_symbol_with_its_export() {
    let user =
        "const { one } = require('./a');\none(require('./a').one);\nconst { one: uno } = require('./a');\nuno();";
    let after =
        "const { New } = require('./a');\nNew(require('./a').New);\nconst { New: uno } = require('./a');\nuno();";
    for (exporter, renamed) in [
        ("exports.one = one;", "exports.New = New;"),
        ("module.exports.one = one;", "module.exports.New = New;"),
        ("module.exports = { one };", "module.exports = { New };"),
        ("module.exports = { one: one };", "module.exports = { New: New };"),
        ("Object.assign(module.exports, { one });", "Object.assign(module.exports, { New });"),
        ("exports = module.exports = { one };", "exports = module.exports = { New };"),
        ("const self = module.exports;\nself.one = one;", "const self = module.exports;\nself.New = New;"),
        (
            "if (c) module.exports = { one }; else module.exports = {};",
            "if (c) module.exports = { New }; else module.exports = {};",
        ),
        ("exports.one = one;\nexports.one();", "exports.New = New;\nexports.New();"),
    ] {
        check(
            &format!("// a.js\nconst c = 0;\nfunction ¦one() {{}}\n{exporter}\n// use.js\n{user}"),
            &format!("// a.js\nconst c = 0;\nfunction New() {{}}\n{renamed}\n// use.js\n{after}"),
        );
    }
}

#[test]
fn rename_of_class_and_of_variable_with_their_exports() {
    check(
        "// a.js\nclass ¦K { New() {} }\nmodule.exports = { K };\n// use.js\nconst { K } = require('./a');\nclass L extends K {}\nnew K() instanceof K;",
        "// a.js\nclass New { New() {} }\nmodule.exports = { New };\n// use.js\nconst { New } = require('./a');\nclass L extends New {}\nnew New() instanceof New;",
    );
    check(
        "// a.js\nconst ¦k = () => 1;\nmodule.exports = { k };\n// use.js\nconst a = require('./a');\na.k();",
        "// a.js\nconst New = () => 1;\nmodule.exports = { New };\n// use.js\nconst a = require('./a');\na.New();",
    );
}

#[test]
fn rename_changes_all_assignments_of_an_export() {
    check(
        "// a.js\nfunction ¦one() {}\nfunction two() {}\nif (c) module.exports = { one: two };\nelse module.exports = { one };\n// use.js\nconst { one } = require('./a');\none();",
        "// a.js\nfunction New() {}\nfunction two() {}\nif (c) module.exports = { New: two };\nelse module.exports = { New };\n// use.js\nconst { New } = require('./a');\nNew();",
    );
    check(
        "// a.js\nexports.one = void 0;\nfunction ¦one() {}\nexports.one = one;\n// use.js\nconst { one } = require('./a');\none();",
        "// a.js\nexports.New = void 0;\nfunction New() {}\nexports.New = New;\n// use.js\nconst { New } = require('./a');\nNew();",
    );
}

#[test]
fn rename_of_parameter_keeps_export() {
    check(
        "// a.js\nexports.init = (¦one) => { exports.one = one; };\n// use.js\nrequire('./a').one;",
        "// a.js\nexports.init = (New) => { exports.one = New; };\n// use.js\nrequire('./a').one;",
    );
}

#[test]
fn rename_exported_methods_and_mocks() {
    check(
        "// a.js\nmodule.exports = { ¦one() {}, two() { this.one(); } };\n// use.js\nconst { one } = require('./a');\none();\n// test.js\njest.mock('./a', () => ({ one: jest.fn() }));\nrequire('./a').one();",
        "// a.js\nmodule.exports = { New() {}, two() { this.New(); } };\n// use.js\nconst { New } = require('./a');\nNew();\n// test.js\njest.mock('./a', () => ({ New: jest.fn() }));\nrequire('./a').New();",
    );
    check(
        "// a.js\nfunction ¦one() {}\nmodule.exports = one;\nmodule.exports.one = one;\n// use.js\nconst one = require('./a');\none();\none.one();\nconst { one: uno } = require('./a');",
        "// a.js\nfunction New() {}\nmodule.exports = New;\nmodule.exports.New = New;\n// use.js\nconst one = require('./a');\none();\none.New();\nconst { New: uno } = require('./a');",
    );
    check(
        "// a.js\n(function () {\n  function ¦one() {}\n  exports.one = one;\n})();\n// use.js\nconst { one } = require('./a');",
        "// a.js\n(function () {\n  function New() {}\n  exports.New = New;\n})();\n// use.js\nconst { New } = require('./a');",
    );
}

#[test]
fn rename_refuses_name_that_importer_or_module_has() {
    let failure = |text: &str| {
        let mut files = files_of(text);
        let at = files["a.js"].find('¦').expect("a marked place");
        files.values_mut().for_each(|text| *text = text.replace('¦', ""));
        rename_showing(&files, "a.js", Subject::At(at as u32), "New").expect_err("a refusal").message
    };
    let exporter = "// a.js\nfunction ¦one() {}\nmodule.exports = { one };";
    assert_eq!(
        failure(&format!("{exporter}\n// use.js\nconst {{ one }} = require('./a');\nconst New = 1;\none(New);")),
        "`New` is already declared in the scope of `one`"
    );
    assert_eq!(
        failure("// a.js\nfunction ¦one() {}\nfunction two() {}\nmodule.exports = { one, New: two };"),
        "the file already exports `New`"
    );
}

#[test]
fn rename_from_use_in_other_file() {
    check(
        "// a.js\nfunction one() {}\nmodule.exports = { one };\n// use.js\nconst a = require('./a');\na.¦one();\n// other.js\nconst { one } = require('./a');\none();",
        "// a.js\nfunction New() {}\nmodule.exports = { New };\n// use.js\nconst a = require('./a');\na.New();\n// other.js\nconst { New } = require('./a');\nNew();",
    );
    check(
        "// a.js\nexports.¦one = function () {};\n// mid.js\nmodule.exports = require('./a');\n// use.js\nrequire('./mid').one();",
        "// a.js\nexports.New = function () {};\n// mid.js\nmodule.exports = require('./a');\n// use.js\nrequire('./mid').New();",
    );
    check(
        "// a.js\nmodule.exports = { ¦one: 1 };\n// mid.js\nmodule.exports = { ...require('./a'), two: 2 };\n// use.js\nconst m = require('./mid');\nm.one;",
        "// a.js\nmodule.exports = { New: 1 };\n// mid.js\nmodule.exports = { ...require('./a'), two: 2 };\n// use.js\nconst m = require('./mid');\nm.New;",
    );
}

#[test]
fn rename_keeps_names_of_reexports() {
    check(
        "// a.js\nfunction ¦one() {}\nmodule.exports = { one };\n// mid.js\nconst { one } = require('./a');\nmodule.exports = { one };\n// use.js\nconst { one } = require('./mid');\none();",
        "// a.js\nfunction New() {}\nmodule.exports = { New };\n// mid.js\nconst { New } = require('./a');\nmodule.exports = { one: New };\n// use.js\nconst { one } = require('./mid');\none();",
    );
    check(
        "// a.js\nfunction ¦one() {}\nmodule.exports = { one };\n// mid.js\nexports.one = require('./a').one;\n// use.js\nconst { one } = require('./mid');\none();",
        "// a.js\nfunction New() {}\nmodule.exports = { New };\n// mid.js\nexports.one = require('./a').New;\n// use.js\nconst { one } = require('./mid');\none();",
    );
}

#[test]
fn rename_between_module_systems() {
    check(
        "// a.cjs\nfunction ¦one() {}\nmodule.exports = { one };\n// use.mjs\nimport { one } from './a.cjs';\nimport a, * as all from './a.cjs';\none(a.one, all.one, all.default.one);",
        "// a.cjs\nfunction New() {}\nmodule.exports = { New };\n// use.mjs\nimport { New } from './a.cjs';\nimport a, * as all from './a.cjs';\nNew(a.New, all.New, all.default.New);",
    );
    check(
        "// a.cjs\nexports.¦one = 1;\n// use.mjs\nimport a from './a.cjs';\na.one;\nexport { one } from './a.cjs';",
        "// a.cjs\nexports.New = 1;\n// use.mjs\nimport a from './a.cjs';\na.New;\nexport { New as one } from './a.cjs';",
    );
    check(
        "// a.ts\nexport function ¦one() {}\n// use.cts\nimport a = require('./a');\na.one();\nconst { one } = require('./a');\none();",
        "// a.ts\nexport function New() {}\n// use.cts\nimport a = require('./a');\na.New();\nconst { New } = require('./a');\nNew();",
    );
}

#[test]
fn equal_names_of_exports_and_imports_are_joined() {
    check(
        "// a.js\nfunction New() {}\nmodule.exports = { ¦one: New };\n// use.js\nconst { one: New } = require('./a');\nNew();",
        "// a.js\nfunction New() {}\nmodule.exports = { New };\n// use.js\nconst { New } = require('./a');\nNew();",
    );
    check(
        "// a.js\nfunction ¦one() {}\nmodule.exports = { New: one };",
        "// a.js\nfunction New() {}\nmodule.exports = { New };",
    );
    check(
        "// a.js\nfunction ¦one() {}\nexports.one = one;\n// use.js\nmodule.exports = { other: { New: 1, one: require('./a').one } };",
        "// a.js\nfunction New() {}\nexports.New = New;\n// use.js\nmodule.exports = { other: { New: 1, one: require('./a').New } };",
    );
}

#[test]
fn computed_names_are_listed() {
    check(
        "// a.js\nfunction ¦one() {}\nfor (const f of [one]) exports[f.name] = f;",
        "// a.js\nfunction New() {}\nfor (const f of [New]) exports[§f.name] = f;",
    );
    check(
        "// a.js\nfunction ¦one() {}\nmodule.exports = { one };\n// use.js\nconst a = require('./a');\na[name]();\nconst { [name]: f } = a;",
        "// a.js\nfunction New() {}\nmodule.exports = { New };\n// use.js\nconst a = require('./a');\na[§name]();\nconst { [§name]: f } = a;",
    );
}

#[test]
fn computed_names_before_a_longer_path_are_left() {
    check(
        "// a.js\nexports.¦x = 1; exports.y = 2;\n// b.js\nexports.part = require('./a');\n// c.js\nconst b = require('./b'); b[name]; b.part.x; b[name].x;",
        "// a.js\nexports.New = 1; exports.y = 2;\n// b.js\nexports.part = require('./a');\n// c.js\nconst b = require('./b'); b[name]; b.part.New; b[name].§x;",
    );
}

#[test]
fn computed_require_is_listed() {
    check(
        "// a.js\nexports.¦one = 1;\n// use.mjs\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nconst a = require('./a');\na.one;",
        "// a.js\nexports.New = 1;\n// use.mjs\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nconst a = require('./a');\na.§one;",
    );
    check(
        "// a.js\nexports.¦one = 1;\n// use.js\nfunction load(path) { return require(path); }\nload('./a').one;",
        "// a.js\nexports.New = 1;\n// use.js\nfunction load(path) { return require(path); }\nload('./a').§one;",
    );
}

#[test]
fn links_list_required_names() {
    let links = |text: &str| {
        let links = TypeScript::links(&open("use.js", text));
        links.into_iter().map(|link| format!("{} {}", link.specifier, link.names.join(" "))).collect::<Vec<_>>()
    };
    assert_eq!(links("const { a, b: c } = require('./x');"), ["./x a b"]);
    assert_eq!(links("const { a, ...rest } = require('./x');"), ["./x *"]);
    assert_eq!(links("const { [k]: a } = require('./x');"), ["./x *"]);
    assert_eq!(links("const x = require('./x');"), ["./x *"]);
    assert_eq!(links("const a = require('./x').a;"), ["./x *"]);
    assert_eq!(links("const f = wrap(() => { const { a } = require('./x'); });"), ["./x a"]);
    assert_eq!(links("const { a } = f(require('./x'));"), ["./x *"]);
}

#[test]
fn required_default_keeps_local_name() {
    let text = "const make = require('./a');\nmake();\n";
    workspace::set_files([("a.js".to_owned(), "module.exports = make;\nfunction make() {}\n".to_owned())]);
    let key = DefaultKey { specifiers: vec!["./a".to_owned()], called: "make".to_owned() };
    let renaming = TypeScript::rename(&open("use.js", text), Subject::ImportedDefault(key), "New").expect("a rename");
    assert!(renaming.edits.is_empty() && renaming.unresolved.is_empty());
}

#[test]
fn globals_of_scripts_that_are_exported_as_members_are_renamed_once() {
    for after in [
        "// a.ts\nclass ¦New {}\nmodule.exports = { New };",
        "// a.ts\nfunction ¦New() {}\nmodule.exports = { New, other: 1 }; New();",
        "// a.ts\nclass ¦New {}\nmodule.exports = { New };\n// b.ts\nnew New();",
    ] {
        crate::host::check_renamed("Shop", after);
    }
}
