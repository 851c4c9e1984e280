import { DEFAULT_ENCODING, decodeAs, decodeKnown } from "~/core/charset";
import type { Facts } from "./document.schema";
import { ENCODINGS, encodingName } from "./encodings.shared";

const SAMPLE_BYTES = 65_536;
/** ASCII before a line's first other byte that a sample keeps (bytes). */
const LEAD_BYTES = 200;
/** jschardet's lowest right answers have 0.06, its noise less. */
const MIN_CONFIDENCE = 0.05;
/** Nearly no answer is wrong above this. */
const SURE_CONFIDENCE = 0.2;

/** What surrounds bytes beyond ASCII, line by line, up to the sample's size: the rest says nothing. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SAMPLE_BYTES) return bytes;
  const parts: Uint8Array[] = [];
  let room = SAMPLE_BYTES;
  for (let at = 0, end = 0; at < bytes.length && room > 0; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    // All between the last part and here is ASCII, so no character is cut.
    const start = Math.max(end, at - LEAD_BYTES);
    const line = bytes.indexOf(0x0a, at);
    end = Math.min(line < 0 ? bytes.length : line + 1, start + room);
    parts.push(bytes.subarray(start, end));
    room -= end - start;
    at = end - 1;
  }
  return Buffer.concat(parts);
}

const BROKEN = "\ufffd";

interface Guess {
  encoding: string;
  isSure: boolean;
}

const namesOf = (encodings: typeof ENCODINGS) => encodings.map(({ label, detected }) => detected ?? label);

async function guessEncoding(bytes: Uint8Array): Promise<Guess> {
  // Its models take 100 ms to unpack.
  const { detect } = await import("jschardet");
  const sample = sampleOf(bytes);
  // ISO 8859 has no characters there.
  const isIso = !sample.some((byte) => byte >= 0x80 && byte < 0xa0);
  const candidates = isIso ? ENCODINGS : ENCODINGS.filter(({ label }) => !label.startsWith("iso-"));
  const { encoding, confidence } = detect(sample, { detectEncodings: namesOf(candidates) });
  const detected = encoding?.toLowerCase();
  const found = candidates.find((candidate) => detected === (candidate.detected ?? candidate.label));
  if (!found || confidence < MIN_CONFIDENCE) return { encoding: DEFAULT_ENCODING, isSure: false };
  return { encoding: found.label, isSure: confidence >= SURE_CONFIDENCE };
}

export interface DecodedFile {
  text: string;
  facts: Pick<Facts, "encoding" | "encodingBasis">;
  notes: string[];
}

/**
 * Decodes a text file, by letter statistics if it doesn't say its encoding. Not for the main thread.
 * @param file.encoding one that a person chose instead of the guess
 */
export async function decodeFile(file: {
  bytes: Uint8Array;
  contentType: string;
  encoding?: string | undefined;
}): Promise<DecodedFile> {
  const { bytes, contentType } = file;
  const known = decodeKnown(bytes, contentType);
  if (known) {
    const { text, encoding } = known;
    const facts = encoding === "utf-8" ? {} : { encoding, encodingBasis: "declared" as const };
    return { text, facts, notes: brokenNote(text, bytes) };
  }
  const { encoding, isSure } = file.encoding
    ? { encoding: file.encoding, isSure: true }
    : await guessEncoding(bytes);
  const text = decodeAs(bytes, encoding);
  const encodingBasis = file.encoding ? "chosen" : isSure ? "guessed" : "uncertain";
  const notes = isSure ? [] : [uncertainNote(encoding)];
  return { text, facts: { encoding, encodingBasis }, notes: [...notes, ...brokenNote(text, bytes)] };
}

const uncertainNote = (encoding: string) =>
  `The file doesn't say its encoding. It was read as ${encodingName(encoding)}, which may be wrong.`;

function brokenNote(text: string, bytes: Uint8Array): string[] {
  const count = text.split(BROKEN).length - 1;
  // The file itself may have this character.
  if (count === 0 || Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(BROKEN))
    return [];
  const characters = count === 1 ? "1 character" : `${count.toLocaleString("en")} characters`;
  return [`${characters} couldn't be decoded and ${count === 1 ? "shows" : "show"} as ${BROKEN}.`];
}
