//! Files and folders that move with a file, because its language finds them by its path.

use marquetry_model::{Interface, Relocation, Relocations, Result, is_below, ports::EntryKind};

use super::RelocationRequest;
use crate::{result_types::shorten_list, session::Session};

/// Maximum number of paths in a warning.
const MAX_SHOWN: usize = 5;

impl Session {
    /// Adds the moves that belong to the move of a file, as its pack says, and warns about them. Leaves out those that the
    /// caller makes otherwise, and all if links are not updated.
    pub(super) fn add_moves(&self, request: &mut RelocationRequest<'_>) -> Result<()> {
        if !request.update {
            return Ok(());
        }
        let mut all = request.moves.as_slice().to_vec();
        for relocation in request.moves.as_slice() {
            let (mut moved, mut taken) = (Vec::new(), Vec::new());
            for additional in self.additional_moves(relocation)? {
                let Relocation { from, to } = &additional;
                let moves_already = all.iter().any(|other| other.affects(from) || is_below(&other.from, from));
                if moves_already || self.files.stat(&self.files.locate(from)?).is_none() {
                    continue;
                }
                if self.files.stat(&self.files.locate(to)?).is_some() && !request.moves.moves(to) {
                    taken.push(to.clone());
                    continue;
                }
                moved.push(from.clone());
                all.push(additional);
            }
            let Relocation { from, to } = relocation;
            if !moved.is_empty() {
                request.warnings.push(format!("moved with {from}: {}", shorten_list(moved, MAX_SHOWN).join(", ")));
            }
            if !taken.is_empty() {
                let taken = shorten_list(taken, MAX_SHOWN).join(", ");
                request.warnings.push(format!("files that belong to {to} stay, because these exist: {taken}"));
            }
        }
        request.moves = Relocations::new(all)?;
        Ok(())
    }

    /// Asks the pack of a moved file for the moves that belong to it.
    fn additional_moves(&self, relocation: &Relocation) -> Result<Vec<Relocation>> {
        if self.files.stat(&relocation.from) != Some(EntryKind::File) {
            return Ok(Vec::new());
        }
        match self.packs.for_path(&self.files, &relocation.from) {
            Ok(pack) if pack.has_interface(Interface::Links) => pack.additional_moves(relocation),
            _ => Ok(Vec::new()),
        }
    }
}
