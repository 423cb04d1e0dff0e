//! Implements the host's port for a language pack that is linked as a library.

use std::{any::Any, marker::PhantomData, panic::AssertUnwindSafe, rc::Rc, sync::Arc};

use marquetry_model::{
    Error, Interface, Kind, Result,
    mentions::{Mention, SearchedText, TextName},
    pack::{Description, Destination, SpecifierRequest},
    ports::{Document, EntryKind, Files, Pack},
    structural_search::PatternInfo,
};
use marquetry_sdk::{
    Argument, Failure, FileLocation, Hover, HoverInfo, InterfaceFacts, LanguagePack, Link, Linking, Manifest, Mentions,
    Offer,    RelatedSymbol, RenameResult, Request, Resolution, Rewrite, Search, Selection, SemanticDiagnostics, Subject,
    Symbols,
    refactor::{self, Refactors},
    types as wit, workspace,
};

use crate::{convert::AnswerValidator, document::NativeDocument, ids::Ids, lower};

/// The functions of the interface `links`.
pub(crate) struct LinkFunctions<P: LanguagePack> {
    pub(crate) links: fn(&P::Document) -> Vec<Link>,
    pub(crate) resolve: fn(&wit::Context, &[Request]) -> Vec<wit::Destination>,
    pub(crate) format_specifiers: fn(&wit::Context, &[wit::SpecifierRequest]) -> Vec<Answer<String>>,
    pub(crate) relink: fn(&P::Document, &wit::FileMoves) -> Answer<Rewrite>,
    pub(crate) unlink: fn(&P::Document, &[u32]) -> Answer<Rewrite>,
}

/// The functions of the interface `symbols`.
pub(crate) struct SymbolFunctions<P: LanguagePack> {
    pub(crate) facts: fn(&P::Document) -> InterfaceFacts,
    pub(crate) resolve: fn(&P::Document, Subject) -> Answer<Resolution>,
    pub(crate) rename: fn(&P::Document, Subject, &str) -> Answer<RenameResult>,
}

/// The functions of the interface `refactors`.
pub(crate) struct RefactorFunctions<P: LanguagePack> {
    pub(crate) offers: fn(&P::Document, Selection) -> Vec<Offer>,
    pub(crate) apply: fn(&P::Document, &str, Selection, Vec<Argument>) -> Answer<Rewrite>,
    pub(crate) answer: fn(&P::Document, &str, &str) -> Answer<Rewrite>,
}

/// The functions of the interface `hover`.
pub(crate) struct HoverFunctions<P: LanguagePack> {
    pub(crate) hover_info: fn(&P::Document, u32) -> Option<HoverInfo>,
    pub(crate) type_definitions: fn(&P::Document, u32) -> Vec<FileLocation>,
    pub(crate) calls: fn(&P::Document, &str) -> Option<Vec<RelatedSymbol>>,
    pub(crate) supertypes: fn(&P::Document, &str) -> Option<Vec<RelatedSymbol>>,
    pub(crate) checks: fn(&P::Document) -> SemanticDiagnostics,
    pub(crate) manifests: &'static [&'static str],
    pub(crate) read_manifest: fn(&P::Document) -> Option<Manifest>,
}

/// The functions of the interface `search`.
pub(crate) struct SearchFunctions<P: LanguagePack> {
    pub(crate) read_pattern: fn(&wit::Context, &str) -> Answer<wit::PatternInfo>,
    pub(crate) matches: fn(&P::Document, &str, u32) -> Answer<wit::StructureMatches>,
}

/// The functions of the interface `mentions`.
pub(crate) struct MentionFunctions {
    text_names: fn(&[String], &str) -> Vec<wit::TextName>,
    find_mentions: fn(&[wit::TextName], &wit::SearchedText) -> Vec<wit::Mention>,
}

/// Suffix of files in the fixture language that hold secrets, so that packs may read them only if a call names them.
const SECRET: &str = ".secret.toy";

pub(crate) type Answer<T> = std::result::Result<T, Failure>;

/// A pack and its optional interfaces.
pub(crate) struct Native<P: LanguagePack> {
    description: Arc<Description>,
    pub(crate) links: Option<LinkFunctions<P>>,
    pub(crate) symbols: Option<SymbolFunctions<P>>,
    pub(crate) refactors: Option<RefactorFunctions<P>>,
    pub(crate) hover: Option<HoverFunctions<P>>,
    pub(crate) search: Option<SearchFunctions<P>>,
    mentions: Option<MentionFunctions>,
    pack: PhantomData<fn() -> P>,
}

impl<P: LanguagePack> Native<P> {
    /// A pack without optional interfaces.
    pub(crate) fn without_interfaces() -> Native<P> {
        let raw = P::describe();
        let description =
            AnswerValidator::new("native", "").description(raw).expect("a description that the host takes");
        let description = Arc::new(description);
        Native {
            description,
            links: None,
            symbols: None,
            refactors: None,
            hover: None,
            search: None,
            mentions: None,
            pack: PhantomData,
        }
    }
}

impl<P: Linking> Native<P> {
    /// A pack with the interface `links`.
    pub(crate) fn with_links() -> Native<P> {
        let links = LinkFunctions {
            links: P::links,
            resolve: P::resolve,
            format_specifiers: P::format_specifiers,
            relink: P::relink,
            unlink: P::unlink,
        };
        Native { links: Some(links), ..Native::without_interfaces() }
    }
}

impl<P: Symbols> Native<P> {
    /// A pack with the interfaces `links` and `symbols`.
    pub(crate) fn with_symbols() -> Native<P> {
        let symbols = SymbolFunctions { facts: P::facts, resolve: P::resolve_symbol, rename: P::rename };
        Native { symbols: Some(symbols), ..Native::with_links() }
    }
}

impl<P: Refactors> Native<P> {
    /// Adds the interface `refactors`.
    pub(crate) fn with_refactors(self) -> Native<P> {
        let validated = AnswerValidator::new("native", "").refactors(refactor::refactors::<P>());
        let mut description = (*self.description).clone();
        description.refactors = validated.expect("refactors that the host takes");
        let refactors =
            RefactorFunctions { offers: refactor::offers::<P>, apply: refactor::apply::<P>, answer: P::answer };
        Native { description: Arc::new(description), refactors: Some(refactors), ..self }
    }
}

impl<P: Search> Native<P> {
    /// Adds the interface `search`.
    pub(crate) fn with_search(self) -> Native<P> {
        Native { search: Some(SearchFunctions { read_pattern: P::read_pattern, matches: P::matches }), ..self }
    }
}

impl<P: Mentions> Native<P> {
    /// Adds the interface `mentions`.
    pub(crate) fn with_mentions(self) -> Native<P> {
        let mentions = MentionFunctions { text_names: P::text_names, find_mentions: P::find_mentions };
        Native { mentions: Some(mentions), ..self }
    }
}

impl<P: Hover> Native<P> {
    /// Adds the interface `hover`.
    pub(crate) fn with_hover(self) -> Native<P> {
        let hover = HoverFunctions {
            hover_info: P::hover,
            type_definitions: P::type_definitions,
            calls: P::calls,
            supertypes: P::supertypes,
            checks: P::check,
            manifests: P::MANIFESTS,
            read_manifest: P::read_manifest,
        };
        Native { hover: Some(hover), ..self }
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

    pub(crate) fn optional<'a, T>(&self, interface: Interface, functions: &'a Option<T>) -> Result<&'a T> {
        self.checked("").require_interface(interface, functions.as_ref())
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
        match interface {
            Interface::Links => self.native.links.is_some(),
            Interface::Symbols => self.native.symbols.is_some(),
            Interface::Refactors => self.native.refactors.is_some(),
            Interface::Hover => self.native.hover.is_some(),
            Interface::Search => self.native.search.is_some(),
            Interface::Mentions => self.native.mentions.is_some(),
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
        Ok(Box::new(NativeDocument { pack: self, path, text, document, ids: Ids::default() }))
    }

    fn resolve(&self, from: &str, requests: &[(String, String)]) -> Result<Vec<Destination>> {
        let links = self.optional(Interface::Links, &self.native.links)?;
        let request =
            |(kind, specifier): &(String, String)| Request { kind: kind.clone(), specifier: specifier.clone() };
        let asked: Vec<Request> = requests.iter().map(request).collect();
        let context = lower::context(from, "{}");
        let found = self.call("resolving links", || (links.resolve)(&context, &asked))?;
        self.checked("").destinations(found, requests.len())
    }

    fn manifest_names(&self) -> Result<Vec<String>> {
        let hover = self.optional(Interface::Hover, &self.native.hover)?;
        self.checked("").manifest_names(hover.manifests.iter().map(|name| (*name).to_owned()).collect())
    }

    fn format_specifiers(&self, requests: &[SpecifierRequest]) -> Result<Vec<Result<String>>> {
        let links = self.optional(Interface::Links, &self.native.links)?;
        let asked: Vec<_> = requests.iter().map(lower::respelling).collect();
        let context = lower::context(requests.first().map_or("", |request| &request.from), "{}");
        let specifiers = self.call("formatting links", || (links.format_specifiers)(&context, &asked))?;
        self.checked("").formatted_specifiers(specifiers, requests.len())
    }

    fn parse_pattern(&self, path: &str, pattern: &str) -> Result<PatternInfo> {
        let search = self.optional(Interface::Search, &self.native.search)?;
        let read = self.call("reading a pattern", || (search.read_pattern)(&lower::context(path, "{}"), pattern))?;
        let checked = self.checked(pattern);
        checked.pattern_info(checked.outcome(read)?)
    }

    fn text_names(&self, paths: &[&str]) -> Result<Vec<TextName>> {
        let part = self.optional(Interface::Mentions, &self.native.mentions)?;
        let owned: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let names = self.call("naming files", || (part.text_names)(&owned, "{}"))?;
        self.checked("").text_names(names, paths.len())
    }

    fn find_mentions(&self, names: &[TextName], text: SearchedText<'_>) -> Result<Vec<Mention>> {
        let part = self.optional(Interface::Mentions, &self.native.mentions)?;
        let (asked, source) = (lower::text_names(names), lower::searched_text(text));
        let found = self.call("looking for names of files", || (part.find_mentions)(&asked, &source))?;
        self.checked(text.text).mentions(found, names)
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
