// SPDX-License-Identifier: MIT
// chat: a conversation at the terminal that survives restarts. Without a person (stdin closed or
// empty) and with a scripted model it plays its script, restarts as a new process, and continues.
#include "chat.hpp"
#include "line_editor.hpp"
#include "options.hpp"
#include "samples.hpp"
#include "script.hpp"

#include <sessionkit/version.hpp>

#include <cerrno>
#include <clocale>
#include <common/text.hpp>
#include <csignal>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

#include <unistd.h>

namespace {

/// Becomes a new process of this program that knows only the data on disk.
void restart(chat::Options const& options, char const* program) {
  std::cout << "\n-- Restart: a new process opens the same store\n" << std::flush;
  std::string const key = options.key.empty() ? "chat" : options.key;
  execlp(program, program, "--store", options.store.c_str(), "--key", key.c_str(), "--folder",
         options.folder.c_str(), "--script", "--restarted", nullptr);
  throw std::system_error(errno, std::generic_category(), std::string("cannot restart ") + program);
}

void play(chat::Options const& options, char const* program) {
  if (!options.restarted) {
    chat::play_beginning(options);
    restart(options, program);
  }
  chat::play_continuation(options);
}

/// Sends one message for a script.
int ask_once(chat::Options const& options) {
  chat::Chat chat(options, false);
  std::string text = *options.print;
  if (text == "-") text.assign(std::istreambuf_iterator<char>(std::cin), {});
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.empty()) throw std::runtime_error("--print: there is nothing to send; stdin is empty");
  chat.ask(text);
  return 0;
}

/// A message of a person at a terminal: a line that ends with a backslash continues in the next one.
chat::LineEditor::Line read_message(chat::LineEditor& editor, std::string const& draft) {
  auto line = editor.read("you> ", draft);
  while (editor.on_terminal() && line.kind == chat::LineEditor::Line::text && !line.content.empty()
         && line.content.back() == '\\') {
    auto next = editor.read("...> ", {});
    if (next.kind != chat::LineEditor::Line::text) return next;
    line.content.back() = '\n';
    line.content += next.content;
  }
  return line;
}

/// Returns the number of lines that failed.
int talk(chat::Chat& chat, chat::LineEditor& editor, chat::LineEditor::Line line) {
  int failures = 0;
  for (; line.kind != chat::LineEditor::Line::end; line = read_message(editor, chat.take_draft())) {
    if (line.kind == chat::LineEditor::Line::interrupted) {
      std::cout << '\n';
      continue;
    }
    try {
      if (!chat.take(line.content)) break;
    } catch (std::exception const& error) {
      std::cout << std::flush;
      std::cerr << "chat: " << cli::neutral(error.what()) << '\n';
      ++failures;
    }
  }
  if (line.kind == chat::LineEditor::Line::end && editor.on_terminal()) std::cout << '\n';
  return failures;
}

/// The option that names the store, for a shell; empty if the store is the default.
std::string store_words(chat::Options const& options) {
  if (options.store == chat::default_store()) return {};
  return "--store " + cli::shell_word(options.store) + ' ';
}

int run(chat::Options const& options, char const* program) {
  if (options.own_folder) chat::make_own_folder(options.folder);
  if (options.print) return ask_once(options);
  chat::LineEditor editor;
  chat::LineEditor::Line first{chat::LineEditor::Line::text};
  if (!editor.on_terminal() && !options.script) first = editor.read("", {});
  bool const nobody = first.kind == chat::LineEditor::Line::end && options.provider.name == "scripted";
  if (options.script || nobody) {
    play(options, program);
    return 0;
  }
  chat::Chat chat(options, editor.on_terminal());
  // Between two turns Ctrl-C has nothing to stop.
  // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
  if (editor.on_terminal()) std::signal(SIGINT, [](int /*signal*/) {});
  editor.complete = [&](std::string const& before) { return chat.completions(before); };
  if (editor.on_terminal()) chat.introduce();
  chat.greet(options.resume.has_value());
  chat.prune();
  int const failures = talk(chat, editor, std::move(first));
  chat.leave();
  if (editor.on_terminal() && !options.no_session)
    std::cout << cli::neutral("resume with: chat " + store_words(options) + "-r " + chat.id().str()) << '\n'
              << std::flush;
  return failures == 0 || editor.on_terminal() ? 0 : 1;
}

}

int main(int argc, char** argv) {
  std::string why;
  auto const options = chat::parse_options(argc, argv, why);
  if (!options) {
    std::cerr << "chat: " << cli::neutral(why) << "\nsee: chat --help\n";
    return 2;
  }
  if (options->help || options->version) {
    std::cout << (options->help ? chat::usage : "chat " SESSIONKIT_VERSION "\n");
    return std::cout.flush() ? 0 : 1;
  }
  if (options->completion) return std::cout << *options->completion << std::flush ? 0 : 1;
  // There is one thread. The line editor reads the locale. A server that hangs up and a file
  // size limit are errors, not signals.
  std::setlocale(LC_CTYPE, "");  // NOLINT(concurrency-mt-unsafe)
  std::signal(SIGPIPE, SIG_IGN); // NOLINT(concurrency-mt-unsafe)
  std::signal(SIGXFSZ, SIG_IGN); // NOLINT(concurrency-mt-unsafe)
  try {
    int const status = run(*options, argv[0]);
    return std::cout.flush() ? status : 1;
  } catch (std::exception const& error) {
    std::cerr << "chat: " << cli::neutral(error.what()) << '\n';
    return 1;
  }
}
