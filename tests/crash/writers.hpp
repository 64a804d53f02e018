// SPDX-License-Identifier: MIT
// Processes that write through a store, and report on a pipe.
#pragma once
#include "support/random.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/session_store.hpp>

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_test {

namespace sk = sessionkit;

/// A child process and its pipe. The child exits with the result of `work`.
class Child {
 public:
  explicit Child(std::function<int(int to_parent)> const& work) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
      ::close(ends[0]);
      int result = 99;
      try {
        result = work(ends[1]);
      } catch (...) {}
      ::_exit(result);
    }
    ::close(ends[1]);
    from_ = ends[0];
  }
  Child(Child&& o) noexcept : pid_(std::exchange(o.pid_, -1)), from_(std::exchange(o.from_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (from_ >= 0) ::close(from_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  pid_t pid() const noexcept { return pid_; }
  void kill(int signal = SIGKILL) const {
    if (pid_ > 0) ::kill(pid_, signal); // -1 would be every process
  }
  /// True if some of its output can be read, or it has ended.
  bool has_words() const {
    pollfd from{from_, POLLIN, 0};
    return ::poll(&from, 1, 0) > 0;
  }
  /// What can be read of its output now, once.
  std::string first_words() const {
    char buffer[4096];
    ssize_t const got = ::read(from_, buffer, sizeof buffer);
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string{};
  }
  /// All of its output; waits until it has ended.
  std::string words() {
    std::string all;
    char buffer[1 << 16];
    for (ssize_t got; (got = ::read(from_, buffer, sizeof buffer)) > 0;)
      all.append(buffer, static_cast<std::size_t>(got));
    return all;
  }
  /// How it ended, as `waitpid` says.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }

 private:
  pid_t pid_ = -1;
  int from_ = -1;
};

/// Written in one piece, because it is shorter than PIPE_BUF; a line cut off by the end of the process does
/// not count.
inline void say(int to, std::string const& line) {
  std::string const text = line + "\n";
  if (::write(to, text.data(), text.size()) != static_cast<ssize_t>(text.size())) ::_exit(98);
}

/// Appends to a session that others append to as well: finds its end, tries, finds it again.
class SharedWriter {
 public:
  SharedWriter(sk::SessionStore& store, std::string const& name)
      : store_(store), name_(name), id_(sk::SessionId::parse(name).value()) {}

  std::int64_t conflicts = 0;

  /// Tries until it is stored, or another error occurs.
  sk::Result<sk::Position> append(std::string const& entry, std::string const& text, bool durable = false) {
    std::string const line = message_line(entry, "", text);
    for (;;) {
      if (!known_) look();
      std::vector<std::string> lines{line};
      if (end_ == sk::Position{}) lines.insert(lines.begin(), header_line(name_));
      Batch batch(lines, end_, durable);
      batch.append.expected_crc = crc_;
      auto const answer = store_.append(id_, batch);
      if (answer) {
        end_ = *answer;
        crc_ = sk::detail::crc32c(line);
        return answer;
      }
      sk::Errc const code = answer.error().code;
      known_ = false;
      if (code == sk::Errc::outcome_unknown) known_ = true; // the same again
      if (code != sk::Errc::conflict && code != sk::Errc::already_exists && code != sk::Errc::timed_out
          && code != sk::Errc::outcome_unknown)
        return answer;
      ++conflicts;
    }
  }

 private:
  void look() {
    sk::ReadRange last;
    last.order = sk::ReadRange::newest_first;
    last.max_records = 1;
    last.max_bytes = 1;
    auto const page = store_.read(id_, last);
    end_ = {};
    crc_.reset();
    known_ = true;
    if (!page) return;
    end_ = page->log_end;
    if (!page->items().empty()) crc_ = sk::detail::crc32c(page->items().front().line);
  }

  sk::SessionStore& store_;
  std::string name_;
  sk::SessionId id_;
  sk::Position end_ = {};
  std::optional<std::uint32_t> crc_ = {};
  bool known_ = false;
};

/// All entries of a session in order, and how much damage was skipped. Torn lines are not included.
struct Found {
  std::vector<std::string> ids;
  std::size_t damage = 0;
  std::unordered_map<std::string, int> count() const {
    std::unordered_map<std::string, int> all;
    for (std::string const& id : ids) ++all[id];
    return all;
  }
};
inline Found find_all(sk::SessionStore& store, std::string const& name) {
  Found found;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store.read(sk::SessionId::parse(name).value(), range);
    if (!page) break;
    for (auto const& item : page->items())
      if (item.type == "message") found.ids.emplace_back(item.id);
    found.damage += page->damage.size();
    more = page->more;
    range.from = page->next;
  }
  return found;
}

}
