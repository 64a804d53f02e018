// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/store_conformance-inl.hpp>
