// SPDX-License-Identifier: MIT
#include <sessionkit/impl/provider_responses.ipp>
