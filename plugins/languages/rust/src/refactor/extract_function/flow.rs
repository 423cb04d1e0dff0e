//! Variables that enter and leave the selected code, and how the function gets them.

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::{Edit, Failure, Result, Span, Usage};

use super::{
    super::expressions::path_at,
    refused,
    selection::Selected,
    usage::{Use, dereferenced, is_capturing, top, usage},
};
use crate::{
    kinds::{K, has_kind, is_expression_kind},
    names::{BindingIndex, BindingKind, Form, Names, Place, VALUES},
    symbols::Symbol,
    types::{
        Types, pattern_at,
        text::{has_lifetime, is_primitive, target},
    },
};

/// The way in which a variable is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Value,
    MutableValue,
    Reference,
    MutableReference,
}

/// A variable that the function gets as a parameter.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) type_text: String,
    pub(super) mode: Mode,
    pub(super) binding: BindingIndex,
}

/// A variable that the code declares, and that code after it uses.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) name: String,
    pub(super) type_text: String,
    pub(super) is_mutable: bool,
    pub(super) binding: BindingIndex,
    /// The keyword `mut` in the declaration, if only code after the selection needs it.
    unneeded: Option<Span>,
}

/// The variables of a selection.
pub(super) struct Flow<'a> {
    pub(super) arena: &'a Arena,
    symbol: &'a Symbol<'a>,
    pub(super) types: Types<'a>,
    pub(super) selected: Selected,
}

impl Input {
    pub(super) fn parameter_type(&self) -> String {
        match self.mode {
            Mode::Value | Mode::MutableValue => self.type_text.clone(),
            Mode::Reference => format!("&{}", self.type_text),
            Mode::MutableReference => format!("&mut {}", self.type_text),
        }
    }

    pub(super) fn parameter(&self) -> String {
        let mutable = if self.mode == Mode::MutableValue { "mut " } else { "" };
        format!("{mutable}{}: {}", self.name, self.parameter_type())
    }

    pub(super) fn argument(&self) -> String {
        match self.mode {
            Mode::Value | Mode::MutableValue => self.name.clone(),
            Mode::Reference => format!("&{}", self.name),
            Mode::MutableReference => format!("&mut {}", self.name),
        }
    }
}

/// The failure if the type of a variable is not known.
pub(super) fn unknown_type(name: &str, at: Span) -> Failure {
    refused(
        format!("the type of `{name}` is not known"),
        &format!("declare it with its type (`let {name}: …`), or select code that does not share it"),
    )
    .at(at)
}

impl<'a> Flow<'a> {
    pub(super) fn new(arena: &'a Arena, symbol: &'a Symbol<'a>, selected: Selected) -> Flow<'a> {
        Flow { arena, symbol, types: Types::new(arena, symbol), selected }
    }

    pub(super) fn symbol(&self) -> &'a Symbol<'a> {
        self.symbol
    }

    pub(super) fn names(&self) -> &'a Names {
        &self.symbol.names
    }

    /// The places in the selection, with their bindings.
    pub(super) fn places(&self) -> impl Iterator<Item = (&'a Place, BindingIndex)> {
        let (names, span) = (self.names(), self.selected.span);
        let inside = names.places.iter().filter(move |place| span.contains(place.span));
        inside.filter_map(move |place| Some((place, names.binding_of(place)?)))
    }

    /// The position at which a variable is declared.
    pub(super) fn declared_at(&self, binding: BindingIndex) -> Option<&'a Place> {
        self.names().bound_at(binding).next()
    }

    pub(super) fn is_local(&self, binding: BindingIndex) -> bool {
        self.names().bindings[binding].kind == BindingKind::Local
    }

    /// The variables that the function needs as parameters. `returns` is the type of its value, if it has one.
    ///
    /// # Errors
    ///
    /// Fails if the type of a variable is not known, or if a parameter would not be equivalent to the variable.
    pub(super) fn inputs(&self, returns: Option<&str>) -> Result<Vec<Input>> {
        self.check_words()?;
        let span = self.selected.span;
        let mut bindings: Vec<(u32, BindingIndex)> = Vec::new();
        for (_, binding) in self.places().filter(|(_, binding)| self.is_local(*binding)) {
            let Some(declared) = self.declared_at(binding).map(|place| place.span) else { continue };
            if !span.contains(declared) {
                bindings.push((declared.start, binding));
            }
        }
        bindings.sort_unstable();
        bindings.dedup();
        bindings.into_iter().map(|(_, binding)| self.input(binding, returns)).collect()
    }

    fn input(&self, binding: BindingIndex, returns: Option<&str>) -> Result<Input> {
        let (arena, names) = (self.arena, self.names());
        let name = names.bindings[binding].name.clone();
        let first = self.places().find(|(_, own)| *own == binding).map_or(self.selected.span, |(place, _)| place.span);
        let declared = self.declared_at(binding).ok_or_else(|| unknown_type(&name, first))?;
        let has_value = pattern_at(arena, declared.span).is_none_or(|pattern| {
            let owner = arena.node(pattern).parent;
            !has_kind(arena, owner, K::LET_STMT)
                || arena.children(owner).any(|part| part != pattern && is_expression_kind(arena, part))
        });
        if !has_value {
            return Err(refused(
                format!("`{name}` gets its value after its declaration"),
                "select the declaration, too",
            )
            .at(first));
        }
        let type_text = self.types.of_variable(binding).ok_or_else(|| unknown_type(&name, first))?;
        let uses = self.uses(binding)?;
        let mode = match self.captured_mode(binding, &type_text, &uses)? {
            Some(mode) => mode,
            None => self.mode(binding, &type_text, &uses, returns)?,
        };
        let is_borrowed_out = mode == Mode::MutableReference
            || matches!(mode, Mode::Value | Mode::MutableValue)
                && !self.is_copied(&type_text)
                && target(&type_text).is_none();
        if is_borrowed_out {
            self.check_borrows(
                &name,
                |span| names.references(binding).any(|place| span.contains(place.span)),
                declared.span,
            )?;
        }
        Ok(Input { name, type_text, mode, binding })
    }

    pub(super) fn is_copied(&self, type_text: &str) -> bool {
        self.types.is_copied(type_text, self.types.scope_at(self.selected.statement))
    }

    /// Refuses macros whose arguments contain the name of a variable that is declared outside of the selection.
    fn check_words(&self) -> Result<()> {
        let (arena, names, span) = (self.arena, self.names(), self.selected.span);
        let is_variable = |word: Span, scope| {
            let before = arena.text[..word.range().start].trim_end();
            let is_member = before.ends_with("::") || before.ends_with('.') && !before.ends_with("..");
            let binding = names.lookup(word.slice(&arena.text), VALUES, scope).filter(|own| self.is_local(*own));
            let declared = binding.and_then(|own| self.declared_at(own)).filter(|_| !is_member);
            declared.is_some_and(|declared| !span.contains(declared.span))
        };
        let in_attribute =
            |word: Span| arena.ancestors(arena.innermost(word)).any(|above| has_kind(arena, above, K::ATTR));
        let mut words = names.words_in(&[span]).into_iter();
        match words.find(|(word, scope)| is_variable(*word, *scope) && !in_attribute(*word)) {
            Some((word, _)) => {
                let why = format!("the arguments of a macro may use `{}`", word.slice(&arena.text));
                Err(refused(why, "select code without this macro").at(word))
            }
            None => Ok(()),
        }
    }

    /// The ways in which the selection uses a variable.
    fn uses(&self, binding: BindingIndex) -> Result<Vec<Use>> {
        let mut found = Vec::new();
        for (place, _) in self.places().filter(|(place, own)| *own == binding && !Names::is_declaration(place)) {
            let node = path_at(self.arena, place.span);
            found.push(match (place.usage, node) {
                (Usage::InString, _) => Use::Read,
                (_, Some(node)) => usage(self.arena, self.types, node),
                // An argument of a macro that is not parsed as code.
                (_, None) => Use::Unknown,
            });
        }
        Ok(found)
    }

    /// Returns whether code that runs after the selection uses a variable.
    fn is_used_after(&self, binding: BindingIndex) -> bool {
        let (arena, selected) = (self.arena, self.selected);
        let declared = self.declared_at(binding).map_or(0, |place| place.span.start);
        let runs_after =
            |span: Span| span.start >= selected.span.end || selected.is_repeated_with(arena, declared, span.start);
        let mut places = self.names().references(binding).filter(|place| !Names::is_declaration(place));
        places.any(|place| runs_after(place.span)) || self.names().words_of(&arena.text, binding).any(runs_after)
    }

    /// Returns whether code in the selection is in a closure or block of the selection that owns the variables it uses.
    fn is_captured(&self, span: Span) -> bool {
        let arena = self.arena;
        let around = arena.ancestors(arena.innermost(span));
        let mut inside = around.take_while(|above| self.selected.span.contains(arena.node(*above).span));
        inside.any(|above| is_capturing(arena, above))
    }

    /// The way in which a variable is passed that a closure or block of the selection owns. `None` for other variables.
    fn captured_mode(&self, binding: BindingIndex, type_text: &str, uses: &[Use]) -> Result<Option<Mode>> {
        let own = |(place, own): &(&Place, BindingIndex)| *own == binding && !Names::is_declaration(place);
        let captured: Vec<bool> = self.places().filter(own).map(|(place, _)| self.is_captured(place.span)).collect();
        if !captured.contains(&true) {
            return Ok(None);
        }
        let is_mutable = self.declared_at(binding).is_some_and(|place| place.before.contains("mut"));
        let changes = |own: &Use| match own {
            Use::Assign => true,
            Use::Change | Use::Unknown => is_mutable,
            Use::Read | Use::Value { .. } => false,
        };
        let is_part = |place: &Place| path_at(self.arena, place.span).is_some_and(|node| top(self.arena, node).1);
        let takes_part = !self.is_copied(type_text)
            && self.places().filter(own).any(|(place, _)| self.is_captured(place.span) && is_part(place));
        let changes_outside = uses.iter().zip(&captured).any(|(own, captured)| !captured && changes(own));
        if self.is_used_after(binding) && target(type_text).is_none() && (takes_part || changes_outside) {
            let name = &self.names().bindings[binding].name;
            let why = format!("`move` takes `{name}` or a part of it, and code after the selection uses it");
            let at = self.selected.span;
            return Err(refused(why, &format!("select the code that uses `{name}`, too")).at(at));
        }
        Ok(Some(if uses.iter().any(changes) { Mode::MutableValue } else { Mode::Value }))
    }

    fn mode(&self, binding: BindingIndex, type_text: &str, uses: &[Use], returns: Option<&str>) -> Result<Mode> {
        let is_declared_mutable = self.declared_at(binding).is_some_and(|place| place.before.contains("mut"));
        let has = |wanted: Use| uses.contains(&wanted);
        let is_value = |own: &Use| matches!(own, Use::Value { .. });
        if target(type_text).is_some() {
            // The call borrows the target of a reference again.
            if !has(Use::Assign) {
                return Ok(Mode::Value);
            }
            return if self.is_used_after(binding) { Ok(Mode::MutableReference) } else { Ok(Mode::MutableValue) };
        }
        let is_used_after = self.is_used_after(binding);
        let may_change = has(Use::Assign) || has(Use::Change) || has(Use::Unknown) && is_declared_mutable;
        let changes = may_change && (!is_primitive(type_text) || has(Use::Assign) || has(Use::Change));
        let returns_reference = returns.is_some_and(has_lifetime) && returns != Some("&'static str");
        if self.is_copied(type_text) {
            return Ok(match (changes, is_used_after) {
                (true, true) => Mode::MutableReference,
                (true, false) if returns_reference && has(Use::Read) => Mode::MutableReference,
                (true, false) => Mode::MutableValue,
                (false, _) if returns_reference && has(Use::Read) => Mode::Reference,
                (false, _) => Mode::Value,
            });
        }
        let is_moved = uses.iter().any(is_value) || has(Use::Unknown);
        if !is_used_after && is_moved {
            if returns_reference && has(Use::Unknown) {
                let name = &self.names().bindings[binding].name;
                let why = format!("the result may borrow `{name}`, which would be dropped in the function");
                return Err(refused(why, "select the code that uses the result, too").at(self.selected.span));
            }
            return Ok(if changes { Mode::MutableValue } else { Mode::Value });
        }
        Ok(if changes { Mode::MutableReference } else { Mode::Reference })
    }

    /// Refuses a variable that another variable may borrow, if the function moves or changes it. `mentions` returns
    /// whether code in a span uses the variable.
    pub(super) fn check_borrows(&self, name: &str, mentions: impl Fn(Span) -> bool, declared: Span) -> Result<()> {
        let (arena, names, selected) = (self.arena, self.names(), self.selected);
        let function = arena.node(selected.function).span;
        for (index, other) in names.bindings.iter().enumerate().filter(|(_, own)| own.kind == BindingKind::Local) {
            let Some(place) = self.declared_at(index).filter(|place| function.contains(place.span)) else { continue };
            if place.span == declared || place.span.start < declared.start || place.span.start >= selected.span.start {
                continue;
            }
            let is_later = |span: Span| span.start >= selected.span.start;
            let is_used = names.references(index).any(|own| !Names::is_declaration(own) && is_later(own.span))
                || names.words_of(&arena.text, index).any(is_later);
            let source = self.source_of(place.span).filter(|source| is_used && mentions(*source));
            let type_text = source.and_then(|_| self.types.of_variable(index));
            let is_owned = type_text.is_some_and(|own| is_primitive(&own) || own == "String");
            if source.is_some() && !is_owned {
                let why = format!("`{}` may borrow `{name}`, which the function would move or change", other.name);
                return Err(refused(why, &format!("select the declaration of `{}`, too", other.name)).at(place.span));
            }
        }
        Ok(())
    }

    /// The expression from which the variable that is declared at a position gets its value.
    pub(super) fn source_of(&self, declared: Span) -> Option<Span> {
        let arena = self.arena;
        let pattern = pattern_at(arena, declared)?;
        let owners = [K::LET_STMT, K::LET_EXPR, K::FOR_EXPR, K::MATCH_ARM];
        let owner = arena.ancestors(pattern).find(|above| owners.iter().any(|kind| has_kind(arena, *above, *kind)))?;
        let holder =
            if has_kind(arena, owner, K::MATCH_ARM) { arena.node(arena.node(owner).parent).parent } else { owner };
        let source = arena.children(holder).find(|part| is_expression_kind(arena, *part))?;
        Some(arena.node(source).span)
    }

    /// The variables that the selection declares and that code after it uses.
    ///
    /// # Errors
    ///
    /// Fails if the type of such a variable is not known, or if an item is used after the selection.
    pub(super) fn outputs(&self) -> Result<Vec<Output>> {
        let (names, span) = (self.names(), self.selected.span);
        let mut outputs = Vec::new();
        for (index, binding) in names.bindings.iter().enumerate() {
            let Some(place) = self.declared_at(index).filter(|place| span.contains(place.span)) else { continue };
            let is_after = |place: &&Place| place.span.start >= span.end;
            let word = names.words_of(&self.arena.text, index).find(|word| word.start >= span.end);
            let later: Vec<&Place> = names.references(index).filter(is_after).collect();
            if later.is_empty() && word.is_none() {
                continue;
            }
            if binding.kind != BindingKind::Local {
                let why = format!("`{}` is declared in the selection and used after it", binding.name);
                return Err(refused(why, "select code without the declaration").at(place.span));
            }
            let type_text = self.types.of_variable(index).ok_or_else(|| unknown_type(&binding.name, place.span))?;
            if type_text.contains("impl ") {
                return Err(unknown_type(&binding.name, place.span));
            }
            let is_changed = word.is_some() || later.iter().any(|place| self.may_change(place, &type_text));
            let is_mutable = place.before.contains("mut") && is_changed;
            let is_changed_inside = self.uses(index)?.iter().any(|own| !matches!(own, Use::Read | Use::Value { .. }));
            let keyword = Span { start: place.start, end: place.span.start };
            let unneeded = (place.before.starts_with("mut") && !is_changed_inside).then_some(keyword);
            let name = binding.name.clone();
            outputs.push((place.span.start, Output { name, type_text, is_mutable, binding: index, unneeded }));
        }
        outputs.sort_by_key(|(start, _)| *start);
        Ok(outputs.into_iter().map(|(_, output)| output).collect())
    }

    fn may_change(&self, place: &Place, type_text: &str) -> bool {
        let node = path_at(self.arena, place.span);
        match node.map(|node| usage(self.arena, self.types, node)) {
            Some(Use::Unknown) => !is_primitive(type_text),
            Some(Use::Assign | Use::Change) => true,
            Some(Use::Read | Use::Value { .. }) | None => false,
        }
    }

    /// The edits of uses of variables that are references in the function.
    ///
    /// # Errors
    ///
    /// Fails if such a use is in a macro whose arguments are not parsed as code.
    pub(super) fn edits(&self, inputs: &[Input], outputs: &[Output]) -> Result<Vec<Edit>> {
        let mut edits: Vec<Edit> = outputs.iter().filter_map(|own| own.unneeded).map(Edit::remove).collect();
        for input in inputs.iter().filter(|own| matches!(own.mode, Mode::Reference | Mode::MutableReference)) {
            for (place, _) in self.places().filter(|(_, binding)| *binding == input.binding) {
                if place.usage == Usage::InString {
                    continue;
                }
                let Some(node) = path_at(self.arena, place.span) else {
                    let why = format!("a macro uses `{}`, which would be a reference in the function", input.name);
                    return Err(refused(why, "select code without this macro").at(place.span));
                };
                let parent = self.arena.node(node).parent;
                let is_borrowed = has_kind(self.arena, parent, K::REF_EXPR);
                let is_mutable = is_borrowed && super::super::expressions::is_mutable(self.arena, parent);
                // `&x` and `&mut x` become the parameter.
                if is_borrowed && is_mutable == (input.mode == Mode::MutableReference) && !is_mutable {
                    edits.push(Edit::new(self.arena.node(parent).span, input.name.clone()));
                } else if let Some(code) =
                    dereferenced(self.arena, node, &input.name, input.mode == Mode::MutableReference)
                {
                    let code = if place.form == Form::Shorthand { format!("{}: {code}", input.name) } else { code };
                    edits.push(Edit::new(place.span, code));
                }
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        Ok(edits)
    }

    /// The expressions `self` in the selection.
    pub(super) fn uses_of_self(&self) -> Vec<(NodeIndex, Use)> {
        let arena = self.arena;
        let span = self.selected.span;
        let nodes = arena.nodes().map(|(index, _)| index).filter(|node| {
            has_kind(arena, *node, K::PATH_EXPR)
                && span.contains(arena.node(*node).span)
                && arena.slice(*node) == "self"
                && super::super::expressions::function_of(arena, *node) == Some(self.selected.function)
        });
        let use_of = |node| match usage(arena, self.types, node) {
            Use::Read if self.is_captured(arena.node(node).span) => Use::Value { is_part: top(arena, node).1 },
            own => own,
        };
        nodes.map(|node| (node, use_of(node))).collect()
    }

    /// Returns whether code that runs after the selection uses `self`.
    pub(super) fn is_self_used_after(&self) -> bool {
        let (arena, selected) = (self.arena, self.selected);
        let own = arena.node(selected.function).span;
        let mut words =
            arena.tokens_in(own).iter().map(|token| token.span).filter(|span| span.slice(&arena.text) == "self");
        words.any(|span| span.start >= selected.span.end || selected.is_repeated_with(arena, own.start, span.start))
    }
}
