//! Prints the types of expressions, as for a variable that holds their value.

use oxc_ast::AstKind;
use oxc_ast::ast::*;

use crate::infer::checker::Checker;
use crate::infer::spelling::Spelled;
use crate::infer::ty::{Callable, Signature, Ty, key_name};
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
    pub(crate) fn spelled_value(&self, module: u32, value: &'w Expression<'w>) -> Option<Spelled> {
        self.deeper(None, || self.spelled_value_now(module, value))
    }

    fn spelled_value_now(&self, module: u32, value: &'w Expression<'w>) -> Option<Spelled> {
        let plain = |text: &str| Some(Spelled::plain(text));
        match value {
            Expression::NumericLiteral(_) => plain("number"),
            Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => plain("string"),
            Expression::BooleanLiteral(_) => plain("boolean"),
            Expression::BigIntLiteral(_) => plain("bigint"),
            Expression::RegExpLiteral(_) => plain("RegExp"),
            Expression::NullLiteral(_) => plain("null"),
            Expression::ParenthesizedExpression(it) => self.spelled_value(module, &it.expression),
            Expression::TSSatisfiesExpression(it) => self.spelled_value(module, &it.expression),
            Expression::TSAsExpression(it) if !is_const(&it.type_annotation) => {
                self.spelled_annotation(module, &it.type_annotation)
            }
            Expression::TSTypeAssertion(it) if !is_const(&it.type_annotation) => {
                self.spelled_annotation(module, &it.type_annotation)
            }
            Expression::Identifier(name) => self.spelled_reference(module, name),
            Expression::ArrayExpression(it) => self.spelled_array(module, it),
            Expression::ObjectExpression(it) => self.spelled_object(module, it),
            Expression::FunctionExpression(it) => self.spelled_function(module, Callable::Function(it)),
            Expression::ArrowFunctionExpression(it) => self.spelled_function(module, Callable::Arrow(it)),
            Expression::UnaryExpression(it) => match it.operator {
                UnaryOperator::LogicalNot | UnaryOperator::Delete => plain("boolean"),
                UnaryOperator::Typeof => plain("string"),
                UnaryOperator::UnaryPlus => plain("number"),
                UnaryOperator::Void => plain("undefined"),
                UnaryOperator::UnaryNegation | UnaryOperator::BitwiseNot => self.spelled_number(module, &it.argument),
            },
            Expression::UpdateExpression(_) => plain("number"),
            Expression::BinaryExpression(it) => self.spelled_binary(module, it),
            Expression::LogicalExpression(it) => {
                let (left, right) = (self.spelled_value(module, &it.left)?, self.spelled_value(module, &it.right)?);
                if it.operator == LogicalOperator::And {
                    return (left == right).then_some(left);
                }
                // Drop nullish members of the left side. With `||`, a `boolean` on the left would be narrowed to
                // `true`, so the type is not printed.
                let kept = left.without(|member| matches!(member, "null" | "undefined"));
                let is_told = kept.text != "boolean" || right.text == "boolean" || it.operator != LogicalOperator::Or;
                is_told.then(|| kept.either(&right))
            }
            Expression::ConditionalExpression(it) => {
                let yes = self.spelled_value(module, &it.consequent)?;
                let no = self.spelled_value(module, &it.alternate)?;
                Some(yes.either(&no))
            }
            Expression::AssignmentExpression(it) if it.operator == AssignmentOperator::Assign => {
                self.spelled_value(module, &it.right)
            }
            Expression::AwaitExpression(it) => {
                let promise = self.spelled_value(module, &it.argument)?;
                inside(&promise, "Promise<", ">")
            }
            Expression::NewExpression(it) => self.spelled_new(module, it),
            Expression::CallExpression(it) => self.spelled_call(module, it),
            Expression::StaticMemberExpression(it) => {
                if it.property.name == "length"
                    && let Some(object) = self.spelled_value(module, &it.object)
                    && (object.text == "string" || object.text.ends_with("[]"))
                {
                    return plain("number");
                }
                self.spelled_member(&self.value(module, &it.object), it.property.name.as_str())
            }
            Expression::ComputedMemberExpression(it) => {
                let list = self.spelled_value(module, &it.object)?;
                let index = self.spelled_value(module, &it.expression)?;
                if index.text == "number" { element_of(&list) } else { None }
            }
            _ => None,
        }
    }

    fn spelled_reference(&self, module: u32, name: &'w IdentifierReference<'w>) -> Option<Spelled> {
        match self.resolved(module, name) {
            Some(symbol) => self.spelled_symbol(module, symbol),
            None if name.name == "undefined" => Some(Spelled::plain("undefined")),
            None if matches!(name.name.as_str(), "NaN" | "Infinity") => Some(Spelled::plain("number")),
            None => None,
        }
    }

    fn spelled_number(&self, module: u32, operand: &'w Expression<'w>) -> Option<Spelled> {
        self.spelled_value(module, operand).filter(|spelled| matches!(spelled.text.as_str(), "number" | "bigint"))
    }

    fn spelled_binary(&self, module: u32, it: &'w BinaryExpression<'w>) -> Option<Spelled> {
        let operator = it.operator;
        if operator.is_equality() || operator.is_compare() || operator.is_relational() {
            return Some(Spelled::plain("boolean"));
        }
        let (left, right) = (self.spelled_value(module, &it.left), self.spelled_value(module, &it.right));
        let is = |side: &Option<Spelled>, text: &str| side.as_ref().is_some_and(|side| side.text == text);
        if operator == BinaryOperator::Addition && (is(&left, "string") || is(&right, "string")) {
            return Some(Spelled::plain("string"));
        }
        let same = |text: &str| (is(&left, text) && is(&right, text)).then(|| Spelled::plain(text));
        same("number").or_else(|| same("bigint"))
    }

    fn spelled_array(&self, module: u32, it: &'w ArrayExpression<'w>) -> Option<Spelled> {
        let mut all: Option<Spelled> = None;
        for element in &it.elements {
            let spelled = match element {
                ArrayExpressionElement::SpreadElement(spread) => self.spelled_element(module, &spread.argument)?,
                ArrayExpressionElement::Elision(_) => return None,
                other => self.spelled_value(module, other.as_expression()?)?,
            };
            match &all {
                None => all = Some(spelled),
                Some(known) => all = Some(known.clone().either(&spelled)),
            }
        }
        Some(Spelled::array(&all?))
    }

    fn spelled_object(&self, module: u32, it: &'w ObjectExpression<'w>) -> Option<Spelled> {
        if it.properties.is_empty() {
            return Some(Spelled::plain("{}"));
        }
        let mut spelled = Spelled::plain("{");
        for property in &it.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
            if property.kind == PropertyKind::Set || property.computed {
                return None;
            }
            let name = key_name(&property.key)?;
            let is_word = name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$'));
            let name = if is_word { name.into_owned() } else { format!("{name:?}") };
            spelled.push(" ");
            match &property.value {
                Expression::FunctionExpression(getter) if property.kind == PropertyKind::Get => {
                    let signature = Signature { module, callable: Callable::Function(getter), substitution: None };
                    spelled.push("readonly ");
                    spelled.push(&name);
                    spelled.push(": ");
                    spelled.append(&self.spelled_returned(&signature)?);
                }
                value => {
                    spelled.push(&name);
                    spelled.push(": ");
                    spelled.append(&self.spelled_value(module, value)?);
                }
            }
            spelled.push(";");
        }
        spelled.push(" }");
        Some(spelled)
    }

    fn spelled_new(&self, module: u32, it: &'w NewExpression<'w>) -> Option<Spelled> {
        let Expression::Identifier(name) = &it.callee else { return None };
        let Some(symbol) = self.resolved(module, name) else {
            if let Some(arguments) = &it.type_arguments {
                let mut spelled = Spelled::plain(name.name.as_str());
                spelled.push("<");
                for (index, argument) in arguments.params.iter().enumerate() {
                    spelled.push(if index == 0 { "" } else { ", " });
                    spelled.append(&self.spelled_annotation(module, argument)?);
                }
                spelled.push(">");
                return Some(spelled);
            }
            return PLAIN_CLASSES.contains(&name.name.as_str()).then(|| Spelled::plain(name.name.as_str()));
        };
        let held = self.module(module);
        if let AstKind::Class(class) = held.kind(held.scoping().symbol_declaration(symbol)) {
            let mut spelled = self.spelled_name(module, symbol)?;
            match (&class.type_parameters, &it.type_arguments) {
                (None, _) => return Some(spelled),
                (Some(_), None) => return None,
                (Some(_), Some(arguments)) => {
                    for (index, argument) in arguments.params.iter().enumerate() {
                        spelled.push(if index == 0 { "<" } else { ", " });
                        spelled.append(&self.spelled_annotation(module, argument)?);
                    }
                    spelled.push(">");
                    return Some(spelled);
                }
            }
        }
        match self.new_value(module, it) {
            ty @ Ty::Instance(..) => self.spelled_ty(&ty),
            _ => None,
        }
    }

    fn spelled_call(&self, module: u32, it: &'w CallExpression<'w>) -> Option<Spelled> {
        if let Some(known) = self.spelled_platform_call(module, it) {
            return Some(known);
        }
        let signatures = self.signatures(&self.value(module, &it.callee), false);
        let [signature] = signatures.as_slice() else { return None };
        let is_generic = match signature.callable {
            Callable::Function(it) => it.type_parameters.is_some(),
            Callable::Arrow(it) => it.type_parameters.is_some(),
            Callable::Type(it) => it.type_parameters.is_some(),
            Callable::Method(it) => it.type_parameters.is_some(),
            _ => false,
        };
        if is_generic { None } else { self.spelled_returned(signature) }
    }

    /// Returns the type that a platform call returns.
    fn spelled_platform_call(&self, module: u32, it: &'w CallExpression<'w>) -> Option<Spelled> {
        let is_free = |name: &'w IdentifierReference<'w>| self.resolved(module, name).is_none();
        match &it.callee {
            Expression::Identifier(name) if is_free(name) => match name.name.as_str() {
                "Number" | "parseInt" | "parseFloat" => Some(Spelled::plain("number")),
                "String" | "encodeURIComponent" | "decodeURIComponent" => Some(Spelled::plain("string")),
                "Boolean" | "isNaN" | "isFinite" => Some(Spelled::plain("boolean")),
                _ => None,
            },
            Expression::StaticMemberExpression(member) => {
                let method = member.property.name.as_str();
                if let Expression::Identifier(name) = &member.object
                    && is_free(name)
                {
                    return match (name.name.as_str(), method) {
                        ("Math", _) | ("Date", "now") | ("performance", "now") => Some(Spelled::plain("number")),
                        ("JSON", "stringify") => Some(Spelled::plain("string")),
                        ("JSON", "parse") => Some(Spelled::plain("any")),
                        ("Object", "keys") => Some(Spelled::plain("string[]")),
                        ("Array", "isArray") => Some(Spelled::plain("boolean")),
                        _ => None,
                    };
                }
                let object = self.spelled_value(module, &member.object)?;
                if let ("map", true) = (method, object.text.ends_with("[]")) {
                    return self.spelled_mapped(module, it);
                }
                platform_method(&object, method)
            }
            _ => None,
        }
    }

    /// Returns the type of `list.map(callback)`.
    fn spelled_mapped(&self, module: u32, it: &'w CallExpression<'w>) -> Option<Spelled> {
        let callable = match it.arguments.first()?.as_expression()? {
            Expression::ArrowFunctionExpression(arrow) => Callable::Arrow(arrow),
            Expression::FunctionExpression(function) => Callable::Function(function),
            _ => return None,
        };
        let element = self.spelled_returned(&Signature { module, callable, substitution: None })?;
        Some(Spelled::array(&element))
    }

    /// Returns the type of the elements of a list.
    pub(super) fn spelled_element(&self, module: u32, list: &'w Expression<'w>) -> Option<Spelled> {
        let list = self.spelled_value(module, list)?;
        if list.text == "string" { Some(list) } else { element_of(&list) }
    }
}

/// Returns the type that a method of a string, number or list returns.
fn platform_method(object: &Spelled, method: &str) -> Option<Spelled> {
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
            return Some(element_of(object)?.either(&Spelled::plain("undefined")));
        }
        (_, "join") if is_list => "string",
        (_, "includes" | "some" | "every") if is_list => "boolean",
        (_, "indexOf" | "lastIndexOf" | "findIndex" | "push" | "unshift") if is_list => "number",
        (_, "slice" | "filter" | "concat" | "reverse" | "sort") if is_list => return Some(object.clone()),
        _ => return None,
    };
    Some(Spelled::plain(text))
}

/// Returns `T` for `T[]`, `Array<T>` and other lists.
pub(super) fn element_of(list: &Spelled) -> Option<Spelled> {
    let wrapped = ["Array<", "ReadonlyArray<", "Iterable<", "Set<", "ReadonlySet<"];
    let wrapped = wrapped.iter().find_map(|before| inside(list, before, ">"));
    wrapped.or_else(|| {
        let element = inside(list, "", "[]").filter(|_| !list.is_compound)?;
        inside(&element, "(", ")").or(Some(element))
    })
}

/// Returns the part of a type between two texts.
fn inside(of: &Spelled, before: &str, after: &str) -> Option<Spelled> {
    let text = of.text.strip_prefix(before)?.strip_suffix(after)?;
    let shift = before.len();
    let names = of.names.iter().filter(|(at, ..)| *at >= shift);
    let names = names.map(|(at, length, named)| (at - shift, *length, named.clone())).collect();
    let is_compound = text.contains([' ', '|', '&', '?']) && !text.starts_with('{');
    Some(Spelled { text: text.to_owned(), names, is_compound })
}
