// SPDX-License-Identifier: MIT
#pragma once
// Changes conversations of other programs at random, imports them, and checks what must hold for any bytes:
// an import ends soon, gives entries that verify and histories that every provider accepts, locates each
// record that is damaged, and keeps each record that is not. Another parser says which records these are.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/every_provider.hpp"
#include "support/foreign_fixtures.hpp"
#include "support/foreign_mutator.hpp"
#include "support/long_form.hpp"
#include "support/physical_lines.hpp"

#include <sessionkit/import.hpp>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace import_mutations {

namespace sk = sessionkit;
using namespace sessionkit_test;
using Files = std::map<std::string, std::string>;

/// A conversation in files: the file that is imported, and those that it names.
struct Subject {
  std::string name = {};
  Files files = {};
  std::string file = {};
  std::string session = {}; ///< one of several in the file; empty: the first
};

/// A record that is whole. `key` is how the import names it: an id, or the text itself.
struct Record {
  std::string key, bytes;
};
/// A record that is damaged: where it is in the file, or the beginning of the finding's text.
struct Finding {
  std::optional<std::uint64_t> offset = {};
  std::string what = {};
};
/// The records of a conversation, as another parser reads its files.
struct Survey {
  std::vector<Record> records = {};
  std::vector<Finding> damaged = {};
};

/// A conversation after a change. `known`: a survey can say which of its records are whole.
struct Changed {
  Files files = {};
  bool known = true;
};

enum class Kind { bytes, lines, members, names, records, while_read, on_disk };
inline constexpr std::size_t kinds = 7;
inline char const* name_of(Kind kind) {
  constexpr char const* names[kinds] = {"bytes",   "lines",          "members",        "names and parents",
                                        "records", "read meanwhile", "links and locks"};
  return names[static_cast<std::size_t>(kind)];
}

/// A program, its conversations, and how they are changed and surveyed.
class Program {
 public:
  Program(std::string name, sk::Importer const& importer) : name_(std::move(name)), importer_(&importer) {}
  Program(Program const&) = delete;
  Program& operator=(Program const&) = delete;
  virtual ~Program() = default;

  std::string const& name() const { return name_; }
  sk::Importer const& importer() const { return *importer_; }
  std::vector<Subject> const& subjects() const { return subjects_; }

  virtual Changed changed(Subject const& subject, Kind kind, ForeignMutator& mutator) const = 0;
  /// Nothing if nobody knows what is whole, because brackets are missing for example.
  virtual std::optional<Survey> survey(Subject const& subject, Files const& files) const = 0;
  /// Locks the file until the result is destroyed; null if the program has no locks.
  virtual std::shared_ptr<void> lock(std::string const& /*path*/) const { return nullptr; }

 protected:
  std::vector<Subject> subjects_;

 private:
  std::string name_;
  sk::Importer const* importer_;
};

/// Files that another process changes between any two looks.
class UnsteadyFiles final : public sk::ForeignFiles {
 public:
  UnsteadyFiles(Files files, Random random) : files_(std::move(files)), random_(random) {}

  sk::Result<std::vector<std::string>> list(std::string const& folder) override {
    change();
    return now().list(folder);
  }
  sk::Result<std::uint64_t> size(std::string const& file) override {
    change();
    return now().size(file);
  }
  sk::Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) override {
    change();
    return now().read(file, offset, max);
  }
  sk::Result<std::int64_t> modified(std::string const& file) override {
    change();
    return now().modified(file);
  }
  sk::ImportLimits const& limits() const noexcept override { return limits_; }

 private:
  sk::ForeignFiles& now() {
    if (!current_) current_ = sk::make_foreign_files(files_);
    return *current_;
  }

  void change() {
    if (changes_ == 0 || files_.empty() || !random_.one_in(4)) return;
    --changes_;
    current_.reset();
    auto const file = std::next(files_.begin(), static_cast<std::ptrdiff_t>(random_.below(files_.size())));
    switch (random_.below(3)) {
    case 0: file->second += file->second.substr(random_.below(file->second.size() + 1)); break; // it grows
    case 1: file->second.resize(random_.below(file->second.size() + 1)); break;                 // it is cut
    default: files_.erase(file); break;                                                         // it vanishes
    }
  }

  Files files_;
  Random random_;
  int changes_ = 3;
  std::unique_ptr<sk::ForeignFiles> current_;
  sk::ImportLimits limits_;
};

/// Counts of one kind of change.
struct Tally {
  std::size_t runs = 0, refused = 0, damaged = 0, whole = 0, kept = 0;
  double slowest = 0;
};

struct Outcome {
  bool read = false; ///< the file was recognised as a list of conversations, and one was read
  sk::Log log = {};  ///< of the last one that was read
  std::set<std::string> said =
      {}; ///< how the import names records: ids, those of which entries were made, texts
  std::vector<sk::Damage> damage = {};
};

inline void add_texts(sk::Entry const& entry, std::set<std::string>& said) {
  auto const add = [&](sk::Part const& part) {
    if (auto const* const text = std::get_if<sk::Text>(&part)) said.insert(text->text);
  };
  if (auto const* const message = entry.as<sk::Message>())
    for (sk::Part const& part : message->parts) add(part);
  if (auto const* const custom = entry.as<sk::CustomMessage>())
    for (sk::ToolContent const& piece : custom->content)
      if (auto const* const text = std::get_if<sk::Text>(&piece)) said.insert(text->text);
  if (auto const* const body = entry.as<sk::Compaction>()) said.insert(body->summary);
}

inline void add_names(sk::Entry const& entry, std::set<std::string>& said) {
  std::string const& id = entry.id.str();
  said.insert(id);
  said.insert(id.substr(0, id.find_first_of(".~")));
  auto const extra = Json::parse(entry.extra.str(), nullptr, false);
  if (extra.is_object() && extra.contains("origin") && extra["origin"].is_array())
    for (Json const& one : extra["origin"])
      if (one.is_string()) said.insert(one.get<std::string>());
  add_texts(entry, said);
}

/// Whether a message names one of these files, or a folder that is above it and cannot be read, so that a
/// person knows what to look at.
inline bool names_a_file(std::string const& message, Subject const& subject) {
  if (message.find(subject.file) != std::string::npos) return true;
  for (auto const& file : subject.files) {
    if (message.find(file.first) != std::string::npos) return true;
    std::string folder = file.first.substr(0, file.first.rfind('/') + 1);
    if (folder.size() > 1 && message.find(folder.substr(0, folder.size() - 1)) != std::string::npos)
      return true;
    for (; folder.size() > 1; folder.resize(folder.rfind('/', folder.size() - 2) + 1))
      if (message.rfind(folder.substr(0, folder.size() - 1) + ": ", 0) == 0) return true;
  }
  return false;
}

inline void check_entries(sk::Log const& log) {
  std::set<std::string> ids;
  std::string line;
  for (sk::Entry const& entry : log.entries) {
    bool const after_its_parent = entry.link != sk::Parent::entry || ids.count(entry.parent.str()) == 1;
    bool const once = entry.as<sk::Header>() != nullptr || ids.insert(entry.id.str()).second;
    line.clear();
    bool const stored = sk::native_dialect().encode(entry, line).ok();
    if (!after_its_parent || !once || !stored)
      FAIL_CHECK("entry " << entry.id.str() << (after_its_parent ? "" : " comes before its parent")
                          << (once ? "" : " is there twice") << (stored ? "" : " has no line"));
  }
}

// The faults of the requests to all providers. Without the models that answered, because a Gemini of old need
// not sign calls and the checker does not know which model is asked.
inline Faults faults_of_requests(sk::Log log) {
  for (sk::Entry& entry : log.entries)
    if (auto* const message = std::get_if<sk::Message>(&entry.body); message && message->generation)
      message->generation->model.clear();
  return refusals(context_of(log));
}

inline Outcome import_all(Program const& program, Subject const& subject, sk::ForeignFiles& files,
                          bool finished) {
  Outcome outcome;
  auto const refused = [&](sk::Error const& error) {
    if (!names_a_file(error.message, subject)) FAIL_CHECK("an error names no file: " << error.message);
  };
  auto const sessions = program.importer().list(files, subject.file);
  if (!sessions) {
    refused(sessions.error());
    return outcome;
  }
  std::size_t left = 3;
  for (sk::ForeignSession const& which : *sessions) {
    bool const asked = subject.session.empty() || which.id == subject.session;
    if (!asked || left-- == 0) continue;
    sk::ImportOptions options;
    options.finished = finished;
    sk::ImportReport report;
    auto log = sk::import_log(program.importer(), files, which, options, &report);
    if (!log) {
      refused(log.error());
      continue;
    }
    check_entries(*log);
    outcome.read = true;
    for (sk::Entry const& entry : log->entries) add_names(entry, outcome.said);
    outcome.damage.insert(outcome.damage.end(), report.damage.begin(), report.damage.end());
    outcome.log = std::move(*log);
  }
  return outcome;
}

/// The records of the unchanged conversation that its import has: those must be kept.
inline std::set<std::string> kept_records(Program const& program, Subject const& subject) {
  auto const files = sk::make_foreign_files(subject.files);
  Outcome const outcome = import_all(program, subject, *files, true);
  REQUIRE(outcome.read);
  CHECK(outcome.damage.empty());
  std::set<std::string> kept;
  auto const survey = program.survey(subject, subject.files);
  REQUIRE(survey.has_value());
  CHECK(survey->damaged.empty());
  for (Record const& record : survey->records)
    if (outcome.said.count(record.key) != 0) kept.insert(record.bytes);
  return kept; // none, if the program wrote only the header of a session
}

class Run {
 public:
  explicit Run(Program const& program) : program_(program) {
    std::size_t empty = 0;
    for (Subject const& subject : program.subjects()) {
      kept_.push_back(kept_records(program, subject));
      empty += kept_.back().empty() ? 1U : 0U;
    }
    CHECK(4 * empty <= kept_.size());
  }

  void one(std::uint64_t seed) {
    ForeignMutator mutator(seed);
    std::size_t const at = mutator.random().below(program_.subjects().size());
    Subject const& subject = program_.subjects()[at];
    Kind const kind = kind_of(mutator.random());
    bool const finished = !mutator.random().one_in(4);
    CAPTURE(program_.name(), subject.name, name_of(kind), seed);
    Changed const changed = program_.changed(subject, kind, mutator);
    Files const& files = changed.files;
    Tally& tally = tallies_[static_cast<std::size_t>(kind)];
    ++tally.runs;
    std::clock_t const begin = std::clock();
    Outcome const outcome = imported(subject, files, kind, finished, mutator.random());
    double const seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    tally.slowest = std::max(tally.slowest, seconds);
    constexpr double most_seconds = 3; // an import takes milliseconds
    CHECK(seconds < most_seconds);
    tally.refused += outcome.read ? 0U : 1U;
    tally.damaged += outcome.damage.empty() ? 0U : 1U;
    for (sk::Damage const& one : outcome.damage)
      if (one.what.empty()) FAIL_CHECK("damage at " << one.offset << " says nothing");
    if (outcome.read && mutator.random().one_in(5)) CHECK(faults_of_requests(outcome.log) == Faults{});
    if (kind == Kind::while_read || kind == Kind::on_disk || !changed.known) return;
    compare(subject, at, files, finished, outcome, tally);
  }

  void print() const {
    std::printf("| %s | runs | refused | with findings | whole records | of them imported | slowest |\n"
                "|---|---|---|---|---|---|---|\n",
                program_.name().c_str());
    Tally all;
    for (std::size_t i = 0; i < kinds; ++i) {
      Tally const& one = tallies_[i];
      print(name_of(static_cast<Kind>(i)), one);
      all.runs += one.runs, all.refused += one.refused, all.damaged += one.damaged;
      all.whole += one.whole, all.kept += one.kept;
      all.slowest = std::max(all.slowest, one.slowest);
    }
    print("all", all);
  }

 private:
  static Kind kind_of(Random& random) {
    constexpr Kind weighted[] = {Kind::bytes,   Kind::bytes, Kind::lines,     Kind::members,
                                 Kind::members, Kind::names, Kind::names,     Kind::records,
                                 Kind::records, Kind::bytes, Kind::while_read};
    return random.one_in(50) ? Kind::on_disk : weighted[random.below(std::size(weighted))];
  }

  static void print(char const* name, Tally const& one) {
    std::printf("| %s | %zu | %zu | %zu | %zu | %zu | %.0f ms |\n", name, one.runs, one.refused, one.damaged,
                one.whole, one.kept, one.slowest * 1000);
  }

  Outcome imported(Subject const& subject, Files const& files, Kind kind, bool finished,
                   Random& random) const {
    if (kind == Kind::while_read) {
      UnsteadyFiles unsteady(files, random);
      return import_all(program_, subject, unsteady, finished);
    }
    if (kind == Kind::on_disk) return imported_from_disk(subject, files, finished, random);
    auto const opened = sk::make_foreign_files(files);
    return import_all(program_, subject, *opened, finished);
  }

  // A file or a folder is a link to one outside the root, and its content must not come in.
  Outcome imported_from_disk(Subject const& subject, Files const& files, bool finished,
                             Random& random) const {
    namespace fs = std::filesystem;
    TempDir const folder;
    fs::path const root = folder / "root", outside = folder / "outside";
    for (auto const& [name, bytes] : files) {
      fs::create_directories((root / name).parent_path());
      write_file((root / name).string(), bytes);
    }
    std::shared_ptr<void> const held =
        random.one_in(2) ? program_.lock((root / subject.file).string()) : nullptr;
    auto const chosen = std::next(files.begin(), static_cast<std::ptrdiff_t>(random.below(files.size())));
    fs::path at = root / chosen->first;
    if (!held) {
      while (at.parent_path() != root && random.one_in(2)) at = at.parent_path();
      fs::rename(at, outside);
      if (random.one_in(4))
        REQUIRE(::mkfifo(at.c_str(), 0600) == 0); // its reader would wait for ever
      else
        fs::create_symlink(random.one_in(4) ? at : outside, at);
    }
    auto const opened = sk::open_foreign_files(root.string()).value();
    bool const main = !held && ((root / subject.file).string() + '/').rfind(at.string() + '/', 0) == 0;
    Outcome outcome = import_all(program_, subject, *opened, finished);
    if (main) CHECK_FALSE(outcome.read);
    if (held) CHECK(outcome.read);
    return outcome;
  }

  void compare(Subject const& subject, std::size_t at, Files const& files, bool finished,
               Outcome const& outcome, Tally& tally) const {
    auto const survey = program_.survey(subject, files);
    if (!survey) return;
    for (Finding const& one : survey->damaged) {
      bool const found =
          std::any_of(outcome.damage.begin(), outcome.damage.end(), [&](sk::Damage const& damage) {
            return damage.what.rfind(one.what, 0) == 0 && (!one.offset || damage.offset == *one.offset);
          });
      if (outcome.read && !found)
        FAIL_CHECK("no finding at " << one.offset.value_or(0) << " that begins with '" << one.what << '\'');
    }
    if (!finished) return;
    for (Record const& record : survey->records) {
      if (kept_[at].count(record.bytes) == 0) continue;
      ++tally.whole;
      if (outcome.said.count(record.key) != 0)
        ++tally.kept;
      else
        FAIL_CHECK("a whole record is not in the import: " << record.key << '\n'
                                                           << record.bytes.substr(0, 500));
    }
  }

  Program const& program_;
  std::vector<std::set<std::string>> kept_; ///< of each subject
  Tally tallies_[kinds];
};

inline std::uint64_t number_from(char const* variable, std::uint64_t otherwise) {
  char const* const value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): there is one thread
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// IMPORT_MUTATIONS is how many changes are made, and IMPORT_MUTATIONS_FROM the first seed.
inline void run(Program const& program) {
  std::uint64_t const from = number_from("IMPORT_MUTATIONS_FROM", 0);
  std::uint64_t const count = number_from("IMPORT_MUTATIONS", long_form() ? 20'000 : 500);
  Run run(program);
  for (std::uint64_t seed = from; seed < from + count; ++seed) run.one(seed);
  run.print();
}

}
