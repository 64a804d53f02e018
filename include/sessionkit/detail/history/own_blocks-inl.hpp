// SPDX-License-Identifier: MIT
// Recognises blocks that only one provider's API has, and prepares them for that API.
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/history/image_rules.hpp>
#include <sessionkit/detail/history/own_blocks.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/json_repair.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/json/whitespace.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace own_blocks_inl { namespace {

using detail::BlockPlace;
using detail::find_member;
using detail::json_kind;
using detail::JsonKind;

/// A kind of block: `members` are those that the API knows, those with `!` must be there and say something.
struct OwnBlock {
  Provider provider;
  BlockPlace place;
  std::string_view type;
  std::string_view members;
  bool (*fits)(std::string_view block) = nullptr; ///< what else must be true of it
};

std::string text_of(std::string_view object, std::string_view name) {
  std::string_view const raw = find_member(object, name);
  return json_kind(raw) == JsonKind::string ? detail::to_text(raw) : std::string{};
}

SESSIONKIT_SELDOM bool is_document(std::string_view block) {
  std::string_view const source = find_member(block, "source");
  if (json_kind(source) != JsonKind::object) return false;
  std::string const type = text_of(source, "type");
  if (type == "base64")
    return text_of(source, "media_type") == "application/pdf" && detail::is_base64(text_of(source, "data"));
  if (type == "text")
    return text_of(source, "media_type") == "text/plain" && !detail::is_blank(text_of(source, "data"));
  if (type == "url") return text_of(source, "url").compare(0, 8, "https://") == 0;
  if (type == "file") return !text_of(source, "file_id").empty();
  return type == "content" && find_member(source, "content").size() > 2;
}
bool is_input_file(std::string_view block) {
  return !text_of(block, "file_data").empty() || !text_of(block, "file_id").empty()
         || !text_of(block, "file_url").empty();
}
SESSIONKIT_SELDOM bool is_gemini_type(std::string_view type) {
  constexpr std::array<std::string_view, 9> begins{"image/png",  "image/jpeg", "image/webp",
                                                   "image/heic", "image/heif", "application/pdf",
                                                   "audio/",     "video/",     "text/"};
  return std::any_of(begins.begin(), begins.end(),
                     [type](std::string_view begin) { return type.substr(0, begin.size()) == begin; });
}
bool is_inline_data(std::string_view block) {
  std::string_view const data = find_member(block, "inlineData");
  return is_gemini_type(text_of(data, "mimeType")) && detail::is_base64(text_of(data, "data"));
}
bool is_file_data(std::string_view block) {
  std::string_view const data = find_member(block, "fileData");
  return is_gemini_type(text_of(data, "mimeType")) && text_of(data, "fileUri").compare(0, 8, "https://") == 0;
}
bool is_audio(std::string_view block) {
  std::string_view const audio = find_member(block, "input_audio");
  std::string const format = text_of(audio, "format");
  return (format == "wav" || format == "mp3") && detail::is_base64(text_of(audio, "data"));
}
bool has_server_id(std::string_view block) { return text_of(block, "id").compare(0, 9, "srvtoolu_") == 0; }

constexpr auto anthropic = Provider::anthropic;
constexpr auto chat = Provider::openai_chat;
constexpr auto responses = Provider::openai_responses;
constexpr auto gemini = Provider::gemini;
constexpr std::string_view answer_members = "tool_use_id! content! caller";

constexpr std::array<OwnBlock, 34> own_blocks{
    {{anthropic, BlockPlace::user, "document", "source! title context citations", is_document},
     {anthropic, BlockPlace::user, "search_result", "source! title! content! citations"},
     {anthropic, BlockPlace::user, "container_upload", "file_id!"},
     {anthropic, BlockPlace::result, "document", "source! title context citations", is_document},
     {anthropic, BlockPlace::result, "search_result", "source! title! content! citations"},
     {anthropic, BlockPlace::result, "tool_reference", "tool_name!"},
     {anthropic, BlockPlace::assistant, "server_tool_use", "id! name! input! caller", has_server_id},
     {anthropic, BlockPlace::assistant, "web_search_tool_result", answer_members},
     {anthropic, BlockPlace::assistant, "web_fetch_tool_result", answer_members},
     {anthropic, BlockPlace::assistant, "code_execution_tool_result", answer_members},
     {anthropic, BlockPlace::assistant, "bash_code_execution_tool_result", answer_members},
     {anthropic, BlockPlace::assistant, "text_editor_code_execution_tool_result", answer_members},
     {anthropic, BlockPlace::assistant, "tool_search_tool_result", answer_members},
     {anthropic, BlockPlace::assistant, "advisor_tool_result", answer_members},
     {anthropic, BlockPlace::assistant, "mcp_tool_use", "id! name! server_name! input!"},
     {anthropic, BlockPlace::assistant, "mcp_tool_result", "tool_use_id! content! is_error"},
     {anthropic, BlockPlace::assistant, "container_upload", "file_id!"},
     {chat, BlockPlace::user, "file", "file!"},
     {chat, BlockPlace::user, "input_audio", "input_audio!", is_audio},
     {chat, BlockPlace::assistant, "refusal", "refusal!"},
     {responses, BlockPlace::user, "input_file", "filename file_data file_id file_url", is_input_file},
     {responses, BlockPlace::result, "input_file", "filename file_data file_id file_url", is_input_file},
     {responses, BlockPlace::assistant, "refusal", "refusal!"},
     {responses, BlockPlace::assistant, "web_search_call", "id! status! action!"},
     {responses, BlockPlace::assistant, "file_search_call", "id! status! queries! results"},
     {responses, BlockPlace::assistant, "code_interpreter_call", "id! status! container_id! code! outputs!"},
     {responses, BlockPlace::assistant, "image_generation_call", "id! status! result!"},
     {responses, BlockPlace::assistant, "mcp_list_tools", "id! server_label! tools! error"},
     {responses, BlockPlace::assistant, "mcp_call", "id! server_label! name! arguments! output error status"},
     {gemini, BlockPlace::user, "inlineData", "inlineData!", is_inline_data},
     {gemini, BlockPlace::user, "fileData", "fileData!", is_file_data},
     {gemini, BlockPlace::assistant, "executableCode", "executableCode!"},
     {gemini, BlockPlace::assistant, "codeExecutionResult", "codeExecutionResult!"},
     {gemini, BlockPlace::assistant, "toolCall", "toolCall!"}}};

// Gemini's parts have no type: the member that says something is it.
std::string_view type_of(Opaque const& block) {
  if (!block.type.empty()) return block.type;
  for (OwnBlock const& known : own_blocks)
    if (known.provider == gemini && !find_member(block.body.str(), known.type).empty()) return known.type;
  return {};
}

bool says_something(std::string_view raw) noexcept {
  return !raw.empty() && raw != "null" && raw != "\"\"" && raw != "[]";
}

/// The members that are known, in the order of the table; empty if one is missing.
std::string known_members(std::string_view block, OwnBlock const& known) {
  std::string out = "{";
  auto const add = [&out](std::string_view name, std::string_view raw) {
    if (out.size() > 1) out += ',';
    (((out += '"') += name) += "\":") += raw;
  };
  if (known.provider != gemini) add("type", find_member(block, "type"));
  for (std::string_view rest = known.members; !rest.empty();) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    bool const must = name.back() == '!';
    if (must) name.remove_suffix(1);
    std::string_view const raw = find_member(block, name);
    if (must && !says_something(raw) && raw != "[]") return {};
    if (must && raw == "[]" && known.type == "search_result") return {};
    if (!raw.empty() && raw != "null") add(name, raw);
  }
  return out + '}';
}

bool is_use(std::string_view type) noexcept { return type == "server_tool_use" || type == "mcp_tool_use"; }
bool is_answer(std::string_view type) noexcept {
  constexpr std::string_view end = "_tool_result";
  return type.size() > end.size() && type.substr(type.size() - end.size()) == end;
}

// Of Anthropic's server tools within one message: each call is with its result.
class ServerTools {
 public:
  ServerTools(detail::Draft& draft, std::string_view name) : draft_(draft), name_(name) {}

  void run() {
    for (detail::Piece& piece : draft_.pieces) {
      if (!piece.part) continue;
      if (piece.slot == detail::Slot::user || piece.slot == detail::Slot::result) end_message();
      auto const* block = std::get_if<Opaque>(piece.part);
      if (!block || piece.slot != detail::Slot::said) continue;
      if (is_use(block->type)) use(piece, text_of(block->body.str(), "id"));
      if (is_answer(block->type)) answer(piece, text_of(block->body.str(), "tool_use_id"));
    }
    end_message();
  }

 private:
  void use(detail::Piece& piece, std::string id) {
    if (!taken_.insert(id).second) return mark(piece);
    open_[std::move(id)] = &piece;
  }
  void answer(detail::Piece& piece, std::string const& id) {
    if (open_.erase(id) == 0) mark(piece);
  }
  void end_message() {
    for (auto const& [id, piece] : open_) mark(*piece);
    open_.clear();
  }
  void mark(detail::Piece& piece) {
    auto const& block = std::get<Opaque>(*piece.part);
    std::string marker = detail::block_marker(block);
    draft_.note(draft_.entry_of(piece), name_, block.type, marker);
    piece.part = draft_.keep(Text{std::move(marker)});
  }

  detail::Draft& draft_;
  std::string_view name_;
  std::map<std::string, detail::Piece*> open_; // in an order that does not depend on the platform
  std::unordered_set<std::string> taken_;
};

}}

namespace detail {

SESSIONKIT_SELDOM std::optional<RawJson> own_block(Provider provider, BlockPlace place, Opaque const& block) {
  using namespace own_blocks_inl;
  if (!block.body.is_object()) return std::nullopt;
  std::string_view const type = type_of(block);
  for (OwnBlock const& known : own_blocks) {
    if (known.provider != provider || known.place != place || known.type != type) continue;
    std::string made = known_members(block.body.str(), known);
    if (made.empty() || (known.fits && !known.fits(made))) return std::nullopt;
    if (std::optional<std::string> repaired = repaired_json(made)) made = std::move(*repaired);
    if (std::optional<std::string> once = without_repeated_keys(made)) made = std::move(*once);
    return RawJsonAccess::trust(std::move(made));
  }
  return std::nullopt;
}

SESSIONKIT_SELDOM std::string block_marker(Opaque const& block) {
  using namespace own_blocks_inl;
  std::string_view const type = type_of(block);
  bool const known = is_answer(type)
                     || std::any_of(own_blocks.begin(), own_blocks.end(),
                                    [type](OwnBlock const& each) { return each.type == type; });
  bool const plain = known && type.size() <= 60 && std::all_of(type.begin(), type.end(), is_name_byte);
  return plain ? '[' + std::string(type) + " not sent]" : std::string{};
}

SESSIONKIT_SELDOM RawJson own_citations(RawJson const& extra) {
  std::string_view const raw = extra.is_object() ? find_member(extra.str(), "citations") : std::string_view{};
  if (json_kind(raw) != JsonKind::array || raw.size() < 3) return {};
  bool known = true;
  for_elements(raw, [&known](std::string_view each) {
    constexpr std::array<std::string_view, 5> types{"char_location", "page_location",
                                                    "content_block_location", "search_result_location",
                                                    "web_search_result_location"};
    std::string const type = own_blocks_inl::text_of(each, "type");
    known = std::find(types.begin(), types.end(), type) != types.end();
    return known;
  });
  if (!known) return {};
  std::string made = "{\"citations\":" + std::string(raw) + '}';
  std::optional<std::string> repaired = repaired_json(made);
  return RawJsonAccess::trust(repaired ? std::move(*repaired) : std::move(made));
}

SESSIONKIT_SELDOM std::string server_tool_id(Opaque const& block) {
  using namespace own_blocks_inl;
  if (is_use(block.type)) return text_of(block.body.str(), "id");
  return is_answer(block.type) ? text_of(block.body.str(), "tool_use_id") : std::string{};
}

SESSIONKIT_SELDOM void mark_unpaired_blocks(Draft& draft, std::string_view name) {
  if (draft.target.provider == Provider::anthropic) own_blocks_inl::ServerTools(draft, name).run();
}

}

}}
