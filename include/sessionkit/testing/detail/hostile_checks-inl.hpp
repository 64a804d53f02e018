// SPDX-License-Identifier: MIT
// Checks names, texts and lines that try to break quoting, paths and encodings.
#pragma once
#include <sessionkit/testing/detail/hostile_checks.hpp>

#include <algorithm>
#include <map>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace hostile_checks_inl { namespace {

// Texts that break quoting, paths, patterns, key grammars and encodings; all of them UTF-8.
std::vector<std::string> const& hostile_texts() {
  static std::vector<std::string> const texts{"'; DROP TABLE sessions; --",
                                              "\" OR 1=1",
                                              "%",
                                              "_",
                                              "*",
                                              "?",
                                              "[a-z]",
                                              "\\",
                                              "\\x00",
                                              "${HOME}",
                                              "$1",
                                              "{id}",
                                              "{",
                                              "}",
                                              "../../../../tmp/x",
                                              "/etc/passwd",
                                              "a/b",
                                              ".",
                                              "..",
                                              "-",
                                              "--",
                                              "NULL",
                                              "null",
                                              "0",
                                              "-1",
                                              "1e400",
                                              "true",
                                              " ",
                                              "  lead",
                                              "trail  ",
                                              "\t",
                                              "\r",
                                              "\n",
                                              "a\nb",
                                              "a\r\nb\r\n",
                                              std::string("\0", 1),
                                              std::string("a\0b", 3),
                                              "\x01\x02\x1F\x7F",
                                              "\xC3\xA9",
                                              "e\xCC\x81",
                                              "\xE2\x80\xA8\xE2\x80\xA9",
                                              "\xF0\x9F\x98\x80",
                                              "\xEF\xBB\xBF",
                                              "\xE4\xBD\xA0\xE5\xA5\xBD",
                                              "A",
                                              "a",
                                              "a:b",
                                              "a_b",
                                              "a:b:c:d",
                                              "key\xE2\x80\xAE",
                                              "@",
                                              "@1",
                                              "@99",
                                              "CON",
                                              "aux.jsonl",
                                              "sessions",
                                              "trash",
                                              "*3\r\n$3\r\nSET\r\n",
                                              "MULTI",
                                              "{sk}",
                                              "COPY x FROM stdin",
                                              "E'\\''",
                                              "U&'\\0041'",
                                              "pg_sleep(1)",
                                              std::string(300, 'k'),
                                              std::string(5000, '\'')};
  return texts;
}

std::string random_text(Trial& t) {
  static std::vector<std::string> const pieces{"a",
                                               "Z",
                                               "0",
                                               "'",
                                               "\"",
                                               "\\",
                                               "/",
                                               "..",
                                               ":",
                                               "\n",
                                               "\r",
                                               "\t",
                                               "%",
                                               "_",
                                               "{",
                                               "}",
                                               ";",
                                               "*",
                                               "?",
                                               " ",
                                               "\x7F",
                                               "\x01",
                                               "\xC3\xA9",
                                               "\xE2\x80\xA8",
                                               "\xF0\x9F\x98\x80",
                                               std::string("\0", 1)};
  std::string text;
  for (std::size_t n = t.below(12) + 1; n > 0; --n) text += pieces[t.below(pieces.size())];
  return text;
}
std::vector<std::string> texts_to_try(Trial& t) {
  std::vector<std::string> texts = hostile_texts();
  for (std::size_t i = 0; i < t.options.texts; ++i) texts.push_back(random_text(t));
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

void session_ids(Trial& t) {
  auto store = t.empty();
  std::vector<std::string> ids{"a",
                               "A",
                               "0",
                               "a.",
                               "a..",
                               "a.b",
                               "a-b",
                               "a_b",
                               "a--",
                               "CON",
                               "nul",
                               "sessions",
                               "trash",
                               "lock",
                               "x.jsonl",
                               "x.jsonl.jsonl",
                               "sessions.json",
                               "NULL",
                               "true",
                               "1e5",
                               "00",
                               "0x0",
                               "con.txt",
                               "a.tmp",
                               std::string(128, 'i'),
                               std::string(127, 'i') + "j",
                               std::string(128, 'I')};
  static char const alphabet[] = "abcXYZ019._-";
  for (std::size_t i = 0; i < t.options.texts / 4; ++i) {
    std::string id(1, alphabet[t.below(9)]);
    for (std::size_t n = t.below(20); n > 0; --n) id += alphabet[t.below(12)];
    ids.push_back(std::move(id));
  }
  std::map<std::string, Records> made;
  for (std::string const& id : ids) {
    if (made.count(id) > 0) continue;
    made[id] = t.session(sid(id), 1);
    t.must(store->append(sid(id), batch_of(made[id])), "starting session " + id);
  }
  for (auto const& [id, records] : made) expect_log(*store, sid(id), records, "session " + id);
  std::vector<std::string> listed = ids_of(list_checked(*store, {})), expected;
  for (auto const& [id, records] : made) expected.push_back(id);
  std::sort(listed.begin(), listed.end());
  t.expect(listed == expected, "listed: " + joined(listed));
  t.must(store->remove(sid("a")), "remove");
  t.expect(static_cast<bool>(store->info(sid("A"))), "removing a removed A");
  t.expect(static_cast<bool>(store->info(sid("a."))), "removing a removed a.");
}

void keys_and_agents(Trial& t) {
  auto store = t.empty();
  std::map<std::string, std::vector<std::string>>
      by_key; // as the header names it, which is what is asked for
  std::size_t n = 0;
  for (std::string const& text : texts_to_try(t)) {
    SessionId const id = sid("k" + std::to_string(n++));
    Header about;
    about.key = about.agent = about.user = about.cwd = text;
    t.must(store->append(id, batch_of(t.session(id, 1, about))), "a session of key " + quoted(text));
    SessionInfo const info = t.must(store->info(id), "info");
    std::string const wrong = difference(folded(*store, id), info);
    t.expect(wrong.empty(), "key " + quoted(text) + ": " + wrong);
    by_key[info.key].push_back(id.str());
  }
  for (auto& [key, ids] : by_key) {
    ListQuery query;
    query.key = key;
    std::vector<std::string> listed = ids_of(list_checked(*store, query));
    std::reverse(listed.begin(), listed.end());
    t.expect(listed == ids, "key " + quoted(key) + " lists " + joined(listed) + " instead of " + joined(ids));
  }
  for (auto const& info : list_checked(*store, {})) {
    ListQuery query;
    query.agent = info.agent;
    query.user = info.user;
    std::vector<std::string> const listed = ids_of(list_checked(*store, query));
    t.expect(std::find(listed.begin(), listed.end(), info.id.str()) != listed.end(),
             "agent " + quoted(info.agent) + " does not list its session");
  }
}

void entry_ids(Trial& t) {
  if (!t.dialect.has_ids) return;
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records all{t.header(id)};
  Position end = t.must(store->append(id, batch_of(all)), "append");
  for (std::string const& text : texts_to_try(t)) {
    if (text.empty() || text.front() == '@') continue; // not an id of an entry
    Records const batch{t.message("named", text)};
    Position const before = end;
    end = t.must(store->append(id, batch_of(batch, before)), "an entry called " + quoted(text));
    t.expect(t.must(store->append(id, batch_of(batch, before)), "repeating it") == end,
             "it answers another end");
    all.push_back(batch[0]);
  }
  expect_log(*store, id, all, "entries of hostile ids");
}

void types_and_parents(Trial& t) {
  if (!t.dialect.has_ids) return;
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records all{t.header(id)};
  for (std::string const& text : texts_to_try(t)) {
    Record record = t.message("of type");
    record.type = record.parent = text;
    record.link = Parent::entry;
    std::string const json = RawJson::string(text).str();
    record.line = R"({"type":)";
    record.line.append(json).append(R"(,"id":")").append(record.id).append(R"(","parentId":)").append(json) +=
        '}';
    Record const head = t.raw(record.line);
    if (head.type != text || head.parent != text) continue; // this dialect reads it otherwise
    all.push_back(std::move(record));
  }
  t.must(store->append(id, batch_of(all)), "append");
  expect_log(*store, id, all, "hostile types and parents");
}

void raw_lines(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records all{t.header(id)};
  std::vector<std::string> values{R"("\u0000")",
                                  R"("\ud800")",
                                  R"("\udc00\ud800")",
                                  R"("a\ud83dz")",
                                  "12345678901234567890123",
                                  "1e400",
                                  "-0",
                                  "1.0",
                                  "1E+2",
                                  R"({"b":1,"a":2,"b":3})",
                                  "\"\xE2\x80\xA8\xE2\x80\xA9\"",
                                  "\"\x7F\"",
                                  R"("\/\b\f\n\r\t\"\\")",
                                  "[ 1 ,\t2 ]",
                                  "[1,\r2]",
                                  "\"'; DROP TABLE x; --\"",
                                  R"("$1 %s {} ?1 :a @b")",
                                  "\"\xEF\xBF\xBD\"",
                                  "\"\xF4\x8F\xBF\xBF\"",
                                  R"("\\x00")",
                                  "\"" + std::string(70000, 'x') + "\"",
                                  std::string(100, '[') + std::string(100, ']')};
  for (std::string const& value : values) {
    std::string line = t.message("raw").line;
    line.insert(line.size() - 1, ",\"extra\":" + value);
    Record record = t.raw(line);
    if (!t.dialect.has_ids) record.id.clear();
    all.push_back(std::move(record));
  }
  t.must(store->append(id, batch_of(all)), "append");
  expect_log(*store, id, all, "raw lines");
  ReadRange backwards;
  backwards.order = ReadRange::newest_first;
  std::string const wrong = difference(all, read_log(*store, id, backwards));
  t.expect(wrong.empty(), "backwards: " + wrong);
}

void state_values(Trial& t) {
  if (!t.dialect.can(EntryBody(StateChange{}).index())) return;
  auto store = t.empty();
  SessionId const id = sid("s1");
  Position end = t.must(store->append(id, batch_of(t.session(id, 0))), "append");
  StateChange change;
  std::size_t n = 0;
  for (std::string const& text : texts_to_try(t)) {
    change.set.emplace_back(text, RawJson::string(text));
    change.set.emplace_back("n" + std::to_string(n++),
                            RawJson::from(R"([9007199254740993,1.0,null,-0,"\ud800"])"));
  }
  end = t.must(store->append(id, batch_of({t.entry(std::move(change))}, end)), "append");
  std::string const wrong = difference(folded(*store, id), t.must(store->info(id), "info"));
  t.expect(wrong.empty(), "info after hostile state: " + wrong);
  SessionPage const page = t.must(store->list({}), "list");
  std::string const listed = difference(folded(*store, id), page.sessions.at(0));
  t.expect(listed.empty(), "list after hostile state: " + listed);
}

void long_lines(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records all = t.session(id, 1);
  all.push_back(t.message(std::string(t.subject.long_line - 1000, 'x')));
  all.push_back(t.message("behind it"));
  Position const end =
      t.must(store->append(id, batch_of(all)), "append of a line of " + std::to_string(t.subject.long_line));
  expect_log(*store, id, all, "a long line");
  t.expect(t.must(store->append(id, batch_of(all)), "repeating it") == end, "it answers another end");
}

void bytes_not_utf8(Trial& t, bool kept) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records all = t.session(id, 1);
  Position end = t.must(store->append(id, batch_of(all)), "append");
  for (std::string const& bytes :
       {std::string("\xFF"), std::string("\xC3"), std::string("\xED\xA0\x80"), std::string("\xC0\x80"),
        std::string("\xF8\x88\x80\x80\x80"), std::string("ok \xFE\xFF ok")}) {
    std::string line = t.message("raw").line;
    line.insert(line.size() - 1, R"(,"bytes":")" + bytes + '"');
    Record record = t.raw(line);
    if (!t.dialect.has_ids) record.id.clear();
    Result<Position> const got = store->append(id, batch_of({record}, end));
    if (!got) {
      t.expect(!kept, "bytes that are not UTF-8 are refused: " + t.said(got.error()));
      t.refused(got, Errc::invalid_argument, "bytes that are not UTF-8");
      continue;
    }
    end = *got;
    all.push_back(std::move(record));
  }
  expect_log(*store, id, all, "bytes that are not UTF-8");
}

}}

void add_hostile_checks(std::vector<Check>& all) {
  auto const add = [&](std::string_view name, std::string_view sentence, void (*run)(Trial&),
                       Claim needs = Claim::none) {
    all.push_back({{name, Tier::hostile, sentence, needs}, run});
  };
  add("session_ids", "every SessionId is a session of its own, also where only case or dots differ",
      hostile_checks_inl::session_ids);
  add("keys_and_agents", "keys, agents and users are any text and are found by it exactly",
      hostile_checks_inl::keys_and_agents);
  add("entry_ids", "entry ids are any text", hostile_checks_inl::entry_ids);
  add("types_and_parents", "so are types and parents", hostile_checks_inl::types_and_parents);
  add("raw_lines",
      "lines are kept byte for byte: escapes, lone surrogates, numbers, order of members, white space",
      hostile_checks_inl::raw_lines);
  add("state_values", "state has any names and keeps the spelling of its values",
      hostile_checks_inl::state_values);
  add("long_lines", "long lines are kept", hostile_checks_inl::long_lines);
  add("bytes_not_utf8", "bytes that are not UTF-8 are kept or refused with invalid_argument, never changed",
      [](Trial& t) { hostile_checks_inl::bytes_not_utf8(t, false); });
  add(
      "any_bytes", "bytes that are not UTF-8 are kept",
      [](Trial& t) { hostile_checks_inl::bytes_not_utf8(t, true); }, Claim::any_bytes);
}

}}}
