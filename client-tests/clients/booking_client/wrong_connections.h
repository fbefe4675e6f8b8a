// Wrong about what a connection is still good for, and with whom.
#pragma once

#include <climits>

#include <memory>
#include <string>

#include "client-tests/clients/booking_client/habits.h"
#include "client-tests/clients/booking_client/hoarding_transport.h"
#include "client-tests/clients/booking_client/httplib_transport.h"
#include "client-tests/clients/booking_client/sticky_transport.h"

namespace booking {

class ReusesConnection : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_sticky_transport(origin);
  }
};

class TrustsAnyCertificate : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_httplib_transport(origin, ReadTimeout::Watched, Trust::Anybody);
  }
};

class ReadsEverything : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_httplib_transport(origin, ReadTimeout::Watched, Trust::Verified, Body::Whole);
  }
};

class NoConnectTimeout : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_httplib_transport(origin, ReadTimeout::Watched, Trust::Verified, Body::Bounded,
                                  Connecting::Patient);
  }
};

class NewClientEachAttempt : public Habits {
 public:
  using Habits::Habits;
  std::unique_ptr<Transport> make_transport(const std::string& origin) override {
    return make_hoarding_transport(origin);
  }
};

class FollowsRedirects : public Habits {
 public:
  explicit FollowsRedirects(const Settings& settings) : Habits(following(settings)) {}

 private:
  static Settings following(Settings settings) {
    settings.follows_redirects = true;
    return settings;
  }
};

class FollowsForEver : public FollowsRedirects {
 public:
  using FollowsRedirects::FollowsRedirects;
  RedirectPolicy redirect_policy() const override {
    RedirectPolicy policy;
    policy.most = INT_MAX;
    return policy;
  }
};

class ForwardsCredentials : public FollowsRedirects {
 public:
  using FollowsRedirects::FollowsRedirects;
  RedirectPolicy redirect_policy() const override {
    RedirectPolicy policy;
    policy.keeps_credentials = true;
    return policy;
  }
};

}  // namespace booking
