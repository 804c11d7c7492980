/** A row of a part. */
export interface Change {
  phone: number;
  subscribed: boolean;
  email: string | null;
  consent?: { consentedAt: number | null; evidence: string | null };
}

/** Who brings a part, and how. */
export interface Request {
  mode: "call" | "keep" | "resubscribe";
  isJoined: boolean;
  proof: string;
  begunAt: number;
  now: number;
}

/** What a part tells of itself; numbers in order. */
export interface Counted {
  newSubscribed: number[];
  newOptedOut: number[];
  becameSubscribed: number[];
  becameOptedOut: number[];
  newAddress: number[];
  refused: { phone: number; byPerson: boolean }[];
}

interface Row {
  was: boolean | null;
  subscribed: boolean;
  wasEmail: string | null;
  source: string;
  proof: string;
  at: number;
  /** The place of the row before the import among those of the number. */
  before: number | null;
  consent: { consentedAt: number | null; evidence: string | null };
}

interface State {
  subscribed: boolean;
  email: string | null;
  /** By its owner. */
  stopped: boolean;
  optedOutAt: number;
  /** The place of its row. */
  row: number;
}

/** Argentina: with the 9 of calls from abroad, and without. Brazil: with the ninth digit, and without. */
const OTHER_FORMS = new Map([
  [5491123456789, 541123456789],
  [541123456789, 5491123456789],
  [5511987654321, 551187654321],
  [551187654321, 5511987654321],
]);

const NO_CONSENT = { consentedAt: null, evidence: null };

/** Written from what the docs promise, one number after the other. */
export class Model {
  readonly #states = new Map<number, State>();
  readonly #ledger = new Map<number, Row[]>();
  readonly #erased = new Set<number>();

  isSubscribed(phone: number): boolean {
    return this.#states.get(phone)?.subscribed === true;
  }

  /** Where the website has erased people, the opt-outs of a part are stored before the rest of it is looked at. */
  apply(request: Request, changes: Change[]) {
    const hasErased = this.#erased.size > 0;
    const optIns = changes.filter(({ subscribed }) => subscribed);
    const written: number[] = [];
    const told: [number, boolean][] = [];
    const refused: Counted["refused"] = [];
    for (const part of hasErased ? [changes, optIns] : [changes]) {
      const isFirst = hasErased && part === changes;
      const verdicts = part.map((change) => ({ change, verdict: this.#judge(request, change, isFirst) }));
      for (const { change, verdict } of verdicts) {
        if (isFirst && verdict.wants) continue;
        if (verdict.refused) refused.push({ phone: change.phone, byPerson: verdict.refused === "person" });
        if (verdict.ignored) continue;
        const row = this.#write(request, change, verdict.wants);
        if (!row) continue;
        written.push(change.phone);
        if (row.was !== row.subscribed) told.push([change.phone, row.subscribed]);
      }
    }
    const counted = this.#count(written, refused, request);
    return { counted, written, told: request.mode === "call" ? told : [] };
  }

  #judge(request: Request, { phone, subscribed }: Change, isFirst: boolean) {
    const [state, other] = [this.#states.get(phone), OTHER_FORMS.get(phone)];
    const own = other === undefined ? undefined : this.#states.get(other);
    const isOff = state !== undefined && !state.subscribed && !state.stopped;
    if (!subscribed) return { wants: false };
    if (!isFirst && this.#isErased(phone)) return { wants: true, ignored: true, refused: "person" };
    const optedOutBefore =
      (isOff && this.#hasOptedOut(request, phone)) ||
      (own && !own.subscribed && !own.stopped && !state?.stopped && this.#hasOptedOut(request, other as number));
    if (request.isJoined && optedOutBefore) return { wants: false };
    if (own?.stopped && !state?.subscribed) return { wants: true, ignored: true, refused: "person" };
    if (state?.stopped) return { wants: true, refused: "person" };
    const isKept = request.mode === "keep" || (request.mode === "resubscribe" && this.#isSetSince(request, phone));
    return isOff && isKept ? { wants: true, ignored: true, refused: "others" } : { wants: true };
  }

  #isErased(phone: number): boolean {
    return this.#erased.has(phone) || this.#erased.has(OTHER_FORMS.get(phone) ?? phone);
  }

  #hasOptedOut({ proof }: Request, phone: number): boolean {
    return this.#rowsOf(phone).some((row) => row.source === "import" && row.proof === proof && !row.subscribed);
  }

  #isSetSince({ begunAt, proof }: Request, phone: number): boolean {
    const row = this.#rowsOf(phone)[this.#states.get(phone)?.row ?? -1];
    return row !== undefined && row.at > begunAt && row.proof !== proof;
  }

  #rowsOf = (phone: number) => this.#ledger.get(phone) ?? [];

  #write(request: Request, change: Change, wants: boolean): Row | undefined {
    const { phone, email, consent = NO_CONSENT } = change;
    const { mode, proof, now } = request;
    const state = this.#states.get(phone);
    const rows = this.#rowsOf(phone);
    if (!change.subscribed && state && !state.subscribed) state.optedOutAt = Math.max(state.optedOutAt, now);
    const isMoved = state !== undefined && email !== null && email !== state.email;
    const isProven = consent.consentedAt !== null || consent.evidence !== null;
    const isKnownProof = rows.some(
      (row) => row.consent.consentedAt === consent.consentedAt && row.consent.evidence === consent.evidence,
    );
    const isFound = mode === "resubscribe" && !wants && state !== undefined && !state.subscribed && !state.stopped;
    const isNew =
      (state?.subscribed !== wants && !state?.stopped) ||
      isMoved ||
      (wants && state?.subscribed && isProven && !isKnownProof) ||
      (isFound && !this.#hasOptedOut(request, phone));
    // Somebody else has set since the request began what the import had set before.
    const isDone = this.#isSetSince(request, phone) && rows.some((row) => row.proof === proof);
    if (!isNew || isDone) return undefined;
    const last = state && rows[state.row];
    const subscribed = wants && !state?.stopped;
    const isOwn = last?.source === "import" && last.proof === proof;
    const row: Row = {
      ...{ was: state?.subscribed ?? null, subscribed, at: now, proof, source: mode === "call" ? "api" : "import" },
      wasEmail: isMoved ? ((mode === "call" ? "" : state.email) ?? "") : null,
      before: mode === "call" ? null : isOwn ? last.before : (state?.row ?? null),
      consent: subscribed ? consent : NO_CONSENT,
    };
    this.#add(phone, row);
    const isOptOut = !subscribed && row.was !== false;
    const optedOutAt = isOptOut ? now : (state?.optedOutAt ?? 0);
    const kept = { email: email ?? state?.email ?? null, stopped: state?.stopped ?? false };
    this.#states.set(phone, { subscribed, ...kept, optedOutAt, row: rows.length });
    return row;
  }

  #add(phone: number, row: Row): void {
    this.#ledger.set(phone, [...this.#rowsOf(phone), row]);
  }

  #count(written: number[], refused: Counted["refused"], { mode }: Request): Counted {
    const list = (has: (row: Row, state: State) => boolean) =>
      written
        .filter((phone) => has(this.#rowsOf(phone).at(-1) as Row, this.#states.get(phone) as State))
        .filter(() => mode !== "call")
        .toSorted();
    return {
      newSubscribed: list(({ was, subscribed }) => was === null && subscribed),
      newOptedOut: list(({ was, subscribed }) => was === null && !subscribed),
      becameSubscribed: list(({ was, subscribed }) => was === false && subscribed),
      becameOptedOut: list(({ was, subscribed }) => was === true && !subscribed),
      newAddress: list(
        ({ was, subscribed, wasEmail }, { stopped }) => was === subscribed && wasEmail !== null && !stopped,
      ),
      refused: refused.toSorted((a, b) => a.phone - b.phone),
    };
  }

  text(words: "STOP" | "START", phone: number, now: number): void {
    const state = this.#states.get(phone);
    const isStop = words === "STOP";
    const isIgnored = isStop ? false : state?.subscribed || (!state && !this.#erased.has(phone));
    if (isIgnored) return;
    const row = { was: state?.subscribed ?? null, subscribed: !isStop, at: now, proof: words, source: "keyword" };
    const isNew = !isStop || !state?.stopped;
    if (isNew) this.#add(phone, { ...row, wasEmail: null, before: null, consent: NO_CONSENT });
    if (!isStop) this.#erased.delete(phone);
    const optedOutAt = isStop ? now : (state?.optedOutAt ?? 0);
    const email = state?.email ?? null;
    this.#states.set(phone, {
      subscribed: !isStop,
      email,
      stopped: isStop,
      optedOutAt,
      row: this.#rowsOf(phone).length - 1,
    });
  }

  erase(phone: number): void {
    this.#states.delete(phone);
    this.#ledger.delete(phone);
    this.#erased.add(phone);
  }

  stored() {
    const people = [...this.#states].toSorted(([a], [b]) => a - b);
    const ledger = [...this.#ledger].toSorted(([a], [b]) => a - b);
    return {
      people: people.map(([phone, state]) => ({ phone, ...state })),
      ledger: ledger.flatMap(([phone, rows]) => rows.map((row) => ({ phone, ...row }))),
    };
  }
}
