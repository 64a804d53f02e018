// SPDX-License-Identifier: MIT
// Package blades has as much of go-kratos/blades as the functions of its document use, with the names and signatures
// that they use.
package blades

import "context"

type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
)

type Message struct {
	Role Role
	text string
}

func (m *Message) Text() string             { return m.text }
func UserMessage(text string) *Message      { return &Message{RoleUser, text} }
func AssistantMessage(text string) *Message { return &Message{RoleAssistant, text} }
func SystemMessage(text string) *Message    { return &Message{RoleSystem, text} }

type State map[string]any

type Session interface {
	ID() string
	State() State
	SetState(key string, value any)
	History() []*Message
	Append(ctx context.Context, message *Message) error
}

type session struct {
	state   State
	history []*Message
}

// NewSession has an id of its own, which the document's RestoredSession replaces.
func NewSession(state State) Session {
	if state == nil {
		state = State{}
	}
	return &session{state: state}
}

func (s *session) ID() string                     { return "new" }
func (s *session) State() State                   { return s.state }
func (s *session) SetState(key string, value any) { s.state[key] = value }
func (s *session) History() []*Message            { return s.history }
func (s *session) Append(_ context.Context, message *Message) error {
	s.history = append(s.history, message)
	return nil
}
