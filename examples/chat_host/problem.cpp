// SPDX-License-Identifier: MIT
#include "problem.hpp"

#include <sessionkit/json.hpp>

namespace chat_host {

namespace sk = sessionkit;

namespace {

struct Title {
  int status;
  char const* words;
};
constexpr Title titles[] = {
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {422, "Unprocessable Content"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
    {507, "Insufficient Storage"},
};

struct Status {
  sk::Errc code;
  int status;
};
constexpr Status statuses[] = {
    {sk::Errc::not_found, 404},        {sk::Errc::already_exists, 409}, {sk::Errc::conflict, 409},
    {sk::Errc::invalid_argument, 400}, {sk::Errc::unsupported, 422},    {sk::Errc::timed_out, 503},
    {sk::Errc::unavailable, 503},      {sk::Errc::no_space, 507},
};

}

std::string Problem::body() const {
  nlohmann::ordered_json json = {{"type", "about:blank"}};
  for (auto const& title : titles)
    if (title.status == status) json["title"] = title.words;
  json["status"] = status;
  json["detail"] = detail;
  if (!code.empty()) json["code"] = code;
  return sk::to_raw_json(json).str();
}

Problem problem_of(sk::Error const& error) {
  Problem problem{500, error.message, to_string(error.code)};
  for (auto const& known : statuses)
    if (known.code == error.code) problem.status = known.status;
  return problem;
}

}
