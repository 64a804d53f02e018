// SPDX-License-Identifier: MIT
// All providers, each with the checker of its rules.
#pragma once
#include "support/gemini_checks.hpp"
#include "support/provider_checks.hpp"
#include "support/responses_checks.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

struct EveryProvider {
  sk::Provider provider;
  char const* name;
  char const* model;
  Faults (*check)(Json const& messages);
};
inline std::array<EveryProvider, 6> const every_provider{
    {{sk::Provider::anthropic, "anthropic", "", [](Json const& all) { return anthropic::check(all, true); }},
     {sk::Provider::openai_chat, "openai-chat", "", [](Json const& all) { return openai::check(all); }},
     {sk::Provider::native, "native", "",
      [](Json const& all) { return all.is_array() ? Faults{} : Faults{"no array"}; }},
     {sk::Provider::openai_responses, "openai-responses", "",
      [](Json const& all) { return responses::check(all); }},
     {sk::Provider::gemini, "gemini", "", [](Json const& all) { return gemini::check(all, {}); }},
     {sk::Provider::gemini, "gemini of old", "gemini-2.5-pro", [](Json const& all) {
        return gemini::check(all, {true, true, true});
      }}}};

inline sk::Target target_of(EveryProvider const& each) {
  sk::Target target;
  target.provider = each.provider;
  target.model = each.model;
  return target;
}

/// The text with numbers beyond the greatest double as null, which nlohmann refuses to read.
inline std::string without_infinities(std::string const& text) {
  std::string out;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char const c = text[at];
    if (in_string && c == '\\') {
      out.append(text, at++, 2);
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || (c != '-' && (c < '0' || c > '9'))) {
      out += c;
      continue;
    }
    std::size_t const end = std::min(text.find_first_not_of("+-.eE0123456789", at), text.size());
    std::string const number = text.substr(at, end - at);
    out += std::isinf(std::strtod(number.c_str(), nullptr)) ? "null" : number;
    at = end - 1;
  }
  return out;
}

/// A history as JSON, read by an independent reader.
inline Json read_messages(std::string const& messages) {
  if (Json::accept(messages)) return Json::parse(messages);
  return Json::parse(without_infinities(messages), nullptr, false);
}

/// The faults in these requests, one for each of `every_provider`; empty if none.
inline Faults refused(std::vector<sk::RequestParts> const& requests) {
  Faults all;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EveryProvider const& each = every_provider[i];
    Json const messages = read_messages(requests[i].messages);
    Faults faults{"not JSON: " + requests[i].messages};
    if (!messages.is_discarded()) faults = messages == Json::array() ? Faults{} : each.check(messages);
    if (requests[i].system != "null" && !Json::accept(requests[i].system))
      faults.push_back("system is not JSON");
    for (std::string const& fault : faults) all.push_back(each.name + std::string(": ") + fault);
  }
  return all;
}

/// The same for the histories of a context.
inline Faults refusals(sk::Context const& context) {
  std::vector<sk::RequestParts> requests;
  for (EveryProvider const& each : every_provider) {
    sk::Target const target = target_of(each);
    requests.push_back(sk::encode(sk::HistoryRebuilder(target).rebuild(context), target));
  }
  return refused(requests);
}

}
