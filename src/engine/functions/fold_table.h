#pragma once
// The Latin letters with accents, each as the plain small letters a search should find it by; ""
// where a character has no such form (a multiplication sign, a click). Made once from the Unicode
// decompositions.

namespace viv::engine::functions {

constexpr char32_t kFoldLatinFirst = 0x00c0;  // Latin-1, Latin Extended-A and -B
constexpr const char* kFoldLatin[] = {
    "a", "a",  "a",  "a",  "a",  "a",  "ae", "c",  "e",  "e",  "e",  "e",  "i",  "i",  "i",  "i",
    "d", "n",  "o",  "o",  "o",  "o",  "o",  "",   "o",  "u",  "u",  "u",  "u",  "y",  "th", "ss",
    "a", "a",  "a",  "a",  "a",  "a",  "ae", "c",  "e",  "e",  "e",  "e",  "i",  "i",  "i",  "i",
    "d", "n",  "o",  "o",  "o",  "o",  "o",  "",   "o",  "u",  "u",  "u",  "u",  "y",  "th", "y",
    "a", "a",  "a",  "a",  "a",  "a",  "c",  "c",  "c",  "c",  "c",  "c",  "c",  "c",  "d",  "d",
    "d", "d",  "e",  "e",  "e",  "e",  "e",  "e",  "e",  "e",  "e",  "e",  "g",  "g",  "g",  "g",
    "g", "g",  "g",  "g",  "h",  "h",  "h",  "h",  "i",  "i",  "i",  "i",  "i",  "i",  "i",  "i",
    "i", "i",  "ij", "ij", "j",  "j",  "k",  "k",  "k",  "l",  "l",  "l",  "l",  "l",  "l",  "l",
    "l", "l",  "l",  "n",  "n",  "n",  "n",  "n",  "n",  "n",  "n",  "n",  "o",  "o",  "o",  "o",
    "o", "o",  "oe", "oe", "r",  "r",  "r",  "r",  "r",  "r",  "s",  "s",  "s",  "s",  "s",  "s",
    "s", "s",  "t",  "t",  "t",  "t",  "t",  "t",  "u",  "u",  "u",  "u",  "u",  "u",  "u",  "u",
    "u", "u",  "u",  "u",  "w",  "w",  "y",  "y",  "y",  "z",  "z",  "z",  "z",  "z",  "z",  "s",
    "b", "b",  "b",  "b",  "",   "",   "",   "c",  "c",  "d",  "d",  "d",  "d",  "",   "e",  "",
    "",  "f",  "f",  "g",  "",   "",   "",   "i",  "k",  "k",  "l",  "",   "",   "n",  "n",  "",
    "o", "o",  "",   "",   "p",  "p",  "",   "",   "",   "",   "",   "t",  "t",  "t",  "t",  "u",
    "u", "",   "v",  "y",  "y",  "z",  "z",  "",   "",   "",   "",   "",   "",   "",   "",   "",
    "",  "",   "",   "",   "dz", "dz", "dz", "lj", "lj", "lj", "nj", "nj", "nj", "a",  "a",  "i",
    "i", "o",  "o",  "u",  "u",  "u",  "u",  "u",  "u",  "u",  "u",  "u",  "u",  "e",  "a",  "a",
    "a", "a",  "ae", "ae", "g",  "g",  "g",  "g",  "k",  "k",  "o",  "o",  "o",  "o",  "",   "",
    "j", "dz", "dz", "dz", "g",  "g",  "",   "",   "n",  "n",  "a",  "a",  "ae", "ae", "o",  "o",
    "a", "a",  "a",  "a",  "e",  "e",  "e",  "e",  "i",  "i",  "i",  "i",  "o",  "o",  "o",  "o",
    "r", "r",  "r",  "r",  "u",  "u",  "u",  "u",  "s",  "s",  "t",  "t",  "",   "",   "h",  "h",
    "n", "d",  "",   "",   "z",  "z",  "a",  "a",  "e",  "e",  "o",  "o",  "o",  "o",  "o",  "o",
    "o", "o",  "y",  "y",  "l",  "n",  "t",  "j",  "db", "qp", "a",  "c",  "c",  "l",  "t",  "s",
    "z", "",   "",   "b",  "",   "",   "e",  "e",  "j",  "j",  "q",  "q",  "r",  "r",  "y",  "y"};

constexpr char32_t kFoldAdditionalFirst = 0x1e00;  // Latin Extended Additional
constexpr const char* kFoldAdditional[] = {
    "a", "a", "b", "b", "b", "b", "b",  "b", "c", "c", "d", "d", "d", "d", "d", "d", "d", "d", "d",
    "d", "e", "e", "e", "e", "e", "e",  "e", "e", "e", "e", "f", "f", "g", "g", "h", "h", "h", "h",
    "h", "h", "h", "h", "h", "h", "i",  "i", "i", "i", "k", "k", "k", "k", "k", "k", "l", "l", "l",
    "l", "l", "l", "l", "l", "m", "m",  "m", "m", "m", "m", "n", "n", "n", "n", "n", "n", "n", "n",
    "o", "o", "o", "o", "o", "o", "o",  "o", "p", "p", "p", "p", "r", "r", "r", "r", "r", "r", "r",
    "r", "s", "s", "s", "s", "s", "s",  "s", "s", "s", "s", "t", "t", "t", "t", "t", "t", "t", "t",
    "u", "u", "u", "u", "u", "u", "u",  "u", "u", "u", "v", "v", "v", "v", "w", "w", "w", "w", "w",
    "w", "w", "w", "w", "w", "x", "x",  "x", "x", "y", "y", "z", "z", "z", "z", "z", "z", "h", "t",
    "w", "y", "a", "s", "",  "",  "ss", "",  "a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a",
    "a", "a", "a", "a", "a", "a", "a",  "a", "a", "a", "a", "a", "a", "e", "e", "e", "e", "e", "e",
    "e", "e", "e", "e", "e", "e", "e",  "e", "e", "e", "i", "i", "i", "i", "o", "o", "o", "o", "o",
    "o", "o", "o", "o", "o", "o", "o",  "o", "o", "o", "o", "o", "o", "o", "o", "o", "o", "o", "o",
    "u", "u", "u", "u", "u", "u", "u",  "u", "u", "u", "u", "u", "u", "u", "y", "y", "y", "y", "y",
    "y", "y", "y", "",  "",  "",  "",   "",  ""};

}  // namespace viv::engine::functions
