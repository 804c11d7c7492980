// Pure. Rows of subscribers, each number once.
import type { Consent } from "./consent.ts";

/** A number's subscription as it is to be. */
export interface SubscriptionChange {
  /** As digits. */
  phone: number;
  subscribed: boolean;
  /** Lower case; null keeps the number's address. */
  email: string | null;
  /** Left out if the row has none. */
  consent?: Consent;
}

/**
 * What several rows of one number say: an opt-out wins, and the last address and the last proof of consent count. So the same comes of the rows in one list, and of
 * the same rows in several lists that are stored one after the other.
 */
export class SubscriberRows {
  readonly #changes = new Map<number, SubscriptionChange>();

  add({ phone, subscribed, email, consent }: SubscriptionChange): void {
    const before = this.#changes.get(phone);
    const proof = consent ?? before?.consent;
    // If several numbers have one address, that of the last row is subscribed last.
    this.#changes.delete(phone);
    this.#changes.set(phone, {
      phone,
      subscribed: subscribed && before?.subscribed !== false,
      email: email ?? before?.email ?? null,
      ...(proof ? { consent: proof } : {}),
    });
  }

  /** Each number once, in the order of their last rows. */
  distinct(): SubscriptionChange[] {
    return [...this.#changes.values()];
  }
}
