package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/selection"
)

// An addedQuery is the output of eval --add.
type addedQuery struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Right   []string `json:"right"`
	Queries string   `json:"queries"`
	Qrels   string   `json:"qrels"`
}

// addJudged appends a query and its right answers to the files of eval.
func addJudged(cmd *cobra.Command, typed *evalFlags) error {
	if err := typed.checkAdd(cmd); err != nil {
		return err
	}
	query, err := selection.ParseQuery(typed.add)
	if err != nil {
		return err
	}
	queriesFile, qrelsFile, err := typed.files(cmd)
	if err != nil {
		return err
	}
	_, unlock, err := files.LockDirectory(cmd.Context(), filepath.Dir(queriesFile))
	defer unlock()
	if err != nil {
		return fault.Errorf(fault.IO, "--queries %s: %w", queriesFile, err)
	}
	queries, err := readToAppend(cmd.Context(), "--queries", queriesFile)
	if err != nil {
		return err
	}
	qrels, err := readToAppend(cmd.Context(), "--qrels", qrelsFile)
	if err != nil {
		return err
	}
	if isSameFile(queriesFile, qrelsFile) {
		return usagef("--queries and --qrels name the same file: queries and judgments need a file each")
	}
	asked, err := typed.cache.open(cmd)
	if err != nil {
		return err
	}
	defer asked.close()
	corpus, err := targets.CorpusOf(asked.members[0].Cache)
	if err != nil {
		return asked.blame(cmd, err)
	}
	id, newQueries, newQrels, err := evaluation.Add(queries.TaskFile, qrels.TaskFile, query, typed.right, corpus)
	if err != nil {
		return asked.blame(cmd, fault.Errorf(fault.IO, "%w", err))
	}
	if err := cmp.Or(qrels.checkSize(newQrels), queries.checkSize(newQueries)); err != nil {
		return err
	}
	// A judgment without its query does no harm, so the judgments come first.
	if err := replaceFiles(writtenFile{qrels.Name, newQrels, 0o644}, writtenFile{queries.Name, newQueries, 0o644}); err != nil {
		return err
	}
	return print(cmd, append(wire.Marshal(addedQuery{id, typed.add, typed.right, queriesFile, qrelsFile}), '\n'))
}

// isSameFile reports whether two paths lead to the same file, even if it doesn't exist
// yet.
func isSameFile(one, other string) bool {
	first, err1 := os.Stat(one)
	second, err2 := os.Stat(other)
	if err1 == nil && err2 == nil {
		return os.SameFile(first, second)
	}
	one, err1 = filepath.Abs(one)
	other, err2 = filepath.Abs(other)
	return err1 == nil && err2 == nil && one == other
}

// checkAdd refuses flags unused by --add, and chooses the cache.
func (typed *evalFlags) checkAdd(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("add") {
		return usagef("--right needs --add TEXT")
	}
	if strings.TrimSpace(typed.add) == "" {
		return usagef("--add is empty: write the query")
	}
	if len(typed.right) == 0 {
		return usagef("missing --right DOCUMENT: name the page or section that answers the query")
	}
	for _, flag := range []string{
		"baseline", "tolerance", "fail-under", "budget", "each", "all", "format", "selection", "unit", "path", "where", "min-score", "jobs",
	} {
		if cmd.Flags().Changed(flag) {
			return usagef("--add measures nothing: leave out --%s", flag)
		}
	}
	return typed.check(cmd)
}

// A fileToAppend is a file to add a line to. It may not exist yet.
type fileToAppend struct{ evaluation.TaskFile }

func readToAppend(ctx context.Context, flag, path string) (f fileToAppend, err error) {
	f = fileToAppend{evaluation.TaskFile{Name: path}}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, fault.Errorf(fault.IO, "%s %s: %w", flag, path, fault.Cause(err))
	case !info.Mode().IsRegular():
		return f, fault.Errorf(fault.IO, "%s %s: not a regular file, so nothing can be appended", flag, path)
	}
	if f.Data, err = files.ReadInput(ctx, path, targets.MaxInputSize); err != nil {
		return f, cmp.Or(context.Cause(ctx), fault.Errorf(fault.IO, "%s %s: %w", flag, path, fault.Cause(err)))
	}
	return f, nil
}

// checkSize refuses data if eval couldn't read it again, because of its size.
func (f fileToAppend) checkSize(data []byte) error {
	if len(data) > targets.MaxInputSize {
		return fault.Errorf(fault.IO, "%s: too large with another line: more than %d bytes", f.Name, targets.MaxInputSize)
	}
	return nil
}
