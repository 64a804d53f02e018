# SPDX-License-Identifier: MIT
# Embeds markdown-it and highlight.js into the chat server's page, each as one module of JavaScript. If one is not
# installed, its module exports null: the page then shows Markdown, or code, as plain text.

# Writes the module INTO: `scripts` make it, with `module.exports` as in Node, and `notice` is the licence to keep.
function(sessionkit_page_module into name notice scripts)
  string(CONCAT module "/* ${name}, embedded as it is.\n\n${notice} */\n"
    "const quiet = { log() {}, warn() {}, error() {} };\n"
    "const load = (script, module = { exports: {} }) => (script.call(globalThis, module, module.exports, undefined, quiet), module.exports);\n"
    "${scripts}")
  sessionkit_page_write("${into}" "${module}")
endfunction()

function(sessionkit_page_script result file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" script)
  set(${result} "load(function (module, exports, define, console) {\n${script}\n})" PARENT_SCOPE)
endfunction()

function(sessionkit_page_missing into name package)
  message(STATUS "sessionkit: no ${name} (Debian: ${package}): the page of chat_host is built without it")
  sessionkit_page_write("${into}" "// ${name} was not installed when this page was built.\nexport default null;\n")
endfunction()

# Keeps the time of a file that would not change.
function(sessionkit_page_write into text)
  set(old "")
  if(EXISTS "${into}")
    file(READ "${into}" old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE "${into}" "${text}")
  endif()
endfunction()

set(mit_terms "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and
this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED
\"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.")
set(bsd_terms "Redistribution and use in source and binary forms, with or without modification, are permitted provided that
the following conditions are met: 1. Redistributions of source code must retain the above copyright notice, this list of
conditions and the following disclaimer. 2. Redistributions in binary form must reproduce the above copyright notice,
this list of conditions and the following disclaimer in the documentation and/or other materials provided with the
distribution. 3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or
promote products derived from this software without specific prior written permission. THIS SOFTWARE IS PROVIDED BY THE
COPYRIGHT HOLDERS AND CONTRIBUTORS \"AS IS\" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE
COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR
BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.")

# The languages that the page colors: all of them would be 800 kB.
set(page_languages bash c c-like cmake cpp cs csharp css diff dockerfile go haskell http ini java javascript json kotlin
  latex lua makefile markdown nginx objectivec perl php plaintext powershell python r ruby rust scala shell sql swift tex
  typescript xml yaml)

function(sessionkit_page_libraries folder)
  set(places /usr/share /usr/local/share /usr/lib /usr/local/lib)
  find_file(SESSIONKIT_MARKDOWN_IT NAMES javascript/markdown-it/markdown-it.js node_modules/markdown-it/dist/markdown-it.js
    PATHS ${places} NO_DEFAULT_PATH)
  find_path(SESSIONKIT_HIGHLIGHT_JS NAMES languages/cpp.js PATHS ${places} NO_DEFAULT_PATH
    PATH_SUFFIXES nodejs/highlight.js/lib node_modules/highlight.js/lib)
  mark_as_advanced(SESSIONKIT_MARKDOWN_IT SESSIONKIT_HIGHLIGHT_JS)
  if(SESSIONKIT_MARKDOWN_IT)
    sessionkit_page_script(script "${SESSIONKIT_MARKDOWN_IT}")
    sessionkit_page_module("${folder}/markdown-it.js" markdown-it
      "Copyright (c) 2014 Vitaly Puzrin, Alex Kocharin.\n\n${mit_terms}" "export default ${script};\n")
  else()
    sessionkit_page_missing("${folder}/markdown-it.js" markdown-it libjs-markdown-it)
  endif()
  set(core "${SESSIONKIT_HIGHLIGHT_JS}/core.js")
  if(NOT EXISTS "${core}")
    set(core "${SESSIONKIT_HIGHLIGHT_JS}/highlight.js") # before version 10
  endif()
  if(SESSIONKIT_HIGHLIGHT_JS AND EXISTS "${core}")
    sessionkit_page_script(script "${core}")
    set(scripts "const highlighter = ${script};\n")
    foreach(language IN LISTS page_languages)
      if(EXISTS "${SESSIONKIT_HIGHLIGHT_JS}/languages/${language}.js")
        sessionkit_page_script(script "${SESSIONKIT_HIGHLIGHT_JS}/languages/${language}.js")
        string(APPEND scripts "highlighter.registerLanguage('${language}', ${script});\n")
      endif()
    endforeach()
    sessionkit_page_module("${folder}/highlight.js" highlight.js
      "Copyright (c) 2006, Ivan Sagalaev. All rights reserved.\n\n${bsd_terms}" "${scripts}export default highlighter;\n")
  else()
    sessionkit_page_missing("${folder}/highlight.js" highlight.js node-highlight.js)
  endif()
endfunction()
