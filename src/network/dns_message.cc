#include "network/dns_message.h"

#include <algorithm>

#include "network/dns_name.h"

namespace viv::network {
namespace {

constexpr std::uint16_t kClassIn = 1;
constexpr std::size_t kRecordsMax = 512;  // of one reply; far more than any real one has
constexpr std::size_t kExtrasMax = 8;     // additional records of a question

constexpr std::uint16_t kIsReply = 0x8000, kOpcodeMask = 0x7800, kIsTruncated = 0x0200,
                        kWantsRecursion = 0x0100, kHasRecursion = 0x0080, kCodeMask = 0x000f;

// The types of questions that are not about records: zone transfers, ANY and the like.
constexpr std::uint16_t kFirstMetaType = 249;
constexpr std::uint16_t kLastMetaType = 255;

struct DnsHeader {
  std::uint16_t id, flags, questions, answers, authority, extras;
};

DnsHeader ReadHeader(DnsReader& reader) {
  DnsHeader header{};
  for (std::uint16_t* field : {&header.id, &header.flags, &header.questions, &header.answers,
                               &header.authority, &header.extras})
    *field = reader.Short();
  return header;
}

tl::unexpected<Error> Malformed(const char* what) {
  return Fail(ErrorCode::kInvalidArgument, std::string("DNS message: ") + what);
}

Result<DnsQuestion> ReadQuestion(DnsReader& reader) {
  DnsQuestion question;
  question.name = reader.Name();
  std::uint16_t type = reader.Short();
  std::uint16_t of_class = reader.Short();
  if (!reader.ok()) return Malformed("the question is cut off");
  question.type = static_cast<DnsType>(type);
  auto text = PlainDnsText(question.name);
  if (!text)
    return Fail(ErrorCode::kPermissionDenied, "DNS message: the name is not one of a host");
  question.text = *std::move(text);
  bool meta = type == 0 || (type >= kFirstMetaType && type <= kLastMetaType) ||
              question.type == DnsType::kOpt;
  if (of_class != kClassIn || meta)
    return Fail(ErrorCode::kPermissionDenied, "DNS message: questions of this kind are not served");
  return question;
}

// The data of a record with its names decompressed. RFC 1035 allows compression in these types;
// newer types never use it.
std::string ReadData(DnsReader& inner, DnsType type, std::size_t size) {
  std::string data;
  switch (type) {
    case DnsType::kNs:
    case DnsType::kCname:
    case DnsType::kPtr:
    case DnsType::kDname:
      return inner.Name();
    case DnsType::kMx:
      data = inner.Bytes(2);
      return data + inner.Name();
    case DnsType::kSrv:
      data = inner.Bytes(6);
      return data + inner.Name();
    case DnsType::kSoa:
      data = inner.Name();
      data += inner.Name();
      return data.append(inner.Bytes(20));
    default:
      return std::string(inner.Bytes(size));
  }
}

struct ReadRecordResult {
  DnsRecord record;
  std::uint16_t of_class = 0;
  bool ok = false;
};

ReadRecordResult ReadRecord(DnsReader& reader) {
  ReadRecordResult result;
  DnsRecord& record = result.record;
  record.owner = reader.Name();
  record.type = static_cast<DnsType>(reader.Short());
  result.of_class = reader.Short();
  record.ttl_seconds = reader.Long();
  std::size_t size = reader.Short();
  DnsReader inner = reader.Within(size);
  record.data = ReadData(inner, record.type, size);
  reader.Bytes(size);
  result.ok = reader.ok() && inner.AtEnd();
  if (record.type == DnsType::kA) result.ok = result.ok && record.data.size() == 4;
  if (record.type == DnsType::kAaaa) result.ok = result.ok && record.data.size() == 16;
  return result;
}

Status ReadRecords(DnsReader& reader, std::size_t count, std::vector<DnsRecord>& into) {
  for (std::size_t i = 0; i < count; ++i) {
    ReadRecordResult read = ReadRecord(reader);
    if (!read.ok) return Malformed("a record is broken");
    if (read.of_class == kClassIn && read.record.type != DnsType::kOpt)
      into.push_back(std::move(read.record));
  }
  return {};
}

void WriteHeader(DnsWriter& writer, const DnsHeader& header) {
  for (std::uint16_t field :
       {header.id, header.flags, header.questions, header.answers, header.authority, header.extras})
    writer.Short(field);
}

void WriteQuestion(DnsWriter& writer, const DnsQuestion& question) {
  writer.Name(question.name);
  writer.Short(static_cast<std::uint16_t>(question.type));
  writer.Short(kClassIn);
}

void WriteOpt(DnsWriter& writer) {
  writer.Byte(0);
  writer.Short(static_cast<std::uint16_t>(DnsType::kOpt));
  writer.Short(kDnsUdpMax);
  writer.Long(0);
  writer.Short(0);
}

void WriteRecord(DnsWriter& writer, const DnsRecord& record) {
  writer.Name(record.owner);
  writer.Short(static_cast<std::uint16_t>(record.type));
  writer.Short(kClassIn);
  writer.Long(record.ttl_seconds);
  std::size_t length_at = writer.size();
  writer.Short(0);
  // Compression only pays for chains of CNAMEs.
  if (record.type == DnsType::kCname)
    writer.Name(record.data);
  else
    writer.Bytes(record.data);
  writer.SetShort(length_at, static_cast<std::uint16_t>(writer.size() - length_at - 2));
}

// Returns how many records were written within the limit; the rest is left out.
std::uint16_t WriteRecords(DnsWriter& writer,
                           const std::vector<DnsRecord>& records,
                           std::size_t bytes_max) {
  std::uint16_t count = 0;
  for (const DnsRecord& record : records) {
    std::size_t before = writer.size();
    WriteRecord(writer, record);
    if (writer.size() > bytes_max) {
      writer.Truncate(before);
      break;
    }
    ++count;
  }
  return count;
}

}  // namespace

Result<DnsQuery> ParseDnsQuery(std::string_view bytes) {
  if (bytes.size() > kDnsMessageMax) return Malformed("too long");
  DnsReader reader(bytes);
  DnsHeader header = ReadHeader(reader);
  if (!reader.ok() || (header.flags & kIsReply) != 0) return Malformed("no question");
  if ((header.flags & kOpcodeMask) != 0)
    return Fail(ErrorCode::kPermissionDenied, "DNS message: only questions are served");
  if (header.questions != 1 || header.answers != 0 || header.authority != 0 ||
      header.extras > kExtrasMax || (header.flags & kIsTruncated) != 0)
    return Malformed("not one question");
  DnsQuery query;
  query.id = header.id;
  query.recursion = (header.flags & kWantsRecursion) != 0;
  ASSIGN_OR_RETURN(query.question, ReadQuestion(reader));
  for (std::size_t i = 0; i < header.extras; ++i) {
    ReadRecordResult read = ReadRecord(reader);
    if (!read.ok) return Malformed("an additional record is broken");
    if (read.record.type != DnsType::kOpt) continue;
    if (query.edns) return Malformed("two OPT records");
    query.edns = true;
    // The class field of an OPT record is the size that its sender accepts.
    query.udp_max = std::clamp<std::size_t>(read.of_class, kDnsUdpPlain, kDnsUdpMax);
  }
  if (!reader.AtEnd()) return Malformed("bytes after its end");
  return query;
}

Result<DnsReply> ParseDnsReply(std::string_view bytes) {
  if (bytes.size() > kDnsMessageMax) return Malformed("too long");
  DnsReader reader(bytes);
  DnsHeader header = ReadHeader(reader);
  if (!reader.ok() || (header.flags & kIsReply) == 0 || (header.flags & kOpcodeMask) != 0)
    return Malformed("no answer");
  if (header.questions != 1) return Malformed("not one question");
  if (std::size_t{header.answers} + header.authority + header.extras > kRecordsMax)
    return Malformed("too many records");
  DnsReply reply;
  reply.id = header.id;
  reply.code = static_cast<DnsCode>(header.flags & kCodeMask);
  reply.truncated = (header.flags & kIsTruncated) != 0;
  ASSIGN_OR_RETURN(reply.question, ReadQuestion(reader));
  // A truncated reply is queried again over TCP, so its records do not matter and may be
  // incomplete.
  if (reply.truncated) return reply;
  RETURN_IF_ERROR(ReadRecords(reader, header.answers, reply.answers));
  RETURN_IF_ERROR(ReadRecords(reader, header.authority, reply.authority));
  std::vector<DnsRecord> extras;  // they have to be valid, but are not forwarded
  RETURN_IF_ERROR(ReadRecords(reader, header.extras, extras));
  if (!reader.AtEnd()) return Malformed("bytes after its end");
  return reply;
}

std::string WriteDnsQuery(std::uint16_t id, const DnsQuestion& question) {
  DnsWriter writer;
  WriteHeader(writer, {id, kWantsRecursion, 1, 0, 0, 1});
  WriteQuestion(writer, question);
  WriteOpt(writer);
  return writer.Take();
}

std::string WriteDnsReply(const DnsQuery& query, const DnsReply& reply, std::size_t bytes_max) {
  DnsHeader header{query.id, 0, 1, 0, 0, 0};
  header.flags = kIsReply | kHasRecursion | static_cast<std::uint16_t>(reply.code);
  if (query.recursion) header.flags |= kWantsRecursion;
  DnsWriter writer;
  WriteHeader(writer, header);
  WriteQuestion(writer, query.question);
  constexpr std::size_t kOptBytes = 11;
  std::size_t room = std::max(bytes_max, kDnsUdpPlain) - (query.edns ? kOptBytes : 0);
  header.answers = WriteRecords(writer, reply.answers, room);
  if (header.answers < reply.answers.size())
    header.flags |= kIsTruncated;
  else
    header.authority = WriteRecords(writer, reply.authority, room);
  if (query.edns) {
    WriteOpt(writer);
    header.extras = 1;
  }
  writer.SetShort(2, header.flags);
  writer.SetShort(6, header.answers);
  writer.SetShort(8, header.authority);
  writer.SetShort(10, header.extras);
  return writer.Take();
}

std::string WriteDnsFailure(std::string_view question_bytes, DnsCode code) {
  DnsReader reader(question_bytes);
  DnsHeader asked = ReadHeader(reader);
  if (!reader.ok() || (asked.flags & kIsReply) != 0) return {};
  DnsName name = reader.Name();
  std::uint32_t type_and_class = reader.Long();
  bool echo = asked.questions == 1 && reader.ok();  // clients compare the question
  DnsHeader header{asked.id, 0, static_cast<std::uint16_t>(echo ? 1 : 0), 0, 0, 0};
  header.flags = kIsReply | kHasRecursion | (asked.flags & (kOpcodeMask | kWantsRecursion)) |
                 static_cast<std::uint16_t>(code);
  DnsWriter writer;
  WriteHeader(writer, header);
  if (echo) {
    writer.Name(name);
    writer.Long(type_and_class);
  }
  return writer.Take();
}

}  // namespace viv::network
