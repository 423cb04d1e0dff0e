//! Members that assignments declare, as in `ns.go = …`: an address of such an assignment means the member, not the
//! object before it.

use crate::host::{Files, files_of, open, rename_showing};
use marquetry_sdk::{Document, Subject, Symbols, Usage, workspace};
use marquetry_typescript::TypeScript;

fn shown(files: &Files) -> String {
    files.iter().map(|(path, text)| format!("// {path}\n{text}")).collect::<Vec<_>>().join("\n")
}

/// Renames the symbol with an address in the first file to `New`.
fn renamed(text: &str, address: &str) -> Result<String, String> {
    let files = files_of(text);
    let first = files.keys().next().expect("a file").clone();
    let after = rename_showing(&files, &first, Subject::Address(address.to_owned()), "New");
    after.map(|files| shown(&files)).map_err(|failure| failure.message)
}

#[track_caller]
fn check(text: &str, address: &str, after: &str) {
    assert_eq!(renamed(text, address), Ok(shown(&files_of(after))), "{address}");
}

#[test]
fn address_of_assignment_renames_the_member() {
    let functions = "// p.js\nconst ns = {};\nns.go = function () {};\nns.go();\nfunction Old() {}\nOld.prototype.begin = function () {};\nOld.make = function () { return new Old().begin(); };\n";
    for (address, old, new) in [
        ("ns.go", "ns.go", "ns.New"),
        ("Old.prototype.begin", ".begin", ".New"),
        ("Old.begin", ".begin", ".New"),
        ("Old.make", "Old.make", "Old.New"),
    ] {
        check(functions, address, &functions.replace(old, new));
    }
    check(
        "// e.ts\nexport function Comp() {}\nComp.Sub = function Sub() {};\nComp.Sub();\n// u.ts\nimport { Comp } from './e';\nComp.Sub();",
        "Comp.Sub",
        "// e.ts\nexport function Comp() {}\nComp.New = function Sub() {};\nComp.New();\n// u.ts\nimport { Comp } from './e';\nComp.New();",
    );
    check(
        "// a.ts\nclass C { static x: () => void }\nC.x = () => {};\nC.x();",
        "\"C.x\"",
        "// a.ts\nclass C { static New: () => void }\nC.New = () => {};\nC.New();",
    );
}

#[test]
fn address_of_exports_assignment_renames_the_export() {
    check(
        "// a.js\nexports.four = function four() {};\n// use.js\nrequire('./a').four();\nconst { four } = require('./a');\nfour();",
        "exports.four",
        "// a.js\nexports.New = function four() {};\n// use.js\nrequire('./a').New();\nconst { New } = require('./a');\nNew();",
    );
    check(
        "// a.js\nmodule.exports.z = class {};\n// use.js\nconst a = require('./a');\nnew a.z();",
        "module.exports.z",
        "// a.js\nmodule.exports.New = class {};\n// use.js\nconst a = require('./a');\nnew a.New();",
    );
}

#[test]
fn whole_export_has_no_name() {
    let failure = renamed("// a.js\nmodule.exports = class { go() {} };", "module.exports").expect_err("no name");
    assert_eq!(failure, "`module.exports` has no name that can be renamed");
}

#[test]
fn every_address_renames_its_own_name() {
    let text = "const ns = {};\nns.go = function () {};\nclass C {}\nC.prototype.m = function () {};\nC.s = class {};\nexports.a = 1;\nmodule.exports.b = { c: 1 };\nns['x'] = 1;\n";
    workspace::set_files([("p.js".to_owned(), text.to_owned())]);
    let document = open("p.js", text);
    for node in document.outline().into_iter().filter(|node| node.address.contains('.')) {
        let last = node.name.rsplit('.').next().unwrap_or_default();
        assert_eq!(node.selection.slice(text), last, "{}", node.address);
        let found = TypeScript::resolve_symbol(&document, Subject::Address(node.address.clone())).expect("resolved");
        assert_eq!(found.name, last, "{}", node.address);
        assert_eq!(found.address.as_ref(), Some(&node.address), "{}", node.address);
        assert!(found.occurrences.iter().any(|one| one.usage == Usage::Declaration), "{}", node.address);
    }
}

#[test]
fn address_of_member_of_import_renames_it_where_it_is_declared() {
    for (declared, used, address) in [
        ("export class C { m() {} }", "import { C } from './z';\nnew C().m();", "C.m"),
        ("export class C { #m() {} m() {} }", "import { C as D } from './z';\nnew D().m();", "D.m"),
        ("export class C { static m() {} }", "import { C } from './z';\nC.m();", "C.m"),
        ("export const o = { m: 1 };", "import { o } from './z';\no.m;", "o.m"),
        ("export interface I { m: 1 }", "import type { I } from './z';\nlet i: I;\ni.m;", "I.m"),
        ("export function m() {}", "import * as ns from './z';\nns.m();", "ns.m"),
        ("export default class { m() {} }", "import C from './z';\nnew C().m();", "C.m"),
    ] {
        let text = format!("// b.ts\n{used}\n// z.ts\n{declared}");
        let after = renamed(&text, address).expect("a rename");
        let expected = text.replace(".m", ".New").replace(" m()", " New()").replace(" m:", " New:");
        assert_eq!(after, shown(&files_of(&expected)), "{text}");
    }
    assert!(renamed("// b.ts\nimport { C } from './z';\n// z.ts\nexport class C {}", "C.m").is_err());
    assert!(renamed("// b.ts\nimport { C } from 'pkg';", "C.m").is_err());
}
