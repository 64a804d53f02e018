// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/store_conformance.ipp>
