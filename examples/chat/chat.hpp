// SPDX-License-Identifier: MIT
#pragma once
#include "request_log.hpp"
#include "scripted_model.hpp"
#include "tools.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>

namespace chat {

struct Options {
  std::string store;               ///< directory of the sessions
  std::string key = "chat";        ///< the newest session of this key is continued
  std::string folder = CHAT_FILES; ///< what the tool may read
  std::size_t window = 200000;     ///< of the model, in tokens
  std::string requests;            ///< a file that takes each request as a line; empty: none
  bool slow = false;               ///< let the stream be seen
};

/// A conversation at the terminal: what is typed goes to the model, what anybody says goes to the store.
/// Functions throw `sessionkit::Exception` and `BadRequest`.
class Chat {
 public:
  explicit Chat(Options options);

  /// Says which session this is and how much of it there is.
  void greet();

  /// Takes one typed line, a message or a `/command`; false: the person wants to leave.
  bool take(std::string const& line);

  /// Goes on with a transcript file, whoever wrote it.
  void open_file(std::string const& path);

 private:
  void exchange(std::string const& line);
  sessionkit::Message answer();
  sessionkit::Message stream_answer();
  sessionkit::CompactionOutcome compact(sessionkit::CompactionReason reason);

  void show_history();
  void list_sessions();
  void start_session();
  void switch_to(std::string const& name);

  Options options_;
  std::shared_ptr<sessionkit::SessionStore> store_;
  sessionkit::Session session_;
  sessionkit::Target target_;
  sessionkit::CompactionPolicy policy_;
  ScriptedModel model_;
  ReadFile tool_;
  RequestLog requests_; ///< of this process and session
  std::ofstream requests_file_;
};

}
