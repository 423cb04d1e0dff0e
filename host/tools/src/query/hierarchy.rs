//! How things relate: what calls what, what extends and implements what. From the packs' own knowledge.

use marquetry_model::{
    Error, Kind, Result,
    pack::{Node, Related, Subject},
    ports::Document,
    text::{Lines, Position},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, QueryArgs, QueryResult, needed};
use crate::{document::OpenFile, session::Session, spread::Asked};

/// Of more types, those below are not looked for.
const MOST_SUBTYPES: usize = 500;

/// Things that are related to the one asked about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Relations {
    /// The symbol that was asked about.
    pub symbol: String,
    /// The related ones.
    pub items: Vec<Relation>,
}

/// One related thing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 0, in UTF-16 code units.
    pub column: usize,
    /// Its address in the file, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The specifier it comes from, where another file declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl Session {
    pub(super) fn call_hierarchy(&self, args: &QueryArgs) -> Result<QueryResult> {
        let (file, address) = self.relation_asked(args, "callHierarchy")?;
        match args.direction.as_deref() {
            None | Some("incoming") => self.callers(args, &file, address),
            Some("outgoing") => {
                let list = file.ask(|document| document.calls(&address))?;
                let items = list.into_iter().map(|call| relation(&file, call)).collect();
                Ok(self.related(args, &file, address, items, None))
            }
            Some(other) => Err(Error::argument(format!("no direction `{other}`"))
                .candidates(["incoming", "outgoing"].map(str::to_owned))),
        }
    }

    /// Where it is called from: the innermost symbol around each use.
    fn callers(&self, args: &QueryArgs, file: &OpenFile, address: String) -> Result<QueryResult> {
        let (references, incomplete) =
            self.references_of(&self.all_asked()?, file, Subject::Address(address.clone()))?;
        let mut items = Vec::new();
        let stage = self.work.stage("looking for callers", references.len());
        for reference in references.into_iter().filter(|reference| reference.usage == "read") {
            stage.step()?;
            let user = self.open(&reference.path)?;
            let position = Position { line: reference.line, column: reference.column };
            let caller = match Lines::new(user.text()).offset(position) {
                Some(offset) => enclosing(&user, offset)?,
                None => None,
            };
            items.push(Relation {
                name: caller.as_ref().map_or_else(|| user.path().to_owned(), |caller| caller.name.clone()),
                address: caller.map(|caller| caller.address),
                path: reference.path,
                line: reference.line,
                column: reference.column,
                from: None,
            });
        }
        Ok(self.related(args, file, address, items, incomplete))
    }

    pub(super) fn type_hierarchy(&self, args: &QueryArgs) -> Result<QueryResult> {
        let (file, address) = self.relation_asked(args, "typeHierarchy")?;
        match args.direction.as_deref() {
            None | Some("supertypes") => {
                let list = file.ask(|document| document.supertypes(&address))?;
                let items = list.into_iter().map(|above| self.declared(&file, above)).collect::<Result<_>>()?;
                Ok(self.related(args, &file, address, items, None))
            }
            Some("subtypes") => {
                let (items, incomplete) = self.all_subtypes(&self.all_asked()?, &file, &address)?;
                Ok(self.related(args, &file, address, items, incomplete))
            }
            Some(other) => Err(Error::argument(format!("no direction `{other}`"))
                .candidates(["supertypes", "subtypes"].map(str::to_owned))),
        }
    }

    pub(super) fn implementations(&self, args: &QueryArgs) -> Result<QueryResult> {
        let (file, address) = self.relation_asked(args, "implementations")?;
        let asked = self.all_asked()?;
        let (mut items, mut incomplete) = self.all_subtypes(&asked, &file, &address)?;
        if let Some((owner, _)) = address.rsplit_once('.') {
            let (owners, why) = self.all_subtypes(&asked, &file, owner)?;
            let (members, why_not) = self.overriding(&asked, &file, &address, &owners)?;
            items.extend(members);
            incomplete = incomplete.or(why).or(why_not);
        }
        Ok(self.related(args, &file, address, items, incomplete))
    }

    /// The declarations of a member in the types below its own.
    fn overriding(
        &self,
        asked: &Asked,
        file: &OpenFile,
        address: &str,
        owners: &[Relation],
    ) -> Result<(Vec<Relation>, Option<String>)> {
        let (references, incomplete) = self.references_of(asked, file, Subject::Address(address.to_owned()))?;
        let mut items = Vec::new();
        for reference in references.into_iter().filter(|reference| reference.usage == "declaration") {
            let user = self.open(&reference.path)?;
            let position = Position { line: reference.line, column: reference.column };
            let Some(offset) = Lines::new(user.text()).offset(position) else { continue };
            let Some(member) = enclosing(&user, offset)? else { continue };
            let owner = member.address.rsplit_once('.').map(|(owner, _)| owner);
            let is_below = |below: &Relation| below.path == reference.path && below.address.as_deref() == owner;
            if owner.is_some() && owners.iter().any(is_below) {
                items.push(Relation {
                    name: member.name,
                    path: reference.path,
                    line: reference.line,
                    column: reference.column,
                    address: Some(member.address),
                    from: None,
                });
            }
        }
        Ok((items, incomplete))
    }

    /// What extends or implements a type, and what does so with those.
    fn all_subtypes(&self, asked: &Asked, file: &OpenFile, address: &str) -> Result<(Vec<Relation>, Option<String>)> {
        let (mut all, mut incomplete) = self.subtypes(asked, file, address)?;
        let mut next = 0;
        while let Some(below) = all.get(next).cloned() {
            next += 1;
            if all.len() > MOST_SUBTYPES {
                incomplete = Some(format!("types below the first {MOST_SUBTYPES} were not looked for"));
                break;
            }
            let Some(address) = &below.address else { continue };
            let (more, why) = self.subtypes(asked, &self.open(&below.path)?, address)?;
            incomplete = incomplete.or(why);
            all.extend(more.into_iter().filter(|relation| !all.contains(relation)).collect::<Vec<_>>());
        }
        Ok((all, incomplete))
    }

    /// A type that another one names, at the place where it is declared.
    fn declared(&self, file: &OpenFile, related: Related) -> Result<Relation> {
        let mut found = relation(file, related.clone());
        let elsewhere = |document: &mut dyn Document| document.resolve_symbol(&Subject::At(related.span.start));
        let place = file.ask(elsewhere).ok().and_then(|resolution| resolution.elsewhere);
        if let Some((path, offset)) = place {
            let home = self.open(&path)?;
            let position = Lines::new(home.text()).position(offset.min(home.text().len()));
            found.address = enclosing(&home, offset)?.map(|node| node.address);
            (found.path, found.line, found.column) = (path, position.line, position.column);
        } else if let Some(address) = &related.address
            && let Some(node) = file.outline()?.into_iter().find(|node| node.address == *address)
        {
            let position = Lines::new(file.text()).position(node.selection.start);
            (found.line, found.column) = (position.line, position.column);
        }
        Ok(found)
    }

    /// The types that name this one among their supertypes: looked for where it is referred to.
    fn subtypes(&self, asked: &Asked, file: &OpenFile, address: &str) -> Result<(Vec<Relation>, Option<String>)> {
        let (references, incomplete) = self.references_of(asked, file, Subject::Address(address.to_owned()))?;
        let mut items = Vec::new();
        let stage = self.work.stage("looking for subtypes", references.len());
        // References come file by file: each file is opened once.
        let mut opened: Option<OpenFile> = None;
        for reference in references.into_iter().filter(|reference| matches!(reference.usage, "type" | "read")) {
            stage.step()?;
            let user = match opened.take_if(|known| known.path() == reference.path) {
                Some(known) => opened.insert(known),
                None => opened.insert(self.open(&reference.path)?),
            };
            let lines = Lines::new(user.text());
            let position = Position { line: reference.line, column: reference.column };
            let Some(offset) = lines.offset(position) else { continue };
            let Some(below) = enclosing(user, offset)? else { continue };
            let above = user.ask(|document| document.supertypes(&below.address)).unwrap_or_default();
            if above.iter().any(|related| related.span.start <= offset && offset <= related.span.end) {
                let position = lines.position(below.selection.start);
                items.push(Relation {
                    name: below.name,
                    address: Some(below.address),
                    path: reference.path,
                    line: position.line,
                    column: position.column,
                    from: None,
                });
            }
        }
        Ok((items, incomplete))
    }

    fn relation_asked(&self, args: &QueryArgs, kind: &str) -> Result<(OpenFile, String)> {
        let file = self.open(needed(&args.path, "path", kind)?)?;
        if !file.has("insight") {
            let message = format!("{} files have no hierarchy", file.description().name);
            return Err(Error::new(Kind::Unsupported, message));
        }
        let address = self.address_asked(&file, args)?;
        Ok((file, address))
    }

    fn related(
        &self,
        args: &QueryArgs,
        file: &OpenFile,
        symbol: String,
        mut items: Vec<Relation>,
        incomplete: Option<String>,
    ) -> QueryResult {
        items.sort();
        items.dedup();
        let page = args.page(self, items);
        let completeness = incomplete.map_or_else(|| "syntactic".to_owned(), |why| format!("partial: {why}"));
        let data = Answer::Relations(Relations { symbol, items: page.items });
        QueryResult::new(data, completeness, file.engine()).paged(page.total, page.truncated)
    }
}

/// The innermost symbol around an offset.
fn enclosing(file: &OpenFile, offset: usize) -> Result<Option<Node>> {
    let around = |node: &Node| node.span.start <= offset && offset < node.span.end;
    Ok(file.outline()?.into_iter().filter(around).min_by_key(|node| node.span.len()))
}

fn relation(file: &OpenFile, related: Related) -> Relation {
    let position = Lines::new(file.text()).position(related.span.start);
    Relation {
        name: related.name,
        path: file.path().to_owned(),
        line: position.line,
        column: position.column,
        address: related.address,
        from: related.from,
    }
}
