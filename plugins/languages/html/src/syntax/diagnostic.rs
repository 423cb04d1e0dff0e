//! Parse errors: those that the standard defines, and unpaired tags.

use marquetry_sdk::{Diagnostic, Severity, Span};

/// A parse error with its position. If the standard defines the error, its code is the name in the standard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseDiagnostic {
    pub(crate) code: Code,
    pub(crate) span: Span,
}

/// Maximum number of errors kept per document.
pub(crate) const MAX_DIAGNOSTICS: usize = 1000;

macro_rules! codes {
    ($($code:ident $severity:ident $name:literal $message:literal,)*) => {
        /// Codes of parse errors.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Code { $($code,)* }

        impl Code {
            fn parts(self) -> (Severity, &'static str, &'static str) {
                match self { $(Code::$code => (Severity::$severity, $name, $message),)* }
            }
        }
    };
}

// In messages, `{}` stands for the name of the tag. The severity is `Error` if the mistake changes how the text around
// it is parsed, otherwise `Warning`.
codes! {
    AbruptClosingOfEmptyComment Warning "abrupt-closing-of-empty-comment" "this comment is closed too early",
    BareInTable Warning "foster-parenting" "this is not allowed directly in a table: browsers move it before the table",
    CdataInHtml Warning "cdata-in-html-content" "CDATA sections exist only in SVG and MathML: this is a comment",
    DuplicateAttribute Error "duplicate-attribute" "duplicate attribute `{}`: this one is ignored",
    EofBeforeTagName Warning "eof-before-tag-name" "the file ends before the name of a tag",
    EofInCdata Error "eof-in-cdata" "this CDATA section is not closed",
    EofInComment Error "eof-in-comment" "this comment is not closed",
    EofInDoctype Error "eof-in-doctype" "this doctype is not closed",
    EofInScript Warning "eof-in-script-html-comment-like-text" "the file ends inside a comment in a script",
    EofInTag Error "eof-in-tag" "this tag is not closed",
    EndTagWithAttributes Warning "end-tag-with-attributes" "end tags cannot have attributes",
    EndTagWithTrailingSolidus Warning "end-tag-with-trailing-solidus" "end tags cannot end with `/>`",
    IncorrectlyClosedComment Warning "incorrectly-closed-comment" "a comment is closed by `-->`, not by `--!>`",
    IncorrectlyOpenedComment Warning "incorrectly-opened-comment" "this is neither a comment nor a doctype: browsers treat it as a comment",
    InvalidFirstCharacter Warning "invalid-first-character-of-tag-name" "a tag name must start with a letter: write `&lt;` for the character",
    MalformedDoctype Warning "invalid-doctype" "this doctype is malformed: browsers fall back to quirks mode",
    Misnested Warning "misnested-tag" "the end tag `</{}>` is misnested: other elements are still open",
    MissingAttributeValue Warning "missing-attribute-value" "missing attribute value",
    MissingDoctype Info "missing-doctype" "no doctype: browsers use quirks mode",
    MissingEndTagName Warning "missing-end-tag-name" "missing name in an end tag",
    MissingWhitespace Warning "missing-whitespace-between-attributes" "attributes need white space between them",
    NestedComment Warning "nested-comment" "comments do not nest: the first `-->` closes both",
    NestedTooDeep Warning "nested-too-deep" "elements are nested too deeply: from here on they are parsed as siblings",
    SelfClosedHtml Warning "non-void-html-element-start-tag-with-trailing-solidus" "`/` is ignored here: `<{}>` stays open",
    StrayEndTag Error "unexpected-end-tag" "the end tag `</{}>` has no start tag",
    StrayFragmentEnd Error "unexpected-fragment-end" "this end of a fragment has no start",
    StrayStartTag Warning "unexpected-start-tag" "`<{}>` is not allowed here: browsers ignore it",
    UnboundPrefix Error "unbound-prefix" "no namespace is declared for the prefix of `{}`",
    UnclosedElement Error "unclosed-element" "`<{}>` is not closed",
    UnclosedBlock Error "unclosed-block" "this block is not closed, or contains only one tag of an element",
    UnclosedExpression Error "unclosed-expression" "this code is not closed, or cannot be read",
    UnclosedFragment Error "unclosed-fragment" "this fragment is not closed",
    UnclosedFrontMatter Error "unclosed-front-matter" "the front matter is not closed by `---`",
    UnexpectedBlock Error "unexpected-block" "this part of a block has no start",
    UnexpectedCharacterInName Warning "unexpected-character-in-attribute-name" "an attribute name cannot contain quotes or `<`",
    UnexpectedCharacterInValue Warning "unexpected-character-in-unquoted-attribute-value" "this value needs quotes",
    UnexpectedEquals Warning "unexpected-equals-sign-before-attribute-name" "an attribute name cannot start with `=`",
    UnexpectedQuestionMark Warning "unexpected-question-mark-instead-of-tag-name" "HTML has no processing instructions: this is a comment",
    UnexpectedSolidus Warning "unexpected-solidus-in-tag" "this `/` is ignored",
}

impl Code {
    /// Returns whether the markup of a component with this mistake cannot be read with certainty.
    pub(crate) fn prevents_reading(self) -> bool {
        !matches!(
            self,
            Code::DuplicateAttribute
                | Code::EofBeforeTagName
                | Code::InvalidFirstCharacter
                | Code::MalformedDoctype
                | Code::MissingAttributeValue
                | Code::MissingWhitespace
                | Code::NestedComment
                | Code::UnexpectedCharacterInValue
        )
    }
}

impl ParseDiagnostic {
    /// Converts the parse error to a [`Diagnostic`] of the SDK.
    pub(crate) fn to_diagnostic(self, text: &str) -> Diagnostic {
        let (severity, code, message) = self.code.parts();
        let name: String = tag_name(self.span.slice(text)).chars().take(60).collect();
        Diagnostic { severity, span: self.span, message: message.replace("{}", &name), code: Some(code.to_owned()) }
    }
}

fn tag_name(tag: &str) -> &str {
    let name = tag.trim_start_matches(['<', '/']);
    name.split(['>', '/', '=']).next().unwrap_or(name).split_ascii_whitespace().next().unwrap_or(name)
}
