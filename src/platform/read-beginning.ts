/**
 * Reads the beginning of a body as text, then closes the connection.
 * @param bytes maximum
 */
export async function readBeginning({ body }: Response, bytes: number): Promise<string> {
  if (!body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let left = bytes;
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.byteLength;
    if (left <= 0) break;
  }
  return text + decoder.decode();
}
