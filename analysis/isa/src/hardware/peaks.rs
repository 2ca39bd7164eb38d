//! Published peaks of GPUs: what the data sheets of NVIDIA give for one GPU of a target. They are reached by no kernel.

use crate::target::Target;

/// The peaks of a GPU, without sparsity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The number of its target: 90 of `sm_90`.
    target: u16,
    /// Its name in the data sheet.
    pub gpu: &'static str,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// The bandwidth of its memory in 10^9 bytes a second.
    pub memory: u32,
    /// Additions and multiplications in f32 in 10^9 a second, two of one that does both.
    pub f32: u32,
    /// The same in products of matrices of f16.
    pub products: u32,
}

/// Data sheets of V100 (SXM2), A100 80GB (SXM) and H100 (SXM).
const PEAKS: [Peak; 3] = [
    row(70, "V100 SXM2", 80, 900, 15_700, 125_000),
    row(80, "A100 80GB SXM", 108, 2_039, 19_500, 312_000),
    row(90, "H100 SXM", 132, 3_350, 66_900, 989_400),
];

const fn row(
    target: u16,
    gpu: &'static str,
    multiprocessors: u32,
    memory: u32,
    f32: u32,
    products: u32,
) -> Peak {
    Peak {
        target,
        gpu,
        multiprocessors,
        memory,
        f32,
        products,
    }
}

impl Peak {
    /// The peaks of a GPU of a target; `None` if no data sheet is here.
    #[must_use]
    pub fn of(target: Target) -> Option<&'static Peak> {
        PEAKS.iter().find(|it| it.target == target.number)
    }

    /// The operations in f32 for each byte from memory at which both take as long.
    #[must_use]
    pub fn balance(&self) -> f64 {
        f64::from(self.f32) / f64::from(self.memory)
    }

    /// The same in products of matrices of f16.
    #[must_use]
    pub fn balance_of_products(&self) -> f64 {
        f64::from(self.products) / f64::from(self.memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balances() {
        let of = |word: &str| Peak::of(Target::parse(word).unwrap());
        let a100 = of("sm_80").unwrap();
        assert_eq!(a100.balance().round(), 10.0);
        assert_eq!(a100.balance_of_products().round(), 153.0);
        assert_eq!(of("sm_90a").unwrap().balance_of_products().round(), 295.0);
        assert_eq!(of("sm_86"), None);
    }
}
