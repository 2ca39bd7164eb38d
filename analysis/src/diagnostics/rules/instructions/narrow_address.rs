//! Addresses of 32 bits where ptxas wants as many as `.address_size` says.

use isa::{
    matcher::{Fit, Statement},
    operand::{Operand, Space, Symbol},
    semantics::Wide,
};
use syntax::TextRange;

use crate::{
    Severity,
    diagnostics::{
        finding::{Finding, finding},
        registry::{NARROW_ADDRESS, NARROW_SINCE_CUDA_12},
    },
    hir::instruction::Ranges,
};

/// An address that is narrower than those of the module. ptxas 13.5 takes the program for one of 32-bit addresses then,
/// and generates no code: on `sm_90` and later never, before it as of CUDA 12. Addresses of 8 and 16 bits it warns of.
pub(super) fn check(
    statement: &Statement<'_>,
    fit: &Fit<'_>,
    ranges: &Ranges,
    findings: &mut Vec<Finding>,
) {
    let Some((range, bits)) = narrow(statement, fit, ranges) else {
        return;
    };
    let mut finding = finding(
        range,
        NARROW_ADDRESS,
        format!("this address has {bits} bits; ptxas needs 64 bits here"),
        Some(match bits {
            32 => format!(
                "`{}` has no 32-bit addresses in generic and global memory",
                statement.module.target
            ),
            _ => "ptxas warns of it and extends the address".to_owned(),
        }),
    );
    if bits == 32 && !statement.module.target.has_narrow_addresses() {
        finding.severity = Severity::Error;
    } else if bits == 32 {
        finding.help = Some(NARROW_SINCE_CUDA_12.to_owned());
    }
    findings.push(finding);
}

/// Where an address is too narrow, and how many bits it has.
fn narrow(statement: &Statement<'_>, fit: &Fit<'_>, ranges: &Ranges) -> Option<(TextRange, u32)> {
    match fit.semantics().wide {
        Wide::Nothing => None,
        Wide::Statement => Some((ranges.name, 32)),
        Wide::Address => {
            let mut operands = statement.operands.iter().enumerate();
            operands.find_map(|(index, operand)| {
                let Operand::Address(items, _) = operand else {
                    return None;
                };
                let base = match items.first()? {
                    Operand::Offset(base, _) => base,
                    it => it,
                };
                match base {
                    Operand::Register { class, lanes: 1 } if class.bits() < 64 => {
                        Some((ranges.operand(index), class.bits()))
                    }
                    _ => None,
                }
            })
        }
        Wide::Name => {
            let words = statement.words.iter();
            let bits = words.rev().find_map(|it| isa::types::type_of(it))?.bits;
            let mut operands = statement.operands.iter();
            let index = operands.position(|it| {
                matches!(
                    it,
                    Operand::Symbol(Symbol::Variable(Space::Global | Space::Unified, _))
                )
            })?;
            Some((ranges.operand(index), bits))
        }
    }
}
