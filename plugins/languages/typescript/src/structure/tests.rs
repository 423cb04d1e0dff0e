//! Tests of patterns and their matches.

use marquetry_sdk::Span;

use super::{FlatTree, find_matches, parse_pattern};
use crate::syntax::tree::Tree;

/// Returns the texts of the matches in a file, each with its metavariables.
fn found_in(path: &str, pattern: &str, code: &str) -> Vec<String> {
    let tree = Tree::parse(path, code.to_owned());
    let pattern =
        parse_pattern(pattern, tree.grammar().is_jsx()).unwrap_or_else(|failure| panic!("`{pattern}`: {failure:?}"));
    let found = tree
        .with(|parsed| find_matches(&pattern, &FlatTree::from_program(parsed.program, code)))
        .expect("within the step limit");
    let of =
        |(start, end): (u32, u32)| Span { start, end }.slice(code).split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = found.iter().map(|found| {
        let captures = found.captures.iter().map(|(name, part)| format!(" {}={}", pattern.names[*name], of(*part)));
        let unsaid = found.omitted.iter().map(|part| format!(" -{}", of(*part)));
        format!("{}{}{}", of(found.part), captures.collect::<String>(), unsaid.collect::<String>())
    });
    shown.collect()
}

#[track_caller]
fn check(pattern: &str, code: &str, expected: &[&str]) {
    assert_eq!(found_in("a.tsx", pattern, code), expected, "`{pattern}` in `{code}`");
}

#[track_caller]
fn check_invalid(pattern: &str, expected: &str) {
    let failure = parse_pattern(pattern, true).expect_err("the pattern is invalid");
    assert!(failure.message.contains(expected), "{}", failure.message);
    assert!(!failure.candidates.is_empty(), "the failure has no example patterns");
}

#[test]
fn calls_are_matched() {
    let code = "foo(1); foo(a, b); foo(); bar(1); x.foo(1); foo(...s); foo<T>(1);";
    check("foo($A)", code, &["foo(1) A=1", "foo(...s) A=...s"]);
    check("foo($$$)", code, &["foo(1)", "foo(a, b)", "foo()", "foo(...s)"]);
    check("foo($A, $$$REST)", code, &["foo(1) A=1 REST=", "foo(a, b) A=a REST=b", "foo(...s) A=...s REST="]);
    check("$F(1)", code, &["foo(1) F=foo", "bar(1) F=bar", "x.foo(1) F=x.foo"]);
    check("$O.foo($_)", code, &["x.foo(1) O=x"]);
    check("foo(a, b,)", code, &["foo(a, b)"]);
    check("foo<$T>($A)", code, &["foo<T>(1) T=T A=1"]);
    check("new $C($$$A)", "new Map([1]); Map()", &["new Map([1]) C=Map A=[1]"]);
    check("foo($$$A, last)", "foo(last); foo(1, 2, last); foo(last, 1)", &["foo(last) A=", "foo(1, 2, last) A=1, 2"]);
    check("foo($$$A, $B, $$$C)", "foo(1, 2, 3)", &["foo(1, 2, 3) A= B=1 C=2, 3"]);
}

#[test]
fn layout_quotes_and_separators_are_ignored() {
    check("foo('a', $B)", "foo(\n  \"a\",\n  (b),\n);", &["foo( \"a\", (b), ) B=(b)"]);
    check("a + b", "(a) + b; (a + b) * c", &["(a) + b", "a + b"]);
    check("x => $B", "const f = (x) => x + 1", &["(x) => x + 1 B=x + 1"]);
    check("($A) => $B", "xs.map(x => x)", &["x => x A=x B=x"]);
    check("type $A = 'a' | 'b'", "type T =\n  | 'a'\n  | \"b\";", &["type T = | 'a' | \"b\" A=T"]);
    check("`a${$X}b`", "`a${1 + 2}b`; `a${1} b`", &["`a${1 + 2}b` X=1 + 2"]);
}

#[test]
fn repeated_metavariable_matches_equal_code() {
    let code = "a === a; a === b; f( x , 'y' ) === f(x, \"y\"); (c) === c;";
    check("$A === $A", code, &["a === a A=a", "f( x , 'y' ) === f(x, \"y\") A=f( x , 'y' )", "(c) === c A=(c)"]);
    check("$_ === $_", "a === b", &["a === b"]);
    check("'$A' + '$A'", "'x y' + \"x y\"; 'xy' + 'x y'", &["'x y' + \"x y\" A=x y"]);
    check("f($$$A)(g($$$A))", "f(1, 2)(g(1,2)); f(1)(g())", &["f(1, 2)(g(1,2)) A=1, 2"]);
    check("<$T>$$$C</$T>", "<a>x</a>", &["<a>x</a> T=a C=x"]);
    check("let $A = $B.$A", "let x = y.x; let z = y.w", &["let x = y.x A=x B=y"]);
}

#[test]
fn operators_and_chains_are_matched() {
    let code = "a + b; a - b; a?.b; a.b; a?.b(c); a ?? b; !a; a++; ++a; a = b; a += b";
    check("$A + $B", code, &["a + b A=a B=b"]);
    check("a?.b", code, &["a?.b", "a?.b"]);
    check("$A?.$B($$$C)", code, &["a?.b(c) A=a B=b C=c"]);
    check("$A ?? $B", code, &["a ?? b A=a B=b"]);
    check("a++", code, &["a++"]);
    check("!$A", code, &["!a A=a"]);
    check("a = $B", code, &["a = b B=b"]);
    check("$A ? $B : $C", "x ? y : z", &["x ? y : z A=x B=y C=z"]);
}

#[test]
fn statements_and_declarations_are_matched() {
    let code =
        "const a = 1; let b = 2; const c: number = 3; if (a) { b() } else c; for (const x of xs) y(x);\nreturn_(1)";
    check("const $A = $B", code, &["const a = 1 A=a B=1"]);
    check("const $A = $B;", code, &["const a = 1; A=a B=1"]);
    check("const $A: $T = $B", code, &["const c: number = 3 A=c T=number B=3"]);
    check("if ($C) { $$$ } else $E", code, &["if (a) { b() } else c; C=a E=c;"]);
    check("for (const $X of $XS) $S", code, &["for (const x of xs) y(x); X=x XS=xs S=y(x);"]);
    check("return $A", "function f() { return 1; } function g() { return }", &["return 1 A=1"]);
    check("return", "function f() { return 1; } function g() { return }", &["return"]);
    check(
        "try { $$$A } catch ($E) { }",
        "try { a(); b() } catch (e) {}",
        &["try { a(); b() } catch (e) {} A=a(); b() E=e"],
    );
    check("throw new $E($M)", "throw new Error('x');", &["throw new Error('x') E=Error M='x'"]);
    check(
        "import { $$$N } from 'm'",
        "import { a, b as c } from \"m\"; import d from 'm'",
        &["import { a, b as c } from \"m\" N=a, b as c"],
    );
    check("import $A from '$M'", "import d from './x.js';", &["import d from './x.js' A=d M=./x.js"]);
    check("export const $A = $B", "export const x = 1; const y = 2", &["export const x = 1 A=x B=1"]);
    check("for (;$C;) $S", "for (;a;) b(); for (a;;) b()", &["for (;a;) b(); C=a S=b();"]);
    check("enum $E { $$$M }", "enum A { B, C = 2 }", &["enum A { B, C = 2 } E=A M=B, C = 2"]);
}

#[test]
fn consecutive_statements_are_matched() {
    let code = "function f() { lock(); a(); b(); unlock(); done() }";
    check("lock(); $$$BODY; unlock()", code, &["lock(); a(); b(); unlock() BODY=a(); b();"]);
    check("lock(); unlock()", code, &[]);
    check("const a = $X; use(a)", "const a = 1;\nuse(a);\nconst a = 2; other(); use(a)", &["const a = 1; use(a) X=1"]);
}

#[test]
fn functions_and_members_are_matched() {
    let code = "async function f(a: A, ...b): Promise<B> { return 1 }\nfunction g() {}\nclass K extends L { \
        @dec() private static async m(x) { y() }\n  n = 1; get o() { return 2 }\n constructor(public p: P) { super() } }";
    check("function $N($$$P) { $$$B }", code, &["function g() {} N=g P= B="]);
    check(
        "function $N($$$P): $T { $$$B }",
        code,
        &["async function f(a: A, ...b): Promise<B> { return 1 } N=f P=a: A, ...b T=Promise<B> B=return 1 -async"],
    );
    check(
        "class $N extends $B { $$$ }",
        "class A extends B { x = 1 } class C { }",
        &["class A extends B { x = 1 } N=A B=B"],
    );
    check(
        "$M($$$A) { $$$B }",
        "class C { @d() private static async m(x) { y() } }",
        &["@d() private static async m(x) { y() } M=m A=x B=y() -@d() -private -static -async"],
    );
    check(
        "async $M($$$A) { $$$B }",
        "class C { async m() { } n() { } } const o = { async p(q) { r } }",
        &["async m() { } M=m A= B=", "async p(q) { r } M=p A=q B=r"],
    );
    check(
        "private $N = $V",
        "class C { private a = 1; b = 2; private readonly c = 3 }",
        &["private a = 1 N=a V=1", "private readonly c = 3 N=c V=3 -readonly"],
    );
    check("constructor($$$P) { $$$B }", code, &["constructor(public p: P) { super() } P=public p: P B=super()"]);
    check("get $N() { return $V }", code, &["get o() { return 2 } N=o V=2"]);
    check(
        "@$D($$$)",
        "@Injectable({a: 1}) class A {} class B { @Input() x }",
        &["@Injectable({a: 1}) D=Injectable", "@Input() D=Input"],
    );
}

#[test]
fn objects_arguments_and_types_are_matched() {
    check(
        "timeout: $V",
        "f({ timeout: 10, 'timeout': 3, other: 1 }); interface T { timeout: number }",
        &["timeout: 10 V=10", "timeout: number V=number"],
    );
    check("{ a: $A, $$$R }", "x = { a: 1, b: 2, ...c }; y = { b: 1 }", &["{ a: 1, b: 2, ...c } A=1 R=b: 2, ...c"]);
    check(
        "Promise<$T>",
        "let a: Promise<string>; let b: Array<Promise<void>>",
        &["Promise<string> T=string", "Promise<void> T=void"],
    );
    check("$A[]", "let a: string[]", &["string[] A=string"]);
    check("$A | null", "let a: B | null; x = c | null", &["B | null A=B", "c | null A=c"]);
    check(
        "interface $N { $$$M }",
        "interface A { b: string; c(): void }",
        &["interface A { b: string; c(): void } N=A M=b: string; c(): void"],
    );
    check("$X as $T", "a as B; a satisfies B", &["a as B X=a T=B"]);
    check("keyof $T", "type K = keyof M", &["keyof M T=M"]);
    check(
        "case $V: $$$B",
        "switch (a) { case 1: b(); break; default: c() }",
        &["case 1: b(); break; V=1 B=b(); break;"],
    );
}

#[test]
fn jsx_elements_are_matched() {
    let code = "<Foo a={1} b=\"x\" {...p}><b>t</b>{c}</Foo>; <Foo />; <div onClick={() => f()}>text</div>";
    check("<Foo $$$P />", code, &["<Foo /> P="]);
    check(
        "<Foo $$$P>$$$C</Foo>",
        code,
        &["<Foo a={1} b=\"x\" {...p}><b>t</b>{c}</Foo> P=a={1} b=\"x\" {...p} C=<b>t</b>{c}"],
    );
    check("onClick={$H}", code, &["onClick={() => f()} H=() => f()"]);
    check("<div $$$A>text</div>", code, &["<div onClick={() => f()}>text</div> A=onClick={() => f()}"]);
    check("<$T b='x' $$$>$$$</$T>", code, &[]);
    check("<$T $_ b='x' $$$>$$$</$T>", code, &["<Foo a={1} b=\"x\" {...p}><b>t</b>{c}</Foo> T=Foo"]);
    check("<p>$A</p>", "<p>\n  one   two\n</p>", &["<p> one two </p> A=one two"]);
    check("<p>one two</p>", "<p>\n  one\n  two\n</p>", &["<p> one two </p>"]);
}

#[test]
fn strings_and_comments_do_not_match_code() {
    check("foo($A)", "'foo(1)'; // foo(2)\n/* foo(3) */ `foo(4)`; foo(5)", &["foo(5) A=5"]);
    check("foo($A, $B)", "foo(1, /* two */ 2)", &["foo(1, /* two */ 2) A=1 B=2 -/* two */"]);
    check("'x'", "f('x', \"x\", `x`)", &["'x'", "\"x\""]);
}

#[test]
fn nested_matches_are_all_found() {
    check("f($A)", "f(f(f(1)))", &["f(f(f(1))) A=f(f(1))", "f(f(1)) A=f(1)", "f(1) A=1"]);
}

#[test]
fn names_and_literals_are_matched() {
    check("foo", "foo; const foo = 1; x.foo; ({ foo: 1 })", &["foo", "foo"]);
    check("42", "x = 42; y = 4.2", &["42"]);
    check("/a+/g", "x.match(/a+/g)", &["/a+/g"]);
    check("this.$P", "this.a = that.a", &["this.a P=a"]);
    check("await $E", "async () => { await f() }", &["await f() E=f()"]);
    check("yield $E", "function* g() { yield 1 }", &["yield 1 E=1"]);
    check("yield* $E", "function* g() { yield* h() }", &["yield* h() E=h()"]);
    check("kind='b'", "<a kind=\"b\" />; kind = 'b'", &["kind=\"b\"", "kind = 'b'"]);
    check("größe($A)", "größe(1)", &["größe(1) A=1"]);
}

#[test]
fn invalid_patterns_fail_with_examples() {
    check_invalid("", "empty");
    check_invalid("$A", "only a metavariable");
    check_invalid("$A;", "only a metavariable");
    check_invalid("foo(", "cannot be parsed");
    check_invalid("} class D {", "cannot be parsed");
    check_invalid("a b c", "cannot be parsed");
}

#[test]
fn words_are_in_every_match() {
    let words = |pattern: &str| parse_pattern(pattern, true).expect("a pattern").words;
    assert_eq!(words("foo.bar($A, 'a b-cde')"), ["bar", "cde", "foo"]);
    assert_eq!(words("async $M() { $$$ }"), ["async"]);
    assert_eq!(words("`tpl${x.longer}`"), ["longer"]);
}

#[test]
fn matching_stops_at_the_step_limit() {
    let pattern = parse_pattern("f($$$A, 1, $$$B, 2, $$$C, 3, $$$D, 4, $$$E, 5, $$$F, 6)", true).expect("a pattern");
    let code = format!("f({})", (0..400).map(|n| (n % 6).to_string()).collect::<Vec<_>>().join(", "));
    let tree = Tree::parse("a.ts", code.clone());
    let found = tree.with(|parsed| find_matches(&pattern, &FlatTree::from_program(parsed.program, code.as_str())));
    assert!(found.is_err(), "the step limit is not enforced");
}

/// A pattern that is the text of a node matches that node, and the match is inside the text.
#[test]
fn node_matches_its_own_text() {
    let code = include_str!("sample.txt");
    let tree = Tree::parse("a.tsx", code.to_owned());
    let mut looked = 0;
    tree.with(|parsed| {
        let flat = FlatTree::from_program(parsed.program, code);
        for index in 0..flat.nodes.len() {
            let text = flat.text_of(index);
            let Ok(pattern) = parse_pattern(text, true) else { continue };
            looked += 1;
            let node = flat.nodes[flat.unwrapped(index)];
            let found = find_matches(&pattern, &flat).expect("within the step limit");
            let has = found.iter().any(|found| found.part.0 <= node.start && node.end <= found.part.1 + 1);
            let kinds = pattern.readings.iter().map(|reading| reading.tree.nodes[reading.roots[0]].kind);
            let kinds: Vec<_> = kinds.collect();
            assert!(
                has || !kinds.contains(&node.kind),
                "`{text}` ({:?}) is not found as {kinds:?}: {found:?}",
                node.kind
            );
        }
    });
    assert!(looked > 300, "only {looked} patterns were checked");
}
