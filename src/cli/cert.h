#pragma once
// viv cert: a certificate authority of one's own and a certificate for DOMAIN and *.DOMAIN, for the
// names under which ports of boxes are reached.

#include <string>

namespace viv::cli {

struct CertOptions {
  std::string domain;  // without a port
  std::string folder;  // ca.pem, ca-key.pem, cert.pem and key.pem are written there
};
int MakeCertificate(const CertOptions& options);

}  // namespace viv::cli
