//! The host: calls by name with JSON, in the background, and the tools with their schemas.

use std::{future::Future, sync::Arc};

use marquetry_catalog::{
    Answer, Catalog, Tool, ToolFormat,
    text::{self, Style},
    tool_list,
};
use marquetry_model::{
    Error, Result, Work,
    editor::{Editors, Subscription},
    servers::Servers,
};
use marquetry_runtime::PackSet;
use serde_json::{Map, Value};

use crate::{Event, HostBuilder, PendingCall, event::Listener, workers::Workers};

/// Argument that gives the reason of a change, for the history.
const WHY: &str = "why";

/// The tools over one or several roots. Clones are cheap and share everything except the settings of their calls.
///
/// # Examples
///
/// ```
/// use marquetry::{Host, MemoryFiles};
/// use serde_json::json;
///
/// # fn main() -> marquetry::Result<()> {
/// let files = MemoryFiles::new([("a.txt", "one\n")]);
/// let host = Host::builder().files(files.clone()).build()?;
/// host.call("file_move", json!({ "source": "a.txt", "destination": "docs/a.txt" }))?;
/// assert_eq!(files.paths(), ["docs/a.txt"]);
/// host.call("file_undo", json!({}))?;
/// assert_eq!(files.paths(), ["a.txt"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
    catalog: Catalog,
    /// The work of which the calls of this clone are parts.
    work: Option<Work>,
    client: Arc<str>,
    reason: Option<Arc<str>>,
}

struct Shared {
    packs: Option<Arc<PackSet>>,
    servers: Option<Arc<dyn Servers>>,
    workers: Workers,
    _events: Option<Subscription>,
}

/// The parts that a builder puts together.
pub(crate) struct Parts {
    pub(crate) catalog: Catalog,
    pub(crate) packs: Option<Arc<PackSet>>,
    pub(crate) servers: Option<Arc<dyn Servers>>,
    pub(crate) client: String,
}

impl Host {
    /// Returns the settings of a new host.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// let host = marquetry::Host::builder().root("/projects/shop").build()?;
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn builder() -> HostBuilder {
        HostBuilder::new()
    }

    pub(crate) fn new(parts: Parts, listener: Option<Listener>) -> Host {
        let Parts { catalog, packs, servers, client } = parts;
        let events = listener.map(|listener| Event::subscribe(catalog.running(), listener));
        let shared = Shared { packs, servers, workers: Workers::default(), _events: events };
        Host { shared: Arc::new(shared), catalog, work: None, client: client.into(), reason: None }
    }

    /// Calls a tool by name, with its arguments as a JSON object, and waits for the answer.
    ///
    /// # Errors
    /// Fails with the kind, hint and candidates of the tool's error. Nothing is written in that case.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, Kind, MemoryFiles};
    /// use serde_json::json;
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::new([("a.txt", "one")])).build()?;
    /// let answer = host.call("query", json!({ "type": "files" }))?;
    /// assert_eq!(answer["data"]["files"][0]["path"], "a.txt");
    ///
    /// let error = host.call("file_move", json!({ "sorce": "a.txt", "destination": "b.txt" })).unwrap_err();
    /// assert_eq!(error.kind(), Kind::InvalidArgument);
    /// assert_eq!(error.content().candidates, ["source"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value> {
        let tool = tool.to_owned();
        self.run(move |host| host.answer(&tool, arguments)?.to_json())
    }

    /// Calls a tool in the background. The call is a future for any executor; dropping it cancels the call.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    /// use serde_json::json;
    ///
    /// async fn paths(host: &Host) -> marquetry::Result<usize> {
    ///     let answer = host.call_async("query", json!({ "type": "files" })).await?;
    ///     Ok(answer["data"]["files"].as_array().map_or(0, Vec::len))
    /// }
    /// # let host = Host::builder().files(MemoryFiles::new([("a.txt", "one")])).build()?;
    /// # let future = paths(&host);
    /// # Ok::<(), marquetry::Error>(())
    /// ```
    pub fn call_async(&self, tool: &str, arguments: Value) -> PendingCall<Value> {
        let tool = tool.to_owned();
        self.run_async(move |host| host.answer(&tool, arguments)?.to_json())
    }

    /// Runs calls in the background, with their types. The calls belong together: dropping the future cancels the
    /// running one, and the following ones fail.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{CreateArgs, Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// let args = CreateArgs { path: "a.txt".into(), content: Some("one".into()), ..CreateArgs::default() };
    /// let created = host.run_async(move |host| host.file_create(&args)).wait()?;
    /// assert!(created.success);
    /// # Ok(())
    /// # }
    /// ```
    pub fn run_async<T: Send + 'static>(
        &self,
        calls: impl FnOnce(&Host) -> Result<T> + Send + 'static,
    ) -> PendingCall<T> {
        // Dropping the future cancels this part only, and not the other calls of the caller's work.
        let work = self.work.as_ref().map_or_else(Work::default, Work::part);
        let (pending, completer) = PendingCall::new(work.clone());
        let host = self.with_work(&work);
        if Workers::is_current_thread() {
            // The calls run on this thread, because all other threads may be busy with calls that wait, too.
            completer.complete(calls(&host));
            return pending;
        }
        if let Err(error) = self.shared.workers.start(move || completer.complete(calls(&host))) {
            let (failed, completer) = PendingCall::new(work);
            completer.complete(Err(error));
            return failed;
        }
        pending
    }

    /// Runs calls and waits for them: on a thread with a large stack, or on this one if it has such a stack.
    fn run<T: Send + 'static>(&self, calls: impl FnOnce(&Host) -> Result<T> + Send + 'static) -> Result<T> {
        if Workers::is_current_thread() { calls(self) } else { self.run_async(calls).wait() }
    }

    /// Calls a tool on this thread.
    pub(crate) fn answer(&self, tool: &str, arguments: Value) -> Result<Box<dyn Answer>> {
        let tool = self.catalog.find(tool)?;
        let mut arguments = match arguments {
            Value::Object(arguments) => arguments,
            Value::Null => Map::new(),
            _ => return Err(Error::argument("the arguments are not an object").hint("pass arguments by name")),
        };
        if let Some(reason) = self.reason.as_ref().filter(|_| !tool.read_only) {
            arguments.entry(WHY).or_insert_with(|| reason.as_ref().into());
        }
        // Each call has its own origin and notes.
        let work = self.work.as_ref().map_or_else(Work::default, Work::part);
        if !self.client.is_empty() {
            work.set_client(&self.client);
        }
        self.catalog.call(tool, arguments, &work)
    }

    /// Calls a tool with typed arguments. They are converted to JSON first, so that the same checks apply.
    pub(crate) fn call_typed<R: Send + 'static>(
        &self,
        tool: &'static str,
        arguments: &impl serde::Serialize,
    ) -> Result<R> {
        let arguments = serde_json::to_value(arguments)
            .map_err(|error| Error::internal(format!("the arguments of `{tool}` are not JSON: {error}")))?;
        self.run(move |host| {
            let answer = host.answer(tool, arguments)?.into_any().downcast::<R>();
            answer.map(|answer| *answer).map_err(|_| Error::internal(format!("`{tool}` answers with another type")))
        })
    }

    /// Returns a host whose calls are parts of this work. The work reports their progress, and cancelling it cancels
    /// them.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, Kind, MemoryFiles, Work};
    /// use serde_json::json;
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// let work = Work::default();
    /// work.listen(|progress| println!("{progress}"));
    /// work.cancel();
    /// let error = host.with_work(&work).call("file_history", json!({})).unwrap_err();
    /// assert_eq!(error.kind(), Kind::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_work(&self, work: &Work) -> Host {
        Host { work: Some(work.clone()), ..self.clone() }
    }

    /// Returns a host whose changes have this reason in the history.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    /// use serde_json::json;
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).client("shop-agent 1.2").build()?;
    /// let file = json!({ "path": "a.txt", "content": "one" });
    /// host.with_reason("the shop needs a page").call("file_create", file)?;
    /// let history = host.call("file_history", json!({}))?;
    /// assert_eq!(history["changes"][0]["why"], "the shop needs a page");
    /// assert_eq!(history["changes"][0]["client"], "shop-agent 1.2");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_reason(&self, reason: &str) -> Host {
        Host { reason: Some(reason.into()), ..self.clone() }
    }

    /// Returns a host with these editors. It is for editors that need the catalog of the host, and so are created after
    /// it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use marquetry::{Host, MemoryFiles, ports::NoEditors};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// let host = host.with_editors(Arc::new(NoEditors));
    /// assert!(!host.catalog().bench().editors().is_any_attached());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_editors(&self, editors: Arc<dyn Editors>) -> Host {
        Host { catalog: self.catalog.with_bench(self.catalog.bench().with_editors(editors)), ..self.clone() }
    }

    /// All tools, with their names, descriptions and schemas.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// let tool = host.tools().iter().find(|tool| tool.name == "file_read").unwrap();
    /// assert!(tool.read_only && tool.input_schema()["properties"]["file"].is_object());
    /// # Ok(())
    /// # }
    /// ```
    pub fn tools(&self) -> &[Tool] {
        self.catalog.tools()
    }

    /// Returns the definitions of all tools for the API of a model.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles, ToolFormat};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// let tools = host.tool_definitions(ToolFormat::Anthropic);
    /// assert_eq!(tools[0]["name"], "file_read");
    /// # Ok(())
    /// # }
    /// ```
    pub fn tool_definitions(&self, format: ToolFormat) -> Value {
        tool_list(&self.catalog, None, format)
    }

    /// Returns the result of a call as text for a language model, which needs fewer tokens than JSON.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    /// use serde_json::json;
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::new([("a.txt", "one")])).build()?;
    /// let result = host.call("file_read", json!({ "file": "b.txt" }));
    /// assert!(host.text_for_model("file_read", &result).starts_with("FileNotFound: `b.txt` does not exist"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn text_for_model(&self, tool: &str, result: &Result<Value>) -> String {
        match result {
            Ok(answer) => text::render(tool, answer, Style::for_models()),
            Err(error) => text::error(error, Style::for_models()),
        }
    }

    /// The catalog of tools, for front ends such as those of `marquetry-wire`.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// assert_eq!(host.catalog().find("file/read")?.name, "file_read");
    /// # Ok(())
    /// # }
    /// ```
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The sandbox with the packs; `None` if the program has its own implementation of packs.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// assert_eq!(host.sandbox().map(|packs| packs.guest_memory()), Some(0), "no pack runs yet");
    /// # Ok(())
    /// # }
    /// ```
    pub fn sandbox(&self) -> Option<&Arc<PackSet>> {
        self.shared.packs.as_ref()
    }

    /// The language servers; `None` without the feature `servers`, or if the host was built without them.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, MemoryFiles};
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// assert!(host.language_servers().is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn language_servers(&self) -> Option<&Arc<dyn Servers>> {
        self.shared.servers.as_ref()
    }

    /// Cancels all calls, accepts no new ones, and waits a while for running ones, so that no change is interrupted.
    /// Then stops the language servers. Returns whether all calls have ended.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry::{Host, Kind, MemoryFiles};
    /// use serde_json::json;
    ///
    /// # fn main() -> marquetry::Result<()> {
    /// let host = Host::builder().files(MemoryFiles::default()).build()?;
    /// assert!(host.shut_down());
    /// assert_eq!(host.call("file_history", json!({})).unwrap_err().kind(), Kind::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shut_down(&self) -> bool {
        let ended = self.catalog.shut_down();
        self.shared.servers.iter().for_each(|servers| servers.stop_all());
        ended
    }
}

/// Asserts at compile time that a host can be cloned and shared between threads.
const _: fn() = || {
    fn is_shareable<T: Clone + Send + Sync + 'static>() {}
    fn is_future<T: Future + Send>() {}
    is_shareable::<Host>();
    is_future::<PendingCall<Value>>();
};
