// SPDX-License-Identifier: MIT
// docs/functions.md, third part: files, their repair, other programs' files, channels.
#include "expect.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/channel_log.hpp>
#include <sessionkit/copy.hpp>
#include <sessionkit/doctor.hpp>
#include <sessionkit/export.hpp>
#include <sessionkit/follow.hpp>
#include <sessionkit/foreign_store.hpp>
#include <sessionkit/import.hpp>
#include <sessionkit/lease.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/retention.hpp>
#include <sessionkit/search.hpp>
#include <sessionkit/search_index.hpp>
#include <sessionkit/sessionkit.hpp>
#include <sessionkit/transcript_reader.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sk = sessionkit;
using guide::expect;
using guide::fresh_folder;

namespace {

void files(std::string const& root) {
  // [files]
  auto const store = sk::open_file_store(root).value();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("Hello.")).value();
  session.end_turn().value();
  expect(sk::durable_position(*store, session.id()).value() == session.end(), "this survives power loss");

  std::string const path = sk::transcript_path(*store, session.id());
  auto const single = sk::open_transcript(path).value(); // a store that has this one session
  expect(sk::transcript_session(*single) == session.id(), "the id from the first line");
  expect(sk::reindex_file_store(root).value() == 1, "the index is made again from the transcripts");

  auto const agents =
      sk::open_agent_store(root + "/home", "work").value(); // the folder of one of many agents
  {
    sk::Lease const lease =
        sk::Lease::acquire(*store, session.id()).value(); // other writers wait, then time out
  }
  // [files]
  expect(agents->list({}).value().sessions.empty(), "a store of its own");
}

void transcripts(std::string const& folder) {
  // [transcripts]
  std::string const path = folder + "/notes.jsonl";
  sk::WriterOptions options;
  options.create = true;
  auto writer = sk::TranscriptWriter::open(path, options).value();
  sk::RecordView header, note;
  header.line = R"({"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z"})";
  note.line = R"({"type":"note","id":"a","parentId":null})";
  sk::Append batch;
  batch.records = {header, note};
  batch.durable = true;
  sk::Position const end = writer.append(batch).value();
  expect(writer.durable_position() == end, "it is on the disk");

  auto reader = sk::TranscriptReader::open(path).value();
  auto const page = reader.read({}).value();
  expect(page.items().size() == 2 && reader.path() == path, "two lines");
  expect(reader.dialect().name == "native", "found by the first line");
  for (sk::Damage const& found : reader.verify().value()) // reads everything
    expect(!sk::is_damage(found.kind), "some kinds are only remarks, for example a line that is there twice");
  // [transcripts]
}

void descriptors(std::string const& folder) {
  // [descriptors]
  int const directory =
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); // the host has opened it before
  int const file = ::openat(directory, "notes.jsonl", O_RDONLY | O_CLOEXEC);
  auto const writer = sk::TranscriptWriter::open_at(directory, "notes.jsonl", folder + "/notes.jsonl");
  auto reader = sk::TranscriptReader::from_descriptor(file, "notes.jsonl"); // messages name this path
  // [descriptors]
  expect(writer.ok() && reader.value().dialect().name == "native", "the same file");
  ::close(directory);
}

void pages() {
  // [pages]
  sk::RecordPage page; // what a store's `read` returns
  sk::RecordView record;
  record.line = page.keep(std::string(R"({"type":"note"})")); // the page owns the bytes
  page.add_kept(sk::Position{15}, record);                    // `add` copies them
  // [pages]
  expect(page.items().front().line == R"({"type":"note"})", "the line");
}

void repairs(std::string const& root, std::string const& path) {
  std::ofstream(path, std::ios::app)
      << R"({"type":"message","id":"b","par)"; // a program was killed while it wrote
  // [repair]
  auto const one = sk::diagnose_transcript(path).value();
  auto const all = sk::diagnose_store(root).value(); // nothing is changed
  std::size_t wrong = 0;
  for (sk::DoctorFinding const& finding : all.findings) wrong += finding.harmless() ? 0U : 1U;
  sk::DoctorOptions options;
  options.now = sk::system_now();                            // a part of the names of copies
  for (sk::Treatment const& done : sk::repair(all, options)) // keeps a copy of each byte that it removes
    expect(!done.failure, "all can be repaired");
  // [repair]
  expect(!one.findings.empty() && wrong > 0, "the torn line is found");
}

void followers() {
  std::shared_ptr<sk::SessionStore> const store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("Hello.")).value();
  // [follow]
  sk::LogFollower follower(store, session.id()); // from the first line; with a position: from there
  std::size_t lines = 0;
  sk::follow(
      follower,
      [&lines](sk::LogNews const& news) {
        lines += news.page.items().size();
        return true; // go on
      },
      [] { return false; }) // no new lines: false ends `follow`; a host waits here
      .value();
  expect(follower.position() == session.end(), "everything was reported");
  // [follow]
  expect(lines == 2, "the header and a message");
}

void searches(std::string const& folder) {
  std::shared_ptr<sk::SessionStore> const store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("Hello.")).value();
  // [search]
  std::vector<sk::SessionId> sessions;
  for (sk::SessionInfo const& info : sk::list_all(*store).value()) sessions.push_back(info.id);
  sk::SearchQuery query{"HELLO"};
  query.ignore_case = true; // as `fold_case` does
  query.role = sk::Role::user;
  std::string screen;
  do {
    auto const page = sk::search(*store, sessions, query).value();
    for (sk::SearchHit const& hit : page.hits)
      screen += hit.session.str() + ": " + hit.before + "[" + hit.match + "]" + hit.after + "\n";
    query.cursor = page.next;
  } while (!query.cursor.empty());
  expect(sk::fold_case("HELLO") == "hello", "small letters");
  // [search]
  expect(screen == session.id().str() + ": [Hello].\n", "what the user said");

  // [search_index]
  auto index = sk::SearchIndex::open(folder).value();
  sk::SearchIndexUpdate const added = index.update(*store, sessions).value(); // only what was appended since
  expect(added.sessions == 1 && added.failures.empty(), "one session was new");
  auto const indexed = index.search(*store, sessions, query).value();
  // [search_index]
  expect(indexed.hits.size() == 1, "the same hit");

  // [filter]
  class Questions final : public sk::LineFilter {
   public:
    bool passes(std::string_view line) const noexcept override {
      return line.find('?') != std::string_view::npos;
    }
  };
  Questions const questions;
  sk::ReadRange range;
  range.filter = &questions;
  std::size_t asked = 0;
  auto const found = store->read(session.id(), range).value();
  for (sk::RecordPage::Item const& item : found.items()) asked += questions.passes(item.line) ? 1U : 0U;
  // [filter]
  expect(asked == 0, "nothing was asked");

  // [compare]
  std::shared_ptr<sk::SessionStore> const copies = sk::make_memory_store();
  sk::copy_session(*store, *copies, session.id()).value();
  sk::CopyExtent const extent = sk::compare_logs(*store, *copies, session.id()).value();
  expect(extent.state == sk::CopyState::same, "the copy has all lines");
  // [compare]

  // [reasons]
  sk::RetentionPolicy policy;
  policy.is_protected = [](sk::SessionInfo const& info) { return !info.title.empty(); };
  policy.age = std::chrono::hours(1);
  auto const later = sk::system_now() + std::chrono::hours(2);
  std::string said;
  for (sk::Removal const& removal : sk::plan_retention(*store, policy, later).value().removals)
    said += removal.id.str() + ' ' + sk::to_string(removal.reason) + ": " + removal.why + '\n';
  // [reasons]
  expect(said.find(" age: ") != std::string::npos, "the reason");
}

void channels(std::string const& root) {
  // [channels]
  auto log = sk::ChannelLog::open(root + "/channels").value(); // or of one of many agents:
  auto const of_agent = sk::ChannelLog::open_agent(root + "/home", "work").value();
  sk::Channel const shop{"web", "shop"};
  log.append(shop, {"user", "Is it open?", "Ada"}).value(); // everything said there
  auto const page = log.read(shop).value();                 // the newest 100
  for (sk::ChannelSummary const& each : log.list().value())
    expect(each.channel.name() == "web-shop", "its name");
  // [channels]
  expect(page.messages.front().sender == "Ada" && of_agent.list().value().empty(), "one message");
}

void blades_documents(std::string const& root) {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  session.append(sk::user("Hello.")).value();
  sk::Log log;
  log.entries = session.path().value();
  // [blades]
  sk::Converted const document =
      sk::export_blades(log, session.id()); // with a list of what it cannot represent
  expect(sk::is_blades(document.text), "a document of blades");
  sk::Log const again = sk::import_blades(document.text).value();
  auto const store = sk::open_blades_store(root + "/blades").value(); // each session is such a document
  // [blades]
  expect(!again.entries.empty() && store->list({}).value().sessions.empty(), "the message came back");
}

void imports(std::string const& root) {
  // [import]
  std::string const line =
      R"({"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","version":"2.1.330",)"
      R"("timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"Hello."}})";
  auto const files = sk::make_foreign_files({{"s1.jsonl", line + '\n'}}); // in memory, or of a folder:
  auto const of_a_folder = sk::open_foreign_files(root).value();
  expect(sk::is_inside_name("projects/s1.jsonl") && !sk::is_inside_name("../s1"),
         "names stay below the root");
  sk::Importer const* const importer = sk::find_importer(sk::known_importers(), *files, "s1.jsonl").value();
  expect(importer == &sk::claude_code_importer() && importer != &sk::codex_importer()
             && importer != &sk::gemini_cli_importer() && importer != &sk::opencode_importer()
             && importer != &sk::atif_importer() && importer != &sk::blades_importer(),
         "the program that wrote it");
  expect(files->modified("s1.jsonl").ok() && files->limits().max_depth == 16, "a time, and the limits");
  files->keep("count", std::make_shared<int>(1)); // an importer keeps what it made, while the files are open
  expect(files->kept("count") != nullptr && files->kept("other") == nullptr, "and uses it again");
  sk::ImportReport report;
  for (sk::ForeignSession const& each : importer->list(*files, "s1.jsonl").value()) {
    sk::Log const log = sk::import_log(*importer, *files, each, {}, &report).value();
    expect(log.entries.size() == 2, "the header and the message");
  }
  // [import]
  expect(of_a_folder->list("").ok() && report.damage.empty(), "all was understood");
}

void foreign_stores(std::string const& root) {
  std::string const folder = root + "/projects";
  expect(::mkdir(folder.c_str(), 0700) == 0, "a folder of Claude Code");
  std::ofstream(folder + "/s1.jsonl") << R"({"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1",)"
                                      << R"("message":{"role":"user","content":"Hello."}})" << '\n';
  // [foreign_store]
  auto const store = sk::open_foreign(folder).value(); // of a file, too
  expect(!sk::may_be_conversation("auth.json"), "settings and credentials are not opened");
  for (sk::ForeignConversation const& one : store->conversations()) {
    expect(store->info(one.id)->first_user_text == "Hello.", "read as any other store");
    expect(store->report(one.id)->held_back == 0, "what could not be read, and what is not sent");
    expect(store->remove(one.id).error().code == sk::Errc::unsupported, "it belongs to another program");
  }
  auto const mine = sk::SessionId::parse("mine").value();
  expect(store->rename(store->conversations().front().id, mine).ok(), "another id, in this store only");
  auto const target = sk::make_memory_store();
  expect(sk::copy_session(*store, *target, mine)->written == 2,
         "copied; a second call adds only what is new");
  auto const none = sk::open_foreign(sk::make_foreign_files({{"notes.txt", "Hello."}}), "these files");
  expect(none.error().code == sk::Errc::unsupported, "no conversation of a program that is known");
  // [foreign_store]
}

// [trash]
// Deletes the removed sessions of a store of files when they need more room than this.
sk::Result<void> empty_full_trash(std::string const& root, std::uint64_t most_bytes) {
  auto const trash = sk::look_into_trash(root);
  if (!trash) return trash.error();
  if (trash->bytes <= most_bytes) return {};
  auto const deleted = sk::empty_trash(root);
  if (!deleted) return deleted.error();
  std::printf("%d removed sessions deleted\n", static_cast<int>(deleted->files));
  return {};
}
// [trash]

void removals(std::string const& root) {
  auto const store = sk::open_file_store(root).value();
  for (char const* id : {"s1", "s2"}) {
    sk::NewSession about;
    about.id = sk::SessionId::parse(id).value();
    sk::Session::create(store, about).value().end_turn().value();
  }
  store->remove(sk::SessionId::parse("s1").value()).value();
  store->remove_permanently(sk::SessionId::parse("s2").value()).value();
  expect(sk::look_into_trash(root).value().files == 1, "only the first one went to the trash");
  empty_full_trash(root, 1 << 20).value();
  expect(sk::look_into_trash(root).value().files == 1, "it needs little room");
  empty_full_trash(root, 0).value();
  expect(sk::look_into_trash(root).value().files == 0, "now it is deleted");
}

void exports() {
  std::shared_ptr<sk::SessionStore> const sessions = sk::make_memory_store();
  auto session = sk::Session::create(sessions).value();
  session.append(sk::user("Hello.")).value();
  sk::SessionStore& store = *sessions;
  sk::SessionId const id = session.id();
  // [export]
  sk::ExportOptions options;
  options.cwd = "/home/ada/project"; // where the program resumes the session
  sk::Exporter const* const exporter = sk::find_exporter(sk::known_exporters(), "claude-code");
  expect(exporter == &sk::claude_code_exporter() && exporter != &sk::codex_exporter()
             && exporter != &sk::opencode_exporter() && exporter != &sk::pi_exporter()
             && exporter != &sk::atif_exporter(),
         "the program that resumes it");
  sk::Exported const exported = sk::export_session(*exporter, store, id, options).value();
  for (sk::ExportedFile const& file : exported.files) // below ~/.claude, or $CLAUDE_CONFIG_DIR
    expect(file.name == "projects/-home-ada-project/" + exported.id + ".jsonl", "a name and a content");
  for (sk::Loss const& loss : exported.losses) expect(!loss.what.empty(), "what the files do not say");
  expect(exported.resume.front().front() == "claude", "the command that resumes the session");
  sk::ExportSource const source = sk::load_export_source(store, id).value(); // what exporters receive
  // [export]
  expect(exporter->write(source, options).value().id == exported.id, "the same session");
}

}

int main() {
  std::string const root = fresh_folder("functions");
  files(root);
  transcripts(root);
  descriptors(root);
  pages();
  repairs(root, root + "/notes.jsonl");
  followers();
  searches(root + "/texts");
  removals(root + "/removals");
  channels(root);
  blades_documents(root);
  imports(root);
  foreign_stores(root);
  exports();
}
