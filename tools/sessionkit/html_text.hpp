// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace cli {

/// Text for elements and attributes of a page, with nothing in it that a terminal would act on.
std::string html_escaped(std::string_view text);

/// Code as the content of a `code` element. Comments, strings, numbers and keywords are in elements `span`
/// with a class, if the language is known.
std::string html_of_code(std::string_view code, std::string_view language);

/// Markdown as elements of a page: no HTML of its own, no picture that is loaded, no link but to the web and
/// to an address of e-mail. If the program was built without md4c, or the text is very long, its characters.
std::string html_of_markdown(std::string_view text);

}
