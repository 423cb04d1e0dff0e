//! Type parameters of types that several files declare: a rename changes them in all files. The notation is that of
//! `completeness.rs`.

use crate::host::check_marked as check;

/// Checks a rename of `T` in two files. `T` is marked in the first text, and `=T` marks the names that are renamed with it.
#[track_caller]
fn check_merged(text: &str) {
    let before = text.replace("=T", "T");
    let after = text.replace("¦T", "New").replace("=T", "New");
    check(&before, &after);
    // Check the same rename, requested at a declaration in the other file.
    if let Some((first, second)) = before.rsplit_once("\n// ")
        && let Some((head, rest)) = text.rsplit_once("\n// ").and_then(|(_, it)| it.split_once("<=T"))
    {
        let moved = format!("{}\n// {}<¦T{}", first.replace('¦', ""), head.replace("=T", "T"), rest.replace("=T", "T"));
        assert_eq!(moved.replace('¦', ""), format!("{first}\n// {second}").replace('¦', ""));
        check(&moved, &after);
    }
}

#[test]
fn type_parameters_of_merged_declarations_are_renamed_in_all_files() {
    for text in [
        "// a.ts\nexport interface Box<¦T> { a: =T }\n// b.ts\nimport './a'; declare module './a' { interface Box<=T> { b: =T } }",
        "// a.ts\nexport class Box<¦T> { a!: =T }\n// b.ts\nimport { Box } from './a'; declare module './a' { interface Box<=T> { b: Box<=T> } }",
        "// a.ts\ninterface Box<¦T> { a: =T }\n// b.ts\ninterface Box<=T> { b: =T[] }",
        "// a.ts\ndeclare global { interface Box<¦T> { a: =T } } export {};\n// b.ts\ndeclare global { interface Box<=T> { b: =T } } export {};",
        "// a.ts\ninterface Box<¦T> { a: =T }\n// b.ts\ndeclare global { interface Box<=T> { b: =T } } export {};",
        "// a.d.ts\ndeclare module 'pkg' { interface Box<¦T> { a: =T } }\n// b.d.ts\ndeclare module 'pkg' { interface Box<=T> { b: =T } }",
        "// a.ts\nnamespace N { export interface Box<¦T> { a: =T } }\n// b.ts\nnamespace N { export interface Box<=T> { b: =T } }",
        "// a.ts\nexport interface Box<K, ¦T extends K = K> { a: =T }\n// b.ts\ndeclare module './a' { interface Box<K, =T> { m<U>(u: U): =T } }",
        "// a.ts\nexport interface Box<¦T> { a: =T }\n// index.ts\nexport * from './a';\n// z.ts\nimport './index'; declare module './index' { interface Box<=T> { b: =T } }",
    ] {
        check_merged(text);
    }
}

#[test]
fn type_parameters_of_other_declarations_are_left() {
    for text in [
        // Types of two modules, a local type, other names, other parameters, and functions.
        "// a.ts\nexport interface Box<¦T> { a: =T }\n// b.ts\nexport interface Box<T> { b: T }",
        "// a.ts\ninterface Box<¦T> { a: =T }\n// b.ts\nfunction f() { interface Box<T> { b: T } }",
        "// a.ts\ninterface Box<¦T> { a: =T }\n// b.ts\ninterface Cup<T> { box: Box<T> }",
        "// a.ts\nnamespace N { export interface Box<¦T> { a: =T } }\n// b.ts\nnamespace M { export interface Box<T> { b: T } }",
        "// a.d.ts\ndeclare module 'one' { interface Box<¦T> { a: =T } }\n// b.d.ts\ndeclare module 'two' { interface Box<T> { b: T } }",
        "// a.ts\ninterface Box<¦T> { a: =T; m<T>(x: T): void }\n// b.ts\ninterface Box<T2> { m<T>(x: T): Box<T> }",
    ] {
        let before = text.replace("=T", "T");
        check(&before, &text.replace("¦T", "New").replace("=T", "New"));
    }
}
