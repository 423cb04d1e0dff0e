//! Prints types in a file, with the qualifiers of its imports.

use std::collections::BTreeSet;

use super::{Package, Signature, Ty};
use crate::{
    imports::{conventional_name, imports},
    packages::{import_path, local_name},
    symbols::is_exported,
    types::File,
};

/// Prints types in a file.
#[derive(Debug)]
pub(crate) struct Printer<'f> {
    file: &'f File,
    own: Package,
    /// The paths of packages that the file must import.
    pub(crate) needed: BTreeSet<String>,
}

impl<'f> Printer<'f> {
    pub(crate) fn new(file: &'f File) -> Printer<'f> {
        Printer { file, own: super::package_of(file), needed: BTreeSet::new() }
    }

    /// A type as code.
    ///
    /// # Errors
    ///
    /// Fails with the reason why the type cannot be written in the file.
    pub(crate) fn print(&mut self, own: &Ty) -> Result<String, String> {
        Ok(match own {
            Ty::Basic(name) | Ty::Parameter(name) => name.clone(),
            Ty::Untyped(_) => return Err("it is a constant without a type".to_owned()),
            Ty::Local(name) => return Err(format!("its type `{name}` is declared in the function")),
            Ty::Named(named) => {
                let mut text = self.qualified(&named.package, &named.name)?;
                if !named.arguments.is_empty() {
                    text += &format!("[{}]", self.list(&named.arguments)?);
                }
                text
            }
            Ty::Pointer(inner) => format!("*{}", self.print(inner)?),
            Ty::Slice(inner) => format!("[]{}", self.print(inner)?),
            Ty::Array(length, inner) => {
                if !length.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(format!("the length `{length}` of its array may not be a number"));
                }
                format!("[{length}]{}", self.print(inner)?)
            }
            Ty::Map(key, value) => format!("map[{}]{}", self.print(key)?, self.print(value)?),
            Ty::Chan(keyword, inner) => format!("{keyword} {}", self.print(inner)?),
            Ty::Func(signature) => format!("func{}", self.signature(signature)?),
            Ty::Struct(source) | Ty::Interface(source) => {
                let arena = source.file.arena();
                if arena.children(source.node).next().is_some() {
                    return Err("its type has no name".to_owned());
                }
                if matches!(own, Ty::Struct(_)) { "struct{}".to_owned() } else { "any".to_owned() }
            }
        })
    }

    fn list(&mut self, types: &[Ty]) -> Result<String, String> {
        Ok(types.iter().map(|own| self.print(own)).collect::<Result<Vec<_>, _>>()?.join(", "))
    }

    fn signature(&mut self, own: &Signature) -> Result<String, String> {
        let mut parameters = own.parameters.iter().map(|own| self.print(own)).collect::<Result<Vec<_>, _>>()?;
        if let Some(last) = parameters.last_mut().filter(|_| own.is_variadic) {
            *last = format!("...{}", last.strip_prefix("[]").unwrap_or(last));
        }
        let results = match &own.results[..] {
            [] => String::new(),
            [only] => format!(" {}", self.print(only)?),
            several => format!(" ({})", self.list(several)?),
        };
        Ok(format!("({}){results}", parameters.join(", ")))
    }

    fn qualified(&mut self, package: &Package, name: &str) -> Result<String, String> {
        if *package == self.own {
            return Ok(name.to_owned());
        }
        if !is_exported(name) {
            return Err(format!("its type `{name}` is not exported by its package"));
        }
        let path = match package {
            Package::Path(path) => Some(path.clone()),
            Package::Folder(folder, _) => import_path(folder),
        };
        let path = path.ok_or_else(|| format!("the import path of its type `{name}` is not known"))?;
        let own = self.file.document.path();
        let all = imports(&self.file.document);
        let import = all.iter().find(|import| import.path == path);
        let local = match (import, package) {
            (Some(import), _) => local_name(own, import),
            (None, Package::Folder(_, name)) => name.clone(),
            (None, Package::Path(path)) => conventional_name(path).to_owned(),
        };
        if import.is_none() {
            if all.iter().any(|import| local_name(own, import) == local) {
                return Err(format!("the file imports another `{local}` than that of its type"));
            }
            self.needed.insert(path);
        }
        match local.as_str() {
            "." => Ok(name.to_owned()),
            "_" => Err("its package has no name in the file".to_owned()),
            _ => Ok(format!("{local}.{name}")),
        }
    }
}
