// SPDX-License-Identifier: MIT
// Writes a conversation as one HTML page that needs no other file, loads nothing and runs nothing.
#include "export_format.hpp"

#include <fmt/format.h>

#include <common/text.hpp>
#include <string>
#include <utility>

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
:root { color-scheme: light dark; --line: #8884; --quiet: #777; --user: #4a8f5c; --assistant: #3d7ea6; --tool: #a07a2c }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
header dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--quiet) }
header dd { margin: 0; overflow-wrap: anywhere }
article { border-left: 3px solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1.2rem 0 }
article.user { border-color: var(--user) } article.assistant { border-color: var(--assistant) }
article.tool { border-color: var(--tool) }
h2 { font-size: 1rem; margin: 0 } h2 time { font-weight: normal; color: var(--quiet); margin-left: .5rem }
.text, pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 }
pre { font: .85rem/1.4 ui-monospace, monospace; max-height: 30rem; overflow: auto }
summary, .quiet { color: var(--quiet) } img { max-width: 100% }
@media print { details > * { display: block } pre { max-height: none } }
</style>
</head>
<body>
)";

/// Text for elements and attributes.
std::string escaped(std::string_view text) {
  std::string out;
  for (char const c : neutral(unix_lines(text))) switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
    }
  return out;
}

/// The class of an article that is not a message.
char const* class_of(std::string const& speaker) {
  for (char const* const known : {"user", "assistant", "tool", "system"})
    if (speaker == known) return known;
  return "other";
}

std::string folded_away(std::string const& title, std::string_view content) {
  return fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", escaped(one_line(title)),
                     escaped(content));
}

class Page final : public ExportFormat {
 public:
  Page(Sink sink, bool thinking) : sink_(std::move(sink)), thinking_(thinking) {}

  void begin(sk::SessionInfo const& info) override {
    auto title = info.display_title(120);
    if (title.empty()) title = info.id.str();
    sink_(head);
    sink_(escaped(one_line(title)));
    sink_(style);
    sink_(fmt::format("<header>\n<h1>{}</h1>\n<dl>\n", escaped(one_line(title))));
    for (auto const& [name, value] : {std::pair<char const*, std::string>{"session", info.id.str()},
                                      {"key", info.key},
                                      {"agent", info.agent},
                                      {"user", info.user},
                                      {"created", sk::to_rfc3339(info.created)},
                                      {"model", info.model}})
      if (!value.empty()) sink_(fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value)));
    sink_("</dl>\n</header>\n<main>\n");
  }

  void entry(Record const& record) override {
    auto const& entry = record.entry;
    auto const* const message = entry.as<sk::Message>();
    auto const words = message == nullptr ? summary_of(entry) : std::string();
    if (message == nullptr && words.empty()) return;
    auto const speaker = speaker_of(entry, std::string(record.type));
    auto const at = sk::to_rfc3339(entry.at);
    sink_(fmt::format("<article class=\"{}\" id=\"{}\">\n<h2>{}<time datetime=\"{}\">{}</time></h2>\n",
                      class_of(speaker), escaped(entry.id.str()), escaped(one_line(speaker)), at, at));
    if (message == nullptr)
      say(sk::Text{words});
    else
      for (auto const& part : message->parts) std::visit([this](auto const& it) { say(it); }, part);
    sink_("</article>\n");
  }

  void end() override { sink_("</main>\n</body>\n</html>\n"); }

 private:
  void say(sk::Text const& it) {
    sink_(fmt::format("<div class=\"text\" dir=\"auto\">{}</div>\n", escaped(it.text)));
  }
  void say(sk::Thinking const& it) {
    if (thinking_) sink_(folded_away("thinking", it.redacted ? "[redacted]" : it.text));
  }
  void say(sk::Image const& it) {
    auto const uri = data_uri(it), name = escaped(name_of(it));
    sink_(uri.empty() ? fmt::format("<p class=\"quiet\">{}</p>\n", name)
                      : fmt::format("<img src=\"{}\" alt=\"{}\">\n", uri, name));
  }
  void say(sk::ToolUse const& it) { sink_(folded_away("calls " + it.name, it.input.str())); }
  void say(sk::ToolResult const& it) {
    sink_(folded_away((it.is_error ? "error of " : "result of ") + it.tool_name, text_of(it.content)));
    for (auto const& piece : it.content)
      if (auto const* const image = std::get_if<sk::Image>(&piece)) say(*image);
  }
  void say(sk::Opaque const& it) { sink_(fmt::format("<p class=\"quiet\">[{}]</p>\n", escaped(it.type))); }

  Sink sink_;
  bool thinking_;
};

}

std::unique_ptr<ExportFormat> make_html(Sink sink, bool thinking) {
  return std::make_unique<Page>(std::move(sink), thinking);
}

}
