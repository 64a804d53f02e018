// SPDX-License-Identifier: MIT
/// The conformance kit for programs that take it without its library: include this in exactly one .cpp,
/// beside <sessionkit/src.hpp> or linked with the library.
#pragma once
#include <sessionkit/testing/impl/concurrent_checks.ipp>
#include <sessionkit/testing/impl/contract_checks.ipp>
#include <sessionkit/testing/impl/core_checks.ipp>
#include <sessionkit/testing/impl/fault_checks.ipp>
#include <sessionkit/testing/impl/hostile_checks.ipp>
#include <sessionkit/testing/impl/list_checks.ipp>
#include <sessionkit/testing/impl/model_checks.ipp>
#include <sessionkit/testing/impl/store_conformance.ipp>
#include <sessionkit/testing/impl/trial.ipp>
