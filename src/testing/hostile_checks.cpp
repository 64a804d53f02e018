// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/hostile_checks.ipp>
