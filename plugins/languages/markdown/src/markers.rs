//! Matches opening and closing HTML tags, markers in comments (`<!-- toc -->` … `<!-- tocstop -->`), and lines that open
//! and close a block in some dialect (`:::note` … `:::`, `{% tip %}` … `{% endtip %}`, `{{< tip >}}` … `{{< /tip >}}`).
//! The input is pieces of text. This module does not depend on blocks.

use crate::tag;

/// Maximum number of unmatched openings that are kept. The oldest ones are dropped.
const MAX_OPEN: usize = 256;
/// Elements without a closing tag.
const VOID_ELEMENTS: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// Elements whose content is not HTML.
const RAW_TEXT_ELEMENTS: [&str; 4] = ["script", "style", "textarea", "title"];
/// Maximum number of words in a comment that is a marker.
const MAX_WORDS: usize = 32;
const START_WORDS: [&str; 5] = ["start", "begin", "open", "disable", "off"];
const END_WORDS: [&str; 6] = ["end", "stop", "close", "enable", "restore", "on"];

/// The offsets of an opening and of its closing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) open: u32,
    pub(crate) close: u32,
}

/// An opening tag or marker for which no closing has been found yet.
#[derive(Debug)]
struct Opening {
    at: usize,
    /// The name of a tag, the words of a comment, or the name in a line.
    words: Vec<String>,
    form: Form,
    /// True if the opening is a comment with a word such as `start`.
    is_marked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Tag,
    Comment,
    /// A line of colons, of this number.
    Colons(usize),
    /// A line with a tag of a template language.
    Template,
}

/// Matches pieces of text in document order.
#[derive(Debug, Default)]
pub(crate) struct Matcher {
    open: Vec<Opening>,
    pub(crate) pairs: Vec<Pair>,
}

impl Matcher {
    /// Reads a piece of HTML at this offset of the document.
    pub(crate) fn match_html(&mut self, html: &str, offset: usize) {
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'<', &html.as_bytes()[at..]) {
            let start = at + found;
            let rest = &html[start..];
            if rest.starts_with("<!--") {
                let end = rest.find("-->");
                self.comment(&rest[4..end.unwrap_or(rest.len()).max(4)], offset + start);
                at = start + end.map_or(rest.len(), |end| end + 3);
                continue;
            }
            let is_closing = rest.starts_with("</");
            if !rest[1 + usize::from(is_closing)..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                at = start + 1;
                continue;
            }
            let source = &rest[..tag_end(rest)];
            at = start + source.len();
            let name = tag::tag_name(source).to_ascii_lowercase();
            if is_closing {
                self.close_tag(&name, offset + start);
            } else if !tag::is_self_closing(source) && !VOID_ELEMENTS.contains(&name.as_str()) {
                if RAW_TEXT_ELEMENTS.contains(&name.as_str()) {
                    at += raw_text_end(&html[at..], &name);
                }
                self.push(Opening { at: offset + start, words: vec![name], form: Form::Tag, is_marked: false });
            }
        }
    }

    fn close_tag(&mut self, name: &str, at: usize) {
        let found = self.open.iter().rposition(|opening| opening.form == Form::Tag && opening.words[0] == name);
        let Some(found) = found else { return };
        self.pair(self.open[found].at, at);
        // When an element is closed, drop the unmatched tags in it. Comments are matched independently of elements.
        let mut index = 0;
        self.open.retain(|opening| {
            index += 1;
            index <= found || opening.form != Form::Tag
        });
    }

    /// Reads a paragraph at this offset of the document, whose lines may be markers.
    pub(crate) fn match_lines(&mut self, paragraph: &str, offset: usize) {
        let mut at = offset;
        for line in paragraph.split_inclusive('\n') {
            match LineMarker::parse(line.trim()) {
                Some(LineMarker::Open(form, name)) => {
                    self.push(Opening { at, words: vec![name.to_owned()], form, is_marked: true });
                }
                Some(LineMarker::CloseColons(count)) => {
                    self.close_line(at, |opening| matches!(opening.form, Form::Colons(open) if open <= count));
                }
                Some(LineMarker::CloseTemplate(name)) => {
                    self.close_line(at, |opening| opening.form == Form::Template && opening.words[0] == name);
                }
                None => {}
            }
            at += line.len();
        }
    }

    fn close_line(&mut self, at: usize, belongs: impl Fn(&Opening) -> bool) {
        if let Some(found) = self.open.iter().rposition(belongs) {
            let opening = self.open.remove(found);
            self.pair(opening.at, at);
        }
    }

    fn comment(&mut self, comment: &str, at: usize) {
        let marker = Marker::parse(comment);
        if marker.side != Side::End {
            let is_marked = marker.side == Side::Start;
            if is_marked || !marker.words.is_empty() {
                self.push(Opening { at, words: marker.words, form: Form::Comment, is_marked });
            }
            return;
        }
        let belongs = |opening: &Opening| {
            opening.form == Form::Comment
                && opening.words.starts_with(&marker.words)
                && (opening.is_marked || !marker.words.is_empty())
        };
        if let Some(found) = self.open.iter().rposition(belongs) {
            let opening = self.open.remove(found);
            self.pair(opening.at, at);
        }
    }

    fn pair(&mut self, open: usize, close: usize) {
        self.pairs.push(Pair { open: open as u32, close: close as u32 });
    }

    fn push(&mut self, opening: Opening) {
        if self.open.len() >= MAX_OPEN {
            self.open.remove(0);
        }
        self.open.push(opening);
    }
}

/// A line that opens or closes a block.
#[derive(Debug, PartialEq, Eq)]
enum LineMarker<'l> {
    Open(Form, &'l str),
    CloseColons(usize),
    CloseTemplate(&'l str),
}

impl LineMarker<'_> {
    fn parse(line: &str) -> Option<LineMarker<'_>> {
        let colons = line.len() - line.trim_start_matches(':').len();
        if colons >= 3 {
            return Some(match line[colons..].trim() {
                "" => LineMarker::CloseColons(colons),
                name => LineMarker::Open(Form::Colons(colons), name),
            });
        }
        let delimiters = [("{%", "%}"), ("{{<", ">}}"), ("{{%", "%}}")];
        let inside = delimiters.iter().find_map(|(open, close)| line.strip_prefix(open)?.strip_suffix(close))?;
        let inside = inside.trim_matches(['-', '+']).trim();
        // A complete element, such as `{{< figure / >}}`.
        if inside.ends_with('/') || inside.contains(['{', '}']) {
            return None;
        }
        let name = inside.split_whitespace().next()?;
        let closed = name.strip_prefix('/').or_else(|| name.strip_prefix("end"));
        Some(match closed.map(str::trim_start) {
            Some("") => LineMarker::CloseTemplate(inside.split_whitespace().nth(1)?),
            Some(closed) => LineMarker::CloseTemplate(closed),
            None => LineMarker::Open(Form::Template, name),
        })
    }
}

/// Returns whether a paragraph begins with a line that opens or closes a block.
pub(crate) fn begins_with_line_marker(paragraph: &str) -> bool {
    paragraph.lines().next().is_some_and(|line| LineMarker::parse(line.trim()).is_some())
}

/// Returns the end of a tag, after the first `>` that is not within quotes.
fn tag_end(html: &str) -> usize {
    let mut quote = None;
    for (at, byte) in html.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') if html[..at].ends_with('=') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    html.len()
}

/// Returns the length of the content of an element whose content is not HTML, up to its closing tag.
fn raw_text_end(html: &str, name: &str) -> usize {
    let closes = |at: &usize| html[*at..].get(2..2 + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name));
    html.match_indices("</").map(|(at, _)| at).find(closes).unwrap_or(html.len())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
    /// A comment without such a word. It is an opening only if a closing with the same words follows.
    Either,
}

/// A comment parsed as a marker.
#[derive(Debug)]
struct Marker {
    side: Side,
    /// The words of the comment, without the word that determines the side.
    words: Vec<String>,
}

impl Marker {
    fn parse(comment: &str) -> Marker {
        let comment = comment.trim().to_lowercase();
        let words = comment.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut words: Vec<String> = words.take(MAX_WORDS).map(str::to_owned).collect();
        let side_of = |word: &str| match word {
            word if START_WORDS.contains(&word) => Some(Side::Start),
            word if END_WORDS.contains(&word) => Some(Side::End),
            _ => None,
        };
        if comment.starts_with('/') {
            return Marker { side: Side::End, words };
        }
        if let Some((at, side)) = words.iter().enumerate().find_map(|(at, word)| Some((at, side_of(word)?))) {
            words.remove(at);
            return Marker { side, words };
        }
        let Some((side, word)) = words.first().and_then(|word| split_joined_word(word)) else {
            return Marker { side: Side::Either, words };
        };
        words[0] = word;
        Marker { side, words }
    }
}

/// Splits a word that contains its side, such as `tocstop`, `endregion` or `te`.
fn split_joined_word(word: &str) -> Option<(Side, String)> {
    let found = match word {
        // gh-md-toc uses the markers `ts` and `te`.
        "ts" => Some((Side::Start, "t")),
        "te" => Some((Side::End, "t")),
        _ => None,
    };
    let end = || word.strip_prefix("end").or(word.strip_suffix("stop")).or(word.strip_suffix("end"));
    let start = || word.strip_suffix("start").or(word.strip_suffix("begin"));
    let found =
        found.or_else(|| end().map(|word| (Side::End, word))).or_else(|| start().map(|word| (Side::Start, word)));
    found.filter(|(_, word)| !word.is_empty()).map(|(side, word)| (side, word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the texts between matching tags or markers. Each text starts at the opening and ends before the closing.
    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let mut matcher = Matcher::default();
        matcher.match_html(html, 0);
        let found: Vec<&str> =
            matcher.pairs.iter().map(|pair| &html[pair.open as usize..pair.close as usize]).collect();
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn matches_tags() {
        check("<div><br><P a='>'>x</p></div>", &["<P a='>'>x", "<div><br><P a='>'>x</p>"]);
        check("</b><td><i/></table>", &[]);
        check("<ul><li>a<li>b</ul>", &["<ul><li>a<li>b"]);
        check("<script>'<a>'</script>", &["<script>'<a>'"]);
        check("a < b <3 <!DOCTYPE html> <", &[]);
    }

    #[test]
    fn matches_lines_of_dialects() {
        let check = |text: &str, expected: &[&str]| {
            let mut matcher = Matcher::default();
            matcher.match_lines(text, 0);
            let found: Vec<&str> =
                matcher.pairs.iter().map(|pair| &text[pair.open as usize..pair.close as usize]).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(":::note\nx\n:::\n", &[":::note\nx\n"]);
        check("::: tip Title\nx\n:::", &["::: tip Title\nx\n"]);
        check("::::a\n:::b\n:::\n::::", &[":::b\n", "::::a\n:::b\n:::\n"]);
        check("{% tip %}\n{% endtip %}", &["{% tip %}\n"]);
        check("{%- if a -%}\n{% include b %}\n{%- endif -%}", &["{%- if a -%}\n{% include b %}\n"]);
        check("{% tabs %}\n{% /tabs %}", &["{% tabs %}\n"]);
        check("{{< tip \"a\" >}}\n{{< /tip >}}", &["{{< tip \"a\" >}}\n"]);
        check("{{% tip %}}\n{{% /tip %}}", &["{{% tip %}}\n"]);
        check("{{< figure src=a />}}\n{{< /tip >}}\n:::\n{% endif %}\n: a\n::: ", &[]);
    }

    #[test]
    fn matches_markers() {
        for (start, end) in [
            ("X:START", "X:END"),
            ("ALL-CONTRIBUTORS-LIST:START - Do not remove", "ALL-CONTRIBUTORS-LIST:END"),
            ("toc", "tocstop"),
            ("ts", "te"),
            ("#region Notes", "endregion"),
            ("region", "#endregion"),
            ("prettier-ignore-start", "prettier-ignore-end"),
            ("markdownlint-disable MD013", "markdownlint-enable MD013"),
            ("markdownlint-disable", "markdownlint-restore"),
            ("BEGIN_TF_DOCS", "END_TF_DOCS"),
            ("START doctoc generated TOC please keep comment", "END doctoc generated TOC please keep comment"),
            ("note", "/note"),
            ("readme: contributors -start", "readme: contributors -end"),
            ("start", "end"),
        ] {
            let opening = format!("<!-- {start} -->a");
            check(&format!("{opening}<!--{end}-->"), &[&opening]);
        }
        check("<!-- a --><!-- the end -->", &[]);
        check("<!-- A:START --><!-- B:END -->", &[]);
        check("<!--", &[]);
    }
}
