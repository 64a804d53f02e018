CREATE TABLE session_index(session_key TEXT PRIMARY KEY, active_session_id TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active',
  title TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
  content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_state(session_id TEXT NOT NULL, key TEXT NOT NULL, value_json TEXT NOT NULL, updated_at TEXT NOT NULL,
  PRIMARY KEY(session_id, key));
PRAGMA user_version = 7;
INSERT INTO session_index VALUES('direct:telegram:42', 'z1', '2025-03-01T10:00:03+00:00');
INSERT INTO sessions(session_id, session_key, created_at, updated_at)
  VALUES('z1', 'direct:telegram:42', '2025-03-01T10:00:00+00:00', '2025-03-01T10:00:03+00:00');
INSERT INTO session_messages(session_id, role, content, created_at) VALUES
  ('z1', 'user', 'Good morning', '2025-03-01T10:00:00+00:00'),
  ('z1', 'assistant', 'Good morning. What shall we do?', '2025-03-01T10:00:01+00:00'),
  ('z1', 'assistant', '[Session Compaction Summary]
They greeted each other.', '2025-03-01T10:00:02+00:00'),
  ('z1', 'user', 'Plan the day', '2025-03-01T10:00:03+00:00'),
  ('z1', 'assistant', 'First breakfast.', '2025-03-01T10:00:03+00:00');
INSERT INTO session_state VALUES('z1', 'compaction_after_message_id', '2', '2025-03-01T10:00:02+00:00');
