// SPDX-License-Identifier: MIT
#pragma once
#include "failure.hpp"
#include "pager.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

using Json = nlohmann::ordered_json;

/// A variable of the environment; empty if there is none.
std::string environment(char const* variable);

struct OutputStyle {
  bool json = false;  ///< one JSON document on stdout; errors as objects on stderr
  bool plain = false; ///< as if stdout were no terminal
  bool raw = false;   ///< content byte for byte, even on a terminal
  bool quiet = false; ///< no notices
  bool no_pager = false;
  std::string color = "auto";
};

/// Stdout carries data and nothing else; whatever is said to a person goes to stderr. What cannot be written
/// to stdout makes the program fail, never silently succeed. What is longer than the screen of a terminal is
/// shown by a pager.
class Console {
 public:
  explicit Console(OutputStyle style);
  ~Console() = default;
  Console(Console const&) = delete;
  Console& operator=(Console const&) = delete;

  bool json() const { return style_.json; }
  /// A person looks at stdout: tables are aligned, content is made safe to show.
  bool pretty() const { return pretty_; }
  /// How many columns their screen has.
  std::size_t width() const { return screen_.columns; }

  /// Text as it is.
  void write(std::string_view text);
  /// Hands on what was written so far, without a pager: what is done shows, whatever comes after.
  void flush();
  /// False: stdout took something not, so there is no use in going on.
  bool writable() const { return write_error_ == 0; }
  /// Text out of a session: on a terminal without anything the terminal would act on.
  void content(std::string_view text) { write(shown(text)); }
  /// The same, not yet written.
  std::string shown(std::string_view text) const;
  /// One JSON document. `schema` names its shape, as docs/tool.md lists them: "list@1".
  void document(char const* schema, Json const& members);
  /// Tab-separated lines; aligned below a heading if `pretty`, and cut to the width of the screen, or, where
  /// it is too narrow, one field a line.
  void table(std::vector<std::string> const& heading, std::vector<std::vector<std::string>> const& rows);
  /// Text in a colour (30 to 37), where colours are wanted.
  std::string coloured(int colour, std::string_view text) const;

  void notice(std::string_view text);
  /// Something that was asked for and belongs on stderr, so `--quiet` does not silence it.
  void report(std::string_view line);
  void report_json(Json const& json);
  void show(Failure const& failure);
  /// How far a long task is: one line on a terminal, after half a second; nothing anywhere else.
  void progress(std::size_t done, std::size_t total, char const* of = "transcripts");

  /// Makes sure that stdout took everything: `exit`, or the code of that failure.
  Exit finish(Exit exit);

 private:
  void put(std::string_view text);
  void release(bool to_pager);
  void to_stderr(std::string_view text);
  void write_aligned(std::vector<std::vector<std::string>> const& lines,
                     std::vector<std::size_t> const& widths);

  OutputStyle style_;
  bool pretty_;
  bool colours_;
  Screen screen_;
  Pager pager_ = {};
  bool holds_; // what may turn out to be longer than the screen
  std::string held_ = {};
  std::string late_ = {}; // for stderr, once stdout is on the screen
  int write_error_ = 0;
  std::chrono::steady_clock::time_point told_ = {}; // of progress
  bool tells_progress_ = false;
};

/// A JSON document with a list that is too long to be held: its head, the items as they come, its tail.
class JsonList {
 public:
  JsonList(Console& console, char const* schema, Json const& head, char const* member);
  void add(Json const& item);
  void finish(Json const& tail = Json::object());

 private:
  Console& console_;
  bool first_ = true;
};

/// Ids, each printed as soon as it is true; as JSON they are one document, printed by `finish`.
class IdList {
 public:
  IdList(Console& console, char const* schema, char const* member)
      : console_(console), schema_(schema), member_(member) {}
  void add(std::string const& id);
  void finish();

 private:
  Console& console_;
  char const* schema_;
  char const* member_;
  std::vector<std::string> ids_ = {};
};

/// Shows `about` and asks on the terminal; `Failure` naming `flag` if there is nobody to ask.
bool confirm(std::string const& question, std::string const& flag, std::string const& about = {});

}
