// SPDX-License-Identifier: MIT
// stats: tokens and cost of conversations by day, model and project.
#include "naming.hpp"
#include "records.hpp"
#include "watching.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/session_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <common/prices.hpp>
#include <common/text.hpp>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
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
  void add(Sum const& other) {
    answers += other.answers;
    usage.input += other.usage.input;
    usage.output += other.usage.output;
    usage.cache_read += other.usage.cache_read;
    usage.cache_write += other.usage.cache_write;
    cost += other.cost;
  }
  std::uint64_t tokens() const { return usage.input + usage.output + usage.cache_read + usage.cache_write; }
};
struct GroupKey {
  std::string day, provider, model;
  std::string project; ///< the working directory

  friend bool operator<(GroupKey const& a, GroupKey const& b) {
    return std::tie(a.day, a.provider, a.model, a.project) < std::tie(b.day, b.provider, b.model, b.project);
  }
};

struct Stats {
  std::uint64_t sessions = 0, messages = 0, turns = 0, compactions = 0, tokens = 0, damaged = 0;
  std::map<GroupKey, Sum> by;
  Sum total;
  std::optional<Prices> prices; ///< for answers without a recorded cost
};

/// The price of an answer as pi recorded it, in dollars.
double recorded_cost(sk::Message const& message) {
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
    double price = recorded_cost(*message);
    if (price == 0 && stats.prices && made.usage) price = cost_of(*made.usage, *stats.prices);
    stats.by[{sk::to_rfc3339(entry.at).substr(0, 10), made.provider, made.model, info.cwd}].add(made, price);
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
    Json row{{"day", key.day},
             {"provider", key.provider},
             {"model", key.model},
             {"project", or_null(key.project)}};
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

using NamedSum = std::pair<std::string, Sum>;

/// A bar of at most `width` columns for a share of the largest.
std::string bar(double share, std::size_t width, bool fancy) {
  auto const eighths = static_cast<std::size_t>(std::lround(share * static_cast<double>(width) * 8));
  std::string out;
  if (!fancy) return out.append(std::max<std::size_t>((eighths + 4) / 8, share > 0 ? 1 : 0), '#');
  constexpr char const* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + (eighths == 0 && share > 0 ? "▏" : parts[eighths % 8]);
}

/// What the bars of all charts show: cost if the log has any, else tokens.
double measure(Sum const& sum, Sum const& total) {
  return total.cost > 0 ? sum.cost : static_cast<double>(sum.tokens());
}

/// A chart: a bar and numbers for each name, aligned.
void chart(Console& console, char const* heading, std::vector<NamedSum> const& sums, Sum const& total) {
  std::size_t names = columns(heading), numbers = 0;
  double most = 0;
  std::vector<std::vector<std::string>> rows;
  for (auto const& [name, sum] : sums) {
    most = std::max(most, measure(sum, total));
    auto text = cut_front(one_line(name), std::max<std::size_t>(console.width() * 2 / 5, 12));
    if (!console.fancy() && text.compare(0, 3, "…") == 0) text.replace(0, 3, "..");
    names = std::max(names, columns(text));
    rows.push_back({text, fmt::format("{:>7}", sum.answers), fmt::format("{:>7}", short_number(sum.tokens())),
                    fmt::format("{:>9}", total.cost > 0 ? money(sum.cost) : "-")});
    numbers = 7 + 7 + 9 + 3 * 2;
  }
  std::vector<std::string> headings{heading, "ANSWERS", " TOKENS", "     COST"};
  std::size_t const used = names + numbers + 2;
  if (constexpr std::size_t least = 10, widest = 40; used + least <= console.width()) {
    std::size_t const width = std::min(console.width() - used, widest);
    headings.insert(headings.begin() + 1, total.cost > 0 ? "BY COST" : "BY TOKENS");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double const share = most > 0 ? measure(sums[i].second, total) / most : 0;
      rows[i].insert(rows[i].begin() + 1, bar(share, width, console.fancy()));
    }
  }
  console.table(headings, rows);
}

/// The largest first; the rest is one more.
std::vector<NamedSum> largest(std::map<std::string, Sum> const& by, Sum const& total, std::size_t most) {
  std::vector<NamedSum> all(by.begin(), by.end());
  std::stable_sort(all.begin(), all.end(), [&](auto const& a, auto const& b) {
    return measure(a.second, total) > measure(b.second, total);
  });
  if (all.size() <= most + 1) return all;
  NamedSum rest{fmt::format("{} others", all.size() - most), {}};
  for (auto one = all.begin() + static_cast<std::ptrdiff_t>(most); one != all.end(); ++one)
    rest.second.add(one->second);
  all.resize(most);
  all.push_back(std::move(rest));
  return all;
}

/// The newest days, and what was before them.
std::vector<NamedSum> newest(std::map<std::string, Sum> const& by, std::size_t most) {
  std::vector<NamedSum> all(by.begin(), by.end());
  if (all.size() <= most) return all;
  auto const first = all.end() - static_cast<std::ptrdiff_t>(most);
  NamedSum before{"before", {}};
  for (auto one = all.begin(); one != first; ++one) before.second.add(one->second);
  all.erase(all.begin(), first);
  all.insert(all.begin(), std::move(before));
  return all;
}

void write_charts(Console& console, Stats const& stats) {
  constexpr std::size_t most_days = 30, most_names = 10;
  std::map<std::string, Sum> days, models, projects;
  for (auto const& [key, sum] : stats.by) {
    days[key.day].add(sum);
    std::string const name = key.provider.empty() ? key.model : fmt::format("{}/{}", key.provider, key.model);
    models[key.model.empty() ? "(unknown)" : name].add(sum);
    projects[key.project.empty() ? "(none)" : key.project].add(sum);
  }
  if (stats.total.answers == 0) return;
  chart(console, "DAY", newest(days, most_days), stats.total);
  console.write("\n");
  chart(console, "MODEL", largest(models, stats.total, most_names), stats.total);
  console.write("\n");
  chart(console, "PROJECT", largest(projects, stats.total, most_names), stats.total);
  auto const& used = stats.total.usage;
  auto const all =
      fmt::format("All: {}, {} tokens in, {} out, {} read from a cache, {} written to it{}",
                  plural(stats.total.answers, "answer", "answers"), short_number(used.input),
                  short_number(used.output), short_number(used.cache_read), short_number(used.cache_write),
                  stats.total.cost > 0 ? ", " + money(stats.total.cost) : "");
  console.write("\n" + wrapped(all, 0, std::max<std::size_t>(console.width(), 20)) + "\n");
}

void write_rows(Console& console, Stats const& stats) {
  std::vector<std::vector<std::string>> rows;
  for (auto const& [key, sum] : stats.by) {
    rows.push_back(row_of({key.day, one_line(key.provider), one_line(key.model)}, sum));
    rows.back().push_back(one_line(key.project));
  }
  rows.push_back(row_of({"total", "", ""}, stats.total));
  rows.back().emplace_back();
  console.table({"DAY", "PROVIDER", "MODEL", "ANSWERS", "INPUT", "OUTPUT", "CACHE_READ", "CACHE_WRITE",
                 "COST", "PROJECT"},
                rows);
}

/// All sessions, archived ones too.
void count_all(Console& console, Stats& stats, sk::SessionStore& store) {
  auto const all = oldest_first(store);
  std::size_t begun = 0;
  for (auto const& info : all) {
    console.progress(begun++, all.size(), "sessions");
    count(stats, store, info.id);
  }
  console.progress(all.size(), all.size());
}

}

Exit stats(Console& console, Arguments const& given) {
  Arguments const args = with_foreign_store(given);
  Stats all;
  if (args.prices && !(all.prices = parse_prices(*args.prices)))
    throw Failure{Exit::usage, "usage", fmt::format("'{}' is not a pair of prices", *args.prices),
                  "give the dollars for a million tokens in, and out: --prices 3/15"};
  if (args.session) {
    auto const named = find_session(console, args, *args.session);
    count(all, *watched(console, named.store), named.id);
  } else {
    count_all(console, all, *watched(console, open_store(console, args).value()));
  }
  if (console.json()) {
    console.document("stats@1", document_of(all));
    return Exit::ok;
  }
  if (console.pretty())
    write_charts(console, all);
  else
    write_rows(console, all);
  console.notice(fmt::format("{}, {}, {}, {}, {} in context", plural(all.sessions, "session", "sessions"),
                             plural(all.messages, "message", "messages"), plural(all.turns, "turn", "turns"),
                             plural(all.compactions, "compaction", "compactions"),
                             plural(all.tokens, "token", "tokens")));
  if (all.total.answers != 0 && all.total.cost == 0 && !all.prices)
    console.notice("no cost is recorded; give the dollars for a million tokens in, and out: --prices 3/15");
  return Exit::ok;
}

}
