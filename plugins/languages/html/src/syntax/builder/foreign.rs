//! SVG and MathML inside HTML.

use super::super::names::{NameSet, name_set};
use super::{Builder, Flow, Mode, Name, Namespace, Node, Tag, Token, decode};

impl Builder<'_> {
    /// Returns whether the rules for HTML apply to the token. Otherwise the rules for foreign content (SVG and MathML)
    /// apply.
    pub(super) fn is_html_content(&self, token: &Token) -> bool {
        let Some(node) = self.current() else { return true };
        if node.namespace == Namespace::HTML {
            return true;
        }
        match token {
            Token::Start(tag) => {
                (is_mathml_text_point(node) && !matches!(tag.name, Name::MGLYPH | Name::MALIGNMARK))
                    || (node.namespace == Namespace::MATHML
                        && node.name == Name::ANNOTATION_XML
                        && tag.name == Name::SVG)
                    || self.is_html_point(node)
            }
            Token::Text(_) => is_mathml_text_point(node) || self.is_html_point(node),
            Token::Eof => true,
            _ => false,
        }
    }

    fn is_html_point(&self, node: &Node) -> bool {
        match node.namespace {
            Namespace::SVG => matches!(node.name, Name::FOREIGN_OBJECT | Name::DESC | Name::TITLE),
            Namespace::MATHML if node.name == Name::ANNOTATION_XML => {
                self.attribute_value_in(node.attributes, "encoding").is_some_and(|encoding| {
                    encoding.eq_ignore_ascii_case("text/html") || encoding.eq_ignore_ascii_case("application/xhtml+xml")
                })
            }
            _ => false,
        }
    }

    pub(super) fn in_foreign_content(&mut self, token: &Token) -> Flow {
        match token {
            Token::Text(_) => {
                let text = self.remaining_text.slice(self.tokenizer.text).replace('\0', "");
                if decode::leading_blank(&text) < text.len() {
                    self.frameset_ok = false;
                }
                self.insert_text();
                Flow::Done
            }
            Token::Start(tag) if self.breaks_out(tag) => self.break_out(token),
            Token::End(tag) if matches!(tag.name, Name::BR | Name::P) => self.break_out(token),
            Token::Start(tag) => {
                let namespace = self.current().map_or(Namespace::HTML, |node| node.namespace);
                let name = if namespace == Namespace::SVG { self.svg_name(tag.name) } else { tag.name };
                self.insert_foreign(tag, name, namespace);
                Flow::Done
            }
            Token::End(tag) => self.end_foreign(tag, token),
            _ => Flow::Done,
        }
    }

    fn breaks_out(&self, tag: &Tag) -> bool {
        let font = tag.name == Name::FONT
            && ["color", "face", "size"].iter().any(|name| self.tag_attribute_value(tag, name).is_some());
        font || BREAKOUT.contains(tag.name)
    }

    /// Closes the open elements of SVG and MathML, because an HTML tag that is not allowed there was found.
    fn break_out(&mut self, token: &Token) -> Flow {
        while let Some(node) = self.current() {
            if node.namespace == Namespace::HTML || is_mathml_text_point(node) || self.is_html_point(node) {
                break;
            }
            self.pop();
        }
        self.process_in_mode(self.mode, token)
    }

    fn end_foreign(&mut self, tag: &Tag, token: &Token) -> Flow {
        for place in (0..self.open.len()).rev() {
            let node = self.node(self.open[place]);
            if node.namespace == Namespace::HTML {
                return self.process_in_mode(self.mode, token);
            }
            if place == 0 {
                break;
            }
            if self.same_lower(tag.name, node.name) {
                while self.open.len() > place {
                    self.pop();
                }
                return Flow::Done;
            }
        }
        self.ignore_unexpected(token)
    }

    /// Restores the mixed case of an SVG name. The HTML tokenizer has converted the name to lower case.
    fn svg_name(&mut self, name: Name) -> Name {
        let names = &mut self.tokenizer.names;
        let lower = names.text(name);
        let adjusted =
            SVG_NAMES.iter().find(|adjusted| adjusted.len() == lower.len() && adjusted.eq_ignore_ascii_case(lower));
        adjusted.map_or(name, |adjusted| names.intern(adjusted))
    }

    /// Returns whether the current insertion mode is one of those for text.
    pub(super) fn in_text_mode(&self) -> bool {
        matches!(self.mode, Mode::Text | Mode::InTableText)
    }
}

fn is_mathml_text_point(node: &Node) -> bool {
    node.namespace == Namespace::MATHML && matches!(node.name, Name::MI | Name::MO | Name::MN | Name::MS | Name::MTEXT)
}

/// HTML elements whose start tag ends an SVG or MathML element.
static BREAKOUT: NameSet = name_set! {
    B BIG BLOCKQUOTE BODY BR CENTER CODE DD DIV DL DT EM EMBED H1 H2 H3 H4 H5 H6 HEAD HR I IMG LI LISTING
    MENU META NOBR OL P PRE RUBY S SMALL SPAN STRONG STRIKE SUB SUP TABLE TT U UL VAR
};

const SVG_NAMES: [&str; 37] = [
    "altGlyph",
    "altGlyphDef",
    "altGlyphItem",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "clipPath",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feImage",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "foreignObject",
    "glyphRef",
    "linearGradient",
    "radialGradient",
    "textPath",
];
