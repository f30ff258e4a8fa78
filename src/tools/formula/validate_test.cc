#include "tools/formula/validate.h"

#include <gtest/gtest.h>

namespace viv::formula {
namespace {

std::string Refusal(std::string_view formula) {
  Status status = ValidateFormula(formula);
  return status ? "" : status.error().message;
}

TEST(ValidateFormulaTest, RefusesInTheWordsClientsKnow) {
  EXPECT_EQ(Refusal("SUM(A1)"), "Formula must start with '='");
  EXPECT_EQ(Refusal(""), "Formula must start with '='");
  EXPECT_EQ(Refusal("=SUM(A1))"), "Unmatched closing parenthesis");
  EXPECT_EQ(Refusal("=)("), "Unmatched closing parenthesis");
  EXPECT_EQ(Refusal("=SUM(A1"), "Unclosed parenthesis");
  for (std::string name : {"INDIRECT", "HYPERLINK", "WEBSERVICE", "DGET", "RTD"})
    EXPECT_EQ(Refusal("=1+" + name + "(A1)"), "Unsafe function: " + name);
}

TEST(ValidateFormulaTest, LooksAtTheTextAlone) {
  EXPECT_EQ(Refusal("=SUM(A1:A5)"), "");
  EXPECT_EQ(Refusal("="), "");
  EXPECT_EQ(Refusal("=1+"), "");
  EXPECT_EQ(Refusal("=indirect(A1)"), "");
  EXPECT_EQ(Refusal("=XINDIRECT(A1)"), "");
  EXPECT_EQ(Refusal("=my_INDIRECT(A1)"), "Unsafe function: INDIRECT");
}

}  // namespace
}  // namespace viv::formula
