#include "engine/functions/html.h"

#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

TEST(HtmlToTextTest, DropsTagsAndJoinsSpace) {
  EXPECT_EQ(HtmlToText("<b>Hello</b>,\n   <i class=\"a>b\">wor</i>ld "), "Hello, world");
  EXPECT_EQ(HtmlToText(""), "");
}

TEST(HtmlToTextTest, TurnsBlocksIntoLines) {
  EXPECT_EQ(HtmlToText("<h1>Title</h1><p>One</p><p>Two<br>Three</p><div>Four</div>"),
            "Title\n\nOne\n\nTwo\nThree\n\nFour");
  EXPECT_EQ(HtmlToText("<ul><li> a</li><li>b</li></ul>"), "- a\n- b");
  EXPECT_EQ(HtmlToText("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>"),
            "a b\nc");
  EXPECT_EQ(HtmlToText("<pre>a\n  b</pre>"), "a\n  b");
}

TEST(HtmlToTextTest, DecodesEntities) {
  EXPECT_EQ(HtmlToText("a &amp; b &lt;c&gt; &#65;&#x42; &euro;&nbsp;5"), "a & b <c> AB € 5");
  EXPECT_EQ(HtmlToText("&unknown; & &#xzz; &#99999999; &#0;"), "&unknown; & &#xzz; \ufffd \ufffd");
  EXPECT_EQ(HtmlToText("&amp"), "&amp");
}

TEST(HtmlToTextTest, LeavesOutWhatIsNotShown) {
  EXPECT_EQ(HtmlToText("a<script>if (1 < 2) {}</script>b<style>p{}</style>c<!-- x > y -->d"),
            "abcd");
  EXPECT_EQ(HtmlToText("<html><head><title>t</title></head><body>x</body></html>"), "x");
}

TEST(HtmlToTextTest, TakesBrokenMarkupAsABrowserWould) {
  EXPECT_EQ(HtmlToText("1 < 2 <"), "1 < 2 <");
  EXPECT_EQ(HtmlToText("a<b"), "a");
  EXPECT_EQ(HtmlToText("a<!-- b"), "a");
  EXPECT_EQ(HtmlToText("a<script>b"), "a");
  EXPECT_EQ(HtmlToText("</p></p></pre>a"), "a");
  EXPECT_EQ(HtmlToText("a<p"), "a");
}

TEST(TextToHtmlTest, EscapesAndBreaksLines) {
  EXPECT_EQ(TextToHtml("<a href=\"x\">'&'\r\nb"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;<br>\nb");
  EXPECT_EQ(HtmlToText(TextToHtml("a < b\nc & \"d\"")), "a < b\nc & \"d\"");
}

TEST(HtmlSqlTest, AreFunctions) {
  EXPECT_EQ(Sql()("select html_to_text('<p>a</p>') || text_to_html('<')"), "a&lt;");
}

}  // namespace
}  // namespace viv::engine::functions
