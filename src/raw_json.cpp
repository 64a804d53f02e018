// SPDX-License-Identifier: MIT
#include <sessionkit/detail/json/raw_json-inl.hpp>
