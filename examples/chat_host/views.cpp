// SPDX-License-Identifier: MIT
#include "client_words.hpp"
#include "text.hpp"
#include "views.hpp"

#include <sessionkit/json.hpp>

#include <string>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

// The limit of a tool's result in the stream; the history has all of it.
constexpr std::size_t longest_result = 4000; // bytes

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

char const* name_of(sk::Role role) {
  switch (role) {
  case sk::Role::system: return "system";
  case sk::Role::user: return "user";
  case sk::Role::assistant: return "assistant";
  case sk::Role::tool: return "tool";
  }
  return "system";
}

Json image_view(sk::Image const& image) {
  std::string source;
  if (auto const* const data = std::get_if<sk::Base64>(&image.source))
    source = "data:" + image.media_type + ";base64," + data->data;
  else if (auto const* const address = std::get_if<sk::Url>(&image.source))
    source = address->url;
  else // by reference: this host keeps no bytes elsewhere
    return {{"type", "text"}, {"text", "[" + image.media_type + "]"}};
  return {{"type", "image"}, {"url", source}};
}

Json call_view(sk::ToolUse const& call) {
  return {
      {"type", "tool_call"}, {"id", call.id}, {"name", call.name}, {"input", sk::to_nlohmann(call.input)}};
}

Json result_view(sk::ToolResult const& result, std::string text) {
  return {{"type", "tool_result"},
          {"id", result.tool_use_id},
          {"name", result.tool_name},
          {"text", std::move(text)},
          {"isError", result.is_error}};
}

Json part_view(sk::Part const& part) {
  return std::visit(Overloaded{[](sk::Text const& it) -> Json {
                                 return {{"type", "text"}, {"text", it.text}};
                               },
                               [](sk::Thinking const& it) -> Json {
                                 return {{"type", "thinking"}, {"text", it.text}};
                               },
                               [](sk::Image const& it) { return image_view(it); },
                               [](sk::ToolUse const& it) { return call_view(it); },
                               [](sk::ToolResult const& it) { return result_view(it, it.text()); },
                               [](sk::Opaque const& it) -> Json {
                                 return {{"type", it.type}};
                               }},
                    part);
}

Json message_view(sk::Entry const& entry, sk::Message const& message) {
  Json content = Json::array();
  for (auto const& part : message.parts) content.push_back(part_view(part));
  Json view = {{"type", "message"},
               {"id", entry.id.str()},
               {"role", name_of(message.role)},
               {"content", std::move(content)},
               {"timestamp", sk::to_unix_ms(entry.at)}};
  auto const stop = message.generation ? message.generation->stop : sk::StopReason::unknown;
  if (stop == sk::StopReason::aborted) view["interrupted"] = true;
  if (stop == sk::StopReason::error) view["failed"] = true;
  return view;
}

Json compaction_view(sk::Entry const& entry, sk::Compaction const& compaction) {
  return {{"type", "compaction"},
          {"id", entry.id.str()},
          {"summary", compaction.summary},
          {"firstKeptEntryId", compaction.first_kept.str()},
          {"tokensBefore", compaction.tokens_before},
          {"tokensAfter", compaction.tokens_after ? Json(*compaction.tokens_after) : Json()},
          {"timestamp", sk::to_unix_ms(entry.at)}};
}

std::optional<Json> news(llm::Event const& event) {
  if (auto const* const text = std::get_if<llm::TextDelta>(&event))
    return Json{{"type", "text_delta"}, {"text", text->text}};
  if (auto const* const thinking = std::get_if<llm::ThinkingDelta>(&event))
    return Json{{"type", "thinking_delta"}, {"text", thinking->text}};
  if (auto const* const retry = std::get_if<llm::RetryWait>(&event))
    return Json{{"type", "retry"}, {"waitMs", retry->wait.count()}, {"why", for_client(*retry)}};
  return std::nullopt; // a call is reported when it is complete
}

std::optional<Json> news(agent::ToolStarted const& started) {
  auto call = call_view(*started.call);
  call.erase("type");
  return Json{{"type", "tool_call"}, {"tool_call", std::move(call)}};
}

std::optional<Json> news(agent::ToolEnded const& ended) {
  auto const& result = std::get<sk::ToolResult>(ended.result->parts.front());
  auto text = result.text();
  if (text.size() > longest_result) text = std::string(cut(text, longest_result)) + "…";
  return result_view(result, std::move(text));
}

std::optional<Json> news(agent::Compacted const& compacted) {
  return Json{{"type", "compaction"}, {"outcome", to_string(compacted.outcome)}};
}

std::optional<Json> news(agent::ViewCut const& cut) {
  return Json{{"type", "cut"}, {"messages", cut.messages}, {"results", cut.results}};
}

std::optional<Json> news(agent::RequestMade const&) { return std::nullopt; }
std::optional<Json> news(agent::AnswerEnded const&) { return std::nullopt; }

}

Json row_of(sk::SessionInfo const& info, bool running) {
  return {{"id", info.id.str()},
          {"agentId", info.agent},
          {"userId", info.user},
          {"title", info.display_title()},
          {"messageCount", info.messages},
          {"createdAt", sk::to_unix_ms(info.created)},
          {"lastAt", sk::to_unix_ms(info.updated)},
          {"tokenEstimate", info.tokens ? Json(*info.tokens) : Json()},
          {"archived", info.archived},
          {"running", running}};
}

Json usage_view(sk::Usage const& usage) {
  return {{"input", usage.input},
          {"output", usage.output},
          {"cacheRead", usage.cache_read},
          {"cacheWrite", usage.cache_write}};
}

Json request_view(sk::History const& history) {
  Json repairs = Json::array();
  for (auto const& repair : history.report)
    repairs.push_back({{"entry", repair.entry.str()},
                       {"rule", std::string(repair.rule)},
                       {"before", cut(repair.before, longest_result)},
                       {"after", cut(repair.after, longest_result)}});
  return {{"messages", history.messages.size()},
          {"tokens", history.tokens},
          {"compaction", history.compaction.empty() ? Json() : Json(history.compaction.str())},
          {"repairs", std::move(repairs)}};
}

Json hit_view(Hit const& hit) {
  return {{"sessionId", hit.info.id.str()},
          {"title", hit.info.display_title()},
          {"archived", hit.info.archived},
          {"entry", hit.entry.str()},
          {"role", name_of(hit.role)},
          {"timestamp", sk::to_unix_ms(hit.at)},
          {"before", hit.before},
          {"match", hit.match},
          {"after", hit.after}};
}

// Messages kept by a panel compaction are in its log twice.
Json talk_of(std::vector<sk::Entry> const& path, std::size_t turn_begin,
             std::map<sk::EntryId, std::vector<sk::EntryId>> const& beside) {
  auto const again = sk::written_again(path);
  Json talk = Json::array();
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (again[i]) continue;
    Json view;
    if (auto const* const message = path[i].as<sk::Message>()) view = message_view(path[i], *message);
    if (auto const* const compaction = path[i].as<sk::Compaction>())
      view = compaction_view(path[i], *compaction);
    if (view.is_null()) continue;
    if (i >= turn_begin) view["ofRunningTurn"] = true;
    if (auto const others = beside.find(path[i].id); others != beside.end())
      for (auto const& id : others->second) view["branches"].push_back(id.str());
    talk.push_back(std::move(view));
  }
  return talk;
}

std::optional<Json> news_of(agent::Event const& event) {
  return std::visit([](auto const& it) { return news(it); }, event);
}

Json session_news(sk::SessionId const& id, std::string const& message, bool stored) {
  return {{"type", "session"}, {"sessionId", id.str()}, {"message", message}, {"stored", stored}};
}

Json done_news(sk::SessionInfo const& info, std::string_view end, bool stored) {
  return {{"type", "done"},
          {"sessionId", info.id.str()},
          {"tokenEstimate", info.tokens ? Json(*info.tokens) : Json()},
          {"title", info.display_title()},
          {"end", end},
          {"stored", stored}};
}

Json left_out_news(std::string const& message) { return {{"type", "left_out"}, {"message", message}}; }

Json error_news(std::string const& message) { return {{"type", "error"}, {"error", message}}; }

}
