// How far an import has come, on one line of a terminal.

const WIDTH = 30;

export interface Progress {
  /** @param bytes of the file, and rows, that are done so far */
  show(bytes: number, rows: number): void;
  /** Leaves the line empty. */
  end(): void;
}

/**
 * Shows nothing where the stream is no terminal.
 * @param size of the file in bytes; undefined: unknown
 */
export function startProgress(
  size: number | undefined,
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
  if (!stream.isTTY) return { show: () => {}, end: () => {} };
  return {
    show: (bytes, rows) => void stream.write(`\r${describe(bytes, rows, size)}`),
    end: () => void stream.write("\r\u001b[K"),
  };
}

function describe(bytes: number, rows: number, size: number | undefined): string {
  const told = `${rows.toLocaleString("en-US")} rows`;
  if (!size) return told;
  const share = Math.min(1, bytes / size);
  const full = Math.round(share * WIDTH);
  return `[${"#".repeat(full)}${" ".repeat(WIDTH - full)}] ${Math.floor(share * 100)} %, ${told}`;
}
