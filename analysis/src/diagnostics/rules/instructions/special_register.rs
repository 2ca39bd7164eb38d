//! The advice about a special register where an instruction does not take one.

use isa::{operand::Operand, recipes::special_register, special};

/// The help about an operand that is a special register, or a component of one, given as it is written; `None` if it is
/// neither. `kinds` are what the instruction takes in its place.
pub(super) fn help(operand: &Operand, written: &str, kinds: &[String]) -> Option<String> {
    let inner = match operand {
        Operand::Selected(inner, _) => inner,
        it => it,
    };
    if !matches!(inner, Operand::Special { .. }) {
        return None;
    }
    let name = written.split('.').next()?;
    let register = special::get(special::find(name)?.0)?;
    let selected = matches!(operand, Operand::Selected(..));
    match register.components {
        [] if selected => Some(format!("`{name}` has no components")),
        [] => unread(written, kinds),
        all => {
            let is_known = all.iter().any(|it| written.ends_with(it));
            if is_known {
                return unread(written, kinds);
            }
            let all: Vec<String> = all.iter().map(|it| format!("`{name}{it}`")).collect();
            Some(format!("write one of its components: {}", all.join(", ")))
        }
    }
}

/// That the instruction takes no special register, or none as wide as this one.
fn unread(written: &str, kinds: &[String]) -> Option<String> {
    let takes_special = kinds.iter().any(|it| it.contains("special register"));
    (!takes_special).then(|| {
        format!(
            "read it into a register first: `{}`",
            special_register(written)
        )
    })
}
