// SPDX-License-Identifier: MIT
// Writes a conversation as one HTML page that needs no other file, loads nothing and runs nothing.
#include "export_format.hpp"
#include "html_text.hpp"

#include <fmt/format.h>

#include <common/text.hpp>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;

namespace {

constexpr std::string_view head = R"(<!doctype html>
<html lang="">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>)";
constexpr std::string_view style = R"(</title>
<style>
:root { color-scheme: light dark; --line: #8884; --quiet: #6b6b6b; --user: #3d7d4e; --assistant: #2f6f96; --tool: #8a651c;
  --comment: #6a737d; --string: #22703c; --number: #954e00; --keyword: #a0266f; --added: #22703c; --deleted: #b3261e }
@media (prefers-color-scheme: dark) { :root { --quiet: #a0a0a0; --user: #7cc08c; --assistant: #79b8dc; --tool: #d6b06a;
  --comment: #8b949e; --string: #8ad19a; --number: #f0b072; --keyword: #f2a0cf; --added: #8ad19a; --deleted: #ff9a92 } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
header dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--quiet) }
header dd { margin: 0; overflow-wrap: anywhere }
article { border-left: 3px solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1.2rem 0 }
article.user { border-color: var(--user) } article.assistant { border-color: var(--assistant) }
article.tool { border-color: var(--tool) } article:target { background: #8882 }
h2 { font-size: 1rem; margin: 0 } h2 time { font-weight: normal; color: var(--quiet); margin-left: .5rem }
.user h2 { color: var(--user) } .assistant h2 { color: var(--assistant) } .tool h2 { color: var(--tool) }
.text, pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 } .markdown { overflow-wrap: anywhere }
.markdown h3, .markdown h4, .markdown h5, .markdown h6 { font-size: 1rem; margin: .8rem 0 .2rem }
.markdown p, .markdown ul, .markdown ol, .markdown blockquote { margin: .4rem 0 }
blockquote { border-left: 2px solid var(--line); padding-left: .8rem; color: var(--quiet) }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { border: 1px solid var(--line); padding: .2rem .6rem; text-align: left }
code { font: .9em/1.4 ui-monospace, monospace } pre { font: .85rem/1.4 ui-monospace, monospace; max-height: 30rem; overflow: auto;
  background: #8881; padding: .5rem .7rem; border-radius: 4px }
.hc { color: var(--comment) } .hs { color: var(--string) } .hn { color: var(--number) } .hk { color: var(--keyword) }
.ha { color: var(--added) } .hd { color: var(--deleted) }
summary, .quiet { color: var(--quiet) } img { max-width: 100% } nav ol { padding-left: 1.6rem } nav li { margin: .2rem 0 }
nav a { color: inherit } nav a:not(:hover) { text-decoration: none }
@media (min-width: 84rem) { body > header, main { margin-right: 0 } #to-contents { display: none }
  nav { position: fixed; top: 1rem; left: calc(50% + 26rem); width: 15rem; max-height: 95vh; overflow: auto; font-size: .85rem } }
@media print { details > * { display: block } pre { max-height: none } nav { display: none } }
</style>
</head>
<body>
)";

/// The class of an article that is not a message.
char const* class_of(std::string const& speaker) {
  for (char const* const known : {"user", "assistant", "tool", "system"})
    if (speaker == known) return known;
  return "other";
}

std::string folded_away(std::string const& title, std::string_view content, char const* language = "") {
  return fmt::format("<details><summary>{}</summary><pre><code>{}</code></pre></details>\n",
                     html_escaped(one_line(title)), html_of_code(content, language));
}

/// The fragment of an address that leads to this entry.
std::string fragment_of(std::string const& id) {
  std::string out;
  for (char const c : id) {
    bool const stays = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    out += stays ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// "2025-11-03 08:00 UTC", or "+4 s" after another entry of that day.
std::string when(sk::Timestamp at, sk::Timestamp before) {
  auto const text = sk::to_rfc3339(at);
  bool const same_day =
      before != sk::Timestamp{} && text.substr(0, 10) == sk::to_rfc3339(before).substr(0, 10);
  if (same_day && at >= before) return "+" + span(at - before);
  return text.substr(0, 10) + " " + text.substr(11, 5) + " UTC";
}

class Page final : public ExportFormat {
 public:
  Page(Sink sink, bool thinking) : sink_(std::move(sink)), thinking_(thinking) {}

  void begin(sk::SessionInfo const& info) override {
    auto title = info.display_title(120);
    if (title.empty()) title = info.id.str();
    sink_(head);
    sink_(html_escaped(one_line(title)));
    sink_(style);
    sink_(fmt::format("<header>\n<h1>{}</h1>\n<dl>\n", html_escaped(one_line(title))));
    for (auto const& [name, value] : {std::pair<char const*, std::string>{"session", info.id.str()},
                                      {"key", info.key},
                                      {"agent", info.agent},
                                      {"user", info.user},
                                      {"created", sk::to_rfc3339(info.created)},
                                      {"model", info.model}})
      if (!value.empty()) sink_(fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html_escaped(value)));
    sink_("</dl>\n<p id=\"to-contents\"><a href=\"#contents\">Contents</a></p>\n</header>\n<main>\n");
  }

  void entry(Record const& record) override {
    auto const& entry = record.entry;
    auto const* const message = entry.as<sk::Message>();
    auto const words = message == nullptr ? summary_of(entry) : std::string();
    if (message == nullptr && words.empty()) return;
    auto const speaker = speaker_of(entry, std::string(record.type));
    sink_(fmt::format("<article class=\"{}\" id=\"{}\">\n<h2>{}{}</h2>\n", class_of(speaker),
                      html_escaped(entry.id.str()), html_escaped(in_words(one_line(speaker))),
                      time_of(entry)));
    if (message != nullptr && message->role == sk::Role::user) note(entry.id.str(), message->text());
    is_model_ = message == nullptr || message->role == sk::Role::assistant;
    if (message == nullptr)
      say(sk::Text{words});
    else
      for (auto const& part : message->parts) std::visit([this](auto const& it) { say(it); }, part);
    sink_("</article>\n");
  }

  void end() override {
    sink_("</main>\n<nav id=\"contents\" aria-label=\"Contents\">\n<ol>\n");
    for (auto const& [id, text] : contents_)
      sink_(fmt::format("<li><a href=\"#{}\">{}</a></li>\n", fragment_of(id), html_escaped(text)));
    sink_("</ol>\n");
    if (left_out_ != 0) sink_(fmt::format("<p class=\"quiet\">and {} more</p>\n", left_out_));
    sink_("</nav>\n</body>\n</html>\n");
  }

 private:
  /// The element with the time of an entry, after the entry before it; empty if the time is unknown.
  std::string time_of(sk::Entry const& entry) {
    if (entry.at == sk::Timestamp{}) return {};
    auto const exact = sk::to_rfc3339(entry.at);
    return fmt::format(R"(<time datetime="{0}" title="{0}">{1}</time>)", exact,
                       when(entry.at, std::exchange(before_, entry.at)));
  }

  /// Notes a question for the contents, which follow the conversation: the page is written as it is read.
  void note(std::string const& id, std::string const& text) {
    constexpr std::size_t most = 1000, widest = 60;
    auto const line = cut(one_line(text.substr(0, 500)), widest);
    if (line.find_first_not_of(' ') == std::string::npos) return;
    if (contents_.size() < most)
      contents_.emplace_back(id, line);
    else
      ++left_out_;
  }

  // A person's words are shown as they were typed.
  void say(sk::Text const& it) {
    sink_(is_model_ ? html_of_markdown(it.text)
                    : fmt::format("<div class=\"text\" dir=\"auto\">{}</div>\n", html_escaped(it.text)));
  }
  void say(sk::Thinking const& it) {
    if (thinking_) sink_(folded_away("thinking", it.redacted ? "[redacted]" : it.text));
  }
  void say(sk::Image const& it) {
    auto const uri = data_uri(it), name = html_escaped(name_of(it));
    sink_(uri.empty() ? fmt::format("<p class=\"quiet\">{}</p>\n", name)
                      : fmt::format("<img src=\"{}\" alt=\"{}\">\n", uri, name));
  }
  void say(sk::ToolUse const& it) { sink_(folded_away("calls " + it.name, it.input.str(), "json")); }
  void say(sk::ToolResult const& it) {
    sink_(folded_away((it.is_error ? "error of " : "result of ") + it.tool_name, text_of(it.content)));
    for (auto const& piece : it.content)
      if (auto const* const image = std::get_if<sk::Image>(&piece)) say(*image);
  }
  void say(sk::Opaque const& it) {
    sink_(fmt::format("<p class=\"quiet\">[{}]</p>\n", html_escaped(it.type)));
  }

  Sink sink_;
  bool thinking_;
  bool is_model_ = false;                                          ///< whose words are Markdown
  sk::Timestamp before_ = {};                                      ///< when the last entry was
  std::vector<std::pair<std::string, std::string>> contents_ = {}; ///< ids and beginnings of questions
  std::size_t left_out_ = 0;                                       ///< questions that are not in the contents
};

}

std::unique_ptr<ExportFormat> make_html(Sink sink, bool thinking) {
  return std::make_unique<Page>(std::move(sink), thinking);
}

}
