import { ALLOWED_FROM } from "../../src/domain/messages/message.ts";
import type { Row } from "../../src/store/database.ts";
import type { Post, Submitted } from "./outside.ts";
import type { Scene, Stage, WebsiteId, Wish } from "./stage.ts";

/** What was counted outside and in the store, over the scenes of a flow. */
export interface Counts {
  accepted: number;
  /** Submissions after which none may follow. */
  submitted: number;
  final: number;
  /** Messages of which the record says that nobody knows whether the carrier has them. */
  unknown: number;
  callbacks: number;
  /** Callbacks that a run claimed and then failed: never posted, and never to be posted. */
  unposted: number;
  lost: number;
  twice: number;
}

interface Found {
  kind: "lost" | "twice" | "wrong";
  what: string;
}

export interface Comparison {
  counts: Counts;
  /** In words. */
  violations: string[];
}

/** What was counted outside, beside the service's own record. */
/** A reply has its own words. */
const isRequested = ({ tag }: Wish) => /^m\d+\.$/.test(tag);

export class Comparer {
  readonly #stage: Stage;
  readonly #messages: Row[];
  readonly #events: Row[];
  readonly #byKey: Map<string, Row[]>;
  readonly #submitted: Map<string, Submitted[]>;
  readonly #posts: Map<string, Post[]>;

  private constructor(stage: Stage, messages: Row[], events: Row[]) {
    this.#stage = stage;
    this.#messages = messages;
    this.#events = events;
    this.#byKey = Map.groupBy(messages, keyOfRow);
    this.#submitted = Map.groupBy(stage.outside.concluded(), ({ text, to }) => keyOf(text, to));
    this.#posts = Map.groupBy(stage.outside.posts, ({ eventId }) => eventId);
  }

  static async read(stage: Stage): Promise<Comparer> {
    const rows = async (table: string) => (await stage.world.rows(`SELECT * FROM ${table}`)) as Row[];
    return new Comparer(stage, await rows("messages"), await rows("events"));
  }

  /** Whether the wishes of these scenes came true, once each, and whether the record says so. */
  compare(scenes: Scene[]): Comparison {
    const keys = new Set(scenes.flatMap(({ wishes }) => wishes.map(({ tag, to }) => keyOf(tag, to))));
    const messages = this.#messages.filter((row) => keys.has(keyOfRow(row)));
    const ids = new Set(messages.map(({ message_id }) => message_id));
    const lasting = scenes.filter((scene) => scene.mayBeUnposted || (scene.fault && scene.fault.lasts !== "once"));
    const mayBeUnposted = new Set(lasting.flatMap(({ wishes }) => wishes.flatMap(({ answered }) => [...answered])));
    const { found, callbacks, unposted } = this.#judgeCallbacks(messages, ids, mayBeUnposted);
    const counts: Counts = {
      accepted: messages.length,
      submitted: [...keys].reduce((sum, key) => sum + (this.#submitted.get(key)?.length ?? 0), 0),
      final: messages.filter(({ status }) => isFinal(status)).length,
      unknown: messages.filter(isUnknown).length,
      callbacks,
      unposted,
      lost: 0,
      twice: 0,
    };
    const violations: string[] = [];
    const add = (where: string, all: Found[]) => {
      for (const { kind, what } of all) {
        if (kind !== "wrong") counts[kind]++;
        violations.push(`${where}: ${kind}: ${what}`);
      }
    };
    for (const scene of scenes) {
      const wrong = scene.faults.map((what): Found => ({ kind: "wrong", what }));
      add(nameOf(scene), [...wrong, ...scene.wishes.flatMap((wish) => this.#judge(wish, scene))]);
    }
    add("callbacks", found);
    return { counts, violations };
  }

  #judge(wish: Wish, scene: Scene): Found[] {
    const key = keyOf(wish.tag, wish.to);
    const rows = this.#byKey.get(key) ?? [];
    const submitted = this.#submitted.get(key) ?? [];
    const say = (kind: Found["kind"], what: string): Found => ({ kind, what: `${wish.tag} (to ${wish.to}): ${what}` });
    const found: Found[] = [];
    if (submitted.length > 1) found.push(say("twice", `submitted ${submitted.length} times`));
    const [row] = rows;
    if (wish.becomes === "nothing kept") return row ? [...found, say("wrong", "is kept")] : found;
    if (!row) return [...found, say("lost", `answered ${[...wish.answered].join() || "no id"}, and not in the store`)];
    if (rows.length > 1) found.push(say("twice", `stored ${rows.length} times`));
    for (const id of wish.answered) {
      if (!rows.some(({ message_id }) => message_id === id))
        found.push(say("lost", `answered ${id}, not in the store`));
    }
    if (!isFinal(row.status)) found.push(say("lost", `still ${row.status}`));
    if (wish.becomes === "whatever is right") return found;
    const isText = wish.becomes === "a text" || (wish.becomes === "a text or NOT_SUBSCRIBED" && submitted.length > 0);
    const fault = isText ? textFault(row, submitted, scene) : otherFault(row, submitted, wish, scene);
    return fault ? [...found, say(...fault)] : found;
  }

  /** Each event that wants a callback has had one post, unless a run that failed had claimed it: then at most one. */
  #judgeCallbacks(messages: Row[], ids: Set<Row[string] | undefined>, mayBeUnposted: Set<string>) {
    const found: Found[] = [];
    let [callbacks, unposted] = [0, 0];
    const told = new Set<string>();
    for (const row of this.#events.filter(({ message_id }) => ids.has(message_id ?? null))) {
      const id = `${row.message_id}_${row.event}`;
      const count = this.#posts.get(id)?.length ?? 0;
      told.add(id);
      callbacks += count;
      const isWanted = row.due_at !== null || row.outcome !== null;
      const isClaimed = row.attempted_at !== null && row.outcome === null;
      const isClaimedInVain = isClaimed && mayBeUnposted.has(String(row.message_id));
      if (count > 1) found.push({ kind: "twice", what: `${id} was posted ${count} times` });
      else if (!isWanted && count > 0) found.push({ kind: "wrong", what: `${id} was posted unasked` });
      else if (isWanted && count === 0 && isClaimedInVain) unposted++;
      else if (isWanted && count === 0) found.push({ kind: "lost", what: `${id} was never posted` });
    }
    for (const { message_id, status } of messages) {
      if (!told.has(`${message_id}_${status}`))
        found.push({ kind: "lost", what: `${message_id} has no event ${status}` });
    }
    return { found, callbacks, unposted };
  }

  /** What nobody asked for, and whether the report is right. */
  async strays(): Promise<string[]> {
    const { scenes, outside } = this.#stage;
    const wished = new Set(scenes.flatMap(({ wishes }) => wishes.map(({ tag, to }) => keyOf(tag, to))));
    const events = new Set(this.#events.map((row) => `${row.message_id}_${row.event}`));
    const gone = new Set(
      scenes.flatMap(({ wishes }) =>
        wishes.flatMap(({ becomes, answered }) => (becomes === "nothing kept" ? [...answered] : [])),
      ),
    );
    return [
      ...outside.submitted
        .filter(({ text, to }) => !wished.has(keyOf(text, to)))
        .map(({ to, text }) => `${to} was texted, and nobody asked: ${text}`),
      ...outside.afterStop.map(({ to, text }) => `${to} was texted after their STOP: ${text}`),
      ...outside.posts
        .filter(({ eventId, body }) => !events.has(eventId) && !gone.has(body.messageId))
        .map(({ eventId }) => `${eventId} is no event`),
    ];
  }

  /** What the report of a website must say: each wish but for replies to keywords, and as sent what a carrier has, or may have. */
  async reportFaults(websiteId: WebsiteId): Promise<string[]> {
    const { scenes, world, startedAt } = this.#stage;
    const day = (time: number) => new Date(time).toISOString().slice(0, 10);
    const path = `/websites/${websiteId}/report?from=${day(startedAt)}&to=${day(world.now)}`;
    const { total } = (await (await world.operator("GET", path)).json()) as {
      total: { accepted: number; sent: number };
    };
    const wishes = scenes.flatMap((scene) =>
      scene.wishes.filter((wish) => wish.websiteId === websiteId && isRequested(wish)),
    );
    const sent = wishes.filter(({ tag, to }) => {
      const isTaken = this.#submitted.get(keyOf(tag, to))?.some(({ outcome }) => outcome !== "refused");
      return isTaken || this.#byKey.get(keyOf(tag, to))?.some(isUnknown);
    });
    if (total.accepted === wishes.length && total.sent === sent.length) return [];
    const { accepted, sent: reported } = total;
    return [
      `the report of ${websiteId} says ${accepted} accepted, ${reported} sent; it was ${wishes.length}, ${sent.length}`,
    ];
  }
}

export function nameOf({ flow, injector, fault, repeats }: Scene): string {
  if (!fault) return `${flow}, without a fault`;
  const { nth, when, lasts } = fault;
  return `${flow}, call ${nth} (${injector.calls[nth - 1]}) fails ${when} it took effect, ${lasts}, asked again ${repeats}`;
}

function textFault(row: Row, [first]: Submitted[], scene: Scene): [Found["kind"], string] | undefined {
  const outcome = first?.outcome ?? "never submitted";
  if (isUnknown(row)) {
    const isOpen = outcome === "unknown" || outcome === "broken" || outcomeIsLost(scene);
    return isOpen ? undefined : ["wrong", `${outcome}, but recorded as unknown`];
  }
  if (!first) return ["lost", `never submitted, and ${row.status} (${row.reason})`];
  const agrees = (outcome === "refused") === (row.status === "FAILED_TO_SEND");
  return agrees ? undefined : ["wrong", `${outcome}, but recorded as ${row.status} (${row.reason})`];
}

/**
 * What a run did with a message that it had claimed, be it a submission or the decision against one. With one binding away the other holds
 * it. When all are, the claim is all that is left, and whoever finds it cannot know that nothing was submitted.
 */
const outcomeIsLost = ({ mayBeUnknown, fault }: Scene) => mayBeUnknown && fault?.lasts === "on every binding";

function otherFault(
  row: Row,
  submitted: Submitted[],
  { becomes }: Wish,
  scene: Scene,
): [Found["kind"], string] | undefined {
  if (submitted.length > 0) return ["wrong", `submitted, though ${becomes}`];
  if (isUnknown(row) && outcomeIsLost(scene)) return undefined;
  return becomes.endsWith(String(row.status)) ? undefined : ["wrong", `${row.status} in place of ${becomes}`];
}

function isFinal(status: unknown): boolean {
  return !Object.values(ALLOWED_FROM).some((from) => (from as readonly unknown[]).includes(status));
}

function isUnknown({ reason }: Row): boolean {
  return /outcome unknown/.test(String(reason));
}

/** A wish has a first word of its own; what the service itself says is told apart by the number that it goes to. */
function keyOf(text: string, to: string | null): string {
  return /^m\d+\./.exec(text)?.[0] ?? `${to} ${text}`;
}

function keyOfRow({ text, phone }: Row): string {
  return keyOf(String(text), phone === null ? null : `+${phone}`);
}
