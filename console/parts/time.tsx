import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatClock, formatSeconds, formatTenths, formatTime, formatUtc } from "../lib/times.ts";

/** A time in the reader's zone; the UTC is its title, and stands under it in print. */
export function Time({
  at,
  as = "time",
}: {
  at: string | number;
  as?: "time" | "clock" | "seconds" | "tenths";
}): JSX.Element {
  const iso = new Date(at).toISOString();
  const words = {
    time: () => formatTime(at, Date.now()),
    clock: () => formatClock(at),
    seconds: () => formatSeconds(at),
    tenths: () => formatTenths(at),
  }[as]();
  return (
    <time dateTime={iso} title={formatUtc(at)} data-utc={formatUtc(at)}>
      {words}
    </time>
  );
}

/** The time of now, told anew every so many seconds, so that spans grow on a page that is left open. */
export function useNow(seconds = 10): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return now;
}
