//! Extracting a value to a field of the enclosing class.

use marquetry_sdk::refactor::RefactorInput;
use marquetry_sdk::{Result, Rewrite};

use super::ValueExtraction;
use crate::editor::{Style, SyntaxEditor};
use crate::semantics::extraction::fields::FieldSite;
use crate::syntax::comments;

impl<'a> ValueExtraction<'_, 'a> {
    pub(super) fn extract_as_field(&self, input: &RefactorInput) -> Result<Rewrite> {
        let site = self.value.field_site()?;
        let wanted = self.wanted_name(input);
        let numbered = (1_u32..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        let name = names.find(|name| !site.taken.contains(name)).unwrap_or(wanted);
        let mut editor = SyntaxEditor::new(self.value.code);
        self.insert_field(&site, &name, &mut editor);
        let access = format!("{}.{name}", site.object);
        match self.value.choice.part {
            Some(part) => self.use_in_string(part, &access, &mut editor),
            None => editor.replace_selected(&self.value.choice.chosen, access),
        }
        editor.finish()
    }

    fn insert_field(&self, site: &FieldSite, name: &str, editor: &mut SyntaxEditor<'_, 'a>) {
        let code = self.value.code;
        let comment = comments::attached_comment(code.comments(), code.text(), site.before.range().start);
        let place = comment.unwrap_or(site.before);
        let words = match (code.is_typed(), site.is_static) {
            (false, true) => "static ",
            (false, false) => "",
            (true, true) => "private static readonly ",
            (true, false) => "private readonly ",
        };
        let value = match self.value.choice.part {
            Some(_) => self.selected_part_as_string(),
            None => code.source(self.value.choice.value).to_owned(),
        };
        let Style { semicolon, line_break, .. } = editor.style();
        let gap = match code.starts_line(place) {
            true => format!("{line_break}{line_break}{}", code.indent_at(place)),
            false => " ".to_owned(),
        };
        let field = format!("{words}{name} = {value}{semicolon}{gap}");
        editor.insert_before(place, field);
        editor.mark_name(place.start, name);
    }
}
