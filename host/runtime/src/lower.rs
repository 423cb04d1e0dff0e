//! Converts the model's types to generated ones for calls to a guest.

use marquetry_model::{
    Edit, Error, Kind, Relocation, Result,
    mentions::{SearchedText, TextName},
    pack,
    refactor::{FileMoves, MovedLink, Selection},
};

use crate::bindings::marquetry::language::types as wit;

pub(crate) fn offset(offset: usize) -> Result<u32> {
    u32::try_from(offset).map_err(|_| Error::argument("an offset beyond the document"))
}

pub(crate) fn target(target: &pack::Target) -> Result<wit::Target> {
    let kind = match target.kind {
        pack::TargetKind::Symbol => wit::TargetKind::Symbol,
        pack::TargetKind::Path => wit::TargetKind::Path,
        pack::TargetKind::Selector => wit::TargetKind::Selector,
        pack::TargetKind::Xpath => wit::TargetKind::Xpath,
        pack::TargetKind::Heading => wit::TargetKind::Heading,
        pack::TargetKind::Region => wit::TargetKind::Region,
        pack::TargetKind::Lines => {
            return Err(Error::new(Kind::Unsupported, "plugins do not resolve line targets")
                .hint("the host resolves `lines` itself, for every text file"));
        }
    };
    Ok(wit::Target { kind, value: target.value.clone() })
}

pub(crate) fn query(query: &pack::Query) -> Result<wit::Query> {
    Ok(wit::Query {
        target: target(&query.target)?,
        limit: u32::try_from(query.limit).unwrap_or(u32::MAX),
        values: query.values,
    })
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
        pack::Subject::ImportedDefault { specifiers, own_name: called } => {
            wit::Subject::ImportedDefault(wit::DefaultKey { specifiers: specifiers.clone(), called: called.clone() })
        }
        pack::Subject::Member(member) => wit::Subject::Declared(wit::DeclaredKey {
            name: member.name.clone(),
            locations: member
                .locations
                .iter()
                .map(|(path, at)| wit::FileLocation { path: path.clone(), offset: offset(*at) })
                .collect(),
            forms: member.forms.clone(),
        }),
        pack::Subject::Shared(shared) => {
            wit::Subject::Shared(wit::SharedName { namespace: shared.namespace.clone(), name: shared.name.clone() })
        }
    }
}

pub(crate) fn respelling(request: &pack::SpecifierRequest) -> wit::SpecifierRequest {
    wit::SpecifierRequest {
        from: request.from.clone(),
        to: request.to.clone(),
        was: request.old_destination.clone(),
        kind: request.kind.clone(),
        specifier: request.specifier.clone(),
    }
}

pub(crate) fn relocation(relocation: &Relocation) -> wit::Relocation {
    wit::Relocation { from: relocation.from.clone(), to: relocation.to.clone() }
}

pub(crate) fn file_moves(moves: &FileMoves) -> wit::FileMoves {
    let link = |link: &MovedLink| wit::MovedLink { link: link.link, from: link.from.clone(), to: link.to.clone() };
    wit::FileMoves {
        path: moves.path.clone(),
        relocations: moves.relocations.iter().map(relocation).collect(),
        links: moves.links.iter().map(link).collect(),
    }
}

pub(crate) fn context(path: &str, settings: &str) -> wit::Context {
    wit::Context { path: path.to_owned(), settings: settings.to_owned() }
}

pub(crate) fn edit(edit: &Edit) -> wit::Edit {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    wit::Edit {
        span: wit::Span { start: offset(edit.span.start), end: offset(edit.span.end) },
        text: edit.text.clone(),
    }
}

pub(crate) fn selection(at: Selection) -> wit::Selection {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let span = wit::Span { start: offset(at.span.start), end: offset(at.span.end) };
    wit::Selection { span, caret: offset(at.caret) }
}

pub(crate) fn arguments(arguments: &[(String, String)]) -> Vec<wit::Argument> {
    let argument = |(name, value): &(String, String)| wit::Argument { name: name.clone(), value: value.clone() };
    arguments.iter().map(argument).collect()
}

pub(crate) fn text_names(names: &[TextName]) -> Vec<wit::TextName> {
    let name = |it: &TextName| wit::TextName { name: it.name.clone(), path: it.path.clone(), kind: it.kind.clone() };
    names.iter().map(name).collect()
}

pub(crate) fn searched_text(source: SearchedText<'_>) -> wit::SearchedText {
    wit::SearchedText { path: source.path.to_owned(), text: source.text.to_owned(), is_code: source.is_code }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_over_32_bits_are_refused() {
        let edit = edit(&Edit { span: marquetry_model::Span::new(1, usize::MAX), text: "x".to_owned() });
        assert_eq!((edit.span.start, edit.span.end, edit.text.as_str()), (1, u32::MAX, "x"));
        assert!(matches!(subject(&pack::Subject::At(1 << 40)), wit::Subject::At(u32::MAX)));
        let query = query(&pack::Query {
            target: pack::Target { kind: pack::TargetKind::Path, value: "$".to_owned() },
            limit: usize::MAX,
            values: true,
        })
        .expect("packs resolve paths");
        assert_eq!((query.limit, query.values, query.target.value.as_str()), (u32::MAX, true, "$"));
    }

    #[test]
    fn every_kind_of_target_keeps_its_name() {
        for kind in pack::TargetKind::ALL {
            match target(&pack::Target { kind, value: "v".to_owned() }) {
                Ok(asked) => {
                    assert_eq!(format!("{:?}", asked.kind).to_lowercase().rsplit("::").next(), Some(kind.name()));
                }
                Err(_) => assert_eq!(kind, pack::TargetKind::Lines, "the host itself resolves only line targets"),
            }
        }
    }

    #[test]
    fn operations_keep_their_content_and_place() {
        use pack::Operation as Asked;
        let content = || "c".to_owned();
        assert!(matches!(operation(&Asked::Replace(content())), wit::Operation::Replace(text) if text == "c"));
        assert!(matches!(operation(&Asked::ReplaceBody(content())), wit::Operation::ReplaceBody(text) if text == "c"));
        assert!(
            matches!(operation(&Asked::InsertBefore(content())), wit::Operation::InsertBefore(text) if text == "c")
        );
        assert!(matches!(operation(&Asked::InsertAfter(content())), wit::Operation::InsertAfter(text) if text == "c"));
        assert!(matches!(operation(&Asked::Delete), wit::Operation::Delete));
        let first = operation(&Asked::InsertInto(content(), pack::Position::First));
        assert!(matches!(first, wit::Operation::InsertInto(into) if into.position == wit::Position::First));
        let last = operation(&Asked::InsertInto(content(), pack::Position::Last));
        assert!(matches!(last, wit::Operation::InsertInto(into) if into.position == wit::Position::Last));
        let sorted = operation(&Asked::InsertInto(content(), pack::Position::Sorted));
        assert!(matches!(sorted, wit::Operation::InsertInto(into) if into.position == wit::Position::Sorted));
        let wrap = operation(&Asked::Wrap { before: "b".to_owned(), after: "a".to_owned() });
        assert!(matches!(wrap, wit::Operation::Wrap(wrapper) if wrapper.before == "b" && wrapper.after == "a"));
    }

    #[test]
    fn subjects_keep_what_they_name() {
        let names = vec!["./a".to_owned()];
        let imported = subject(&pack::Subject::Imported { specifiers: names.clone(), name: "x".to_owned() });
        assert!(matches!(imported, wit::Subject::Imported(key) if key.specifiers == names && key.name == "x"));
        let default = subject(&pack::Subject::ImportedDefault { specifiers: names.clone(), own_name: "x".to_owned() });
        assert!(matches!(default, wit::Subject::ImportedDefault(key) if key.specifiers == names && key.called == "x"));
        let member =
            pack::Member { name: "m".to_owned(), locations: vec![("a.ts".to_owned(), 3)], ..pack::Member::default() };
        let declared = subject(&pack::Subject::Member(member));
        assert!(
            matches!(declared, wit::Subject::Declared(key) if key.locations[0].path == "a.ts" && key.locations[0].offset == 3)
        );
        assert!(
            matches!(subject(&pack::Subject::Exported("e".to_owned())), wit::Subject::Exported(name) if name == "e")
        );
        assert!(matches!(subject(&pack::Subject::Address("a".to_owned())), wit::Subject::Address(name) if name == "a"));
        let shared = pack::SharedName { namespace: "css-class".to_owned(), name: "s".to_owned() };
        let lowered = subject(&pack::Subject::Shared(shared));
        assert!(matches!(lowered, wit::Subject::Shared(name) if name.namespace == "css-class" && name.name == "s"));
    }
}
