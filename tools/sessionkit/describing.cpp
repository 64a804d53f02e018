// SPDX-License-Identifier: MIT
// info, path: the facts of a session or of the store, and where they are on the disk.
#include "records.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/version.hpp>

#include <fmt/format.h>

#include <common/text.hpp>
#include <filesystem>
#include <string>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

Json usage_of(sk::Usage const& usage) {
  return {{"input", usage.input},
          {"output", usage.output},
          {"cache_read", usage.cache_read},
          {"cache_write", usage.cache_write}};
}

Json facts_of(Named const& named) {
  auto const info = named.store->info(named.id).value();
  Json state = Json::object();
  for (auto const& [key, value] : info.state) state[key] = sk::to_nlohmann(value);
  Json facts = json_of(info);
  facts["title_by_person"] = info.title_by_person;
  facts["entries"] = info.entries;
  facts["dialect"] = named.store->read(named.id, {}).value().dialect;
  facts["path"] = or_null(named.path);
  facts["end"] = info.end.value();
  facts["usage"] = usage_of(info.usage);
  facts["state"] = std::move(state);
  return facts;
}

Json facts_of(Console& console, Arguments const& args) {
  auto const address = store_address(args);
  auto const store = open_existing_store(console, args);
  std::uint64_t sessions = 0, archived = 0, messages = 0, damaged = 0;
  for (auto const& info : sk::list_all(*store).value()) {
    ++(info.archived ? archived : sessions);
    messages += info.messages;
    damaged += info.damaged;
  }
  return {{"store", shown(address)}, {"engine", address.engine},     {"profile", store->profile().name},
          {"sessions", sessions},    {"archived", archived},         {"messages", messages},
          {"damaged", damaged},      {"version", SESSIONKIT_VERSION}};
}

/// The tokens of a session in words: "5.9k in, 5.8k out, 87.9k read from a cache".
std::string usage_in_words(Json const& usage) {
  std::string out;
  for (auto const& [name, words] : {std::pair{"input", " in"},
                                    {"output", " out"},
                                    {"cache_read", " read from a cache"},
                                    {"cache_write", " written to it"}})
    if (auto const tokens = usage[name].get<std::uint64_t>(); tokens != 0)
      out += (out.empty() ? "" : ", ") + short_number(tokens) + words;
  return out;
}

/// A fact as text; a null or empty fact is not shown.
std::string text_of(Json const& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() || value.empty() ? std::string() : sk::to_raw_json(value).str();
}

}

Exit info(Console& console, Arguments const& args) {
  auto const facts =
      args.session ? facts_of(find_session(console, args, *args.session)) : facts_of(console, args);
  if (console.json()) return console.document(args.session ? "info@1" : "store@1", facts), Exit::ok;
  std::vector<std::vector<std::string>> rows;
  for (auto const& [name, value] : facts.items())
    if (auto const text =
            console.pretty() && name == "usage" ? usage_in_words(value) : one_line(text_of(value));
        !text.empty())
      rows.push_back({name, text});
  console.table({"FACT", "VALUE"}, rows);
  if (console.pretty() && args.session)
    console.notice("what it cost: sessionkit stats " + shell_word(*args.session) + store_again(args));
  return Exit::ok;
}

Exit path(Console& console, Arguments const& args) {
  std::string where;
  if (args.session) {
    auto const place = find_place(console, args, *args.session);
    if (place.path.empty())
      throw Failure{Exit::usage, "unsupported",
                    fmt::format("'{}' has no file of its own: its store is '{}'", *args.session,
                                shown(store_address(args))),
                    "leave the session out for the store, or get a file: sessionkit export " + *args.session
                        + " --to jsonl -o FILE"};
    where = std::filesystem::absolute(place.path).lexically_normal().generic_string();
  } else {
    auto const address = store_address(args);
    where = address.is_files() ? std::filesystem::absolute(address.place).lexically_normal().generic_string()
                               : shown(address);
  }
  if (console.json())
    console.document("path@1", {{"path", where}});
  else
    console.content(where + "\n");
  return Exit::ok;
}

}
