// SPDX-License-Identifier: MIT
// Exports a session as a transcript of pi: the log with all branches, or the rebuilt messages where pi would
// not send it.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/export/export_history.hpp>
#include <sessionkit/detail/export/export_ids.hpp>
#include <sessionkit/detail/export/export_pi.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace export_pi_inl { namespace {

std::string line_of(Entry const& entry) {
  std::string line;
  Result<void> const written = native_dialect().encode(entry, line);
  return written ? line : std::string{}; // a header and data of ours can always be written
}

// The log with the header that pi needs. A changed line is written again.
Log with_header(Log log, std::string const& id, std::string const& cwd) {
  if (log.entries.empty() || !log.entries.front().as<Header>()) {
    Entry entry;
    entry.link = Parent::root;
    entry.at = log.entries.empty() ? Timestamp{} : log.entries.front().at;
    entry.body = Header{};
    log.entries.insert(log.entries.begin(), std::move(entry));
    if (!log.lines.empty()) log.lines.insert(log.lines.begin(), std::string{});
  }
  auto& header = std::get<Header>(log.entries.front().body);
  if (header.id == id && header.cwd == cwd) return log;
  header.id = id;
  header.cwd = cwd;
  if (!log.lines.empty()) log.lines.front() = line_of(log.entries.front());
  return log;
}

// pi goes on at the last entry, so an entry without content is put below another leaf.
void lead_to(Log& log, EntryId const& leaf) {
  if (leaf.empty() || log.entries.back().id == leaf) return;
  Entry entry;
  entry.id = EntryId(detail::letters_of(leaf.str(), 8));
  entry.link = Parent::entry;
  entry.parent = leaf;
  entry.at = log.entries.back().at;
  entry.body = Custom{"sessionkit.leaf", {}};
  if (!log.lines.empty()) log.lines.push_back(line_of(entry));
  log.entries.push_back(std::move(entry));
}

// pi does not send such an answer.
bool is_cut_short(Message const& message) noexcept {
  return message.generation
         && (message.generation->stop == StopReason::aborted
             || message.generation->stop == StopReason::error);
}

template <class Parts> bool are_blank(Parts const& parts) {
  return std::all_of(parts.begin(), parts.end(), [](auto const& part) {
    auto const* const text = std::get_if<Text>(&part);
    return text && detail::is_blank(text->text);
  });
}

// True if pi sends something of the user first, as some providers demand. pi leaves out blank messages.
bool begins_with_the_user(std::vector<Entry> const& path) {
  auto const is_compaction = [](Entry const& entry) { return entry.as<Compaction>() != nullptr; };
  if (std::any_of(path.begin(), path.end(), is_compaction)) return true; // sent first, as the user's
  for (Entry const& entry : path) {
    if (auto const* const left = entry.as<BranchSummary>(); left && !detail::is_blank(left->summary))
      return true;
    auto const* const text = entry.as<CustomMessage>();
    if (text && text->in_context && !are_blank(text->content)) return true;
    auto const* const message = entry.as<Message>();
    if (!message || message->role == Role::system || is_cut_short(*message) || are_blank(message->parts))
      continue;
    return message->role == Role::user;
  }
  return true;
}

// True if pi sends the results of this path in a form that providers accept. pi sends each message in its
// place, and adds a result of its own where the next message does not answer a call. A provider refuses a
// result that follows another message than that with its call, two calls with one id, and a call without an
// id.
bool has_results_in_order(std::vector<Entry> const& path) {
  std::unordered_set<std::string> called, open;
  for (Entry const& entry : path) {
    auto const* const message = entry.as<Message>();
    if (!message) continue;
    bool said = false; // by the user; what follows answers no call
    if (message->role == Role::assistant) open.clear();
    for (Part const& part : message->parts) {
      auto const* const call = std::get_if<ToolUse>(&part);
      auto const* const result = std::get_if<ToolResult>(&part);
      if (call && (call->id.empty() || !called.insert(call->id).second)) return false;
      if (call && !is_cut_short(*message)) open.insert(call->id);
      if (result && (said || open.erase(result->tool_use_id) == 0)) return false;
      said = said || (message->role == Role::user && !result);
    }
    if (said) open.clear();
  }
  return true;
}

// The messages as they are sent, in the order in which pi sends them.
class RebuiltLog {
 public:
  static Log of(detail::ExportHistory const& history) {
    RebuiltLog made;
    made.begin_ = history.begin;
    made.out_.entries.emplace_back().body = history.header;
    made.out_.entries.back().link = Parent::root;
    made.out_.entries.back().at = history.begin;
    for (detail::ExportSegment const& segment : history.segments) made.add(segment);
    if (history.title) made.add({}, history.end, *history.title);
    return std::move(made.out_);
  }

 private:
  void add(detail::ExportSegment const& segment) {
    std::size_t const kept = out_.entries.size();
    for (detail::ExportMessage const& message : segment.kept) add(message);
    if (!segment.compaction.empty()) {
      Compaction body;
      body.summary = segment.summary;
      body.tokens_before = segment.tokens_before;
      Entry& entry = add(segment.compaction, segment.at, std::move(body));
      auto& written = std::get<Compaction>(entry.body);
      written.first_kept = out_.entries[kept].id; // its own id if nothing is kept
    }
    for (detail::ExportMessage const& message : segment.said) add(message);
  }

  // Each result is an entry of its own, and so are the texts between results.
  void add(detail::ExportMessage const& message) {
    Message* open = nullptr;
    bool const has_calls =
        std::any_of(message.pieces.begin(), message.pieces.end(), [](detail::ExportPiece const& piece) {
          return std::holds_alternative<ToolUse>(piece.part);
        });
    for (detail::ExportPiece const& piece : message.pieces) {
      bool const result = std::holds_alternative<ToolResult>(piece.part);
      if (result || !open || open->role == Role::tool) {
        Message begun;
        begun.role = result ? Role::tool : message.role;
        if (!result) begun.generation = message.generation;
        if (has_calls && is_cut_short(begun))
          begun.generation->stop = StopReason::tool_use; // or pi leaves it out
        bool const repaired = message.at == Timestamp{};
        Timestamp const at = repaired ? begin_ : message.at;
        open = &std::get<Message>(add(piece.entry, at, std::move(begun)).body);
      }
      open->parts.push_back(piece.part);
    }
  }

  // Below the entry before it. An id is used once.
  Entry& add(EntryId const& from, Timestamp at, EntryBody body) {
    std::string id = from.str();
    while (id.empty() || id.front() == '@' || !used_.insert(id).second)
      id = detail::letters_of("entry " + std::to_string(++made_), 8);
    bool const first = out_.entries.size() == 1;
    Entry entry;
    entry.link = first ? Parent::root : Parent::entry;
    if (!first) entry.parent = out_.entries.back().id;
    entry.id = EntryId(std::move(id));
    entry.at = at;
    entry.body = std::move(body);
    return out_.entries.emplace_back(std::move(entry));
  }

  Log out_;
  std::unordered_set<std::string> used_;
  std::size_t made_ = 0;
  Timestamp begin_ = {};
};

std::string folder_of(std::string const& cwd) {
  std::string name = cwd.substr(1);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || c == ':'; }, '-');
  return "--" + name + "--";
}

}}

namespace detail {

Result<Exported> export_to_pi(ExportSource const& source, ExportOptions const& options) {
  Result<std::string> id = uuid_session_id(source, options);
  if (!id) return id.error();
  Result<std::string> cwd = export_cwd(source, options);
  if (!cwd) return cwd.error();
  bool const as_it_is =
      export_pi_inl::begins_with_the_user(source.path) && export_pi_inl::has_results_in_order(source.path);
  std::vector<Loss> losses;
  Log log;
  if (as_it_is) {
    log = export_pi_inl::with_header(source.log, *id, *cwd);
    export_pi_inl::lead_to(log, source.leaf);
  } else {
    ExportTarget target = export_target(source, pi_exporter(), Provider::anthropic);
    target.introduces_summary = false; // pi does
    auto history = make_export_history(source, target);
    write_once(history);
    log = export_pi_inl::with_header(export_pi_inl::RebuiltLog::of(history), *id, *cwd);
    losses = std::move(history.losses);
  }
  Result<SessionId> const named = SessionId::parse(*id);
  if (!named) return named.error();
  Result<Converted> made = convert_log(log, as_it_is && source.dialect ? *source.dialect : native_dialect(),
                                       native_dialect(), *named);
  if (!made) return made.error();
  std::string time = to_rfc3339(log.entries.front().at);
  std::replace_if(
      time.begin(), time.end(), [](char c) { return c == ':' || c == '.'; }, '-');
  Exported out;
  std::string const name = "sessions/" + export_pi_inl::folder_of(*cwd) + '/' + time + '_' + *id + ".jsonl";
  out.files.push_back({name, std::move(made->text)});
  out.resume = {{"pi", "--session", name}};
  out.losses = std::move(losses);
  out.losses.insert(out.losses.end(), made->losses.begin(), made->losses.end());
  std::size_t elsewhere = 0;
  for (Entry const& entry : log.entries)
    if (auto const* const message = entry.as<Message>()) elsewhere += has_blob_refs(*message) ? 1U : 0U;
  if (elsewhere > 0)
    out.losses.push_back(
        {{},
         std::to_string(elsewhere) + " messages have images that are kept elsewhere: pi does not find them"});
  out.id = std::move(*id);
  out.cwd = std::move(*cwd);
  return out;
}

}

}}
