// SPDX-License-Identifier: MIT
// log_bodies --seed S --count N --folder DIR: writes the logs of N seeds to a file each in turn, reads them
// back, and prints the request to every provider beside the content of each log. One JSON object a line.
// With
// --paired 1 the logs are those of paired_log.hpp. With --servers 1 the requests are those to each server of
// server.hpp, and each log ends with words of the user.
#include "support/paired_log.hpp"
#include "support/raw_log.hpp"
#include "support/sendable.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::PairedLog;
using sessionkit_test::PairedLogMaker;
using sessionkit_test::RawLog;
using sessionkit_test::RawLogMaker;

namespace {

struct NamedProvider {
  sk::Provider provider;
  char const* name;
};
constexpr NamedProvider providers[] = {{sk::Provider::anthropic, "anthropic"},
                                       {sk::Provider::openai_chat, "openai-chat"},
                                       {sk::Provider::openai_responses, "openai-responses"},
                                       {sk::Provider::gemini, "gemini"}};

sk::Target target_of(sk::Provider provider, std::uint64_t seed) {
  sk::Target target;
  target.provider = provider;
  target.system = seed % 5 == 0 ? "" : "be brief";
  bool const gemini = provider == sk::Provider::gemini;
  if (seed % 3 == 0) target.model = !gemini ? "m1" : seed % 2 == 0 ? "gemini-2.5-pro" : "gemini-3-pro";
  target.images = seed % 11 != 0;
  return target;
}

void write_file(std::string const& path, std::string const& bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  bool const written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (!file || std::fclose(file) != 0 || !written) throw std::runtime_error("cannot write " + path);
}

// Through the reader from both ends: the same records, whatever the bytes.
std::size_t count_records(std::string const& path) {
  auto reader = sk::TranscriptReader::open(path, {RawLogMaker::max_line}).value();
  std::size_t counted[2] = {0, 0};
  for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
    sk::ReadRange range;
    range.order = order;
    for (;;) {
      auto const page = reader.read(range).value();
      counted[order] += page.items().size();
      if (!page.more) break;
      range.from = page.next;
    }
  }
  if (counted[0] != counted[1]) throw std::runtime_error("the records differ from both ends");
  return counted[0];
}

sk::Context context_of(std::string const& path) {
  sk::FileStoreOptions options;
  options.max_line = RawLogMaker::max_line;
  auto const store = sk::open_transcript(path, options).value();
  return sk::load_context(*store, store->list({}).value().sessions.at(0).id).value();
}

std::string list(std::vector<std::string> const& items, char const* begin, char const* end) {
  std::string text;
  for (auto const& item : items) ((text += text.empty() ? "" : ",") += begin + item) += end;
  return '[' + text + ']';
}

struct NamedTarget {
  std::string name;
  sk::Target target;
};

std::vector<NamedTarget> every_provider(std::uint64_t seed) {
  std::vector<NamedTarget> targets;
  for (NamedProvider const& named : providers)
    targets.push_back({named.name, target_of(named.provider, seed)});
  return targets;
}

std::vector<NamedTarget> every_server(std::uint64_t seed) {
  std::vector<NamedTarget> targets;
  for (auto const name : sk::server_names()) {
    targets.push_back({std::string(name), target_of(sk::Provider::openai_chat, seed)});
    targets.back().target.server = *sk::find_server(name);
  }
  return targets;
}

// The user speaks last, as when a host asks.
void end_with_user(sk::Context& context) {
  sk::History const history = sk::HistoryRebuilder({sk::Provider::openai_chat}).rebuild(context);
  if (!history.messages.empty() && history.messages.back().role != sk::Role::assistant) return;
  sk::Entry entry;
  entry.id = sk::EntryId("the-end");
  entry.body = sk::user("go on");
  context.entries.push_back(std::move(entry));
}

// What would be sent to each target.
std::string bodies_of(sk::Context const& context, std::vector<NamedTarget> const& targets) {
  std::string out;
  for (NamedTarget const& named : targets) {
    sk::Target const& target = named.target;
    sk::History const history = sk::HistoryRebuilder(target).rebuild(context);
    auto const body = sk::encode(history, target);
    out += std::string(out.empty() ? "\"" : ",\"") + named.name + "\":{\"model\":\"" + target.model
           + "\",\"asked\":\"" + target.system + "\",\"images\":" + (target.images ? "true" : "false")
           + ",\"system\":" + body.system + ",\"messages\":" + body.messages + '}';
  }
  return "\"bodies\":{" + out + '}';
}
std::string bodies_of(std::string const& path, std::uint64_t seed) {
  return bodies_of(context_of(path), every_provider(seed));
}

void print_line(std::string const& line) {
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size())
    throw std::runtime_error("cannot write to stdout");
}

void print(std::uint64_t seed, std::string const& path) {
  RawLog const log = RawLogMaker(seed).make();
  write_file(path, log.bytes);
  print_line("{\"seed\":" + std::to_string(seed) + ",\"format\":\"" + log.format + "\",\"certain\":"
             + (log.certain ? "true" : "false") + ",\"records\":" + std::to_string(count_records(path))
             + ",\"damage\":" + list(log.damage, "\"", "\"") + ",\"facts\":" + list(log.facts, "{", "}")
             + ",\"doubtful\":" + list(log.doubtful, "{", "}") + ',' + bodies_of(path, seed) + "}\n");
}

void print_servers(std::uint64_t seed, std::string const& path) {
  RawLog const log = RawLogMaker(seed).make();
  write_file(path, log.bytes);
  sk::Context context = context_of(path);
  end_with_user(context);
  print_line("{\"seed\":" + std::to_string(seed) + ",\"damage\":" + list(log.damage, "\"", "\"") + ','
             + bodies_of(context, every_server(seed)) + "}\n");
}

void print_paired(std::uint64_t seed, std::string const& path) {
  PairedLog const log = PairedLogMaker(seed).make();
  write_file(path, log.bytes);
  print_line("{\"seed\":" + std::to_string(seed) + ",\"format\":\"" + log.format
             + "\",\"damage\":" + list(log.damage, "\"", "\"") + ",\"calls\":" + list(log.facts, "{", "}")
             + ',' + bodies_of(path, seed) + "}\n");
}

std::uint64_t number(char const* text) { return std::strtoull(text, nullptr, 10); }

}

int main(int argc, char** argv) {
  std::uint64_t seed = 1, count = 1;
  std::string folder = ".";
  bool bytes = false;  ///< the log itself, for inspection
  bool paired = false; ///< whose results are known
  bool servers = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seed") == 0) seed = number(argv[i + 1]);
    if (std::strcmp(argv[i], "--count") == 0) count = number(argv[i + 1]);
    if (std::strcmp(argv[i], "--folder") == 0) folder = argv[i + 1];
    if (std::strcmp(argv[i], "--bytes") == 0) bytes = number(argv[i + 1]) != 0;
    if (std::strcmp(argv[i], "--paired") == 0) paired = number(argv[i + 1]) != 0;
    if (std::strcmp(argv[i], "--servers") == 0) servers = number(argv[i + 1]) != 0;
  }
  std::string const path = folder + "/log" + std::to_string(seed) + ".jsonl";
  std::uint64_t at = seed;
  try {
    for (; at < seed + count; ++at) {
      if (bytes)
        print_line(paired ? PairedLogMaker(at).make().bytes : RawLogMaker(at).make().bytes);
      else
        (servers ? print_servers : paired ? print_paired : print)(at, path);
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(at), error.what());
    return 1;
  }
  std::remove(path.c_str());
  return 0;
}
