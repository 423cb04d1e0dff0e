//! Tests with lists in brackets, `(a (b c) "d")`, and `;` as an extra: the smallest format with all features.

use super::*;

const LIST: u8 = 0;
const WORD: u8 = 1;

fn tree(text: &str) -> Tree<&str> {
    let mut builder = Builder::new(text, LIST);
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let word = rest.find(|c: char| "() ;\"".contains(c)).unwrap_or(rest.len()).max(1);
        match rest.as_bytes()[0] {
            b' ' => at += 1,
            b'(' => _ = (builder.open(LIST, at), at += 1),
            b')' => {
                at += 1;
                builder.close(at);
            }
            b';' => {
                builder.extra(Span::new(at, at + 1));
                at += 1;
            }
            b'"' => {
                let end = at + 1 + rest[1..].find('"').expect("a closing quote");
                builder.open(WORD, at);
                builder.token(Span::new(at + 1, end), Span::new(at, end + 1), Letters::Text);
                at = end + 1;
                builder.close(at);
            }
            _ => {
                builder.open(WORD, at);
                let span = Span::new(at, at + word);
                match Metavariable::parse(span.slice(text)) {
                    Some(metavariable) => builder.close_as(metavariable, at + word),
                    None => {
                        builder.token(span, span, Letters::Exact);
                        builder.close(at + word);
                    }
                }
                at += word;
            }
        }
    }
    builder.finish()
}

fn read(pattern: &str) -> Result<Pattern> {
    let mut metavariables = Metavariables::default();
    let text = metavariables.encode(pattern)?;
    let tree = tree(&text);
    let roots = tree.children(0).collect();
    Pattern::new(vec![Reading::new(&tree, roots, false)], metavariables)
}

#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    let read = read(pattern).expect("a pattern");
    let found = find(&read, &tree(text)).expect("within the step limit");
    let shown = |found: &StructureMatch| {
        let captures = found.captures.iter().map(|capture| format!(" {}={}", capture.name, capture.span.slice(text)));
        let unmatched = found.unmatched.iter().map(|part| format!(" -{}", part.slice(text)));
        format!("{}{}{}", found.span.slice(text), captures.collect::<String>(), unmatched.collect::<String>())
    };
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected, "`{pattern}` in `{text}`");
}

#[test]
fn metavariables_match_one_or_many() {
    check("(f $A)", "(f 1) (f (g 2)) (f) (f 1 2)", &["(f 1) A=1", "(f (g 2)) A=(g 2)"]);
    check("(f $$$A)", "(f) (f 1 2)", &["(f) A=", "(f 1 2) A=1 2"]);
    check("(f $$$A z)", "(f z) (f 1 2 z) (f z 1)", &["(f z) A=", "(f 1 2 z) A=1 2"]);
    check("(f $_ $A)", "(f 1 2)", &["(f 1 2) A=2"]);
    check("($F 1)", "(f (f 1))", &["(f 1) F=f"]);
}

#[test]
fn repeated_metavariable_matches_same_code() {
    check("(f $A $A)", "(f 1 1) (f 1 2) (f (g 1) (g  1))", &["(f 1 1) A=1", "(f (g 1) (g  1)) A=(g 1)"]);
    check("(f $A \"$A\")", "(f a \"a\") (f a \"b\")", &["(f a \"a\") A=a"]);
}

#[test]
fn metavariables_match_inside_words() {
    check("(btn-$A)", "(btn-a) (btn-) (btn-a-b) (x)", &["(btn-a) A=a", "(btn-a-b) A=a-b"]);
    check("($A-end)", "(a-b-end) (end)", &["(a-b-end) A=a-b"]);
    check("(f \"$A/$B\")", "(f \"a/b/c\") (f \"a\")", &["(f \"a/b/c\") A=a B=b/c"]);
    check("(f \"$A\")", "(f \"x y\") (f \"\") (f x)", &["(f \"x y\") A=x y", "(f \"\") A="]);
}

#[test]
fn comments_in_code_need_no_pattern() {
    check("(f 1)", "(f ; 1 ;)", &["(f ; 1 ;) -; -;"]);
    check("(f $$$A)", "(f 1 ; 2 ;)", &["(f 1 ; 2 ;) A=1 ; 2 ;"]);
    check("(f $A)", "(f ; 1)", &["(f ; 1) A=1 -;"]);
}

#[test]
fn pattern_matches_consecutive_nodes() {
    check("(a) $$$B (c)", "(x) (a) (b) (b) (c) (c)", &["(a) (b) (b) (c) B=(b) (b)"]);
    check("(a $X) (b $X)", "(a 1) (b 2) (a 3) ; (b 3)", &["(a 3) ; (b 3) X=3 -;"]);
}

#[test]
fn pattern_words_occur_in_every_match() {
    assert_eq!(read("(foo $A bar-$B \"the end$C\")").expect("a pattern").help().words, ["bar", "foo", "the"]);
    assert_eq!(read("(foo $A $B)").expect("a pattern").help().captures, ["A", "B"]);
}

#[test]
fn invalid_patterns_are_reported() {
    assert!(read("$A").expect_err("the pattern is only a metavariable").message.contains("only metavariables"));
    assert!(read("a\u{effff}").is_err());
}

#[test]
fn plain_dollar_signs_are_kept() {
    let mut metavariables = Metavariables::default();
    let text = metavariables.encode("$a $5 $$ $Ab $$NAME $A-b $$$ $$$x").expect("an encoded pattern");
    assert_eq!(metavariables.decode(&text), "$a $5 $$ $Ab $$NAME $A-b $$$ $$$x");
    assert_eq!(chunks(&text).iter().filter(|chunk| chunk.is_metavariable()).count(), 3);
}

#[test]
fn ambiguous_pattern_hits_the_step_limit() {
    let pattern = read("(f $$$A 1 $$$B 2 $$$C 3 $$$D 4 $$$E 5 $$$F 6)").expect("a pattern");
    let text = format!("(f {})", (0..400).map(|n| (n % 6).to_string()).collect::<Vec<_>>().join(" "));
    assert!(find(&pattern, &tree(&text)).is_err(), "the step limit is not enforced");
}
