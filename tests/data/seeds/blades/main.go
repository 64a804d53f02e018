// SPDX-License-Identifier: MIT
// A program on blades with the document's own serializeSession and deserializeSession. It keeps one <id>.json a session
// in a directory, and reads commands from stdin, one JSON array a line; after each it prints one line:
//
//	["create", id]                saves a new session
//	["append", id, role, text]    loads, appends and saves
//	["state", id, name, value]    loads, sets and saves
//	["show", id]                  loads, and prints id, state and history
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"oracle/blades"
)

var dir = os.Args[1]

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func save(session blades.Session) {
	text, err := json.Marshal(serializeSession(session))
	check(err)
	check(os.WriteFile(filepath.Join(dir, session.ID()+".json"), text, 0o600))
}

func load(id string) blades.Session {
	text, err := os.ReadFile(filepath.Join(dir, id+".json"))
	check(err)
	var data SessionData
	check(json.Unmarshal(text, &data))
	session, err := deserializeSession(&data)
	check(err)
	return session
}

func show(session blades.Session) string {
	history := [][2]string{}
	for _, message := range session.History() {
		history = append(history, [2]string{string(message.Role), message.Text()})
	}
	text, err := json.Marshal(map[string]any{"id": session.ID(), "state": session.State(), "history": history})
	check(err)
	return string(text)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var command []any
		check(json.Unmarshal(lines.Bytes(), &command))
		id := command[1].(string)
		switch command[0] {
		case "create":
			save(NewRestoredSession(id, nil))
			fmt.Println("{}")
		case "append":
			session := load(id)
			message := blades.UserMessage(command[3].(string))
			if command[2] == "assistant" {
				message = blades.AssistantMessage(command[3].(string))
			}
			check(session.Append(context.Background(), message))
			save(session)
			fmt.Println("{}")
		case "state":
			session := load(id)
			session.SetState(command[2].(string), command[3])
			save(session)
			fmt.Println("{}")
		case "show":
			fmt.Println(show(load(id)))
		}
	}
}
