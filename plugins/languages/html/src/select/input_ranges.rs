//! Numbers, dates and times in form fields, and their limits.

use crate::syntax::{Id, Tree};

/// Returns whether a field has a valid minimum or maximum.
pub(super) fn has_limits(tree: &Tree, id: Id, kind: &str) -> bool {
    ["min", "max"].iter().any(|name| tree.attribute_value(id, name).is_some_and(|value| parse(kind, &value).is_some()))
}

/// Returns whether the value of a field is below its `min` or above its `max`.
pub(super) fn is_outside(tree: &Tree, id: Id, kind: &str) -> bool {
    // Browsers keep the value of a slider within its range.
    if kind == "range" {
        return false;
    }
    let read = |name: &str| tree.attribute_value(id, name).and_then(|value| parse(kind, &value));
    let Some(value) = read("value") else { return false };
    let (min, max) = (read("min"), read("max"));
    match (min, max) {
        // Times are cyclic: the range can be from evening to morning.
        (Some(min), Some(max)) if kind == "time" && min > max => value < min && value > max,
        _ => min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max),
    }
}

/// Converts a value to a number that can be compared with other values of the same kind. `None` if the value is
/// malformed.
fn parse(kind: &str, value: &str) -> Option<f64> {
    match kind {
        "number" => number(value),
        "date" => date(value),
        "month" => month(value).map(|(year, month)| year * 12.0 + month),
        "week" => week(value),
        "time" => time(value),
        "datetime-local" => {
            let (day, clock) = value.split_once(['T', ' '])?;
            Some(date(day)? * 86_400.0 + time(clock)?)
        }
        _ => None,
    }
}

fn number(value: &str) -> Option<f64> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !digits.ends_with('.');
    if plain { value.parse().ok().filter(|number: &f64| number.is_finite()) } else { None }
}

/// Parses a number that has between `len.start()` and `len.end()` digits.
fn digits(value: &str, len: std::ops::RangeInclusive<usize>) -> Option<f64> {
    let plain = len.contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    if plain { value.parse().ok() } else { None }
}

fn between(value: f64, least: f64, most: f64) -> Option<f64> {
    (least <= value && value <= most).then_some(value)
}

fn year(value: &str) -> Option<f64> {
    digits(value, 4..=9).filter(|year| *year > 0.0)
}

fn month(value: &str) -> Option<(f64, f64)> {
    let (years, months) = value.split_once('-')?;
    Some((year(years)?, between(digits(months, 2..=2)?, 1.0, 12.0)?))
}

fn is_leap(year: f64) -> bool {
    year % 4.0 == 0.0 && (year % 100.0 != 0.0 || year % 400.0 == 0.0)
}

/// Parses a date. Returns a number of days that increases by one each day.
fn date(value: &str) -> Option<f64> {
    let (start, day) = value.rsplit_once('-')?;
    let (year, month) = month(start)?;
    let length = match month as u8 {
        2 => 28.0 + f64::from(u8::from(is_leap(year))),
        4 | 6 | 9 | 11 => 30.0,
        _ => 31.0,
    };
    let day = between(digits(day, 2..=2)?, 1.0, length)?;
    Some((year * 12.0 + month) * 31.0 + day)
}

fn week(value: &str) -> Option<f64> {
    let (years, weeks) = value.split_once("-W")?;
    let year = year(years)?;
    // A year has 53 weeks if it starts on a Thursday, or if it is a leap year that starts on a
    // Wednesday.
    let before = year - 1.0;
    let start = (before + (before / 4.0).floor() - (before / 100.0).floor() + (before / 400.0).floor() + 1.0) % 7.0;
    let most = if start == 4.0 || (start == 3.0 && is_leap(year)) { 53.0 } else { 52.0 };
    Some(year * 53.0 + between(digits(weeks, 2..=2)?, 1.0, most)?)
}

/// Parses a time. Returns the seconds since midnight.
fn time(value: &str) -> Option<f64> {
    let mut parts = value.split(':');
    let hours = between(digits(parts.next()?, 2..=2)?, 0.0, 23.0)?;
    let minutes = between(digits(parts.next()?, 2..=2)?, 0.0, 59.0)?;
    let seconds = match parts.next() {
        None => 0.0,
        Some(seconds) => {
            let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
            let fraction = digits(fraction, 1..=3)? / 10_f64.powi(fraction.len() as i32);
            between(digits(whole, 2..=2)?, 0.0, 59.0)? + fraction
        }
    };
    parts.next().is_none().then_some(hours * 3600.0 + minutes * 60.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_values_are_parsed() {
        assert_eq!(parse("number", "-1.5e2"), Some(-150.0));
        assert_eq!(parse("number", "1."), None);
        assert_eq!(parse("time", "01:01:01.5"), Some(3661.5));
        assert_eq!(parse("date", "2023-02-29"), None);
        assert!(parse("date", "2024-02-29") < parse("date", "2024-03-01"));
        assert!(parse("week", "2020-W53") < parse("week", "2021-W01"));
        assert_eq!(parse("week", "2021-W53"), None);
        assert!(parse("datetime-local", "2024-01-01T10:00") < parse("datetime-local", "2024-01-01 10:00:01"));
    }
}
