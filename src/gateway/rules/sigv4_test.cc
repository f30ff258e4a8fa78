#include "gateway/rules/sigv4.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "gateway/rules/crypto.h"

namespace viv::gateway {
namespace {

// The keys, times and signatures are from AWS's published test suite and documentation.
constexpr std::string_view kSuiteId = "AKIDEXAMPLE";
constexpr std::string_view kSuiteSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::int64_t kSuiteTime = 1440938160;  // 20150830T123600Z
constexpr std::int64_t kS3Time = 1369353600;     // 20130524T000000Z

RequestHead HeadFor(std::string method, std::string host, std::string target) {
  RequestHead head;
  head.method = std::move(method);
  head.authority = std::move(host);
  head.target = std::move(target);
  return head;
}

std::string SignatureIn(const RequestHead& head) {
  std::string text(head.headers.Get("authorization"));
  return text.substr(text.find("Signature=") + 10);
}

std::string SuiteSignature(RequestHead head, std::string_view body = "") {
  AwsScope scope{"us-east-1", "service"};
  SignForAws(head, {kSuiteId, kSuiteSecret, ""}, scope, *PayloadHash(head, scope, body),
             kSuiteTime);
  return SignatureIn(head);
}

std::string SuiteGet(std::string target) {
  return SuiteSignature(HeadFor("GET", "example.amazonaws.com", std::move(target)));
}

TEST(SigV4Test, SignsAsThePublishedSuiteDoes) {
  const std::string vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
  EXPECT_EQ(SuiteGet("/"), vanilla);
  EXPECT_EQ(SuiteGet("/?Param2=value2&Param1=value1"),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  EXPECT_EQ(SuiteSignature(HeadFor("POST", "example.amazonaws.com", "/")),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  // Paths are normalized.
  EXPECT_EQ(SuiteGet("/example/.."), vanilla);
  EXPECT_EQ(SuiteGet("/./"), vanilla);
  EXPECT_EQ(SuiteGet("//"), vanilla);
  EXPECT_EQ(SuiteGet("/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
  EXPECT_EQ(SuiteGet("/\xe1\x88\xb4"),
            "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85");
}

TEST(SigV4Test, SignsTheContentTypeAndTheBody) {
  RequestHead head = HeadFor("POST", "example.amazonaws.com", "/");
  head.headers.Add("Content-Type", "application/x-www-form-urlencoded");
  head.has_body = true;
  EXPECT_EQ(SuiteSignature(head, "Param1=value1"),
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
  EXPECT_NE(SuiteSignature(head, "Param1=value2"), SuiteSignature(head, "Param1=value1"));
}

TEST(SigV4Test, SignsTheDocumentedIamExample) {
  RequestHead head = HeadFor("GET", "iam.amazonaws.com", "/?Action=ListUsers&Version=2010-05-08");
  head.headers.Add("content-type", "application/x-www-form-urlencoded; charset=utf-8");
  AwsScope scope = *ScopeOfHost("iam.amazonaws.com");
  EXPECT_EQ(scope, (AwsScope{"us-east-1", "iam"}));
  SignForAws(head, {kSuiteId, kSuiteSecret, ""}, scope, *PayloadHash(head, scope, ""), kSuiteTime);
  EXPECT_EQ(std::string(head.headers.Get("authorization")),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date, "
            "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST(SigV4Test, SignsTheDocumentedRequestsToS3) {
  auto signature = [](std::string target) {
    RequestHead head = HeadFor("GET", "examplebucket.s3.amazonaws.com", std::move(target));
    AwsScope scope = *ScopeOfHost(head.authority);
    SignForAws(head, {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""},
               scope, *PayloadHash(head, scope, ""), kS3Time);
    return SignatureIn(head);
  };
  EXPECT_EQ(signature("/?lifecycle"),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(signature("/?prefix=J&max-keys=2"),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SigV4Test, ReplacesWhatTheGuestSignedAndKeepsTheRest) {
  RequestHead head = HeadFor("POST", "dynamodb.eu-west-1.amazonaws.com", "/");
  head.headers.Add("authorization", "AWS4-HMAC-SHA256 Credential=fake/20150830/x/y/aws4_request");
  head.headers.Add("X-Amz-Date", "19990101T000000Z");
  head.headers.Add("x-amz-security-token", "fake token");
  head.headers.Add("X-Amz-Target", "DynamoDB_20120810.GetItem");
  SignForAws(head, {kSuiteId, kSuiteSecret, "real token"}, {"eu-west-1", "dynamodb"},
             Hex(Sha256("{}")), kSuiteTime);
  EXPECT_EQ(head.headers.Get("x-amz-date"), "20150830T123600Z");
  EXPECT_EQ(head.headers.Get("x-amz-security-token"), "real token");
  EXPECT_EQ(head.headers.Get("x-amz-target"), "DynamoDB_20120810.GetItem");
  EXPECT_FALSE(head.headers.Has("x-amz-content-sha256"));
  std::string signed_now(head.headers.Get("authorization"));
  EXPECT_NE(signed_now.find("SignedHeaders=host;x-amz-date;x-amz-security-token;x-amz-target,"),
            std::string::npos);
  EXPECT_EQ(signed_now.find("fake"), std::string::npos);
  EXPECT_EQ(signed_now.find(kSuiteSecret), std::string::npos);
  EXPECT_EQ(head.headers.size(), 4u);
}

TEST(SigV4Test, ReadsServiceAndRegionFromTheHost) {
  struct Case {
    const char *host, *region, *service;
  };
  for (const Case& one :
       {Case{"dynamodb.eu-west-1.amazonaws.com", "eu-west-1", "dynamodb"},
        Case{"sts.amazonaws.com", "us-east-1", "sts"}, Case{"s3.amazonaws.com", "us-east-1", "s3"},
        Case{"bucket.s3.amazonaws.com", "us-east-1", "s3"},
        Case{"a.b.s3.eu-central-1.amazonaws.com", "eu-central-1", "s3"},
        Case{"bucket.s3.dualstack.us-west-2.amazonaws.com", "us-west-2", "s3"},
        Case{"bucket.s3-us-west-2.amazonaws.com", "us-west-2", "s3"},
        Case{"us-east-1.s3.eu-west-1.amazonaws.com", "eu-west-1", "s3"},
        Case{"my-bucket-1.s3.amazonaws.com", "us-east-1", "s3"},
        Case{"abc123.execute-api.us-east-2.amazonaws.com", "us-east-2", "execute-api"},
        Case{"search-x.us-east-1.es.amazonaws.com", "us-east-1", "es"},
        Case{"bedrock-runtime.us-east-1.amazonaws.com", "us-east-1", "bedrock"},
        Case{"runtime.sagemaker.us-gov-west-1.amazonaws.com", "us-gov-west-1", "sagemaker"},
        Case{"email.us-east-1.amazonaws.com", "us-east-1", "ses"},
        Case{"ec2.cn-north-1.amazonaws.com.cn", "cn-north-1", "ec2"}}) {
    auto scope = ScopeOfHost(one.host);
    ASSERT_TRUE(scope) << one.host;
    EXPECT_EQ(*scope, (AwsScope{one.region, one.service})) << one.host;
  }
  for (const char* host :
       {"", "amazonaws.com", "example.com", "x.amazonaws.com.evil.net", ".amazonaws.com"})
    EXPECT_FALSE(ScopeOfHost(host)) << host;
}

TEST(SigV4Test, ReadsServiceAndRegionFromTheGuestsOwnSignature) {
  auto scope = ScopeOfAuthorization(
      "AWS4-HMAC-SHA256 Credential=a/b/20150830/eu-west-3/aoss/aws4_request, SignedHeaders=host, "
      "Signature=0");
  ASSERT_TRUE(scope);
  EXPECT_EQ(*scope, (AwsScope{"eu-west-3", "aoss"}));
  for (const char* text : {"", "Bearer x", "AWS4-HMAC-SHA256 ", "AWS4-HMAC-SHA256 Credential=a/b/c",
                           "AWS4-HMAC-SHA256 Credential=k/20150830/us-east-1/s3/other",
                           "AWS4-HMAC-SHA256 Credential=k/20150830/us east/s3/aws4_request",
                           "AWS4-HMAC-SHA256 Credential=k/20150830/us-east-1/S3\n/aws4_request"})
    EXPECT_FALSE(ScopeOfAuthorization(text)) << text;
  RequestHead head = HeadFor("GET", "s3.amazonaws.com", "/");
  EXPECT_EQ(ScopeOf(head, "s3.amazonaws.com")->region, "us-east-1");
  head.headers.Add("Authorization", "AWS4-HMAC-SHA256 Credential=k/2/eu-west-3/s3/aws4_request");
  EXPECT_EQ(ScopeOf(head, "s3.amazonaws.com")->region, "eu-west-3");
}

TEST(SigV4Test, BodiesAreHashedWhereTheServiceInsists) {
  const std::string hash = Hex(Sha256("body"));
  AwsScope s3{"us-east-1", "s3"}, sqs{"us-east-1", "sqs"};
  RequestHead head = HeadFor("PUT", "x", "/");
  EXPECT_FALSE(NeedsBodyHash(head, sqs));
  head.has_body = true;
  EXPECT_TRUE(NeedsBodyHash(head, sqs));
  EXPECT_FALSE(NeedsBodyHash(head, s3));
  EXPECT_EQ(*PayloadHash(head, s3, ""), "UNSIGNED-PAYLOAD");
  EXPECT_EQ(*PayloadHash(head, sqs, "body"), hash);
  head.headers.Set("x-amz-content-sha256", hash);
  EXPECT_FALSE(NeedsBodyHash(head, sqs));
  EXPECT_EQ(*PayloadHash(head, s3, ""), hash);
  head.headers.Set("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER");
  EXPECT_EQ(*PayloadHash(head, s3, ""), "STREAMING-UNSIGNED-PAYLOAD-TRAILER");
  head.headers.Set("x-amz-content-sha256", "anything\nelse");
  EXPECT_EQ(*PayloadHash(head, s3, ""), "UNSIGNED-PAYLOAD");
  head.headers.Set("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  EXPECT_FALSE(PayloadHash(head, s3, ""));
}

TEST(SigV4Test, APresignedUrlIsKnownByItsQuery) {
  EXPECT_TRUE(IsPresigned("/a?X-Amz-Algorithm=x&X-Amz-Signature=0"));
  EXPECT_FALSE(IsPresigned("/X-Amz-Signature=0"));
  EXPECT_FALSE(IsPresigned("/a?x=X-Amz-Signature"));
}

}  // namespace
}  // namespace viv::gateway
