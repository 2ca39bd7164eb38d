//! A debugger: stops, steps forwards and backwards, expressions, and values as people read them.

mod accesses;
mod debugger;
mod evaluate;
mod expression;
mod points;
mod stop;
#[cfg(test)]
mod tests;
mod types;
mod value;

pub use accesses::{NextAccess, next_accesses};
pub use debugger::Debugger;
pub(crate) use evaluate::slots as register_slots;
pub use evaluate::{Found, Part, Scope};
pub use expression::Expression;
pub use points::{Breakpoint, Hits, Piece, Points, Watch, Watched};
pub use stop::{Edit, Goal, Reason, Stop, Thread};
pub use value::{Number, Row, Type};

pub use crate::machine::findings::lane_ranges;
pub use crate::machine::inspect::{
    AsyncView, BarrierView, FrameView, GroupView, Known, MbarrierView, View, WARP, Wait, WarpId,
    WarpView,
};
