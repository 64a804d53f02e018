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

#include <sys/wait.h>
#include <unistd.h>

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

// The signal that ends a child which takes a value that is not there; 0 if it ends by itself, with status 3.
int signal_of_a_failed_value() {
  std::fflush(nullptr);
  pid_t const child = ::fork();
  if (child == 0) {
    static_cast<void>(sk::SessionId::parse("no/id").value());
    ::_exit(0);
  }
  int status = 0;
  expect(child > 0 && ::waitpid(child, &status, 0) == child, "a child has run");
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  expect(WEXITSTATUS(status) == 3, "the handler has ended the child");
  return 0;
}

}

int main(int count, char** arguments) {
  expect(count == 2, "one argument, the folder");
  std::string const folder = arguments[1];
  sk::SessionId const id = store_a_turn(sk::open_file_store(folder).value());
  read_it_again(folder, id);
  use_the_extras(folder, id);
  expect(signal_of_a_failed_value() == SIGABRT, "a value that is not there aborts");
  sk::set_failure_handler(
      [](sk::Error const& error) { ::_exit(error.code == sk::Errc::invalid_argument ? 3 : 4); });
  expect(signal_of_a_failed_value() == 0, "the handler is called first");
  std::printf("sessionkit %s: stored and read\n", SESSIONKIT_VERSION);
}
