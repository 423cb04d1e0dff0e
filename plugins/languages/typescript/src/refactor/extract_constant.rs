//! `extract_constant`: extracts an expression to a constant in the outermost scope in which its value is the same.

use marquetry_sdk::refactor::{Place, RefactorInput, Refactoring};
use marquetry_sdk::{Result, Rewrite};

use super::extract_value::{self, ExtractionOptions};
use crate::TypeScriptDocument;

pub(super) const EXTRACT_CONSTANT: Refactoring<TypeScriptDocument> = Refactoring {
    id: "extract_constant",
    title: "Extract to a constant",
    place: Place::Selection,
    arguments: extract_value::ARGUMENTS,
    asks_exporters: false,
    apply,
};

fn apply(document: &TypeScriptDocument, input: &RefactorInput) -> Result<Rewrite> {
    extract_value::extract(
        document,
        input,
        ExtractionOptions { everywhere: false, outermost: true, destructures: false },
    )
}

#[cfg(test)]
mod tests {
    use crate::refactor::testing;

    #[track_caller]
    fn check(marked: &str, after: &str) {
        testing::assert_rewrite("extract_constant", &[], marked, after);
    }

    #[test]
    fn constant_in_import_cycle_gives_warning() {
        let files = [
            ("a.ts", "import './b';\nexport function f() {\n  return «1»;\n}\n"),
            ("b.ts", "import { f } from './a';\nf();\n"),
        ];
        let after = testing::run_in_workspace("extract_constant", &[], &files).expect("a rewrite");
        assert!(after.incomplete.expect("a warning").contains("import each other"));
    }

    #[test]
    fn constants_are_placed_in_outermost_scope() {
        check("function f() {\n  return «1»;\n}\n", "const extracted = 1;\nfunction f() {\n  return extracted;\n}\n");
        check(
            "function f(a) {\n  return «a + 1»;\n}\n",
            "function f(a) {\n  const extracted = a + 1;\n  return extracted;\n}\n",
        );
        check(
            "function f() {\n  return «g()»;\n}\n",
            "function f() {\n  const extracted = g();\n  return extracted;\n}\n",
        );
        check("for (;;) {\n  f(«1»);\n}\n", "for (;;) {\n  const extracted = 1;\n  f(extracted);\n}\n");
        check("class A {\n  a = «1»;\n}\n", "const extracted = 1;\nclass A {\n  a = extracted;\n}\n");
        check("f(«a.b», a.b);\n", "const b = a.b;\nf(b, a.b);\n");
        check(
            "const a = 1;\nclass A {\n  f() {\n    return «a + 1»;\n  }\n}\n",
            "const a = 1;\nconst extracted = a + 1;\nclass A {\n  f() {\n    return extracted;\n  }\n}\n",
        );
    }

    #[test]
    fn contextual_types_are_annotated() {
        check("let a: T = «{ b: 1 }»;\n", "const extracted: T = { b: 1 };\nlet a: T = extracted;\n");
        check(
            "declare function f(a: (b: number) => void): void;\nf(«b => {}»);\n",
            "declare function f(a: (b: number) => void): void;\nconst extracted: (b: number) => void = b => {};\nf(extracted);\n",
        );
    }

    #[test]
    fn contextually_typed_values_get_type_annotation() {
        check(
            "declare function f<T>(a: (b: T) => void): T[];\nfunction g(): number[] {\n  return «f(() => {})»;\n}\n",
            "declare function f<T>(a: (b: T) => void): T[];\nfunction g(): number[] {\n  const extracted: number[] = f(() => {});\n  return extracted;\n}\n",
        );
        check(
            "declare function f<T>(a: T): T[];\nlet a: number[] = «f(1)»;\n",
            "declare function f<T>(a: T): T[];\nconst extracted = f(1);\nlet a: number[] = extracted;\n",
        );
        check(
            "interface A { b: 'c' | 'd' }\ndeclare function f(a: A): void;\nf(«{ b: 'c' }»);\n",
            "interface A { b: 'c' | 'd' }\ndeclare function f(a: A): void;\nconst extracted: A = { b: 'c' };\nf(extracted);\n",
        );
        check(
            "const a: B[] = [];\ninterface B { c: number }\nf(a.map(«b => b.c»));\n",
            "const a: B[] = [];\ninterface B { c: number }\nconst extracted = (b: B) => b.c;\nf(a.map(extracted));\n",
        );
        check(
            "async function f(): Promise<A> {\n  return «{ b: g(1) }»;\n}\ninterface A { b: 1 }\n",
            "async function f(): Promise<A> {\n  const extracted: A = { b: g(1) };\n  return extracted;\n}\ninterface A { b: 1 }\n",
        );
        check(
            "declare function f<T>(a: (b: T) => void): T[];\nfunction g(): number[] {\n  return «h ? f(() => {}) : []»;\n}\n",
            "declare function f<T>(a: (b: T) => void): T[];\nfunction g(): number[] {\n  const extracted: number[] = h ? f(() => {}) : [];\n  return extracted;\n}\n",
        );
        let refused = |marked: &str| {
            let message = "the type of the value depends on its context and cannot be printed";
            testing::assert_refused("extract_constant", &[], marked, message);
            testing::assert_refused("extract_function", &[], marked, message);
        };
        // The function may return the promise or the value it resolves to.
        refused(
            "declare function g<T>(a: (b: T) => void): Promise<T>;\nasync function f(): Promise<1 | 2> {\n  return «g(() => {})»;\n}\n",
        );
        refused("declare function f<T>(a: T, b: (c: T) => void): void;\nf(1, «c => {}»);\n");
        refused(
            "declare function f<T>(a: (b: T) => void): T;\ndeclare function g<T>(a: T, b: T): void;\ng(1, «f(() => {})»);\n",
        );
        refused(
            "declare function f<T>(a: (b: T) => void): T;\ndeclare function g<T>(a: T, b: T): void;\ng(1, «h ? f(() => {}) : i»);\n",
        );
    }

    #[test]
    fn new_expressions_may_be_contextually_typed() {
        let class = "class A<T> {\n  constructor(a?: (this: A<T>, b: T) => void) {}\n}\n";
        for value in ["new A()", "new A(b => {})", "new A((b) => { b; })"] {
            check(
                &format!("{class}function f(): A<number> {{\n  return «{value}»;\n}}\n"),
                &format!("{class}function f(): A<number> {{\n  const a1: A<number> = {value};\n  return a1;\n}}\n"),
            );
        }
        check(
            "class A<T> {\n  constructor(a: T) {}\n}\nfunction f(): A<number> {\n  return «new A(1)»;\n}\n",
            "class A<T> {\n  constructor(a: T) {}\n}\nfunction f(): A<number> {\n  const a1 = new A(1);\n  return a1;\n}\n",
        );
        for (name, ty, value) in
            [("set", "Set<string>", "new Set()"), ("promise", "Promise<void>", "new Promise(a => a())")]
        {
            check(
                &format!("function f(): {ty} {{\n  return «{value}»;\n}}\n"),
                &format!("function f(): {ty} {{\n  const {name}: {ty} = {value};\n  return {name};\n}}\n"),
            );
        }
        check("f(«new Set()»);\n", "const set = new Set();\nf(set);\n");
    }

    #[test]
    fn refuses_string_compared_with_typeof() {
        let message = "`typeof` is compared with this string, and only a literal narrows types";
        testing::assert_refused("extract_constant", &[], "if (typeof a === «'b'») f();\n", message);
        testing::assert_refused("extract_constant", &[], "switch (typeof a) { case «'b'»: f(); }\n", message);
        check("if (a === «'b'») f();\n", "const b = 'b';\nif (a === b) f();\n");
    }

    #[test]
    fn any_selection_of_sample_texts_is_handled() {
        for sample in testing::SAMPLES {
            testing::assert_valid_at_every_offset("extract_constant", "a.tsx", sample, &[]);
        }
    }
}
