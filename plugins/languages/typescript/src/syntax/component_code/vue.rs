//! Code for the templates of Vue: components become JSX elements, `v-if`, `v-for` and slots become blocks.

use std::ops::Range;

use super::markup::{Attribute, Tag, camel_case, is_name, pascal_case, read_tag};
use super::patterns::{split_patterns, trim};
use super::vue_names::{Meaning, is_of_all_elements, is_platform, meaning_of, starts_upper};
use super::writer::Writer;
use crate::syntax::components::kebab_case;

/// An open element.
struct Frame<'t> {
    tag: &'t str,
    /// Name of the component, as the closing tag refers to it.
    component: Option<Component>,
    /// Code that closes the blocks that the element opened, from the inside out.
    closing: String,
    scopes: usize,
    /// The element ends a branch of `v-if`.
    is_branch: bool,
}

/// The component that a tag names.
#[derive(Clone, PartialEq)]
enum Component {
    /// A name of the script, or a path such as `Form.Field`.
    Named(String),
    /// A component that the options register.
    Registered(String),
    /// A component that is not known.
    Unknown,
}

/// Writes the code of the templates of a component.
pub(super) fn write(writer: &mut Writer<'_>, parts: &[Range<usize>]) {
    for part in parts {
        VueTemplate { writer, frames: Vec::new(), continues_branch: false, values: 0 }.write(part.clone());
    }
}

struct VueTemplate<'w, 't> {
    writer: &'w mut Writer<'t>,
    frames: Vec<Frame<'t>>,
    /// The last element was a branch of `v-if`, so that `v-else` may follow.
    continues_branch: bool,
    /// Number of variables that the code declares for slots and the lists of `v-for`.
    values: usize,
}

/// The attributes of an element, by their meaning.
#[derive(Default)]
struct Attributes<'a> {
    condition: Option<(&'static str, Option<&'a Attribute>)>,
    each: Option<&'a Attribute>,
    slot: Option<&'a Attribute>,
    others: Vec<&'a Attribute>,
}

impl<'t> VueTemplate<'_, 't> {
    fn write(&mut self, part: Range<usize>) {
        let text = self.writer.source;
        let mut at = part.start;
        while let Some(next) = text[at..part.end].find(['<', '{']).map(|next| at + next) {
            let rest = &text[next..part.end];
            if rest.starts_with("<!--") {
                at = rest.find("-->").map_or(part.end, |end| next + end);
            } else if rest.starts_with("{{") {
                let Some(end) = rest.find("}}") else { break };
                self.continues_branch = false;
                self.writer.statement(next + 2..next + end);
                at = next + end + 2;
            } else if rest.starts_with("</") {
                self.close_tag(next + 2..part.end);
                at = next + 2;
            } else if rest.starts_with('<') && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                let Some(tag) = read_tag(text, next..part.end, false) else { break };
                self.open_tag(&tag);
                at = tag.end;
            } else {
                at = next + 1;
            }
        }
        while let Some(frame) = self.frames.pop() {
            self.close_frame(&frame, None);
        }
    }

    fn component_of(&self, tag: &str) -> Option<Component> {
        let names = self.writer.names;
        let registered = |name: &String| names.is_options && names.registered.contains(name);
        let is_plain = is_name(tag);
        let forms = [tag.to_owned(), camel_case(tag), pascal_case(tag)];
        if let Some((first, _)) = tag.split_once('.') {
            let is_path = tag.split('.').all(is_name);
            return (is_path && names.bound.contains(first)).then(|| Component::Named(tag.to_owned()));
        }
        if tag == "component" {
            return Some(Component::Unknown);
        }
        if is_platform(tag) {
            return None;
        }
        if let Some(known) = forms.iter().find(|name| registered(name)) {
            return Some(Component::Registered(known.clone()));
        }
        if !names.is_options
            && let Some(known) = forms.iter().find(|name| names.bound.contains(*name) && starts_upper(name))
        {
            return Some(Component::Named(known.clone()));
        }
        let is_global = is_plain && starts_upper(tag);
        if is_global && !names.is_options { Some(Component::Named(tag.to_owned())) } else { Some(Component::Unknown) }
    }

    fn open_tag(&mut self, tag: &Tag) {
        let text = self.writer.source;
        let name = &text[tag.name.clone()];
        let attributes = self.attributes(tag);
        let component = self.component_of(name);
        let mut frame =
            Frame { tag: name, component: component.clone(), closing: String::new(), scopes: 0, is_branch: false };
        let continues = std::mem::take(&mut self.continues_branch);
        self.open_branch(&attributes, continues, &mut frame);
        tag.attributes.iter().for_each(|attribute| self.write_argument(attribute));
        if let Some(each) = attributes.each {
            self.open_loop(each, &mut frame);
        }
        match &component {
            Some(component) => self.write_component(tag, component, &attributes),
            None => attributes.others.iter().for_each(|attribute| self.write_attribute(attribute)),
        }
        if let Some(slot) = attributes.slot {
            self.open_slot(slot, &mut frame);
        }
        if tag.is_empty(text) {
            self.close_frame(&frame, None);
        } else {
            self.frames.push(frame);
        }
    }

    fn attributes<'a>(&self, tag: &'a Tag) -> Attributes<'a> {
        let mut found = Attributes::default();
        for attribute in &tag.attributes {
            let name = &self.writer.source[attribute.name.clone()];
            match name {
                "v-if" => found.condition = Some(("if ", Some(attribute))),
                "v-else-if" => found.condition = Some(("else if ", Some(attribute))),
                "v-else" => found.condition = Some(("else ", None)),
                "v-for" => found.each = Some(attribute),
                _ if name.starts_with('#') || name.starts_with("v-slot") || name == "slot-scope" => {
                    found.slot = Some(attribute);
                }
                _ => found.others.push(attribute),
            }
        }
        found
    }

    /// Writes the expression in the name of an attribute: `:[name]`, `#[slot]`.
    fn write_argument(&mut self, attribute: &Attribute) {
        let name = &self.writer.source[attribute.name.clone()];
        let is_dynamic = name.starts_with([':', '@', '#', 'v']);
        if let (true, Some(open), Some(close)) = (is_dynamic, name.find('['), name.rfind(']'))
            && open < close
        {
            self.writer.statement(attribute.name.start + open + 1..attribute.name.start + close);
        }
    }

    fn open_branch(&mut self, attributes: &Attributes<'_>, continues: bool, frame: &mut Frame<'_>) {
        let Some((word, condition)) = attributes.condition else { return };
        match condition.and_then(|attribute| attribute.value.clone()) {
            // The condition of an element that is repeated may use the names of `v-for`.
            Some(value) if attributes.each.is_some() => {
                frame.closing.push('}');
                self.writer.raw("{");
                self.values += 1;
                self.writer.raw(&format!("const $c{} = () => ", self.values));
                self.writer.statement(value);
                return;
            }
            Some(value) => {
                self.writer.raw(if continues || word == "if " { word } else { "if " });
                self.writer.value(value);
                self.writer.raw("{");
            }
            None => self.writer.raw(if continues && word == "else " { "else {" } else { "{" }),
        }
        frame.closing.push('}');
        frame.is_branch = word != "else ";
    }

    fn open_loop(&mut self, each: &Attribute, frame: &mut Frame<'_>) {
        let Some(value) = each.value.clone() else { return };
        let code = &self.writer.source[value.clone()];
        let words = [" in ", " of "].iter();
        let Some((at, length)) = words.filter_map(|word| Some((code.find(word)?, word.len()))).min() else {
            return self.writer.reject(value);
        };
        let list = value.start + at + length..value.end;
        let trimmed = trim(self.writer.source, value.start..value.start + at);
        let inner = match code[..at].trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(_) => trimmed.start + 1..trimmed.end - 1,
            None => trimmed,
        };
        let patterns = split_patterns(self.writer.source, inner);
        let names: Option<Vec<Vec<String>>> =
            patterns.iter().map(|pattern| self.writer.pattern_names(pattern.clone())).collect();
        let Some(names) = names.filter(|names| !names.is_empty()) else {
            self.writer.reject(value);
            return self.writer.statement(list);
        };
        self.values += 1;
        let values = self.values;
        self.writer.raw(&format!("{{const $l{values} = "));
        self.writer.value(list);
        self.writer.raw(";for (const ");
        self.writer.copy(patterns[0].clone());
        self.writer.raw(&format!(" of $l{values}) {{"));
        for index in &patterns[1..] {
            self.writer.raw("const ");
            self.writer.copy(index.clone());
            self.writer.raw(" = 0;");
        }
        self.writer.push_scope(names.into_iter().flatten().collect());
        frame.scopes += 1;
        frame.closing.insert_str(0, "}}");
    }

    fn open_slot(&mut self, slot: &Attribute, frame: &mut Frame<'_>) {
        let Some(pattern) = slot.value.clone() else { return };
        let pattern = trim(self.writer.source, pattern);
        let Some(names) = self.writer.pattern_names(pattern.clone()).filter(|names| !names.is_empty()) else {
            return self.writer.reject(pattern);
        };
        self.writer.raw("{const ");
        self.writer.copy(pattern);
        self.writer.raw(" = this.$slotProps;");
        self.writer.push_scope(names);
        frame.scopes += 1;
        frame.closing.insert(0, '}');
    }

    fn close_tag(&mut self, rest: Range<usize>) {
        let place = super::markup::tag_name(self.writer.source, rest.start, rest.end);
        let name = &self.writer.source[place.clone()];
        let Some(index) = self.frames.iter().rposition(|frame| frame.tag == name) else { return };
        while self.frames.len() > index {
            let Some(frame) = self.frames.pop() else { return };
            let is_own = self.frames.len() == index;
            self.close_frame(&frame, is_own.then(|| place.clone()));
        }
    }

    fn close_frame(&mut self, frame: &Frame<'_>, tag: Option<Range<usize>>) {
        if let (Some(place), Some(component)) = (tag, &frame.component) {
            self.write_component_name(place, component, "");
        }
        self.writer.raw(&frame.closing);
        (0..frame.scopes).for_each(|_| self.writer.pop_scope());
        self.continues_branch = frame.is_branch;
    }

    /// Writes an element without attributes that refers to a component.
    fn write_component_name(&mut self, place: Range<usize>, component: &Component, attributes: &str) {
        if *component == Component::Unknown {
            return;
        }
        self.writer.raw("<");
        self.component_name(place, component);
        self.writer.raw(attributes);
        self.writer.raw("/>;");
    }

    fn component_name(&mut self, place: Range<usize>, component: &Component) {
        match component {
            Component::Named(name) if name.contains('.') => self.writer.copy(place),
            Component::Named(name) => self.writer.copy_as(place, name),
            Component::Registered(name) => {
                self.writer.raw("this.");
                self.writer.copy_as(place, name);
            }
            Component::Unknown => self.writer.raw("this.$unknown"),
        }
    }

    /// Writes the element of a component, and a second element for its events.
    fn write_component(&mut self, tag: &Tag, component: &Component, attributes: &Attributes<'_>) {
        let source = self.writer.source;
        self.writer.raw("<");
        self.component_name(tag.name.clone(), component);
        let mut events = Vec::new();
        let mut rest = Vec::new();
        for attribute in &attributes.others {
            match meaning_of(&source[attribute.name.clone()]) {
                Meaning::Event(_) => events.push(*attribute),
                Meaning::Prop(name) => self.write_prop(attribute, name),
                Meaning::Static if is_of_all_elements(&source[attribute.name.clone()]) => rest.push(*attribute),
                Meaning::Static => self.write_static(attribute),
                Meaning::Spread => {
                    if let Some(value) = attribute.value.clone() {
                        self.writer.raw(" {...");
                        self.writer.value(value);
                        self.writer.raw("}");
                    }
                }
                Meaning::Directive => rest.push(*attribute),
            }
        }
        for event in &events {
            if let Meaning::Event(name) = meaning_of(&source[event.name.clone()])
                && let Some(prop) =
                    source[event.name.start + name.start..event.name.start + name.end].strip_prefix("update:")
            {
                let end = event.name.start + name.end;
                self.write_name(end - prop.len()..end, " ");
            }
        }
        self.writer.raw("/>;");
        for event in events {
            self.write_event(tag, component, event);
        }
        rest.into_iter().for_each(|attribute| self.write_attribute(attribute));
    }

    /// Writes the name of an attribute in the form of a property, without a value.
    fn write_name(&mut self, place: Range<usize>, before: &str) -> bool {
        let name = camel_case(&self.writer.source[place.clone()]);
        let is_valid = is_name(&name);
        if is_valid {
            self.writer.raw(before);
            self.writer.copy_as(place, &name);
        }
        is_valid
    }

    fn write_static(&mut self, attribute: &Attribute) {
        if !self.write_name(attribute.name.clone(), " ") {
            return;
        }
        match attribute.value.clone().filter(|_| attribute.is_quoted) {
            Some(value) if !self.writer.source[value.clone()].contains(['&', '\\', '\n']) => {
                self.writer.raw("=");
                self.writer.copy(value.start - 1..value.end + 1);
            }
            _ => {}
        }
    }

    fn write_prop(&mut self, attribute: &Attribute, name: Range<usize>) {
        let place = attribute.name.start + name.start..attribute.name.start + name.end;
        let source = self.writer.source;
        if source[attribute.name.clone()].starts_with("v-model") && name.is_empty() {
            self.writer.raw(" ");
            self.writer.copy_as(attribute.name.start..attribute.name.start + "v-model".len(), "modelValue");
        } else if !self.write_name(place.clone(), " ") {
            // `:[name]="value"`, `:xlink:href="value"`
            if let Some(value) = attribute.value.clone() {
                self.writer.raw(" data-value={");
                self.writer.value(value);
                self.writer.raw("}");
            }
            return;
        }
        self.writer.raw("={");
        match attribute.value.clone() {
            Some(value) => self.writer.value(value),
            None => {
                let name = camel_case(&source[place.clone()]);
                self.writer.name(place, &name);
            }
        }
        self.writer.raw("}");
    }

    fn write_event(&mut self, tag: &Tag, component: &Component, event: &Attribute) {
        let source = self.writer.source;
        let Meaning::Event(name) = meaning_of(&source[event.name.clone()]) else { return };
        let place = event.name.start + name.start..event.name.start + name.end;
        let written = &source[place.clone()];
        let is_model = written.starts_with("update:");
        let is_jsx_name = written.split('-').all(is_name);
        if !is_model && is_jsx_name {
            self.writer.raw("<");
            match component {
                // The name of the tag was already written with the element of the component.
                Component::Unknown => self.writer.raw("this.$unknown"),
                other => self.component_name(tag.name.clone(), other),
            }
            self.writer.raw(".$emits ");
            self.writer.copy(place.clone());
            let camel = camel_case(written);
            let other = if camel == written { kebab_case(written) } else { camel };
            if other != written {
                self.writer.raw(" ");
                self.writer.copy_as(place, &other);
            }
            self.writer.raw("/>;");
        }
        self.write_handler(event.value.clone());
    }

    fn write_handler(&mut self, value: Option<Range<usize>>) {
        let Some(value) = value else { return };
        self.writer.raw("(async ($event) => {");
        self.writer.code(value, true);
        self.writer.raw("\n});");
    }

    /// Writes the code of an attribute of an element of the platform.
    fn write_attribute(&mut self, attribute: &Attribute) {
        let source = self.writer.source;
        let name = &source[attribute.name.clone()];
        match meaning_of(name) {
            Meaning::Event(_) => self.write_handler(attribute.value.clone()),
            Meaning::Prop(range) if attribute.value.is_none() && !range.is_empty() => {
                self.writer.raw("<i");
                self.write_prop(attribute, range);
                self.writer.raw("/>;");
            }
            Meaning::Static => self.write_reference(attribute),
            Meaning::Directive => {
                // `v-focus` is the variable `vFocus`.
                let end = attribute.name.start + name.find([':', '.']).unwrap_or(name.len());
                let directive = camel_case(&source[attribute.name.start..end]);
                if self.writer.names.bound.contains(&directive) && !self.writer.names.is_options {
                    self.writer.copy_as(attribute.name.start..end, &directive);
                    self.writer.raw(";");
                }
                self.write_value(attribute);
            }
            Meaning::Prop(_) | Meaning::Spread => self.write_value(attribute),
        }
    }

    fn write_value(&mut self, attribute: &Attribute) {
        if let Some(value) = attribute.value.clone() {
            self.writer.statement(value);
        }
    }

    /// Writes the variable that `ref="name"` sets.
    fn write_reference(&mut self, attribute: &Attribute) {
        let Some(value) = attribute.value.clone().filter(|_| &self.writer.source[attribute.name.clone()] == "ref")
        else {
            return;
        };
        let name = &self.writer.source[value.clone()];
        if self.writer.names.bound.contains(name) && !self.writer.names.is_options {
            self.writer.copy(value);
            self.writer.raw(";");
        }
    }
}
