package git

// Repo is an opened repository. It is safe for concurrent use.
type Repo struct {
	Dir       string // git directory: HEAD and index
	CommonDir string // shared by linked worktrees: objects, refs, config; otherwise Dir
	Worktree  string // top of the working tree; "" when bare
	Bare      bool   // there is no working tree
	Shallow   bool   // history is cut off
	Partial   bool   // a partial clone: objects may be missing
	Linked    bool   // a linked worktree
}

// Open finds the repository that path is in, going upwards from path to the
// root of the file system.
func Open(path string) (*Repo, error) { panic("later") }

// Close unmaps what is mapped. No Reader may be used afterwards.
func (r *Repo) Close() error { panic("later") }

// Warnings says what of the repository is not here, each once, sorted.
func (r *Repo) Warnings() []string { panic("later") }

// Resolve gives the commit that a revision names.
func (r *Repo) Resolve(rev string) (OID, error) { panic("later") }

// Head gives HEAD's commit and the full name of its branch, "" when detached.
func (r *Repo) Head() (id OID, ref string, err error) { panic("later") }
