//! Functions that the driver provides: CUDA's system calls, and those that OptiX replaces.
//!
//! ptxas takes any prototype of them; one that differs from what the driver expects breaks when it runs.

/// The type of a parameter or result of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An address or size: 64 bits, or 32 where `.address_size` is 32.
    Word,
    /// 32 bits.
    Bits32,
    /// Three 32-bit numbers in memory: `.align 4 .b8 name[12]`.
    Three,
}

impl Part {
    /// Size in bytes.
    #[must_use]
    pub fn bytes(self, address_bytes: u64) -> u64 {
        match self {
            Part::Word => address_bytes,
            Part::Bits32 => 4,
            Part::Three => 12,
        }
    }

    /// The parameter of this name, as PTX.
    #[must_use]
    pub fn declaration(self, name: &str, address_bytes: u64) -> String {
        match self {
            Part::Word => format!(".param .b{} {name}", address_bytes * 8),
            Part::Bits32 => format!(".param .b32 {name}"),
            Part::Three => format!(".param .align 4 .b8 {name}[12]"),
        }
    }
}

/// A system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCall {
    /// Its name.
    pub name: &'static str,
    /// Its result, with its name.
    pub result: Option<(&'static str, Part)>,
    /// Its parameters with their names.
    pub parameters: &'static [(&'static str, Part)],
    /// Its description, in a sentence.
    pub description: &'static str,
}

use Part::{Bits32, Three, Word};

/// The system calls of the PTX interoperability guide, and of CUDA's device runtime for launches.
pub const SYSTEM_CALLS: &[SystemCall] = &[
    SystemCall {
        name: "vprintf",
        result: Some(("status", Bits32)),
        parameters: &[("format", Word), ("valist", Word)],
        description: "Prints: `format` and `valist` are generic addresses of the format string and of \
                      the arguments, each at its natural alignment",
    },
    SystemCall {
        name: "malloc",
        result: Some(("ptr", Word)),
        parameters: &[("size", Word)],
        description: "Allocates `size` bytes of the device heap; returns a generic address, 0 if there \
                      is not room",
    },
    SystemCall {
        name: "free",
        result: None,
        parameters: &[("ptr", Word)],
        description: "Gives memory from `malloc` back to the device heap",
    },
    SystemCall {
        name: "__assertfail",
        result: None,
        parameters: &[
            ("message", Word),
            ("file", Word),
            ("line", Bits32),
            ("function", Word),
            ("charSize", Word),
        ],
        description: "Reports a failed assertion and stops the kernel; `charSize` is 1",
    },
    SystemCall {
        name: "cudaGetParameterBuffer",
        result: Some(("buffer", Word)),
        parameters: &[("alignment", Word), ("size", Word)],
        description: "Allocates the buffer for the parameters of a kernel that `cudaLaunchDevice` starts",
    },
    SystemCall {
        name: "cudaLaunchDevice",
        result: Some(("status", Bits32)),
        parameters: &[
            ("func", Word),
            ("parameterBuffer", Word),
            ("gridDimension", Three),
            ("blockDimension", Three),
            ("sharedMemSize", Bits32),
            ("stream", Word),
        ],
        description: "Starts a kernel from a kernel",
    },
];

/// The system call of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static SystemCall> {
    SYSTEM_CALLS.iter().find(|it| it.name == name)
}

impl SystemCall {
    /// Its prototype as PTX, without the semicolon.
    #[must_use]
    pub fn prototype(&self, address_bytes: u64) -> String {
        let result = self.result.map_or_else(String::new, |(name, part)| {
            format!("({}) ", part.declaration(name, address_bytes))
        });
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, part)| part.declaration(name, address_bytes))
            .collect();
        format!(
            ".extern .func {result}{} ({})",
            self.name,
            parameters.join(", ")
        )
    }
}

/// The functions that ptxas 13.5 lets a module call and not take the address of, but for those whose names begin with
/// [`SYSTEM_PREFIX`]. `cudaLaunchDevice` and `cudaGetParameterBuffer` have addresses.
#[rustfmt::skip]
const WITHOUT_ADDRESS: &[&str] = &[
    "__assertfail", "__profile", "free", "malloc", "vfprintf", "vprintf",
    "cnpCtxSynchronize", "cnpDeviceGetAttribute", "cnpDeviceGetName", "cnpDeviceGetTotalMem", "cnpEventCreate",
    "cnpEventDestroy", "cnpEventRecord", "cnpFuncGetAttribute", "cnpGetCacheConfig", "cnpGetDevice",
    "cnpGetDeviceCount", "cnpGetLastError", "cnpGetLimit", "cnpGetParameterBuffer", "cnpGetParameterBufferV2",
    "cnpGetSharedMemConfig", "cnpLaunchDevice", "cnpLaunchDeviceV2", "cnpSetLastError", "cnpStreamCreate",
    "cnpStreamDestroy", "cnpStreamWaitEvent",
    "cudaDeviceMemcpyAsync", "cudaDeviceMemcpyBatchAsync", "cudaFabricOpErrorStatusCount",
    "cudaFabricOpErrorStatusGet", "cudaGraphKernelNodeSetEnabled", "cudaGraphKernelNodeSetGridDim",
    "cudaGraphKernelNodeSetParam", "cudaGraphKernelNodeUpdatesApply", "cudaGraphLaunch", "cudaGraphSetConditional",
    "cudaResizeSharedMemory", "cudaSubgridScheduleManageWarpSpecializedWorkspaceAndDependencies",
    "cudaSubgridSynchronousWorkspaceAdvanceWorkset", "cudaSubgridSynchronousWorkspaceCompleteAndFetchWorkItem",
    "cudaSubgridSynchronousWorkspaceGetWorksetUserData", "cudaSubgridSynchronousWorkspaceInitialize",
    "cudaSubgridWarpSpecializedWorkspaceAdvanceWorkset", "cudaSubgridWarpSpecializedWorkspaceCompleteWorkItem",
    "cudaSubgridWarpSpecializedWorkspaceFetchWorkItem", "cudaSubgridWarpSpecializedWorkspaceGetWorksetUserData",
    "cudaSubgridWarpSpecializedWorkspaceInitialize", "cudaSubgridWarpSpecializedWorkspaceWaitOnWorkItemDependencies",
];

/// How the names of functions begin that only NVIDIA's libraries call.
const SYSTEM_PREFIX: &str = "__cuda_syscall";

/// Whether a function that the module does not define has an address in it.
#[must_use]
pub fn has_address(name: &str) -> bool {
    !WITHOUT_ADDRESS.contains(&name) && !name.starts_with(SYSTEM_PREFIX)
}

/// Whether a name is that of a function which OptiX provides: it replaces the calls before ptxas sees
/// the module, so they need no prototype; ptxas alone rejects them.
#[must_use]
pub fn is_optix(name: &str) -> bool {
    name.starts_with("_optix_") || name.starts_with("_rt_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prototypes() {
        let shown = |name, bytes| find(name).map(|it| it.prototype(bytes));
        assert_eq!(
            shown("vprintf", 8).as_deref(),
            Some(
                ".extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 valist)"
            )
        );
        assert_eq!(
            shown("free", 4).as_deref(),
            Some(".extern .func free (.param .b32 ptr)")
        );
        assert!(is_optix("_rt_trace_64") && !is_optix("_rtx"));
        assert!(!has_address("malloc") && !has_address("__cuda_syscall_trap"));
        assert!(has_address("mallocs") && has_address("cudaLaunchDevice"));
    }
}
