// Linear algebra on arrays of numbers.

#include <array>
#include <cmath>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

constexpr int kMatrixSizeMax = 200;

struct Matrix {
  int size = 0;
  std::vector<double> cells;
  double& At(int row, int column) {
    return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) +
                 static_cast<std::size_t>(column)];
  }
};

std::optional<std::vector<double>> OnlyNumbers(const Array& array) {
  std::vector<double> out;
  for (const Value& value : array.cells) {
    const auto* number = std::get_if<double>(&value);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

std::optional<Matrix> Square(Call& call) {
  Array array = call.Matrix(0);
  std::optional<std::vector<double>> numbers = OnlyNumbers(array);
  bool fits = numbers && array.rows == array.columns && array.rows <= kMatrixSizeMax;
  std::int64_t cost = static_cast<std::int64_t>(array.rows) * array.rows * array.rows;
  if (!fits || !call.evaluator().Charge(cost)) return std::nullopt;
  return Matrix{array.rows, std::move(*numbers)};
}

// Brings the matrix to the identity by row operations, done to `other` as well; the determinant.
double Eliminate(Matrix& matrix, Matrix* other) {
  double determinant = 1;
  for (int pivot = 0; pivot < matrix.size; ++pivot) {
    int best = pivot;
    for (int row = pivot + 1; row < matrix.size; ++row)
      if (std::fabs(matrix.At(row, pivot)) > std::fabs(matrix.At(best, pivot))) best = row;
    double head = matrix.At(best, pivot);
    if (head == 0) return 0;
    for (int column = 0; column < matrix.size; ++column) {
      std::swap(matrix.At(best, column), matrix.At(pivot, column));
      if (other) std::swap(other->At(best, column), other->At(pivot, column));
    }
    determinant *= best == pivot ? head : -head;
    for (int row = 0; row < matrix.size; ++row) {
      double factor = row == pivot ? 0 : matrix.At(row, pivot) / head;
      if (row == pivot || factor == 0) continue;
      for (int column = 0; column < matrix.size; ++column) {
        matrix.At(row, column) -= factor * matrix.At(pivot, column);
        if (other) other->At(row, column) -= factor * other->At(pivot, column);
      }
    }
    if (!other) continue;
    for (int column = 0; column < matrix.size; ++column) {
      other->At(pivot, column) /= head;
      matrix.At(pivot, column) /= head;
    }
  }
  return determinant;
}

Operand RunDeterminant(Call& call) {
  std::optional<Matrix> matrix = Square(call);
  return matrix ? Num(Eliminate(*matrix, nullptr)) : Err(ErrorKind::kValue);
}

Matrix Identity(int size) {
  Matrix out{size,
             std::vector<double>(static_cast<std::size_t>(size) * static_cast<std::size_t>(size))};
  for (int i = 0; i < size; ++i) out.At(i, i) = 1;
  return out;
}

Operand AsArray(const Matrix& matrix) {
  Array out(matrix.size, matrix.size);
  std::copy(matrix.cells.begin(), matrix.cells.end(), out.cells.begin());
  return out;
}

Operand RunInverse(Call& call) {
  std::optional<Matrix> matrix = Square(call);
  if (!matrix) return Err(ErrorKind::kValue);
  Matrix inverse = Identity(matrix->size);
  if (Eliminate(*matrix, &inverse) == 0) return Err(ErrorKind::kNumber);
  return AsArray(inverse);
}

Operand RunMultiply(Call& call) {
  Array a = call.Matrix(0), b = call.Matrix(1);
  std::optional<std::vector<double>> left = OnlyNumbers(a), right = OnlyNumbers(b);
  if (!left || !right || a.columns != b.rows) return Err(ErrorKind::kValue);
  std::int64_t size = static_cast<std::int64_t>(a.rows) * b.columns;
  if (size > kArrayCellsMax || !call.evaluator().Charge(size * a.columns))
    return Err(ErrorKind::kNumber);
  Array out(a.rows, b.columns);
  auto at = [](const std::vector<double>& cells, int columns, int row, int column) {
    return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                 static_cast<std::size_t>(column)];
  };
  for (int row = 0; row < out.rows; ++row)
    for (int column = 0; column < out.columns; ++column) {
      double sum = 0;
      for (int k = 0; k < a.columns; ++k)
        sum += at(*left, a.columns, row, k) * at(*right, b.columns, k, column);
      out.At(row, column) = sum;
    }
  return out;
}

Operand RunUnit(Call& call) {
  int size = call.Integer(0);
  if (size < 1 || size > kMatrixSizeMax ||
      !call.evaluator().Charge(static_cast<std::int64_t>(size) * size))
    return Err(ErrorKind::kValue);
  return AsArray(Identity(size));
}

const std::array kMatrixTable = {
    Function{"MDETERM", "R", 1, 1, RunDeterminant},
    Function{"MINVERSE", "R", 1, 1, RunInverse},
    Function{"MMULT", "R", 2, 2, RunMultiply},
    Function{"MUNIT", "V", 1, 1, RunUnit},
};

}  // namespace

FunctionList MatrixFunctions() {
  return kMatrixTable;
}

}  // namespace viv::formula
