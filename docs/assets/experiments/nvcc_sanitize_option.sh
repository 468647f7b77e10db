# Which nvcc has -fdevice-sanitize? bash nvcc_sanitize_option.sh NVCC...
for nvcc in "$@"; do
    echo "$("$nvcc" --version | grep -o 'V[0-9.]*$'): $("$nvcc" --help | grep -c -e '--fdevice-sanitize <toolname>') line of help names --fdevice-sanitize"
done
