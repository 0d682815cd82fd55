#!/bin/bash
set -euo pipefail

# How many.
LIMIT=3

# Prints usage.
usage() {
    cat <<EOF
usage: sample [-n N]
  # not a comment
EOF
}

# Adds two numbers.
function add {
    local first=$1
    if [ "$first" -gt "$LIMIT" ]; then
        echo "large"
    elif [ "$first" -eq 0 ]; then
        echo "zero"
    else
        echo "small"
    fi
    for item in a b c; do
        echo "$item"
    done
}

case "$1" in
    -n)
        add 1
        ;;
    *)
        usage
        ;;
esac
