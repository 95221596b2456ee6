//go:build !linux

package repo

import "os"

// endsAll says that endGroup reaches all that a program started. Here it does
// not, and the program is given time to end the go command itself.
const endsAll = false

// endGroup ends a program.
func endGroup(p *os.Process) { _ = p.Kill() }

// endOthers has no way to: go/packages ends what it runs.
func endOthers() {}
