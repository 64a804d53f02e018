// Origin: the seed document of go-kratos/blades, section 1.2, steps 2 to 4, word for word. Only the package, the
// imports and this comment are ours.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"oracle/blades"
)

// 序列化结构
type SessionData struct {
    ID        string           `json:"id"`
    State     map[string]any   `json:"state"`
    History   []MessageData    `json:"history"`
    CreatedAt time.Time        `json:"created_at"`
    UpdatedAt time.Time        `json:"updated_at"`
    Version   int              `json:"version"`  // 用于数据结构迁移
}

// 消息数据结构（支持工具调用等扩展）
type MessageData struct {
    Role       string            `json:"role"`
    Text       string            `json:"text"`
    ToolCalls  []ToolCallData    `json:"tool_calls,omitempty"`
    ToolResult *ToolResultData   `json:"tool_result,omitempty"`
    Timestamp  time.Time         `json:"timestamp"`
    Metadata   map[string]any    `json:"metadata,omitempty"`
}

type ToolCallData struct {
    ID       string         `json:"id"`
    Name     string         `json:"name"`
    Args     map[string]any `json:"args"`
}

type ToolResultData struct {
    ToolCallID string `json:"tool_call_id"`
    Content    string `json:"content"`
}

const CurrentDataVersion = 1

// 序列化函数
func serializeSession(session blades.Session) *SessionData {
    history := session.History()
    messages := make([]MessageData, len(history))
    for i, msg := range history {
        messages[i] = MessageData{
            Role:      string(msg.Role),
            Text:      msg.Text(),
            Timestamp: time.Now(),  // 实际应从消息中获取
        }
    }
    return &SessionData{
        ID:        session.ID(),
        State:     session.State(),
        History:   messages,
        UpdatedAt: time.Now(),
        Version:   CurrentDataVersion,
    }
}

// RestoredSession 通过组合模式保持原有 Session ID
type RestoredSession struct {
    originalID string         // 持久化存储的原始 ID
    inner      blades.Session // 委托给原生实现
}

// NewRestoredSession 从持久化数据恢复 Session
func NewRestoredSession(id string, state blades.State) *RestoredSession {
    return &RestoredSession{
        originalID: id,
        inner:      blades.NewSession(state),
    }
}

// ID 返回原始 Session ID（不是 inner 生成的新 ID）
func (s *RestoredSession) ID() string {
    return s.originalID
}

// 以下方法直接委托给 inner 实现
func (s *RestoredSession) State() blades.State              { return s.inner.State() }
func (s *RestoredSession) SetState(key string, value any)   { s.inner.SetState(key, value) }
func (s *RestoredSession) History() []*blades.Message       { return s.inner.History() }
func (s *RestoredSession) Append(ctx context.Context, msg *blades.Message) error {
    return s.inner.Append(ctx, msg)
}

func deserializeSession(data *SessionData) (blades.Session, error) {
    // 使用 RestoredSession 保持原有 ID
    session := NewRestoredSession(data.ID, data.State)
    
    // 恢复历史消息
    ctx := context.Background()
    for _, msgData := range data.History {
        msg := reconstructMessage(msgData)
        if msg != nil {
            if err := session.Append(ctx, msg); err != nil {
                return nil, fmt.Errorf("failed to append message: %w", err)
            }
        }
    }
    return session, nil
}

// reconstructMessage 根据角色重建消息对象
func reconstructMessage(msgData MessageData) *blades.Message {
    switch blades.Role(msgData.Role) {
    case blades.RoleUser:
        return blades.UserMessage(msgData.Text)
    case blades.RoleAssistant:
        return blades.AssistantMessage(msgData.Text)
    case blades.RoleSystem:
        return blades.SystemMessage(msgData.Text)
    default:
        // 未知角色，记录警告日志
        log.Printf("unknown message role: %s", msgData.Role)
        return nil
    }
}
