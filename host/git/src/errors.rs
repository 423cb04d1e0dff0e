//! Maps errors of the git library to errors of the host.

use marquetry_model::{Error, Kind};

/// Creates an error from the first line of the library's message.
#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
pub(crate) fn git_error(error: gix::Error) -> Error {
    let message = error.to_string();
    let line = message.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    Error::new(Kind::Unsupported, format!("the repository cannot be read: {line}"))
        .hint("`git fsck` shows what is wrong with it")
}
