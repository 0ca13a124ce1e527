package dotcontext

import "github.com/contextcompiler/context/internal/wire"

// This file answers calls of the tools that cannot be served because their
// arguments are wrong. A model sees such an answer and can mend its call.

// RefuseQuery is [Query] for a call with a wrong argument. The scope may be
// empty.
func RefuseQuery(scope string, err error) Answer {
	e := wire.Indented()
	e.BeginObject()
	e.Key("found")
	e.Bool(false)
	e.Key("scope")
	e.String(slashed(scope))
	return finishWith(e, err)
}

// RefuseCheck is [Check] for a call with a wrong argument. The scope may be
// empty.
func RefuseCheck(scope string, err error) Answer {
	e := wire.Indented()
	e.BeginObject()
	e.Key("scope")
	e.String(slashed(scope))
	e.Key("state")
	e.String(string(Missing))
	return finishWith(e, err)
}

// RefuseList is [List] for a call with a wrong argument.
func RefuseList(path string, err error) Answer {
	e := wire.Indented()
	e.BeginObject()
	e.Key("root")
	e.String(rootOf(path))
	encodeOverview(e, &Overview{})
	return finishWith(e, err)
}
