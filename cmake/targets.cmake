# How a library and a test of ours are made: one place, so that no target forgets the warnings.

function(mishap_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  if(MISHAP_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # Private headers are named by their path from the root.
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# mishap_library(NAME room ROOM sources...): a static library; ROOM/include is its public face.
function(mishap_library target room)
  add_library(${target} STATIC ${ARGN})
  mishap_settings(${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/${room}/include)
endfunction()

# mishap_test(NAME LABEL label SOURCES ... LIBS ...): one binary, its tests found by GoogleTest.
# Labels: unit wire driver e2e lint. A name of the tests stands for its label and binary.
include(GoogleTest)
function(mishap_test target)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${target} ${arg_SOURCES})
  mishap_settings(${target})
  target_link_libraries(${target} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
endfunction()
