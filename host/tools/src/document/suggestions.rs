//! Suggestions for a target that was not found, if its pack gives none: the most similar addresses of the outline, or
//! the outermost ones.

use marquetry_model::{
    Error, Kind,
    nearest::nearest_addresses,
    pack::{Node, Severity, Target},
    text::Lines,
};

use super::Part;

/// Maximum number of outermost nodes to suggest.
const MAX_OUTERMOST: usize = 20;
/// Maximum number of addresses to compare, so that suggestions do not cost much more than the outline.
const MAX_COMPARED: usize = 20_000;

/// Adds suggestions to the error if it needs some.
pub(super) fn add_suggestions(part: &Part, target: &Target, error: Error) -> Error {
    if error.kind() != Kind::TargetNotFound {
        return error;
    }
    mention_syntax_error(
        part,
        if error.content().candidates.is_empty() { add_nearest_addresses(part, target, error) } else { error },
    )
}

/// Joins the errors of several parts in which a target was not found: all messages, and the candidates of all parts.
pub(super) fn joined(target: &Target, errors: Vec<Error>) -> Option<Error> {
    let mut messages: Vec<String> = Vec::new();
    let mut candidates: Vec<String> = Vec::new();
    for content in errors.iter().map(Error::content) {
        messages.extend((!messages.contains(&content.message)).then(|| content.message.clone()));
        for candidate in &content.candidates {
            candidates.extend((!candidates.contains(candidate)).then(|| candidate.clone()));
        }
    }
    let first = errors.into_iter().next()?;
    if messages.len() == 1 {
        return Some(first);
    }
    let near = nearest_addresses(&target.value, candidates.iter().map(String::as_str));
    let joined = Error::new(Kind::TargetNotFound, messages.join("; "));
    Some(match (near.is_empty(), first.content().hint.clone()) {
        (false, _) => joined.hint("use one of the candidates").candidates(near),
        (true, Some(hint)) => joined.hint(hint).candidates(candidates),
        (true, None) => joined.candidates(candidates),
    })
}

fn add_nearest_addresses(part: &Part, target: &Target, error: Error) -> Error {
    let Ok(nodes) = part.document().and_then(|mut document| document.outline()) else { return error };
    let (standard, candidates) = suggested_addresses(&target.value, &nodes);
    let hint = error.content().hint.clone().unwrap_or_else(|| standard.to_owned());
    error.hint(hint).candidates(candidates)
}

/// Mentions a syntax error in the file: nodes after it may be missing from the outline.
fn mention_syntax_error(part: &Part, error: Error) -> Error {
    let Ok(errors) = part.document().and_then(|mut document| document.parse_errors()) else { return error };
    let Some(first) = errors.iter().find(|error| error.severity == Severity::Error) else { return error };
    let line = Lines::new(&part.text).position(first.span.start).line;
    let message = &first.message;
    let note = format!("the text has a syntax error on line {line} ({message}): targets after it may not be found");
    let hint = match &error.content().hint {
        Some(hint) => format!("{hint}; {note}"),
        None => note,
    };
    error.hint(hint)
}

/// Returns a hint and the suggested addresses.
fn suggested_addresses(wanted: &str, nodes: &[Node]) -> (&'static str, Vec<String>) {
    let near = nearest_addresses(wanted, nodes.iter().take(MAX_COMPARED).map(|node| node.address.as_str()));
    if !near.is_empty() {
        return ("use one of the candidates, or read the file without a target to see its outline", near);
    }
    let depth = |node: &Node| {
        let above = |node: &Node| node.parent.and_then(|parent| nodes.get(parent as usize));
        std::iter::successors(above(node), |node| above(node)).take(MAX_OUTERMOST).count()
    };
    let mut places: Vec<(usize, &Node)> =
        nodes.iter().take(MAX_OUTERMOST * 50).map(|node| (depth(node), node)).collect();
    places.sort_by_key(|(depth, _)| *depth);
    let hint = "no name is similar: the candidates are the outermost nodes; read the file with \
                `format: \"summary\"` to see all";
    (hint, places.into_iter().take(MAX_OUTERMOST).map(|(_, node)| node.address.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use marquetry_model::Span;

    fn node(address: &str, parent: Option<u32>) -> Node {
        let span = Span::new(0, 0);
        Node {
            id: 0,
            parent,
            kind: "key".to_owned(),
            name: address.to_owned(),
            address: address.to_owned(),
            span,
            selection: span,
            body: None,
            doc: None,
            level: None,
            value: None,
        }
    }

    #[test]
    fn errors_of_several_parts_are_joined() {
        let target = Target { kind: marquetry_model::pack::TargetKind::Selector, value: "buton".to_owned() };
        let error = |message: &str, candidates: &[&str]| {
            let error = Error::new(Kind::TargetNotFound, message).hint("none is similar");
            error.candidates(candidates.iter().map(|candidate| (*candidate).to_owned()))
        };
        let join = |errors: Vec<Error>| joined(&target, errors).map(|error| error.content().clone());
        assert!(join(Vec::new()).is_none());
        let one = join(vec![error("no rule", &[".a"]), error("no rule", &[".b"])]).expect("an error");
        assert_eq!((one.message.as_str(), one.candidates), ("no rule", vec![".a".to_owned()]));
        let both = join(vec![error("no rule", &[".a"]), error("no element", &["main", "button"])]).expect("an error");
        assert_eq!(both.message, "no rule; no element");
        assert_eq!(
            (both.hint.as_deref(), both.candidates),
            (Some("use one of the candidates"), vec!["button".to_owned()])
        );
        let far = join(vec![error("no rule", &[".x"]), error("no element", &["y"])]).expect("an error");
        assert_eq!((far.hint.as_deref(), far.candidates.len()), (Some("none is similar"), 2));
    }

    #[test]
    fn nearest_addresses_or_outermost_ones_are_offered() {
        let nodes =
            [node("server", None), node("server.port", Some(0)), node("client", None), node("client.port", Some(2))];
        assert_eq!(suggested_addresses("client.prot", &nodes).1[0], "client.port");
        assert_eq!(suggested_addresses("port", &nodes).1, ["server.port", "client.port"]);
        assert_eq!(suggested_addresses("zzz", &nodes).1, ["server", "client", "server.port", "client.port"]);
        assert!(suggested_addresses("zzz", &[]).1.is_empty());
    }
}
