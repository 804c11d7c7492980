// Times and days as a person writes them in the shell. All of them are UTC, as everything that the service answers.

const DAY = 86_400_000;

const NAMED: Record<string, number> = { today: 0, yesterday: -1, tomorrow: 1 };

/** @param format `date` or `date-time`, as the call declares it. @returns what the call takes; unchanged: it is not one of these */
export function toTime(text: string, format: string | undefined, now = Date.now()): string {
  if (format !== "date" && format !== "date-time") return text;
  const word = text.trim().toLowerCase();
  const days = NAMED[word];
  const day = days === undefined ? word : new Date(now + days * DAY).toISOString().slice(0, 10);
  if (format === "date") return day === word ? text : day;
  if (/^\d{4}-\d\d-\d\d$/.test(day)) return `${day}T00:00:00Z`;
  // Without a zone, the service would read it as its own.
  return /^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(word) ? `${word.toUpperCase()}Z` : text;
}
