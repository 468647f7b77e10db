# What nvidia-smi, NVML and the driver library say on a machine without a GPU, by what /dev/nvidiactl answers.
# As root: bash nvml_messages.sh PYTHON ROOT
# ROOT: where Debian's packages nvidia-smi, libnvidia-ml1, libcuda1 and nvidia-cuda-mps of one version were unpacked (dpkg-deb -x).
# PYTHON has nvidia-ml-py. All is done in a mount namespace with a /dev of its own: as root the libraries create device nodes.
if [ -z "$INSIDE" ]; then INSIDE=1 exec unshare --mount --propagation private bash "$0" "$@"; fi
python=$1 libraries=$(dirname "$(find "$2" -name libnvidia-ml.so.1 | head -1)")
smi=$(find "$2" -name nvidia-smi -type f -path '*bin*' -o -name nvidia-smi -type f -path '*nvidia/current*' | head -1)
mps=$(find "$2" -name nvidia-cuda-mps-control -type f -path '*bin*' | head -1)
folder=$(mktemp -d); mount -t tmpfs -o mode=755 tmpfs "$folder"; mkdir "$folder/dev"
mknod -m 666 "$folder/dev/null" c 1 3; mknod -m 666 "$folder/dev/urandom" c 1 9; mount --bind "$folder/dev" /dev
calls='
import ctypes, pynvml
try:
    pynvml.nvmlInit(); print("nvidia-ml-py: no error")
except pynvml.NVMLError as error:
    print(f"nvidia-ml-py: {type(error).__name__}: {error}")
try:
    cuda = ctypes.CDLL("libcuda.so.1")
    version, name, text = ctypes.c_int(-1), ctypes.c_char_p(), ctypes.c_char_p()
    cuda.cuDriverGetVersion(ctypes.byref(version)); status = cuda.cuInit(0)
    cuda.cuGetErrorName(status, ctypes.byref(name)); cuda.cuGetErrorString(status, ctypes.byref(text))
    print(f"libcuda.so.1: cuDriverGetVersion {version.value}; cuInit {status} {name.value.decode()}: {text.value.decode()}")
except OSError as error:
    print(f"ctypes: OSError: {error}")
'
user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
ask() {  # ask PREFIX...: the test, nvidia-smi, NVML and libcuda
    "$@" bash -c ': < /dev/nvidiactl' 2>&1 | sed 's/^bash: line 1: /: < /'
    "$@" "$smi" > "$folder/said" 2>&1; echo "nvidia-smi: status $?"; grep . "$folder/said" | sed 's/^/    /'
    "$@" "$python" -c "$calls"
}
title() { echo; echo "== $*"; }
echo "$(basename "$(readlink -f "$libraries/libnvidia-ml.so.1")"), $(basename "$(readlink -f "$libraries/libcuda.so.1")"); nvidia-ml-py $("$python" -c 'from importlib.metadata import version; print(version("nvidia-ml-py"))'); $(. /etc/os-release; echo "$PRETTY_NAME"); kernel module nvidia: $(ls -d /sys/module/nvidia 2>/dev/null || echo none)"
title "neither the driver's libraries nor a node: a container started without the toolkit"; ask "${user[@]}"
export LD_LIBRARY_PATH=$libraries
title "libraries, no node"; ask "${user[@]}"
node() { rm -f /dev/nvidiactl; mknod -m "$1" /dev/nvidiactl c 195 255; }
title "libraries, a node, and no kernel module behind it"; node 666; ask "${user[@]}"
title "a node of mode 600, owned by root, for another user"; node 600; ask "${user[@]}"
title "the same node for root, in a file system mounted with nodev"; mount -o remount,bind,nodev /dev; ask env; mount -o remount,bind,dev /dev
devices=/sys/fs/cgroup/devices/nvml_messages
if mkdir "$devices" 2>/dev/null; then
    node 666; (echo $BASHPID > "$devices/cgroup.procs"
    title "a control group, before: $(cat "$devices/devices.list")"; ask "${user[@]}"
    echo "c 195:* rwm" > "$devices/devices.deny"
    title "the same group after 'echo c 195:* rwm > devices.deny'"; ask "${user[@]}"; echo "as root: $("$smi" 2>&1)"
    echo "c 195:* rwm" > "$devices/devices.allow"
    title "after 'echo c 195:* rwm > devices.allow'"; ask "${user[@]}")
    rmdir "$devices"
fi
title "other errors of open(), put in by strace: only which sentence belongs to which"
for error in EIO EBUSY; do echo "$error: $("${user[@]}" strace -f -o "$folder/dev/null" -P /dev/nvidiactl -e trace=openat -e inject=openat:error=$error "$smi" 2>&1 | head -1)"; done
title "as root, who makes the node"; rm -f /dev/nvidiactl; echo "before: $(ls /dev | paste -sd' ')"
"$smi" > /dev/null; echo "after nvidia-smi: $(ls /dev | paste -sd' ')"; rm -f /dev/nvidiactl
"$python" -c 'import ctypes; print("cuInit", ctypes.CDLL("libcuda.so.1").cuInit(0))'; echo "after cuInit alone: $(ls /dev | paste -sd' ')"
[ -z "$mps" ] || { title "MPS: a question to a daemon that does not run"; echo get_server_list | "${user[@]}" "$mps" 2>&1; echo "status ${PIPESTATUS[1]}"; }
title "nvmlErrorString of this library"
"$python" -c '
import ctypes
string = ctypes.CDLL("libnvidia-ml.so.1").nvmlErrorString; string.restype = ctypes.c_char_p
for code in (*range(30), 999): print(f"{code:4} {string(code).decode()}")'
