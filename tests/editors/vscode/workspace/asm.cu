__device__ unsigned next(unsigned x) {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("add.z32 %0, %0, %1;\n\t"
                 "bar.sync 0;" : "+r"(lane) : "r"(x + 1));
    return lane;
}
