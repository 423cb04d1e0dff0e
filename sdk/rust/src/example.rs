//! The tiny pack that examples in the documentation extend. Not part of a component.

/// Defines a pack of this name for files with a setting in each line, `key=value`, and its document `Page`. With
/// `: links`, lines such as `see b.note` refer to other files.
#[doc(hidden)]
#[macro_export]
macro_rules! __example_pack {
    ($pack:ident: links) => {
        $crate::__example_pack!($pack);

        impl $crate::Linking for $pack {
            fn links(page: &Page) -> Vec<$crate::Link> {
                let link = |line: $crate::Span| {
                    let specifier = line.slice(&page.text).strip_prefix("see ")?;
                    let span = $crate::Span::new(line.range().end - specifier.len(), line.range().end);
                    let (kind, specifier) = ("see".to_owned(), specifier.to_owned());
                    Some($crate::Link { kind, span, statement: line, specifier, names: Vec::new(), type_only: false })
                };
                page.lines().into_iter().filter_map(link).collect()
            }
            fn resolve(_context: &$crate::Context, requests: &[$crate::Request]) -> Vec<$crate::Destination> {
                requests.iter().map(|_| $crate::Destination::External).collect()
            }
            fn format_specifiers(
                _context: &$crate::Context,
                requests: &[$crate::SpecifierRequest],
            ) -> Vec<$crate::Result<String>> {
                requests.iter().map(|request| Ok(request.to.clone())).collect()
            }
            fn unlink(page: &Page, links: &[u32]) -> $crate::Result<$crate::Rewrite> {
                let all = <$pack as $crate::Linking>::links(page);
                let removed = links.iter().filter_map(|link| all.get(*link as usize));
                Ok(removed.map(|link| $crate::Edit::remove(link.statement)).collect::<Vec<_>>().into())
            }
        }
    };
    ($pack:ident) => {
        #[derive(Debug)]
        struct $pack;

        #[derive(Debug)]
        struct Page {
            text: String,
        }

        impl Page {
            /// The lines without their line breaks.
            fn lines(&self) -> Vec<$crate::Span> {
                let (mut lines, mut at) = (Vec::new(), 0);
                while at < self.text.len() {
                    lines.push($crate::Span::new(at, $crate::lines::line_end(&self.text, at)));
                    at = $crate::lines::next_line(&self.text, at);
                }
                lines
            }
        }

        impl $crate::LanguagePack for $pack {
            type Document = Page;
            const FILES: &'static [&'static str] = &["*.note"];

            fn describe() -> $crate::Description {
                let (kind, syntax) = ($crate::TargetKind::Path, "KEY".to_owned());
                $crate::Description {
                    id: "notes".to_owned(),
                    name: "Notes".to_owned(),
                    version: "0.1.0".to_owned(),
                    files: Self::files(),
                    targets: vec![$crate::TargetHelp { kind, syntax, examples: vec!["port".to_owned()] }],
                    regions: Vec::new(),
                    templates: Vec::new(),
                    settings_schema: "{}".to_owned(),
                    relinks: false,
                    help: "Each line is a setting: `KEY=VALUE`.".to_owned(),
                }
            }

            fn open(_path: &str, text: String, _settings: &str) -> Page {
                Page { text }
            }
        }

        impl $crate::Document for Page {
            fn text(&self) -> &str {
                &self.text
            }
            fn diagnostics(&self) -> Vec<$crate::Diagnostic> {
                Vec::new()
            }
            fn outline(&self) -> Vec<$crate::Node> {
                let lines = self.lines().into_iter();
                let settings = lines.filter_map(|line| Some((line.slice(&self.text).split_once('=')?.0, line)));
                settings
                    .enumerate()
                    .map(|(id, (key, line))| $crate::Node::plain(id as u32, "setting", key, line))
                    .collect()
            }
            fn find(&self, query: &$crate::Query) -> $crate::Result<$crate::FindResult> {
                let (known, wanted) = (self.outline(), &query.target.value);
                let nodes: Vec<$crate::Node> = known.iter().filter(|node| node.address == *wanted).cloned().collect();
                if nodes.is_empty() {
                    let known = known.iter().map(|node| node.address.as_str());
                    return Err($crate::Failure::not_found("setting", wanted, known));
                }
                let total = nodes.len() as u32;
                Ok($crate::FindResult::Nodes($crate::Nodes { nodes, total }))
            }
            fn view(&self, node: $crate::NodeId, _form: $crate::Form) -> $crate::Result<$crate::View> {
                let failure = || $crate::fail($crate::FailureKind::InvalidArgument, "no such node");
                let nodes = self.outline();
                Ok($crate::View::Span(nodes.get(node as usize).ok_or_else(failure)?.span))
            }
            fn edit(
                &self,
                nodes: &[$crate::NodeId],
                operation: &$crate::Operation,
                _options: $crate::EditOptions,
            ) -> $crate::Result<Vec<$crate::Edit>> {
                let $crate::Operation::Replace(content) = operation else {
                    return Err($crate::Failure::unsupported("settings can only be replaced").hint("use `replace`"));
                };
                let known = self.outline();
                let known = nodes.iter().filter_map(|node| known.get(*node as usize));
                Ok(known.map(|node| $crate::Edit::new(node.span, content)).collect())
            }
        }
    };
}
