/** The time of all fixtures: 03:05:20 in Berlin. */
export const NOW = Date.parse("2026-11-25T02:05:20Z");

export const MINUTE = 60_000;
export const DAY = 86_400_000;
export const ago = (milliseconds: number) => new Date(NOW - milliseconds).toISOString();
export const minutesAgo = (minutes: number) => ago(minutes * MINUTE);

/** What a person or another system may write into whatever the console shows. */
export const MARKUP = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>";
