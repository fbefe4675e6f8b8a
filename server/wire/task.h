#pragma once

// The coroutine type of this folder, named without Asio's headers: a file that only declares
// coroutines pays nothing for them.
namespace boost::asio {
template <typename T, typename Executor>
class awaitable;
class any_io_executor;
class io_context;
}  // namespace boost::asio

namespace mishap::server {

template <typename T>
using Task = boost::asio::awaitable<T, boost::asio::any_io_executor>;

using IoContext = boost::asio::io_context;

}  // namespace mishap::server
