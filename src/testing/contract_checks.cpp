// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/contract_checks.ipp>
