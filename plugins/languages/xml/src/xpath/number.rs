//! Parsing and formatting of numbers in XPath 1.0.

use crate::chars;

/// Parses a number; NaN if the text is not a number.
pub(crate) fn parse(text: &str) -> f64 {
    let text = chars::trim(text);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1
        && digits.bytes().any(|byte| byte.is_ascii_digit());
    if plain { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// Formats a number without exponent, with the fewest digits that distinguish it from other numbers.
pub(crate) fn print(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if number == 0.0 {
        "0".to_owned()
    } else {
        number.to_string()
    }
}

/// Rounds to the nearest integer. Numbers halfway between two integers are rounded up.
pub(crate) fn round(number: f64) -> f64 {
    if number.fract() == -0.5 { number.ceil() } else { number.round() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_numbers() {
        for (text, number) in [("12", 12.0), (" -1.5\n", -1.5), (".5", 0.5), ("5.", 5.0), ("-.5", -0.5)] {
            assert_eq!(parse(text), number, "{text}");
        }
        for text in ["", "+1", "1e3", "1 2", ".", "-", "--1", "0x1", "1.2.3", "Infinity", "1\u{A0}"] {
            assert!(parse(text).is_nan(), "{text}");
        }
    }

    #[test]
    fn prints_numbers() {
        assert_eq!(print(1e21), "1000000000000000000000");
        assert_eq!(print(0.1), "0.1");
        assert_eq!(print(-0.0), "0");
        assert_eq!(print(1.0 / 0.0), "Infinity");
        assert_eq!(print(1e-7), "0.0000001");
    }

    #[test]
    fn rounds_halves_up() {
        assert_eq!((round(2.5), round(-2.5), round(-2.6), round(0.49)), (3.0, -2.0, -3.0, 0.0));
        assert!(round(f64::NAN).is_nan());
    }
}
