// SPDX-License-Identifier: MIT
// Does nothing: on Windows no file and no socket takes the place of a closed stdin, stdout or stderr.
#pragma once
#include <sessionkit/detail/base/standard_descriptors.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

int above_standard(int descriptor) noexcept { return descriptor; }

StandardDescriptorsTaken::StandardDescriptorsTaken() noexcept = default;
StandardDescriptorsTaken::~StandardDescriptorsTaken() = default;

}}}
