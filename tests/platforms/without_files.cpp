// SPDX-License-Identifier: MIT
// What needs neither files nor threads: a session in memory, requests to each provider, a compaction, a fork,
// another dialect. Ids and times are fixed, so that the output is the same on each platform;
// scripts/platforms compares it.
#include <sessionkit/blades.hpp>
#include <sessionkit/compaction.hpp>
#include <sessionkit/convert.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/session.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace sk = sessionkit;

namespace {

sk::SessionOptions counted_options() {
  sk::SessionOptions options;
  options.clock = [at = sk::parse_rfc3339("2038-01-19T03:14:07.999Z").value()]() mutable {
    return at += std::chrono::milliseconds(1);
  };
  options.ids = [n = 0]() mutable { return "e" + std::to_string(++n); };
  return options;
}

void talk(sk::Session& session, std::string const& said) {
  sk::ToolUse const call{"tu_" + said, "read_file",
                         sk::RawJson::from(R"({"path":"\ud83d\ude00","n":[0.1,1e-7,18446744073709551615]})")};
  auto look = sk::assistant(sk::Thinking{"Hm.", "c2ln"}, "Let me look.", call);
  look.generation = sk::Generation{"anthropic",
                                   "claude-1",
                                   "req_" + said,
                                   sk::Usage{2'000'000'000, 20, 3, 4},
                                   sk::StopReason::tool_use,
                                   "anthropic-messages"};
  auto turn = session.begin_turn();
  turn.append(sk::user(said + ": Gr\xC3\xBC\xC3\x9F dich \xE2\x82\xAC \xFF"))
      .value(); // the last byte is no UTF-8
  turn.append(look).value();
  turn.append(sk::tool_result(call, std::string("\x01\x7F\0", 3))).value();
  turn.append(sk::assistant("Done.")).value();
  turn.commit().value();
}

void print_requests(sk::Session const& session) {
  for (auto const provider : {sk::Provider::anthropic, sk::Provider::openai_chat,
                              sk::Provider::openai_responses, sk::Provider::gemini}) {
    auto const request = session.request({provider}).value();
    std::printf("%s\n%s\n", request.system.c_str(), request.messages.c_str());
  }
}

void print_lines(sk::SessionStore& store, sk::SessionId const& id) {
  auto const log = sk::load_log(store, id, sk::LogLines::kept).value();
  for (auto const& line : log.lines) std::printf("%s\n", line.c_str());
  for (auto const* to : {&sk::flat_dialect(), &sk::panel_dialect()}) {
    auto const converted = sk::convert_log(log, sk::native_dialect(), *to, id).value();
    std::printf("%s", converted.text.c_str());
    for (auto const& loss : converted.losses)
      std::printf("%s: %s\n", loss.entry.str().c_str(), loss.what.c_str());
  }
}

}

// Where there are no files the error says so. Elsewhere it is that of a directory that does not exist.
bool fails_without_files() {
  sk::BladesStoreOptions options;
  options.create = false;
  auto const store = sk::open_blades_store("no such directory", options);
#if defined(__wasi__)
  return !store && store.error().code == sk::Errc::io_error;
#else
  return !store && store.error().code == sk::Errc::not_found;
#endif
}

int main() {
  std::printf("a store in files fails: %d\n", fails_without_files());
  auto const store = sk::make_memory_store();
  sk::NewSession about;
  about.id = sk::SessionId::parse("0123456789ab").value();
  about.key = "main:cli:ann";
  auto session = sk::Session::create(store, about, counted_options()).value();
  for (auto const* said : {"one", "two", "three"}) talk(session, said);
  session.set_state("share", sk::RawJson::parse("0.1").value()).value();
  print_requests(session);

  auto policy = session.compaction_policy();
  policy.keep = sk::keep_turns(1);
  auto const plan = session.plan_compaction(policy, sk::CompactionReason::manual).value().value();
  session.apply(plan, "They said one and two.").value();
  print_requests(session);
  print_lines(*store, session.id());

  about.id = sk::SessionId::parse("cafe00000001").value();
  auto fork = session.fork(about).value();
  talk(fork, "four");
  print_requests(fork);

  auto large = sk::assistant("Five thousand million tokens."); // more than 32 bits
  large.generation = sk::Generation{"anthropic",
                                    "claude-1",
                                    "req_large",
                                    sk::Usage{5'000'000'000, 0, 0, 0},
                                    sk::StopReason::end_turn,
                                    "anthropic-messages"};
  std::printf("large count: %d\n", sk::count_tokens({large}) >= 2'000'000'000);

  auto const info = fork.info().value();
  std::printf("%llu messages, %llu tokens read, %lld\n", static_cast<unsigned long long>(info.messages),
              static_cast<unsigned long long>(info.usage.input),
              static_cast<long long>(sk::to_unix_ms(info.updated)));
}
