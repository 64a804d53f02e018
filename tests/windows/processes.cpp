// SPDX-License-Identifier: MIT
// Processes on Windows that append, are killed, and hold files open.
//   windows_processes kills COUNT
// kills a process COUNT times while it appends. Prints how many entries it acknowledged, and how many of
// these are lost.
//   windows_processes together COUNT
// lets three processes append COUNT entries each to one session at once.
//   windows_processes held
// repairs, replaces and removes a session's file that another process holds open.
// The program starts itself for the other processes: write DIR SESSION PREFIX COUNT | hold FILE.
#include "support/data.hpp"
#include "support/random.hpp"
#include "support/shared_writer.hpp"

#include <sessionkit/detail/base/replace_file.hpp>
#include <sessionkit/doctor.hpp>
#include <sessionkit/file_store.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <windows.h>

using namespace sessionkit_test;

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(std::string const& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}
void expect(bool holds, std::string const& what) {
  if (!holds) fail(what);
}

/// wine has no rename that replaces an open file; on Windows it is there since 10 1607, on NTFS.
bool is_wine() { return ::GetProcAddress(::GetModuleHandleA("ntdll.dll"), "wine_get_version") != nullptr; }

void say(std::string const& line) {
  std::string const text = line + "\n";
  DWORD put = 0;
  ::WriteFile(::GetStdHandle(STD_OUTPUT_HANDLE), text.data(), static_cast<DWORD>(text.size()), &put, nullptr);
}

/// This program as another process, with a pipe for what it says.
class Child {
 public:
  explicit Child(std::string const& arguments) {
    SECURITY_ATTRIBUTES inherit{sizeof inherit, nullptr, TRUE};
    HANDLE theirs = nullptr;
    expect(::CreatePipe(&from_, &theirs, &inherit, 1 << 20) != 0, "no pipe");
    ::SetHandleInformation(from_, HANDLE_FLAG_INHERIT, 0);
    char self[4096];
    ::GetModuleFileNameA(nullptr, self, sizeof self);
    std::string command = "\"" + std::string(self) + "\" " + arguments;
    STARTUPINFOA start = {};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdOutput = theirs;
    start.hStdError = ::GetStdHandle(STD_ERROR_HANDLE);
    PROCESS_INFORMATION made = {};
    bool started = false;
    for (int tries = 0; !started && tries < 10; ++tries) { // wine gives up when the machine is very busy
      if (tries > 0) ::Sleep(500);
      started =
          ::CreateProcessA(nullptr, &command[0], nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &made)
          != 0;
    }
    expect(started, "cannot start " + command + ": error " + std::to_string(::GetLastError()));
    ::CloseHandle(made.hThread);
    ::CloseHandle(theirs);
    process_ = made.hProcess;
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;
  ~Child() {
    kill();
    ::CloseHandle(process_);
    ::CloseHandle(from_);
  }

  void kill() { ::TerminateProcess(process_, 9); }
  DWORD wait() {
    ::WaitForSingleObject(process_, INFINITE);
    DWORD code = 99;
    ::GetExitCodeProcess(process_, &code);
    return code;
  }
  /// Adds one piece of what it says to `words`; false at the end.
  bool hear() {
    char piece[4096];
    DWORD got = 0;
    if (::ReadFile(from_, piece, sizeof piece, &got, nullptr) == 0 || got == 0) return false;
    words.append(piece, got);
    return true;
  }
  std::string words;

 private:
  HANDLE process_ = nullptr, from_ = nullptr;
};

std::vector<std::string> whole_lines(std::string const& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

std::shared_ptr<sk::SessionStore> open(std::string const& root) {
  auto store = sk::open_file_store(root);
  expect(bool(store), "cannot open the store: " + (store ? std::string() : store.error().message));
  return *store;
}

int write(std::string const& root, std::string const& session, std::string const& prefix, int count) {
  auto const store = open(root);
  SharedWriter writer(*store, session);
  for (int i = 0; i < count; ++i) {
    std::string const id = prefix + "." + std::to_string(i);
    auto const done =
        writer.append(id, std::string(static_cast<std::size_t>(i * 37 % 3000), 'x'), i % 16 == 15);
    expect(bool(done), "append: " + (done ? std::string() : done.error().message));
    say(id);
  }
  return 0;
}

int kills(int count) {
  TempDir dir;
  Random random(19);
  std::vector<std::string> acknowledged;
  std::chrono::milliseconds longest_lock{0};
  std::size_t after = 0;
  for (int kill = 0; kill < count; ++kill) {
    std::string const prefix = "k" + std::to_string(kill);
    Child child("write \"" + dir.path() + "\" talk " + prefix + " 100000");
    std::size_t const enough = 1 + random.below(400); // bytes, which end within an append or between two
    while (child.words.size() < enough)
      if (!child.hear()) break;
    child.kill();
    while (child.hear()) {}
    expect(child.wait() == 9, "it ended before it was killed: " + child.words);
    for (std::string& id : whole_lines(child.words)) acknowledged.push_back(std::move(id));
    auto const begin = Clock::now();
    auto const store = open(dir.path());
    SharedWriter writer(*store, "talk");
    auto const done = writer.append("after" + std::to_string(kill), "all is well", true);
    expect(bool(done), "append after a kill: " + (done ? std::string() : done.error().message));
    longest_lock =
        std::max(longest_lock, std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin));
    ++after;
  }
  auto const store = open(dir.path());
  Found const found = find_all(*store, "talk");
  auto const times = found.count();
  std::size_t lost = 0, doubled = 0;
  for (std::string const& id : acknowledged) lost += times.count(id) == 0 ? 1U : 0U;
  for (auto const& [id, n] : times) doubled += n > 1 ? 1U : 0U;
  std::size_t const unheard = times.size() - std::min(times.size(), acknowledged.size() + after);
  expect(lost == 0 && doubled == 0,
         std::to_string(lost) + " entries are lost, " + std::to_string(doubled) + " doubled");
  expect(acknowledged.size() > static_cast<std::size_t>(count), "hardly anything was acknowledged");
  expect(unheard <= static_cast<std::size_t>(count), "there is more than one unheard entry for each kill");
  expect(found.damage <= static_cast<std::size_t>(count), "there is more damage than there were kills");
  expect(sk::diagnose_store(dir.path()).ok(), "the doctor cannot look at the store");
  std::printf("kills %d, acknowledged %zu, lost %zu, doubled %zu, unheard %zu, torn %zu, longest append "
              "after a kill %lld ms\n",
              count, acknowledged.size(), lost, doubled, unheard, found.damage,
              static_cast<long long>(longest_lock.count()));
  return 0;
}

int together(int count) {
  TempDir dir;
  constexpr int processes = 3;
  {
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < processes; ++i)
      children.push_back(std::make_unique<Child>("write \"" + dir.path() + "\" talk p" + std::to_string(i)
                                                 + " " + std::to_string(count)));
    for (auto const& child : children) {
      while (child->hear()) {}
      expect(child->wait() == 0, "a writer failed: " + child->words);
      expect(whole_lines(child->words).size() == static_cast<std::size_t>(count), "a writer said too little");
    }
  }
  Found const found = find_all(*open(dir.path()), "talk");
  expect(found.damage == 0, "there is damage");
  expect(found.ids.size() == static_cast<std::size_t>(processes * count), "entries are lost or doubled");
  std::map<std::string, int> last;
  std::size_t changes = 0;
  std::string before;
  for (std::string const& id : found.ids) {
    std::string const who = id.substr(0, id.find('.'));
    int const number = std::atoi(id.c_str() + who.size() + 1);
    int& known = last.try_emplace(who, -1).first->second;
    expect(number == known + 1, "the entries of a writer are not in its order");
    known = number;
    changes += who != before ? 1U : 0U;
    before = who;
  }
  expect(changes > processes, "they did not write at once");
  std::printf("processes %d, entries %zu, lost 0, turns of a writer %zu\n", processes, found.ids.size(),
              changes);
  return 0;
}

// Opens a file as the library's readers do, and says its first byte again and again until it is killed.
int hold(std::string const& path) {
  auto& ops = sk::detail::system_file_ops();
  auto const file =
      sk::detail::open_for_reading(ops, sk::detail::working_directory, path.c_str(), false, path);
  expect(bool(file), "cannot hold " + path);
  for (;;) {
    char byte = 0;
    expect(ops.pread(file->get(), &byte, 1, 0) == 1, "the held file cannot be read");
    say(std::string(1, byte));
    ::Sleep(5);
  }
}

void wait_for_more(Child& child) {
  std::size_t const heard = child.words.size();
  while (child.words.size() <= heard + 8) expect(child.hear(), "the holder ended: " + child.words);
}

int held() {
  TempDir dir;
  std::string const file = dir / "talk.jsonl";
  auto store = open(dir.path());
  SharedWriter writer(*store, "talk");
  for (int i = 0; i < 20; ++i) expect(writer.append("m" + std::to_string(i), "text", true).ok(), "append");
  Child child("hold \"" + file + "\"");
  wait_for_more(child);

  // Others append while it is held.
  expect(writer.append("beside", "text", true).ok(), "append beside a reader");
  // A bad line, and a repair, which gives another file the name. The repair itself has the file open too.
  std::string const good = read_file(file), bad = good + "this is no entry\n";
  store.reset();
  std::ofstream(file, std::ios::binary | std::ios::app) << bad.substr(good.size()); // the holder reads on
  auto const diagnosis = sk::diagnose_store(dir.path());
  expect(diagnosis.ok() && !diagnosis->findings.empty(), "the doctor finds nothing");
  bool repaired = true;
  for (sk::Treatment const& treatment : sk::repair(*diagnosis, {})) repaired = repaired && !treatment.failure;
  expect(repaired != is_wine(), repaired ? "wine replaced an open file" : "the repair failed");
  expect(read_file(file) == (repaired ? good : bad), "after the repair, the file has other lines");
  wait_for_more(child);

  // A document is replaced as a whole.
  auto& ops = sk::detail::system_file_ops();
  sk::detail::OpenFile const root(
      ops, ops.open(sk::detail::working_directory, dir.path().c_str(), sk::detail::OpenFlags::directory));
  write_file(dir / "document", "old");
  auto const replace = [&](std::string const& text) {
    return sk::detail::replace_file(ops, root.get(), dir.path(), "document", text, true).ok();
  };
  {
    Child reader("hold \"" + (dir / "document") + "\"");
    wait_for_more(reader);
    bool const replaced = replace("new");
    expect(replaced != is_wine(), replaced ? "wine replaced an open file" : "the document was not replaced");
    expect(read_file(dir / "document") == (replaced ? "new" : "old"), "the document has another text");
    wait_for_more(reader);
    expect(reader.words.find('n') == std::string::npos, "the holder reads another file");
    reader.kill();
    reader.wait();
  }
  expect(replace("newer") && read_file(dir / "document") == "newer", "nobody holds the document");

  // The session is removed; its name is free at once.
  store = open(dir.path());
  auto const removed = store->remove(sk::SessionId::parse("talk").value());
  expect(bool(removed), "remove: " + (removed ? std::string() : removed.error().message));
  SharedWriter again(*store, "talk");
  expect(again.append("new", "text", true).ok(), "a new session of the same name");
  wait_for_more(child);
  std::printf("held: appended and removed beside a reader; replaced and repaired: %s\n",
              is_wine() ? "refused by wine, and nothing changed" : "yes");
  return 0;
}

}

int main(int count, char** given) {
  std::vector<std::string> const args(given, given + count);
  std::string const what = count > 1 ? args[1] : "";
  if (what == "write" && count == 6) return write(args[2], args[3], args[4], std::atoi(args[5].c_str()));
  if (what == "hold" && count == 3) return hold(args[2]);
  if (what == "kills" && count == 3) return kills(std::atoi(args[2].c_str()));
  if (what == "together" && count == 3) return together(std::atoi(args[2].c_str()));
  if (what == "held") return held();
  std::puts("usage: windows_processes kills COUNT | together COUNT | held");
  return 2;
}
