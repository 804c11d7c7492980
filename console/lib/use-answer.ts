import { useCallback, useEffect, useState } from "preact/hooks";
import { ask, Failure } from "./ask.ts";
import { nextLookSeconds } from "./backoff.ts";

export interface Answered<Answer> {
  data: Answer | null;
  /** When the data is of. */
  at: number | null;
  failure: Failure | null;
  /** When the next look is, while the service is away. */
  nextLookAt: number | null;
  isLoading: boolean;
  reload(): void;
}

interface Kept {
  data: unknown;
  at: number;
}

/** The last answers: whoever comes back to a page sees it at once, with its time, and then anew. */
const kept = new Map<string, Kept>();
const MOST_KEPT = 60;

/** Two parts of a page that ask for the same share one request. */
const onTheWay = new Map<string, Promise<unknown>>();

function askOnce(path: string): Promise<unknown> {
  const asked = onTheWay.get(path) ?? ask(path);
  onTheWay.set(path, asked);
  const end = () => onTheWay.delete(path);
  asked.then(end, end);
  return asked;
}

export const forgetAnswers = () => kept.clear();

/** What the top bar tells: of when the page is, and whether that is old. */
export interface Freshness {
  at: number | null;
  failure: Failure | null;
  nextLookAt: number | null;
  reload(): void;
}

let freshness: Freshness = { at: null, failure: null, nextLookAt: null, reload: () => {} };
const watchers = new Set<(freshness: Freshness) => void>();

export function useFreshness(): Freshness {
  const [state, setState] = useState(freshness);
  useEffect(() => {
    watchers.add(setState);
    setState(freshness);
    return () => void watchers.delete(setState);
  }, []);
  return state;
}

function tellFreshness(next: Freshness): void {
  freshness = next;
  for (const watcher of watchers) watcher(next);
}

/**
 * Asks for what a page shows, and asks again while it is open and its tab is seen: no faster than every ten seconds, and less and
 * less often while the service is away. The last answer stays until another comes.
 * @param path null: nothing is asked for
 * @param everySeconds absent: asked for once
 * @param isWatch it is asked for again while nobody sees the tab, too
 */
export function useAnswer<Answer>(
  path: string | null,
  everySeconds?: number,
  isOfPage = true,
  isWatch = false,
): Answered<Answer> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ path: string | null; failure: Failure | null; nextLookAt: number | null }>({
    path,
    failure: null,
    nextLookAt: null,
  });
  const reload = useCallback(() => {
    // An answer that is on its way may be older than a change.
    if (path !== null) onTheWay.delete(path);
    setTurn((it) => it + 1);
  }, [path]);

  useEffect(() => {
    if (path === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let isOver = false;
    const tell = (failure: Failure | null, seconds: number | null) => {
      const nextLookAt = failure?.isAway && seconds !== null ? Date.now() + seconds * 1000 : null;
      setState({ path, failure, nextLookAt });
      if (isOfPage) tellFreshness({ at: kept.get(path)?.at ?? null, failure, nextLookAt, reload });
    };
    const look = async () => {
      clearTimeout(timer);
      if (document.hidden && !isWatch) return;
      let seconds = everySeconds === undefined ? null : Math.max(10, everySeconds);
      let failure: Failure | null = null;
      try {
        const data = await askOnce(path);
        if (isOver) return;
        keep(path, data);
        failures = 0;
      } catch (error) {
        if (isOver) return;
        failure = error instanceof Failure ? error : new Failure(0, null, null);
        seconds = failure.isAway ? nextLookSeconds(failures++) : null;
      }
      tell(failure, seconds);
      if (seconds !== null) timer = setTimeout(look, seconds * 1000);
    };
    // A tab that is seen again looks at once, if it has not for ten seconds.
    const onShown = () => {
      const isOld = Date.now() - (kept.get(path)?.at ?? 0) >= 10_000;
      if (!document.hidden && isOld && (everySeconds !== undefined || failures > 0)) void look();
    };
    document.addEventListener("visibilitychange", onShown);
    void look();
    return () => {
      document.removeEventListener("visibilitychange", onShown);
      clearTimeout(timer);
      isOver = true;
    };
  }, [path, everySeconds, turn, isOfPage, isWatch, reload]);

  const last = path === null ? undefined : kept.get(path);
  const isOf = state.path === path;
  return {
    data: (last?.data as Answer | undefined) ?? null,
    at: last?.at ?? null,
    failure: isOf ? state.failure : null,
    nextLookAt: isOf ? state.nextLookAt : null,
    isLoading: path !== null && last === undefined && !(isOf && state.failure),
    reload,
  };
}

function keep(path: string, data: unknown): void {
  kept.delete(path);
  kept.set(path, { data, at: Date.now() });
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
}
