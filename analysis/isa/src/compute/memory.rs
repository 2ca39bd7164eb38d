//! Memory as programs see it: places, what is written there, and where generic addresses begin.
//!
//! A program names places; who runs it has the bytes, see [`Memory`].

use super::{combination::Combination, node::Node, texture::TextureRequest};
use crate::matrix::tensor_map::{BoxMode, MapField};

/// Bits of an address in shared memory below the number of the CTA in the cluster; 0 there means the CTA of the thread.
pub const CTA_SHIFT: u32 = 24;

/// Bits of an address at a logical endpoint that the offset has, below its identifier, PTX ISA 9.7.10.1. An offset or an
/// identifier that needs more bits is replaced by the largest one, which no launch has.
pub const FABRIC_SHIFT: u32 = 40;
/// Bits of the identifier in such an address.
pub(super) const ENDPOINT_BITS: u32 = 24;

/// Where the window of a state space begins among generic addresses, in bytes. Global memory has no window: its
/// addresses are generic ones.
#[must_use]
pub fn window(space: AddressSpace) -> u64 {
    match space {
        AddressSpace::Generic
        | AddressSpace::Global
        | AddressSpace::Fabric
        | AddressSpace::FabricCopies => 0,
        AddressSpace::Shared | AddressSpace::SharedCluster => 1 << 40,
        AddressSpace::Local => 1 << 41,
        AddressSpace::Parameter => 1 << 42,
        AddressSpace::Constant => 1 << 43,
    }
}

/// The size of a window in bytes.
pub const WINDOW: u64 = 1 << 32;

/// The state space in which an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// The address itself tells.
    Generic,
    /// `.global`
    Global,
    /// `.const`
    Constant,
    /// `.local`
    Local,
    /// `.param`
    Parameter,
    /// `.shared` of the CTA of the thread.
    Shared,
    /// `.shared` of any CTA of the cluster.
    SharedCluster,
    /// The resource of a unicast logical endpoint of a fabric; for addresses see [`FABRIC_SHIFT`].
    Fabric,
    /// The same of a multicast one, of which this device is a member.
    FabricCopies,
}

impl AddressSpace {
    /// Whether it is shared memory, of the CTA or of its cluster.
    #[must_use]
    pub fn is_shared(self) -> bool {
        matches!(self, AddressSpace::Shared | AddressSpace::SharedCluster)
    }

    /// The space of a word without its period; the empty one is generic.
    #[must_use]
    pub fn from_word(word: &str) -> Option<AddressSpace> {
        Some(match word {
            "" | "generic" => AddressSpace::Generic,
            "global" => AddressSpace::Global,
            "const" => AddressSpace::Constant,
            "local" => AddressSpace::Local,
            "param" | "param::entry" | "param::func" => AddressSpace::Parameter,
            "shared" | "shared::cta" => AddressSpace::Shared,
            "shared::cluster" => AddressSpace::SharedCluster,
            _ => return None,
        })
    }
}

/// A part of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierField {
    /// The number of its phase.
    Phase,
    /// The number of its conditional phase.
    Conditional,
    /// The arrivals that each phase expects.
    Expected,
    /// The arrivals that the phase still waits for.
    Pending,
    /// The bytes that the phase still waits for.
    Transactions,
    /// 1 if something was reported in the phase before.
    Reported,
    /// The report.
    Report,
    /// The layout.
    Layout,
    /// Phase and pending arrivals together: the phase in the upper half, the arrivals in the lower.
    State,
}

impl BarrierField {
    /// The field of a name in the tables.
    pub(super) fn from_word(word: &str) -> Option<BarrierField> {
        Some(match word {
            "phase" => BarrierField::Phase,
            "conditional" => BarrierField::Conditional,
            "expected" => BarrierField::Expected,
            "pending" => BarrierField::Pending,
            "tx" => BarrierField::Transactions,
            "reported" => BarrierField::Reported,
            "report" => BarrierField::Report,
            "layout" => BarrierField::Layout,
            _ => return None,
        })
    }
}

/// The properties of an access besides its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The state space.
    pub space: AddressSpace,
    /// Bytes of an element.
    pub bytes: u8,
    /// The elements, one after the other; together they are aligned.
    pub count: u8,
    /// The part of an mbarrier that is accessed, if it is one.
    pub field: Option<BarrierField>,
}

/// An element that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// The place, by its index in [`super::Program::places`].
    pub place: u16,
    /// The address of the first element of the place.
    pub address: Node,
    /// The element.
    pub element: u8,
    /// Its low 64 bits.
    pub value: Node,
    /// Its upper 64 bits, of one of 16 bytes.
    pub high: Option<Node>,
}

/// A number of 8 bytes in memory that grows once, by an operation that is atomic with system scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The place, by its index in [`super::Program::places`].
    pub place: u16,
    /// Its address.
    pub address: Node,
    /// The number that is added.
    pub plus: Node,
}

/// Many bytes that are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bulk {
    /// The place, by its index in [`super::Program::places`]; of a box that of the map.
    pub place: u16,
    /// The address of the first byte, or of the map of a box.
    pub address: Node,
    /// The number of bytes.
    pub size: Node,
    /// The box that is written, if it is one.
    pub to_box: Option<TensorBox>,
    /// How the elements of the box are combined with those that are there; they replace them without.
    pub combined: Option<Combination>,
    /// The new contents.
    pub from: BulkSource,
}

/// A field of a tensor map that is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapStore {
    /// The place, by its index in [`super::Program::places`].
    pub place: u16,
    /// The address of the map.
    pub address: Node,
    /// The field.
    pub field: MapField,
    /// The dimension, of fields that have several values.
    pub index: Node,
    /// Its new value.
    pub value: Node,
}

/// A box of a tensor, whose map is at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorBox {
    /// How the coordinates choose elements.
    pub mode: BoxMode,
    /// The coordinates, innermost first, as signed numbers of 32 bits; after them the offsets in images.
    pub coordinates: Vec<Node>,
    /// The address that replaces the address in the tensor map.
    pub start: Option<Node>,
    /// The kind of logical endpoint at which that address is, of a fabric operation.
    pub fabric: Option<AddressSpace>,
    /// The elements along each dimension where the statement replaces the sizes of the map.
    pub sizes: Vec<Node>,
    /// The bytes from one element to the next along the dimensions after the first, with them.
    pub strides: Vec<Node>,
}

impl TensorBox {
    pub(super) fn for_each_node(&mut self, act: &mut impl FnMut(&mut Node)) {
        self.coordinates.iter_mut().for_each(&mut *act);
        self.sizes.iter_mut().for_each(&mut *act);
        self.strides.iter_mut().for_each(&mut *act);
        self.start.iter_mut().for_each(act);
    }
}

/// Where a response has the index of a CTA along each dimension: the first bit and the number of bits.
pub(super) const CANCELED: [(u32, u32); 3] = [(0, 32), (32, 16), (64, 16)];
/// The bit of a response that says that a cluster was canceled.
const IS_CANCELED: u32 = 63;

/// The response that a cluster was canceled whose first CTA has these indices; 0 says that none was. The manual leaves its
/// bits open.
#[must_use]
pub fn canceled(first: [u32; 3]) -> u128 {
    let parts = first.iter().zip(CANCELED);
    let indices = parts.fold(0, |all, (index, (at, _))| all | u128::from(*index) << at);
    indices | 1 << IS_CANCELED
}

/// The contents that are written in bulk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BulkSource {
    /// Zeros.
    Zero,
    /// Anything.
    Undefined,
    /// The response to a request to cancel a cluster, see [`canceled`].
    Response,
    /// Bytes of memory, and zeros after them.
    Memory {
        /// The place, by its index in [`super::Program::places`].
        place: u16,
        /// The address of the first byte.
        address: Node,
        /// The number of bytes that are read.
        size: Node,
        /// The bytes that count, if not all do.
        part: Option<BulkPart>,
    },
    /// A box of a tensor.
    Box {
        /// The place of the map, by its index in [`super::Program::places`].
        place: u16,
        /// The address of the map.
        address: Node,
        /// The box.
        of: TensorBox,
    },
}

/// The bytes of a copy that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkPart {
    /// Those from a first one up to a last one, which is not among them: the others become anything.
    Between(Node, Node),
    /// The bytes in a mask for each 16: the others stay.
    Masked(Node),
}

impl BulkPart {
    pub(super) fn for_each_node(&mut self, act: &mut impl FnMut(&mut Node)) {
        match self {
            BulkPart::Between(first, end) => {
                act(first);
                act(end);
            }
            BulkPart::Masked(mask) => act(mask),
        }
    }
}

/// The sign that a later effect has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Nothing tells.
    Never,
    /// The group of a kind is complete: `copy`, `bulk`.
    Group(&'static str),
    /// An mbarrier loses so many bytes.
    Barrier {
        /// The place, by its index in [`super::Program::places`].
        place: u16,
        /// The address of the mbarrier.
        address: Node,
        /// The number of bytes.
        bytes: Node,
    },
    /// All copies that the thread has issued so far are there.
    Copies,
}

/// The memory of a run.
pub trait Memory<const N: usize> {
    /// The bytes of a box of the tensor whose map is at an address, in each lane.
    fn box_bytes(&mut self, place: &Place, mode: BoxMode, address: &[u64; N], out: &mut [u64; N]);

    /// Reads 64 bits of an element of a place in each lane, the lowest first: those with the index `half`. Bits that the
    /// element does not fill are 0.
    fn load(
        &mut self,
        place: &Place,
        address: &[u64; N],
        element: u8,
        half: u8,
        out: &mut [u64; N],
    );

    /// Reads one element of a texture or surface; `values` holds the values of the nodes, lane by lane.
    fn texture(
        &mut self,
        _request: &TextureRequest,
        _element: u8,
        _values: &[[u64; N]],
        out: &mut [u64; N],
    ) {
        *out = [0; N];
    }

    /// Addresses at which memory is read or written after this must be multiples of so many bytes.
    fn aligned(&mut self, _address: &[u64; N], _bytes: u8) {}
}

/// No memory: all bytes are 0.
pub(super) struct Nowhere;

impl<const N: usize> Memory<N> for Nowhere {
    fn load(&mut self, _: &Place, _: &[u64; N], _: u8, _: u8, out: &mut [u64; N]) {
        *out = [0; N];
    }

    fn box_bytes(&mut self, _: &Place, _: BoxMode, _: &[u64; N], out: &mut [u64; N]) {
        *out = [0; N];
    }
}
