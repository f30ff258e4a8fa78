# Much of the time to compile one file here goes into headers (Asio, JSON, GoogleTest), so the files of a target are
# compiled together, up to twenty at a time, which makes a cold build several times shorter. Names in anonymous
# namespaces are therefore unique within a module. VIV_UNITY=OFF compiles each file alone: for clangd, clang-tidy and
# whoever edits one file over and over.
option(VIV_UNITY "compile the files of a module together" ON)
set(VIV_UNITY_FILES_MAX 20 CACHE STRING "how many files are compiled together")
option(VIV_TESTS "build the unit tests and corpus replays by default; OFF leaves them to be asked for by name" ON)

# Only tests need GoogleTest, only benchmarks Google Benchmark. Where one is missing, so are the targets that need it.
if(VIV_TESTS)
  find_package(GTest REQUIRED)
else()
  find_package(GTest QUIET)
endif()
find_package(benchmark QUIET)

function(viv_unity target)
  if(NOT VIV_UNITY)
    return()
  endif()
  # Batches of equal size, so that the last one is not a lone file.
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${VIV_UNITY_FILES_MAX} - 1) / ${VIV_UNITY_FILES_MAX}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${size})
  # A .cc file within a batch looks like a header to this warning, which then suspects every type of its own.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

add_custom_target(unit_tests)  # builds every program of unit tests

# viv_test(NAME SOURCE …): a program of unit tests, run as one test: to start it for each test in it takes longer than they do.
function(viv_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE VIV_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # A test's own code is compiled more often than it runs; the libraries under test are those that the programs link.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(VIV_TESTS)
    add_dependencies(unit_tests ${name})
    add_test(NAME ${name} COMMAND ${name})
  else()
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# viv_module(NAME [O1] DEPENDS … SOURCES … TESTS … TEST_DEPENDS … BENCHES … BENCH_DEPENDS …): one folder, one library, its tests
# and benchmarks, and what only these are linked with.
# O1: its code waits for the kernel, a disk or a person more than it computes. A release compiles it with -O1, which
# takes a third less time than -O2.
function(viv_module name)
  cmake_parse_arguments(M "O1" "" "DEPENDS;SOURCES;TESTS;TEST_DEPENDS;BENCHES;BENCH_DEPENDS" ${ARGN})
  add_library(${name} STATIC ${M_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${M_DEPENDS})
  viv_unity(${name})
  if(M_O1)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(M_TESTS AND GTest_FOUND)
    viv_test(${name}_test ${M_TESTS})
    target_link_libraries(${name}_test PRIVATE ${name} ${M_TEST_DEPENDS})
    viv_unity(${name}_test)
  endif()
  if(M_BENCHES AND benchmark_FOUND AND GTest_FOUND)  # they use what supports the tests
    add_executable(${name}_bench EXCLUDE_FROM_ALL ${M_BENCHES})
    target_link_libraries(${name}_bench PRIVATE ${name} ${M_BENCH_DEPENDS} benchmark::benchmark_main)
    target_compile_definitions(${name}_bench PRIVATE VIV_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
endfunction()

# viv_fuzz(NAME MODULES SOURCE): a libFuzzer program under the fuzz preset; in every other build a part of corpora_test,
# which runs the seed corpus tests/fuzz/corpus/NAME: 42 programs of their own would take minutes to link.
function(viv_fuzz name modules source)
  if(VIV_FUZZ)
    add_executable(fuzz_${name} ${source})
    target_compile_definitions(fuzz_${name} PRIVATE VIV_FUZZ)
    target_link_libraries(fuzz_${name} PRIVATE ${modules})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  elseif(GTest_FOUND)
    target_sources(corpora_test PRIVATE ${source})
    target_link_libraries(corpora_test PRIVATE ${modules})
  endif()
endfunction()

# viv_embed(OUT SYMBOL FILE): makes a source file, named in the variable OUT, that defines `extern const std::string_view
# SYMBOL` as the text of FILE. Data that belongs to the code (tool definitions) is thereby part of the program.
function(viv_embed out symbol file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} VIV_EMBEDDED_TEXT)
  set(VIV_EMBEDDED_SYMBOL ${symbol})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cc.in ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cc @ONLY)
  set(${out} ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cc PARENT_SCOPE)
endfunction()
