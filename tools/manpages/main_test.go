package main

import "testing"

func TestAPageHasTheTextOfTheHelp(t *testing.T) {
	const help = "Compile Markdown files.\n\n  context build --force\n\nUsage: context build [flags]\n\n.git stays out.\n\nFlags:\n  --force  replace C:\\old\n\nExit status 8: stale.\n"
	const want = `.TH CONTEXT\-BUILD 1 "2023-11-14" context Context
.SH NAME
context\-build \- Compile Markdown files
.SH DESCRIPTION
.nf

  context build \-\-force

.fi
.SH USAGE
.nf
context build [flags]

\&.git stays out.

.fi
.SH FLAGS
.nf

  \-\-force  replace C:\eold

Exit status 8: stale.
.fi
.SH SEE ALSO
context(1)
`
	if got := pageOf([]string{"context", "build"}, help, "2023-11-14"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
