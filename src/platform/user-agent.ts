/** Sent with every request to a carrier or an endpoint: many servers turn away a client that does not name itself. */
export const USER_AGENT = "Textgate/1";
