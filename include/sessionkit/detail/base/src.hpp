// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `base`.
#if defined(min) || defined(max)
#error "define NOMINMAX before <windows.h>: its macros min and max change the code of sessionkit"
#endif
#include <sessionkit/detail/base/directory_lock-inl.hpp>
#include <sessionkit/detail/base/error-inl.hpp>
#include <sessionkit/detail/base/file_doubts-inl.hpp>
#include <sessionkit/detail/base/file_ops-inl.hpp>
#include <sessionkit/detail/base/fold_case-inl.hpp>
#include <sessionkit/detail/base/format_text-inl.hpp>
#include <sessionkit/detail/base/ids-inl.hpp>
#include <sessionkit/detail/base/make_error-inl.hpp>
#include <sessionkit/detail/base/opening_process-inl.hpp>
#include <sessionkit/detail/base/random_bits-inl.hpp>
#include <sessionkit/detail/base/random_ids-inl.hpp>
#include <sessionkit/detail/base/replace_file-inl.hpp>
#include <sessionkit/detail/base/safe_directory-inl.hpp>
#include <sessionkit/detail/base/time-inl.hpp>

// The seam to the operating system.
#if defined(_WIN32)
#include <sessionkit/detail/base/file_access_windows-inl.hpp>
#include <sessionkit/detail/base/file_ops_windows-inl.hpp>
#include <sessionkit/detail/base/file_status_windows-inl.hpp>
#include <sessionkit/detail/base/native_name_windows-inl.hpp>
#include <sessionkit/detail/base/random_bits_windows-inl.hpp>
#include <sessionkit/detail/base/standard_descriptors_windows-inl.hpp>
#include <sessionkit/detail/base/system_advice_windows-inl.hpp>
#include <sessionkit/detail/base/system_fault_windows-inl.hpp>
#include <sessionkit/detail/base/text_memory_windows-inl.hpp>
#else
#if defined(__wasi__)
#include <sessionkit/detail/base/file_ops_wasi-inl.hpp>
#else
#include <sessionkit/detail/base/file_ops_posix-inl.hpp>
#include <sessionkit/detail/base/lock_holder_posix-inl.hpp>
#include <sessionkit/detail/base/sockets_posix-inl.hpp>
#include <sessionkit/detail/base/standard_descriptors_posix-inl.hpp>
#include <sessionkit/detail/base/text_memory_posix-inl.hpp>
#endif
#include <sessionkit/detail/base/random_bits_posix-inl.hpp>
#include <sessionkit/detail/base/system_advice_posix-inl.hpp>
#include <sessionkit/detail/base/system_fault_posix-inl.hpp>
#endif
