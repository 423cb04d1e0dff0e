//! Hover information, type definitions, called functions and supertypes.

use marquetry_sdk::{FileLocation, Hover, HoverInfo, RelatedSymbol, SemanticDiagnostics};

use crate::operations::symbols::declaration_span;
use crate::semantics::with_checker;
use crate::{TypeScript, TypeScriptDocument};

mod checks;
mod documentation;
mod hover_info;
mod relations;
mod types;

impl Hover for TypeScript {
    fn hover(document: &TypeScriptDocument, offset: u32) -> Option<HoverInfo> {
        with_checker(document, |checker| hover_info::hover_info(checker, offset))
    }

    fn type_definitions(document: &TypeScriptDocument, offset: u32) -> Vec<FileLocation> {
        with_checker(document, |checker| types::type_definitions(checker, offset))
    }

    fn calls(document: &TypeScriptDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        let Some(span) = declaration_span(document, address) else { return Some(Vec::new()) };
        Some(with_checker(document, |checker| relations::calls_within(checker, document, span)))
    }

    fn supertypes(document: &TypeScriptDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        let Some(span) = declaration_span(document, address) else { return Some(Vec::new()) };
        with_checker(document, |checker| relations::supertypes_within(checker, document, span))
    }

    fn check(document: &TypeScriptDocument) -> SemanticDiagnostics {
        checks::semantic_checks(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marquetry_sdk::{LanguagePack, workspace};

    fn open(files: &[(&str, &str)]) -> TypeScriptDocument {
        workspace::set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        TypeScript::open(files[0].0, files[0].1.to_owned(), "{}")
    }

    /// Returns kind, type, code and notes for the last occurrence of a word.
    fn hover(text: &str, word: &str) -> String {
        let at = text.rfind(word).expect("the text contains the word") as u32;
        let Some(hover) = TypeScript::hover(&open(&[("a.ts", text)]), at) else { return String::new() };
        let notes = hover.notes.iter().map(|note| format!(" ({}: {})", note.label, note.text)).collect::<String>();
        let (ty, code) = (hover.type_.unwrap_or_default(), hover.code.unwrap_or_default());
        let doc = hover.documentation.map(|doc| format!(" «{doc}»")).unwrap_or_default();
        format!("{} {}: {ty} | {code}{notes}{doc}", hover.kind, hover.name)
    }

    #[test]
    fn hover_info_of_declarations() {
        let text = "/** Adds.\n * @param a one\n */\nexport function add(a: number): number { return a; }\nadd(1);";
        assert_eq!(
            hover(text, "add"),
            "function add: (a: number) => number | export function add(a: number): number «Adds.\n\n*@param* `a` — one»"
        );
        assert_eq!(
            hover("class A { m(x: string) { return 1; } }\nnew A().m;", "m"),
            "method m: (x: string) => number | m(x: string)"
        );
        assert_eq!(hover("const a = { b: 1 };\na;", "a"), "const a: { b: number; } | const a = { b: 1 }");
        assert_eq!(hover("const a = 'x';\na;", "a"), "const a: 'x' | const a = 'x'");
        assert_eq!(
            hover("interface I<T> extends J { a: 1 }\nlet x: I;", "I"),
            "interface I: interface I<T> extends J | interface I<T> extends J"
        );
        assert_eq!(hover("enum E { A = 3, B }\nE.B;", "B"), "enum-member B: E | B (value: 4)");
        assert_eq!(hover("function f(p: { q: 1 }) { p; }", "p"), "parameter p: { q: 1 } | p: { q: 1 }");
        assert_eq!(hover("type A = 1 | 2;\nlet x: A;", "A"), "type A: 1 | 2 | type A = 1 | 2");
        assert_eq!(
            hover("abstract class A<T> extends B implements C {}\nA;", "A"),
            "class A: abstract class A<T> extends B implements C | abstract class A<T> extends B implements C"
        );
        assert_eq!(
            hover("const f = <T,>(x: T, y = 1) => x;\nf;", "f"),
            "const f: <T,>(x: T, y?: number) => T | const f = <T,>(x: T, y = 1) => x"
        );
        assert_eq!(hover("class A { get n() { return 'a'; } }\nnew A().n;", "n"), "getter n: string | get n()");
        assert_eq!(hover("import { x } from 'pkg';\nx;", "x"), "import x:  | import { x } from 'pkg'");
        assert_eq!(hover("let x = 1;  ", " "), "");
        assert_eq!(hover("console.log(1);", "console"), "global console:  |  (declared by: the platform)");
        assert_eq!(hover("console.log(1);", "log"), "");
    }

    #[test]
    fn hover_info_lists_overloads() {
        let text = "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: unknown) {}\nf(1);";
        assert_eq!(
            hover(text, "f"),
            "function f: (a: string) => void | function f(a: string): void (also declared as: function f(a: number): void) (also declared as: function f(a: unknown))"
        );
    }

    #[test]
    fn hover_info_refers_to_declaration_in_other_file() {
        let files = [("a.ts", "import { f } from './b';\nf();"), ("b.ts", "/** Does. */\nexport const f = () => 1;")];
        let at = files[0].1.rfind('f').expect("the text contains `f`") as u32;
        let hover = TypeScript::hover(&open(&files), at).expect("hover information");
        let place = hover.declared.expect("a declaration in another file");
        assert_eq!((hover.kind.as_str(), place.path.as_str(), place.offset), ("const", "b.ts", 26));
    }

    fn types(files: &[(&str, &str)], word: &str) -> Vec<String> {
        let at = files[0].1.rfind(word).expect("the text contains the word") as u32;
        let places = TypeScript::type_definitions(&open(files), at);
        let line = |place: &marquetry_sdk::FileLocation| {
            let (_, text) = files.iter().find(|(path, _)| *path == place.path).expect("the file is in the workspace");
            let rest = &text[place.offset as usize..];
            format!("{}: {}", place.path, rest.lines().next().unwrap_or_default())
        };
        places.iter().map(line).collect()
    }

    #[test]
    fn finds_type_definitions() {
        let user = ("u.ts", "export interface User { name: string }\nexport class Box<T> {}");
        let with = |text: &'static str, word: &str| types(&[("a.ts", text), user], word);
        let interface = "u.ts: User { name: string }";
        assert_eq!(with("import { User } from './u';\nlet x: User;\nx;", "x"), [interface]);
        assert_eq!(with("import { User } from './u';\nlet xs: User[];\nxs;", "xs"), [interface]);
        assert_eq!(with("import { User } from './u';\nasync function f(): Promise<User> {}\nf();", "f"), [interface]);
        assert_eq!(with("import { User } from './u';\nlet x: User;", "User"), [interface]);
        assert_eq!(with("import { Box } from './u';\nconst b = new Box();\nb;", "b"), ["u.ts: Box<T> {}"]);
        assert_eq!(with("import { User } from './u';\nclass A { u: User }\nnew A().u;", "u"), [interface]);
        assert_eq!(with("enum E { A }\nE.A;", "A"), ["a.ts: E { A }"]);
        assert_eq!(with("const o = { a: 1 };\no;", "o"), ["a.ts: { a: 1 };"]);
        assert!(with("let n = 1;\nn;", "n").is_empty());
    }

    #[test]
    fn finds_calls_and_supertypes() {
        let text = "import { x } from './x';\nclass B {}\nclass A extends B implements I, N.J { m() { x(); x.y.z(); new B(); this.m(); [1].map(f => f()); } }";
        let document = open(&[("a.ts", text)]);
        let show = |related: Option<Vec<RelatedSymbol>>| -> Vec<String> {
            related
                .unwrap_or_default()
                .into_iter()
                .map(|r| format!("{} {:?} {:?}", r.name, r.address, r.from))
                .collect()
        };
        let calls = show(TypeScript::calls(&document, "A.m"));
        assert_eq!(
            calls,
            [
                "x None Some(\"./x\")",
                "x.y.z None Some(\"./x\")",
                "B Some(\"B\") None",
                "this.m Some(\"A.m\") None",
                "[1].map None None",
                "f None None",
            ]
        );
        let supertypes = show(TypeScript::supertypes(&document, "A"));
        assert_eq!(supertypes, ["B Some(\"B\") None", "I None None", "N.J None None"]);
        let above = |text: &str, files: &[(&str, &str)]| {
            let files: Vec<(&str, &str)> = std::iter::once(("a.js", text)).chain(files.iter().copied()).collect();
            let place = |r: RelatedSymbol| {
                let declared = r.declared.map(|place| format!("{}:{}", place.path, place.offset));
                format!("{} {:?} {}", r.name, r.address, declared.unwrap_or_default())
            };
            let found = TypeScript::supertypes(&open(&files), "A").unwrap_or_default();
            found.into_iter().map(place).collect::<Vec<_>>()
        };
        let required = [("b.js", "class B {}\nmodule.exports = { B };")];
        assert_eq!(above("const { B } = require('./b');\nclass A extends B {}", &required), ["B None b.js:6"]);
        assert_eq!(above("const b = require('./b');\nclass A extends b.B {}", &required), ["b.B None b.js:6"]);
        let whole = [("b.js", "module.exports = B;\nclass B {}")];
        assert_eq!(above("const C = require('./b');\nclass A extends C {}", &whole), ["C None b.js:26"]);
        let mix = "const mix = (b) => class M extends b {};\nclass B {}\nclass A extends mix(B) {}";
        assert_eq!(above(mix, &[]), ["M Some(\"mix.M\") a.js:25", "B Some(\"B\") a.js:47"]);
        let choice = "class B {}\nclass C {}\nclass A extends (Math.random() ? B : C) {}";
        assert_eq!(above(choice, &[]), ["B Some(\"B\") a.js:6", "C Some(\"C\") a.js:17"]);
        assert!(TypeScript::calls(&document, "Nothing").is_some_and(|calls| calls.is_empty()));
    }
}
