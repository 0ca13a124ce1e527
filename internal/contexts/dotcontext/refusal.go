package dotcontext

// The functions below answer calls of the tools with wrong arguments. A model sees
// the answer and can correct its call.

// RefuseQuery is [Query] for a call with a wrong argument. The scope may be empty.
func RefuseQuery(scope string, err error) ToolAnswer {
	return answerOf(queryAnswer{Scope: slashed(scope), Error: err.Error()}, err)
}

// RefuseCheck is [Check] for a call with a wrong argument. The scope may be empty.
func RefuseCheck(scope string, err error) ToolAnswer {
	return answerOf(checkAnswer{Scope: slashed(scope), State: Missing, Error: err.Error()}, err)
}

// RefuseList is [List] for a call with a wrong argument.
func RefuseList(path string, err error) ToolAnswer {
	return answerOf(listAnswer{Root: rootOf(path), Error: err.Error()}, err)
}
