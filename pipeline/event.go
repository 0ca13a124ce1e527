package pipeline

// A Stage names a step of a build.
type Stage string

// The stages of a build. A worker that has nothing to do is in Done.
const (
	Discover  Stage = "discover"
	Read      Stage = "read"
	Parse     Stage = "parse"
	Normalize Stage = "normalize"
	Hash      Stage = "hash"
	Index     Stage = "index"
	Write     Stage = "write"
	Done      Stage = "done"
	Seal      Stage = "seal"
)

// An Event says that a worker enters a stage and leaves the one before. It has no time:
// an observer that measures stages reads a clock itself.
type Event struct {
	Stage  Stage
	Worker int    // 0 is the build itself; documents are compiled by 1 and up
	Source string // path of the document; "" if the stage is about them all
	Total  int    // documents of the build; 0 before they are known
}

// An Observer is called with every Event as it happens. It must be quick and safe for
// concurrent use. A nil Observer is valid.
type Observer func(Event)

func (o Observer) enter(e Event) {
	if o != nil {
		o(e)
	}
}
