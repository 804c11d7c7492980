/** A word of a command that somebody copies into a shell. */
export const inShell = (word: string) => (/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
