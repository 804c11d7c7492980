/** Values that the examples share, so that they tell one story. */
export const MESSAGE_ID = "5f0c5a9e-7d0d-4d6c-9c39-0f5f6c1e8a11";
export const REQUEST_ID = "7f1c2a9e-55b0-4c0b-9d57-3c1f6e1f0a42";
export const CLICK_ID = "c3b1d2f0-58a4-4b0e-8f6a-7d2f1e9a6b33";
export const NOTICE_ID = "0b9f4c1e-2d7a-4f6b-8a35-6e1d9c20b7f4-0123456789abcdef0123456789abcdef";
export const CLIENT_ID = "0123456789abcdef0123456789abcdef";
export const CLIENT_SECRET = "0123456789abcdef".repeat(4);
export const CALLBACK_SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
export const PHONE = "+12125550100";
export const OTHER_PHONE = "+12125550101";
export const TIME = "2026-11-21T12:00:00.000Z";

/** Transactional, because marketing waits for the morning where a website has sending hours. */
export const SEND_BY_PHONE = {
  phone: PHONE,
  text: "Brand: your order has shipped.",
  callbackData: '{"profileId":"42"}',
  sendPurpose: "order-shipped",
  kind: "transactional" as const,
};

/** As a marketing platform's template sends it: absent fields are empty strings. */
export const SEND_BY_EMAIL = {
  phone: "",
  email: "ada@example.com",
  text: "Brand: your table is booked, Ada.",
  mediaUrl: "https://example.com/image/1.jpg",
  clickUrl: "https://example.com/booking?from=sms",
  callbackData: '{"profileID":"01H","flow":"Booking"}',
  sendPurpose: "Booking",
  kind: "transactional" as const,
};

/** With where the person is, for the hours of marketing. A time of the example would soon be past. */
export const SEND_BY_PLACE = {
  phone: PHONE,
  text: "Brand: our spring sale begins today.",
  callbackData: "{}",
  sendPurpose: "spring-sale_01",
  kind: "marketing" as const,
  timeZone: "America/Los_Angeles",
  region: "US-CA",
};

/** phone_numbers,email in a line each, in Base64. */
const CSV_FILE = "cGhvbmVfbnVtYmVycyxlbWFpbAorMTIxMjU1NTAxMDEsYWRhQGV4YW1wbGUuY29tCg==";

/** A list of numbers, in each of its two forms. */
export const LISTS = {
  array: { phone_numbers: [PHONE, OTHER_PHONE] },
  file: { csv_file: CSV_FILE },
};
