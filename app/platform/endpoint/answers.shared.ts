import type { Readable } from "node:stream";

/** A stream of server-sent events to one caller. */
export interface EventSink {
  /** Sends an event; a caller that reconnects resumes after `id`. */
  send(data: string, id?: number | string): void;
  close(): void;
  readonly closed: boolean;
  /** Bytes that the caller hasn't taken yet. */
  unread(): number;
}

/** A text that one caller gets as it is written. */
export interface TextSink {
  write(text: string): void;
  close(): void;
  /** Breaks the connection off: bare text has no other way to say that it isn't whole. */
  breakOff(): void;
}

/**
 * Writes a stream to its end. `write` returns a promise if the caller is slow, and throws the call's reason once it has
 * ended.
 * @returns the last piece, if there is one
 */
export type Relay = (write: (piece: Uint8Array) => Promise<void> | undefined) => Promise<string | undefined>;

type Fields = Readonly<Record<string, string>>;

type Notice = { kind: "success"; title: string } | { error: unknown; title: string };

type Content =
  | { kind: "json"; status: number; value: unknown; headers?: Fields; endsSession?: true }
  | { kind: "page"; items: readonly unknown[]; next: string | undefined; list?: string }
  | { kind: "redirect"; to: string; notice: Notice }
  | { kind: "events"; open: (sink: EventSink) => () => void; headers: Fields }
  | { kind: "text-stream"; type: string; open: (sink: TextSink) => () => void; headers: Fields }
  | { kind: "file"; name: string; size: number; pieces: Iterable<Uint8Array> }
  | { kind: "stream"; type: string; body: Readable }
  | { kind: "bytes"; type: string; body: string | Uint8Array; headers: Fields }
  | { kind: "relay"; type: string; relay: Relay; headers: Fields }
  | { kind: "text-file"; name: string; type: string; pieces: AsyncIterator<string> }
  | { kind: "image"; name: string; mediaType: string; bytes: Uint8Array; tag: string };

/** A response that isn't just its JSON. */
export class Answer {
  constructor(readonly content: Content) {}
}

/** @param options.status 200 by default @param options.endsSession takes the session's cookie back */
export function reply(
  value: unknown,
  { status = 200, ...options }: { status?: number; headers?: Fields; endsSession?: true } = {},
): Answer {
  return new Answer({ kind: "json", value, status, ...options });
}

export function created(value: unknown, location: string): Answer {
  return reply(value, { status: 201, headers: { Location: location } });
}

/** @param location where the outcome will be */
export function accepted(value: unknown, location?: string): Answer {
  return reply(value, { status: 202, ...(location ? { headers: { Location: location } } : {}) });
}

export const nothing = (): Answer => reply(null, { status: 204 });

/**
 * A JSON array, with the next page in the `Link` header (RFC 8288).
 * @param list the list's address if it isn't the call's
 */
export function page(items: readonly unknown[], next: string | undefined, list?: string): Answer {
  return new Answer({ kind: "page", items, next, ...(list === undefined ? {} : { list }) });
}

/** To a screen of the console, with what it should say first. */
export function redirect(to: string, notice: Notice): Answer {
  return new Answer({ kind: "redirect", to, notice });
}

/** Server-sent events. @param open returns a function that cleans up */
export function events(open: (sink: EventSink) => () => void, headers: Fields = {}): Answer {
  return new Answer({ kind: "events", open, headers });
}

/** A text, written as it comes. @param type its media type @param open returns a function that cleans up */
export function text(type: string, open: (sink: TextSink) => () => void, headers: Fields = {}): Answer {
  return new Answer({ kind: "text-stream", type, open, headers });
}

/** Untrusted bytes as an attachment. @param content.size in bytes */
export function file(content: { name: string; size: number; pieces: Iterable<Uint8Array> }): Answer {
  return new Answer({ kind: "file", ...content });
}

/** What was stored, as it is read. @param type its media type */
export function stream(type: string, body: Readable): Answer {
  return new Answer({ kind: "stream", type, body });
}

/** What is ready, in a form of its own. @param type its media type */
export function bytes(type: string, body: string | Uint8Array, headers: Fields = {}): Answer {
  return new Answer({ kind: "bytes", type, body, headers });
}

/** A stream that comes from elsewhere, as fast as the caller takes it. @param type its media type */
export function relay(type: string, run: Relay, headers: Fields = {}): Answer {
  return new Answer({ kind: "relay", type, relay: run, headers });
}

/** A text as an attachment, written while it is sent. */
export function textFile(content: { name: string; type: string; pieces: AsyncIterator<string> }): Answer {
  return new Answer({ kind: "text-file", ...content });
}

/** A raster image to show, revalidated by its tag. */
export function image(content: { name: string; mediaType: string; bytes: Uint8Array; tag: string }): Answer {
  return new Answer({ kind: "image", ...content });
}
