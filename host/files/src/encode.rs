//! Applies edits to bytes. Bytes outside the edits are unchanged, in every encoding.

use encoding_rs::{DecoderResult, Encoding};
use marquetry_model::{Edit, EditSet, Error, Kind, Result};

use crate::decode::{Charset, Decoded, decode, xml_declared_encoding};

/// Returns the bytes of a file after edits of its text.
pub(crate) fn splice(path: &str, bytes: &[u8], edits: &EditSet) -> Result<Vec<u8>> {
    let Decoded { text, charset, bom_len: mark } = decode(path, bytes)?;
    if edits.as_slice().iter().any(|edit| !edit.span.is_valid_in(&text)) {
        return Err(Error::argument(format!("an edit is outside the text of `{path}`")));
    }
    let changed = if mark == 0 { re_declared(&text, edits, charset) } else { None };
    match (charset, changed) {
        (_, Some((text, charset))) => encode(path, &text, charset),
        (Charset::Utf8, None) => splice_at(path, bytes, edits, charset, |offset| Ok(offset + mark)),
        (_, None) => {
            let places = byte_offsets(path, &bytes[mark..], &text, charset, edits)?;
            let at = |offset: usize| Ok(places[places.partition_point(|(known, _)| *known < offset)].1 + mark);
            let result = splice_at(path, bytes, edits, charset, at)?;
            verified(path, result, &edits.apply(&text))
        }
    }
}

/// Returns the whole text after edits that make the file declare another encoding.
fn re_declared(text: &str, edits: &EditSet, charset: Charset) -> Option<(String, Charset)> {
    let touches_start = edits.as_slice().first().is_some_and(|edit| edit.span.start < 512);
    if !touches_start || matches!(charset, Charset::Utf16Le | Charset::Utf16Be) {
        return None;
    }
    let after = edits.apply(text);
    let (old, new) =
        (xml_declared_encoding(text.as_bytes()), xml_declared_encoding(after.as_bytes()).unwrap_or(Charset::Utf8));
    (old.unwrap_or(Charset::Utf8) != new).then_some((after, new))
}

fn splice_at(
    path: &str,
    bytes: &[u8],
    edits: &EditSet,
    charset: Charset,
    at: impl Fn(usize) -> Result<usize>,
) -> Result<Vec<u8>> {
    let grown: usize = edits.as_slice().iter().map(|edit| edit.text.len()).sum();
    let mut result = Vec::with_capacity(bytes.len() + grown);
    let mut done = 0;
    for Edit { span, text } in edits.as_slice() {
        result.extend_from_slice(&bytes[done..at(span.start)?]);
        result.extend_from_slice(&encode(path, text, charset)?);
        done = at(span.end)?;
    }
    result.extend_from_slice(&bytes[done..]);
    Ok(result)
}

/// Returns the byte offsets of the starts and the ends of the edits, as sorted pairs of text offset and byte offset.
fn byte_offsets(
    path: &str,
    bytes: &[u8],
    text: &str,
    charset: Charset,
    edits: &EditSet,
) -> Result<Vec<(usize, usize)>> {
    let mut wanted: Vec<usize> = edits.as_slice().iter().flat_map(|edit| [edit.span.start, edit.span.end]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let width = |piece: &str| match charset {
        Charset::Utf16Le | Charset::Utf16Be => piece.chars().map(char::len_utf16).sum::<usize>() * 2,
        Charset::Latin1 => piece.chars().count(),
        _ => piece.len(),
    };
    if let Charset::Legacy(encoding) = charset {
        return legacy_byte_offsets(path, bytes, encoding, &wanted);
    }
    let (mut from, mut at) = (0, 0);
    let place = |offset: usize| {
        at += width(&text[from..offset]);
        from = offset;
        (offset, at)
    };
    Ok(wanted.into_iter().map(place).collect())
}

/// Decodes byte by byte and records where the wanted text offsets are reached.
fn legacy_byte_offsets(
    path: &str,
    bytes: &[u8],
    encoding: &'static Encoding,
    wanted: &[usize],
) -> Result<Vec<(usize, usize)>> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut places = Vec::with_capacity(wanted.len());
    let mut wanted = wanted.iter().copied().peekable();
    let mut buffer = [0_u8; 32];
    let mut length = 0;
    if wanted.next_if_eq(&0).is_some() {
        places.push((0, 0));
    }
    for (index, byte) in bytes.iter().enumerate() {
        let last = index + 1 == bytes.len();
        let (result, _, written) = decoder.decode_to_utf8_without_replacement(&[*byte], &mut buffer, last);
        if !matches!(result, DecoderResult::InputEmpty) {
            return Err(position_error(path, encoding));
        }
        length += written;
        if written > 0 && wanted.next_if_eq(&length).is_some() {
            places.push((length, index + 1));
        }
    }
    if wanted.peek().is_some() { Err(position_error(path, encoding)) } else { Ok(places) }
}

fn position_error(path: &str, encoding: &'static Encoding) -> Error {
    Error::new(
        Kind::Unsupported,
        format!("`{path}` cannot be edited at this position: its encoding is {}", encoding.name()),
    )
    .hint("convert it to UTF-8 first")
}

/// Returns the bytes if they decode to the expected text.
fn verified(path: &str, bytes: Vec<u8>, expected: &str) -> Result<Vec<u8>> {
    let read = decode(path, &bytes).ok().is_some_and(|decoded| decoded.text == expected);
    if read {
        return Ok(bytes);
    }
    Err(Error::new(
        Kind::Unsupported,
        format!("the encoding of `{path}` does not allow this edit without changing other bytes"),
    )
    .hint("convert it to UTF-8 first"))
}

/// Encodes the text. Fails if the encoding lacks a character.
fn encode(path: &str, text: &str, charset: Charset) -> Result<Vec<u8>> {
    let cannot = |character: char| {
        let name = charset.name();
        Error::argument(format!("`{character}` cannot be written in {name}, the encoding of `{path}`"))
            .hint("write it as an escape of the format, or convert the file to UTF-8")
    };
    let below = |limit: u32| match text.chars().find(|character| u32::from(*character) >= limit) {
        Some(character) => Err(cannot(character)),
        None => Ok(()),
    };
    Ok(match charset {
        Charset::Utf8 => text.as_bytes().to_vec(),
        Charset::Ascii => below(0x80).map(|()| text.as_bytes().to_vec())?,
        Charset::Latin1 => below(0x100).map(|()| encoding_rs::mem::encode_latin1_lossy(text).into_owned())?,
        Charset::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Charset::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Charset::Legacy(encoding) => {
            let (bytes, _, failed) = encoding.encode(text);
            if failed {
                let lost = |character: &char| encoding.encode(character.encode_utf8(&mut [0; 4])).2;
                return Err(cannot(text.chars().find(lost).unwrap_or('\u{FFFD}')));
            }
            bytes.into_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use marquetry_model::Span;

    use super::*;

    /// Replaces `old` in the decoded text by `new`.
    fn edited(bytes: &[u8], old: &str, new: &str) -> std::result::Result<Vec<u8>, Kind> {
        let text = decode("f", bytes).expect("text").text;
        let start = text.rfind(old).expect("the text contains `old`");
        let edit = Edit { span: Span::new(start, start + old.len()), text: new.to_owned() };
        let edits = EditSet::new(&text, vec![edit]).expect("valid");
        splice("f", bytes, &edits).map_err(|error| error.kind())
    }

    #[test]
    fn edited_utf8_keeps_its_byte_order_mark() {
        assert_eq!(edited(b"\xEF\xBB\xBFab", "b", "é"), Ok("\u{FEFF}aé".as_bytes().to_vec()));
        assert_eq!(edited(b"ab\0", "b", ""), Ok(b"a\0".to_vec()));
    }

    #[test]
    fn edited_utf16_stays_utf16() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        assert_eq!(edited(&utf16("\u{FEFF}😀ab"), "a", "é😀"), Ok(utf16("\u{FEFF}😀é😀b")));
        assert_eq!(edited(&utf16("<?xml?>ab"), "a", "c"), Ok(utf16("<?xml?>cb")));
    }

    #[test]
    fn edit_is_written_in_declared_encoding() {
        let doc = |tail: &[u8]| [&b"<?xml version='1.0' encoding='windows-1251'?>"[..], tail].concat();
        assert_eq!(edited(&doc(b"\xCF\xF0 x"), "x", "Пр"), Ok(doc(b"\xCF\xF0 \xCF\xF0")));
        assert_eq!(edited(&doc(b"\xCF\xF0 x"), "x", "漢"), Err(Kind::InvalidArgument));
        let japanese = |tail: &[u8]| [&b"<?xml version='1.0' encoding='Shift_JIS'?>"[..], tail].concat();
        assert_eq!(edited(&japanese(b"\x93\xFA\x96\x7Bx"), "本", "日"), Ok(japanese(b"\x93\xFA\x93\xFAx")));
        let ascii = |tail: &[u8]| [&b"<?xml version='1.0' encoding='ASCII'?>"[..], tail].concat();
        assert_eq!(edited(&ascii(b"x"), "x", "é"), Err(Kind::InvalidArgument));
        assert_eq!(edited(b"<meta charset=latin1>\xE9x", "x", "ü"), Ok(b"<meta charset=latin1>\xE9\xFC".to_vec()));
    }

    #[test]
    fn edit_of_declared_encoding_re_encodes_the_file() {
        let old = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>";
        let new = "<?xml version='1.0' encoding='UTF-8'?><a>é</a>";
        assert_eq!(edited(old, "ISO-8859-1", "UTF-8"), Ok(new.as_bytes().to_vec()));
        assert_eq!(edited(new.as_bytes(), "UTF-8", "ISO-8859-1"), Ok(old.to_vec()));
    }

    #[test]
    fn edit_that_changes_other_bytes_is_refused() {
        // In a stateful encoding, the escape sequences around an edit cannot be split.
        let doc = b"<?xml version='1.0' encoding='ISO-2022-JP'?>\x1B$B\x46\x7C\x4B\x5C\x1B(Bx";
        assert_eq!(edited(doc, "x", "y"), Err(Kind::Unsupported));
        assert_eq!(edited(doc, "本", "y"), Err(Kind::Unsupported));
        assert_eq!(edited(doc, "'1.0'", "'1.1'").map(|bytes| bytes.len()), Ok(doc.len()));
    }
}
