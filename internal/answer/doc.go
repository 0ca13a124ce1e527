// Package answer contains what answers from caches: the ranking, the answers as JSON and as
// Markdown, how good they are, and which links in them are dead. Its packages may import caches,
// pages and base. Start with answers.Open and agent.Ask.
package answer
