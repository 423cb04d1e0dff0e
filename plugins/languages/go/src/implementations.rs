//! Types that implement interfaces. Go types implement an interface without naming it, so method sets are compared:
//! those of the types that have a method with the name of a required one, or embed such a type.

use std::{
    collections::{BTreeSet, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
};

use marquetry_code::{CodeDocument, NodeIndex, hierarchy::nodes_of_address};
use marquetry_sdk::{FileLocation, RelatedSymbol, Span, paths::folder, workspace};

use crate::{
    kinds::{F, K, child, children, has_kind},
    packages::{MemberKind, outline_of},
    standard,
    symbols::{
        groups::{MAX_FILES, all_files},
        is_exported,
    },
    types::File,
    typing::{self, Found, Member, Methods, Named, Ty, Typing},
};

/// A declared type: its file, the node of its declaration, and its name.
struct Declared {
    file: Rc<File>,
    node: NodeIndex,
    name: String,
    /// The type of which the declaration gives another name. `Some(None)` if it is not known.
    aliased: Option<Option<Ty>>,
}

/// The interfaces that a type implements, and the types that an interface embeds. `None` if the address is not that of
/// a type.
pub(crate) fn supertypes(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
    let Some(own) = declared_at(document, address)? else { return Some(Vec::new()) };
    if own.own_type().is_none() {
        return Some(vec![unclear(&own, "interfaces of a type that is not known")]);
    }
    let Some(methods) = own.methods() else { return Some(Vec::new()) };
    let mut found = embedded_elsewhere(&own);
    if methods.has_unknown {
        found.push(unclear(&own, "interfaces with methods of types that are not known"));
    }
    let names: BTreeSet<&str> = methods.known.keys().map(String::as_str).collect();
    let possible = if names.is_empty() { Vec::new() } else { interfaces_without_methods() };
    for other in candidates(&names).into_iter().chain(possible) {
        if !other.is_interface() || other.is_same(&own) {
            continue;
        }
        let required = other.methods().filter(|required| !required.known.is_empty() || required.has_unknown);
        let Some(required) = required else { continue };
        found.extend(related(&own, &other, implements(&own, (&other, &required))));
    }
    found.extend(unread(&own).filter(|_| !names.is_empty()));
    Some(found)
}

/// The types that implement an interface. Empty for everything else.
pub(crate) fn subtypes(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
    let Some(own) = declared_at(document, address).flatten() else { return Some(Vec::new()) };
    if own.may_be_interface() {
        return Some(vec![unclear(&own, "types with the methods of an interface that is not known")]);
    }
    let Some(required) = own.methods().filter(|_| own.is_interface()) else { return Some(Vec::new()) };
    if required.known.is_empty() {
        let all = unclear(&own, "types with the methods of an embedded interface that is not known");
        return Some(required.has_unknown.then_some(all).into_iter().collect());
    }
    let names: BTreeSet<&str> = required.known.keys().map(String::as_str).collect();
    let mut found = Vec::new();
    for other in candidates(&names).into_iter().filter(|other| !other.is_same(&own)) {
        found.extend(related(&own, &other, implements(&other, (&own, &required))));
    }
    found.extend(unread(&own));
    Some(found)
}

/// An entry for the types of files that were not read.
fn unread(own: &Declared) -> Option<RelatedSymbol> {
    let name = format!("types of files that were not read (more than {MAX_FILES})");
    (all_files().len() >= MAX_FILES).then(|| unclear(own, &name))
}

/// An entry for types that cannot be determined.
fn unclear(own: &Declared, name: &str) -> RelatedSymbol {
    RelatedSymbol { name: name.to_owned(), span: own.selection(), address: None, from: None, declared: None }
}

/// The type with an address. `Some(None)` for the empty address, with which the host only asks whether a format has
/// types, and for a type that a function declares.
fn declared_at(document: &CodeDocument, address: &str) -> Option<Option<Declared>> {
    let nodes = nodes_of_address(document, address)?;
    let Some(node) = nodes.first().copied() else { return Some(None) };
    if !has_kind(document.arena(), node, K::Type) {
        return None;
    }
    let file = Rc::new(File::new(document.path(), document.text_str().to_owned()));
    let Some(body) = typing::aliased(&file, node) else { return Some(Declared::new(&file, node)) };
    let aliased = Typing::for_file(&file).written(&file, body);
    Some(Declared::named(&file, node).map(|own| Declared { aliased: Some(aliased), ..own }))
}

impl Declared {
    /// A declared type. `None` for an alias, which is another name of a type.
    fn new(file: &Rc<File>, node: NodeIndex) -> Option<Declared> {
        let is_alias = typing::aliased(file, node).is_some();
        Declared::named(file, node).filter(|_| !is_alias)
    }

    fn named(file: &Rc<File>, node: NodeIndex) -> Option<Declared> {
        let arena = file.arena();
        let name = arena.slice(arena.child(node, F::Name.into())?).to_owned();
        Some(Declared { file: Rc::clone(file), node, name, aliased: None })
    }

    fn is_same(&self, other: &Declared) -> bool {
        self.name() == other.name() && self.package() == other.package()
    }

    /// The name of the type itself.
    fn name(&self) -> &str {
        match &self.aliased {
            Some(Some(Ty::Named(named))) => &named.name,
            _ => &self.name,
        }
    }

    /// The package of the type itself.
    fn package(&self) -> typing::Package {
        match &self.aliased {
            Some(Some(Ty::Named(named))) => named.package.clone(),
            _ => typing::package_of(&self.file),
        }
    }

    fn underlying(&self) -> Option<Ty> {
        Typing::for_file(&self.file).underlying(&self.own_type()?)
    }

    fn is_interface(&self) -> bool {
        matches!(self.underlying(), Some(Ty::Interface(_)))
    }

    /// Returns whether it is not known if the type is an interface. Only other types have methods of their own.
    fn may_be_interface(&self) -> bool {
        self.underlying().is_none() && self.methods().is_none_or(|methods| methods.known.is_empty())
    }

    fn own_type(&self) -> Option<Ty> {
        if let Some(aliased) = &self.aliased {
            return aliased.clone();
        }
        let arguments = typing::type_parameters(&self.file, self.node).into_iter().map(Ty::Parameter).collect();
        Some(Ty::Named(Named { package: typing::package_of(&self.file), name: self.name.clone(), arguments }))
    }

    fn methods(&self) -> Option<Methods> {
        Typing::for_file(&self.file).methods(&self.own_type()?)
    }

    fn selection(&self) -> Span {
        let arena = self.file.arena();
        arena.child(self.node, F::Name.into()).map_or(arena.node(self.node).span, |name| arena.node(name).span)
    }
}

/// Returns whether a type has the methods that an interface requires. `None` if this cannot be determined although the
/// type has some of them.
fn implements(own: &Declared, (interface, required): (&Declared, &Methods)) -> Option<bool> {
    let Some(own_type) = own.own_type() else { return Some(false) };
    let is_same_package = own.package() == interface.package();
    if required.known.is_empty() && required.has_unknown {
        return None;
    }
    let (mut is_known, mut has_any) = (!required.has_unknown, false);
    for (name, wanted) in &required.known {
        let signature = match Typing::for_file(&own.file).member(&own_type, name) {
            Found::Member(Member::Method { signature, .. }) if is_exported(name) || is_same_package => signature,
            Found::Member(_) | Found::Absent => return Some(false),
            Found::Unknown => {
                is_known = false;
                continue;
            }
        };
        has_any = true;
        match signature.as_ref().zip(wanted.as_ref()).and_then(|(own, wanted)| typing::same_signature(own, wanted)) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => is_known = false,
        }
    }
    if is_known || !has_any { Some(is_known) } else { None }
}

/// Returns whether a declared type implements a declared interface. `None` if that is not known.
pub(crate) fn is_implementation(own: (&Rc<File>, NodeIndex), interface: (&Rc<File>, NodeIndex)) -> Option<bool> {
    let [own, interface] = [own, interface].map(|(file, node)| Declared::new(file, node));
    let (own, interface) = own.zip(interface)?;
    let required = interface.methods().filter(|_| interface.is_interface())?;
    implements(&own, (&interface, &required))
}

/// Returns whether a declared type may implement an interface of the standard library that has a method. True if no such
/// interface is known.
pub(crate) fn may_implement_standard(file: &Rc<File>, node: NodeIndex, method: &str) -> bool {
    let Some(own) = Declared::new(file, node) else { return true };
    let interfaces = standard::interfaces_with_method(method);
    let is_possible = |(path, name): &(&str, &str)| {
        let package = typing::Package::Path((*path).to_owned());
        let interface = typing::declaration(&package, name).and_then(|(file, node)| Declared::new(&file, node));
        let required = interface.as_ref().and_then(Declared::methods);
        interface
            .zip(required)
            .is_none_or(|(interface, required)| implements(&own, (&interface, &required)) != Some(false))
    };
    interfaces.is_empty() || interfaces.iter().any(is_possible)
}

/// Another type as an answer about a type. A type that only possibly implements an interface has no location.
fn related(own: &Declared, other: &Declared, answer: Option<bool>) -> Option<RelatedSymbol> {
    let (path, selection) = (other.file.document.path(), other.selection());
    let is_here = path == own.file.document.path();
    let symbols = &other.file.document.symbols().symbols;
    let address = symbols.iter().find(|symbol| symbol.selection == selection).map(|symbol| symbol.address.clone());
    let span = own.selection();
    match answer {
        Some(false) => None,
        Some(true) => Some(RelatedSymbol {
            name: other.name.clone(),
            span,
            address: address.filter(|_| is_here),
            from: None,
            declared: Some(FileLocation { path: path.to_owned(), offset: selection.start }),
        }),
        None => {
            let name = format!("{} ({path})", other.name);
            Some(RelatedSymbol { name, span, address: None, from: None, declared: None })
        }
    }
}

/// The types of other modules that an interface embeds.
fn embedded_elsewhere(own: &Declared) -> Vec<RelatedSymbol> {
    if let Some(Some(Ty::Named(Named { package: typing::Package::Folder(folder, package), name, .. }))) = &own.aliased {
        let all = declared(folder.clone(), package.clone(), name);
        let found = all.iter().flat_map(embedded_elsewhere);
        return found.map(|related| RelatedSymbol { span: own.selection(), ..related }).collect();
    }
    let arena = own.file.arena();
    let list = child(arena, own.node, K::Elems).into_iter();
    let items = list.flat_map(|list| children(arena, list, K::ElemEmbed).collect::<Vec<_>>());
    let related = |item: NodeIndex| {
        let inner = arena.child(item, F::Type.into()).filter(|inner| has_kind(arena, *inner, K::Selector))?;
        match Typing::default().written(&own.file, inner)? {
            Ty::Named(Named { package: typing::Package::Path(path), .. }) => Some(RelatedSymbol {
                name: arena.slice(inner).to_owned(),
                span: arena.node(inner).span,
                address: None,
                from: Some(path),
                declared: None,
            }),
            _ => None,
        }
    };
    items.filter_map(related).collect()
}

/// The types with a method of one of these names, and the types that embed them, at any depth.
fn candidates(names: &BTreeSet<&str>) -> Vec<Declared> {
    let words = words_of_files();
    // Types by the folder, package and name.
    let mut found: BTreeSet<(String, String, String)> = BTreeSet::new();
    // The names of types that other types may embed.
    let mut wanted: BTreeSet<String> = standard::types_with_methods(names).into_iter().map(str::to_owned).collect();
    let add = |path: &str, of: &str, found: &mut BTreeSet<_>, wanted: &mut BTreeSet<String>| {
        let key = (folder(path).to_owned(), outline_of(path).package.clone(), of.to_owned());
        if !of.is_empty() && found.insert(key) {
            wanted.insert(of.to_owned());
        }
    };
    for path in files_with_any(&words, names.iter().copied()) {
        for member in &outline_of(path).members {
            let is_method = matches!(member.kind, MemberKind::Method | MemberKind::Abstract);
            if is_method && names.contains(member.name.as_str()) {
                add(path, &member.of, &mut found, &mut wanted);
            }
        }
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    loop {
        let new: BTreeSet<String> = wanted.difference(&seen).cloned().collect();
        if new.is_empty() {
            break;
        }
        for path in files_with_any(&words, new.iter().map(String::as_str)) {
            for (embedded, of) in &outline_of(path).embedded {
                if new.contains(embedded) {
                    add(path, of, &mut found, &mut wanted);
                }
            }
        }
        seen.extend(new);
    }
    found.into_iter().flat_map(|(folder, package, name)| declared(folder, package, &name)).collect()
}

/// The interfaces that only embed other types.
fn interfaces_without_methods() -> Vec<Declared> {
    let mut found: BTreeSet<(String, String, String)> = BTreeSet::new();
    for path in all_files().iter() {
        let outline = outline_of(path);
        let owners: HashSet<&str> = outline.members.iter().map(|member| member.of.as_str()).collect();
        let only =
            outline.embedded.iter().map(|(_, of)| of).filter(|of| !of.is_empty() && !owners.contains(of.as_str()));
        found.extend(only.map(|of| (folder(path).to_owned(), outline.package.clone(), of.clone())));
    }
    let all = found.into_iter().flat_map(|(folder, package, name)| declared(folder, package, &name));
    all.filter(|own| own.methods().is_some_and(|methods| methods.known.is_empty())).collect()
}

/// The declarations of a type, of which each may be for other platforms.
fn declared(folder: String, package: String, name: &str) -> Vec<Declared> {
    let all = typing::declarations(&typing::Package::Folder(folder, package), name).into_iter();
    let types = all.filter(|(file, node)| has_kind(file.arena(), *node, K::Type));
    types.filter_map(|(file, node)| Declared::new(&file, node)).collect()
}

/// The hashes of the words in a file.
type Words = Vec<(String, HashSet<u32>)>;

/// The words of all Go files of the workspace.
fn words_of_files() -> Words {
    let is_separator = |c: char| !c.is_alphanumeric() && c != '_';
    let words = |text: &str| text.split(is_separator).filter(|word| !word.is_empty()).map(hash).collect();
    let read = |path: &String| Some((path.clone(), words(&workspace::read(path).ok()?)));
    all_files().iter().filter_map(read).collect()
}

fn hash(word: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish() as u32
}

/// The files that contain one of these words.
fn files_with_any<'w, 'n>(words: &'w Words, names: impl Iterator<Item = &'n str>) -> Vec<&'w str> {
    let hashes: Vec<u32> = names.map(hash).collect();
    let has_any = |own: &HashSet<u32>| hashes.iter().any(|hash| own.contains(hash));
    words.iter().filter(|(_, own)| has_any(own)).map(|(path, _)| path.as_str()).collect()
}
