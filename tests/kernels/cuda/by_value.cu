struct Body { float position[3]; short kind; double mass; };
extern "C" __global__ void by_value(Body body, float *out, int index) {
    out[threadIdx.x] = body.position[(threadIdx.x + index) % 3] * (float)body.mass + body.kind;
}
