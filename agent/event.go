package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Clients that have hooks.
const (
	Claude  = "claude"
	Codex   = "codex"
	Gemini  = "gemini"
	Cursor  = "cursor"
	Copilot = "copilot"
)

// HookClients are the clients that Hook answers.
var HookClients = []string{Claude, Codex, Gemini, Cursor, Copilot}

// kind is what an event means to us.
type kind int

const (
	deaf     kind = iota // known, but the client takes no context with it
	prompted             // the user said something
	started              // a session begins
	branched             // a helper of the session begins, with a context of its own
	tooling              // a tool is about to be called
)

// kinds are the events of each client by name.
var kinds = map[string]map[string]kind{
	Claude: {"UserPromptSubmit": prompted, "SessionStart": started, "SubagentStart": branched, "PreToolUse": tooling,
		"PostToolUse": deaf, "Stop": deaf, "SubagentStop": deaf, "Notification": deaf, "PreCompact": deaf, "SessionEnd": deaf},
	Codex: {"UserPromptSubmit": prompted, "SessionStart": started, "SubagentStart": branched,
		"PreToolUse": deaf, "PostToolUse": deaf, "Stop": deaf},
	Gemini: {"BeforeAgent": prompted, "SessionStart": started,
		"AfterAgent": deaf, "BeforeModel": deaf, "AfterModel": deaf, "BeforeTool": deaf, "AfterTool": deaf, "SessionEnd": deaf, "PreCompress": deaf, "Notification": deaf},
	Cursor:  {"sessionStart": started, "beforeSubmitPrompt": deaf, "sessionEnd": deaf, "stop": deaf},
	Copilot: {"SessionStart": started, "sessionStart": started, "UserPromptSubmit": deaf, "userPromptSubmitted": deaf, "PreToolUse": deaf, "preToolUse": deaf, "sessionEnd": deaf},
}

// helpers are the tools that start a helper with a prompt of its own.
var helpers = []string{"Task", "Agent"}

// event is one call of a hook, whatever the client calls its fields.
type event struct {
	name    string
	kind    kind
	session string
	cwd     string
	prompt  string
	source  string // of a start: startup, resume, clear, compact, new
	camel   bool   // the client names events in camelCase
}

// errEvent is what a client sent and we cannot use.
var errEvent = errors.New("the event cannot be used")

// parseEvent reads a client's event. Keys that are not known are passed over:
// clients add some with every version.
func parseEvent(client string, b []byte) (*event, error) {
	known, ok := kinds[client]
	if !ok {
		return nil, fmt.Errorf("%w: no client is called %q: there are %s", errEvent, client, strings.Join(HookClients, ", "))
	}
	var raw map[string]json.RawMessage
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) // what some shells put before a pipe's text
	if err := json.Unmarshal(b, &raw); err != nil {
		return nil, fmt.Errorf("%w: stdin is no JSON object (%v)", errEvent, jsonReason(err))
	}
	text := func(keys ...string) string {
		for _, k := range keys {
			var s string
			if v, ok := raw[k]; ok && json.Unmarshal(v, &s) == nil && s != "" {
				return s
			}
		}
		return ""
	}
	e := &event{
		name:    text("hook_event_name", "hookEventName"),
		session: text("session_id", "sessionId", "conversation_id", "conversationId"),
		cwd:     text("cwd"),
		prompt:  text("prompt", "initialPrompt", "initial_prompt", "user_prompt"),
		source:  text("source"),
	}
	if e.name == "" && client == Copilot && (raw["source"] != nil || raw["initialPrompt"] != nil) {
		e.name = "sessionStart" // its own format carries no name
	}
	if e.name == "" && client == Cursor && raw["session_id"] != nil && raw["prompt"] == nil {
		e.name = "sessionStart"
	}
	if e.kind, ok = known[e.name]; !ok {
		if e.name == "" {
			return nil, fmt.Errorf("%w: it has no hook_event_name: %s has %s", errEvent, client, eventsOf(client))
		}
		return nil, fmt.Errorf("%w: %s has no event %.40q: it has %s", errEvent, client, e.name, eventsOf(client))
	}
	e.camel = strings.ToLower(e.name[:1]) == e.name[:1]
	if e.cwd == "" {
		var roots []string
		for _, k := range []string{"workspace_roots", "workspaceRoots"} {
			if json.Unmarshal(raw[k], &roots) == nil && len(roots) > 0 {
				e.cwd = roots[0]
			}
		}
	}
	if e.kind == tooling {
		var in struct {
			Prompt string `json:"prompt"`
		}
		if slices.Contains(helpers, text("tool_name", "toolName")) {
			_ = json.Unmarshal(raw["tool_input"], &in) // what is no prompt is none
		}
		if e.prompt = in.Prompt; e.prompt == "" {
			e.kind = deaf
		}
	}
	if e.kind == prompted && strings.TrimSpace(e.prompt) == "" {
		return nil, fmt.Errorf("%w: %s without a prompt", errEvent, e.name)
	}
	return e, nil
}

// eventsOf lists a client's events.
func eventsOf(client string) string {
	return strings.Join(slices.Sorted(maps.Keys(kinds[client])), ", ")
}

// jsonReason says what is wrong with a document without quoting it.
func jsonReason(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return "it is a " + kind.Value
	}
	return "it ends too soon"
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// answer puts a text into the shape that the client takes context in.
func (e *event) answer(client, text string) ([]byte, error) {
	var v any
	switch {
	case client == Cursor:
		v = struct {
			Context  string `json:"additional_context"`
			Continue bool   `json:"continue"`
		}{text, true}
	case client == Copilot && e.camel:
		v = struct {
			Context string `json:"additionalContext"`
		}{text}
	default:
		v = struct {
			Specific specific `json:"hookSpecificOutput"`
		}{specific{e.name, text}}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return []byte(b.String()), err
}
