// SPDX-License-Identifier: MIT
// A host for tests that remove the disk under it.
//   crash_writer write DIR PREFIX os|turn|entry COUNT [WEAKNESS]
// appends COUNT entries to session "talk" and prints a line when each is acknowledged: WROTE ID, and
// ACK ID when it is also durable; ERR CODE ERRNO when it is refused. Gives up after a few refusals.
//   crash_writer converse DIR
// stores a few turns in session "chat" and ends its file just before the end of a page: ACK ID of each.
//   crash_writer compact DIR
// compacts session "chat": ACK ID of the compaction, or ERR.
//   crash_writer read DIR
// prints ENTRY ID for each entry of each session it lists, DAMAGE for each piece of damage, and COMPACTION ID
// for the one that the model sees.
#include "weak_file_ops.hpp"
#include "writers.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/session.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace sessionkit_test;

namespace {

Weakness weakness_of(std::string const& name) {
  for (int i = 0; i < static_cast<int>(Weakness::count); ++i)
    if (name == name_of(static_cast<Weakness>(i))) return static_cast<Weakness>(i);
  return Weakness::none;
}

int refused(sk::Error const& error) {
  say(1, std::string("ERR ") + sk::to_string(error.code) + " " + std::to_string(error.system));
  return 1;
}

int write_entries(std::vector<std::string> const& args) {
  WeakFileOps ops(args.size() > 6 ? weakness_of(args[6]) : Weakness::none);
  sk::FileStoreOptions options;
  options.durability = args[4] == "entry"  ? sk::Durability::entry
                       : args[4] == "turn" ? sk::Durability::turn
                                           : sk::Durability::os;
  auto store = sk::detail::open_file_store(ops, args[2], options);
  if (!store) return refused(store.error());
  SharedWriter talk(**store, "talk");
  std::vector<std::string> turn;
  int refusals = 0;
  for (int i = 0; i < std::atoi(args[5].c_str()) && refusals < 3; ++i) {
    std::string const id = args[3] + "-" + std::to_string(i);
    bool const ends_turn = i % 4 == 3;
    auto const done = talk.append(id, std::string(static_cast<std::size_t>(i * 37 % 700), 'x'), ends_turn);
    if (!done) {
      refusals += refused(done.error());
      continue;
    }
    refusals = 0;
    say(1, "WROTE " + id);
    turn.push_back(id);
    if (options.durability == sk::Durability::os
        || (options.durability == sk::Durability::turn && !ends_turn))
      continue;
    for (std::string const& one : turn) say(1, "ACK " + one);
    turn.clear();
  }
  return refusals == 0 ? 0 : 1;
}

int converse(std::string const& directory) {
  auto const store = sk::open_file_store(directory);
  if (!store) return refused(store.error());
  sk::NewSession about;
  about.id = sk::SessionId::parse("chat").value();
  auto session = sk::Session::create(*store, about);
  if (!session) return refused(session.error());
  auto const size = [&] { return std::filesystem::file_size(sk::transcript_path(**store, *about.id)); };
  std::size_t const usual = 300, page = 4096, left = 64;
  std::size_t letters = usual;
  for (int i = 0; i < 10; ++i) {
    std::size_t const before = size();
    auto const done = session->append(sk::user(std::string(letters, 'u')));
    if (!done) return refused(done.error());
    say(1, "ACK " + done->str());
    std::size_t const frame = size() - before - letters;
    if (i == 8) letters = 2 * page - left - (size() + frame) % page;
  }
  return session->end_turn() ? 0 : 1;
}

int compact(std::string const& directory) {
  auto const store = sk::open_file_store(directory);
  if (!store) return refused(store.error());
  auto session = sk::Session::open(*store, sk::SessionId::parse("chat").value());
  if (!session) return refused(session.error());
  sk::CompactionPolicy policy;
  policy.keep = sk::keep_turns(2);
  auto summarizer = sk::make_summarizer(
      [](sk::SummaryRequest const&) -> sk::Result<std::string> { return std::string(400, 's'); });
  auto const outcome = session->compact(summarizer, policy, sk::CompactionReason::manual);
  if (!outcome) return refused(outcome.error());
  if (*outcome != sk::CompactionOutcome::applied) return 1;
  say(1, "ACK " + session->context().value().compaction->id.str());
  return 0;
}

int read_entries(std::string const& directory) {
  sk::FileStoreOptions options;
  options.create = false;
  auto store = sk::open_file_store(directory, options);
  if (!store) return refused(store.error());
  auto const page = (*store)->list({});
  if (!page) return refused(page.error());
  for (auto const& info : page->sessions) {
    Found const found = find_all(**store, info.id.str());
    for (std::string const& id : found.ids) std::printf("ENTRY %s\n", id.c_str());
    for (std::size_t i = 0; i < found.damage; ++i) std::printf("DAMAGE\n");
    auto session = sk::Session::open(*store, info.id);
    auto const context = session ? session->context() : sk::Result<sk::Context>(session.error());
    if (!context) return refused(context.error());
    if (context->compaction) std::printf("COMPACTION %s\n", context->compaction->id.str().c_str());
  }
  return 0;
}

}

int main(int count, char** values) {
  std::vector<std::string> const args(values, values + count);
  if (args.size() >= 6 && args[1] == "write") return write_entries(args);
  if (args.size() == 3 && args[1] == "read") return read_entries(args[2]);
  if (args.size() == 3 && args[1] == "converse") return converse(args[2]);
  if (args.size() == 3 && args[1] == "compact") return compact(args[2]);
  std::fprintf(stderr, "crash_writer write DIR PREFIX LEVEL COUNT [WEAKNESS] | converse|compact|read DIR\n");
  return 2;
}
