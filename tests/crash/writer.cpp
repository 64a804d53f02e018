// SPDX-License-Identifier: MIT
// A host for tests that pull the disk away under it.
//   crash_writer write DIR PREFIX os|turn|entry COUNT [WEAKNESS]
// appends COUNT entries to session "talk" and says of each, in a line, when it is acknowledged: WROTE ID, and
// ACK ID when it is also durable; ERR CODE ERRNO when it is refused. Gives up after a few refusals.
//   crash_writer read DIR
// says ENTRY ID for each entry of each session it lists, and DAMAGE for each piece of damage.
#include "weak_file_ops.hpp"
#include "writers.hpp"

#include <sessionkit/detail/file_store.hpp>

#include <cstdio>
#include <cstdlib>

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
  }
  return 0;
}

}

int main(int count, char** values) {
  std::vector<std::string> const args(values, values + count);
  if (args.size() >= 6 && args[1] == "write") return write_entries(args);
  if (args.size() == 3 && args[1] == "read") return read_entries(args[2]);
  std::fprintf(stderr, "crash_writer write DIR PREFIX LEVEL COUNT [WEAKNESS] | read DIR\n");
  return 2;
}
