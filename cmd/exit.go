package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cohop/agent"
	"cohop/internal/config"
	"cohop/internal/git"
	"cohop/rank"
)

// The exit codes.
const (
	exitDone          = 0
	exitFailed        = 1
	exitUsage         = 2
	exitNotRepository = 3
	exitAbstained     = 4
)

// usageError is a command line that cannot be meant; hint says what can.
type usageError struct{ text, hint string }

func (e *usageError) Error() string { return e.text }

// hinted is an error with its remedy.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }

// said ends a command with a code when everything has been said already.
type said int

func (said) Error() string { return "" }

// exitCode is the one place where errors become exit codes.
func exitCode(err error) int {
	var usage *usageError
	var request *rank.UsageError
	var served *agent.UsageError
	var settings *config.Error
	var code said
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage), errors.As(err, &request), errors.As(err, &served), errors.As(err, &settings),
		errors.Is(err, git.ErrNoFolder), errors.Is(err, git.ErrUnknownRevision), errors.Is(err, git.ErrAmbiguous), errors.Is(err, git.ErrNoCommits):
		return exitUsage
	case errors.Is(err, git.ErrNotRepository), errors.Is(err, git.ErrUnsupported):
		return exitNotRepository
	case errors.Is(err, rank.ErrAbstained):
		return exitAbstained
	}
	return exitFailed
}

// remedy says what to do about an error, "" if that is not known.
func remedy(err error) string {
	var usage *usageError
	var known *hinted
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &known):
		return known.hint
	case errors.Is(err, git.ErrNotRepository):
		return "run it in a git repository, or name one: --repo DIR"
	case errors.Is(err, git.ErrUnknownRevision):
		return "--rev takes a branch, a tag or a commit that this clone holds; git log --all --oneline lists them"
	case errors.Is(err, git.ErrAmbiguous):
		return "give more digits of the commit"
	case errors.Is(err, git.ErrNoCommits):
		return "rank the working tree instead: leave out --rev"
	case errors.Is(err, git.ErrNoFolder):
		return "--root takes a folder of the ranked tree, as seen from its top"
	case errors.Is(err, git.ErrMissing), errors.Is(err, git.ErrCorrupt):
		return "git fsck says what lacks; git fetch --refetch --no-filter, or a new clone, has it"
	case errors.Is(err, context.DeadlineExceeded):
		return "run rank index once beforehand, or give a longer --deadline"
	}
	return ""
}

// report says what went wrong and returns the exit code.
func report(stderr io.Writer, err error) int {
	code := exitCode(err)
	if code == exitDone {
		return code
	}
	switch text := err.Error(); {
	case text == "":
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "rank: interrupted")
	default:
		fmt.Fprintf(stderr, "rank: %s\n", printableText(text))
		if hint := remedy(err); hint != "" {
			fmt.Fprintf(stderr, "  %s\n", hint)
		}
	}
	return code
}
