#!/bin/sh
# Runs every fuzz target of the module for the time given, one after another:
# go test -fuzz takes one target at a time.
set -eu
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target"
		go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "${1:-1m}" -fuzzminimizetime 10x
	done
done
