// SPDX-License-Identifier: MIT
// chat_host: conversations over HTTP. The lines about sessions are in conversations.cpp, host_turn.cpp and
// keeping.cpp; the rest is the server around them.
#include "client_words.hpp"
#include "options.hpp"
#include "server.hpp"

#include <sessionkit/dialect.hpp>

#include <agent/deferred_store.hpp>
#include <agent/folder_tools.hpp>
#include <cerrno>
#include <chrono>
#include <common/failure.hpp>
#include <common/stores.hpp>
#include <csignal>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace {

namespace sk = sessionkit;
using chat_host::Options;

// Each turn opens its session again, so data that a profile keeps only in a `Session` would be lost.
cli::StoreAddress address_of(Options const& options) {
  auto const* const profile = sk::find_profile(options.profile);
  bool const stores = profile == nullptr || profile->timing != sk::WriteTiming::never;
  return cli::parse_address(stores ? options.store : "memory:");
}

/// True if no other agent uses the agent's store.
bool owns_store(cli::StoreAddress const& address, Options const& options) {
  return address.is_files() || (address.engine == "blades" && options.agents.size() == 1);
}

// A message of an unknown role in a document of blades. The other events of a store are about its files.
void report(sk::Event const& event) {
  if (event.kind == sk::Event::part_left_out) chat_host::note(event.message);
}

/// Each agent's sessions are in a directory of their own, as in ai-panel and OpenClaw; in a
/// database all are together, and their headers name the agent.
cli::StorePtr open_store_of(std::string const& agent, cli::StoreAddress address, Options const& options) {
  cli::OpenOptions how;
  how.create = true;
  how.on_event = report;
  if (auto const* const profile = sk::find_profile(options.profile)) how.profile = *profile;
  if (address.is_files()) address.place += "/agents/" + agent + "/sessions";
  return cli::open_store(address, how).value();
}

/// Where the agent's answers are while they arrive; absent if its store keeps nothing before the end.
std::optional<agent::DraftPlace> drafts_of(cli::StoreAddress address, sk::Profile const& profile,
                                           std::string const& agent, Options const& options) {
  bool const never = !options.saves_turns || profile.timing == sk::WriteTiming::never;
  if (never || options.drafts.empty()) return std::nullopt;
  if (address.is_files()) address.place += "/agents/" + agent + "/sessions";
  bool const holds =
      profile.timing == sk::WriteTiming::turn_atomic || profile.timing == sk::WriteTiming::whole;
  return agent::DraftPlace{options.drafts, cli::full_name(address), holds};
}

agent::Agent make_agent(Options const& options) {
  agent::Agent made;
  made.provider = llm::open_provider(options.provider).value();
  made.target.provider = made.provider->format();
  made.target.server = made.provider->server();
  made.target.model = options.model;
  made.target.system = options.system;
  agent::limit_view(made.target, options.view);
  if (!options.folder.empty()) made.tools = agent::make_folder_tools(options.folder).value();
  return made;
}

std::optional<sk::ChannelLog> open_channels_of(std::string const& agent, cli::StoreAddress const& address,
                                               Options const& options) {
  auto const home = options.channel_logs.empty() && address.is_files() ? address.place : options.channel_logs;
  if (home.empty()) return std::nullopt;
  return sk::ChannelLog::open_agent(home, agent).value();
}

/// The stores that are written when the program ends.
using Unsaved = std::vector<std::shared_ptr<agent::DeferredStore>>;

chat_host::Agents make_agents(Options const& options, Unsaved& unsaved) {
  auto const address = address_of(options);
  auto const with = make_agent(options);
  chat_host::Agents agents;
  for (auto const& name : options.agents) {
    auto store = open_store_of(name, address, options);
    auto drafts = drafts_of(address, store->profile(), name, options);
    if (!options.saves_turns) store = unsaved.emplace_back(std::make_shared<agent::DeferredStore>(store));
    chat_host::Hosted hosted{name,
                             std::move(store),
                             with,
                             options.window,
                             options.compaction,
                             options.make_titles,
                             open_channels_of(name, address, options),
                             options.saves_turns,
                             owns_store(address, options)};
    hosted.models = options.models;
    hosted.with.drafts = std::move(drafts);
    if (options.server.prices && hosted.store->profile().dialect == sk::native_dialect().name)
      hosted.with.price = [prices = *options.server.prices](sk::Usage const& usage) {
        return cli::recorded_cost(usage, prices);
      };
    agents[name] = std::make_unique<chat_host::Conversations>(std::move(hosted), options.most_turns);
  }
  return agents;
}

// A connection, a transcript and a request to the provider for each turn: more than the usual 1,024.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Blocks the signals that ask a program to end, in this thread and those it starts: `sigwait` receives them.
sigset_t block_ends() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return ends;
}

/// True if one of the signals came before the time was over.
bool ended_within(sigset_t const& ends, std::chrono::seconds time) {
  int signal = 0;
#if defined(__APPLE__) // has no sigtimedwait
  constexpr std::chrono::milliseconds step{100};
  for (auto waited = std::chrono::milliseconds{0}; waited < time; waited += step) {
    sigset_t pending;
    sigpending(&pending); // both are blocked
    if (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1)
      return sigwait(&ends, &signal) == 0;
    std::this_thread::sleep_for(step);
  }
  return false;
#else
  timespec const limit{time.count(), 0};
  do signal = sigtimedwait(&ends, nullptr, &limit);
  while (signal < 0 && errno == EINTR);
  return signal > 0;
#endif
}

/// Returns the exit code.
int save_all(Unsaved const& unsaved) {
  int code = 0;
  for (auto const& store : unsaved)
    if (auto const saved = store->save(); !saved) {
      std::cerr << "chat_host: " << saved.error().message << '\n';
      code = 1;
    }
  return code;
}

void greet(Options const& options, int port) {
  auto const url = "http://" + options.server.host + ":" + std::to_string(port);
  std::cout << "listening on " << url << '\n';
  if (!options.made_token.empty())
    std::cout << "token: " << options.made_token << "\nopen " << url << "/#token=" << options.made_token
              << '\n';
  std::cout << std::flush;
}

/// The options, without a folder for drafts that cannot be written.
Options with_drafts(Options options) {
  if (options.drafts.empty()) return options;
  if (auto const made = agent::make_draft_folder(options.drafts); !made) {
    std::cerr << "chat_host: answers are not kept while they arrive: " << made.error().message << '\n';
    options.drafts.clear();
  }
  return options;
}

int run(Options const& options) {
  allow_many_files();
  sigset_t const ends = block_ends();
  Unsaved unsaved;
  auto const agents = make_agents(options, unsaved);
  for (auto const& [name, conversations] : agents) conversations->keep_cut_answers();
  chat_host::Server server(options.server, agents);
  server.start();
  greet(options, server.port());
  do
    for (auto const& [name, conversations] : agents) conversations->prune(options.prune);
  while (!ended_within(ends, options.prune_every));
  for (auto const& [name, conversations] : agents)
    if (auto const dropped = conversations->stop_all(); dropped != 0)
      std::cerr << "chat_host: " << dropped << " messages waited for a turn of agent " << name
                << "; they are not stored\n";
  server.stop();
  return options.saves_at_end ? save_all(unsaved) : 0;
}

}

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN); // NOLINT(concurrency-mt-unsafe): there is one thread
  std::signal(SIGXFSZ, SIG_IGN); // NOLINT(concurrency-mt-unsafe): a full disk is an error like others
  try {
    return run(with_drafts(chat_host::parse_options(argc, argv)));
  } catch (cli::Failure const& failure) {
    std::cerr << "chat_host: " << failure.message << "; " << failure.hint << '\n';
  } catch (std::exception const& error) { std::cerr << "chat_host: " << error.what() << '\n'; }
  return 1;
}
