// The routes. It does not listen, so that a test may also take it as it is.
'use strict';
const { randomUUID } = require('node:crypto');
const express = require('express');
const { book } = require('./booking');

const app = express();
app.use(express.json());

app.get('/health', (request, response) => response.json({ ok: true }));

app.post('/orders', async (request, response, next) => {
  try {
    const sku = request.body?.sku;
    if (typeof sku !== 'string') return response.status(400).json({ error: 'an order needs a sku' });
    const result = await book({ sku, reference: `order-${randomUUID()}` });
    if (result.outcome === 'booked') return response.status(201).json({ booking: result.id });
    if (result.outcome === 'refused') return response.status(502).json({ error: 'not booked' });
    // Nobody knows, and a caller who is told "failed" would order again.
    return response.status(504).json({ error: 'not known to be booked' });
  } catch (error) {
    // Express 4 does not see what an async handler throws.
    return next(error);
  }
});

module.exports = app;
