// SPDX-License-Identifier: MIT
// Writes a conversation as Markdown. Messages are usually Markdown themselves: they are put into block
// quotes, which their text cannot leave, with HTML and pictures from elsewhere disabled.
#include "export_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <string>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_alphanumeric(char c) { return is_letter(c) || (c >= '0' && c <= '9') || (c & '\x80') != 0; }

/// True if the character at `i` may mean something in a line that does not begin with this text: code,
/// emphasis (an underscore within a word does not), a link, a tag, a character by its name, formulas, and the
/// `#` that may close a heading.
bool means_something(std::string_view text, std::size_t i) {
  char const c = text[i], before = i == 0 ? ' ' : text[i - 1], next = i + 1 < text.size() ? text[i + 1] : ' ';
  switch (c) {
  case '`':
  case '*':
  case '[':
  case '~':
  case '$': return true;
  case '\\': return !is_alphanumeric(next) && next != ' ';
  case '_': return !(is_alphanumeric(before) && is_alphanumeric(next));
  case '<': return is_letter(next) || next == '/' || next == '!' || next == '?';
  case '&': return is_alphanumeric(next) || next == '#';
  case '#': return text.find_first_not_of('#', i) == std::string_view::npos;
  default: return false;
  }
}

/// Escapes text for Markdown and puts it on one line, which it does not begin.
std::string plain(std::string_view text) {
  auto const line = one_line(neutral(text));
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (means_something(line, i)) out += '\\';
    out += line[i];
  }
  return out;
}

/// Escapes the first character of HTML tags and of pictures.
std::string without_html(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char const next = i + 1 < line.size() ? line[i + 1] : ' ';
    bool const tag = line[i] == '<' && (is_letter(next) || next == '/' || next == '!' || next == '?');
    bool const picture = line[i] == '!' && next == '[';
    out += tag ? "&lt;" : picture ? "!\\" : std::string(1, line[i]);
  }
  return out;
}

std::size_t run_of(std::string_view line, char c) { return std::min(line.find_first_not_of(c), line.size()); }

/// Knows whether a line is code: only fences at the very beginning of a line are certain. Behind a line that
/// may open or close a block elsewhere (indented, or in a list or a quote) nothing is certain.
class Fences {
 public:
  bool is_code(std::string_view line) {
    if (may_be_fence(line)) is_certain_ = false;
    if (!is_certain_) return false;
    char const mark = line.empty() ? ' ' : line.front();
    std::size_t const length = mark == '`' || mark == '~' ? run_of(line, mark) : 0;
    if (open_ == 0) {
      bool const opens = length >= 3 && (mark == '~' || line.find('`', length) == std::string_view::npos);
      if (opens) open_ = length, mark_ = mark;
      return opens;
    }
    bool const blank_behind = line.find_first_not_of(" \t", length) == std::string_view::npos;
    if (mark == mark_ && length >= open_ && blank_behind) open_ = 0;
    return true;
  }

 private:
  bool may_be_fence(std::string_view line) const {
    auto const begin = std::min(line.find_first_not_of(" \t"), line.size());
    auto const rest = line.substr(begin);
    if (open_ != 0) return begin != 0 && (rest.substr(0, 3) == "```" || rest.substr(0, 3) == "~~~");
    auto const behind = line.substr(std::max(run_of(line, '`'), run_of(line, '~')));
    return behind.find("```") != std::string_view::npos || behind.find("~~~") != std::string_view::npos;
  }

  std::size_t open_ = 0;
  char mark_ = ' ';
  bool is_certain_ = true;
};

template <class F> void for_lines(std::string_view text, F&& each) {
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string block_quoted(std::string_view text) {
  std::string out;
  Fences fences;
  for_lines(neutral(unix_lines(text)), [&](std::string_view line) {
    bool const code = fences.is_code(line);
    out += line.empty() ? ">\n" : fmt::format("> {}\n", code ? std::string(line) : without_html(line));
  });
  return out + "\n";
}

/// Writes any text as a code block.
std::string fenced(std::string_view text, char const* language) {
  auto const safe = neutral(unix_lines(text));
  std::size_t longest = 2, run = 0;
  for (char const c : safe) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  std::string const fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}{}\n\n", fence, language, safe,
                     safe.empty() || safe.back() == '\n' ? "" : "\n", fence);
}

class Markdown final : public ExportFormat {
 public:
  Markdown(Sink sink, bool thinking) : sink_(std::move(sink)), thinking_(thinking) {}

  void begin(sk::SessionInfo const& info) override {
    auto const title = info.display_title(120);
    sink_(fmt::format("# {}\n\n", plain(title.empty() ? info.id.str() : title)));
    for (auto const& [name, value] : {std::pair<char const*, std::string>{"session", info.id.str()},
                                      {"key", info.key},
                                      {"agent", info.agent},
                                      {"user", info.user},
                                      {"created", sk::to_rfc3339(info.created)},
                                      {"model", info.model}})
      if (!value.empty()) sink_(fmt::format("- {}: {}\n", name, plain(value)));
  }

  void entry(Record const& record) override {
    auto const& entry = record.entry;
    auto const* const message = entry.as<sk::Message>();
    auto const words = message == nullptr ? summary_of(entry) : std::string();
    if (message == nullptr && words.empty()) return;
    sink_(fmt::format("\n## {} · {}\n\n", plain(in_words(speaker_of(entry, std::string(record.type)))),
                      sk::to_rfc3339(entry.at)));
    if (message == nullptr) return sink_(block_quoted(words));
    for (auto const& part : message->parts) std::visit([this](auto const& it) { say(it); }, part);
  }

  void end() override {}

 private:
  void say(sk::Text const& it) { sink_(block_quoted(it.text)); }
  void say(sk::Thinking const& it) {
    if (thinking_) sink_("*thinking*\n\n" + block_quoted(it.redacted ? "[redacted]" : it.text));
  }
  void say(sk::Image const& it) {
    auto const uri = data_uri(it);
    sink_(uri.empty() ? fmt::format("*{}*\n\n", plain(name_of(it)))
                      : fmt::format("![{}]({})\n\n", plain(name_of(it)), uri));
  }
  void say(sk::ToolUse const& it) {
    sink_(fmt::format("*calls {}*\n\n", plain(it.name)) + fenced(it.input.str(), "json"));
  }
  void say(sk::ToolResult const& it) {
    sink_(fmt::format("*{} {}*\n\n", it.is_error ? "error of" : "result of", plain(it.tool_name)));
    for (auto const& piece : it.content)
      if (auto const* const text = std::get_if<sk::Text>(&piece))
        sink_(fenced(text->text, ""));
      else if (auto const* const image = std::get_if<sk::Image>(&piece))
        say(*image);
      else
        say(std::get<sk::Opaque>(piece));
  }
  void say(sk::Opaque const& it) { sink_(fmt::format("*{}*\n\n", plain("[" + it.type + "]"))); }

  Sink sink_;
  bool thinking_;
};

}

std::unique_ptr<ExportFormat> make_markdown(Sink sink, bool thinking) {
  return std::make_unique<Markdown>(std::move(sink), thinking);
}

}
