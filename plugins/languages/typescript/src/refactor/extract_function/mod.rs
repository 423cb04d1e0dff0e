//! `extract_function` and `extract_method`: move an expression or statements to a function, and call it.
//!
//! [`extracted_range`] analyzes the selection, [`targets`] finds places for the function, [`values`] determines its
//! inputs and outputs, [`types`] their types, and [`writing`] writes it.

mod closures;
mod extracted_range;
mod targets;
mod types;
mod values;
mod writing;

#[cfg(test)]
mod tests;

use marquetry_sdk::refactor::{Argument, Place, RefactorInput, Refactoring};
use marquetry_sdk::{Failure, FailureKind, Result, Rewrite, fail};
use oxc_ast::AstKind;
use oxc_semantic::Semantic;
use oxc_span::GetSpan as _;
use oxc_syntax::identifier::is_identifier_name;
use oxc_syntax::keyword::is_reserved_keyword;

use crate::TypeScriptDocument;
use crate::editor::{final_checks, semicolons};
use crate::imports;
use crate::refactor::contextual;
use crate::semantics::names::fresh_name;
use crate::semantics::selection::selected_code;
use crate::semantics::subclasses;
use crate::syntax::spans::to_sdk_span;

use extracted_range::{ExtractedRange, refusal};
use targets::{FunctionTarget, TargetScope};
use types::FunctionTypes;
use values::{DataFlow, ExposedVariable};
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
    let tree = &document.tree;
    tree.with(|parsed| {
        let semantic = parsed.semantic();
        let range = ExtractedRange::new(semantic, selected_code(parsed, tree.text(), input.at.span)?)?;
        contextual::check_contextual_types(document, semantic, range.returned_values())?;
        check_computed_key(tree.grammar().is_typescript(), semantic, &range)?;
        let exposed = ExposedVariable::collect(semantic, &range)?;
        let into = |target| extraction_at(document, semantic, &range, &exposed, target);
        let extraction = if is_method {
            into(FunctionTarget::class_target(semantic, &range)?)?
        } else {
            choose_extraction(semantic, &range, input.argument("scope"), into)?
        };
        let name = function_name(document, semantic, &extraction.flow.target, input, is_method)?;
        let writer = FunctionWriter {
            parsed,
            tree,
            range: &range,
            exposed: &exposed,
            flow: &extraction.flow,
            types: &extraction.types,
            name: &name,
            returned: fresh_name(semantic.scoping(), writing::RETURN_VALUE_NAME),
            semicolon: if semicolons::uses_semicolons(parsed.program) { ";" } else { "" },
        };
        let mut edits = writer.edits();
        edits.extend(imports::type_imports::import_type_edits(parsed, tree, &extraction.types.imports));
        let edits = final_checks::sort_edits(edits)?;
        final_checks::check_placement(parsed, tree, &edits)?;
        let name_at = extracted_range::name_at(&edits, &range, &name);
        let unknown =
            extraction.flow.parameters.iter().zip(&extraction.types.parameters).filter(|(_, ty)| ty.is_none());
        let unknown: Vec<String> = unknown.map(|(parameter, _)| format!("`{}`", parameter.name)).collect();
        let unknown = (!unknown.is_empty())
            .then(|| format!("the type of {} is unknown and is written as `any`", unknown.join(", ")));
        let untold = extraction.types.lost_narrowing.as_ref();
        let is_written = extraction.types.returned.is_some();
        let doubt = || {
            range.returned_values().into_iter().find_map(|node| contextual::widening_warning(document, semantic, node))
        };
        let doubt = if is_written { None } else { doubt() };
        let lost = "type narrowing by the conditions around the selection may be lost in the new function";
        let lost = extraction.types.loses_narrowing.then(|| lost.to_owned());
        let incomplete = unknown
            .or(doubt)
            .or(lost)
            .or(untold.map(|name| format!("type narrowing of `{name}` by the condition may be lost")));
        let ask = match extraction.flow.target.target_scope {
            TargetScope::Class { class, is_static } => {
                subclasses::subclass_questions(document, class.node_id.get(), is_static, &name)
            }
            _ => Vec::new(),
        };
        Ok(Rewrite { edits, name_at, incomplete, ask, ..Rewrite::default() })
    })
}

/// Refuses computed keys, because the object type has no member for a key that a function returns.
fn check_computed_key(is_typed: bool, semantic: &Semantic<'_>, range: &ExtractedRange<'_>) -> Result<()> {
    if !is_typed || range.statements().is_some() {
        return Ok(());
    }
    let node = range.node();
    let span = semantic.nodes().kind(node).span();
    let is_key = match semantic.nodes().parent_kind(node) {
        AstKind::ObjectProperty(it) => it.computed && it.key.span() == span,
        AstKind::PropertyDefinition(it) => it.computed && it.key.span() == span,
        AstKind::MethodDefinition(it) => it.computed && it.key.span() == span,
        _ => false,
    };
    if !is_key {
        return Ok(());
    }
    Err(refusal("the type of the object depends on this literal key, which a function call would widen")
        .hint("extract it as a constant")
        .at(to_sdk_span(span)))
}

/// Returns the function at a target. Fails if it cannot be declared there.
fn extraction_at<'a>(
    document: &TypeScriptDocument,
    semantic: &Semantic<'a>,
    range: &ExtractedRange<'a>,
    exposed: &[ExposedVariable<'a>],
    target: FunctionTarget<'a>,
) -> Result<Extraction<'a>> {
    let mut flow = DataFlow::for_target(semantic, range, target)?;
    let is_typed = document.tree.grammar().is_typescript();
    let types = if is_typed {
        FunctionTypes::infer(document, semantic, range, exposed, &mut flow)
    } else {
        FunctionTypes::default()
    };
    let names: Vec<&str> = flow.type_parameters.iter().map(|symbol| semantic.scoping().symbol_name(*symbol)).collect();
    if let Some((_, name)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
        return Err(refusal(format!("the function would need two type parameters named `{name}`"))
            .hint("use `scope: inner`, or rename one of them"));
    }
    Ok(Extraction { flow, types })
}

/// Returns the function at the requested or the most suitable target.
fn choose_extraction<'a>(
    semantic: &Semantic<'a>,
    range: &ExtractedRange<'a>,
    scope: Option<&str>,
    into: impl Fn(FunctionTarget<'a>) -> Result<Extraction<'a>>,
) -> Result<Extraction<'a>> {
    let mut targets = FunctionTarget::enclosing_targets(semantic, range);
    if targets.is_empty() {
        return Err(refusal("no scope around the selection can contain a function"));
    }
    let Some(scope) = scope else { return outermost_extraction(range, targets, into) };
    let last = targets.len() - 1;
    let index = match scope {
        "inner" | "block" | "function" => Some(0),
        "module" | "file" => Some(last),
        "class" => return Err(refusal("a class cannot contain a function").hint("use `extract_method`")),
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
    range: &ExtractedRange<'a>,
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
    second.ok_or_else(|| failure.unwrap_or_else(|| refusal("the selection cannot be extracted to a function")))
}

/// Returns the requested name if it is free, or a free one.
fn function_name(
    document: &TypeScriptDocument,
    semantic: &Semantic<'_>,
    target: &FunctionTarget<'_>,
    input: &RefactorInput,
    is_method: bool,
) -> Result<String> {
    let wanted = input.argument("extractedName");
    let base = wanted.unwrap_or(if is_method { "newMethod" } else { "newFunction" });
    let is_kept = if is_method { base == "constructor" } else { is_reserved_keyword(base) };
    if !is_identifier_name(base) || is_kept {
        return Err(fail(FailureKind::InvalidArgument, format!("`{base}` is not a valid name for a function")));
    }
    let is_taken = |name: &str| {
        let scoping = semantic.scoping();
        if let TargetScope::Class { class, is_static } = &target.target_scope {
            let is_own = class.body.body.iter().any(|it| it.static_name().is_some_and(|known| known == name));
            return is_own || subclasses::is_member_taken(document, class.node_id.get(), *is_static, name);
        }
        scoping.symbol_ids().any(|symbol| scoping.symbol_name(symbol) == name)
            || scoping.root_unresolved_references().keys().any(|known| known.as_str() == name)
    };
    if !is_taken(base) {
        return Ok(base.to_owned());
    }
    let free = (1_u32..).map(|number| format!("{base}_{number}")).find(|name| !is_taken(name)).unwrap_or_default();
    if wanted.is_none() {
        return Ok(free);
    }
    Err(refusal(format!("`{base}` is already declared here")).hint("choose another name").candidates([free]))
}
