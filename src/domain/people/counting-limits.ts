// Pure. Where an answer stops counting: each row more would have to be read.

/** Numbers of a website. */
export const MOST_COUNTED = 100_000;

/** Texts that wait for a decision, in one database. */
export const COUNTED_TEXTS = 1000;
