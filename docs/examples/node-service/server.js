// A small web service: POST /orders {sku} books with a vendor and answers when that is done.
// It needs nothing but Node. VENDOR_URL is the vendor, PORT where it listens.
//
// KEYS=off makes it wrong in one way: no idempotency key, so that a booking whose answer was lost
// is made twice.
'use strict';
const http = require('node:http');
const crypto = require('node:crypto');

const vendor = process.env.VENDOR_URL;
const port = Number(process.env.PORT);
const withKeys = process.env.KEYS !== 'off';
const ATTEMPTS = 5;
const ATTEMPT_TIMEOUT_MS = 2000;
const DEADLINE_MS = 20000;
const LONGEST_WAIT_MS = 10000;
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// One attempt on a connection of its own: {status, retryAfter, body}, or an error.
function attempt(method, path, body, headers) {
  return new Promise((resolve, reject) => {
    const request = http.request(vendor + path, { method, headers, agent: false }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('aborted', () => reject(new Error('the answer was cut')));
      response.on('error', reject);
      response.on('end', () => resolve({
        status: response.statusCode,
        retryAfter: response.headers['retry-after'],
        body: Buffer.concat(chunks).toString(),
      }));
    });
    // One limit for the whole attempt, not for the next byte.
    const timer = setTimeout(() => request.destroy(new Error('timed out')), ATTEMPT_TIMEOUT_MS);
    request.on('close', () => clearTimeout(timer));
    request.on('error', reject);
    request.end(body);
  });
}

// How long the vendor asks to wait; null where it does not, or asks for what is no time.
function askedFor(answer) {
  const text = answer && answer.retryAfter;
  if (text === undefined || text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Before the clock and after, since a date has whole seconds.
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now()) + 1000;
}

function pause(number, answer) {
  const own = Math.min(200 * 2 ** (number - 1), 3000) * (0.75 + Math.random() / 2);
  const asked = askedFor(answer);
  return asked === null ? own : asked + own / 10;
}

const isBooking = (answer) => {
  try {
    return answer.status === 201 && typeof JSON.parse(answer.body).id === 'string';
  } catch {
    return false;
  }
};

// The reference and the key belong to the order: every attempt carries the same.
async function book(order) {
  const body = JSON.stringify({ reference: order.reference, product: order.sku });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  if (withKeys) headers['Idempotency-Key'] = order.key;
  const began = Date.now();
  for (let number = 1; ; number += 1) {
    const answer = await attempt('POST', '/v1/bookings', body, headers).catch(() => null);
    if (answer && isBooking(answer)) return JSON.parse(answer.body).id;
    const mayPass = !answer || RETRYABLE.has(answer.status) || answer.status < 400;
    if (!mayPass || number === ATTEMPTS) return null;
    const wait = pause(number, answer);
    if (wait > LONGEST_WAIT_MS || Date.now() - began + wait > DEADLINE_MS) return null;
    await sleep(wait);
  }
}

function readBody(request) {
  return new Promise((resolve, reject) => {
    let text = '';
    request.on('data', (chunk) => { text += chunk; });
    request.on('end', () => resolve(text));
    request.on('error', reject);
  });
}

function reply(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function handle(request, response) {
  if (request.method === 'GET' && request.url === '/health') return reply(response, 200, { ok: true });
  if (request.method !== 'POST' || request.url !== '/orders') return reply(response, 404, {});
  const { sku } = JSON.parse(await readBody(request));
  const order = { sku, reference: `order-${crypto.randomUUID()}`, key: crypto.randomUUID() };
  const booking = await book(order);
  // Not known to be booked: the caller is told so, and nothing else.
  return booking ? reply(response, 201, { booking }) : reply(response, 502, { error: 'not booked' });
}

function main() {
  const server = http.createServer((request, response) => {
    handle(request, response).catch(() => reply(response, 400, { error: 'no order' }));
  });
  server.listen(port, '127.0.0.1', () => console.log(`listening on ${port}`));
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
}

main();
