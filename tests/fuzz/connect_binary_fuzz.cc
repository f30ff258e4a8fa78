// A binary message of the agent's services: what is read must survive being written and read again,
// and being taken as JSON.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/envd_schema.h"
#include "base/json.h"
#include "fuzz_target.h"
#include "rpc/connect/schema.h"

FUZZ_TARGET(connect_binary)(const std::uint8_t* data, std::size_t size) {
  using namespace viv;
  if (size < 1) return 0;
  const connect::Schema& schema = agent::EnvdSchema();
  std::string_view type = schema.messages[data[0] % schema.messages.size()].name;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto message = connect::DecodeBinary(schema, type, bytes);
  if (auto foreign = ParseJson(bytes)) (void)connect::NormalizeJson(schema, type, *foreign);
  if (!message) return 0;
  auto again = connect::DecodeBinary(schema, type, connect::EncodeBinary(schema, type, *message));
  if (!again || *again != *message) std::abort();
  if (!ParseJson(WriteJson(*message))) std::abort();
  return 0;
}
