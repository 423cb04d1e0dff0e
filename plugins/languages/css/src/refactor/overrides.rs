//! Determines which properties override each other: a property overrides an earlier one of the same name, a shorthand
//! its longhands, one side all sides, a logical side a physical side, and the other way round.

use std::collections::HashMap;

/// Vendor prefixes.
const PREFIXES: [&str; 5] = ["-webkit-", "-moz-", "-ms-", "-o-", "-khtml-"];
/// Old names of properties, with their current names.
const ALIASES: [(&str, &str); 9] = [
    ("word-wrap", "overflow-wrap"),
    ("grid-gap", "gap"),
    ("grid-row-gap", "row-gap"),
    ("grid-column-gap", "column-gap"),
    ("page-break-before", "break-before"),
    ("page-break-after", "break-after"),
    ("page-break-inside", "break-inside"),
    ("color-adjust", "print-color-adjust"),
    ("font-stretch", "font-width"),
];
/// Shorthands with longhands whose name does not start with the name of the shorthand.
const SHORTHANDS: [(&str, &[&str]); 11] = [
    ("font", &["line-height"]),
    ("columns", &["column-width", "column-count"]),
    ("gap", &["row-gap", "column-gap"]),
    ("flex-flow", &["flex-direction", "flex-wrap"]),
    ("place-content", &["align-content", "justify-content"]),
    ("place-items", &["align-items", "justify-items"]),
    ("place-self", &["align-self", "justify-self"]),
    (
        "grid-area",
        &["grid-row", "grid-row-start", "grid-row-end", "grid-column", "grid-column-start", "grid-column-end"],
    ),
    ("white-space", &["text-wrap", "text-wrap-mode"]),
    ("mask", &["mask-border"]),
    ("vertical-align", &["alignment-baseline", "baseline-shift", "baseline-source"]),
];
/// Physical and logical sides.
const SIDES: [&str; 4] = ["top", "right", "bottom", "left"];
const LOGICAL_SIDES: [&str; 4] = ["block-start", "block-end", "inline-start", "inline-end"];
const CORNERS: [&str; 4] = ["top-left", "top-right", "bottom-right", "bottom-left"];
const LOGICAL_CORNERS: [&str; 4] = ["start-start", "start-end", "end-end", "end-start"];
/// Parts of a border.
const BORDER_PARTS: [&str; 3] = ["width", "style", "color"];
const ALL_SIDES: u8 = 0xF;

/// Returns the name of a property without its vendor prefix, and without characters such as `*` that hide it from new
/// browsers.
pub(super) fn base_name(name: &str) -> &str {
    let name = name.trim_start_matches(['*', '_']).trim_end_matches(['+', '_']);
    let prefix = PREFIXES.iter().find(|prefix| name.len() > prefix.len() && has_name_prefix(name, prefix));
    prefix.map_or(name, |prefix| &name[prefix.len()..])
}

fn has_name_prefix(name: &str, prefix: &str) -> bool {
    name.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// The sides and parts that a property sets. Its family is a group of properties such as `border`, whose names contain
/// sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AffectedSides {
    family: &'static str,
    /// Physical sides, as bits.
    physical: u8,
    /// Logical sides, as bits.
    logical: u8,
    parts: u8,
}

impl AffectedSides {
    fn from_name(name: &str) -> Option<AffectedSides> {
        let reach =
            |family, place, flow| Some(AffectedSides { family, physical: place, logical: flow, parts: ALL_SIDES });
        for family in ["margin", "padding", "scroll-margin", "scroll-padding", "inset"] {
            if let Some(rest) = name.strip_prefix(family).filter(|rest| rest.is_empty() || rest.starts_with('-')) {
                let (place, flow) = named_sides(rest.trim_start_matches('-'))?;
                return reach(family, place, flow);
            }
        }
        if let Some(side) = SIDES.iter().position(|side| *side == name) {
            return reach("inset", 1 << side, 0);
        }
        match name {
            "width" | "inline-size" => return reach("size", u8::from(name == "width"), u8::from(name != "width")),
            "height" | "block-size" => {
                return reach("size", 2 * u8::from(name == "height"), 2 * u8::from(name != "height"));
            }
            _ => {}
        }
        for (family, start) in [("min-size", "min-"), ("max-size", "max-"), ("intrinsic-size", "contain-intrinsic-")] {
            match name.strip_prefix(start) {
                Some("width") => return reach(family, 1, 0),
                Some("height") => return reach(family, 2, 0),
                Some("inline-size") => return reach(family, 0, 1),
                Some("block-size") => return reach(family, 0, 2),
                Some("size") => return reach(family, 3, 3),
                _ => {}
            }
        }
        for family in ["overflow", "overscroll-behavior"] {
            match name.strip_prefix(family) {
                Some("") => return reach(family, 3, 3),
                Some("-x") => return reach(family, 1, 0),
                Some("-y") => return reach(family, 2, 0),
                Some("-inline") => return reach(family, 0, 1),
                Some("-block") => return reach(family, 0, 2),
                _ => {}
            }
        }
        AffectedSides::from_border(name)
    }

    fn from_border(name: &str) -> Option<AffectedSides> {
        let rest = name.strip_prefix("border")?;
        if let Some(corner) = rest.strip_suffix("-radius") {
            let corner = corner.trim_start_matches('-');
            let bit = |corners: [&str; 4]| corners.iter().position(|known| *known == corner).map_or(0, |at| 1 << at);
            let (place, flow) = if corner.is_empty() { (ALL_SIDES, 0) } else { (bit(CORNERS), bit(LOGICAL_CORNERS)) };
            return (place | flow != 0).then_some(AffectedSides {
                family: "radius",
                physical: place,
                logical: flow,
                parts: ALL_SIDES,
            });
        }
        let rest = rest.trim_start_matches('-');
        let part = BORDER_PARTS
            .iter()
            .position(|part| rest.strip_suffix(part).is_some_and(|side| side.is_empty() || side.ends_with('-')));
        let side = part.map_or(rest, |part| rest[..rest.len() - BORDER_PARTS[part].len()].trim_end_matches('-'));
        let (place, flow) = named_sides(side)?;
        Some(AffectedSides {
            family: "border",
            physical: place,
            logical: flow,
            parts: part.map_or(ALL_SIDES, |part| 1 << part),
        })
    }

    fn overlaps(self, other: AffectedSides) -> bool {
        let sides = self.physical & other.physical != 0
            || self.logical & other.logical != 0
            || (self.physical != 0 && other.logical != 0)
            || (self.logical != 0 && other.physical != 0);
        self.family == other.family && self.parts & other.parts != 0 && sides
    }
}

/// Returns the physical and the logical sides that a name stands for, as bits.
fn named_sides(name: &str) -> Option<(u8, u8)> {
    Some(match name {
        "" => (ALL_SIDES, 0),
        "block" => (0, 0b0011),
        "inline" => (0, 0b1100),
        _ => match SIDES.iter().position(|side| *side == name) {
            Some(side) => (1 << side, 0),
            None => (0, 1 << LOGICAL_SIDES.iter().position(|side| *side == name)?),
        },
    })
}

/// Determines for consecutive declarations which of the earlier ones each overrides.
#[derive(Debug, Default)]
pub(super) struct OverrideTracker {
    /// Last declaration of each name.
    last_by_name: HashMap<String, usize>,
    /// For each prefix of names, such as `font` of `font-size`, the declarations whose name starts with it. Only those
    /// after the last declaration of the prefix itself are contained.
    after_by_prefix: HashMap<String, Vec<usize>>,
    /// Last declaration of each property that sets sides. There are only a few such properties.
    last_by_sides: Vec<(AffectedSides, usize)>,
}

impl OverrideTracker {
    /// Adds the next declaration. Calls `behind` with the earlier declarations that must stay before it. Those that
    /// must already stay before one of these are left out.
    pub(super) fn add_declaration(&mut self, index: usize, name: &str, behind: &mut impl FnMut(usize)) {
        if name.starts_with("--") {
            if let Some(before) = self.last_by_name.insert(name.to_owned(), index) {
                behind(before);
            }
            return;
        }
        let lower = base_name(name).to_ascii_lowercase();
        let name = ALIASES.iter().find(|(old, _)| *old == lower).map_or(lower.as_str(), |(_, new)| new);
        let reach = AffectedSides::from_name(name);
        if let Some(reach) = reach {
            self.last_by_sides
                .iter()
                .filter(|(other, _)| other.overlaps(reach))
                .for_each(|(_, before)| behind(*before));
            match self.last_by_sides.iter_mut().find(|(known, _)| *known == reach) {
                Some((_, last)) => *last = index,
                None => self.last_by_sides.push((reach, index)),
            }
            // Properties with sides are compared only by their sides. `border` itself is also compared by its name, as
            // below.
            if reach.parts != ALL_SIDES || reach.family != "border" {
                return;
            }
        }
        self.add_name(index, name, behind);
        for (shorthand, set) in SHORTHANDS {
            if shorthand == name {
                set.iter().for_each(|longhand| self.add_name(index, longhand, behind));
            }
        }
    }

    fn add_name(&mut self, index: usize, name: &str, behind: &mut impl FnMut(usize)) {
        let starts = name.char_indices().filter(|(_, c)| *c == '-').map(|(at, _)| &name[..at]);
        for start in starts.filter(|start| !start.is_empty()) {
            if let Some(before) = self.last_by_name.get(start) {
                behind(*before);
            }
            self.after_by_prefix.entry(start.to_owned()).or_default().push(index);
        }
        self.after_by_prefix
            .remove(name)
            .into_iter()
            .flatten()
            .filter(|before| *before != index)
            .for_each(&mut *behind);
        if let Some(before) = self.last_by_name.insert(name.to_owned(), index).filter(|before| *before != index) {
            behind(before);
        }
    }
}

/// Returns whether the later property overrides the earlier one, fully or partly.
pub(crate) fn is_overriding(one: &str, other: &str) -> bool {
    let mut overrides = OverrideTracker::default();
    let mut found = false;
    overrides.add_declaration(0, one, &mut |_| {});
    overrides.add_declaration(1, other, &mut |_| found = true);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the second property must stay after the first.
    fn stays(first: &str, second: &str) -> bool {
        is_overriding(first, second)
    }

    #[test]
    fn overriding_properties_keep_their_order() {
        for (a, b) in [
            ("margin", "margin-left"),
            ("margin-left", "margin-inline"),
            ("top", "inset"),
            ("border-color", "border-top"),
            ("border", "border-image"),
            ("border-radius", "border-top-left-radius"),
            ("background", "background-position-x"),
            ("font", "line-height"),
            ("gap", "grid-row-gap"),
            ("columns", "column-count"),
            ("-webkit-transition", "transition-delay"),
            ("*color", "COLOR"),
            ("width", "inline-size"),
            ("overflow", "overflow-x"),
            ("grid-area", "grid-row-start"),
            ("place-items", "align-items"),
            ("src", "src"),
            ("--a", "--a"),
        ] {
            assert!(stays(a, b) && stays(b, a), "{a} and {b}");
        }
    }

    #[test]
    fn independent_properties_can_be_reordered() {
        for (a, b) in [
            ("margin-left", "margin-right"),
            ("margin-inline-start", "margin-inline-end"),
            ("border-top", "border-top-left-radius"),
            ("border-color", "border-style"),
            ("width", "height"),
            ("width", "max-width"),
            ("color", "background-color"),
            ("--a", "--a-b"),
            ("--A", "--a"),
            ("top", "left"),
        ] {
            assert!(!stays(a, b) && !stays(b, a), "{a} and {b}");
        }
    }
}
