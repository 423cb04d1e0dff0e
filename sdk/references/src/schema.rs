//! Schemas in JSON Schema, OpenAPI, Swagger and AsyncAPI documents: their positions, the place for definitions, and
//! the extraction of a subschema into a definition.

use std::collections::HashSet;

use marquetry_jsonpath::{Kind, Tree, ValueTable, push_name};
use marquetry_sdk::refactor::Argument;
use marquetry_sdk::{Edit, FailureKind, Result, Span, fail};

/// Keys with a single schema.
const SINGLE_SCHEMA_KEYS: [&str; 14] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "extends",
    "disallow",
];
/// Keys with schemas by name.
const NAMED_SCHEMA_KEYS: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Keys with a list of schemas.
const SCHEMA_LIST_KEYS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keys with plain data, even if it looks like a schema.
const DATA_KEYS: [&str; 5] = ["const", "default", "enum", "example", "examples"];
/// Root keys that identify a document as a schema.
const SCHEMA_ROOT_KEYS: [&str; 9] =
    ["$schema", "$defs", "definitions", "properties", "allOf", "anyOf", "oneOf", "items", "patternProperties"];

/// The extraction of a subschema into a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// The new definition as a JSONPath.
    pub path: String,
    /// The reference that replaces the schema: `#/$defs/Name`.
    pub reference: String,
    /// Other references into the schema: their values and new texts.
    pub moved_references: Vec<(u32, String)>,
}

/// The argument of this refactoring, shared by all formats.
pub const EXTRACTED_NAME: Argument = Argument {
    name: "extractedName",
    summary: "the name of the definition; by default the title of the schema, or its key",
    values: &[],
    required: false,
};

impl Extraction {
    /// Adds the edits of the references into the schema, and sorts all edits. `own` is the range of the schema,
    /// `span` returns the range of a value, and `quoted` writes a string in the syntax of the format.
    ///
    /// # Errors
    ///
    /// Fails with `RefactorFailed` if the schema refers to a part of itself, or if the definition would be inside of
    /// it.
    pub fn with_reference_edits(
        &self,
        mut edits: Vec<Edit>,
        own: Span,
        span: impl Fn(u32) -> Span,
        quoted: impl Fn(&str) -> String,
    ) -> Result<Vec<Edit>> {
        for (id, to) in &self.moved_references {
            let place = span(*id);
            // A reference to the whole schema from inside of it still resolves to the definition.
            match own.contains(place) {
                false => edits.push(Edit::new(place, quoted(to))),
                true if *to == self.reference => {}
                true => {
                    let message = "the schema contains a reference to a part of itself";
                    return Err(fail(FailureKind::RefactorFailed, message)
                        .hint("extract that part into its own definition first")
                        .at(place));
                }
            }
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        if edits.windows(2).any(|pair| pair[0].span.end > pair[1].span.start) {
            let message = "the new definition would be inside the extracted schema";
            return Err(fail(FailureKind::RefactorFailed, message).hint("choose a schema without definitions in it"));
        }
        Ok(edits)
    }
}

/// The role of a value in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Schema,
    /// Schemas by name, or a list of them.
    Schemas,
    /// Definitions by name.
    Definitions,
    Data,
    /// A part of an API description that is not a schema.
    Other,
}

/// The form of a document, determined by its root keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentForm {
    /// A JSON Schema, whose definitions are under this key of the root.
    Schema(&'static str),
    /// `components.schemas`.
    Components,
    Swagger,
}

/// Extracts the value with this number into a definition called `name`. `at` converts a number to a node.
///
/// # Errors
///
/// Fails with `RefactorFailed` if the value is not a schema or cannot be replaced by a reference, and with
/// `InvalidArgument` if the name is not valid.
pub fn plan_extraction<D: ValueTable + Tree>(
    document: &D,
    at: impl Fn(u32) -> D::Node,
    (root, value): (u32, u32),
    name: Option<&str>,
) -> Result<Extraction> {
    let form = document_form(document, at(root))?;
    let walk = Walk::collect(document, &at, root, value);
    let path = walk.path;
    check_extractable(document, &at, form, &path, (root, value))?;
    let container = form.container();
    let taken = definition_names(document, &at, root, container);
    let name = match name {
        Some(name) => checked_name(name, &taken)?,
        None => {
            let title = document.member(at(value), "title").filter(|title| document.kind(*title) == Kind::String);
            let title = title.map(|title| document.text(title).into_owned());
            free_name(&suggested_name(&path, title, &taken), &taken)
        }
    };
    let mut target = "$".to_owned();
    container.iter().for_each(|step| push_name(&mut target, step));
    push_name(&mut target, &name);
    let reference = format!("#/{}/{name}", container.join("/"));
    let pointer = json_pointer(&path);
    let into = |text: &str| {
        text.strip_prefix(&pointer).filter(|rest| rest.is_empty() || rest.starts_with('/')).map(str::to_owned)
    };
    let led = walk.references.into_iter().filter_map(|id| Some((id, into(&document.text(at(id)))?)));
    let moved = led.map(|(id, rest)| (id, format!("{reference}{rest}"))).collect();
    Ok(Extraction { path: target, reference, moved_references: moved })
}

fn refactor_failed(message: impl Into<String>) -> marquetry_sdk::Failure {
    fail(FailureKind::RefactorFailed, message)
}

fn document_form<T: Tree>(document: &T, root: T::Node) -> Result<DocumentForm> {
    let has = |key: &str| document.member(root, key).is_some();
    if has("openapi") || has("asyncapi") {
        return Ok(DocumentForm::Components);
    }
    if has("swagger") {
        return Ok(DocumentForm::Swagger);
    }
    if document.kind(root) != Kind::Object || !SCHEMA_ROOT_KEYS.iter().any(|key| has(key)) {
        return Err(refactor_failed("this is not a JSON Schema or an OpenAPI document")
            .hint("a schema needs `$schema` at its root, an OpenAPI document `openapi`"));
    }
    let dialect = document.member(root, "$schema").map(|dialect| document.text(dialect).into_owned());
    let old = dialect.is_some_and(|dialect| {
        ["draft-04", "draft-06", "draft-07", "draft-03"].iter().any(|old| dialect.contains(old))
    });
    Ok(DocumentForm::Schema(if !has("$defs") && (old || has("definitions")) { "definitions" } else { "$defs" }))
}

impl DocumentForm {
    /// The keys of the container of definitions.
    fn container(self) -> &'static [&'static str] {
        match self {
            DocumentForm::Schema("definitions") | DocumentForm::Swagger => &["definitions"],
            DocumentForm::Schema(_) => &["$defs"],
            DocumentForm::Components => &["components", "schemas"],
        }
    }

    fn root_role(self) -> Role {
        if matches!(self, DocumentForm::Schema(_)) { Role::Schema } else { Role::Other }
    }
}

impl Role {
    /// The role of the value under this key or at this index.
    fn child_role(self, step: &Step, above: Option<&Step>) -> Role {
        let key = match (step, self) {
            (_, Role::Schemas | Role::Definitions) => return Role::Schema,
            (Step::Index(_), Role::Schema) => return Role::Schema, // an element of `items`
            (Step::Index(_), other) => return other,
            (Step::Key(key), _) => key.as_str(),
        };
        let under = |name: &str| matches!(above, Some(Step::Key(key)) if key == name);
        match self {
            Role::Data => Role::Data,
            _ if DATA_KEYS.contains(&key) || key.starts_with("x-") => Role::Data,
            Role::Schema if key == "$defs" || key == "definitions" => Role::Definitions,
            Role::Schema if NAMED_SCHEMA_KEYS.contains(&key) || (SCHEMA_LIST_KEYS.contains(&key) && key != "items") => {
                Role::Schemas
            }
            Role::Schema if SINGLE_SCHEMA_KEYS.contains(&key) => Role::Schema,
            Role::Schema => Role::Data,
            Role::Other if key == "schema" || (key == "payload" && !under("properties")) => Role::Schema,
            Role::Other if key == "schemas" && under("components") => Role::Definitions,
            Role::Other if key == "definitions" && above.is_none() => Role::Definitions,
            other => other,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// The result of a walk through a document.
struct Walk {
    /// The path to the requested value.
    path: Vec<Step>,
    /// The values of `$ref`.
    references: Vec<u32>,
}

impl Walk {
    fn collect<D: ValueTable + Tree>(document: &D, at: &impl Fn(u32) -> D::Node, root: u32, value: u32) -> Walk {
        let mut walk = Walk { path: Vec::new(), references: Vec::new() };
        // Values still to visit, last first, with their depth and their step.
        let mut waiting: Vec<(u32, usize, Option<Step>)> = vec![(root, 0, None)];
        let mut path: Vec<Step> = Vec::new();
        while let Some((id, depth, step)) = waiting.pop() {
            path.truncate(depth.saturating_sub(1));
            path.extend(step);
            if id == value {
                walk.path.clone_from(&path);
            }
            let is_reference = matches!(path.last(), Some(Step::Key(key)) if key == "$ref");
            if is_reference && document.kind(at(id)) == Kind::String {
                walk.references.push(id);
            }
            let from = waiting.len();
            for (index, (key, id)) in document.entries(id).enumerate() {
                let step = key.map_or(Step::Index(index), |key| Step::Key(document.name(key).into_owned()));
                waiting.push((id, depth + 1, Some(step)));
            }
            waiting[from..].reverse();
        }
        walk
    }
}

fn check_extractable<D: ValueTable + Tree>(
    document: &D,
    at: &impl Fn(u32) -> D::Node,
    form: DocumentForm,
    path: &[Step],
    (root, value): (u32, u32),
) -> Result<()> {
    let mut role = form.root_role();
    let mut roles = vec![role];
    for (index, step) in path.iter().enumerate() {
        role = role.child_role(step, index.checked_sub(1).map(|above| &path[above]));
        roles.push(role);
    }
    let node = at(value);
    if path.is_empty() && role == Role::Schema {
        return Err(refactor_failed("the root schema cannot be extracted").hint("choose a subschema"));
    }
    if role != Role::Schema || document.kind(node) != Kind::Object {
        return Err(refactor_failed("this is not a schema")
            .hint("choose an object that describes a value, such as a member of `properties`, `items` or `allOf`"));
    }
    if roles[roles.len() - 2] == Role::Definitions {
        return Err(refactor_failed("this schema is already a definition").hint("choose a subschema"));
    }
    if document.member(node, "$ref").is_some() {
        return Err(refactor_failed("this schema is already a reference").hint("choose a schema without `$ref`"));
    }
    // References inside a schema with an identifier are relative to that identifier.
    let identifier = if form == DocumentForm::Schema("definitions") { "id" } else { "$id" };
    let mut above = at(root);
    for (step, role) in path.iter().zip(&roles[1..]) {
        let next = match step {
            Step::Key(key) => document.member(above, key),
            Step::Index(index) => document.element(above, *index),
        };
        let Some(next) = next else { break };
        let id = ["$id", identifier].iter().find_map(|key| document.member(next, key));
        if *role == Role::Schema && id.is_some_and(|id| document.kind(id) == Kind::String) {
            return Err(refactor_failed("this schema or one around it has an identifier, the base of its references")
                .hint("extract it by hand, and write its references as absolute URIs"));
        }
        above = next;
    }
    Ok(())
}

/// The names of the existing definitions.
fn definition_names<D: ValueTable + Tree>(
    document: &D,
    at: &impl Fn(u32) -> D::Node,
    root: u32,
    container: &[&str],
) -> HashSet<String> {
    let mut node = Some(at(root));
    for step in container {
        node = node.and_then(|node| document.member(node, step));
    }
    node.into_iter().flat_map(|node| document.members(node)).map(|(name, _)| name.into_owned()).collect()
}

fn is_definition_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

fn checked_name(name: &str, taken: &HashSet<String>) -> Result<String> {
    let invalid = |message: String| fail(FailureKind::InvalidArgument, message);
    if !is_definition_name(name) {
        return Err(
            invalid(format!("`{name}` is not a valid definition name")).hint("use letters, digits, `.`, `-` and `_`")
        );
    }
    if taken.contains(name) {
        let free = free_name(name, taken);
        return Err(invalid(format!("a definition `{name}` already exists"))
            .hint("choose another name")
            .candidates([free]));
    }
    Ok(name.to_owned())
}

fn free_name(name: &str, taken: &HashSet<String>) -> String {
    let mut free = name.to_owned();
    let mut number = 1;
    while taken.contains(&free) {
        number += 1;
        free = format!("{name}{number}");
    }
    free
}

/// A name from the schema's title or its key. It is capitalized if most existing names are.
fn suggested_name(path: &[Step], title: Option<String>, taken: &HashSet<String>) -> String {
    let title: Option<String> =
        title.map(|title| title.split(|c: char| !c.is_ascii_alphanumeric()).map(capitalised).collect());
    let named = path.windows(2).rev().find_map(|pair| match pair {
        [Step::Key(above), Step::Key(key)] if NAMED_SCHEMA_KEYS.contains(&above.as_str()) => Some(key),
        _ => None,
    });
    let place =
        named.map(|key| key.chars().filter(|c| is_definition_name(c.encode_utf8(&mut [0; 4]))).collect::<String>());
    let is_element = matches!(path.last(), Some(Step::Key(key)) if key == "items");
    let place = place.map(|name| if is_element { format!("{name}Item") } else { name });
    let name = title.filter(|title| is_definition_name(title)).or(place.filter(|name| is_definition_name(name)));
    let name = name.unwrap_or_else(|| "schema".to_owned());
    let capitals = taken.iter().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())).count();
    if capitals * 2 > taken.len() { capitalised(&name) } else { name }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// The JSON pointer of a path, as written in a reference.
fn json_pointer(path: &[Step]) -> String {
    let mut out = "#".to_owned();
    for step in path {
        out.push('/');
        match step {
            Step::Key(key) => out.push_str(&key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => out.push_str(&index.to_string()),
        }
    }
    out
}
