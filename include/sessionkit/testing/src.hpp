// SPDX-License-Identifier: MIT
/// The conformance kit for programs that compile it themselves: include this in exactly one .cpp, beside
/// beside <sessionkit/src.hpp> or linked with the library.
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
