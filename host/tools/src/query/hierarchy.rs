//! `callHierarchy`, `typeHierarchy` and `implementations`, from the facts that the packs report.

use std::collections::{BTreeMap, HashSet};

use marquetry_model::{
    Error, Interface, Kind, Result,
    hover::RelatedSymbol,
    pack::{Node, Subject},
    text::{Lines, Position},
};

use super::{
    Answer, QueryArgs, QueryResult,
    relation::{CallSite, Relation, Relations, Step},
    required, subtypes,
    symbol_details::line_at,
};
use crate::{
    document::OpenFile,
    reference_search::SearchScope,
    result_types::{Location, range_of},
    session::Session,
};

/// Maximum number of related symbols. The search does not go deeper after this number is reached.
const MAX_RELATED: usize = 500;
/// Kinds of symbols that are not called and do not call anything.
const NEVER_CALLED: [&str; 8] =
    ["interface", "type", "enum", "enum-member", "namespace", "type-parameter", "trait", "module"];
/// Kinds of symbols that are called.
const CALLED: [&str; 4] = ["function", "method", "class", "constructor"];
/// Maximum number of suggested symbols.
const MAX_CANDIDATES: usize = 8;
/// Default for the maximum depth.
const DEFAULT_DEPTH: usize = 100;

impl Session {
    pub(super) fn relations(&self, args: &QueryArgs) -> Result<QueryResult> {
        let hierarchy = Hierarchy::resolve(self, args)?;
        match args.r#type.as_str() {
            "callHierarchy" => hierarchy.calls(),
            "typeHierarchy" => hierarchy.types(),
            _ => hierarchy.implementations(),
        }
    }
}

/// A file with its outline, which is requested from the pack only once.
struct Outlined {
    file: OpenFile,
    nodes: Vec<Node>,
}

impl Outlined {
    fn new(file: OpenFile) -> Result<Outlined> {
        let nodes = file.outline()?;
        Ok(Outlined { file, nodes })
    }

    /// Returns the innermost symbol around an offset.
    fn enclosing(&self, offset: usize) -> Option<&Node> {
        enclosing(&self.nodes, offset)
    }
}

/// A query for the relations of one symbol.
struct Hierarchy<'a> {
    session: &'a Session,
    args: &'a QueryArgs,
    /// The file that declares the symbol.
    file: OpenFile,
    /// Address of the symbol.
    address: String,
}

impl<'a> Hierarchy<'a> {
    /// Resolves the symbol of a query. Fails with `Unsupported` if its format has no such relations.
    fn resolve(session: &'a Session, args: &'a QueryArgs) -> Result<Hierarchy<'a>> {
        let path = match (&args.path, &args.symbol) {
            (None, Some(symbol)) => session.only_declaring_file(symbol)?,
            (path, _) => required(path, "path", &args.r#type)?.to_owned(),
        };
        let refused = |file: &OpenFile| {
            let kind = if args.r#type == "callHierarchy" { "call" } else { "type" };
            Error::new(Kind::Unsupported, format!("{} files have no {kind} hierarchy", file.description().name))
                .hint("`search` finds text in any file, `dependencies` the links to a file")
        };
        let file = session.open_or_symbol(&path)?;
        if !has_relations(&file, &args.r#type)? {
            return Err(refused(&file));
        }
        let (file, address) = session.declaration_of_query(args)?;
        // The declaration can be in a file of another format.
        if !has_relations(&file, &args.r#type)? {
            return Err(refused(&file));
        }
        Ok(Hierarchy { session, args, file, address })
    }

    /// Answers `callHierarchy`: callers or callees of the symbol.
    fn calls(self) -> Result<QueryResult> {
        self.check_callable()?;
        let depth = self.args.depth.unwrap_or(1);
        let found = match self.args.direction.as_deref() {
            None | Some("incoming") => {
                let scope = self.session.whole_workspace()?;
                self.walk(depth, "looking for callers", |file, address| self.callers(&scope, file, address))?
            }
            Some("outgoing") => self.walk(depth, "looking for calls", |file, address| {
                let list = file.ask(|document| document.calls(address))?;
                Ok((self.resolve_related(file, list.unwrap_or_default(), true)?, None))
            })?,
            Some(other) => return Err(unknown_direction(other, ["incoming", "outgoing"])),
        };
        Ok(self.answer(found))
    }

    /// Answers `typeHierarchy`: supertypes or subtypes of the symbol.
    fn types(self) -> Result<QueryResult> {
        self.check_type()?;
        let depth = self.args.depth.unwrap_or(DEFAULT_DEPTH);
        let found = match self.args.direction.as_deref() {
            None | Some("supertypes") => self.walk(depth, "looking for supertypes", |file, address| {
                let list = file.ask(|document| document.supertypes(address))?;
                Ok((self.resolve_related(file, list.unwrap_or_default(), false)?, None))
            })?,
            Some("subtypes") => self.subtypes(&self.session.whole_workspace()?, &self.address)?,
            Some(other) => return Err(unknown_direction(other, ["supertypes", "subtypes"])),
        };
        Ok(self.answer(found))
    }

    /// Answers `implementations`: subtypes of the symbol and, for a member, the members that override it.
    fn implementations(self) -> Result<QueryResult> {
        let scope = self.session.whole_workspace()?;
        let (mut items, mut incomplete) = self.subtypes(&scope, &self.address)?;
        match self.address.rsplit_once('.') {
            None => self.check_type()?,
            Some((owner, _)) => {
                let (owners, why) = self.subtypes(&scope, owner)?;
                let (members, why_not) = self.overriding(&scope, &owners)?;
                items.extend(members);
                incomplete = incomplete.or(why).or(why_not);
            }
        }
        Ok(self.answer((items, incomplete)))
    }

    /// Fails for symbols that are never called, because an empty answer would suggest that they could be called.
    fn check_callable(&self) -> Result<()> {
        let nodes = self.file.outline()?;
        let node = nodes.iter().find(|node| node.address == self.address);
        match node.filter(|node| NEVER_CALLED.contains(&node.kind.as_str())) {
            None => Ok(()),
            Some(node) => {
                let message = format!("`{}` is of the kind `{}`, which is never called", self.address, node.kind);
                Err(Error::new(Kind::InvalidTarget, message)
                    .hint("name a function, a method or a class; `typeHierarchy` and `implementations` take types")
                    .candidates(
                        nodes
                            .iter()
                            .filter(|node| CALLED.contains(&node.kind.as_str()))
                            .take(MAX_CANDIDATES)
                            .map(|node| node.address.clone()),
                    ))
            }
        }
    }

    /// Fails if the symbol is not a type.
    fn check_type(&self) -> Result<()> {
        match self.file.ask(|document| document.supertypes(&self.address))? {
            Some(_) => Ok(()),
            None => Err(not_a_type(&self.file, &self.address)),
        }
    }

    fn subtypes(&self, scope: &SearchScope, address: &str) -> Result<Step> {
        if let Some(list) = self.file.ask(|document| document.subtypes(address))? {
            return self.structural_subtypes(scope, list);
        }
        let top = (self.file.path().to_owned(), address.to_owned());
        subtypes::subtypes_of(self.session, scope, top, self.args.depth.unwrap_or(DEFAULT_DEPTH))
    }

    /// The types that satisfy a type without naming it. The pack lists all of them.
    fn structural_subtypes(&self, scope: &SearchScope, list: Vec<RelatedSymbol>) -> Result<Step> {
        let (known, possible): (Vec<_>, Vec<_>) = list.into_iter().partition(|related| related.declared.is_some());
        let names: Vec<String> =
            possible.iter().take(MAX_CANDIDATES).map(|related| format!("`{}`", related.name)).collect();
        let why = || format!("cannot determine for {} of the types: {}", possible.len(), names.join(", "));
        let incomplete = scope.unread().or_else(|| (!possible.is_empty()).then(why));
        Ok((self.resolve_related(&self.file, known, false)?, incomplete))
    }

    /// Collects related symbols breadth-first. Each symbol is visited only once, so cycles end.
    fn walk(&self, depth: usize, what: &'static str, next: impl Fn(&OpenFile, &str) -> Result<Step>) -> Result<Step> {
        let (mut all, mut incomplete): Step = next(&self.file, &self.address)?;
        let mut seen = HashSet::from([(self.file.path().to_owned(), self.address.clone())]);
        all.retain(|relation| is_new(&mut seen, relation));
        let mut at = 0;
        while let Some(from) = all.get(at).cloned() {
            at += 1;
            if from.depth >= depth {
                break;
            }
            if all.len() >= MAX_RELATED {
                incomplete = Some(format!("only the first {MAX_RELATED} were followed"));
                break;
            }
            let Some(address) = &from.address else { continue };
            self.session.work.stage(what, all.len()).step()?;
            // A symbol whose file cannot be opened is listed without its own relations.
            let more = self
                .session
                .open_found(&from.at.path)
                .and_then(|file| if file.has(Interface::Hover) { next(&file, address) } else { Ok(Step::default()) });
            match more {
                Ok((more, why)) => {
                    incomplete = incomplete.or(why);
                    let via = Some(address.clone());
                    let more =
                        more.into_iter().map(|found| Relation { depth: from.depth + 1, via: via.clone(), ..found });
                    all.extend(more.filter(|relation| is_new(&mut seen, relation)));
                }
                Err(error) if error.kind() == Kind::Cancelled => return Err(error),
                Err(error) => incomplete = incomplete.or(Some(format!("{} `{address}`: {error}", from.at.path))),
            }
        }
        Ok((all, incomplete))
    }

    /// Callers of a symbol: the innermost symbols around its calls.
    fn callers(&self, scope: &SearchScope, file: &OpenFile, address: &str) -> Result<Step> {
        let (references, incomplete) = self.session.references_of(scope, file, Subject::Address(address.to_owned()))?;
        let mut items: Vec<Relation> = Vec::new();
        let mut opened: Option<Outlined> = None;
        for reference in references.into_iter().filter(|reference| reference.usage == "call" && reference.certain) {
            self.session.work.check()?;
            let user = self.opened(&mut opened, &reference.path)?;
            let position = Position { line: reference.line, column: reference.column };
            let Some(offset) = Lines::new(user.file.text()).offset(position) else { continue };
            let call = CallSite {
                line: reference.line,
                column: reference.column,
                preview: reference.preview.trim().to_owned(),
            };
            let caller = match user.enclosing(offset) {
                Some(node) => relation_of_node(&user.file, node),
                // The call is at the top level of the file.
                None => file_relation(&user.file),
            };
            let same = |known: &&mut Relation| (&known.at.path, &known.address) == (&caller.at.path, &caller.address);
            match items.iter_mut().find(same) {
                Some(known) => known.calls.push(call),
                None => items.push(Relation { calls: vec![call], ..caller }),
            }
        }
        Ok((items, incomplete))
    }

    /// Returns the file. Consecutive references to the same file open the file only once.
    fn opened<'o>(&self, known: &'o mut Option<Outlined>, path: &str) -> Result<&'o Outlined> {
        if known.as_ref().is_none_or(|known| known.file.path() != path) {
            *known = Some(Outlined::new(self.session.open_found(path)?)?);
        }
        known.as_ref().ok_or_else(|| Error::internal("a file that was just opened is gone"))
    }

    /// Declarations that override a member in subtypes of its type.
    fn overriding(&self, scope: &SearchScope, owners: &[Relation]) -> Result<Step> {
        let subject = Subject::Address(self.address.clone());
        let (references, incomplete) = self.session.references_of(scope, &self.file, subject)?;
        let mut items = Vec::new();
        let mut opened: Option<Outlined> = None;
        for reference in references.into_iter().filter(|reference| reference.usage == "declaration") {
            let user = self.opened(&mut opened, &reference.path)?;
            let position = Position { line: reference.line, column: reference.column };
            let Some(offset) = Lines::new(user.file.text()).offset(position) else { continue };
            let Some(member) = user.enclosing(offset) else { continue };
            let owner = member.address.rsplit_once('.').map(|(owner, _)| owner);
            let is_below = |below: &&Relation| below.at.path == reference.path && below.address.as_deref() == owner;
            if let Some(below) = owners.iter().find(is_below).filter(|_| owner.is_some()) {
                items.push(Relation {
                    depth: below.depth,
                    via: below.address.clone(),
                    ..relation_of_node(&user.file, member)
                });
            }
        }
        Ok((items, incomplete))
    }

    /// Resolves the symbols that a document reports to their declarations. If a symbol cannot be resolved, the position
    /// of the reference is used.
    fn resolve_related(&self, file: &OpenFile, list: Vec<RelatedSymbol>, are_calls: bool) -> Result<Vec<Relation>> {
        let lines = Lines::new(file.text());
        let own_nodes = file.outline()?;
        let mut homes: BTreeMap<String, Option<Outlined>> = BTreeMap::new();
        let mut items: Vec<Relation> = Vec::new();
        for related in list {
            self.session.work.check()?;
            let position = lines.position(related.span.start);
            let preview = line_at(file.text(), related.span.start);
            let mut found = Relation {
                name: related.name.clone(),
                kind: String::new(),
                at: Location::new(file.path(), position),
                address: related.address.clone(),
                range: None,
                preview: preview.clone(),
                from: related.specifier.clone(),
                depth: 1,
                via: None,
                calls: Vec::new(),
            };
            if let Some((path, offset)) = &related.declared {
                let declared = |home: &OpenFile, nodes: &[Node]| {
                    let node = node_named_at(nodes, *offset)?;
                    Some(Relation { name: related.name.clone(), ..relation_of_node(home, node) })
                };
                let relation = match path == file.path() {
                    true => declared(file, &own_nodes),
                    false => {
                        let open = || self.session.open_found(path).and_then(Outlined::new).ok();
                        let home = homes.entry(path.clone()).or_insert_with(open).as_ref();
                        home.and_then(|home| declared(&home.file, &home.nodes))
                    }
                };
                found = relation.unwrap_or(found);
            }
            let call = CallSite { line: position.line, column: position.column, preview };
            let same = |known: &&mut Relation| {
                (&known.at, &known.name) == (&found.at, &found.name)
                    || (known.address.is_some() && (&known.at.path, &known.address) == (&found.at.path, &found.address))
            };
            match items.iter_mut().find(same) {
                Some(known) if are_calls => known.calls.push(call),
                Some(_) => {}
                None => items.push(Relation { calls: if are_calls { vec![call] } else { Vec::new() }, ..found }),
            }
        }
        Ok(items)
    }

    fn answer(self, (mut items, incomplete): Step) -> QueryResult {
        let order = |item: &Relation| (item.depth, item.at.clone(), item.name.clone());
        items.sort_by_key(order);
        items.dedup_by(|a, b| order(a) == order(b));
        let page = self.args.page(self.session, items);
        let completeness = incomplete.map_or_else(|| "syntactic".to_owned(), |why| format!("partial: {why}"));
        let data = Answer::Relations(Relations { symbol: self.address, items: page.items });
        QueryResult::new(data, completeness, self.file.engine()).paged(page.total, page.truncated)
    }
}

/// Returns whether a format has relations of this kind. A pack returns `None` for a format without calls or types, and
/// an empty list if none were found.
fn has_relations(file: &OpenFile, kind: &str) -> Result<bool> {
    if !file.has(Interface::Hover) || !file.has(Interface::Symbols) {
        return Ok(false);
    }
    match kind {
        "callHierarchy" => file.ask(|document| Ok(document.calls("")?.is_some())),
        _ => file.ask(|document| Ok(document.supertypes("")?.is_some())),
    }
}

/// Returns whether a symbol was not reached before. A symbol without an address is identified by its position.
fn is_new(seen: &mut HashSet<(String, String)>, relation: &Relation) -> bool {
    let place = || format!("{}:{}", relation.at.line, relation.at.column);
    seen.insert((relation.at.path.clone(), relation.address.clone().unwrap_or_else(place)))
}

fn unknown_direction(given: &str, known: [&str; 2]) -> Error {
    Error::argument(format!("unknown direction `{given}`")).candidates(known.map(str::to_owned))
}

/// Error for a symbol that is not a type.
fn not_a_type(file: &OpenFile, address: &str) -> Error {
    let nodes = file.outline().unwrap_or_default();
    let kind = nodes.iter().find(|node| node.address == address).map_or("symbol", |node| node.kind.as_str());
    Error::new(Kind::InvalidTarget, format!("`{address}` has no supertypes or subtypes; its kind is {kind}"))
        .hint("name a class or an interface; `callHierarchy` shows calls, `references` shows uses")
}

/// Returns the innermost symbol around an offset.
fn enclosing(nodes: &[Node], offset: usize) -> Option<&Node> {
    let around = |node: &&Node| node.span.start <= offset && offset < node.span.end;
    nodes.iter().filter(around).min_by_key(|node| node.span.len())
}

/// Returns the symbol whose name is at an offset, or else the innermost symbol around it.
fn node_named_at(nodes: &[Node], offset: usize) -> Option<&Node> {
    nodes.iter().find(|node| node.selection.start == offset).or_else(|| enclosing(nodes, offset))
}

fn relation_of_node(file: &OpenFile, node: &Node) -> Relation {
    let lines = Lines::new(file.text());
    Relation {
        name: node.name.clone(),
        kind: node.kind.clone(),
        at: Location::new(file.path(), lines.position(node.selection.start)),
        address: Some(node.address.clone()),
        range: Some(range_of(&lines, node.span)),
        preview: line_at(file.text(), node.selection.start),
        from: None,
        depth: 1,
        via: None,
        calls: Vec::new(),
    }
}

/// The file itself as a caller.
fn file_relation(file: &OpenFile) -> Relation {
    Relation {
        name: file.path().to_owned(),
        kind: "file".to_owned(),
        at: Location::new(file.path(), Position { line: 1, column: 0 }),
        address: None,
        range: None,
        preview: line_at(file.text(), 0),
        from: None,
        depth: 1,
        via: None,
        calls: Vec::new(),
    }
}
