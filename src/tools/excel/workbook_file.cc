#include <fcntl.h>
#include <sys/stat.h>

#include "base/text.h"
#include "tools/excel/python_text.h"
#include "tools/excel/workbook.h"

namespace viv::tools::excel {
namespace {

constexpr std::size_t kFileBytesMax = 128 << 20;

Status CheckExtension(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  const std::string extension =
      dot == std::string_view::npos || dot == 0 ? "" : ToLower(file.substr(dot));
  if (extension == ".xlsx" || extension == ".xlsm" || extension == ".xltx" || extension == ".xltm")
    return {};
  if (extension == ".xls")
    return Fail(ErrorCode::kInvalidArgument,
                "openpyxl does not support the old .xls file format, please use xlrd to read this "
                "file, or convert it "
                "to the more recent .xlsx file format.");
  if (extension == ".xlsb")
    return Fail(ErrorCode::kInvalidArgument,
                "openpyxl does not support binary format .xlsb, please convert this file to .xlsx "
                "format if you want "
                "to open it with openpyxl");
  return Fail(
      ErrorCode::kInvalidArgument,
      "openpyxl does not support " + extension +
          " file format, please check you can open it with Excel first. Supported formats are: "
          ".xlsx,.xlsm,.xltx,.xltm");
}

tl::unexpected<Error> Worded(Error error, std::string_view shown) {
  if (error.code == ErrorCode::kNotFound)
    error.message = "[Errno 2] No such file or directory: " + PythonRepr(shown);
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace

std::string ShownPath(const Workspace& workspace, std::string_view path) {
  if (!path.empty() && path.front() == '/') return std::string(path);
  return workspace.root() + "/" + std::string(path);
}

Result<std::unique_ptr<Workbook>> OpenWorkbook(const Workspace& workspace, std::string_view path) {
  const std::string shown = ShownPath(workspace, path);
  RETURN_IF_ERROR(CheckExtension(shown));
  auto real = workspace.Real(shown);
  if (!real) return Worded(std::move(real).error(), shown);
  auto file = workspace.Open(*real, O_RDONLY | O_NONBLOCK);
  if (!file) return Worded(std::move(file).error(), shown);
  struct stat status {};
  if (::fstat(file->get(), &status) == 0 && S_ISDIR(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, "[Errno 21] Is a directory: " + PythonRepr(shown));
  ASSIGN_OR_RETURN(const std::string bytes, ReadAll(file->get(), kFileBytesMax));
  return Workbook::Read(bytes);
}

Status SaveWorkbook(const Workspace& workspace, std::string_view path, Workbook& workbook) {
  const std::string shown = ShownPath(workspace, path);
  auto real = workspace.RealForNew(shown);
  if (!real) return Worded(std::move(real).error(), shown);
  struct stat status {};
  if (::stat(real->c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, "[Errno 21] Is a directory: " + PythonRepr(shown));
  ASSIGN_OR_RETURN(const std::string bytes, workbook.Write());
  return ReplaceFile(workspace, *real, bytes);
}

}  // namespace viv::tools::excel
