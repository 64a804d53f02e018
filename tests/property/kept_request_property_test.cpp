// SPDX-License-Identifier: MIT
// A request that is made of a kept one has the bytes of a request made from nothing.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/every_provider.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"
#include "support/random_context.hpp"

#include <sessionkit/detail/history/long_context.hpp>
#include <sessionkit/detail/session/kept_request.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/server.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::Random;

namespace {

sk::Target random_target(Random& random) {
  auto const& each =
      sessionkit_test::every_provider[random.below(std::size(sessionkit_test::every_provider))];
  sk::Target target = sessionkit_test::target_of(each);
  if (random.one_in(3)) target.system = "be brief";
  if (random.one_in(4)) target.model = "m1";
  if (random.one_in(4)) target.images = false;
  auto const servers = sk::server_names();
  if (target.provider == sk::Provider::openai_chat && random.one_in(2))
    target.server = *sk::find_server(servers[random.below(servers.size())]);
  if (random.one_in(5)) target.consecutive_user = sk::ConsecutiveUser::join;
  if (random.one_in(5)) target.consecutive_user = sk::ConsecutiveUser::replace;
  static sk::Profile const profiles[] = {sk::profiles::native,   sk::profiles::ai_panel, sk::profiles::zyhive,
                                         sk::profiles::claw0,    sk::profiles::zeroclaw, sk::profiles::blades,
                                         sk::profiles::ephemeral};
  if (random.one_in(3)) target.wording = profiles[random.below(std::size(profiles))].wording;
  if (random.one_in(6)) target.wording.summary = sk::Wording::Summary::after_kept;
  if (random.one_in(8)) target.wording.sends_unanswered_calls = false;
  return target;
}

std::string joined(sk::RequestPieces const& pieces) { return std::string(pieces.kept) + pieces.added; }

// Other names than those of the contexts before and after.
void rename(sk::Entry& entry, std::string const& mark) {
  auto* message = std::get_if<sk::Message>(&entry.body);
  if (!message) return;
  for (sk::Part& part : message->parts) {
    if (auto* call = std::get_if<sk::ToolUse>(&part)) call->id += mark;
    if (auto* result = std::get_if<sk::ToolResult>(&part)) result->tool_use_id += mark;
    auto* thinking = std::get_if<sk::Thinking>(&part);
    std::size_t const at = thinking ? thinking->signature.find("rs_") : std::string::npos;
    if (at != std::string::npos) thinking->signature.insert(at + 3, mark);
  }
}

// Several contexts that no correct program would write, one after the other.
sk::Context long_context(Random& random) {
  sk::Context all;
  std::size_t const chapters = 2 + random.below(5);
  bool const names_differ = !random.one_in(6);
  for (std::size_t i = 0; i < chapters; ++i) {
    sk::Context made = sessionkit_test::ContextMaker(random.bits()).make().context;
    if (i == 0) all.compaction = made.compaction, all.after_compaction = made.after_compaction;
    std::size_t window = 0;
    for (sk::Entry& entry : made.entries) {
      if (random.one_in(7)) ++window;
      if (random.one_in(40)) entry.body = sk::assistant("done");
      if (names_differ) rename(entry, std::to_string(i) + 'w' + std::to_string(window));
      bool const is_system = entry.as<sk::Message>() && entry.as<sk::Message>()->role == sk::Role::system;
      if (is_system && !random.one_in(10)) continue; // after which nothing is kept
      all.entries.push_back(std::move(entry));
    }
    if (random.one_in(2)) {
      all.entries.emplace_back().body = sk::assistant("so it is " + std::to_string(i));
      all.entries.emplace_back().body = sk::user("go on");
    }
  }
  for (std::size_t i = 0; i < all.entries.size(); ++i)
    all.entries[i].id = sk::EntryId("e" + std::to_string(i));
  all.after_compaction = std::min(all.after_compaction, all.entries.size());
  return all;
}

// What a session does, without a log.
class Replay {
 public:
  Replay(sk::Context const& all, std::size_t limit) : all_(all), kept_(limit) {}

  std::string request(std::size_t size, std::size_t stored, sk::Target const& target) {
    if (kept_.is_for(target)) {
      sk::Context recent;
      recent.dialect = all_.dialect;
      recent.entries = kept_.recent().entries;
      std::size_t const known = recent.entries.size() + stored - seen_;
      add(recent, seen_, size);
      if (auto const made = kept_.add(std::move(recent), known)) return note(*made, stored);
      ++refused;
    }
    kept_.begin(target, {});
    sk::Context whole = first(size);
    if (auto const made = kept_.add(std::move(whole), stored)) return note(*made, stored);
    ++refused;
    kept_.drop();
    return from_nothing(size, target).messages;
  }
  // As for a long log: the first entries some at a time.
  std::string in_parts(std::size_t size, std::size_t stored, sk::Target const& target, Random& random) {
    kept_.begin(target, {{}, {}, {}, all_.dialect});
    std::size_t const older = random.below(stored + 1);
    for (std::size_t at = 0; at < older;) {
      sk::Context some;
      std::size_t const next = std::min(at + 1 + random.below(9), older);
      add(some, at, next);
      at = next;
      if (!kept_.add_older(std::move(some.entries), size * 100)) return ++refused, std::string{};
    }
    sk::Context rest;
    rest.dialect = all_.dialect;
    rest.entries = kept_.recent().entries;
    std::size_t const open = rest.entries.size();
    add(rest, older, size);
    auto const made = kept_.add(std::move(rest), open + stored - older);
    return made ? joined(*made) : (++refused, std::string{});
  }
  sk::RequestParts from_nothing(std::size_t size, sk::Target const& target) const {
    return sk::encode(sk::HistoryRebuilder(target).rebuild(first(size)), target);
  }

  std::size_t gone_on = 0, refused = 0;

 private:
  sk::Context first(std::size_t size) const {
    sk::Context context = all_;
    context.entries.resize(size);
    return context;
  }
  void add(sk::Context& context, std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) context.entries.push_back(all_.entries[i]);
  }
  std::string note(sk::RequestPieces const& made, std::size_t stored) {
    seen_ = stored;
    gone_on += made.kept.empty() ? 0U : 1U;
    return joined(made);
  }

  sk::Context const& all_;
  sk::detail::KeptRequest kept_;
  std::size_t seen_ = 0;
};

}

TEST_CASE("any context gives the same request in parts as from nothing") {
  std::size_t const seeds = sessionkit_test::cases(1500, 60000);
  std::size_t compared = 0, gone_on = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    sk::Context const all = long_context(random);
    sk::Target target = random_target(random);
    Replay replay(all, random.one_in(5) ? 2000 : std::size_t{1} << 20);
    std::size_t size = all.compaction ? all.after_compaction : 0, stored = size;
    while (size < all.entries.size()) {
      size = std::min(size + 1 + random.below(4), all.entries.size());
      std::size_t const held = random.one_in(3) ? random.below(3) : 0;
      if (random.one_in(30)) target = random_target(random);
      stored = std::max(stored, size - std::min(held, size));
      std::string const made = replay.request(size, stored, target);
      ++compared;
      if (made != replay.from_nothing(size, target).messages) {
        CAPTURE(size, static_cast<int>(target.provider));
        CHECK(made == replay.from_nothing(size, target).messages);
        return;
      }
    }
    gone_on += replay.gone_on, refused += replay.refused;
  }
  CHECK(gone_on > compared / 5);
  WARN(compared << " requests equal, " << gone_on << " of them with a kept part, " << refused << " refused");
}

TEST_CASE("any context without a compaction gives the same request if its first entries are added apart") {
  std::size_t const seeds = sessionkit_test::cases(1500, 60000);
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    sk::Context all = long_context(random);
    all.compaction.reset();
    all.after_compaction = 0;
    sk::Target const target = random_target(random);
    Replay replay(all, random.one_in(2) ? 0 : std::size_t{1} << 20);
    std::size_t const size = all.entries.size();
    std::string const made = replay.in_parts(size, size - std::min(random.below(3), size), target, random);
    refused += replay.refused;
    if (replay.refused == 0) REQUIRE(made == replay.from_nothing(size, target).messages);
  }
  CHECK(seeds - refused > seeds / 8);
  WARN(seeds << " requests, " << refused << " refused");
}

namespace {

// A host that does anything, in any order. Some of it is refused.
class AnyHost {
 public:
  explicit AnyHost(std::uint64_t seed) : random_(seed), target_(random_target(random_)) {
    static sk::Profile const profiles[] = {
        sk::profiles::native, sk::profiles::native,   sk::profiles::ai_panel, sk::profiles::zyhive,
        sk::profiles::claw0,  sk::profiles::zeroclaw, sk::profiles::blades,   sk::profiles::ephemeral};
    options_.profile = profiles[random_.below(std::size(profiles))];
    options_.ids = [this] { return "e" + std::to_string(++ids_); };
    options_.clock = [this] { return sk::from_unix_ms(1767225600000 + ++ids_); };
    options_.on_conflict = random_.one_in(2) ? sk::OnConflict::rebase : sk::OnConflict::fork;
    if (random_.one_in(8)) options_.kept_request = random_.one_in(2) ? 0 : 1500;
    if (random_.one_in(12))
      store_ = sk::open_file_store(dir_.emplace().path()).value();
    else
      store_ = sk::make_memory_store();
    session_.emplace(sk::Session::create(store_, {}, options_).value());
  }

  // False if a request differs.
  bool run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      act();
      if (random_.one_in(25)) target_ = random_target(random_);
      if (random_.one_in(3)) continue;
      sk::Target target = target_;
      if (random_.one_in(20)) target.policies.emplace_back(sk::TurnLimit{1 + random_.below(3)});
      if (random_.one_in(20)) target.mode = sk::RebuildMode::faithful;
      if (!is_same(target)) return false;
    }
    return true;
  }

  std::size_t compared = 0, gone_on = 0, in_parts = 0;
  std::string differs;

 private:
  bool is_same(sk::Target const& target) {
    auto const history = session_->history(target);
    auto const pieces = session_->request_pieces(target);
    if (history.ok() != pieces.ok()) return differs = "one is an error", false;
    if (!pieces) return true;
    sk::RequestParts const expected = sk::encode(*history, target);
    ++compared;
    gone_on += pieces->kept.empty() ? 0U : 1U;
    std::string const made = joined(*pieces);
    sk::RequestParts const again = session_->request(target).value();
    bool const same_flags = pieces->reasoning_must_be_off == history->reasoning_must_be_off
                            && again.reasoning_must_be_off == history->reasoning_must_be_off;
    if (!reads_the_same_in_parts()) return differs = "a context read in parts", false;
    if (made == expected.messages && pieces->system == expected.system && again.messages == made
        && again.system == expected.system && same_flags)
      return true;
    differs = expected.system + expected.messages + "\n\n" + pieces->system + made + "\n\n" + again.messages;
    return false;
  }

  bool reads_the_same_in_parts() {
    auto const path = session_->path();
    if (!path || path->empty()) return true;
    auto const all = sk::load_context(*store_, session_->id());
    auto const newest = sk::detail::load_newest(*store_, session_->id(), {},
                                                1 + random_.below(random_.one_in(2) ? 3000 : 300));
    if (!all || !newest) return all.ok() == newest.ok();
    std::vector<sk::Entry> entries;
    bool const whole =
        sk::detail::read_older(*store_, session_->id(), *newest, [&](std::vector<sk::Entry> some) {
          std::move(some.begin(), some.end(), std::back_inserter(entries));
          return true;
        }).value();
    in_parts += newest->older.empty() ? 0U : 1U;
    auto const same = [](sk::Entry const& a, sk::Entry const& b) {
      return a.id == b.id && a.body.index() == b.body.index();
    };
    auto const& last = newest->newest.entries;
    return whole && entries.size() == newest->older.size()
           && entries.size() + last.size() == all->entries.size()
           && std::equal(entries.begin(), entries.end(), all->entries.begin(), same)
           && std::equal(last.begin(), last.end(),
                         all->entries.end() - static_cast<std::ptrdiff_t>(last.size()), same)
           && newest->newest.compaction.has_value() == all->compaction.has_value();
  }

  void act() {
    switch (random_.below(24)) {
    case 0: return strange();
    case 1: return other_writer();
    case 2: return static_cast<void>(session_->refresh().ok());
    case 3: return back();
    case 4: return reopen();
    case 5: return static_cast<void>(session_->set_title("t" + std::to_string(++marks_)).ok());
    case 6: return compact();
    case 7: return turn();
    case 8: return say(sk::user(text("also")));
    case 9: return static_cast<void>(session_->end_turn().ok());
    case 10: return note();
    default: return answer();
    }
  }

  std::string text(char const* words) {
    return words + std::to_string(++marks_) + (random_.one_in(4) ? "\n" : "");
  }
  void say(sk::Message const& message) { static_cast<void>(session_->append(message).ok()); }

  // One exchange, or the next step of it.
  void answer() {
    if (calls_.empty()) {
      if (random_.one_in(3)) return say(sk::assistant(text("so ")));
      if (!random_.one_in(3)) say(sk::user(text("ask ")));
      sk::Message message = sk::assistant();
      if (random_.one_in(3)) message.parts.emplace_back(thought());
      if (random_.one_in(2)) message.parts.emplace_back(sk::Text{text("look ")});
      for (std::size_t i = 1 + random_.below(2); i > 0; --i) {
        bool const again = random_.one_in(20);
        std::string const id =
            again ? "call" : "call" + std::to_string(++marks_) + (random_.one_in(8) ? "|x" : "");
        calls_.push_back(sk::ToolUse{id, "read", sk::RawJson::from("{}")});
        message.parts.emplace_back(calls_.back());
      }
      if (random_.one_in(2)) message.generation = sk::Generation{"openai", "m1"};
      if (random_.one_in(15)) message.generation.emplace().stop = sk::StopReason::aborted;
      return say(message);
    }
    if (random_.one_in(12)) return calls_.clear(); // which leaves calls without results
    sk::ToolResult result{calls_.front().id, "read", {sk::Text{text("found ")}}, random_.one_in(8)};
    if (random_.one_in(8)) result.content.emplace_back(sk::Image{"image/png", sk::Base64{"QUJD"}});
    if (random_.one_in(15)) late_ = result;
    calls_.erase(calls_.begin());
    say(sk::tool_results({std::move(result)}));
    if (late_ && random_.one_in(6)) say(sk::tool_results({*std::exchange(late_, std::nullopt)}));
  }
  sk::Thinking thought() {
    if (target_.provider != sk::Provider::openai_responses) return {text("hm "), "c2ln"};
    return {text("hm "), R"({"type":"reasoning","summary":[],"encrypted_content":"g","id":"rs_)"
                             + std::to_string(++marks_ % 50) + "\"}"};
  }

  void strange() {
    sk::Context made = sessionkit_test::ContextMaker(random_.bits()).make().context;
    std::size_t count = random_.below(5);
    for (sk::Entry& entry : made.entries) {
      if (count-- == 0) return;
      if (!random_.one_in(4)) rename(entry, std::to_string(++marks_));
      if (auto const* message = entry.as<sk::Message>())
        say(*message);
      else
        static_cast<void>(session_->append_entry(entry.body).ok());
    }
  }
  void note() {
    static_cast<void>(session_->append_entry(sk::CustomMessage{"note", {sk::Text{text("note ")}}}).ok());
  }
  void other_writer() {
    auto other = sk::Session::open(store_, session_->id(), options_);
    if (!other) return; // the profile stores nothing
    static_cast<void>(other->append(sk::user(text("other "))).ok());
    if (random_.one_in(2)) static_cast<void>(other->append(sk::assistant(text("said "))).ok());
  }
  void back() {
    auto const path = session_->path();
    if (!path || path->empty()) return;
    auto const at = random_.one_in(2) ? path->size() - 1 : random_.below(path->size());
    static_cast<void>(session_->rewind((*path)[at].id).ok());
  }
  void reopen() {
    if (options_.profile->timing == sk::WriteTiming::never || !random_.one_in(4)) return;
    session_.emplace(sk::Session::open(store_, session_->id(), options_).value());
  }
  void compact() {
    auto const path = session_->path();
    if (!path || path->size() < 4 || !random_.one_in(3)) return;
    std::size_t const keep = path->size() - 1 - random_.below(3);
    static_cast<void>(session_->append_entry(sk::Compaction{text("so far "), (*path)[keep].id}).ok());
  }
  void turn() {
    sk::Turn turn = session_->begin_turn();
    for (std::size_t i = random_.below(6); i > 0; --i) {
      if (random_.one_in(2))
        static_cast<void>(turn.append(sk::user(text("in "))).ok());
      else
        static_cast<void>(turn.append(sk::assistant(text("out "))).ok());
      if (random_.one_in(2)) answer();
      if (random_.one_in(2) && !is_same(target_)) return;
    }
    if (random_.one_in(3)) return static_cast<void>(turn.abort().ok());
    static_cast<void>(turn.commit().ok());
  }

  Random random_;
  sk::Target target_;
  sk::SessionOptions options_;
  std::optional<sessionkit_test::TempDir> dir_;
  std::shared_ptr<sk::SessionStore> store_;
  std::optional<sk::Session> session_;
  std::vector<sk::ToolUse> calls_;
  std::optional<sk::ToolResult> late_;
  int marks_ = 0, ids_ = 0;
};

}

TEST_CASE("each request of a random session is the one made from nothing") {
  std::size_t const seeds = sessionkit_test::cases(400, 20000);
  std::size_t compared = 0, gone_on = 0, in_parts = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    AnyHost host(seed);
    bool const same = host.run(60);
    if (!same || !host.differs.empty()) FAIL(host.differs);
    compared += host.compared, gone_on += host.gone_on, in_parts += host.in_parts;
  }
  CHECK(gone_on > compared / 5);
  CHECK(in_parts > compared / 10);
  WARN(compared << " requests equal, " << gone_on << " of them with a kept part");
}
