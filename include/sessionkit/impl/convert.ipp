// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>
#include <sessionkit/detail/compaction_label.hpp>
#include <sessionkit/detail/json.hpp>
#include <sessionkit/detail/log_path.hpp>
#include <sessionkit/detail/raw_json_access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace {

// Members that mean something in one dialect or the other, so that they cannot go along as strangers.
constexpr std::array<std::string_view, 12> line_names{{"type", "id", "parentId", "timestamp", "ts", "message",
                                                       "content", "output", "name", "input", "summary",
                                                       "created"}};

bool is_line_name(std::string_view key) {
  return std::any_of(line_names.begin(), line_names.end(),
                     [&](std::string_view name) { return detail::key_is(key, name); });
}

// Takes away the signatures of texts and calls, and reasoning that has none; true if there were any.
bool strip_proofs(Message& message) {
  bool any = false;
  auto const clear = [&](std::string& signature) { any = any || !signature.empty(), signature.clear(); };
  for (Part& part : message.parts) {
    if (auto* text = std::get_if<Text>(&part)) clear(text->signature);
    if (auto* call = std::get_if<ToolUse>(&part)) clear(call->signature);
  }
  auto const unsigned_thought =
      std::remove_if(message.parts.begin(), message.parts.end(), [](Part const& part) {
        auto const* thinking = std::get_if<Thinking>(&part);
        return thinking && thinking->signature.empty();
      });
  any = any || unsigned_thought != message.parts.end();
  message.parts.erase(unsigned_thought, message.parts.end());
  return any;
}

class LogConverter {
 public:
  LogConverter(Log const& log, Dialect const& from, Dialect const& to) : log_(log), from_(from), to_(to) {}

  Result<Converted> run(SessionId const& id) && {
    detail::list_damage(log_, out_.unsaid);
    Entry header = detail::header_of(log_, id);
    foreign_members(header);
    Result<void> const begun = to_.encode(header, out_.text);
    if (!begun) return begun.error();
    out_.text += '\n';
    if (to_.has_ids) {
      for (Entry const& entry : log_.entries)
        if (!entry.as<Header>()) add(entry);
    } else {
      for (Entry const* entry : detail::path_to_last(log_, out_.unsaid)) add(*entry);
    }
    return std::move(out_);
  }

 private:
  void leave_out(Entry const& entry, std::string what) { out_.unsaid.push_back({entry.id, std::move(what)}); }

  // Strange members go along unless they mean something on the other side.
  void foreign_members(Entry& entry) {
    if (&from_ == &to_ || !entry.extra.is_object()) return;
    std::string kept;
    detail::for_members(entry.extra.str(), [&](std::string_view key, std::string_view value) {
      if (is_line_name(key))
        leave_out(entry, fmt::format("its member \"{}\" means something else there", key));
      else
        kept.append(kept.empty() ? "{\"" : ",\"").append(key).append("\":").append(value);
      return true;
    });
    entry.extra = kept.empty() ? RawJson{} : RawJsonAccess::trust(kept + '}');
  }

  void add(Entry const& source) {
    if (repeats(source)) return;
    Entry entry = source;
    foreign_members(entry);
    if (source.as<Unknown>() && &from_ != &to_)
      return leave_out(source, fmt::format("a line of type '{}', which only its own dialect knows",
                                           std::get<Unknown>(source.body).type));
    if (auto const* message = source.as<Message>()) return add_message(std::move(entry), *message);
    if (auto const* compaction = source.as<Compaction>())
      return add_compaction(std::move(entry), *compaction);
    link(entry, source.id);
    if (!write(entry)) leave_out(source, fmt::format("{}: {}", detail::kind_of(entry.body), refusal_));
  }

  void add_message(Entry entry, Message const& message) {
    for (Part const& part : message.parts)
      if (auto const* call = std::get_if<ToolUse>(&part)) tool_names_[call->id] = call->name;
    EntryId const source = entry.id;
    if (message.role != Role::system) segment_.push_back(entry);
    std::vector<Message> lines = to_.split(message);
    if (std::string_view const lost = detail::lost_order(message); lines.size() > 1 && !lost.empty())
      leave_out(entry, std::string(lost));
    for (Message& one : lines) {
      for (Part& part : one.parts)
        if (auto* result = std::get_if<ToolResult>(&part)) name_tool(*result);
      entry.body = std::move(one);
      link(entry, source);
      write_message(entry, source);
      entry.extra = RawJson{};
    }
  }

  // pi wants to know whose result it is.
  void name_tool(ToolResult& result) const {
    auto const known = tool_names_.find(result.tool_use_id);
    if (to_.has_ids && result.tool_name.empty() && known != tool_names_.end())
      result.tool_name = known->second;
  }

  void write_message(Entry& entry, EntryId const& source) {
    if (write(entry)) return;
    std::string const why = refusal_;
    bool const stripped = strip_proofs(std::get<Message>(entry.body));
    bool const said = stripped && !std::get<Message>(entry.body).parts.empty() && write(entry);
    out_.unsaid.push_back({source, (said ? "a signature or reasoning: " : "a part of a message: ") + why});
  }

  // What a compaction keeps stands before it in one kind of dialect, and behind it, again, in the other.
  void add_compaction(Entry entry, Compaction const& source) {
    auto& compaction = std::get<Compaction>(entry.body);
    if (std::optional<std::uint64_t> const index = source.first_kept_index;
        index && source.first_kept.empty())
      if (*index > 0 && *index < log_.entries.size()) compaction.first_kept = log_.entries[*index].id;
    EntryId const own = entry.id;
    bool const can = to_.can(entry.body.index());
    if (can && !to_.has_ids) return from_.has_ids ? add_with_kept(std::move(entry)) : add_as_it_is(entry);
    if (!from_.has_ids) expect_repeats(entry);
    link(entry, own);
    if (can) name_first_kept(entry);
    if (!write(entry)) leave_out(entry, "a compaction: " + refusal_);
  }

  void add_as_it_is(Entry const& entry) {
    if (!write(entry)) leave_out(entry, "a compaction: " + refusal_);
  }

  void add_with_kept(Entry entry) {
    EntryId const kept = std::get<Compaction>(entry.body).first_kept;
    bool const known = kept.empty()
                       || std::any_of(segment_.begin(), segment_.end(),
                                      [&](Entry const& message) { return message.id == kept; });
    if (!known)
      leave_out(entry, "what a compaction keeps: its first kept entry is not among what the model saw");
    auto& compaction = std::get<Compaction>(entry.body);
    if (!compaction.details.is_null() || compaction.from_hook) {
      leave_out(entry, "the details of a compaction");
      compaction.details = RawJson{}, compaction.from_hook = false;
    }
    std::vector<EntryBody> bodies = detail::compaction_with_kept(compaction, segment_);
    std::size_t const count = std::min(bodies.size() - 1, segment_.size());
    segment_.erase(segment_.begin(), segment_.end() - static_cast<std::ptrdiff_t>(count));
    for (EntryBody& body : bodies) {
      entry.body = std::move(body);
      if (entry.as<Message>())
        write_message(entry, entry.id);
      else if (!write(entry))
        leave_out(entry, "a compaction: " + refusal_);
      entry.extra = RawJson{};
    }
  }

  // What is kept will stand again behind this compaction; of the other dialects' it stands once.
  void expect_repeats(Entry const& entry) {
    std::optional<std::uint64_t> const left_out = detail::messages_left_out(entry);
    std::size_t const out =
        left_out ? static_cast<std::size_t>(std::min<std::uint64_t>(*left_out, segment_.size()))
                 : segment_.size();
    segment_.erase(segment_.begin(), segment_.begin() + static_cast<std::ptrdiff_t>(out));
    again_.assign(segment_.rbegin(), segment_.rend());
  }

  void name_first_kept(Entry& entry) {
    auto& compaction = std::get<Compaction>(entry.body);
    if (!from_.has_ids) // its own name, where nothing is kept: none of that name stands before it
      compaction.first_kept = again_.empty() ? entry.id : EntryId(first_ids_[again_.back().id.str()]);
    else if (auto const named = first_ids_.find(compaction.first_kept.str()); named != first_ids_.end())
      compaction.first_kept = EntryId(named->second);
    compaction.first_kept_index.reset();
  }

  // A message that a compaction wrote again: it stands already.
  bool repeats(Entry const& entry) {
    if (again_.empty()) return false;
    auto const* message = entry.as<Message>();
    if (!message || message->role == Role::system) return false;
    bool const same = said(again_.back()) == said(entry);
    if (same)
      again_.pop_back();
    else
      again_.clear(); // somebody else's words: what follows is new
    return same;
  }

  std::string said(Entry entry) const {
    auto& message = std::get<Message>(entry.body);
    if (message.generation) message.generation->usage.reset();
    entry.at = Timestamp{};
    entry.extra = RawJson{};
    std::string line;
    (void)from_.encode(entry, line).ok();
    return line;
  }

  // Behind what was written last, or behind its own parent where both sides know parents.
  void link(Entry& entry, EntryId const& source) {
    if (!to_.has_ids) return;
    std::string const& own = source.str();
    bool const keeps = from_.has_ids && !own.empty() && own.front() != '@' && ids_.count(own) == 0;
    auto const parent = entry.link == Parent::entry ? ids_.find(entry.parent.str()) : ids_.end();
    bool const first = from_.has_ids && ids_.count(own) == 0; // not the rest of a message that was split
    if (first && parent != ids_.end()) {
      entry.parent = EntryId(parent->second);
    } else if (!first || entry.link != Parent::root) {
      entry.link = last_.empty() ? Parent::root : Parent::entry;
      entry.parent = EntryId(last_);
    }
    entry.id = keeps ? source : EntryId(fmt::format("{:08x}", ++made_));
    pending_ = {own, entry.id.str()};
  }

  bool write(Entry const& entry) {
    std::size_t const begin = out_.text.size();
    Result<void> const encoded = to_.encode(entry, out_.text);
    if (!encoded) {
      std::string const& message = encoded.error().message;
      std::size_t const colon = message.find(": ");
      refusal_ = colon == std::string::npos ? message : message.substr(colon + 2);
      return false;
    }
    if (!detail::check_json(std::string_view(out_.text).substr(begin))) { // nobody could read it again
      out_.text.resize(begin);
      refusal_ = "its line would be nested deeper than 128";
      return false;
    }
    out_.text += '\n';
    if (to_.has_ids) {
      last_ = pending_.second;
      ids_[pending_.first] = last_;
      first_ids_.emplace(pending_.first, last_);
    }
    return true;
  }

  Log const& log_;
  Dialect const& from_;
  Dialect const& to_;
  Converted out_;
  std::vector<Entry> segment_; ///< messages since the last compaction
  std::vector<Entry> again_;   ///< those that are expected to stand again, the next one last
  std::unordered_map<std::string, std::string> ids_; ///< of a source entry: what it was written as, last
  std::unordered_map<std::string, std::string> first_ids_, tool_names_;
  std::pair<std::string, std::string> pending_;
  std::string last_, refusal_;
  std::uint32_t made_ = 0;
};

struct KindName {
  std::string_view operator()(Header const&) const { return "a header"; }
  std::string_view operator()(Message const&) const { return "a message"; }
  std::string_view operator()(Compaction const&) const { return "a compaction"; }
  std::string_view operator()(BranchSummary const&) const { return "the summary of a branch"; }
  std::string_view operator()(TitleChange const&) const { return "a title"; }
  std::string_view operator()(StateChange const&) const { return "state"; }
  std::string_view operator()(ArchiveChange const&) const { return "an archive mark"; }
  std::string_view operator()(Label const&) const { return "a label"; }
  std::string_view operator()(ModelChange const&) const { return "a change of model"; }
  std::string_view operator()(CustomMessage const&) const { return "a custom message"; }
  std::string_view operator()(Custom const&) const { return "data of an extension"; }
  std::string_view operator()(Unknown const&) const { return "an unknown line"; }
};

}

namespace detail {

std::string_view kind_of(EntryBody const& body) noexcept { return std::visit(KindName{}, body); }

std::vector<Entry const*> path_to_last(Log const& log, std::vector<Unsaid>& beside) {
  auto const& all = log.entries;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> parents(all.size(), all.size());
  std::size_t last = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].as<Header>()) continue;
    auto const named = all[i].link == Parent::entry ? places.find(all[i].parent.str()) : places.end();
    if (all[i].link != Parent::root) parents[i] = named != places.end() ? named->second : last;
    places[all[i].id.str()] = i;
    last = i;
  }
  std::vector<bool> on_path(all.size());
  for (std::size_t i = last; i < all.size(); i = parents[i]) on_path[i] = true;
  std::vector<Entry const*> path;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (on_path[i])
      path.push_back(&all[i]);
    else if (!all[i].as<Header>())
      beside.push_back({all[i].id, fmt::format("{} on another branch", kind_of(all[i].body))});
  }
  return path;
}

std::string_view lost_order(Message const& message) noexcept {
  bool called = false;
  for (Part const& part : message.parts) {
    if (called && std::holds_alternative<Text>(part))
      return "the order within a message: a text stands behind a call, and is stored apart from it";
    called = called || std::holds_alternative<ToolUse>(part);
  }
  return {};
}

Entry header_of(Log const& log, SessionId const& id) {
  Entry header;
  header.body = Header{};
  for (Entry const& entry : log.entries)
    if (entry.as<Header>()) {
      header = entry;
      break;
    }
  if (header.at == Timestamp{} && !log.entries.empty()) header.at = log.entries.front().at;
  auto& body = std::get<Header>(header.body);
  if (body.id.empty()) body.id = id.str();
  header.link = Parent::root;
  return header;
}

void list_damage(Log const& log, std::vector<Unsaid>& unsaid) {
  for (Damage const& damage : log.damage)
    if (is_damage(damage.kind))
      unsaid.push_back(
          {{},
           fmt::format("{} bytes of damage at offset {}: {}", damage.length, damage.offset, damage.what)});
}

}

Result<Converted> convert_log(Log const& log, Dialect const& from, Dialect const& to, SessionId const& id) {
  return LogConverter(log, from, to).run(id);
}

}}
