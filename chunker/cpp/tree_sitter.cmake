# The runtime of tree-sitter, a library in C: it reads source code by the grammars that the wheels tree-sitter-<language> bring. None of it is in
# this repository. It comes with the source distribution of the package tree-sitter, which pip fetches from where the user has told it to,
# once a build folder; TREE_SITTER_SOURCE names a folder that holds what is in there instead, for builds without a network.
#
# Defines the target tree_sitter_runtime, and tree_sitter_licenses; without the source, or a C compiler, neither, after a warning.
set(TREE_SITTER_SOURCE "" CACHE PATH "The unpacked source distribution of the Python package tree-sitter; empty: pip fetches it")

# One version, for src/syntax/runtime.c looks into it.
set(tree_sitter_version 0.26.1)
set(tree_sitter_name tree_sitter-${tree_sitter_version})
set(tree_sitter_requirement
  "tree-sitter==${tree_sitter_version} --hash=sha256:9919cbaf02d17fa9a4cd0e6da496aecf901b758e6eacf122eee393e3ef08aacd")

function(fetch_tree_sitter folder)
  file(WRITE "${folder}/requirement.txt" "${tree_sitter_requirement}\n")
  # pip asks the package for its name and version, with setuptools. Nothing of it is run or compiled otherwise.
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m pip --disable-pip-version-check download --quiet --retries 1 --timeout 20
      --no-deps --no-binary=:all: --no-build-isolation --require-hashes --dest "${folder}" --requirement "${folder}/requirement.txt"
    RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_VARIABLE said)
  if(result EQUAL 0)
    file(ARCHIVE_EXTRACT INPUT "${folder}/${tree_sitter_name}.tar.gz" DESTINATION "${folder}")
  else()
    string(STRIP "${said}" said)
    message(STATUS "pip: ${said}")
  endif()
endfunction()

set(tree_sitter_folder "${TREE_SITTER_SOURCE}")
if(tree_sitter_folder)
  set(information "")
  if(EXISTS "${tree_sitter_folder}/PKG-INFO")
    file(STRINGS "${tree_sitter_folder}/PKG-INFO" information REGEX "^Version: ")
  endif()
  if(NOT information STREQUAL "Version: ${tree_sitter_version}")
    message(FATAL_ERROR "TREE_SITTER_SOURCE: ${TREE_SITTER_SOURCE} is not the source distribution of tree-sitter ${tree_sitter_version}.")
  endif()
else()
  set(tree_sitter_folder "${CMAKE_BINARY_DIR}/tree-sitter/${tree_sitter_name}")
  if(NOT EXISTS "${tree_sitter_folder}/tree_sitter/core/lib/src/lib.c")
    fetch_tree_sitter("${CMAKE_BINARY_DIR}/tree-sitter")
  endif()
endif()
set(tree_sitter_library "${tree_sitter_folder}/tree_sitter/core/lib")

check_language(C)
if(NOT EXISTS "${tree_sitter_library}/src/lib.c")
  message(WARNING
    "The source of tree-sitter's runtime could not be fetched: bpe-chunker is built WITHOUT it, and source code is cut by the slower way in "
    "Python, alike. To have it, build again where pip reaches an index, or unpack the source distribution of tree-sitter ${tree_sitter_version} "
    "and name its folder with --config-settings=cmake.define.TREE_SITTER_SOURCE=...")
elseif(NOT CMAKE_C_COMPILER)
  message(WARNING "No C compiler found: bpe-chunker is built WITHOUT tree-sitter's runtime, and source code is cut by the slower way in Python, alike.")
else()
  enable_language(C)
  add_library(tree_sitter_runtime STATIC "${CMAKE_CURRENT_LIST_DIR}/src/syntax/runtime.c")
  # SYSTEM: its warnings are its authors' to read.
  target_include_directories(tree_sitter_runtime SYSTEM PUBLIC "${tree_sitter_library}/include")
  target_include_directories(tree_sitter_runtime PRIVATE "${tree_sitter_library}/src")
  # Hidden: another copy, in the Python package tree-sitter, may be loaded in the same process.
  target_compile_definitions(tree_sitter_runtime PUBLIC TREE_SITTER_HIDE_SYMBOLS PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE _BSD_SOURCE _DARWIN_C_SOURCE)
  set_target_properties(tree_sitter_runtime PROPERTIES C_STANDARD 11 C_VISIBILITY_PRESET hidden)
  if(MSVC)
    target_compile_options(tree_sitter_runtime PRIVATE /w)
  else()
    target_compile_options(tree_sitter_runtime PRIVATE -w)
    # GCC clears a node of the parser's stack, some 200 bytes, by an instruction that takes long to begin: 3 % of a parse.
    include(CheckCCompilerFlag)
    set(clear_by_vectors "-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign")
    check_c_compiler_flag("${clear_by_vectors}" HAS_MEMSET_STRATEGY)
    if(HAS_MEMSET_STRATEGY)
      target_compile_options(tree_sitter_runtime PRIVATE "${clear_by_vectors}")
    endif()
  endif()
  set(tree_sitter_licenses "${tree_sitter_folder}/LICENSE" "${tree_sitter_library}/src/unicode/LICENSE")
endif()
