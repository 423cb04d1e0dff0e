//! The model's types to generated ones, for questions to a guest.

use marquetry_model::{Edit, Relocation, pack};

use crate::bindings::marquetry::language::types as wit;

pub(crate) fn target(target: &pack::Target) -> wit::Target {
    let kind = match target.kind {
        pack::TargetKind::Symbol => wit::TargetKind::Symbol,
        pack::TargetKind::Path => wit::TargetKind::Path,
        pack::TargetKind::Selector => wit::TargetKind::Selector,
        pack::TargetKind::Xpath => wit::TargetKind::Xpath,
        pack::TargetKind::Heading => wit::TargetKind::Heading,
        pack::TargetKind::Region => wit::TargetKind::Region,
        pack::TargetKind::Lines => wit::TargetKind::Lines,
    };
    wit::Target { kind, value: target.value.clone() }
}

pub(crate) fn query(query: &pack::Query) -> wit::Query {
    wit::Query {
        target: target(&query.target),
        limit: u32::try_from(query.limit).unwrap_or(u32::MAX),
        values: query.values,
    }
}

pub(crate) fn form(form: pack::Form) -> wit::Form {
    match form {
        pack::Form::Full => wit::Form::Full,
        pack::Form::Signature => wit::Form::Signature,
        pack::Form::Body => wit::Form::Body,
        pack::Form::Summary => wit::Form::Summary,
    }
}

pub(crate) fn operation(operation: &pack::Operation) -> wit::Operation {
    use pack::Operation as From;
    match operation {
        From::Replace(content) => wit::Operation::Replace(content.clone()),
        From::ReplaceBody(content) => wit::Operation::ReplaceBody(content.clone()),
        From::InsertBefore(content) => wit::Operation::InsertBefore(content.clone()),
        From::InsertAfter(content) => wit::Operation::InsertAfter(content.clone()),
        From::InsertInto(content, position) => wit::Operation::InsertInto(wit::Insertion {
            content: content.clone(),
            position: match position {
                pack::Position::First => wit::Position::First,
                pack::Position::Last => wit::Position::Last,
                pack::Position::Sorted => wit::Position::Sorted,
            },
        }),
        From::Wrap { before, after } => {
            wit::Operation::Wrap(wit::Wrapper { before: before.clone(), after: after.clone() })
        }
        From::Delete => wit::Operation::Delete,
        From::ReplaceText { old, new, all } => {
            wit::Operation::ReplaceText(wit::Replacement { old: old.clone(), new: new.clone(), all: *all })
        }
    }
}

pub(crate) fn subject(subject: &pack::Subject) -> wit::Subject {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    match subject {
        pack::Subject::At(at) => wit::Subject::At(offset(*at)),
        pack::Subject::Address(address) => wit::Subject::Address(address.clone()),
        pack::Subject::Imported { specifiers, name } => {
            wit::Subject::Imported(wit::ImportKey { specifiers: specifiers.clone(), name: name.clone() })
        }
        pack::Subject::Exported(name) => wit::Subject::Exported(name.clone()),
        pack::Subject::ImportedDefault { specifiers, called } => {
            wit::Subject::ImportedDefault(wit::DefaultKey { specifiers: specifiers.clone(), called: called.clone() })
        }
        pack::Subject::Declared(member) => wit::Subject::Declared(wit::DeclaredKey {
            name: member.name.clone(),
            places: member
                .places
                .iter()
                .map(|(path, at)| wit::Place { path: path.clone(), offset: offset(*at) })
                .collect(),
        }),
        pack::Subject::Shared(name) => wit::Subject::Shared(name.clone()),
    }
}

pub(crate) fn respelling(request: &pack::Respelling) -> wit::Respelling {
    wit::Respelling {
        from: request.from.clone(),
        to: request.to.clone(),
        was: request.was.clone(),
        kind: request.kind.clone(),
        specifier: request.specifier.clone(),
    }
}

pub(crate) fn relocation(relocation: &Relocation) -> wit::Relocation {
    wit::Relocation { from: relocation.from.clone(), to: relocation.to.clone() }
}

pub(crate) fn edit(edit: &Edit) -> wit::Edit {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    wit::Edit {
        span: wit::Span { start: offset(edit.span.start), end: offset(edit.span.end) },
        text: edit.text.clone(),
    }
}
