// SPDX-License-Identifier: MIT
// Stores of each profile, written on one platform and continued on another. The ids and times are fixed, so
// that scripts/platforms can compare the bytes.
//   sessions write FOLDER           makes a store of each profile below FOLDER
//   sessions continue FOLDER STEP   continues each of them; STEP is a number of one digit, which ids and
//   times contain
#include "kept_files.hpp"
#include "support/data.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace sk = sessionkit;

namespace {

/// Ids and times that begin again in each process: those of one step differ from those of another.
sk::SessionOptions options_of(std::string const& step) {
  sk::SessionOptions options;
  options.clock = [at = sk::parse_rfc3339("2026-02-0" + step + "T00:00:00Z").value()]() mutable {
    return at += std::chrono::milliseconds(1001);
  };
  options.ids = [step, n = 0]() mutable { return "step" + step + '-' + std::to_string(++n); };
  return options;
}

void require(sk::Result<void> const& result) {
  if (!result && result.error().code != sk::Errc::unsupported)
    sessionkit_test::give_up(result.error().message);
}

void talk(sk::Session& session, std::string const& step) {
  sk::ToolUse const call{"tu_" + step, "read_file",
                         sk::RawJson::from(R"({"path":"\ud83d\ude00","n":[0.1,1e-7,18446744073709551615]})")};
  auto turn = session.begin_turn();
  turn.append(sk::user("Step " + step + ": Gr\xC3\xBC\xC3\x9F dich \xE2\x82\xAC \xFF"))
      .value(); // one byte is no UTF-8
  turn.append(sk::assistant("Let me look.", call)).value();
  turn.append(sk::tool_result(call, std::string("\x01\x7F\0", 3))).value();
  turn.append(sk::assistant("Done.")).value();
  turn.commit().value();
}

void continue_store(std::shared_ptr<sk::SessionStore> const& store, std::string const& step) {
  auto session =
      sk::Session::open(store, sk::SessionId::parse("0123456789ab").value(), options_of(step)).value();
  talk(session, step);
  require(session.set_title("Step " + step));
  require(session.set_state("share", sk::RawJson::parse("0.1").value()));

  sk::NewSession about;
  about.id = sk::SessionId::parse("cafe1000000" + step).value();
  about.key = "main:cli:step" + step;
  auto next = sk::Session::create(store, about, options_of(step)).value();
  talk(next, step);
}

}

int main(int count, char** arguments) {
  std::string_view const verb = count > 2 ? arguments[1] : "";
  std::string const folder = count > 2 ? arguments[2] : "";
  if (verb != "write" && (verb != "continue" || count != 4)) {
    std::fputs("usage: sessions write FOLDER | sessions continue FOLDER STEP\n", stderr);
    return 2;
  }
  for (auto const& profile : sessionkit_test::kept_stores()) {
    std::string const store = folder + '/' + profile;
    if (verb == "write") {
      std::filesystem::create_directories(store);
      std::filesystem::permissions(store, std::filesystem::perms::owner_all);
      sessionkit_test::write_kept_store(profile, store);
    } else {
      continue_store(sessionkit_test::open_kept_store(store), arguments[3]);
    }
  }
}
