//! The fragments of each instruction.

use super::{
    Axis::{self, Column, Part, Row},
    DigitSource::{self, Element, Lane, Register},
    Fragment, Layout, Term,
};

/// `lane / 4`: the group of four lanes.
pub(super) const fn group(times: u32, axis: Axis) -> Term {
    Term::new(Lane, 4, 8, times, axis)
}

/// `lane % 4`: the thread in its group.
pub(super) const fn thread(times: u32, axis: Axis) -> Term {
    Term::new(Lane, 1, 4, times, axis)
}

/// The warp in its warpgroup.
const fn warp(times: u32, axis: Axis) -> Term {
    Term::new(Lane, 32, 4, times, axis)
}

/// Neighbouring elements of a register.
pub(super) const fn elements(count: u32, axis: Axis) -> Term {
    Term::new(Element, 1, count, 1, axis)
}

/// Rows, columns and depth of a product.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Rows of A and D.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A and rows of B.
    pub k: u32,
}

/// The largest number in a shape; larger ones are not shapes.
const MAX_EXTENT: u32 = 256;

impl Shape {
    /// Reads `m16n8k16`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Shape> {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let number = |text: &str| {
            let value = text.parse().ok()?;
            (1..=MAX_EXTENT).contains(&value).then_some(value)
        };
        Some(Shape {
            m: number(m)?,
            n: number(n)?,
            k: number(k)?,
        })
    }

    /// Multiplications and additions of the product.
    #[must_use]
    pub fn operations(self) -> u64 {
        2 * u64::from(self.m) * u64::from(self.n) * u64::from(self.k)
    }
}

/// The modifiers of an instruction, without periods.
pub(super) struct Words<'a>(pub(super) &'a [&'a str]);

impl<'a> Words<'a> {
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(&word)
    }

    pub(super) fn shape(&self) -> Option<Shape> {
        self.0.iter().find_map(|it| Shape::parse(it))
    }

    /// The types of the matrices, in their order.
    pub(super) fn types(&self) -> Vec<&'a str> {
        let known =
            |it: &&&str| element_bits(it, false).is_some() || **it == "f32" || **it == "s32";
        self.0.iter().filter(known).copied().collect()
    }

    fn is_sparse(&self) -> bool {
        self.has("sp") || self.has("sp::ordered_metadata")
    }

    /// Whether four bits of a type take four bits of a register.
    fn is_packed(&self) -> bool {
        self.has("kind::mxf4") || self.has("kind::mxf4nvf4")
    }

    /// The repetition `.x4` of a movement.
    fn count(&self) -> Option<u32> {
        let mut counts = self
            .0
            .iter()
            .filter_map(|it| it.strip_prefix('x')?.parse().ok());
        counts.find(|it| (1..=128).contains(it))
    }
}

/// Bits that an element of a factor takes in a register. `.e2m1` is in a byte of its own unless packed.
pub(super) fn element_bits(word: &str, packed: bool) -> Option<u32> {
    Some(match word {
        "b1" => 1,
        "s4" | "u4" => 4,
        "e2m1" if packed => 4,
        "s8" | "u8" | "e4m3" | "e5m2" | "e3m2" | "e2m3" | "e2m1" => 8,
        "f16" | "bf16" => 16,
        "tf32" => 32,
        "f64" => 64,
        _ => return None,
    })
}

/// How the operands of an instruction are laid out; none if it has no fragments.
///
/// `instruction` is its name in the tables, `words` its modifiers without periods. Words that do not belong
/// together give no layout or a useless one, so match the instruction first.
#[must_use]
pub fn layout(instruction: &str, words: &[&str]) -> Option<Layout> {
    let words = Words(words);
    Some(match instruction {
        "mma" => mma(&words)?,
        "wgmma.mma_async" => Layout::Fragments(wgmma(&words)?),
        "wmma.mma" => Layout::Unspecified(&["d", "a", "b", "c"]),
        "wmma.load" | "wmma.store.d" => Layout::Unspecified(&["r"]),
        "ldmatrix" | "stmatrix" => Layout::Fragments(vec![small_matrices(&words)?]),
        "movmatrix" => Layout::Fragments(vec![
            rows_of_eight("d", "M transposed", ("matrix", 1)),
            rows_of_eight("a", "M", ("matrix", 1)),
        ]),
        "tcgen05.ld" | "tcgen05.st" => Layout::Fragments(vec![tensor_memory(&words)?]),
        _ => return None,
    })
}

/// `mma`, dense and sparse: 9.7.15.5.1 to 9.7.15.6.2.8.
fn mma(words: &Words<'_>) -> Option<Layout> {
    let shape = words.shape()?;
    let types = words.types();
    let &[d, a, _, c] = types.as_slice() else {
        return None;
    };
    let bits = element_bits(a, words.is_packed())?;
    if (shape.m, shape.n, shape.k) == (8, 8, 4) && bits != 64 {
        // ptxas also takes .bf16 and .tf32 here, of which the manual does not know.
        return Some(if a == "f16" {
            Layout::Fragments(quarters(words, d, c))
        } else {
            Layout::Unspecified(&["d", "a", "b", "c"])
        });
    }
    Some(Layout::Fragments(vec![
        accumulator("d", "D", shape, d == "f16", 32),
        factor_a(shape, bits, words.is_sparse(), 32)?,
        factor_b(shape, bits)?,
        accumulator("c", "C", shape, c == "f16", 32),
    ]))
}

/// `wgmma.mma_async`: 9.7.16.5.1.1 and 9.7.16.6.2. Each warp has 16 rows, in the layout of `mma`.
fn wgmma(words: &Words<'_>) -> Option<Vec<Fragment>> {
    let shape = words.shape()?;
    let types = words.types();
    let &[d, a, _] = types.as_slice() else {
        return None;
    };
    let bits = element_bits(a, false)?;
    Some(vec![
        accumulator("d", "D", shape, d == "f16", 128),
        factor_a(shape, bits, words.is_sparse(), 128)?,
    ])
}

/// A. Registers go down by 8 rows first, then right by what the four threads of a group hold.
fn factor_a(shape: Shape, bits: u32, sparse: bool, lanes: u32) -> Option<Fragment> {
    let columns = if sparse { shape.k / 2 } else { shape.k };
    let count = (32 / bits).max(1);
    let halves = shape.m * 32 / lanes / 8;
    let mut terms = vec![
        group(1, Row),
        Term::new(Register, 1, halves, 8, Row),
        thread(count, Column),
        elements(count, Column),
        Term::new(Register, halves, columns / (4 * count), 4 * count, Column),
    ];
    if lanes == 128 {
        terms.push(warp(16, Row));
    }
    let kept = match bits {
        _ if !sparse => None,
        32 => Some((1, 2)),
        4 => Some((4, 8)),
        _ => Some((2, 4)),
    };
    fragment("a", "A", lanes, (shape.m, columns), count, kept, terms)
}

/// B: as A of 8 rows, transposed.
fn factor_b(shape: Shape, bits: u32) -> Option<Fragment> {
    let count = (32 / bits).max(1);
    let terms = vec![
        thread(count, Row),
        elements(count, Row),
        Term::new(Register, 1, shape.k / (4 * count), 4 * count, Row),
        group(1, Column),
    ];
    fragment("b", "B", 32, (shape.k, shape.n), count, None, terms)
}

/// C or D: two neighbours, then 8 rows down, then 8 columns right.
pub(super) fn accumulator(
    operand: &'static str,
    matrix: &'static str,
    shape: Shape,
    half: bool,
    lanes: u32,
) -> Fragment {
    let (m, n) = (shape.m, shape.n);
    // Two halves share a register.
    let (count, neighbours) = if half {
        (2, elements(2, Column))
    } else {
        (1, Term::new(Register, 1, 2, 1, Column))
    };
    let step = 2 / count;
    let halves = m * 32 / lanes / 8;
    let mut terms = vec![
        group(1, Row),
        Term::new(Register, step, halves, 8, Row),
        thread(2, Column),
        neighbours,
        Term::new(Register, step * halves, n / 8, 8, Column),
    ];
    if lanes == 128 {
        terms.push(warp(16, Row));
    }
    Fragment {
        operand,
        matrix,
        lanes,
        registers: m * n / lanes / count,
        elements: count,
        parts: ("matrix", 1),
        rows: m,
        columns: n,
        kept: None,
        terms: used(terms),
    }
}

/// A fragment of as many registers as its matrix needs.
fn fragment(
    operand: &'static str,
    matrix: &'static str,
    lanes: u32,
    (rows, columns): (u32, u32),
    elements: u32,
    kept: Option<(u32, u32)>,
    terms: Vec<Term>,
) -> Option<Fragment> {
    let registers = rows * columns / lanes / elements;
    // Digits of no values are of shapes that do not exist.
    let sound = registers > 0 && terms.iter().all(|it| it.modulo > 0);
    sound.then(|| Fragment {
        operand,
        matrix,
        lanes,
        registers,
        elements,
        parts: ("matrix", 1),
        rows,
        columns,
        kept,
        terms: used(terms),
    })
}

/// The digits that have more than one value.
pub(super) fn used(mut terms: Vec<Term>) -> Vec<Term> {
    terms.retain(|it| it.modulo > 1);
    terms
}

/// `mma.m8n8k4` with `.f16`: four products, each by two groups of four lanes, 9.7.15.5.1.
fn quarters(words: &Words<'_>, d: &str, c: &str) -> Vec<Fragment> {
    let mut orders = words.0.iter().filter(|it| matches!(**it, "row" | "col"));
    let a_by_row = orders.next() != Some(&"col");
    let b_by_row = orders.next() == Some(&"row");
    let of = |operand, matrix, (rows, columns), (registers, elements), terms: &[Term]| Fragment {
        operand,
        matrix,
        lanes: 32,
        registers,
        elements,
        parts: ("product", 4),
        rows,
        columns,
        kept: None,
        terms: [&[Term::new(Lane, 4, 4, 1, Part)], terms].concat(),
    };
    let upper = |axis| Term::new(Lane, 16, 2, 4, axis);
    // Along one axis the lanes, along the other one the elements.
    let factor = |lanes, values, high| {
        [
            thread(1, lanes),
            elements(2, values),
            Term::new(Register, 1, 2, 2, values),
            upper(high),
        ]
    };
    let a = if a_by_row {
        factor(Row, Column, Row)
    } else {
        factor(Column, Row, Row)
    };
    let b = if b_by_row {
        factor(Row, Column, Column)
    } else {
        factor(Column, Row, Column)
    };
    let sum = |operand, matrix, word: &str| {
        if word == "f16" {
            let terms = [
                thread(1, Row),
                upper(Row),
                elements(2, Column),
                Term::new(Register, 1, 4, 2, Column),
            ];
            return of(operand, matrix, (8, 8), (4, 2), &terms);
        }
        let terms = [
            Term::new(Lane, 1, 2, 1, Row),
            Term::new(Register, 2, 2, 2, Row),
            upper(Row),
            Term::new(Register, 1, 2, 1, Column),
            Term::new(Lane, 2, 2, 2, Column),
            Term::new(Register, 4, 2, 4, Column),
        ];
        of(operand, matrix, (8, 8), (8, 1), &terms)
    };
    vec![
        sum("d", "D", d),
        of("a", "A", (8, 4), (2, 2), &a),
        of("b", "B", (4, 8), (2, 2), &b),
        sum("c", "C", c),
    ]
}

/// Matrices of 8 rows of 8 elements of 16 bits.
fn rows_of_eight(
    operand: &'static str,
    matrix: &'static str,
    parts: (&'static str, u32),
) -> Fragment {
    let terms = vec![
        group(1, Row),
        thread(2, Column),
        elements(2, Column),
        Term::new(Register, 1, parts.1, 1, Part),
    ];
    Fragment {
        operand,
        matrix,
        lanes: 32,
        registers: parts.1,
        elements: 2,
        parts,
        rows: 8,
        columns: 8,
        kept: None,
        terms: used(terms),
    }
}

/// `ldmatrix` and `stmatrix`, 9.7.15.5.15 and 9.7.15.5.16. Rows are those in memory: with `.trans`, what a lane
/// holds of a row in registers is in a column there.
fn small_matrices(words: &Words<'_>) -> Option<Fragment> {
    // There are no more than four; ptxas does not look at larger numbers.
    let count = words.count().filter(|it| *it <= 4)?;
    let parts = ("matrix", count);
    let of = |registers, rows, columns, terms| Fragment {
        operand: "r",
        matrix: "memory",
        lanes: 32,
        registers,
        elements: 4,
        parts,
        rows,
        columns,
        kept: None,
        terms: used(terms),
    };
    let square = |divide| Term::new(Register, divide, count, 1, Part);
    // Two neighbours along the rows in memory, and the same eight columns further right.
    let pairs = [
        Term::new(Element, 1, 2, 1, Row),
        Term::new(Element, 2, 2, 8, Column),
        group(1, Column),
    ];
    Some(if words.has("m8n8") {
        let mut found = rows_of_eight("r", "memory", parts);
        if words.has("trans") {
            for term in &mut found.terms {
                term.axis = match term.axis {
                    Row => Column,
                    Column => Row,
                    Part => Part,
                };
            }
        }
        found
    } else if words.has("m16n16") {
        let terms = [
            &pairs[..],
            &[thread(4, Row), Term::new(Register, 1, 2, 2, Row), square(2)],
        ];
        of(2 * count, 16, 16, terms.concat())
    } else if words.has("m8n16") {
        let terms = vec![
            group(1, Row),
            thread(4, Column),
            elements(4, Column),
            square(1),
        ];
        of(count, 8, 16, terms)
    } else if words.has("m16n8") {
        let terms = [&pairs[..], &[thread(2, Row), square(1)]];
        of(count, 8, 16, terms.concat())
    } else {
        return None;
    })
}

/// `tcgen05.ld` and `tcgen05.st`, 9.7.17.2.3.1. Rows are lanes of tensor memory from the one of the address on,
/// columns its columns of 32 bits; packed, a register holds the lower halves of two of them.
fn tensor_memory(words: &Words<'_>) -> Option<Fragment> {
    let count = words.count()?;
    if words.has("spcompress") {
        return None;
    }
    let packed = words.has("pack::16b") || words.has("unpack::16b");
    let wide = if packed { 2 } else { 1 };
    let column = |source: DigitSource, divide, modulo, times| {
        Term::new(source, divide, modulo, times * wide, Column)
    };
    let has = |shape: &str| words.has(shape);
    let (each, rows, parts, mut terms) = if has("32x32b") {
        let terms = vec![
            Term::new(Lane, 1, 32, 1, Row),
            column(Register, 1, count, 1),
        ];
        (1, 32, 1, terms)
    } else if has("16x64b") {
        let terms = vec![
            group(1, Row),
            Term::new(Lane, 1, 2, 8, Row),
            column(Lane, 2, 2, 1),
            column(Register, 1, count, 2),
        ];
        (1, 16, 1, terms)
    } else if has("16x128b") {
        let terms = vec![
            group(1, Row),
            Term::new(Register, 1, 2, 8, Row),
            column(Lane, 1, 4, 1),
            column(Register, 2, count, 4),
        ];
        (2, 16, 1, terms)
    } else if has("16x256b") {
        let terms = vec![
            group(1, Row),
            Term::new(Register, 2, 2, 8, Row),
            column(Register, 1, 2, 1),
            column(Lane, 1, 4, 2),
            column(Register, 4, count, 8),
        ];
        (4, 16, 1, terms)
    } else if has("16x32bx2") {
        let terms = vec![
            Term::new(Lane, 1, 16, 1, Row),
            Term::new(Lane, 16, 2, 1, Part),
            column(Register, 1, count, 1),
        ];
        (1, 16, 2, terms)
    } else {
        return None;
    };
    if packed {
        terms.push(elements(2, Column));
    }
    let registers = count * each;
    Some(Fragment {
        operand: "r",
        matrix: "tensor memory",
        lanes: 32,
        registers,
        elements: wide,
        parts: ("half", parts),
        rows,
        columns: registers * wide * 32 / rows / parts,
        kept: None,
        terms: used(terms),
    })
}
