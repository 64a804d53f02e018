// SPDX-License-Identifier: MIT
// A conversion keeps everything that it does not list: the model sees the same, and every text is kept.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"
#include "support/sendable.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/convert.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sk = sessionkit;
using Json = nlohmann::ordered_json;
using sessionkit_test::Random;
using sessionkit_test::read_file;
using sessionkit_test::TempDir;
using sessionkit_test::write_file;

namespace {

/// Lines of one program, and the place of each mark in them.
struct MadeLog {
  std::string text;
  std::map<std::string, std::string> marks; ///< to the id of their entry; the header's is empty
};

class LogMaker {
 public:
  explicit LogMaker(std::uint64_t seed) : random_(seed) {}

  MadeLog make(std::string const& dialect) {
    made_ = {};
    ids_.clear(), calls_.clear();
    entry_.clear();
    bool const native = dialect == "native", panel = dialect == "panel";
    put(native
            ? Json{{"type", "session"}, {"version", 3}, {"id", "s"}, {"timestamp", time(0)}, {"cwd", mark()}}
        : panel ? Json{{"type", "session"}, {"version", 3}, {"agentId", mark()}, {"createdAt", 1735689600000}}
                : Json{{"type", "session"}, {"id", "s"}, {"key", mark()}, {"created", time(0)}});
    std::size_t const length = 1 + random_.below(14);
    for (std::size_t i = 1; i <= length; ++i) {
      entry_ = native ? "e" + std::to_string(i) : std::string(place_mark);
      Json line = native ? native_line(i) : panel ? panel_line(i) : flat_line(i);
      if (random_.one_in(5)) line["strange"] = mark();
      put(line);
    }
    return std::move(made_);
  }

 private:
  static constexpr char const* place_mark = "?"; ///< becomes the place of the line

  std::string mark() {
    std::string const text = "MARK" + std::to_string(++count_) + 'X';
    made_.marks[text] = entry_;
    return text;
  }
  static std::string time(std::size_t second) {
    return "2025-01-01T00:00:" + std::string(second < 10 ? "0" : "") + std::to_string(second) + ".000Z";
  }
  void put(Json const& line) {
    made_.text += line.dump();
    std::string const place = '@' + std::to_string(made_.text.size());
    for (auto& [text, entry] : made_.marks)
      if (entry == place_mark) entry = place;
    made_.text += '\n';
  }

  Json text_part() {
    Json part{{"type", "text"}, {"text", random_.one_in(8) ? " " : mark()}};
    return part;
  }
  std::string new_call() {
    calls_.push_back("call" + std::to_string(++count_));
    return calls_.back();
  }
  std::string some_call() {
    if (calls_.empty() || random_.one_in(8)) return mark();
    return calls_[random_.below(calls_.size())];
  }
  Json input() {
    return random_.one_in(8) ? Json::array({mark(), 1}) : Json{{"path", mark()}, {"n", random_.below(9)}};
  }

  Json native_part() {
    switch (random_.below(6)) {
    case 0: return Json{{"type", "image"}, {"data", mark()}, {"mimeType", "image/png"}};
    case 1: return Json{{"type", "hologram"}, {"data", mark()}};
    default: return text_part();
    }
  }
  Json native_message(std::size_t i) {
    Json message;
    switch (random_.below(6)) {
    case 0:
    case 1:
      message = {{"role", "user"}};
      if (random_.one_in(2))
        message["content"] = mark();
      else
        message["content"] = Json::array({native_part(), native_part()});
      break;
    case 2:
    case 3: {
      Json content = Json::array({text_part()});
      if (random_.one_in(4))
        content.insert(content.begin(),
                       Json{{"type", "thinking"}, {"thinking", mark()}, {"thinkingSignature", mark()}});
      for (int n = 0; n < 2; ++n)
        if (random_.one_in(2))
          content.push_back(
              {{"type", "toolCall"}, {"id", new_call()}, {"name", mark()}, {"arguments", input()}});
      if (random_.one_in(4)) content.push_back(text_part());
      message = {
          {"role", "assistant"},
          {"content", content},
          {"api", "anthropic-messages"},
          {"provider", mark()},
          {"model", "m"},
          {"usage", {{"input", 1}, {"output", 2}, {"cacheRead", 3}, {"cacheWrite", 4}, {"odd", mark()}}},
          {"stopReason", random_.one_in(4) ? "aborted" : "stop"},
          {"errorMessage", mark()}};
      break;
    }
    case 4:
      message = {{"role", "bashExecution"}, {"command", mark()},  {"output", mark()}, {"exitCode", 0},
                 {"cancelled", false},      {"truncated", false}, {"odd", mark()}};
      break;
    default: {
      Json content = Json::array({native_part()});
      if (random_.one_in(2)) content.push_back(text_part());
      message = {{"role", "toolResult"}, {"toolCallId", some_call()},    {"toolName", mark()},
                 {"content", content},   {"isError", random_.one_in(4)}, {"details", {{"d", mark()}}}};
    }
    }
    message["timestamp"] = 1735689600000 + i;
    if (random_.one_in(4)) message["odd"] = mark();
    return {{"message", message}};
  }
  Json native_line(std::size_t i) {
    std::string id = "e" + std::to_string(i);
    if (random_.one_in(12)) id = random_.one_in(2) ? "00000001" : "e1";
    if (id != entry_) { // listed data is identified by the id in the log
      entry_ = id;
    }
    Json line{{"type", "message"}, {"id", id}};
    line["parentId"] = ids_.empty() || random_.one_in(40) ? Json()
                       : random_.one_in(5)                ? Json(ids_[random_.below(ids_.size())])
                                                          : Json(ids_.back());
    line["timestamp"] = time(i);
    Json const kept = ids_.empty() || random_.one_in(4) ? Json(id) : Json(ids_[random_.below(ids_.size())]);
    ids_.push_back(id);
    std::size_t const kind = random_.below(24);
    if (kind == 0)
      line.update(
          {{"type", "compaction"}, {"summary", mark()}, {"firstKeptEntryId", kept}, {"tokensBefore", 7}});
    else if (kind == 1)
      line.update({{"type", "branch_summary"}, {"fromId", "e1"}, {"summary", mark()}});
    else if (kind == 2)
      line.update(
          {{"type", "custom_message"}, {"customType", mark()}, {"content", mark()}, {"display", true}});
    else if (kind == 3)
      line.update({{"type", "custom"}, {"customType", mark()}, {"data", {{"d", mark()}}}});
    else if (kind == 4)
      line.update({{"type", "session_info"}, {"name", mark()}});
    else if (kind == 5)
      line.update({{"type", "later"}, {"z", mark()}});
    else
      line.update(native_message(i));
    return line;
  }

  Json block() {
    switch (random_.below(6)) {
    case 0:
      return {{"type", "image"},
              {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", mark()}}}};
    case 1: return {{"type", "document"}, {"source", {{"data", mark()}}}};
    default: return text_part();
    }
  }
  Json result_block() {
    Json block{{"type", "tool_result"}, {"tool_use_id", some_call()}};
    block["content"] = random_.one_in(2) ? Json(mark()) : Json::array({this->block(), text_part()});
    return block;
  }
  Json panel_line(std::size_t i) {
    std::int64_t const at = 1735689600000 + static_cast<std::int64_t>(i);
    Json message;
    switch (random_.below(9)) {
    case 0:
      return {{"type", "compaction"}, {"summary", mark()}, {"firstKeptEntryId", "msg-1"},
              {"tokensBefore", 5},    {"odd", mark()},     {"timestamp", at}};
    case 1: return {{"type", "later"}, {"x", mark()}, {"timestamp", at}};
    case 2: return {{"type", "session_info"}, {"name", mark()}, {"timestamp", at}};
    case 3:
    case 4:
      message = {{"role", "user"}};
      message["content"] = random_.one_in(2) ? Json(mark()) : Json::array({block(), block()});
      break;
    case 5:
      message = {{"role", "user"}, {"content", Json::array({result_block()})}};
      if (random_.one_in(2)) message["content"].push_back(result_block());
      if (random_.one_in(3)) message["content"].push_back(text_part());
      break;
    default: {
      message = {{"role", "assistant"}, {"content", Json::array({text_part()})}};
      for (int n = 0; n < 2; ++n)
        if (random_.one_in(2))
          message["content"].push_back(
              {{"type", "tool_use"}, {"id", new_call()}, {"name", mark()}, {"input", input()}});
      message["toolCalls"] = Json::array({{{"id", mark()}}});
    }
    }
    if (random_.one_in(3)) message["odd"] = mark();
    return {{"type", "message"}, {"message", message}, {"timestamp", at}};
  }

  Json flat_line(std::size_t i) {
    Json line;
    switch (random_.below(7)) {
    case 0: line = {{"type", "later"}, {"x", mark()}}; break;
    case 1: line = {{"type", "assistant"}, {"content", mark()}}; break;
    case 2:
    case 3:
      line = {{"type", "tool_use"}, {"name", mark()}, {"tool_use_id", new_call()}, {"input", input()}};
      break;
    case 4:
      line = {{"type", "tool_result"}, {"tool_use_id", some_call()}};
      line["output"] = random_.one_in(2)   ? Json(mark())
                       : random_.one_in(2) ? Json{{"o", mark()}}
                                           : Json::array({block(), text_part()});
      break;
    default:
      line = {{"type", "user"}};
      line["content"] = random_.one_in(2) ? Json(mark()) : Json::array({block()});
    }
    line["ts"] = time(i);
    return line;
  }

  Random random_;
  MadeLog made_;
  std::string entry_;
  std::vector<std::string> ids_, calls_;
  std::size_t count_ = 0;
};

struct Source {
  sk::Log log;
  sk::Dialect const* dialect;
  std::vector<std::string> requests; ///< of each provider
};

Source read(std::string const& path, std::string const& text) {
  write_file(path, text);
  auto const store = sk::open_transcript(path).value();
  auto const id = store->list({}).value().sessions.at(0).id;
  Source source{sk::load_log(*store, id, sk::LogLines::kept).value(),
                &sk::TranscriptReader::open(path).value().dialect(),
                {}};
  auto const context = sk::load_context(*store, id).value();
  for (auto const provider : sessionkit_test::request_providers) {
    sk::Target target;
    target.provider = provider;
    auto const parts = sk::encode(sk::HistoryRebuilder(target).rebuild(context), target);
    source.requests.push_back(parts.system + parts.messages);
  }
  return source;
}

sk::Converted convert(Source const& source, std::string const& to) {
  auto const id = sk::SessionId::parse("named").value();
  if (to == "blades") return sk::export_blades(source.log, id);
  return sk::convert_log(source.log, *source.dialect, *sk::find_dialect(to), id).value();
}

constexpr char const* dialects[] = {"native", "panel", "flat"};
constexpr char const* targets[] = {"native", "panel", "flat", "blades"};

}

TEST_CASE("a conversion keeps everything that it does not list, for every provider") {
  std::size_t const logs = sessionkit_test::long_form() ? 3000 : 80;
  TempDir dir;
  std::size_t same = 0, listed = 0;
  for (std::uint64_t seed = 1; seed <= logs; ++seed)
    for (std::string const from : dialects) {
      auto const made = LogMaker(seed).make(from);
      auto const source = read(dir / "in.jsonl", made.text);
      for (std::string const to : targets) {
        CAPTURE(seed, from, to, made.text);
        auto out = convert(source, to);
        std::set<std::string> named;
        for (auto const& loss : out.losses) named.insert(loss.entry.str());
        for (auto const& [text, entry] : made.marks)
          if (made.text.find(text) != std::string::npos && out.text.find(text) == std::string::npos
              && named.count(entry) == 0)
            FAIL_CHECK(text << " of entry '" << entry << "' is neither there nor listed\n" << out.text);
        // Replaced ids change nothing that a model sees.
        bool const reported = std::any_of(out.losses.begin(), out.losses.end(), [](sk::Loss const& loss) {
          return loss.what.find("which an earlier entry has") == std::string::npos;
        });
        ++(reported ? listed : same);
        if (reported) continue;
        if (to == "blades")
          out = sk::convert_log(sk::import_blades(out.text).value(), sk::native_dialect(),
                                sk::native_dialect(), sk::SessionId::parse("named").value())
                    .value();
        auto const path = dir / "out.jsonl";
        auto const again = read(path, out.text);
        if (again.requests != source.requests)
          FAIL_CHECK("another history\n"
                     << source.requests[0] << '\n'
                     << again.requests[0] << '\n'
                     << out.text);
        if (to != from)
          for (auto const& damage : sk::TranscriptReader::open(path).value().verify().value())
            FAIL_CHECK(damage.what << '\n' << out.text);
      }
    }
  CHECK(same > logs * 2);
  CHECK(listed > logs);
}
