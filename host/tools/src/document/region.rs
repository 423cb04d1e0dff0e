//! Regions that a pack declares but cannot find. Such a region consists of all outline nodes whose kind is the name of
//! the region.

use marquetry_model::{
    Error, Kind, Result,
    pack::{Description, Node},
};

/// Returns the nodes of a region. Like nodes that a pack finds, they have no parent.
pub(super) fn region_nodes(description: &Description, outline: Vec<Node>, name: &str) -> Result<Vec<Node>> {
    let name = name.trim();
    if !description.regions.iter().any(|region| region.name == name) {
        return Err(Error::new(Kind::InvalidTarget, format!("no region `{name}`"))
            .hint("use one of the candidates")
            .candidates(description.regions.iter().map(|region| region.name.clone())));
    }
    let found: Vec<Node> =
        outline.into_iter().filter(|node| node.kind == name).map(|node| Node { parent: None, ..node }).collect();
    if found.is_empty() {
        return Err(Error::new(Kind::TargetNotFound, format!("the file has no `{name}`"))
            .hint("read the file without a target to see what it has"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use marquetry_model::{Span, pack::Named};

    #[test]
    fn region_is_all_nodes_of_its_kind() {
        let node = |id, kind: &str, start| Node {
            id,
            parent: Some(0),
            kind: kind.to_owned(),
            name: String::new(),
            address: format!("n{id}"),
            span: Span::new(start, start + 1),
            selection: Span::new(start, start),
            body: None,
            doc: None,
            level: None,
            value: None,
        };
        let named = |name: &str| Named { name: name.to_owned(), summary: String::new() };
        let description = Description { regions: vec![named("section"), named("header")], ..Description::default() };
        let outline = || vec![node(1, "section", 0), node(2, "entry", 1), node(3, "section", 2)];
        let found = region_nodes(&description, outline(), " section ").expect("there are two");
        assert_eq!(found.iter().map(|node| (node.id, node.parent)).collect::<Vec<_>>(), [(1, None), (3, None)]);
        assert_eq!(region_nodes(&description, outline(), "header").expect_err("none").kind(), Kind::TargetNotFound);
        let error = region_nodes(&description, outline(), "entry").expect_err("no region");
        assert_eq!(
            (error.kind(), error.content().candidates.join(" ")),
            (Kind::InvalidTarget, "section header".to_owned())
        );
    }
}
