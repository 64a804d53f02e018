// SPDX-License-Identifier: MIT
#include <sessionkit/testing/detail/model_checks-inl.hpp>
