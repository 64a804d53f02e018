// SPDX-License-Identifier: MIT
// An exported session imports again with the history that it had.
#include "support/exports.hpp"

#include <iostream>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

struct RoundTrip {
  sk::Exporter const& exporter;
  sk::Importer const& importer;
  sk::Provider provider;
};

// A log may have no message that is sent: then there is nothing to import.
bool says_something(sk::Exported const& exported) {
  return exported.files.front().content.find("\"message\"") != std::string::npos;
}

std::size_t check_round_trips(RoundTrip const& way, std::vector<StoredSession> const& sessions) {
  std::size_t equal = 0;
  for (StoredSession const& session : sessions) {
    INFO(way.exporter.name << ' ' << session.name);
    auto const exported = sk::export_session(way.exporter, *session.store, session.id);
    REQUIRE(exported.ok());
    if (!says_something(*exported)) continue;
    json const before = request_before(session, way.exporter, way.provider);
    json const after = request_after(*exported, way.importer, way.provider);
    INFO(first_difference(before, after).substr(0, 2000));
    CHECK((before == after));
    equal += before == after ? 1U : 0U;
  }
  std::cout << way.exporter.name << ": " << equal << " of " << sessions.size()
            << " sessions have the same history after a round trip\n";
  return equal;
}

RoundTrip claude() {
  return {sk::claude_code_exporter(), sk::claude_code_importer(), sk::Provider::anthropic};
}
RoundTrip codex() { return {sk::codex_exporter(), sk::codex_importer(), sk::Provider::openai_responses}; }

// Without a loss, all that was said is said again.
std::size_t check_losses(RoundTrip const& way, std::vector<StoredSession> const& sessions) {
  std::size_t lossless = 0;
  for (StoredSession const& session : sessions) {
    INFO(way.exporter.name << ' ' << session.name);
    auto const source = sk::load_export_source(*session.store, session.id).value();
    auto const exported = way.exporter.write(source, {}).value();
    if (!says_something(exported)) continue;
    auto before = said_by(source.log.entries);
    auto after = said_by(log_after(exported, way.importer).entries);
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    bool const same = before == after;
    if (exported.losses.empty())
      for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
        INFO(i);
        REQUIRE((i < before.size() ? before[i] : "(none)") == (i < after.size() ? after[i] : "(none)"));
      }
    lossless += same ? 1U : 0U;
    for (sk::Loss const& loss : exported.losses) CHECK_FALSE(loss.what.empty());
  }
  std::cout << way.exporter.name << ": " << lossless << " of " << sessions.size()
            << " sessions say the same after a round trip; for the others losses are listed\n";
  return lossless;
}

}

TEST_CASE("an export without a listed loss says everything that the session said") {
  CHECK(check_losses(claude(), imported_sessions()) > 5);
  check_losses(codex(), imported_sessions());
  check_losses(claude(), native_sessions());
  check_losses(codex(), native_sessions());
}

TEST_CASE("an imported session that is exported imports again with the same history") {
  auto const sessions = imported_sessions();
  REQUIRE(sessions.size() > 60);
  CHECK(check_round_trips(claude(), sessions) > 60);
  CHECK(check_round_trips(codex(), sessions) > 60);
}

TEST_CASE("a transcript of pi, claw0, ai-panel or OpenClaw that is exported imports with its history") {
  auto const sessions = native_sessions();
  REQUIRE(sessions.size() > 60);
  CHECK(check_round_trips(claude(), sessions) > 40);
  CHECK(check_round_trips(codex(), sessions) > 40);
}
