// y[r, :] = x[r, :] * gain / rms(x[r, :]), as two kernels: one block for each row, and blocks that stay and take rows until none is left.

__device__ void scale_row(const float* x, const float* gain, float* y, int columns, float* shared) {
    const int thread = threadIdx.x, threads = blockDim.x;
    float sum = 0.f;
    for (int i = thread; i < columns; i += threads) sum += x[i] * x[i];
    shared[thread] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (thread < half) shared[thread] += shared[thread + half];
        __syncthreads();
    }
    const float scale = rsqrtf(shared[0] / columns);
    for (int i = thread; i < columns; i += threads) y[i] = x[i] * scale * gain[i];
    __syncthreads();
}

extern "C" __global__ void scale_rows(const float* x, const float* gain, float* y, int columns) {
    extern __shared__ float memory[];
    const int row = blockIdx.x;
    scale_row(x + row * columns, gain, y + row * columns, columns, memory);
}

extern "C" __global__ void scale_rows_persistently(const float* x, const float* gain, float* y, int rows, int columns, unsigned* ticket) {
    extern __shared__ float memory[];
    unsigned* taken = reinterpret_cast<unsigned*>(memory + blockDim.x);
    for (;;) {
        if (threadIdx.x == 0) *taken = atomicAdd(ticket, 1u);
        __syncthreads();
        const int row = *taken;
        __syncthreads();
        if (row >= rows) return;
        scale_row(x + row * columns, gain, y + row * columns, columns, memory);
    }
}
