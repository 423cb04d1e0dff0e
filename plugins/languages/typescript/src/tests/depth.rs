//! Tests of the nesting limit.

use crate::syntax::depth::{innermost_open, too_deep};

fn is_too_deep(text: &str) -> bool {
    too_deep(text, false).is_some()
}

#[test]
fn nesting_that_would_overflow_the_stack_is_refused() {
    for (piece, times) in [
        ("(", 1100),
        ("[", 1300),
        ("{", 1900),
        ("function f(){", 650),
        ("()=>{", 480),
        ("(class{m(){", 270),
        ("!", 12000),
        ("a=", 1600),
        ("a?b:", 1600),
        ("if(a);else ", 2900),
        ("`${", 1000),
        ("new ", 3700),
        ("typeof ", 12000),
        ("a+", 12000),
        ("a.", 15000),
        ("()=>", 1100),
        ("f(", 1000),
        ("for(;;)", 1800),
        ("<A>", 4200),
        ("a<", 1000),
        ("keyof ", 2500),
    ] {
        assert!(is_too_deep(&piece.repeat(times)), "{piece} {times} times");
        assert!(is_too_deep(&piece.replace(' ', "\n").repeat(times)), "{piece} {times} times");
    }
    assert!(too_deep(&"<a>".repeat(2300), true).is_some());
    assert!(too_deep(&"<a>don't\n".repeat(2300), true).is_some());
}

#[test]
fn ordinary_code_is_not_too_deep() {
    let statement = "const value: Map<string, Set<number>> = a.b(c)?.d ?? e ? f : g\n";
    for line in [
        statement,
        "if (a) { b('(') } else { c(\"{\") }\n",
        "  x = [1, 2, 3].map((it) => it * 2) // (not closed\n",
        "/** a: b. c = d? */\nfoo(): void {}\n",
        "case 'a':\n",
        "  name: string\n",
        "export const f = <T>(x: T): T => x\n",
        // Minified code.
        "function f(){}",
        "class A{m(){}}",
        "if(a){b()}",
        "export function f(a=1){return a}",
        "it('does', () => { expect(/[(]/.test('(')).toBe(true) })\n",
    ] {
        assert!(!is_too_deep(&line.repeat(20_000)), "{line}");
        assert!(too_deep(&line.repeat(20_000), true).is_none(), "{line}");
    }
    let element = "<div className=\"a\" onClick={() => go(1)}>\n  Don't: stop? <b>now</b>. <br />\n</div>\n";
    assert!(too_deep(&element.repeat(20_000), true).is_none());
}

#[test]
fn unclosed_returns_innermost_open_bracket() {
    for (text, close) in [
        ("", None),
        ("a(b)", None),
        ("function f() {", Some('}')),
        ("f(a, [b", Some(']')),
        ("if (a {", Some('}')),
        ("f('(', /[(]/, // (", Some(')')),
        ("`a${b", Some('}')),
        ("`a${b}` + (", Some(')')),
    ] {
        assert_eq!(innermost_open(text, false), close, "{text}");
    }
}
