// SPDX-License-Identifier: MIT
#include "draft.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/time.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

std::string json_text(std::string_view text) { return sk::RawJson::string(text).str(); }

std::string variable(char const* name) {
  char const* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing changes it
  return value == nullptr ? "" : value;
}

/// FNV-1a: a name, no protection. The head has the store itself.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

std::string line_of(sk::Message const& message) {
  sk::Entry entry;
  entry.id = sk::EntryId("draft");
  entry.body = message;
  std::string line;
  return sk::native_dialect().encode(entry, line) ? line : std::string();
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// True if the file still has its name: another process may have removed it before it was locked.
bool is_linked(int file) {
  struct stat found {};
  return ::fstat(file, &found) == 0 && found.st_nlink != 0;
}

}

std::string default_draft_folder() {
  auto state = variable("XDG_STATE_HOME");
  if (state.empty() || state.front() != '/') {
    auto const home = variable("HOME");
    if (home.empty()) return {};
    state = home + "/.local/state";
  }
  return state + "/sessionkit/drafts";
}

sk::Result<void> make_draft_folder(std::string const& folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  if (!error && ::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    error = {errno, std::generic_category()};
  if (!error && ::access(folder.c_str(), W_OK | X_OK) != 0) error = {errno, std::generic_category()};
  if (!error) return {};
  return sk::Error{sk::Errc::io_error, error.value(), folder + ": " + error.message()};
}

std::string draft_prefix(DraftPlace const& place) { return fmt::format("{:016x}-", hash_of(place.store)); }

std::string draft_line(DraftHead const& head) {
  std::string unsaved;
  for (auto const& message : head.unsaved) unsaved += (unsaved.empty() ? "" : ",") + line_of(message);
  return fmt::format(
      R"({{"draft":1,"store":{},"session":{},"after":{},"end":{},"provider":{},"api":{},"model":{},"unsaved":[{}]}})"
      "\n",
      json_text(head.store), json_text(head.session.str()), json_text(head.after.str()), head.end.value(),
      json_text(head.made.provider), json_text(head.made.api), json_text(head.made.model), unsaved);
}

std::string draft_line(llm::Event const& event) {
  if (auto const* const text = std::get_if<llm::TextDelta>(&event))
    return R"({"text":)" + json_text(text->text) + "}\n";
  if (auto const* const thinking = std::get_if<llm::ThinkingDelta>(&event))
    return R"({"thinking":)" + json_text(thinking->text) + "}\n";
  if (auto const* const call = std::get_if<llm::ToolUseBegin>(&event))
    return R"({"call":)" + json_text(call->id) + R"(,"name":)" + json_text(call->name) + "}\n";
  if (auto const* const input = std::get_if<llm::ToolInputDelta>(&event))
    return R"({"input":)" + json_text(input->json) + "}\n";
  return {};
}

void DraftWriter::begin(DraftHead head) {
  if (!writes()) return;
  prefix_ = draft_prefix(place_) + head.session.str() + '-';
  head.store = place_.store;
  head_ = draft_line(head);
  failed_ = false;
  // Nothing else has these messages.
  if (place_.at_once && !head.unsaved.empty()) failed_ = !create(std::exchange(head_, {}));
}

void DraftWriter::add(llm::Event const& event) {
  if (!writes() || failed_ || (!file_ && head_.empty())) return;
  auto const line = draft_line(event);
  if (line.empty()) return;
  // What was written stays until the answer is stored, and locked: no other process may take it.
  failed_ = !(head_.empty() ? write_all(file_.fd(), line) : create(std::exchange(head_, {}) + line));
}

// The draft before this one has nothing that this one has not: it goes when this one is there.
bool DraftWriter::create(std::string const& first) {
  constexpr int most_tries = 5; // another process may take the empty file before it is locked
  for (int i = 0; i < most_tries; ++i) {
    auto path = place_.folder + '/' + prefix_ + sk::random_entry_id() + ".draft";
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                           S_IRUSR | S_IWUSR));
    if (!file) return false;
    if (::flock(file.fd(), LOCK_EX) != 0 || !is_linked(file.fd())) continue;
    if (!write_all(file.fd(), first)) return ::unlink(path.c_str()), false;
    if (!path_.empty()) ::unlink(path_.c_str());
    path_ = std::move(path);
    file_ = std::move(file);
    return true;
  }
  return false;
}

void DraftWriter::drop() {
  head_.clear();
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
  file_ = Descriptor();
  failed_ = false;
}

}
