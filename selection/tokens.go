package selection

// bytesPerToken is how many bytes of content count as one token.
const bytesPerToken = 4

// TokensOf returns the tokens of a content of size bytes, rounded up.
func TokensOf(size int) uint64 {
	return (uint64(size) + bytesPerToken - 1) / bytesPerToken
}

// Totals are the numbers of a whole selection.
type Totals struct {
	Budget     uint64 `json:"budget"` // tokens
	TokensUsed uint64 `json:"tokens_used"`
	Considered int    `json:"documents_considered"` // items that could be selected
	Selected   int    `json:"documents_selected"`
	Excluded   int    `json:"documents_excluded_by_budget"`
}
