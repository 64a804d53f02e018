// SPDX-License-Identifier: MIT
#include "kept_files.hpp"
#include "more_stores.hpp"

#include <sessionkit/sessionkit.hpp>

#include <filesystem>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace sessionkit_test {
namespace {

namespace sk = sessionkit;

sk::SessionId first_session() { return sk::SessionId::parse("0123456789ab").value(); }

// Ids and times apart from those that the sessions already have.
sk::SessionOptions later_options(std::string const& prefix) {
  sk::SessionOptions options;
  options.clock = [at = sk::to_unix_ms(sk::parse_rfc3339("2026-01-02T00:00:00Z").value())]() mutable {
    return sk::from_unix_ms(at += 1000);
  };
  options.ids = [prefix, n = 0]() mutable { return prefix + std::to_string(++n); };
  return options;
}

// `work` ends its process itself, as a killed one ends: nothing is closed.
template <class Work> void in_a_killed_process(Work work) {
  pid_t const child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (std::exception const&) {}
    ::_exit(1);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("the process that leaves a journal failed");
}

void talk_on(sk::Session& session, std::string question, std::string answer) {
  auto turn = session.begin_turn();
  turn.append(sk::user(std::move(question))).value();
  turn.append(sk::assistant(std::move(answer))).value();
  turn.commit().value();
}

void leave_journal(std::string const& folder) {
  auto store = sk::open_file_store(folder).value();
  auto session = sk::Session::open(store, first_session(), later_options("j")).value();
  talk_on(session, "Is this in the journal?", "It is.");
  session.set_title("Read from the journal").value();
  talk_on(session, "And the title?", "It is, too.");
  sk::NewSession about;
  about.id = sk::SessionId::parse("beef00000002").value();
  about.key = "main:cli:eve";
  auto other = sk::Session::create(store, about, later_options("k")).value();
  talk_on(other, "Am I in the journal?", "You are.");
  other.append(sk::user("And this?")).value(); // within a turn: no index knows it
  ::_exit(0);
}

}

void write_journal_store(std::string const& folder) {
  write_kept_store("native", folder);
  in_a_killed_process([&] { leave_journal(folder); });
  std::filesystem::remove(folder + "/.lock");
}

void write_agent_home(std::string const& home) {
  {
    auto store = sk::open_agent_store(home, "main").value();
    converse(store);
    sk::NewSession about;
    about.id = sk::SessionId::parse("dead00000003").value();
    auto session = sk::Session::create(store, about, later_options("t")).value();
    talk_on(session, "Will this be thrown away?", "Yes.");
    store->remove(*about.id).value();
  }
  sk::ChannelLogOptions options;
  options.clock = later_options("c").clock;
  options.ids = later_options("c").ids;
  auto log = sk::ChannelLog::open_agent(home, "main", options).value();
  sk::ChannelMessage message{"user", "Hello from Telegram \xf0\x9f\x99\x82", "ann"};
  message.extra = sk::RawJson::from(R"({"reply_to":12345678901234567890})");
  log.append({"telegram", "42"}, message).value();
  log.append({"telegram", "42"}, {"assistant", "Hello, Ann."}).value();
  log.append({"web", "lobby"}, {"user", "Anybody here?", "bob"}).value();
  std::filesystem::remove(home + "/agents/main/sessions/.lock");
}

std::shared_ptr<sk::SessionStore> open_agent_home(std::string const& home) {
  return sk::open_agent_store(home, "main").value();
}

std::string channels_of(std::string const& home) {
  sk::ChannelLogOptions options;
  options.create = false;
  auto log = sk::ChannelLog::open_agent(home, "main", options).value();
  std::string out;
  for (auto const& summary : log.list().value()) {
    out += "channel " + summary.channel.name() + ", " + std::to_string(summary.messages) + " messages, "
           + std::to_string(summary.damaged) + " damaged\n";
    sk::ChannelQuery query;
    query.order = sk::ReadRange::oldest_first;
    for (auto const& message : log.read(summary.channel, query).value().messages)
      out += "  " + sk::to_rfc3339(message.at) + ' ' + message.id + ' ' + message.role + " (" + message.sender
             + ") " + message.content + ' ' + message.extra.str() + '\n';
  }
  return out;
}

void continue_session(std::shared_ptr<sk::SessionStore> const& store) {
  auto const request = [&] {
    return sk::Session::open(store, first_session())
        .value()
        .request({sk::Provider::anthropic})
        .value()
        .messages;
  };
  auto const before = request();
  {
    auto session = sk::Session::open(store, first_session()).value();
    talk_on(session, "Still there?", "Yes.");
  }
  auto const after = request();
  if (after.compare(0, before.size() - 1, before, 0, before.size() - 1) != 0)
    throw std::runtime_error("the request changed: " + before + " is no prefix of " + after);
  if (after.find("Still there?") == std::string::npos)
    throw std::runtime_error("the turn is not in " + after);
}

}
