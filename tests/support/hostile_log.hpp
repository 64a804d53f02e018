// SPDX-License-Identifier: MIT
// A short log in each dialect with a place for hostile input, and everything that a host may do with a log.
#pragma once
#include "support/every_provider.hpp"
#include "support/one_file.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/convert.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/transcript_store.hpp>
#include <sessionkit/detail/transcript/verify.hpp>
#include <sessionkit/session.hpp>

#include <array>
#include <string>
#include <vector>

namespace sessionkit_test {

/// A user's message, a call, its result, and a last question: `words` is in two of them, `input` in the
/// call.
struct HostileLog {
  std::string words = R"("hi")";    ///< a JSON string
  std::string input = R"({"n":1})"; ///< JSON
  std::string line = {};            ///< a separate line after the user's, with its newline
  std::string mark = {};            ///< before all of it
  std::string line_end = "\n";

  std::vector<std::string> lines(std::string const& dialect) const {
    if (dialect == "native")
      return {
          R"({"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"})",
          message("a", "null", R"("role":"user","content":[{"type":"text","text":)" + words + "}]"),
          message("b", R"("a")",
                  R"("role":"assistant","content":[{"type":"toolCall","id":"t1","name":"read","arguments":)"
                      + input + R"(}],"stopReason":"toolUse")"),
          message(
              "c", R"("b")",
              R"("role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":)"
                  + words + R"(}],"isError":false)"),
          message("d", R"("c")", R"("role":"user","content":"end")")};
    if (dialect == "flat")
      return {R"({"type":"session","id":"s1","key":"k","created":"2026-01-01T00:00:00+00:00"})",
              R"({"type":"user","content":)" + words + ts,
              R"({"type":"tool_use","name":"read","tool_use_id":"t1","input":)" + input + ts,
              R"({"type":"tool_result","tool_use_id":"t1","output":)" + words + ts,
              std::string(R"({"type":"user","content":"end")") + ts};
    return {
        R"({"type":"session","version":3,"agentId":"main","createdAt":1767225600000,"id":"s1"})",
        panel(R"("user","content":)" + words),
        panel(R"("assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":)" + input + "}]"),
        panel(R"("user","content":[{"type":"tool_result","tool_use_id":"t1","content":)" + words + "}]"),
        panel(R"("user","content":"end")")};
  }
  std::string bytes(std::string const& dialect) const {
    std::string all = mark;
    std::vector<std::string> const each = lines(dialect);
    for (std::size_t i = 0; i < each.size(); ++i) {
      all += each[i] + line_end;
      if (i == 1) all += line;
    }
    return all;
  }

 private:
  static constexpr char const* ts = R"(,"ts":"2026-01-01T00:00:01+00:00"})";
  static std::string message(std::string const& id, std::string const& parent, std::string const& inside) {
    return R"({"type":"message","id":")" + id + R"(","parentId":)" + parent
           + R"(,"timestamp":"2026-01-01T00:00:01.000Z","message":{)" + inside + "}}";
  }
  static std::string panel(std::string const& inside) {
    return R"({"type":"message","message":{"role":)" + inside + R"(},"timestamp":1767225601000})";
  }
};

inline std::array<char const*, 3> const every_written_dialect{"native", "flat", "panel"};

/// The results for a log.
struct Travelled {
  std::vector<std::string> failed; ///< calls that failed but must not
  std::vector<std::string> lines;
  std::vector<sk::Damage> damage; ///< as `verify` reports it
  sk::Log log;
  sk::Context context;
  std::vector<sk::RequestParts> requests;       ///< for each of `every_provider`
  std::vector<sk::RequestParts> later_requests; ///< after one more user message
  std::vector<sk::RequestParts> short_requests; ///< after a compaction, if one could be stored
  std::vector<std::string> converted;           ///< to each of `every_written_dialect` and to blades
  std::string bytes;                            ///< of the file at the end
};

/// Scan, decode, context, rebuild, encode for every provider; encode again, convert; continue the session.
class Journey {
 public:
  Travelled result;

  void go(sk::detail::FileOps& file) {
    auto opened = sk::detail::open_transcript(file, "t.jsonl", {});
    if (!took("open", opened)) return;
    auto listed = (*opened)->list({});
    if (!took("list", listed) || listed->sessions.empty()) return;
    sk::SessionId const id = listed->sessions.front().id;
    read(**opened, id);
    sk::detail::FileReader reader(file, 3, "t.jsonl", {});
    if (auto found = sk::detail::verify_transcript(reader); took("verify", found))
      result.damage = std::move(*found);
    if (auto log = sk::load_log(**opened, id, sk::LogLines::kept); took("load_log", log))
      result.log = std::move(*log);
    if (auto context = sk::load_context(**opened, id); took("load_context", context))
      result.context = std::move(*context);
    sk::Dialect const& from = reader.dialect();
    write_again(from);
    convert(from, id);
    result.requests = requests_of(result.context);
    go_on(*opened, id);
  }

 private:
  template <class Answer> bool took(std::string const& what, Answer const& answer) {
    if (!answer) result.failed.push_back(what + ": " + answer.error().message);
    return answer.ok();
  }

  void read(sk::SessionStore& store, sk::SessionId const& id) {
    sk::ReadRange range;
    for (bool more = true; more;) {
      auto page = store.read(id, range);
      if (!took("read", page)) return;
      for (auto const& item : page->items()) result.lines.emplace_back(item.line);
      more = page->more;
      range.from = page->next;
    }
  }

  // A dialect reads what it writes.
  void write_again(sk::Dialect const& dialect) {
    for (sk::Entry const& entry : result.log.entries) {
      std::string line;
      if (auto written = dialect.encode(entry, line); !took("encode", written)) continue;
      sk::RecordView record;
      std::deque<std::string> unescaped;
      if (!dialect.head(line, record, unescaped)) result.failed.push_back("head of " + line);
      took("decode", dialect.decode(record));
    }
  }

  void convert(sk::Dialect const& from, sk::SessionId const& id) {
    for (char const* name : every_written_dialect)
      if (auto made = sk::convert_log(result.log, from, *sk::find_dialect(name), id); took("convert", made))
        result.converted.push_back(made->text);
    result.converted.push_back(sk::export_blades(result.log, id).text);
  }

  static std::vector<sk::RequestParts> requests_of(sk::Context const& context) {
    std::vector<sk::RequestParts> requests;
    for (EveryProvider const& each : every_provider) {
      sk::Target target = target_of(each);
      target.mode = sk::RebuildMode::faithful;
      (void)sk::encode(sk::HistoryRebuilder(target).rebuild(context), target);
      target.mode = sk::RebuildMode::valid;
      requests.push_back(sk::encode(sk::HistoryRebuilder(target).rebuild(context), target));
    }
    return requests;
  }

  void go_on(std::shared_ptr<sk::SessionStore> store, sk::SessionId const& id) {
    auto session = sk::Session::open(std::move(store), id);
    if (!took("Session::open", session)) return;
    took("append", session->append(sk::user("go on")));
    auto context = session->context();
    if (took("context", context)) result.later_requests = requests_of(*context);
    took("info", session->info());
    took("path", session->path());
    took("leaves", session->leaves());
    shorten(*session);
  }

  void shorten(sk::Session& session) {
    sk::CompactionPolicy policy;
    policy.keep = sk::keep_turns(1);
    policy.max_request_tokens = 100;
    auto summarizer = sk::make_summarizer([](sk::SummaryRequest const& request) -> sk::Result<std::string> {
      return request.prompt().substr(0, 4);
    });
    auto const outcome = session.compact(summarizer, policy, sk::CompactionReason::manual);
    if (!outcome && outcome.error().code == sk::Errc::unsupported) return;
    if (!took("compact", outcome) || *outcome != sk::CompactionOutcome::applied) return;
    auto context = session.context();
    if (!took("context", context)) return;
    if (!context->compaction)
      result.failed.emplace_back("context: the compaction that was stored is not seen");
    result.short_requests = requests_of(*context);
  }
};

}
