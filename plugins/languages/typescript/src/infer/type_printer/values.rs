//! Prints the types of expressions as they would be written for a variable that holds the value.

use oxc_ast::AstKind;
use oxc_ast::ast::*;

use crate::infer::checker::Checker;
use crate::infer::ty::{Callable, Signature, Ty, key_name};
use crate::infer::type_printer::PrintedType;
use crate::infer::values::is_const;

/// Platform classes without type parameters.
const PLAIN_CLASSES: [&str; 14] = [
    "AbortController",
    "Date",
    "Error",
    "FormData",
    "Headers",
    "RangeError",
    "RegExp",
    "Request",
    "Response",
    "SyntaxError",
    "TextDecoder",
    "TextEncoder",
    "TypeError",
    "URL",
];

impl<'w> Checker<'w> {
    /// Returns the type of an expression, widened for literals: `number` for `1`.
    pub(crate) fn print_value(&self, module: u32, value: &'w Expression<'w>) -> Option<PrintedType> {
        self.with_depth(None, || self.compute_printed_value(module, value))
    }

    fn compute_printed_value(&self, module: u32, value: &'w Expression<'w>) -> Option<PrintedType> {
        let plain = |text: &str| Some(PrintedType::plain(text));
        match value {
            Expression::NumericLiteral(_) => plain("number"),
            Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => plain("string"),
            Expression::BooleanLiteral(_) => plain("boolean"),
            Expression::BigIntLiteral(_) => plain("bigint"),
            Expression::RegExpLiteral(_) => plain("RegExp"),
            Expression::NullLiteral(_) => plain("null"),
            Expression::ParenthesizedExpression(it) => self.print_value(module, &it.expression),
            Expression::TSSatisfiesExpression(it) => self.print_value(module, &it.expression),
            Expression::TSAsExpression(it) if !is_const(&it.type_annotation) => {
                self.print_annotation(module, &it.type_annotation)
            }
            Expression::TSTypeAssertion(it) if !is_const(&it.type_annotation) => {
                self.print_annotation(module, &it.type_annotation)
            }
            Expression::Identifier(name) => self.print_identifier(module, name),
            Expression::ArrayExpression(it) => self.print_array(module, it),
            Expression::ObjectExpression(it) => self.print_object(module, it),
            Expression::FunctionExpression(it) => self.print_function(module, Callable::Function(it)),
            Expression::ArrowFunctionExpression(it) => self.print_function(module, Callable::Arrow(it)),
            Expression::UnaryExpression(it) => match it.operator {
                UnaryOperator::LogicalNot | UnaryOperator::Delete => plain("boolean"),
                UnaryOperator::Typeof => plain("string"),
                UnaryOperator::UnaryPlus => plain("number"),
                UnaryOperator::Void => plain("undefined"),
                UnaryOperator::UnaryNegation | UnaryOperator::BitwiseNot => self.print_number(module, &it.argument),
            },
            Expression::UpdateExpression(_) => plain("number"),
            Expression::BinaryExpression(it) => self.print_binary(module, it),
            Expression::LogicalExpression(it) => {
                let (left, right) = (self.print_value(module, &it.left)?, self.print_value(module, &it.right)?);
                if it.operator == LogicalOperator::And {
                    return (left == right).then_some(left);
                }
                // Drop nullish members of the left side. With `||`, a `boolean` on the left would be narrowed to
                // `true`, so the type is not printed.
                let kept = left.without_members(|member| matches!(member, "null" | "undefined"));
                let is_told = kept.text != "boolean" || right.text == "boolean" || it.operator != LogicalOperator::Or;
                is_told.then(|| kept.union_with(&right))
            }
            Expression::ConditionalExpression(it) => {
                let yes = self.print_value(module, &it.consequent)?;
                let no = self.print_value(module, &it.alternate)?;
                Some(yes.union_with(&no))
            }
            Expression::AssignmentExpression(it) if it.operator == AssignmentOperator::Assign => {
                self.print_value(module, &it.right)
            }
            Expression::AwaitExpression(it) => {
                let promise = self.print_value(module, &it.argument)?;
                text_between(&promise, "Promise<", ">")
            }
            Expression::NewExpression(it) => self.print_new(module, it),
            Expression::CallExpression(it) => self.print_call(module, it),
            Expression::StaticMemberExpression(it) => {
                if it.property.name == "length"
                    && let Some(object) = self.print_value(module, &it.object)
                    && (object.text == "string" || object.text.ends_with("[]"))
                {
                    return plain("number");
                }
                self.print_member(&self.expression_type(module, &it.object), it.property.name.as_str())
            }
            Expression::ComputedMemberExpression(it) => {
                let list = self.print_value(module, &it.object)?;
                let index = self.print_value(module, &it.expression)?;
                if index.text == "number" { element_of_list(&list) } else { None }
            }
            _ => None,
        }
    }

    fn print_identifier(&self, module: u32, name: &'w IdentifierReference<'w>) -> Option<PrintedType> {
        match self.resolve_identifier(module, name) {
            Some(symbol) => self.print_symbol(module, symbol),
            None if name.name == "undefined" => Some(PrintedType::plain("undefined")),
            None if matches!(name.name.as_str(), "NaN" | "Infinity") => Some(PrintedType::plain("number")),
            None => None,
        }
    }

    fn print_number(&self, module: u32, operand: &'w Expression<'w>) -> Option<PrintedType> {
        self.print_value(module, operand).filter(|printed| matches!(printed.text.as_str(), "number" | "bigint"))
    }

    fn print_binary(&self, module: u32, it: &'w BinaryExpression<'w>) -> Option<PrintedType> {
        let operator = it.operator;
        if operator.is_equality() || operator.is_compare() || operator.is_relational() {
            return Some(PrintedType::plain("boolean"));
        }
        let (left, right) = (self.print_value(module, &it.left), self.print_value(module, &it.right));
        let is = |side: &Option<PrintedType>, text: &str| side.as_ref().is_some_and(|side| side.text == text);
        if operator == BinaryOperator::Addition && (is(&left, "string") || is(&right, "string")) {
            return Some(PrintedType::plain("string"));
        }
        let same = |text: &str| (is(&left, text) && is(&right, text)).then(|| PrintedType::plain(text));
        same("number").or_else(|| same("bigint"))
    }

    fn print_array(&self, module: u32, it: &'w ArrayExpression<'w>) -> Option<PrintedType> {
        let mut all: Option<PrintedType> = None;
        for element in &it.elements {
            let printed = match element {
                ArrayExpressionElement::SpreadElement(spread) => self.print_element(module, &spread.argument)?,
                ArrayExpressionElement::Elision(_) => return None,
                other => self.print_value(module, other.as_expression()?)?,
            };
            match &all {
                None => all = Some(printed),
                Some(known) => all = Some(known.clone().union_with(&printed)),
            }
        }
        Some(PrintedType::array(&all?))
    }

    fn print_object(&self, module: u32, it: &'w ObjectExpression<'w>) -> Option<PrintedType> {
        if it.properties.is_empty() {
            return Some(PrintedType::plain("{}"));
        }
        let mut printed = PrintedType::plain("{");
        for property in &it.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
            if property.kind == PropertyKind::Set || property.computed {
                return None;
            }
            let name = key_name(&property.key)?;
            let is_word = name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$'));
            let name = if is_word { name.into_owned() } else { format!("{name:?}") };
            printed.push(" ");
            match &property.value {
                Expression::FunctionExpression(getter) if property.kind == PropertyKind::Get => {
                    let signature = Signature { module, callable: Callable::Function(getter), substitution: None };
                    printed.push("readonly ");
                    printed.push(&name);
                    printed.push(": ");
                    printed.append(&self.print_return_type(&signature)?);
                }
                value => {
                    printed.push(&name);
                    printed.push(": ");
                    printed.append(&self.print_value(module, value)?);
                }
            }
            printed.push(";");
        }
        printed.push(" }");
        Some(printed)
    }

    fn print_new(&self, module: u32, it: &'w NewExpression<'w>) -> Option<PrintedType> {
        let Expression::Identifier(name) = &it.callee else { return None };
        let Some(symbol) = self.resolve_identifier(module, name) else {
            if let Some(arguments) = &it.type_arguments {
                let mut printed = PrintedType::plain(name.name.as_str());
                printed.push("<");
                for (index, argument) in arguments.params.iter().enumerate() {
                    printed.push(if index == 0 { "" } else { ", " });
                    printed.append(&self.print_annotation(module, argument)?);
                }
                printed.push(">");
                return Some(printed);
            }
            return PLAIN_CLASSES.contains(&name.name.as_str()).then(|| PrintedType::plain(name.name.as_str()));
        };
        let loaded = self.module(module);
        if let AstKind::Class(class) = loaded.kind(loaded.scoping().symbol_declaration(symbol)) {
            let mut printed = self.print_symbol_name(module, symbol)?;
            match (&class.type_parameters, &it.type_arguments) {
                (None, _) => return Some(printed),
                (Some(_), None) => return None,
                (Some(_), Some(arguments)) => {
                    for (index, argument) in arguments.params.iter().enumerate() {
                        printed.push(if index == 0 { "<" } else { ", " });
                        printed.append(&self.print_annotation(module, argument)?);
                    }
                    printed.push(">");
                    return Some(printed);
                }
            }
        }
        match self.new_expression_type(module, it) {
            ty @ Ty::Instance(..) => self.print_ty(&ty),
            _ => None,
        }
    }

    fn print_call(&self, module: u32, it: &'w CallExpression<'w>) -> Option<PrintedType> {
        if let Some(known) = self.print_platform_call(module, it) {
            return Some(known);
        }
        let signatures = self.signatures(&self.expression_type(module, &it.callee), false);
        let [signature] = signatures.as_slice() else { return None };
        let is_generic = match signature.callable {
            Callable::Function(it) => it.type_parameters.is_some(),
            Callable::Arrow(it) => it.type_parameters.is_some(),
            Callable::FunctionType(it) => it.type_parameters.is_some(),
            Callable::MethodSignature(it) => it.type_parameters.is_some(),
            _ => false,
        };
        if is_generic { None } else { self.print_return_type(signature) }
    }

    /// Returns the type that a platform call returns.
    fn print_platform_call(&self, module: u32, it: &'w CallExpression<'w>) -> Option<PrintedType> {
        let is_free = |name: &'w IdentifierReference<'w>| self.resolve_identifier(module, name).is_none();
        match &it.callee {
            Expression::Identifier(name) if is_free(name) => match name.name.as_str() {
                "Number" | "parseInt" | "parseFloat" => Some(PrintedType::plain("number")),
                "String" | "encodeURIComponent" | "decodeURIComponent" => Some(PrintedType::plain("string")),
                "Boolean" | "isNaN" | "isFinite" => Some(PrintedType::plain("boolean")),
                _ => None,
            },
            Expression::StaticMemberExpression(member) => {
                let method = member.property.name.as_str();
                if let Expression::Identifier(name) = &member.object
                    && is_free(name)
                {
                    return match (name.name.as_str(), method) {
                        ("Math", _) | ("Date", "now") | ("performance", "now") => Some(PrintedType::plain("number")),
                        ("JSON", "stringify") => Some(PrintedType::plain("string")),
                        ("JSON", "parse") => Some(PrintedType::plain("any")),
                        ("Object", "keys") => Some(PrintedType::plain("string[]")),
                        ("Array", "isArray") => Some(PrintedType::plain("boolean")),
                        _ => None,
                    };
                }
                let object = self.print_value(module, &member.object)?;
                if let ("map", true) = (method, object.text.ends_with("[]")) {
                    return self.print_mapped_list(module, it);
                }
                platform_method(&object, method)
            }
            _ => None,
        }
    }

    /// Returns the type of `list.map(callback)`.
    fn print_mapped_list(&self, module: u32, it: &'w CallExpression<'w>) -> Option<PrintedType> {
        let callable = match it.arguments.first()?.as_expression()? {
            Expression::ArrowFunctionExpression(arrow) => Callable::Arrow(arrow),
            Expression::FunctionExpression(function) => Callable::Function(function),
            _ => return None,
        };
        let element = self.print_return_type(&Signature { module, callable, substitution: None })?;
        Some(PrintedType::array(&element))
    }

    /// Returns the type of the elements of a list.
    pub(super) fn print_element(&self, module: u32, list: &'w Expression<'w>) -> Option<PrintedType> {
        let list = self.print_value(module, list)?;
        if list.text == "string" { Some(list) } else { element_of_list(&list) }
    }
}

/// Returns the type that a method of a string, number or list returns.
fn platform_method(object: &PrintedType, method: &str) -> Option<PrintedType> {
    let is_list = object.text.ends_with("[]");
    let text = match (object.text.as_str(), method) {
        ("string" | "number" | "boolean" | "bigint", "toString") | ("number", "toFixed") => "string",
        ("string", "indexOf" | "lastIndexOf" | "charCodeAt" | "localeCompare" | "search") => "number",
        ("string", "includes" | "startsWith" | "endsWith") => "boolean",
        ("string", "split") => "string[]",
        (
            "string",
            "trim" | "trimEnd" | "trimStart" | "slice" | "substring" | "substr" | "toLowerCase" | "toUpperCase"
            | "replace" | "replaceAll" | "padStart" | "padEnd" | "repeat" | "charAt" | "concat" | "normalize",
        ) => "string",
        ("RegExp", "test") => "boolean",
        ("Date", "getTime" | "getFullYear" | "getMonth" | "getDate" | "valueOf") => "number",
        ("Date", "toISOString" | "toString") => "string",
        (_, "find" | "findLast" | "at" | "pop" | "shift") if is_list => {
            return Some(element_of_list(object)?.union_with(&PrintedType::plain("undefined")));
        }
        (_, "join") if is_list => "string",
        (_, "includes" | "some" | "every") if is_list => "boolean",
        (_, "indexOf" | "lastIndexOf" | "findIndex" | "push" | "unshift") if is_list => "number",
        (_, "slice" | "filter" | "concat" | "reverse" | "sort") if is_list => return Some(object.clone()),
        _ => return None,
    };
    Some(PrintedType::plain(text))
}

/// Returns `T` for `T[]`, `Array<T>` and other lists.
pub(super) fn element_of_list(list: &PrintedType) -> Option<PrintedType> {
    let wrapped = ["Array<", "ReadonlyArray<", "Iterable<", "Set<", "ReadonlySet<"];
    let wrapped = wrapped.iter().find_map(|before| text_between(list, before, ">"));
    wrapped.or_else(|| {
        let element = text_between(list, "", "[]").filter(|_| !list.is_compound)?;
        text_between(&element, "(", ")").or(Some(element))
    })
}

/// Returns the part of a type between two texts.
fn text_between(of: &PrintedType, before: &str, after: &str) -> Option<PrintedType> {
    let text = of.text.strip_prefix(before)?.strip_suffix(after)?;
    let shift = before.len();
    let names = of.names.iter().filter(|(at, ..)| *at >= shift);
    let names = names.map(|(at, length, named)| (at - shift, *length, named.clone())).collect();
    let is_compound = text.contains([' ', '|', '&', '?']) && !text.starts_with('{');
    Some(PrintedType { text: text.to_owned(), names, is_compound })
}
