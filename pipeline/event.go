package pipeline

// A Stage names a step of a build.
type Stage string

// The stages of a build. An idle worker is in Done.
const (
	Discover  Stage = "discover"
	Read      Stage = "read"
	Convert   Stage = "convert" // only for pages that are not Markdown
	Parse     Stage = "parse"
	Normalize Stage = "normalize"
	Hash      Stage = "hash"
	Index     Stage = "index"
	Write     Stage = "write"
	Done      Stage = "done"
	Seal      Stage = "seal"
)

// An Event says that a worker enters a stage and leaves the previous one. It contains no
// time, so an observer must read a clock itself to measure stages.
type Event struct {
	Stage  Stage
	Worker int    // 0 is the build itself; workers count from 1
	Source string // path of the document; "" if the stage covers all of them
	Total  int    // documents in the build; 0 before they are known
}

// An Observer receives every Event as it happens. It should return quickly and must be
// safe for concurrent use. It may be nil.
type Observer func(Event)

func (o Observer) enter(e Event) {
	if o != nil {
		o(e)
	}
}
