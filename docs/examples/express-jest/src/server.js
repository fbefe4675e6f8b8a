'use strict';
const app = require('./app');

const port = Number(process.env.PORT);
const server = app.listen(port, '127.0.0.1', () => console.log(`listening on ${port}`));

// As a deployment stops it: what is being answered is answered, nothing new is taken.
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
