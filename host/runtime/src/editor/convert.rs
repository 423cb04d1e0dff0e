//! Validates the size and form of an integration's answers. Whether paths are in a root is checked where the roots are
//! known.

use std::sync::Arc;

use marquetry_model::{
    Error, Kind, Result,
    editor::{
        Ability, Action, Answer, Channel, Described, DiagnosticsOf, DiffId, Dirty, Finding, Folder, Introduction,
        Mention, Opened, Point, Region, Revealed, Selected, Tab, Told,
    },
    limits,
    pack::Severity,
};

use crate::bindings::editor::marquetry::editor::types as wit;

/// Validates what one integration returns.
pub(crate) struct Checked<'a>(pub(crate) &'a str);

impl Checked<'_> {
    fn lie(&self, what: &str) -> Error {
        Error::new(Kind::PluginFailed, format!("editor `{}` {what}", self.0))
            .hint("this is a bug in the integration; `marq doctor` shows its version")
    }

    fn few<T>(&self, list: &[T], most: usize, what: &str) -> Result<()> {
        if list.len() <= most {
            Ok(())
        } else {
            Err(self.lie(&format!("returned {} {what}; at most {most} are allowed", list.len())))
        }
    }

    /// Validates a name, title or path, which must be short.
    fn short(&self, text: String) -> Result<String> {
        if text.len() <= limits::EDITOR_WORDS && !text.contains('\0') {
            return Ok(text);
        }
        Err(self.lie("returned an invalid name"))
    }

    fn path(&self, path: String) -> Result<String> {
        self.short(path)
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

    pub(crate) fn described(&self, said: wit::Description) -> Result<Described> {
        self.few(&said.channels, 16, "channels")?;
        if semver::Version::parse(&said.version).is_err() {
            return Err(self.lie(&format!("returned `{}`, which is not a version", said.version)));
        }
        let addresses = |list: Vec<String>| {
            self.few(&list, limits::EDITOR_ADDRESSES, "addresses")?;
            list.into_iter().map(|address| self.short(address)).collect::<Result<Vec<String>>>()
        };
        let channels = said.channels.into_iter().map(|channel| {
            Ok(match channel {
                wit::Channel::Socket(list) => Channel::Socket(addresses(list)?),
                wit::Channel::Port(list) => Channel::Port(addresses(list)?),
                wit::Channel::Websocket(path) => Channel::WebSocket(self.short(path)?),
                wit::Channel::Program(words) => Channel::Program(addresses(words)?),
            })
        });
        Ok(Described {
            channels: channels.collect::<Result<Vec<Channel>>>()?,
            id: self.short(said.id)?,
            name: self.short(said.name)?,
            version: said.version,
            abilities: abilities(&said.abilities),
            settings_schema: self.text(said.settings_schema)?.to_string(),
            help: self.text(said.help)?.to_string(),
        })
    }

    /// Converts the actions of one event. `log` receives the log lines.
    pub(crate) fn actions(
        &self,
        said: Vec<wit::Action>,
        mut log: impl FnMut(wit::LogLevel, &str),
    ) -> Result<Vec<Action>> {
        self.few(&said, limits::EDITOR_ACTIONS, "actions")?;
        let mut actions = Vec::with_capacity(said.len());
        for action in said {
            actions.push(match action {
                wit::Action::Send(bytes) => Action::Send(bytes),
                wit::Action::Introduce(said) => Action::Introduce(Introduction {
                    title: self.short(said.title)?,
                    folders: self.folders(said.folders)?,
                    abilities: abilities(&said.abilities),
                }),
                wit::Action::Answer(answered) => {
                    let answer = match answered.answer {
                        Ok(answer) => self.answer(answer),
                        Err(failure) => Err(self.failure(failure)),
                    };
                    Action::Answer(answered.id, answer)
                }
                wit::Action::Tell(news) => Action::Tell(self.news(news)?),
                wit::Action::Wake(wake) => Action::Wake(wake.id, wake.milliseconds),
                wit::Action::Close(why) => Action::Close(Checked::message(why)),
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
        let error = Error::new(kind, Checked::message(failure.message));
        match failure.hint {
            Some(hint) => error.hint(Checked::message(hint)),
            None => error,
        }
    }

    fn region(&self, said: wit::Region) -> Result<Region> {
        let point = |point: wit::Point| Point { line: point.line, column: point.column };
        let region = Region { start: point(said.start), end: point(said.end) };
        if region.start <= region.end { Ok(region) } else { Err(self.lie("returned a region with its end first")) }
    }

    fn folders(&self, said: Vec<wit::Folder>) -> Result<Vec<Folder>> {
        self.few(&said, limits::EDITOR_FOLDERS, "folders")?;
        let folder = |folder: wit::Folder| Ok(Folder { name: self.short(folder.name)?, path: self.path(folder.path)? });
        said.into_iter().map(folder).collect()
    }

    fn tabs(&self, said: Vec<wit::Tab>) -> Result<Vec<Tab>> {
        self.few(&said, limits::EDITOR_TABS, "tabs")?;
        let tab = |tab: wit::Tab| {
            Ok(Tab {
                path: tab.path.map(|path| self.path(path)).transpose()?,
                label: self.short(tab.label)?,
                language: self.short(tab.language)?,
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
        said.into_iter().map(tab).collect()
    }

    fn selected(&self, said: wit::Selected) -> Result<Selected> {
        let (text, over) = cut(said.text, limits::SELECTION_TEXT);
        Ok(Selected {
            path: self.path(said.path)?,
            region: self.region(said.region)?,
            text: Arc::from(text),
            cut: said.cut || over,
            language: self.short(said.language)?,
            mode: self.short(said.mode)?,
        })
    }

    fn diagnostics(&self, said: Vec<wit::Findings>) -> Result<Vec<DiagnosticsOf>> {
        let all: usize = said.iter().map(|file| file.findings.len() + 1).sum();
        if all > limits::EDITOR_FINDINGS {
            let most = limits::EDITOR_FINDINGS;
            let message = format!("editor `{}` returned more than {most} diagnostics", self.0);
            return Err(Error::new(Kind::LimitExceeded, message).hint("request the diagnostics of one file"));
        }
        let finding = |finding: wit::Finding| {
            Ok(Finding {
                region: self.region(finding.region)?,
                severity: match finding.severity {
                    wit::Severity::Error => Severity::Error,
                    wit::Severity::Warning => Severity::Warning,
                    wit::Severity::Info => Severity::Info,
                    wit::Severity::Hint => Severity::Hint,
                },
                message: Checked::message(finding.message),
                source: self.short(finding.source)?,
                code: self.short(finding.code)?,
            })
        };
        let file = |file: wit::Findings| {
            let findings = file.findings.into_iter().map(finding).collect::<Result<Vec<Finding>>>()?;
            Ok(DiagnosticsOf { path: self.path(file.path)?, findings })
        };
        said.into_iter().map(file).collect()
    }

    fn answer(&self, answer: wit::Answer) -> Result<Answer> {
        Ok(match answer {
            wit::Answer::Done => Answer::Done,
            wit::Answer::Opened(opened) => Answer::Opened(Opened {
                language: self.short(opened.language)?,
                lines: opened.lines,
                revealed: match opened.revealed {
                    wit::Revealed::All => Revealed::All,
                    wit::Revealed::StartOnly => Revealed::StartOnly,
                    wit::Revealed::Nothing => Revealed::Nothing,
                },
            }),
            wit::Answer::Closed(closed) => Answer::Closed { closed: closed.closed, unsaved: closed.unsaved },
            wit::Answer::Tabs(tabs) => Answer::Tabs(self.tabs(tabs)?),
            wit::Answer::Selection(said) => Answer::Selection(said.map(|said| self.selected(said)).transpose()?),
            wit::Answer::Dirty(dirty) => {
                Answer::Dirty(dirty.map(|dirty| Dirty { dirty: dirty.dirty, untitled: dirty.untitled }))
            }
            wit::Answer::Text(text) => Answer::Text(text.map(|text| self.text(text)).transpose()?),
            wit::Answer::Saved(saved) => Answer::Saved(saved),
            wit::Answer::Folders(folders) => Answer::Folders(self.folders(folders)?),
            wit::Answer::Diagnostics(files) => Answer::Diagnostics(self.diagnostics(files)?),
        })
    }

    fn news(&self, news: wit::News) -> Result<Told> {
        Ok(match news {
            wit::News::Selection(said) => Told::Selection(said.map(|said| self.selected(said)).transpose()?),
            wit::News::Tabs(tabs) => Told::Tabs(self.tabs(tabs)?),
            wit::News::Folders(folders) => Told::Folders(self.folders(folders)?),
            wit::News::Saved(path) => Told::Saved(self.path(path)?),
            wit::News::Changed(path) => Told::Changed(self.path(path)?),
            wit::News::Decided(decided) => {
                let id = DiffId(decided.id);
                match decided.decision {
                    wit::Decision::Accepted(text) => Told::Accepted(id, self.text(text)?),
                    wit::Decision::Rejected => Told::Rejected(id),
                    wit::Decision::Closed => Told::Closed(id),
                }
            }
            wit::News::Mentioned(mention) => {
                let lines = mention.lines.filter(|(first, last)| first <= last);
                Told::Mentioned(Mention { path: self.path(mention.path)?, lines })
            }
            wit::News::Focused(focused) => Told::Focused(focused),
        })
    }
}

/// Truncates a text to this many bytes. Also returns whether it was longer.
fn cut(mut text: String, most: usize) -> (String, bool) {
    let over = text.len() > most;
    text.truncate(text.floor_char_boundary(most));
    (text, over)
}

fn abilities(said: &[wit::Ability]) -> Vec<Ability> {
    let ability = |ability: &wit::Ability| match ability {
        wit::Ability::Open => Ability::Open,
        wit::Ability::ShowDiff => Ability::ShowDiff,
        wit::Ability::Decide => Ability::Decide,
        wit::Ability::CloseTab => Ability::CloseTab,
        wit::Ability::Tabs => Ability::Tabs,
        wit::Ability::Selection => Ability::Selection,
        wit::Ability::Dirty => Ability::Dirty,
        wit::Ability::Text => Ability::Text,
        wit::Ability::Save => Ability::Save,
        wit::Ability::Folders => Ability::Folders,
        wit::Ability::Diagnostics => Ability::Diagnostics,
        wit::Ability::Apply => Ability::Apply,
        wit::Ability::Show => Ability::Show,
    };
    let mut all: Vec<Ability> = said.iter().map(ability).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
