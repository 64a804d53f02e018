// SPDX-License-Identifier: MIT
// docs/guides/writing_a_dialect.md: ShareGPT's lines as a dialect, a file of them converted to native lines
// and back.
#include "expect.hpp"

#include <sessionkit/convert.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/sessionkit.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sk = sessionkit;
using guide::expect;

namespace {

using Json = nlohmann::ordered_json;

// [decode]
// {"from":"human","value":"Hello"}: no header, no ids, no times.
bool detect(std::string_view line) noexcept { return line.substr(0, 8) == R"({"from":)"; }

bool head(std::string_view line, sk::RecordView& out, std::deque<std::string>& /*unescaped*/) {
  out = {};
  out.type = "message";
  out.line = line;
  return detect(line);
}

sk::Result<sk::Entry> decode(sk::RecordView const& record) {
  auto const line = sk::RawJson::parse(std::string(record.line)); // checked: one value, not too deep
  if (!line) return sk::Error{sk::Errc::corrupt, 0, line.error().message};
  Json const json = sk::to_nlohmann(*line);
  sk::Entry entry;
  entry.id = sk::EntryId(std::string(record.id));
  entry.link = record.link;
  std::string const from = json.value("from", "");
  if (!json.value("value", Json()).is_string() || (from != "human" && from != "gpt" && from != "system")) {
    entry.body = sk::Unknown{from, *line}; // kept, never sent
    return entry;
  }
  sk::Message message;
  message.role = from == "human" ? sk::Role::user : from == "gpt" ? sk::Role::assistant : sk::Role::system;
  message.parts.emplace_back(sk::Text{json["value"].get<std::string>()});
  entry.body = std::move(message);
  return entry;
}
// [decode]

// [encode]
sk::Error cannot_say(char const* what) {
  return {sk::Errc::unsupported, 0, std::string("ShareGPT's lines cannot represent ") + what};
}

sk::Result<void> encode(sk::Entry const& entry, std::string& out) {
  if (entry.as<sk::Header>()) return {}; // this format has no header: write no line
  auto const* const message = entry.as<sk::Message>();
  if (!message) return cannot_say("this entry");
  if (message->role == sk::Role::tool || !message->tool_uses().empty()) return cannot_say("tools");
  char const* const from = message->role == sk::Role::user        ? "human"
                           : message->role == sk::Role::assistant ? "gpt"
                                                                  : "system";
  out += sk::to_raw_json(Json{{"from", from}, {"value", message->text()}}).str();
  return {};
}

bool can(std::size_t body_index) noexcept { return sk::EntryBody(sk::Message{}).index() == body_index; }

std::vector<sk::Message> split(sk::Message const& message) { return {message}; }
// [encode]

// [table]
sk::Dialect const sharegpt{"sharegpt", detect, head, decode, encode, can, split, false};
// [table]

// [read]
// Reads a text of lines as a log; lines without an entry are listed, not lost silently.
sk::Log log_of(std::string_view text, sk::Dialect const& dialect) {
  sk::Log log;
  for (std::size_t at = 0; at < text.size();) {
    auto const end = std::min(text.find('\n', at), text.size());
    std::string_view const line = text.substr(at, end - at);
    std::deque<std::string> unescaped;
    sk::RecordView record;
    std::string const place = "@" + std::to_string(end); // entries without ids are identified by their place
    bool const is_entry = dialect.head(line, record, unescaped);
    record.id = place;
    auto entry = is_entry ? dialect.decode(record) : cannot_say("this line");
    if (entry)
      log.entries.push_back(std::move(*entry));
    else
      log.damage.push_back({at, line.size(), sk::DamageKind::bad_json, entry.error().message});
    at = end + 1;
  }
  return log;
}
// [read]

}

int main() {
  std::string const text = "{\"from\":\"human\",\"value\":\"Hello\"}\n"
                           "{\"from\":\"gpt\",\"value\":\"Hi \\\"you\\\".\"}\n"
                           "half a li";
  sk::Log const log = log_of(text, sharegpt);
  expect(log.entries.size() == 2 && log.damage.size() == 1, "two entries and a bad line");

  // [convert]
  auto const id = sk::SessionId::parse("imported").value();
  sk::Converted const native = sk::convert_log(log, sharegpt, sk::native_dialect(), id).value();
  for (sk::Loss const& left : native.losses) std::printf("left out: %s\n", left.what.c_str());
  // [convert]
  expect(native.text.find(R"("role":"assistant")") != std::string::npos, "pi's lines");
  expect(native.losses.size() == 1, "the bad line is listed");

  sk::Message called =
      sk::assistant("Let me look.", sk::ToolUse{"tu_1", "read_file", sk::RawJson::from("{}")});
  std::string line;
  sk::Entry entry;
  entry.body = std::move(called);
  auto const refused = sharegpt.encode(entry, line);
  expect(!refused && refused.error().code == sk::Errc::unsupported && line.empty(), "a call is refused");
  entry.body = sk::user("Hello");
  sharegpt.encode(entry, line).value();
  expect(line == R"({"from":"human","value":"Hello"})", "an entry that was read is written unchanged");
}
