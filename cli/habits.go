package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A habit is a flag that other programs use for something that ours does differently.
type habit struct {
	flags  string // names and shorthands, separated by spaces
	advice string
	only   string // commands, separated by spaces; "" means all with the flag that the advice begins with
}

// habits are in the order in which they are tried.
var habits = []habit{
	{"n line-number H with-filename", "lines always come with their numbers and pages", "grep"},
	{"e", "give PATTERN without a flag", "grep"},
	{"F fixed-strings", "PATTERN is an exact text unless you pass --regexp", "grep"},
	{"P perl-regexp w word-regexp", "--regexp reads PATTERN as RE2, which has \\b for the edge of a word", "grep"},
	{"v invert-match o only-matching c count l files-with-matches", "grep prints whole lines and counts them", "grep"},
	{"watch w", "run `context watch`", "build check new"},
	{"dry-run n", "--check writes nothing and lists what would change", ""},
	{"dry-run n", "`context status` lists what would change", "init rehash"},
	{"o output out outfile out-file", "--into FILE writes a file", ""},
	{"o output out outdir out-dir output-dir dest d", "--cache DIR names the directory to write", "build merge pull"},
	{"o output out outfile out-file", "redirect standard output with > FILE", "*"},
	{"v verbose debug", "--profile FILE writes what takes time", ""},
	{"v verbose debug log-level", "nothing is hidden: errors and warnings are on standard error", "*"},
	{"q quiet s silent", "redirect standard error with 2> FILE to hide warnings", "*"},
	{"json", "`context resolve` prints answers as JSON", "ask search"},
	{"json", "the output is JSON unless standard output is a terminal", "build check fetch trust add new push pull inspect verify store"},
	{"j parallel threads workers concurrency", "--jobs N works on N documents at once", ""},
	{"c config f", "--file FILE names another Contextfile.yml", ""},
	{"p port address addr listen host bind", "--http HOST:PORT serves over HTTP", ""},
	{"k top-k top n num max-results", "--limit N prints at most N", ""},
	{"max-tokens tokens", "--budget N bounds the tokens", ""},
	{"clean no-cache rebuild", "--no-reuse compiles everything again", ""},
	{"i input src dir", "--sources DIR names the pages", ""},
	{"y yes f overwrite", "--force replaces what exists", ""},
	{"r R recursive", "all pages of the caches are searched: choose pages with --path GLOB", "grep search ask"},
}

// habitFor says what to do instead of an unknown flag, or returns "".
func habitFor(cmd *cobra.Command, name string) string {
	if digits := strings.TrimRight(name, "0123456789"); len(digits) == 1 { // as in -j4
		name = digits
	}
	for _, h := range habits {
		flag, isFlag := strings.CutPrefix(strings.Fields(h.advice)[0], "--")
		fits := h.only == "*" || slices.Contains(strings.Fields(h.only), cmd.Name())
		if h.only == "" {
			fits = isFlag && cmd.Flags().Lookup(flag) != nil
		}
		if fits && slices.Contains(strings.Fields(h.flags), name) {
			return h.advice
		}
	}
	return ""
}
