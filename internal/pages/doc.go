// Package pages contains what a page is: how pages are found, read, converted to Markdown, cut into
// sections and split into terms. Its packages may import base and package document. They open no
// socket and no cache. Start with sources.Discover and sections.Cut.
package pages
