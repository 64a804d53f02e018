// SPDX-License-Identifier: MIT
#include "agent.hpp"
#include "keep_drafts.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/json.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <llm/wire_json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t id_length = 16; // of `random_entry_id`
constexpr std::string_view suffix = ".draft";
constexpr off_t longest_draft = off_t{1} << 28U;

sk::Error no_draft(char const* why) { return {sk::Errc::corrupt, 0, why}; }

std::optional<sk::Message> message_in(llm::Json const& json) {
  auto const line = sk::to_raw_json(json).str();
  sk::RecordView record;
  std::deque<std::string> unescaped;
  if (!sk::native_dialect().head(line, record, unescaped)) return std::nullopt;
  record.line = line;
  auto const entry = sk::native_dialect().decode(record);
  auto const* const message = entry ? entry->as<sk::Message>() : nullptr;
  return message == nullptr ? std::nullopt : std::optional(*message);
}

sk::Result<DraftHead> head_in(std::string_view line) {
  auto const json = llm::parse_json(line);
  if (!json || llm::count_of(*json, "draft") != 1) return no_draft("its first line is not that of a draft");
  auto const session = sk::SessionId::parse(std::string(llm::text_of(*json, "session")));
  if (!session) return no_draft("it names no session");
  DraftHead head{std::string(llm::text_of(*json, "store")), *session,
                 sk::EntryId(std::string(llm::text_of(*json, "after"))),
                 sk::Position(llm::count_of(*json, "end"))};
  head.made.provider = llm::text_of(*json, "provider");
  head.made.api = llm::text_of(*json, "api");
  head.made.model = llm::text_of(*json, "model");
  for (auto const& each : llm::member(*json, "unsaved")) {
    auto message = message_in(each);
    if (!message) return no_draft("a message in it cannot be read");
    head.unsaved.push_back(*std::move(message));
  }
  return head;
}

bool add_piece(sk::MessageBuilder& into, std::string_view line) {
  auto const json = llm::parse_json(line);
  if (!json || !json->is_object()) return false;
  if (json->contains("text"))
    into.text(llm::text_of(*json, "text"));
  else if (json->contains("thinking"))
    into.thinking(llm::text_of(*json, "thinking"));
  else if (json->contains("call"))
    into.begin_tool_use(std::string(llm::text_of(*json, "call")), std::string(llm::text_of(*json, "name")));
  else if (json->contains("input"))
    into.tool_input(llm::text_of(*json, "input"));
  else
    return false;
  return true;
}

/// A draft that is read. Closing it gives up its lock.
class OpenDraft {
 public:
  explicit OpenDraft(std::string const& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  bool is_open() const noexcept { return static_cast<bool>(file_); }
  /// False while its writer lives, or if it was removed.
  bool lock() const {
    struct stat found {};
    return ::flock(file_.fd(), LOCK_EX | LOCK_NB) == 0 && ::fstat(file_.fd(), &found) == 0
           && found.st_nlink != 0;
  }
  /// True if it is a file of this user, under one name.
  bool is_own() const {
    struct stat found {};
    return ::fstat(file_.fd(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid()
           && found.st_nlink == 1 && found.st_size <= longest_draft;
  }
  std::optional<std::string> text() const {
    std::string all;
    char buffer[1U << 16U];
    for (;;) {
      auto const count = ::read(file_.fd(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return std::nullopt;
      if (count == 0) return all;
      all.append(buffer, static_cast<std::size_t>(count));
    }
  }

 private:
  Descriptor file_;
};

/// The session that the name of a draft has; absent if it is no name of a draft of this store.
std::optional<sk::SessionId> session_in(std::string_view name, std::string_view prefix) {
  auto const rest = id_length + 1 + suffix.size();
  if (name.size() <= prefix.size() + rest || name.substr(0, prefix.size()) != prefix) return std::nullopt;
  if (name.substr(name.size() - suffix.size()) != suffix || name[name.size() - rest] != '-')
    return std::nullopt;
  auto const id = sk::SessionId::parse(name.substr(prefix.size(), name.size() - prefix.size() - rest));
  return id ? std::optional(*id) : std::nullopt;
}

template <class Each> void for_each_draft(DraftPlace const& place, Each const& each) {
  if (place.folder.empty()) return;
  auto const prefix = draft_prefix(place);
  std::error_code error;
  for (fs::directory_iterator it(place.folder, error), end; !error && it != end; it.increment(error))
    if (auto const id = session_in(it->path().filename().string(), prefix)) each(*id, it->path());
}

/// The files of a session, newest first: a turn's last draft has what those before it have.
std::vector<std::string> drafts_of(DraftPlace const& place, sk::SessionId const& wanted) {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  for_each_draft(place, [&](sk::SessionId const& id, fs::path const& path) {
    std::error_code ignored;
    if (id == wanted) found.emplace_back(fs::last_write_time(path, ignored), path.string());
  });
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> paths;
  paths.reserve(found.size());
  for (auto& [at, path] : found) paths.push_back(std::move(path));
  return paths;
}

/// The messages that the log has after a position.
sk::Result<std::vector<sk::Message>> messages_after(sk::SessionStore& store, sk::SessionId const& id,
                                                    sk::Position from) {
  std::vector<sk::Message> found;
  sk::ReadRange range;
  range.from = from;
  for (;;) {
    auto const page = store.read(id, range);
    if (!page) return page.error();
    for (auto const& item : page->items())
      if (auto const entry = sk::decode(*page, item))
        if (auto const* const message = entry->as<sk::Message>()) found.push_back(*message);
    if (!page->more) return found;
    range.from = page->next;
  }
}

bool is_of_user(sk::Message const& message) { return message.role == sk::Role::user; }

/// True if the messages after the draft's place have its answer: before any message of the user that the
/// draft does not know.
bool has_answer(std::vector<sk::Message> const& messages, ReadDraft const& draft) {
  auto const text = draft.answer.text();
  auto const& unsaved = draft.head.unsaved;
  auto asked = std::count_if(unsaved.begin(), unsaved.end(), is_of_user);
  for (auto const& each : messages) {
    if (is_of_user(each) && asked-- == 0) return false;
    if (each.role == sk::Role::assistant && each.text().compare(0, text.size(), text) == 0) return true;
  }
  return false;
}

sk::Result<void> store_cut(sk::Session& session, ReadDraft const& draft) {
  if (session.leaf() != draft.head.after)
    if (auto const moved = session.rewind(draft.head.after);
        !moved && moved.error().code != sk::Errc::unsupported && moved.error().code != sk::Errc::not_found)
      return moved.error();
  try {
    auto turn = session.begin_turn();
    for (auto const& message : draft.head.unsaved) turn.append(message).value();
    if (!draft.answer.parts.empty()) turn.append(draft.answer).value();
    refuse_calls(turn, draft.answer);
    return turn.commit();
  } catch (sk::Exception const& refused) { return refused.error(); }
}

enum class Outcome { kept, known };

sk::Result<Outcome> keep(std::shared_ptr<sk::SessionStore> const& store, ReadDraft const& draft) {
  auto const& id = draft.head.session;
  if (draft.answer.parts.empty() && draft.head.unsaved.empty()) return Outcome::known; // nothing was said
  auto const said = messages_after(*store, id, draft.head.end);
  if (!said) return said.error();
  if (has_answer(*said, draft)) return Outcome::known;
  if (!said->empty()) return sk::Error{sk::Errc::conflict, 0, "the conversation went on without it"};
  auto session = sk::Session::open(store, id);
  if (!session) return session.error();
  if (auto const stored = store_cut(*session, draft); !stored) return stored.error();
  return Outcome::kept;
}

sk::Result<Outcome> keep_file(OpenDraft const& file, DraftPlace const& place,
                              std::shared_ptr<sk::SessionStore> const& store, sk::SessionId const& id) {
  if (!file.is_own()) return no_draft("it is not a file that this user wrote");
  auto const text = file.text();
  if (!text) return sk::Error{sk::Errc::io_error, errno, "it cannot be read"};
  if (text->empty()) return Outcome::known; // its process was killed before it wrote a word
  auto const draft = read_draft(*text);
  if (!draft) return draft.error();
  if (draft->head.store != place.store || draft->head.session != id)
    return no_draft("it belongs to another store or session");
  return keep(store, *draft);
}

}

sk::Result<ReadDraft> read_draft(std::string_view text) {
  std::optional<DraftHead> head;
  sk::MessageBuilder answer;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    auto const line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (head && !add_piece(answer, line)) return no_draft("a line in it is damaged");
    if (head) continue;
    auto read = head_in(line);
    if (!read) return read.error();
    head = *std::move(read);
  }
  if (!head) return no_draft("its first line is not that of a draft");
  auto made = head->made;
  made.stop = sk::StopReason::aborted;
  return ReadDraft{*std::move(head), std::move(answer).finish(std::move(made))};
}

KeptDrafts keep_drafts(DraftPlace const& place, std::shared_ptr<sk::SessionStore> const& store,
                       sk::SessionId const& id) {
  KeptDrafts done;
  for (auto const& path : drafts_of(place, id)) {
    OpenDraft const file(path);
    if (file.is_open() && !file.lock()) continue; // its writer lives, or another process keeps it
    auto const kept = file.is_open() ? keep_file(file, place, store, id) : no_draft("it cannot be opened");
    if (!kept) {
      done.problems.push_back("the draft " + path + " was not used, and stays: " + kept.error().message);
      continue;
    }
    if (*kept == Outcome::kept) ++done.kept;
    ::unlink(path.c_str());
  }
  return done;
}

bool has_draft(DraftPlace const& place, sk::SessionId const& id) { return !drafts_of(place, id).empty(); }

std::vector<sk::SessionId> sessions_with_drafts(DraftPlace const& place) {
  std::vector<sk::SessionId> found;
  for_each_draft(place, [&](sk::SessionId const& id, fs::path const& /*path*/) { found.push_back(id); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}
