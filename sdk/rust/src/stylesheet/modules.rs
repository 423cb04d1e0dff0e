//! CSS modules: stylesheets whose classes a bundler renames, and exports to code under their original names.

/// Returns whether a file is a CSS module, by its name: `card.module.css`.
pub fn is_module(path: &str) -> bool {
    crate::paths::file_name(path).contains(".module.")
}

/// The camel-case name of a class in code: `cardTitle` for `card-title`.
pub fn camel_case(class: &str) -> String {
    let mut parts = class.split('-').filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut whole, part| {
        let mut letters = part.chars();
        whole.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        whole + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::camel_case;

    #[test]
    fn dashed_names_become_camel_case() {
        for (class, code) in [("a", "a"), ("card-title", "cardTitle"), ("-a--b-C1", "aBC1"), ("", ""), ("ä-ö", "äÖ")]
        {
            assert_eq!(camel_case(class), code);
        }
    }
}
