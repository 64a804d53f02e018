// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/list_checks.ipp>
