//! Start tags in the body.

use super::super::names::{NameSet, name_set};
use super::stack::{Scope, is_heading};
use super::{Builder, Code, Content, Entry, Flow, Mode, NONE, Name, Namespace, Tag, Token, decode};

impl Builder<'_> {
    pub(super) fn in_body(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => self.body_text(),
            Token::Start(tag) => self.body_start(tag, token),
            Token::End(tag) => self.body_end(tag, token),
            Token::Eof if !self.template_modes.is_empty() => self.in_template(token),
            Token::Eof | Token::Comment(_) | Token::Doctype(_) => Flow::Done,
        }
    }

    fn body_text(&mut self) -> Flow {
        let text = self.remaining_text.slice(self.tokenizer.text);
        if text.bytes().all(|byte| byte == 0) {
            return Flow::Done;
        }
        let visible = self.frameset_ok && decode::leading_blank(&text.replace('\0', "")) < text.replace('\0', "").len();
        self.reconstruct_formatting();
        self.insert_text();
        if visible {
            self.frameset_ok = false;
        }
        Flow::Done
    }

    fn body_start(&mut self, tag: &Tag, token: &Token) -> Flow {
        match tag.name {
            Name::HTML => self.second_html(tag),
            name if METADATA.contains(name) => return self.in_head(token),
            Name::BODY => self.second_body(tag, token),
            Name::FRAMESET => self.late_frameset(tag, token),
            name if BLOCK.contains(name) => {
                self.close_p();
                self.insert(tag);
            }
            name if is_heading(name) => self.heading(tag),
            Name::PRE | Name::LISTING => {
                self.close_p();
                self.insert(tag);
                self.skip_newline = true;
                self.frameset_ok = false;
            }
            Name::FORM => return self.form(tag, token),
            Name::LI => self.list_item(tag, &[Name::LI]),
            Name::DD | Name::DT => self.list_item(tag, &[Name::DD, Name::DT]),
            Name::PLAINTEXT => {
                self.close_p();
                self.insert(tag);
                self.tokenizer.switch(Content::Plain, tag);
            }
            Name::BUTTON => self.button(tag),
            name if FORMATTING.contains(name) => self.formatting_start(tag, token),
            Name::APPLET | Name::MARQUEE | Name::OBJECT => {
                self.reconstruct_formatting();
                self.insert(tag);
                self.formatting.push(Entry::Marker);
                self.frameset_ok = false;
            }
            Name::TABLE => {
                if !self.quirks {
                    self.close_p();
                }
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            Name::TEXTAREA => {
                self.insert_raw(tag, Content::Raw);
                self.skip_newline = true;
                self.frameset_ok = false;
            }
            Name::XMP | Name::IFRAME | Name::NOEMBED => return self.raw_body_text(tag),
            Name::SELECT => self.select_start(tag),
            Name::CAPTION
            | Name::COL
            | Name::COLGROUP
            | Name::FRAME
            | Name::HEAD
            | Name::TBODY
            | Name::TD
            | Name::TFOOT
            | Name::TH
            | Name::THEAD
            | Name::TR => return self.ignore_unexpected(token),
            _ => self.inline_start(tag),
        }
        Flow::Done
    }

    /// Processes start tags that do not change the insertion mode, such as those of inline and void elements, and all
    /// unknown ones.
    fn inline_start(&mut self, tag: &Tag) {
        match tag.name {
            Name::AREA | Name::BR | Name::EMBED | Name::IMG | Name::KEYGEN | Name::WBR => {
                self.reconstruct_formatting();
                self.insert_void(tag);
                self.frameset_ok = false;
            }
            Name::IMAGE => {
                let image = Tag { name: Name::IMG, ..tag.clone() };
                self.inline_start(&image);
            }
            Name::INPUT => {
                self.reconstruct_formatting();
                self.insert_void(tag);
                if self.tag_attribute_value(tag, "type").is_none_or(|kind| !kind.eq_ignore_ascii_case("hidden")) {
                    self.frameset_ok = false;
                }
            }
            Name::PARAM | Name::SOURCE | Name::TRACK => self.insert_void(tag),
            Name::HR => {
                self.close_p();
                self.insert_void(tag);
                self.frameset_ok = false;
            }
            Name::OPTGROUP | Name::OPTION => {
                if self.current_is(&[Name::OPTION]) {
                    self.pop();
                }
                self.reconstruct_formatting();
                self.insert(tag);
            }
            Name::RB | Name::RTC | Name::RP | Name::RT => {
                if self.in_scope(Name::RUBY, Scope::Default) {
                    let except = matches!(tag.name, Name::RP | Name::RT).then_some(Name::RTC);
                    self.generate_implied_end_tags(except);
                }
                self.insert(tag);
            }
            Name::MATH | Name::SVG => {
                self.reconstruct_formatting();
                let namespace = if tag.name == Name::SVG { Namespace::SVG } else { Namespace::MATHML };
                self.insert_foreign(tag, tag.name, namespace);
            }
            _ => {
                self.reconstruct_formatting();
                self.insert(tag);
            }
        }
    }

    fn second_html(&mut self, tag: &Tag) {
        if let Some(html) = self.open.first().copied().filter(|_| !self.template_is_open()) {
            self.add_attributes(html, tag);
        }
    }

    fn body(&self) -> Option<u32> {
        self.open.get(1).copied().filter(|body| self.is_html(*body, Name::BODY))
    }

    fn second_body(&mut self, tag: &Tag, token: &Token) {
        match self.body() {
            Some(body) if !self.template_is_open() => {
                self.frameset_ok = false;
                self.add_attributes(body, tag);
            }
            _ => {
                self.ignore_unexpected(token);
            }
        }
    }

    fn late_frameset(&mut self, tag: &Tag, token: &Token) {
        match self.body() {
            Some(body) if self.frameset_ok => {
                self.arena.detach(body);
                self.arena.nodes[body as usize].parent = NONE;
                while self.open.len() > 1 {
                    self.pop();
                }
                self.insert(tag);
                self.mode = Mode::InFrameset;
            }
            _ => {
                self.ignore_unexpected(token);
            }
        }
    }

    fn heading(&mut self, tag: &Tag) {
        self.close_p();
        if self.current().is_some_and(|node| node.namespace == Namespace::HTML && is_heading(node.name)) {
            self.pop();
        }
        self.insert(tag);
    }

    fn form(&mut self, tag: &Tag, token: &Token) -> Flow {
        let in_template = self.template_is_open();
        if self.form.is_some() && !in_template {
            return self.ignore_unexpected(token);
        }
        self.close_p();
        let form = self.insert(tag);
        if !in_template {
            self.form = Some(form);
        }
        Flow::Done
    }

    fn list_item(&mut self, tag: &Tag, alike: &[Name]) {
        self.frameset_ok = false;
        if alike.iter().any(|name| self.may_be_open(*name)) {
            for place in (0..self.open.len()).rev() {
                let id = self.open[place];
                let node = self.node(id);
                let (name, html) = (node.name, node.namespace == Namespace::HTML);
                if html && alike.contains(&name) {
                    self.generate_implied_end_tags(Some(name));
                    self.pop_until(|other| other == name);
                    break;
                }
                if self.is_special(id) && !(html && matches!(name, Name::ADDRESS | Name::DIV | Name::P)) {
                    break;
                }
            }
        }
        self.close_p();
        self.insert(tag);
    }

    fn button(&mut self, tag: &Tag) {
        if self.in_scope(Name::BUTTON, Scope::Default) {
            self.generate_implied_end_tags(None);
            self.pop_until(|name| name == Name::BUTTON);
        }
        self.reconstruct_formatting();
        self.insert(tag);
        self.frameset_ok = false;
    }

    fn formatting_start(&mut self, tag: &Tag, token: &Token) {
        if tag.name == Name::A {
            if let Some(element) = self.find_formatting(Name::A) {
                self.report(Code::Misnested, tag.span);
                self.run_adoption_agency(Name::A, token);
                self.forget_formatting(element);
                self.remove_open(element);
            }
            self.reconstruct_formatting();
        } else {
            self.reconstruct_formatting();
            if tag.name == Name::NOBR && self.in_scope(Name::NOBR, Scope::Default) {
                self.report(Code::Misnested, tag.span);
                self.run_adoption_agency(Name::NOBR, token);
                self.reconstruct_formatting();
            }
        }
        let node = self.insert(tag);
        self.push_formatting(node);
    }

    fn raw_body_text(&mut self, tag: &Tag) -> Flow {
        if tag.name == Name::XMP {
            self.close_p();
            self.reconstruct_formatting();
        }
        if tag.name != Name::NOEMBED {
            self.frameset_ok = false;
        }
        self.insert_raw(tag, Content::Raw)
    }

    fn select_start(&mut self, tag: &Tag) {
        self.reconstruct_formatting();
        self.insert(tag);
        self.frameset_ok = false;
        self.mode = match self.mode {
            Mode::InTable | Mode::InCaption | Mode::InTableBody | Mode::InRow | Mode::InCell => Mode::InSelectInTable,
            _ => Mode::InSelect,
        };
    }
}

/// Elements that are processed by the rules of the head, wherever they are in the page.
pub(super) static METADATA: NameSet = name_set! {
    BASE BASEFONT BGSOUND LINK META NOFRAMES SCRIPT STYLE TEMPLATE TITLE
};

/// Elements whose start tag closes an open paragraph, and whose end tag also closes the elements that are still open
/// inside.
pub(crate) static BLOCK: NameSet = name_set! {
    ADDRESS ARTICLE ASIDE BLOCKQUOTE CENTER DETAILS DIALOG DIR DIV DL FIELDSET FIGCAPTION FIGURE FOOTER
    HEADER HGROUP MAIN MENU NAV OL P SEARCH SECTION SUMMARY UL
};

/// Formatting elements, which are reopened in the next block if the end of a block closes them.
pub(super) static FORMATTING: NameSet = name_set! {
    A B BIG CODE EM FONT I NOBR S SMALL STRIKE STRONG TT U
};
