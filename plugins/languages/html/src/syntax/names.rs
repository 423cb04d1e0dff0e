//! Interned element names. Names in the standard are constants. Other names get numbers that are valid for one
//! document.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// Name of an element. It is in lower case in HTML, in the case of the standard in SVG and MathML, and as written in
/// XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(pub(crate) u32);

macro_rules! known {
    ($($constant:ident = $text:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "numbers the constants")]
        #[repr(u32)]
        enum Number { $($constant,)* }

        /// Names defined by the standard.
        impl Name {
            $(pub(crate) const $constant: Name = Name(Number::$constant as u32);)*
        }

        /// Names in the standard, sorted by their bytes for binary search.
        const KNOWN: &[&str] = &[$($text,)*];
    };
}

known! {
    A = "a", ADDRESS = "address", ANNOTATION_XML = "annotation-xml", APPLET = "applet", AREA = "area",
    ARTICLE = "article", ASIDE = "aside", AUDIO = "audio", B = "b", BASE = "base", BASEFONT = "basefont",
    BDI = "bdi", BGSOUND = "bgsound", BIG = "big", BLOCKQUOTE = "blockquote", BODY = "body", BR = "br",
    BUTTON = "button", CAPTION = "caption", CENTER = "center", CODE = "code", COL = "col",
    COLGROUP = "colgroup", DATALIST = "datalist", DD = "dd", DESC = "desc", DETAILS = "details",
    DIALOG = "dialog", DIR = "dir", DIV = "div", DL = "dl", DT = "dt", EM = "em", EMBED = "embed",
    FIELDSET = "fieldset", FIGCAPTION = "figcaption", FIGURE = "figure", FONT = "font", FOOTER = "footer",
    FOREIGN_OBJECT = "foreignObject", FORM = "form", FRAME = "frame", FRAMESET = "frameset", H1 = "h1",
    H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", HEAD = "head", HEADER = "header",
    HGROUP = "hgroup", HR = "hr", HTML = "html", I = "i", IFRAME = "iframe", IMAGE = "image", IMG = "img",
    INPUT = "input", KEYGEN = "keygen", LEGEND = "legend", LI = "li", LINK = "link", LISTING = "listing",
    MAIN = "main", MALIGNMARK = "malignmark", MARQUEE = "marquee", MATH = "math", MENU = "menu",
    META = "meta", MGLYPH = "mglyph", MI = "mi", MN = "mn", MO = "mo", MS = "ms", MTEXT = "mtext",
    NAV = "nav", NOBR = "nobr", NOEMBED = "noembed", NOFRAMES = "noframes", NOSCRIPT = "noscript",
    OBJECT = "object", OL = "ol", OPTGROUP = "optgroup", OPTION = "option", P = "p", PARAM = "param",
    PLAINTEXT = "plaintext", PRE = "pre", PROGRESS = "progress", RB = "rb", RP = "rp", RT = "rt",
    RTC = "rtc", RUBY = "ruby", S = "s", SCRIPT = "script", SEARCH = "search", SECTION = "section",
    SELECT = "select", SMALL = "small", SOURCE = "source", SPAN = "span", STRIKE = "strike",
    STRONG = "strong", STYLE = "style", SUB = "sub", SUMMARY = "summary", SUP = "sup", SVG = "svg",
    TABLE = "table", TBODY = "tbody", TD = "td", TEMPLATE = "template", TEXTAREA = "textarea",
    TFOOT = "tfoot", TH = "th", THEAD = "thead", TITLE = "title", TR = "tr", TRACK = "track", TT = "tt",
    U = "u", UL = "ul", VAR = "var", VIDEO = "video", WBR = "wbr", XMP = "xmp",
}

/// Set of names, given by their constants.
macro_rules! name_set {
    ($($name:ident)*) => {
        $crate::syntax::names::NameSet::from_names(&[$($crate::syntax::Name::$name),*])
    };
}
pub(crate) use name_set;

/// Set of names defined by the standard.
#[derive(Debug)]
pub(crate) struct NameSet([u64; 4]);

impl NameSet {
    pub(crate) const fn from_names(names: &[Name]) -> NameSet {
        let mut bits = [0; 4];
        let mut at = 0;
        while at < names.len() {
            let number = names[at].0 as usize;
            bits[number / 64] |= 1 << (number % 64);
            at += 1;
        }
        NameSet(bits)
    }

    pub(crate) fn contains(&self, name: Name) -> bool {
        let number = name.0 as usize;
        self.0.get(number / 64).is_some_and(|bits| bits & (1 << (number % 64)) != 0)
    }
}

/// Names in one document.
#[derive(Debug, Default)]
pub(crate) struct Names {
    others: Vec<Box<str>>,
    numbers: HashMap<Box<str>, Name, BuildHasherDefault<DefaultHasher>>,
}

impl Names {
    /// Interns a name.
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.find(text) {
            return name;
        }
        let name = Name(self.len() as u32);
        self.others.push(text.into());
        self.numbers.insert(text.into(), name);
        name
    }

    /// Interns a name in lower case.
    pub(crate) fn intern_lower(&mut self, text: &str) -> Name {
        if text.bytes().any(|byte| byte.is_ascii_uppercase() || byte == 0) {
            self.intern(&text.to_ascii_lowercase().replace('\0', "\u{fffd}"))
        } else {
            self.intern(text)
        }
    }

    /// Looks up a name; `None` if neither the document nor the standard has it.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        match KNOWN.binary_search(&text) {
            Ok(index) => Some(Name(index as u32)),
            Err(_) => self.numbers.get(text).copied(),
        }
    }

    /// Text of a name.
    pub(crate) fn text(&self, name: Name) -> &str {
        let index = name.0 as usize;
        KNOWN.get(index).copied().unwrap_or_else(|| &self.others[index - KNOWN.len()])
    }

    /// Number of names.
    pub(crate) fn len(&self) -> usize {
        KNOWN.len() + self.others.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_sorted_and_found() {
        assert!(KNOWN.is_sorted());
        let mut names = Names::default();
        assert_eq!(names.intern_lower("DIV"), Name::DIV);
        let own = names.intern("x-own");
        assert_eq!(names.intern_lower("X-Own"), own);
        assert_eq!(names.text(own), "x-own");
        assert_eq!(names.find("x-other"), None);
    }
}
