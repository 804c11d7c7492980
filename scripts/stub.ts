/** What scripts have in the place of the modules that only workerd has, such as cloudflare:sockets. */
export const STUB = "export const connect = undefined; export class DurableObject {}";
