// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history_rules.hpp>
#include <sessionkit/detail/json.hpp>
#include <sessionkit/detail/raw_json_access.hpp>
#include <sessionkit/detail/utf8.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

// Rules about one part at a time.

namespace sessionkit { inline namespace v0 {

namespace {

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

Verdict opaque_part_rule(Draft const&, detail::Source const&, Part const& part, Part&) {
  return std::holds_alternative<Opaque>(part) ? Verdict::drop : Verdict::keep;
}

Verdict blank_text(Draft const&, detail::Source const&, Part const& part, Part&) {
  auto const* text = std::get_if<Text>(&part);
  return text && detail::is_blank(text->text) ? Verdict::drop : Verdict::keep;
}

// A signature is good for the model that made it; what is not known is given the benefit of the doubt.
bool signed_for_target(Draft const& draft, Generation const* made) {
  if (!made) return true;
  if (!made->api.empty() && made->api != draft.rules.api) return false;
  if (made->api.empty() && !made->provider.empty() && made->provider != draft.rules.vendor) return false;
  return draft.target.model.empty() || made->model.empty() || made->model == draft.target.model;
}

Verdict foreign_thinking(Draft const& draft, detail::Source const& source, Part const& part, Part&) {
  auto const* thinking = std::get_if<Thinking>(&part);
  if (!thinking || draft.rules.thinking == detail::ProviderRules::always) return Verdict::keep;
  Generation const* made =
      source.message && source.message->generation ? &*source.message->generation : nullptr;
  bool const sent = draft.rules.thinking == detail::ProviderRules::with_signature
                    && !thinking->signature.empty() && detail::is_utf8(thinking->text)
                    && detail::is_utf8(thinking->signature) && signed_for_target(draft, made);
  return sent ? Verdict::keep : Verdict::drop;
}

Verdict invalid_text(Draft const&, detail::Source const&, Part const& part, Part& made) {
  if (auto const* text = std::get_if<Text>(&part)) {
    if (detail::is_utf8(text->text)) return Verdict::keep;
    return replace_with(made, Text{detail::replace_invalid(text->text), text->signature});
  }
  auto const* thinking = std::get_if<Thinking>(&part);
  if (!thinking || detail::is_utf8(thinking->text)) return Verdict::keep;
  return replace_with(
      made, Thinking{detail::replace_invalid(thinking->text), thinking->signature, thinking->redacted});
}

char const* next_backslash(char const* p, char const* end) noexcept {
  auto const found = detail::between(p, end).find('\\');
  return found == std::string_view::npos ? end : p + found;
}

// The first escape of a surrogate without its partner, or `end`.
char const* lone_surrogate_escape(char const* p, char const* end) noexcept {
  while ((p = next_backslash(p, end)) != end) {
    std::int32_t const unit = detail::unicode_escape(p, end);
    if (unit < 0) {
      p += 2;
      continue;
    }
    auto const first = static_cast<std::uint32_t>(unit);
    if (detail::is_low_surrogate(first)) return p;
    if (detail::is_high_surrogate(first)) {
      std::int32_t const second = detail::unicode_escape(p + 6, end);
      if (second < 0 || !detail::is_low_surrogate(static_cast<std::uint32_t>(second))) return p;
      p += 6;
    }
    p += 6;
  }
  return end;
}

// Nothing where the JSON is fit to be sent. Outside of its strings JSON is ASCII, so mending bytes mends
// strings only.
std::optional<std::string> mended_json(std::string const& json) {
  char const* const end = json.data() + json.size();
  char const* lone = lone_surrogate_escape(json.data(), end);
  bool const utf8 = detail::is_utf8(json);
  if (utf8 && lone == end) return std::nullopt;
  std::string out = json;
  for (; lone != end; lone = lone_surrogate_escape(lone + 6, end))
    out.replace(static_cast<std::size_t>(lone - json.data()), 6, "\\ufffd");
  return utf8 ? out : detail::replace_invalid(out);
}

Verdict invalid_input(Draft const&, detail::Source const&, Part const& part, Part& made) {
  auto const* call = std::get_if<ToolUse>(&part);
  if (!call) return Verdict::keep;
  std::optional<std::string> mended = mended_json(call->input.str());
  if (!mended) return Verdict::keep;
  return replace_with(
      made, ToolUse{call->id, call->name, RawJsonAccess::trust(std::move(*mended)), call->signature});
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
  std::size_t const limit = draft.rules.name_limit;
  if (!call || limit == 0) return Verdict::keep;
  std::string name = call->name.substr(0, limit);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !detail::is_name_byte(c); }, '_');
  if (name.empty()) name = "unnamed";
  if (name == call->name) return Verdict::keep;
  return replace_with(made, ToolUse{call->id, std::move(name), call->input, call->signature});
}

constexpr std::array<std::string_view, 4> image_types{"image/png", "image/jpeg", "image/gif", "image/webp"};

bool is_base64(std::string_view data) noexcept {
  while (!data.empty() && data.back() == '=') data.remove_suffix(1);
  return !data.empty() && std::all_of(data.begin(), data.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

bool is_web_address(std::string_view url) noexcept {
  return (url.substr(0, 8) == "https://" || url.substr(0, 7) == "http://") && detail::is_utf8(url);
}

// "image/jpg" is what some programs call it.
std::string_view real_image_type(std::string_view type) noexcept {
  return type == "image/jpg" ? std::string_view("image/jpeg") : type;
}

bool is_sendable(Image const& image) {
  if (auto const* url = std::get_if<Url>(&image.source)) return is_web_address(url->url);
  bool const known = std::find(image_types.begin(), image_types.end(), real_image_type(image.media_type))
                     != image_types.end();
  return known && is_base64(std::get<Base64>(image.source).data);
}

bool is_as_it_should_be(Image const& image) {
  return is_sendable(image) && real_image_type(image.media_type) == image.media_type;
}

template <class AnyPart> AnyPart mended_image(Image const& image) {
  if (!is_sendable(image)) return Text{std::string(detail::no_image_text)};
  return Image{std::string(real_image_type(image.media_type)), image.source};
}

Verdict image_type(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* image = std::get_if<Image>(&part);
  if (!image || draft.rules.any_image || is_as_it_should_be(*image)) return Verdict::keep;
  return replace_with(made, mended_image<Part>(*image));
}

bool is_fit(Draft const& draft, ToolContent const& piece) {
  if (auto const* text = std::get_if<Text>(&piece))
    return !detail::is_blank(text->text) && detail::is_utf8(text->text);
  if (auto const* image = std::get_if<Image>(&piece))
    return draft.rules.any_image || is_as_it_should_be(*image);
  return false;
}

// What is unfit is mended where it can be, and otherwise leaves.
void append_fit(Draft const& draft, ToolContent const& piece, std::vector<ToolContent>& out) {
  if (is_fit(draft, piece)) {
    out.push_back(piece);
  } else if (auto const* text = std::get_if<Text>(&piece)) {
    if (!detail::is_blank(text->text)) out.emplace_back(Text{detail::replace_invalid(text->text)});
  } else if (auto const* image = std::get_if<Image>(&piece)) {
    out.push_back(mended_image<ToolContent>(*image));
  }
}

Verdict result_content(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* result = std::get_if<ToolResult>(&part);
  if (!result) return Verdict::keep;
  auto const& content = result->content;
  if (std::all_of(content.begin(), content.end(), [&](auto const& piece) { return is_fit(draft, piece); }))
    return Verdict::keep;
  ToolResult mended{result->tool_use_id, result->tool_name, {}, result->is_error};
  for (ToolContent const& piece : content) append_fit(draft, piece, mended.content);
  return replace_with(made, std::move(mended));
}

Verdict empty_result(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* result = std::get_if<ToolResult>(&part);
  if (!result || !result->content.empty()) return Verdict::keep;
  if (draft.rules.empty_results && !result->is_error) return Verdict::keep; // no error without words
  return replace_with(made, ToolResult{result->tool_use_id,
                                       result->tool_name,
                                       {Text{std::string(detail::no_output_text)}},
                                       result->is_error});
}

struct NamedPartRule {
  std::string_view name;
  PartRule decide;
};
// Each sees what the ones before it made.
constexpr std::array<NamedPartRule, 11> part_rules{{{"misplaced_part", misplaced_part},
                                                    {"opaque_part", opaque_part_rule},
                                                    {"blank_text", blank_text},
                                                    {"foreign_thinking", foreign_thinking},
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

constexpr detail::ProviderRules anthropic_rules{"anthropic-messages",
                                                "anthropic",
                                                detail::ProviderRules::with_signature,
                                                64,
                                                128,
                                                true,
                                                true,
                                                false,
                                                true};
constexpr detail::ProviderRules openai_chat_rules{
    "openai-completions", "openai", detail::ProviderRules::never, 40, 64, true, false, false, true};
constexpr detail::ProviderRules native_rules{};

constexpr std::size_t brief_code_points = 60;

struct Brief {
  std::string operator()(Text const& text) const { return detail::brief(text.text); }
  std::string operator()(Thinking const& thinking) const {
    return thinking.redacted ? "[redacted thinking]" : detail::brief(thinking.text);
  }
  std::string operator()(Image const& image) const { return "image " + detail::brief(image.media_type); }
  std::string operator()(ToolUse const& call) const {
    return "call " + detail::brief(call.id) + ' ' + detail::brief(call.name) + ' '
           + detail::brief(call.input.str());
  }
  std::string operator()(ToolResult const& result) const {
    std::string text = "result of " + detail::brief(result.tool_use_id);
    if (result.content.empty()) return text;
    auto const* first = std::get_if<Text>(&result.content.front());
    return first ? text + ": " + detail::brief(first->text) : text;
  }
  std::string operator()(Opaque const& opaque) const { return "part " + detail::brief(opaque.type); }
};

}

namespace detail {

ProviderRules const& rules_of(Provider provider) noexcept {
  switch (provider) {
  case Provider::anthropic: return anthropic_rules;
  case Provider::openai_chat: return openai_chat_rules;
  case Provider::native: break;
  }
  return native_rules;
}

std::string brief(std::string_view text) {
  std::size_t const length = utf8_cut(text, brief_code_points);
  std::string cut(text.substr(0, length));
  return length < text.size() ? cut + "\xE2\x80\xA6" : cut;
}
std::string brief(Part const& part) { return std::visit(Brief{}, part); }

void Draft::drop(Piece& piece, std::string_view rule) {
  note(entry_of(piece), rule, brief(*piece.part));
  piece.part = nullptr;
}

void add_piece(Draft& draft, Part const& part) {
  Source const& source = draft.sources.back();
  Part const* current = &part;
  Part made;
  for (NamedPartRule const& rule : part_rules) {
    Verdict const verdict = rule.decide(draft, source, *current, made);
    if (verdict == Verdict::keep) continue;
    bool const dropped = verdict == Verdict::drop;
    draft.note(source.entry->id, rule.name, brief(*current), dropped ? std::string{} : brief(made));
    if (dropped) return;
    current = draft.keep(std::exchange(made, Part{}));
  }
  Piece piece;
  piece.part = current;
  piece.source = static_cast<std::uint32_t>(draft.sources.size() - 1);
  piece.slot = slot_of(source.role, *current);
  draft.pieces.push_back(piece);
}

}

}}
