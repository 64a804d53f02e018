// SPDX-License-Identifier: MIT
// export: a readable conversation, the unchanged lines of a session, or the files of another program.
#include "export_format.hpp"
#include "handing_over.hpp"
#include "hiding.hpp"
#include "new_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <optional>
#include <string>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

/// Writes every line of the log, on all branches, as a transcript.
class RawLines final : public ExportFormat {
 public:
  explicit RawLines(Sink sink) : sink_(std::move(sink)) {}
  void begin(sk::SessionInfo const&) override {}
  void entry(Record const& record) override {
    sink_(record.line);
    sink_("\n");
  }
  void end() override {}

 private:
  Sink sink_;
};

std::unique_ptr<ExportFormat> make_lines(Sink sink, bool) {
  return std::make_unique<RawLines>(std::move(sink));
}

struct Format {
  char const* name;
  char const* extension;
  bool of_path; ///< only entries that lead to the leaf; else all
  std::unique_ptr<ExportFormat> (*make)(Sink, bool);
};
constexpr Format formats[] = {{"markdown", ".md", true, make_markdown},
                              {"html", ".html", true, make_html},
                              {"jsonl", ".jsonl", false, make_lines}};

bool ends_with(std::string const& text, std::string const& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Markdown in a file with one of these names would not open in the programs of these names.
void refuse_other_formats(Arguments const& args) {
  if (args.to || !args.output) return;
  for (char const* const extension : {".pdf", ".docx", ".odt"})
    if (ends_with(*args.output, extension))
      throw Failure{Exit::usage, "invalid_argument", fmt::format("-o: export writes no {} files", extension),
                    "write a page, and print it in a browser: -o FILE.html"};
}

/// The requested format, or that of the file's name.
Format const& format_of(Arguments const& args) {
  for (auto const& format : formats)
    if (args.to ? *args.to == format.name : args.output && ends_with(*args.output, format.extension))
      return format;
  return formats[0];
}

std::optional<std::string> file_to_write(Console& console, Arguments const& args) {
  bool const to_stdout = !args.output || *args.output == "-";
  if (args.output && args.output->empty())
    throw Failure{Exit::usage, "invalid_argument", "-o: the file's name is empty",
                  "name a file, or -: standard output"};
  if (to_stdout && console.json())
    throw Failure{Exit::usage, "invalid_argument", "standard output is used for the JSON document",
                  "name a file: -o FILE"};
  return to_stdout ? std::nullopt : args.output;
}

}

std::string name_of(sk::Image const& image) {
  auto const* const url = std::get_if<sk::Url>(&image.source);
  auto const* const blob = std::get_if<sk::BlobRef>(&image.source);
  return "[" + (image.media_type.empty() ? "image" : image.media_type)
         + (url != nullptr ? " " + url->url : "") + (blob != nullptr ? " " + blob->digest : "") + "]";
}

std::string data_uri(sk::Image const& image) {
  constexpr std::string_view shown[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
  constexpr std::string_view base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  auto const* const bytes = std::get_if<sk::Base64>(&image.source);
  bool const known = std::find(std::begin(shown), std::end(shown), image.media_type) != std::end(shown);
  if (bytes == nullptr || !known || bytes->data.find_first_not_of(base64) != std::string::npos) return {};
  return fmt::format("data:{};base64,{}", image.media_type, bytes->data);
}

Exit export_session(Console& console, Arguments const& args) {
  if (args.to)
    if (auto const* const exporter = sk::find_exporter(sk::known_exporters(), *args.to))
      return hand_over(console, args, *exporter);
  auto const path = file_to_write(console, args);
  refuse_other_formats(args);
  auto const& format = format_of(args);
  if (!format.of_path && args.leaf)
    throw Failure{Exit::usage, "invalid_argument", "--leaf: jsonl has all lines, on all branches",
                  "make a session of that branch first: sessionkit fork SESSION --at ENTRY"};
  auto const named = find_session(console, args, *args.session);
  auto const leaf = leaf_of(named, args);
  auto const info = named.store->info(named.id).value();
  auto const on_path = format.of_path ? path_of(named, *args.session, leaf) : Path{};
  std::optional<NewFile> file;
  if (path) file.emplace(*path);
  auto const writer = format.make(
      [&](std::string_view text) {
        if (file)
          file->write(text);
        else if (console.pretty())
          console.content(text);
        else
          console.write(text);
      },
      args.thinking);
  std::size_t entries = 0;
  auto const write = [&](Record const& record) {
    bool const is_left_out = record.again || (!args.hidden && is_hidden(record.entry));
    if (!is_left_out || !format.of_path) writer->entry(record), ++entries;
    console.progress(entries, info.entries + 1, "entries");
    return console.writable();
  };
  writer->begin(info);
  auto const damaged =
      format.of_path ? for_each_on(on_path, named, write) : for_each_record(*named.store, named.id, write);
  writer->end();
  if (file) file->finish();
  console.progress(1, 1, "entries");
  if (path && console.json())
    console.document("export@1", {{"session", named.id.str()},
                                  {"format", format.name},
                                  {"file", *path},
                                  {"entries", entries},
                                  {"damaged", damaged}});
  else if (path)
    console.content(*path + "\n");
  notice_damage(console, *args.session, damaged);
  if (path && !format.of_path)
    console.notice("to take it into another store or machine: sessionkit import " + shell_word(*path));
  if (!path && console.pretty())
    console.notice(fmt::format("to write a file instead: sessionkit export {} -o FILE{}{}",
                               shell_word(*args.session), format.extension, store_again(args)));
  return Exit::ok;
}

}
