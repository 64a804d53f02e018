// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <common/completion.hpp>
#include <common/text.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace chat {

namespace sk = sessionkit;

char const usage[] = "usage: chat [options]\n"
                     "  --store URL        where sessions are kept: a directory, or a URL as\n"
                     "                     sessionkit takes it, for example sqlite:FILE or\n"
                     "                     redis://HOST (default: the user's data directory)\n"
                     "  --transcript-dir DIR\n"
                     "                     the directory of claw0's transcripts, if it lies apart\n"
                     "                     from its sessions.json\n"
                     "  --no-session       store nothing\n"
                     "  --no-auto-save     store the conversation when the program ends, not after\n"
                     "                     each turn\n"
                     "  --no-save-on-exit  with --no-auto-save: store it only at /save\n"
                     "  --profile NAME     store sessions in the format of: native, claw0, ai_panel,\n"
                     "                     zyhive, zeroclaw, blades, openclaw, ephemeral (default:\n"
                     "                     what the store has, else native)\n"
                     "  --key KEY          the key of the conversation (default: chat, or as the\n"
                     "                     store's program has it)\n"
                     "  -c, --continue     continue the newest session, whatever its key\n"
                     "  -r, --resume [ID]  continue this session: an id, the beginning of an id, a\n"
                     "                     key or a title; without ID, choose\n"
                     "  -p, --print TEXT   send TEXT, print the answer only, and leave; -: all of\n"
                     "                     stdin\n"
                     "  --json             with --print: print the session, the text, calls, results\n"
                     "                     and the end as lines of JSON\n"
                     "  --provider NAME    anthropic, openai (and compatible servers),\n"
                     "                     openai-responses, gemini, or scripted (default)\n"
                     "  --base-url URL     the provider's base URL, for example\n"
                     "                     http://localhost:8080/v1\n"
                     "  --server NAME      whose rules with --provider openai: azure, deepseek,\n"
                     "                     mistral, groq, llama_cpp, vllm or ollama\n"
                     "  --model NAME       the model (default: a small one of the provider)\n"
                     "  --prices IN/OUT    the dollars for a million tokens that the model reads and\n"
                     "                     writes: show and store the cost; with IN/OUT/READ/WRITE\n"
                     "                     also those for what its cache gives and takes\n"
                     "  --no-stream        ask for each answer as a whole, and show it when it is\n"
                     "                     complete\n"
                     "  --script-file FILE the answers of the scripted provider, one a line\n"
                     "  --system FILE      the system prompt\n"
                     "  --window N         the model's window, in tokens (default: 200000, at least\n"
                     "                     500)\n"
                     "  --max-turns N      show the model only the last N turns\n"
                     "  --max-tokens N     show the model only as many of the last turns as fit into\n"
                     "                     N tokens\n"
                     "  --keep-messages N  show the model only the last N messages, and the rest of\n"
                     "                     their turn\n"
                     "  --threshold N      compact above N tokens; 0: only when the window is full\n"
                     "                     (default: the profile's)\n"
                     "  --history-limit N  a compaction keeps the last N messages (default: as the\n"
                     "                     profile says)\n"
                     "  --idle DAYS        remove sessions that had no entry for so many days, but\n"
                     "                     not the open one\n"
                     "  --most N           remove the oldest sessions above this number, but not the\n"
                     "                     open one\n"
                     "  --folder DIR       the folder for the tools to read and write (default: a\n"
                     "                     folder in the user's data directory)\n"
                     "  --shared-sub-agent store the messages of the sub-agent in this session, too\n"
                     "                     (default: its answer only)\n"
                     "  --requests FILE    write each request to this file, one a line\n"
                     "  --script           play the demonstration\n"
                     "  --completion SHELL print the script with which bash, zsh or fish completes\n"
                     "                     these options\n"
                     "  -h, --help         show this text\n"
                     "  --version          print the version\n"
                     "The key of the provider is read from ANTHROPIC_API_KEY, OPENAI_API_KEY or\n"
                     "GEMINI_API_KEY.\n";

namespace {

std::string variable(char const* name) {
  char const* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): there is one thread
  return value == nullptr ? "" : value;
}

/// The directory for the user's data.
std::string data_directory() {
  if (auto const data = variable("XDG_DATA_HOME"); !data.empty()) return data + "/sessionkit";
  if (auto const home = variable("HOME"); !home.empty()) return home + "/.local/share/sessionkit";
  return ".";
}

bool take_folder(Options& options, std::string const& folder) {
  options.folder = folder;
  options.own_folder = false;
  return !folder.empty();
}

constexpr std::size_t smallest_window = 500; // a request for a summary must fit
constexpr std::size_t most_days = 36500;

bool read_number(std::string const& text, std::size_t& into) {
  auto const* const end = text.data() + text.size();
  auto const read = std::from_chars(text.data(), end, into);
  return read.ec == std::errc() && read.ptr == end;
}

bool read_file(std::string const& path, std::string& into) {
  std::ifstream file(path, std::ios::binary);
  if (file) into.assign(std::istreambuf_iterator<char>(file), {});
  return !file.fail();
}

bool read_profile(std::string const& name, Options& options) {
  auto const* const profile = sk::find_profile(name);
  if (profile == nullptr) return false;
  options.profile = *profile;
  options.profile_given = true;
  return true;
}

struct Flag {
  std::string_view name;
  bool (*take)(Options&, std::string const& value); ///< false: the value is invalid
};
constexpr Flag with_value[] = {
    {"--store", [](Options& o, std::string const& v) { return !(o.store = v).empty(); }},
    {"--transcript-dir", [](Options& o, std::string const& v) { return !(o.transcripts = v).empty(); }},
    {"--profile", [](Options& o, std::string const& v) { return read_profile(v, o); }},
    {"--key", [](Options& o, std::string const& v) { return !(o.key = v).empty(); }},
    {"--provider", [](Options& o, std::string const& v) { return !(o.provider.name = v).empty(); }},
    {"--server",
     [](Options& o, std::string const& v) { return sk::find_server(o.provider.server = v) != nullptr; }},
    {"--base-url", [](Options& o, std::string const& v) { return !(o.provider.base_url = v).empty(); }},
    {"--model", [](Options& o, std::string const& v) { return !(o.model = v).empty(); }},
    {"--script-file", [](Options& o, std::string const& v) { return !(o.provider.script = v).empty(); }},
    {"--system", [](Options& o, std::string const& v) { return read_file(v, o.system); }},
    {"--window",
     [](Options& o, std::string const& v) {
       return read_number(v, o.window) && o.window >= smallest_window;
     }},
    {"--max-turns", [](Options& o, std::string const& v) { return read_number(v, o.view.turns); }},
    {"--max-tokens", [](Options& o, std::string const& v) { return read_number(v, o.view.tokens); }},
    {"--keep-messages", [](Options& o, std::string const& v) { return read_number(v, o.view.messages); }},
    {"--threshold",
     [](Options& o, std::string const& v) { return read_number(v, o.compaction.threshold.emplace()); }},
    {"--history-limit",
     [](Options& o, std::string const& v) {
       return read_number(v, o.compaction.history_limit.emplace()) && *o.compaction.history_limit != 0;
     }},
    {"--idle",
     [](Options& o, std::string const& v) {
       return read_number(v, o.prune.idle_days) && o.prune.idle_days != 0 && o.prune.idle_days <= most_days;
     }},
    {"--most",
     [](Options& o, std::string const& v) {
       return read_number(v, o.prune.max_sessions) && o.prune.max_sessions != 0;
     }},
    {"--folder", take_folder},
    {"--print", [](Options& o, std::string const& v) { return !(o.print = v)->empty(); }},
    {"-p", [](Options& o, std::string const& v) { return !(o.print = v)->empty(); }},
    {"--prices",
     [](Options& o, std::string const& v) { return (o.prices = cli::parse_prices(v)).has_value(); }},
    {"--completion",
     [](Options& o, std::string const& v) {
       return (o.completion = cli::completion_script(v, "chat", cli::options_in_help(usage))).has_value();
     }},
    {"--requests", [](Options& o, std::string const& v) { return !(o.requests = v).empty(); }},
};
struct Switch {
  std::string_view name;
  bool Options::*on;
};
constexpr Switch switches[] = {
    {"--no-session", &Options::no_session},
    {"--no-auto-save", &Options::no_auto_save},
    {"--no-save-on-exit", &Options::no_save_on_exit},
    {"--no-stream", &Options::no_stream},
    {"--shared-sub-agent", &Options::shared_sub_agent},
    {"--json", &Options::json},
    {"--continue", &Options::newest},
    {"-c", &Options::newest},
    {"--script", &Options::script},
    {"--restarted", &Options::restarted},
    {"--help", &Options::help},
    {"-h", &Options::help},
    {"--version", &Options::version},
};

template <class Table> auto const* find(Table const& table, std::string_view name) {
  auto const found =
      std::find_if(std::begin(table), std::end(table), [&](auto const& row) { return row.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

std::string no_such_option(std::string const& word) {
  std::vector<std::string> names{"--resume"};
  for (auto const& flag : with_value) names.emplace_back(flag.name);
  for (auto const& flag : switches)
    if (flag.on != &Options::restarted) names.emplace_back(flag.name); // ours alone
  return cli::no_such_option(word, names);
}

/// True if the flag at `i` is known and its value is valid; `i` moves to its last word.
bool take_flag(std::vector<std::string> const& words, std::size_t& i, Options& options, std::string& why) {
  auto const& name = words[i];
  bool const value_follows = i + 1 < words.size();
  if (auto const* const known = find(switches, name)) return options.*known->on = true;
  if (name == "-r" || name == "--resume") {
    bool const names = value_follows && words[i + 1].substr(0, 1) != "-";
    options.resume = names ? words[++i] : "";
    why = "'' is not valid for " + name;
    return !names || !options.resume->empty();
  }
  auto const* const known = find(with_value, name);
  why = known == nullptr ? no_such_option(name) : name + " needs a value";
  if (known == nullptr || !value_follows) return false;
  why = "'" + words[i + 1] + "' is not valid for " + name;
  return known->take(options, words[++i]);
}

}

std::string default_store() {
  auto store = variable("SESSIONKIT_STORE");
  return store.empty() ? data_directory() + "/sessions" : store;
}

std::optional<Options> parse_options(int argc, char** argv, std::string& why) {
  Options options;
  options.store = default_store();
  options.folder = data_directory() + "/files";
  std::vector<std::string> const words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (!take_flag(words, i, options, why)) return std::nullopt;

  auto const* const provider = llm::find_provider_defaults(options.provider.name);
  if (provider == nullptr) {
    why = "there is no provider " + options.provider.name + ": " + llm::provider_names;
    return std::nullopt;
  }
  if (options.model.empty()) options.model = provider->model;
  if (provider->key_variable != nullptr) options.provider.key = variable(provider->key_variable);
  options.provider.window = options.window;
  options.provider.stream = !options.no_stream;
  if (options.no_save_on_exit && !options.no_auto_save) {
    why = "--no-save-on-exit needs --no-auto-save: without it each turn is stored when it ends";
    return std::nullopt;
  }
  if (options.json && !options.print) {
    why = "--json needs --print: it is the form of one answer";
    return std::nullopt;
  }
  if (options.print) options.output = options.json ? Output::json : Output::answer;
  if (options.no_session) options.profile = sk::profiles::ephemeral;
  return options;
}

}
