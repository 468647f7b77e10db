#pragma once

template <typename T>
__device__ __forceinline__ void put(T* data, long index, T value) {
    data[index] = value;
#ifdef READ_BACK
    if (static_cast<volatile T*>(data)[index] != value) __trap();
#endif
}

template <typename T>
__device__ __forceinline__ void put_scaled(T* data, const long* where, int i) {
    T value = T(2) * i;
    put(data, where[i], value);
}
