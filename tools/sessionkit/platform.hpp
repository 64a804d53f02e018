// SPDX-License-Identifier: MIT
// The calls to the operating system that several files of the program make.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/// Prepares the standard streams, and the signals that must not end the program.
void prepare_process();

/// The arguments of the program, in UTF-8.
std::vector<std::string> arguments_of(int argc, char** argv);

/// The value of an environment variable; empty if it is not set.
std::string environment(char const* variable);
/// The folder of the person who runs the program; empty if it is unknown.
std::string home_folder();

enum class Stream { in, out, error };
bool is_terminal(Stream stream);

struct Screen {
  std::size_t columns = 0, rows = 0;
};
/// The size of the terminal at stdout; zero where it is unknown.
Screen size_of_terminal();

/// Reads some bytes of stdin. Zero at its end.
std::size_t read_stdin(char* to, std::size_t bytes);

/// Makes a temporary folder for this user only, and returns its path.
std::string make_temporary_folder();

/// The calls on a new file. They report a failure as the functions of POSIX do: -1, and a number in `errno`.
int open_new_file(std::string const& path);
std::ptrdiff_t write_to(int descriptor, char const* from, std::size_t bytes);
int sync_file(int descriptor);
int close_file(int descriptor);
void remove_file(std::string const& path);

}
