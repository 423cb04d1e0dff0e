//! Fields and methods of types, also those of embedded types.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use marquetry_code::NodeIndex;

use super::{
    Arguments, Named, Package, Signature, Source, Ty, Typing, declarations, same_signature, substitute,
    substituted_signature,
};
use crate::{
    kinds::{F, K, child, children, has_kind, with_role},
    memo,
    packages::{MemberKind, outline_of, package_files},
    standard,
    table::{embedded_name, receiver_type, type_name},
    types::{File, file_of},
};

/// Maximum depth of embedded types.
const MAX_DEPTH: usize = 8;

/// A field or method.
#[derive(Debug, Clone)]
pub(crate) enum Member {
    Field(Ty),
    Method {
        /// `None` if a type in the signature is not known.
        signature: Option<Signature>,
        has_pointer_receiver: bool,
    },
}

/// The result of a search for a member.
#[derive(Debug, Clone)]
pub(crate) enum Found {
    Member(Member),
    Absent,
    /// The type, or a type that it embeds, is not known.
    Unknown,
}

/// The methods of a type by name.
#[derive(Debug, Default)]
pub(crate) struct Methods {
    /// The signatures. `None` if a type in a signature is not known.
    pub(crate) known: BTreeMap<String, Option<Signature>>,
    /// True if the type may have other methods: it embeds a type that is not known.
    pub(crate) has_unknown: bool,
}

/// The names of the methods of a type.
#[derive(Debug, Default)]
struct Names {
    all: BTreeSet<String>,
    /// True if the type may have other methods.
    has_unknown: bool,
    /// True for an interface that only some types may implement: `interface{ ~int }`.
    is_constraint: bool,
}

/// A method in a file: the node of its declaration.
struct Declared {
    file: Rc<File>,
    node: NodeIndex,
}

/// The methods that a package declares for a type.
fn declared_methods(package: &Package, of: &str) -> Vec<Declared> {
    let files: Vec<Rc<File>> = match package {
        Package::Path(path) => standard::declarations(path).into_iter().collect(),
        Package::Folder(folder, name) => {
            let paths = files_with_methods(folder, name).get(of).cloned().unwrap_or_default();
            paths.iter().filter_map(|path| file_of(path)).collect()
        }
    };
    let mut found = Vec::new();
    for file in files {
        let arena = file.arena();
        let Some(block) = child(arena, 0, K::File) else { continue };
        let is_it = |node: &NodeIndex| receiver_type(arena, *node).is_some_and(|own| arena.slice(own) == of);
        let methods: Vec<NodeIndex> = children(arena, block, K::Method).filter(is_it).collect();
        found.extend(methods.into_iter().map(|node| Declared { file: Rc::clone(&file), node }));
    }
    found
}

/// The files of a package that declare methods, by the name of the type.
fn files_with_methods(folder: &str, package: &str) -> Rc<HashMap<String, Vec<String>>> {
    let key = (folder.to_owned(), package.to_owned());
    memo::once(
        |memo| &mut memo.methods,
        &key,
        || {
            let mut found: HashMap<String, Vec<String>> = HashMap::new();
            for path in package_files(folder, package) {
                let outline = outline_of(&path);
                let types = outline.members.iter().filter(|member| member.kind == MemberKind::Method);
                for of in types.map(|member| member.of.clone()).collect::<BTreeSet<String>>() {
                    found.entry(of).or_default().push(path.clone());
                }
            }
            Rc::new(found)
        },
    )
}

impl Declared {
    fn name(&self) -> Option<&str> {
        let arena = self.file.arena();
        arena.child(self.node, F::Name.into()).map(|name| arena.slice(name))
    }

    fn receiver(&self) -> Option<NodeIndex> {
        let arena = self.file.arena();
        let param = children(arena, child(arena, self.node, K::Receiver)?, K::Param).next()?;
        arena.child(param, F::Type.into())
    }

    fn has_pointer_receiver(&self) -> bool {
        self.receiver().is_some_and(|own| self.file.arena().slice(own).trim_start_matches('(').starts_with('*'))
    }

    /// The type arguments by the names that the receiver gives to the type parameters.
    fn arguments(&self, arguments: &[Ty]) -> Arguments {
        let arena = self.file.arena();
        let index = self.receiver().and_then(|own| {
            std::iter::once(own).chain(arena.descendants(own)).find(|node| has_kind(arena, *node, K::Index))
        });
        let names = index.map_or_else(Vec::new, |index| arena.children(index).skip(1).collect());
        names.into_iter().map(|name| arena.slice(name).to_owned()).zip(arguments.iter().cloned()).collect()
    }
}

impl Typing {
    /// The member of a type by name. Pointers are dereferenced once.
    pub(crate) fn member(&mut self, own: &Ty, name: &str) -> Found {
        let mut level = vec![match own {
            Ty::Pointer(inner) => (**inner).clone(),
            _ => own.clone(),
        }];
        for _ in 0..MAX_DEPTH {
            let (mut found, mut next, mut is_unknown) = (Vec::new(), Vec::new(), false);
            for own in &level {
                match self.own_member(own, name, &mut next) {
                    Found::Member(member) => found.push(member),
                    Found::Unknown => is_unknown = true,
                    Found::Absent => {}
                }
            }
            match found.pop() {
                // Two members at the same depth hide each other.
                Some(_) if !found.is_empty() => return Found::Absent,
                Some(_) if is_unknown => return Found::Unknown,
                Some(member) => return Found::Member(member),
                None if is_unknown => return Found::Unknown,
                None if next.is_empty() => return Found::Absent,
                None => level = next,
            }
        }
        Found::Unknown
    }

    /// The member that a type itself declares. Adds the types that it embeds to `embedded`.
    fn own_member(&mut self, own: &Ty, name: &str, embedded: &mut Vec<Ty>) -> Found {
        if self.step().is_none() {
            return Found::Unknown;
        }
        if let Ty::Named(named) = own {
            let methods = self.methods_of(named).into_iter().filter(|own| own.name() == Some(name));
            if let Some(found) = methods.map(|method| self.method(&method, named)).reduce(both) {
                return Found::Member(found);
            }
        }
        match self.underlying(own) {
            Some(Ty::Struct(source)) => self.field_of(&source, name, embedded),
            Some(Ty::Interface(source)) => self.element_of(&source, name, embedded),
            Some(Ty::Basic(basic)) if basic == "error" && name == "Error" => Found::Member(error_method()),
            Some(Ty::Parameter(_)) | None => Found::Unknown,
            Some(_) => Found::Absent,
        }
    }

    /// The methods that a package declares for a type, without those that belong to other declarations of the type.
    fn methods_of(&self, named: &Named) -> Vec<Declared> {
        let mut methods = declared_methods(&named.package, &named.name);
        if let Some(home) = &self.home {
            let others = declarations(&named.package, &named.name);
            let is_home = others.iter().any(|(file, _)| file.path() == home);
            let is_other = |own: &Declared| others.iter().any(|(file, _)| file.path() == own.file.path());
            methods.retain(|own| !is_home || own.file.path() == home || !is_other(own));
        }
        methods
    }

    fn method(&mut self, method: &Declared, of: &Named) -> Member {
        let arguments = method.arguments(&of.arguments);
        let signature = self.signature(&method.file, method.node);
        let signature = signature.and_then(|signature| substituted_signature(&signature, &arguments));
        Member::Method { signature, has_pointer_receiver: method.has_pointer_receiver() }
    }

    fn field_of(&mut self, source: &Source, name: &str, embedded: &mut Vec<Ty>) -> Found {
        let arena = source.file.arena();
        let mut is_unknown = false;
        for item in arena.children(source.node) {
            let own = arena.child(item, F::Type.into());
            let is_embedded = with_role(arena, item, F::Name).next().is_none();
            let is_it = with_role(arena, item, F::Name).any(|own| arena.slice(own) == name)
                || embedded_name(arena, item).is_some_and(|own| arena.slice(own) == name);
            if !is_it && !is_embedded {
                continue;
            }
            let own = own.and_then(|own| self.written(&source.file, own));
            let own = own.and_then(|own| substitute(&own, &source.arguments));
            match own {
                Some(own) if is_it => return Found::Member(Member::Field(own)),
                None if is_it => return Found::Unknown,
                Some(Ty::Pointer(inner)) => embedded.push(*inner),
                Some(own) => embedded.push(own),
                None => is_unknown = true,
            }
        }
        if is_unknown { Found::Unknown } else { Found::Absent }
    }

    fn element_of(&mut self, source: &Source, name: &str, embedded: &mut Vec<Ty>) -> Found {
        let arena = source.file.arena();
        let mut is_unknown = false;
        for item in arena.children(source.node) {
            if has_kind(arena, item, K::ElemMethod) {
                if arena.child(item, F::Name.into()).is_some_and(|own| arena.slice(own) == name) {
                    let signature = self.signature(&source.file, item);
                    let signature = signature.and_then(|own| substituted_signature(&own, &source.arguments));
                    return Found::Member(Member::Method { signature, has_pointer_receiver: false });
                }
                continue;
            }
            let own = arena.child(item, F::Type.into()).and_then(|own| self.written(&source.file, own));
            match own.and_then(|own| substitute(&own, &source.arguments)) {
                Some(own) => embedded.push(own),
                None => is_unknown = true,
            }
        }
        if is_unknown { Found::Unknown } else { Found::Absent }
    }

    /// The methods that a pointer to a type has. For an interface, the methods that it requires. `None` for a
    /// constraint without methods, which is not the type of a value. A constraint with methods has unknown ones, too.
    pub(crate) fn methods(&mut self, own: &Ty) -> Option<Methods> {
        let mut methods = Methods::default();
        let mut names = Names::default();
        self.add_names(own, &mut names, 0);
        if names.is_constraint && names.all.is_empty() {
            return None;
        }
        methods.has_unknown = names.has_unknown || names.is_constraint;
        for name in names.all {
            match self.member(own, &name) {
                Found::Member(Member::Method { signature, .. }) => {
                    methods.known.insert(name, signature);
                }
                Found::Member(Member::Field(_)) | Found::Absent => {}
                Found::Unknown => {
                    methods.known.insert(name, None);
                }
            }
        }
        Some(methods)
    }

    /// Adds the names of the methods of a type and of the types that it embeds.
    fn add_names(&mut self, own: &Ty, names: &mut Names, depth: usize) {
        let own = match own {
            Ty::Pointer(inner) => inner,
            _ => own,
        };
        if let Ty::Named(named) = own {
            let declared = self.methods_of(named);
            names.all.extend(declared.iter().filter_map(|method| method.name().map(str::to_owned)));
        }
        let underlying = self.underlying(own).filter(|_| depth < MAX_DEPTH);
        let (source, is_interface) = match underlying {
            Some(Ty::Struct(source)) => (source, false),
            Some(Ty::Interface(source)) => (source, true),
            Some(Ty::Basic(basic)) if basic == "error" => {
                names.all.insert("Error".to_owned());
                return;
            }
            Some(Ty::Parameter(_)) | None => {
                names.has_unknown = true;
                return;
            }
            Some(_) => return,
        };
        let arena = source.file.arena();
        for item in arena.children(source.node) {
            if has_kind(arena, item, K::ElemMethod) {
                names.all.extend(arena.child(item, F::Name.into()).map(|name| arena.slice(name).to_owned()));
                continue;
            }
            if with_role(arena, item, F::Name).next().is_some() {
                continue;
            }
            let Some(inner) = arena.child(item, F::Type.into()) else { continue };
            if is_interface && is_constraint(&source.file, inner) {
                names.is_constraint = true;
                continue;
            }
            match self.written(&source.file, inner) {
                // A pointer to any type is comparable.
                Some(Ty::Basic(basic)) if basic == "any" || basic == "comparable" => {}
                Some(Ty::Basic(_)) if is_interface && arena.slice(inner) != "error" => names.is_constraint = true,
                Some(inner) => match substitute(&inner, &source.arguments) {
                    Some(inner) => self.add_names(&inner, names, depth + 1),
                    None => names.has_unknown = true,
                },
                None => names.has_unknown = true,
            }
        }
    }
}

/// Returns whether an element of an interface is a union or an approximation, which requires no method.
fn is_constraint(file: &File, inner: NodeIndex) -> bool {
    let arena = file.arena();
    has_kind(arena, inner, K::Binary)
        || arena.slice(inner).starts_with('~')
        || type_name(arena, inner).is_none() && !has_kind(arena, inner, K::InterfaceType)
}

/// The method that a package declares twice, once for each platform. Its signature is not known if the declarations
/// differ.
fn both(one: Member, other: Member) -> Member {
    let (
        Member::Method { signature: own, has_pointer_receiver: first },
        Member::Method { signature: others, has_pointer_receiver: second },
    ) = (&one, &other)
    else {
        return one;
    };
    let is_same =
        own.as_ref().zip(others.as_ref()).is_some_and(|(one, other)| same_signature(one, other) == Some(true));
    let signature = own.clone().filter(|_| is_same);
    Member::Method { signature, has_pointer_receiver: *first || *second }
}

/// The method `Error() string`.
fn error_method() -> Member {
    let results = vec![Ty::Basic("string".to_owned())];
    let signature = Signature { parameters: Vec::new(), is_variadic: false, results };
    Member::Method { signature: Some(signature), has_pointer_receiver: false }
}
