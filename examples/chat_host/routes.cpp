// SPDX-License-Identifier: MIT
#include "channel_logs.hpp"
#include "routes.hpp"
#include "views.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/search.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <regex>
#include <string_view>
#include <utility>

#include <httplib.h>

namespace chat_host {

namespace sk = sessionkit;
using httplib::Request;
using httplib::Response;

namespace {

constexpr std::size_t longest_page = 1000; // rows

void answer(Response& response, Json const& json) {
  response.set_content(sk::to_raw_json(json).str(), "application/json");
}

/// One authorised request.
struct Call {
  Request const& request;
  Response& response;
  Caller caller;
  Agents const& agents;
  Conversations* conversations = nullptr;    ///< null if the path names no agent
  std::optional<sk::SessionId> session = {}; ///< present if the path names one
  std::string body = {};
  std::optional<Prices> prices = {};

  /// A parameter of the URL; `otherwise` if it is missing or empty. 0 is allowed only if it means
  /// `otherwise`.
  sk::Result<std::size_t> number(char const* name, std::size_t otherwise) const {
    auto const text = request.get_param_value(name);
    if (text.empty()) return otherwise;
    std::size_t value = 0;
    auto const* const end = text.data() + text.size();
    auto const read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || (value == 0 && otherwise != 0))
      return sk::Error{sk::Errc::invalid_argument, 0, "'" + std::string(name) + "' is not a number above 0"};
    return value;
  }
  /// The requested number of rows, at most `longest_page`.
  sk::Result<std::size_t> limit() const {
    auto wanted = number("limit", 100);
    if (wanted) *wanted = std::min(*wanted, longest_page);
    return wanted;
  }
};

// Sends the events of a turn as server-sent events, from the `from`th on. A comment is sent during silence,
// so that a disconnected client is noticed.
void stream(Response& response, std::shared_ptr<TurnFeed const> feed, std::size_t from) {
  static constexpr std::chrono::seconds patience{5};
  response.set_header("X-Accel-Buffering", "no");
  response.set_chunked_content_provider(
      "text/event-stream",
      [feed = std::move(feed), from](std::size_t /*offset*/, httplib::DataSink& sink) mutable {
        auto const heard = feed->hear(from, patience);
        std::string text = heard.words.empty() ? ": nothing yet\n\n" : "";
        for (auto const& words : heard.words)
          text += "id: " + feed->name_of(from++) + "\ndata: " + words + "\n\n";
        if (!sink.write(text.data(), text.size())) return false;
        if (heard.over) sink.done();
        return true;
      });
}

sk::Result<void> chat(Call const& call) {
  auto request = parse_chat_request(call.body);
  if (!request) return request.error();
  if (auto const hint = sk::SessionId::parse(call.request.get_header_value("X-Session-ID")))
    request->session_hint = *hint;
  auto answering = call.conversations->chat(call.caller, std::move(*request));
  if (!answering) return answering.error();
  call.response.set_header("X-Session-ID", answering->session.str());
  stream(call.response, std::move(answering->feed), 0);
  return {};
}

sk::Result<void> retry(Call const& call) {
  auto const message = parse_entry(call.body);
  if (!message) return message.error();
  auto answering = call.conversations->answer_again(call.caller, *call.session, *message);
  if (!answering) return answering.error();
  stream(call.response, std::move(answering->feed), 0);
  return {};
}

sk::Result<void> choose_branch(Call const& call) {
  auto const wanted = parse_branch(call.body);
  if (!wanted) return wanted.error();
  auto const chosen = call.conversations->choose_branch(call.caller, *call.session, *wanted);
  if (!chosen) return chosen.error();
  call.response.status = 204;
  return {};
}

sk::Result<void> list(Call const& call) {
  auto const rows_wanted = call.limit();
  if (!rows_wanted) return rows_wanted.error();
  auto const offset = call.number("offset", 0);
  if (!offset) return offset.error();
  ListRequest wanted{*rows_wanted, call.request.get_param_value("cursor"),
                     call.request.get_param_value("search"), *offset};
  if (call.request.has_param("archived"))
    wanted.archived = call.request.get_param_value("archived") == "true";
  auto const page = call.conversations->list(call.caller, wanted);
  if (!page) return page.error();
  auto const limit = call.conversations->token_limit();
  Json rows = Json::array();
  for (auto const& info : page->sessions)
    rows.push_back(row_of(info, call.conversations->is_running(info.id)));
  answer(call.response, {{"sessions", std::move(rows)},
                         {"next", page->next.empty() ? Json() : Json(page->next)},
                         {"tokenLimit", limit ? Json(*limit) : Json()},
                         {"hasTrash", call.conversations->has_trash()}});
  return {};
}

sk::Result<void> search(Call const& call) {
  auto const limit = call.number("limit", 20);
  if (!limit) return limit.error();
  SearchRequest const wanted{call.request.get_param_value("q"), std::min(*limit, longest_page),
                             call.request.get_param_value("cursor")};
  if (wanted.text.empty()) return sk::Error{sk::Errc::invalid_argument, 0, "'q' is missing"};
  auto const page = call.conversations->search(call.caller, wanted);
  if (!page) return page.error();
  Json hits = Json::array();
  for (auto const& hit : page->hits) hits.push_back(hit_view(hit));
  answer(call.response,
         Json{{"hits", std::move(hits)}, {"next", page->next.empty() ? Json() : Json(page->next)}});
  return {};
}

sk::Result<void> restore(Call const& call) {
  auto const& id = *call.session;
  auto const info = call.conversations->restore(call.caller, id);
  if (!info) return info.error();
  answer(call.response, row_of(*info, false));
  return {};
}

sk::Result<void> agents(Call const& call) {
  Json rows = Json::array();
  for (auto const& [name, conversations] : call.agents)
    rows.push_back({{"id", name}, {"models", conversations->models()}, {"system", conversations->system()}});
  auto const& prices = call.prices;
  answer(call.response,
         Json{{"agents", std::move(rows)},
              {"prices", prices ? Json{{"input", prices->in}, {"output", prices->out}} : Json()}});
  return {};
}

sk::Result<void> export_log(Call const& call) {
  auto const log = call.conversations->export_log(call.caller, *call.session);
  if (!log) return log.error();
  call.response.set_header("Content-Disposition",
                           "attachment; filename=\"" + call.session->str() + ".jsonl\"");
  call.response.set_content(*log, "application/jsonl");
  return {};
}

sk::Result<void> import_log(Call const& call) {
  auto const info = call.conversations->import_log(call.caller, call.body);
  if (!info) return info.error();
  answer(call.response, row_of(*info, false));
  return {};
}

sk::Result<void> next_request(Call const& call) {
  auto const history = call.conversations->next_request(call.caller, *call.session);
  if (!history) return history.error();
  answer(call.response, request_view(*history));
  return {};
}

sk::Result<void> changes(Call const& call) {
  static constexpr std::chrono::seconds patience{25};
  auto const known = call.number("end", 0);
  if (!known) return known.error();
  auto const end =
      call.conversations->wait_for_change(call.caller, *call.session, sk::Position(*known), patience);
  if (!end) return end.error();
  answer(call.response, Json{{"end", end->value()}, {"changed", end->value() != *known}});
  return {};
}

sk::Result<void> history(Call const& call) {
  auto const& id = *call.session;
  auto const history = call.conversations->history(call.caller, id);
  if (!history) return history.error();
  auto view = row_of(history->info, history->running);
  view["waiting"] = call.conversations->waiting(id);
  view["damaged"] = history->info.damaged;
  view["canBranch"] = history->can_branch;
  view["end"] = history->info.end.value();
  view["usage"] = usage_view(history->info.usage);
  view["settings"] = {{"model", setting_in(history->info.state, "model")},
                      {"system", setting_in(history->info.state, "system")}};
  view["entries"] = talk_of(history->path, history->turn_begin, history->beside);
  answer(call.response, view);
  return {};
}

sk::Result<void> change(Call const& call) {
  auto const& id = *call.session;
  auto wanted = parse_row_change(call.body);
  if (!wanted) return wanted.error();
  auto const info = call.conversations->change(call.caller, id, std::move(*wanted));
  if (!info) return info.error();
  answer(call.response, row_of(*info, call.conversations->is_running(id)));
  return {};
}

sk::Result<void> remove(Call const& call) {
  auto const& id = *call.session;
  if (auto const removed = call.conversations->remove(call.caller, id); !removed) return removed.error();
  call.response.status = 204;
  return {};
}

sk::Result<void> listen(Call const& call) {
  auto const& id = *call.session;
  auto feed = call.conversations->listen(call.caller, id);
  if (!feed) return feed.error();
  call.response.status = 204; // which makes an EventSource stop reconnecting
  if (*feed == nullptr) return {};
  auto const from = (*feed)->position_behind(call.request.get_header_value("Last-Event-ID"));
  auto const heard = (*feed)->hear(from, {});
  if (heard.over && heard.words.empty()) return {}; // the caller has received all of it
  call.response.status = 200;
  stream(call.response, *std::move(feed), from);
  return {};
}

sk::Result<void> cancel(Call const& call) {
  auto const& id = *call.session;
  auto const cancelled = call.conversations->cancel(call.caller, id);
  if (!cancelled) return cancelled.error();
  answer(call.response, Json{{"cancelled", cancelled->has_value()}, {"dropped", cancelled->value_or(0)}});
  return {};
}

sk::Result<void> enqueue(Call const& call) {
  auto const& id = *call.session;
  auto request = parse_chat_request(call.body);
  if (!request) return request.error();
  if (request->session && request->session != id)
    return sk::Error{sk::Errc::invalid_argument, 0, "'sessionId' is not the session of the path"};
  auto const waiting = call.conversations->enqueue(call.caller, id, std::move(*request));
  if (!waiting) return waiting.error();
  call.response.status = 202;
  answer(call.response, Json{{"waiting", *waiting}});
  return {};
}

// The logs of all agents, for the administrator.
sk::Result<void> all_channels(Call const& call) {
  auto const agent = call.request.get_param_value("agent");
  auto const type = call.request.get_param_value("type");
  Json rows = Json::array();
  for (auto const& [name, conversations] : call.agents) {
    if (!agent.empty() && agent != name) continue;
    auto log = conversations->channels();
    if (!log && log.error().code == sk::Errc::not_found) continue;
    if (!log) return log.error();
    auto const channels = channels_view(*log, type);
    if (!channels) return channels.error();
    for (auto const& channel : *channels) {
      Json row{{"agentId", name}};
      row.update(channel);
      rows.push_back(std::move(row));
    }
  }
  answer(call.response, Json{{"channels", std::move(rows)}});
  return {};
}

sk::Result<void> channels(Call const& call) {
  auto log = call.conversations->channels();
  if (!log) return log.error();
  auto rows = channels_view(*log, call.request.get_param_value("type"));
  if (!rows) return rows.error();
  answer(call.response, Json{{"channels", std::move(*rows)}});
  return {};
}

sk::Result<void> channel(Call const& call) {
  auto log = call.conversations->channels();
  if (!log) return log.error();
  auto const named = channel_of(*call.session);
  if (!named) return sk::Error{sk::Errc::not_found, 0, "'" + call.session->str() + "' is not a channel"};
  auto const limit = call.limit();
  if (!limit) return limit.error();
  auto const from = call.number("from", 0);
  if (!from) return from.error();
  sk::ChannelQuery query;
  query.limit = *limit;
  if (*from != 0) query.from = sk::Position(*from);
  if (call.request.has_param("sender")) query.sender = call.request.get_param_value("sender");
  auto const page = channel_view(*log, *named, query);
  if (!page) return page.error();
  answer(call.response, *page);
  return {};
}

enum class For { everybody, admin };
struct Route {
  char const* method;
  char const* path; ///< the first group, if there is one, is the agent, the second a session
  For whom;
  sk::Result<void> (*act)(Call const&);
};
constexpr Route routes[] = {
    {"POST", "/api/agents/([^/]{1,128})/chat", For::everybody, chat},
    {"GET", "/api/agents/([^/]{1,128})/sessions", For::everybody, list},
    {"GET", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})", For::everybody, history},
    {"PATCH", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})", For::everybody, change},
    {"DELETE", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})", For::everybody, remove},
    {"GET", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/events", For::everybody, listen},
    {"POST", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/cancel", For::everybody, cancel},
    {"POST", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/queue", For::everybody, enqueue},
    {"POST", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/retry", For::everybody, retry},
    {"POST", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/branch", For::everybody, choose_branch},
    {"POST", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/restore", For::everybody, restore},
    {"GET", "/api/agents/([^/]{1,128})/search", For::everybody, search},
    {"POST", "/api/agents/([^/]{1,128})/import", For::everybody, import_log},
    {"GET", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/export", For::everybody, export_log},
    {"GET", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/request", For::everybody, next_request},
    {"GET", "/api/agents/([^/]{1,128})/sessions/([^/]{1,128})/changes", For::everybody, changes},
    {"GET", "/api/agents", For::everybody, agents},
    {"GET", "/api/convlogs", For::admin, all_channels},
    {"GET", "/api/agents/([^/]{1,128})/convlogs", For::admin, channels},
    {"GET", "/api/agents/([^/]{1,128})/convlogs/([^/]{1,128})", For::admin, channel},
};

struct KnownPath {
  std::string_view method;
  std::regex path;
};
template <std::size_t Count> std::vector<KnownPath> compile(Route const (&table)[Count]) {
  std::vector<KnownPath> known;
  for (auto const& route : table) known.push_back({route.method, std::regex(route.path)});
  return known;
}

std::vector<std::string_view> methods_of(std::string const& path, std::vector<KnownPath> const& known) {
  std::vector<std::string_view> methods;
  for (auto const& each : known)
    if (std::regex_match(path, each.path)) methods.push_back(each.method);
  return methods;
}

std::string joined(std::vector<std::string_view> const& words) {
  std::string text;
  for (auto const word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

bool has_body(Request const& request) {
  return request.has_header("Transfer-Encoding") || !request.get_header_value("Content-Length", 0).empty();
}

/// The reason to refuse a request before reading it; absent if it is read. A body that no route expects would
/// be read without a limit, and a body requested in many overlapping ranges would be sent many times.
std::optional<Problem> objection_to(Request const& request, std::vector<Credential> const& credentials,
                                    std::vector<KnownPath> const& known) {
  bool const reads = request.method == "GET" || request.method == "HEAD";
  if (request.has_header("Range")) return Problem{416, "ranges are not served"};
  if (request.path.compare(0, 5, "/api/") != 0)
    return reads && !has_body(request)
               ? std::nullopt
               : std::optional(Problem{405, "this page can only be read", {}, "GET, HEAD"});
  if (!authenticate(request.get_header_value("Authorization"), credentials))
    return Problem{401, "a bearer token is needed"};
  auto const methods = methods_of(request.path, known);
  if (methods.empty()) return Problem{404, "there is no such route"};
  if (std::find(methods.begin(), methods.end(), request.method) == methods.end())
    return Problem{405, "this method is not allowed here", {}, joined(methods)};
  bool const takes_body = request.method == "POST" || request.method == "PATCH";
  if (has_body(request) && !takes_body && request.get_header_value("Content-Length") != "0")
    return Problem{400, "no body is expected here"};
  // The HTTP library would parse it for a handler that does not exist here.
  if (sk::fold_case(request.get_header_value("Content-Type")).compare(0, 10, "multipart/") == 0)
    return Problem{415, "a body is JSON, not a form of several parts"};
  return std::nullopt;
}

struct Served {
  Agents const& agents;
  std::vector<Credential> const& credentials;
  std::optional<Prices> prices;
};

/// Answers one complete request.
void serve(Route const& route, Served const& served, Request const& request, Response& response,
           std::string body) {
  auto const& [agents, credentials, prices] = served;
  auto const caller = authenticate(request.get_header_value("Authorization"), credentials);
  if (!caller) return answer(response, Problem{401, "a bearer token is needed"});
  if (route.whom == For::admin && !caller->admin)
    return answer(response, Problem{403, "this is for the administrator"});
  Call call{request, response, *caller, agents, nullptr, {}, std::move(body), prices};
  if (request.matches.size() > 1) {
    auto const agent = agents.find(std::string(request.matches[1]));
    if (agent == agents.end()) return answer(response, Problem{404, "there is no such agent"});
    call.conversations = agent->second.get();
  }
  if (request.matches.size() > 2) {
    auto id = sk::SessionId::parse(std::string(request.matches[2]));
    if (!id) return answer(response, Problem{404, "this is not a valid id"});
    call.session = std::move(*id);
  }
  auto const done = route.act(call);
  if (!done) answer(response, problem_of(done.error()));
}

/// Returns false if the body is longer than `most`, or incomplete; `response` then has the error. The excess
/// is read and discarded, so that the client receives the error.
bool read_body(httplib::ContentReader const& read, std::size_t most, Response& response, std::string& body) {
  bool fits = true;
  std::size_t seen = 0;
  bool const whole = read([&](char const* data, std::size_t size) {
    seen += size;
    fits = seen <= most;
    if (fits) body.append(data, size);
    return seen <= 8 * most;
  });
  if (!fits || response.status == 413)
    answer(response, Problem{413, "a body has at most " + std::to_string(most) + " bytes"});
  else if (!whole)
    answer(response, Problem{400, "the body differs from its announced length"});
  return fits && whole;
}

}

void answer(Response& response, Problem const& problem) {
  response.status = problem.status;
  if (problem.status == 401) response.set_header("WWW-Authenticate", "Bearer");
  if (!problem.allow.empty()) response.set_header("Allow", problem.allow);
  if (problem.status == 503) response.set_header("Retry-After", "1");
  // The HTTP library would send ranges of a body, which are refused here.
  if (problem.status != 416) response.set_content(problem.body(), "application/problem+json");
}

void add_routes(httplib::Server& server, Agents const& agents, std::vector<Credential> const& credentials,
                std::size_t longest_body, std::optional<Prices> prices) {
  Served const served{agents, credentials, prices};
  server.set_pre_routing_handler(
      [&credentials, known = compile(routes)](Request const& request, Response& response) {
        auto const objection = objection_to(request, credentials, known);
        if (objection) answer(response, *objection);
        return objection ? httplib::Server::HandlerResponse::Handled
                         : httplib::Server::HandlerResponse::Unhandled;
      });
  for (auto const& route : routes) {
    auto const plain = [&route, served](Request const& request, Response& response) {
      serve(route, served, request, response, {});
    };
    auto const with_body = [&route, served, longest_body](Request const& request, Response& response,
                                                          httplib::ContentReader const& read) {
      std::string body;
      // A request without an announced body has none; the HTTP library would wait for the end of the
      // connection.
      if (!has_body(request) || read_body(read, longest_body, response, body))
        serve(route, served, request, response, std::move(body));
    };
    std::string_view const method = route.method;
    if (method == "GET") server.Get(route.path, plain);
    if (method == "DELETE") server.Delete(route.path, plain);
    if (method == "POST") server.Post(route.path, with_body);
    if (method == "PATCH") server.Patch(route.path, with_body);
  }
}

}
