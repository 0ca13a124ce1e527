package model

// This file turns sources into the files of a cache. The only possible error is
// that sources share an ID.

import (
	"sort"
	"strconv"
	"strings"
)

// Build returns the files of the cache of sources. Its keys are slash paths below
// the cache, such as "manifest.json" or "documents/0123456789ab.json".
//
// sources must map each relative path, as found and with slashes, to the content of
// the file. createdAt is the text of created_at.
//
// The manifest and the index are complete. A document's file ends after the bytes
// `"metadata":`, since metadata is beyond the model, so tests only compare the
// beginning of the real file.
//
// The error names all sources that share an ID with another.
func Build(sources map[string]string, createdAt string) (map[string]string, error) {
	documents, err := documentsOf(sources)
	if err != nil {
		return nil, err
	}
	names := fileNames(documents)

	files := map[string]string{}
	files["manifest.json"] = manifest(documents, names, createdAt)
	files["index.json"] = index(documents, names)
	for _, d := range documents {
		files["documents/"+names[d.id]] = documentFile(d)
	}
	return files, nil
}

// CacheVersion returns the cache_version of documents, given as a map from id
// to version.
func CacheVersion(versions map[string]string) string {
	var ids []string
	for id := range versions {
		ids = append(ids, id)
	}
	sort.Strings(ids)

	var hashed strings.Builder
	hashed.WriteString(compactJSON(buildConfig()))
	for _, id := range ids {
		hashed.WriteString(id + ":" + versions[id])
	}
	return "sha256:" + hexSHA256(hashed.String())
}

func buildConfig() object {
	return object{
		{"version", "1"},
		{"hash_algorithm", "sha256"},
	}
}

func manifest(documents []document, names map[string]string, createdAt string) string {
	versions := map[string]string{}
	entries := array{}
	for _, d := range documents {
		versions[d.id] = d.version
		entries = append(entries, object{
			{"id", d.id},
			{"version", d.version},
			{"file", "documents/" + names[d.id]},
		})
	}
	return prettyJSON(object{
		{"cache_version", CacheVersion(versions)},
		{"build_config", buildConfig()},
		{"created_at", createdAt},
		{"document_count", number(strconv.Itoa(len(documents)))},
		{"documents", entries},
	}, "")
}

func index(documents []document, names map[string]string) string {
	entries := object{}
	for _, d := range documents {
		entries = append(entries, member{d.id, "documents/" + names[d.id]})
	}
	return prettyJSON(entries, "")
}

// documentFile returns the file of d up to where its metadata begins.
func documentFile(d document) string {
	whole := compactJSON(object{
		{"id", d.id},
		{"version", d.version},
		{"source", d.source},
		{"content", d.content},
		{"metadata", object{}},
	})
	return strings.TrimSuffix(whole, "{}}")
}

// fileNames returns the name below documents/ of every document, by id.
// documents are in the order of their ids.
func fileNames(documents []document) map[string]string {
	names := map[string]string{}
	taken := map[string]bool{}
	for _, d := range documents {
		digits := strings.TrimPrefix(d.version, "sha256:")
		stem := digits[:12]
		hash := hexSHA256(d.id)

		name := stem
		if taken[name] {
			name = stem + "-" + hash[:8]
		}
		// Two IDs with the same first 8 digits are rare, but possible.
		if taken[name] {
			name = stem + "-" + hash
		}
		taken[name] = true
		names[d.id] = name + ".json"
	}
	return names
}
