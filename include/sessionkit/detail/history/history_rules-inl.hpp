// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/history/history_rules.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// Rules about calls and their results, and the order of messages. Each takes time in proportion to the log.

namespace sessionkit { inline namespace v0 {

namespace {

using detail::Draft;
using detail::no_piece;
using detail::Piece;
using detail::Slot;
using detail::Span;

bool is_same_call(ToolUse const& a, ToolUse const& b) {
  return a.id == b.id && a.name == b.name && a.input == b.input;
}

// claw0's later variant writes each call in the answer and once more before its result.
void drop_announced_calls(Draft& draft, std::string_view name) {
  std::unordered_map<std::string_view, ToolUse const*> announced;
  for (Piece& piece : draft.pieces) {
    if (piece.slot == Slot::user) announced.clear();
    if (auto const* result = std::get_if<ToolResult>(piece.part)) announced.erase(result->tool_use_id);
    auto const* call = std::get_if<ToolUse>(piece.part);
    if (!call) continue;
    auto const [before, first] = announced.emplace(call->id, call);
    if (!first && is_same_call(*before->second, *call)) draft.drop(piece, name);
  }
}

// The same call twice in a row is one call that was written twice.
void drop_repeated_calls(Draft& draft, std::string_view name) {
  if (draft.context.dialect == "flat-v2") return drop_announced_calls(draft, name);
  ToolUse const* last = nullptr;
  for (Piece& piece : draft.pieces) {
    auto const* call = std::get_if<ToolUse>(piece.part);
    if (call && last && is_same_call(*call, *last))
      draft.drop(piece, name);
    else
      last = call;
  }
}

// Finds the call of each result in one walk over the log, so that what is found for a log does not depend on
// what follows it, but for late results.
class Pairing {
 public:
  explicit Pairing(Draft& draft)
      : draft_(draft),
        below_(draft.pieces.size(), no_piece),
        turns_(below_.size()),
        groups_(below_.size()),
        calls_are_lines_(draft.context.dialect == "flat" || draft.context.dialect == "flat-v2") {}

  void run() {
    for (std::uint32_t i = 0; i < draft_.pieces.size(); ++i) {
      Piece const& piece = draft_.pieces[i];
      if (!piece.part) continue;
      if (piece.slot == Slot::call) see_call(i);
      if (piece.slot == Slot::result) see_result(i);
      if (piece.slot == Slot::user && piece.source != turn_source_) turn_source_ = piece.source, ++turn_;
      if (piece.slot == Slot::user || piece.slot == Slot::said) spoken_source_ = piece.source;
      last_call_ = piece.slot == Slot::call ? i : no_piece;
    }
  }
  bool was_answered(std::string const& id) const { return ids_.at(id).answered_turn != no_turn; }

 private:
  static constexpr std::uint32_t no_turn = no_piece;
  struct Id {
    std::uint32_t open = no_piece;  ///< the newest call that may still take a result; `below_` leads on
    std::uint32_t early = no_piece; ///< a result that waits for its call
    std::uint32_t early_turn = 0;
    std::uint32_t answered_turn = no_turn; ///< when the last call took its result
    bool called = false;
  };

  // Some programs write the results of a turn before its user line. A result that came first goes to the call
  // of its id in the turn that the next user line begins, or to the first call that this id ever has.
  void see_call(std::uint32_t i) {
    Id& id = ids_[draft_.call(i).id];
    turns_[i] = turn_;
    groups_[i] = calls_are_lines_ && last_call_ != no_piece ? groups_[last_call_] : draft_.pieces[i].source;
    if (id.early != no_piece && (!id.called || id.early_turn + 1 == turn_)) {
      link(i, id.early);
      id.early = no_piece;
    }
    id.called = true;
    below_[i] = id.open;
    id.open = i;
  }

  void see_result(std::uint32_t i) {
    Id& id = ids_[std::get<ToolResult>(*draft_.pieces[i].part).tool_use_id];
    while (id.open != no_piece && !is_open(id.open)) id.open = below_[id.open];
    bool const repeats = id.answered_turn == turn_;
    if (id.open != no_piece && !(repeats && turns_[id.open] != turn_)) {
      accept(id, i);
    } else if (!repeats && (id.early == no_piece || id.early_turn != turn_)) {
      id.early = i;
      id.early_turn = turn_;
    }
  }

  // A result directly behind its call is better than one that came first.
  bool is_open(std::uint32_t call) const {
    return draft_.pieces[call].link == no_piece || spoken_source_ <= draft_.pieces[call].source;
  }

  void accept(Id& id, std::uint32_t result) {
    std::uint32_t const call = id.open;
    Piece& piece = draft_.pieces[call];
    bool const replaces = piece.link != no_piece; // an early one, which a request may have sent
    if (replaces) draft_.pieces[piece.link].link = no_piece;
    link(call, result);
    draft_.pieces[result].late = replaces || turns_[call] != turn_ || answered_group_ > groups_[call];
    answered_group_ = std::max(answered_group_, groups_[call]);
    id.open = below_[call];
    id.answered_turn = turn_;
  }

  void link(std::uint32_t call, std::uint32_t result) {
    draft_.pieces[call].link = result;
    draft_.pieces[result].link = call;
  }

  Draft& draft_;
  std::unordered_map<std::string_view, Id> ids_;
  std::vector<std::uint32_t> below_, turns_;
  std::vector<std::uint32_t> groups_; ///< of a call: the source in which the answer's calls begin
  bool calls_are_lines_;              ///< an answer's calls stand in lines of their own
  std::uint32_t turn_ = 0, turn_source_ = no_piece, last_call_ = no_piece;
  std::uint32_t spoken_source_ = 0, answered_group_ = 0;
};

void pair_results(Draft& draft, std::string_view name) {
  Pairing pairing(draft);
  pairing.run();
  for (Piece& piece : draft.pieces) {
    if (!piece.part || piece.slot != Slot::result || piece.link != no_piece) continue;
    if (pairing.was_answered(std::get<ToolResult>(*piece.part).tool_use_id)) draft.drop(piece, name);
  }
}

void drop_orphan_results(Draft& draft, std::string_view name) {
  for (Piece& piece : draft.pieces)
    if (piece.part && piece.slot == Slot::result && piece.link == no_piece) draft.drop(piece, name);
}

// What was aborted before it ran will never be answered.
void drop_unfinished_calls(Draft& draft, std::string_view name) {
  for (Piece& piece : draft.pieces) {
    if (!piece.part || piece.slot != Slot::call || piece.link != no_piece) continue;
    Message const* message = draft.sources[piece.source].message;
    if (message && message->generation && message->generation->stop == StopReason::aborted)
      draft.drop(piece, name);
  }
}

// A call that has no id and no result: nothing could ever answer it.
void drop_calls_without_id(Draft& draft, std::string_view name) {
  for (std::uint32_t i = 0; i < draft.pieces.size(); ++i) {
    Piece& piece = draft.pieces[i];
    if (piece.part && piece.slot == Slot::call && piece.link == no_piece && draft.call(i).id.empty())
      draft.drop(piece, name);
  }
}

// Messages of the user that follow each other without an answer between them.
class OrphanUsers {
 public:
  OrphanUsers(Draft& draft, std::string_view name) : draft_(draft), name_(name) {}

  void run() {
    for (std::uint32_t i = 0; i < draft_.pieces.size(); ++i) {
      Piece const& piece = draft_.pieces[i];
      if (!piece.part || piece.slot == Slot::result) continue;
      bool const user = piece.slot == Slot::user;
      if (!user) settle();
      if (user && draft_.sources[piece.source].message) run_.push_back(i);
    }
    settle();
  }

 private:
  void settle() {
    bool const several =
        !run_.empty() && draft_.pieces[run_.front()].source != draft_.pieces[run_.back()].source;
    if (several && draft_.target.orphan_user == OrphanUser::replace) replace();
    if (several && draft_.target.orphan_user == OrphanUser::join) join();
    run_.clear();
  }

  void replace() {
    std::uint32_t const last = draft_.pieces[run_.back()].source;
    for (std::uint32_t const i : run_)
      if (draft_.pieces[i].source != last) leave(draft_.pieces[i], {});
  }

  void join() {
    std::uint32_t first = no_piece;
    std::string all;
    for (std::uint32_t const i : run_) {
      Piece& piece = draft_.pieces[i];
      auto const* text = std::get_if<Text>(piece.part);
      if (!text) continue;
      if (first != no_piece) all += "\n\n";
      all += detail::trimmed(text->text);
      if (first == no_piece) {
        first = i;
      } else {
        leave(piece, "joined");
        draft_.joined.push_back({first, piece.source});
      }
    }
    if (first != no_piece) draft_.pieces[first].part = draft_.keep(Text{std::move(all)});
  }

  void leave(Piece& piece, std::string after) {
    draft_.note(draft_.entry_of(piece), name_, detail::brief(*piece.part), std::move(after), true);
    piece.part = nullptr;
  }

  Draft& draft_;
  std::string_view name_;
  std::vector<std::uint32_t> run_;
};

void settle_orphan_users(Draft& draft, std::string_view name) {
  if (draft.target.orphan_user != OrphanUser::parts) OrphanUsers(draft, name).run();
}

bool is_plain_id(std::string_view id, std::size_t limit) noexcept {
  return !id.empty() && id.size() <= limit && std::all_of(id.begin(), id.end(), detail::is_name_byte);
}

void fit_ids(Draft& draft, std::string_view name) {
  std::size_t const limit = draft.rules.id_limit;
  for (std::uint32_t i = 0; limit != 0 && i < draft.pieces.size(); ++i) {
    Piece& piece = draft.pieces[i];
    if (!piece.part || piece.slot != Slot::call || is_plain_id(draft.call(i).id, limit)) continue;
    std::size_t const end = draft.rules.id_end != '\0' ? draft.call(i).id.find(draft.rules.id_end) : limit;
    std::string id = draft.call(i).id.substr(0, std::min(limit, end));
    std::replace_if(
        id.begin(), id.end(), [](char c) { return !detail::is_name_byte(c); }, '_');
    if (id.empty()) id = "call";
    piece.id = &draft.ids.emplace_back(std::move(id));
    draft.note(draft.entry_of(piece), name, detail::brief(draft.call(i).id), *piece.id);
  }
}

// A later call of a taken id gets a name that depends on nothing behind it.
class Renaming {
 public:
  explicit Renaming(std::size_t limit)
      : base_length_(limit == 0 ? std::string::npos : limit - longest_suffix) {}

  bool take(std::string_view id) { return taken_.insert(id).second; }
  std::string fresh(std::string_view id) {
    std::string const base(id.substr(0, base_length_));
    std::uint32_t& count = counts_[base];
    for (;;) {
      std::string name = base + "_again" + std::to_string(++count + 1);
      if (taken_.count(name) == 0) return name;
    }
  }

 private:
  static constexpr std::size_t longest_suffix = 16; // "_again" and ten digits
  std::size_t base_length_;
  std::unordered_set<std::string_view> taken_;
  std::unordered_map<std::string, std::uint32_t> counts_;
};

void rename_reused_ids(Draft& draft, std::string_view name) {
  Renaming renaming(draft.rules.id_limit);
  for (std::uint32_t i = 0; i < draft.pieces.size(); ++i) {
    Piece& piece = draft.pieces[i];
    if (!piece.part || piece.slot != Slot::call || renaming.take(draft.call_id(i))) continue;
    std::string const& fresh = draft.ids.emplace_back(renaming.fresh(draft.call_id(i)));
    draft.note(draft.entry_of(piece), name, detail::brief(draft.call_id(i)), detail::brief(fresh));
    piece.id = &fresh;
    renaming.take(fresh);
  }
}

void answer_missing_results(Draft& draft, std::string_view name) {
  draft.logged = draft.pieces.size();
  for (std::uint32_t i = 0; i < draft.logged; ++i) {
    Piece const call = draft.pieces[i];
    if (!call.part || call.slot != Slot::call || call.link != no_piece) continue;
    draft.note(draft.entry_of(call), name, detail::brief(*call.part),
               std::string(detail::missing_result_text));
    Piece result;
    result.part = draft.keep(ToolResult{
        draft.call(i).id, draft.call(i).name, {Text{std::string(detail::missing_result_text)}}, true});
    result.source = call.source;
    result.slot = Slot::result;
    result.link = i;
    draft.pieces[i].link = static_cast<std::uint32_t>(draft.pieces.size());
    draft.pieces.push_back(result);
  }
}

// Lays the pieces out as messages that alternate, with the results of each group of calls behind it.
class Layout {
 public:
  explicit Layout(Draft& draft) : draft_(draft) {}

  void run(std::string_view moved, std::string_view joined, std::string_view thought) {
    moved_ = moved, joined_ = joined, thought_ = thought;
    for (std::uint32_t i = 0; i < draft_.logged; ++i) {
      Piece const& piece = draft_.pieces[i];
      if (!piece.part) continue;
      if (piece.slot == Slot::result)
        answered_ = answered_ || (!calls_.empty() && piece.link >= calls_.front() && piece.link < i);
      else if (piece.slot == Slot::user)
        user_piece(i);
      else
        assistant_piece(i);
      if (piece.slot != Slot::result) last_source_ = piece.source;
    }
    end_assistant(static_cast<std::uint32_t>(draft_.logged));
  }

 private:
  bool in(Role role) const { return !draft_.messages.empty() && draft_.messages.back().role == role; }

  void add(Role role, std::uint32_t i) {
    if (in(role)) {
      if (draft_.pieces[i].source != last_source_)
        draft_.note(draft_.entry_of(draft_.pieces[i]), joined_, detail::brief(*draft_.pieces[i].part));
    } else {
      draft_.messages.push_back({role, draft_.order.size(), draft_.order.size()});
    }
    draft_.order.push_back(i);
    draft_.messages.back().end = draft_.order.size();
  }

  void user_piece(std::uint32_t i) {
    end_assistant(i);
    add(Role::user, i);
  }

  // Calls written one by one belong together; anything between them, sent or not, may have been a request.
  void assistant_piece(std::uint32_t i) {
    Piece const& piece = draft_.pieces[i];
    bool const speaks_on = piece.source == last_source_;
    bool const calls_on = piece.slot == Slot::call && piece.source == last_source_ + 1;
    if (!calls_.empty() && (answered_ || !(speaks_on || calls_on))) end_assistant(i);
    add(Role::assistant, i);
    if (piece.slot == Slot::call) calls_.push_back(i);
  }

  // `next`: the piece that begins what follows.
  void end_assistant(std::uint32_t next) {
    if (in(Role::assistant)) drop_thoughts_at_end();
    if (calls_.empty()) return;
    Span results{Role::tool, draft_.order.size(), draft_.order.size()};
    for (std::uint32_t const call : calls_) {
      std::uint32_t const result = draft_.pieces[call].link;
      Piece const& piece = draft_.pieces[result];
      draft_.order.push_back(result);
      bool const logged = result < draft_.logged;
      if (logged && (result < call || result > next || piece.late))
        draft_.note(draft_.entry_of(piece), moved_, detail::brief(*piece.part), "behind its call",
                    piece.late);
    }
    results.end = draft_.order.size();
    draft_.messages.push_back(results);
    calls_.clear();
    answered_ = false;
  }

  // Providers refuse a message that ends in reasoning.
  void drop_thoughts_at_end() {
    Span& message = draft_.messages.back();
    while (message.begin < message.end) {
      Piece& last = draft_.pieces[draft_.order.back()];
      if (last.slot != Slot::thought || draft_.rules.thinking == detail::ProviderRules::always) return;
      draft_.drop(last, thought_);
      draft_.order.pop_back();
      --message.end;
    }
    draft_.messages.pop_back();
  }

  Draft& draft_;
  std::string_view moved_, joined_, thought_;
  std::vector<std::uint32_t> calls_; ///< of the last message, not yet followed by their results
  bool answered_ = false;            ///< a result of theirs has been seen
  std::uint32_t last_source_ = no_piece;
};

void lay_out(Draft& draft, std::string_view moved) {
  Layout(draft).run(moved, "joined_messages", "thinking_at_end");
}

void put_first(Draft& draft, std::string_view text, std::string_view name) {
  Piece piece;
  piece.part = draft.keep(Text{std::string(text)});
  piece.source = no_piece;
  draft.order.push_back(static_cast<std::uint32_t>(draft.pieces.size()));
  draft.pieces.push_back(piece);
  draft.messages.insert(draft.messages.begin(), {Role::user, draft.order.size() - 1, draft.order.size()});
  draft.note({}, name, {}, std::string(text));
}

void begin_with_user(Draft& draft, std::string_view name) {
  bool const summarised = draft.context.compaction && draft.rules.summary_in_system;
  if (!draft.messages.empty() && draft.messages.front().role != Role::user)
    put_first(draft, summarised ? detail::summary_only_text : detail::no_beginning_text, name);
}

// A request without a message is refused; where there is a summary, there is something to go on from.
void never_only_a_summary(Draft& draft, std::string_view name) {
  if (draft.messages.empty() && draft.context.compaction && draft.rules.summary_in_system)
    put_first(draft, detail::summary_only_text, name);
}

// Providers refuse an answer to go on from that ends in white space.
void trim_final_text(Draft& draft, std::string_view name) {
  while (!draft.messages.empty() && draft.messages.back().role == Role::assistant) {
    Span& message = draft.messages.back();
    if (message.begin == message.end) {
      draft.messages.pop_back();
      continue;
    }
    Piece& last = draft.pieces[draft.order[message.end - 1]];
    auto const* text = std::get_if<Text>(last.part);
    if (!text && draft.rules.thinking == detail::ProviderRules::always) return;
    std::size_t const length = text ? detail::trimmed_length(text->text) : 0;
    if (text && length == text->text.size()) return;
    std::string kept = text ? text->text.substr(0, length) : std::string{};
    draft.note(draft.entry_of(last), name, detail::brief(*last.part), detail::brief(kept));
    if (length == 0)
      --message.end;
    else
      last.part = draft.keep(Text{std::move(kept), text->signature, text->extra});
  }
}

constexpr std::array<detail::StructuralRule, 15> structural_rules{
    {{"repeated_call", drop_repeated_calls},
     {"duplicate_result", pair_results},
     {"orphan_result", drop_orphan_results},
     {"unfinished_call", drop_unfinished_calls},
     {"call_without_id", drop_calls_without_id},
     {"orphan_user", settle_orphan_users},
     {"repeated_thinking", detail::drop_repeated_thinking},
     {"unfollowed_thinking", detail::drop_unfollowed_thinking},
     {"tool_id", fit_ids},
     {"reused_id", rename_reused_ids},
     {"missing_result", answer_missing_results},
     {"moved_result", lay_out},
     {"missing_signature", detail::sign_first_calls},
     {"user_first", begin_with_user},
     {"summary_only", never_only_a_summary}}};

}

namespace detail {

void apply_structural_rules(Draft& draft) {
  for (StructuralRule const& rule : structural_rules) rule.apply(draft, rule.name);
  trim_final_text(draft, "final_space");
}

}

}}
