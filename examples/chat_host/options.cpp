// SPDX-License-Identifier: MIT
#include "options.hpp"
#include "users_file.hpp"

#include <sessionkit/profile.hpp>
#include <sessionkit/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <common/completion.hpp>
#include <common/text.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

/// The page's files, relative to the program: where they are installed, and in the build. Without /proc, as
/// in some containers, the place of the program is unknown; then they are where CMake was to install them.
std::string installed_page() {
  std::error_code unknown;
  auto const program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) return CHAT_HOST_INSTALLED_PAGE;
  return (program.parent_path() / CHAT_HOST_PAGE).lexically_normal().string();
}

struct Tokens {
  std::string everybody = {}, admin = {};
  std::vector<std::string> users = {}; ///< NAME=TOKEN
  std::string users_file = {};
  std::vector<std::string> gateways = {}; ///< names
};

// How long conversations may be, and how long sessions stay.
void describe_limits(CLI::App& app, Options& options) {
  app.add_option("--threshold", options.compaction.threshold,
                 "compact above this many tokens; 0: only when the window is full");
  app.add_option("--history-limit", options.compaction.history_limit,
                 "a compaction keeps this many of the last messages")
      ->check(CLI::PositiveNumber);
  app.add_option("--max-turns", options.view.turns, "show the model only the last turns, this many");
  app.add_option("--max-tokens", options.view.tokens,
                 "show the model only as many of the last turns as fit into this many tokens");
  app.add_option("--keep-messages", options.view.messages,
                 "show the model only this many of the last messages, and the rest of their turn");
  app.add_option("--idle", options.prune.idle_days,
                 "remove sessions that had no entry for so many days; off by default")
      ->check(CLI::Range(1, 36500));
  app.add_option("--most", options.prune.max_sessions,
                 "remove the oldest sessions of each agent above this number; off by default")
      ->check(CLI::PositiveNumber);
  app.add_option_function<unsigned>(
         "--prune-every", [&](unsigned seconds) { options.prune_every = std::chrono::seconds(seconds); },
         "how often old sessions are looked for, in seconds (default: 3600)")
      ->check(CLI::Range(1, 86400));
}

// When conversations are stored.
void describe_saving(CLI::App& app, Options& options) {
  auto* const no_auto_save = app.add_flag("!--no-auto-save", options.saves_turns,
                                          "store conversations when the program ends, not after each turn");
  app.add_option("--drafts", options.drafts,
                 "the directory where answers are while they arrive, so that a killed server loses no text "
                 "(default: sessionkit/drafts in the user's state directory)");
  app.add_flag("!--no-save-on-exit", options.saves_at_end, "with --no-auto-save: store nothing at the end")
      ->needs(no_auto_save);
}

// Who answers, and what it costs.
void describe_model(CLI::App& app, Options& options) {
  app.add_option("--provider", options.provider.name,
                 "anthropic, openai (and compatible servers), openai-responses, gemini, or scripted");
  app.add_option("--base-url", options.provider.base_url, "the base URL of the provider");
  app.add_option(
      "--server", options.provider.server,
      "whose rules with --provider openai: azure, deepseek, mistral, groq, llama_cpp, vllm or ollama");
  app.add_option("--model", options.model);
  app.add_option("--also-model", options.models, "a model that a person may choose instead; may be repeated");
  app.add_option_function<std::vector<double>>(
         "--prices",
         [&options](std::vector<double> const& all) { options.server.prices = cli::make_prices(all); },
         "the dollars for a million tokens that the model reads, and that it writes: the page shows the "
         "cost, "
         "and the log has it; two more are those for what its cache gives, and takes")
      ->expected(2, 4)
      ->check(CLI::NonNegativeNumber);
  app.add_option("--window", options.window, "the model's window, in tokens")
      ->check(CLI::Range(500, 100000000));
  app.add_flag("!--no-stream", options.provider.stream,
               "ask the provider for each answer as a whole, and show it when it is complete");
}

void describe(CLI::App& app, Options& options, Tokens& tokens) {
  auto const agent = [](std::string const& name) {
    return sk::SessionId::parse(name) ? std::string() : "'" + name + "' is not a valid name for an agent";
  };
  auto const profile = [](std::string const& name) {
    return sk::find_profile(name) != nullptr ? std::string() : "there is no profile '" + name + "'";
  };
  auto& server = options.server;
  app.add_option("--store", options.store,
                 "a directory, or a URL as sessionkit takes it: sqlite:FILE, redis://HOST");
  app.add_option("--profile", options.profile,
                 "store new sessions in the format of another program: ai_panel, zyhive, ...")
      ->check(profile);
  app.add_option("--agent", options.agents, "the agent that answers; may be repeated (default: main)")
      ->check(agent);
  app.add_option("--channel-logs", options.channel_logs,
                 "the directory of the channel logs for the administrator");
  describe_model(app, options);
  describe_limits(app, options);
  describe_saving(app, options);
  app.add_option("--system", options.system, "the system prompt");
  app.add_option("--folder", options.folder,
                 "the folder for the tools to read and write; without it there are no tools");
  app.add_option("--script-file", options.provider.script, "the answers of the scripted provider");
  app.add_option_function<unsigned>(
      "--delay", [&](unsigned ms) { options.provider.delay = std::chrono::milliseconds(ms); },
      "the scripted provider's delay before each piece, in milliseconds");
  app.add_flag("--make-titles", options.make_titles, "let the model name conversations");
  app.add_option("--turns", options.most_turns, "how many turns of each agent may run at once")
      ->check(CLI::PositiveNumber);
  app.add_option("--host", server.host, "the address to listen at");
  app.add_option("--port", server.port, "the port to listen at; 0: any free one")
      ->check(CLI::Range(0, 65535));
  app.add_option("--connections", server.most_connections,
                 "how many connections are served at once, each by a thread; more wait")
      ->check(CLI::Range(1, 10000));
  app.add_option("--body-limit", server.longest_body, "the maximum size of a request's body, in bytes")
      ->check(CLI::PositiveNumber);
  app.add_option("--page", server.page, "the directory of the page's files");
  app.add_option("--token", tokens.everybody,
                 "the token that clients must send; made and printed if there is none")
      ->envname("CHAT_HOST_TOKEN");
  app.add_option("--user", tokens.users,
                 "a person with a token of their own: NAME=TOKEN; may be repeated (everybody on this machine "
                 "can see it in the list of processes: --users-file hides it)");
  app.add_option("--users-file", tokens.users_file,
                 "a file of such persons, NAME=TOKEN on each line, that only its owner can read")
      ->envname("CHAT_HOST_USERS_FILE");
  app.add_option(
      "--gateway", tokens.gateways,
      "the name of a person above that is a gateway of channels: only a gateway may begin a channel's "
      "session; may be repeated");
  app.add_option("--admin-token", tokens.admin, "the token for the channel logs")
      ->envname("CHAT_HOST_ADMIN_TOKEN");
  app.footer("The key of the provider is read from ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY. "
             "The list of processes shows\n"
             "--token, --user and --admin-token to everybody on this machine, but not the variables.");
}

/// The value, or the end of the program with the error's message.
template <class T> T value_or_end(sk::Result<T> result) {
  if (!result) throw CLI::ValidationError(result.error().message);
  return *std::move(result);
}

/// The persons of the command line, then those of the file.
std::vector<User> users_of(Tokens const& tokens) {
  std::vector<User> users;
  for (auto const& text : tokens.users) users.push_back(value_or_end(parse_user(text, "--user")));
  if (tokens.users_file.empty()) return users;
  for (auto& user : value_or_end(read_users(tokens.users_file))) users.push_back(std::move(user));
  return users;
}

/// A token identifies a person, so each token and each name may be given only once.
void add_credential(std::vector<Credential>& known, Credential added, std::string const& from) {
  for (auto const& other : known) {
    if (!added.token.empty() && added.token == other.token)
      throw CLI::ValidationError(from, "this token is also somebody else's: two of them are the same");
    if (!added.caller.user.empty() && added.caller.user == other.caller.user)
      throw CLI::ValidationError(from, "'" + added.caller.user + "' is already in use");
  }
  if (!added.token.empty()) known.push_back(std::move(added));
}

void mark_gateways(std::vector<Credential>& known, std::vector<std::string> const& names) {
  for (auto const& name : names) {
    auto const found = std::find_if(known.begin(), known.end(), [&](Credential const& each) {
      return each.caller.user == name && !each.caller.admin;
    });
    if (name.empty() || found == known.end())
      throw CLI::ValidationError("--gateway", "neither --user nor --users-file has a '" + name + "'");
    found->caller.gateway = true;
  }
}

/// The message for the first word that looks like an option and is none; else that of the error.
std::string complaint(CLI::App const& app, CLI::ExtrasError const& error) {
  auto const unknown = app.remaining();
  auto const word = std::find_if(unknown.begin(), unknown.end(),
                                 [](std::string const& each) { return each.size() > 1 && each[0] == '-'; });
  if (word == unknown.end()) return error.what();
  std::vector<std::string> names;
  for (auto const* const option : app.get_options())
    for (auto const& known : option->get_lnames()) names.push_back("--" + known);
  return cli::no_such_option(*word, names);
}

void add_credentials(Options& options, Tokens tokens) {
  auto const users = users_of(tokens);
  auto& known = options.server.credentials;
  if (tokens.everybody.empty() && users.empty()) tokens.everybody = options.made_token = make_token();
  add_credential(known, {tokens.everybody, {}}, "--token");
  for (auto const& user : users) add_credential(known, {user.token, {user.name}}, user.from);
  add_credential(known, {tokens.admin, {"admin", true}}, "--admin-token");
  mark_gateways(known, tokens.gateways);
}

}

Options parse_options(int argc, char** argv) {
  Options options;
  options.server.page = installed_page();
  Tokens tokens;
  CLI::App app("A chat server: conversations that survive, over HTTP.", "chat_host");
  app.set_version_flag("--version", "chat_host " SESSIONKIT_VERSION, "print the version");
  describe(app, options, tokens);
  app.add_option_function<std::string>(
         "--completion",
         [&app](std::string const& shell) {
           std::cout << *cli::completion_script(shell, "chat_host", cli::options_in_help(app.help()));
           throw CLI::Success();
         },
         "print the script with which a shell completes these options: bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  try {
    try {
      app.parse(argc, argv);
    } catch (CLI::ExtrasError const& error) { throw CLI::ValidationError(complaint(app, error)); }
    auto const* const known = llm::find_provider_defaults(options.provider.name);
    if (known == nullptr)
      throw CLI::ValidationError("--provider",
                                 "there is no '" + options.provider.name + "': " + llm::provider_names);
    if (options.model.empty()) options.model = known->model;
    options.models.insert(options.models.begin(), options.model);
    if (known->key_variable != nullptr)
      if (char const* const key =
              std::getenv(known->key_variable)) // NOLINT(concurrency-mt-unsafe): one thread
        options.provider.key = key;
    options.provider.window = options.window;
    add_credentials(options, std::move(tokens));
  } catch (CLI::ParseError const& error) {
    int const status = app.exit(error);
    std::exit(status == 0 ? 0 : 2); // NOLINT(concurrency-mt-unsafe): one thread
  }
  return options;
}

}
