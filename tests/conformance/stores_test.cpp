// SPDX-License-Identifier: MIT
#include "custom_store/custom_store.hpp"
#include "kit.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"

#include <sessionkit/detail/exchange/blades_store.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/memory_store.hpp>

#include <optional>

#include <dirent.h>

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

/// Calls that fail, for several threads at once, with real time between.
class SharedFileOps final : public FaultyFileOps {
 public:
  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override {
    return fails(Call::pread) ? -fault.error : real().pread(descriptor, to, bytes, offset);
  }
  std::int64_t write(int descriptor, char const* from, std::size_t bytes) override {
    return fails(Call::write) ? -fault.error : real().write(descriptor, from, bytes);
  }
  std::chrono::steady_clock::time_point now() override { return real().now(); }
  void pause(std::chrono::milliseconds time) override { real().pause(time); }
};

/// File stores over calls that count and fail.
struct Files {
  sk::Profile profile;
  std::optional<TempDir> dir = {};
  std::unique_ptr<SharedFileOps> ops = std::make_unique<SharedFileOps>();

  sk::Result<std::shared_ptr<sk::SessionStore>> open() {
    sk::FileStoreOptions options;
    options.profile = profile;
    return sk::detail::open_file_store(*ops, dir->path(), options);
  }
  // The newest of that name: `<id>.jsonl`, or `<id>.<random>.jsonl` when one was there.
  std::vector<std::string> removed_lines(sk::SessionId const& id) const {
    std::vector<std::string> lines;
    DIR* const trash = ::opendir((*dir / "trash").c_str());
    if (trash == nullptr) return lines;
    while (dirent const* const entry = ::readdir(trash)) {
      std::string const name = entry->d_name;
      if (name.find(id.str()) == std::string::npos) continue;
      std::string const text = read_file(*dir / "trash/" + name);
      for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
        lines.push_back(text.substr(at, end - at));
    }
    ::closedir(trash);
    return lines;
  }

  StoreUnderTest subject() {
    StoreUnderTest store;
    store.name = std::string("file_") + std::string(profile.name);
    store.dialect = profile.dialect;
    store.open_empty = [this] {
      dir.emplace();
      return open();
    };
    store.open_again = [this] { return open(); };
    store.claims = Claim::persistent | Claim::shared | Claim::shared_between_processes
                   | Claim::survives_faults | Claim::durable | Claim::trash | Claim::any_bytes
                   | Claim::refuses_children;
    store.fail_call = [this](std::int64_t n, bool sticky) {
      bool const fired = ops->fired > 0;
      ops->reset();
      ops->fault.at = n;
      ops->fault.sticky = sticky;
      return fired;
    };
    store.syncs = [this] {
      return static_cast<std::uint64_t>(ops->calls(Call::sync_data) + ops->calls(Call::sync));
    };
    store.removed_lines = [this](sk::SessionId const& id) { return removed_lines(id); };
#if defined(_WIN32)
    store.cannot_keep = {"session_ids"}; // the file system takes `a` and `A` for one name
#endif
    return store;
  }
};

}

TEST_CASE("the memory store keeps the contract") {
  StoreUnderTest store;
  store.name = "memory";
  store.open_empty = [] { return sk::Result<std::shared_ptr<sk::SessionStore>>(sk::make_memory_store()); };
  store.claims = Claim::any_bytes | Claim::refuses_children;
  conforms(store);
}

TEST_CASE("the file store keeps the contract with native lines") {
  conforms(Files{sk::profiles::native}.subject());
}

TEST_CASE("the file store keeps the contract with ai-panel's lines") {
  conforms(Files{sk::profiles::ai_panel}.subject());
}

TEST_CASE("the file store keeps the contract with claw0's lines and layout") {
  conforms(Files{sk::profiles::claw0}.subject());
}

TEST_CASE("a store that a newcomer wrote keeps the contract") {
  StoreUnderTest store;
  store.name = "custom";
  store.open_empty = [] {
    return sk::Result<std::shared_ptr<sk::SessionStore>>(std::make_shared<custom::MapStore>());
  };
  store.claims = Claim::any_bytes;
  conforms(store);
}

namespace {

/// Documents of blades over calls that count and fail.
struct Documents {
  std::optional<TempDir> dir = {};
  std::unique_ptr<SharedFileOps> ops = std::make_unique<SharedFileOps>();

  StoreUnderTest subject() {
    StoreUnderTest store;
    store.name = "blades";
    store.dialect = "blades";
    store.open_again = [this] { return sk::detail::open_blades_store(*ops, dir->path(), {}); };
    store.open_empty = [this, open = store.open_again] {
      dir.emplace();
      return open();
    };
    store.claims = Claim::persistent | Claim::shared | Claim::shared_between_processes
                   | Claim::transactional_batches | Claim::survives_faults | Claim::durable
                   | Claim::refuses_children;
    store.fail_call = [this](std::int64_t n, bool sticky) {
      bool const fired = ops->fired > 0;
      ops->reset();
      ops->fault.at = n;
      ops->fault.sticky = sticky;
      return fired;
    };
    store.syncs = [this] {
      return static_cast<std::uint64_t>(ops->calls(Call::sync_data) + ops->calls(Call::sync));
    };
    store.cannot_keep = {"dialects"}; // a document has no lines of other programs
    return store;
  }
};

}

TEST_CASE("the store of blades' documents keeps the contract, and names what it cannot keep") {
  Documents documents;
  StoreUnderTest const store = documents.subject();
  kit::ConformanceReport const report = conforms(store);
  std::printf("%s", report.not_kept().c_str());
}
