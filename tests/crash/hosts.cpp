// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>

#include <algorithm>
#include <ostream>
#include <set>

namespace sessionkit_test {

namespace {

std::string const root = "/home/store";
std::vector<std::string> const names{"a", "b"};

sk::SessionId id_of(std::string const& name) { return sk::SessionId::parse(name).value(); }

// Sizes that end inside, at and after sectors and pages.
std::string text_of(Random& random) {
  constexpr std::size_t sizes[] = {1, 40, 300, 512, 900, 3800, 4096, 9000};
  return std::string(sizes[random.below(std::size(sizes))] + random.below(64), 'x');
}

}

Verdict& Verdict::operator+=(Verdict const& o) {
  lost += o.lost;
  doubled += o.doubled;
  misplaced += o.misplaced;
  false_failure += o.false_failure;
  hidden += o.hidden;
  alien += o.alien;
  stuck += o.stuck;
  bad_index += o.bad_index;
  return *this;
}

std::ostream& operator<<(std::ostream& out, Verdict const& v) {
  return out << "lost " << v.lost << ", doubled " << v.doubled << ", misplaced " << v.misplaced
             << ", false failure " << v.false_failure << ", hidden " << v.hidden << ", alien " << v.alien
             << ", stuck " << v.stuck << ", bad index " << v.bad_index;
}

Activity& Activity::operator+=(Activity const& o) {
  acked += o.acked;
  durable += o.durable;
  cuts += o.cuts;
  kills += o.kills;
  sync_failures += o.sync_failures;
  refused += o.refused;
  torn += o.torn;
  doubts_settled += o.doubts_settled;
  return *this;
}

Hosts::Hosts(std::uint64_t seed, HostOptions options)
    : options_(options),
      disk_(seed),
      random_(seed * 2 + 1),
      hosts_(static_cast<std::size_t>(options.processes)) {
  for (Host& host : hosts_) boot(host);
}

Hosts::~Hosts() {
  for (Host& host : hosts_) shut(host);
}

// A new process; the store is opened when it is needed.
void Hosts::boot(Host& host) {
  shut(host);
  host.ends.clear();
  host.process = std::make_unique<ModelProcess>(disk_, next_process_++);
  host.weak = std::make_unique<WeakFileOps>(options_.weakness, *host.process);
  host.ops = std::make_unique<FaultyFileOps>(*host.weak);
  if (!options_.interleave || options_.processes < 2) return;
  host.ops->before = [this, &host](Call) {
    if (nested_ || host.process->dead() || !random_.one_in(24)) return;
    Host& other = hosts_[random_.below(hosts_.size())];
    if (&other == &host || !other.store) return;
    nested_ = true;
    append(other, names[random_.below(names.size())], false);
    nested_ = false;
  };
}

bool Hosts::open(Host& host) {
  if (host.store) return true;
  sk::FileStoreOptions options;
  options.durability = options_.durability;
  options.lock_wait = std::chrono::milliseconds{3};
  auto opened = sk::detail::open_file_store(*host.ops, root, options);
  if (opened) host.store = std::move(*opened);
  return host.store != nullptr;
}

// The process ends at once; its store must not write the index while it is destroyed.
void Hosts::shut(Host& host) {
  if (host.ops) host.ops->before = nullptr;
  if (host.process) host.process->die();
  host.store.reset();
}

void Hosts::run(int steps) {
  for (int i = 0; i < steps; ++i) step();
}

void Hosts::step() {
  Host& host = hosts_[random_.below(hosts_.size())];
  if (random_.one_in(7)) plan_death(host, random_.one_in(2));
  if (random_.one_in(20)) host.process->fail_next_sync();
  std::string const& name = names[random_.below(names.size())];
  if (open(host)) {
    switch (random_.below(12)) {
    case 0: (void)host.store->list({}); break;
    case 1: (void)host.store->info(id_of(name)); break;
    case 2: remove(host, name); break;
    default: append(host, name, random_.one_in(3));
    }
  }
  settle();
}

// One of the next calls is the last; a write among them may stop in the middle.
void Hosts::plan_death(Host& host, bool power) {
  std::int64_t const last = host.ops->calls() + static_cast<std::int64_t>(random_.below(24));
  auto const inner = host.ops->before;
  ModelProcess* const process = host.process.get();
  FaultyFileOps* const ops = host.ops.get();
  bool const in_write = random_.one_in(2);
  host.ops->before = [=](Call call) {
    if (ops->calls() >= last && !process->dead()) {
      if (in_write && call != Call::write) return;
      if (call == Call::write)
        process->die_in_next_write();
      else
        process->die();
      if (power) power_pending_ = true;
      return;
    }
    if (inner) inner(call);
  };
}

// Dead processes are started again; after a power cut, all of them.
void Hosts::settle() {
  bool died = false;
  for (Host& host : hosts_) died = died || host.process->dead();
  if (!died) return;
  if (power_pending_) {
    for (Host& host : hosts_) shut(host);
    disk_.cut_power();
    ++activity.cuts;
    power_was_cut();
  } else {
    ++activity.kills;
  }
  power_pending_ = false;
  for (Host& host : hosts_)
    if (host.process->dead()) boot(host);
  compare();
}

// The current end of the log, as a host finds it.
bool Hosts::look(Host& host, std::string const& name) {
  sk::ReadRange last;
  last.order = sk::ReadRange::newest_first;
  last.max_records = 1;
  auto const page = host.store->read(id_of(name), last);
  auto& [end, crc] = host.ends[name];
  end = {};
  crc.reset();
  if (!page) return page.error().code == sk::Errc::not_found;
  end = page->log_end;
  if (!page->items().empty()) crc = sk::detail::crc32c(page->items().front().line);
  return true;
}

void Hosts::append(Host& host, std::string const& name, bool durable) {
  Talk& talk = talks_[name];
  if (host.ends.find(name) == host.ends.end() && !look(host, name)) return;
  std::vector<std::string> lines;
  std::vector<std::size_t> batch;
  auto const draft = [&] {
    lines.clear();
    batch.clear();
    std::size_t const count = random_.one_in(3) ? 1 + random_.below(3) : 1;
    if (host.ends[name].first == sk::Position{})
      lines.push_back(header_line(name + std::to_string(next_entry_++)));
    for (std::size_t i = 0; i < count; ++i)
      lines.push_back(message_line("m" + std::to_string(next_entry_++), "", text_of(random_)));
    for (std::string const& line : lines) {
      batch.push_back(talk.lines.size());
      talk.lines.push_back(Line{line});
    }
  };
  draft();
  for (int tries = 0; tries < 6; ++tries) {
    auto const [end, crc] = host.ends[name];
    Batch made(lines, end, durable);
    made.append.expected_crc = random_.one_in(2) ? crc : std::nullopt;
    int const generation = talk.generation;
    auto const answer = host.store->append(id_of(name), made);
    if (host.process->dead()) return; // nobody heard the answer
    if (generation == talk.generation || !answer) note(host, talk, batch, answer, durable);
    if (answer) {
      host.ends[name] = {*answer, sk::detail::crc32c(lines.back())};
      return;
    }
    sk::Errc const code = answer.error().code;
    if (code == sk::Errc::poisoned) {
      ++activity.sync_failures;
      if (nested_) return;
      host.store.reset();                            // a new one is needed
      if (random_.one_in(2) && open(host)) continue; // and the same again
      host.ends.clear();
      (void)open(host);
      return;
    }
    if (code == sk::Errc::outcome_unknown) continue; // the same again
    if (nested_ || !look(host, name)) return;
    if (host.process->dead()) return;
    if (code == sk::Errc::conflict || code == sk::Errc::already_exists || code == sk::Errc::not_found)
      draft();
  }
}

void Hosts::note(Host& host, Talk& talk, std::vector<std::size_t> const& batch,
                 sk::Result<sk::Position> const& answer, bool durable) {
  bool const synced = options_.durability == sk::Durability::entry
                      || (options_.durability == sk::Durability::turn && durable);
  if (answer) {
    talk.started = true;
    std::uint64_t end = answer->value();
    for (auto each = batch.rbegin(); each != batch.rend(); ++each) {
      Line& line = talk.lines[*each];
      line.acked = true;
      line.refused = false;
      line.end = end;
      end = end > line.text.size() + 1 ? end - line.text.size() - 1 : 0;
      ++activity.acked;
    }
    int const process = host.process->process();
    if (synced) // a sync covers everything before it, except pages that a sync of another process may have
                // lost
      for (Line& line : talk.lines)
        if (line.acked && !line.removed && line.end <= answer->value()
            && (line.in_doubt.empty() || line.in_doubt == std::set<int>{process})) {
          activity.durable += line.durable ? 0 : 1;
          activity.doubts_settled += line.in_doubt.empty() ? 0 : 1;
          line.durable = true;
          line.in_doubt.clear();
        }
    return;
  }
  sk::Errc const code = answer.error().code;
  bool const says_nothing_stored = code == sk::Errc::not_written || code == sk::Errc::no_space
                                   || code == sk::Errc::timed_out || code == sk::Errc::conflict;
  for (std::size_t const each : batch)
    if (says_nothing_stored && !talk.lines[each].acked) talk.lines[each].refused = true;
  activity.refused += says_nothing_stored ? 1 : 0;
  if (code == sk::Errc::poisoned)
    for (Line& line : talk.lines)
      if (!line.durable) line.in_doubt.insert(host.process->process());
}

void Hosts::remove(Host& host, std::string const& name) {
  if (!random_.one_in(2)) return;
  Talk& talk = talks_[name];
  auto const answer = host.store->remove(id_of(name));
  if (host.process->dead()) { // done or not
    for (Line& line : talk.lines) line.acked = line.durable = false;
    ++talk.generation;
    return;
  }
  if (!answer && answer.error().code == sk::Errc::not_found) return;
  for (Line& line : talk.lines) {
    line.removed = answer.ok();
    line.acked = line.durable = false;
  }
  ++talk.generation;
  talk.started = false;
  host.ends.erase(name);
}

// Entries without a promise may be lost.
void Hosts::power_was_cut() {
  for (auto& [name, talk] : talks_) {
    auto const bytes = disk_.contents(root + "/" + name + ".jsonl");
    for (Line& line : talk.lines) {
      // An entry without its newline may still be lost when that page is written again.
      bool const stored_now = bytes && bytes->find(line.text + "\n") != std::string::npos;
      if (line.acked && !line.durable && !stored_now) line.acked = false;
      if (stored_now && line.acked) line.durable = true; // on the platter
    }
  }
}

void Hosts::compare() {
  Host reader;
  reader.process = std::make_unique<ModelProcess>(disk_, next_process_++);
  reader.weak = std::make_unique<WeakFileOps>(options_.weakness, *reader.process);
  sk::FileStoreOptions options;
  options.durability = sk::Durability::os;
  auto store = sk::detail::open_file_store(*reader.weak, root, options);
  if (!store) {
    ++verdict.stuck;
    return;
  }
  for (std::string const& name : names) compare(name, **store);
  auto const page = (*store)->list({});
  if (!page) ++verdict.bad_index;
  for (std::string const& name : names) {
    bool const expected = std::any_of(talks_[name].lines.begin(), talks_[name].lines.end(),
                                      [](Line const& line) { return line.acked; });
    bool const listed = page
                        && std::any_of(page->sessions.begin(), page->sessions.end(),
                                       [&](auto const& info) { return info.id.str() == name; });
    if (expected && !listed) ++verdict.bad_index;
  }
  if (page)
    for (sk::SessionInfo const& row : page->sessions) {
      auto const fresh = (*store)->info(row.id); // reads the transcript
      if (fresh && (fresh->end != row.end || fresh->messages != row.messages)) ++verdict.bad_index;
    }
  reader.process->die();
}

void Hosts::compare(std::string const& name, sk::SessionStore& store) {
  Talk& talk = talks_[name];
  std::string const bytes = disk_.contents(root + "/" + name + ".jsonl").value_or("");
  std::multiset<std::string> read;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store.read(id_of(name), range);
    if (!page) break;
    for (auto const& item : page->items())
      if (sk::detail::is_whole_object(item.line)) read.emplace(item.line);
    activity.torn += static_cast<std::int64_t>(page->damage.size());
    more = page->more;
    range.from = page->next;
  }
  std::set<std::string> known;
  std::vector<std::string> const whole = split_lines(bytes);
  for (Line const& line : talk.lines) {
    std::size_t const times = read.count(line.text);
    known.insert(line.text);
    if (times > 1) ++verdict.doubled;
    if (line.acked && times == 0) ++verdict.lost;
    if (line.refused && times > 0) ++verdict.false_failure;
    if (line.acked && line.end > 0) {
      std::size_t const size = line.text.size();
      auto const ends_at = [&](std::uint64_t end) {
        return end >= size && end <= bytes.size() && bytes.compare(end - size, size, line.text) == 0;
      };
      if (!ends_at(line.end - 1) && !ends_at(line.end)) ++verdict.misplaced;
    }
    bool const stored_now = std::find(whole.begin(), whole.end(), line.text) != whole.end();
    if (stored_now && times == 0) ++verdict.hidden;
  }
  for (std::string const& line : read)
    if (known.count(line) == 0) ++verdict.alien;
}

void Hosts::finish() {
  for (Host& host : hosts_) shut(host);
  disk_.cut_power();
  ++activity.cuts;
  power_pending_ = false;
  power_was_cut();
  compare();
  options_.interleave = false;
  options_.weakness = Weakness::none;
  for (Host& host : hosts_) boot(host);
  Host& host = hosts_.front();
  if (!open(host)) {
    ++verdict.stuck;
    return;
  }
  for (std::string const& name : names) {
    std::int64_t const before = activity.acked;
    append(host, name, true);
    verdict.stuck += activity.acked == before ? 1 : 0;
  }
  compare();
}

}
