// SPDX-License-Identifier: MIT
#include <sessionkit/impl/batch.ipp>
