// SPDX-License-Identifier: MIT
// Finds the call of each result in one walk over the log.
#pragma once
#include <sessionkit/detail/history/pairing.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace pairing_inl { namespace {

using detail::Draft;
using detail::no_piece;
using detail::Piece;
using detail::Slot;
using detail::Source;

struct SameContent {
  bool operator()(Text const& a, Text const& b) const { return a.text == b.text; }
  bool operator()(Opaque const& a, Opaque const& b) const { return a.body == b.body; }
  bool operator()(Image const& a, Image const& b) const {
    auto const* data = std::get_if<Base64>(&a.source);
    auto const* other = std::get_if<Base64>(&b.source);
    if (data || other) return data && other && data->data == other->data;
    auto const* blob = std::get_if<BlobRef>(&a.source);
    auto const* other_blob = std::get_if<BlobRef>(&b.source);
    if (blob || other_blob) return blob && other_blob && blob->digest == other_blob->digest;
    return std::get<Url>(a.source).url == std::get<Url>(b.source).url;
  }
  template <class A, class B> bool operator()(A const&, B const&) const { return false; }
};

bool says_the_same(ToolResult const& a, ToolResult const& b) {
  auto const same = [](ToolContent const& x, ToolContent const& y) {
    return std::visit(SameContent{}, x, y);
  };
  return a.tool_name == b.tool_name && a.is_error == b.is_error
         && std::equal(a.content.begin(), a.content.end(), b.content.begin(), b.content.end(), same);
}

// Calls of one key that may still take a result, grouped by the answer that made them: the newest answer
// first, in it the first call. Links within two arrays that all keys share.
class OpenCalls {
 public:
  struct Key {
    std::uint32_t head = no_piece; ///< the first call of the newest answer
    std::uint32_t tail = no_piece; ///< the last of the answer that was added to
  };

  void resize(std::size_t pieces) { next_.resize(pieces, no_piece), below_.resize(pieces, no_piece); }
  bool empty() const noexcept { return next_.empty(); }

  void add(Key& key, std::uint32_t call, bool same_answer) {
    if (same_answer) {
      next_[key.tail] = call;
    } else {
      below_[call] = key.head;
      key.head = call;
    }
    key.tail = call;
  }
  void pop(Key& key) {
    std::uint32_t const next = next_[key.head], below = below_[key.head];
    if (next != no_piece) below_[next] = below;
    key.head = next != no_piece ? next : below;
  }

 private:
  std::vector<std::uint32_t> next_, below_;
};

// What is found for a log does not depend on what follows it, but for late results.
class Pairing {
 public:
  explicit Pairing(Draft& draft)
      : draft_(draft),
        turns_(draft.pieces.size()),
        groups_(draft.pieces.size()),
        calls_are_lines_(draft.context.dialect == "flat" || draft.context.dialect == "flat-v2") {
    open_.resize(draft.pieces.size());
  }

  void run() {
    for (std::uint32_t i = 0; i < draft_.pieces.size(); ++i) {
      Piece const& piece = draft_.pieces[i];
      if (!piece.part) continue;
      if (piece.slot == Slot::result) {
        ++ids_[id_of(i)].waiting;
        results_.push_back(i);
      } else {
        settle();
      }
      if (piece.slot == Slot::call) see_call(i);
      if (piece.slot == Slot::user && piece.source != turn_source_) turn_source_ = piece.source, ++turn_;
      if (piece.slot == Slot::user || piece.slot == Slot::said) spoken_source_ = piece.source;
      last_call_ = piece.slot == Slot::call ? i : no_piece;
    }
    settle();
  }
  /// Whether a result of this id found its call.
  bool was_answered(std::string_view id) const { return ids_.at(id).answer != no_piece; }

 private:
  struct Id {
    OpenCalls::Key open = {};
    std::uint32_t first_group = no_piece;   ///< the answer that called it first
    std::uint32_t newest_group = no_piece;  ///< and the one that did so last
    std::uint32_t unanswered = 0;           ///< calls of the newest one without a result of their own
    std::uint32_t waiting = 0;              ///< results that are side by side, not yet given to calls
    std::uint32_t answer = no_piece;        ///< the last result that found its call
    std::uint32_t answered_turn = no_piece; ///< and when
    bool shared = false;                    ///< it was called more than once
    std::vector<std::pair<std::uint32_t, std::uint32_t>> early =
        {}; ///< results before their call; their turns
  };
  using NamedId = std::pair<std::string_view, std::string_view>;
  struct HashNamedId {
    std::size_t operator()(NamedId const& key) const noexcept {
      std::hash<std::string_view> const hash;
      return hash(key.first) * 31 + hash(key.second);
    }
  };

  ToolResult const& result(std::uint32_t i) const { return std::get<ToolResult>(*draft_.pieces[i].part); }
  std::string_view id_of(std::uint32_t result_piece) const { return result(result_piece).tool_use_id; }
  std::string_view stored_name(std::uint32_t call) const {
    return std::get<ToolUse>(*draft_.pieces[call].stored).name;
  }

  // Some programs write the results of a turn before its user line. A result that came first goes to a call
  // of its id in the turn that the next user line begins, or in the first answer that ever calls this id.
  void take_early(Id& id, std::uint32_t call) {
    bool const first = id.first_group == groups_[call];
    auto const fits = [&](auto const& each) { return first || each.second + 1 == turn_; };
    auto const gone = std::find_if(id.early.begin(), id.early.end(), fits);
    id.early.erase(id.early.begin(), gone);
    if (id.early.empty()) return;
    std::size_t const looked_at = std::min<std::size_t>(id.early.size(), 16);
    auto const end = id.early.begin() + static_cast<std::ptrdiff_t>(looked_at);
    auto chosen = std::find_if(id.early.begin(), end, [&](auto const& each) {
      return result(each.first).tool_name == stored_name(call);
    });
    if (chosen == end) chosen = id.early.begin();
    link(call, chosen->first);
    id.early.erase(chosen);
  }

  void see_call(std::uint32_t i) {
    Piece const& piece = draft_.pieces[i];
    Id& id = ids_[draft_.call(i).id];
    turns_[i] = turn_;
    groups_[i] = calls_are_lines_ && last_call_ != no_piece ? groups_[last_call_] : piece.source;
    bool const called = id.newest_group != no_piece;
    if (id.first_group == no_piece && !piece.failed) id.first_group = groups_[i];
    if (!piece.failed && !id.early.empty()) take_early(id, i);
    if (called && !id.shared) share(id, draft_.call(i).id);
    if (id.newest_group != groups_[i]) id.newest_group = groups_[i], id.unanswered = 0;
    ++id.unanswered;
    add(open_, id.open, i);
    if (id.shared) add(named_, named_ids_[{draft_.call(i).id, stored_name(i)}], i);
  }
  void add(OpenCalls& calls, OpenCalls::Key& key, std::uint32_t call) {
    calls.add(key, call, key.head != no_piece && groups_[key.head] == groups_[call]);
  }
  // From the second call of an id on its calls are also known by the tool.
  void share(Id& id, std::string_view text) {
    id.shared = true;
    if (named_.empty()) named_.resize(turns_.size());
    if (id.open.head != no_piece) add(named_, named_ids_[{text, stored_name(id.open.head)}], id.open.head);
  }

  // Results that are side by side.
  void settle() {
    for (std::uint32_t const i : results_) {
      Id& id = ids_[id_of(i)];
      see_result(id, i);
      --id.waiting;
    }
    results_.clear();
  }

  // Until somebody speaks, a result right after its call is better than one that came first.
  bool is_open(std::uint32_t call) const {
    Piece const& piece = draft_.pieces[call];
    return piece.link == no_piece || (piece.link < call && spoken_source_ <= piece.source);
  }
  std::uint32_t first_open(OpenCalls& calls, OpenCalls::Key& key) {
    while (key.head != no_piece && !is_open(key.head)) calls.pop(key);
    return key.head;
  }
  std::uint32_t call_for(Id& id, std::uint32_t result_piece) {
    ToolResult const& answer = result(result_piece);
    if (id.shared && !answer.tool_name.empty()) {
      auto const named = named_ids_.find({answer.tool_use_id, answer.tool_name});
      std::uint32_t const call = named != named_ids_.end() ? first_open(named_, named->second) : no_piece;
      if (call != no_piece) return call;
    }
    return first_open(open_, id.open);
  }

  // Programs that were stopped may write a result once more. It is that, and not the result of an earlier
  // call, if it is the same as the one before it and its answer has no calls left for as many results.
  bool repeats(Id const& id, std::uint32_t i, std::uint32_t call) const {
    if (id.answer == no_piece) return false;
    std::uint32_t const answered = draft_.pieces[id.answer].link;
    bool const goes_on = call != no_piece && groups_[call] == groups_[answered];
    if (goes_on && id.waiting <= id.unanswered) return false;
    Source const& source = draft_.sources[draft_.pieces[i].source];
    Source const& before = draft_.sources[draft_.pieces[id.answer].source];
    bool const same_time =
        source.entry->at == before.entry->at
        && (!source.message || !before.message || source.message->metadata == before.message->metadata);
    return same_time && says_the_same(result(i), result(id.answer));
  }

  void see_result(Id& id, std::uint32_t i) {
    std::uint32_t const call = call_for(id, i);
    if (repeats(id, i, call)) return;
    if (call != no_piece) return accept(id, call, i);
    if (id.answered_turn != turn_) id.early.emplace_back(i, turn_);
  }

  void accept(Id& id, std::uint32_t call, std::uint32_t result_piece) {
    Piece& piece = draft_.pieces[call];
    bool const replaces = piece.link != no_piece; // an early one, which a request may have sent
    if (replaces) draft_.pieces[piece.link].link = no_piece;
    link(call, result_piece);
    draft_.pieces[result_piece].late = replaces || turns_[call] != turn_ || answered_group_ > groups_[call];
    if (!piece.failed) answered_group_ = std::max(answered_group_, groups_[call]);
    if (groups_[call] == id.newest_group) --id.unanswered;
    id.answer = result_piece;
    id.answered_turn = turn_;
  }

  void link(std::uint32_t call, std::uint32_t result_piece) {
    draft_.pieces[call].link = result_piece;
    draft_.pieces[result_piece].link = call;
  }

  Draft& draft_;
  std::unordered_map<std::string_view, Id> ids_;
  std::unordered_map<NamedId, OpenCalls::Key, HashNamedId> named_ids_; ///< of ids that are shared
  OpenCalls open_, named_;
  std::vector<std::uint32_t> results_; ///< results that are side by side
  std::vector<std::uint32_t> turns_;
  std::vector<std::uint32_t> groups_; ///< of a call: the source in which the answer's calls begin
  bool calls_are_lines_;              ///< an answer's calls are in lines of their own
  std::uint32_t turn_ = 0, turn_source_ = no_piece, last_call_ = no_piece;
  std::uint32_t spoken_source_ = 0, answered_group_ = 0;
};

// The answer left with its text, so its calls are dropped without a word.
void drop_failed_calls(Draft& draft) {
  for (Piece& piece : draft.pieces) {
    if (!piece.failed) continue;
    if (piece.link != no_piece) draft.drop(draft.pieces[piece.link], "orphan_result");
    piece.part = nullptr;
  }
}

}}

namespace detail {

void pair_results(Draft& draft, std::string_view name) {
  pairing_inl::Pairing pairing(draft);
  pairing.run();
  pairing_inl::drop_failed_calls(draft);
  for (Piece& piece : draft.pieces) {
    if (!piece.part || piece.slot != Slot::result || piece.link != no_piece) continue;
    if (pairing.was_answered(std::get<ToolResult>(*piece.part).tool_use_id)) draft.drop(piece, name);
  }
}

}

}}
