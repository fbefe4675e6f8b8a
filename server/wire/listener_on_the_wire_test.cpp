#include <cerrno>

#include "server/wire/faults_on_the_wire_fixture.h"

// What a client meets before it is connected.
namespace mishap::server {
namespace {

using testing::StartsWith;

// A lane whose listener turns nobody away is where everybody expects it.
class UsualListenerOnTheWire : public FaultOnTheWire {};

TEST_F(UsualListenerOnTheWire, IsAt127001) {
  begin_with("  - {on: any, fault: {kind: status, code: 503}}\n");
  EXPECT_EQ(port().host, "127.0.0.1");
}

class ListenerOnTheWire : public FaultOnTheWire {
 protected:
  int dialled(Duration patience = 5s) const {
    RawClient client;
    return client.try_connect(port(), patience);
  }

  // Connects that came to nothing, once so many have been heard of.
  std::vector<TurnedAway> turned_away(std::size_t count) {
    run_->wait([&](const Journal& journal) { return journal.turned_away.size() >= count; }, 5s);
    return run_->snapshot().turned_away;
  }

  ListenerSpell once(const std::function<bool(const ListenerSpell&)>& is_so) {
    EXPECT_TRUE(run_->wait(
        [&](const Journal& journal) {
          return !journal.spells.empty() && is_so(journal.spells.back());
        },
        5s));
    return run_->snapshot().spells.back();
  }
  ListenerSpell once_begun() {
    return once([](const ListenerSpell& spell) { return spell.began && !spell.ended; });
  }
  ListenerSpell once_ended() {
    return once([](const ListenerSpell& spell) { return spell.ended.has_value(); });
  }

  static void is_delivered(const ListenerSpell& spell) {
    ASSERT_EQ(spell.rules.size(), 1U);
    EXPECT_TRUE(spell.rules.at(0).delivered) << spell.rules.at(0).shortfall;
  }
};

TEST_F(ListenerOnTheWire, RefusesFromTheBeginningAndThenListens) {
  begin_with("  - {fault: {kind: refuse, for: 400ms}}\n");
  EXPECT_EQ(dialled(), ECONNREFUSED);
  EXPECT_EQ(dialled(), ECONNREFUSED);
  const ListenerSpell spell = once_ended();
  EXPECT_GE(*spell.ended - *spell.began, 400ms);
  EXPECT_EQ(spell.what, "refused");
  EXPECT_EQ(spell.probe, "refused");
  is_delivered(spell);
  next_request_is_clean();
  EXPECT_EQ(run_->snapshot().connections.size(), 1U) << "who was refused left no connection";
}

TEST_F(ListenerOnTheWire, HearsOfWhomItRefused) {
  begin_with("  - {fault: {kind: refuse, for: 1500ms}}\n");
  EXPECT_TRUE(once_begun().heard);
  EXPECT_EQ(dialled(), ECONNREFUSED);
  RawClient blocking;
  EXPECT_EQ(blocking.connect_blocking(port()), ECONNREFUSED);
  blocking.close();
  const auto heard = turned_away(2);
  ASSERT_EQ(heard.size(), 2U) << "its own trial is not among them";
  for (const TurnedAway& one : heard) {
    EXPECT_EQ(one.spell, 1U);
    EXPECT_EQ(one.lane, 0);
    EXPECT_EQ(one.api, "any");
    EXPECT_GT(one.client_port, 0);
    EXPECT_GE(one.at, *run_->snapshot().spells.at(0).began);
  }
  once_ended();
  next_request_is_clean();
  run_->settle(5s);
  EXPECT_EQ(run_->end().turned_away.size(), 2U) << "who was let in is not among them";
}

TEST_F(ListenerOnTheWire, HearsOfTheLastOnesBeforeItSettles) {
  begin_with("  - {fault: refuse}\n");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(dialled(), ECONNREFUSED);
  run_->settle(5s);
  EXPECT_EQ(run_->end().turned_away.size(), 20U);
}

TEST_F(ListenerOnTheWire, LetsNobodyElseHaveItsPortAtTheUsualAddress) {
  begin_with("  - {when: {connection: 9}, fault: refuse}\n");
  ASSERT_NE(port().host, "127.0.0.1");
  RawClient astray;
  EXPECT_EQ(astray.try_connect(port().port, 5s), ECONNREFUSED);
  EXPECT_FALSE(listen_on("127.0.0.1", port().port));
  next_request_is_clean();
}

// Of a connect that blocked only the address is known then, which is everybody's.
TEST_F(ListenerOnTheWire, SaysThatItDoesNotHearAllAtTheUsualAddress) {
  begin_scenario("api: any\nfaults:\n  - {fault: refuse}\n", 1, /*own_addresses=*/false);
  EXPECT_EQ(port().host, "127.0.0.1");
  EXPECT_FALSE(once_begun().heard);
  RawClient blocking;
  EXPECT_EQ(blocking.connect_blocking(port()), ECONNREFUSED);
  blocking.close();
  EXPECT_EQ(dialled(), ECONNREFUSED);
  run_->settle(5s);
  EXPECT_EQ(run_->end().turned_away.size(), 1U);
}

TEST_F(ListenerOnTheWire, HearsOfNobodyWhoWentElsewhere) {
  begin_with("  - {fault: refuse}\n");
  Descriptor elsewhere = *listen_on("127.0.0.1", 0);
  const Port free = local_port(elsewhere.get());
  elsewhere.close();
  RawClient stray;
  EXPECT_EQ(stray.connect_blocking(free), ECONNREFUSED);
  RawClient other;
  EXPECT_EQ(other.try_connect(free, 5s), ECONNREFUSED);
  stray.close();
  other.close();
  EXPECT_EQ(dialled(), ECONNREFUSED);
  run_->settle(5s);
  EXPECT_EQ(run_->end().turned_away.size(), 1U);
}

TEST_F(ListenerOnTheWire, RefusesTheNextConnectionWhileAnOpenOneGoesOn) {
  begin_with("  - {when: {connection: 2}, fault: {kind: refuse, for: 400ms}}\n");
  RawClient open(port());
  once_begun();
  EXPECT_EQ(dialled(), ECONNREFUSED);
  open.send(post("/v1/bookings"));
  EXPECT_THAT(open.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  is_delivered(once_ended());
  next_request_is_clean();
}

TEST_F(ListenerOnTheWire, RefusesInEachPhaseThatIsDown) {
  begin_with(
      "  - {when: {during: down}, fault: refuse}\n"
      "timeline: {repeat: true, phases: [{phase: up, for: 250ms}, {phase: down, for: 250ms}]}\n");
  next_request_is_clean();
  for (std::size_t turn = 1; turn <= 2; ++turn) {
    run_->wait([&](const Journal& j) { return j.spells.size() == turn; }, 5s);
    once_begun();
    EXPECT_EQ(dialled(), ECONNREFUSED);
    const ListenerSpell spell = once_ended();
    EXPECT_GE(*spell.ended - *spell.began, 200ms);
    is_delivered(spell);
    EXPECT_EQ(dialled(), 0);
  }
}

TEST_F(ListenerOnTheWire, RefusesForGood) {
  begin_with("  - {fault: refuse}\n");
  EXPECT_EQ(dialled(), ECONNREFUSED);
  const Journal journal = run_->end();
  EXPECT_FALSE(journal.spells.at(0).ended);
  is_delivered(journal.spells.at(0));
}

TEST_F(ListenerOnTheWire, LeavesASynUnanswered) {
  begin_with("  - {fault: unanswered}\n");
  EXPECT_EQ(dialled(300ms), EINPROGRESS);
  EXPECT_EQ(dialled(300ms), EINPROGRESS);
  run_->settle(5s);
  const Journal journal = run_->end();
  EXPECT_TRUE(journal.connections.empty());
  EXPECT_GE(journal.spells.at(0).dropped, 2U);
  EXPECT_EQ(journal.turned_away.size(), 2U);
  is_delivered(journal.spells.at(0));
}

TEST_F(ListenerOnTheWire, SaysSoWhereNobodyTried) {
  begin_with("  - {fault: unanswered}\n");
  const Journal journal = run_->end();
  EXPECT_EQ(journal.spells.at(0).rules.at(0).shortfall, "nobody tried to connect");
}

TEST_F(ListenerOnTheWire, LetsOnlySoManyInAtOnce) {
  begin_with("  - {fault: {kind: connection_limit, most: 2}}\n");
  RawClient first(port());
  RawClient second(port());
  for (RawClient* client : {&first, &second}) {
    client->send(post("/v1/bookings"));
    EXPECT_THAT(client->receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  }
  RawClient third(port());
  third.send(post("/v1/bookings"));
  EXPECT_EQ(third.receive_for(150ms), "");
  EXPECT_EQ(third.end(), End::Open);
  EXPECT_EQ(run_->snapshot().connections.size(), 2U);
  first.close();
  EXPECT_THAT(third.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  second.close();
  third.close();
  next_request_is_clean();
  const Journal journal = run_->end();
  EXPECT_EQ(journal.spells.at(0).most_open, 2U);
  is_delivered(journal.spells.at(0));
}

TEST_F(ListenerOnTheWire, ResetsWhoStillWaitsWhenItBeginsToRefuse) {
  begin_with(
      "  - {when: {during: down}, fault: refuse}\n"
      "  - {fault: {kind: connection_limit, most: 1}}\n"
      "timeline: [{phase: up, for: 400ms}, {phase: down, for: 300ms}]\n");
  RawClient open(port());
  open.send(post("/v1/bookings"));
  EXPECT_THAT(open.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201"));
  RawClient waiting(port());
  waiting.send(post("/v1/bookings"));
  EXPECT_EQ(waiting.receive_to_end(), "");
  EXPECT_EQ(waiting.end(), End::Reset);
  const ListenerSpell limited = run_->snapshot().spells.at(0);
  EXPECT_EQ(limited.what, "limited");
  EXPECT_EQ(limited.most_waiting, 1U);
  EXPECT_EQ(run_->snapshot().turned_away.size(), 1U)
      << "it was connected, and heard of all the same";
  is_delivered(limited);
  open.receive_for(10ms);
  open.take();
  open.send(post("/v1/others"));
  EXPECT_THAT(open.receive_until("\r\n\r\n"), StartsWith("HTTP/1.1 201")) << "it stays";
  open.close();
  run_->wait([](const Journal& j) { return j.spells.size() == 3 && j.spells.at(1).ended; }, 5s);
  next_request_is_clean();
  EXPECT_EQ(run_->snapshot().effects.size(), 3U);
}

TEST_F(ListenerOnTheWire, SaysSoWhereNobodyHadToWait) {
  begin_with("  - {fault: {kind: connection_limit, most: 2}}\n");
  next_request_is_clean();
  const Journal journal = run_->end();
  EXPECT_EQ(journal.spells.at(0).rules.at(0).shortfall,
            "nobody had to wait: 1 of 2 connections were open at once");
}

}  // namespace
}  // namespace mishap::server
