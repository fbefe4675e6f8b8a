// Books with the vendor at BOOKING_URL.
// KEYS=off makes it wrong in one way: a fresh idempotency key for every attempt, so that a booking
// whose answer was lost is made twice.
'use strict';
const { randomUUID } = require('node:crypto');
const { setTimeout: pause } = require('node:timers/promises');

const ATTEMPTS = 5;
const ATTEMPT_TIMEOUT_MS = 2000;
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 2000;
const LONGEST_ASKED_MS = 10000;

const oneKeyPerOrder = process.env.KEYS !== 'off';

// What may go better the next time; every other 4xx is the vendor's last word. Behind an attempt that may have
// booked, a 409 says that the order with this key is still being worked on.
const mayPass = (status, mayBeBooked) =>
  status === 408 || status === 429 || status >= 500 || (status === 409 && mayBeBooked);

// One attempt: {id}, {status, retryAfter}, or an error where no usable answer came.
async function attempt(order, key) {
  const answer = await fetch(`${process.env.BOOKING_URL}/v1/bookings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ reference: order.reference, product: order.sku }),
    // The signal also ends a body that never ends: it holds until the last byte has been read.
    signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
  });
  const text = await answer.text();
  if (!answer.ok) return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  const { id } = JSON.parse(text);
  if (typeof id !== 'string') throw new Error('an answer without an id');
  return { id };
}

// Retry-After is seconds or a date; null where it is missing or neither.
function askedFor(retryAfter) {
  if (retryAfter === null) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  // A second more: a date has whole seconds, and two clocks are never quite the same.
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now()) + 1000;
}

// Full jitter: anything up to a limit that doubles, so that many callers do not come back at once.
const backoff = (number) => Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (number - 1));

// {outcome: 'booked', id}, {outcome: 'refused'}, or {outcome: 'unknown'} where the vendor may have booked all the same.
async function book(order) {
  // It belongs to the order: the vendor knows a second attempt by it.
  const key = randomUUID();
  let mayBeBooked = false;
  const notBooked = () => ({ outcome: mayBeBooked ? 'unknown' : 'refused' });
  for (let number = 1; ; number += 1) {
    let answer = null;
    try {
      answer = await attempt(order, oneKeyPerOrder ? key : randomUUID());
      if (answer.id) return { outcome: 'booked', id: answer.id };
      if (!mayPass(answer.status, mayBeBooked)) return notBooked();
      mayBeBooked ||= answer.status >= 500;
      console.error(`${order.reference}: attempt ${number} was answered ${answer.status}`);
    } catch (error) {
      mayBeBooked = true;
      console.error(`${order.reference}: attempt ${number} brought no answer: ${error.cause?.code ?? error.message}`);
    }
    const asked = answer && askedFor(answer.retryAfter);
    // Coming earlier than asked is no help, and a caller who waits is not kept for longer than this.
    if (number === ATTEMPTS || asked > LONGEST_ASKED_MS) return notBooked();
    await pause((asked ?? 0) + backoff(number));
  }
}

module.exports = { book };
