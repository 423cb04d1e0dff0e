//! Code for the tags of Svelte: components with their attributes, and directives of elements.

use std::ops::Range;

use super::markup::{Attribute, Tag, closing_brace, is_name, tag_name};
use super::patterns::trim;
use super::svelte::{Frame, SvelteTemplate};

impl SvelteTemplate<'_, '_> {
    pub(super) fn open_tag(&mut self, tag: &Tag) {
        let text = self.writer.source;
        let name = &text[tag.name.clone()];
        let is_dynamic = matches!(name, "svelte:component" | "svelte:self");
        let is_component = name.starts_with(|c: char| c.is_uppercase()) || name.contains('.') && !name.contains(':');
        if is_component || is_dynamic {
            self.write_component(tag, is_dynamic);
        } else {
            tag.attributes.iter().for_each(|attribute| self.write_attribute(attribute));
        }
        if tag.is_empty(text) {
            return;
        }
        self.frames.push(Frame { name, component: is_component, closing: "", scopes: 0 });
        let lets: Vec<&Attribute> =
            tag.attributes.iter().filter(|attribute| text[attribute.name.clone()].starts_with("let:")).collect();
        lets.into_iter().for_each(|attribute| self.write_slot_value(attribute));
    }

    /// Writes `let:name={pattern}`, which declares names for the body of an element.
    fn write_slot_value(&mut self, attribute: &Attribute) {
        let text = self.writer.source;
        let pattern = match attribute.value.clone() {
            Some(value) if text[value.clone()].starts_with('{') => trim(text, value.start + 1..value.end - 1),
            Some(_) => return,
            None => attribute.name.start + "let:".len()..attribute.name.end,
        };
        let Some(names) = self.writer.pattern_names(pattern.clone()).filter(|names| !names.is_empty()) else { return };
        self.writer.raw("{const ");
        self.writer.copy(pattern);
        self.writer.raw(" = this.$slotProps;");
        self.writer.push_scope(names);
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes += 1;
            frame.closing = match frame.closing {
                "" => "}",
                "}" => "}}",
                _ => "}}}",
            };
        }
    }

    pub(super) fn close_tag(&mut self, rest: Range<usize>) {
        let place = tag_name(self.writer.source, rest.start, rest.end);
        let name = &self.writer.source[place.clone()];
        // An element does not end outside of the block that contains it.
        let within = self.frames.iter().rposition(|frame| frame.name.starts_with('#')).map_or(0, |block| block + 1);
        let Some(index) = self.frames[within..].iter().rposition(|frame| frame.name == name) else { return };
        while self.frames.len() > within + index {
            let Some(frame) = self.frames.pop() else { return };
            let is_own = self.frames.len() == within + index;
            self.close_frame(&frame, is_own.then(|| place.clone()));
        }
    }

    fn write_component(&mut self, tag: &Tag, is_dynamic: bool) {
        let text = self.writer.source;
        let mut rest = Vec::new();
        self.writer.raw("<");
        self.component_name(tag, is_dynamic);
        for attribute in &tag.attributes {
            let name = &text[attribute.name.clone()];
            match name.split_once(':') {
                Some(("bind", prop)) if prop != "this" => self.write_prop(attribute, "bind:".len()),
                Some(("on" | "bind" | "let" | "class" | "style" | "use", _)) => rest.push(attribute),
                None if name.starts_with('{') => self.write_braces(attribute.name.clone()),
                None if name.starts_with("--") || name == "slot" || name == "this" => rest.push(attribute),
                _ => self.write_prop(attribute, 0),
            }
        }
        self.writer.raw("/>;");
        for attribute in rest {
            match text[attribute.name.clone()].strip_prefix("on:") {
                Some(event) => self.write_event(tag, is_dynamic, attribute, event),
                None => self.write_attribute(attribute),
            }
        }
    }

    fn component_name(&mut self, tag: &Tag, is_dynamic: bool) {
        if is_dynamic {
            self.writer.raw("this.$unknown");
        } else {
            self.writer.copy(tag.name.clone());
        }
    }

    /// Writes `{name}` or `{...value}` as attribute of a component.
    fn write_braces(&mut self, place: Range<usize>) {
        let text = self.writer.source;
        let inner = trim(text, place.start + 1..place.end - 1);
        if let Some(value) = text[inner.clone()].strip_prefix("...") {
            self.writer.raw(" {...");
            self.writer.value(inner.end - value.len()..inner.end);
            self.writer.raw("}");
        } else if is_name(&text[inner.clone()]) {
            self.writer.raw(" ");
            self.writer.copy(inner.clone());
            self.writer.raw("={");
            self.writer.name(inner.clone(), &text[inner]);
            self.writer.raw("}");
        } else if let Some(value) = text[inner.clone()].strip_prefix("@attach ") {
            self.writer.raw(" data-value={");
            self.writer.value(inner.end - value.len()..inner.end);
            self.writer.raw("}");
        } else {
            self.writer.reject(inner);
        }
    }

    fn write_prop(&mut self, attribute: &Attribute, prefix: usize) {
        let text = self.writer.source;
        let place = attribute.name.start + prefix..attribute.name.end;
        if !is_name(&text[place.clone()]) {
            return self.write_pieces_as_spread(attribute);
        }
        self.writer.raw(" ");
        self.writer.copy(place.clone());
        match attribute.value.clone() {
            None if prefix > 0 => {
                self.writer.raw("={");
                self.writer.name(place.clone(), &text[place]);
                self.writer.raw("}");
            }
            None => {}
            Some(value) if text[value.clone()].starts_with('{') && !attribute.is_quoted => {
                self.writer.raw("={");
                self.writer.value(value.start + 1..value.end - 1);
                self.writer.raw("}");
            }
            Some(value) if attribute.is_quoted && !text[value.clone()].contains(['&', '\\', '\n', '{']) => {
                self.writer.raw("=");
                self.writer.copy(value.start - 1..value.end + 1);
            }
            Some(value) => {
                self.writer.raw("={[");
                self.write_pieces(value, ",");
                self.writer.raw("]}");
            }
        }
    }

    fn write_pieces_as_spread(&mut self, attribute: &Attribute) {
        if let Some(value) = attribute.value.clone() {
            self.writer.raw(" {...[");
            self.write_pieces(value, ",");
            self.writer.raw("]}");
        }
    }

    /// Writes the expressions in a text: `a {b} c`.
    fn write_pieces(&mut self, value: Range<usize>, separator: &str) {
        let text = self.writer.source;
        let mut at = value.start;
        while let Some(open) = text[at..value.end].find('{').map(|open| at + open) {
            let Some(end) = closing_brace(&text[open..value.end]) else { return };
            self.writer.value(open + 1..open + end - 1);
            self.writer.raw(separator);
            at = open + end;
        }
    }

    fn write_event(&mut self, tag: &Tag, is_dynamic: bool, attribute: &Attribute, event: &str) {
        let name = event.split('|').next().unwrap_or_default();
        let start = attribute.name.start + "on:".len();
        if name.split('-').all(is_name) {
            self.writer.raw("<");
            // An event without a handler is passed on under the same name.
            self.component_name(tag, is_dynamic || attribute.value.is_none());
            self.writer.raw(if is_dynamic || attribute.value.is_none() { " " } else { ".$emits " });
            self.writer.copy(start..start + name.len());
            self.writer.raw("/>;");
        }
        self.write_values(attribute);
    }

    /// Writes the code of an attribute of an element of the platform.
    fn write_attribute(&mut self, attribute: &Attribute) {
        let text = self.writer.source;
        let name = &text[attribute.name.clone()];
        if name.starts_with('{') {
            let inner = trim(text, attribute.name.start + 1..attribute.name.end - 1);
            let code = &text[inner.clone()];
            if let Some(value) = code.strip_prefix("...") {
                return self.writer.statement(inner.end - value.len()..inner.end);
            }
            if is_name(code) || code.starts_with("@attach ") {
                self.writer.raw("<i");
                self.write_braces(attribute.name.clone());
                return self.writer.raw("/>;");
            }
            return self.writer.statement(inner);
        }
        match name.split_once(':') {
            Some(("use" | "transition" | "in" | "out" | "animate", function)) => {
                let function = function.split('|').next().unwrap_or_default();
                let start = attribute.name.start + name.find(':').map_or(0, |at| at + 1);
                self.writer.statement(start..start + function.len());
            }
            Some(("class" | "bind" | "style", word)) if attribute.value.is_none() && is_name(word) => {
                let place = attribute.name.end - word.len()..attribute.name.end;
                self.writer.raw("<i ");
                self.writer.copy(place.clone());
                self.writer.raw("={");
                self.writer.name(place, word);
                self.writer.raw("}/>;");
            }
            _ => {}
        }
        if !name.starts_with("let:") {
            self.write_values(attribute);
        }
    }

    fn write_values(&mut self, attribute: &Attribute) {
        if let Some(value) = attribute.value.clone() {
            self.write_pieces(value, ";");
        }
    }
}
