package evaluation_test

import (
	"fmt"
	"log"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/evaluation"
)

// Score a ranking of two pages. resolve.RankEach makes such rankings from a cache.
func Example() {
	queries, err := evaluation.ParseQueries("queries.jsonl", []byte(`{"id": "1", "text": "how to install"}`))
	if err != nil {
		log.Fatal(err)
	}
	judgments, err := evaluation.ParseJudgments("qrels.tsv", []byte("1\tinstall.md\t1\n"))
	if err != nil {
		log.Fatal(err)
	}
	corpus := evaluation.Corpus{Documents: []document.ID{"intro.md", "install.md"}}
	task, err := evaluation.NewTask("qrels.tsv", queries, judgments, corpus, nil)
	if err != nil {
		log.Fatal(err)
	}
	best := []document.ID{"intro.md", "install.md"}
	report := task.Report([][]float64{task.Score(0, best, nil)}, nil)
	for _, m := range report.Measures {
		fmt.Println(m.Name, m.Value)
	}
	// Output:
	// ndcg@10 0.6309
	// recall@10 1.0000
	// recall@100 1.0000
	// mrr@10 0.5000
}
