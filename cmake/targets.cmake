# How a library and a test of ours are made: one place, so that no target forgets the warnings.

function(mishap_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  # GCC 12 sees uninitialised variants and overlapping strings at -O2 where there are none (its bugs
  # 105329, 105562, 105593); the sanitizers look for the real ones.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-restrict)
  endif()
  if(MISHAP_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # Private headers are named by their path from the root.
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  mishap_static_settings(${target})
endfunction()

# mishap_library(NAME room ROOM sources...): a static library; ROOM/include is its public face.
function(mishap_library target room)
  add_library(${target} STATIC ${ARGN})
  mishap_settings(${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/${room}/include)
endfunction()

# mishap_test(NAME LABEL label SOURCES ... LIBS ... [DEFINES ...] [TIMEOUT s]): one binary, its tests found by GoogleTest.
# Labels: unit wire driver e2e lint. A name of the tests stands for its label and binary.
include(GoogleTest)
function(mishap_test target)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT" "SOURCES;LIBS;DEFINES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${target} ${arg_SOURCES})
  mishap_settings(${target})
  # Checks for undefined behaviour treble the time to compile GoogleTest's macros; they are for the
  # code under test.
  target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  target_link_libraries(${target} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE ${arg_DEFINES})
  # tests-LABEL builds all that a run of one label needs.
  if(NOT TARGET tests-${arg_LABEL})
    add_custom_target(tests-${arg_LABEL})
  endif()
  add_dependencies(tests-${arg_LABEL} ${target})
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
endfunction()
