//! File names that Windows reserves or modifies: most programs could not open such a file, or it is a device.

/// Returns why Windows does not allow a file name; `None` if it does.
pub(crate) fn refusal(name: &str) -> Option<&'static str> {
    if name.ends_with(['.', ' ']) {
        return Some("it ends with a dot or a space, which Windows drops");
    }
    if name.chars().any(|letter| letter < ' ' || "<>:\"|?*\\".contains(letter)) {
        return Some("it has one of the characters < > : \" | ? * \\, which Windows does not allow in names");
    }
    is_device(name).then_some("it is the name of a device on Windows")
}

/// Returns whether a name is that of a device, with any extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_uppercase();
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str()) {
        return true;
    }
    let Some(number) = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")) else { return false };
    let mut letters = number.chars();
    matches!((letters.next(), letters.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_are_refused_with_any_extension() {
        for name in ["con", "NUL.txt", "aux.tar.gz", "Com1", "lpt9.ts", "COM².json", "prn .md", "conin$"] {
            assert!(refusal(name).is_some(), "{name}");
        }
    }

    #[test]
    fn names_that_windows_changes_are_refused() {
        for name in ["a.", "a ", "a:b", "a:$DATA", "what?", "a\\b", "tab\t"] {
            assert!(refusal(name).is_some(), "{name}");
        }
    }

    #[test]
    fn ordinary_names_are_accepted() {
        for name in ["console.ts", "com.json", "com10", "nullable.ts", ".env", "a b.md", "ünïcode", "lpt"] {
            assert_eq!(refusal(name), None, "{name}");
        }
    }
}
