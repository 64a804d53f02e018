// SPDX-License-Identifier: MIT
// Decides for each part of a message whether it is kept, changed or dropped.
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/history/image_rules.hpp>
#include <sessionkit/detail/history/own_blocks.hpp>
#include <sessionkit/detail/history/part_rules.hpp>
#include <sessionkit/detail/history/report_text.hpp>
#include <sessionkit/detail/history/tool_names.hpp>
#include <sessionkit/detail/json/json_repair.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace part_rules_inl { namespace {

using detail::Draft;
using detail::Slot;

enum class Verdict { keep, drop, replace };

/// Decides about one part; `made` is what replaces it.
using PartRule = Verdict (*)(Draft const& draft, detail::Source const& source, Part const& part, Part& made);

template <class Body> Verdict replace_with(Part& made, Body body) {
  made = std::move(body);
  return Verdict::replace;
}

// Which roles may say what. Images and calls of the wrong side, and loose text of a tool, have no place in
// any provider's format.
Verdict misplaced_part(Draft const&, detail::Source const& source, Part const& part, Part&) {
  bool const assistant = source.role == Role::assistant;
  bool const user = source.role == Role::user;
  bool fits = true;
  if (std::holds_alternative<ToolUse>(part) || std::holds_alternative<Thinking>(part)) fits = assistant;
  if (std::holds_alternative<Image>(part)) fits = user;
  if (std::holds_alternative<Text>(part)) fits = user || assistant;
  return fits ? Verdict::keep : Verdict::drop;
}

Generation const* generation_of(detail::Source const& source) {
  return source.message && source.message->generation ? &*source.message->generation : nullptr;
}

// "-20250929" or "-2025-08-07", by which a provider names one version of a model.
bool is_date_suffix(std::string_view text) {
  std::string_view const shape = text.size() == 9 ? "-dddddddd" : "-dddd-dd-dd";
  return text.size() == shape.size()
         && std::equal(text.begin(), text.end(), shape.begin(),
                       [](char c, char s) { return s == 'd' ? c >= '0' && c <= '9' : c == s; });
}

// An answer to "claude-sonnet-4-5" names the model "claude-sonnet-4-5-20250929".
bool is_same_model(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return a == b || (b.substr(0, a.size()) == a && is_date_suffix(b.substr(a.size())));
}

// A signature is good for the model that made it; what is not known is given the benefit of the doubt.
bool signed_for_target(Draft const& draft, Generation const* made) {
  if (!made) return true;
  std::string_view const api = draft.target.api.empty() ? draft.rules.api : draft.target.api;
  if (!made->api.empty() && made->api != api) return false;
  if (made->api.empty() && !made->provider.empty() && made->provider != draft.rules.vendor) return false;
  return draft.target.model.empty() || made->model.empty() || is_same_model(made->model, draft.target.model);
}

// Whether an answer came from the API that the request is for, whatever its model.
bool made_by_target(Draft const& draft, Generation const* made) {
  if (!made) return true;
  std::string_view const api = draft.target.api.empty() ? draft.rules.api : draft.target.api;
  if (!made->api.empty()) return made->api == api;
  return made->provider.empty() || made->provider == draft.rules.vendor;
}

// A block that only one API knows goes back to it; elsewhere a marker replaces it. Nothing: it is no
// provider's.
template <class AnyPart>
std::optional<AnyPart> own_part(Draft const& draft, detail::BlockPlace place, bool takes,
                                Opaque const& block) {
  if (takes && draft.rules.own_blocks)
    if (auto body = detail::own_block(draft.target.provider, place, block))
      return AnyPart(Opaque{block.type, std::move(*body)});
  std::string marker = detail::block_marker(block);
  if (marker.empty()) return std::nullopt;
  return AnyPart(Text{std::move(marker)});
}

Verdict opaque_part_rule(Draft const& draft, detail::Source const& source, Part const& part, Part& made) {
  auto const* block = std::get_if<Opaque>(&part);
  if (!block) return Verdict::keep;
  bool const assistant = source.role == Role::assistant;
  bool const takes = !assistant || made_by_target(draft, generation_of(source));
  auto own = own_part<Part>(draft, assistant ? detail::BlockPlace::assistant : detail::BlockPlace::user,
                            takes, *block);
  if (!own || source.role == Role::tool) return Verdict::drop;
  auto const* kept = std::get_if<Opaque>(&*own);
  if (kept && kept->body == block->body) return Verdict::keep;
  return replace_with(made, std::move(*own));
}

// Gemini signs the end of an answer with a text that says nothing.
bool is_signed_blank(Draft const& draft, detail::Source const& source, Text const& text) {
  if (!draft.rules.signed_blanks || source.role != Role::assistant || text.signature.empty()) return false;
  if (!draft.rules.signs_text(text.signature) || !signed_for_target(draft, generation_of(source)))
    return false;
  auto const speaks = [](Part const& part) {
    auto const* said = std::get_if<Text>(&part);
    return std::holds_alternative<ToolUse>(part) || (said && !detail::is_blank(said->text));
  };
  auto const& parts = source.message->parts; // alone it would be an empty answer
  auto const few = parts.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(parts.size(), 8));
  return std::any_of(parts.begin(), few, speaks);
}

Verdict blank_text(Draft const& draft, detail::Source const& source, Part const& part, Part&) {
  auto const* text = std::get_if<Text>(&part);
  bool const blank = text && detail::is_blank(text->text) && !is_signed_blank(draft, source, *text);
  return blank ? Verdict::drop : Verdict::keep;
}

Verdict foreign_thinking(Draft const& draft, detail::Source const& source, Part const& part, Part&) {
  auto const* thinking = std::get_if<Thinking>(&part);
  if (!thinking || draft.rules.thinking == detail::ProviderRules::always) return Verdict::keep;
  bool const whole = draft.rules.plain_thinking ? !thinking->redacted && !detail::is_blank(thinking->text)
                                                : !thinking->signature.empty();
  bool const sent = draft.rules.thinking == detail::ProviderRules::with_signature && whole
                    && detail::is_utf8(thinking->text) && detail::is_utf8(thinking->signature)
                    && signed_for_target(draft, generation_of(source))
                    && (!draft.rules.signs_thinking || draft.rules.signs_thinking(*thinking));
  return sent ? Verdict::keep : Verdict::drop;
}

// What of the members of an answer's text goes back to the API that wrote it.
RawJson citations_of(Draft const& draft, detail::Source const& source, Part const& part) {
  auto const* text = std::get_if<Text>(&part);
  bool const fits = text && !text->extra.is_null() && draft.target.provider == Provider::anthropic
                    && source.role == Role::assistant && made_by_target(draft, generation_of(source));
  return fits ? detail::own_citations(text->extra) : RawJson{};
}

// Providers refuse members that they do not know. pi's shape takes them, as JSON that any reader takes.
Verdict part_members(Draft const& draft, detail::Source const& source, Part const& part, Part& made) {
  bool const kept = draft.target.provider == Provider::native;
  if (RawJson citations = citations_of(draft, source, part); !citations.is_null()) {
    auto const& text = std::get<Text>(part);
    if (citations == text.extra) return Verdict::keep;
    return replace_with(made, Text{text.text, text.signature, std::move(citations)});
  }
  bool found = false;
  detail::each_extra(
      part, [&](RawJson const& extra) { found = found || !kept || detail::repaired_json(extra.str()); });
  if (!found) return Verdict::keep;
  made = part;
  detail::each_extra(made, [&](RawJson& extra) {
    std::optional<std::string> repaired = kept ? detail::repaired_json(extra.str()) : std::nullopt;
    if (!kept) extra = RawJson{};
    if (repaired) extra = RawJsonAccess::trust(std::move(*repaired));
  });
  return Verdict::replace;
}

// Signatures on what is said and asked for, where the provider has them.
Verdict foreign_signature(Draft const& draft, detail::Source const& source, Part const& part, Part& made) {
  auto const* text = std::get_if<Text>(&part);
  auto const* call = std::get_if<ToolUse>(&part);
  auto const signs = text ? draft.rules.signs_text : call ? draft.rules.signs_call : nullptr;
  if (!signs) return Verdict::keep;
  std::string const& signature = text ? text->signature : call->signature;
  if (signature.empty() || (signs(signature) && signed_for_target(draft, generation_of(source))))
    return Verdict::keep;
  if (text) return replace_with(made, Text{text->text});
  return replace_with(made, ToolUse{call->id, call->name, call->input});
}

Verdict invalid_text(Draft const&, detail::Source const&, Part const& part, Part& made) {
  if (auto const* text = std::get_if<Text>(&part)) {
    if (detail::is_utf8(text->text)) return Verdict::keep;
    return replace_with(made, Text{detail::replace_invalid(text->text), text->signature, text->extra});
  }
  auto const* thinking = std::get_if<Thinking>(&part);
  if (!thinking || detail::is_utf8(thinking->text)) return Verdict::keep;
  return replace_with(made, Thinking{detail::replace_invalid(thinking->text), thinking->signature,
                                     thinking->redacted, thinking->extra});
}

Verdict invalid_input(Draft const&, detail::Source const&, Part const& part, Part& made) {
  auto const* call = std::get_if<ToolUse>(&part);
  if (!call) return Verdict::keep;
  std::optional<std::string> repaired = detail::repaired_json(call->input.str());
  if (auto once = detail::without_repeated_keys(repaired ? *repaired : call->input.str()))
    repaired = std::move(once);
  if (!repaired) return Verdict::keep;
  return replace_with(made, ToolUse{call->id, call->name, RawJsonAccess::trust(std::move(*repaired)),
                                    call->signature, call->extra});
}

Verdict input_not_object(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* call = std::get_if<ToolUse>(&part);
  if (!call || call->input.is_object() || !draft.rules.object_inputs) return Verdict::keep;
  std::string object = call->input.is_null() ? "{}" : "{\"input\":" + call->input.str() + '}';
  return replace_with(
      made, ToolUse{call->id, call->name, RawJsonAccess::trust(std::move(object)), call->signature});
}

Verdict tool_name(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* call = std::get_if<ToolUse>(&part);
  if (!call || draft.rules.name_limit == 0) return Verdict::keep;
  std::string name = detail::fitting_name(draft.rules, call->name);
  if (name == call->name) return Verdict::keep;
  return replace_with(made, ToolUse{call->id, std::move(name), call->input, call->signature});
}

// Where an image is: in a message of the user, or in the result of a tool.
template <class AnyPart> bool takes_images(Draft const& draft) {
  return draft.target.images && (std::is_same_v<AnyPart, Part> || draft.rules.result_images);
}

template <class AnyPart> bool is_as_it_should_be(Draft const& draft, Image const& image) {
  return takes_images<AnyPart>(draft) && detail::is_sendable(draft.rules, image);
}

template <class AnyPart> AnyPart fitting_image(Draft const& draft, Image const& image) {
  auto made = takes_images<AnyPart>(draft) ? detail::repaired_image(draft.rules, image) : std::nullopt;
  if (!made) return Text{std::string(detail::no_image_text)};
  return std::move(*made);
}

Verdict image_type(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* image = std::get_if<Image>(&part);
  if (!image || is_as_it_should_be<Part>(draft, *image)) return Verdict::keep;
  return replace_with(made, fitting_image<Part>(draft, *image));
}

// White space is output too; among other pieces it would be a blank block, which providers refuse.
bool says_something(Text const& text, bool alone) {
  return alone ? !text.text.empty() : !detail::is_blank(text.text);
}

bool is_fit(Draft const& draft, ToolContent const& piece, bool alone, bool error) {
  if (auto const* text = std::get_if<Text>(&piece))
    return says_something(*text, alone) && detail::is_utf8(text->text);
  if (auto const* image = std::get_if<Image>(&piece)) return is_as_it_should_be<ToolContent>(draft, *image);
  auto const& block = std::get<Opaque>(piece);
  if (!draft.rules.own_blocks || (error && draft.rules.text_errors)) return false;
  auto const own = detail::own_block(draft.target.provider, detail::BlockPlace::result, block);
  return own && *own == block.body;
}

// An unfit part is repaired where it can be, and otherwise dropped.
void append_fit(Draft const& draft, ToolContent const& piece, bool alone, bool error,
                std::vector<ToolContent>& out) {
  if (is_fit(draft, piece, alone, error)) {
    out.emplace_back(ToolContent(piece));
  } else if (auto const* text = std::get_if<Text>(&piece)) {
    if (says_something(*text, alone))
      out.emplace_back(Text{detail::replace_invalid(text->text), {}, text->extra});
  } else if (auto const* image = std::get_if<Image>(&piece)) {
    out.push_back(fitting_image<ToolContent>(draft, *image));
  } else if (auto const* block = std::get_if<Opaque>(&piece)) {
    bool const takes = !error || !draft.rules.text_errors;
    if (auto own = own_part<ToolContent>(draft, detail::BlockPlace::result, takes, *block))
      out.push_back(std::move(*own));
  }
}

Verdict result_content(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* result = std::get_if<ToolResult>(&part);
  if (!result) return Verdict::keep;
  auto const& content = result->content;
  bool const alone = draft.rules.empty_results && content.size() == 1;
  auto const fits = [&](ToolContent const& piece) { return is_fit(draft, piece, alone, result->is_error); };
  if (std::all_of(content.begin(), content.end(), fits)) return Verdict::keep;
  ToolResult repaired{result->tool_use_id, result->tool_name, {}, result->is_error, result->extra};
  for (ToolContent const& piece : content)
    append_fit(draft, piece, alone, result->is_error, repaired.content);
  return replace_with(made, std::move(repaired));
}

Verdict empty_result(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* result = std::get_if<ToolResult>(&part);
  if (!result || !result->content.empty()) return Verdict::keep;
  if (draft.rules.empty_results && !result->is_error) return Verdict::keep; // no error without words
  return replace_with(made, ToolResult{result->tool_use_id,
                                       result->tool_name,
                                       {Text{std::string(detail::no_output_text)}},
                                       result->is_error,
                                       result->extra});
}

struct NamedPartRule {
  std::string_view name;
  PartRule decide;
};
// Each sees what the ones before it made.
constexpr std::array<NamedPartRule, 13> part_rules{{{"misplaced_part", misplaced_part},
                                                    {"opaque_part", opaque_part_rule},
                                                    {"blank_text", blank_text},
                                                    {"foreign_thinking", foreign_thinking},
                                                    {"part_members", part_members},
                                                    {"foreign_signature", foreign_signature},
                                                    {"invalid_text", invalid_text},
                                                    {"invalid_input", invalid_input},
                                                    {"input_not_object", input_not_object},
                                                    {"tool_name", tool_name},
                                                    {"image_type", image_type},
                                                    {"result_content", result_content},
                                                    {"empty_result", empty_result}}};

Slot slot_of(Role role, Part const& part) noexcept {
  if (std::holds_alternative<ToolUse>(part)) return Slot::call;
  if (std::holds_alternative<ToolResult>(part)) return Slot::result;
  if (std::holds_alternative<Thinking>(part)) return Slot::thought;
  return role == Role::assistant ? Slot::said : Slot::user;
}

}}

namespace detail {

void add_piece(detail::Draft& draft, Part const& part) {
  Source const& source = draft.sources.back();
  Part const* current = &part;
  Part made;
  for (part_rules_inl::NamedPartRule const& rule : part_rules_inl::part_rules) {
    part_rules_inl::Verdict const verdict = rule.decide(draft, source, *current, made);
    if (verdict == part_rules_inl::Verdict::keep) continue;
    bool const dropped = verdict == part_rules_inl::Verdict::drop;
    draft.note(source.entry->id, rule.name, brief(*current), dropped ? std::string{} : brief(made));
    if (dropped) return;
    current = draft.keep(std::exchange(made, Part{}));
  }
  Piece piece;
  piece.part = current;
  piece.stored = &part;
  piece.source = static_cast<std::uint32_t>(draft.sources.size() - 1);
  piece.slot = part_rules_inl::slot_of(source.role, *current);
  draft.pieces.push_back(piece);
}

}

}}
