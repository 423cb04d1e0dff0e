//! The tool list and the server instructions.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use marquetry_catalog::Tool;
use marquetry_model::{Error, Result, Work};
use rmcp::model::{CallToolResult, Tool as McpTool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::answers::{self, Answers};
use crate::{ServedCatalog, queues::Queue};

/// Server instructions.
const INSTRUCTIONS: &str = "Marquetry reads and edits files by naming the thing instead of guessing lines. \
Prefer file_read over reading a whole file: name what you want to see (below: how, for each format); without a target a large file shows \
its outline. Prefer file_edit over replacing strings: it changes exactly what was named, re-indents what it inserts, refuses edits that \
break the syntax, and answers with a diff and an id for file_undo. Addresses in answers and in the candidates of errors can be used as \
targets. Paths are relative to the project's root. The resources `marq://formats/…` describe the formats.";

/// Text that is appended to the instructions if the formats are not known yet, because their packs must be compiled
/// first.
const TARGET_KINDS_HELP: &str = "\n- code: `symbol`, e.g. UserService.findById\n- data: `path`, e.g. $.scripts.build\n- pages and stylesheets: \
`selector`, e.g. nav > a.active\n- marked-up data: `xpath`, e.g. /feed/item[1]\n- documents: `heading`, e.g. Guide > Install\n- any \
text: `lines`, e.g. 7-12";

/// Length at which clients truncate instructions.
const MAX_INSTRUCTIONS: usize = 2_000;
/// Maximum time to wait for the list of formats. If packs have to be compiled, the list takes longer, and the
/// instructions do not contain it.
const FORMATS_TIMEOUT: Duration = Duration::from_millis(300);
/// Tool that gives access to the unlisted tools.
pub(crate) const MORE: &str = "more_tools";
/// Arguments that are rarely needed, of any tool or of one (`tool.argument`). The short list omits them, but they are
/// accepted.
const RARE_ARGUMENTS: [&str; 51] = [
    "root",
    "why",
    "includeMetadata",
    "includeDoc",
    "maxLines",
    "offset",
    "maxBytes",
    "values",
    "around",
    "force",
    "preview",
    "expectedHash",
    "position",
    "column",
    "depth",
    "only",
    "severity",
    "scope",
    "exports",
    "updateImports",
    "overwrite",
    "createDirectories",
    "includeDeclaration",
    "usage",
    "checks",
    "startColumn",
    "endColumn",
    "changes",
    "engine",
    "regex",
    "wholeWord",
    "ignoreCase",
    "upsert",
    "selectionRange",
    "extractedName",
    "arguments",
    "startLine",
    "endLine",
    "kind",
    "multiline",
    "context",
    "countOnly",
    "replacement",
    "file_edit.pattern",
    "query.selector",
    "query.xpath",
    "query.heading",
    "query.region",
    "query.limit",
    "wrapper",
    "file_edit.line",
];

/// Settings of the server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// Content of tool results.
    pub answers: Answers,
    /// If set, lists only the core tools and a tool that gives access to the others.
    pub core: bool,
}

/// The tools and instructions, shared by all clients of a server.
pub(crate) struct ToolList {
    settings: Settings,
    listed: Vec<McpTool>,
    names: Vec<&'static str>,
    instructions: Arc<Instructions>,
}

/// Instructions that are completed in the background.
struct Instructions {
    text: Mutex<Option<String>>,
    ready: Condvar,
    since: Instant,
    fallback: String,
}

impl ToolList {
    pub(crate) fn new(catalog: &ServedCatalog, settings: Settings) -> ToolList {
        let tools = catalog.tools().iter().filter(|tool| tool.core || !settings.core);
        let mut base = INSTRUCTIONS.to_owned();
        let listed = if settings.core {
            let rest: Vec<&str> = unlisted_names(catalog).collect();
            base += &format!("\n{MORE} gives access to further arguments and tools: {}.", rest.join(", "));
            short_descriptions(tools, settings.answers)
                .chain([more_tools_definition(&rest, settings.answers)])
                .collect()
        } else {
            all_descriptions(tools, settings.answers)
        };
        let names = catalog.tools().iter().map(|tool| tool.name).collect();
        ToolList { settings, listed, names, instructions: Instructions::begin(catalog, base) }
    }

    /// Returns the tools that `tools/list` contains: all of them, or the core tools and `more_tools`.
    pub(crate) fn listed(&self) -> &[McpTool] {
        &self.listed
    }

    /// The instructions.
    pub(crate) fn instructions(&self) -> String {
        self.instructions.text()
    }

    /// Returns whether a tool of this name exists, listed or not.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains(&name) || (self.settings.core && name == MORE)
    }

    /// Calls a tool by name.
    pub(crate) fn call(
        &self,
        catalog: &ServedCatalog,
        name: &str,
        given: Map<String, Value>,
        work: &Work,
    ) -> CallToolResult {
        if name == MORE {
            return answers::result_or_error(self.run_more_tools(catalog, given, work));
        }
        answers::result_or_error(self.call_tool(catalog, name, given, work))
    }

    /// The queue for a call.
    pub(crate) fn queue(&self, name: &str, given: &Map<String, Value>) -> Queue {
        let inner = (given.get("tool").and_then(Value::as_str), given.get("arguments").and_then(Value::as_object));
        match inner {
            (Some(tool), Some(arguments)) if name == MORE => Queue::for_arguments(tool, arguments),
            _ => Queue::for_arguments(name, given),
        }
    }

    fn call_tool(
        &self,
        catalog: &ServedCatalog,
        name: &str,
        given: Map<String, Value>,
        work: &Work,
    ) -> Result<CallToolResult> {
        let tool = catalog.find(name)?;
        let answer = catalog.call(tool, given, work)?;
        self.settings.answers.tool_result(tool.name, answer.as_ref())
    }

    /// Implements `more_tools`: lists the unlisted tools, describes a tool, or calls one.
    fn run_more_tools(
        &self,
        catalog: &ServedCatalog,
        mut given: Map<String, Value>,
        work: &Work,
    ) -> Result<CallToolResult> {
        let (name, arguments) = (given.remove("tool"), given.remove("arguments"));
        if let Some(unknown) = given.keys().next() {
            return Err(Error::argument(format!("{MORE} has no argument `{unknown}`"))
                .hint("its arguments are: tool, arguments; put the arguments of the tool into `arguments`"));
        }
        if let Some(name) = name.as_ref().filter(|name| !name.is_string() && !name.is_null()) {
            return Err(Error::argument(format!("{MORE}: `tool` is {name}, and must be the name of a tool")));
        }
        let name = name.as_ref().and_then(Value::as_str);
        let text = match (name, arguments) {
            (Some(name), Some(Value::Object(arguments))) => return self.call_tool(catalog, name, arguments, work),
            (_, Some(arguments)) => {
                let given = format!("{MORE}: `arguments` must be an object and needs `tool`; it is {arguments}");
                return Err(Error::argument(given).hint("give `tool` alone to see its arguments"));
            }
            (Some(name), None) => {
                let tool = catalog.find(name)?;
                format!("{}\n\narguments: {}", tool.description, tool.input_schema())
            }
            (None, None) => {
                let tools = catalog.tools().iter().filter(|tool| !tool.core);
                tools.map(|tool| format!("{}: {}\n", tool.name, first_sentence(tool))).collect()
            }
        };
        // The output schema of `more_tools` accepts any object.
        Ok(answers::text_result(self.settings.answers, text))
    }
}

impl Instructions {
    /// Starts a thread that adds to the instructions how each format is addressed.
    fn begin(catalog: &ServedCatalog, otherwise: String) -> Arc<Instructions> {
        let formats =
            Instructions { text: Mutex::new(None), ready: Condvar::new(), since: Instant::now(), fallback: otherwise };
        let formats = Arc::new(formats);
        let (catalog, shared) = (catalog.clone(), Arc::clone(&formats));
        let collect = move || {
            // Prepare the packs in the background, so that the first call does not wait for packs it does not need.
            if let Ok(files) = catalog.bench().files(None) {
                catalog.bench().packs().prepare(&files);
            }
            let text = with_formats(&catalog, shared.fallback.clone());
            *shared.text.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            shared.ready.notify_all();
        };
        // If the thread cannot be started, the fallback text is used.
        let _ = std::thread::Builder::new().name("formats".to_owned()).spawn(collect);
        formats
    }

    fn text(&self) -> String {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let left = FORMATS_TIMEOUT.saturating_sub(self.since.elapsed());
        let waited = self.ready.wait_timeout_while(text, left, |text| text.is_none());
        let (text, _) = waited.unwrap_or_else(PoisonError::into_inner);
        text.clone().unwrap_or_else(|| self.fallback.clone() + TARGET_KINDS_HELP)
    }
}

/// Appends a line for each format with an installed pack.
fn with_formats(catalog: &ServedCatalog, mut text: String) -> String {
    let Ok(files) = catalog.bench().files(None) else { return text + TARGET_KINDS_HELP };
    let known = text.len();
    for description in catalog.bench().packs().descriptions(&files) {
        let Some(target) = description.targets.first() else { continue };
        let example = target.examples.first().map(|example| format!(", e.g. {example}")).unwrap_or_default();
        let line = format!(
            "\n- {} ({}): `{}`{example}",
            description.name,
            description.files.first().map_or("", String::as_str),
            target.kind.name()
        );
        if text.len() + line.len() <= MAX_INSTRUCTIONS {
            text += &line;
        }
    }
    // Without packs, list the kinds of targets.
    if text.len() == known { text + TARGET_KINDS_HELP } else { text }
}

fn unlisted_names(catalog: &ServedCatalog) -> impl Iterator<Item = &'static str> {
    catalog.tools().iter().filter(|tool| !tool.core).map(|tool| tool.name)
}

fn first_sentence(tool: &Tool) -> &'static str {
    tool.description.split_inclusive(". ").next().unwrap_or_default().trim_end()
}

fn into_object(schema: Value) -> Arc<Map<String, Value>> {
    match schema {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

/// Returns the input schema, shortened for models. Fields of list items that also exist at the top level are left out.
fn deduplicated_schema(tool: &Tool) -> Value {
    let mut schema = tool.input_schema().clone();
    let Some(properties) = schema["properties"].as_object_mut() else { return schema };
    let names: HashSet<String> = properties.keys().cloned().collect();
    for property in properties.values_mut() {
        // A minimum of zero is removed, because models know that counts are not negative.
        if let Some(property) = property.as_object_mut().filter(|property| property.get("minimum") == Some(&json!(0))) {
            property.remove("minimum");
        }
        // Keywords that only validation needs are removed, because each call is validated against the full schema.
        if let Some(property) = property.as_object_mut() {
            property.retain(|keyword, value| {
                !(keyword == "additionalProperties" && value.is_boolean()) && keyword != "default"
            });
        }
        let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) else { continue };
        items.remove("additionalProperties");
        let required: Vec<Value> = items.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let Some(fields) = items.get_mut("properties").and_then(Value::as_object_mut) else { continue };
        // Validators insist that required fields are declared.
        fields.retain(|name, _| !names.contains(name) || required.iter().any(|known| known == name));
        if items.get("properties").and_then(Value::as_object).is_some_and(Map::is_empty) {
            items.remove("properties");
            items.remove("description");
        }
    }
    schema
}

/// Descriptions of arguments, each with the first tool that has it.
#[derive(Default)]
struct SeenDescriptions(HashMap<(String, String), &'static str>);

impl SeenDescriptions {
    /// Returns what to show as the description of an argument: `text`, or a reference to an earlier tool with the same
    /// description if that is shorter.
    fn description_or_reference(&mut self, tool: &Tool, name: &str, (description, text): (&str, &str)) -> String {
        let first = *self.0.entry((name.to_owned(), description.to_owned())).or_insert(tool.name);
        let reference = format!("See {first}.");
        // A reference must save more than a few letters, because the model has to find the other description.
        let is_shorter = reference.len() + 8 < text.len();
        if first != tool.name && is_shorter { reference } else { text.to_owned() }
    }
}

/// Describes tools with all their arguments.
pub(super) fn all_descriptions<'a>(tools: impl Iterator<Item = &'a Tool>, answers: Answers) -> Vec<McpTool> {
    let mut explained = SeenDescriptions::default();
    tools.map(|tool| describe_tool(tool, answers, &mut explained)).collect()
}

/// Describes a tool with all its arguments.
fn describe_tool(tool: &Tool, answers: Answers, explained: &mut SeenDescriptions) -> McpTool {
    let mut schema = deduplicated_schema(tool);
    for (name, property) in schema["properties"].as_object_mut().into_iter().flatten() {
        if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
            items.remove("description");
        }
        if let Some(description) = property["description"].as_str() {
            property["description"] = explained.description_or_reference(tool, name, (description, description)).into();
        }
    }
    let mut annotations = ToolAnnotations::new().read_only(tool.read_only).open_world(false);
    if !tool.read_only {
        // `idempotentHint` is omitted if it is false, which is its default in the protocol.
        annotations = annotations.destructive(tool.destructive);
        annotations.idempotent_hint = tool.idempotent.then_some(true);
    }
    let described = McpTool::new(tool.name, tool.description, into_object(schema))
        .with_title(tool.title)
        .with_annotations(annotations);
    if answers.is_structured() {
        described.with_raw_output_schema(into_object(tool.output_schema()))
    } else {
        described
    }
}

/// The shortest form of the tools: descriptions are not repeated, and rarely needed arguments are omitted.
fn short_descriptions<'a>(tools: impl Iterator<Item = &'a Tool>, answers: Answers) -> impl Iterator<Item = McpTool> {
    let mut explained = SeenDescriptions::default();
    tools.map(move |tool| {
        let mut schema = tool.input_schema().clone();
        if let Some(properties) = schema["properties"].as_object_mut() {
            let of_tool = |name: &str| format!("{}.{name}", tool.name);
            properties
                .retain(|name, _| !RARE_ARGUMENTS.iter().any(|seldom| seldom == name || *seldom == of_tool(name)));
            for (name, property) in properties {
                if let Some(items) = property.get_mut("items").filter(|items| items["type"] == "object") {
                    *items = json!({ "type": "object" });
                }
                for inner in
                    property.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
                {
                    *inner = json!({ "type": inner["type"] });
                }
                let Some(about) = property["description"].as_str() else { continue };
                let sentence = about.split_inclusive(". ").next().unwrap_or_default().trim_end();
                property["description"] = explained.description_or_reference(tool, name, (about, sentence)).into();
            }
        }
        let mut schema = into_object(schema);
        // The schema omits some arguments, so it must not forbid others.
        Arc::make_mut(&mut schema).remove("additionalProperties");
        let annotations = ToolAnnotations::new().read_only(tool.read_only);
        let described = McpTool::new(tool.name, tool.description, schema).with_annotations(annotations);
        if answers.is_structured() {
            described.with_raw_output_schema(into_object(tool.output_schema()))
        } else {
            described
        }
    })
}

fn more_tools_definition(names: &[&str], answers: Answers) -> McpTool {
    let about = format!(
        "Other tools: {}. Without arguments: describes each. With `tool`, also one that is listed: describes all its \
         arguments. With `tool` and `arguments`: calls it.",
        names.join(", ")
    );
    let schema = json!({
        "type": "object",
        "properties": {
            "tool": { "type": "string", "description": "Name of the tool." },
            "arguments": { "type": "object", "description": "The arguments of that tool." },
        },
        "additionalProperties": false,
    });
    let annotations = ToolAnnotations::new().read_only(false).destructive(true).open_world(false);
    let more = McpTool::new(MORE, about, into_object(schema)).with_title("More Tools").with_annotations(annotations);
    if answers.is_structured() { more.with_raw_output_schema(into_object(json!({ "type": "object" }))) } else { more }
}
