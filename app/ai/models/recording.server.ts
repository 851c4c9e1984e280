import { AppError } from "~/core/errors";

/** Of a recording, in bytes: OpenAI takes no larger one. */
export const MAX_RECORDING_BYTES = 25_000_000;
/** Of recordings in memory at once, in bytes. */
const MAX_HELD_BYTES = 200_000_000;

/** Of speech in a compressed file, for recordings that don't say how long they are. */
const BYTES_PER_SECOND = 4000;
/** In bytes per second, what a WAV can say: its sender would pay less for a shorter one. */
const WAV_RATES = { least: 1000, most: 800_000 };
/** In bytes. */
const WAV_HEAD = 44;

export interface AudioFormat {
  extension: string;
  mediaType: string;
}

const format = (extension: string, mediaType = `audio/${extension}`): AudioFormat => ({
  extension,
  mediaType,
});

/** By a file's first bytes; undefined if providers don't read it as a recording. */
export function audioFormat(bytes: Uint8Array): AudioFormat | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (/^RIFF[\s\S]{4}WAVE/.test(start)) return format("wav");
  if (start.startsWith("fLaC")) return format("flac");
  if (start.startsWith("OggS")) return format("ogg");
  if (start.startsWith("\x1aE\xdf\xa3")) return format("webm");
  if (/^[\s\S]{4}ftypM4[AB]/.test(start)) return format("m4a", "audio/mp4");
  if (/^[\s\S]{4}ftyp(?:mp4|iso|dash|MSNV)/.test(start)) return format("mp4");
  // A frame of MPEG's third layer: the mark of UTF-16 looks like one of the first.
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2;
  // A version follows, which no text has there.
  const isTagged = start.startsWith("ID3") && (bytes[3] ?? 0) < 9;
  return isTagged || isFrame ? format("mp3", "audio/mpeg") : undefined;
}

/** Length of a recording: exactly for WAV, else by its size. */
export function secondsOf(bytes: Uint8Array): number {
  const isWav = audioFormat(bytes)?.extension === "wav" && bytes.length > WAV_HEAD;
  const said = isWav ? Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32LE(28) : BYTES_PER_SECOND;
  const rate = Math.min(Math.max(said, WAV_RATES.least), WAV_RATES.most);
  return Math.max(1, Math.ceil((bytes.length - (isWav ? WAV_HEAD : 0)) / rate));
}

let held = 0;

/**
 * Runs work on a recording that is read into memory.
 * @throws AppError `too_large`, `invalid` if it is empty; `unavailable` with many large ones at once
 */
export async function withRecording<T>(
  pieces: AsyncIterable<Uint8Array>,
  work: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>,
): Promise<T> {
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      held += piece.length;
      if (size > MAX_RECORDING_BYTES)
        throw new AppError("too_large", "This recording is larger than 25 MB. Use a shorter one.");
      if (held > MAX_HELD_BYTES)
        throw new AppError("unavailable", "Many recordings are being read. Try again in a moment.");
      read.push(piece);
    }
    if (size === 0) throw new AppError("invalid", "The recording is empty. Record it again.");
    return await work(Buffer.concat(read));
  } finally {
    held -= size;
  }
}
