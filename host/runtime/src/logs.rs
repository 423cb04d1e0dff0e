//! Log of failed plugin calls for plugin authors: `marq plugin logs`.
//!
//! There is one file of bounded size for each plugin, in the private cache folder. A failure to write is only reported
//! in the host's own log.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{cache::Cache, identity, private_folder::make_private};

/// Maximum bytes of a file; the older half of a longer one is dropped.
const MAX_LOG_BYTES: usize = 256 << 10;
/// Start of a record. Text before the first one belongs to a truncated record.
const MARK: &str = "== ";

/// The logs of all plugins.
#[derive(Debug, Clone)]
pub(crate) struct PluginLogs {
    cache: Cache,
}

impl PluginLogs {
    /// Creates the log in the folder of this cache; without a cache folder, nothing is logged.
    pub(crate) fn new(cache: Cache) -> PluginLogs {
        PluginLogs { cache }
    }

    /// Records the error and log lines of a call.
    pub(crate) fn record(&self, plugin: &str, error: &str, lines: &[String]) {
        let Some(path) = self.path(plugin) else { return };
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut what = format!(" {}\n", error.replace('\n', " "));
        // Lines of the plugin are indented, so that none looks like the start of a record.
        for line in lines.iter().flat_map(|line| line.lines()) {
            what += &format!("   {line}\n");
        }
        if let Err(error) = append(&path, &format_utc(seconds), &what) {
            tracing::debug!("cannot write the log of plugin `{plugin}`: {error}");
        }
    }

    /// Returns the log of a plugin, the oldest record first.
    pub(crate) fn read(&self, plugin: &str) -> Option<String> {
        fs::read_to_string(self.path(plugin)?).ok()
    }

    /// Returns the path of a plugin's log. Its name is a digest, because an id in a registry can be any text.
    fn path(&self, plugin: &str) -> Option<PathBuf> {
        let folder = self.cache.folder()?.join("logs");
        Some(folder.join(format!("{}.log", &identity::digest(plugin.as_bytes())[..32])))
    }
}

/// Appends a record, unless it repeats the last one, as for a retried call.
fn append(path: &Path, time: &str, what: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        make_private(folder)?;
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    if kept.ends_with(what) {
        return Ok(());
    }
    let record = format!("{MARK}{time}{what}");
    if kept.len() + record.len() <= MAX_LOG_BYTES {
        return fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(record.as_bytes());
    }
    fs::write(path, newest_records(&format!("{kept}{record}")))
}

/// Returns the newest records, at most half the size of a full log.
fn newest_records(text: &str) -> &str {
    let mut from = text.len().saturating_sub(MAX_LOG_BYTES / 2);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let start = text[from..].find(&format!("\n{MARK}")).map_or(from, |at| from + at + 1);
    &text[start..]
}

/// Formats seconds since 1970 as `2026-11-23 02:15:00 UTC`.
fn format_utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // In this calculation, years start in March, so that the leap day is the last day.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (era * 400 + year, month + 3) } else { (era * 400 + year + 1, month - 9) };
    format!("{year}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3_600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_times_are_calendar_times() {
        for (seconds, time) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_795_400_141, "2026-11-23 02:15:41 UTC"),
            (4_107_542_399, "2100-02-28 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(format_utc(seconds), time);
        }
    }

    #[test]
    fn failures_are_logged_within_bounds_for_any_plugin_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let logs = PluginLogs::new(Cache::new(Some(folder.path().join("cache"))));
        assert_eq!(logs.read("../p"), None);
        logs.record("../p", "it failed\nbadly", &["TypeError: x".to_owned(), "    at edit".to_owned()]);
        let text = logs.read("../p").expect("kept");
        assert!(
            text.starts_with(MARK) && text.ends_with("UTC it failed badly\n   TypeError: x\n       at edit\n"),
            "{text}"
        );
        logs.record("../p", "it failed\nbadly", &["TypeError: x".to_owned(), "    at edit".to_owned()]);
        assert_eq!(logs.read("../p").as_ref(), Some(&text), "a repeated record must not be written again");
        logs.record("forger", "x", &["a\n== 2026-11-23 00:00:00 UTC forged".to_owned()]);
        assert_eq!(
            logs.read("forger").expect("kept").matches("\n== ").count(),
            0,
            "a log line of a plugin must not look like the start of a record"
        );
        let long = vec!["é".repeat(1_000); 40];
        (0..10).for_each(|n| logs.record("../p", &format!("again {n}"), &long));
        let text = logs.read("../p").expect("kept");
        assert!(text.len() <= MAX_LOG_BYTES && text.starts_with(MARK), "{}", text.len());
        assert_eq!(logs.read("other"), None);
        PluginLogs::new(Cache::new(None)).record("p", "x", &[]);
    }
}
