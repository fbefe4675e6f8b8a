# Beast and Asio, the same for all who include them.
find_package(Boost 1.81 REQUIRED)
add_library(mishap_boost INTERFACE)
target_link_libraries(mishap_boost INTERFACE Boost::headers)
# Frames of coroutines that Asio keeps to use again, each thread for itself. A request has more
# of them open than the two of the default.
target_compile_definitions(mishap_boost INTERFACE BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=16)
