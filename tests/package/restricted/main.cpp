// SPDX-License-Identifier: MIT
// Stores and reads a session without exceptions and without type information of the compiler. scripts/matrix
// compiles it with and without them, with each form of the library.
//   app <folder that does not exist>
#include <sessionkit/sessionkit.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#if defined(_WIN32)
#include <process.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace sk = sessionkit;

namespace {

void expect(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}

sk::SessionId store_a_turn(std::shared_ptr<sk::SessionStore> const& store) {
  auto session = sk::Session::resume(store, "main:cli:user").value();
  auto turn = session.begin_turn();
  turn.append(sk::user("Gr\xC3\xBC\xC3\x9F dich \xE2\x82\xAC")).value();
  turn.append(sk::assistant("Hello.")).value();
  turn.commit().value();
  expect(session.set_state("share", sk::RawJson::parse("0.1").value()).ok(), "a state is stored");
  return session.id();
}

void read_it_again(std::string const& folder, sk::SessionId const& id) {
  auto session = sk::Session::resume(sk::open_file_store(folder).value(), "main:cli:user").value();
  expect(session.id() == id, "the session is resumed");
  std::string const request = session.request({sk::Provider::anthropic}).value().messages;
  expect(request.find("Gr\xC3\xBC\xC3\x9F dich \xE2\x82\xAC") != std::string::npos,
         "the text is the same, byte for byte");
  auto const state = session.info().value().state;
  expect(state.size() == 1 && state.begin()->second.as_number() == 0.1, "the nearest double of 0.1");
  expect(sk::RawJson::parse("1e-400").value().as_number() == 0.0, "what is too small is zero");
  expect(!sk::RawJson::parse("1e400").value().as_number(), "what is too large is no number");
}

// What a store of files does in addition to the five functions, and a store in memory does not.
void use_the_extras(std::string const& folder, sk::SessionId const& id) {
  sk::FileStoreOptions options;
  options.lock_wait = std::chrono::milliseconds(1);
  auto const store = sk::open_file_store(folder, options).value(),
             other = sk::open_file_store(folder, options).value();
  std::string const path = sk::transcript_path(*store, id);
  expect(!path.empty(), "a store of files names its transcripts");
  expect(sk::durable_position(*store, id).ok(), "a store of files says what is on the disk");
  auto const one = sk::open_transcript(path).value();
  expect(sk::transcript_session(*one) == id, "a transcript names its session");
  expect(!sk::transcript_session(*store), "a folder is not one transcript");
  auto const lease = sk::Lease::acquire(*store, id);
  expect(lease.ok(), "a store of files has leases");
  auto const refused = sk::Lease::acquire(*other, id);
  expect(!refused && refused.error().code == sk::Errc::timed_out, "a lease keeps others out");
  auto const memory = sk::make_memory_store();
  expect(sk::transcript_path(*memory, id).empty(), "a store in memory has no files");
  expect(sk::Lease::acquire(*memory, id).error().code == sk::Errc::unsupported,
         "a store in memory has no leases");
}

constexpr int by_handler = 5;

void take_a_missing_value(bool has_handler) {
  if (has_handler)
    sk::set_failure_handler([](sk::Error const& error) {
      std::_Exit(error.code == sk::Errc::invalid_argument ? by_handler : 4);
    });
  static_cast<void>(sk::SessionId::parse("no/id").value());
  std::_Exit(0);
}

// The status with which a child ends that takes a value that is not there.
#if defined(_WIN32)
constexpr int by_abort = 3;
int status_of_a_child(char const* program, bool has_handler) {
  return static_cast<int>(
      ::_spawnl(_P_WAIT, program, program, "child", has_handler ? "handler" : "none", nullptr));
}
#else
constexpr int by_abort = 128 + SIGABRT; // as a shell reports it
int status_of_a_child(char const*, bool has_handler) {
  std::fflush(nullptr);
  pid_t const child = ::fork();
  if (child == 0) take_a_missing_value(has_handler);
  int status = 0;
  expect(child > 0 && ::waitpid(child, &status, 0) == child, "a child has run");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
#endif

}

int main(int count, char** arguments) {
  if (count == 3) take_a_missing_value(std::string(arguments[2]) == "handler"); // a child, on Windows
  expect(count == 2, "one argument, the folder");
  std::string const folder = arguments[1];
  sk::SessionId const id = store_a_turn(sk::open_file_store(folder).value());
  read_it_again(folder, id);
  use_the_extras(folder, id);
  expect(status_of_a_child(arguments[0], false) == by_abort, "a value that is not there aborts");
  expect(status_of_a_child(arguments[0], true) == by_handler, "the handler is called first");
  std::printf("sessionkit %s: stored and read\n", SESSIONKIT_VERSION);
}
