// SPDX-License-Identifier: MIT
// Transcripts like those of coding agents, made without the library: pi's lines, of prose, code, thinking,
// calls and results, with CJK, emoji and escapes in them. Of the lines one in ten is shorter than 0.15 kB,
// half are shorter than 2 kB, one in ten is longer than 7 kB, none than 20 kB.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit_bench {

/// Some turns whose entry ids are blanks: the same turns fill a file of any length, each time with ids of
/// their own.
class Turns {
 public:
  explicit Turns(std::uint64_t seed) : random_(seed) {}

  /// The user asks, the model thinks and calls tools, they answer, the model answers.
  void add_turn();
  /// Keeps from the first entry of the turn that began `bytes` or more ago.
  void add_compaction(std::size_t bytes);

  std::string const& bytes() const noexcept { return bytes_; }
  std::uint32_t entries() const noexcept { return entries_; }
  /// The beginning of the first line that the compaction keeps.
  std::size_t kept_begin() const noexcept { return kept_begin_; }

  /// The lines with ids from `first` on; the parent of the first is `parent`, or nothing.
  std::string_view stamped(std::uint32_t first, std::string_view parent);

 private:
  struct Blank {
    std::size_t at;
    std::int64_t entry; // of these turns; -1: the one before
  };
  struct Begin {
    std::size_t at;
    std::uint32_t entry;
  };
  void begin_entry(std::string_view type);
  void blank(std::int64_t entry);
  void user();
  void assistant(bool calls);
  void result(std::string const& call, std::string const& name);
  std::string time();
  void words(std::size_t bytes);
  void code(std::size_t bytes);
  void put(std::string_view text) { bytes_ += text; }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::size_t size_between(double low, double high);

  std::mt19937_64 random_;
  std::string bytes_, call_id_, call_name_;
  std::vector<Blank> blanks_;
  std::vector<Begin> begins_; // of turns
  std::uint32_t entries_ = 0;
  std::uint64_t clock_ = 1767600000000; // milliseconds
  std::size_t kept_begin_ = 0;
};

/// The id of the entry with that number: eight hex digits that look random.
std::string entry_id(std::uint32_t number);

/// The header of a made transcript.
inline constexpr std::string_view made_session_id = "6f1d2c3b-0000-4000-8000-000000000001";

struct MadeTranscript {
  std::string path;
  std::uint64_t bytes = 0, kept = 0; ///< of the file; from the first kept entry to its end
  std::uint32_t entries = 0;
};

/// How many bytes a made compaction keeps.
inline constexpr std::size_t kept_tail = 172'000;

/// Writes a file of about `bytes`. `tail`: with a compaction that keeps about this many bytes, the same in
/// any file; 0: without.
MadeTranscript make_transcript(std::string const& path, std::uint64_t bytes, std::size_t tail);

/// Writes a separate session of about `bytes`, with its file named as in pi.
void make_session(std::string const& root, std::size_t number, std::size_t bytes);

/// The appended message: 0.85 kB with escapes and CJK, a line of 1 kB.
std::string message_text();

/// The bytes of a file from an offset on.
std::string read_from(std::string const& path, std::uint64_t offset);

}
