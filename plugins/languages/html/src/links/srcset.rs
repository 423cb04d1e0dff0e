//! Finds the URLs in attributes that also contain other text.

use std::ops::Range;

/// Returns the ranges of the URLs in a `srcset`. Its entries are separated by commas. Each entry is a URL with an
/// optional width or density.
pub(super) fn srcset_urls(raw: &str) -> Vec<Range<usize>> {
    let mut urls = Vec::new();
    let mut at = 0;
    loop {
        at += raw[at..].len() - raw[at..].trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',').len();
        if at == raw.len() {
            return urls;
        }
        let len = raw[at..].find(|c: char| c.is_ascii_whitespace()).unwrap_or(raw.len() - at);
        let url = raw[at..at + len].trim_end_matches(',');
        urls.push(at..at + url.len());
        let ended = url.len() < len;
        at += len;
        if !ended {
            // The width or density ends at the next comma outside parentheses.
            let mut depth = 0_u32;
            let end = raw[at..].find(|c| {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            });
            at = end.map_or(raw.len(), |end| at + end);
        }
    }
}

/// Returns the range of the URL in `<meta http-equiv=refresh content="5; url=next.html">`.
pub(super) fn refresh_url(raw: &str) -> Option<Range<usize>> {
    let after_time = raw.find([';', ','])? + 1;
    let mut at = after_time + (raw[after_time..].len() - raw[after_time..].trim_ascii_start().len());
    if raw.get(at..at + 3).is_some_and(|word| word.eq_ignore_ascii_case("url")) {
        let rest = raw[at + 3..].trim_ascii_start();
        if let Some(rest) = rest.strip_prefix('=') {
            at = raw.len() - rest.trim_ascii_start().len();
        }
    }
    let quote = raw[at..].chars().next().filter(|c| matches!(c, '"' | '\''));
    at += usize::from(quote.is_some());
    let len = match quote {
        Some(quote) => raw[at..].find(quote).unwrap_or(raw.len() - at),
        None => raw[at..].trim_ascii_end().len(),
    };
    (len > 0).then_some(at..at + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_in_srcset() {
        let read = |raw: &'static str| srcset_urls(raw).into_iter().map(|range| &raw[range]).collect::<Vec<_>>();
        assert_eq!(read("a.png, b.png 2x"), ["a.png", "b.png"]);
        assert_eq!(read(" a,b.png 100w,\n c.png 200w"), ["a,b.png", "c.png"]);
        assert_eq!(read(""), Vec::<&str>::new());
    }

    #[test]
    fn url_in_refresh() {
        let read = |raw: &'static str| refresh_url(raw).map(|range| &raw[range]);
        assert_eq!(read("5; url=next.html"), Some("next.html"));
        assert_eq!(read("0;URL='a b.html'"), Some("a b.html"));
        assert_eq!(read("0; next.html "), Some("next.html"));
        assert_eq!(read("5"), None);
    }
}
