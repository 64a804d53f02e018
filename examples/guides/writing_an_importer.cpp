// SPDX-License-Identifier: MIT
// docs/guides/writing_an_importer.md: the sessions of goose 1.0, files of lines, as an importer of the host.
#include "expect.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/foreign_store.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/sessionkit.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using guide::expect;

namespace {

using Json = nlohmann::json;

// [members]
// Files may have anything anywhere, so a member of another type is as good as none. Nothing here throws.
Json parsed(std::string_view line) { return Json::parse(line, nullptr, false); }
Json member(Json const& json, char const* name) {
  auto const found = json.find(name);
  return found != json.end() ? *found : Json();
}
std::string text(Json const& json, char const* name) {
  Json const found = member(json, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}
Json list(Json const& json, char const* name) {
  Json found = member(json, name);
  return found.is_array() ? found : Json::array();
}
// [members]

// [recognises]
// The first line describes the session, and has members that no other program's files have together.
bool recognises(std::string_view file, std::string_view begin) {
  if (file.size() < 6 || file.substr(file.size() - 6) != ".jsonl") return false;
  Json const first = parsed(begin.substr(0, begin.find('\n')));
  return member(first, "working_dir").is_string() && member(first, "message_count").is_number();
}
// [recognises]

// [list]
// The name of the file is the id: 20250417_101500.jsonl.
sk::Result<std::vector<sk::ForeignSession>> list(sk::ForeignFiles& files, std::string const& file) {
  auto const begin = files.read(file, 0, std::size_t{64} << 10); // never the whole conversation
  if (!begin) return begin.error();
  Json const first = parsed(begin->substr(0, begin->find('\n')));
  if (!first.is_object()) return sk::Error{sk::Errc::corrupt, 0, file + ": its first line is damaged"};
  sk::ForeignSession session;
  session.importer = "goose";
  std::size_t const name = file.rfind('/') + 1; // npos + 1 is 0
  session.id = file.substr(name, file.rfind('.') - name);
  session.file = file;
  session.title = text(first, "description");
  session.cwd = text(first, "working_dir");
  return std::vector<sk::ForeignSession>{std::move(session)};
}
// [list]

// [parts]
// One part of a message. A `toolCall` and a `toolResult` are objects with a member `value` or `error`.
void add_part(Json const& part, sk::Message& message, sk::ImportReport& report) {
  std::string const type = text(part, "type");
  if (type == "text") {
    message.parts.emplace_back(sk::Text{text(part, "text")});
  } else if (type == "toolRequest") {
    Json const call = member(member(part, "toolCall"), "value");
    message.parts.emplace_back(
        sk::ToolUse{text(part, "id"), text(call, "name"), sk::to_raw_json(member(call, "arguments"))});
  } else if (type == "toolResponse") {
    Json const outcome = member(part, "toolResult");
    sk::ToolResult result{text(part, "id"), ""};
    for (Json const& piece : list(outcome, "value"))
      result.content.emplace_back(sk::Text{text(piece, "text")});
    result.is_error = text(outcome, "status") == "error";
    if (result.is_error) result.content.emplace_back(sk::Text{text(outcome, "error")});
    message.role = sk::Role::tool;
    message.parts.emplace_back(std::move(result));
  } else {
    ++report.passed_over["part " + type]; // counted, so that nothing is left out silently
  }
}
// [parts]

// [read]
class Reader {
 public:
  Reader(sk::ForeignSession const& which, sk::ImportOptions const& options, sk::EntrySink const& sink)
      : which_(which), options_(options), sink_(sink) {}

  sk::Result<sk::ImportReport> run(std::string const& file) {
    for (std::size_t at = 0; at < file.size() && given_;) {
      std::size_t const end = std::min(file.find('\n', at), file.size());
      line(at, std::string_view(file).substr(at, end - at), end < file.size());
      at = end + 1;
    }
    if (!given_) return given_.error();
    return std::move(report_);
  }

 private:
  // A line without its end may grow. It is no damage if the program still writes.
  void line(std::size_t at, std::string_view bytes, bool has_end) {
    if (bytes.empty()) return;
    if (!has_end && !options_.finished) {
      ++report_.held_back;
      return;
    }
    Json const json = parsed(bytes);
    if (json.is_object()) return number_++ == 0 ? header(json) : message(json);
    report_.damage.push_back({at, bytes.size(), sk::DamageKind::bad_json, "no object; it is skipped"});
    ++number_;
  }

  void header(Json const& first) {
    sk::Header header;
    header.id = which_.id;
    header.cwd = text(first, "working_dir");
    Json const origin{{"origin", {{"program", "goose"}, {"session", which_.id}}}};
    header.metadata = sk::to_raw_json(origin); // where the session comes from
    give("", std::move(header));
  }

  void message(Json const& json) {
    sk::Message message;
    message.role = text(json, "role") == "assistant" ? sk::Role::assistant : sk::Role::user;
    for (Json const& part : list(json, "content")) add_part(part, message, report_);
    if (Json const created = member(json, "created"); created.is_number_unsigned())
      at_ = sk::from_unix_ms(std::int64_t{created.get<std::uint32_t>()} * 1000);
    give("line-" + std::to_string(number_), std::move(message)); // the same id in each import
  }

  void give(std::string id, sk::EntryBody body) {
    sk::Entry entry;
    entry.id = sk::EntryId(std::move(id));
    entry.link = last_.empty() ? sk::Parent::root : sk::Parent::entry;
    entry.parent = last_;
    entry.at = at_;
    entry.body = std::move(body);
    last_ = entry.id;
    given_ = sink_(std::move(entry)); // an error of the sink ends the reading
  }

  sk::ForeignSession const& which_;
  sk::ImportOptions const& options_;
  sk::EntrySink const& sink_;
  sk::ImportReport report_;
  sk::Result<void> given_;
  sk::EntryId last_;
  sk::Timestamp at_ = {};
  std::size_t number_ = 0;
};

sk::Result<sk::ImportReport> read(sk::ForeignFiles& files, sk::ForeignSession const& which,
                                  sk::ImportOptions const& options, sk::EntrySink const& sink) {
  auto const size = files.size(which.file);
  if (!size) return size.error();
  auto const bytes = files.read(which.file, 0, static_cast<std::size_t>(*size));
  if (!bytes) return bytes.error();
  return Reader(which, options, sink).run(*bytes);
}
// [read]

// [table]
constexpr sk::Importer goose{"goose", "goose", recognises, list, read, &sk::profiles::native};
// [table]

std::string const session =
    R"({"working_dir":"/home/ada","description":"Largest file","message_count":4})"
    "\n"
    R"({"role":"user","created":1744884900,"content":[{"type":"text","text":"Which file is the largest?"}]})"
    "\n"
    R"({"role":"assistant","created":1744884902,"content":[{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command":"ls -S"}}}}]})"
    "\n"
    R"({"role":"user","created":1744884903,"content":[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":[{"type":"text","text":"big.iso"}]}}]})"
    "\n"
    R"({"role":"assistant","created":1744884905,"content":[{"type":"text","text":"big.iso."},{"type":"thinking","thinking":"So it is."}]})"
    "\n";

void check_growth() {
  // [growth]
  std::vector<sk::Entry> before;
  for (std::size_t size = session.find('\n') + 1; size <= session.size(); ++size) {
    auto const files = sk::make_foreign_files({{"20250417_101500.jsonl", session.substr(0, size)}});
    sk::ImportOptions options;
    options.finished = false;
    auto const which = goose.list(*files, "20250417_101500.jsonl").value().front();
    sk::Log const log = sk::import_log(goose, *files, which, options).value();
    expect(log.entries.size() >= before.size(), "a longer file has no fewer entries");
    for (std::size_t i = 0; i < before.size(); ++i)
      expect(log.entries[i].id == before[i].id && log.entries[i].body.index() == before[i].body.index(),
             "and the same ones at its beginning");
    before = log.entries;
  }
  // [growth]
  expect(before.size() == 5, "the header and four messages");
}

// Whatever a byte becomes, the rest is read, or an error names the file.
void check_damage() {
  for (std::size_t i = 0; i < session.size(); ++i)
    for (char const c : {'"', '{', '7', '\n', '\xff'}) {
      std::string changed = session;
      if (changed[i] == '\n') continue; // it would join two lines
      changed[i] = c;
      auto const files = sk::make_foreign_files({{"a.jsonl", changed}});
      auto const found = goose.list(*files, "a.jsonl");
      if (!found) {
        expect(found.error().message.find("a.jsonl") == 0, "the error names the file");
        continue;
      }
      sk::ImportReport report;
      auto const log = sk::import_log(goose, *files, found->front(), {}, &report);
      expect(log.ok() && log->entries.size() + report.damage.size() >= 5, "what is not read is reported");
    }
}

}

int main() {
  // [use]
  sk::ForeignStoreOptions options;
  options.importers = sk::known_importers();
  options.importers.push_back(&goose);
  auto files = sk::make_foreign_files({{"20250417_101500.jsonl", session}}); // or the path of a folder
  auto const theirs = sk::open_foreign(std::move(files), "goose's sessions", options).value();
  auto const ours = sk::make_memory_store();
  for (sk::ForeignConversation const& one : theirs->conversations())
    sk::copy_session(*theirs, *ours, one.id).value(); // a second copy adds what is new
  // [use]
  auto const id = sk::SessionId::parse("20250417_101500").value();
  sk::Session const opened = sk::Session::open(ours, id).value();
  auto const request = opened.request({sk::Provider::anthropic}).value();
  expect(request.messages.find("big.iso.") != std::string::npos, "the request has the whole conversation");
  expect(theirs->list({}).value().sessions.at(0).title == "Largest file", "the list has the title");
  expect(theirs->report(id).value().passed_over.at("part thinking") == 1, "what is left out is counted");
  for (char const* line : {"{\"working_dir\":1}\n", "{}\n", "text\n", ""})
    expect(!goose.recognises("a.jsonl", line), "other files are not recognised");
  check_growth();
  check_damage();
}
