package agent

import (
	"strings"
	"unicode"
)

// small are the words of prompts that only acknowledge, go on, or ask for
// housekeeping. A prompt of nothing else names nothing in a repository.
var small = set(`
	a again ahead all alright also an and any anyway as at away awesome back be better both brilliant but bye can carry changes changed
	cheers commit commits continue cool correct could create did do does done don't either else enough everything
	exactly excellent fair fine first fix for forget get give go good got great ha hello hey hi hm hmm hold i i'm it it's
	its just keep lgtm let let's like looks love make makes maybe me merge mind minute moment more morning my need
	never new next nice no nope not nothing now of off oh ok okay on one oops open or ours perfect please pr proceed pull
	push rebase redo request retry revert right run said same see send sense ship sorry stash still stop super sure
	thank thanks that that's thats the them then these they thing things think this those thx to too try two undo
	up us very wait was we well were what's when will with wonderful wow work worked working works would wrong y ya
	yeah yep yes yet you your yup amend squash branch
`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// chores are prompts that tell the client to do what needs no file.
var chores = []string{"run the tests", "run tests", "run all tests", "run the test suite", "run the linter", "run lint", "rerun the tests",
	"write a commit message", "commit and push", "create a pull request", "open a pull request", "summarize this conversation", "how are you", "who are you", "what can you do", "good night", "git status", "git diff", "git log", "clear", "compact"}

// idle tells whether a prompt has nothing to rank: it is a command to the
// client, or made of small words alone.
func idle(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	if prompt == "" || prompt[0] == '!' {
		return true
	}
	if prompt[0] == '/' { // a command, unless it is a path
		first, _, _ := strings.Cut(prompt, " ")
		if !strings.ContainsAny(first[1:], "/.") {
			return true
		}
	}
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '_' && r != '-' && r != '’'
	})
	whole := strings.Join(words, " ")
	for _, c := range chores {
		if whole == c || whole == c+" please" || whole == "please "+c || whole == c+" again" {
			return true
		}
	}
	for _, w := range words {
		w = strings.Trim(strings.ReplaceAll(w, "’", "'"), "'-_")
		if !small[w] {
			return false
		}
	}
	return true
}
