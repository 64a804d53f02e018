// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/model_checks.ipp>
