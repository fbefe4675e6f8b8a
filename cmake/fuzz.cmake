# Fuzz targets: the readers of bytes that come from strangers, each with a property that must hold for
# any bytes at all. A target is one file NAME_fuzz.cpp beside its reader.
option(MISHAP_FUZZ "Build the libFuzzer binaries (clang only)" OFF)
# Undefined behaviour that is only printed is no finding.
set(MISHAP_FUZZ_ENVIRONMENT UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1)
set(MISHAP_FUZZ_SECONDS 600 CACHE STRING "How long ctest -L slow fuzzes each target")

# mishap_fuzz_target(NAME SOURCES ... [LIBS ...] CORPUS folder [MAX_LEN bytes]).
# NAME_replay feeds the target every file of its corpus: a test of the label unit, so that whatever a
# fuzzer once found is looked at by every compiler and sanitizer. With MISHAP_FUZZ the fuzzer itself,
# NAME_fuzz, runs on a copy of the corpus: label slow, built by the target `fuzzers`.
# Coroutines of Asio do not compile with clang 14 and libstdc++: a target whose library holds some names
# the sources that it needs instead of the library.
function(mishap_fuzz_target name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "CORPUS;MAX_LEN" "SOURCES;LIBS" ${ARGN})
  get_filename_component(corpus ${arg_CORPUS} ABSOLUTE)
  if(NOT IS_DIRECTORY ${corpus})
    message(FATAL_ERROR "${name}: there is no corpus ${corpus}")
  endif()
  if(NOT arg_MAX_LEN)
    set(arg_MAX_LEN 4096)
  endif()
  # Compiled once for both binaries.
  add_library(${name}_target OBJECT ${arg_SOURCES})
  mishap_settings(${name}_target)
  foreach(room IN ITEMS scenarios server client-tests)
    target_include_directories(${name}_target PRIVATE ${PROJECT_SOURCE_DIR}/${room}/include)
  endforeach()
  target_link_libraries(${name}_target PUBLIC ${arg_LIBS} fmt::fmt)
  mishap_fuzz_replay(${name} ${corpus})
  if(MISHAP_FUZZ)
    mishap_fuzzer(${name} ${corpus} ${arg_MAX_LEN})
  endif()
endfunction()

function(mishap_fuzz_replay name corpus)
  if(NOT TARGET fuzz_replay)
    add_library(fuzz_replay OBJECT ${PROJECT_SOURCE_DIR}/cmake/fuzz/replay.cpp)
    mishap_settings(fuzz_replay)
  endif()
  add_executable(${name}_replay)
  target_link_libraries(${name}_replay PRIVATE fuzz_replay ${name}_target)
  mishap_static_settings(${name}_replay)
  if(NOT TARGET tests-unit)
    add_custom_target(tests-unit)
  endif()
  add_dependencies(tests-unit ${name}_replay)
  add_test(NAME fuzz.${name}.replay COMMAND ${name}_replay ${corpus})
  set_tests_properties(fuzz.${name}.replay PROPERTIES LABELS unit TIMEOUT 120
                       ENVIRONMENT "${MISHAP_FUZZ_ENVIRONMENT}")
endfunction()

function(mishap_fuzzer name corpus max_len)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "MISHAP_FUZZ needs clang++: cmake --preset fuzz")
  endif()
  add_executable(${name}_fuzz)
  target_link_libraries(${name}_fuzz PRIVATE ${name}_target)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name}_fuzz ${name}_replay)
  # What it finds interesting goes into the copy; scripts/fuzz keep takes it over.
  add_test(
    NAME fuzz.${name}
    COMMAND ${CMAKE_COMMAND} -DFUZZER=$<TARGET_FILE:${name}_fuzz> -DCORPUS=${corpus}
            -DFOLDER=${PROJECT_BINARY_DIR}/fuzz/${name} -DMAX_LEN=${max_len}
            -DSECONDS=${MISHAP_FUZZ_SECONDS} -P ${PROJECT_SOURCE_DIR}/cmake/fuzz/run.cmake)
  math(EXPR timeout "${MISHAP_FUZZ_SECONDS} + 120")
  set_tests_properties(fuzz.${name} PROPERTIES LABELS slow TIMEOUT ${timeout}
                       ENVIRONMENT "${MISHAP_FUZZ_ENVIRONMENT}")
endfunction()
