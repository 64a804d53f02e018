// SPDX-License-Identifier: MIT
// Makes the entries of a session of opencode: in order, what is still open last, a finished summary as a
// compaction, and a revert as a branch.
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/opencode_session.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace opencode_session_inl { namespace {

// The title that a session has until the program finds one: "New session - 2026-11-21T22:35:07.540Z".
bool is_default_title(std::string_view title) {
  for (std::string_view const begin : {"New session - ", "Child session - "})
    if (title.substr(0, begin.size()) == begin && title.size() == begin.size() + 24 && title.back() == 'Z')
      return true;
  return title.empty();
}

std::string text_of(std::vector<OpencodeUnit> const& units) {
  std::string text;
  for (OpencodeUnit const& unit : units)
    if (auto const* const message = std::get_if<Message>(&unit.body)) {
      if (!text.empty() && !message->text().empty()) text += "\n\n";
      text += message->text();
    }
  return text;
}

}}

std::string opencode_title(std::string_view stored) {
  return opencode_session_inl::is_default_title(stored) ? std::string{} : std::string(stored);
}

OpencodeReader::OpencodeReader(ForeignSession which, OpencodeSession session, ImportOptions const& options,
                               EntrySink const& sink)
    : which_(std::move(which)), session_(std::move(session)), options_(options), sink_(sink) {
  which_.importer = "opencode"; // of the files or of the database
  status_ =
      sink_(imported_header(which_, session_.version, session_.directory, from_unix_ms(session_.created)));
}

Result<void> OpencodeReader::add(OpencodeMessage message) {
  if (!status_) return status_;
  std::string const role = member_text(message.data, "role");
  if (role != "user" && role != "assistant") {
    ++report_.passed_over["message (unknown role)"];
    return {};
  }
  // One answer is made at a time. So when the next one begins, those before it do not change any more.
  if (role == "assistant") {
    std::string const request = member_text(message.data, "parentID");
    auto const asked = std::find_if(waiting_.begin(), waiting_.end(), [&](OpencodeMessage const& one) {
      return one.id == request && !one.compaction().empty();
    });
    flush(static_cast<std::size_t>(asked - waiting_.begin()));
  }
  waiting_.push_back(std::move(message));
  return status_;
}

// Gives the first messages that wait.
void OpencodeReader::flush(std::size_t count) {
  std::vector<OpencodeMessage> rest(
      std::make_move_iterator(waiting_.begin() + static_cast<std::ptrdiff_t>(count)),
      std::make_move_iterator(waiting_.end()));
  waiting_.resize(count);
  std::vector<bool> done(count, false);
  for (std::size_t i = 0; i < count && status_; ++i) {
    OpencodeMessage const& message = waiting_[i];
    if (done[i] || revert_from(message)) continue;
    std::size_t answer = count;
    if (!message.compaction().empty())
      for (std::size_t j = i + 1; j < count && answer == count; ++j)
        if (waiting_[j].is_summary_of(message.id)) answer = j;
    if (answer == count) {
      emit(message);
    } else {
      compact(message, waiting_[answer]);
      done[answer] = true;
    }
  }
  waiting_ = std::move(rest);
}

// How many of the messages that wait will not change.
std::size_t OpencodeReader::closed() const {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    OpencodeMessage const& message = waiting_[i];
    bool open = message.is_open() || (!message.by_assistant() && message.parts.empty());
    if (!message.compaction().empty())
      open = std::none_of(waiting_.begin(), waiting_.end(), [&](OpencodeMessage const& one) {
        return one.by_assistant() && !one.is_open() && member_text(one.data, "parentID") == message.id;
      });
    if (open) return i;
  }
  return waiting_.size();
}

void OpencodeReader::give(EntryBody body, std::string id, std::vector<std::string> const& origin,
                          std::int64_t at, std::string_view error) {
  if (!status_) return;
  while (!ids_.insert(id).second) id += '~'; // only in damaged files
  Entry entry;
  entry.id = EntryId(std::move(id));
  entry.link = tip_.empty() ? Parent::root : Parent::entry;
  entry.parent = tip_;
  entry.at = from_unix_ms(at);
  entry.body = std::move(body);
  if (!origin.empty()) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("origin").begin_array();
    for (std::string const& one : origin) json.string(one);
    json.end_array();
    if (!error.empty()) json.member_raw("error", compact_json(error).str());
    json.end_object();
    entry.extra = RawJson::from(std::move(text));
  }
  tip_ = entry.id;
  status_ = sink_(std::move(entry));
}

void OpencodeReader::emit(OpencodeMessage const& message) {
  std::vector<OpencodeUnit> units = read_opencode_message(message, report_.passed_over);
  std::string_view const error = find_member(message.data, "error");
  for (OpencodeUnit& unit : units) {
    std::vector<std::string> origin{message.id};
    origin.insert(origin.end(), unit.origin.begin(), unit.origin.end());
    auto const* const said = std::get_if<Message>(&unit.body);
    if (said && said->role == Role::user && ++turns_ == 2) give_title();
    if (unit.cleared)
      report_.losses.push_back({EntryId(unit.id), "the program has cleared this result, and sends a note in "
                                                  "its place; the history has the result"});
    bool const answer = said && said->role == Role::assistant;
    give(std::move(unit.body), std::move(unit.id), origin, unit.at != 0 ? unit.at : message.created(),
         answer && json_kind(error) == JsonKind::object ? error : std::string_view{});
  }
}

// The program goes on with its question, the summary, and what the request says is kept.
void OpencodeReader::compact(OpencodeMessage const& request, OpencodeMessage const& answer) {
  std::vector<OpencodeUnit> const units = read_opencode_message(answer, report_.passed_over);
  Compaction body;
  body.summary = opencode_session_inl::text_of(units);
  std::string const kept = member_text(request.compaction(), "tail_start_id");
  bool const is_given = !kept.empty() && ids_.count(kept) != 0;
  body.first_kept = EntryId(is_given ? kept : answer.id);
  if (!kept.empty() && !is_given)
    report_.losses.push_back({EntryId(answer.id), "the compaction keeps messages from " + kept
                                                      + " on, which is not there; it keeps none"});
  body.details = compact_json(answer.data);
  give(std::move(body), answer.id, {request.id, answer.id}, answer.created());
}

// True if the message is not given, because a revert removes it.
bool OpencodeReader::revert_from(OpencodeMessage const& message) {
  bool const first =
      !reverted_ && !session_.revert.empty() && member_text(session_.revert, "messageID") == message.id;
  if (first) {
    reverted_ = true;
    kept_tip_ = tip_;
    std::string const part = member_text(session_.revert, "partID");
    auto const at = std::find_if(message.parts.begin(), message.parts.end(),
                                 [&](OpencodeMessage::Piece const& one) { return one.id == part; });
    if (at != message.parts.end()) {
      cut_ = message;
      cut_.parts.assign(message.parts.begin(), at);
    }
  }
  if (!reverted_ || options_.finished) return false;
  ++report_.held_back; // the program deletes it at the next prompt, or takes the revert back
  return true;
}

void OpencodeReader::give_title() {
  if (std::exchange(title_given_, true) || opencode_session_inl::is_default_title(session_.title)) return;
  give(TitleChange{session_.title, false}, "title", {}, session_.created);
}

// The conversation goes on before what is reverted.
void OpencodeReader::mark_revert() {
  tip_ = kept_tip_;
  std::int64_t const at = cut_.created();
  if (!cut_.id.empty()) {
    cut_.id += ".reverted";
    std::vector<OpencodeUnit> units = read_opencode_message(cut_, report_.passed_over);
    for (OpencodeUnit& unit : units) {
      std::string id = unit.id == cut_.id ? cut_.id : unit.id + ".reverted";
      if (auto* const message = std::get_if<Message>(&unit.body); message && message->generation)
        message->generation->usage.reset(); // counted already
      give(std::move(unit.body), std::move(id), unit.origin, at);
    }
  }
  give(Custom{"opencode.reverted", compact_json(session_.revert)}, "revert", {}, session_.created);
}

Result<ImportReport> OpencodeReader::finish() && {
  flush(options_.finished ? waiting_.size() : closed());
  report_.held_back += waiting_.size();
  if (options_.finished) {
    give_title();
    if (reverted_) mark_revert();
  }
  if (!status_) return status_.error();
  return std::move(report_);
}

}}}
