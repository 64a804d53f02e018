// SPDX-License-Identifier: MIT
#pragma once
#include "failure.hpp"

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
  std::string color = "auto";
};

/// Stdout carries data and nothing else; whatever is said to a person goes to stderr. What cannot be written
/// to stdout makes the program fail, never silently succeed.
class Console {
 public:
  explicit Console(OutputStyle style);

  bool json() const { return style_.json; }
  /// A person looks at stdout: tables are aligned, content is made safe to show.
  bool pretty() const { return pretty_; }

  /// Text as it is.
  void write(std::string_view text);
  /// Hands on what was written so far: what is done shows, whatever comes after.
  void flush();
  /// False: stdout took something not, so there is no use in going on.
  bool writable() const { return write_error_ == 0; }
  /// Text out of a session: on a terminal without anything the terminal would act on.
  void content(std::string_view text);
  /// One JSON document.
  void document(Json const& json);
  /// Tab-separated lines; aligned below a heading if `pretty`.
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
  OutputStyle style_;
  bool pretty_;
  bool colours_;
  int write_error_ = 0;
  std::chrono::steady_clock::time_point told_ = {}; // of progress
  bool tells_progress_ = false;
};

/// Shows `about` and asks on the terminal; `Failure` naming `flag` if there is nobody to ask.
bool confirm(std::string const& question, std::string const& flag, std::string const& about = {});

}
