//! Validates the size and form of an integration's answers. Paths are checked against the roots elsewhere, because this
//! module does not know the roots.

use std::sync::Arc;

use marquetry_model::{
    Error, Kind, Result,
    editor::{
        Action, Answer, Capability, Channel, DiffId, DirtyState, EditorDiagnostic, EditorInfo, EditorSelection,
        FileDiagnostics, Folder, IntegrationInfo, Mention, Opened, Point, Region, ReportedEvent, Revealed, Tab,
    },
    limits,
    pack::Severity,
};

use crate::bindings::editor::marquetry::editor::types as wit;

/// Validates what one integration returns.
pub(crate) struct IntegrationValidator<'a>(pub(crate) &'a str);

impl IntegrationValidator<'_> {
    fn invalid_answer(&self, what: &str) -> Error {
        Error::new(Kind::PluginFailed, format!("editor `{}` {what}", self.0))
            .hint("this is a bug in the integration; `marq doctor` shows its version")
    }

    fn check_count<T>(&self, list: &[T], most: usize, what: &str) -> Result<()> {
        if list.len() <= most {
            Ok(())
        } else {
            Err(self.invalid_answer(&format!("returned {} {what}; at most {most} are allowed", list.len())))
        }
    }

    /// Validates a name, title or path, which must be short.
    fn checked_name(&self, text: String) -> Result<String> {
        if text.len() <= limits::EDITOR_NAME_BYTES && !text.contains('\0') {
            return Ok(text);
        }
        Err(self.invalid_answer("returned an invalid name"))
    }

    fn path(&self, path: String) -> Result<String> {
        self.checked_name(path)
    }

    /// Truncates a message.
    fn message(text: String) -> String {
        if text.chars().count() <= limits::EDITOR_MESSAGE {
            return text;
        }
        text.chars().take(limits::EDITOR_MESSAGE - 1).chain(['…']).collect()
    }

    fn text(&self, text: String) -> Result<Arc<str>> {
        if text.len() <= limits::EDITOR_TEXT {
            return Ok(Arc::from(text));
        }
        let most = limits::EDITOR_TEXT >> 20;
        Err(Error::new(Kind::LimitExceeded, format!("a text from editor `{}` is larger than {most} MiB", self.0)))
    }

    pub(crate) fn integration_info(&self, raw: wit::Description) -> Result<IntegrationInfo> {
        self.check_count(&raw.channels, 16, "channels")?;
        if semver::Version::parse(&raw.version).is_err() {
            return Err(self.invalid_answer(&format!("returned `{}`, which is not a version", raw.version)));
        }
        let addresses = |list: Vec<String>| {
            self.check_count(&list, limits::EDITOR_ADDRESSES, "addresses")?;
            list.into_iter().map(|address| self.checked_name(address)).collect::<Result<Vec<String>>>()
        };
        let channels = raw.channels.into_iter().map(|channel| {
            Ok(match channel {
                wit::Channel::Socket(list) => Channel::Socket(addresses(list)?),
                wit::Channel::Port(list) => Channel::Port(addresses(list)?),
                wit::Channel::Websocket(path) => Channel::WebSocket(self.checked_name(path)?),
                wit::Channel::Program(words) => Channel::Program(addresses(words)?),
            })
        });
        Ok(IntegrationInfo {
            channels: channels.collect::<Result<Vec<Channel>>>()?,
            id: self.checked_name(raw.id)?,
            name: self.checked_name(raw.name)?,
            version: raw.version,
            abilities: capabilities(&raw.abilities),
            settings_schema: self.text(raw.settings_schema)?.to_string(),
            help: self.text(raw.help)?.to_string(),
        })
    }

    /// Converts the actions of one event. `log` receives the log lines.
    pub(crate) fn actions(
        &self,
        raw: Vec<wit::Action>,
        mut log: impl FnMut(wit::LogLevel, &str),
    ) -> Result<Vec<Action>> {
        self.check_count(&raw, limits::EDITOR_ACTIONS, "actions")?;
        let mut actions = Vec::with_capacity(raw.len());
        for action in raw {
            actions.push(match action {
                wit::Action::Send(bytes) => Action::Send(bytes),
                wit::Action::Introduce(raw) => Action::Introduce(EditorInfo {
                    title: self.checked_name(raw.title)?,
                    folders: self.folders(raw.folders)?,
                    abilities: capabilities(&raw.abilities),
                }),
                wit::Action::Answer(answered) => {
                    let answer = match answered.answer {
                        Ok(answer) => self.answer(answer),
                        Err(failure) => Err(self.failure(failure)),
                    };
                    Action::Answer(answered.id, answer)
                }
                wit::Action::Notify(event) => Action::Report(self.event(event)?),
                wit::Action::Wake(wake) => Action::StartTimer(wake.id, wake.milliseconds),
                wit::Action::Close(why) => Action::Close(IntegrationValidator::message(why)),
                wit::Action::Log(line) => {
                    log(line.level, &line.message);
                    continue;
                }
            });
        }
        Ok(actions)
    }

    fn failure(&self, failure: wit::Failure) -> Error {
        let kind = match failure.kind {
            wit::ErrorKind::FileNotFound => Kind::FileNotFound,
            wit::ErrorKind::InvalidArgument => Kind::InvalidArgument,
            wit::ErrorKind::Unsupported => Kind::Unsupported,
            wit::ErrorKind::EditorFailed => Kind::PluginFailed,
            wit::ErrorKind::LimitExceeded => Kind::LimitExceeded,
        };
        let error = Error::new(kind, IntegrationValidator::message(failure.message));
        match failure.hint {
            Some(hint) => error.hint(IntegrationValidator::message(hint)),
            None => error,
        }
    }

    fn region(&self, raw: wit::Region) -> Result<Region> {
        let point = |point: wit::Point| Point { line: point.line, column: point.column };
        let region = Region { start: point(raw.start), end: point(raw.end) };
        if region.start <= region.end {
            Ok(region)
        } else {
            Err(self.invalid_answer("returned a region with its end first"))
        }
    }

    fn folders(&self, raw: Vec<wit::Folder>) -> Result<Vec<Folder>> {
        self.check_count(&raw, limits::EDITOR_FOLDERS, "folders")?;
        let folder =
            |folder: wit::Folder| Ok(Folder { name: self.checked_name(folder.name)?, path: self.path(folder.path)? });
        raw.into_iter().map(folder).collect()
    }

    fn tabs(&self, raw: Vec<wit::Tab>) -> Result<Vec<Tab>> {
        self.check_count(&raw, limits::EDITOR_TABS, "tabs")?;
        let tab = |tab: wit::Tab| {
            Ok(Tab {
                path: tab.path.map(|path| self.path(path)).transpose()?,
                label: self.checked_name(tab.label)?,
                language: self.checked_name(tab.language)?,
                active: tab.active,
                dirty: tab.dirty,
                untitled: tab.untitled,
                pinned: tab.pinned,
                preview: tab.preview,
                group: tab.group,
                group_active: tab.group_active,
                lines: tab.lines,
            })
        };
        raw.into_iter().map(tab).collect()
    }

    fn selection(&self, raw: wit::Selected) -> Result<EditorSelection> {
        let (text, over) = truncate(raw.text, limits::SELECTION_TEXT);
        Ok(EditorSelection {
            path: self.path(raw.path)?,
            region: self.region(raw.region)?,
            text: Arc::from(text),
            is_truncated: raw.truncated || over,
            language: self.checked_name(raw.language)?,
            mode: self.checked_name(raw.mode)?,
        })
    }

    fn diagnostics(&self, raw: Vec<wit::FileDiagnostics>) -> Result<Vec<FileDiagnostics>> {
        let all: usize = raw.iter().map(|file| file.diagnostics.len() + 1).sum();
        if all > limits::EDITOR_DIAGNOSTICS {
            let most = limits::EDITOR_DIAGNOSTICS;
            let message = format!("editor `{}` returned more than {most} diagnostics", self.0);
            return Err(Error::new(Kind::LimitExceeded, message).hint("request the diagnostics of one file"));
        }
        let diagnostic = |diagnostic: wit::Diagnostic| {
            Ok(EditorDiagnostic {
                region: self.region(diagnostic.region)?,
                severity: match diagnostic.severity {
                    wit::Severity::Error => Severity::Error,
                    wit::Severity::Warning => Severity::Warning,
                    wit::Severity::Info => Severity::Info,
                    wit::Severity::Hint => Severity::Hint,
                },
                message: IntegrationValidator::message(diagnostic.message),
                source: self.checked_name(diagnostic.source)?,
                code: self.checked_name(diagnostic.code)?,
            })
        };
        let file = |file: wit::FileDiagnostics| {
            let diagnostics =
                file.diagnostics.into_iter().map(diagnostic).collect::<Result<Vec<EditorDiagnostic>>>()?;
            Ok(FileDiagnostics { path: self.path(file.path)?, diagnostics })
        };
        raw.into_iter().map(file).collect()
    }

    fn answer(&self, answer: wit::Answer) -> Result<Answer> {
        Ok(match answer {
            wit::Answer::Done => Answer::Done,
            wit::Answer::Opened(opened) => Answer::Opened(Opened {
                language: self.checked_name(opened.language)?,
                lines: opened.lines,
                revealed: match opened.revealed {
                    wit::Revealed::All => Revealed::All,
                    wit::Revealed::StartOnly => Revealed::StartOnly,
                    wit::Revealed::Nothing => Revealed::Nothing,
                },
            }),
            wit::Answer::Closed(closed) => Answer::Closed { closed: closed.closed, unsaved: closed.unsaved },
            wit::Answer::Tabs(tabs) => Answer::Tabs(self.tabs(tabs)?),
            wit::Answer::Selection(raw) => Answer::Selection(raw.map(|raw| self.selection(raw)).transpose()?),
            wit::Answer::Dirty(dirty) => {
                Answer::Dirty(dirty.map(|dirty| DirtyState { dirty: dirty.dirty, untitled: dirty.untitled }))
            }
            wit::Answer::Text(text) => Answer::Text(text.map(|text| self.text(text)).transpose()?),
            wit::Answer::Saved(saved) => Answer::Saved(saved),
            wit::Answer::Folders(folders) => Answer::Folders(self.folders(folders)?),
            wit::Answer::Diagnostics(files) => Answer::Diagnostics(self.diagnostics(files)?),
        })
    }

    fn event(&self, raw_event: wit::Notification) -> Result<ReportedEvent> {
        Ok(match raw_event {
            wit::Notification::Selection(raw) => {
                ReportedEvent::Selection(raw.map(|raw| self.selection(raw)).transpose()?)
            }
            wit::Notification::Tabs(tabs) => ReportedEvent::Tabs(self.tabs(tabs)?),
            wit::Notification::Folders(folders) => ReportedEvent::Folders(self.folders(folders)?),
            wit::Notification::Saved(path) => ReportedEvent::Saved(self.path(path)?),
            wit::Notification::Changed(path) => ReportedEvent::Changed(self.path(path)?),
            wit::Notification::Decided(decided) => {
                let id = DiffId(decided.id);
                match decided.decision {
                    wit::Decision::Accepted(text) => ReportedEvent::Accepted(id, self.text(text)?),
                    wit::Decision::Rejected => ReportedEvent::Rejected(id),
                    wit::Decision::Closed => ReportedEvent::Closed(id),
                }
            }
            wit::Notification::Mentioned(mention) => {
                let lines = mention.lines.filter(|(first, last)| first <= last);
                ReportedEvent::Mentioned(Mention { path: self.path(mention.path)?, lines })
            }
            wit::Notification::Focused(focused) => ReportedEvent::Focused(focused),
        })
    }
}

/// Truncates a text to this many bytes. Also returns whether it was longer.
fn truncate(mut text: String, most: usize) -> (String, bool) {
    let over = text.len() > most;
    text.truncate(text.floor_char_boundary(most));
    (text, over)
}

fn capabilities(raw: &[wit::Ability]) -> Vec<Capability> {
    let ability = |ability: &wit::Ability| match ability {
        wit::Ability::Open => Capability::Open,
        wit::Ability::ShowDiff => Capability::ShowDiff,
        wit::Ability::Decide => Capability::Decide,
        wit::Ability::CloseTab => Capability::CloseTab,
        wit::Ability::Tabs => Capability::Tabs,
        wit::Ability::Selection => Capability::Selection,
        wit::Ability::Dirty => Capability::Dirty,
        wit::Ability::Text => Capability::Text,
        wit::Ability::Save => Capability::Save,
        wit::Ability::Folders => Capability::Folders,
        wit::Ability::Diagnostics => Capability::Diagnostics,
        wit::Ability::Apply => Capability::Apply,
        wit::Ability::Show => Capability::Show,
    };
    let mut all: Vec<Capability> = raw.iter().map(ability).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
