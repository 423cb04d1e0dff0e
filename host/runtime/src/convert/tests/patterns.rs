//! Structural search patterns.

use super::*;

fn found(start: u32, end: u32) -> wit::StructureMatch {
    wit::StructureMatch { span: span(start, end), captures: Vec::new(), unmatched: Vec::new() }
}

fn looked_like(matches: Vec<wit::StructureMatch>, total: u32) -> wit::StructureMatches {
    wit::StructureMatches { matches, total }
}

#[test]
fn structural_matches_are_validated() {
    let capture = |name: &str, start, end| wit::Capture { name: name.to_owned(), span: span(start, end) };
    let whole = wit::StructureMatch {
        captures: vec![capture("A_1", 1, 3), capture("B", 7, 7)],
        unmatched: vec![span(3, 4)],
        ..found(0, 7)
    };
    let raw = looked_like(vec![whole, found(0, 1), found(4, 7)], 3);
    let known = checked().structure_matches(raw, 5).expect("sorted, in the text");
    assert_eq!(known.matches[0].captures, [("A_1".to_owned(), Span::new(1, 3)), ("B".to_owned(), Span::new(7, 7))]);
    assert_eq!((known.matches.len(), known.total), (3, 3));
    let with = |captures| wit::StructureMatch { captures, ..found(1, 4) };
    for (raw, why) in [
        (looked_like(vec![found(0, 8)], 1), "an invalid range 0..8 (match): it is beyond the end of the document"),
        (looked_like(vec![found(0, 1); 6], 6), "6 matches of 6 where at most 5 were requested"),
        (looked_like(vec![found(0, 1)], 2), "1 matches of 2 where at most 5 were requested"),
        (looked_like(vec![found(3, 4), found(0, 1)], 2), "matches that are not sorted"),
        (looked_like(vec![found(0, 1), found(0, 3)], 2), "matches that are not sorted"),
        (looked_like(vec![with(vec![capture("A", 0, 3)])], 1), "a capture that is outside its match"),
        (looked_like(vec![with(vec![capture("a b", 1, 3)])], 1), "a metavariable `a b`"),
        (looked_like(vec![with(vec![capture("A", 1, 3); 65])], 1), "a match with 65 captures"),
        (
            looked_like(vec![wit::StructureMatch { unmatched: vec![span(0, 1)], ..found(1, 4) }], 1),
            "a part that is outside its match",
        ),
    ] {
        assert_eq!(refused(checked().structure_matches(raw, 5)), why);
    }
}

#[test]
fn pattern_information_is_validated() {
    let help = |words: &[&str], captures: &[&str]| wit::PatternInfo {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        captures: captures.iter().map(|name| (*name).to_owned()).collect(),
    };
    checked().pattern_info(help(&["bcd", "aé"], &["A"])).expect("words of the pattern");
    assert_eq!(refused(checked().pattern_info(help(&["x"], &[]))), "the word `x`, which is not in the pattern");
    assert_eq!(refused(checked().pattern_info(help(&[""], &[]))), "the word ``, which is not in the pattern");
    assert_eq!(refused(checked().pattern_info(help(&[], &["$A"]))), "a metavariable `$A`");
    assert_eq!(refused(checked().pattern_info(help(&[], &["A"; 65]))), "0 words and 65 metavariables in one pattern");
}
