#pragma once
// The templates of a machine as a list in memory, which begins with `base`. Test code.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "templates/templates.h"

namespace viv::boxes {

class FakeTemplates : public templates::Templates {
 public:
  FakeTemplates() {
    templates::Template base;
    base.id = "basebasebasebasebase";
    base.name = "base";
    base.overlays = {{"", {"/fake/templates/base/root"}}};
    base.created_at_us = 1'700'000'000'000'000;
    list.push_back(std::move(base));
  }
  std::vector<templates::Template> list;

  Status TrustAuthority(const std::string&) override { return {}; }
  std::vector<templates::Template> List() const override { return list; }
  Result<templates::Template> Find(const std::string& id_or_name) const override {
    for (const templates::Template& it : list)
      if (it.id == id_or_name || it.name == id_or_name) return it;
    return Fail(ErrorCode::kNotFound, "no template " + id_or_name);
  }
  Result<templates::Template> BuildDebian(const std::string&,
                                          templates::DebianOptions,
                                          templates::Progress) override {
    return CannotBuild();
  }
  Result<templates::Template> ImportOciArchive(const std::string&,
                                               const std::string&,
                                               templates::Progress) override {
    return CannotBuild();
  }
  Result<templates::Template> ImportOciLayout(const std::string&,
                                              const std::string&,
                                              templates::Progress) override {
    return CannotBuild();
  }
  Status Remove(const std::string& id_or_name) override {
    std::erase_if(list,
                  [&](const auto& it) { return it.id == id_or_name || it.name == id_or_name; });
    return {};
  }
  void Clean(const std::function<bool(const std::string&)>&) override {}

 private:
  static tl::unexpected<Error> CannotBuild() {
    return Fail(ErrorCode::kUnavailable, "a fake builds no templates");
  }
};

}  // namespace viv::boxes
