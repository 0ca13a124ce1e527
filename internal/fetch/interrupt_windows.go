package fetch

import "os"

// interrupt ends a process: Windows cannot ask it to.
func interrupt(p *os.Process) error { return p.Kill() }
