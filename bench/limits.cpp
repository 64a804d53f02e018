// SPDX-License-Identifier: MIT
#include "limits.hpp"
#include "measure.hpp"

#include <sessionkit/detail/json/json_scan.hpp>

#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sessionkit_bench {

namespace {

using sessionkit::detail::for_elements;
using sessionkit::detail::for_members;

int open_or_fail(std::string const& path) {
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(descriptor >= 0, path + ": cannot open");
  return descriptor;
}

struct Message {
  std::string_view type, role, content, call, error;
};

Message message_of(std::string_view line) {
  Message message;
  for_members(line, [&](std::string_view key, std::string_view value) {
    if (key == "type") message.type = value;
    if (key != "message") return true;
    for_members(value, [&](std::string_view name, std::string_view inner) {
      if (name == "role") message.role = inner;
      if (name == "content") message.content = inner;
      if (name == "toolCallId") message.call = inner;
      if (name == "isError") message.error = inner;
      return true;
    });
    return false;
  });
  return message;
}

void splice_part(std::string_view part, std::string& out) {
  std::string_view type, text, thinking, signature, id, name, arguments;
  for_members(part, [&](std::string_view key, std::string_view value) {
    if (key == "type") type = value;
    if (key == "text") text = value;
    if (key == "thinking") thinking = value;
    if (key == "thinkingSignature") signature = value;
    if (key == "id") id = value;
    if (key == "name") name = value;
    if (key == "arguments") arguments = value;
    return true;
  });
  if (out.back() != '[') out += ',';
  if (type == R"("text")") out.append(R"({"type":"text","text":)").append(text);
  if (type == R"("thinking")")
    out.append(R"({"type":"thinking","thinking":)")
        .append(thinking)
        .append(R"(,"signature":)")
        .append(signature);
  if (type == R"("toolCall")")
    out.append(R"({"type":"tool_use","id":)")
        .append(id)
        .append(R"(,"name":)")
        .append(name)
        .append(R"(,"input":)")
        .append(arguments);
  out += '}';
}

// `results`: the message before has results, and is still open.
void splice_line(std::string_view line, std::string& out, bool& results) {
  Message const message = message_of(line);
  if (message.type != R"("message")") return;
  bool const result = message.role == R"("toolResult")";
  bool const joins = results && message.role != R"("assistant")";
  if (!joins) {
    if (results) out += "]}";
    if (out.size() > 1) out += ',';
    out += message.role == R"("assistant")" ? R"({"role":"assistant","content":[)"
                                            : R"({"role":"user","content":[)";
  }
  results = result;
  if (result) {
    if (out.back() != '[') out += ',';
    out.append(R"({"type":"tool_result","tool_use_id":)").append(message.call);
    out.append(R"(,"content":)").append(message.content);
    out += message.error == "true" ? R"(,"is_error":true})" : "}";
    return;
  }
  for_elements(message.content, [&](std::string_view part) { return splice_part(part, out), true; });
  out += "]}";
}

}

void read_tail(std::string const& path, std::uint64_t offset, std::uint64_t bytes, std::string& buffer) {
  if (buffer.size() != bytes) buffer.resize(static_cast<std::size_t>(bytes));
  int const descriptor = open_or_fail(path);
  struct stat status {};
  require(::fstat(descriptor, &status) == 0, path + ": cannot stat");
  auto const got = ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(offset));
  require(got == static_cast<ssize_t>(bytes), path + ": cannot read");
  ::close(descriptor);
}

std::uint64_t read_whole(std::string const& path, std::string& buffer) {
  constexpr std::size_t window = std::size_t{256} << 10;
  if (buffer.size() != window) buffer.resize(window);
  int const descriptor = open_or_fail(path);
  std::uint64_t bytes = 0;
  for (ssize_t got = 1; got > 0; bytes += static_cast<std::uint64_t>(got)) {
    got = ::read(descriptor, buffer.data(), buffer.size());
    require(got >= 0, path + ": cannot read");
  }
  ::close(descriptor);
  return bytes;
}

void splice_request(std::string const& path, std::uint64_t offset, std::uint64_t bytes, std::string& buffer,
                    std::string& out) {
  read_tail(path, offset, bytes, buffer);
  out = "[";
  bool results = false;
  for (std::string_view rest = buffer; !rest.empty();) {
    std::size_t const end = rest.find('\n');
    splice_line(rest.substr(0, end), out, results);
    rest.remove_prefix(end + 1);
  }
  out += results ? "]}]" : "]";
}

}
