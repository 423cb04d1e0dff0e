//! Schema resources: parts of a document with their own identifier (`$id`), which is the base of the references in
//! them.

use marquetry_sdk::paths;

/// A schema with an identifier, or the whole document.
#[derive(Debug)]
struct Resource {
    /// The path of the resource in the document.
    path: Vec<String>,
    /// The identifier of the resource, resolved against the identifiers around it; empty if it is missing.
    id: String,
}

/// All resources of a document; the document itself is the first.
#[derive(Debug)]
pub(crate) struct Resources {
    resources: Vec<Resource>,
    /// The resources that contain the current value, outermost first.
    enclosing: Vec<usize>,
}

impl Resources {
    pub(crate) fn new() -> Resources {
        Resources { resources: vec![Resource { path: Vec::new(), id: String::new() }], enclosing: vec![0] }
    }

    /// Moves to the value at this path. Values must be visited in document order.
    pub(crate) fn enter(&mut self, path: &[String], id: Option<&str>) {
        while self.enclosing.len() > 1 && !path.starts_with(&self.resources[self.innermost()].path) {
            self.enclosing.pop();
        }
        let Some(id) = id.map(|id| id.trim_end_matches('#')).filter(|id| !id.is_empty() && !id.starts_with('#')) else {
            return;
        };
        let id = resolved_address(&self.resources[self.innermost()].id, id);
        if path.is_empty() {
            self.resources[0].id = id;
            return;
        }
        self.enclosing.push(self.resources.len());
        self.resources.push(Resource { path: path.to_vec(), id });
    }

    /// The index of the innermost resource that contains the current value.
    pub(crate) fn innermost(&self) -> usize {
        self.enclosing.last().copied().unwrap_or_default()
    }

    pub(crate) fn path(&self, number: usize) -> &[String] {
        &self.resources[number].path
    }

    /// The resource that a reference names before its `#`.
    pub(crate) fn find(&self, from: usize, file: &str) -> Option<usize> {
        if file.is_empty() {
            return Some(from);
        }
        let id = resolved_address(&self.resources[from].id, file);
        self.resources.iter().position(|resource| resource.id == id)
    }
}

/// Resolves an address against a base address.
fn resolved_address(base: &str, address: &str) -> String {
    if paths::has_scheme(address) {
        return address.to_owned();
    }
    let host = base.find("://").map_or(0, |at| base[at + 3..].find('/').map_or(base.len(), |end| at + 3 + end));
    let (host, path) = base.split_at(host);
    if address.starts_with('/') {
        return format!("{host}{address}");
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder.trim_start_matches('/'));
    let slash = if host.is_empty() && !path.starts_with('/') { "" } else { "/" };
    let joined = paths::join(folder, address).unwrap_or_else(|| address.to_owned());
    format!("{host}{slash}{joined}")
}

#[cfg(test)]
mod tests {
    use super::resolved_address;

    #[test]
    fn addresses_are_resolved_against_base() {
        assert_eq!(resolved_address("https://a.b/c/d.json", "e.json"), "https://a.b/c/e.json");
        assert_eq!(resolved_address("https://a.b/c/d.json", "/e.json"), "https://a.b/e.json");
        assert_eq!(resolved_address("https://a.b", "e.json"), "https://a.b/e.json");
        assert_eq!(resolved_address("https://a.b/c/d.json", "urn:x"), "urn:x");
        assert_eq!(resolved_address("c/d.json", "../e.json"), "e.json");
        assert_eq!(resolved_address("", "e.json"), "e.json");
    }
}
