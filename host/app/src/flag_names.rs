//! Names of flags (`dry-run`) and of the arguments that they set (`dryRun`).

/// Converts the name of an argument, such as `dryRun`, to that of a flag, such as `dry-run`.
pub(crate) fn kebab(name: &str) -> String {
    name.chars().fold(String::new(), |mut flag, letter| {
        if letter.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(letter.to_ascii_lowercase());
        flag
    })
}

/// Converts the name of a flag, such as `new-name`, to that of an argument, such as `newName`.
pub(crate) fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut letters = word.chars();
        all.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        all + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_converted_both_ways() {
        for (argument, flag) in [("dryRun", "dry-run"), ("file", "file"), ("expectedHash", "expected-hash")] {
            assert_eq!((kebab(argument).as_str(), camel(flag).as_str()), (flag, argument));
        }
    }
}
