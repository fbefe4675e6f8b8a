#include "reports/formats/xml_text.h"

#include <gtest/gtest.h>

namespace mishap::reports {
namespace {

TEST(XmlText, CannotBreakOut) {
  EXPECT_EQ(xml_text("]]></a><b c=\"d\" e='f'>&\x01"),
            "]]&gt;&lt;/a&gt;&lt;b c=&quot;d&quot; e=&apos;f&apos;&gt;&amp;\\x01");
}

}  // namespace
}  // namespace mishap::reports
