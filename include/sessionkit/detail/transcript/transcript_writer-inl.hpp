// SPDX-License-Identifier: MIT
// Opens a transcript for writing by its path.
#pragma once
#include <sessionkit/detail/transcript/file_writer.hpp>

namespace sessionkit { inline namespace v0 {

struct TranscriptWriter::State {
  detail::FileWriter log;
};

TranscriptWriter::TranscriptWriter(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
TranscriptWriter::TranscriptWriter(TranscriptWriter&&) noexcept = default;
TranscriptWriter& TranscriptWriter::operator=(TranscriptWriter&&) noexcept = default;
TranscriptWriter::~TranscriptWriter() = default;

SESSIONKIT_SELDOM Result<TranscriptWriter> TranscriptWriter::open(std::string const& path,
                                                                  WriterOptions options) {
  return open_at(detail::working_directory, path, path, std::move(options));
}

Result<TranscriptWriter> TranscriptWriter::open_at(int directory, std::string const& name, std::string path,
                                                   WriterOptions options) {
  Result<detail::FileWriter> log = detail::FileWriter::open(
      detail::system_file_ops(), {directory, name, std::move(path)}, std::move(options));
  if (!log) return log.error();
  return TranscriptWriter(std::make_unique<State>(State{std::move(*log)}));
}

Result<Position> TranscriptWriter::append(Append const& batch) { return state_->log.append(batch); }
Position TranscriptWriter::durable_position() const noexcept { return state_->log.durable_position(); }

}}
