// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/contract_checks-inl.hpp>
