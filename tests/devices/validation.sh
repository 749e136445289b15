#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a program under Vulkan's validation layer, which must have nothing to say: validation.sh PROGRAM ARGUMENTS...
# Where the layer is not installed the program runs without it: what it finds counts, and 77 says what was left out.
set -u
for folder in /usr/share /usr/local/share /etc; do
    [ -f "$folder/vulkan/explicit_layer.d/VkLayer_khronos_validation.json" ] && found=1
done
if [ -z "${found:-}" ]; then
    echo "the validation layer (vulkan-validationlayers) is not installed" >&2
    [ "${CI:-}" = true ] && exit 1
    "$@" || exit
    exit 77
fi
output=$(VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$@" 2>&1)
status=$?
printf '%s\n' "$output" | tail -n 20
if printf '%s\n' "$output" | grep -qE 'VUID|Validation|UNASSIGNED'; then
    echo 'the validation layer complained' >&2
    exit 1
fi
exit $status
