//! Decodes the bytes of a file: detects its encoding and rejects binary files.

use std::borrow::Cow;

use encoding_rs::Encoding;
use marquetry_model::{Error, Kind, Result};

/// Encoding of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    /// Declared as ASCII: read as UTF-8, but only ASCII may be written.
    Ascii,
    /// ISO-8859-1 as used outside of browsers: each byte is a character.
    Latin1,
    Utf16Le,
    Utf16Be,
    Legacy(&'static Encoding),
}

impl Charset {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Charset::Utf8 => "UTF-8",
            Charset::Ascii => "US-ASCII",
            Charset::Latin1 => "ISO-8859-1",
            Charset::Utf16Le | Charset::Utf16Be => "UTF-16",
            Charset::Legacy(encoding) => encoding.name(),
        }
    }

    /// Returns the encoding with this label, if this host can write it.
    fn from_label(label: &str) -> Option<Charset> {
        match label.to_ascii_lowercase().as_str() {
            "us-ascii" | "ascii" | "ansi_x3.4-1968" => return Some(Charset::Ascii),
            "iso-8859-1" | "iso8859-1" | "iso_8859-1" | "latin1" | "latin-1" | "l1" => {
                return Some(Charset::Latin1);
            }
            _ => {}
        }
        let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
        // The label was read as ASCII, so the file is not in UTF-16, even if the label says so.
        let readable =
            encoding == encoding_rs::UTF_8 || encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE;
        Some(if readable { Charset::Utf8 } else { Charset::Legacy(encoding) })
    }
}

/// The text of a file and its encoding.
#[derive(Debug)]
pub(crate) struct Decoded<'b> {
    pub(crate) text: Cow<'b, str>,
    pub(crate) charset: Charset,
    /// Length of the byte order mark, which is not part of the text.
    pub(crate) bom_len: usize,
}

/// Decodes a file. Fails if it is not text; the error says what the file is instead.
pub(crate) fn decode<'b>(path: &str, bytes: &'b [u8]) -> Result<Decoded<'b>> {
    let (charset, mark) = detect_encoding(path, bytes)?;
    let text = match charset {
        Charset::Utf8 | Charset::Ascii => return decode_utf8(path, bytes, charset, mark),
        Charset::Latin1 => encoding_rs::mem::decode_latin1(bytes),
        Charset::Utf16Le | Charset::Utf16Be => decode_utf16(path, &bytes[mark..], charset)?.into(),
        Charset::Legacy(encoding) => decode_legacy(path, bytes, encoding)?,
    };
    Ok(Decoded { text, charset, bom_len: mark })
}

/// Returns whether a file with this beginning is certainly binary, so that [`decode`] would reject the whole file.
pub(crate) fn is_certainly_binary(beginning: &[u8]) -> bool {
    match detect_encoding("", beginning) {
        Err(_) => true,
        Ok((Charset::Utf8 | Charset::Ascii, _)) => memchr::memchr(0, beginning)
            .is_some_and(|zero| zero + EXAMINED_BYTES <= beginning.len() && looks_binary(beginning, zero)),
        Ok(_) => false,
    }
}

/// Detects the encoding by byte order mark or declaration.
fn detect_encoding(path: &str, bytes: &[u8]) -> Result<(Charset, usize)> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => return Ok((Charset::Utf8, 3)),
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => {
            return Err(Error::new(Kind::Unsupported, format!("`{path}` is UTF-32 text")).hint("convert it to UTF-8"));
        }
        [0xFF, 0xFE, ..] => return Ok((Charset::Utf16Le, 2)),
        [0xFE, 0xFF, ..] => return Ok((Charset::Utf16Be, 2)),
        // The file starts with `<?` in UTF-16, which begins an XML declaration.
        [b'<', 0, b'?', 0, ..] => return Ok((Charset::Utf16Le, 0)),
        [0, b'<', 0, b'?', ..] => return Ok((Charset::Utf16Be, 0)),
        _ => {}
    }
    if let Some(kind) = binary_file_type(bytes) {
        return Err(binary_file_error(path, kind));
    }
    Ok((xml_declared_encoding(bytes).unwrap_or(Charset::Utf8), 0))
}

/// Returns the encoding named by an XML declaration at the very start.
pub(crate) fn xml_declared_encoding(bytes: &[u8]) -> Option<Charset> {
    let head = &bytes[..bytes.len().min(512)];
    let head = head.strip_prefix(b"<?xml")?;
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    label_after(&head[..end], b"encoding")
}

/// Returns the encoding declared near the top in the syntax of some format: `charset=…`, `@charset "…"`, `coding: …`.
fn mentioned_encoding(bytes: &[u8]) -> Option<Charset> {
    let head = &bytes[..bytes.len().min(1024)];
    [&b"charset"[..], b"encoding", b"coding"].iter().find_map(|word| label_after(head, word))
}

/// Returns the label after `word`, an equals sign or colon, and quotes.
fn label_after(head: &[u8], word: &[u8]) -> Option<Charset> {
    let at = head.windows(word.len()).position(|window| window.eq_ignore_ascii_case(word))? + word.len();
    let skip = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r' | b'\n' | b'=' | b':' | b'"' | b'\'');
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-' | b'_' | b'.' | b':');
    let start = at + head[at..].iter().take_while(skip).count();
    let length = head[start..].iter().take_while(part).count();
    Charset::from_label(std::str::from_utf8(&head[start..start + length]).ok()?)
}

fn decode_utf8<'b>(path: &str, bytes: &'b [u8], charset: Charset, mark: usize) -> Result<Decoded<'b>> {
    if let Some(zero) = memchr::memchr(0, bytes)
        && looks_binary(bytes, zero)
    {
        return Err(binary_file_error(path, "binary data"));
    }
    let error = match std::str::from_utf8(&bytes[mark..]) {
        Ok(text) => return Ok(Decoded { text: text.into(), charset, bom_len: mark }),
        Err(error) => error,
    };
    if memchr::memchr(0, bytes).is_some() {
        return Err(binary_file_error(path, "binary data"));
    }
    let mentioned = mentioned_encoding(bytes).filter(|_| mark == 0);
    let text = match mentioned {
        Some(Charset::Legacy(encoding)) => decode_legacy(path, bytes, encoding)?,
        Some(Charset::Latin1) => encoding_rs::mem::decode_latin1(bytes),
        _ => return Err(invalid_text_error(path, "UTF-8", mark + error.valid_up_to())),
    };
    Ok(Decoded { text, charset: mentioned.unwrap_or(charset), bom_len: mark })
}

/// Number of bytes after the first zero byte that are examined.
const EXAMINED_BYTES: usize = 8192;

/// Returns whether a file with a zero byte at `zero` is binary. Zero bytes are legal in text, though unusual. A file is
/// binary if more than an eighth of its first part are control characters, and these are at least eight or not only
/// zero bytes.
fn looks_binary(bytes: &[u8], zero: usize) -> bool {
    let part = &bytes[..bytes.len().min(zero + EXAMINED_BYTES)];
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    let controls = part.iter().filter(is_control).count();
    let has_others = part.iter().filter(is_control).any(|byte| *byte != 0);
    (controls >= 8 || has_others) && controls * 8 > part.len()
}

fn decode_utf16(path: &str, bytes: &[u8], charset: Charset) -> Result<String> {
    let unit = |pair: &[u8; 2]| {
        if charset == Charset::Utf16Le { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) }
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut read = 0;
    for character in char::decode_utf16(pairs.iter().map(unit)) {
        let character = character.map_err(|_| invalid_text_error(path, "UTF-16", read * 2))?;
        read += character.len_utf16();
        text.push(character);
    }
    if rest.is_empty() { Ok(text) } else { Err(invalid_text_error(path, "UTF-16", bytes.len() - 1)) }
}

fn decode_legacy<'b>(path: &str, bytes: &'b [u8], encoding: &'static Encoding) -> Result<Cow<'b, str>> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
    text.ok_or_else(|| {
        Error::new(Kind::Unsupported, format!("`{path}` is not valid in its declared encoding {}", encoding.name()))
            .hint("correct the declared encoding, or convert the file to UTF-8")
    })
}

fn invalid_text_error(path: &str, charset: &str, at: usize) -> Error {
    Error::new(Kind::Unsupported, format!("`{path}` is not {charset} text: the byte at {at} is not valid"))
        .hint("convert it to UTF-8; as it is, it can only be moved, copied and deleted")
}

fn binary_file_error(path: &str, kind: &str) -> Error {
    Error::new(Kind::Unsupported, format!("`{path}` is not text but {kind}"))
        .hint("binary files can only be moved, copied and deleted")
}

/// Returns the file type by its first bytes, if it is certainly not text.
fn binary_file_type(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 29] = [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xFF\xD8\xFF", "a JPEG image"),
        (b"%PDF-", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive, or a document in that format"),
        (b"PK\x05\x06", "a ZIP archive"),
        (b"\x1F\x8B", "gzip data"),
        (b"\x28\xB5\x2F\xFD", "zstd data"),
        (b"\xFD7zXZ\0", "xz data"),
        (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
        (b"Rar!\x1A\x07", "a RAR archive"),
        (b"\x7FELF", "an ELF program or library"),
        (b"\0asm", "a WebAssembly module"),
        (b"\xCA\xFE\xBA\xBE", "a Java class or a Mach-O program"),
        (b"\xCE\xFA\xED\xFE", "a Mach-O program"),
        (b"\xCF\xFA\xED\xFE", "a Mach-O program"),
        (b"MZ\x90\0", "a Windows program"),
        (b"\0\0\x01\0", "an icon"),
        (b"wOFF\0", "a font"),
        (b"wOF2\0", "a font"),
        (b"\0\x01\0\0", "a font"),
        (b"OTTO\0", "a font"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"OggS\0", "Ogg media"),
        (b"fLaC\0", "FLAC audio"),
        (b"ID3\x03", "MP3 audio"),
        (b"ID3\x04", "MP3 audio"),
        (b"II*\0", "a TIFF image"),
        (b"MM\0*", "a TIFF image"),
        (b"!<arch>\n", "an archive of object files"),
    ];
    if let Some((_, kind)) = KINDS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Some(kind);
    }
    let at = |from: usize, text: &[u8]| bytes.get(from..).is_some_and(|rest| rest.starts_with(text));
    if (at(0, b"GIF87a") || at(0, b"GIF89a")) && bytes.len() > 10 {
        return Some("a GIF image");
    }
    if at(0, b"RIFF") && at(8, b"WEBP") {
        return Some("a WebP image");
    }
    if at(0, b"\0\0\0") && at(4, b"ftyp") {
        return Some("MPEG-4 media");
    }
    (at(257, b"ustar")).then_some("a tar archive")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> std::result::Result<(String, Charset), Kind> {
        decode("f", bytes).map(|decoded| (decoded.text.into_owned(), decoded.charset)).map_err(|error| error.kind())
    }

    #[test]
    fn byte_order_mark_selects_encoding_and_is_stripped() {
        assert_eq!(text(b"\xEF\xBB\xBFa"), Ok(("a".to_owned(), Charset::Utf8)));
        assert_eq!(text(b"\xFF\xFEa\0\x3D\xD8\x00\xDE"), Ok(("a😀".to_owned(), Charset::Utf16Le)));
        assert_eq!(text(b"\xFE\xFF\0a\xD8\x3D\xDE\x00"), Ok(("a😀".to_owned(), Charset::Utf16Be)));
        assert_eq!(text(b""), Ok((String::new(), Charset::Utf8)));
    }

    #[test]
    fn xml_declaration_selects_encoding() {
        let with =
            |label: &str, tail: &[u8]| [format!("<?xml version='1.0' encoding='{label}'?>").as_bytes(), tail].concat();
        let (read, charset) = text(&with("Windows-1251", b"\xCF\xF0")).expect("text");
        assert!(read.ends_with("Пр"));
        assert_eq!(charset.name(), "windows-1251");
        let (read, charset) = text(&with("ISO-8859-1", b"\xE9\x80")).expect("text");
        assert!(read.ends_with("é\u{80}"));
        assert_eq!(charset, Charset::Latin1);
        assert_eq!(text(&with("US-ASCII", b"")).expect("text").1, Charset::Ascii);
        assert_eq!(text(&with("no/such", "é".as_bytes())).expect("text").1, Charset::Utf8);
        assert_eq!(text(&with("UTF-16", b"x")).expect("text").1, Charset::Utf8);
        assert_eq!(text(b"<\0?\0x\0m\0l\0?\0>\0").expect("text").0, "<?xml?>");
    }

    #[test]
    fn encoding_declared_in_html_or_css_is_detected() {
        assert!(text(b"<meta charset=\"windows-1252\"><p>\x80").expect("text").0.ends_with('€'));
        assert!(text(b"@charset \"iso-8859-15\";\n/* \xA4 */").expect("text").0.contains('€'));
        assert!(text(b"# -*- coding: latin-1 -*-\n# \xE9\n").expect("text").0.contains('é'));
        assert_eq!(text(b"charset of \xE9").map(|_| ()), Err(Kind::Unsupported));
    }

    #[test]
    fn binary_file_types_are_named_in_errors() {
        let refusal = |bytes: &[u8]| decode("f", bytes).expect_err("refused").content().message.clone();
        assert!(refusal(b"\x89PNG\r\n\x1a\nxx").contains("a PNG image"));
        assert!(refusal(b"\0asm\x01\0\0\0").contains("a WebAssembly module"));
        assert!(refusal(&[0; 64]).contains("binary data"));
        assert!(refusal(b"a\0\xFFb").contains("binary data"));
        assert!(refusal(b"ab\xFFb").contains("the byte at 2 is not valid"));
        assert!(refusal(b"\xFF\xFEa\0\x00\xD8").contains("not UTF-16 text"));
        assert!(refusal(b"\xFF\xFE\0\0").contains("UTF-32"));
    }

    #[test]
    fn beginning_of_file_can_prove_it_binary() {
        let long = |start: &[u8], byte: u8, length: usize| [start, vec![byte; length].as_slice()].concat();
        for (beginning, enough) in [
            (long(b"\x89PNG\r\n\x1a\n", b'a', 99), true),
            (long(b"", 0, 9000), true),
            (long(b"text ", b'a', 9000), false),
            (long(b"\0", b'a', 9000), false),
            // The rest of the file may be text, with few zero bytes.
            (long(b"", 0, 4000), false),
            (long(b"\xFF\xFEa", 0, 9000), false),
            (long(b"\xFF\xFE\0\0", b'a', 9000), true),
        ] {
            assert_eq!(is_certainly_binary(&beginning), enough, "{:?}", &beginning[..9]);
            let whole = long(&beginning, b'a', 20_000);
            let message =
                |bytes: &[u8]| decode("f", bytes).map(|_| ()).map_err(|error| error.content().message.clone());
            assert!(!enough || message(&beginning) == message(&whole) && message(&whole).is_err());
        }
    }

    #[test]
    fn zero_bytes_with_other_control_characters_are_binary() {
        assert!(text(b"abc\0\x01\x02def\n").is_err());
        assert!(text(b"\x01\0").is_err());
        assert!(text(b"\0\x7F a").is_err());
        assert!(text(b"\0\0 only zero bytes").is_ok());
        assert!(text(b"\x01\x02 without a zero byte").is_ok());
        assert!(text(b"\0 and one \x01 in a text of many characters").is_ok());
    }

    #[test]
    fn single_zero_byte_is_not_binary() {
        assert_eq!(text(b"123\0"), Ok(("123\0".to_owned(), Charset::Utf8)));
        assert_eq!(text(b"[\0]\n"), Ok(("[\0]\n".to_owned(), Charset::Utf8)));
    }
}
