# A write one float past the end of a tensor: what memcheck sees with PyTorch's caching allocator and without it.
# bash sanitizer_torch.sh FOLDER: overrun.cu is in FOLDER
cd "$1"
nvcc -O3 -lineinfo -arch=sm_90 -shared -Xcompiler -fPIC -cudart shared overrun.cu -o liboverrun.so
cat > overrun.py <<'END'
import ctypes, time, torch
library = ctypes.CDLL("./liboverrun.so")
data = torch.zeros(1024, device="cuda")            # 4,096 bytes
neighbour = torch.zeros(1024, device="cuda")
torch.cuda.synchronize()
library.launch(ctypes.c_void_p(data.data_ptr()), 1024)  # writes data[1024]
torch.cuda.synchronize()
print("torch", torch.__version__, "distance", neighbour.data_ptr() - data.data_ptr(), "bytes; neighbour[0] =", neighbour[0].item())
END
try() {
    echo "== $1, bare"; env $1 timeout 40 python3 overrun.py
    echo "== $1, memcheck"
    local start=$(date +%s%N); env $1 timeout 60 compute-sanitizer --show-backtrace device python3 overrun.py 2>&1 | head -30; echo "$(( ($(date +%s%N) - start) / 1000000 )) ms"
}
try "NOTHING=1" > cached.txt 2>&1 & try "PYTORCH_NO_CUDA_MEMORY_CACHING=1" > uncached.txt 2>&1 &
wait
cat cached.txt uncached.txt
