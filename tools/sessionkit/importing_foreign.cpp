// SPDX-License-Identifier: MIT
// import: conversations of other programs, each under its own id.
#include "continued_log.hpp"
#include "importing.hpp"

#include <sessionkit/foreign_store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <common/text.hpp>
#include <filesystem>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

/// A program that has written nothing for so long does not write the rest of an answer any more.
constexpr std::chrono::minutes quiet{10};

bool is_wanted(Arguments const& args, sk::Importer const& importer) {
  return args.from == "auto" || importer.name == args.from || importer.name == args.from + "-sqlite";
}

sk::Importers wanted_importers(Arguments const& args) {
  auto all = all_importers();
  all.erase(std::remove_if(all.begin(), all.end(), [&](auto const* one) { return !is_wanted(args, *one); }),
            all.end());
  return all;
}

/// Eight digits that distinguish conversations of one id.
std::string mark_of(std::string const& name, sk::ForeignSession const& session) {
  std::uint64_t sum = 14695981039346656037ULL; // FNV-1a
  for (char const c : name + '\n' + session.file + '\n' + session.table)
    sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:08x}", static_cast<std::uint32_t>(sum ^ (sum >> 32U)));
}

class Importing {
 public:
  Importing(Console& console, Arguments const& args, ImportSource source, Side const& to)
      : console_(console), args_(args), source_(std::move(source)), to_(to) {
    sk::ForeignStoreOptions options;
    options.importers = wanted_importers(args);
    std::error_code ignored;
    auto const folder = std::filesystem::is_directory(source_.path, ignored) ? source_.path + "/" : "";
    options.on_event = [this, folder](sk::Event const& event) { console_.notice(folder + event.message); };
    if (!source_.is_stdin()) options.finished_before = sk::system_now() - quiet;
    from_ = {open_foreign_store(source_.path, options).value(), source_.name};
    options.finished_before.reset();
    options.on_event = {};
    options.import.finished = false;
    growing_ = std::move(options);
  }

  /// False after a conflict that ends the command.
  bool run(std::vector<Import>& imports) {
    auto const all = store(from_).conversations(); // a copy: an id may change
    for (std::size_t i = 0; i < all.size(); ++i) {
      console_.progress(i, all.size(), "sessions");
      imports.push_back(one(all[i]));
      if (imports.back().foreign->conflict && args_.on_conflict == "fail") return false;
    }
    console_.progress(all.size(), all.size(), "sessions");
    return true;
  }

 private:
  static sk::ForeignStore& store(Side const& side) { return dynamic_cast<sk::ForeignStore&>(*side.store); }

  Import one(sk::ForeignConversation const& which) {
    Import done{source_.name};
    done.foreign = ForeignResult{std::string(which.importer->program)};
    try {
      done.copy = copied(which, *done.foreign);
    } catch (Failure const& failure) { fail(done, which, failure); } catch (sk::Exception const& exception) {
      fail(done, which, failure_of(exception.error()));
    }
    report(done, which);
    return done;
  }

  void fail(Import& done, sk::ForeignConversation const& which, Failure const& failure) const {
    done.copy = Copy{which.id, "failed"};
    done.copy->failure = failure;
  }

  /// How the store's session of this id compares with the conversation.
  sk::CopyState state_of(Side const& from, sk::SessionId const& id) const {
    return sk::compare_logs(*from.store, *to_.store, id).value().state;
  }

  Copy copied(sk::ForeignConversation const& which, ForeignResult& result) {
    sk::SessionId id = which.id;
    Side from = from_, reported = from_;
    result.conflict = which.shares_id;
    if (!which.shares_id && state_of(from, id) == sk::CopyState::different) {
      // What was imported while the program was writing has no title, and nothing that was held back.
      if (!growing_side_.store)
        growing_side_ = {open_foreign_store(source_.path, growing_).value(), source_.name};
      if (state_of(growing_side_, id) != sk::CopyState::different)
        from = reported = growing_side_;
      else if (auto joined = continued_log(*from_.store, *to_.store, id))
        from.store = std::move(joined); // a state was imported, and the conversation went on after it
      else
        result.conflict = true;
    }
    result.report = store(reported).report(id).value();
    if (result.conflict && args_.on_conflict != "rename") {
      Copy none{id, args_.on_conflict == "fail" ? "conflict" : "skipped"};
      none.log.damaged = 0;
      return none;
    }
    if (result.conflict && !which.shares_id) id = renamed(which);
    return copy_one(args_, from, to_, id);
  }

  sk::SessionId renamed(sk::ForeignConversation const& which) {
    constexpr std::size_t kept = 100;
    std::error_code error;
    auto const place = std::filesystem::weakly_canonical(source_.path, error).generic_string();
    auto id =
        sk::SessionId::parse(which.id.str().substr(0, kept) + "-" + mark_of(place, which.session)).value();
    store(from_).rename(which.id, id).value();
    return id;
  }

  void report(Import& done, sk::ForeignConversation const& which) const {
    Copy const& copy = *done.copy;
    ForeignResult const& foreign = *done.foreign;
    auto const tell = [&](std::string const& what) { console_.notice(copy.id.str() + ": " + what); };
    bool const was_left = copy.result == "skipped" || copy.result == "conflict";
    if (foreign.conflict)
      tell(fmt::format("conflict: {} has another conversation with the id '{}'; {} is {}",
                       which.shares_id ? "another file" : "'" + to_.name + "'", which.session.id,
                       which.session.file,
                       was_left ? "not imported: --on-conflict rename" : "imported under this id"));
    notice(console_, copy, to_);
    done.exit = exit_of({copy});
    if (was_left) done.exit = Exit::conflict;
    if (was_left || copy.failure) return;
    done.left_out = foreign.report.losses.size();
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(done.left_out, most); ++i)
      tell("left out: " + one_line(foreign.report.losses[i].what));
    if (done.left_out > most) tell(fmt::format("left out: {} more; see --json", done.left_out - most));
    if (foreign.report.held_back != 0)
      tell(
          fmt::format("{} entries may not be complete yet; import it again later", foreign.report.held_back));
    if (done.exit == Exit::ok && done.left_out != 0) done.exit = Exit::damage;
  }

  Console& console_;
  Arguments const& args_;
  ImportSource source_;
  Side const& to_;
  Side from_, growing_side_;
  sk::ForeignStoreOptions growing_;
};

}

bool is_foreign_source(Arguments const& args, std::string const& path) {
  if (args.from != "auto") return true; // what is none is an error that names the program
  return foreign_program(path).has_value();
}

bool import_conversations(Console& console, Arguments const& args, ImportSource const& source, Side const& to,
                          std::vector<Import>& imports) {
  return Importing(console, args, source, to).run(imports);
}

}
