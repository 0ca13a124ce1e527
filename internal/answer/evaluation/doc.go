// Package evaluation scores a cache against queries with relevance judgments. It is
// pure, because the caller reads the files and asks the cache. Start with
// [NewTask].
//
//	ParseQueries ──┐
//	               ├→ NewTask → ( Task.Score, once a query ) → Task.Report → TaskReport.Check
//	ParseJudgments ┘
//
// Its measures are some of trec_eval's, and budgeted recall, our own measure of the
// bundle that fits a budget (docs/evaluation.md).
//
// # Determinism
//
// The same files and the same answers result in the same report on every platform.
// For this, sums follow the order of the queries, logarithms are constants, and
// measures are rounded to four digits before they are compared or printed.
package evaluation
