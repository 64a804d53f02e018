// SPDX-License-Identifier: MIT
// Stores that break the contract in one way each: a named check of the kit must report it.
#include "broken/appending.hpp"
#include "broken/faults.hpp"
#include "broken/listing.hpp"
#include "broken/reading.hpp"
#include "kit.hpp"

#include <algorithm>
#include <functional>
#include <set>

using namespace sessionkit_test;
using namespace sessionkit_test::broken;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

struct Mutant {
  char const* name;
  std::function<Shared()> make;
  char const* caught_by;
  Claim claims = Claim::any_bytes;
};
template <class Store>
Mutant mutant(char const* name, char const* caught_by, Claim claims = Claim::any_bytes) {
  return {name, [] { return std::make_shared<Store>(); }, caught_by, claims};
}
constexpr Claim faults = Claim::survives_faults;

std::vector<Mutant> mutants() {
  return {
      mutant<LosesLastOfBatch>("loses the last entry of a batch", "starts_a_session"),
      mutant<IgnoresExpected>("ignores where the append is expected", "stale_append"),
      mutant<LeaseKeepsItselfOut>("keeps out the store that has the lease", "leases"),
      mutant<IgnoresCrc>("ignores the expected checksum", "expected_crc"),
      mutant<IgnoresCrc>("ignores the expected checksum", "expected_crc_remade"),
      mutant<IgnoresUnlessActive>("starts a second session of a key", "unless_active"),
      mutant<DoublesOnRepeat>("doubles on repeat", "repeats"),
      mutant<DoublesOnRepeat>("doubles on repeat", "agrees_with_a_model"),
      mutant<RepeatIsConflict>("calls a repetition a conflict", "repeats"),
      mutant<RepeatsWholeForPart>("writes all of a batch that is stored in part", "completes_part"),
      mutant<StartsOver>("starts a session over", "existing_session"),
      mutant<StartsOver>("starts a session over", "repeats_start"),
      mutant<CreatesBehindNothing>("creates what does not exist", "missing_session"),
      mutant<SyncsNothing>("syncs what does not exist", "sync_only"),
      mutant<ConflictIsIoError>("calls a conflict an error of the disk", "stale_append"),
      mutant<ConflictIsIoError>("calls a conflict an error of the disk", "expects_beyond"),
      mutant<ConflictIsIoError>("calls a conflict an error of the disk", "part_before_others"),
      mutant<TakesOtherBytes>("drops an entry whose id is taken", "same_id_other_bytes"),
      mutant<OneIdABatch>("drops the second of equal ids in a batch", "ids_stand_again"),
      mutant<KeepsOnlyThousand>("keeps a thousand of a batch", "large_batches"),
      mutant<ReadsOnlyHundreds>("reads no further than some hundred", "large_batches"),
      mutant<CountsOnlyHundreds>("counts no further than some hundred", "large_batches"),
      mutant<AlwaysNative>("takes every line for native", "dialects"),
      mutant<ShowsHalves>("shows a batch while it grows", "threads_on_one_session",
                          Claim::any_bytes | Claim::transactional_batches),
      mutant<IdsAreUnique>("allows no id twice", "ids_stand_again"),
      mutant<AnswersWrongEnd>("answers the end of the log for a repetition", "repeats_behind_others"),
      mutant<TakesAnyLine>("takes any line", "one_object_a_line"),
      mutant<KeepsPartOfBadBatch>("keeps a part of a refused batch", "one_object_a_line"),
      mutant<Throws>("throws", "missing_session"),
      mutant<MissingIsEmpty>("reads a missing session as an empty one", "missing_session"),
      mutant<IgnoresOrder>("ignores the order asked for", "reads_both_orders"),
      mutant<IgnoresMostRecords>("ignores how many records were asked for", "reads_both_orders"),
      mutant<IgnoresMostBytes>("ignores how many bytes were asked for", "bounds_bytes"),
      mutant<EmptyPageForLongLine>("gives no record where one is too long", "bounds_bytes"),
      mutant<PagesOverlap>("gives a record on two pages", "reads_both_orders"),
      mutant<ReadingNeverEnds>("says that more follows, always", "starts_a_session"),
      mutant<LogEndIsOfPage>("takes the end of a page for that of the log", "reads_both_orders"),
      mutant<FromIsInclusive>("reads on from one record too early", "reads_from_any_end"),
      mutant<NormalisesJson>("normalises JSON", "raw_lines"),
      mutant<ReplacesBytes>("replaces bytes that are not UTF-8", "bytes_not_utf8"),
      mutant<CutsIdsAtNul>("cuts ids at a NUL", "entry_ids"),
      mutant<CutsLongLines>("cuts long lines", "long_lines"),
      mutant<FoldsCase>("does not distinguish a from A", "session_ids"),
      mutant<InfoIsOld>("returns an old summary", "info_follows"),
      mutant<InfoIsOld>("returns an old summary", "info_is_folded"),
      mutant<InfoLosesState>("loses state", "info_of_every_kind"),
      mutant<InfoLosesState>("loses state", "state_values"),
      mutant<ListLosesUsage>("lists without usage", "info_of_every_kind"),
      mutant<IgnoresAfter>("ignores the summary it is given", "info_is_after"),
      mutant<NeedsAfter>("keeps its summary where none is given", "info_is_folded"),
      mutant<NewIsOld>("takes a session for new that is stored", "only_new"),
      mutant<AfterGoesBack>("takes the summary of a repetition", "info_is_after"),
      mutant<NoEndCrc>("knows no checksum of the end", "expected_crc"),
      mutant<ListByName>("forgets the order in list", "lists_newest_first"),
      mutant<ListOldestFirst>("lists oldest first", "lists_newest_first"),
      mutant<IgnoresAgent>("ignores the agent", "filters"),
      mutant<IgnoresArchived>("ignores what is archived", "filters_archived"),
      mutant<IgnoresUserOfKey>("ignores the user where a key is asked for", "filters"),
      mutant<IgnoresArchivedOfKey>("ignores what is archived where a key is asked for", "filters"),
      mutant<CutsBeforeItFilters>("cuts a page before it leaves out the archived", "filters"),
      mutant<KeyByPrefix>("finds keys by their beginning", "filters"),
      mutant<PagesByOffset>("pages by offset", "stable_pages"),
      mutant<PagesByOffset>("pages by offset", "cursor_outlives"),
      mutant<NextAlways>("always has a next page", "pages_of_lists"),
      mutant<BadCursorStartsAgain>("starts again at a bad cursor", "bad_cursors"),
      mutant<LimitZeroIsAll>("takes limit 0 for none", "limit_0"),
      mutant<CursorByTimeAlone>("skips sessions of one time", "equal_times"),
      mutant<RemoveDoesNot>("removes nothing", "removes"),
      mutant<KeepsPermanently>("keeps what is removed permanently", "permanent_removal"),
      mutant<RemoveTwiceIsFine>("removes what is not there", "removes"),
      mutant<RemovedHaunts>("keeps something of a removed session", "makes_again"),
      mutant<WritesOneByOne>("lets others into a batch", "threads_on_one_session"),
      mutant<ChecksThenWrites>("lets two start one session", "threads_start_one_session"),
      mutant<SwallowsFault>("acknowledges what failed", "append_faults", faults),
      mutant<WritesAndSaysNot>("writes and says it did not", "append_faults", faults),
      mutant<FaultIsNotFound>("calls what cannot be read missing", "reading_faults", faults),
      mutant<FaultIsEmptyList>("lists nothing where it cannot read", "reading_faults", faults),
      mutant<FaultIsConflict>("calls a failure a conflict", "durable_append_faults", faults),
      mutant<KeepsHalf>("keeps a half though batches are claimed whole", "all_or_nothing",
                        faults | Claim::transactional_batches),
      // Claims that are not true.
      mutant<Good>("forgets when closed", "opens_again", Claim::persistent),
      mutant<Good>("shares nothing", "two_stores", Claim::shared),
      mutant<Good>("syncs nothing", "durable", Claim::durable),
      mutant<Good>("has no trash", "trash", Claim::trash),
      mutant<Good>("answers a forked child", "forked_child", Claim::refuses_children),
      mutant<Good>("never fails", "append_faults", faults),
  };
}

StoreUnderTest subject(Mutant const& mutant) {
  StoreUnderTest store;
  store.name = mutant.name;
  store.open_empty = [make = mutant.make] { return Result<Shared>(make()); };
  store.open_again = store.open_empty; // forgets; catches a store that claims to be persistent
  store.claims = mutant.claims;
  store.syncs = [] { return std::uint64_t{0}; };
  store.removed_lines = [](SessionId const&) { return std::vector<std::string>{}; };
  store.fail_call = [](std::int64_t n, bool sticky) {
    bool const fired = Faulty::fired > 0;
    Faulty::at = n, Faulty::sticky = sticky;
    Faulty::calls = Faulty::fired = 0;
    return fired;
  };
  return store;
}

}

TEST_CASE("each broken store is caught by the check written for it") {
  for (Mutant const& one : mutants()) {
    INFO("a store that " << one.name << " passes " << one.caught_by);
    auto options = kit_options();
    options.only = one.caught_by;
    kit::ConformanceReport const report = kit::check_store(subject(one), options);
    auto const found = std::find_if(report.checks.begin(), report.checks.end(),
                                    [&](auto const& check) { return check.name == one.caught_by; });
    REQUIRE(found != report.checks.end());
    CHECK(found->verdict == kit::Verdict::failed);
    CHECK_FALSE(found->seen.empty());
    CHECK_FALSE(report.ok());
    CHECK(report.failures().find(one.caught_by) != std::string::npos);
  }
}

TEST_CASE("the stores they are derived from keep the contract") {
  CHECK(kit::check_store(subject(mutant<Good>("good", "")), kit_options()).failures().empty());
  CHECK(kit::check_store(subject(mutant<Faulty>("faulty", "", faults | Claim::transactional_batches)),
                         kit_options())
            .failures()
            .empty());
}

TEST_CASE("every check of the kit is known to catch a store, or is listed here") {
  std::set<std::string_view> caught;
  for (Mutant const& one : mutants()) caught.insert(one.caught_by);
  std::set<std::string_view> const elsewhere{"continues_a_session",
                                             "reads_beyond_the_end",
                                             "page_owns_its_bytes",
                                             "empty_is_empty", // as the others of core
                                             "expects_between",
                                             "expects_of_another", // other positions than a count
                                             "repeats_after_reopen",
                                             "completes_start",
                                             "heads_only",
                                             "filters_users",
                                             "many_of_a_key",
                                             "order_of_entries",
                                             "keys_and_agents",
                                             "types_and_parents",
                                             "threads_on_many_sessions",
                                             "threads_remove",
                                             "two_stores_and_threads",
                                             "processes",
                                             "killed",
                                             "any_bytes",
                                             "start_faults",
                                             "removal_faults"};
  for (kit::CheckName const& check : kit::conformance_checks()) {
    CAPTURE(check.name);
    CHECK((caught.count(check.name) > 0) != (elsewhere.count(check.name) > 0));
    CHECK_FALSE(check.sentence.empty());
  }
}

TEST_CASE("a report is available as JSON, and as a table with a row for each store") {
  auto options = kit_options();
  options.sequences = 1;
  kit::ConformanceReport const report =
      kit::check_store(subject(mutant<LosesLastOfBatch>("bad \"one\"", "")), options);
  std::string const json = report.to_json(), table = kit::to_table({report});
  CHECK(sk::RawJson::parse(json).ok());
  CHECK(json.find(R"("store":"bad \"one\"")") != std::string::npos);
  CHECK(json.find(R"("verdict":"not_claimed","seen":"persistent")") != std::string::npos);
  CHECK(table.find("BAD") != std::string::npos);
  CHECK(table.find("persistent, shared, shared_between_processes") != std::string::npos);
}
