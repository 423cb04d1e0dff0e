//! Texts of other languages that can name the wanted member: SQL and GraphQL in strings, and texts with a tag, whose
//! function reads them. The results of a query have members with the names in its text. The texts are not parsed, so
//! occurrences of the name are listed.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::Span;

use crate::infer::checker::Checker;
use crate::program::ids::Site;
use crate::program::module::Module;
use crate::rename::search_target::SearchTarget;

/// Words at the start of a query, each with a word or sign that follows in it.
const STATEMENTS: [(&str, &str); 16] = [
    ("alter", "table"),
    ("create", "table"),
    ("create", "view"),
    ("delete", "from"),
    ("fragment", "{"),
    ("insert", "into"),
    ("match", "return"),
    ("match", "set"),
    ("merge", "into"),
    ("mutation", "{"),
    ("query", "{"),
    ("replace", "into"),
    ("select", "from"),
    ("subscription", "{"),
    ("update", "set"),
    ("with", "select"),
];

/// Tags of texts without names of members: styles, messages, and texts that stay as they are.
const TEXT_TAGS: [&str; 24] = [
    "chalk",
    "codeBlock",
    "createGlobalStyle",
    "css",
    "debug",
    "dedent",
    "defineMessage",
    "glob",
    "globalStyle",
    "i18n",
    "injectGlobal",
    "keyframes",
    "localize",
    "msg",
    "oneLine",
    "outdent",
    "raw",
    "regex",
    "stripIndent",
    "stripIndents",
    "styled",
    "t",
    "trans",
    "tw",
];

/// Finds the occurrences of the name in texts of the open document that may name the member.
pub(super) fn find_query_texts(checker: &Checker<'_>, wanted: &SearchTarget) -> Vec<Span> {
    let here = checker.open_module();
    if wanted.name.starts_with('#') || !here.text().contains(['`', '"', '\'']) {
        return Vec::new();
    }
    let is_declared = |site: &Site| *site != Site::WATCHED && can_be_data(checker, *site, &wanted.name);
    if !wanted.sites.iter().any(is_declared) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for node in here.semantic().nodes().iter() {
        match node.kind() {
            AstKind::TemplateLiteral(text) => {
                let is_read = match here.parent_kind(node.id()) {
                    AstKind::TaggedTemplateExpression(tagged) => !is_text_tag(&tagged.tag),
                    _ => is_query(text.quasis.first().map_or("", |first| first.value.raw.as_str())),
                };
                if is_read {
                    let parts = text.quasis.iter().map(|part| part.span);
                    found.extend(parts.flat_map(|part| occurrences(&here, part, &wanted.name)));
                }
            }
            AstKind::StringLiteral(text) if text.value.as_str().is_some_and(is_query) => {
                found.extend(occurrences(&here, text.span, &wanted.name));
            }
            _ => {}
        }
    }
    found
}

/// Returns whether a member can be a value in the result of a query: it is not a method.
fn can_be_data(checker: &Checker<'_>, site: Site, name: &str) -> bool {
    let Some(declaration) = checker.member_declared_at(site, name) else { return false };
    match checker.module(site.module).kind(declaration) {
        AstKind::TSMethodSignature(_) | AstKind::MethodDefinition(_) => false,
        AstKind::ObjectProperty(property) => !property.value.is_function(),
        AstKind::PropertyDefinition(property) => !property.value.as_ref().is_some_and(Expression::is_function),
        AstKind::TSPropertySignature(property) => {
            let annotation = property.type_annotation.as_ref().map(|annotation| &annotation.type_annotation);
            !matches!(annotation, Some(TSType::TSFunctionType(_)))
        }
        _ => true,
    }
}

/// Returns whether the tag of a template only formats the text: `css`, `styled.div`, `styled(Button)`.
fn is_text_tag(tag: &Expression<'_>) -> bool {
    match tag {
        Expression::Identifier(name) => TEXT_TAGS.contains(&name.name.as_str()),
        Expression::StaticMemberExpression(member) => {
            TEXT_TAGS.contains(&member.property.name.as_str()) || is_text_tag(&member.object)
        }
        Expression::CallExpression(call) => is_text_tag(&call.callee),
        _ => false,
    }
}

/// Returns whether a text looks like a statement of a query language.
fn is_query(text: &str) -> bool {
    let text = text.trim_start();
    // A GraphQL query can start without a word.
    if let Some(rest) = text.strip_prefix('{') {
        return !rest.starts_with('{') && rest.contains('{') && !rest.contains([':', ';', '"', '\'']);
    }
    let first = &text[..text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())];
    let mut following = STATEMENTS.iter().filter(|(word, _)| word.eq_ignore_ascii_case(first)).map(|(_, next)| *next);
    let rest = &text[first.len()..];
    following.any(|next| {
        let is_next = |word: &str| word.trim_start_matches('(').eq_ignore_ascii_case(next);
        rest.split_whitespace().any(is_next) || next == "{" && rest.contains('{')
    })
}

/// Returns the spans of a name as a whole word in a part of the document.
fn occurrences(here: &Module<'_>, part: Span, name: &str) -> Vec<Span> {
    let text = part.source_text(here.text());
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_word = |at: &usize| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part);
    let length = u32::try_from(name.len()).unwrap_or_default();
    let all = text.match_indices(name).map(|(at, _)| at).filter(is_word);
    all.filter_map(|at| u32::try_from(at).ok()).map(|at| Span::sized(part.start + at, length)).collect()
}

#[cfg(test)]
mod tests {
    use super::is_query;

    #[test]
    fn texts_that_are_queries() {
        for text in [
            "SELECT name FROM users",
            "  select \"name\"\nfrom users",
            "insert into users (name) values (?)",
            "update users set name = ?",
            "query { user { name } }",
            "query Q($id: ID!) { user(id: $id) { name } }",
            "{ user { name } }",
            "MATCH (n) RETURN n.name",
            "with a as (select name from b) select * from a",
        ] {
            assert!(is_query(text), "{text}");
        }
        for text in [
            "select",
            "Select a name",
            "update",
            "with name",
            "name",
            "{name}: text",
            "from: name",
            "{",
            "",
            "{a}",
            "{{ a.name }}",
        ] {
            assert!(!is_query(text), "{text}");
        }
    }
}
