//! Tensor maps that a kernel writes: the proxy through which copies read them acquires them, PTX ISA 9.7.14.4.

use analysis::code::Event;
use isa::matrix::tensor_map::SIZE;

use crate::outcome::{FindingCode, Related};

use super::{
    Machine,
    access::{Access, Region},
    findings::lanes_of,
    map_writes::Written,
    running::Running,
    warp::Warp,
};

impl Machine<'_> {
    /// Lanes acquire tensor maps: those at the addresses of an operand, or all without one.
    pub(super) fn acquire_map(&mut self, warp: &Warp, running: &Running, event: &Event) {
        let block = self.world.clusters[running.cluster].blocks[running.block].number;
        let addresses = event.operands[0].map(|it| self.read(warp, running, it, 64).0);
        let maps = &mut self.world.global.maps.0;
        let acquire = |it: &mut Written| {
            if !it.acquired.contains(&block) {
                it.acquired.push(block);
            }
        };
        let Some(addresses) = addresses else {
            return maps.values_mut().for_each(acquire);
        };
        for lane in lanes_of(running.active).map(usize::from) {
            if let Some(it) = maps.get_mut(&addresses[lane]) {
                acquire(it);
            }
        }
    }
}

impl Access<'_> {
    /// Notes that a lane has written as many bytes as a tensor map has.
    pub(super) fn note_map(&mut self, region: Region, offset: usize, size: usize) {
        let Region::Global(index) = region else {
            return;
        };
        if size != SIZE || self.quiet {
            return;
        }
        let address = self.global.all[index].base + offset as u64;
        let (range, acquired) = (self.at.range, Vec::new());
        let written = Written { range, acquired };
        self.global.maps.0.insert(address, written);
    }

    /// Reports a use of a map that was written and that no thread of the block has acquired since.
    pub(super) fn check_map(&mut self, region: Region, offset: usize, lane: usize) {
        let Region::Global(index) = region else {
            return;
        };
        let address = self.global.all[index].base + offset as u64;
        let block = self.blocks[self.own].number;
        let Some(written) = self.global.maps.0.get(&address) else {
            return;
        };
        let code = FindingCode::MissingProxyFence;
        if self.quiet
            || written.acquired.contains(&block)
            || self.findings.knows(code, &self.at, 1 << lane)
        {
            return;
        }
        let message = "the tensor map was modified, and no thread of the block has acquired it since: `fence.proxy.tensormap::generic.acquire` is missing between them";
        let related = vec![Related {
            range: written.range,
            message: "writes the tensor map".to_owned(),
        }];
        self.findings
            .push(code, &self.at, 1 << lane, message.to_owned(), related);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::machine::tests::run_described;

    /// A block copies a map to shared memory, shifts it by a row of the tensor there, and reads a box of it.
    #[track_caller]
    fn check(acquire: &str, expect: Expect) {
        let text = format!(
            ".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 new, .param .u64 x, .param .u64 out)
{{
.reg .pred %c, %done;
.reg .b32 %t, %a, %v;
.reg .b64 %p, %n, %x, %m, %o;
.shared .align 128 .b8 copy[128];
.shared .align 128 .b32 box[32];
.shared .align 8 .b64 bar;
mov.u32 %t, %tid.x;
setp.eq.u32 %c, %t, 0;
ld.param.u64 %n, [new];
ld.param.u64 %x, [x];
ld.param.u64 %o, [out];
mov.b64 %m, map;
@%c mbarrier.init.shared.b64 [bar], 1;
mad.wide.u32 %p, %t, 4, %m;
ld.param.b32 %v, [%p];
mov.u32 %a, copy;
mad.lo.u32 %a, %t, 4, %a;
st.shared.b32 [%a], %v;
bar.sync 0;
add.u64 %x, %x, 32;
@%c tensormap.replace.tile.global_address.shared::cta.b1024.b64 [copy], %x;
bar.warp.sync -1;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%n], [copy], 128;
{acquire}
@%c mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
@%c cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [%n, {{0, 0}}], [bar];
w: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;
@!%done bra w;
mov.u32 %a, box;
mad.lo.u32 %a, %t, 4, %a;
ld.shared.b32 %v, [%a];
mad.wide.u32 %o, %t, 4, %o;
st.global.b32 [%o], %v;
ret;
}}
"
        );
        let launch = "block = 32
            args.map.tensormap = { of = 'x', type = 'u32', shape = [8, 4], box = [8, 4] }
            args.new = { undefined = [32], type = 'u32' }
            args.x = { ramp = [40], type = 'u32' }
            args.out = { zeros = [32], type = 'u32' }";
        let outcome = run_described(&text, launch);
        let lines = outcome.lines().filter(|it| !it.starts_with("p0"));
        expect.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn a_map_is_acquired_before_it_is_used() {
        check(
            "fence.proxy.tensormap::generic.acquire.gpu [%n], 128;",
            expect![[r#"
                Finished
                p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]
                p2 = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]"#]],
        );
        check(
            "",
            expect![[r#"
            Finished
            missing-proxy-fence 31 `@%c cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [%n, {0, 0}], [bar];` lanes [0]: the tensor map was modified, and no thread of the block has acquired it since: `fence.proxy.tensormap::generic.acquire` is missing between them
            p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]
            p2 = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]"#]],
        );
        // An acquire at another address.
        check(
            "fence.proxy.tensormap::generic.acquire.gpu [%x], 128;",
            expect![[r#"
                Finished
                missing-proxy-fence 31 `@%c cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [%n, {0, 0}], [bar];` lanes [0]: the tensor map was modified, and no thread of the block has acquired it since: `fence.proxy.tensormap::generic.acquire` is missing between them
                p1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]
                p2 = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]"#]],
        );
    }
}
