// SPDX-License-Identifier: MIT
// Failures of the system's own functions: the pointers through which this program calls them are replaced.
#pragma once
#include "support/give_up.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <windows.h>

namespace sessionkit_test {

/// The place of the pointer through which this program calls a function of a system library; null if it calls
/// none of this name.
inline void** import_of(char const* function) {
  auto* const base = reinterpret_cast<char*>(::GetModuleHandleW(nullptr));
  auto const* const dos = reinterpret_cast<IMAGE_DOS_HEADER const*>(base);
  auto const* const headers = reinterpret_cast<IMAGE_NT_HEADERS const*>(base + dos->e_lfanew);
  auto const& directory = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
  auto const* library = reinterpret_cast<IMAGE_IMPORT_DESCRIPTOR const*>(base + directory.VirtualAddress);
  for (; library->FirstThunk != 0; ++library) {
    auto const* name = reinterpret_cast<IMAGE_THUNK_DATA const*>(base + library->OriginalFirstThunk);
    auto* place = reinterpret_cast<IMAGE_THUNK_DATA*>(base + library->FirstThunk);
    for (; name->u1.AddressOfData != 0; ++name, ++place) {
      if (IMAGE_SNAP_BY_ORDINAL(name->u1.Ordinal)) continue;
      auto const* const by_name =
          reinterpret_cast<IMAGE_IMPORT_BY_NAME const*>(base + name->u1.AddressOfData);
      if (std::strcmp(reinterpret_cast<char const*>(by_name->Name), function) == 0)
        return reinterpret_cast<void**>(place);
    }
  }
  return nullptr;
}

/// Lets this program call another function in place of one of the system, while an object of this class
/// exists.
class ReplacedImport {
 public:
  ReplacedImport(char const* function, void* replacement) : place_(import_of(function)) {
    if (place_ == nullptr) give_up(std::string("this program does not call ") + function);
    real_ = *place_;
    set(replacement);
  }
  ~ReplacedImport() { set(real_); }
  ReplacedImport(ReplacedImport const&) = delete;
  ReplacedImport& operator=(ReplacedImport const&) = delete;

  template <class Function> Function real() const { return reinterpret_cast<Function>(real_); }

 private:
  void set(void* function) {
    DWORD before = 0;
    ::VirtualProtect(place_, sizeof *place_, PAGE_READWRITE, &before);
    *place_ = function;
    ::VirtualProtect(place_, sizeof *place_, before, &before);
  }

  void** place_;
  void* real_ = nullptr;
};

/// How a function reports a failure.
enum class Reports { status, last_error, code, no_handle };

/// Lets one call of one function fail, while an object of this class exists. There is one at a time.
class SystemFailure {
 public:
  /// The call of this number fails (the first is 0) with `code`: a status for `Reports::status`, else an
  /// error code.
  SystemFailure(char const* function, Reports reports, std::uint32_t code, int at)
      : replaced_(function, reinterpret_cast<void*>(&called)) {
    state() = {replaced_.real<Function>(), reports, code, at, false};
  }

  static bool fired() { return state().fired; }

 private:
  // On x86-64, the caller takes all arguments away again. So one function can pass on the arguments of any
  // other.
  using Word = std::uintptr_t;
  using Function = Word(WINAPI*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
  struct State {
    Function real;
    Reports reports;
    std::uint32_t code;
    int left;
    bool fired;
  };
  static State& state() {
    static State one{};
    return one;
  }
  static Word WINAPI called(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j,
                            Word k, Word l) {
    if (state().left-- != 0) return state().real(a, b, c, d, e, f, g, h, i, j, k, l);
    state().fired = true;
    if (state().reports == Reports::status || state().reports == Reports::code) return state().code;
    ::SetLastError(state().code);
    return state().reports == Reports::no_handle ? ~Word{0} : 0;
  }

  ReplacedImport replaced_;
};

}
