// Calls the service that runs at SERVICE_URL. What must be so whatever the vendor does stands here;
// how the service deals with the vendor is mishap's to judge.
'use strict';

async function order(body) {
  const response = await fetch(`${process.env.SERVICE_URL}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('an order is booked, or the caller is told that it is not known to be', async () => {
  const { status, body } = await order({ sku: 'prod_1' });
  if (status === 201) {
    expect(body).toEqual({ booking: expect.stringMatching(/^bk_/) });
  } else {
    expect([502, 504]).toContain(status);
    expect(body).toEqual({ error: expect.any(String) });
  }
});

test('two equal orders are two bookings', async () => {
  const answers = [await order({ sku: 'prod_2' }), await order({ sku: 'prod_2' })];
  const bookings = answers.filter(({ status }) => status === 201).map(({ body }) => body.booking);
  expect(new Set(bookings).size).toBe(bookings.length);
});

test('an order for nothing is refused', async () => {
  expect(await order({})).toEqual({ status: 400, body: { error: 'an order needs a sku' } });
});
