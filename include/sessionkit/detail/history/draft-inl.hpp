// SPDX-License-Identifier: MIT
// Cuts the content of a context into pieces, which is the first step of a rebuild.
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/summary_wording.hpp>
#include <sessionkit/detail/history/draft.hpp>
#include <sessionkit/detail/history/part_rules.hpp>
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/detail/json/whitespace.hpp>

#include <string>
#include <utility>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace draft_inl { namespace {

class Collector {
 public:
  explicit Collector(Draft& draft) : draft_(draft) {}

  void run() {
    Context const& context = draft_.context;
    draft_.system.push_back(draft_.target.system);
    auto const* compaction = context.compaction ? context.compaction->as<Compaction>() : nullptr;
    bool const after_kept = draft_.target.wording.summary == Wording::Summary::after_kept;
    if (compaction && !after_kept) summary(*context.compaction, *compaction);
    for (std::size_t i = 0; i < context.entries.size(); ++i) {
      if (compaction && after_kept && i == context.after_compaction)
        summary(*context.compaction, *compaction);
      Entry const& entry = context.entries[i];
      if (auto const* message = entry.as<Message>()) say(entry, i, *message);
      if (auto const* body = entry.as<CustomMessage>()) say(entry, i, *body);
      if (auto const* body = entry.as<BranchSummary>()) say(entry, i, *body);
      if (auto const* body = entry.as<Unknown>()) draft_.note(entry.id, "unknown_entry", brief(body->type));
    }
    if (compaction && after_kept && context.after_compaction >= context.entries.size())
      summary(*context.compaction, *compaction);
  }

 private:
  void open(Entry const& entry, std::size_t index, Role role, Message const* message = nullptr) {
    draft_.sources.push_back({&entry, index, role, message});
  }

  SESSIONKIT_SELDOM void summary(Entry const& entry, Compaction const& body) {
    if (is_blank(body.summary)) return;
    if (draft_.target.wording.summary == Wording::Summary::answer) return answer(entry, body);
    bool const verbatim = draft_.target.wording.summary != Wording::Summary::provider;
    std::string text =
        verbatim ? body.summary : compaction_summary_text(body.summary, draft_.target.summary_prefix);
    if (!verbatim && draft_.rules.summary_in_system) {
      draft_.system.push_back(std::move(text));
    } else {
      open(entry, 0, Role::user);
      add_piece(draft_, *draft_.keep(Text{std::move(text)}));
    }
  }

  // The program asked for the summary, and sends its question too.
  SESSIONKIT_SELDOM void answer(Entry const& entry, Compaction const& body) {
    open(entry, 0, Role::user);
    add_piece(draft_, *draft_.keep(Text{std::string(draft_.target.wording.question)}));
    open(entry, 0, Role::assistant);
    add_piece(draft_, *draft_.keep(Text{body.summary}));
  }

  void say(Entry const& entry, std::size_t index, Message const& message) {
    if (message.role == Role::system) return move_to_system(entry, message);
    open(entry, index, message.role, &message);
    if (message.generation && message.generation->stop == StopReason::error
        && message.role == Role::assistant)
      return fail(entry, message);
    if (message.parts.empty()) return draft_.note(entry.id, "blank_message", odd_content(entry, message));
    for (Part const& part : message.parts) add_piece(draft_, part);
  }

  // Nothing of it is sent. Its calls are there to take their results with them.
  SESSIONKIT_SELDOM void fail(Entry const& entry, Message const& message) {
    draft_.note(entry.id, "failed_message", brief(message.text()));
    for (Part const& part : message.parts) {
      if (!std::holds_alternative<ToolUse>(part)) continue;
      Piece call;
      call.part = call.stored = &part;
      call.source = static_cast<std::uint32_t>(draft_.sources.size() - 1);
      call.slot = Slot::call;
      call.failed = true;
      draft_.pieces.push_back(call);
    }
  }

  SESSIONKIT_SELDOM void move_to_system(Entry const& entry, Message const& message) {
    std::string text = message.text();
    draft_.note(entry.id, "system_message", brief(text), "system text", !draft_.pieces.empty());
    draft_.system.push_back(std::move(text));
  }

  SESSIONKIT_SELDOM void say(Entry const& entry, std::size_t index, CustomMessage const& body) {
    if (!body.in_context) return;
    open(entry, index, Role::user);
    if (body.content.empty()) return draft_.note(entry.id, "blank_message", {});
    for (ToolContent const& piece : body.content) add_piece(draft_, *draft_.keep(to_part(piece)));
  }

  SESSIONKIT_SELDOM void say(Entry const& entry, std::size_t index, BranchSummary const& body) {
    if (is_blank(body.summary)) return;
    open(entry, index, Role::user);
    add_piece(draft_, *draft_.keep(Text{branch_summary_text(body.summary)}));
  }

  Draft& draft_;
};

}}

void Draft::drop(Piece& piece, std::string_view rule) {
  note(entry_of(piece), rule, brief(*piece.part));
  piece.part = nullptr;
}

Part to_part(ToolContent const& piece) {
  return detail::visit([](auto const& body) { return Part(body); }, piece);
}

void collect_pieces(Draft& draft) { draft_inl::Collector(draft).run(); }

}}}
