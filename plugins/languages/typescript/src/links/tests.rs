//! Tests of finding, resolving, updating and removing links.

use marquetry_sdk::span::apply;
use marquetry_sdk::{Context, Destination, LanguagePack, Linking, Request, SpecifierRequest, workspace};

use crate::{TypeScript, TypeScriptDocument};

fn open(path: &str, text: &str) -> TypeScriptDocument {
    TypeScript::open(path, text.to_owned(), "{}")
}

fn found(path: &str, text: &str) -> Vec<String> {
    let links = TypeScript::links(&open(path, text));
    let show = |link: &marquetry_sdk::Link| {
        // Links that are joined from several literals are never updated.
        let is_whole =
            link.kind != "possible" || !link.span.slice(text).contains("\", \"") && !link.specifier.starts_with("./");
        assert!(
            !is_whole || link.span.slice(text) == link.specifier,
            "the span must cover the specifier: {}",
            link.specifier
        );
        let types = if link.type_only { " types" } else { "" };
        format!("{} {} [{}]{types}", link.kind, link.specifier, link.names.join(" "))
    };
    links.iter().map(show).collect()
}

#[test]
fn unclosed_import_ends_at_end_of_text() {
    let text = "import * as f from \"./first\" assert {\n";
    let links = TypeScript::links(&open("a.ts", text));
    assert_eq!(links.len(), 1);
    assert!(links[0].statement.range().end <= text.len());
}

#[test]
fn finds_links_in_every_syntax() {
    let text = r#"/// <reference path="./r.ts" />
/// <reference types="node" />
import a, { b as c, type T } from "./a";
import type { U } from "./u";
import * as ns from './ns';
import "./side";
import eq = require("./eq");
export { d as e } from "./d";
export * from "./all";
export type * as types from "./types";
const r = require("./r"), q = require.resolve('./q');
const lazy = () => import(`./lazy`);
import.meta.resolve("./meta");
new Worker(new URL("./worker.ts", import.meta.url));
vi.mock("./mocked", () => ({}));
jest.requireActual("./actual");
type X = import("./x").X.Y;
type Y = typeof import("./y");
declare module "./a" { interface A { x: import("./deep").Z } }
declare module "ambient";
/** @type {import("./doc").Doc} see import("./talk") */
let doc;
/**
 * @import { One, Two as Three } from "./tag"
 */
require(`./${r}`); other("./no"); import(r);
"#;
    let expected = [
        "reference ./r.ts [] types",
        "reference-types node [] types",
        "import ./a [default b T]",
        "import ./u [U] types",
        "import ./ns [*]",
        "import ./side []",
        "import ./eq [*]",
        "export-from ./d [d]",
        "export-from ./all [*]",
        "export-from ./types [*] types",
        "require ./r [*]",
        "resolve ./q []",
        "dynamic-import ./lazy [*]",
        "resolve ./meta []",
        "url ./worker.ts []",
        "mock ./mocked []",
        "require ./actual [*]",
        "type-import ./x [X] types",
        "type-import ./y [*] types",
        "augmentation ./a [] types",
        "type-import ./deep [Z] types",
        "augmentation ambient [] types",
        "type-import ./doc [Doc] types",
        "type-import ./tag [One Two] types",
        "glob . []",
    ];
    assert_eq!(found("m.ts", text), expected);
}

#[test]
fn finds_strings_that_may_be_paths() {
    let text = r#"import "./a.js";
path.add(__dirname, "../media/icon.png");
const files = ["beside.js", "Vue.js or", ".js", "a.b", "docs/guide.md", `./data/x.json`, "./parts/", "text/plain", "a b/c.d", "./no", "\u002e/x.js"];
import.meta.glob("./parts/*.js"); glob("**/*.ts"); glob("*.ts");
import(`./pages/${name}.js`); `/api/${id}/x`; `${base}/x.js`;
<img src="media/logo.svg"/>;
"#;
    let expected = [
        "import ./a.js []",
        "possible ./ []",
        "possible ../media/icon.png []",
        "possible beside.js []",
        "possible docs/guide.md []",
        "possible ./data/x.json []",
        "possible ./parts/ []",
        "possible ./text/plain []",
        "glob ./parts []",
        "glob ./pages []",
        "possible media/logo.svg []",
    ];
    assert_eq!(found("m.tsx", text), expected);
    set(&[("src/x.tsx", text), ("media/icon.png", ""), ("src/parts/one.js", "")]);
    let destination = |specifier: &str| {
        let request = Request { kind: "possible".to_owned(), specifier: specifier.to_owned() };
        format!("{:?}", TypeScript::resolve(&Context::for_path("src/x.tsx"), &[request])[0])
    };
    assert_eq!(
        destination("../media/icon.png"),
        r#"Destination::Unknown("it may refer to `media/icon.png`, but this is not certain")"#
    );
    assert_eq!(
        destination("media/icon.png"),
        destination("../media/icon.png"),
        "a path relative to the root of the workspace"
    );
    assert_eq!(
        destination("./parts"),
        r#"Destination::Unknown("it may refer to `src/parts`, but this is not certain")"#
    );
    assert_eq!(destination("./data/x.json"), "Destination::External");
}

#[test]
fn finds_paths_joined_with_dirname() {
    let text = r#"import path, { join as j } from "node:path"; const { resolve } = require("path");
path.join(__dirname, "data.txt"); path.posix.resolve(import.meta.dirname, `../a.b`); j(__dirname, "x"); resolve(__dirname, "../y/z.js");
path.join(__dirname, "..", "assets", "logo.txt"); path.join(__dirname, "/abs.txt"); resolve(__dirname, "/root.txt"); path.join(__dirname, name, "w.txt");
__dirname + "/sum.txt"; `${__dirname}/in.txt`; other.join(__dirname, "v.txt"); path.join(base, "u.txt"); path.join("t.txt");
"#;
    let expected = [
        "import node:path [default join]",
        "require path [resolve]",
        "file data.txt []",
        "file ../a.b []",
        "file x []",
        "file ../y/z.js []",
        "joined ..\", \"assets\", \"logo.txt []",
        "file abs.txt []",
        "possible ./root.txt []",
        "possible ./ []",
        "possible w.txt []",
        "possible ./sum.txt []",
        "possible ./in.txt []",
        "possible ./ []",
        "possible v.txt []",
        "possible u.txt []",
        "possible t.txt []",
    ];
    assert_eq!(found("m.ts", text), expected);
}

#[test]
fn finds_paths_after_loader_prefixes() {
    let text = r#"import a from "!!raw-loader!./a.txt"; require("bundle?lazy!../b.md"); require("style!css"); import("x!./c");"#;
    let expected =
        ["import ./a.txt [default]", "require ../b.md [*]", "require style!css [*]", "dynamic-import ./c [*]"];
    assert_eq!(found("m.ts", text), expected);
}

#[test]
fn truncated_texts_do_not_panic() {
    for text in
        ["", "import", "/// <reference", "/** @import */", "/** {import(\"", "require(", "import('", "export * from"]
    {
        found("m.ts", text);
    }
}

fn set(files: &[(&str, &str)]) {
    workspace::set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
}

fn resolved_path(from: &str, specifier: &str) -> String {
    let kind = "import".to_owned();
    let destinations =
        TypeScript::resolve(&Context::for_path(from), &[Request { kind, specifier: specifier.to_owned() }]);
    match &destinations[0] {
        Destination::Inside(found) => format!("{}{}", found.path, found.suffix),
        Destination::External => "external".to_owned(),
        Destination::Missing(path) => format!("missing {path}"),
        Destination::Unknown(why) => format!("unknown: {why}"),
    }
}

#[test]
fn resolves_relative_paths() {
    set(&[
        ("src/a.ts", ""),
        ("src/b.tsx", ""),
        ("src/c.mts", ""),
        ("src/d/index.ts", ""),
        ("src/e.js", ""),
        ("src/e.d.ts", ""),
        ("src/f.css", ""),
        ("src/g.css.ts", ""),
        ("src/h.d.css.ts", ""),
        ("src/j.json", "{}"),
        ("src/lib/package.json", r#"{"main": "./main.js"}"#),
        ("src/lib/main.ts", ""),
        ("src/Upper.ts", ""),
    ]);
    let from = "src/x/y.ts";
    for (specifier, expected) in [
        ("../a", "src/a.ts"),
        ("../a.js", "src/a.ts"),
        ("../a.ts", "src/a.ts"),
        ("../b.jsx", "src/b.tsx"),
        ("../c.mjs", "src/c.mts"),
        ("../d", "src/d/index.ts"),
        ("../d/", "src/d/index.ts"),
        ("../d/index.js", "src/d/index.ts"),
        ("../e", "src/e.js"),
        ("../f.css", "src/f.css"),
        ("../f.css?inline", "src/f.css?inline"),
        ("../g.css", "src/g.css.ts"),
        ("../h.css", "src/h.d.css.ts"),
        ("../j.json", "src/j.json"),
        ("../lib", "src/lib/main.ts"),
        ("../upper", "src/Upper.ts"),
        ("../none", "missing src/none"),
        ("../../../out", "external"),
        ("node:fs", "external"),
        ("https://x.y/z.js", "external"),
        ("react", "external"),
    ] {
        assert_eq!(resolved_path(from, specifier), expected, "{specifier}");
    }
}

#[test]
fn resolves_paths_of_tsconfig() {
    set(&[
        ("tsconfig.json", r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tools"}]}"#),
        (
            "tsconfig.base.json",
            r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"], "~lib": ["./src/lib/main.ts"]}}}"#,
        ),
        (
            "tsconfig.app.json",
            r#"{"extends": ["./tsconfig.base"], "include": ["src"], /* c */ "compilerOptions": {"rootDirs": ["src", "gen"]},}"#,
        ),
        ("tools/tsconfig.json", r#"{"compilerOptions": {"baseUrl": ".", "paths": {"*": ["types/*"]}}}"#),
        ("tools/types/left-pad.d.ts", ""),
        ("tools/run/main.ts", ""),
        ("src/a.ts", ""),
        ("src/lib/main.ts", ""),
        ("gen/made.ts", ""),
    ]);
    assert_eq!(resolved_path("src/deep/x.ts", "@/a"), "src/a.ts");
    assert_eq!(resolved_path("src/deep/x.ts", "~lib"), "src/lib/main.ts");
    assert_eq!(resolved_path("src/x.ts", "./made"), "gen/made.ts");
    assert_eq!(resolved_path("src/x.ts", "@/nothing"), "missing src/nothing");
    assert_eq!(resolved_path("tools/x.ts", "left-pad"), "tools/types/left-pad.d.ts");
    assert_eq!(resolved_path("tools/x.ts", "run/main"), "tools/run/main.ts");
    assert_eq!(resolved_path("tools/x.ts", "lodash"), "external");
}

#[test]
fn resolves_packages() {
    set(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        (
            "packages/core/package.json",
            r##"{"name": "@x/core", "exports": {".": {"import": "./dist/index.js"}, "./*": "./dist/*.js"},
            "imports": {"#util": "./src/util.ts", "#in/*": {"default": "./dist/in/*.js"}}}"##,
        ),
        ("packages/core/src/index.ts", ""),
        ("packages/core/src/util.ts", ""),
        ("packages/core/src/in/deep.ts", ""),
        ("packages/old/package.json", r#"{"name": "old", "main": "lib/main.js"}"#),
        ("packages/old/lib/main.js", ""),
        ("packages/old/extra.js", ""),
        ("packages/broken/package.json", r#"{"name": "broken", "main": "dist/x.js"}"#),
        ("app/x.ts", ""),
    ]);
    assert_eq!(resolved_path("app/x.ts", "@x/core"), "packages/core/src/index.ts");
    assert_eq!(resolved_path("app/x.ts", "@x/core/util"), "packages/core/src/util.ts");
    assert_eq!(resolved_path("packages/core/src/index.ts", "#util"), "packages/core/src/util.ts");
    assert_eq!(resolved_path("packages/core/src/index.ts", "#in/deep"), "packages/core/src/in/deep.ts");
    assert_eq!(resolved_path("packages/core/src/index.ts", "@x/core/util"), "packages/core/src/util.ts");
    assert_eq!(resolved_path("app/x.ts", "old"), "packages/old/lib/main.js");
    assert_eq!(resolved_path("app/x.ts", "old/extra"), "packages/old/extra.js");
    assert!(resolved_path("app/x.ts", "broken").starts_with("unknown"));
    assert_eq!(resolved_path("app/x.ts", "@x/other"), "external");
}

/// Returns the updated specifier after the file moved from `was` to `to`.
fn format_specifier(from: &str, specifier: &str, was: &str, to: &str) -> String {
    format_specifier_of_kind("import", from, specifier, was, to)
}

fn format_specifier_of_kind(kind: &str, from: &str, specifier: &str, was: &str, to: &str) -> String {
    let request = SpecifierRequest {
        from: from.to_owned(),
        to: to.to_owned(),
        was: was.to_owned(),
        kind: kind.to_owned(),
        specifier: specifier.to_owned(),
    };
    TypeScript::format_specifiers(&Context::for_path(""), &[request]).remove(0).expect("a specifier")
}

#[test]
fn relative_specifiers_keep_their_style() {
    set(&[
        ("src/a.ts", ""),
        ("src/m.ts", ""),
        ("src/d/index.ts", ""),
        ("src/v.vue", ""),
        ("src/x.d.ts", ""),
        ("src/t.tsx", ""),
    ]);
    for (specifier, was, to, expected) in [
        ("./a", "src/a.ts", "src/lib/b.ts", "./lib/b"),
        ("./a.js", "src/a.ts", "src/lib/b.ts", "./lib/b.js"),
        ("./a.ts", "src/a.ts", "src/lib/b.ts", "./lib/b.ts"),
        ("./a.js", "src/a.ts", "lib/b.tsx", "../lib/b.js"),
        ("./t.jsx", "src/t.tsx", "src/u.tsx", "./u.jsx"),
        ("./a", "src/a.ts", "src/lib/index.ts", "./lib"),
        ("./a.js", "src/a.ts", "src/lib/index.ts", "./lib/index.js"),
        ("./a", "src/a.ts", "src/b.mts", "./b.mjs"),
        ("./d", "src/d/index.ts", "src/e/index.ts", "./e"),
        ("./d", "src/d/index.ts", "src/d/main.ts", "./d/main"),
        ("./d/index", "src/d/index.ts", "src/e/index.ts", "./e/index"),
        ("./d/index.js", "src/d/index.ts", "src/e/index.ts", "./e/index.js"),
        ("./d/", "src/d/index.ts", "src/index.ts", "./"),
        ("./d", "src/d/index.ts", "src/index.ts", "./index"),
        ("./a", "src/a.ts", "index.ts", "../index"),
        ("./m", "src/m.ts", "src/m/index.ts", "./m"),
        ("./v.vue?raw", "src/v.vue", "lib/v.vue", "../lib/v.vue?raw"),
        ("./x", "src/x.d.ts", "lib/x.d.ts", "../lib/x"),
        ("./x.js", "src/x.d.ts", "lib/y.d.ts", "../lib/y.js"),
        ("./../src/a", "src/a.ts", "src/b.ts", "./b"),
    ] {
        assert_eq!(format_specifier("src/m.ts", specifier, was, to), expected, "{specifier} {to}");
    }
    assert_eq!(format_specifier_of_kind("reference", "src/m.ts", "a.ts", "src/a.ts", "src/b.ts"), "b.ts");
    assert_eq!(format_specifier_of_kind("reference", "src/m.ts", "a.ts", "src/a.ts", "b.ts"), "../b.ts");
    assert_eq!(format_specifier_of_kind("url", "src/m.ts", "./a.ts", "src/a.ts", "src/b/index.ts"), "./b/index.ts");
    assert_eq!(format_specifier("src/m.ts", "./a", "src/a.ts", "src/o'k.ts"), "./o\\'k");
}

#[test]
fn valid_specifiers_are_unchanged() {
    set(&[("src/a.ts", ""), ("src/m.ts", ""), ("src/n/o.ts", "")]);
    assert_eq!(format_specifier("src/m2.ts", "./././a", "src/a.ts", "src/a.ts"), "./././a");
    assert_eq!(format_specifier("src/n/m.ts", "./a", "src/a.ts", "src/a.ts"), "../a");
    assert_eq!(format_specifier("src/m.ts", "./a", "src/a.ts", "src/a.tsx"), "./a");
    assert_eq!(format_specifier("src/m.ts", "../src/a", "src/a.ts", "src/a.ts"), "./a");
    assert_eq!(format_specifier("src/n/m.ts", "../src/a", "src/a.ts", "src/a.ts"), "../a");
}

#[test]
fn file_next_to_folder_of_same_name_is_not_written_as_dot() {
    set(&[("src/cli.ts", ""), ("src/cli/x.ts", ""), ("src/w.ts", ""), ("lib/cli.ts", ""), ("lib/cli/index.ts", "")]);
    assert_eq!(format_specifier("src/cli/w.ts", "./cli", "src/cli.ts", "src/cli.ts"), "../cli");
    assert_eq!(format_specifier("src/cli/deep/w.ts", "./cli", "src/cli.ts", "src/cli.ts"), "../../cli");
    assert_eq!(format_specifier("src/cli/x.ts", "../w", "src/w.ts", "src/cli.ts"), "../cli");
    assert_eq!(format_specifier("lib/cli/w.ts", "./cli", "lib/cli.ts", "lib/cli.ts"), "../cli");
    assert_eq!(format_specifier("lib/cli/w.ts", "./cli/index", "lib/cli/index.ts", "lib/cli/index.ts"), "./index");
    assert_eq!(resolved_path("src/cli/x.ts", "."), "missing src/cli");
    assert_eq!(resolved_path("lib/cli/x.ts", "."), "lib/cli/index.ts");
}

#[test]
fn file_without_extension_is_not_a_module() {
    set(&[
        ("src/Auth", ""),
        ("src/bin/run", ""),
        ("src/package.json", r#"{"main": "./bin/run"}"#),
        ("a.ts", ""),
        ("b.js", ""),
    ]);
    assert_eq!(resolved_path("a.ts", "./src/Auth"), "missing src/Auth");
    assert_eq!(resolved_path("a.tsx", "./src/auth"), "missing src/auth");
    assert_eq!(resolved_path("b.js", "./src/Auth"), "src/Auth");
    assert_eq!(resolved_path("a.ts", "./src"), "src/bin/run");
}

#[test]
fn folder_specifier_refers_to_main_module() {
    set(&[("package.json", r#"{"name": "me", "main": "main.js"}"#), ("main.js", ""), ("test/t.js", "")]);
    assert_eq!(format_specifier_of_kind("require", "test/deep/t.js", "..", "main.js", "main.js"), "../..");
    assert_eq!(format_specifier_of_kind("require", "test/deep/t.js", "../main", "main.js", "main.js"), "../../main");
}

#[test]
fn package_name_is_not_replaced_by_source_path() {
    set(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("tsconfig.json", r#"{"compilerOptions": {"paths": {"@x/*": ["./packages/*/src"]}}}"#),
        (
            "packages/core/package.json",
            r#"{"name": "@x/core", "exports": {".": "./dist/core.js", "./ssg": "./dist/ssg.js", "./f/*": "./src/f/*.ts", "./*": "./*"}}"#,
        ),
        ("packages/core/src/index.ts", ""),
        ("packages/core/src/ssg.ts", ""),
        ("packages/core/src/f/a.ts", ""),
        ("app/x.ts", ""),
    ]);
    let refused = |specifier: &str, was: &str, to: &str| {
        let [from, to, was, kind, specifier] = ["app/x.ts", to, was, "import", specifier].map(str::to_owned);
        let request = SpecifierRequest { from, to, was, kind, specifier };
        TypeScript::format_specifiers(&Context::for_path(""), &[request]).remove(0).expect_err("a refusal").message
    };
    let why = refused("@x/core", "packages/core/src/index.ts", "packages/core/src/main.ts");
    assert_eq!(
        why,
        "`@x/core` is a public name of its package, and the manifest does not mention `packages/core/src/main.ts`"
    );
    assert_eq!(
        format_specifier("app/x.ts", "@x/core/f/a", "packages/core/src/f/a.ts", "packages/core/src/f/b.ts"),
        "@x/core/f/b"
    );
}

#[test]
fn extension_is_written_if_specifier_is_ambiguous() {
    set(&[("src/a.ts", ""), ("src/m.ts", ""), ("lib/b.ts", "")]);
    assert_eq!(format_specifier("src/m.ts", "./a", "src/a.ts", "lib/b.tsx"), "../lib/b.tsx");
}

#[test]
fn package_specifiers_keep_their_style() {
    set(&[
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"baseUrl": "src", "paths": {"@/*": ["./*"], "@ui/*": ["./ui/*"], "one": ["./one.ts"]}}}"#,
        ),
        (
            "package.json",
            r##"{"name": "me", "exports": {".": "./src/main.ts", "./f/*": "./src/f/*.ts"}, "imports": {"#f/*": "./src/f/*.js"}}"##,
        ),
        ("src/a.ts", ""),
        ("src/one.ts", ""),
        ("src/ui/b.ts", ""),
        ("src/f/g.ts", ""),
        ("src/x/m.ts", ""),
        ("other/o.ts", ""),
    ]);
    let from = "src/x/m.ts";
    for (specifier, was, to, expected) in [
        ("@/a", "src/a.ts", "src/ui/a.ts", "@/ui/a"),
        ("@/a.js", "src/a.ts", "src/ui/a.ts", "@/ui/a.js"),
        ("@ui/b", "src/ui/b.ts", "src/ui/c/index.ts", "@ui/c"),
        ("@ui/b", "src/ui/b.ts", "src/b.ts", "@/b"),
        ("@/a", "src/a.ts", "lib/a.ts", "../../lib/a"),
        ("ui/b", "src/ui/b.ts", "src/b2.ts", "b2"),
        ("#f/g", "src/f/g.ts", "src/f/h.ts", "#f/h"),
        ("#f/g", "src/f/g.ts", "src/h.ts", "../h"),
        ("me/f/g", "src/f/g.ts", "src/f/h.ts", "me/f/h"),
        // The configuration that names the file is updated, so the specifier stays.
        ("one", "src/one.ts", "src/two.ts", "one"),
    ] {
        assert_eq!(format_specifier(from, specifier, was, to), expected, "{specifier} {to}");
    }
    // The linking file has moved; the name still resolves to the target.
    assert_eq!(format_specifier("src/y/z/m.ts", "@/a", "src/a.ts", "src/a.ts"), "@/a");
}

#[test]
fn moved_folder_keeps_its_tsconfig() {
    set(&[
        ("packages/a/tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
        ("packages/a/src/x.ts", ""),
        ("packages/a/src/m.ts", ""),
    ]);
    assert_eq!(format_specifier("packages/b/src/m.ts", "@/x", "packages/a/src/x.ts", "packages/b/src/x.ts"), "@/x");
    assert_eq!(format_specifier("packages/b/src/m.ts", "./x", "packages/a/src/x.ts", "packages/b/src/x.ts"), "./x");
}

#[test]
fn folder_moved_up_updates_links_to_siblings() {
    set(&[
        ("tsconfig.json", r#"{"compilerOptions": {"paths": {"app": ["./src/v4/index.ts"]}}}"#),
        ("src/index.ts", ""),
        ("src/v4/index.ts", ""),
        ("src/v4/core/index.ts", ""),
        ("src/v4/core/tests/a.ts", ""),
    ]);
    let request = |specifier: &str, was: &str, to: &str| SpecifierRequest {
        from: "src/core/tests/a.ts".to_owned(),
        to: to.to_owned(),
        was: was.to_owned(),
        kind: "import".to_owned(),
        specifier: specifier.to_owned(),
    };
    let specifiers = TypeScript::format_specifiers(
        &Context::for_path(""),
        &[
            request("../index.js", "src/v4/core/index.ts", "src/core/index.ts"),
            request("app", "src/v4/index.ts", "src/v4/index.ts"),
            request("../../index.js", "src/v4/index.ts", "src/v4/index.ts"),
        ],
    );
    let specifiers: Vec<String> = specifiers.into_iter().map(|one| one.expect("a specifier")).collect();
    assert_eq!(specifiers, ["../index.js", "app", "../../v4/index.js"]);
}

fn without(text: &str, wanted: &[&str]) -> Result<String, String> {
    let document = open("m.ts", text);
    let links = TypeScript::links(&document);
    let index = |(index, link): (usize, &marquetry_sdk::Link)| {
        wanted.contains(&link.specifier.as_str()).then_some(index as u32)
    };
    let indices: Vec<u32> = links.iter().enumerate().filter_map(index).collect();
    let rewrite = TypeScript::unlink(&document, &indices).map_err(|failure| failure.message)?;
    Ok(apply(text, &rewrite.edits))
}

#[test]
fn removes_links() {
    for (before, wanted, after) in [
        ("import a from './a';\nimport b from './b';\n", &["./a"][..], "import b from './b';\n"),
        ("import a from './a'; // why\r\nb();\r\n", &["./a"], "b();\r\n"),
        ("import a from './a'; b();", &["./a"], "b();"),
        ("x();\n\nexport * from './a';\n\ny();\n", &["./a"], "x();\n\ny();\n"),
        ("const a = require('./a');\nvi.mock('./a', () => {});\nb();", &["./a"], "b();"),
        ("await vi.importActual('./a');\nb();", &["./a"], "b();"),
        ("/// <reference path='./a' />\nb();", &["./a"], "b();"),
        ("import {\n  a,\n} from './a';\nexport { b } from './b';", &["./a", "./b"], ""),
    ] {
        assert_eq!(without(before, wanted).as_deref(), Ok(after), "{before}");
    }
    let used = without("const a = await import('./a');", &["./a"]).expect_err("the value is used");
    assert_eq!(used, "the dynamic import of `./a` cannot be removed: its value is used");
    assert!(without("f(require('./a'));", &["./a"]).is_err());
    assert!(without("const a = require('./a'), b = 1;", &["./a"]).is_err());
}

#[test]
fn links_that_are_bodies_of_statements_stay() {
    for text in [
        "if (a) require('./a')\nstart()\n",
        "if (a) {} else require('./a')\nstart()\n",
        "if (a) b()\nelse if (c) require('./a')\nelse d()\n",
        "for (const b of c) require('./a')\nstart()\n",
        "while (a) require('./a')\nstart()\n",
        "do require('./a'); while (a)\n",
        "a: require('./a')\n",
        "if (a) vi.mock('./a')\n",
    ] {
        assert!(without(text, &["./a"]).is_err(), "{text}");
    }
    for (text, after) in [
        ("if (a) {\n  require('./a')\n}\nstart()\n", "if (a) {\n}\nstart()\n"),
        ("if (f(() => {\n  require('./a')\n})) b()\n", "if (f(() => {\n})) b()\n"),
    ] {
        assert_eq!(without(text, &["./a"]).as_deref(), Ok(after));
    }
}

#[test]
fn removed_links_leave_statements_apart() {
    for (text, after) in [
        ("const k = () => {}\nconst a = require('./a')\n;(b)()\n", "const k = () => {}\n;(b)()\n"),
        ("const k = 1\nimport './a';\n[1].map(f)\n", "const k = 1\n;[1].map(f)\n"),
    ] {
        assert_eq!(without(text, &["./a"]).as_deref(), Ok(after));
    }
}

#[test]
fn paths_that_are_computed_at_run_time_are_patterns() {
    assert_eq!(found("a.js", "require(`./cmds/${name}`); require(`./${a}/b.js`);"), ["glob ./cmds []", "glob . []"]);
    for (text, expected) in [
        ("require('./cmds/' + name)", &["glob ./cmds []"][..]),
        ("require.resolve('./cmds/' + a + '/' + b + '.js')", &["glob ./cmds []"]),
        ("import(('./' + name))", &["glob . []"]),
        ("require.context('./cmds', true)", &["glob ./cmds []"]),
        ("require.context('./cmds/')", &["glob ./cmds []"]),
        ("require(name + './cmds/')", &["possible ./cmds/ []"]),
        ("load('./cmds/' + name)", &["possible ./cmds/ []"]),
    ] {
        assert_eq!(found("a.js", text), expected, "{text}");
    }
    let joined = "const path = require('path'); path.join(__dirname, 'a', 'b', name); path.join(__dirname, name, 'c');";
    assert_eq!(found("a.js", joined), ["require path [*]", "possible ./a/b []", "possible ./ []", "possible ./c []"]);
}

#[test]
fn computed_paths_match_files_with_their_fixed_parts() {
    set(&[("cmds/a.js", ""), ("cmds/b/c.js", ""), ("cmds/d.css", ""), ("e.js", "")]);
    let matched = |text: &str, path: &str| {
        let relocation = marquetry_sdk::Relocation { from: path.to_owned(), to: format!("elsewhere/{path}") };
        let moves = marquetry_sdk::FileMoves { path: "m.js".into(), relocations: vec![relocation], links: Vec::new() };
        TypeScript::relink(&open("m.js", text), &moves).is_err()
    };
    for (text, expected) in [
        ("require('./cmds/' + name)", ["cmds/a.js", "cmds/b/c.js", "cmds/d.css"].as_slice()),
        ("require('./cmds/' + name + '.js')", &["cmds/a.js", "cmds/b/c.js"]),
        ("require('./cmds/b/' + name + '.js')", &["cmds/b/c.js"]),
        ("import('./cmds/d' + name)", &["cmds/d.css"]),
        ("require.context('./cmds', true, /js$/)", &["cmds/a.js", "cmds/b/c.js", "cmds/d.css"]),
        ("read('./cmds/' + name)", &[]),
        ("require(name + '/cmds/')", &[]),
    ] {
        let found: Vec<&str> =
            ["cmds/a.js", "cmds/b/c.js", "cmds/d.css", "e.js"].into_iter().filter(|path| matched(text, path)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn uses_of_the_own_folder_are_possible_links() {
    for (text, expected) in [
        ("read(__dirname);", &["possible ./ []"][..]),
        (
            "const here = __dirname; read(here + '/data/a.txt', 'b');",
            &["possible ./ []", "possible ./data/a.txt []", "possible ./b []"],
        ),
        ("const at = p => new URL(p, import.meta.url); at('data');", &["possible ./ []", "possible ./data []"]),
        ("f(module.filename)", &["possible ./ []"]),
        (
            "fs.readdirSync(__dirname); glob('routes/*.js')",
            &["possible ./* []", "possible ./ []", "possible routes/*.js []"],
        ),
        (
            "await readdir(path.join(import.meta.dirname, 'a', 'b'));",
            &["possible ./a/b/* []", "possible ./ []", "possible ./a []", "possible ./b []"],
        ),
        ("fs.opendir('routes/', f); fs.readdirSync('/etc')", &["possible ./routes/* []"]),
        ("`${__dirname}/${name}.txt`", &["possible ./ []"]),
        // The name of the file, tests for the main program, definitions of Node's names, and links.
        ("path.basename(__filename); read('data')", &[]),
        ("if (import.meta.url === url) read('data');", &[]),
        ("const __dirname = dirname(fileURLToPath(import.meta.url));", &[]),
        ("const require = createRequire(import.meta.url);", &[]),
        ("new URL('./a.txt', import.meta.url); read('data')", &["url ./a.txt []"]),
        ("import.meta.env.X; read('data')", &[]),
    ] {
        assert_eq!(found("a.js", text), expected, "{text}");
    }
}

#[test]
fn only_some_extensions_can_be_omitted() {
    let files = ["src/a.ts", "src/b.mts", "src/c.cjs", "src/d.mjs", "src/e.jsx", "src/f/index.cjs", "src/g.json"];
    set(&files.map(|path| (path, "")));
    let is_found = |name: &str| {
        let request = Request { kind: "import".to_owned(), specifier: format!("./{name}") };
        let found = TypeScript::resolve(&Context::for_path("src/x.ts"), &[request]);
        matches!(found[0], marquetry_sdk::Destination::Inside(_))
    };
    let found: Vec<&str> = ["a", "b", "c", "d", "e", "f", "g"].into_iter().filter(|name| is_found(name)).collect();
    assert_eq!(found, ["a", "e", "g"]);
    assert!(is_found("b.mjs") && is_found("c.cjs") && is_found("d.mjs"));
}

#[test]
fn quoted_export_names_have_correct_span() {
    use marquetry_sdk::Symbols;
    let text = "const a = 1;\nexport { a as \"é ü\", a as \"q\\\"\\u00e9é\", a as b };\n";
    let facts = TypeScript::facts(&open("a.ts", text));
    let written: Vec<&str> = facts.exports.iter().map(|export| export.span.slice(text)).collect();
    assert_eq!(written, ["\"é ü\"", "\"q\\\"\\u00e9é\"", "b"]);
}
