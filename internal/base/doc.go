// Package base contains small packages without a subject of this product: files, locks, parallel
// work, JSON, YAML, TOML and the like. They may import only each other and package fault. Start
// with parallel.Each and package files.
package base
