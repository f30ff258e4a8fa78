#include "runtime/seccomp_filter.h"

#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <memory>

#include "base/errno_error.h"
#include "base/unique_fd.h"
#include "runtime/cgroup_files.h"
#include "runtime/seccomp_policy.h"

namespace viv::runtime {
namespace {

struct ReleaseFilter {
  void operator()(void* context) const { ::seccomp_release(context); }
};
using FilterContext = std::unique_ptr<void, ReleaseFilter>;

tl::unexpected<Error> FilterError(const std::string& doing, int negative_errno) {
  return FailErrno(ErrorCode::kInternal, "system call filter: " + doing, -negative_errno);
}

scmp_arg_cmp Comparison(const ArgumentTest& test) {
  switch (test.kind) {
    case ArgumentTest::Kind::kEqual:
      return {test.argument, SCMP_CMP_EQ, test.value, 0};
    case ArgumentTest::Kind::kNotEqual:
      return {test.argument, SCMP_CMP_NE, test.value, 0};
    case ArgumentTest::Kind::kGreater:
      return {test.argument, SCMP_CMP_GT, test.value, 0};
    case ArgumentTest::Kind::kMaskedEqual:
      return {test.argument, SCMP_CMP_MASKED_EQ, test.mask, test.value};
  }
  return {};
}

Status AddRule(void* context, const PolicyRule& rule) {
  std::vector<scmp_arg_cmp> comparisons;
  for (const ArgumentTest& test : rule.tests) comparisons.push_back(Comparison(test));
  for (const std::string& name : rule.calls) {
    auto number = ReadNumber(name);
    int call = number ? static_cast<int>(*number) : ::seccomp_syscall_resolve_name(name.c_str());
    if (call == __NR_SCMP_ERROR) return FilterError("find the call " + name, -ENOENT);
    if (call < 0) continue;  // this processor does not have it
    int added = ::seccomp_rule_add_array(
        context, SCMP_ACT_ERRNO(static_cast<std::uint16_t>(rule.error)), call,
        static_cast<unsigned>(comparisons.size()), comparisons.data());
    if (added != 0) return FilterError("add " + name, added);
  }
  return {};
}

// In front of all: calls that are newer than the policy. The number -1 is how a debugger skips one.
void RefuseNewerCalls(std::vector<sock_filter>& filter, std::uint32_t newest) {
  constexpr std::uint32_t kSkipped = 0xffffffff;
  const sock_filter front[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, newest, 0, 2),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSkipped, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  filter.insert(filter.begin(), std::begin(front), std::end(front));
}

Result<std::vector<sock_filter>> ExportFilter(void* context) {
  UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file) return FilterError("make a file", -errno);
  if (int written = ::seccomp_export_bpf(context, file.get()); written != 0)
    return FilterError("compile", written);
  off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size <= 0 || size % static_cast<off_t>(sizeof(sock_filter)) != 0)
    return FilterError("compile", -EINVAL);
  std::vector<sock_filter> filter(static_cast<std::size_t>(size) / sizeof(sock_filter));
  if (::pread(file.get(), filter.data(), static_cast<std::size_t>(size), 0) != size)
    return FilterError("read", -EIO);
  return filter;
}

}  // namespace

Result<std::vector<sock_filter>> CompileFilter(std::string_view policy) {
  ASSIGN_OR_RETURN(Policy parsed, ParsePolicy(policy));
  FilterContext context(::seccomp_init(SCMP_ACT_ALLOW));
  if (context == nullptr) return FilterError("begin", -ENOMEM);
  // Calls of another processor mode (32 bit, x32) have other numbers, which no rule would match.
  int set = ::seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
  // A binary search over the numbers instead of a list: most calls are not in it.
  if (set == 0) set = ::seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (set != 0) return FilterError("set up", set);
  for (const PolicyRule& rule : parsed.rules) {
    RETURN_IF_ERROR(AddRule(context.get(), rule));
  }
  ASSIGN_OR_RETURN(std::vector<sock_filter> filter, ExportFilter(context.get()));
  RefuseNewerCalls(filter, parsed.newest);
  return filter;
}

Result<std::vector<sock_filter>> CompileBoxFilter() {
  return CompileFilter(BoxPolicyText());
}

}  // namespace viv::runtime
