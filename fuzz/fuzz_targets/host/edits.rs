//! Sets of edits: applied, undone, applied one after the other and composed.
#![no_main]

use marquetry_model::{Edit, EditSet, Span, text::LineBreak};

type Cut = (u16, u16, String);

fn set(text: &str, cuts: Vec<Cut>) -> Option<EditSet> {
    let edit = |(start, length, new): Cut| {
        let start = usize::from(start) % (text.len() + 1);
        Edit { span: Span::new(start, start + usize::from(length) % (text.len() - start + 1)), text: new }
    };
    EditSet::new(text, cuts.into_iter().map(edit).collect()).ok()
}

libfuzzer_sys::fuzz_target!(|input: (String, Vec<Cut>, Vec<Cut>)| {
    let (text, first, second) = input;
    let Some(first) = set(&text, first) else { return };
    let between = first.apply(&text);
    assert_eq!(first.invert(&text).apply(&between), text, "undone");
    let replaced: usize = first.as_slice().iter().map(|edit| edit.span.len()).sum();
    let new: usize = first.as_slice().iter().map(|edit| edit.text.len()).sum();
    assert_eq!(between.len(), text.len() - replaced + new);
    for (edit, after) in first.as_slice().iter().zip(first.spans_after()) {
        assert_eq!(after.slice(&between), edit.text);
    }
    for line_break in [LineBreak::Lf, LineBreak::CrLf] {
        let normalized = first.clone().normalized(&text, line_break);
        let after = normalized.apply(&text);
        assert_eq!(normalized.invert(&text).apply(&after), text);
    }
    let Some(second) = set(&between, second) else { return };
    let both = first.compose(&text, &second);
    assert_eq!(both.apply(&text), second.apply(&between), "one after the other");
    let checked = EditSet::new(&text, both.as_slice().to_vec()).expect("sorted, in bounds, without overlap");
    assert_eq!(checked.apply(&text), both.apply(&text));
});
