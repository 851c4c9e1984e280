import { clip } from "~/core/well-formed";

/** In characters: about 5,000 tokens, so that a few calls fit any model. */
export const TEXT_LIMIT = 20_000;
/** In characters of JSON; tools stay far below. */
export const OUTPUT_LIMIT = 60_000;

/** A truncated text says so, as does `truncated`. */
export function boundText(text: string, offset = 0): { text: string; truncated: boolean } {
  const rest = text.slice(offset);
  if (rest.length <= TEXT_LIMIT) return { text: rest, truncated: false };
  const count = (n: number) => n.toLocaleString("en-US");
  const start = clip(rest, TEXT_LIMIT);
  const note = `\n[Cut here: ${count(offset + start.length)} of ${count(text.length)} characters were read.]`;
  return { text: start + note, truncated: true };
}

/** Bytes beyond the limit aren't read. */
export async function readStart(
  response: Response,
  limit: number,
): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader && length <= limit) {
    const { done, value } = await reader.read();
    if (done) return { bytes: Buffer.concat(chunks), cut: false };
    chunks.push(value);
    length += value.byteLength;
  }
  await reader?.cancel();
  return { bytes: Buffer.concat(chunks).subarray(0, limit), cut: reader !== undefined };
}
