//! Types in JavaScript, extracted to a `@typedef`.

use marquetry_sdk::refactor::{RefactorInput, refactor_failure};
use marquetry_sdk::{Result, Rewrite, Span, lines};

use super::TypeExtraction;
use crate::editor::fragment::is_type;
use crate::editor::{Style, SyntaxEditor};
use crate::semantics::names::fresh_name;
use crate::semantics::selected_type;
use crate::syntax::comments;
use crate::syntax::spans::Place as _;

impl TypeExtraction<'_, '_> {
    pub(super) fn extract_as_typedef(&self, input: &RefactorInput) -> Result<Rewrite> {
        let text = self.code.text();
        let nothing = || refactor_failure("no type is selected").hint("select a type in braces in a `/** */` comment");
        let selected = input.at.span.trimmed(text);
        let Some(comment) = self.code.jsdoc_around(selected).filter(|_| !selected.is_empty()) else {
            return self.typedef_of_type(input).ok_or_else(nothing)?;
        };
        let (before, after) = (&text[comment.range().start..selected.range().start], &text[selected.range().end..]);
        let is_in_braces = before.rfind('{') > before.rfind(['}', '@']) && after.contains('}');
        if !is_in_braces || !is_type(selected.slice(text)) || selected.slice(text).contains('\n') {
            return Err(nothing());
        }
        let all = comment.slice(text);
        let used = identifiers(selected.slice(text));
        let templates: Vec<Template> = templates(all).into_iter().filter(|it| used.contains(&it.name)).collect();
        let name = self.typedef_name(input);
        let names: Vec<&str> = templates.iter().map(|it| it.name).collect();
        let applied = if names.is_empty() { name.clone() } else { format!("{name}<{}>", names.join(", ")) };
        let templates = templates.iter().map(|it| match it.bound {
            Some(bound) => format!("{bound} {}", it.name),
            None => it.name.to_owned(),
        });
        let templates: Vec<String> = templates.collect();
        self.insert_typedef(
            self.code.commented_statement(comment),
            &templates,
            (selected.slice(text), &name),
            (selected, applied),
        )
    }

    fn typedef_name(&self, input: &RefactorInput) -> String {
        fresh_name(self.code.scoping(), input.argument("extractedName").unwrap_or("NewType"))
    }

    /// Extracts a TypeScript annotation in a JavaScript file. `None` without an annotation.
    fn typedef_of_type(&self, input: &RefactorInput) -> Option<Result<Rewrite>> {
        let chosen = selected_type::choose_type(self.code.parsed, self.code.text(), input.at.span).ok()?;
        let written = || {
            let home = self.code.declaration_site(chosen.node)?;
            let parameters = self.code.type_parameters(&chosen, &home)?;
            let name = self.typedef_name(input);
            let used = (chosen.span.place(), parameters.apply_to(&name));
            self.insert_typedef(
                home.statement.start,
                &parameters.as_templates(),
                (&self.without_comments(chosen.span.place()), &name),
                used,
            )
        };
        Some(written())
    }

    /// Returns the text of a type without its comments and the lines that only they occupy, to be put into a comment.
    fn without_comments(&self, span: Span) -> String {
        let text = self.code.text();
        let (mut bare, mut at) = (String::new(), span.start);
        let comments = self.code.comments().iter().map(|comment| comment.span);
        for comment in comments.filter(|it| it.start >= span.start && it.end <= span.end) {
            bare += &text[at as usize..comment.start as usize];
            let is_spaced = bare.ends_with(' ') && text[comment.end as usize..].starts_with(' ');
            at = comment.end + u32::from(is_spaced);
        }
        bare += &text[at as usize..span.end as usize];
        let filled = bare.lines().filter(|line| !line.trim().is_empty()).map(str::trim_end);
        filled.collect::<Vec<&str>>().join(lines::line_break(text))
    }

    /// Inserts the comment that declares a type above a statement, and uses the type at a place.
    fn insert_typedef(
        &self,
        statement: u32,
        templates: &[String],
        (own, name): (&str, &str),
        (used, applied): (Span, String),
    ) -> Result<Rewrite> {
        let mut editor = SyntaxEditor::new(self.code);
        let start = comments::comments_start(self.code.comments(), self.code.text(), statement);
        let place = Span { start, end: start };
        let indent = self.code.indent_at(place);
        let mut written = vec!["/**".to_owned()];
        written.extend(templates.iter().map(|template| format!(" * @template {template}")));
        written.push(format!(" * @typedef {{{own}}} {name}"));
        written.push(" */".to_owned());
        let Style { line_break, .. } = editor.style();
        let declaration = written.join(&format!("{line_break}{indent}"));
        let declaration = format!("{declaration}{line_break}{line_break}{indent}");
        editor.insert_before(place, declaration);
        editor.mark_name(start, name);
        editor.set_text(used, applied);
        editor.finish()
    }
}

fn identifiers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty()).collect()
}

/// A type parameter declared by a comment.
struct Template<'t> {
    name: &'t str,
    /// The constraint in braces.
    bound: Option<&'t str>,
}

/// Parses `@template {Bound} A, B`; the constraint applies to the first.
fn templates(comment: &str) -> Vec<Template<'_>> {
    let mut found = Vec::new();
    for line in comment.lines() {
        let Some((_, rest)) = line.split_once("@template") else { continue };
        let rest = rest.trim_start();
        let (mut bound, mut names) = (None, rest);
        if rest.starts_with('{')
            && let Some(end) = rest.find('}')
        {
            (bound, names) = (Some(&rest[..=end]), rest[end + 1..].trim_start());
        }
        for name in names.split(',') {
            let Some(name) = name.split_whitespace().next() else { break };
            found.push(Template { name, bound: bound.take() });
        }
    }
    found
}
