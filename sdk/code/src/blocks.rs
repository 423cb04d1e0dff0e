//! Statements of a block: inserts and deletes whole statements together with their comments and blank lines.

use marquetry_sdk::{Edit, Failure, FailureKind, Result, Span, fail, lines};

use crate::{
    arena::{NodeIndex, ROOT, Token},
    comments, delimited,
    document::CodeDocument,
    language::Block,
    layout::{Content, Place},
    outline::statement_span,
};

/// A block and its statements.
#[derive(Debug)]
pub struct Statements<'d> {
    document: &'d CodeDocument,
    block: NodeIndex,
    /// The statements, each with the comment above it and the comment at the end of its last line.
    items: Vec<Item>,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    node: NodeIndex,
    /// The range from the comment above the statement to the end of its code.
    span: Span,
    /// The end of the comment on the last line of the statement.
    end: usize,
}

impl<'d> Statements<'d> {
    /// Collects the statements of a block.
    pub fn new(document: &'d CodeDocument, block: NodeIndex) -> Statements<'d> {
        let (language, arena) = (document.language(), document.arena());
        let item = |node: NodeIndex| {
            let span = statement_span(language, arena, node);
            let own = span.range();
            let doc = comments::attached_above(language, arena, own.start);
            let start = doc.map_or(own.start, |doc| doc.range().start);
            Item { node, span: Span::new(start, own.end), end: document.end_of_line_tail(own.end) }
        };
        let mut items: Vec<Item> = arena.children(block).map(item).collect();
        // The statements of a tree with errors may overlap.
        for index in 1..items.len() {
            let next = items[index].span.start;
            let before = &mut items[index - 1];
            before.span.end = before.span.end.min(next).max(before.span.start);
            before.end = before.end.min(next as usize).max(before.span.range().end);
        }
        Statements { document, block, items }
    }

    /// The index of a statement.
    pub fn position(&self, node: NodeIndex) -> Option<usize> {
        self.items.binary_search_by_key(&node, |item| item.node).ok()
    }

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the block has no statements.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The ranges of the statements, with the comments above them.
    pub(crate) fn spans(&self) -> Vec<Span> {
        self.items.iter().map(|item| item.span).collect()
    }

    /// The number of leading statements that belong to the item around the block: inner attributes and documentation.
    pub fn leading(&self) -> usize {
        let (language, arena) = (self.document.language(), self.document.arena());
        let is_leading =
            |item: &&Item| language.is_one_of(arena, item.node, language.leading) || self.is_documentation(item.node);
        self.items.iter().take_while(is_leading).count()
    }

    /// The range between the delimiters. Empty if the language has no delimiters.
    fn inner(&self) -> Span {
        match self.document.language().form {
            Block::Indentation { .. } => Span::at(0),
            Block::Delimited { .. } => {
                delimited::inner_span(self.document.language(), self.document.arena(), self.block)
            }
        }
    }

    fn is_list(&self) -> bool {
        !self.document.language().separator(self.document.arena(), self.block).is_empty()
    }

    /// The index at which content is appended. It is before the expression that is the value of the block, unless the
    /// content ends with such an expression.
    pub(crate) fn end_index(&self, content: &Content) -> usize {
        let (language, arena) = (self.document.language(), self.document.arena());
        let tail = (language.hooks.tail)(arena, self.block).and_then(|tail| self.position(tail));
        let own = content.block().and_then(|block| (language.hooks.tail)(&content.arena, block));
        tail.filter(|_| own.is_none()).unwrap_or(self.items.len())
    }

    fn text(&self) -> &'d str {
        self.document.text_str()
    }

    fn is_top(&self) -> bool {
        self.document.arena().node(self.block).parent == ROOT
    }

    /// Returns whether the block is on the line of its header.
    pub fn is_inline(&self) -> bool {
        self.items.first().is_some_and(|first| !lines::starts_line(self.text(), first.span.range().start))
    }

    /// The indentation of the statements. For a block on the line of its header, the indentation that the block would
    /// have below the header.
    pub fn indent(&self) -> String {
        if let Block::Delimited { .. } = self.document.language().form {
            return delimited::indent(self.document, self.block);
        }
        let Some(first) = self.items.first() else { return String::new() };
        let own = lines::indent_at(self.text(), first.span.range().start);
        if self.is_inline() { format!("{own}{}", self.document.unit()) } else { own.to_owned() }
    }

    /// The start of a statement, including the comment above it.
    pub fn start_of(&self, index: usize) -> u32 {
        self.items[index].span.start
    }

    /// Returns whether the block contains only the placeholder of an empty block, such as `pass`.
    pub fn is_placeholder(&self) -> bool {
        matches!(&self.items[..], [only] if is_placeholder(self.document, only.node))
    }

    /// The white space between a header and the block on the same line.
    pub(crate) fn header_gap(&self) -> Result<Span> {
        let start = self.items[0].span.range().start;
        let before = self.text()[..start].trim_end_matches([' ', '\t']);
        let opener = self.document.language().form.opener();
        if !opener.is_empty() && before.ends_with(opener) {
            return Ok(Span::new(before.len(), start));
        }
        Err(Failure::unsupported("the block continues its header after a line break")
            .hint("replace the declaration around it, or edit the `lines`")
            .at(Span::at(start)))
    }

    /// Edits that insert content before the statement at an index. If the index is the number of statements, the
    /// content is appended.
    ///
    /// # Errors
    ///
    /// Fails with `Unsupported` if the layout of the block has no position for the content.
    pub fn insert(&self, index: usize, content: &Content) -> Result<Vec<Edit>> {
        if self.is_list() {
            let items = delimited::list(self, self.document, self.block);
            return delimited::insert_item(&items, index, content, self.document.unit());
        }
        if let Block::Delimited { .. } = self.document.language().form {
            if self.items.is_empty() {
                return Ok(delimited::fill(self.document, self.block, content));
            }
            if self.is_inline() && !self.inner().slice(self.text()).contains('\n') {
                return Ok(delimited::expand(self.document, self.block, (index, &self.spans()), content));
            }
        }
        let indent = self.indent();
        let own = content.at(Place { indent: &indent, unit: self.document.unit() });
        if self.is_placeholder() && !content.is_comment() {
            return self.replace_placeholder(&own, &indent);
        }
        let mut edits = Vec::new();
        if self.is_inline() && self.document.language().form.placeholder() != "" {
            let gap = self.header_gap()?;
            if index == 0 {
                return Ok(vec![Edit::new(gap, format!("\n{indent}{own}\n{indent}"))]);
            }
            edits.push(Edit::new(gap, format!("\n{indent}")));
        }
        let before = index.checked_sub(1).map(|before| &self.items[before]);
        let after = self.items.get(index);
        if let (Some(before), Some(after)) = (before, after) {
            let between = Span { start: before.span.end, end: after.span.start };
            if !between.slice(self.text()).contains(['\n', '\r']) {
                edits.push(Edit::new(between, format!("\n{indent}{own}\n{indent}")));
                return Ok(edits);
            }
        }
        edits.push(match (before, after) {
            (None, Some(after)) => {
                let gap = "\n".repeat(self.gap(None, index, content));
                Edit::insert(after.span.range().start, format!("{own}{gap}{indent}"))
            }
            // The blank line after the documentation remains directly after it.
            (Some(before), Some(after))
                if self.is_documentation(before.node) || self.inner_end(before, Some(after)).is_some() =>
            {
                let gap = "\n".repeat(self.gap(None, index, content));
                Edit::insert(after.span.range().start, format!("{own}{gap}{indent}"))
            }
            (Some(before), Some(after)) => {
                let above = "\n".repeat(self.gap(Some(index - 1), index - 1, content));
                let wanted = self.gap(None, index, content);
                let there = line_breaks(&self.text()[before.end..after.span.range().start]);
                let below = "\n".repeat(wanted.saturating_sub(there));
                Edit::insert(before.end, format!("{above}{indent}{own}{below}"))
            }
            (Some(before), None) => match self.inner_end(before, None) {
                Some(end) => Edit::insert(end, format!("\n\n{indent}{own}")),
                None => {
                    let above = "\n".repeat(self.gap(Some(index - 1), index - 1, content));
                    Edit::insert(self.end(before), format!("{above}{indent}{own}"))
                }
            },
            (None, None) => at_end(self.text(), &own),
        });
        Ok(edits)
    }

    /// The end of the inner documentation comments after a leading statement, such as `//!` after an inner attribute in
    /// Rust. They must come before every other statement.
    fn inner_end(&self, before: &Item, after: Option<&Item>) -> Option<usize> {
        let (language, arena) = (self.document.language(), self.document.arena());
        let is_leading = language.is_one_of(arena, before.node, language.leading);
        let own = if self.is_top() { self.text().len() } else { self.inner().range().end };
        let end = after.map_or(own, |after| after.span.range().start);
        comments::end_of_inner(language, arena, before.span.range().end..end).filter(|_| is_leading)
    }

    fn is_documentation(&self, node: NodeIndex) -> bool {
        (self.document.language().hooks.documentation)(self.document.arena(), self.block) == Some(node)
    }

    /// The end of the block. For a nested block, it is after the comments at the end of the block.
    fn end(&self, last: &Item) -> usize {
        if self.is_top() || self.is_inline() {
            return last.end;
        }
        let span = self.document.arena().node(self.block).span.range();
        comments::end_of_block(self.text(), span.start, last.end, self.document.language().comments)
    }

    fn replace_placeholder(&self, own: &str, indent: &str) -> Result<Vec<Edit>> {
        let item = &self.items[0];
        let code = self.document.arena().node(item.node).span;
        if self.is_inline() {
            let gap = self.header_gap()?;
            return Ok(vec![Edit::new(Span { start: gap.start, end: code.end }, format!("\n{indent}{own}"))]);
        }
        Ok(vec![Edit::new(code, own)])
    }

    /// The number of line breaks between the content and the statement at index `with`. `before` is `Some` if the
    /// content comes after that statement.
    fn gap(&self, before: Option<usize>, with: usize, content: &Content) -> usize {
        let has_block = |index: usize| self.has_block(index);
        if content.is_comment() && before.is_none() {
            return 1;
        }
        if !content.has_block() && !has_block(with) {
            return 1;
        }
        let (top, nested) = self.document.language().gaps;
        let pairs = self.items.len().saturating_sub(1);
        let shown = |pair: usize| {
            (has_block(pair) || has_block(pair + 1))
                .then(|| line_breaks(&self.text()[self.items[pair].end..self.items[pair + 1].span.range().start]))
        };
        let both = |pair: usize| (has_block(pair) && has_block(pair + 1)).then_some(pair).and_then(shown);
        let near = |pair: &usize| pair.abs_diff(with);
        let mut order: Vec<usize> = (self.leading()..pairs).collect();
        order.sort_by_key(near);
        let found = order.iter().find_map(|pair| both(*pair)).or_else(|| order.iter().find_map(|pair| shown(*pair)));
        found.unwrap_or(if self.is_top() { top } else { nested }).max(1)
    }

    fn has_block(&self, index: usize) -> bool {
        let (document, node) = (self.document, self.items[index].node);
        document.language().declaration(document.arena(), node).is_some()
            && document.arena().children(node).any(|child| document.language().is_block(document.arena(), child))
    }

    /// Edits that delete the statements at these sorted indices. A block that loses all of its statements gets the
    /// placeholder.
    ///
    /// # Errors
    ///
    /// Fails like [`insert`](Statements::insert).
    pub fn delete(&self, indices: &[usize]) -> Result<Vec<Edit>> {
        if self.is_list() {
            return Ok(delimited::list(self, self.document, self.block).delete(indices));
        }
        let placeholder = self.document.language().form.placeholder();
        let (mut edits, mut at) = (Vec::new(), 0);
        let all = indices.len() == self.items.len() && !self.is_top();
        if all && self.has_only_statements() {
            return Ok(vec![delimited::clear(self.document, self.block)]);
        }
        let empties = all && !placeholder.is_empty();
        let indices = if empties { &indices[..indices.len() - 1] } else { indices };
        while at < indices.len() {
            let mut last = at;
            while last + 1 < indices.len() && indices[last + 1] == indices[last] + 1 {
                last += 1;
            }
            self.delete_run(indices[at], indices[last], &mut edits);
            at = last + 1;
        }
        if let Some(item) = self.items.last().filter(|_| empties) {
            edits.push(Edit::new(Span::new(item.span.range().start, item.end), placeholder));
        }
        Ok(edits)
    }

    /// Returns whether a delimited block contains only statements and their comments.
    fn has_only_statements(&self) -> bool {
        let inner = self.inner();
        let is_known = |token: &Token| {
            let is_near = |item: &Item| Span::new(item.span.range().start, item.end).contains(token.span);
            self.items.iter().any(is_near)
        };
        !inner.is_empty() && self.document.arena().tokens_in(inner).iter().all(is_known)
    }

    fn delete_run(&self, first: usize, last: usize, edits: &mut Vec<Edit>) {
        let text = self.text();
        let (from, to) = (self.items[first].span.range().start, self.items[last].end);
        let code_end = self.items[last].span.range().end;
        let next = self.items.get(last + 1).map(|next| next.span.range().start);
        let before = first.checked_sub(1).map(|before| self.items[before].span.range().end);
        if let Some(next) = next.filter(|next| !text[code_end..*next].contains(['\n', '\r'])) {
            edits.push(Edit::remove(from..next));
        } else if let Some(before) = before.filter(|before| !text[*before..from].contains(['\n', '\r'])) {
            edits.push(Edit::remove(before..code_end));
        } else if !lines::starts_line(text, from) {
            edits.push(Edit::remove(from..code_end));
        } else {
            edits.push(Edit::remove(self.whole_lines(from, to)));
        }
    }

    /// The lines of a range. They include the smaller one of the runs of blank lines before and after it.
    fn whole_lines(&self, from: usize, to: usize) -> Span {
        let text = self.text();
        let mut start = lines::line_start(text, from);
        let mut end = lines::next_line(text, to);
        let is_blank = |line: usize| text[line..lines::line_end(text, line)].trim().is_empty();
        let (mut above, mut top) = (0, start);
        while let Some(line) = lines::previous_line(text, top).filter(|line| is_blank(*line)) {
            (above, top) = (above + 1, line);
        }
        let (mut below, mut bottom) = (Vec::new(), end);
        while bottom < text.len() && is_blank(bottom) {
            bottom = lines::next_line(text, bottom);
            below.push(bottom);
        }
        let inner = self.inner().range();
        if !self.is_top() && !inner.is_empty() && text[inner.start..start.max(inner.start)].trim().is_empty() {
            end = bottom.min(inner.end);
            start = start.max(inner.start);
        } else if !self.is_top() && !inner.is_empty() && text[end.min(inner.end)..inner.end].trim().is_empty() {
            start = top.max(inner.start);
        } else if bottom == text.len() && self.is_top() {
            // No statement follows, so the blank lines above are not needed.
            start = top;
        } else if top == 0 {
            end = bottom;
        } else if let Some(cut) = below.len().min(above).checked_sub(1) {
            end = below[cut];
        }
        Span::new(start, end)
    }
}

fn line_breaks(gap: &str) -> usize {
    // Comments between statements do not count as blank lines.
    let trailing = gap.trim_end_matches([' ', '\t']);
    let blank = trailing.len() - trailing.trim_end_matches(['\n', '\r']).len();
    trailing[trailing.len() - blank..].matches('\n').count().max(1)
}

/// The failure of an operation that needs content but got none.
pub fn empty_content() -> Failure {
    fail(FailureKind::InvalidArgument, "the content is empty").hint("give the code to insert, or use `delete`")
}

/// Returns whether a statement is the placeholder of an empty block.
pub fn is_placeholder(document: &CodeDocument, statement: NodeIndex) -> bool {
    let placeholder = document.language().form.placeholder();
    if placeholder.is_empty() {
        return false;
    }
    let code = document.arena().slice(statement);
    code == placeholder || code == "..."
}

/// The comment directly above a statement that describes it.
pub fn attached_comment(document: &CodeDocument, start: usize) -> Option<Span> {
    comments::attached_above(document.language(), document.arena(), start)
}

/// Adds code to the end of a text, on its own lines. It ends with a line break, unless the text has none at its end.
pub(crate) fn at_end(text: &str, code: &str) -> Edit {
    let is_complete = text.is_empty() || text.ends_with('\n');
    let code = if is_complete { format!("{code}\n") } else { format!("\n{code}") };
    Edit::insert(text.len(), code)
}
