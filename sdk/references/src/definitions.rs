//! Definitions as symbols: entries of `$defs`, `definitions` or `components`, and values with an `$anchor`, with the
//! references to them in the same file and in others.

use marquetry_jsonpath::{Kind, Tree, ValueTable};
use marquetry_sdk::{
    Destination, Edit, ExportedName, Failure, FailureKind, FileLocation, ImportKey, ImportedName, InterfaceFacts,
    Occurrence, RenameResult, RenamedExport, Request, Resolution, Result, Span, Subject, Usage, fail, shared,
    workspace,
};

use crate::resources::Resources;

/// Root keys of an API description whose members can be referenced.
const COMPONENT_KEYS: [&str; 2] = ["components", "x-components"];
/// Sections whose entries are referenced by name instead of by pointer.
const SECTIONS_BY_NAME: [&str; 2] = ["securitySchemes", "securityDefinitions"];
/// Maximum depth of values to visit.
const DEEPEST: usize = 100;

/// A definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// JSON pointer: `/$defs/Address`. For an anchor, the pointer of the schema, with `#address` as the last step.
    pub pointer: String,
    /// The key, or the name of the anchor.
    pub name: String,
    /// The defined value; for an anchor, the text of the anchor.
    pub value: u32,
    /// The range of the key or anchor in the text; `None` if it is written with escapes.
    pub span: Option<Span>,
}

/// A reference by JSON pointer or anchor.
#[derive(Debug, Clone, PartialEq)]
struct PointerReference {
    /// The whole text: `address.json#/$defs/Address`.
    text: String,
    /// The part before the `#`.
    file: String,
    /// The resource (see [`Resources`]) that contains the reference.
    resource: usize,
    /// True if the reference refers to the document that contains it.
    is_local: bool,
    /// The decoded steps; an anchor is a single step that starts with `#`.
    steps: Vec<String>,
    /// The number of leading steps that are not in the text, because the pointer starts at a resource and not at the
    /// root of the document.
    implied_steps: usize,
    /// The range of the text; `None` if it is written with escapes.
    span: Option<Span>,
    /// The value that contains the reference.
    value: u32,
    /// True if the text only looks like a reference.
    is_uncertain: bool,
}

/// The definitions and references of a document.
#[derive(Debug, Default)]
pub struct Definitions {
    definitions: Vec<Definition>,
    pointers: Vec<PointerReference>,
}

/// The symbol that a query is about.
enum QueriedSymbol<'a> {
    Local(&'a Definition),
    Elsewhere(String, FileLocation),
    Imported(ImportKey),
    /// A name that is not a definition.
    NotDefinition(String),
}

/// Returns whether a text may contain definitions or references to them: faster than a search of all values.
pub fn may_define(text: &str) -> bool {
    ["$defs", "definitions", "components", "$ref", "$anchor"].iter().any(|word| text.contains(word))
}

impl Definitions {
    /// Collects the definitions of a document. `at` converts a number to a node. The spans exclude quotes, and are
    /// `None` for keys and texts that are written with escapes.
    pub fn collect<D: ValueTable + Tree>(
        document: &D,
        at: impl Fn(u32) -> D::Node,
        root: u32,
        key_span: impl Fn(D::Key) -> Option<Span>,
        value_span: impl Fn(u32) -> Option<Span>,
    ) -> Definitions {
        let mut found = Definitions::default();
        let mut parts = Resources::new();
        let mut waiting: Vec<(u32, usize, Option<String>)> = vec![(root, 0, None)];
        let mut path: Vec<String> = Vec::new();
        while let Some((id, depth, step)) = waiting.pop() {
            path.truncate(depth.saturating_sub(1));
            path.extend(step);
            let node = at(id);
            if document.kind(node) == Kind::String {
                found.add_string(id, &path, &document.text(node), (&parts, value_span(id)));
                continue;
            }
            if depth > DEEPEST {
                continue;
            }
            let is_object = document.kind(node) == Kind::Object;
            let own_id = is_object.then(|| document.member(node, "$id")).flatten();
            let own_id = own_id.filter(|own| document.kind(*own) == Kind::String).map(|own| document.text(own));
            parts.enter(&path, own_id.as_deref());
            let defines = is_object && contains_definitions(&path);
            let from = waiting.len();
            for (index, (key, value)) in document.entries(id).enumerate() {
                let name = key.map_or_else(|| index.to_string(), |key| document.name(key).into_owned());
                if let Some(key) = key.filter(|_| defines) {
                    let pointer = json_pointer(path.iter().map(String::as_str).chain([name.as_str()]));
                    found.definitions.push(Definition { pointer, name: name.clone(), value, span: key_span(key) });
                }
                waiting.push((value, depth + 1, Some(name)));
            }
            waiting[from..].reverse();
        }
        found.pointers.iter_mut().for_each(|pointer| pointer.resolve_resource(&parts));
        found
    }

    /// Records a string as an anchor or a reference.
    fn add_string(&mut self, value: u32, path: &[String], text: &str, (parts, span): (&Resources, Option<Span>)) {
        let anchor = match path.last().map(String::as_str) {
            Some("$anchor") => Some((text, span)),
            // Anchors in drafts before 2019-09.
            Some("$id") => {
                text.strip_prefix('#').map(|name| (name, span.map(|span| Span { start: span.start + 1, ..span })))
            }
            _ => None,
        };
        let Some((name, span)) = anchor.filter(|(name, _)| is_anchor(name)) else {
            return self.add_reference(value, path, text, (parts.innermost(), span));
        };
        let mut pointer = json_pointer(parts.path(parts.innermost()).iter().map(String::as_str));
        pointer.extend(["/#", name]);
        self.definitions.push(Definition { pointer, name: name.to_owned(), value, span });
    }

    fn add_reference(&mut self, value: u32, path: &[String], text: &str, (around, span): (usize, Option<Span>)) {
        let mut steps = path.iter().rev().map(String::as_str);
        let (Some(key), above) = (steps.next(), steps.next()) else { return };
        let is_reference = matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef" | "operationRef");
        let is_doubtful = !is_reference && above != Some("mapping");
        let Some((file, fragment)) = text.split_once('#') else { return };
        if is_doubtful && !file.is_empty() {
            return;
        }
        let steps = match fragment.strip_prefix('/') {
            Some(steps) => steps.split('/').map(decoded_step).collect(),
            None if is_reference && is_anchor(fragment) => vec![format!("#{fragment}")],
            None => return,
        };
        self.pointers.push(PointerReference {
            text: text.to_owned(),
            file: file.to_owned(),
            resource: around,
            is_local: false,
            steps,
            implied_steps: 0,
            span,
            value,
            // The anchor that a dynamic reference resolves to depends on the referring schema.
            is_uncertain: is_doubtful || (key == "$dynamicRef" && !fragment.starts_with('/')),
        });
    }

    /// The value of the definition with a key at this span.
    pub fn value_with_key(&self, key: Span) -> Option<u32> {
        self.definitions.iter().find(|definition| definition.span == Some(key)).map(|definition| definition.value)
    }

    // --- queries ---

    /// The exported definitions, and the references to other files.
    pub fn facts(&self) -> InterfaceFacts {
        let export = |definition: &Definition| ExportedName {
            name: definition.pointer.clone(),
            local: Some(definition.name.clone()),
            span: definition.span.unwrap_or(Span::at(0)),
            kind: "definition".to_owned(),
            type_only: false,
        };
        let import = |pointer: &PointerReference| ImportedName {
            specifier: pointer.text.clone(),
            name: self::json_pointer(pointer.steps.iter().map(String::as_str)),
            local: None,
            exported: None,
            type_only: false,
        };
        let of_others = self.pointers.iter().filter(|pointer| !pointer.is_local);
        InterfaceFacts {
            exports: self.definitions.iter().filter(|definition| definition.span.is_some()).map(export).collect(),
            imports: of_others.map(import).collect(),
            shared: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Resolves a symbol in the document at a path. `addressed` finds the value at an address; `open` reads another
    /// file.
    ///
    /// # Errors
    ///
    /// Fails with `TargetNotFound` if the symbol is not a definition.
    pub fn resolve(
        &self,
        path: &str,
        subject: Subject,
        addressed: impl Fn(&str) -> Result<u32>,
        open: impl Fn(&str) -> Option<Definitions>,
    ) -> Result<Resolution> {
        Ok(match self.queried_symbol(path, subject, addressed, open)? {
            QueriedSymbol::Local(definition) => {
                let mut occurrences: Vec<Occurrence> = definition
                    .span
                    .map(|span| Occurrence { span, usage: Usage::Declaration, certain: true })
                    .into_iter()
                    .collect();
                occurrences
                    .extend(self.pointer_occurrences(&pointer_steps(&definition.pointer), |pointer| pointer.is_local));
                occurrences.sort_by_key(|occurrence| occurrence.span.start);
                Resolution {
                    kind: "definition".to_owned(),
                    occurrences,
                    exported_as: vec![definition.pointer.clone()],
                    ..shared::empty_resolution(&definition.name)
                }
            }
            QueriedSymbol::Elsewhere(name, place) => {
                Resolution { kind: "definition".to_owned(), elsewhere: Some(place), ..shared::empty_resolution(&name) }
            }
            QueriedSymbol::Imported(key) => Resolution {
                kind: "definition".to_owned(),
                occurrences: self
                    .pointer_occurrences(&pointer_steps(&key.name), |pointer| key.specifiers.contains(&pointer.text))
                    .collect(),
                ..shared::empty_resolution(last_step(&key.name))
            },
            QueriedSymbol::NotDefinition(name) => shared::empty_resolution(&name),
        })
    }

    /// Renames a definition in this document.
    ///
    /// # Errors
    ///
    /// Fails like [`resolve`](Definitions::resolve), with `InvalidArgument` if the new name is not valid, and with
    /// `RefactorFailed` if it already exists.
    pub fn rename(
        &self,
        path: &str,
        subject: Subject,
        new_name: &str,
        addressed: impl Fn(&str) -> Result<u32>,
        open: impl Fn(&str) -> Option<Definitions>,
    ) -> Result<RenameResult> {
        match self.queried_symbol(path, subject, addressed, open)? {
            QueriedSymbol::Local(definition) => self.rename_definition(definition, new_name),
            QueriedSymbol::Elsewhere(name, place) => {
                Ok(RenameResult { elsewhere: Some(place), ..shared::empty_renaming(&name) })
            }
            QueriedSymbol::Imported(key) => {
                let of_file = |pointer: &PointerReference| key.specifiers.contains(&pointer.text);
                let renaming = self.rename_pointers(&pointer_steps(&key.name), new_name, of_file, last_step(&key.name));
                // The name may be one of another format, which matches no definition. Then the new name is not checked.
                if !renaming.edits.is_empty() {
                    check_name(new_name)?;
                }
                Ok(renaming)
            }
            QueriedSymbol::NotDefinition(name) => Ok(shared::empty_renaming(&name)),
        }
    }

    fn rename_definition(&self, definition: &Definition, new_name: &str) -> Result<RenameResult> {
        let own = pointer_steps(&definition.pointer);
        let is_anchor = own.last().is_some_and(|step| step.starts_with('#'));
        check_name(new_name)?;
        if is_anchor && !self::is_anchor(new_name) {
            let message = format!("`{new_name}` is not an anchor");
            return Err(fail(FailureKind::InvalidArgument, message).hint("start it with a letter or `_`"));
        }
        let Some(span) = definition.span else {
            let message = format!("the key `{}` is written with escapes and cannot be renamed", definition.name);
            return Err(fail(FailureKind::RefactorFailed, message).hint("write it without escapes first"));
        };
        if definition.name == new_name {
            return Ok(shared::empty_renaming(&definition.name));
        }
        let mut new = own.clone();
        new.pop();
        new.push(if is_anchor { format!("#{new_name}") } else { new_name.to_owned() });
        let pointer = json_pointer(new.iter().map(String::as_str));
        if let Some(taken) = self.definitions.iter().find(|other| other.pointer == pointer) {
            let failure = fail(FailureKind::RefactorFailed, format!("a definition `{new_name}` already exists"));
            let failure = failure.hint("choose another name");
            return Err(match taken.span {
                Some(span) => failure.at(span),
                None => failure,
            });
        }
        let twins = self.definitions.iter().filter(|other| other.pointer == definition.pointer).count();
        if twins > 1 {
            let message = format!("the key `{}` occurs {twins} times, and only the last one is used", definition.name);
            return Err(fail(FailureKind::RefactorFailed, message).hint("remove the other keys first").at(span));
        }
        let mut renaming = self.rename_pointers(&own, new_name, |pointer| pointer.is_local, &definition.name);
        renaming.edits.push(Edit::new(span, new_name));
        renaming.edits.sort_by_key(|edit| edit.span.start);
        renaming.exported.push(RenamedExport { old: definition.pointer.clone(), new: pointer });
        Ok(renaming)
    }

    fn rename_pointers(
        &self,
        own: &[String],
        new_name: &str,
        is_of: impl Fn(&PointerReference) -> bool,
        name: &str,
    ) -> RenameResult {
        let mut renaming = shared::empty_renaming(name);
        for pointer in self.pointers.iter().filter(|pointer| is_of(pointer) && pointer.passes_through(own)) {
            match pointer.step_span(own.len() - 1) {
                Some(span) if !pointer.is_uncertain => renaming.edits.push(Edit::new(span, new_name)),
                other => renaming.unresolved.extend(other.or(pointer.span)),
            }
        }
        renaming
    }

    fn pointer_occurrences(
        &self,
        own: &[String],
        is_of: impl Fn(&PointerReference) -> bool,
    ) -> impl Iterator<Item = Occurrence> {
        let those = self.pointers.iter().filter(move |pointer| is_of(pointer) && pointer.passes_through(own));
        those.filter_map(move |pointer| {
            let span = pointer.step_span(own.len() - 1).or(pointer.span)?;
            Some(Occurrence { span, usage: Usage::Read, certain: !pointer.is_uncertain })
        })
    }

    fn queried_symbol(
        &self,
        path: &str,
        subject: Subject,
        addressed: impl Fn(&str) -> Result<u32>,
        open: impl Fn(&str) -> Option<Definitions>,
    ) -> Result<QueriedSymbol<'_>> {
        let nothing = || -> Failure {
            fail(FailureKind::TargetNotFound, "no definition or reference to a definition at this position")
                .hint("give a member of `$defs`, `definitions` or `components`, or a `$ref`")
        };
        match subject {
            Subject::At(offset) => {
                let holds = |span: Option<Span>| span.is_some_and(|span| span.touches(offset as usize));
                if let Some(own) = self.definitions.iter().find(|definition| holds(definition.span)) {
                    return Ok(QueriedSymbol::Local(own));
                }
                let pointer = self.pointers.iter().find(|pointer| holds(pointer.span)).ok_or_else(nothing)?;
                self.referenced_definition(path, pointer, open)
            }
            Subject::Address(address) => {
                let value = addressed(&address)?;
                if let Some(own) = self.definitions.iter().find(|definition| definition.value == value) {
                    return Ok(QueriedSymbol::Local(own));
                }
                let pointer = self.pointers.iter().find(|pointer| pointer.value == value).ok_or_else(nothing)?;
                self.referenced_definition(path, pointer, open)
            }
            Subject::Exported(name) => {
                let own = self.definitions.iter().find(|definition| definition.pointer == name);
                own.map(QueriedSymbol::Local).ok_or_else(nothing)
            }
            Subject::Imported(key) => Ok(QueriedSymbol::Imported(key)),
            Subject::ImportedDefault(key) => Ok(QueriedSymbol::NotDefinition(key.called)),
            Subject::Declared(key) => Ok(QueriedSymbol::NotDefinition(key.name)),
            Subject::Shared(name) => Err(shared::unknown_namespace(&name.namespace)),
        }
    }

    /// The innermost definition that a reference resolves to.
    fn referenced_definition(
        &self,
        path: &str,
        pointer: &PointerReference,
        open: impl Fn(&str) -> Option<Definitions>,
    ) -> Result<QueriedSymbol<'_>> {
        let missing = |why: String| {
            let failure = fail(FailureKind::TargetNotFound, why)
                .hint("the reference must point to a definition in a workspace file of the same format");
            match pointer.span {
                Some(span) => failure.at(span),
                None => failure,
            }
        };
        if pointer.is_local {
            let own = self.innermost_definition(&pointer.steps);
            return own
                .map(QueriedSymbol::Local)
                .ok_or_else(|| missing(format!("no definition at `{}`", pointer.text)));
        }
        let request = Request { kind: "ref".to_owned(), specifier: pointer.text.clone() };
        let Some(Destination::Inside(target)) = crate::resolve(path, &[request]).pop() else {
            return Err(missing(format!("`{}` does not point to a file of the workspace", pointer.text)));
        };
        let Some(other) = workspace::stat(&target.path).and_then(|_| open(&target.path)) else {
            return Err(missing(format!("{} has another format: give a target in that file", target.path)));
        };
        match other.innermost_definition(&pointer.steps).and_then(|definition| Some((definition, definition.span?))) {
            Some((definition, span)) => Ok(QueriedSymbol::Elsewhere(
                definition.name.clone(),
                FileLocation { path: target.path, offset: span.start },
            )),
            None => Err(missing(format!("no definition at `{}`", pointer.text))),
        }
    }

    fn innermost_definition(&self, steps: &[String]) -> Option<&Definition> {
        let is_above = |definition: &&Definition| steps.starts_with(&self::pointer_steps(&definition.pointer));
        self.definitions.iter().filter(is_above).max_by_key(|definition| definition.pointer.len())
    }
}

impl PointerReference {
    /// If the reference names a resource of this document, prepends the path of the resource to the steps.
    fn resolve_resource(&mut self, parts: &Resources) {
        let Some(part) = parts.find(self.resource, &self.file) else { return };
        self.is_local = true;
        self.implied_steps = parts.path(part).len();
        self.steps.splice(..0, parts.path(part).iter().cloned());
    }

    /// Returns whether the reference passes through these steps, and the last of them is part of its text.
    fn passes_through(&self, steps: &[String]) -> bool {
        self.steps.starts_with(steps) && steps.len() > self.implied_steps
    }

    /// The range of a step in the text.
    fn step_span(&self, index: usize) -> Option<Span> {
        let span = self.span?;
        let mut at = self.file.len() + 1;
        if !self.text[at..].starts_with('/') {
            return Some(Span { start: span.start + at as u32, ..span });
        }
        let index = index.checked_sub(self.implied_steps)?;
        for step in self.text[at..].split('/').skip(1).take(index) {
            at += 1 + step.len();
        }
        let length = self.text[at + 1..].split('/').next().map_or(0, str::len);
        let start = span.start as usize + at + 1;
        Some(Span::new(start, start + length))
    }
}

/// Returns whether the members at this path are definitions.
fn contains_definitions(path: &[String]) -> bool {
    let [.., last] = path else { return false };
    match path {
        [first, kind] if COMPONENT_KEYS.contains(&first.as_str()) => !SECTIONS_BY_NAME.contains(&kind.as_str()),
        _ => {
            matches!(last.as_str(), "$defs" | "definitions")
                && path.iter().rev().nth(1).is_none_or(|above| above != "properties")
        }
    }
}

fn json_pointer<'s>(steps: impl Iterator<Item = &'s str>) -> String {
    steps.map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
}

fn pointer_steps(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

fn check_name(new_name: &str) -> Result<()> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if new_name.is_empty() || !new_name.chars().all(is_name) {
        let message = format!("`{new_name}` is not a valid definition name");
        return Err(fail(FailureKind::InvalidArgument, message).hint("use letters, digits, `.`, `-` and `_`"));
    }
    Ok(())
}

/// Returns whether a name is a valid anchor.
fn is_anchor(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

fn last_step(pointer: &str) -> &str {
    pointer.rsplit('/').next().unwrap_or(pointer).trim_start_matches('#')
}

/// Decodes a step of a reference: escapes of URLs and of JSON pointers.
fn decoded_step(step: &str) -> String {
    marquetry_sdk::urls::decode(step).replace("~1", "/").replace("~0", "~")
}
