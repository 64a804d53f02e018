// SPDX-License-Identifier: MIT
#pragma once
#include "completion.hpp"
#include "markdown.hpp"
#include "options.hpp"
#include "request_log.hpp"
#include "terminal.hpp"

#include <sessionkit/sessionkit.hpp>

#include <agent/agent.hpp>
#include <agent/deferred_store.hpp>
#include <agent/keep_drafts.hpp>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace chat {

/// A conversation at the terminal: typed lines go to the model, all messages go to the store.
/// Functions throw `sessionkit::Exception`, and `std::runtime_error` for errors of the user.
class Chat {
 public:
  /// Opens the session that the options name. `interactive`: a person is typing.
  Chat(Options options, bool interactive);

  /// Prints the session's name and length, and to a person the end of what was said. `known`: the person
  /// asked for this session.
  void greet(bool known);

  /// Prints which model answers, and what to try.
  void introduce() const;

  /// Sends one message and prints the answer only, or its events as lines of JSON, as the options say.
  void ask(std::string const& text);

  /// What may replace the last word, or the words after a command, of a line that is being typed.
  Completions completions(std::string const& before) const;
  /// The text with which the next line begins, as a command asked; empty afterwards.
  std::string take_draft() { return std::exchange(draft_, {}); }

  /// Stores what is not stored yet, and reports nothing. Errors are those of the store.
  void save();
  /// The same at the end of the program, unless the options say otherwise.
  void leave();

  /// Removes old sessions as the options say, and prints which.
  void prune();

  /// Handles one typed line, a message or a `/command`. Returns false if the person wants to leave.
  bool take(std::string const& line);

  /// Continues a transcript file of any program.
  void open_file(std::string const& path);

  sessionkit::SessionId const& id() const noexcept { return session_->id(); }

 private:
  struct Command;
  static Command const commands[];

  void exchange(sessionkit::Message const& said);
  agent::TurnOutcome run(sessionkit::Message const& said);
  void show_status();
  void report(agent::Event const& event);
  void remark(std::string const& text);
  void begin_answer();
  void show_text(std::string const& piece);
  void end_answer();
  /// In a style, where the terminal shows styles.
  void print_in(Style style, std::string const& text) const;
  /// The columns of a line: no limit where no person reads.
  std::size_t columns() const;
  sessionkit::Message take_back();
  std::string cost_of(sessionkit::Usage const& usage) const;
  decltype(agent::Agent::price) price() const;
  void watch(agent::Event const& event);
  void note_request(agent::RequestMade const& request);
  void show(llm::Event const& event);
  void show(agent::Compacted const& compacted);
  void show(agent::ViewCut const& cut);
  void require_requests_file() const;
  /// Keeps what a killed process left of an answer in the open session. `greet` or `ask` reports it.
  void keep_cut_answers();
  void report_cut_answers();
  std::optional<agent::DraftPlace> draft_place() const;
  void show_recent();

  // One for each command; `rest` is the text after it.
  void begin_session(std::string const& rest);
  void list_sessions(std::string const& rest);
  void switch_to(std::string const& rest);
  void choose_session(std::string const& rest);
  void open_file_named(std::string const& rest);
  void show_history(std::string const& rest);
  void remove_session(std::string const& rest);
  void compact(std::string const& rest);
  void set_title(std::string const& rest);
  void undo(std::string const& rest);
  void fork(std::string const& rest);
  void show_tree(std::string const& rest);
  void show_tokens(std::string const& rest);
  void save_now(std::string const& rest);
  void send_picture(std::string const& rest);
  void export_to(std::string const& rest);
  void explain(std::string const& rest);
  void show_request(std::string const& rest);
  void show_help(std::string const& rest);
  void change_model(std::string const& rest);
  void retry(std::string const& rest);
  void edit(std::string const& rest);
  void branch(std::string const& rest);
  void search(std::string const& rest);
  void show_cost(std::string const& rest);

  /// Lists the newest, one a line: with a number, or a mark at the open one.
  std::vector<sessionkit::SessionInfo> show_sessions(bool numbered);
  sessionkit::SessionId find(std::string const& name);
  void open(sessionkit::SessionId const& id);
  sessionkit::Session resume_or_create();
  /// Absent if the person chose none.
  std::optional<sessionkit::SessionId> choose();
  sessionkit::SessionOptions session_options();
  void note(sessionkit::Event const& event);

  Options options_;
  bool interactive_;
  bool styled_;                                   ///< answers show their Markdown, and colours
  std::optional<MarkdownStream> answer_;          ///< the answer that streams, if styled
  std::shared_ptr<agent::DeferredStore> unsaved_; ///< null: each turn is stored when it ends
  std::shared_ptr<sessionkit::SessionStore> store_;
  std::shared_ptr<sessionkit::SessionStore> store_of_session_; ///< another one for a file that was opened
  std::string opened_file_ = {};
  std::optional<sessionkit::Session> session_; ///< always present after the constructor
  std::string priced_model_ = {};              ///< whose prices the options have
  agent::Agent agent_;
  RequestLog requests_; ///< of this process and session
  std::ofstream requests_file_;
  std::set<std::string> noted_ = {};          ///< events that were shown
  std::vector<std::string> cut_answers_ = {}; ///< sentences about what killed processes left
  bool cut_is_shown_ = false;
  std::string draft_ = {};
};

}
