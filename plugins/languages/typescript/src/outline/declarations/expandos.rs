//! Members that assignments and calls create: `exports.a = …`, `exports["a"] = …`, `Object.defineProperty(exports, "a", …)`.

use marquetry_sdk::Span;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;

use crate::outline::declarations::names::Name;
use crate::outline::declarations::walk::Walk;
use crate::outline::declarations::{Kind, Value, unwrap_value};
use crate::program::defined_exports::{MODULE_MARK, described_value};
use crate::syntax::spans::span_in;

impl Walk<'_> {
    /// Adds the member that an assignment declares: `module.exports = …`, `exports.a = …`, `A.prototype.m = …`, or a
    /// function assigned to `a.b`. Like `export default`, `module.exports` names no symbol.
    pub(super) fn add_expando(&mut self, it: &AssignmentExpression<'_>, statement: Span) -> bool {
        let Some((name, path, selection)) = self.assigned_path(&it.left, statement) else { return false };
        if it.operator != AssignmentOperator::Assign || path.starts_with("this.") {
            return false;
        }
        let exported = path.starts_with("exports.") || path.starts_with("module.exports");
        let kind = match unwrap_value(&it.right) {
            Value::Function(_) | Value::Arrow(_) => Kind::Function,
            Value::Class(_) => Kind::Class,
            Value::Object(_) if !self.state.in_function => Kind::Property,
            _ if exported || path.contains(".prototype.") => Kind::Property,
            _ => return false,
        };
        let id = self.push(kind, name, statement, selection);
        self.decl(id).is_dotted = true;
        self.walk_value(id, &it.right);
        true
    }

    /// Returns the path of names that is assigned to, as a name and as a text, and the span of its last name.
    fn assigned_path(&self, target: &AssignmentTarget<'_>, statement: Span) -> Option<(Name, String, Span)> {
        match target {
            AssignmentTarget::StaticMemberExpression(target) => {
                let whole = self.span(&**target);
                let path = whole.slice(self.text);
                let selection = match path {
                    "module.exports" => Span::at(statement.range().start),
                    _ => self.span(&target.property),
                };
                is_path(path).then(|| (Name::Text(whole), path.to_owned(), selection))
            }
            AssignmentTarget::ComputedMemberExpression(target) => {
                let Expression::StringLiteral(key) = &target.expression else { return None };
                let (path, selection) = self.export_path(&target.object, key)?;
                Some((Name::Owned(path.as_str().into()), path, selection))
            }
            _ => None,
        }
    }

    /// Adds the export that a call defines: `Object.defineProperty(exports, "a", { get: … })`.
    pub(super) fn add_defined_export(&mut self, call: &CallExpression<'_>, statement: Span) -> bool {
        let callee = self.span(&call.callee).slice(self.text);
        let [target, Argument::StringLiteral(key), rest @ ..] = call.arguments.as_slice() else { return false };
        let defined = target.as_expression().and_then(|target| self.export_path(target, key));
        let Some((path, selection)) = defined.filter(|_| is_definition(callee)) else { return false };
        let descriptor = rest.first().and_then(Argument::as_expression);
        let value = descriptor.and_then(described_value);
        let kind = match value.map(unwrap_value) {
            Some(Value::Function(_) | Value::Arrow(_)) => Kind::Function,
            Some(Value::Class(_)) => Kind::Class,
            _ => Kind::Property,
        };
        let id = self.push(kind, Name::Owned(path.into()), statement, selection);
        self.decl(id).is_dotted = true;
        match (kind, value, descriptor) {
            (Kind::Function | Kind::Class, Some(value), _) => self.walk_value(id, value),
            (_, _, Some(descriptor)) => self.within(id, false, |walk| walk.visit_expression(descriptor)),
            _ => {}
        }
        true
    }

    /// Returns the path `exports.a` of `exports["a"]`, and the span of its name.
    fn export_path(&self, object: &Expression<'_>, key: &StringLiteral<'_>) -> Option<(String, Span)> {
        let object = self.span(object).slice(self.text);
        let name = key.value.as_str()?;
        let whole = span_in(key.span, self.text).range();
        let selection = Span::new(whole.start + 1, whole.end.saturating_sub(1).max(whole.start + 1));
        // A name with escapes cannot be selected.
        let is_plain = whole.len() >= 2 && selection.slice(self.text) == name && is_path(name) && !name.contains('.');
        let is_export = is_plain && matches!(object, "exports" | "module.exports") && name != MODULE_MARK;
        is_export.then(|| (format!("{object}.{name}"), selection))
    }
}

/// Returns whether a text consists of names that dots join. In a repaired text, it may contain a dot without a name.
fn is_path(text: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    text.split('.').all(is_name)
}

fn is_definition(callee: &str) -> bool {
    matches!(callee, "Object.defineProperty" | "Reflect.defineProperty")
}
