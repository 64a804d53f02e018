// SPDX-License-Identifier: MIT
// completion: completion scripts for shells, made from the table of commands.
#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

namespace {

std::vector<std::string> names_of(Option const& option) { return spelling_of(option).names; }

/// True if the argument is a session, so that its ids are offered; any other may be a file.
bool names_session(Option const& option) {
  auto const name = spelling_of(option).value;
  return name == "SESSION" || name == "A" || name == "B";
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// Within single quotes of a shell.
std::string shell_quoted(std::string const& text) { return replaced(text, "'", R"('\'')"); }

template <class F> std::string joined(std::vector<Option> const& options, F&& words_of) {
  std::string out;
  for (auto const& option : options)
    for (auto const& word : words_of(option)) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::vector<std::string> value_names(Option const& option) {
  return takes_value(option) ? names_of(option) : std::vector<std::string>{};
}

/// Flags of all commands that take a value; none of them is without a value in another command.
std::string flags_with_values() {
  auto values = joined(common_options(), value_names);
  for (auto const& command : command_table())
    if (auto const own = joined(command.options, value_names); !own.empty()) values += " " + own;
  return values;
}

std::string verbs() {
  std::string out;
  for (auto const& command : command_table()) out += (out.empty() ? "" : " ") + std::string(command.name);
  return out;
}

// bash

constexpr char const* bash_begin = R"sh(# bash completion for sessionkit, made by: sessionkit completion bash
_sessionkit() {
  local cur=${COMP_WORDS[COMP_CWORD]} verb= before= word i
  local values=" $(_sessionkit_values) " store=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $values == *" $before "* ]]; then # a value
      [[ $before == --store ]] && store=(--store "$word")
      before=
    else
      [[ -z $verb && $word != -* ]] && verb=$word
      before=$word
    fi
  done
  if [[ $values == *" $before "* ]]; then
    case "$verb $before" in
)sh";
constexpr char const* bash_flags = R"sh(    esac
    return
  fi
  local flags sessions=
  case $verb in
)sh";
constexpr char const* bash_end = R"sh(  esac
  if [[ -z $verb && $cur != -* ]]; then
    COMPREPLY=($(compgen -W "$(_sessionkit_verbs)" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $sessions ]]; then
    local ids=$(sessionkit ls --plain --quiet -n 200 "${store[@]}" 2>/dev/null | cut -f1)
    COMPREPLY=($(compgen -W "@last $ids" -- "$cur"))
  fi
}
complete -o default -F _sessionkit sessionkit
)sh";

std::string bash_choices(std::string const& verb, Option const& option) {
  std::string out;
  for (auto const& name : option.choices.empty() ? std::vector<std::string>{} : names_of(option))
    out += fmt::format("      '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$cur\")) ;;\n", verb, name,
                       fmt::join(option.choices, " "));
  return out;
}

std::string bash() {
  std::string const common = joined(common_options(), names_of);
  std::string choices, flags;
  for (auto const& command : command_table()) {
    bool const sessions = std::any_of(command.options.begin(), command.options.end(), names_session);
    for (auto const& option : command.options) choices += bash_choices(command.name, option);
    for (auto const& option : command.options)
      if (!option.choices.empty() && names_of(option).empty())
        flags += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n", command.name,
                             fmt::join(option.choices, " "));
    flags += fmt::format("    {}) flags='{} {}'{} ;;\n", command.name, joined(command.options, names_of),
                         common, sessions ? " sessions=yes" : "");
  }
  for (auto const& option : common_options()) choices += bash_choices("*", option);
  return fmt::format("_sessionkit_verbs() {{ echo '{}'; }}\n_sessionkit_values() {{ echo '{}'; }}\n", verbs(),
                     flags_with_values())
         + bash_begin + replaced(choices, "'* ", "*' ") + bash_flags + flags
         + fmt::format("    *) flags='{}' ;;\n", common) + bash_end;
}

// zsh

constexpr char const* zsh_begin = R"sh(#compdef sessionkit
# zsh completion for sessionkit, made by: sessionkit completion zsh
_sessionkit_sessions() {
  local -a ids store
  (( ${+opt_args[--store]} )) && store=(--store "${(Q)opt_args[--store]}")
  ids=(@last ${(f)"$(sessionkit ls --plain --quiet -n 200 $store 2>/dev/null | cut -f1)"})
  _alternative "sessions:session:(${(j: :)ids})" 'files:file:_files'
}
_sessionkit() {
  local curcontext="$curcontext" state line
  local -A opt_args
  local -a common commands
)sh";
constexpr char const* zsh_end = R"sh(      esac ;;
  esac
}
if [[ ${funcstack[1]} == _sessionkit ]]; then
  _sessionkit "$@"
elif (( ${+functions[compdef]} )); then
  compdef _sessionkit sessionkit
fi
)sh";

/// Escapes characters that are special to `_arguments`.
std::string zsh_text(std::string text) {
  for (char const* const mark : {"\\", "[", "]", ":"})
    text = replaced(std::move(text), mark, std::string("\\") + mark);
  return shell_quoted(text);
}

std::string zsh_action(Option const& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return names_session(option) ? "_sessionkit_sessions" : "_files";
}

std::string zsh_spec(Option const& option) {
  auto const names = names_of(option);
  auto const help = zsh_text(option.help), action = zsh_action(option);
  if (names.empty())
    return fmt::format("'{}:{}:{}'", is_list(option) ? "*" : "", zsh_text(option.spelling), action);
  std::string const value = takes_value(option) ? ":value:" + action : "";
  std::string const repeats = is_list(option) ? "*" : "";
  std::string out;
  for (auto const& name : names)
    out += fmt::format("{}'{}{}[{}]{}'", out.empty() ? "" : " ", repeats, name, help, value);
  return out;
}

std::string zsh_specs(std::vector<Option> const& options) {
  std::string out;
  for (auto const& option : options) out += " " + zsh_spec(option);
  return out;
}

std::string zsh() {
  std::string commands, arguments;
  for (auto const& command : command_table()) {
    commands += fmt::format(" '{}:{}'", command.name, shell_quoted(replaced(command.summary, ":", "\\:")));
    arguments +=
        fmt::format("        {}) _arguments $common{} ;;\n", command.name, zsh_specs(command.options));
  }
  return fmt::format("{}  common=({} )\n  commands=({} )\n"
                     "  _arguments -C $common '1:command:->command' '*::argument:->argument'\n"
                     "  case $state in\n    command) _describe command commands ;;\n"
                     "    argument)\n      case $line[1] in\n{}{}",
                     zsh_begin, zsh_specs(common_options()), commands, arguments, zsh_end);
}

// fish

std::string fish_option(std::string const& condition, Option const& option) {
  auto const names = names_of(option);
  std::string out = fmt::format("complete -c sessionkit -n '{}'", condition);
  for (auto const& name : names)
    out += name.size() == 2 ? fmt::format(" -s {}", name.substr(1)) : fmt::format(" -l {}", name.substr(2));
  auto const choices = fmt::format("{}", fmt::join(option.choices, " "));
  if (!choices.empty())
    out += fmt::format(" -x -a '{}'", choices);
  else if (names_session(option))
    out += std::string(names.empty() ? "" : " -x") + " -a '(__sessionkit_sessions)'";
  else if (!names.empty() && takes_value(option))
    out += " -r";
  else if (names.empty())
    return {};
  return out + fmt::format(" -d '{}'\n", replaced(replaced(option.help, "\\", "\\\\"), "'", "\\'"));
}

constexpr char const* fish_begin = R"sh(# fish completion for sessionkit, made by: sessionkit completion fish
function __sessionkit_sessions
  echo @last
  sessionkit ls --plain --quiet -n 200 2>/dev/null | cut -f1
end
function __sessionkit_verb
  set -l before ''
  for word in (commandline -opc)[2..-1]
    if contains -- $before (__sessionkit_values)
      set before ''
    else if string match -q -- '-*' $word
      set before $word
    else
      echo $word
      return
    end
  end
end
)sh";

std::string fish() {
  std::string out = fish_begin;
  out += fmt::format("function __sessionkit_values\n  string split -- ' ' '{}'\nend\n", flags_with_values());
  for (auto const& option : common_options()) out += fish_option("true", option);
  for (auto const& command : command_table()) {
    out += fmt::format("complete -c sessionkit -n 'test -z (__sessionkit_verb)' -x -a {} -d '{}'\n",
                       command.name, replaced(command.summary, "'", "\\'"));
    auto const condition = fmt::format("contains -- {} (__sessionkit_verb)", command.name);
    for (auto const& option : command.options) out += fish_option(condition, option);
  }
  return out;
}

struct Shell {
  char const* name;
  std::string (*script)();
};
constexpr Shell shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
}

Exit completion(Console& console, Arguments const& args) {
  auto const* const shell = std::find_if(std::begin(shells), std::end(shells),
                                         [&](Shell const& one) { return args.shell == one.name; });
  auto const script = shell->script();
  if (console.json())
    console.document("completion@1", {{"shell", args.shell}, {"script", script}});
  else
    console.write(script);
  return Exit::ok;
}
}
