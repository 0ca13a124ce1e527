package selection

// bytesPerToken is the number of bytes of content that count as one token.
const bytesPerToken = 4

// TokensOf returns the number of tokens for size bytes of text, rounded up.
func TokensOf(size int) uint64 {
	return (uint64(size) + bytesPerToken - 1) / bytesPerToken
}

// Totals sum up a selection.
type Totals struct {
	Budget     uint64 `json:"budget"` // tokens
	TokensUsed uint64 `json:"tokens_used"`
	Considered int    `json:"documents_considered"` // items that the filter allows
	Selected   int    `json:"documents_selected"`
	Excluded   int    `json:"documents_excluded_by_budget"`
}
