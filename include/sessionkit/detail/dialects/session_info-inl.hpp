// SPDX-License-Identifier: MIT
// Folds entries into the summary of their session.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/dialects/session_info.hpp>
#include <sessionkit/detail/json/utf8_normalise.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/token_counts.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/session_info.hpp>
#include <sessionkit/tokens.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace session_info_inl { namespace {

constexpr std::size_t first_text_code_points = 200;
constexpr std::size_t remembered_requests = 8;
constexpr std::size_t remembered_words = 20; // as many as ai-panel keeps

// Answers that were stored in several messages carry one request id. They are neighbours, so a few ids are
// enough.
bool is_repeat(SessionInfo& info, std::string const& request) {
  if (request.empty()) return false;
  auto& recent = info.fold_state.recent_requests;
  if (std::find(recent.begin(), recent.end(), request) != recent.end()) return true;
  if (recent.size() == remembered_requests) recent.erase(recent.begin());
  recent.push_back(request);
  return false;
}

bool is_user_words(std::uint32_t words) noexcept { return (words & 1U) != 0; }

std::uint32_t words_of_said(Message const& message) {
  return (detail::crc32c(detail::words_of(message)) & ~1U) | (message.role == Role::user ? 1U : 0U);
}

// True if the message is in the log already. Messages that ai-panel writes again carry no mark. They are
// counted like any other, and the count is taken back when all of them are there again.
bool repeats_said(SessionInfo& info, Entry const& entry, Message const& message) {
  auto& said = info.fold_state.recent_words;
  auto& kept = info.fold_state.kept_words;
  if (said.size() >= remembered_words) said.erase(said.begin());
  said.push_back(words_of_said(message));
  if (info.fold_state.repeats > 0 && detail::is_kept_again(entry))
    return --info.fold_state.repeats, kept.clear(), true;
  if (kept.empty()) return false;
  bool const same = said.size() <= kept.size() && said.back() == kept[said.size() - 1];
  bool const all = same && said.size() == kept.size();
  if (all) {
    info.messages -= kept.size() - 1;
    info.turns -= static_cast<std::uint64_t>(std::count_if(kept.begin(), kept.end() - 1, is_user_words));
  }
  if (all || !same) kept.clear();
  return all;
}

// Every text in a summary is as a line spells it, so that stores and programs agree on it.
struct Folder {
  SessionInfo& info;
  Entry const& entry;
  bool writes_again; ///< its dialect's compactions write again what they keep

  void operator()(Header const& header) const {
    info.key = detail::as_written(header.key);
    info.agent = detail::as_written(header.agent);
    info.user = detail::as_written(header.user);
    info.cwd = detail::as_written(header.cwd);
    info.parent_session = detail::as_written(header.parent_session);
    info.metadata = header.metadata;
    info.fold_state.copied = header.copied;
    info.created = entry.at;
  }
  void operator()(Message const& message) const {
    if (message.role == Role::system) return;
    ++info.fold_state.since_compaction;
    if (info.tokens) *info.tokens += estimate_tokens(message);
    if (writes_again && repeats_said(info, entry, message)) return;
    ++info.messages;
    if (message.role == Role::user) user_spoke(message);
    if (message.role == Role::assistant && message.generation) model_spoke(message);
  }
  void operator()(Compaction const& compaction) const {
    bool const kept_is_behind = entry.link == Parent::previous; // and counted there
    info.tokens = compaction.tokens_after && !kept_is_behind ? *compaction.tokens_after
                                                             : estimate_tokens(compaction.summary);
    std::uint64_t const before = std::exchange(info.fold_state.since_compaction, 0);
    // A compaction cut short did not start a new count: it may keep any message before it.
    info.fold_state.repeats = detail::messages_kept(entry, compaction.kept_again ? info.messages : before);
    auto& said = info.fold_state.recent_words;
    info.fold_state.kept_words.clear();
    if (info.fold_state.repeats != 0 && !compaction.kept_again && info.fold_state.repeats <= said.size())
      info.fold_state.kept_words.assign(said.end() - static_cast<std::ptrdiff_t>(info.fold_state.repeats),
                                        said.end());
    said.clear();
  }
  void operator()(TitleChange const& change) const {
    if (info.title_by_person && !change.by_person && !info.title.empty()) return;
    info.title = detail::as_written(change.title);
    info.title_by_person = change.by_person && !change.title.empty();
  }
  void operator()(StateChange const& change) const {
    for (auto const& [name, value] : change.set) info.state[detail::as_written(name)] = value;
    for (std::string const& name : change.removed) info.state.erase(detail::as_written(name));
  }
  void operator()(ArchiveChange const& change) const { info.archived = change.archived; }
  void operator()(Label const& label) const {
    if (label.label.empty())
      info.labels.erase(label.target.str());
    else
      info.labels[label.target.str()] = detail::as_written(label.label);
  }
  void operator()(ModelChange const& change) const {
    if (!change.model.empty()) info.provider = change.provider, info.model = change.model;
    if (!change.thinking_level.empty()) info.thinking_level = change.thinking_level;
  }
  void operator()(BranchSummary const& body) const { add_tokens(estimate_tokens(body.summary)); }
  void operator()(CustomMessage const& body) const {
    if (!body.in_context) return;
    for (ToolContent const& piece : body.content)
      if (auto const* text = std::get_if<Text>(&piece)) add_tokens(estimate_tokens(text->text));
  }
  void operator()(Custom const&) const {}
  void operator()(Unknown const&) const {}

 private:
  void add_tokens(std::size_t tokens) const {
    if (info.tokens) *info.tokens += tokens;
  }
  void user_spoke(Message const& message) const {
    ++info.turns;
    if (!info.first_user_text.empty()) return;
    std::string text = message.text();
    if (detail::is_blank(text)) return;
    text.resize(detail::utf8_cut(text, first_text_code_points));
    info.first_user_text = std::move(text);
  }
  void model_spoke(Message const& message) const {
    Generation const& made = *message.generation;
    if (!made.model.empty()) info.provider = made.provider, info.model = made.model;
    if (!made.usage) return;
    Usage const& used = *made.usage;
    if (detail::has_usable_count(message))
      info.tokens = used.input + used.output + used.cache_read + used.cache_write;
    if (info.entries <= info.fold_state.copied || is_repeat(info, made.request_id)) return;
    info.usage.input += used.input;
    info.usage.output += used.output;
    info.usage.cache_read += used.cache_read;
    info.usage.cache_write += used.cache_write;
  }
};

void fold_damaged(SessionInfo& info, RecordPage::Item const& item) {
  ++info.damaged;
  info.end = item.end;
  info.end_crc = detail::crc32c(item.line);
}

}}

std::vector<bool> written_again(std::vector<Entry> const& log) {
  std::vector<bool> again;
  for (detail::Standing const& standing : detail::standings(log))
    again.push_back(standing.kind != detail::Standing::once);
  return again;
}

std::string SessionInfo::display_title(std::size_t max_code_points) const {
  std::string_view text = detail::trimmed(title);
  if (text.empty()) {
    text = detail::trimmed(first_user_text);
    text = detail::trimmed(text.substr(0, detail::utf8_cut(text, max_code_points)));
  }
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return detail::byte_of(c) < 0x20 || c == 0x7F; }, ' ');
  return line;
}

void fold(SessionInfo& info, Entry const& entry, Position end, std::string_view line) {
  detail::fold_entry(info, entry, end, detail::crc32c(line), entry.link == Parent::previous);
}

void fold(SessionInfo& info, RecordPage::Item const& item, std::string_view dialect) {
  if (Dialect const* const known = find_dialect(dialect)) {
    detail::fold_record(info, item, *known);
    return;
  }
  session_info_inl::fold_damaged(info, item);
}

namespace detail {

bool fold_entry(SessionInfo& info, Entry const& entry, Position end, std::uint32_t line_crc,
                bool writes_again) {
  bool const header = entry.as<Header>() != nullptr;
  bool const first_header = header && info.end == Position{};
  if (!header) {
    ++info.entries;
    bool const branches = entry.link == Parent::entry ? entry.parent != info.last
                                                      : entry.link == Parent::root && !info.last.empty();
    if (branches) info.tokens.reset();
    info.last = entry.id;
  }
  if (!header || first_header) visit(session_info_inl::Folder{info, entry, writes_again}, entry.body);
  if (entry.at != Timestamp{} && !is_kept_again(entry)) {
    if (info.created == Timestamp{}) info.created = entry.at;
    info.updated = std::max(entry.at, info.created); // the entries of a fork are older than the fork
  }
  info.end = end;
  info.end_crc = line_crc;
  auto const* const message = entry.as<Message>();
  return !writes_again && (entry.as<Compaction>() || (message != nullptr && has_usable_count(*message)));
}

bool fold_record(SessionInfo& info, RecordPage::Item const& item, Dialect const& dialect) {
  Result<Entry> const entry = dialect.decode(item);
  if (!entry) return session_info_inl::fold_damaged(info, item), false;
  bool const writes_again = !dialect.has_ids && dialect.can(body_index<Compaction>);
  return fold_entry(info, *entry, item.end, crc32c(item.line), writes_again);
}

}

}}
