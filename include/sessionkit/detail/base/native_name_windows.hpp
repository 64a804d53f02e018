// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A handle has 32 significant bits, and is a multiple of 4. So the library uses it as the descriptor of the
/// open file.
inline void* handle_of(int descriptor) noexcept {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
}
inline int descriptor_of(void* handle) noexcept {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
}

/// The name of a file as the kernel of Windows takes it. It may be longer than 260 characters.
struct NativeName {
  void* root = nullptr;   ///< the handle of an open directory, below which `text` is; null: it is absolute
  std::wstring text = {}; ///< empty: the directory itself
};

/// Sets `out` to a name that is below an open directory or below `working_directory`. Returns zero. After a
/// failure, returns the system's number of the failure as a negative number. Names that Windows changes or
/// takes for devices are such a failure.
SESSIONKIT_API int make_native(int directory, char const* name, NativeName& out);

}}}
