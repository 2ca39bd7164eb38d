//! Functions of up to three bits: truth tables, and the shortest formula of each.

/// The columns of the truth tables of three bits: row `4*a + 2*b + c` is the bit of that number.
pub(super) const COLUMNS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// An operation of two formulas, or a negation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    And,
    Or,
    Xor,
    Not,
}

/// A formula: an operation on other tables, or a name.
#[derive(Clone, Copy)]
enum Formula {
    Constant(bool),
    Name(usize),
    Of(Operator, u8, u8),
}

impl Operator {
    /// Those of two formulas; of equal costs the first is written, a sum of products rather than a product of sums.
    const PAIRS: [Operator; 3] = [Operator::Or, Operator::And, Operator::Xor];

    fn of(self, a: u8, b: u8) -> u8 {
        match self {
            Operator::And => a & b,
            Operator::Or => a | b,
            Operator::Xor => a ^ b,
            Operator::Not => !a,
        }
    }

    /// How long a reader looks at it; of formulas with one value the one with the least sum is written.
    fn cost(self) -> usize {
        match self {
            Operator::Not => 1,
            Operator::And | Operator::Or => 2,
            Operator::Xor => 3,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Operator::And => " & ",
            Operator::Or => " | ",
            Operator::Xor => " ^ ",
            Operator::Not => "~",
        }
    }
}

/// The shortest formula of a truth table with `&`, `|`, `^` and `~`: `a & (b ^ c)`. The bit of the table at
/// `4*a + 2*b + c` is the result, and the names are those of `a`, `b` and `c`.
#[must_use]
pub fn formula(table: u8, names: [&str; 3]) -> String {
    let mut known: [Option<Formula>; 256] = [None; 256];
    known[0x00] = Some(Formula::Constant(false));
    known[0xff] = Some(Formula::Constant(true));
    for (index, column) in COLUMNS.into_iter().enumerate() {
        known[usize::from(column)] = Some(Formula::Name(index));
    }
    // The tables that formulas of each cost give for the first time. What is found is combined in the order of the
    // names, so that equal costs are written in their order, too.
    let mut by_cost: Vec<Vec<u8>> = vec![COLUMNS.to_vec()];
    while known[usize::from(table)].is_none() {
        let cost = by_cost.len();
        let mut found = Vec::new();
        let mut see = |operator: Operator, a: u8, b: u8| {
            let value = operator.of(a, b);
            let place = &mut known[usize::from(value)];
            if place.is_none() {
                *place = Some(Formula::Of(operator, a, b));
                found.push(value);
            }
        };
        for a in &by_cost[cost - Operator::Not.cost()] {
            see(Operator::Not, *a, *a);
        }
        for operator in Operator::PAIRS {
            for first in 0..=cost.saturating_sub(operator.cost()) {
                let Some(second) = cost.checked_sub(operator.cost() + first) else {
                    break;
                };
                for a in &by_cost[first] {
                    by_cost[second].iter().for_each(|b| see(operator, *a, *b));
                }
            }
        }
        by_cost.push(found);
    }
    let mut out = String::new();
    write(&known, table, None, names, &mut out);
    out
}

/// Writes the formula of a table as an operand of an operation.
fn write(
    known: &[Option<Formula>; 256],
    table: u8,
    outer: Option<Operator>,
    names: [&str; 3],
    out: &mut String,
) {
    match known[usize::from(table)] {
        None => {}
        Some(Formula::Constant(it)) => out.push(if it { '1' } else { '0' }),
        Some(Formula::Name(index)) => out.push_str(names[index]),
        Some(Formula::Of(Operator::Not, a, _)) => {
            out.push_str(Operator::Not.sign());
            write(known, a, Some(Operator::Not), names, out);
        }
        Some(Formula::Of(operator, a, b)) => {
            let brackets = outer.is_some_and(|it| it != operator);
            if brackets {
                out.push('(');
            }
            write(known, a, Some(operator), names, out);
            out.push_str(operator.sign());
            write(known, b, Some(operator), names, out);
            if brackets {
                out.push(')');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, formula};

    #[test]
    fn formulas_are_short() {
        let check = |table: u8, expected: &str| {
            assert_eq!(formula(table, ["a", "b", "c"]), expected, "{table:#x}");
        };
        check(0x80, "a & b & c");
        check(0xfe, "a | b | c");
        check(0x96, "a ^ b ^ c");
        check(0xf0, "a");
        check(0x0f, "~a");
        check(0x3c, "a ^ b");
        check(0xc3, "~(a ^ b)");
        check(0x00, "0");
        check(0xff, "1");
        check(0x60, "a & (b ^ c)");
        check(0xca, "(a & b) | (c & ~a)");
        check(0xe8, "(a & b) | (c & (a | b))");
        check(0x30, "a & ~b");
        check(0x03, "~(a | b)");
    }

    /// Evaluates a formula on the columns of the table.
    fn value(text: &str) -> u8 {
        fn sum(rest: &mut &str) -> u8 {
            let mut left = atom(rest);
            let mut before = None;
            loop {
                let mut chars = rest.trim_start().chars();
                let Some(operator @ ('&' | '|' | '^')) = chars.next() else {
                    return left;
                };
                // Different ones are never mixed without brackets.
                assert_eq!(*before.get_or_insert(operator), operator);
                *rest = chars.as_str();
                let right = atom(rest);
                left = match operator {
                    '&' => left & right,
                    '|' => left | right,
                    _ => left ^ right,
                };
            }
        }
        fn atom(rest: &mut &str) -> u8 {
            let mut chars = rest.trim_start().chars();
            let first = chars.next().expect("an atom");
            *rest = chars.as_str();
            match first {
                'a'..='c' => COLUMNS[first as usize - 'a' as usize],
                '0' => 0,
                '1' => 255,
                '~' => !atom(rest),
                '(' => {
                    let value = sum(rest);
                    *rest = rest.trim_start().strip_prefix(')').expect("a bracket");
                    value
                }
                other => panic!("{other}"),
            }
        }
        sum(&mut &text[..])
    }

    #[test]
    fn every_table_has_a_formula_with_its_value() {
        for table in 0..=255u8 {
            let text = formula(table, ["a", "b", "c"]);
            assert_eq!(value(&text), table, "{text}");
        }
    }
}
