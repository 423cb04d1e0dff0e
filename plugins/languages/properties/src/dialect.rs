//! The formats, as data: what they differ in, and which files are written in which. Knows nothing of reading.

/// How a value goes on behind the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuation {
    /// Not at all.
    None,
    /// Inside quotes.
    Quotes,
    /// Behind a `\` at the end of the line.
    Backslash,
    /// On lines that are indented deeper than the key.
    Indentation,
}

/// What tells one format from another.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Globs over the names of its files.
    files: &'static [&'static str],
    /// What ends a key.
    pub(crate) separators: &'static [char],
    /// What starts a comment at the start of a line.
    pub(crate) comments: &'static [char],
    /// What starts a comment behind a value and a space.
    pub(crate) trailing_comments: &'static [char],
    /// Whether `[name]` starts a section.
    pub(crate) sections: bool,
    /// Whether a key can stand alone, without separator and value.
    pub(crate) bare_keys: bool,
    pub(crate) continuation: Continuation,
}

/// All formats.
static DIALECTS: [Dialect; 4] = [
    Dialect {
        files: &[".env", ".env.*", "*.env"],
        separators: &['='],
        comments: &['#'],
        trailing_comments: &['#'],
        sections: false,
        bare_keys: false,
        continuation: Continuation::Quotes,
    },
    Dialect {
        files: &["*.properties"],
        separators: &['=', ':', ' ', '\t'],
        comments: &['#', '!'],
        trailing_comments: &[],
        sections: false,
        bare_keys: true,
        continuation: Continuation::Backslash,
    },
    Dialect {
        files: &[".editorconfig", ".npmrc"],
        separators: &['='],
        comments: &['#', ';'],
        trailing_comments: &['#', ';'],
        sections: true,
        bare_keys: true,
        continuation: Continuation::None,
    },
    Dialect {
        files: &["*.ini", "*.cfg"],
        separators: &['=', ':'],
        comments: &['#', ';'],
        trailing_comments: &[],
        sections: true,
        bare_keys: true,
        continuation: Continuation::Indentation,
    },
];

/// How many globs all formats have.
const GLOB_COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < DIALECTS.len() {
        count += DIALECTS[at].files.len();
        at += 1;
    }
    count
};

/// The globs of all formats.
pub(crate) const FILES: [&str; GLOB_COUNT] = {
    let (mut all, mut count, mut at) = ([""; GLOB_COUNT], 0, 0);
    while at < DIALECTS.len() {
        let mut glob = 0;
        while glob < DIALECTS[at].files.len() {
            all[count] = DIALECTS[at].files[glob];
            (count, glob) = (count + 1, glob + 1);
        }
        at += 1;
    }
    all
};

/// The format of the file at a path; the last one for a name that only the registry leads here.
pub(crate) fn for_path(path: &str) -> &'static Dialect {
    let name = path.rsplit('/').next().unwrap_or(path);
    let takes = |glob: &&str| match glob.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => name == *glob,
    };
    DIALECTS.iter().find(|dialect| dialect.files.iter().any(takes)).unwrap_or(&DIALECTS[DIALECTS.len() - 1])
}
