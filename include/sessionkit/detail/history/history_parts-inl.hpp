// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/history/history_rules.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/history/reasoning_item.hpp>
#include <sessionkit/detail/base/utf8.hpp>

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

Generation const* generation_of(detail::Source const& source) {
  return source.message && source.message->generation ? &*source.message->generation : nullptr;
}

// A signature is good for the model that made it; what is not known is given the benefit of the doubt.
bool signed_for_target(Draft const& draft, Generation const* made) {
  if (!made) return true;
  std::string_view const api = draft.target.api.empty() ? draft.rules.api : draft.target.api;
  if (!made->api.empty() && made->api != api) return false;
  if (made->api.empty() && !made->provider.empty() && made->provider != draft.rules.vendor) return false;
  return draft.target.model.empty() || made->model.empty() || made->model == draft.target.model;
}

Verdict foreign_thinking(Draft const& draft, detail::Source const& source, Part const& part, Part&) {
  auto const* thinking = std::get_if<Thinking>(&part);
  if (!thinking || draft.rules.thinking == detail::ProviderRules::always) return Verdict::keep;
  bool const sent = draft.rules.thinking == detail::ProviderRules::with_signature
                    && !thinking->signature.empty() && detail::is_utf8(thinking->text)
                    && detail::is_utf8(thinking->signature) && signed_for_target(draft, generation_of(source))
                    && (!draft.rules.signs_thinking || draft.rules.signs_thinking(*thinking));
  return sent ? Verdict::keep : Verdict::drop;
}

// Providers refuse members that they do not know. pi's shape takes them, as JSON that any reader takes.
Verdict part_members(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  bool const kept = draft.target.provider == Provider::native;
  bool found = false;
  detail::each_extra(
      part, [&](RawJson const& extra) { found = found || !kept || detail::mended_json(extra.str()); });
  if (!found) return Verdict::keep;
  made = part;
  detail::each_extra(made, [&](RawJson& extra) {
    std::optional<std::string> mended = kept ? detail::mended_json(extra.str()) : std::nullopt;
    if (!kept) extra = RawJson{};
    if (mended) extra = RawJsonAccess::trust(std::move(*mended));
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

char const* next_backslash(char const* p, char const* end) noexcept {
  auto const found = detail::between(p, end).find('\\');
  return found == std::string_view::npos ? end : p + found;
}

// The first escape of a surrogate without its partner, or `end`.
char const* lone_surrogate_escape(char const* p, char const* end) noexcept {
  if (!detail::has_backslash_u(p, end)) return end; // as in most, however many other escapes they have
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

// The first number from `p` on that no double can hold, which readers refuse or take for infinity; or empty,
// at `end`.
std::string_view number_beyond_double(char const* p, char const* end) {
  while (p != end) {
    if (*p == '"') {
      p = detail::string_end(p + 1, end);
      if (p == nullptr) break;
      ++p;
    } else if (*p == '-' || detail::is_digit(*p)) {
      char const* const begin = p;
      p = detail::skip_value(p, end);
      if (!detail::to_double(detail::between(begin, p))) return detail::between(begin, p);
    } else {
      ++p;
    }
  }
  return detail::between(end, end);
}

std::string without_numbers_beyond_double(std::string const& json) {
  std::string out;
  char const* p = json.data();
  char const* const end = p + json.size();
  while (p != end) {
    std::string_view const number = number_beyond_double(p, end);
    out.append(p, number.data());
    p = number.data() + number.size();
    if (!number.empty()) out += "null";
  }
  return out;
}

Verdict invalid_input(Draft const&, detail::Source const&, Part const& part, Part& made) {
  auto const* call = std::get_if<ToolUse>(&part);
  if (!call) return Verdict::keep;
  std::optional<std::string> mended = detail::mended_json(call->input.str());
  if (!mended) return Verdict::keep;
  return replace_with(made, ToolUse{call->id, call->name, RawJsonAccess::trust(std::move(*mended)),
                                    call->signature, call->extra});
}

Verdict input_not_object(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* call = std::get_if<ToolUse>(&part);
  if (!call || call->input.is_object() || !draft.rules.object_inputs) return Verdict::keep;
  std::string object = call->input.is_null() ? "{}" : "{\"input\":" + call->input.str() + '}';
  return replace_with(
      made, ToolUse{call->id, call->name, RawJsonAccess::trust(std::move(object)), call->signature});
}

std::string fitting_name(detail::ProviderRules const& rules, std::string_view name) {
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  std::string fit(name);
  std::replace_if(
      fit.begin(), fit.end(),
      [&rules](char c) {
        return !detail::is_name_byte(c) && rules.name_extra.find(c) == std::string_view::npos;
      },
      '_');
  if (fit.empty()) fit = "unnamed";
  if (rules.name_starts_with_letter && !is_letter(fit.front())) fit.insert(fit.begin(), '_');
  return fit.substr(0, rules.name_limit);
}

Verdict tool_name(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* call = std::get_if<ToolUse>(&part);
  if (!call || draft.rules.name_limit == 0) return Verdict::keep;
  std::string name = fitting_name(draft.rules, call->name);
  if (name == call->name) return Verdict::keep;
  return replace_with(made, ToolUse{call->id, std::move(name), call->input, call->signature});
}

using detail::ImageFormats;

constexpr std::array<std::string_view, 4> web_image_types{"image/png", "image/jpeg", "image/gif",
                                                          "image/webp"};
constexpr std::array<std::string_view, 5> gemini_image_types{"image/png", "image/jpeg", "image/webp",
                                                             "image/heic", "image/heif"};

bool is_known_type(ImageFormats formats, std::string_view type) noexcept {
  auto const among = [type](auto const& types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  return formats == ImageFormats::gemini ? among(gemini_image_types) : among(web_image_types);
}

// The bytes of whole blocks, without what fills up the last; empty where the text is no base64.
std::string_view base64_digits(std::string_view data) noexcept {
  if (data.size() % 4 != 0) return {};
  for (int i = 0; i < 2 && !data.empty() && data.back() == '='; ++i) data.remove_suffix(1);
  return data;
}

bool is_base64(std::string_view data) noexcept {
  data = base64_digits(data);
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

bool is_sendable(ImageFormats formats, Image const& image) {
  bool const known = is_known_type(formats, real_image_type(image.media_type));
  if (auto const* data = std::get_if<Base64>(&image.source)) return known && is_base64(data->data);
  std::string const& url = std::get<Url>(image.source).url;
  if (formats == ImageFormats::gemini && (!known || url.compare(0, 8, "https://") != 0)) return false;
  return is_web_address(url);
}

bool is_as_it_should_be(Draft const& draft, Image const& image) {
  if (!draft.target.images) return false;
  if (draft.rules.images == ImageFormats::any) return true;
  return is_sendable(draft.rules.images, image) && real_image_type(image.media_type) == image.media_type;
}

template <class AnyPart> AnyPart mended_image(Draft const& draft, Image const& image) {
  if (!draft.target.images || !is_sendable(draft.rules.images, image))
    return Text{std::string(detail::no_image_text)};
  return Image{std::string(real_image_type(image.media_type)), image.source};
}

Verdict image_type(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* image = std::get_if<Image>(&part);
  if (!image || is_as_it_should_be(draft, *image)) return Verdict::keep;
  return replace_with(made, mended_image<Part>(draft, *image));
}

// White space is output too; among other pieces it would be a blank block, which providers refuse.
bool says_something(Text const& text, bool alone) {
  return alone ? !text.text.empty() : !detail::is_blank(text.text);
}

bool is_fit(Draft const& draft, ToolContent const& piece, bool alone) {
  if (auto const* text = std::get_if<Text>(&piece))
    return says_something(*text, alone) && detail::is_utf8(text->text);
  if (auto const* image = std::get_if<Image>(&piece)) return is_as_it_should_be(draft, *image);
  return false;
}

// What is unfit is mended where it can be, and otherwise leaves.
void append_fit(Draft const& draft, ToolContent const& piece, bool alone, std::vector<ToolContent>& out) {
  if (is_fit(draft, piece, alone)) {
    out.push_back(piece);
  } else if (auto const* text = std::get_if<Text>(&piece)) {
    if (says_something(*text, alone))
      out.emplace_back(Text{detail::replace_invalid(text->text), {}, text->extra});
  } else if (auto const* image = std::get_if<Image>(&piece)) {
    out.push_back(mended_image<ToolContent>(draft, *image));
  }
}

Verdict result_content(Draft const& draft, detail::Source const&, Part const& part, Part& made) {
  auto const* result = std::get_if<ToolResult>(&part);
  if (!result) return Verdict::keep;
  auto const& content = result->content;
  bool const alone = draft.rules.empty_results && content.size() == 1;
  auto const fits = [&](ToolContent const& piece) { return is_fit(draft, piece, alone); };
  if (std::all_of(content.begin(), content.end(), fits)) return Verdict::keep;
  ToolResult mended{result->tool_use_id, result->tool_name, {}, result->is_error, result->extra};
  for (ToolContent const& piece : content) append_fit(draft, piece, alone, mended.content);
  return replace_with(made, std::move(mended));
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

// Google's APIs read signatures as bytes, so they must be base64, of either alphabet.
bool is_gemini_signature(std::string_view signature) noexcept {
  std::string_view const data = base64_digits(signature);
  return !data.empty() && std::all_of(data.begin(), data.end(), [](char c) {
    return detail::is_name_byte(c) || c == '+' || c == '/';
  });
}

constexpr detail::ProviderRules make_anthropic_rules() noexcept {
  detail::ProviderRules rules;
  rules.api = "anthropic-messages";
  rules.vendor = "anthropic";
  rules.thinking = detail::ProviderRules::with_signature;
  rules.id_limit = 64;
  rules.name_limit = 128;
  rules.summary_in_system = true;
  rules.images = ImageFormats::web;
  rules.object_inputs = true;
  return rules;
}

constexpr detail::ProviderRules make_openai_rules() noexcept {
  detail::ProviderRules rules;
  rules.vendor = "openai";
  rules.name_limit = 64;
  rules.summary_in_system = true;
  rules.empty_results = false;
  rules.images = ImageFormats::web;
  rules.object_inputs = true;
  return rules;
}

constexpr detail::ProviderRules make_openai_chat_rules() noexcept {
  detail::ProviderRules rules = make_openai_rules();
  rules.api = "openai-completions";
  rules.thinking = detail::ProviderRules::never;
  rules.id_limit = 40;
  return rules;
}

constexpr detail::ProviderRules make_openai_responses_rules() noexcept {
  detail::ProviderRules rules = make_openai_rules();
  rules.api = "openai-responses";
  rules.thinking = detail::ProviderRules::with_signature;
  rules.signs_thinking = [](Thinking const& thinking) {
    return !thinking.redacted && detail::reasoning_item(thinking.signature).has_value();
  };
  rules.signs_text = [](std::string_view) { return true; };
  rules.reasoning_items = true;
  rules.id_limit = 64;
  rules.id_end = '|'; // pi writes the item's own id behind it
  return rules;
}

constexpr detail::ProviderRules make_gemini_rules() noexcept {
  detail::ProviderRules rules;
  rules.api = "google-generative-ai";
  rules.vendor = "google";
  rules.thinking = detail::ProviderRules::with_signature;
  rules.signs_thinking = [](Thinking const& thinking) {
    return !thinking.redacted && !detail::is_blank(thinking.text) && is_gemini_signature(thinking.signature);
  };
  rules.signs_text = is_gemini_signature;
  rules.signs_call = is_gemini_signature;
  rules.first_call_signed = true;
  rules.name_limit = 64;
  rules.name_extra = ".:";
  rules.name_starts_with_letter = true;
  rules.summary_in_system = true;
  rules.images = ImageFormats::gemini;
  rules.object_inputs = true;
  return rules;
}

constexpr detail::ProviderRules anthropic_rules = make_anthropic_rules();
constexpr detail::ProviderRules openai_chat_rules = make_openai_chat_rules();
constexpr detail::ProviderRules openai_responses_rules = make_openai_responses_rules();
constexpr detail::ProviderRules gemini_rules = make_gemini_rules();
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
  std::string operator()(Opaque const& opaque) const {
    return "part " + detail::brief(opaque.type.empty() ? opaque.body.str() : opaque.type);
  }
};

}

namespace detail {

// Outside of its strings JSON is ASCII, so mending bytes mends strings only.
std::optional<std::string> mended_json(std::string const& json) {
  char const* const end = json.data() + json.size();
  char const* lone = lone_surrogate_escape(json.data(), end);
  bool const utf8 = is_utf8(json);
  bool const readable = number_beyond_double(json.data(), end).empty();
  if (utf8 && readable && lone == end) return std::nullopt;
  std::string out = json;
  for (; lone != end; lone = lone_surrogate_escape(lone + 6, end))
    out.replace(static_cast<std::size_t>(lone - json.data()), 6, "\\ufffd");
  if (!utf8) out = replace_invalid(out);
  return readable ? out : without_numbers_beyond_double(out);
}

ProviderRules const& rules_of(Provider provider) noexcept {
  switch (provider) {
  case Provider::anthropic: return anthropic_rules;
  case Provider::openai_chat: return openai_chat_rules;
  case Provider::openai_responses: return openai_responses_rules;
  case Provider::gemini: return gemini_rules;
  case Provider::native: break;
  }
  return native_rules;
}

std::string brief(std::string_view text) {
  std::size_t const length = utf8_cut(text, brief_code_points);
  std::string cut(text.substr(0, length));
  return length < text.size() ? cut + "\xE2\x80\xA6" : cut;
}
std::string brief(Part const& part) {
  std::string words = std::visit(Brief{}, part);
  std::string members;
  each_extra(part,
             [&](RawJson const& extra) { members += members.empty() ? extra.str() : "," + extra.str(); });
  return members.empty() ? words : words + ' ' + brief(members);
}

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
