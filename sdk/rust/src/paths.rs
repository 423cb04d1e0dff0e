//! Paths within the workspace, as used in links: relative to the root, parts separated by `/`, empty for the root.

use std::borrow::Cow;

/// The folder of a path; empty for the root.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::folder;
///
/// assert_eq!([folder("a/b/c.css"), folder("c.css")], ["a/b", ""]);
/// ```
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folders that contain a path, from the innermost to the root.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::folders_around;
///
/// assert_eq!(folders_around("a/b/c.css").collect::<Vec<_>>(), ["a/b", "a", ""]);
/// ```
pub fn folders_around(path: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder(path));
    std::iter::from_fn(move || {
        let current = next?;
        next = (!current.is_empty()).then(|| folder(current));
        Some(current)
    })
}

/// The last part of a path.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::file_name;
///
/// assert_eq!(file_name("a/b/c.css"), "c.css");
/// ```
pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Joins a path to a folder and resolves `.` and `..`. `None` if the result is outside of the root.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::join;
///
/// assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
/// assert_eq!(join("a", "../../x"), None);
/// ```
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The relative path from a folder to a path: `a`, `../b`, or `.` for the folder itself.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::relative;
///
/// assert_eq!(relative("a/b", "a/c/d.png"), "../c/d.png");
/// assert_eq!(relative("a", "a"), ".");
/// ```
pub fn relative(folder: &str, path: &str) -> String {
    let parts = |path: &'_ str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (from, to) = (parts(folder), parts(path));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    let way: Vec<&str> = up.chain(to[shared..].iter().map(String::as_str)).collect();
    if way.is_empty() { ".".to_owned() } else { way.join("/") }
}

/// The relative path to a file that is named without its extension. A folder of the same name is not the file: from
/// `src/cli`, the file `src/cli` is `../cli` and never `.`.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::relative_file;
///
/// assert_eq!(relative_file("src", "src/cli"), "cli");
/// assert_eq!(relative_file("src/cli", "src/cli"), "../cli");
/// ```
pub fn relative_file(from: &str, file: &str) -> String {
    match relative(from, folder(file)).as_str() {
        "." => file_name(file).to_owned(),
        way => format!("{way}/{}", file_name(file)),
    }
}

/// The rest of a path below a folder, empty for the folder itself. `None` if the path is not below it.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::relative_to;
///
/// assert_eq!(relative_to("a", "a/b.css"), Some("b.css"));
/// assert_eq!(relative_to("a", "ab/c.css"), None);
/// ```
pub fn relative_to<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Returns whether a part of a glob matches a name: `*` matches any characters, `?` one byte.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::part_matches;
///
/// assert!(part_matches("*.ts", "a.ts") && part_matches("a?c", "abc"));
/// assert!(!part_matches("*.ts", "a.tsx"));
/// ```
pub fn part_matches(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    let (mut g, mut n, mut retry) = (0, 0, None);
    while n < name.len() {
        if g < glob.len() && glob[g] == b'*' {
            retry = Some((g, n));
            g += 1;
        } else if g < glob.len() && (glob[g] == b'?' || glob[g] == name[n]) {
            (g, n) = (g + 1, n + 1);
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            (g, n) = (star + 1, from + 1);
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|byte| *byte == b'*')
}

/// Returns whether the path is explicitly relative: `./a`, `../a`.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::is_relative;
///
/// assert!(is_relative("../a") && !is_relative("a/b"));
/// ```
pub fn is_relative(path: &str) -> bool {
    path.starts_with("./") || path.starts_with("../")
}

/// Maximum length of a text that is considered to be a path.
const MAX_PATH_LENGTH: usize = 200;

/// Returns whether a word could be the path of a file below the root: letters, digits and few signs, with a folder or
/// an extension.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::could_be_path;
///
/// assert!(could_be_path("src/main") && could_be_path("build.sh"));
/// assert!(!could_be_path("build") && !could_be_path("a b/c.d"));
/// ```
pub fn could_be_path(word: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-./+".contains(c);
    word.len() <= MAX_PATH_LENGTH
        && word.chars().all(plain)
        && word.contains(char::is_alphabetic)
        && word.contains(['/', '.'])
        && !word.starts_with(['-', '/', '+'])
        && !word.ends_with('.')
        && !word.contains("//")
}

/// Returns whether a text is most likely a path: it has a folder, and a name with an extension.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::looks_like_path;
///
/// assert!(looks_like_path("scripts/build.sh") && looks_like_path("./data"));
/// assert!(!looks_like_path("application/json"));
/// ```
pub fn looks_like_path(text: &str) -> bool {
    let path = text.trim_end_matches('/');
    if !text.contains('/') || !could_be_path(path) {
        return false;
    }
    let (stem, extension) = file_name(path).rsplit_once('.').unwrap_or((path, ""));
    let named = !stem.is_empty() && (1..=5).contains(&extension.len()) && extension.contains(char::is_alphabetic);
    named || is_relative(text)
}

/// Returns whether an address begins with a scheme: `https:`, `data:`, `mailto:`.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::has_scheme;
///
/// assert!(has_scheme("https://x.org") && has_scheme("data:x"));
/// assert!(!has_scheme("a/b:c"));
/// ```
pub fn has_scheme(address: &str) -> bool {
    address.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

/// Decodes percent escapes such as `%20`; invalid escapes stay. `None` if the result is not valid UTF-8.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::paths::percent_decoded;
///
/// assert_eq!(percent_decoded("a%20b").as_deref(), Some("a b"));
/// assert_eq!(percent_decoded("%FF"), None, "not UTF-8");
/// ```
pub fn percent_decoded(path: &str) -> Option<Cow<'_, str>> {
    if !path.contains('%') {
        return Some(Cow::Borrowed(path));
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [byte, after @ ..] = rest {
        let hex = |at: usize| after.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_made_relative() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(relative("a/b", "a/c/d.png"), "../c/d.png");
        assert_eq!(relative("", "a.png"), "a.png");
        assert_eq!(relative("a/b", "a/b/x.png"), "x.png");
        assert_eq!(relative("a/b", "a"), "..");
        assert_eq!(relative("a", "a"), ".");
        assert_eq!(relative_file("src/cli", "src/cli"), "../cli");
        assert_eq!(relative_file("src/cli/x", "src/cli"), "../../cli");
        assert_eq!(relative_file("src", "src/cli"), "cli");
        assert_eq!(relative_file("", "cli"), "cli");
        assert_eq!(relative_file("cli", "cli"), "../cli");
        assert_eq!(relative_to("a", "a/b"), Some("b"));
        assert_eq!(relative_to("a", "ab/c"), None);
        assert!(part_matches("*.ts", "a.ts") && part_matches("a?c", "abc") && !part_matches("*.ts", "a.tsx"));
        assert!(!part_matches(&"*a".repeat(30), &"a".repeat(29)));
        assert_eq!((folder("a/b"), file_name("a/b"), folder("a")), ("a", "b", ""));
        assert_eq!(folders_around("a/b/c.css").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(folders_around("c.css").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn path_like_texts_are_recognized() {
        for path in ["scripts/build.sh", "./data", "../a/b/", "a/b.tar.gz"] {
            assert!(looks_like_path(path), "{path}");
        }
        for other in
            ["application/json", "build.sh", "https://a.b/c.d", "/etc/a.b", "a b/c.d", "1/2.3", "@a/b.js", "**/a.ts"]
        {
            assert!(!looks_like_path(other), "{other}");
        }
    }

    #[test]
    fn urls_are_classified_and_decoded() {
        for remote in ["https://x/y", "data:x", "sass:math"] {
            assert!(has_scheme(remote), "{remote}");
        }
        assert!(!has_scheme("a/b:c") && !has_scheme("1:c"));
        assert_eq!(percent_decoded("a%20b%C3%BC").as_deref(), Some("a bü"));
        assert_eq!(percent_decoded("100%").as_deref(), Some("100%"));
        assert_eq!(percent_decoded("%FF"), None);
    }
}
