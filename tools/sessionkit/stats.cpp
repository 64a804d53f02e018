// SPDX-License-Identifier: MIT
// stats: tokens and cost of conversations by day and model.
#include "naming.hpp"
#include "records.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/session_info.hpp>

#include <fmt/format.h>

#include <common/text.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

struct Sum {
  std::uint64_t answers = 0;
  sk::Usage usage = {};
  double cost = 0;

  void add(sk::Generation const& made, double price) {
    ++answers;
    if (made.usage) {
      usage.input += made.usage->input;
      usage.output += made.usage->output;
      usage.cache_read += made.usage->cache_read;
      usage.cache_write += made.usage->cache_write;
    }
    cost += price;
  }
};
using Key = std::tuple<std::string, std::string, std::string>; // day, provider, model

struct Stats {
  std::uint64_t sessions = 0, messages = 0, turns = 0, compactions = 0, tokens = 0, damaged = 0;
  std::map<Key, Sum> by;
  Sum total;
};

/// The price of an answer as pi recorded it, in dollars.
double cost_of(sk::Message const& message) {
  if (!message.metadata.is_object()) return 0;
  Json const metadata = sk::to_nlohmann(message.metadata);
  for (char const* const path : {"/usage/cost/total", "/cost"}) {
    Json::json_pointer const place(path);
    if (metadata.contains(place) && metadata[place].is_number()) return metadata[place].get<double>();
  }
  return 0;
}

/// Answers that a fork copied are counted in the original session. Answers of one request are counted once,
/// and so are copies after a compaction.
void count(Stats& stats, sk::SessionStore& store, sk::SessionId const& id) {
  auto const info = store.info(id).value();
  ++stats.sessions;
  stats.messages += info.messages;
  stats.turns += info.turns;
  stats.tokens += info.tokens.value_or(0);
  stats.damaged += info.damaged;
  std::set<std::string> requests;
  std::uint64_t place = 0;
  auto const again = written_again_in(store, id);
  for_each_record(store, id, [&, number = std::size_t{0}](Record const& record) mutable {
    auto const& entry = record.entry;
    bool const copied = number < again.size() && again[number];
    ++number;
    if (entry.as<sk::Header>() || ++place <= info.fold_state.copied || copied) return true;
    stats.compactions += entry.as<sk::Compaction>() != nullptr ? 1U : 0U;
    auto const* const message = entry.as<sk::Message>();
    if (message == nullptr || message->role != sk::Role::assistant) return true;
    auto const made = message->generation.value_or(sk::Generation{});
    if (!made.request_id.empty() && !requests.insert(made.request_id).second) return true;
    double const price = cost_of(*message);
    stats.by[{sk::to_rfc3339(entry.at).substr(0, 10), made.provider, made.model}].add(made, price);
    stats.total.add(made, price);
    return true;
  });
}

Json json_of(Sum const& sum) {
  return {{"answers", sum.answers},
          {"input", sum.usage.input},
          {"output", sum.usage.output},
          {"cache_read", sum.usage.cache_read},
          {"cache_write", sum.usage.cache_write},
          {"cost", sum.cost}};
}

std::vector<std::string> row_of(std::vector<std::string> row, Sum const& sum) {
  for (std::uint64_t const number :
       {sum.answers, sum.usage.input, sum.usage.output, sum.usage.cache_read, sum.usage.cache_write})
    row.push_back(fmt::format("{}", number));
  row.push_back(fmt::format("{:.4f}", sum.cost));
  return row;
}

Json document_of(Stats const& stats) {
  Json rows = Json::array();
  for (auto const& [key, sum] : stats.by) {
    Json row{{"day", std::get<0>(key)}, {"provider", std::get<1>(key)}, {"model", std::get<2>(key)}};
    row.update(json_of(sum));
    rows.push_back(std::move(row));
  }
  return {{"sessions", stats.sessions},
          {"messages", stats.messages},
          {"turns", stats.turns},
          {"tokens", stats.tokens},
          {"compactions", stats.compactions},
          {"damaged", stats.damaged},
          {"total", json_of(stats.total)},
          {"by", std::move(rows)}};
}

}

Exit stats(Console& console, Arguments const& given) {
  Arguments const args = with_foreign_store(given);
  Stats all;
  if (args.session) {
    auto const named = find_session(console, args, *args.session);
    count(all, *named.store, named.id);
  } else {
    auto const store = open_store(console, args).value();
    for (bool const archived : {false, true}) {
      sk::ListQuery query;
      query.archived = archived;
      for (auto const& info : sk::list_all(*store, query).value()) count(all, *store, info.id);
    }
  }
  if (console.json()) {
    console.document("stats@1", document_of(all));
    return Exit::ok;
  }
  std::vector<std::vector<std::string>> rows;
  for (auto const& [key, sum] : all.by)
    rows.push_back(row_of({std::get<0>(key), one_line(std::get<1>(key)), one_line(std::get<2>(key))}, sum));
  rows.push_back(row_of({"total", "", ""}, all.total));
  console.table(
      {"DAY", "PROVIDER", "MODEL", "ANSWERS", "INPUT", "OUTPUT", "CACHE_READ", "CACHE_WRITE", "COST"}, rows);
  console.notice(fmt::format("{}, {}, {}, {}, {} in context", plural(all.sessions, "session", "sessions"),
                             plural(all.messages, "message", "messages"), plural(all.turns, "turn", "turns"),
                             plural(all.compactions, "compaction", "compactions"),
                             plural(all.tokens, "token", "tokens")));
  return Exit::ok;
}

}
