//! Converts the tree of the parser to the arena of `marquetry_code`.

use marquetry_code::{Arena, Builder, Field, Flags, Kind, ParseContext, Token, TokenKind};
use marquetry_sdk::{Diagnostic, Severity, Span};
use ruff_python_ast::{
    AnyNodeRef, Expr, ExprContext, MatchCase, Mod, NodeKind, PySourceType, Stmt,
    token::TokenKind as RuffToken,
    visitor::source_order::{SourceOrderVisitor, TraversalSignal, walk_body},
};
use ruff_text_size::{Ranged, TextRange};

use crate::{nesting::too_deep, repair::without_unclosed_brackets, type_strings::TypeStrings};

/// Defines an enum whose discriminants index a list of names.
macro_rules! names {
    ($(#[$about:meta])* $enum:ident $list:ident: $($variant:ident $name:literal)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $enum { $($variant),* }

        /// The names, in the order of the discriminants.
        pub(crate) static $list: &[&str] = &[$($name),*];
    };
}

names! {
    /// The kinds of nodes.
    K KINDS:
    Module "module" Block "block" Function "function" Class "class" Return "return" Delete "delete"
    TypeAlias "type_alias" Assign "assign" AugAssign "aug_assign" AnnAssign "ann_assign" For "for" While "while"
    If "if" With "with" Match "match" Raise "raise" Try "try" Assert "assert" Import "import" ImportFrom "import_from"
    Global "global" Nonlocal "nonlocal" ExprStatement "expression" Pass "pass" Break "break" Continue "continue"
    BoolOp "bool_op" Named "named" BinOp "bin_op" UnaryOp "unary_op" Lambda "lambda"
    IfExpr "if_expression" Dict "dict" Pair "pair" Set "set" ListComp "list_comp" SetComp "set_comp" DictComp "dict_comp"
    Generator "generator" Await "await" Yield "yield" YieldFrom "yield_from" Compare "compare" Call "call"
    FString "f_string" String "string" Bytes "bytes" Number "number" Constant "constant" Attribute "attribute"
    Subscript "subscript" Starred "starred" Name "name" List "list" Tuple "tuple" Slice "slice" Handler "except"
    Part "string_part" Pattern "pattern" PatternName "pattern_name" PatternArguments "pattern_arguments"
    PatternKeyword "pattern_keyword" TypeParam "type_param" Comprehension "comprehension" Arguments "arguments"
    Parameters "parameters" Parameter "parameter" ParameterDefault "parameter_default" Keyword "keyword" Alias "alias"
    WithItem "with_item" Case "case" Decorator "decorator" Clause "clause" TypeParams "type_params"
    Identifier "identifier" Cases "cases"
}

names! {
    /// The roles of nodes.
    F FIELDS:
    None "" Name "name" Body "body" Decorator "decorator" Target "target" Value "value" Annotation "annotation"
    Returns "returns" Arguments "arguments" Default "default" FirstIter "first_iter" Module "module"
    Imported "imported" ImportedAs "imported_as" Alias "alias" Path "path" PathAs "path_as" Names "names" Test "test"
    Function "function" Attribute "attribute" Argument "argument"
}

impl From<K> for Kind {
    fn from(kind: K) -> Kind {
        Kind(kind as u8)
    }
}

impl From<F> for Field {
    fn from(field: F) -> Field {
        Field(field as u8)
    }
}

/// Converts a range of the parser to a span.
fn span(range: TextRange) -> Span {
    Span { start: range.start().to_u32(), end: range.end().to_u32() }
}

/// Parses a text.
pub(crate) fn parse(path: &str, text: String, _context: ParseContext) -> Arena {
    if let Some(at) = too_deep(&text) {
        let message = "the code is nested too deeply to be parsed".to_owned();
        let error = Diagnostic { severity: Severity::Error, span: Span::at(at), message, code: None };
        return Builder::new(text, K::Module.into()).finish(Vec::new(), Vec::new(), vec![error]);
    }
    let source = if path.ends_with(".pyi") { PySourceType::Stub } else { PySourceType::Python };
    let parsed = ruff_python_parser::parse_unchecked_source(&text, source);
    let errors = errors(&parsed, &text);
    let repaired = if errors.is_empty() { None } else { without_unclosed_brackets(&text) };
    let parsed = match repaired {
        Some(repaired) => ruff_python_parser::parse_unchecked_source(&repaired, source),
        None => parsed,
    };
    let (tokens, literals) = tokens(&parsed);
    let module = Mod::Module(parsed.into_syntax());
    let source = text.clone();
    let mut builder = Builder::new(text, K::Module.into());
    let mut lowering = Lowering { builder: &mut builder, stack: Vec::new(), types: TypeStrings::new(&source) };
    lowering.visit_mod(&module);
    builder.finish(tokens, literals, errors)
}

fn errors(parsed: &ruff_python_parser::Parsed<ruff_python_ast::ModModule>, text: &str) -> Vec<Diagnostic> {
    let error = |message: String, range: TextRange| {
        let mut letters = message.trim_end_matches('.').chars();
        let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
        let message = first + letters.as_str();
        let own = span(range);
        let (start, end) = (own.range().start.min(text.len()), own.range().end.min(text.len()));
        let start = text.floor_char_boundary(start);
        let span = Span::new(start, text.ceil_char_boundary(end.max(start)));
        Diagnostic { severity: Severity::Error, span, message, code: None }
    };
    let mut errors: Vec<Diagnostic> =
        parsed.errors().iter().map(|problem| error(problem.error.to_string(), problem.location)).collect();
    errors.sort_by_key(|error| (error.span.start, error.span.end));
    errors
}

/// The tokens, and the spans of strings that contain code (f-strings and t-strings).
fn tokens(parsed: &ruff_python_parser::Parsed<ruff_python_ast::ModModule>) -> (Vec<Token>, Vec<Span>) {
    let mut tokens = Vec::with_capacity(parsed.tokens().len());
    let (mut literals, mut open) = (Vec::new(), Vec::new());
    for token in parsed.tokens().iter() {
        let own = span(token.range());
        let kind = match token.kind() {
            RuffToken::NonLogicalNewline | RuffToken::Indent | RuffToken::Dedent | RuffToken::EndOfFile => continue,
            RuffToken::Newline => TokenKind::Break,
            RuffToken::Comment => TokenKind::Comment,
            RuffToken::Int | RuffToken::Float | RuffToken::Complex => TokenKind::Number,
            RuffToken::String => TokenKind::Text,
            RuffToken::FStringStart | RuffToken::TStringStart => {
                open.push(own.start);
                TokenKind::TextPart
            }
            RuffToken::FStringEnd | RuffToken::TStringEnd => {
                if let (Some(start), true) = (open.pop(), open.is_empty()) {
                    literals.push(Span { start, end: own.end });
                }
                TokenKind::TextPart
            }
            RuffToken::FStringMiddle | RuffToken::TStringMiddle => TokenKind::TextPart,
            RuffToken::Identifier => TokenKind::Word,
            kind if kind.is_keyword() => TokenKind::Word,
            _ => TokenKind::Sign,
        };
        if !own.is_empty() || kind == TokenKind::Break {
            tokens.push(Token { kind, span: own });
        }
    }
    (tokens, literals)
}

struct Lowering<'a, 'b> {
    builder: &'b mut Builder,
    stack: Vec<AnyNodeRef<'a>>,
    types: TypeStrings<'b>,
}

impl<'a> SourceOrderVisitor<'a> for Lowering<'a, '_> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        if let Some(cases) = self.cases_around(node).filter(|cases| cases[0].range == node.range()) {
            let own = Span { start: span(cases[0].range).start, end: span(cases[cases.len() - 1].range).end };
            self.builder.open(K::Cases.into(), F::None.into(), own, Flags::default());
        }
        if let Some(pair) = self.pair_around(node).filter(|pair| pair.start() == node.range().start()) {
            self.builder.open(K::Pair.into(), F::None.into(), span(pair), Flags::default());
        }
        if !matches!(node.kind(), NodeKind::ModModule) {
            let field = self.field(node);
            let flags = flags(node, self.stack.last()).with(self.types.flags());
            self.builder.open(kind(node).into(), field.into(), span(node.range()), flags);
        }
        let expression = self.types.expression(&self.stack, node);
        self.stack.push(node);
        let Some(expression) = expression else { return TraversalSignal::Traverse };
        let mut inside =
            Lowering { builder: &mut *self.builder, stack: Vec::new(), types: self.types.inside_of_string() };
        inside.visit_expr(&expression);
        TraversalSignal::Skip
    }

    fn leave_node(&mut self, node: AnyNodeRef<'a>) {
        self.stack.pop();
        if !matches!(node.kind(), NodeKind::ModModule) {
            self.builder.close();
        }
        if self.pair_around(node).is_some_and(|pair| pair.end() == node.range().end()) {
            self.builder.close();
        }
        let cases = self.cases_around(node);
        if cases.is_some_and(|cases| cases[cases.len() - 1].range == node.range()) {
            self.builder.close();
        }
    }

    fn visit_body(&mut self, body: &'a [Stmt]) {
        let (Some(first), Some(last)) = (body.first(), body.last()) else { return };
        let own = Span { start: span(first.range()).start, end: span(last.range()).end };
        self.builder.open(K::Block.into(), F::Body.into(), own, Flags::default());
        walk_body(self, body);
        self.builder.close();
    }
}

impl Lowering<'_, '_> {
    /// The cases of the `match` statement that directly contains a case. They are indented like a block.
    fn cases_around(&self, node: AnyNodeRef<'_>) -> Option<&[MatchCase]> {
        let is_case = matches!(node, AnyNodeRef::MatchCase(_));
        match self.stack.last() {
            Some(AnyNodeRef::StmtMatch(own)) if is_case => Some(&own.cases),
            _ => None,
        }
    }

    /// The range of the pair of a dictionary that directly contains a key or value. `None` for `**` and its value.
    fn pair_around(&self, node: AnyNodeRef<'_>) -> Option<TextRange> {
        let Some(AnyNodeRef::ExprDict(dict)) = self.stack.last() else { return None };
        let item = dict.items.get(dict.items.partition_point(|item| item.value.end() < node.range().end()))?;
        Some(TextRange::new(item.key.as_ref()?.start(), item.value.end()))
    }

    /// The role of a node in the innermost open node.
    fn field(&self, node: AnyNodeRef<'_>) -> F {
        let Some(parent) = self.stack.last() else { return F::None };
        let starts_before = |other: Option<TextRange>| other.is_some_and(|other| node.range().end() <= other.start());
        let is_at = |other: TextRange| node.range() == other;
        match (parent, node) {
            (_, AnyNodeRef::Decorator(_)) => F::Decorator,
            (AnyNodeRef::StmtFunctionDef(def), _)
                if def.returns.as_ref().is_some_and(|returns| is_at(returns.range())) =>
            {
                if def.type_params.is_none() {
                    F::Returns
                } else {
                    F::None
                }
            }
            (AnyNodeRef::StmtClassDef(def), AnyNodeRef::Arguments(_)) if def.type_params.is_none() => F::Arguments,
            (AnyNodeRef::StmtAssign(assign), _) => {
                if starts_before(Some(assign.value.range())) {
                    F::Target
                } else {
                    F::Value
                }
            }
            (AnyNodeRef::StmtAnnAssign(assign), _) if is_at(assign.target.range()) => F::Target,
            (AnyNodeRef::StmtAnnAssign(assign), _) if is_at(assign.annotation.range()) => F::Annotation,
            (AnyNodeRef::StmtAnnAssign(_) | AnyNodeRef::Keyword(_), AnyNodeRef::Identifier(_)) => F::Argument,
            (AnyNodeRef::StmtAnnAssign(_), _) => F::Value,
            (AnyNodeRef::StmtTypeAlias(alias), _) if is_at(alias.name.range()) => F::Name,
            (AnyNodeRef::StmtTypeAlias(alias), _) if is_at(alias.value.range()) => F::Value,
            (AnyNodeRef::StmtIf(own), _) if is_at(own.test.range()) => F::Test,
            (AnyNodeRef::ExprNamed(own), _) => {
                if is_at(own.target.range()) {
                    F::Target
                } else {
                    F::Value
                }
            }
            (AnyNodeRef::ExprDict(_), _)
                if self.pair_around(node).is_some_and(|pair| pair.end() == node.range().end()) =>
            {
                F::Value
            }
            (AnyNodeRef::ExprCall(call), _) if is_at(call.func.range()) => F::Function,
            (AnyNodeRef::ExprAttribute(_), _) => {
                if matches!(node, AnyNodeRef::Identifier(_)) {
                    F::Attribute
                } else {
                    F::Value
                }
            }
            (AnyNodeRef::Comprehension(own), _) if is_at(own.iter.range()) && self.is_first_generator(own.range) => {
                F::FirstIter
            }
            (AnyNodeRef::Parameter(own), _) if own.annotation.as_ref().is_some_and(|own| is_at(own.range())) => {
                if self.is_in_generic_function() { F::None } else { F::Annotation }
            }
            (AnyNodeRef::ParameterWithDefault(own), _)
                if own.default.as_ref().is_some_and(|own| is_at(own.range())) =>
            {
                F::Default
            }
            (AnyNodeRef::Alias(alias), AnyNodeRef::Identifier(own)) => self.alias_field(alias, own.range),
            (AnyNodeRef::StmtImportFrom(_), AnyNodeRef::Identifier(_)) => F::Module,
            (AnyNodeRef::StmtGlobal(_) | AnyNodeRef::StmtNonlocal(_), _) => F::Names,
            (AnyNodeRef::PatternKeyword(_), AnyNodeRef::Identifier(_)) => F::Argument,
            (AnyNodeRef::WithItem(item), _) if !is_at(item.context_expr.range()) => F::Target,
            (_, AnyNodeRef::Identifier(_)) => F::Name,
            _ => F::None,
        }
    }

    fn alias_field(&self, alias: &ruff_python_ast::Alias, own: TextRange) -> F {
        let is_from = matches!(self.stack.iter().rev().nth(1), Some(AnyNodeRef::StmtImportFrom(_)));
        let is_name = alias.name.range == own;
        match (is_name, is_from, alias.asname.is_some()) {
            (false, ..) => F::Alias,
            (true, true, false) => F::Imported,
            (true, true, true) => F::ImportedAs,
            (true, false, false) => F::Path,
            (true, false, true) => F::PathAs,
        }
    }

    /// Returns whether a generator is the first generator of its comprehension.
    fn is_first_generator(&self, own: TextRange) -> bool {
        let generators = match self.stack.iter().rev().nth(1) {
            Some(AnyNodeRef::ExprListComp(around)) => &around.generators[..],
            Some(AnyNodeRef::ExprSetComp(around)) => &around.generators[..],
            Some(AnyNodeRef::ExprDictComp(around)) => &around.generators[..],
            Some(AnyNodeRef::ExprGenerator(around)) => &around.generators[..],
            _ => &[],
        };
        generators.first().is_some_and(|first| first.range == own)
    }

    fn is_in_generic_function(&self) -> bool {
        let around = self.stack.iter().rev().find_map(|above| match above {
            AnyNodeRef::StmtFunctionDef(def) => Some(def.type_params.is_some()),
            AnyNodeRef::ExprLambda(_) => Some(false),
            _ => None,
        });
        around.unwrap_or(false)
    }
}

fn flags(node: AnyNodeRef<'_>, parent: Option<&AnyNodeRef<'_>>) -> Flags {
    let AnyNodeRef::ExprName(name) = node else { return Flags::default() };
    let called = matches!(parent, Some(AnyNodeRef::ExprCall(call)) if matches!(&*call.func, Expr::Name(func) if func.range == name.range));
    match name.ctx {
        ExprContext::Store | ExprContext::Del => Flags::WRITTEN,
        ExprContext::Invalid => Flags::MISSING,
        ExprContext::Load if called => Flags::CALLED,
        ExprContext::Load => Flags::default(),
    }
}

fn kind(node: AnyNodeRef<'_>) -> K {
    match node.kind() {
        NodeKind::ModModule | NodeKind::ModExpression => K::Module,
        NodeKind::StmtFunctionDef => K::Function,
        NodeKind::StmtClassDef => K::Class,
        NodeKind::StmtReturn => K::Return,
        NodeKind::StmtDelete => K::Delete,
        NodeKind::StmtTypeAlias => K::TypeAlias,
        NodeKind::StmtAssign => K::Assign,
        NodeKind::StmtAugAssign => K::AugAssign,
        NodeKind::StmtAnnAssign => K::AnnAssign,
        NodeKind::StmtFor => K::For,
        NodeKind::StmtWhile => K::While,
        NodeKind::StmtIf => K::If,
        NodeKind::StmtWith => K::With,
        NodeKind::StmtMatch => K::Match,
        NodeKind::StmtRaise => K::Raise,
        NodeKind::StmtTry => K::Try,
        NodeKind::StmtAssert => K::Assert,
        NodeKind::StmtImport => K::Import,
        NodeKind::StmtImportFrom => K::ImportFrom,
        NodeKind::StmtGlobal => K::Global,
        NodeKind::StmtNonlocal => K::Nonlocal,
        NodeKind::StmtExpr => K::ExprStatement,
        NodeKind::StmtPass => K::Pass,
        NodeKind::StmtBreak => K::Break,
        NodeKind::StmtContinue => K::Continue,
        // Only notebooks contain these nodes.
        NodeKind::StmtIpyEscapeCommand | NodeKind::ExprIpyEscapeCommand => K::Constant,
        NodeKind::ExceptHandlerExceptHandler => K::Handler,
        NodeKind::InterpolatedElement
        | NodeKind::InterpolatedStringLiteralElement
        | NodeKind::InterpolatedStringFormatSpec
        | NodeKind::FString
        | NodeKind::TString
        | NodeKind::StringLiteral
        | NodeKind::BytesLiteral => K::Part,
        NodeKind::PatternMatchStar | NodeKind::PatternMatchAs | NodeKind::PatternMatchMapping => K::PatternName,
        NodeKind::PatternMatchValue
        | NodeKind::PatternMatchSingleton
        | NodeKind::PatternMatchSequence
        | NodeKind::PatternMatchClass
        | NodeKind::PatternMatchOr => K::Pattern,
        NodeKind::TypeParamTypeVar | NodeKind::TypeParamTypeVarTuple | NodeKind::TypeParamParamSpec => K::TypeParam,
        NodeKind::PatternArguments => K::PatternArguments,
        NodeKind::PatternKeyword => K::PatternKeyword,
        NodeKind::Comprehension => K::Comprehension,
        NodeKind::Arguments => K::Arguments,
        NodeKind::Parameters => K::Parameters,
        NodeKind::Parameter => K::Parameter,
        NodeKind::ParameterWithDefault => K::ParameterDefault,
        NodeKind::Keyword => K::Keyword,
        NodeKind::Alias => K::Alias,
        NodeKind::WithItem => K::WithItem,
        NodeKind::MatchCase => K::Case,
        NodeKind::Decorator => K::Decorator,
        NodeKind::ElifElseClause => K::Clause,
        NodeKind::TypeParams => K::TypeParams,
        NodeKind::Identifier => K::Identifier,
        expression => expression_kind(expression),
    }
}

fn expression_kind(kind: NodeKind) -> K {
    match kind {
        NodeKind::ExprBoolOp => K::BoolOp,
        NodeKind::ExprNamed => K::Named,
        NodeKind::ExprBinOp => K::BinOp,
        NodeKind::ExprUnaryOp => K::UnaryOp,
        NodeKind::ExprLambda => K::Lambda,
        NodeKind::ExprIf => K::IfExpr,
        NodeKind::ExprDict => K::Dict,
        NodeKind::ExprSet => K::Set,
        NodeKind::ExprListComp => K::ListComp,
        NodeKind::ExprSetComp => K::SetComp,
        NodeKind::ExprDictComp => K::DictComp,
        NodeKind::ExprGenerator => K::Generator,
        NodeKind::ExprAwait => K::Await,
        NodeKind::ExprYield => K::Yield,
        NodeKind::ExprYieldFrom => K::YieldFrom,
        NodeKind::ExprCompare => K::Compare,
        NodeKind::ExprCall => K::Call,
        NodeKind::ExprFString | NodeKind::ExprTString => K::FString,
        NodeKind::ExprStringLiteral => K::String,
        NodeKind::ExprBytesLiteral => K::Bytes,
        NodeKind::ExprNumberLiteral => K::Number,
        NodeKind::ExprAttribute => K::Attribute,
        NodeKind::ExprSubscript => K::Subscript,
        NodeKind::ExprStarred => K::Starred,
        NodeKind::ExprName => K::Name,
        NodeKind::ExprList => K::List,
        NodeKind::ExprTuple => K::Tuple,
        NodeKind::ExprSlice => K::Slice,
        _ => K::Constant,
    }
}
