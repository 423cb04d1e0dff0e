//! Extracting a value to a field of the enclosing class.

use std::collections::HashSet;

use marquetry_sdk::refactor::RefactorInput;
use marquetry_sdk::{Edit, Result, Rewrite, lines};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use super::choice::refusal;
use super::{ValueExtraction, naming};
use crate::editor::{final_checks, parentheses};
use crate::semantics::effects::{self, contains};
use crate::syntax::comments;
use crate::syntax::spans::to_sdk_span;

impl<'a> ValueExtraction<'_, 'a> {
    pub(super) fn extract_as_field(&self, input: &RefactorInput) -> Result<Rewrite> {
        let semantic = self.parsed.semantic();
        let nodes = semantic.nodes();
        let own = self.choice.chosen.kind.span();
        let body = nodes.ancestors(self.choice.chosen.node).find_map(|node| match node.kind() {
            AstKind::ClassBody(body) => Some((node.id(), body)),
            _ => None,
        });
        let Some((node, body)) = body else {
            return Err(refusal("the selection is not inside a class").hint("choose another `scope`"));
        };
        let Some(index) = body.body.iter().position(|member| contains(member.span(), own)) else {
            return Err(refusal("the selection is not inside a class").hint("choose another `scope`"));
        };
        let is_static = body.body[index].r#static() || body.body[index].is_static_block();
        self.check_field(node, &body.body[index])?;
        let name = self.field_name(body, input);
        let object = match nodes.parent_kind(node) {
            AstKind::Class(class) if is_static => match &class.id {
                Some(id) => id.name.to_string(),
                None => return Err(refusal("the class is anonymous").hint("choose another `scope`")),
            },
            _ => "this".to_owned(),
        };
        let mut edits = vec![self.insert_field(body, index, is_static, &name)];
        let access = format!("{object}.{name}");
        let chosen = self.choice.chosen;
        edits.push(match self.choice.part {
            Some(part) => self.template_around_part(part, &access),
            None => {
                Edit::new(chosen.span, parentheses::selection_replacement(self.parsed, self.tree, &chosen, &access))
            }
        });
        let name_at = edits[0].text.find(&name).map(|at| edits[0].span.start + at as u32);
        let mut rewrite = Rewrite::from(final_checks::sort_edits(edits)?);
        rewrite.name_at = name_at;
        Ok(rewrite)
    }

    /// Refuses values that may change, because a field is initialized only once per object.
    fn check_field(&self, class: oxc_semantic::NodeId, member: &ClassElement<'a>) -> Result<()> {
        let semantic = self.parsed.semantic();
        let scoping = semantic.scoping();
        if !self.effects.is_constant() || self.effects.uses_this {
            return Err(
                refusal("the value may change, but a field is initialized only once").hint("choose another `scope`")
            );
        }
        let path = effects::enclosing_context(semantic, self.choice.chosen.node, class);
        let nodes = semantic.nodes();
        let inner_this = nodes.ancestors(self.choice.chosen.node).take_while(|node| node.id() != class);
        let functions = inner_this.filter(|node| effects::has_own_this(&node.kind())).count();
        if functions > 1 || !path.own_this || is_evaluated_with_class(member, self.choice.chosen.kind.span()) {
            return Err(refusal("`this` does not refer to an instance of the class").hint("choose another `scope`"));
        }
        let scope = nodes.get_node(class).scope_id();
        let hidden = self.names.iter().find(|name| scoping.find_binding(scope, Ident::from(name.name)) != name.symbol);
        match hidden {
            Some(name) => Err(refusal(format!("`{}` is not in scope at the new declaration", name.name))
                .hint("choose a narrower `scope`")),
            None => Ok(()),
        }
    }

    fn field_name(&self, body: &ClassBody<'a>, input: &RefactorInput) -> String {
        let suggested = || naming::suggest_name(self.parsed.semantic(), self.text(), &self.choice);
        let wanted = input.argument("extractedName").map(str::to_owned).or_else(suggested);
        let wanted = wanted.unwrap_or_else(|| "extracted".to_owned());
        let keys = body.body.iter().filter_map(|member| member.property_key()?.static_name());
        let taken: HashSet<String> = keys.map(|key| key.display().to_string()).collect();
        let numbered = (1_u32..).map(|number| format!("{wanted}{number}"));
        std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(wanted)
    }

    /// Inserts the field after the fields at the start of the class, and before the member that uses it.
    fn insert_field(&self, body: &ClassBody<'a>, index: usize, is_static: bool, name: &str) -> Edit {
        let text = self.text();
        let is_field = |member: &ClassElement<'_>| matches!(member, ClassElement::PropertyDefinition(_));
        let first_other = body.body.iter().position(|member| !is_field(member)).filter(|at| *at > 0);
        let before = &body.body[first_other.map_or(index, |at| at.min(index))];
        let start = before.span().start as usize;
        let start = comments::attached_comment(&self.parsed.program.comments, text, start)
            .map_or(start, |doc| doc.range().start);
        let words = match (self.tree.grammar().is_javascript(), is_static) {
            (true, true) => "static ",
            (true, false) => "",
            (false, true) => "private static readonly ",
            (false, false) => "private readonly ",
        };
        let end = if self.writes_semicolons() { ";" } else { "" };
        let value = match self.choice.part {
            Some(_) => self.selected_part_as_string(),
            None => {
                to_sdk_span(oxc_span::Span::new(self.choice.value.start, self.choice.value.end)).slice(text).to_owned()
            }
        };
        let newline = lines::line_break(text);
        let indent = lines::indent_at(text, start);
        let gap = if lines::starts_line(text, start) { format!("{newline}{newline}{indent}") } else { " ".to_owned() };
        Edit::insert(start, format!("{words}{name} = {value}{end}{gap}"))
    }
}

/// Returns whether a part of a member is evaluated with the class: its computed key, or a decorator.
fn is_evaluated_with_class(member: &ClassElement<'_>, own: oxc_span::Span) -> bool {
    member.property_key().is_some_and(|key| contains(key.span(), own))
        || match member {
            ClassElement::MethodDefinition(it) => it.decorators.iter().any(|it| contains(it.span, own)),
            ClassElement::PropertyDefinition(it) => it.decorators.iter().any(|it| contains(it.span, own)),
            _ => false,
        }
}
