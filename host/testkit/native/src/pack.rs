//! Implements the host's port for a language pack that is linked as a library.

use std::{any::Any, panic::AssertUnwindSafe, rc::Rc, sync::Arc};

use marquetry_model::{
    Error, Interface, Kind, Relocation, Result,
    mentions::{Mention, SearchedText, TextName},
    pack::{Description, Destination, SpecifierRequest},
    ports::{Document, EntryKind, Files, Pack},
    structural_search::PatternInfo,
};
use marquetry_sdk::{
    Hover, LanguagePack, Linking, Mentions, Request, Search, Symbols,
    refactor::{self, Refactors},
    types as wit, workspace,
};

use crate::{
    checked_document::CheckedDocument,
    convert::AnswerValidator,
    document::NativeDocument,
    ids::Ids,
    lower,
    questions::{Fallible, with_questions},
};

macro_rules! functions {
    (
        document { $($how:ident $part:ident $call:ident $name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)* }
        without_document { $($other_how:ident $other_part:ident $other_call:ident $other:ident($($other_argument:ident: $other_type:ty),*) -> $other_answer:ty;)* }
    ) => {
        /// The functions of the optional interfaces. `None` for those that the pack does not have.
        pub(crate) struct Functions<P: LanguagePack> {
            $(pub(crate) $name: Option<fn(&P::Document $(, $type)*) -> $answer>,)*
            $($other: Option<fn($($other_type),*) -> $other_answer>,)*
        }

        impl<P: LanguagePack> Default for Functions<P> {
            fn default() -> Functions<P> {
                Functions { $($name: None,)* $($other: None,)* }
            }
        }
    };
}
with_questions!(functions);

/// Suffix of files in the fixture language that hold secrets, so that packs may read them only if a call names them.
const SECRET: &str = ".secret.toy";

/// A pack and its optional interfaces.
pub(crate) struct Native<P: LanguagePack> {
    description: Arc<Description>,
    pub(crate) functions: Functions<P>,
}

impl<P: LanguagePack> Native<P> {
    /// A pack without optional interfaces.
    pub(crate) fn without_interfaces() -> Native<P> {
        let validated = AnswerValidator::new("native", "").description(P::describe());
        let description = Arc::new(validated.expect("a description that the host takes"));
        Native { description, functions: Functions::default() }
    }
}

impl<P: Linking> Native<P> {
    /// A pack with the interface `links`.
    pub(crate) fn with_links() -> Native<P> {
        let functions = Functions {
            links: Some(P::links),
            resolve: Some(P::resolve),
            additional_moves: Some(P::additional_moves),
            format_specifiers: Some(P::format_specifiers),
            relink: Some(P::relink),
            unlink: Some(P::unlink),
            ..Functions::default()
        };
        Native { functions, ..Native::without_interfaces() }
    }
}

impl<P: Symbols> Native<P> {
    /// A pack with the interfaces `links` and `symbols`.
    pub(crate) fn with_symbols() -> Native<P> {
        let Native { description, functions } = Native::with_links();
        let functions = Functions {
            facts: Some(P::facts),
            resolve_symbol: Some(|document, subject| P::resolve_symbol(document, subject.clone())),
            rename: Some(|document, subject, new_name| P::rename(document, subject.clone(), new_name)),
            ..functions
        };
        Native { description, functions }
    }
}

impl<P: Refactors> Native<P> {
    /// Adds the interface `refactors`.
    pub(crate) fn with_refactors(self) -> Native<P> {
        let validated = AnswerValidator::new("native", "").refactors(refactor::refactors::<P>());
        let mut description = (*self.description).clone();
        description.refactors = validated.expect("refactors that the host takes");
        let functions = Functions {
            refactors: Some(refactor::refactors::<P>),
            offers: Some(refactor::offers::<P>),
            apply: Some(|document, id, at, arguments| refactor::apply::<P>(document, id, at, arguments.to_vec())),
            answer: Some(P::answer),
            ..self.functions
        };
        Native { description: Arc::new(description), functions }
    }
}

impl<P: Search> Native<P> {
    /// Adds the interface `search`.
    pub(crate) fn with_search(self) -> Native<P> {
        let functions = Functions { read_pattern: Some(P::read_pattern), matches: Some(P::matches), ..self.functions };
        Native { functions, description: self.description }
    }
}

impl<P: Mentions> Native<P> {
    /// Adds the interface `mentions`.
    pub(crate) fn with_mentions(self) -> Native<P> {
        let functions =
            Functions { text_names: Some(P::text_names), find_mentions: Some(P::find_mentions), ..self.functions };
        Native { functions, description: self.description }
    }
}

impl<P: Hover> Native<P> {
    /// Adds the interface `hover`.
    pub(crate) fn with_hover(self) -> Native<P> {
        let functions = Functions {
            info: Some(P::hover),
            type_definitions: Some(P::type_definitions),
            calls: Some(P::calls),
            supertypes: Some(P::supertypes),
            subtypes: Some(P::subtypes),
            check: Some(P::check),
            manifest_names: Some(|| P::MANIFESTS.iter().map(|name| (*name).to_owned()).collect()),
            read_manifest: Some(P::read_manifest),
            ..self.functions
        };
        Native { functions, description: self.description }
    }
}

/// A pack of any type, to be bound to a project.
pub(crate) trait AnyPack: Send + Sync {
    fn description(&self) -> &Arc<Description>;
    fn bind(self: Arc<Self>, files: &Arc<dyn Files>) -> Arc<dyn Pack>;
}

impl<P: LanguagePack> AnyPack for Native<P> {
    fn description(&self) -> &Arc<Description> {
        &self.description
    }

    fn bind(self: Arc<Self>, files: &Arc<dyn Files>) -> Arc<dyn Pack> {
        Arc::new(NativePack { native: self, files: Arc::clone(files) })
    }
}

/// A pack bound to the files of one project.
pub(crate) struct NativePack<P: LanguagePack> {
    pub(crate) native: Arc<Native<P>>,
    files: Arc<dyn Files>,
}

impl<P: LanguagePack> NativePack<P> {
    /// Calls the pack with access to the project's files. A panic gives the same error as a trap in the sandbox.
    pub(crate) fn call<R>(&self, doing: &str, run: impl FnOnce() -> R) -> Result<R> {
        workspace::set_folder(Rc::new(PackFiles(Arc::clone(&self.files))));
        std::panic::catch_unwind(AssertUnwindSafe(run)).map_err(|cause| {
            let id = &self.native.description.id;
            Error::new(
                Kind::PluginFailed,
                format!("plugin `{id}` failed while {doing}: {}", panic_message(cause.as_ref())),
            )
        })
    }

    pub(crate) fn checked<'a>(&'a self, text: &'a str) -> AnswerValidator<'a> {
        AnswerValidator::new(&self.native.description.id, text)
    }

    /// Calls a function without a document; fails if the pack does not have its interface.
    fn ask<F, R>(
        &self,
        (doing, interface): (&str, Interface),
        function: Option<F>,
        run: impl FnOnce(F) -> R,
    ) -> Result<R> {
        let function = self.checked("").require_interface(interface, function)?;
        self.call(doing, || run(function))
    }
}

fn panic_message(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_default()
}

impl<P: LanguagePack> Pack for NativePack<P> {
    fn description(&self) -> &Arc<Description> {
        &self.native.description
    }

    fn has_interface(&self, interface: Interface) -> bool {
        let functions = &self.native.functions;
        match interface {
            Interface::Links => functions.links.is_some(),
            Interface::Symbols => functions.facts.is_some(),
            Interface::Refactors => functions.refactors.is_some(),
            Interface::Hover => functions.info.is_some(),
            Interface::Search => functions.matches.is_some(),
            Interface::Mentions => functions.text_names.is_some(),
        }
    }

    /// These packs have all grants, except for secrets in the fixture language.
    fn may_receive(&self, path: &str) -> bool {
        !path.ends_with(SECRET) || self.files.work().is_some_and(|work| work.is_named(path))
    }

    /// Parses the document on every call, like a new instance in the sandbox, so that no state from an earlier call is
    /// used.
    fn open(self: Arc<Self>, path: &str, text: &Arc<str>) -> Result<Box<dyn Document>> {
        if !self.may_receive(path) {
            let message =
                format!("`{path}` is given to plugin `{}` only when a call names it", self.native.description.id);
            return Err(Error::new(Kind::PermissionDenied, message).hint("name the file in the call"));
        }
        let document = self.call(&format!("opening {path}"), || P::open(path, text.to_string(), "{}"))?;
        let (path, text) = (path.to_owned(), Arc::clone(text));
        Ok(Box::new(CheckedDocument(NativeDocument { pack: self, path, text, document, ids: Ids::default() })))
    }

    fn resolve(&self, from: &str, requests: &[(String, String)]) -> Result<Vec<Destination>> {
        let request =
            |(kind, specifier): &(String, String)| Request { kind: kind.clone(), specifier: specifier.clone() };
        let asked: Vec<Request> = requests.iter().map(request).collect();
        let (how, function) = (("resolving links", Interface::Links), self.native.functions.resolve);
        let found = self.ask(how, function, |resolve| resolve(&lower::context(from, "{}"), &asked))?;
        self.checked("").destinations(found, requests.len())
    }

    fn additional_moves(&self, relocation: &Relocation) -> Result<Vec<Relocation>> {
        let (how, function) = (("finding additional moves", Interface::Links), self.native.functions.additional_moves);
        let context = lower::context(&relocation.from, "{}");
        let found = self.ask(how, function, |moves| moves(&context, &lower::relocation(relocation)))?;
        self.checked("").additional_moves(relocation, found)
    }

    fn manifest_names(&self) -> Result<Vec<String>> {
        let (how, function) = (("listing manifests", Interface::Hover), self.native.functions.manifest_names);
        self.checked("").manifest_names(self.ask(how, function, |names| names())?)
    }

    fn format_specifiers(&self, requests: &[SpecifierRequest]) -> Result<Vec<Result<String>>> {
        let asked: Vec<_> = requests.iter().map(lower::respelling).collect();
        let context = lower::context(requests.first().map_or("", |request| &request.from), "{}");
        let (how, function) = (("formatting links", Interface::Links), self.native.functions.format_specifiers);
        let specifiers = self.ask(how, function, |format| format(&context, &asked))?;
        self.checked("").formatted_specifiers(specifiers, requests.len())
    }

    fn parse_pattern(&self, path: &str, pattern: &str) -> Result<PatternInfo> {
        let (how, function) = (("reading a pattern", Interface::Search), self.native.functions.read_pattern);
        let read = self.ask(how, function, |read| read(&lower::context(path, "{}"), pattern))?;
        let checked = self.checked(pattern);
        checked.pattern_info(checked.outcome(read)?)
    }

    fn text_names(&self, paths: &[&str]) -> Result<Vec<TextName>> {
        let owned: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let (how, function) = (("naming files", Interface::Mentions), self.native.functions.text_names);
        self.checked("").text_names(self.ask(how, function, |names| names(&owned, "{}"))?, paths.len())
    }

    fn find_mentions(&self, names: &[TextName], text: SearchedText<'_>) -> Result<Vec<Mention>> {
        let (asked, source) = (lower::text_names(names), lower::searched_text(text));
        let (how, function) =
            (("looking for names of files", Interface::Mentions), self.native.functions.find_mentions);
        self.checked(text.text).mentions(self.ask(how, function, |find| find(&asked, &source))?, names)
    }
}

/// The files of a project, as packs access them.
struct PackFiles(Arc<dyn Files>);

fn entry_kind(kind: EntryKind) -> workspace::EntryKind {
    match kind {
        EntryKind::File => workspace::EntryKind::File,
        EntryKind::Directory => workspace::EntryKind::Directory,
    }
}

impl workspace::Folder for PackFiles {
    fn stat(&self, path: &str) -> Option<workspace::EntryKind> {
        self.0.stat(path).map(entry_kind)
    }

    fn read(&self, path: &str) -> std::result::Result<String, workspace::Denial> {
        let denial = |error: Error| match error.kind() {
            Kind::FileNotFound => workspace::Denial::NotFound,
            Kind::LimitExceeded => workspace::Denial::TooLarge,
            _ => workspace::Denial::NotText,
        };
        self.0.read(path).map(|source| source.text.to_string()).map_err(denial)
    }

    fn exporters(&self, name: &str) -> Vec<String> {
        self.0.exporters(name)
    }

    fn entries(&self, path: &str) -> Vec<workspace::Entry> {
        let entry = |(name, kind)| workspace::Entry { name, kind: entry_kind(kind) };
        self.0.entries(path).into_iter().map(entry).collect()
    }
}
