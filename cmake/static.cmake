# MISHAP_STATIC: everything but glibc is linked into the binaries, so that they run on any Linux of
# the same age or younger. For scripts/package; a build from source links what the system has.
option(MISHAP_STATIC "Link every library but glibc into the binaries" OFF)
set(MISHAP_HTTPLIB_SOURCE "" CACHE PATH
    "Folder of a whole httplib.h, for MISHAP_STATIC: Debian's library is shared only")
set(MISHAP_SIMDJSON_SOURCE "" CACHE PATH
    "Folder of simdjson.h and simdjson.cpp, for MISHAP_STATIC: Debian's library is shared only")

if(MISHAP_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()

# Of a binary or a library of ours.
function(mishap_static_settings target)
  if(MISHAP_STATIC)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--as-needed)
  endif()
endfunction()

# {fmt} comes as a shared library and as headers; here its code is made from the headers once, and
# the shared one is left out by the linker, since nothing of it is needed any more.
function(mishap_link_fmt_whole target)
  if(NOT MISHAP_STATIC)
    return()
  endif()
  if(NOT TARGET mishap_fmt)
    add_library(mishap_fmt OBJECT ${PROJECT_SOURCE_DIR}/cmake/fmt_whole.cpp)
    target_compile_features(mishap_fmt PRIVATE cxx_std_20)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:mishap_fmt>)
endfunction()

# The target mishap_httplib: cpp-httplib as the system has it, or whole from its header.
function(mishap_find_httplib)
  if(TARGET mishap_httplib)
    return()
  endif()
  add_library(mishap_httplib INTERFACE)
  if(NOT MISHAP_STATIC)
    pkg_check_modules(httplib REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)
    target_link_libraries(mishap_httplib INTERFACE PkgConfig::httplib)
    return()
  endif()
  if(NOT EXISTS ${MISHAP_HTTPLIB_SOURCE}/httplib.h)
    message(FATAL_ERROR "MISHAP_STATIC needs MISHAP_HTTPLIB_SOURCE; scripts/package sets it")
  endif()
  find_package(OpenSSL REQUIRED)
  # Plain -I, which comes before the system's folders: the header there only declares.
  target_compile_options(mishap_httplib INTERFACE -I${MISHAP_HTTPLIB_SOURCE})
  target_compile_definitions(mishap_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT)
  target_link_libraries(mishap_httplib INTERFACE OpenSSL::SSL OpenSSL::Crypto)
endfunction()

# The target mishap_simdjson: as the system has it, or compiled from its one source.
function(mishap_find_simdjson)
  if(TARGET mishap_simdjson)
    return()
  endif()
  if(NOT MISHAP_STATIC)
    add_library(mishap_simdjson INTERFACE)
    find_package(simdjson REQUIRED GLOBAL)
    target_link_libraries(mishap_simdjson INTERFACE simdjson::simdjson)
    return()
  endif()
  if(NOT EXISTS ${MISHAP_SIMDJSON_SOURCE}/simdjson.cpp)
    message(FATAL_ERROR "MISHAP_STATIC needs MISHAP_SIMDJSON_SOURCE; scripts/package sets it")
  endif()
  add_library(mishap_simdjson STATIC ${MISHAP_SIMDJSON_SOURCE}/simdjson.cpp)
  target_compile_features(mishap_simdjson PUBLIC cxx_std_17)
  target_include_directories(mishap_simdjson SYSTEM PUBLIC ${MISHAP_SIMDJSON_SOURCE})
endfunction()
