#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mishap/known.h"

namespace mishap::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kOne =
    "known:\n"
    "  - {scenario: 'late-*', check: no_duplicate_effects, reason: 'ABC-123', until: 2027-01-31}\n";

std::vector<std::string> said(const LoadedKnown& loaded) {
  std::vector<std::string> lines;
  for (const auto& one : loaded.diagnostics) lines.push_back(one.message);
  return lines;
}

TEST(Known, IsReadFromAFileOfItsOwn) {
  const auto loaded = load_known_text("k.yaml", kOne);
  EXPECT_THAT(said(loaded), ElementsAre());
  ASSERT_EQ(loaded.known.size(), 1U);
  EXPECT_EQ(loaded.known[0].scenario, "late-*");
  EXPECT_EQ(loaded.known[0].check, "no_duplicate_effects");
  EXPECT_EQ(loaded.known[0].reason, "ABC-123");
  EXPECT_EQ(loaded.known[0].until, "2027-01-31");
  EXPECT_EQ(loaded.known[0].span.line, 2);
}

TEST(Known, AnEntryThatIsWrongIsReportedAndLeftOut) {
  const auto loaded = load_known_text(
      "k.yaml", kOne + "  - {scenario: a, check: b, reason: c, until: 2027-02-30}\n");
  EXPECT_EQ(loaded.known.size(), 1U);
  EXPECT_THAT(said(loaded), ElementsAre(HasSubstr("\"until\" is the last day")));
}

TEST(Known, AnEntryOfNothingIsNone) {
  const auto loaded = load_known_text("k.yaml", kOne + "  -\n");
  EXPECT_EQ(loaded.known.size(), 1U);
  EXPECT_THAT(said(loaded), testing::Contains(HasSubstr("the key \"scenario\" is missing here")));
}

TEST(Known, AFileOfANewerVersionIsNotReadFurther) {
  const auto loaded = load_known_text("k.yaml", "mishap: 2\nknown: 7\n");
  EXPECT_THAT(said(loaded), ElementsAre(HasSubstr("needs a newer mishap")));
}

TEST(Known, TooManyEntriesAreRefused) {
  std::string text = "known:\n";
  for (int i = 0; i < 1001; ++i) text += "  - {scenario: a}\n";
  EXPECT_THAT(said(load_known_text("k.yaml", text)), ElementsAre(HasSubstr("more than 1000")));
}

TEST(Known, IsWrittenSortedAndReadsBackEqual) {
  const KnownFinding b{"b*", "x", "say \"why\": \\ and\nagain", "2027-01-31", {}};
  const KnownFinding a{"a", "*", "#1", "2027-02-01", {}};
  const auto text = known_file_text({b, a});
  EXPECT_EQ(text, known_file_text({a, b}));
  const auto loaded = load_known_text("k.yaml", text);
  EXPECT_THAT(said(loaded), ElementsAre());
  EXPECT_THAT(loaded.known, ElementsAre(a, b));
  EXPECT_THAT(load_known_text("k.yaml", known_file_text({})).known, ElementsAre());
}

struct GlobCase {
  std::string_view glob, text;
  bool matches;
};

TEST(Known, GlobsMatchWholeNames) {
  for (const auto& [glob, text, matches] : std::vector<GlobCase>{
           {"*", "", true},
           {"*", "anything", true},
           {"", "", true},
           {"", "a", false},
           {"late-*", "late-answer", true},
           {"late-*", "too-late-answer", false},
           {"*-read", "stall-read", true},
           {"*-read", "stall-read-2", false},
           {"a*b*c", "axxbyybc", true},
           {"a*b*c", "axxbyyb", false},
           {"?b", "ab", true},
           {"?b", "b", false},
           {"exact", "exactly", false},
           {"**", "x", true},
       }) {
    EXPECT_EQ(matches_glob(glob, text), matches) << glob << " over " << text;
  }
}

TEST(Known, AHostileGlobEndsInTime) {
  std::string glob;
  for (int i = 0; i < 100; ++i) glob += "a*";
  EXPECT_FALSE(matches_glob(glob + "b", std::string(10'000, 'a')));
}

TEST(Known, ASlashMeansThePackAsWell) {
  const KnownFinding by_name{"healthy", "x", "r", "2027-01-31", {}};
  const KnownFinding by_pack{"core/*", "x", "r", "2027-01-31", {}};
  EXPECT_TRUE(means_scenario(by_name, "core", "healthy"));
  EXPECT_TRUE(means_scenario(by_name, "", "healthy"));
  EXPECT_TRUE(means_scenario(by_pack, "core", "healthy"));
  EXPECT_FALSE(means_scenario(by_pack, "retry", "healthy"));
}

TEST(Known, DaysAreThoseOfTheCalendar) {
  for (const auto* day : {"2027-01-31", "2028-02-29", "0001-01-01"}) EXPECT_TRUE(is_day(day));
  for (const auto* day : {"2027-02-29", "2027-13-01", "2027-1-1", "27-01-01", "", "2027-01-31T00",
                          "-027-01-01", "2027/01/31", "2027-01-3x"}) {
    EXPECT_FALSE(is_day(day)) << day;
  }
  EXPECT_EQ(day_after("2026-11-29", 90), "2027-02-27");
  EXPECT_EQ(day_after("2028-02-28", 1), "2028-02-29");
}

}  // namespace
}  // namespace mishap::scenarios
