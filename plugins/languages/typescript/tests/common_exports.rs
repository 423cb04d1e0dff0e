//! Exports of CommonJS modules under other names: the parameter of the factory of a UMD module, and `this` outside of all
//! functions. The notation is that of `completeness.rs`.

use crate::host::{check_marked as check, files_of, rename_showing};
use marquetry_sdk::Subject;

/// Checks files after `go` is renamed; every `New` in them was `go`, and `¦` marks the place that was given.
#[track_caller]
fn check_go(after: &str) {
    check(&after.replace('§', "").replace("New", "go"), &after.replace('¦', ""));
}

#[test]
fn exports_that_a_wrapper_passes_to_the_factory_are_renamed() {
    for text in [
        "// a.js\n(function (root, factory) { if (typeof exports === 'object') factory(exports); else factory(root.L = {}); })(this, function (exports) { exports.¦New = function () {}; exports.New(); });\n// b.js\nconst { New } = require('./a'); New();",
        "// a.js\n(function (g, f) { typeof exports === 'object' && typeof module !== 'undefined' ? f(exports) : typeof define === 'function' && define.amd ? define(['exports'], f) : (g = g || self, f(g.L = {})); }(this, (function (exports) { function New() {} exports.¦New = New; })));\n// b.js\nconst a = require('./a'); a.New();",
        "// a.js\n((root, factory) => { factory(module.exports); })(this, (e) => { e.¦New = 1; e.New; });\n// b.js\nrequire('./a').New;",
        "// a.js\n(function (root, factory) { factory(root, exports); })(this, function (root, lib) { lib.¦New = 1; root.§go = 2; });\n// b.js\nimport { New } from './a'; New;",
        "// a.js\n(function (exports) { exports.¦New = 1; exports.New; })(typeof exports === 'undefined' ? (this.L = {}) : exports);\n// b.js\nconst { New: own } = require('./a'); own;",
        "// a.js\n(function (lib) { lib.¦New = 1; })(module.exports = exports);\n// b.js\nrequire('./a').New;",
    ] {
        check_go(text);
    }
}

#[test]
fn this_outside_of_all_functions_is_the_exports() {
    for text in [
        "// a.js\nexports.b = 1; this.¦New = function () {}; exports.New(); this.New();\n// b.js\nconst { New } = require('./a'); New();",
        "// a.cjs\nthis.¦New = 1; const f = () => this.New;\n// b.js\nconst a = require('./a.cjs'); a.New;",
        "// a.js\nconst x = require('x'); if (x) { this.¦New = x; }\n// b.js\nrequire('./a').New;",
        // `this` of functions and classes is something else.
        "// a.js\nexports.¦New = 1; function F() { this.§go = 2; } class C { go = 3; m() { return this.go; } static { this.§go = 4; } }",
    ] {
        check_go(text);
    }
}

#[test]
fn exports_of_other_modules_are_left() {
    for text in [
        "// a.js\nexports.¦New = 1; exports.a = 1;\n// b.js\nexports.go = 2; exports.b = 1;\n// c.js\nconst a = require('./a'), b = require('./b'); a.New; b.go;",
        "// a.js\nexports.¦New = 1; ['x'].forEach((m) => { exports[§m] = 1; });\n// b.js\nvar own = exports; own.go = 2; own.go;",
        "// a.js\nmodule.exports = { ¦New: 1 };\n// b.js\nmodule.exports = { go: 2 };\n// c.ts\nexport default { go: 3 };\n// d.js\nlet x; x = { §go: 4 };",
        // A type that a module may be used as.
        "// a.js\nexports.¦New = 1; exports.a = 1;\n// b.ts\nexport interface Plugin { §go: number }\n// c.ts\nexport interface Other { go: number; missing: 1 }",
    ] {
        check_go(text);
    }
}

#[test]
fn members_of_other_parameters_are_refused() {
    for text in [
        "(function (root, factory) { factory(root); })(this, function (exports) { exports.go = 1; });",
        "(function (exports) { exports.go = 1; })({});",
        "function f(exports) { exports.go = 1; } f(other);",
        "export const x = 1; this.go = 1;",
    ] {
        let files = files_of(&format!("// a.js\n{text}"));
        let at = text.find("go").expect("the text has the name") as u32;
        let failure = rename_showing(&files, "a.js", Subject::At(at), "New").expect_err(text);
        assert_eq!(failure.message, "the type that has the member `go` is unknown", "{text}");
    }
}
