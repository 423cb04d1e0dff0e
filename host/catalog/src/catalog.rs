//! Catalog of all tools, bound to a workbench: finds a tool, validates the arguments of a call, and runs it.

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use marquetry_model::{Error, Result, Work, nearest::nearest_names};
use marquetry_tools::{OpenArgs, Workbench};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::{
    arguments,
    other_names::tool_for,
    running::Running,
    tool::{Answer, Tool},
    tool_schemas::WHY,
    tools::tools,
};

/// Maximum time that shutdown waits for running calls. Each call is cancelled, and ends when it next checks for
/// cancellation.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// The catalog of tools, bound to a workbench.
#[derive(Clone)]
pub struct Catalog {
    tools: Arc<Tools>,
    bench: Workbench,
    /// True if more than one root is served. Then an absolute path in the arguments selects the root.
    has_several_roots: bool,
    running: Running,
}

/// The tools, and an index by name and method.
struct Tools {
    list: Vec<Tool>,
    indexes: HashMap<&'static str, usize>,
}

impl Catalog {
    /// Creates the catalog for a workbench.
    pub fn new(bench: Workbench) -> Catalog {
        let list = tools();
        let names = list.iter().enumerate().flat_map(|(place, tool)| [(tool.name, place), (tool.method, place)]);
        let tools = Tools { indexes: names.collect(), list };
        let has_several_roots = bench.roots().served().len() > 1;
        Catalog { tools: Arc::new(tools), bench, has_several_roots, running: Running::default() }
    }

    /// All tools.
    pub fn tools(&self) -> &[Tool] {
        &self.tools.list
    }

    /// The workbench that the tools use.
    pub fn bench(&self) -> &Workbench {
        &self.bench
    }

    /// Returns a catalog for another workbench, with the same running calls.
    #[must_use]
    pub fn with_bench(&self, bench: Workbench) -> Catalog {
        let has_several_roots = bench.roots().served().len() > 1;
        Catalog { bench, has_several_roots, ..self.clone() }
    }

    /// Returns a catalog whose answers have at most about this many bytes, unless a call sets another limit.
    #[must_use]
    pub fn with_answer_limit(&self, bytes: usize) -> Catalog {
        self.with_bench(self.bench.with_max_bytes(bytes))
    }

    /// Returns a catalog with only the roots that a client reported. `None` if none of them is served.
    pub fn narrowed(&self, uris: &[String]) -> Option<Catalog> {
        Some(self.with_bench(self.bench.with_roots(self.bench.roots().restricted_to(uris)?)))
    }

    /// Finds a tool by its name or method.
    pub fn find(&self, name: &str) -> Result<&Tool> {
        if let Some(place) = self.tools.indexes.get(name) {
            return Ok(&self.tools.list[*place]);
        }
        let unknown = Error::argument(format!("no tool `{name}`"));
        if let Some((tool, hint)) = tool_for(name) {
            return Err(unknown.hint(hint).candidates([tool.to_owned()]));
        }
        let names = self.tools().iter().map(|tool| tool.name.to_owned());
        let mut candidates = nearest_names(name, names.clone());
        if candidates.is_empty() {
            candidates = names.collect();
        }
        Err(unknown.hint("use one of the candidates").candidates(candidates))
    }

    /// Calls a tool. A panic becomes an error of this call.
    pub fn call(&self, tool: &Tool, given: Map<String, Value>, work: &Work) -> Result<Box<dyn Answer>> {
        work.check()?;
        let mut run = self.running.begin(tool.name, !tool.read_only, work)?;
        tracing::debug!("call of {}", tool.name);
        let answer = self.answer(tool, given, work);
        run.set_failure(answer.as_ref().err().map(Error::kind));
        answer
    }

    /// Validates the arguments and runs the tool.
    fn answer(&self, tool: &Tool, given: Map<String, Value>, work: &Work) -> Result<Box<dyn Answer>> {
        let mut arguments = arguments::validate(tool.name, tool.input_schema(), given)?;
        if self.has_several_roots && !arguments.contains_key("root") {
            self.infer_root(tool, &mut arguments);
        }
        let why = arguments.remove(WHY);
        work.set_origin(tool.name, &tool.call_description(&arguments), why.as_ref().and_then(Value::as_str));
        let call = AssertUnwindSafe(|| tool.run(&self.bench.with_progress(work), Value::Object(arguments)));
        std::panic::catch_unwind(call).unwrap_or_else(|cause| {
            let message = cause
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| cause.downcast_ref::<String>().cloned());
            Err(Error::internal(format!("the tool `{}` panicked: {}", tool.name, message.unwrap_or_default())))
        })
    }

    /// Returns the content that `open` would show in an editor. It is shown in a terminal if no editor is attached.
    pub fn open_content(&self, given: Map<String, Value>, work: &Work) -> Result<Value> {
        let tool = self.find("open")?;
        let arguments = Value::Object(arguments::validate(tool.name, tool.input_schema(), given)?);
        let arguments = OpenArgs::deserialize(&arguments).map_err(|error| {
            let refusal = arguments::enum_value_error(tool.name, tool.input_schema(), &arguments);
            refusal.unwrap_or_else(|| Error::argument(format!("{}: {error}", tool.name)))
        })?;
        self.bench.with_progress(work).show_items(&arguments)?.to_json()
    }

    /// The running calls.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// Shuts down: cancels all calls, accepts no new ones, and waits a while for running ones so that no change is
    /// interrupted. Returns whether all have ended.
    pub fn shut_down(&self) -> bool {
        self.running.shut_down(SHUTDOWN_TIMEOUT)
    }

    /// Sets `root` to the root that contains the absolute path in the arguments.
    fn infer_root(&self, tool: &Tool, arguments: &mut Map<String, Value>) {
        let path = tool.file_argument().and_then(|name| arguments.get(name)).and_then(Value::as_str);
        // A call works in one root, so the first path of a list decides.
        let first = ["/files/0", "/changes/0/file"].iter().find_map(|at| string_at(arguments, at));
        let path = path.or(first);
        let path = path.map(|path| path.strip_prefix("file://").unwrap_or(path)).filter(|path| path.starts_with('/'));
        if let Some(root) = path.and_then(|path| self.bench.roots().root_of(path)) {
            arguments.insert("root".to_owned(), root.into());
        }
    }
}

/// String at a path such as `/files/0`.
fn string_at<'a>(arguments: &'a Map<String, Value>, at: &str) -> Option<&'a str> {
    let (name, rest) = at.strip_prefix('/')?.split_once('/')?;
    arguments.get(name)?.pointer(&format!("/{rest}"))?.as_str()
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
pub(crate) mod tests;
