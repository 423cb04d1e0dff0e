//! Finds the symbols that an address selects.

use std::borrow::Cow;

use super::Outline;

impl Outline {
    /// The symbols that an address selects. An address without numbers selects all symbols with these names. An address
    /// with an alias selects a symbol only if no other one has the alias.
    pub fn find(&self, address: &str) -> Vec<usize> {
        let exact = self.symbols.iter().position(|symbol| symbol.address == address);
        if let Some(exact) = exact {
            return vec![exact];
        }
        let found = |uses_aliases: bool| -> Vec<usize> {
            (0..self.symbols.len()).filter(|index| self.matches(*index, address, uses_aliases)).collect()
        };
        let named = found(false);
        if !named.is_empty() {
            return named;
        }
        let aliased = found(true);
        if aliased.len() == 1 { aliased } else { Vec::new() }
    }

    fn matches(&self, index: usize, address: &str, uses_aliases: bool) -> bool {
        let symbol = &self.symbols[index];
        let (bare, number) = match address.strip_suffix(&format!("[{}]", symbol.ordinal)) {
            Some(bare) if symbol.ordinal > 0 => (bare, symbol.ordinal),
            _ => (address, 0),
        };
        let is_it = |address: &str| {
            let aliases = symbol.aliases.iter().filter(|_| uses_aliases).map(|alias| Cow::Borrowed(alias.as_str()));
            spellings(&symbol.name)
                .chain(aliases)
                .any(|name| address.strip_suffix(&*name).is_some_and(|rest| self.is_place(index, rest, uses_aliases)))
        };
        let named =
            symbol.variant.and_then(|variant| address.strip_suffix(variant)?.strip_suffix(self.notation.separator));
        is_it(bare) || number > 0 && is_it(address) || named.is_some_and(is_it)
    }

    /// Returns whether `rest`, which is an address without the name of a symbol, refers to the container of the symbol.
    fn is_place(&self, index: usize, rest: &str, uses_aliases: bool) -> bool {
        let symbol = &self.symbols[index];
        if symbol.owner.is_none() && symbol.receiver.is_empty() {
            return rest.is_empty();
        }
        let separators = std::iter::once(symbol.separator)
            .chain(std::iter::once(self.notation.separator))
            .chain(self.notation.also.iter().copied());
        let mut outers = separators.filter_map(|separator| rest.strip_suffix(separator));
        outers.any(|outer| match symbol.owner {
            Some(owner) => {
                self.matches(owner, outer, uses_aliases) || self.matches_member_name(owner, outer, uses_aliases)
            }
            None => symbol.receiver.iter().any(|name| name == outer),
        })
    }

    /// Returns whether an address refers to a symbol by the name that the addresses of its members use.
    fn matches_member_name(&self, index: usize, address: &str, uses_aliases: bool) -> bool {
        let symbol = &self.symbols[index];
        let mut names = symbol.members.iter().chain(&symbol.also);
        names.any(|name| {
            address.strip_suffix(name.as_str()).is_some_and(|rest| self.is_place(index, rest, uses_aliases))
        })
    }
}

/// The texts that may name a symbol in an address. A name in double quotes may also have single quotes or none.
fn spellings(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let quoted = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let others = quoted.into_iter().flat_map(|bare| [Cow::Borrowed(bare), Cow::Owned(format!("'{bare}'"))]);
    std::iter::once(Cow::Borrowed(name)).chain(others)
}
