//! `An+B`, the argument of `:nth-child()`.

/// Serializes `An+B` as the CSSOM standard prescribes. Other text is returned unchanged.
pub(crate) fn plain_formula(text: &str) -> String {
    match text {
        "odd" => return "2n+1".to_owned(),
        "even" => return "2n".to_owned(),
        _ => {}
    }
    let number = |text: &str| text.strip_prefix('+').unwrap_or(text).parse::<i64>().ok();
    let parsed = match text.split_once('n') {
        None => number(text).map(|b| (0, b)),
        Some((a, b)) => {
            let a = match a {
                "" | "+" => Some(1),
                "-" => Some(-1),
                _ => number(a),
            };
            a.zip(if b.is_empty() { Some(0) } else { number(b) })
        }
    };
    match parsed {
        None => text.to_owned(),
        Some((0, b)) => b.to_string(),
        Some((a, b)) => {
            let a = match a {
                1 => String::new(),
                -1 => "-".to_owned(),
                _ => a.to_string(),
            };
            if b == 0 { format!("{a}n") } else { format!("{a}n{b:+}") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_serialized_in_canonical_form() {
        for (text, plain) in
            [("odd", "2n+1"), ("even", "2n"), ("+1n+0", "n"), ("-1n-2", "-n-2"), ("0n+5", "5"), ("x", "x")]
        {
            assert_eq!(plain_formula(text), plain);
        }
    }
}
