# Does -lineinfo change the machine code? Compare the code sections of cubins built with and without it, and with -G.
# bash lineinfo_code.sh FILE.cu...: nvcc and readelf are on the PATH
nvcc --version | grep release
lab=$(mktemp -d)
for file in "$@"; do
    for option in "" -lineinfo "-G -g"; do
        nvcc -std=c++17 -O3 -arch=sm_90 $option -cubin "$file" -o "$lab/code.cubin" 2>/dev/null
        sections=$(readelf -SW "$lab/code.cubin" 2>/dev/null | sed -n 's/.* \(\.text\.[^ ]*\) .*/\1/p' | sort)
        sum=$(for section in $sections; do echo "$section"; readelf -x "$section" "$lab/code.cubin" 2>/dev/null; done | sha256sum | cut -c1-16)
        echo "$(basename "$file") ${option:-(none)}: $(echo "$sections" | wc -l) code sections, SHA-256 $sum, $(stat -c %s "$lab/code.cubin") bytes of cubin"
    done
done
rm -r "$lab"
