#include "client-tests/launch/process_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include "client-tests/launch/file_descriptor.h"
#include "client-tests/launch/probe_linux.h"
#include "client-tests/launch/process_table.h"
#include "client-tests/launch/sample_series.h"
#include "client-tests/launch/socket_book.h"

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;

// Looking may take a fifth of one core at most.
constexpr int kRestPerWork = 4;
constexpr milliseconds kStrayPatience{1000};
constexpr milliseconds kStrayTick{5};

void become_reaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  // Inherited as ignored, the kernel would throw every exit status away.
  struct sigaction action {};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
    action.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &action, nullptr);
  }
}

}  // namespace

class ProcessWatch::Sampler {
 public:
  Sampler() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    become_reaper();
    // Signals are for the threads that wait for them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~Sampler() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake();
    thread_.join();
    end_strays();
  }

  tl::expected<Started, Error> add(const Client& client,
                                   const std::function<tl::expected<int, Error>()>& spawn) {
    Started started;
    bool was_idle = false;
    {
      const std::lock_guard lock(mutex_);
      was_idle = watched_.empty();
      const auto pid = spawn();
      if (!pid) return tl::unexpected(pid.error());
      started = {table_.add(*pid, client.marker), *pid};
      watched_.try_emplace(started.id, client);
    }
    if (was_idle) wake();
    return started;
  }

  Living living(ClientId id) {
    const std::lock_guard lock(mutex_);
    table_.scan();
    // A child born behind the reader's back in the list, whose parent then ended, is found by the
    // next look.
    if (table_.living(id).empty()) table_.scan();
    return {table_.living(id), !table_.undecided()};
  }

  Seen remove(ClientId id) {
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(id);
    if (found == watched_.end()) return {};
    Watched& watched = found->second;
    Seen seen = std::move(watched.seen);
    seen.cpu_seconds = table_.tree(id).reaped_cpu_seconds;
    seen.sockets = watched.sockets.to_server();
    seen.series = watched.series.take();
    seen.foreign_addresses = watched.sockets.foreign_addresses();
    seen.listening = watched.sockets.listening();
    if (watched.sockets.overflowed()) {
      seen.notes.emplace_back("the client opened more sockets than are kept: the rest is unknown");
    }
    watched_.erase(found);
    const auto end = table_.remove(id);
    seen.status_known = end.known;
    seen.status = end.status;
    seen.cpu_seconds += end.cpu_seconds;
    // What nobody could place can now be nobody's but an ended client's.
    if (watched_.empty()) end_strays();
    return seen;
  }

 private:
  struct Watched {
    explicit Watched(const Client& who) : client(who), sockets(who.server_ports) {}
    Duration now() const { return client.clock->now() - client.run_began; }
    Client client;
    SocketBook sockets;
    SampleSeries series;
    Seen seen;
  };

  void run() {
    milliseconds rest{0};
    while (sleep_for(rest)) {
      const std::lock_guard lock(mutex_);
      rest = milliseconds(-1);
      if (!watched_.empty()) {
        const server::Clock& clock = *watched_.begin()->second.client.clock;
        const Duration began = clock.now();
        tick();
        const auto work = std::chrono::ceil<milliseconds>(clock.now() - began);
        rest = std::max(kPeriod - work, kRestPerWork * work);
      } else {
        table_.scan();
        if (table_.has_strays()) rest = kStrayTick;
      }
    }
  }

  // Negative: until somebody wakes it. False when it is time to end.
  bool sleep_for(milliseconds rest) {
    pollfd event{wake_.get(), POLLIN, 0};
    ::poll(&event, 1, static_cast<int>(rest.count()));
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    const std::lock_guard lock(mutex_);
    return !stopping_;
  }

  void wake() { ::eventfd_write(wake_.get(), 1); }

  void tick() {
    table_.scan();
    std::map<ClientId, Look> looks;
    std::vector<std::uint64_t> all_inodes;
    for (auto& [id, watched] : watched_) {
      const auto& inodes = (looks[id] = measure(id, watched)).inodes;
      all_inodes.insert(all_inodes.end(), inodes.begin(), inodes.end());
    }
    std::sort(all_inodes.begin(), all_inodes.end());
    const auto sockets = read_tcp_sockets(all_inodes);
    for (auto& [id, watched] : watched_) {
      Look& look = looks[id];
      look.sample.sockets =
          watched.sockets.note(owned(sockets, look.inodes), look.sample.at, watched.now());
      if (look.seen) watched.series.add(look.sample);
    }
  }

  struct Look {
    ProcessSample sample;
    std::vector<std::uint64_t> inodes;  // of the tree's sockets, sorted
    bool seen = false;
  };

  // The tree as it is now, but for what is asked of all sockets at once.
  Look measure(ClientId id, Watched& watched) {
    Look look;
    ProcessSample& sample = look.sample;
    sample.at = watched.now();
    const auto& tree = table_.tree(id);
    sample.cpu = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(tree.reaped_cpu_seconds));
    for (const auto& [pid, stat] : tree.members) {
      sample.cpu += stat.cpu;  // also of one that is not reaped yet: nobody else has it
      if (stat.zombie) continue;
      sample.rss += stat.rss;
      sample.threads += stat.threads;
      const auto descriptors = read_descriptors(pid);
      if (!descriptors) continue;
      look.seen = true;
      sample.fds += descriptors->count;
      look.inodes.insert(look.inodes.end(), descriptors->socket_inodes.begin(),
                         descriptors->socket_inodes.end());
    }
    if (look.seen) ++watched.seen.samples;
    watched.seen.peak_rss = std::max(watched.seen.peak_rss, sample.rss);
    watched.seen.peak_fds = std::max(watched.seen.peak_fds, sample.fds);
    std::sort(look.inodes.begin(), look.inodes.end());
    return look;
  }

  static std::vector<TcpSocket> owned(const std::vector<TcpSocket>& sockets,
                                      const std::vector<std::uint64_t>& inodes) {
    std::vector<TcpSocket> own;
    for (const auto& socket : sockets) {
      if (std::binary_search(inodes.begin(), inodes.end(), socket.inode)) own.push_back(socket);
    }
    return own;
  }

  // Nothing is left running when the watch goes, not even what nobody could place.
  void end_strays() {
    for (auto waited = milliseconds(0); waited < kStrayPatience; waited += kStrayTick) {
      table_.scan();
      if (!table_.has_strays() && !table_.undecided()) return;
      ::poll(nullptr, 0, static_cast<int>(kStrayTick.count()));
    }
  }

  FileDescriptor wake_;
  std::mutex mutex_;
  bool stopping_ = false;
  ProcessTable table_;
  std::map<ClientId, Watched> watched_;
  std::thread thread_;
};

ProcessWatch::ProcessWatch() : sampler_(std::make_unique<Sampler>()) {}
ProcessWatch::~ProcessWatch() = default;

tl::expected<ProcessWatch::Started, Error> ProcessWatch::add(
    const Client& client, const std::function<tl::expected<int, Error>()>& spawn) {
  return sampler_->add(client, spawn);
}

ProcessWatch::Living ProcessWatch::living(ClientId id) {
  return sampler_->living(id);
}

ProcessWatch::Seen ProcessWatch::remove(ClientId id) {
  return sampler_->remove(id);
}

}  // namespace mishap::client_tests
