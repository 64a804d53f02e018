// SPDX-License-Identifier: MIT
// Writes the sessions of tests/data as files of one program, and what is to be sent of each, for resume.py:
// EXPORT_TO names the exporter, EXPORT_DIR the folder.
#include "support/exports.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace sessionkit_test;
namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

std::string variable(char const* name) {
  char const* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): there is one thread
  return value ? value : "";
}

// The sessions in turns of their sources, so that the first ones are of all kinds.
std::vector<StoredSession> all_sessions() {
  std::vector<StoredSession> imported = imported_sessions(), native = native_sessions(), out;
  std::size_t const step = 5; // neighbours are alike
  for (std::vector<StoredSession>* list : {&native, &imported})
    for (std::size_t first = 0; first < step; ++first)
      for (std::size_t i = first; i < list->size(); i += step) out.push_back((*list)[i]);
  std::vector<StoredSession> mixed;
  std::size_t const half = native.size();
  for (std::size_t i = 0; i < std::max(half, out.size() - half); ++i) {
    if (i < half) mixed.push_back(out[i]);
    if (half + i < out.size()) mixed.push_back(out[half + i]);
  }
  return mixed;
}

}

TEST_CASE("sessions are written for a program") {
  auto const* const exporter = sk::find_exporter(sk::known_exporters(), variable("EXPORT_TO"));
  REQUIRE(exporter);
  auto const provider =
      variable("EXPORT_TO") == "codex" ? sk::Provider::openai_responses : sk::Provider::anthropic;
  fs::path const folder = variable("EXPORT_DIR");
  std::size_t number = 0;
  for (StoredSession const& session : all_sessions()) {
    json const request = request_before(session, *exporter, provider);
    if (request.empty()) continue;
    sk::ExportOptions options;
    options.cwd = variable("EXPORT_CWD");
    std::string const id = "0000000" + std::to_string(++number);
    options.id = variable("EXPORT_TO") == "atif" ? "session" + id
                 : variable("EXPORT_TO") == "opencode"
                     ? "ses_export" + id
                     : id.substr(id.size() - 8) + "-1111-8222-8333-444444444444";
    auto const exported = sk::export_session(*exporter, *session.store, session.id, options).value();
    json losses = json::array();
    for (sk::Loss const& loss : exported.losses) losses.push_back(loss.what);
    json files = json::object();
    for (sk::ExportedFile const& file : exported.files) files[file.name] = file.content;
    fs::create_directories(folder);
    std::ofstream(folder / (std::to_string(1000 + number) + ".json"))
        << json{{"name", session.name}, {"id", exported.id},         {"request", request},
                {"losses", losses},     {"resume", exported.resume}, {"files", files}}
               .dump(-1, ' ', false, json::error_handler_t::replace);
  }
  CHECK(number >= 40);
}
