// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/doctor.hpp>

#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `repair` with system calls that tests can replace.
SESSIONKIT_API std::vector<Treatment> repair(FileOps& ops, Diagnosis const& diagnosis,
                                             DoctorOptions const& options);

}}}
