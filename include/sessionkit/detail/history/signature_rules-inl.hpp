// SPDX-License-Identifier: MIT
// Applies the rules about reasoning and calls that models sign.
#pragma once
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/detail/history/signature_rules.hpp>
#include <sessionkit/detail/model/reasoning_item.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace sessionkit { inline namespace v0 { namespace detail {

// The server refuses a reasoning item that it has had already.
void drop_repeated_thinking(Draft& draft, std::string_view name) {
  std::unordered_set<std::string_view> taken;
  for (Piece& piece : draft.pieces) {
    auto const* thinking = draft.rules.reasoning_items ? std::get_if<Thinking>(piece.part) : nullptr;
    auto const item = thinking ? reasoning_item(thinking->signature) : std::nullopt;
    if (item && !taken.insert(item->id).second) draft.drop(piece, name);
  }
}

// It also wants what the reasoning led to right after it.
void drop_unfollowed_thinking(Draft& draft, std::string_view name) {
  Piece* last = nullptr;
  for (Piece& piece : draft.pieces) {
    if (!draft.rules.reasoning_items || !piece.part || piece.slot == Slot::result) continue;
    if (last && piece.slot == Slot::thought) draft.drop(*last, name);
    last = piece.slot == Slot::thought ? &piece : nullptr;
  }
}

// Newer Geminis refuse a step whose first call is not signed.
void sign_first_calls(Draft& draft, std::string_view name) {
  for (Span const& message : draft.messages) {
    if (!draft.rules.first_call_signed || message.role != Role::assistant) continue;
    auto const end = draft.order.begin() + static_cast<std::ptrdiff_t>(message.end);
    auto const first = std::find_if(draft.order.begin() + static_cast<std::ptrdiff_t>(message.begin), end,
                                    [&draft](std::uint32_t i) { return draft.pieces[i].slot == Slot::call; });
    if (first == end || !draft.call(*first).signature.empty()) continue;
    Piece& piece = draft.pieces[*first];
    Message const* made = draft.sources[piece.source].message;
    bool const asks_maker = draft.target.model.empty() && made && made->generation;
    if (is_old_gemini(asks_maker ? made->generation->model : draft.target.model)) continue;
    ToolUse call = draft.call(*first);
    call.signature = unsigned_call_signature;
    draft.note(draft.entry_of(piece), name, brief(call.id), call.signature);
    piece.part = draft.keep(std::move(call));
  }
}

}}}
