#!/bin/sh
# Starts the program for the processor of this machine: x86_64 or aarch64.
exec "$0-$(uname -m)" "$@"
