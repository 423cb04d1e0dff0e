//! Extracting a value to a field of the enclosing class.

use std::collections::HashSet;

use marquetry_sdk::refactor::{RefactorInput, refactor_failure};
use marquetry_sdk::{Result, Rewrite};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use super::ValueExtraction;
use crate::editor::{Style, SyntaxEditor};
use crate::semantics::effects::{self, contains};
use crate::syntax::comments;
use crate::syntax::spans::Place as _;

impl<'a> ValueExtraction<'_, 'a> {
    pub(super) fn extract_as_field(&self, input: &RefactorInput) -> Result<Rewrite> {
        let code = self.code;
        let own = self.choice.chosen.kind.span();
        let body = code.nodes().ancestors(self.choice.chosen.node).find_map(|node| match node.kind() {
            AstKind::ClassBody(body) => Some((node.id(), body)),
            _ => None,
        });
        let member = body.and_then(|(node, body)| {
            let index = body.body.iter().position(|member| contains(member.span(), own))?;
            Some((node, body, index))
        });
        let Some((node, body, index)) = member else {
            return Err(refactor_failure("the selection is not inside a class").hint("choose another `scope`"));
        };
        let is_static = body.body[index].r#static() || body.body[index].is_static_block();
        self.check_field(node, &body.body[index])?;
        let name = self.field_name(body, input);
        let object = match code.parent_kind(node) {
            AstKind::Class(class) if is_static => match &class.id {
                Some(id) => id.name.to_string(),
                None => return Err(refactor_failure("the class is anonymous").hint("choose another `scope`")),
            },
            _ => "this".to_owned(),
        };
        let mut editor = SyntaxEditor::new(code);
        self.insert_field(body, index, (is_static, &name), &mut editor);
        let access = format!("{object}.{name}");
        match self.choice.part {
            Some(part) => self.use_in_string(part, &access, &mut editor),
            None => editor.replace_selected(&self.choice.chosen, access),
        }
        editor.finish()
    }

    /// Refuses values that may change, because a field is initialized only once per object.
    fn check_field(&self, class: oxc_semantic::NodeId, member: &ClassElement<'a>) -> Result<()> {
        let code = self.code;
        if !self.effects.is_constant() || self.effects.uses_this {
            return Err(refactor_failure("the value may change, but a field is initialized only once")
                .hint("choose another `scope`"));
        }
        let path = effects::enclosing_context(code.semantic(), self.choice.chosen.node, class);
        let nodes = code.nodes();
        let inner_this = nodes.ancestors(self.choice.chosen.node).take_while(|node| node.id() != class);
        let functions = inner_this.filter(|node| effects::has_own_this(&node.kind())).count();
        if functions > 1 || !path.own_this || is_evaluated_with_class(member, self.choice.chosen.kind.span()) {
            return Err(
                refactor_failure("`this` does not refer to an instance of the class").hint("choose another `scope`")
            );
        }
        let scope = code.scope_of(class);
        let hidden = self.names.iter().find(|name| code.binding(scope, name.name) != name.symbol);
        match hidden {
            Some(name) => Err(refactor_failure(format!("`{}` is not in scope at the new declaration", name.name))
                .hint("choose a narrower `scope`")),
            None => Ok(()),
        }
    }

    fn field_name(&self, body: &ClassBody<'a>, input: &RefactorInput) -> String {
        let wanted = self.wanted_name(input);
        let keys = body.body.iter().filter_map(|member| member.property_key()?.static_name());
        let taken: HashSet<String> = keys.map(|key| key.display().to_string()).collect();
        let numbered = (1_u32..).map(|number| format!("{wanted}{number}"));
        std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(wanted)
    }

    /// Inserts the field after the fields at the start of the class, and before the member that uses it.
    fn insert_field(
        &self,
        body: &ClassBody<'a>,
        index: usize,
        (is_static, name): (bool, &str),
        editor: &mut SyntaxEditor<'_, 'a>,
    ) {
        let (code, text) = (self.code, self.code.text());
        let is_field = |member: &ClassElement<'_>| matches!(member, ClassElement::PropertyDefinition(_));
        let first_other = body.body.iter().position(|member| !is_field(member)).filter(|at| *at > 0);
        let before = body.body[first_other.map_or(index, |at| at.min(index))].span();
        let place = comments::attached_comment(code.comments(), text, before.start as usize).unwrap_or(before.place());
        let words = match (code.is_typed(), is_static) {
            (false, true) => "static ",
            (false, false) => "",
            (true, true) => "private static readonly ",
            (true, false) => "private readonly ",
        };
        let value = match self.choice.part {
            Some(_) => self.selected_part_as_string(),
            None => code.source(self.choice.value).to_owned(),
        };
        let Style { semicolon, line_break, .. } = editor.style();
        let gap = match code.starts_line(place) {
            true => format!("{line_break}{line_break}{}", code.indent_at(place)),
            false => " ".to_owned(),
        };
        let field = format!("{words}{name} = {value}{semicolon}{gap}");
        editor.insert_before(place, field);
        editor.mark_name(place.start, name);
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
