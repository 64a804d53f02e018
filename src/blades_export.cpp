// SPDX-License-Identifier: MIT
#include <sessionkit/detail/exchange/blades_export-inl.hpp>
