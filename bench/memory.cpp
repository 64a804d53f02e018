// SPDX-License-Identifier: MIT
// The greatest resident size of a process that does one thing and ends.
#include "cases.hpp"

#include <sessionkit/sessionkit.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

void nothing(std::string const&) {}

void resume(std::string const& path) {
  auto session = value_of(sk::Session::open(value_of(sk::open_transcript(path), "open"), made_id()), "open");
  keep(value_of(session.request({sk::Provider::anthropic}), "request").messages.size());
}

void fold(std::string const& path) {
  keep(value_of(value_of(sk::open_transcript(path), "open")->info(made_id()), "info").messages);
}

void page(std::string const& path) {
  auto const store = value_of(sk::open_transcript(path), "open");
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const records = value_of(store->read(made_id(), range), "read");
    range.from = records.next;
    more = records.more;
  }
}

void verify(std::string const& path) {
  keep(value_of(value_of(sk::TranscriptReader::open(path), "open").verify(), "verify").size());
}

struct Operation {
  char const* name;
  char const* what;
  void (*run)(std::string const& path);
  double goal; ///< for the growth from the small to the large file; 0: none
};
constexpr std::array<Operation, 5> operations{
    {{"nothing", "the program itself", nothing, 0},
     {"resume", "session opened and request made", resume, 1.1},
     {"fold", "summary folded over the whole file", fold, 1.1},
     {"pages", "whole file read page by page", page, 1.1},
     {"verify", "whole file verified (it remembers 64 bits of each id)", verify, 0}}};

double peak_of_child(Workbench& bench, char const* operation, std::string const& path) {
  std::string const command = "'" + bench.program() + "' --child " + operation + " '" + path + "'";
  std::FILE* const child = ::popen(command.c_str(), "r");
  long kib = 0;
  require(child != nullptr && std::fscanf(child, "%ld", &kib) == 1 && ::pclose(child) == 0,
          "failed: " + command);
  return static_cast<double>(kib);
}

}

int run_child(std::string const& operation, std::string const& path) {
  for (Operation const& known : operations) {
    if (known.name != operation) continue;
    known.run(path);
    std::printf("%ld\n", peak_kib());
    return 0;
  }
  fail("there is no operation " + operation);
}

void measure_memory(Workbench& bench) {
  unsigned const large_megabytes = bench.quick() ? 100 : 1000;
  std::string const small = bench.transcript(10, true).path,
                    large = bench.transcript(large_megabytes, true).path;
  for (Operation const& operation : operations) {
    double const at_small = peak_of_child(bench, operation.name, small);
    double const at_large = peak_of_child(bench, operation.name, large);
    Finding finding;
    finding.name = std::string("memory.") + operation.name;
    finding.what =
        std::string(operation.what) + ": peak at " + std::to_string(large_megabytes) + " MB over 10 MB";
    finding.unit = "x";
    finding.value = at_large / at_small;
    finding.goal = operation.goal;
    finding.detail = std::to_string(static_cast<long>(at_large)) + " KiB and "
                     + std::to_string(static_cast<long>(at_small)) + " KiB";
    bench.reported(finding);
  }
}

}
