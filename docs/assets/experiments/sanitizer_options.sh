#!/bin/bash
# Print which defaults and options several versions of Compute Sanitizer list. Needs no GPU.
# sanitizer_options.sh COMPUTE_SANITIZER... (programs as in the wheels nvidia-cuda-sanitizer-api 13.0 to 13.5)
for program in "$@"; do
    "$program" --version | grep -o 'Version [0-9.]*'
    help=$("$program" --help)
    for option in padding track-stream-ordered-races report-api-errors initcheck-address-space kernel-name error-exitcode; do
        line=$(grep -o -E "^ *--$option( arg)?( \(=[a-z0-9]+\))?|, --$option( arg)?" <<<"$help" | head -1)
        echo "   $option: ${line:-not listed}" | sed 's/:  *--/: --/'
    done
done
