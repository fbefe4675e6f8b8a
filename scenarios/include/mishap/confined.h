#pragma once

#include <string>

#include "mishap/scenario.h"

// The loaders for the words of somebody else, such as a caller of the control API. No file outside
// `folder` is opened, whichever way it is named; an empty folder: no file at all. Only such a file
// may name an upstream; neither a text nor an option that is handed in may, whatever it is called.
namespace mishap::scenarios {

Loaded load_confined_text(const std::string& name, const std::string& text,
                          const std::string& folder, const LoadOptions& options);

// A shipped scenario, or a file by its path from the folder.
Loaded load_confined_scenario(const std::string& path_or_name, const std::string& folder,
                              const LoadOptions& options);

Loaded load_confined_api(const std::string& path_or_name, const std::string& folder,
                         const LoadOptions& options);

}  // namespace mishap::scenarios
