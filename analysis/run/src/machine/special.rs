//! Special registers, PTX ISA chapter 10.

use isa::special;

use crate::launch::Launch;

use super::{
    block::Block,
    warp::{LANES, Lanes},
};

/// The values of special registers.
pub(super) struct Shape<'a> {
    pub(super) launch: &'a Launch,
    pub(super) block: &'a Block,
    /// The warp in its block.
    pub(super) warp: u32,
    /// The lanes that are at the instruction.
    pub(super) live: u32,
    /// The instructions of warps so far, which stand for cycles.
    pub(super) steps: u64,
    /// Bytes of shared memory of a block.
    pub(super) shared: u64,
}

/// The multiprocessors of the machine that is imitated.
const MULTIPROCESSORS: u64 = 108;
/// Nanoseconds of a step.
const STEP: u64 = 1;

/// The value of a special register in each lane: a component of it, and of a numbered one its number.
pub(super) fn value(shape: &Shape<'_>, index: u16, component: u8, number: u32) -> Lanes {
    let name = special::get(index).map_or("", |it| it.name);
    let launch = shape.launch;
    let component = usize::from(component);
    let of = |it: [u32; 3]| u64::from(it.get(component).copied().unwrap_or(0));
    let per_lane = |of: &dyn Fn(u64) -> u64| std::array::from_fn(|lane| of(lane as u64));
    let shape_of_cluster = launch.cluster;
    let clusters: [u32; 3] = std::array::from_fn(|it| launch.grid[it] / shape_of_cluster[it]);
    let all = |it: u64| [it; LANES];
    let block = shape.block;
    match name {
        "%tid" => {
            let [x, y, _] = launch.block.map(u64::from);
            per_lane(&|lane| {
                let thread = u64::from(shape.warp) * LANES as u64 + lane;
                match component {
                    0 => thread % x,
                    1 => thread / x % y,
                    2 => thread / (x * y),
                    _ => 0,
                }
            })
        }
        "%ntid" => all(of(launch.block)),
        "%ctaid" => all(of(block.index)),
        "%nctaid" => all(of(launch.grid)),
        "%laneid" => per_lane(&|lane| lane),
        "%warpid" => all(shape.warp.into()),
        "%nwarpid" => {
            let threads: u32 = launch.block.iter().product();
            all(threads.div_ceil(LANES as u32).into())
        }
        "%lanemask_eq" => per_lane(&|lane| 1 << lane),
        "%lanemask_lt" => per_lane(&|lane| (1 << lane) - 1),
        "%lanemask_le" => per_lane(&|lane| (2 << lane) - 1),
        "%lanemask_gt" => per_lane(&|lane| 0xFFFF_FFFF & !((2 << lane) - 1)),
        "%lanemask_ge" => per_lane(&|lane| 0xFFFF_FFFF & !((1 << lane) - 1)),
        "%smid" => all(block.number % MULTIPROCESSORS),
        "%nsmid" => all(MULTIPROCESSORS),
        "%gridid" => all(1),
        "%clock" => all(shape.steps & 0xFFFF_FFFF),
        "%clock_hi" => all(shape.steps >> 32),
        "%clock64" | "%globaltimer" => all(shape.steps * STEP),
        "%globaltimer_lo" => all(shape.steps & 0xFFFF_FFFF),
        "%globaltimer_hi" => all(shape.steps >> 32),
        "%dynamic_smem_size" => all(launch.shared),
        "%total_smem_size" | "%aggr_smem_size" => all(shape.shared),
        "%is_explicit_cluster" => all(u64::from(shape_of_cluster != [1; 3])),
        "%clusterid" => {
            let inside: [u32; 3] = std::array::from_fn(|it| block.index[it] / shape_of_cluster[it]);
            all(of(inside))
        }
        "%nclusterid" => all(of(clusters)),
        "%cluster_ctaid" => {
            let inside: [u32; 3] = std::array::from_fn(|it| block.index[it] % shape_of_cluster[it]);
            all(of(inside))
        }
        "%cluster_nctaid" => all(of(shape_of_cluster)),
        "%cluster_ctarank" => all(block.rank.into()),
        "%cluster_nctarank" => all(shape_of_cluster.iter().product::<u32>().into()),
        _ => {
            let _ = (shape.live, number);
            all(0)
        }
    }
}
