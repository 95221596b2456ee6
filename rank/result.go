package rank

// Schema names the version of Result's JSON.
const Schema = "rank/1"

// Signal is what one column says of one file.
type Signal struct {
	Raw  float64 `json:"raw"`  // the column's own unit
	Z    float64 `json:"z"`    // standard deviations above the pool's mean, clipped
	Part float64 `json:"part"` // weight × z, what it added to the score
}

// Header is the honest header of an answer.
type Header struct {
	NEff      float64 `json:"n_eff"`    // effective number of chunks, 1/Σŵ²
	K         int     `json:"k"`        // size of the nucleus in chunks
	Epsilon   float64 `json:"epsilon"`  // mass outside the nucleus
	Unpacked  float64 `json:"unpacked"` // mass outside the pack
	Tokens    int     `json:"tokens"`   // o200k tokens of the Markdown below the header
	Budget    int     `json:"budget"`
	Pool      int     `json:"pool"`   // files scored by every column
	Files     int     `json:"files"`  // files of the snapshot
	Chunks    int     `json:"chunks"` // chunks of the snapshot
	Intent    string  `json:"intent"` // ask | change
	Abstained bool    `json:"abstained"`
	// Confidence is the probability that the pack holds every file that the
	// task needs, as a body; absent when the answer abstained or is
	// made of less than the repository has (files or history that were not
	// read, for want of time or since they are not there).
	Confidence *float64 `json:"confidence,omitempty"`
	Mem        float64  `json:"mem,omitempty"`     // λ, how much of the order is the session's memory
	Missing    []string `json:"missing"`           // words of the task that the repository does not hold
	Nearest    []string `json:"nearest,omitempty"` // words it does hold, nearest to the missing
	Masked     int      `json:"masked"`            // secrets masked in what is shown
	Warnings   []string `json:"warnings"`
}

// File is one ranked file.
type File struct {
	Path     string            `json:"path"`
	PathB64  string            `json:"path_b64,omitempty"` // the exact bytes when Path is not UTF-8
	Rank     int               `json:"rank"`
	Score    float64           `json:"score"`
	Language string            `json:"language"`
	Role     string            `json:"role"`     // source | test | benchmark | example | documentation | vendored | generated | configuration | …
	Promoted bool              `json:"promoted"` // by a rare literal
	Signals  map[string]Signal `json:"signals"`  // by column id, and by group (its members' sum)
	Reason   string            `json:"reason"`   // the strongest parts in words, one line
}

// Item is one packed piece of a file. Lines are one-based and inclusive.
type Item struct {
	Path      string `json:"path"`
	PathB64   string `json:"path_b64,omitempty"`
	Tier      string `json:"tier"` // body | signature | path
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Symbol    string `json:"symbol"`
	Language  string `json:"language"`
	Tokens    int    `json:"tokens"`
	Text      string `json:"text"`      // verbatim source lines, masked; "" at tier path
	Shortened bool   `json:"shortened"` // the file holds more than is shown of it
	Exemplar  bool   `json:"exemplar"`
	FileLines int    `json:"file_lines"` // lines of the whole file
}

// LeftOut is a ranked file that the pack does not hold, and why.
type LeftOut struct {
	Path    string `json:"path"`
	PathB64 string `json:"path_b64,omitempty"` // the exact bytes when Path is not UTF-8
	Reason  string `json:"reason"`
}

// Result is the answer to one Request; its JSON is documented in doc/format.md.
type Result struct {
	Schema  string    `json:"schema"`
	Task    string    `json:"task"`
	Repo    string    `json:"repo"`
	Rev     string    `json:"rev"`   // commit id, "" in a repository without commits
	Dirty   bool      `json:"dirty"` // the ranked tree differs from Rev
	Header  Header    `json:"header"`
	Files   []File    `json:"files"`
	Pack    []Item    `json:"pack"` // grouped by file in rank order, in line order within
	LeftOut []LeftOut `json:"left_out"`

	signs Signs // what the confidence was computed from
}
