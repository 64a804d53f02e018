// SPDX-License-Identifier: MIT
// Applies the rules about calls and results: a result without a call is dropped, a call without a result gets
// one. Then arranges pieces as messages, in time linear in the log.
#pragma once
#include <sessionkit/detail/base/fnv1a.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/history/own_blocks.hpp>
#include <sessionkit/detail/history/pairing.hpp>
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/detail/history/signature_rules.hpp>
#include <sessionkit/detail/history/structural_rules.hpp>
#include <sessionkit/detail/json/whitespace.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace structural_rules_inl { namespace {

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
    if (!call || piece.failed) continue;
    auto const [before, first] = announced.emplace(call->id, call);
    if (!first && is_same_call(*before->second, *call)) draft.drop(piece, name);
  }
}

// The same call twice in a row is one call that was written twice.
SESSIONKIT_SELDOM void drop_repeated_calls(Draft& draft, std::string_view name) {
  if (draft.context.dialect == "flat-v2") return drop_announced_calls(draft, name);
  ToolUse const* last = nullptr;
  for (Piece& piece : draft.pieces) {
    if (piece.failed) continue;
    auto const* call = std::get_if<ToolUse>(piece.part);
    if (call && last && is_same_call(*call, *last))
      draft.drop(piece, name);
    else
      last = call;
  }
}

void drop_orphan_results(Draft& draft, std::string_view name) {
  for (Piece& piece : draft.pieces)
    if (piece.part && piece.slot == Slot::result && piece.link == no_piece) draft.drop(piece, name);
}

// What was aborted before it ran will never be answered. Some programs send no call that has no result.
void drop_unfinished_calls(Draft& draft, std::string_view name) {
  bool const any = !draft.target.wording.sends_unanswered_calls;
  for (Piece& piece : draft.pieces) {
    if (!piece.part || piece.slot != Slot::call || piece.link != no_piece) continue;
    Message const* message = draft.sources[piece.source].message;
    bool const aborted = message && message->generation && message->generation->stop == StopReason::aborted;
    if (any || aborted) draft.drop(piece, name);
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
class ConsecutiveUsers {
 public:
  ConsecutiveUsers(Draft& draft, std::string_view name) : draft_(draft), name_(name) {}

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
    if (several && draft_.target.consecutive_user == ConsecutiveUser::replace) replace();
    if (several && draft_.target.consecutive_user == ConsecutiveUser::join) join();
    run_.clear();
  }

  SESSIONKIT_SELDOM void replace() {
    std::uint32_t const last = draft_.pieces[run_.back()].source;
    for (std::uint32_t const i : run_)
      if (draft_.pieces[i].source != last) leave(draft_.pieces[i], {});
  }

  SESSIONKIT_SELDOM void join() {
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

  SESSIONKIT_SELDOM void leave(Piece& piece, std::string after) {
    draft_.note(draft_.entry_of(piece), name_, detail::brief(*piece.part), std::move(after), true);
    piece.part = nullptr;
  }

  Draft& draft_;
  std::string_view name_;
  std::vector<std::uint32_t> run_;
};

void settle_consecutive_users(Draft& draft, std::string_view name) {
  if (draft.target.consecutive_user != ConsecutiveUser::parts) ConsecutiveUsers(draft, name).run();
}

constexpr bool is_alphanumeric(char c) noexcept { return detail::is_name_byte(c) && c != '_' && c != '-'; }

// Letters and digits that depend on the complete id.
std::string id_of_length(std::string_view id, std::size_t length) {
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::uint64_t hash = detail::fnv1a(id);
  std::string made;
  for (; made.size() < length; hash /= digits.size()) made += digits[hash % digits.size()];
  return made;
}

bool is_plain_id(detail::ProviderRules const& rules, std::string_view id) noexcept {
  if (rules.id_length != 0)
    return id.size() == rules.id_length && std::all_of(id.begin(), id.end(), is_alphanumeric);
  return !id.empty() && id.size() <= rules.id_limit
         && std::all_of(id.begin(), id.end(), detail::is_name_byte);
}

std::string plain_id(detail::ProviderRules const& rules, std::string_view id) {
  if (rules.id_length != 0) return id_of_length(id, rules.id_length);
  std::size_t const end = rules.id_end != '\0' ? id.find(rules.id_end) : rules.id_limit;
  std::string plain(id.substr(0, std::min(rules.id_limit, end)));
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return !detail::is_name_byte(c); }, '_');
  return plain.empty() ? "call" : plain;
}

void fit_ids(Draft& draft, std::string_view name) {
  for (std::uint32_t i = 0; draft.rules.id_limit != 0 && i < draft.pieces.size(); ++i) {
    Piece& piece = draft.pieces[i];
    if (!piece.part || piece.slot != Slot::call || is_plain_id(draft.rules, draft.call(i).id)) continue;
    piece.id = &draft.ids.emplace_back(plain_id(draft.rules, draft.call(i).id));
    draft.note(draft.entry_of(piece), name, detail::brief(draft.call(i).id), *piece.id);
  }
}

// A later call of a taken id gets a name that depends on nothing after it.
class Renaming {
 public:
  explicit Renaming(detail::ProviderRules const& rules)
      : base_length_(rules.id_limit == 0 ? std::string::npos : rules.id_limit - longest_suffix),
        length_(rules.id_length) {}

  bool take(std::string_view id) { return taken_.insert(id).second; }
  std::string fresh(std::string_view id) {
    std::string const base(id.substr(0, base_length_));
    std::uint32_t& count = counts_[base];
    for (;;) {
      std::string name = base + "_again" + std::to_string(++count + 1);
      if (length_ != 0) name = id_of_length(name, length_);
      if (taken_.count(name) == 0) return name;
    }
  }

 private:
  static constexpr std::size_t longest_suffix = 16; // "_again" and ten digits
  std::size_t base_length_, length_;
  std::unordered_set<std::string_view> taken_;
  std::unordered_map<std::string, std::uint32_t> counts_;
};

SESSIONKIT_SELDOM void rename_reused_ids(Draft& draft, std::string_view name) {
  Renaming renaming(draft.rules);
  for (std::uint32_t i = 0; i < draft.pieces.size(); ++i) {
    Piece& piece = draft.pieces[i];
    if (!piece.part || piece.slot != Slot::call || renaming.take(draft.call_id(i))) continue;
    std::string const& fresh = draft.ids.emplace_back(renaming.fresh(draft.call_id(i)));
    draft.note(draft.entry_of(piece), name, detail::brief(draft.call_id(i)), detail::brief(fresh));
    piece.id = &fresh;
    renaming.take(fresh);
  }
}

SESSIONKIT_SELDOM void answer_missing_results(Draft& draft, std::string_view name) {
  draft.logged = draft.pieces.size();
  Wording const& wording = draft.target.wording;
  std::string const text(wording.missing_result.empty() ? detail::missing_result_text
                                                        : wording.missing_result);
  for (std::uint32_t i = 0; i < draft.logged; ++i) {
    Piece const call = draft.pieces[i];
    if (!call.part || call.slot != Slot::call || call.link != no_piece) continue;
    draft.note(draft.entry_of(call), name, detail::brief(*call.part), text);
    Piece result;
    result.part = draft.keep(
        ToolResult{draft.call(i).id, draft.call(i).name, {Text{text}}, wording.missing_result_is_error});
    result.source = call.source;
    result.slot = Slot::result;
    result.link = i;
    draft.pieces[i].link = static_cast<std::uint32_t>(draft.pieces.size());
    draft.pieces.push_back(result);
  }
}

// Lays the pieces out as messages that alternate, with the results of each group of calls after it.
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
        draft_.note(draft_.entry_of(piece), moved_, detail::brief(*piece.part), "after its call", piece.late);
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

// A message that no entry is the source of.
SESSIONKIT_SELDOM Span made_message(Draft& draft, Role role, std::string_view text) {
  Piece piece;
  piece.part = draft.keep(Text{std::string(text)});
  piece.source = no_piece;
  piece.slot = role == Role::assistant ? Slot::said : Slot::user;
  draft.order.push_back(static_cast<std::uint32_t>(draft.pieces.size()));
  draft.pieces.push_back(piece);
  return {role, draft.order.size() - 1, draft.order.size()};
}

SESSIONKIT_SELDOM void put_first(Draft& draft, std::string_view text, std::string_view name) {
  draft.messages.insert(draft.messages.begin(), made_message(draft, Role::user, text));
  draft.note({}, name, {}, std::string(text));
}

// A user who speaks where an answer to the results is missing.
SESSIONKIT_SELDOM void answer_before_user(Draft& draft, std::string_view name) {
  if (draft.rules.user_after_tool) return;
  std::vector<Span> messages;
  messages.reserve(draft.messages.size());
  for (Span const& message : draft.messages) {
    if (message.role == Role::user && !messages.empty() && messages.back().role == Role::tool) {
      draft.note(draft.entry_of(draft.pieces[draft.order[message.begin]]), name, {},
                 std::string(detail::no_answer_text));
      messages.push_back(made_message(draft, Role::assistant, detail::no_answer_text));
    }
    messages.push_back(message);
  }
  draft.messages = std::move(messages);
}

SESSIONKIT_SELDOM bool says_something(Entry const& entry) {
  auto const* const message = entry.as<Message>();
  return message != nullptr && message->role != Role::system
         && std::any_of(message->parts.begin(), message->parts.end(), [](Part const& part) {
              auto const* const text = std::get_if<Text>(&part);
              return text == nullptr || !detail::is_blank(text->text);
            });
}

// What precedes the first message: a summary, messages that are not sent, or nothing.
SESSIONKIT_SELDOM std::string_view first_words(Draft const& draft) {
  if (draft.context.compaction && draft.rules.summary_in_system) return detail::summary_only_text;
  auto const& first = draft.sources[draft.pieces[draft.order[draft.messages.front().begin]].source];
  auto const begin = draft.context.entries.begin();
  bool const cut = std::any_of(begin, begin + static_cast<std::ptrdiff_t>(first.index), says_something);
  return cut ? detail::no_beginning_text : detail::beginning_text;
}

SESSIONKIT_SELDOM void begin_with_user(Draft& draft, std::string_view name) {
  if (!draft.part.begins) return;
  if (draft.rules.user_first && !draft.messages.empty() && draft.messages.front().role != Role::user)
    put_first(draft, first_words(draft), name);
}

// A request without a message is refused; where there is a summary, there is something to go on from.
SESSIONKIT_SELDOM void never_only_a_summary(Draft& draft, std::string_view name) {
  if (draft.messages.empty() && draft.context.compaction && draft.rules.summary_in_system)
    put_first(draft, detail::summary_only_text, name);
}

// Providers refuse an answer to go on from that ends in white space.
SESSIONKIT_SELDOM void trim_final_text(Draft& draft, std::string_view name) {
  while (!draft.messages.empty() && draft.messages.back().role == Role::assistant) {
    Span& message = draft.messages.back();
    if (message.begin == message.end) {
      draft.messages.pop_back();
      continue;
    }
    Piece& last = draft.pieces[draft.order[message.end - 1]];
    auto const* text = std::get_if<Text>(last.part);
    if (std::holds_alternative<Opaque>(*last.part)) return;
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

struct StructuralRule {
  std::string_view name;
  void (*apply)(Draft& draft, std::string_view name);
};

constexpr std::array<StructuralRule, 17> structural_rules{
    {{"repeated_call", drop_repeated_calls},
     {"duplicate_result", detail::pair_results},
     {"orphan_result", drop_orphan_results},
     {"unfinished_call", drop_unfinished_calls},
     {"call_without_id", drop_calls_without_id},
     {"unpaired_block", detail::mark_unpaired_blocks},
     {"consecutive_user", settle_consecutive_users},
     {"repeated_thinking", detail::drop_repeated_thinking},
     {"unfollowed_thinking", detail::drop_unfollowed_thinking},
     {"tool_id", fit_ids},
     {"reused_id", rename_reused_ids},
     {"missing_result", answer_missing_results},
     {"moved_result", lay_out},
     {"missing_signature", detail::sign_first_calls},
     {"user_after_result", answer_before_user},
     {"user_first", begin_with_user},
     {"summary_only", never_only_a_summary}}};

}}

namespace detail {

void apply_structural_rules(Draft& draft) {
  for (structural_rules_inl::StructuralRule const& rule : structural_rules_inl::structural_rules)
    rule.apply(draft, rule.name);
  if (draft.part.ends) structural_rules_inl::trim_final_text(draft, "final_space");
}

std::vector<std::pair<std::size_t, std::size_t>> paired_entries(Context const& context) {
  Target const any; // what pairs does not depend on the provider
  Draft draft{context, any, rules_of(any)};
  collect_pieces(draft);
  apply_structural_rules(draft);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  auto const place = [&](Piece const& piece) { return draft.sources[piece.source].index; };
  for (std::size_t i = 0; i < draft.logged; ++i) {
    Piece const& call = draft.pieces[i];
    if (call.part && call.slot == Slot::call && call.link < draft.logged)
      pairs.emplace_back(place(call), place(draft.pieces[call.link]));
  }
  return pairs;
}

}

}}
