// SPDX-License-Identifier: MIT
#include <sessionkit/testing/impl/trial.ipp>
