// Pure. By which of the two of its website a text goes: by its own carrier and sender, or by its fallback.

/** `onlyFallback`, `onlyOwn`: the other one has refused the text, for a reason that is not the number's or the text's. */
export const BY = { own: 0, fallback: 1, onlyFallback: 2, onlyOwn: 3 } as const;

export type By = (typeof BY)[keyof typeof BY];

export const isByFallback = (by: By): boolean => by === BY.fallback || by === BY.onlyFallback;

export const hasNoOther = (by: By): boolean => by === BY.onlyFallback || by === BY.onlyOwn;

/** After a claim that came to no submission. */
export const untried = (by: By): By => (by === BY.fallback ? BY.own : by);

/** The one by which it goes has refused it. */
export const onlyTheOther = (by: By): By => (isByFallback(by) ? BY.onlyOwn : BY.onlyFallback);
