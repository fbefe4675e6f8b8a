// mockttp is a library: this is the server that a test would make with it.
// Usage: mockttp.js FOLDER PORT ROUTES.json
"use strict";

const fs = require("fs");
const net = require("net");
const path = require("path");

// It offers no address to listen at, and would listen at all of them.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, "127.0.0.1", ...rest);
};

async function main(folder, port, routes) {
  const mockttp = require(path.join(folder, "node_modules", "mockttp"));
  const server = mockttp.getLocal();
  await server.start(port);
  for (const route of routes) {
    const rule = server.forPost(route.path);
    const slow = route.delay > 0 ? rule.delay(route.delay) : rule;
    await slow.thenJson(201, JSON.parse(route.body));
  }
}

const [, , folder, port, file] = process.argv;
main(folder, Number(port), JSON.parse(fs.readFileSync(file, "utf8")));
