// SPDX-License-Identifier: MIT
// What goes in and out: a conversation as a file, its settings, and what its next request would be.
#include "client_words.hpp"
#include "conversations.hpp"

#include <sessionkit/file_store.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

constexpr std::chrono::seconds between_looks{1}; // at the log of another writer

/// A directory of this process only, with one file in it.
class ImportedFile {
 public:
  explicit ImportedFile(std::string const& text) {
    auto name = (std::filesystem::temp_directory_path() / "chat_host-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return;
    folder_ = name;
    std::ofstream(path(), std::ios::binary) << text << '\n';
  }
  ~ImportedFile() {
    std::error_code failed;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, failed);
  }
  ImportedFile(ImportedFile const&) = delete;
  ImportedFile& operator=(ImportedFile const&) = delete;
  std::string path() const { return folder_ + "/imported.jsonl"; }
  bool is_there() const { return !folder_.empty(); }

 private:
  std::string folder_;
};

bool is_kept(sk::Entry const& entry) {
  return entry.as<sk::Message>() != nullptr || entry.as<sk::TitleChange>() != nullptr;
}

sk::Result<void> add(sk::Session& session, sk::Entry const& entry) {
  sk::AppendOptions how;
  if (entry.at != sk::Timestamp()) how.time = entry.at;
  auto const* const message = entry.as<sk::Message>();
  auto const added =
      message != nullptr ? session.append(*message, how) : session.append_entry(entry.body, how);
  if (!added && added.error().code != sk::Errc::unsupported) return added.error();
  return {};
}

}

sk::Result<std::string> Conversations::export_log(Caller const& caller, sk::SessionId const& id) const {
  if (auto const found = find(caller, id); !found) return found.error();
  std::string text;
  sk::ReadRange range;
  for (;;) {
    auto const page = hosted_.store->read(id, range);
    if (!page) return for_client(page.error());
    for (auto const& item : page->items()) { text.append(item.line).push_back('\n'); }
    range.from = page->next;
    if (!page->more) return text;
  }
}

sk::Result<sk::SessionInfo> Conversations::import_log(Caller const& caller, std::string const& text) {
  sk::Error unknown{sk::Errc::invalid_argument, 0, "this is not a conversation that this server can read"};
  ImportedFile const file(text);
  if (!file.is_there()) return sk::Error{sk::Errc::io_error, 0, "the file cannot be taken"};
  sk::FileStoreOptions how;
  how.read_only = true;
  auto const from = sk::open_transcript(file.path(), how);
  auto const name = from ? sk::transcript_session(**from) : std::nullopt;
  if (!name) return unknown;
  auto const path = sk::load_path(**from, *name);
  if (!path || std::none_of(path->begin(), path->end(), is_kept)) return unknown;

  sk::NewSession about;
  about.agent = hosted_.agent;
  about.user = caller.user;
  about.key = key_of_new(about);
  auto session = sk::Session::create(hosted_.store, about);
  if (!session) return for_client(session.error());
  auto const again = sk::written_again(*path);
  sk::Result<void> added;
  for (std::size_t i = 0; i < path->size() && added; ++i)
    if (!again[i] && is_kept((*path)[i])) added = add(*session, (*path)[i]);
  if (added) added = session->end_turn();
  auto const id = session->id();
  session = sk::Session();
  if (added) return find(caller, id);
  (void)hosted_.store->remove(id); // half of it is none of it
  return for_client(added.error());
}

sk::Result<sk::History> Conversations::next_request(Caller const& caller, sk::SessionId const& id) const {
  auto const info = find(caller, id);
  if (!info) return info.error();
  auto const session = sk::Session::open(hosted_.store, id);
  if (!session) return for_client(session.error());
  auto history = session->history(fit(set_up(hosted_.with, info->state), hosted_).target);
  if (!history) return for_client(history.error());
  return history;
}

sk::Result<sk::Position> Conversations::wait_for_change(Caller const& caller, sk::SessionId const& id,
                                                        sk::Position known,
                                                        std::chrono::seconds patience) const {
  auto const end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    auto const info = find(caller, id);
    if (!info) return info.error();
    bool const over = std::chrono::steady_clock::now() >= end || turns_.is_stopping();
    if (info->end != known || over) return info->end;
    std::this_thread::sleep_for(between_looks);
  }
}

}
