import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { EdgeContext } from "./context";
import { writeTextarea } from "./read-body.server";

/**
 * From here on a text of a refused form isn't drawn with its page, in characters: of 1,000,000 that took half a second, and
 * of these takes a few milliseconds.
 */
const LONG_TEXT = 10_000;
/** Of the piece that is sent in one turn of the event loop, in bytes. */
const PIECE = 64 * 1024;

/** Placeholder for a text sent to the screen; `ui/long-textarea` renders it. */
type KeptText = { kept: string };

/** The texts of each request by what stands for them. */
const held = new WeakMap<EdgeContext, Map<string, string>>();

/** The text itself, or for a long one its placeholder in this response. */
export function keepText(context: EdgeContext, text: string): string | KeptText {
  if (text.length < LONG_TEXT) return text;
  // No one can know it before, so that no text holds it.
  const kept = `kept-${randomBytes(16).toString("hex")}`;
  const texts = held.get(context) ?? new Map<string, string>();
  held.set(context, texts.set(kept, text));
  return { kept };
}

/**
 * A refused form's data: its long texts are kept as placeholders. Other fields are short; long values in them are
 * dropped.
 * @param fields the names of those that may hold a long text
 */
export function keepTexts<T>(
  context: EdgeContext,
  sent: Record<string, T>,
  fields: readonly string[],
): Record<string, T | string | KeptText> {
  const told: Record<string, T | string | KeptText> = {};
  for (const [name, value] of Object.entries(sent)) {
    const long = typeof value === "string" && value.length >= LONG_TEXT;
    if (!long) told[name] = value;
    else if (fields.includes(name)) told[name] = keepText(context, value);
  }
  return told;
}

/** A page on its way out, with the texts that were kept in their fields; the page itself where there are none. */
export async function withKeptTexts(page: Readable, context: EdgeContext): Promise<Readable> {
  const texts = held.get(context);
  if (!texts) return page;
  const drawn: Buffer = Buffer.concat(await page.toArray());
  const places: { start: number; end: number; bytes: Uint8Array }[] = [];
  for (const [kept, text] of texts) {
    const start = drawn.indexOf(`>${kept}</textarea>`) + 1;
    if (start > 0) places.push({ start, end: start + kept.length, bytes: await writeTextarea(text) });
  }
  places.sort((a, b) => a.start - b.start);
  return Readable.from(joined(drawn, places), { objectMode: false });
}

async function* joined(
  drawn: Buffer,
  places: readonly { start: number; end: number; bytes: Uint8Array }[],
): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const { start, end, bytes } of places) {
    yield drawn.subarray(from, start);
    for (let at = 0; at < bytes.byteLength; at += PIECE) {
      yield bytes.subarray(at, at + PIECE);
      await turn();
    }
    from = end;
  }
  yield drawn.subarray(from);
}
