#!/bin/sh
# Run mig_wait.sh against a stand-in for kubectl: no cluster, no GPU. Needs python3 and jq.
#
#   sh mig_wait_test.sh
#
# The stand-in keeps the labels of one node in a file. After AT reads, a "MIG Manager" that saw a change of the label, or
# was restarted, writes END as the state; LATE reads after that, the node offers WANT partitions of PRODUCT.
here=$(cd "$(dirname "$0")" && pwd); work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cat >"$work/kubectl" <<'EOF'
#!/usr/bin/env python3
import json, os, sys
path = os.environ["STATE_FILE"]
node, words = json.load(open(path)), sys.argv[1:]
labels = node["labels"]
if words[:2] == ["get", "node"]:
    if words[-1] == "name":
        print("node/" + words[2])
    else:
        node["reads"] += 1
        if node.get("seen") and node["reads"] > node["at"] and node["end"] in ("success", "failed"):
            labels["nvidia.com/mig.config.state"] = node["end"]
        if node.get("seen") and node["reads"] > node["at"] + node["late"] and node["end"] == "success":
            node["offers"], labels["nvidia.com/gpu.product"] = node["want"], node["product"]
        print(json.dumps({"metadata": {"labels": labels}, "status": {"allocatable": {"nvidia.com/gpu": node["offers"]}}}))
elif words[0] == "label" and words[3].endswith("-"):
    labels.pop(words[3][:-1], None)
elif words[0] == "label":
    key, value = words[3].split("=")
    node["seen"] = node.get("seen") or key == "nvidia.com/mig.config" and labels.get(key) != value
    labels[key] = value
elif words[0] == "delete":
    node["seen"] = True
    print("MIG Manager restarted")
json.dump(node, open(path, "w"))
EOF
printf '#!/bin/sh\nexit 0\n' >"$work/sleep"; chmod +x "$work/kubectl" "$work/sleep"

try() {  # name, config before, state before, offers before, product before, end, at, late
  printf '%s\n' "$1:"
  cat >"$work/state" <<EOF
{"labels": {"nvidia.com/mig.config": "$2", "nvidia.com/mig.config.state": "$3", "nvidia.com/gpu.product": "$5"},
 "offers": "$4", "end": "$6", "at": $7, "late": $8, "want": "7", "product": "H100-MIG-1g.10gb", "reads": 0}
EOF
  STATE_FILE=$work/state PATH=$work:$PATH NODE=node-1 CONFIG=all-1g.10gb RESOURCE=nvidia.com/gpu WANT=7 \
    sh "$here/mig_wait.sh" | sed 's/^/  /'
  echo "  partitions at the end: $(jq -r .offers "$work/state")"
}
try "first change" all-disabled success 1 H100 success 8 0
try "the same value after a failure: MIG Manager is restarted" all-1g.10gb failed 0 H100 success 8 0
try "another value after a failure" all-2g.20gb failed 0 H100 success 8 0
try "the change fails" all-disabled success 1 H100 failed 8 0
try "success is written before the node offers the partitions" all-disabled success 1 H100 success 8 40
try "seven old partitions of another size" all-1g.20gb success 7 H100-MIG-1g.20gb success 8 40
try "a change is running" all-2g.20gb pending 0 H100 success 8 0
try "the state never comes" all-disabled success 1 H100 none 8 0
