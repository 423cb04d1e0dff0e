//! The formats as data: their differences, and the file names of each. This module does not depend on the parser.

/// The ways in which a value can continue on the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuation {
    /// A value is always one line.
    None,
    /// A quoted value can contain line breaks.
    Quotes,
    /// A `\` at the end of a line continues the value.
    Backslash,
    /// Lines that are indented deeper than the key continue the value.
    Indentation,
}

/// The properties of one format.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Glob patterns of the file names of the format.
    files: &'static [&'static str],
    /// Characters that end a key.
    pub(crate) separators: &'static [char],
    /// Characters that start a comment at the start of a line.
    pub(crate) comments: &'static [char],
    /// Characters that start a comment after a value, if a space precedes them.
    pub(crate) trailing_comments: &'static [char],
    /// True if `[name]` starts a section.
    pub(crate) sections: bool,
    /// True if a key may have no separator and no value.
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

/// The number of globs of all formats.
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

/// Returns the format of the file at a path. A registry can assign files with other names to this pack; for them, the
/// last format is used.
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
