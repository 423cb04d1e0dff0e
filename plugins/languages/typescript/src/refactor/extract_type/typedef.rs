//! Types in JavaScript, extracted to a `@typedef`.

use marquetry_sdk::refactor::RefactorInput;
use marquetry_sdk::{Edit, Result, Rewrite, Span, lines};
use oxc_span::GetSpan as _;

use super::{TypeExtraction, choice, refusal};
use crate::editor::{final_checks, fragment};
use crate::semantics::names::fresh_name;
use crate::syntax::spans::to_sdk_span;
use crate::syntax::{comments, dialect};

impl TypeExtraction<'_, '_> {
    pub(super) fn extract_as_typedef(&self, input: &RefactorInput) -> Result<Rewrite> {
        let text = self.text();
        let nothing = || refusal("no type is selected").hint("select a type in braces in a `/** */` comment");
        let selected = input.at.span;
        let own = selected.slice(text);
        let start = selected.start + (own.len() - own.trim_start().len()) as u32;
        let selected = Span { start, end: start + own.trim().len() as u32 };
        let comments = &self.parsed.program.comments;
        let comment = comments.iter().find(|it| it.span.start < selected.start && selected.end < it.span.end);
        let Some(comment) = comment.filter(|it| it.is_jsdoc() && !selected.is_empty()) else {
            return self.typedef_of_type(input).ok_or_else(nothing)?;
        };
        let (before, after) =
            (&text[comment.span.start as usize..selected.range().start], &text[selected.range().end..]);
        let is_in_braces = before.rfind('{') > before.rfind(['}', '@']) && after.contains('}');
        if !is_in_braces || !is_type(selected.slice(text)) || selected.slice(text).contains('\n') {
            return Err(nothing());
        }
        let all = comment.span.source_text(text);
        let used = identifiers(selected.slice(text));
        let templates: Vec<Template> = templates(all).into_iter().filter(|it| used.contains(&it.name)).collect();
        let name = fresh_name(self.semantic.scoping(), input.argument("extractedName").unwrap_or("NewType"));
        let names: Vec<&str> = templates.iter().map(|it| it.name).collect();
        let applied = if names.is_empty() { name.clone() } else { format!("{name}<{}>", names.join(", ")) };
        let home = self.statement_of(comment.attached_to, comment.span.start);
        let start = comments::comments_start(comments, text, home);
        let templates = templates.iter().map(|it| match it.bound {
            Some(bound) => format!("{bound} {}", it.name),
            None => it.name.to_owned(),
        });
        self.insert_typedef(
            start,
            &templates.collect::<Vec<String>>(),
            selected.slice(text),
            &name,
            Edit::new(selected, applied),
        )
    }

    /// Extracts a TypeScript annotation in a JavaScript file. `None` without an annotation.
    fn typedef_of_type(&self, input: &RefactorInput) -> Option<Result<Rewrite>> {
        let chosen = choice::choose_type(self.parsed, self.text(), input.at.span).ok()?;
        let written = || {
            let home = self.declaration_site(chosen.node)?;
            let parameters = self.parameters(&chosen, &home)?;
            let name = fresh_name(self.semantic.scoping(), input.argument("extractedName").unwrap_or("NewType"));
            let start = comments::comments_start(&self.parsed.program.comments, self.text(), home.statement.start);
            let edit = Edit::new(to_sdk_span(chosen.span), parameters.apply_to(&name));
            self.insert_typedef(start, &parameters.as_templates(), &self.without_comments(chosen.span), &name, edit)
        };
        Some(written())
    }

    /// Returns the text of a type without its comments and the lines that only they occupy, to be put into a comment.
    fn without_comments(&self, span: oxc_span::Span) -> String {
        let text = self.text();
        let (mut bare, mut at) = (String::new(), span.start);
        let comments = self.parsed.program.comments.iter().map(|comment| comment.span);
        for comment in comments.filter(|it| it.start >= span.start && it.end <= span.end) {
            bare += &text[at as usize..comment.start as usize];
            let is_spaced = bare.ends_with(' ') && text[comment.end as usize..].starts_with(' ');
            at = comment.end + u32::from(is_spaced);
        }
        bare += &text[at as usize..span.end as usize];
        let filled = bare.lines().filter(|line| !line.trim().is_empty()).map(str::trim_end);
        filled.collect::<Vec<&str>>().join(lines::line_break(text))
    }

    /// Inserts the comment that declares the type above an offset, together with the edit that uses it.
    fn insert_typedef(&self, start: u32, templates: &[String], own: &str, name: &str, used: Edit) -> Result<Rewrite> {
        let text = self.text();
        let (indent, newline) = (lines::indent_at(text, start as usize), lines::line_break(text));
        let mut written = vec!["/**".to_owned()];
        written.extend(templates.iter().map(|template| format!(" * @template {template}")));
        written.push(format!(" * @typedef {{{own}}} {name}"));
        written.push(" */".to_owned());
        let declaration = written.join(&format!("{newline}{indent}"));
        let name_at = start + declaration.rfind(name).unwrap_or(0) as u32;
        let edits = vec![Edit::insert(start as usize, format!("{declaration}{newline}{newline}{indent}")), used];
        let mut rewrite = Rewrite::from(final_checks::sort_edits(edits)?);
        rewrite.name_at = Some(name_at);
        Ok(rewrite)
    }

    /// Returns the start of the statement that a comment is in or before.
    fn statement_of(&self, attached: u32, comment: u32) -> u32 {
        let body = &self.parsed.program.body;
        let index = body.partition_point(|statement| statement.span().end <= attached);
        body.get(index).map_or(comment, |statement| statement.span().start)
    }
}

fn is_type(text: &str) -> bool {
    let grammar = dialect::source_type("a.ts");
    fragment::with_parsed(&format!("type _ = {text};"), grammar, |program| program.body.len() == 1) == Some(true)
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
