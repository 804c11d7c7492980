// Pure. Rows of subscribers, each number once.

/** A number's subscription as it is to be. */
export interface SubscriptionChange {
  /** As digits. */
  phone: number;
  subscribed: boolean;
  /** Lower case; null keeps the number's address. */
  email: string | null;
}

/**
 * What several rows of one number say: an opt-out wins, and the last address counts. So the same comes of the rows in one list, and of
 * the same rows in several lists that are stored one after the other.
 */
export class SubscriberRows {
  readonly #changes = new Map<number, SubscriptionChange>();

  add({ phone, subscribed, email }: SubscriptionChange): void {
    const before = this.#changes.get(phone);
    // If several numbers have one address, that of the last row is subscribed last.
    this.#changes.delete(phone);
    this.#changes.set(phone, {
      phone,
      subscribed: subscribed && before?.subscribed !== false,
      email: email ?? before?.email ?? null,
    });
  }

  /** Each number once, in the order of their last rows. */
  distinct(): SubscriptionChange[] {
    return [...this.#changes.values()];
  }
}
