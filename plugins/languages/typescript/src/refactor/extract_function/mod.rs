//! `extract_function` and `extract_method`: move an expression or statements to a function, and call it.
//!
//! ```text
//! function f(a) {            →   function f(a) {
//!   return «a * 2»;                return newFunction(a);
//! }                              }
//!
//!                                function newFunction(a) {
//!                                  return a * 2;
//!                                }
//! ```
//!
//! `semantics/extraction` finds places for the function, and determines its inputs, its outputs and their types;
//! [`writing`] writes it.

mod writing;

#[cfg(test)]
mod tests;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring, refactor_failure};
use marquetry_sdk::{Failure, FailureKind, Result, Rewrite, fail};

use crate::TypeScriptDocument;
use crate::editor::SyntaxEditor;
use crate::semantics::extraction::code_range::CodeRange;
use crate::semantics::extraction::data_flow::{DataFlow, ExposedVariable};
use crate::semantics::extraction::function_targets::FunctionTarget;
use crate::semantics::extraction::function_types::FunctionTypes;
use crate::semantics::names::is_function_name;
use crate::semantics::selection::selected_code;
use crate::semantics::{Semantics, subclasses};
use writing::FunctionWriter;

const NAME_ARGUMENT: Argument = Argument {
    name: "extractedName",
    summary: "the name of the new function; by default an unused name such as `newFunction` or `newMethod`",
    values: &[],
    required: false,
};

const SCOPE_ARGUMENT: Argument = Argument {
    name: "scope",
    summary: "where to declare the function: `module` or `file` for the top level of the file; `inner` or `function` \
              for the function around the selection; or a number: 0 for `inner`, plus one for each body or namespace \
              further out. By default the outermost scope in which the types of all parameters are known",
    values: &[],
    required: false,
};

/// Extracts to a function.
pub(super) const EXTRACT_FUNCTION: Refactoring<TypeScriptDocument> = Refactoring {
    id: "extract_function",
    title: "Extract to a function",
    place: Place::Selection,
    arguments: &[NAME_ARGUMENT, SCOPE_ARGUMENT],
    asks_exporters: false,
    apply: |document, input| extract(document, input, false),
};

/// Extracts to a method of the class.
pub(super) const EXTRACT_METHOD: Refactoring<TypeScriptDocument> = Refactoring {
    id: "extract_method",
    title: "Extract to a method",
    place: Place::Selection,
    arguments: &[NAME_ARGUMENT],
    asks_exporters: false,
    apply: |document, input| extract(document, input, true),
};

/// A function at one target.
struct Extraction<'a> {
    flow: DataFlow<'a>,
    types: FunctionTypes,
}

impl Extraction<'_> {
    fn knows_types(&self) -> bool {
        !self.types.loses_narrowing && self.types.parameters.iter().all(Option::is_some)
    }
}

fn extract(document: &TypeScriptDocument, input: &RefactorInput, is_method: bool) -> Result<Rewrite> {
    Semantics::with_valid_syntax(document, |code| {
        let selected = selected_code(code.parsed, code.text(), input.at.span)?;
        let range = CodeRange::new(code.semantic(), selected)?;
        code.check_contextual_types(range.returned_values())?;
        code.check_static_names(range.node())?;
        if range.statements().is_none() {
            code.check_computed_key(range.node())?;
        }
        let exposed = ExposedVariable::collect(code, &range)?;
        let into = |target| extraction_at(code, &range, &exposed, target);
        let extraction = if is_method {
            into(FunctionTarget::class_target(code, &range)?)?
        } else {
            choose_extraction(code, &range, input.argument("scope"), into)?
        };
        let (flow, types) = (&extraction.flow, &extraction.types);
        let name = function_name(code, &flow.target, input, is_method)?;
        let mut editor = SyntaxEditor::new(code);
        let returned = editor.fresh_name(writing::RETURN_VALUE_NAME);
        let style = editor.style().clone();
        let writer =
            FunctionWriter { code, range: &range, exposed: &exposed, flow, types, name: &name, style, returned };
        writer.write(&mut editor);
        editor.import_types(&types.imports);
        editor.mark_name(range.span.start, &name);
        let rewrite = editor.finish()?;
        let ask = match flow.target.class() {
            Some((class, is_static)) => subclasses::subclass_questions(document, class, is_static, &name),
            None => Vec::new(),
        };
        Ok(Rewrite { incomplete: extraction.type_warning(code, &range), ask, ..rewrite })
    })
}

impl Extraction<'_> {
    /// Returns a warning about types that are unknown or may differ.
    fn type_warning(&self, code: Semantics<'_, '_>, range: &CodeRange<'_>) -> Option<String> {
        let types = &self.types;
        let unknown = self.flow.parameters.iter().zip(&types.parameters).filter(|(_, ty)| ty.is_none());
        let unknown: Vec<String> = unknown.map(|(parameter, _)| format!("`{}`", parameter.name)).collect();
        if !unknown.is_empty() {
            return Some(format!("the type of {} is unknown and is written as `any`", unknown.join(", ")));
        }
        let mut widened = range.returned_values().into_iter().filter(|_| types.returned.is_none());
        let lost = "type narrowing by the conditions around the selection may be lost in the new function";
        widened
            .find_map(|node| code.widening_warning(node))
            .or_else(|| types.loses_narrowing.then(|| lost.to_owned()))
            .or_else(|| {
                let name = types.lost_narrowing.as_ref()?;
                Some(format!("type narrowing of `{name}` by the condition may be lost"))
            })
    }
}

/// Returns the function at a target. Fails if it cannot be declared there.
fn extraction_at<'a>(
    code: Semantics<'_, 'a>,
    range: &CodeRange<'a>,
    exposed: &[ExposedVariable<'a>],
    target: FunctionTarget<'a>,
) -> Result<Extraction<'a>> {
    let mut flow = DataFlow::for_target(code, range, target)?;
    let types = match code.is_typed() {
        true => FunctionTypes::infer(code, range, exposed, &mut flow),
        false => FunctionTypes::default(),
    };
    let names: Vec<&str> = flow.type_parameters.iter().map(|symbol| code.name_of(*symbol)).collect();
    if let Some((_, name)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        return Err(refactor_failure(format!("the function would need two type parameters named `{name}`"))
            .hint("use `scope: inner`, or rename one of them"));
    }
    Ok(Extraction { flow, types })
}

/// Returns the function at the requested or the most suitable target.
fn choose_extraction<'a>(
    code: Semantics<'_, 'a>,
    range: &CodeRange<'a>,
    scope: Option<&str>,
    into: impl Fn(FunctionTarget<'a>) -> Result<Extraction<'a>>,
) -> Result<Extraction<'a>> {
    let mut targets = FunctionTarget::enclosing_targets(code, range);
    if targets.is_empty() {
        return Err(refactor_failure("no scope around the selection can contain a function"));
    }
    let Some(scope) = scope else { return outermost_extraction(range, targets, into) };
    let last = targets.len() - 1;
    let index = match scope {
        "inner" | "block" | "function" => Some(0),
        "module" | "file" => Some(last),
        "class" => return Err(refactor_failure("a class cannot contain a function").hint("use `extract_method`")),
        number => number.parse::<usize>().ok().filter(|index| *index <= last),
    };
    match index {
        Some(index) => into(targets.swap_remove(index)),
        None => {
            let known = ["inner", "module"].map(str::to_owned).into_iter();
            Err(fail(FailureKind::InvalidArgument, format!("unknown scope `{scope}`"))
                .candidates(known.chain((0..=last).map(|number| number.to_string()))))
        }
    }
}

/// Returns the function at the outermost target where its types are known.
fn outermost_extraction<'a>(
    range: &CodeRange<'a>,
    targets: Vec<FunctionTarget<'a>>,
    into: impl Fn(FunctionTarget<'a>) -> Result<Extraction<'a>>,
) -> Result<Extraction<'a>> {
    // An expression that assigns variables is only extracted to the outermost target. An inner function could assign
    // the variables, but the selection is more likely a mistake.
    let sets = range.statements().is_none() && range.uses.iter().any(|used| used.flags.is_write());
    let count = if sets { 1 } else { targets.len() };
    let mut second: Option<Extraction<'a>> = None;
    let mut failure: Option<Failure> = None;
    for target in targets.into_iter().rev().take(count) {
        match into(target) {
            Ok(found) if found.knows_types() => return Ok(found),
            Ok(found) => second = second.or(Some(found)),
            Err(other) => failure = failure.or(Some(other)),
        }
    }
    second.ok_or_else(|| failure.unwrap_or_else(|| refactor_failure("the selection cannot be extracted to a function")))
}

/// Returns the requested name if it is free, or a free one.
fn function_name(
    code: Semantics<'_, '_>,
    target: &FunctionTarget<'_>,
    input: &RefactorInput,
    is_method: bool,
) -> Result<String> {
    let wanted = input.argument("extractedName");
    let base = wanted.unwrap_or(if is_method { "newMethod" } else { "newFunction" });
    if !is_function_name(base, is_method) {
        return Err(fail(FailureKind::InvalidArgument, format!("`{base}` is not a valid name for a function")));
    }
    if !target.is_taken(code, base) {
        return Ok(base.to_owned());
    }
    let free = (1_u32..)
        .map(|number| format!("{base}_{number}"))
        .find(|name| !target.is_taken(code, name))
        .unwrap_or_default();
    match wanted {
        None => Ok(free),
        Some(_) => Err(refactor_failure(format!("`{base}` is already declared here"))
            .hint("choose another name")
            .candidates([free])),
    }
}
