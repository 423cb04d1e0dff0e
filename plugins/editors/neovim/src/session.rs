//! Session with one attached Neovim.
//!
//! The session first asks for the channel ID and the version, and then for the folders. Until then, it changes nothing
//! in Neovim. After the host has accepted the editor, the session installs `session.lua`, which answers requests and
//! sends events.

use std::collections::BTreeMap;

use marquetry_editor::{
    Action, AnswerMessage, ErrorKind, Event, Failure, Introduction, Request, RequestMessage, Session, abilities_without,
};
use rmpv::Value;

use crate::{
    decode, encode,
    frames::{FrameError, Frames},
    rpc::{self, Message},
};

/// The script that runs inside Neovim.
const SESSION: &str = include_str!("session.lua");
/// Lua code that calls a function of `session.lua`. Its arguments are the channel, the name of the function, and the
/// arguments of the function.
const CALL: &str = "local all = package.loaded['marquetry.sessions']\n\
                    local session = all and all[(...)]\n\
                    if not session then error('this session is over', 0) end\n\
                    return session.call(select(2, ...))";
/// Lua code that returns the folders. It is used before the script is installed.
const FOLDERS: &str = "local path = vim.fn.getcwd(-1, -1)\n\
                       path = (vim.uv or vim.loop).fs_realpath(path) or path\n\
                       return {{ name = vim.fn.fnamemodify(path, ':t'), path = path }}";
/// Maximum number of pending requests.
const MAX_PENDING: usize = 1_000;

/// Purpose of a pending request to Neovim.
#[derive(Debug)]
enum Pending {
    /// The request asks for the channel ID and Neovim's version.
    Info,
    /// The request asks for the folders.
    Folders,
    /// The request installs `session.lua`.
    Installed,
    /// The request performs this request of the host.
    Request(RequestMessage),
}

/// An attached Neovim.
#[derive(Debug, Default)]
pub struct NeovimSession {
    share_selection: bool,
    frames: Frames,
    last: u64,
    pending: BTreeMap<u64, Pending>,
    /// Our channel ID in Neovim.
    channel: u64,
    title: String,
    /// True once `session.lua` has been sent. Requests sent later can use it, because Neovim handles messages in order.
    installed: bool,
    has_ended: bool,
}

impl NeovimSession {
    /// Creates a session with these settings.
    pub(crate) fn new(settings: &str) -> NeovimSession {
        let settings: serde_json::Value = serde_json::from_str(settings).unwrap_or_default();
        let share_selection = settings.get("share-selection").and_then(serde_json::Value::as_bool).unwrap_or(true);
        NeovimSession { share_selection, ..NeovimSession::default() }
    }

    fn send_request(&mut self, about: Pending, method: &str, arguments: Vec<Value>) -> Action {
        self.last += 1;
        self.pending.insert(self.last, about);
        Action::Send(rpc::request(self.last, method, arguments))
    }

    fn run_lua(&mut self, about: Pending, code: &str, arguments: Vec<Value>) -> Action {
        self.send_request(about, "nvim_exec_lua", vec![code.into(), Value::Array(arguments)])
    }

    fn request(&mut self, message: RequestMessage) -> Action {
        if !self.installed || self.pending.len() >= MAX_PENDING {
            let failure = Failure::new(ErrorKind::LimitExceeded, "Neovim has too many pending requests");
            return Action::Answer(AnswerMessage { id: message.id, answer: Err(failure) });
        }
        let (function, given) = encode::call(&message.request);
        let mut arguments = vec![self.channel.into(), function.into()];
        arguments.extend(given);
        self.run_lua(Pending::Request(message), CALL, arguments)
    }

    fn handle_bytes(&mut self, bytes: &[u8]) -> Vec<Action> {
        self.frames.push(bytes);
        let mut actions = Vec::new();
        while !self.has_ended {
            match self.frames.next() {
                Ok(Some(message)) => self.handle_message(&message, &mut actions),
                Ok(None) => break,
                Err(broken) => {
                    let why = match broken {
                        FrameError::TooLong => "a message is too long",
                        FrameError::TooDeep => "a message is nested too deeply",
                        FrameError::Reserved => "it sent something that is not msgpack",
                    };
                    self.close(why, &mut actions);
                }
            }
        }
        actions
    }

    fn close(&mut self, why: &str, actions: &mut Vec<Action>) {
        self.has_ended = true;
        actions.push(Action::Close(why.to_owned()));
    }

    fn handle_message(&mut self, bytes: &[u8], actions: &mut Vec<Action>) {
        match rpc::decode(bytes) {
            Some(Message::Answer(id, answer)) => {
                // Neovim answers cancelled requests, too. They are no longer pending, so their answers are ignored.
                if let Some(about) = self.pending.remove(&id) {
                    self.handle_answer(about, answer, actions);
                }
            }
            Some(Message::Notification(name, arguments)) if name == "marquetry" && self.installed => {
                let (what, said) = (arguments.first().and_then(Value::as_str), arguments.get(1));
                let notification = what.and_then(|what| decode::event(what, said.unwrap_or(&Value::Nil)));
                actions.extend(notification.map(Action::Notify));
            }
            Some(Message::Notification(..)) => {}
            Some(Message::Request(id)) => actions.push(Action::Send(rpc::error_response(id))),
            None => self.close("it sent something that is not msgpack-rpc", actions),
        }
    }

    fn handle_answer(&mut self, about: Pending, answer: Result<Value, Value>, actions: &mut Vec<Action>) {
        match (about, answer) {
            (Pending::Request(message), answer) => {
                let answer = match &answer {
                    Ok(said) => decode::answer(&message.request, said),
                    Err(said) => Err(neovim_failure(&message.request, said)),
                };
                actions.push(Action::Answer(AnswerMessage { id: message.id, answer }));
            }
            (Pending::Info, Ok(info)) => match parse_info(&info) {
                Some((channel, title)) => {
                    (self.channel, self.title) = (channel, title);
                    actions.push(self.run_lua(Pending::Folders, FOLDERS, vec![]));
                }
                None => self.close("its handshake message is invalid", actions),
            },
            (Pending::Folders, Ok(folders)) => {
                let folders = decode::folders(&folders);
                let title = self.title.clone();
                actions.push(Action::Introduce(Introduction { title, folders, abilities: abilities_without(&[]) }));
            }
            (Pending::Installed, Ok(_)) => {}
            (_, Err(said)) => self.close(&decode::error_message(&said), actions),
        }
    }

    fn install(&mut self) -> Vec<Action> {
        self.installed = true;
        let options = Value::Map(vec![("share_selection".into(), self.share_selection.into())]);
        let name: Value = "marquetry".into();
        let version = Value::Map(vec![]);
        let who = vec![name, version, "plugin".into(), Value::Map(vec![]), Value::Map(vec![])];
        let told = Action::Send(rpc::notification("nvim_set_client_info", who));
        vec![told, self.run_lua(Pending::Installed, SESSION, vec![self.channel.into(), options])]
    }
}

impl Session for NeovimSession {
    fn handle(&mut self, event: Event) -> Vec<Action> {
        match event {
            _ if self.has_ended => Vec::new(),
            Event::Opened => vec![self.send_request(Pending::Info, "nvim_get_api_info", vec![])],
            Event::Received(bytes) => self.handle_bytes(&bytes),
            Event::Closed(_) => {
                self.has_ended = true;
                Vec::new()
            }
            Event::Welcome if !self.installed => self.install(),
            Event::Request(message) => vec![self.request(message)],
            Event::Cancelled(id) => {
                self.pending.retain(|_, about| !matches!(about, Pending::Request(message) if message.id == id));
                Vec::new()
            }
            Event::Welcome | Event::Woken(_) => Vec::new(),
        }
    }
}

/// Parses our channel ID and Neovim's version.
fn parse_info(info: &Value) -> Option<(u64, String)> {
    let [channel, about, ..] = info.as_array()?.as_slice() else { return None };
    let of = |map: &Value, key: &str| {
        let pair = map.as_map()?.iter().find(|(known, _)| known.as_str() == Some(key))?;
        Some(pair.1.clone())
    };
    let version = of(about, "version")?;
    let [major, minor, patch] =
        ["major", "minor", "patch"].map(|part| of(&version, part).and_then(|part| part.as_u64()));
    Some((channel.as_u64()?, format!("Neovim {}.{}.{}", major?, minor?, patch?)))
}

/// Returns the failure to report to the host if Neovim answers a request with an error.
fn neovim_failure(request: &Request, said: &Value) -> Failure {
    let what = encode::call(request).0.replace('_', " ");
    Failure::new(ErrorKind::EditorFailed, format!("Neovim failed to {what}: {}", decode::error_message(said)))
}
