//! Values of the script in the styles of Vue: `color: v-bind(theme)`.

use std::ops::Range;

use super::patterns::trim;
use super::writer::Writer;

/// Function of styles whose argument is an expression.
const BINDING: &str = "v-bind(";

/// Writes the expressions in a style.
pub(super) fn write(writer: &mut Writer<'_>, style: Range<usize>) {
    let text = writer.source;
    let mut at = style.start;
    while let Some(found) = text[at..style.end].find(BINDING) {
        let start = at + found + BINDING.len();
        let Some(length) = closing_parenthesis(&text[start..style.end]) else { return };
        let mut value = trim(text, start..start + length);
        let inner = &text[value.clone()];
        if inner.len() > 1 && inner.starts_with(['"', '\'']) && inner.ends_with(['"', '\'']) {
            value = value.start + 1..value.end - 1;
        }
        writer.statement(value);
        at = start + length;
    }
}

/// Returns the offset of the parenthesis that closes the one before a text.
fn closing_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().enumerate().find_map(|(at, byte)| match byte {
        b'(' => {
            depth += 1;
            None
        }
        b')' if depth == 0 => Some(at),
        b')' => {
            depth -= 1;
            None
        }
        _ => None,
    })
}

/// Blanks out the lines of styles that start with a rule such as `@import`, whose paths are links.
pub(super) fn hide_rules(styles: &[Range<usize>], shown: &mut [u8]) {
    for style in styles {
        for line in shown[style.clone()].split_inclusive_mut(|byte| *byte == b'\n') {
            if line.trim_ascii_start().starts_with(b"@") {
                line.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
            }
        }
    }
}
