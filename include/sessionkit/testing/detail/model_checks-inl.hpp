// SPDX-License-Identifier: MIT
// Compares random operations with a simple model of a store.
#pragma once
#include <sessionkit/testing/detail/model_checks.hpp>

#include <algorithm>
#include <map>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace model_checks_inl { namespace {

constexpr std::size_t model_operations = 50;

/// The contract once more, as plainly as possible: records in a vector, with ends learned from the store.
struct ModelLog {
  Records records;
  std::vector<Position> ends;
  Timestamp updated = {};
  std::string key;
};

struct ModelAnswer {
  bool ok = false;
  Errc code = Errc::not_found;
  std::size_t end = 0; ///< how many records are before the answered end
};

bool model_same(Record const& there, Record const& ours) {
  return there.id == ours.id && there.line == ours.line;
}

/// `expected`: how many records the caller expects; more than exist means a place beyond the end.
ModelAnswer model_append(ModelLog* log, std::size_t expected, Records const& batch, bool crc_holds) {
  if (log == nullptr || log->records.empty())
    return {expected == 0 && !batch.empty(), Errc::not_found, batch.size()};
  if (batch.empty()) return {true, {}, expected};
  if (expected > log->records.size() || (expected > 0 && !crc_holds)) return {false, Errc::conflict};
  auto const fail = [&](Errc code) {
    return ModelAnswer{false, expected == 0 ? Errc::already_exists : code};
  };
  std::size_t const size = log->records.size();
  for (std::size_t at = expected; at < size; ++at) {
    if (!model_same(log->records[at], batch[0])) continue;
    std::size_t n = 0;
    while (n < batch.size() && at + n < size && model_same(log->records[at + n], batch[n])) ++n;
    if (n == batch.size()) return {true, {}, at + n};
    if (at + n == size) {
      log->records.insert(log->records.end(), batch.begin() + static_cast<std::ptrdiff_t>(n), batch.end());
      return {true, {}, log->records.size()};
    }
    break;
  }
  for (std::size_t at = expected; at < size; ++at)
    for (Record const& ours : batch)
      if (!ours.id.empty() && ours.id == log->records[at].id && ours.line != log->records[at].line)
        return fail(Errc::already_exists);
  if (expected < size) return fail(Errc::conflict);
  log->records.insert(log->records.end(), batch.begin(), batch.end());
  return {true, {}, log->records.size()};
}

/// Random operations on a few sessions, each answer compared.
class ModelRun {
 public:
  ModelRun(Trial& t, std::size_t sequence) : t_(t), sequence_(sequence), store_(t.empty()) {}

  void run() {
    for (step_ = 0; step_ < model_operations; ++step_) {
      std::size_t const kind = t_.below(20);
      if (kind < 10)
        append();
      else if (kind < 13)
        read();
      else if (kind < 15)
        info();
      else if (kind < 17)
        list();
      else if (kind < 18)
        remove();
      else if (t_.claims(Claim::persistent))
        reopen();
    }
    for (auto const& [name, log] : logs_)
      expect_log(*store_, sid(name), log.records, where() + "at the end, " + name);
  }

 private:
  std::string where() const {
    return "sequence " + std::to_string(sequence_) + " of seed " + std::to_string(t_.options.seed) + ", step "
           + std::to_string(step_) + ": ";
  }
  std::string any_session() { return "s" + std::to_string(t_.below(4)); }
  ModelLog* find(std::string const& name) {
    auto const found = logs_.find(name);
    return found == logs_.end() ? nullptr : &found->second;
  }

  // Makes fresh lines, lines that are stored already, or some stored lines followed by fresh ones.
  Records any_batch(std::string const& name, ModelLog const* log, std::size_t& expected) {
    Records batch;
    std::size_t const size = log ? log->records.size() : 0;
    expected = size;
    std::size_t const how = t_.below(10);
    if (size > 0 && how < 4) { // from some place on: a repetition, perhaps in part
      expected = t_.below(size);
      std::size_t const begin = expected + (t_.below(4) == 0 ? t_.below(size - expected) : 0);
      std::size_t const count = 1 + t_.below(size - begin);
      auto const from = log->records.begin() + static_cast<std::ptrdiff_t>(begin);
      batch.assign(from, from + static_cast<std::ptrdiff_t>(count));
      if (t_.below(2) == 0) batch.push_back(t_.message("behind a part"));
      if (t_.dialect.has_ids && t_.below(6) == 0 && batch.back().id != name)
        batch.back() = t_.message("other bytes", batch.back().id);
      return batch;
    }
    if (how == 4) expected = t_.below(size + 3); // stale, or beyond
    if (size == 0 && expected == 0) batch.push_back(header(name));
    for (std::size_t n = t_.below(4); n > 0; --n) batch.push_back(t_.message("fresh"));
    if (batch.empty() && t_.below(8) != 0) batch.push_back(t_.message("alone"));
    return batch;
  }
  Record header(std::string const& name) {
    Header about;
    about.key = "main:cli:" + std::to_string(t_.below(2));
    return t_.header(sid(name), about);
  }

  void append() {
    std::string const name = any_session();
    ModelLog* log = find(name);
    std::size_t expected = 0;
    Records const batch = any_batch(name, log, expected);
    Append append = batch_of(batch, position(log, expected));
    append.durable = t_.below(4) == 0;
    bool crc_holds = true;
    if (log && expected > 0 && expected <= log->records.size() && t_.below(3) == 0 && !batch.empty()) {
      crc_holds = t_.below(4) != 0;
      append.expected_crc = crc_of(*log, expected) ^ (crc_holds ? 0U : 0x5A5A5A5AU);
    }
    ModelLog fresh;
    if (expected == 0 && !batch.empty() && !log) fresh.key = key_of(batch.front());
    std::size_t const before = log ? log->records.size() : 0;
    ModelAnswer answer = model_append(log, expected, batch, crc_holds);
    Result<Position> const got = store_->append(sid(name), append);
    std::string const what = where() + "append of " + std::to_string(batch.size()) + " to " + name + " of "
                             + std::to_string(before) + " records behind " + std::to_string(expected);
    if (!answer.ok) return t_.refused(got, answer.code, what);
    Position const end = t_.must(got, what);
    if (!log) {
      if (batch.empty()) Trial::refute(what + " succeeded");
      fresh.records = batch;
      log = &logs_.insert_or_assign(name, std::move(fresh)).first->second;
    }
    learn(name, *log);
    if (!batch.empty()) Trial::expect(end == position(log, answer.end), what + ": answers another end");
    if (log->records.size() > before) log->updated = time_of(name);
  }

  static Position position(ModelLog const* log, std::size_t count) {
    if (count == 0) return Position{};
    if (log && count <= log->ends.size()) return log->ends[count - 1];
    std::uint64_t const last = log && !log->ends.empty() ? log->ends.back().value() : 0;
    return Position{last + 1000 * count};
  }
  // The store chooses the ends, and they must not change.
  void learn(std::string const& name, ModelLog& log) {
    WholeLog const all = read_log(*store_, sid(name));
    std::string const wrong = difference(log.records, all);
    Trial::expect(wrong.empty(), where() + wrong);
    for (std::size_t i = 0; i < log.ends.size(); ++i)
      Trial::expect(log.ends[i] == all.ends[i], where() + "the end of an entry moved");
    log.ends = all.ends;
  }
  std::uint32_t crc_of(ModelLog const& log, std::size_t count) const {
    SessionInfo info = make_session_info(sid("x"));
    RecordPage::Item item;
    static_cast<RecordView&>(item) = log.records[count - 1].view();
    fold(info, item, t_.dialect.name);
    return info.end_crc;
  }
  std::string key_of(Record const& header) const {
    SessionInfo info = make_session_info(sid("x"));
    RecordPage::Item item;
    static_cast<RecordView&>(item) = header.view();
    fold(info, item, t_.dialect.name);
    return info.key;
  }
  Timestamp time_of(std::string const& name) { return folded(*store_, sid(name)).updated; }

  void read() {
    std::string const name = any_session();
    ModelLog const* const log = find(name);
    ReadRange range;
    range.order = t_.below(2) == 0 ? ReadRange::oldest_first : ReadRange::newest_first;
    range.max_records = 1 + t_.below(5);
    range.heads_only = t_.below(2) == 0;
    if (!log) return t_.refused(store_->read(sid(name), range), Errc::not_found, where() + "read of " + name);
    std::size_t const at = t_.below(log->records.size() + 1);
    bool const whole = t_.below(2) == 0;
    if (!whole) range.from = position(log, at);
    auto const middle = log->records.begin() + static_cast<std::ptrdiff_t>(at);
    Records const expected = whole                                    ? log->records
                             : range.order == ReadRange::oldest_first ? Records(middle, log->records.end())
                                                                      : Records(log->records.begin(), middle);
    WholeLog const got = read_log(*store_, sid(name), range);
    std::string const wrong = difference(expected, got);
    Trial::expect(wrong.empty(), where() + "read of " + name + ": " + wrong);
  }

  void info() {
    std::string const name = any_session();
    if (!find(name)) return t_.refused(store_->info(sid(name)), Errc::not_found, where() + "info of " + name);
    SessionInfo const got = t_.must(store_->info(sid(name)), where() + "info of " + name);
    std::string const wrong = difference(folded(*store_, sid(name)), got);
    Trial::expect(wrong.empty(), where() + "info of " + name + ": " + wrong);
  }

  void list() {
    ListQuery query;
    query.limit = 1 + t_.below(4);
    if (t_.below(2) == 0) query.key = "main:cli:" + std::to_string(t_.below(2));
    std::vector<std::pair<std::int64_t, std::string>> expected;
    for (auto const& [name, log] : logs_)
      if (!query.key || log.key == *query.key) expected.emplace_back(-to_unix_ms(log.updated), name);
    std::sort(expected.begin(), expected.end());
    std::vector<std::string> names;
    names.reserve(expected.size());
    for (auto const& [at, name] : expected) names.push_back(name);
    std::vector<std::string> const got = ids_of(list_checked(*store_, query));
    Trial::expect(got == names, where() + "listed " + joined(got) + " instead of " + joined(names));
  }

  void remove() {
    std::string const name = any_session();
    Result<void> const removed = store_->remove(sid(name));
    if (!find(name)) {
      Trial::expect(!removed && removed.error().code == Errc::not_found, where() + "remove of " + name);
      return;
    }
    t_.must(removed, where() + "remove of " + name);
    logs_.erase(name);
  }

  void reopen() {
    store_.reset();
    store_ = t_.again();
  }

  Trial& t_;
  std::size_t sequence_, step_ = 0;
  std::shared_ptr<SessionStore> store_;
  std::map<std::string, ModelLog> logs_;
};

void agrees_with_model(Trial& t) {
  for (std::size_t i = 0; i < t.options.sequences; ++i) ModelRun(t, i).run();
}

}}

void add_model_checks(std::vector<Check>& all) {
  all.push_back({{"agrees_with_a_model", Tier::contract,
                  "random sequences of operations answer as a model in memory does", Claim::none},
                 model_checks_inl::agrees_with_model});
}

}}}
