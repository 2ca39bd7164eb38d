//! Statements that are one operation, and those that are more.

use std::collections::BTreeMap;

use super::statement::compile;
use crate::compute::Operation;

#[test]
fn statements_are_operations() {
    let check = |statement: &str, expected: Option<Operation>| {
        let compiled = compile(statement, &mut BTreeMap::new()).expect("a statement that fits");
        assert_eq!(compiled.operation(), expected, "{statement}");
    };
    let is = |statement: &str, expected: Operation| check(statement, Some(expected));
    is("mov.b32 $d, $a", Operation::Copy);
    is("mov.b64 $d, {$a, $b}", Operation::Copy);
    is("mov.b64 {$a, $b}, $d", Operation::Copy);
    is("mov.v2.f32 {$d, $e}, {$a, $b}", Operation::Copy);
    is("mov.b128 $d, {$a, $b}", Operation::Copy);
    is("cvt.u64.u32 $d, $a", Operation::Resize);
    is("cvt.u16.u32 $d, $a", Operation::Resize);
    is("cvt.s32.u32 $d, $a", Operation::Resize);
    is("neg.s32 $d, $a", Operation::Negate);
    is("neg.ftz.f32 $d, $a", Operation::Negate);
    is("not.pred $d, $a", Operation::Complement);
    is("add.s64 $d, $a, 8", Operation::Add);
    is("add.rn.f16x2 $d, $a, $b", Operation::Add);
    is("sub.ftz.f32 $d, $a, $b", Operation::Subtract);
    is("mul.lo.u16 $d, $a, $b", Operation::Multiply);
    is("mul.wide.s32 $d, $a, 4", Operation::MultiplyWide);
    is("mad.lo.s32 $d, $a, $b, $c", Operation::MultiplyAdd);
    is("mad.wide.u16 $d, $a, $b, $c", Operation::MultiplyAddWide);
    is("fma.rn.f32x2 $d, $a, $b, $c", Operation::MultiplyAdd);
    is("div.s32 $d, $a, $b", Operation::Divide);
    is("rcp.rn.f32 $d, $a", Operation::Divide);
    is("rem.u64 $d, $a, $b", Operation::Remainder);
    is("and.pred $d, $a, !$b", Operation::And);
    is("xor.b64 $d, $a, -1", Operation::Xor);
    is("shl.b32 $d, $a, 4", Operation::ShiftLeft);
    is("shr.s32 $d, $a, $b", Operation::ShiftRight);
    is("setp.lt.s32 $d, $a, $b", Operation::Compare);
    is("setp.eq.f64 $d|$e, $a, $b", Operation::Compare);
    is("selp.b32 $d, $a, $b, $c", Operation::Select);
    is("sqrt.rn.f32 $d, $a", Operation::SquareRoot);

    let more = |statement: &str| check(statement, None);
    more("add.sat.s32 $d, $a, $b");
    more("add.cc.u32 $d, $a, $b");
    more("addc.u32 $d, $a, $b");
    more("add.rz.f32 $d, $a, $b");
    more("mul.hi.u32 $d, $a, $b");
    more("mul24.lo.u32 $d, $a, $b");
    more("mad.hi.sat.s32 $d, $a, $b, $c");
    more("cvt.rn.f32.s32 $d, $a");
    more("setp.lt.and.s32 $d, $a, $b, $c");
    more("prmt.b32 $d, $a, $b, $c");
    more("lop3.b32 $d, $a, $b, $c, 0x96");
    more("shf.l.wrap.b32 $d, $a, $b, $c");
    more("abs.f32 $d, $a");
    more("copysign.f32 $d, $a, $b");
    more("sqrt.approx.f32 $d, $a");
    more("popc.b32 $d, $a");
}
