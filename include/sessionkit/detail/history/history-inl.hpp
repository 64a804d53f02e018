// SPDX-License-Identifier: MIT
// Rebuilds a context as messages that a provider accepts, or that the log's own program would send.
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/dialects/summary_wording.hpp>
#include <sessionkit/detail/history/draft.hpp>
#include <sessionkit/detail/history/faithful_regroup.hpp>
#include <sessionkit/detail/history/history.hpp>
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/detail/history/structural_rules.hpp>
#include <sessionkit/detail/json/json_repair.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>
#include <sessionkit/detail/model/token_counts.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/tokens.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace history_inl { namespace {

// The times of messages that were made of other entries, as pi writes them.
SESSIONKIT_SELDOM RawJson time_metadata(Timestamp at) {
  return RawJsonAccess::trust("{\"timestamp\":" + std::to_string(to_unix_ms(at)) + '}');
}

std::string joined(std::vector<std::string> const& texts) {
  std::string all;
  for (std::string const& text : texts) {
    if (detail::is_blank(text)) continue;
    if (!all.empty()) all += "\n\n";
    all += text;
  }
  return all;
}

// What the native shape says beside the parts is bytes of the log too.
SESSIONKIT_SELDOM void repair_members(Message& message) {
  if (std::optional<std::string> repaired = detail::repaired_json(message.metadata.str()))
    message.metadata = RawJsonAccess::trust(std::move(*repaired));
  if (!message.generation) return;
  Generation& made = *message.generation;
  for (std::string* text : {&made.provider, &made.model, &made.request_id, &made.api})
    if (!detail::is_utf8(*text)) *text = detail::replace_invalid(*text);
}

// The only copy of what the context says, or none.
Part taken(detail::Draft const& draft, Part const& part) {
  if (!draft.consumed) return part;
  return std::move(const_cast<Part&>(part)); // of the caller's own context, or made here: no part is const
}

// Valid mode, last step. The messages after this one were made before, so that a result still finds its call.
Message message_of(detail::Draft const& draft, detail::Span const& span) {
  Message message;
  message.role = span.role;
  message.parts.reserve(span.end - span.begin);
  for (std::size_t i = span.begin; i < span.end; ++i) {
    detail::Piece const& piece = draft.pieces[draft.order[i]];
    Part& part = message.parts.emplace_back(taken(draft, *piece.part));
    if (piece.id) std::get<ToolUse>(part).id = *piece.id;
    if (piece.slot == detail::Slot::result)
      std::get<ToolResult>(part).tool_use_id = draft.call_id(piece.link);
  }
  detail::Piece const& first = draft.pieces[draft.order[span.begin]];
  detail::Piece const& last = draft.pieces[draft.order[span.end - 1]];
  if (first.source == detail::no_piece) return message;
  Message const* const made = draft.sources[last.source].message; // null: the summary of a compaction
  if (span.role == Role::assistant && made) message.generation = made->generation;
  if (draft.target.provider != Provider::native) return message;
  detail::Source const& source = draft.sources[first.source];
  if (!detail::regroup_of(draft.context.dialect))
    message.metadata = source.message ? source.message->metadata : time_metadata(source.entry->at);
  repair_members(message);
  return message;
}

EntryId source_of(detail::Draft const& draft, detail::Span const& span) {
  detail::Piece const& first = draft.pieces[draft.order[span.begin]];
  return first.source == detail::no_piece ? EntryId{} : draft.entry_of(first);
}

Timestamp time_of(detail::Draft const& draft, detail::Span const& span) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    detail::Piece const& piece = draft.pieces[draft.order[i]];
    if (piece.source != detail::no_piece) return draft.sources[piece.source].entry->at;
  }
  return {};
}

// The same for messages that were made one after the other, of the entries in their order.
SESSIONKIT_SELDOM std::vector<Timestamp> times_of(std::vector<EntryId> const& sources,
                                                  Context const& context) {
  std::unordered_map<std::string_view, Timestamp> known;
  for (Entry const& entry : context.entries) known.emplace(entry.id.str(), entry.at);
  if (context.compaction) known[context.compaction->id.str()] = context.compaction->at;
  std::vector<Timestamp> times;
  times.reserve(sources.size());
  for (EntryId const& source : sources) {
    auto const found = known.find(source.str());
    times.push_back(found == known.end() ? Timestamp{} : found->second);
  }
  return times;
}

// What was joined to a piece.
auto joined_to(detail::Draft const& draft, std::uint32_t piece) {
  auto const before = [](detail::JoinedSource const& a, detail::JoinedSource const& b) {
    return a.piece < b.piece;
  };
  return std::equal_range(draft.joined.begin(), draft.joined.end(), detail::JoinedSource{piece, 0}, before);
}

// Of one message. The first part is of the message's own source.
void add_part_sources(detail::Draft const& draft, std::size_t message, std::vector<PartSource>& out) {
  detail::Span const& span = draft.messages[message];
  bool known = true; // which entry the part before is of, and no other
  for (std::size_t i = span.begin; i < span.end; ++i) {
    detail::Piece const& piece = draft.pieces[draft.order[i]];
    auto const [joined, end] = joined_to(draft, draft.order[i]);
    bool const goes_on =
        i == span.begin
        || (known && joined == end && piece.source == draft.pieces[draft.order[i - 1]].source);
    if (!goes_on) out.push_back({message, i - span.begin, draft.entry_of(piece)});
    for (auto each = joined; each != end; ++each)
      out.push_back({message, i - span.begin, draft.sources[each->source].entry->id});
    known = joined == end;
  }
}

SESSIONKIT_SELDOM void drop_first_messages(History& history, std::size_t cut) {
  auto const n = static_cast<std::ptrdiff_t>(cut);
  history.messages.erase(history.messages.begin(), history.messages.begin() + n);
  history.sources.erase(history.sources.begin(), history.sources.begin() + n);
  history.times.erase(history.times.begin(), history.times.begin() + n);
  auto const kept = std::find_if(history.part_sources.begin(), history.part_sources.end(),
                                 [cut](PartSource const& source) { return source.message >= cut; });
  history.part_sources.erase(history.part_sources.begin(), kept);
  for (PartSource& source : history.part_sources) source.message -= cut;
}

// Moves a cut back to where a turn begins; the newest turn stays.
std::size_t turn_start(std::vector<Message> const& messages, std::size_t cut) {
  if (messages.empty()) return 0;
  cut = std::min(cut, messages.size() - 1);
  while (cut > 0 && messages[cut].role != Role::user) --cut;
  return cut;
}

SESSIONKIT_SELDOM void leave_out(History& history, std::size_t cut) {
  std::size_t const all = history.messages.size();
  history.report.push_back({history.sources[cut], "policy", std::to_string(all) + " messages",
                            std::to_string(all - cut) + " messages", true});
  drop_first_messages(history, cut);
}

// Before everything that the first message says.
SESSIONKIT_SELDOM void begin_with(History& history, std::string text) {
  auto& parts = history.messages.front().parts;
  parts.insert(parts.begin(), Text{std::move(text)});
  for (PartSource& source : history.part_sources)
    if (source.message == 0) ++source.part;
  history.part_sources.insert(history.part_sources.begin(),
                              {0, 1, std::exchange(history.sources.front(), {})});
}

// A summary of what a policy left out, where that of a compaction would be.
SESSIONKIT_SELDOM void put_summary(Target const& target, std::string const& summary, History& history) {
  if (detail::is_blank(summary)) return;
  std::string text = detail::compaction_summary_text(summary, target.summary_prefix);
  if (detail::rules_of(target.provider).summary_in_system)
    history.system = joined({history.system, text});
  else
    begin_with(history, std::move(text));
}

// The result that a policy names; null if it names none.
ToolResult* named_result(History& history, HistoryEdit::Result const& named) {
  if (named.message >= history.messages.size()) return nullptr;
  std::vector<Part>& parts = history.messages[named.message].parts;
  return named.part < parts.size() ? std::get_if<ToolResult>(&parts[named.part]) : nullptr;
}

SESSIONKIT_SELDOM bool apply_policies(Target const& target, History& history) {
  bool changed = false;
  for (HistoryPolicy const& policy : target.policies) {
    if (!policy || history.messages.empty()) continue;
    HistoryEdit edit = policy(history.messages);
    for (HistoryEdit::Result& changes : edit.results) {
      ToolResult* const result = named_result(history, changes);
      if (result == nullptr) continue;
      history.report.push_back({history.sources[changes.message], "policy", detail::brief(Part(*result)),
                                detail::brief(changes.text), true});
      result->content.assign(1, Text{std::move(changes.text)});
      changed = true;
    }
    std::size_t const cut = turn_start(history.messages, edit.drop);
    if (cut != 0) leave_out(history, cut);
    if (cut != 0) put_summary(target, edit.summary, history);
    changed = changed || cut != 0;
  }
  return changed;
}

// A count from before a compaction or a cut includes messages that are no longer sent.
bool has_fresh_count(detail::Draft const& draft) {
  for (auto span = draft.messages.rbegin(); span != draft.messages.rend(); ++span) {
    std::uint32_t const last = draft.pieces[draft.order[span->end - 1]].source;
    if (span->role != Role::assistant || last == detail::no_piece) continue;
    detail::Source const& source = draft.sources[last];
    if (source.message && detail::has_usable_count(*source.message))
      return !draft.context.compaction || source.index >= draft.context.after_compaction;
  }
  return false;
}

std::size_t history_tokens(History const& history, TokenEstimator const& estimator, bool fresh) {
  if (fresh) return count_tokens(history.messages, estimator);
  std::size_t tokens = estimator ? estimator(system(history.system)) : estimate_tokens(history.system);
  for (Message const& message : history.messages)
    tokens += estimator ? estimator(message) : estimate_tokens(message);
  return tokens;
}

// Whether the next answer goes on in a tool loop whose first answer does not begin with reasoning.
SESSIONKIT_SELDOM bool loops_without_reasoning(std::vector<Message> const& messages,
                                               detail::LoopStart before) {
  std::size_t end = messages.size();
  if (end > 0 && messages[end - 1].role == Role::user) --end; // words beside the results
  if (end == 0 || messages[end - 1].role != Role::tool) return false;
  return detail::loop_start(messages, end, before) == detail::LoopStart::other;
}

History rebuild_valid(Context const& context, Target const& target, bool consumed,
                      detail::HistoryPart part = {}) {
  detail::Draft draft{context, target, detail::rules_of(target), consumed, part};
  detail::collect_pieces(draft);
  detail::apply_structural_rules(draft);

  History history;
  history.messages.reserve(draft.messages.size());
  history.sources.reserve(draft.messages.size());
  history.times.reserve(draft.messages.size());
  for (auto span = draft.messages.rbegin(); span != draft.messages.rend(); ++span) {
    history.messages.push_back(message_of(draft, *span));
    history.sources.push_back(source_of(draft, *span));
    history.times.push_back(time_of(draft, *span));
  }
  std::reverse(history.messages.begin(), history.messages.end());
  std::reverse(history.sources.begin(), history.sources.end());
  std::reverse(history.times.begin(), history.times.end());
  for (std::size_t i = 0; i < draft.messages.size(); ++i) add_part_sources(draft, i, history.part_sources);
  history.system = joined(draft.system);
  if (!detail::is_utf8(history.system)) history.system = detail::replace_invalid(history.system);
  history.report = std::move(draft.report);
  bool const cut = apply_policies(target, history);
  history.tokens = history_tokens(history, target.estimator, !cut && has_fresh_count(draft));
  history.reasoning_must_be_off =
      target.provider == Provider::anthropic && loops_without_reasoning(history.messages, part.before);
  return history;
}

// Faithful mode: as pi's convertToLlm. What is left out is reported; nothing is repaired.
class Converter {
 public:
  explicit Converter(History& history) : history_(history) {}

  SESSIONKIT_SELDOM void operator()(Entry const& entry) {
    if (auto const* message = entry.as<Message>()) return say(entry, *message);
    if (auto const* body = entry.as<CustomMessage>()) return custom(entry, *body);
    if (auto const* body = entry.as<BranchSummary>())
      if (!body->summary.empty()) user_text(entry, detail::branch_summary_text(body->summary));
    if (auto const* body = entry.as<Compaction>())
      user_text(entry, detail::compaction_summary_text(body->summary));
    if (auto const* body = entry.as<Unknown>())
      detail::note_unsent(history_, entry, "unknown_entry", detail::brief(body->type));
  }

 private:
  SESSIONKIT_SELDOM void add(Entry const& entry, Message message) {
    history_.messages.push_back(std::move(message));
    history_.sources.push_back(entry.id);
  }
  SESSIONKIT_SELDOM void say(Entry const& entry, Message const& message) {
    if (message.role != Role::system) return add(entry, message);
    if (!history_.system.empty()) history_.system += "\n\n";
    history_.system += message.text();
  }
  SESSIONKIT_SELDOM void custom(Entry const& entry, CustomMessage const& body) {
    if (!body.in_context) return;
    Message message;
    std::transform(body.content.begin(), body.content.end(), std::back_inserter(message.parts),
                   detail::to_part);
    message.metadata = time_metadata(entry.at);
    add(entry, std::move(message));
  }
  SESSIONKIT_SELDOM void user_text(Entry const& entry, std::string text) {
    Message message = user(std::move(text));
    message.metadata = time_metadata(entry.at);
    add(entry, std::move(message));
  }

  History& history_;
};

SESSIONKIT_SELDOM History rebuild_faithful(Context const& context, Target const& target) {
  History history;
  history.system = target.system;
  history.messages.reserve(context.entries.size() + 1);
  detail::Regroup const regroup = detail::regroup_of(context.dialect);
  if (target.consecutive_user == ConsecutiveUser::join) {
    if (auto const* body = context.compaction ? context.compaction->as<Compaction>() : nullptr) {
      history.messages.push_back(
          assistant(detail::compaction_summary_text(body->summary, target.summary_prefix)));
      history.sources.push_back(context.compaction->id);
    }
    detail::regroup_joined(context, history);
  } else if (regroup) {
    regroup(context, target.provider, history);
  } else {
    Converter convert(history);
    if (context.compaction) convert(*context.compaction);
    for (Entry const& entry : context.entries)
      if (!entry.as<Compaction>()) convert(entry); // an older one, within what is kept
  }
  for (std::size_t i = 0; i < history.messages.size(); ++i)
    if (detail::has_blob_refs(history.messages[i]))
      detail::replace_blob_refs(history.messages[i], [&](Image const& image) {
        history.report.push_back({history.sources[i], "image_type", detail::brief(Part(image)),
                                  std::string(detail::no_image_text), false});
      });
  bool const own_shape =
      target.provider == Provider::native || (regroup && target.provider == Provider::anthropic);
  if (!own_shape) detail::leave_out_strange(history);
  detail::note_wordless(history, target.provider);
  bool const odd_is_sent = regroup && context.dialect != "panel" && target.provider == Provider::anthropic;
  for (Entry const& entry : context.entries)
    if (auto const* message = entry.as<Message>(); message && message->parts.empty() && !odd_is_sent)
      if (std::string odd = detail::odd_content(entry, *message); !odd.empty())
        detail::note_unsent(history, entry, "odd_content", std::move(odd));
  history.times = times_of(history.sources, context);
  history.tokens = count_tokens(history.messages, target.estimator);
  return history;
}

History rebuild_with(Context const& context, Target const& target, bool consumed) {
  History history = target.mode == RebuildMode::valid ? rebuild_valid(context, target, consumed)
                                                      : rebuild_faithful(context, target);
  if (context.compaction) history.compaction = context.compaction->id;
  for (LeftOut const& one : context.left_out)
    history.report.push_back({one.entry, "not_stored", one.what, {}, one.was_sent});
  return history;
}

}}

SESSIONKIT_SELDOM History detail::rebuild_part(Context&& context, Target const& target, HistoryPart part) {
  return history_inl::rebuild_valid(context, target, true, part);
}

HistoryRebuilder::HistoryRebuilder(Target target) : target_(std::move(target)) {}

History HistoryRebuilder::rebuild(Context const& context) const {
  return history_inl::rebuild_with(context, target_, false);
}

History HistoryRebuilder::rebuild(Context&& context) const {
  return history_inl::rebuild_with(context, target_, true);
}

}}
