#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "client-tests/launch/file_descriptor.h"

// Files in a folder that belongs to the client: it may have put a link, a pipe or a device in the
// place of any of them.
namespace mishap::client_tests {

struct ConfinedFile {
  FileDescriptor file;  // open for reading
  struct stat facts {};
};

// A plain file by its path from the folder, or by an absolute one below it. Nothing where it is not
// there, is anything else, or lies elsewhere.
std::optional<ConfinedFile> open_confined(const std::string& folder, const std::string& path);

}  // namespace mishap::client_tests
