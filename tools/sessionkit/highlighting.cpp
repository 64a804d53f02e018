// SPDX-License-Identifier: MIT
// Colours code by the few rules that most languages share: comments, strings, numbers and keywords.
#include "html_text.hpp"

#include <sessionkit/search.hpp>

#include <algorithm>
#include <common/text.hpp>

namespace cli {

namespace {

struct Syntax {
  std::string_view languages;    ///< each between spaces, as are the keywords
  std::string_view line_comment; ///< empty: none
  std::string_view block_begin, block_end;
  std::string_view quotes;
  std::string_view keywords;
};

constexpr std::string_view of_c =
    " alignas alignof as async auto await bool boolean break byte case catch chan char class const consteval "
    "constexpr constinit continue default defer delete do double else enum explicit export extends extern "
    "false final finally float fn for friend from func function go goto if impl implements import in inline "
    "instanceof int interface let long loop map match mod module mut mutable namespace new nil noexcept null "
    "nullptr operator override package private protected pub public range readonly ref return select self "
    "short signed sizeof static string struct super switch template this throw throws trait true try type "
    "typedef typename typeof uint union unsafe unsigned use using val var virtual void volatile where while "
    "with yield ";

constexpr Syntax syntaxes[] = {
    {" c h cpp c++ cc cxx hpp java js javascript jsx ts typescript tsx go golang cs csharp kotlin kt swift "
     "scala "
     "php dart ",
     "//", "/*", "*/", "\"'`", of_c},
    {" rust rs ", "//", "/*", "*/", "\"", of_c}, // ' also begins a lifetime
    {" python py python3 ", "#", "", "", "\"'",
     " and as assert async await break class continue def del elif else except False finally for from global "
     "if import in is lambda None nonlocal not or pass raise return self True try while with yield "},
    {" sh bash shell zsh console fish make makefile cmake dockerfile ", "#", "", "", "\"'",
     " if then else elif fi for while until do done case esac in function return local export set unset echo "
     "cd exit source RUN COPY FROM CMD ENTRYPOINT WORKDIR ENV "},
    {" ruby rb perl pl r yaml yml toml ini conf ", "#", "", "", "\"'",
     " begin class def do else elsif end ensure false for if in module my nil no null package require rescue "
     "return self sub then true undef unless until use when while yes yield "},
    {" sql sqlite postgres mysql ", "--", "/*", "*/", "'\"",
     " add all alter and as asc begin between by case commit create cross default delete desc distinct drop "
     "else end exists foreign from full group having if in index inner insert into is join key left like "
     "limit not null on or order outer primary references right rollback select set table then union unique "
     "update values view when where with "},
    {" lua haskell hs ", "--", "", "", "\"",
     " and break case class data deriving do else elseif end false for function if import in instance let "
     "local module nil not of or repeat return then true type until where while "},
    {" json jsonl json5 ", "", "", "", "\"", " true false null "},
};

bool has_word(std::string_view list, std::string_view word) {
  std::string spaced;
  spaced.reserve(word.size() + 2);
  spaced.append(" ").append(word).append(" ");
  return list.find(spaced) != std::string_view::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & '\x80') != 0;
}
bool begins(std::string_view text, std::string_view with) {
  return !with.empty() && text.substr(0, with.size()) == with;
}

/// The bytes up to the end of `end`, or of the text.
std::size_t through(std::string_view text, std::string_view end, std::size_t from) {
  auto const at = text.find(end, from);
  return at == std::string_view::npos ? text.size() : at + end.size();
}

/// The length of the string that begins here; 0 if it does not end where one ends.
std::size_t string_at(std::string_view text) {
  char const quote = text[0];
  std::string const triple(3, quote);
  if (begins(text, triple)) return through(text, triple, 3);
  for (std::size_t i = 1; i < text.size() && (quote == '`' || text[i] != '\n'); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == quote)
      return i + 1;
  }
  return 0;
}

struct Token {
  std::size_t length;
  char const* kind; ///< a class of the page; null: plain
};

Token comment_at(Syntax const& syntax, std::string_view rest, char before) {
  bool const is_word_before = syntax.line_comment == "#" && before != ' ' && before != '\n' && before != '\t';
  if (begins(rest, syntax.line_comment) && !is_word_before)
    return {std::min(rest.find('\n'), rest.size()), "hc"};
  if (begins(rest, syntax.block_begin))
    return {through(rest, syntax.block_end, syntax.block_begin.size()), "hc"};
  return {0, nullptr};
}

Token word_at(Syntax const& syntax, std::string_view rest) {
  std::size_t length = 1;
  bool const number = is_digit(rest[0]);
  while (length < rest.size() && (is_word(rest[length]) || (number && rest[length] == '.'))) ++length;
  auto const word = rest.substr(0, length);
  bool const any_case = syntax.line_comment == "--" && syntax.quotes.size() == 2; // SQL
  bool const keyword = has_word(syntax.keywords, any_case ? sessionkit::fold_case(word) : std::string(word));
  return {length, number ? "hn" : keyword ? "hk" : nullptr};
}

Token token_at(Syntax const& syntax, std::string_view rest, char before) {
  if (auto const comment = comment_at(syntax, rest, before); comment.length != 0) return comment;
  if (syntax.quotes.find(rest[0]) != std::string_view::npos)
    if (auto const length = string_at(rest); length != 0) return {length, "hs"};
  if (is_word(rest[0])) return word_at(syntax, rest);
  return {1, nullptr};
}

void put(std::string& out, std::string_view text, char const* kind) {
  if (kind != nullptr) out.append("<span class=\"").append(kind).append("\">");
  out += html_escaped(text);
  if (kind != nullptr) out += "</span>";
}

std::string coloured(std::string_view code, Syntax const& syntax) {
  std::string out;
  std::size_t plain = 0, at = 0; // plain text from `plain` to `at` is not written yet
  while (at < code.size()) {
    auto const token = token_at(syntax, code.substr(at), at == 0 ? '\n' : code[at - 1]);
    if (token.kind != nullptr) {
      put(out, code.substr(plain, at - plain), nullptr);
      put(out, code.substr(at, token.length), token.kind);
      plain = at + token.length;
    }
    at += token.length;
  }
  put(out, code.substr(plain), nullptr);
  return out;
}

std::string coloured_lines(std::string_view patch) {
  std::string out;
  while (!patch.empty()) {
    auto const line = patch.substr(0, through(patch, "\n", 0));
    put(out, line, line[0] == '+' ? "ha" : line[0] == '-' ? "hd" : line[0] == '@' ? "hc" : nullptr);
    patch.remove_prefix(line.size());
  }
  return out;
}

}

std::string html_of_code(std::string_view code, std::string_view language) {
  auto const name = sessionkit::fold_case(language);
  if (name == "diff" || name == "patch") return coloured_lines(code);
  for (auto const& syntax : syntaxes)
    if (!name.empty() && name.find(' ') == std::string::npos && has_word(syntax.languages, name))
      return coloured(code, syntax);
  return html_escaped(code);
}

}
