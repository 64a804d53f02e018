// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/core_checks.ipp>
