--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: sessionkit; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA sessionkit;


--
-- Name: remove_entries(); Type: FUNCTION; Schema: sessionkit; Owner: -
--

CREATE FUNCTION sessionkit.remove_entries() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$ BEGIN
  EXECUTE format('DELETE FROM %I.entries WHERE session_id = $1', TG_TABLE_SCHEMA) USING OLD.session_id;
  RETURN NULL; END $_$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: entries; Type: TABLE; Schema: sessionkit; Owner: -
--

CREATE TABLE sessionkit.entries (
    session_id text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    entry_id text COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    link smallint NOT NULL,
    type text COLLATE pg_catalog."C",
    line text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: sessionkit_versions; Type: TABLE; Schema: sessionkit; Owner: -
--

CREATE TABLE sessionkit.sessionkit_versions (
    version integer NOT NULL,
    made timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: sessionkit; Owner: -
--

CREATE TABLE sessionkit.sessions (
    session_id text NOT NULL COLLATE pg_catalog."C",
    session_key text NOT NULL COLLATE pg_catalog."C",
    agent text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    archived boolean NOT NULL,
    updated_ms bigint NOT NULL,
    dialect text NOT NULL,
    log_end bigint NOT NULL,
    last_crc bigint NOT NULL,
    row_json text NOT NULL,
    updated_tick bigint NOT NULL
)
WITH (fillfactor='80');


--
-- Data for Name: entries; Type: TABLE DATA; Schema: sessionkit; Owner: -
--

INSERT INTO sessionkit.entries VALUES ('0123456789ab', 1, '0123456789ab', NULL, 0, 'session', '{"type":"session","version":3,"id":"0123456789ab","timestamp":"2026-01-01T00:00:01.000Z","cwd":"/work","key":"main:cli:ann","agent":"main","user":"ann"}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 2, 'e1', NULL, 0, 'message', '{"type":"message","id":"e1","parentId":null,"timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":[{"type":"text","text":"What is in config.json? Zażółć 🙂"}],"timestamp":1767225602000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 3, 'e2', 'e1', 2, 'message', '{"type":"message","id":"e2","parentId":"e1","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"A file is asked for.","thinkingSignature":"c2lnbmF0dXJl"},{"type":"text","text":"Let me look."},{"type":"toolCall","id":"tu_1","name":"read_file","arguments":{"path":"config.json","n":12345678901234567890}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-1","usage":{"input":100,"output":20,"cacheRead":3,"cacheWrite":4,"totalTokens":127,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","responseId":"req_1","timestamp":1767225603000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 4, 'e3', 'e2', 2, 'message', '{"type":"message","id":"e3","parentId":"e2","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"toolResult","toolCallId":"tu_1","toolName":"read_file","content":[{"type":"text","text":"{\"key\":\"value\"}\n"}],"isError":false,"timestamp":1767225604000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 5, 'e4', 'e3', 2, 'message', '{"type":"message","id":"e4","parentId":"e3","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"It holds a key."}],"api":"unknown","provider":"unknown","model":"unknown","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767225605000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 6, 'e5', 'e4', 2, 'session_info', '{"type":"session_info","id":"e5","parentId":"e4","timestamp":"2026-01-01T00:00:06.000Z","name":"Looking into a file"}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 7, 'e6', 'e5', 2, 'custom', '{"type":"custom","id":"e6","parentId":"e5","timestamp":"2026-01-01T00:00:07.000Z","customType":"sessionkit.state","data":{"set":{"count":3},"removed":[]}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 8, 'e7', 'e6', 2, 'custom', '{"type":"custom","id":"e7","parentId":"e6","timestamp":"2026-01-01T00:00:08.000Z","customType":"sessionkit.state","data":{"set":{"ratio":1.50},"removed":[]}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 9, 'e8', 'e7', 2, 'label', '{"type":"label","id":"e8","parentId":"e7","timestamp":"2026-01-01T00:00:09.000Z","targetId":"e1","label":"start"}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 10, 'e9', 'e8', 2, 'custom_message', '{"type":"custom_message","id":"e9","parentId":"e8","timestamp":"2026-01-01T00:00:10.000Z","customType":"note","content":[{"type":"text","text":"Mind the gap."}],"display":true}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 11, 'e10', 'e9', 2, 'model_change', '{"type":"model_change","id":"e10","parentId":"e9","timestamp":"2026-01-01T00:00:11.000Z","provider":"anthropic","modelId":"claude-2"}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 12, 'e11', 'e10', 2, 'message', '{"type":"message","id":"e11","parentId":"e10","timestamp":"2026-01-01T00:00:12.000Z","message":{"role":"user","content":[{"type":"text","text":"And what is this?"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"timestamp":1767225612000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 13, 'e12', 'e11', 2, 'message', '{"type":"message","id":"e12","parentId":"e11","timestamp":"2026-01-01T00:00:13.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Nothing \"else\"."}],"api":"unknown","provider":"unknown","model":"unknown","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767225613000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 14, 'e13', 'e12', 2, 'compaction', '{"type":"compaction","id":"e13","parentId":"e12","timestamp":"2026-01-01T00:00:14.000Z","summary":"They looked into config.json.\n\n<read-files>\nconfig.json\n</read-files>","firstKeptEntryId":"e10","tokensBefore":1348,"tokensAfter":1227,"details":{"readFiles":["config.json"],"modifiedFiles":[],"reason":"manual","lastSummarized":"e9"}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 15, 'e14', 'e13', 2, 'custom', '{"type":"custom","id":"e14","parentId":"e13","timestamp":"2026-01-01T00:00:15.000Z","customType":"sessionkit.compaction_breaker","data":{"why":"little_saved","tokens":1314,"limit":80000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 16, 'e15', 'e14', 2, 'message', '{"type":"message","id":"e15","parentId":"e14","timestamp":"2026-01-01T00:00:16.000Z","message":{"role":"user","content":[{"type":"text","text":"Thank you."}],"timestamp":1767225616000}}');
INSERT INTO sessionkit.entries VALUES ('0123456789ab', 17, 'e16', 'e15', 2, 'message', '{"type":"message","id":"e16","parentId":"e15","timestamp":"2026-01-01T00:00:17.000Z","message":{"role":"assistant","content":[{"type":"text","text":"You are welcome."}],"api":"unknown","provider":"unknown","model":"unknown","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767225617000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 1, 'cafe00000001', NULL, 0, 'session', '{"type":"session","version":3,"id":"cafe00000001","timestamp":"2026-01-01T00:00:18.000Z","cwd":"/work","parentSession":"0123456789ab","key":"main:cli:bob","agent":"main","user":"ann","copied":16}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 2, 'e1', NULL, 0, 'message', '{"type":"message","id":"e1","parentId":null,"timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":[{"type":"text","text":"What is in config.json? Zażółć 🙂"}],"timestamp":1767225602000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 3, 'e2', 'e1', 2, 'message', '{"type":"message","id":"e2","parentId":"e1","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"A file is asked for.","thinkingSignature":"c2lnbmF0dXJl"},{"type":"text","text":"Let me look."},{"type":"toolCall","id":"tu_1","name":"read_file","arguments":{"path":"config.json","n":12345678901234567890}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-1","usage":{"input":100,"output":20,"cacheRead":3,"cacheWrite":4,"totalTokens":127,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","responseId":"req_1","timestamp":1767225603000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 4, 'e3', 'e2', 2, 'message', '{"type":"message","id":"e3","parentId":"e2","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"toolResult","toolCallId":"tu_1","toolName":"read_file","content":[{"type":"text","text":"{\"key\":\"value\"}\n"}],"isError":false,"timestamp":1767225604000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 5, 'e4', 'e3', 2, 'message', '{"type":"message","id":"e4","parentId":"e3","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"It holds a key."}],"api":"unknown","provider":"unknown","model":"unknown","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767225605000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 6, 'e5', 'e4', 2, 'session_info', '{"type":"session_info","id":"e5","parentId":"e4","timestamp":"2026-01-01T00:00:06.000Z","name":"Looking into a file"}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 7, 'e6', 'e5', 2, 'custom', '{"type":"custom","id":"e6","parentId":"e5","timestamp":"2026-01-01T00:00:07.000Z","customType":"sessionkit.state","data":{"set":{"count":3},"removed":[]}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 8, 'e7', 'e6', 2, 'custom', '{"type":"custom","id":"e7","parentId":"e6","timestamp":"2026-01-01T00:00:08.000Z","customType":"sessionkit.state","data":{"set":{"ratio":1.50},"removed":[]}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 9, 'e8', 'e7', 2, 'label', '{"type":"label","id":"e8","parentId":"e7","timestamp":"2026-01-01T00:00:09.000Z","targetId":"e1","label":"start"}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 10, 'e9', 'e8', 2, 'custom_message', '{"type":"custom_message","id":"e9","parentId":"e8","timestamp":"2026-01-01T00:00:10.000Z","customType":"note","content":[{"type":"text","text":"Mind the gap."}],"display":true}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 11, 'e10', 'e9', 2, 'model_change', '{"type":"model_change","id":"e10","parentId":"e9","timestamp":"2026-01-01T00:00:11.000Z","provider":"anthropic","modelId":"claude-2"}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 12, 'e11', 'e10', 2, 'message', '{"type":"message","id":"e11","parentId":"e10","timestamp":"2026-01-01T00:00:12.000Z","message":{"role":"user","content":[{"type":"text","text":"And what is this?"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"timestamp":1767225612000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 13, 'e12', 'e11', 2, 'message', '{"type":"message","id":"e12","parentId":"e11","timestamp":"2026-01-01T00:00:13.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Nothing \"else\"."}],"api":"unknown","provider":"unknown","model":"unknown","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767225613000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 14, 'e13', 'e12', 2, 'compaction', '{"type":"compaction","id":"e13","parentId":"e12","timestamp":"2026-01-01T00:00:14.000Z","summary":"They looked into config.json.\n\n<read-files>\nconfig.json\n</read-files>","firstKeptEntryId":"e10","tokensBefore":1348,"tokensAfter":1227,"details":{"readFiles":["config.json"],"modifiedFiles":[],"reason":"manual","lastSummarized":"e9"}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 15, 'e14', 'e13', 2, 'custom', '{"type":"custom","id":"e14","parentId":"e13","timestamp":"2026-01-01T00:00:15.000Z","customType":"sessionkit.compaction_breaker","data":{"why":"little_saved","tokens":1314,"limit":80000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 16, 'e15', 'e14', 2, 'message', '{"type":"message","id":"e15","parentId":"e14","timestamp":"2026-01-01T00:00:16.000Z","message":{"role":"user","content":[{"type":"text","text":"Thank you."}],"timestamp":1767225616000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 17, 'e16', 'e15', 2, 'message', '{"type":"message","id":"e16","parentId":"e15","timestamp":"2026-01-01T00:00:17.000Z","message":{"role":"assistant","content":[{"type":"text","text":"You are welcome."}],"api":"unknown","provider":"unknown","model":"unknown","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767225617000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 18, 'e17', 'e16', 2, 'message', '{"type":"message","id":"e17","parentId":"e16","timestamp":"2026-01-01T00:00:19.000Z","message":{"role":"user","content":[{"type":"text","text":"And now?"}],"timestamp":1767225619000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 19, 'e18', 'e17', 2, 'message', '{"type":"message","id":"e18","parentId":"e17","timestamp":"2026-01-01T00:00:20.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Another way."}],"api":"unknown","provider":"unknown","model":"unknown","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767225620000}}');
INSERT INTO sessionkit.entries VALUES ('cafe00000001', 20, 'e19', 'e18', 2, 'custom', '{"type":"custom","id":"e19","parentId":"e18","timestamp":"2026-01-01T00:00:21.000Z","customType":"sessionkit.archived","data":{"archived":true}}');


--
-- Data for Name: sessionkit_versions; Type: TABLE DATA; Schema: sessionkit; Owner: -
--

INSERT INTO sessionkit.sessionkit_versions VALUES (1, '2026-11-23 07:03:12.500956+00');
INSERT INTO sessionkit.sessionkit_versions VALUES (2, '2026-11-23 07:03:12.500956+00');


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: sessionkit; Owner: -
--

INSERT INTO sessionkit.sessions VALUES ('cafe00000001', 'main:cli:bob', 'main', 'ann', 'Looking into a file', true, 1767225621000, 'native', 20, 805723047, '{"id":"cafe00000001","agentId":"main","filePath":"cafe00000001.jsonl","title":"Looking into a file","messageCount":10,"createdAt":1767225618000,"lastAt":1767225621000,"tokenEstimate":1239,"titleSet":true,"titleByPerson":true,"archived":true,"key":"main:cli:bob","user":"ann","cwd":"/work","parentSession":"0123456789ab","firstUserText":"What is in config.json? Zażółć 🙂","provider":"anthropic","model":"claude-2","entries":19,"turns":4,"copied":16,"sinceCompaction":4,"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"state":{"count":3,"ratio":1.50},"labels":{"e1":"start"},"lastEntry":"e19","end":20,"endCrc":805723047,"titleOverridden":true}', 215725783);
INSERT INTO sessionkit.sessions VALUES ('0123456789ab', 'main:cli:ann', 'main', 'ann', 'Looking into a file', false, 1767225617000, 'native', 17, 1252481336, '{"id":"0123456789ab","agentId":"main","filePath":"0123456789ab.jsonl","title":"Looking into a file","messageCount":8,"createdAt":1767225601000,"lastAt":1767225617000,"tokenEstimate":1234,"titleSet":true,"titleByPerson":true,"key":"main:cli:ann","user":"ann","cwd":"/work","firstUserText":"What is in config.json? Zażółć 🙂","provider":"anthropic","model":"claude-2","entries":16,"turns":3,"sinceCompaction":2,"usage":{"input":100,"output":20,"cacheRead":3,"cacheWrite":4},"requests":["req_1"],"state":{"count":3,"ratio":1.50},"labels":{"e1":"start"},"lastEntry":"e16","end":17,"endCrc":1252481336,"titleOverridden":true}', 215725783);


--
-- Name: entries entries_pkey; Type: CONSTRAINT; Schema: sessionkit; Owner: -
--

ALTER TABLE ONLY sessionkit.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (session_id, "position");


--
-- Name: sessionkit_versions sessionkit_versions_pkey; Type: CONSTRAINT; Schema: sessionkit; Owner: -
--

ALTER TABLE ONLY sessionkit.sessionkit_versions
    ADD CONSTRAINT sessionkit_versions_pkey PRIMARY KEY (version);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: sessionkit; Owner: -
--

ALTER TABLE ONLY sessionkit.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (session_id);


--
-- Name: sessions_by_agent; Type: INDEX; Schema: sessionkit; Owner: -
--

CREATE INDEX sessions_by_agent ON sessionkit.sessions USING btree ("left"(agent, 200), ((~ updated_tick)));


--
-- Name: sessions_by_key; Type: INDEX; Schema: sessionkit; Owner: -
--

CREATE INDEX sessions_by_key ON sessionkit.sessions USING btree ("left"(session_key, 200), ((~ updated_tick)));


--
-- Name: sessions_by_time; Type: INDEX; Schema: sessionkit; Owner: -
--

CREATE INDEX sessions_by_time ON sessionkit.sessions USING btree (updated_tick DESC);


--
-- Name: sessions_by_user; Type: INDEX; Schema: sessionkit; Owner: -
--

CREATE INDEX sessions_by_user ON sessionkit.sessions USING btree ("left"(user_id, 200), ((~ updated_tick)));


--
-- Name: sessions session_removed; Type: TRIGGER; Schema: sessionkit; Owner: -
--

CREATE TRIGGER session_removed AFTER DELETE ON sessionkit.sessions FOR EACH ROW EXECUTE FUNCTION sessionkit.remove_entries();


--
-- PostgreSQL database dump complete
--


