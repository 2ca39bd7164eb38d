//! Changes of `.version` and `.target` that suffice for the whole file.

use isa::target::{Target, Version};

use super::suffices;
use crate::{Diagnostic, Fix, FixKind};

/// Raises what a fix writes into the header to what the other problems of the file need, too, as far as one header
/// suffices for both.
pub(super) fn widen(fix: &mut Fix, all: &[Diagnostic]) {
    for other in all {
        let mut others = other
            .fixes
            .iter()
            .filter(|it| it.kind == FixKind::ChangeHeader);
        // Of several headers for a problem one that goes with this one, or the preferred one.
        let wanted = others
            .clone()
            .find(|it| raises(fix, it))
            .or_else(|| others.find(|it| it.preferred));
        let Some(wanted) = wanted else {
            continue;
        };
        for edit in &wanted.edits {
            match fix.edits.iter_mut().find(|it| it.range == edit.range) {
                Some(own) if suffices(FixKind::ChangeHeader, &own.insert, &edit.insert) => {}
                Some(own) if suffices(FixKind::ChangeHeader, &edit.insert, &own.insert) => {
                    own.insert.clone_from(&edit.insert);
                }
                Some(_) => {}
                None => {
                    let place = fix
                        .edits
                        .partition_point(|it| it.range.start() < edit.range.start());
                    fix.edits.insert(place, edit.clone());
                }
            }
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for edit in &fix.edits {
        if let Some(target) = Target::parse(&edit.insert) {
            parts.insert(0, format!("change `.target` to `{target}`"));
        } else if let Some(version) = Version::parse(&edit.insert) {
            parts.push(format!("raise `.version` to {version}"));
        }
    }
    let mut title = parts.join(" and ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
        fix.title = title;
    }
}

/// Whether each text that two fixes write at one place suffices for the other fix, or the other way round.
fn raises(fix: &Fix, other: &Fix) -> bool {
    other.edits.iter().all(|edit| {
        let own = fix.edits.iter().find(|it| it.range == edit.range);
        own.is_none_or(|own| {
            suffices(FixKind::ChangeHeader, &own.insert, &edit.insert)
                || suffices(FixKind::ChangeHeader, &edit.insert, &own.insert)
        })
    })
}
