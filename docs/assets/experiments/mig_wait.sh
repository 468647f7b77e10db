#!/bin/sh
# Set a MIG configuration on a drained node, and wait until the node offers the partitions.
#
#   NODE=gpu-node-1 CONFIG=all-1g.10gb RESOURCE=nvidia.com/gpu WANT=7 sh mig_wait.sh
#
# RESOURCE: nvidia.com/gpu with the strategy single, one such as nvidia.com/mig-1g.10gb with mixed.
# WANT: how many of it the node must offer, such as 7 partitions times the GPUs of the node.
# NS: the GPU Operator's namespace. Needs kubectl and jq. Ends with 0 when the partitions are there.
: "${NODE:?}" "${CONFIG:?}" "${RESOURCE:?}" "${WANT:?}"
NS=${NS:-gpu-operator}
kubectl get node "$NODE" -o name || exit 1
label() { kubectl get node "$NODE" -o json | jq -r --arg k "nvidia.com/$1" '.metadata.labels[$k]'; }
fits() {                                                         # does the product's label name the partitions of CONFIG?
  if [ "$RESOURCE" != nvidia.com/gpu ]; then return 0; fi        # mixed: the resource itself names the size
  case "$CONFIG" in
    all-disabled) case "$(label gpu.product)" in *-MIG-*) return 1 ;; esac ;;
    all-*)        case "$(label gpu.product)" in *-MIG-"${CONFIG#all-}") ;; *) return 1 ;; esac ;;
  esac                                                           # a name of your own says nothing: compare the label yourself
  return 0
}
OLD=$(label mig.config); STATE=$(label mig.config.state)
if [ "$STATE" = pending ] || [ "$STATE" = rebooting ]; then
  echo "a change is running: $STATE; wait for it, then run this again"; exit 1
fi
kubectl label node "$NODE" nvidia.com/mig.config.state- || exit 1  # what is read from now on is new
kubectl label node "$NODE" nvidia.com/mig.config="$CONFIG" --overwrite || exit 1
if [ "$OLD" = "$CONFIG" ]; then                                  # no change, so MIG Manager would not see it
  kubectl delete pod -n "$NS" -l app=nvidia-mig-manager --field-selector spec.nodeName="$NODE"
fi
TRIES=80                                                         # 80 times 15 s: 20 minutes
for i in $(seq $TRIES); do
  STATE=$(label mig.config.state)
  HAVE=$(kubectl get node "$NODE" -o json | jq -r --arg r "$RESOURCE" '.status.allocatable[$r] // "0"')
  if [ "$STATE" = failed ]; then echo "failed: read MIG Manager's log"; exit 1; fi
  if [ "$STATE" = success ] && [ "$HAVE" = "$WANT" ] && fits; then
    echo "ready: $HAVE of $RESOURCE; now kubectl uncordon $NODE"; exit 0
  fi
  [ "$i" -lt $TRIES ] || echo "not ready after 20 minutes: state $STATE, $HAVE of $RESOURCE, $(label gpu.product)"
  sleep 15
done
exit 1
