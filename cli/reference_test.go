package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite docs/commands.md; review the diff")

// docs/commands.md equals the help of the program.
func TestTheReferenceIsUpToDate(t *testing.T) {
	const path = "../docs/commands.md"
	reference := referenceOf(completeRoot())
	if *update {
		if err := os.WriteFile(path, []byte(reference), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != reference {
		t.Errorf("%s is out of date: run go test ./cli -run Reference -update", path)
	}
}

const referenceHead = `# Commands

The commands of ` + "`context`" + `, by purpose. ` + "`context COMMAND --help`" + ` prints the flags, and ` + "`context help COMMAND`" + ` all of
what follows. [contract.md](contract.md) lists the exit statuses and the JSON that programs can rely on. This page is
written from the program: change the texts in cli, then run ` + "`go test ./cli -run Reference -update`" + `.

`

// referenceOf returns the page about the commands of a program.
func referenceOf(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(referenceHead + "| command | what it does |\n| --- | --- |\n")
	var commands []*cobra.Command
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "| **%s** | |\n", group.Title)
		for _, cmd := range commandsIn(root, group) {
			fmt.Fprintf(&b, "| [`%s`](#context-%[1]s) | %s |\n", cmd.Name(), cmd.Short)
			commands = append(commands, cmd)
		}
	}
	b.WriteString("\nEvery command also takes these flags:\n\n")
	writeFlags(&b, root.PersistentFlags())
	for _, cmd := range commands {
		writeCommand(&b, cmd)
	}
	b.WriteString("\n[mcp-context-server](contract.md#mcp) is a program of its own, whose `--help` lists its flags.\n")
	return b.String()
}

// linked matches a page of the documentation that help names.
var linked = regexp.MustCompile(`docs/([a-z]+\.md)(#[a-z-]+)?`)

func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n", cmd.CommandPath(), cmd.Short)
	if cmd.HasExample() { // cobra's completion has none
		fmt.Fprintf(b, "```\n%s\n```\n\n", dedent(cmd.Example))
	}
	fmt.Fprintf(b, "Usage: `%s`\n", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	for _, p := range paragraphsOf(longOf(cmd)) {
		text, block, hasBlock := strings.Cut(p, "\n\n")
		b.WriteString("\n" + linked.ReplaceAllString(strings.TrimSpace(text), "[$1]($1$2)") + "\n")
		if hasBlock {
			fmt.Fprintf(b, "\n```\n%s\n```\n", dedent(block))
		}
	}
	flags := cmd.LocalNonPersistentFlags()
	if flags.HasAvailableFlags() {
		b.WriteString("\n")
		writeFlags(b, flags)
	}
	if statuses := cmd.Annotations[exitKey]; statuses != "" {
		b.WriteString("\nExit status " + statuses + "\n")
	}
}

// dedent takes the indentation of help off the lines of a text.
func dedent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "  "), "\n  ", "\n")
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | default | meaning |\n| --- | --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		name, usage := flagLine(f)
		byDefault := defaultOf(f)
		if byDefault != "" {
			byDefault = "`" + byDefault + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, byDefault, usage)
	})
}
