#!/usr/bin/env bash
# What do CUPTI's own headers say about retired APIs, subscribers, serialised kernels and overhead? Greps one wheel.
# Run: ./cupti_header_notes.sh WHEEL      Needs unzip. No GPU.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unzip -q "$1" -d "$work"
cd "$(dirname "$(find "$work" -name cupti_activity.h)")" || exit 1
printf '%s\n' "$(basename "$1")" "$(grep -h '#define CUPTI_API_VERSION' cupti_version.h)"
note() { printf '\n-- %s\n' "$1"; shift; grep -n "$@" | sed -E 's/ +/ /g' | cut -c 1-210; }
note 'Event and Metric API' -h -A 6 'was deprecated in the CUDA 12.8' cupti_events.h cupti_metrics.h
note 'Profiling API: functions marked' -c 'deprecated as of CUDA 13.0' cupti_profiler_target.h
note 'activity kinds unsupported since 13.0' -c 'Starting with the CUDA 13.0 release, this enum is' cupti_activity.h
note 'functions with a V2 to come' -c 'This API will be deprecated in a future release' cupti_activity.h
note 'cuptiSubscribe' -A 6 'Note that this function returns the same error when' cupti_callbacks.h
note 'several subscribers' -B 6 'uint8_t allowMultipleSubscribers' cupti_callbacks.h
note 'kernels one after another' -B 8 'CUPTI_ACTIVITY_KIND_KERNEL *= 3' cupti_activity.h
note 'kinds of overhead that have a record' -oE 'CUPTI_ACTIVITY_OVERHEAD_[A-Z_]+ +=' cupti_activity.h
note 'hardware trace' -A 8 'HES-based tracing cannot be supported' cupti_activity.h
note 'queued and submitted timestamps' -A 4 'Default value is 0, i.e. these timestamps are not collected' cupti_activity.h
note 'results' -B 6 -E 'CUPTI_ERROR_(INSUFFICIENT_PRIVILEGES|MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED|CONFIDENTIAL_COMPUTING_NOT_SUPPORTED|MIG_DEVICE_NOT_SUPPORTED|WSL_DEVICE_NOT_SUPPORTED|HES_TRACE_NOT_SUPPORTED_ON_MPS|NOT_INITIALIZED|UNKNOWN) *=' cupti_result.h
