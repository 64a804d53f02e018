// SPDX-License-Identifier: MIT
#include "completion.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cli {

namespace {

std::string_view trimmed(std::string_view text) {
  auto const begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// With a backslash before each of these characters.
std::string escaped(std::string_view text, std::string_view marks) {
  std::string all;
  for (char const c : text) {
    if (marks.find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

bool is_upper(std::string_view word) { return !word.empty() && word.front() >= 'A' && word.front() <= 'Z'; }

/// The option of a line; no names if there is none.
HelpedOption option_in(std::string_view line) {
  HelpedOption option;
  auto rest = trimmed(line);
  bool const indented = line.substr(0, 2) == "  ";
  while (indented && !rest.empty() && rest.front() == '-') {
    auto const end = std::min(rest.find_first_of(" ,{"), rest.size());
    option.names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    if (rest.substr(0, 1) == "{")
      rest.remove_prefix(std::min(rest.find('}'), rest.size() - 1) + 1); // of CLI11
    if (rest.substr(0, 1) != ",") break;
    rest = trimmed(rest.substr(1));
  }
  if (rest.substr(0, 1) == " " && rest.substr(0, 2) != "  ") rest.remove_prefix(1);
  // "FILE", or "TEXT:DIR REQUIRED" of CLI11, and two spaces; after a long name one space must do.
  auto const column = std::min(rest.find("  "), rest.size());
  auto const first = rest.substr(0, std::min(rest.find(' '), column));
  option.takes_value = is_upper(first) && first != "Needs:" && first != "REQUIRED";
  auto const after = trimmed(rest.substr(first.size()));
  bool const says_at_once = !first.empty() && !is_upper(first);
  bool const says_next = option.takes_value && !after.empty() && !is_upper(after);
  option.help = says_at_once ? trimmed(rest) : says_next ? after : trimmed(rest.substr(column));
  return option;
}

std::string bash(std::string const& program, std::vector<HelpedOption> const& options) {
  std::string names, values;
  for (auto const& option : options)
    for (auto const& name : option.names) {
      names += ' ' + name;
      if (option.takes_value) values += (values.empty() ? "" : "|") + name;
    }
  return fmt::format(R"sh(# bash completion for {0}, made by: {0} --completion bash
_{0}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}}
  case ${{COMP_WORDS[COMP_CWORD-1]}} in
    {1}) return ;;
  esac
  COMPREPLY=($(compgen -W '{2}' -- "$cur"))
}}
complete -o default -F _{0} {0}
)sh",
                     program, values, names.substr(1));
}

std::string zsh(std::string const& program, std::vector<HelpedOption> const& options) {
  std::string specs;
  for (auto const& option : options)
    for (auto const& name : option.names)
      specs += fmt::format(" \\\n    '*{}[{}]{}'", name, in_single_quotes(escaped(option.help, "\\[]:")),
                           option.takes_value ? ":value:_files" : "");
  return fmt::format(R"sh(#compdef {0}
# zsh completion for {0}, made by: {0} --completion zsh
_{0}() {{
  _arguments{1}
}}
if [[ ${{funcstack[1]}} == _{0} ]]; then
  _{0} "$@"
elif (( ${{+functions[compdef]}} )); then
  compdef _{0} {0}
fi
)sh",
                     program, specs);
}

std::string fish(std::string const& program, std::vector<HelpedOption> const& options) {
  auto script = fmt::format("# fish completion for {0}, made by: {0} --completion fish\n", program);
  for (auto const& option : options) {
    script += "complete -c " + program;
    for (auto const& name : option.names)
      script += name.size() == 2 ? " -s " + name.substr(1) : " -l " + name.substr(2);
    script += fmt::format("{} -d '{}'\n", option.takes_value ? " -r" : "", escaped(option.help, "\\'"));
  }
  return script;
}

}

std::vector<HelpedOption> options_in_help(std::string_view help) {
  std::vector<HelpedOption> options;
  while (!help.empty()) {
    auto const line = help.substr(0, help.find('\n'));
    help.remove_prefix(std::min(line.size() + 1, help.size()));
    auto option = option_in(line);
    bool const continues =
        option.names.empty() && !options.empty() && line.substr(0, 12) == std::string(12, ' ');
    if (continues)
      options.back().help.append(options.back().help.empty() ? "" : " ").append(trimmed(line));
    else if (!option.names.empty())
      options.push_back(std::move(option));
  }
  return options;
}

std::optional<std::string> completion_script(std::string_view shell, std::string const& program,
                                             std::vector<HelpedOption> const& options) {
  struct Shell {
    std::string_view name;
    std::string (*script)(std::string const&, std::vector<HelpedOption> const&);
  };
  constexpr Shell shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
  for (auto const& one : shells)
    if (one.name == shell) return one.script(program, options);
  return std::nullopt;
}

}
