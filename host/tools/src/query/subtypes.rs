//! Subtypes of a type at any depth. They are found among the types of all files that can reference the type.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use marquetry_graph::{Base, TypeFact, Types, Workspace, parallel_map};
use marquetry_model::{Result, text::Lines};

use super::{
    relation::{Relation, Step},
    symbol_details::line_at,
};
use crate::{
    reference_search::{SearchScope, is_file_error},
    result_types::{Location, range_of},
    session::Session,
};

/// Maximum number of types.
const MAX_TYPES: usize = 20_000;

/// File and address of a type.
pub(super) type TypeId = (String, String);

/// State of the search.
struct SubtypeSearch<'a> {
    session: &'a Session,
    asked: &'a SearchScope,
    workspace: &'a Workspace,
    types: HashMap<String, Arc<Types>>,
    found: Vec<Relation>,
    seen: HashSet<TypeId>,
    incomplete: Option<String>,
}

/// Returns the types that extend or implement a type, directly or indirectly.
///
/// # Errors
/// Fails with `Cancelled` if the call is cancelled, and if the text of a file cannot be read.
pub(super) fn subtypes_of(session: &Session, scope: &SearchScope, top: TypeId, depth: usize) -> Result<Step> {
    let Some(workspace) = scope.workspace.as_deref() else { return Ok(Step::default()) };
    let mut below = SubtypeSearch {
        session,
        asked: scope,
        workspace,
        types: HashMap::new(),
        found: Vec::new(),
        seen: HashSet::from([top.clone()]),
        incomplete: scope.unread(),
    };
    let mut open = VecDeque::from([(top, 1)]);
    while let Some((above, level)) = open.pop_front() {
        if below.found.len() > MAX_TYPES {
            below.incomplete = Some(format!("only the first {MAX_TYPES} were followed"));
            break;
        }
        let via = (level > 1).then(|| above.1.clone());
        for under in below.direct_subtypes(&above, level, via)? {
            if level < depth {
                open.push_back((under, level + 1));
            }
        }
    }
    session.graph.keep_answers(&session.files, &scope.survey);
    Ok((below.found, below.incomplete))
}

impl SubtypeSearch<'_> {
    /// Returns the direct subtypes of a type.
    fn direct_subtypes(&mut self, above: &TypeId, depth: usize, via: Option<String>) -> Result<Vec<TypeId>> {
        let (home, address) = above;
        self.load(std::slice::from_ref(home))?;
        let Some(declarations) = self.types.get(home).and_then(|types| Declarations::resolve(home, address, types))
        else {
            return Ok(Vec::new());
        };
        let takers: Vec<String> = self.workspace.files_using(home, &declarations.root).into_iter().collect();
        self.load(&takers)?;
        let mut named = Vec::new();
        for path in takers {
            let Some(types) = self.types.get(&path).map(Arc::clone) else { continue };
            let is_below = |fact: &&TypeFact| fact.bases.iter().any(|base| declarations.is_base(&path, base));
            for fact in types.all.iter().filter(is_below) {
                let name = (path.clone(), fact.address.clone());
                if self.seen.insert(name.clone()) {
                    let relation = self.relation(&path, fact, depth, via.clone())?;
                    self.found.push(relation);
                    named.push(name);
                }
            }
            let mut bases = types.all.iter().flat_map(|fact| &fact.bases);
            if let Some(base) = bases.find(|base| declarations.may_be_base(base)).filter(|_| self.incomplete.is_none())
            {
                self.incomplete = Some(format!("{path}: cannot determine the declaration of `{}`", base.name));
            }
        }
        Ok(named)
    }

    /// Loads the types of files, on all cores, each only once.
    fn load(&mut self, paths: &[String]) -> Result<()> {
        let new: Vec<&String> = paths.iter().filter(|path| !self.types.contains_key(*path)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let stage = self.session.work.stage("looking for subtypes", new.len());
        let all = parallel_map(&new, |path| stage.step().and_then(|()| self.asked.survey.types(path)));
        for (path, types) in new.into_iter().zip(all) {
            let types = match types {
                Ok(types) => types,
                // Failures of files make the answer incomplete.
                Err(error) if is_file_error(&error) => {
                    self.incomplete.get_or_insert_with(|| format!("{path}: {error}"));
                    Arc::default()
                }
                Err(error) => return Err(error.context(path)),
            };
            self.types.insert(path.clone(), types);
        }
        Ok(())
    }

    fn relation(&self, path: &str, fact: &TypeFact, depth: usize, via: Option<String>) -> Result<Relation> {
        let text = self.asked.survey.files().text(path)?;
        let lines = Lines::new(&text);
        Ok(Relation {
            name: fact.name.clone(),
            kind: fact.kind.clone(),
            at: Location::new(path, lines.position(fact.selection)),
            address: Some(fact.address.clone()),
            range: Some(range_of(&lines, fact.span())),
            preview: line_at(&text, fact.selection),
            from: None,
            depth,
            via,
            calls: Vec::new(),
        })
    }
}

/// The declarations that together form one type.
struct Declarations<'a> {
    home: &'a str,
    name: String,
    /// The outermost name around the type, which the file exports.
    root: String,
    addresses: Vec<String>,
    selections: Vec<usize>,
}

/// First segment of an address.
fn first_name(address: &str) -> &str {
    address.split(['.', '#', '/', ':', '[', ' ']).next().unwrap_or(address)
}

impl<'a> Declarations<'a> {
    fn resolve(home: &'a str, address: &str, types: &Types) -> Option<Declarations<'a>> {
        let subject = types.all.iter().find(|fact| fact.address == address)?;
        let around = |address: &str| address.rsplit_once('.').map(|(around, _)| around.to_owned());
        let is_same = |fact: &&TypeFact| fact.name == subject.name && around(&fact.address) == around(address);
        let same: Vec<&TypeFact> = types.all.iter().filter(is_same).collect();
        Some(Declarations {
            home,
            name: subject.name.clone(),
            root: first_name(address).to_owned(),
            addresses: same.iter().map(|fact| fact.address.clone()).collect(),
            selections: same.iter().map(|fact| fact.selection).collect(),
        })
    }

    /// Returns whether a base refers to this type.
    fn is_base(&self, path: &str, base: &Base) -> bool {
        let is_here = || path == self.home && base.address.as_ref().is_some_and(|own| self.addresses.contains(own));
        let is_there = |(path, at): &(String, usize)| path == self.home && self.selections.contains(at);
        base.declared.as_ref().is_some_and(is_there) || is_here()
    }

    /// Returns whether an unresolved base has the name of this type.
    fn may_be_base(&self, base: &Base) -> bool {
        base.declared.is_none() && base.address.is_none() && base.name.rsplit('.').next() == Some(&self.name)
    }
}
