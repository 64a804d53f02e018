// SPDX-License-Identifier: MIT
#pragma once
#include "pager.hpp"
#include "platform.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <common/failure.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

using Json = nlohmann::ordered_json;

/// The size of the terminal at stdout; missing values come from $COLUMNS, $LINES, or 80 by 24.
Screen screen_of_stdout();

struct OutputStyle {
  bool json = false;  ///< one JSON document on stdout; errors as objects on stderr
  bool plain = false; ///< as if stdout were not a terminal
  bool raw = false;   ///< content byte for byte
  bool quiet = false; ///< no notices
  bool no_pager = false;
  std::string color = "auto";
};

/// Stdout carries only data; messages for people go to stderr. If stdout cannot be written, the program
/// fails; it never succeeds silently. A pager shows output that is longer than the screen of a terminal.
///
class Console {
 public:
  explicit Console(OutputStyle style);
  ~Console() = default;
  Console(Console const&) = delete;
  Console& operator=(Console const&) = delete;

  bool json() const { return style_.json; }
  /// True if a person looks at stdout: tables are aligned.
  bool pretty() const { return pretty_; }
  /// True if the screen shows colours and more than ASCII.
  bool fancy() const { return pretty_ && colours_; }
  /// The number of columns of the screen.
  std::size_t width() const { return screen_.columns; }

  /// Writes text unchanged.
  void write(std::string_view text);
  /// Writes everything so far, without a pager, so that finished work is visible whatever happens next.
  void flush();
  /// False if a write to stdout failed, so that it is useless to continue.
  bool writable() const { return write_error_ == 0; }
  /// Writes text of a session without anything that a terminal would act on, unless `raw`.
  void content(std::string_view text) { write(shown(text)); }
  /// Returns that text without writing it.
  std::string shown(std::string_view text) const;
  /// One JSON document. `schema` names its shape, as docs/tool.md lists them: "list@1".
  void document(char const* schema, Json const& members);
  /// Writes tab-separated lines. If `pretty`, they are aligned below a heading and cut to the width of the
  /// screen, or, if it is too narrow, written one field a line.
  void table(std::vector<std::string> const& heading, std::vector<std::vector<std::string>> const& rows);
  /// Text in a colour (30 to 37), if colours are wanted.
  std::string coloured(int colour, std::string_view text) const;

  void notice(std::string_view text);
  /// Writes requested output that belongs on stderr, so `--quiet` does not silence it.
  void report(std::string_view line);
  void report_json(Json const& json);
  void show(Failure const& failure);
  /// Shows the progress of a long task with its rate and the time that is left: one line on a terminal, after
  /// half a second; nothing anywhere else. `done == total` removes the line.
  void progress(std::size_t done, std::size_t total, char const* of = "transcripts");
  /// The same for a pass over one transcript, in bytes. If `progress` counts several tasks, the pass is a
  /// part of the task that it last reported; else it has the line for itself.
  void progress_within(std::uint64_t done, std::uint64_t total);

  /// Flushes stdout. Returns `exit`, or the code of a failure to write.
  Exit finish(Exit exit);

 private:
  void put(std::string_view text);
  void release(bool to_pager);
  void to_stderr(std::string_view text);
  void show_progress(double done, double total, char const* of);
  void clear_progress();
  void write_aligned(std::vector<std::vector<std::string>> const& lines,
                     std::vector<std::size_t> const& widths);

  OutputStyle style_;
  bool pretty_;
  bool colours_;
  Screen screen_;
  Pager pager_ = {};
  bool holds_; // output is held until it is known to fit the screen
  std::string held_ = {};
  std::string late_ = {}; // for stderr, after stdout is on the screen
  int write_error_ = 0;
  std::chrono::steady_clock::time_point begun_ = {}, shown_ = {}; // of progress
  bool shows_progress_ = false;
  struct {
    std::size_t done = 0, total = 0;
    char const* of = "";
  } tasks_ = {};                                   // as `progress` last reported them
  std::optional<std::uint64_t> done_in_pass_ = {}; // as `progress_within` did
};

/// Writes a JSON document whose list is too long for memory: its head, each item as it comes, its tail.
class JsonList {
 public:
  JsonList(Console& console, char const* schema, Json const& head, char const* member);
  void add(Json const& item);
  void finish(Json const& tail = Json::object());

 private:
  Console& console_;
  bool first_ = true;
};

/// Prints each id as soon as its work is done; as JSON they are one document, printed by `finish`.
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
