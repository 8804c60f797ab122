// Two groups, each as two kernels: one block for each row, and blocks that stay and take rows until none is left.
// S: y[step, r, :] = x[step, r, :] * gain / rms(x[step, r, :]). M: z[r, :] is the mean of y[step, r, :] over the steps of a chunk.

struct Rows {
    int first, steps, rows, columns;
};

__device__ int place(Rows of, int step, int row) { return ((of.first + step) * of.rows + row) * of.columns; }

__device__ void scale_row(const float* x, const float* gain, float* y, Rows of, int row, float* shared) {
    // Rows of further steps follow those of the first.
    const int thread = threadIdx.x, threads = blockDim.x, at = place(of, 0, row);
    float sum = 0.f;
    for (int i = thread; i < of.columns; i += threads) sum += x[at + i] * x[at + i];
    shared[thread] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (thread < half) shared[thread] += shared[thread + half];
        __syncthreads();
    }
    const float scale = rsqrtf(shared[0] / of.columns);
    for (int i = thread; i < of.columns; i += threads) y[at + i] = x[at + i] * scale * gain[i];
    __syncthreads();
}

__device__ void mix_row(const float* y, float* z, Rows of, int row) {
    for (int i = threadIdx.x; i < of.columns; i += blockDim.x) {
        float sum = 0.f;
        for (int step = 0; step < of.steps; ++step) sum += y[place(of, step, row) + i];
        z[row * of.columns + i] = sum / of.steps;
    }
}

// The next row that no block has taken.
__device__ int next_row(unsigned* ticket, unsigned* taken) {
    if (threadIdx.x == 0) *taken = atomicAdd(ticket, 1u);
    __syncthreads();
    const int row = *taken;
    __syncthreads();
    return row;
}

extern "C" __global__ void scale_rows(const float* x, const float* gain, float* y, int first, int steps, int rows, int columns) {
    extern __shared__ float memory[];
    scale_row(x, gain, y, {first, steps, rows, columns}, blockIdx.x, memory);
}

extern "C" __global__ void scale_rows_persistently(const float* x, const float* gain, float* y, int first, int steps, int rows, int columns,
                                                   unsigned* ticket) {
    extern __shared__ float memory[];
    unsigned* taken = reinterpret_cast<unsigned*>(memory + blockDim.x);
    for (int row; (row = next_row(ticket, taken)) < steps * rows;) scale_row(x, gain, y, {first, steps, rows, columns}, row, memory);
}

extern "C" __global__ void mix_rows(const float* y, float* z, int first, int steps, int rows, int columns) {
    mix_row(y, z, {first, steps, rows, columns}, blockIdx.x);
}

extern "C" __global__ void mix_rows_persistently(const float* y, float* z, int first, int steps, int rows, int columns, unsigned* ticket) {
    extern __shared__ unsigned taken[];
    for (int row; (row = next_row(ticket, taken)) < rows;) mix_row(y, z, {first, steps, rows, columns}, row);
}
