// SPDX-License-Identifier: MIT
#include <sessionkit/impl/raw_json.ipp>
