// Initialisers with addresses of other variables.
struct Node { int value; const Node *next; };
extern __device__ const Node third;
__device__ const Node fourth = {400, nullptr};
__device__ const Node third = {30, &fourth};
__device__ const Node rest[2] = {{7, nullptr}, {2, &third}};
__device__ const Node nodes[1] = {{1, &rest[1]}};
__device__ const char *const words[3] = {"zero", "one", "many"};
__device__ int counter = 1000;
extern "C" __global__ void linked_list(int *sum, char *letters) {
    int total = 0;
    for (const Node *at = nodes; at; at = at->next) total += at->value;
    sum[threadIdx.x] = total + atomicAdd(&counter, 0);
    const char *word = words[threadIdx.x % 3];
    int length = 0;
    while (word[length]) length++;
    letters[threadIdx.x] = word[threadIdx.x % length];
}
