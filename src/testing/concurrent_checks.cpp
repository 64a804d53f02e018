// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/concurrent_checks.ipp>
