// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/fault_checks.ipp>
