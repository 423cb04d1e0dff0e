//! Operations that replace the content of an element or insert into it.

use marquetry_sdk::{Edit, FailureKind, Insertion, Position, Result, Span, fail, lines};

use super::content;
use super::element::gap;
use super::sorted_insertion;
use crate::location;
use crate::syntax::names::{NameSet, name_set};
use crate::syntax::{BLOCK, Id, Name, Tree};
use crate::text::is_raw_text;
use crate::view::no_content_error;

/// An element and the position of its content.
struct Container<'t> {
    tree: &'t Tree,
    id: Id,
    text: &'t str,
    /// Range between the tags.
    inner: Span,
    /// The same range without surrounding white space.
    body: Span,
    /// True if the content is raw text.
    raw: bool,
}

impl<'t> Container<'t> {
    fn new(tree: &'t Tree, id: Id) -> Result<Container<'t>> {
        if location::is_self_closed(tree, id) {
            return Err(no_content_error(tree, id).hint("replace the element with one that has an end tag"));
        }
        let body = location::body(tree, id).ok_or_else(|| no_content_error(tree, id))?;
        let element = tree.element(id);
        let raw = !tree.dialect.is_xml()
            && (element.is_html_element(Name::TITLE)
                || (element.namespace == crate::syntax::Namespace::HTML && is_raw_text(element.name)));
        Ok(Container { tree, id, text: &tree.text, inner: element.inner(), body, raw })
    }

    /// Returns whether the content is on separate lines from the tags.
    fn is_block(&self) -> bool {
        let (start, end) = (self.body.range().start, self.body.range().end);
        lines::starts_line(self.text, start) && lines::ends_line(self.text, location::comments_end(self.text, end))
    }

    /// Returns the indentation of the content.
    fn content_indent(&self) -> String {
        if !self.body.is_empty() && lines::starts_line(self.text, self.body.range().start) {
            return lines::indent_at(self.text, self.body.range().start).to_owned();
        }
        format!("{}{}", self.element_indent(), content::indent_unit(self.tree))
    }

    /// Returns the indentation of the element.
    fn element_indent(&self) -> &'t str {
        lines::indent_at(self.text, self.tree.element(self.id).start_tag.range().start)
    }

    /// Formats content for separate lines, with this indentation.
    fn format_on_lines(&self, content: &str, indent: &str) -> String {
        if self.raw {
            content::indent_code(content, indent, self.tree, self.is_script())
        } else {
            content::indent_markup(content, indent, self.tree)
        }
    }

    /// Formats content for this offset within an existing line.
    fn format_inline(&self, content: &str, at: usize) -> String {
        if self.raw && content.trim().contains('\n') {
            return content::indent_code(content, lines::indent_at(self.text, at), self.tree, self.is_script());
        }
        content::trim_line_breaks(content, self.tree, at)
    }

    fn is_script(&self) -> bool {
        self.tree.element(self.id).name == Name::SCRIPT
    }

    fn keeps_white_space(&self) -> bool {
        location::keeps_white_space(self.tree, self.id)
    }

    /// Returns the edit that replaces the whole content of the element, which can be empty.
    fn set_content(&self, content: &str) -> Edit {
        let content = if self.keeps_white_space() { content } else { content.trim_matches(['\n', '\r']) };
        if content.trim().is_empty() || self.keeps_white_space() {
            return Edit::new(self.inner, content);
        }
        let block = content.contains('\n')
            || self.inner.slice(self.text).contains('\n')
            || (!self.raw && content::first_tag_name(content, self.tree.dialect).is_some_and(is_structural));
        let own_lines = location::is_on_own_lines(self.text, self.tree.element(self.id).span());
        if !block || !(own_lines || self.inner.slice(self.text).contains('\n')) {
            return Edit::new(self.inner, self.format_inline(content, self.inner.range().start));
        }
        let (outer, indent) = (self.element_indent(), self.content_indent());
        Edit::new(self.inner, format!("\n{indent}{}\n{outer}", self.format_on_lines(content, &indent)))
    }

    fn insert_first(&self, content: &str) -> Edit {
        let at = self.body.range().start;
        if self.body.is_empty() {
            return self.set_content(content);
        }
        if !lines::starts_line(self.text, at) || self.keeps_white_space() {
            return Edit::insert(at, self.format_inline(content, at));
        }
        let indent = self.content_indent();
        Edit::insert(
            at,
            format!(
                "{}{}{indent}",
                self.format_on_lines(content, &indent),
                "\n".repeat(self.line_breaks_between(false))
            ),
        )
    }

    fn insert_last(&self, content: &str) -> Edit {
        let at = self.body.range().end;
        if self.body.is_empty() {
            return self.set_content(content);
        }
        let tail = location::comments_end(self.text, at).min(self.inner.range().end.max(at));
        let open = self.inner.range().start;
        let block = lines::ends_line(self.text, tail) && self.text[open..at].contains(['\n', '\r']);
        if !block || self.keeps_white_space() {
            return Edit::insert(at, self.format_inline(content, at));
        }
        let indent = self.last_indent();
        Edit::insert(
            tail,
            format!(
                "{}{indent}{}",
                "\n".repeat(self.line_breaks_between(true)),
                self.format_on_lines(content, &indent)
            ),
        )
    }

    /// Indentation of the last child that starts a line. In a component this can be a block, which ends on the last line.
    fn last_indent(&self) -> String {
        let end = self.body.range().end;
        if self.tree.dialect.is_component() && self.text[..end].ends_with(['>', '}']) {
            return lines::indent_at(self.text, end).to_owned();
        }
        let children = self.tree.children_with_tags(self.id);
        let starts = children.iter().rev().map(|child| self.tree.element(*child).start_tag.range().start);
        let found = starts.into_iter().take(64).find(|start| lines::starts_line(self.text, *start));
        found.map_or_else(|| self.content_indent(), |start| lines::indent_at(self.text, start).to_owned())
    }

    /// Number of line breaks between the first two or the last two children.
    fn line_breaks_between(&self, last: bool) -> usize {
        let children = self.tree.children_with_tags(self.id);
        let pair = if last { children.len().checked_sub(2).map(|at| &children[at..]) } else { children.get(..2) };
        let Some([a, b]) = pair else { return 1 };
        let (a, b) = (self.tree.element(*a).end_tag.range().end, self.tree.element(*b).start_tag.range().start);
        if a <= b { gap(self.text, a..b).breaks.unwrap_or(1) } else { 1 }
    }
}

/// Elements that are usually on separate lines, in addition to those in [`BLOCK`].
static STRUCTURAL_ELEMENTS: NameSet = name_set! {
    LI DT DD TR TBODY THEAD TFOOT TABLE CAPTION COLGROUP OPTION OPTGROUP FORM H1 H2 H3 H4 H5 H6 META LINK SCRIPT STYLE
    TITLE HEAD BODY TEMPLATE PRE SELECT
};

fn is_structural(name: Name) -> bool {
    BLOCK.contains(name) || STRUCTURAL_ELEMENTS.contains(name)
}

pub(super) fn replace_body(tree: &Tree, id: Id, content: &str) -> Result<Vec<Edit>> {
    let container = Container::new(tree, id)?;
    let body = container.body.slice(&tree.text);
    if content == body || (content.lines().eq(body.lines()) && content.ends_with('\n') == body.ends_with('\n')) {
        return Ok(Vec::new());
    }
    check_raw(&container, content)?;
    if container.body.is_empty() || content.trim().is_empty() || container.keeps_white_space() {
        return Ok(vec![container.set_content(content)]);
    }
    if container.is_block() {
        let indent = container.content_indent();
        return Ok(vec![Edit::new(container.body, container.format_on_lines(content, &indent))]);
    }
    if content.trim().contains('\n') && !body.contains('\n') {
        return Ok(vec![container.set_content(content)]);
    }
    let at = container.body.range().start;
    Ok(vec![Edit::new(container.body, container.format_inline(content, at))])
}

/// Checks that content does not contain the end tag of a raw-text element, which would end it
/// early.
fn check_raw(container: &Container<'_>, content: &str) -> Result<()> {
    let name = container.tree.name(container.id);
    let raw = container.raw || container.tree.is_html_element(container.id, Name::TEXTAREA);
    let closes = raw && content.to_ascii_lowercase().contains(&format!("</{name}"));
    if !closes {
        return Ok(());
    }
    Err(fail(FailureKind::InvalidArgument, format!("`</{name}` inside the content would end the element"))
        .hint(format!("escape it, such as `<\\/{name}` in a script, or `replace` the whole element")))
}

pub(super) fn insert_into(tree: &Tree, id: Id, insertion: &Insertion) -> Result<Vec<Edit>> {
    let container = Container::new(tree, id)?;
    check_raw(&container, &insertion.content)?;
    Ok(vec![match insertion.position {
        Position::First => container.insert_first(&insertion.content),
        Position::Last => container.insert_last(&insertion.content),
        Position::Sorted => match sorted_insertion::sorted_position(tree, id, &insertion.content)? {
            Some(before) => super::element::insert_before_comments(tree, before, &insertion.content),
            None => container.insert_last(&insertion.content),
        },
    }])
}
