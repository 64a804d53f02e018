// SPDX-License-Identifier: MIT
/// All definitions of the conformance kit, for a program that compiles them itself. Include this in exactly
/// one .cpp. The program also includes <sessionkit/src.hpp> in one .cpp, or links the library.
#pragma once
#include <sessionkit/testing/detail/concurrent_checks-inl.hpp>
#include <sessionkit/testing/detail/contract_checks-inl.hpp>
#include <sessionkit/testing/detail/core_checks-inl.hpp>
#include <sessionkit/testing/detail/fault_checks-inl.hpp>
#include <sessionkit/testing/detail/hostile_checks-inl.hpp>
#include <sessionkit/testing/detail/list_checks-inl.hpp>
#include <sessionkit/testing/detail/model_checks-inl.hpp>
#include <sessionkit/testing/detail/store_conformance-inl.hpp>
#include <sessionkit/testing/detail/trial-inl.hpp>

// The code that depends on the operating system.
#if defined(_WIN32)
#include <sessionkit/testing/detail/child_process_windows-inl.hpp>
#else
#include <sessionkit/testing/detail/child_process_posix-inl.hpp>
#endif
