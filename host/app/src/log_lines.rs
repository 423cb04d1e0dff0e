//! Log lines on standard error. Every event is one line: texts of repositories, plugins and servers are escaped, so
//! that they cannot forge lines or hide a part of their own line.

use std::{fmt::Debug, io};

use marquetry_model::escape::escape_line;
use tracing::{Subscriber, field::Field};
use tracing_subscriber::{
    EnvFilter,
    field::MakeExt,
    fmt::{
        MakeWriter,
        format::{Writer, debug_fn},
    },
};

/// Sends logs to standard error, as standard output is used by the protocols.
pub(crate) fn start(filter: EnvFilter) {
    // This fails only if logging was started before.
    let _ = tracing::subscriber::set_global_default(subscriber(filter, io::stderr));
}

fn subscriber<W>(filter: EnvFilter, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::fmt()
        .fmt_fields(debug_fn(write_field).delimited(" "))
        .with_env_filter(filter)
        .with_writer(writer)
        .without_time()
        .with_target(false)
        .finish()
}

fn write_field(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> std::fmt::Result {
    let value = escape_line(&format!("{value:?}"));
    if field.name() == "message" { write!(writer, "{value}") } else { write!(writer, "{field}={value}") }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::*;

    /// Log lines in memory.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(log: impl FnOnce()) -> String {
        let (lines, filter) = (Lines::default(), EnvFilter::new("debug"));
        let target = lines.clone();
        tracing::subscriber::with_default(subscriber(filter, move || target.clone()), log);
        let bytes = lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::from_utf8(bytes).expect("text");
        // The level is colored.
        for code in ["0", "31", "33", "34"] {
            text = text.replace(&format!("\u{1b}[{code}m"), "");
        }
        text
    }

    #[test]
    fn messages_and_fields_are_one_line() {
        for hidden in ["\n", "\r", "\r\n", "\u{202e}", "\u{1b}[2J", "\u{2028}", "\u{9b}2J", "\u{feff}"] {
            let forged = format!("a{hidden}FORGED");
            let escaped = escape_line(&forged);
            let error = marquetry_model::Error::argument(forged.clone()).hint(forged.clone());
            let text = logged(|| {
                tracing::error!("{forged}");
                tracing::warn!(plugin = forged.as_str(), "{error}");
                tracing::debug!(path = %forged, "read");
            });
            let lines: Vec<_> = text.lines().map(str::trim_start).collect();
            let expected = [
                format!("ERROR {escaped}"),
                format!("WARN {escaped} (hint: {escaped}) plugin={forged:?}"),
                format!("DEBUG read path={escaped}"),
            ];
            assert_eq!(lines, expected.map(|line| escape_line(&line)), "{hidden:?}");
        }
    }

    #[test]
    fn ordinary_lines_are_unchanged() {
        let text = logged(|| tracing::info!(files = 2, name = "straße", "compiled {}", "a\\b"));
        assert!(text.ends_with("INFO compiled a\\b files=2 name=\"straße\"\n"), "{text:?}");
    }
}
