// SPDX-License-Identifier: MIT
// Makes lines for a check, reads logs back, and describes differences.
#pragma once
#include <sessionkit/testing/detail/trial.hpp>

#include <deque>
#include <set>
#include <thread>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace trial_inl { namespace {

constexpr std::size_t most_pages = 100000; // a store that never ends must fail, not hang

// What distinguishes one line from another.
bool same_record(Record const& expected, Record const& got) {
  bool const named = !expected.id.empty();
  return (named ? expected.id == got.id : !got.id.empty()) && expected.type == got.type
         && expected.line == got.line && expected.link == got.link && expected.parent == got.parent;
}

std::string shown_record(Record const& record) {
  return "id " + quoted(record.id) + " type " + quoted(record.type) + " parent " + quoted(record.parent)
         + " line " + quoted(record.line);
}

struct InfoField {
  char const* name;
  std::string (*text)(SessionInfo const&);
};
std::string info_number(std::uint64_t n) { return std::to_string(n); }
std::string info_time(Timestamp at) { return std::to_string(to_unix_ms(at)); }
std::string info_state(SessionInfo const& info) {
  std::string out;
  for (auto const& [name, value] : info.state) out += quoted(name) + "=" + value.str() + ";";
  return out;
}
std::string info_labels(SessionInfo const& info) {
  std::string out;
  for (auto const& [entry, label] : info.labels) out += quoted(entry) + "=" + quoted(label) + ";";
  return out;
}
std::string info_requests(SessionInfo const& info) {
  std::string out;
  for (std::string const& id : info.fold_state.recent_requests) out += quoted(id) + ";";
  return out;
}
std::string info_sums(std::vector<std::uint32_t> const& sums) {
  std::string out;
  for (std::uint32_t const sum : sums) out += info_number(sum) + ";";
  return out;
}
std::string info_usage(SessionInfo const& info) {
  return info_number(info.usage.input) + "/" + info_number(info.usage.output) + "/"
         + info_number(info.usage.cache_read) + "/" + info_number(info.usage.cache_write);
}

constexpr InfoField info_fields[] = {
    {"id", [](SessionInfo const& i) { return i.id.str(); }},
    {"key", [](SessionInfo const& i) { return i.key; }},
    {"agent", [](SessionInfo const& i) { return i.agent; }},
    {"user", [](SessionInfo const& i) { return i.user; }},
    {"cwd", [](SessionInfo const& i) { return i.cwd; }},
    {"title", [](SessionInfo const& i) { return i.title; }},
    {"title_by_person", [](SessionInfo const& i) { return info_number(i.title_by_person ? 1 : 0); }},
    {"archived", [](SessionInfo const& i) { return info_number(i.archived ? 1 : 0); }},
    {"first_user_text", [](SessionInfo const& i) { return i.first_user_text; }},
    {"created", [](SessionInfo const& i) { return info_time(i.created); }},
    {"updated", [](SessionInfo const& i) { return info_time(i.updated); }},
    {"entries", [](SessionInfo const& i) { return info_number(i.entries); }},
    {"messages", [](SessionInfo const& i) { return info_number(i.messages); }},
    {"turns", [](SessionInfo const& i) { return info_number(i.turns); }},
    {"tokens",
     [](SessionInfo const& i) { return i.tokens ? info_number(*i.tokens) : std::string("unknown"); }},
    {"damaged", [](SessionInfo const& i) { return info_number(i.damaged); }},
    {"usage", info_usage},
    {"recent_requests", info_requests},
    {"provider", [](SessionInfo const& i) { return i.provider; }},
    {"model", [](SessionInfo const& i) { return i.model; }},
    {"thinking_level", [](SessionInfo const& i) { return i.thinking_level; }},
    {"state", info_state},
    {"labels", info_labels},
    {"parent_session", [](SessionInfo const& i) { return i.parent_session; }},
    {"metadata", [](SessionInfo const& i) { return i.metadata.str(); }},
    {"copied", [](SessionInfo const& i) { return info_number(i.fold_state.copied); }},
    {"last", [](SessionInfo const& i) { return i.last.str(); }},
    {"since_compaction", [](SessionInfo const& i) { return info_number(i.fold_state.since_compaction); }},
    {"repeats", [](SessionInfo const& i) { return info_number(i.fold_state.repeats); }},
    {"recent_words", [](SessionInfo const& i) { return info_sums(i.fold_state.recent_words); }},
    {"kept_words", [](SessionInfo const& i) { return info_sums(i.fold_state.kept_words); }},
    {"end", [](SessionInfo const& i) { return info_number(i.end.value()); }},
    {"end_crc", [](SessionInfo const& i) { return info_number(i.end_crc); }},
};

}}

std::string quoted(std::string_view bytes) {
  static char const digits[] = "0123456789abcdef";
  std::string out = "'";
  for (char const c : bytes.substr(0, 200)) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F)
      out += c;
    else
      (out += "\\x") += {digits[byte >> 4], digits[byte & 15]};
  }
  return out + (bytes.size() > 200 ? "'... (" + std::to_string(bytes.size()) + " bytes)" : "'");
}

std::string joined(std::vector<std::string> const& texts) {
  std::string out;
  for (std::string const& text : texts) (out += out.empty() ? "" : " ") += text.substr(0, 40);
  return out.empty() ? "nothing" : out;
}

SessionId sid(std::string const& text) { return SessionId::parse(text).value(); }

Append batch_of(Records const& records, Position expected) {
  Append batch;
  batch.expected = expected;
  for (Record const& record : records) batch.records.push_back(record.view());
  return batch;
}

Record Trial::raw(std::string line) const {
  RecordView view;
  std::deque<std::string> unescaped;
  expect(dialect.head(line, view, unescaped), "the kit made a line without a head: " + quoted(line));
  Record record{std::string(view.id), std::string(view.type), {}, std::string(view.parent), view.link};
  record.line = std::move(line);
  return record;
}

Record Trial::entry(EntryBody body, std::string entry_id) {
  bool const first = std::holds_alternative<Header>(body);
  tick();
  Entry made;
  made.id = EntryId(!entry_id.empty() ? std::move(entry_id) : fresh_id());
  made.at = now();
  made.link = first ? Parent::root : Parent::previous;
  made.body = std::move(body);
  std::string line;
  must(dialect.encode(made, line), "encoding a line");
  Record record = raw(std::move(line));
  if (!first && !dialect.has_ids) record.id.clear();
  return record;
}

Record Trial::header(SessionId const& id, Header about) {
  about.id = id.str();
  return entry(std::move(about));
}

Record Trial::message(std::string const& text, std::string entry_id) {
  return entry(user(text + " (" + std::to_string(seconds_) + ")"), std::move(entry_id));
}

Records Trial::session(SessionId const& id, std::size_t messages, Header about) {
  Records records{header(id, std::move(about))};
  for (std::size_t i = 0; i < messages; ++i) records.push_back(message("text " + std::to_string(i)));
  return records;
}

WholeLog read_pages(SessionStore& store, SessionId const& id, ReadRange range) {
  bool const backwards = range.order == ReadRange::newest_first;
  WholeLog log;
  for (bool more = true; more;) {
    Trial::expect(log.pages++ < trial_inl::most_pages, "reading never ends: `more` stays true");
    RecordPage const page = Trial::must(store.read(id, range), "read");
    Trial::expect(!page.items().empty() || !page.more, "a page holds nothing though `more` is true");
    log.damage.insert(log.damage.end(), page.damage.begin(), page.damage.end());
    for (RecordPage::Item const& item : page.items()) {
      bool const ordered =
          log.ends.empty() || (backwards ? item.end < log.ends.back() : log.ends.back() < item.end);
      Trial::expect(ordered, "records do not come in the order of their ends");
      log.records.push_back({std::string(item.id), std::string(item.type), std::string(item.line),
                             std::string(item.parent), item.link});
      log.ends.push_back(item.end);
    }
    log.log_end = page.log_end;
    log.dialect = page.dialect;
    range.from = page.next;
    more = page.more;
  }
  if (backwards) {
    std::reverse(log.records.begin(), log.records.end());
    std::reverse(log.ends.begin(), log.ends.end());
  }
  return log;
}

WholeLog read_log(SessionStore& store, SessionId const& id, ReadRange range) {
  WholeLog log = read_pages(store, id, range);
  if (!log.damage.empty()) {
    Damage const& first = log.damage.front();
    Trial::refute("damage was reported where there is none: " + std::string(to_string(first.kind)) + " at "
                  + std::to_string(first.offset) + ": " + first.what);
  }
  return log;
}

std::string difference(Records const& expected, WholeLog const& log) {
  for (std::size_t i = 0; i < expected.size() && i < log.records.size(); ++i)
    if (!trial_inl::same_record(expected[i], log.records[i]))
      return "record " + std::to_string(i) + ": expected " + trial_inl::shown_record(expected[i]) + ", got "
             + trial_inl::shown_record(log.records[i]);
  if (expected.size() != log.records.size())
    return "expected " + std::to_string(expected.size()) + " records, got "
           + std::to_string(log.records.size());
  std::set<std::string> derived;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i].id.empty()
        && (log.records[i].id.front() != '@' || !derived.insert(log.records[i].id).second))
      return "record " + std::to_string(i) + " has no id and is called " + quoted(log.records[i].id)
             + ", which is no place of its own";
  return {};
}

void expect_log(SessionStore& store, SessionId const& id, Records const& expected, std::string const& when) {
  WholeLog const log = read_log(store, id);
  std::string const wrong = difference(expected, log);
  Trial::expect(wrong.empty(), when + ": " + wrong);
  Position const end = log.ends.empty() ? Position{} : log.ends.back();
  Trial::expect(log.log_end == end, when + ": log_end is not where the last record ends");
}

SessionInfo folded(SessionStore& store, SessionId const& id) {
  SessionInfo info = make_session_info(id);
  ReadRange range;
  for (bool more = true; more;) {
    RecordPage const page = Trial::must(store.read(id, range), "read");
    for (RecordPage::Item const& item : page.items()) fold(info, item, page.dialect);
    for (Damage const& damage :
         page.damage) // a killed writer may leave a torn line, which the next one seals off
      if (is_damage(damage.kind) && damage.kind != DamageKind::torn_tail) ++info.damaged;
    range.from = page.next;
    more = page.more;
  }
  return info;
}

std::string difference(SessionInfo const& expected, SessionInfo const& got) {
  for (trial_inl::InfoField const& field : trial_inl::info_fields)
    if (std::string const a = field.text(expected), b = field.text(got); a != b)
      return std::string(field.name) + ": expected " + quoted(a) + ", got " + quoted(b);
  return {};
}

std::vector<SessionInfo> list_checked(SessionStore& store, ListQuery query) {
  std::vector<SessionInfo> all;
  std::set<std::string> seen;
  for (std::size_t pages = 0;; ++pages) {
    Trial::expect(pages < trial_inl::most_pages, "listing never ends: `next` is never empty");
    SessionPage page = Trial::must(store.list(query), "list");
    Trial::expect(page.sessions.size() <= query.limit, "a page holds more sessions than the limit");
    Trial::expect(page.next.empty() || !page.sessions.empty(), "a page without sessions has a `next`");
    for (SessionInfo& info : page.sessions) {
      Trial::expect(seen.insert(info.id.str()).second, "session " + info.id.str() + " is listed twice");
      Trial::expect(selects(query, info),
                    "session " + info.id.str() + " is listed though the query does not ask for it");
      all.push_back(std::move(info));
    }
    if (page.next.empty()) return all;
    query.cursor = page.next;
  }
}

std::vector<std::string> ids_of(std::vector<SessionInfo> const& sessions) {
  std::vector<std::string> ids;
  ids.reserve(sessions.size());
  for (SessionInfo const& info : sessions) ids.push_back(info.id.str());
  return ids;
}

Position append_somehow(SessionStore& store, SessionId const& id, Records const& records) {
  Append batch = batch_of(records);
  for (int tries = 0; tries < 100000; ++tries) {
    if (tries > 16) std::this_thread::yield();
    ReadRange last;
    last.order = ReadRange::newest_first;
    last.max_records = 1;
    batch.expected = Trial::must(store.read(id, last), "read").log_end;
    Result<Position> const end = store.append(id, batch);
    if (end) return *end;
    Trial::expect(end.error().code == Errc::conflict, "append failed: " + Trial::said(end.error()));
  }
  Trial::refute("an append found a conflict 100,000 times in a row");
}

}}}
