import type { Readable } from "node:stream";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import type { AppError } from "~/core/errors";
import type { Permission } from "~/platform/catalogue/permissions";

/** Everyone, every role, or users with a permission. */
export type Access = "public" | "signed-in" | Permission;
export type ActorOf<A> = A extends "public" ? Actor | undefined : Actor;

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** The methods of an address as the header `Allow` names them. */
export const allowedBy = (methods: Partial<Record<Method, unknown>>): string =>
  METHODS.flatMap((method) => {
    if (!methods[method]) return [];
    return method === "GET" ? ["GET", "HEAD"] : [method];
  }).join(", ");

export type Parsed<T> = T extends z.ZodType ? z.infer<T> : undefined;

/** In the order sent. A file's bytes must be read before the next part. */
export type MultipartPart =
  | { kind: "field"; name: string; value: string }
  | { kind: "file"; name: string; fileName: string; contentType: string; bytes: AsyncIterable<Uint8Array> };

export interface UploadLimits {
  maxBytes: number;
  /** Per file, in bytes; add one to detect excess. */
  fileBytes: number;
  files: number;
  /** Per field, in bytes; defaults to 4,000. */
  fieldBytes?: number;
}

/** What a handler gets of a call, whichever door it came through. */
export interface Call<A = Actor, P = undefined, Q = undefined, B = undefined> {
  actor: A;
  params: P;
  query: Q;
  body: B;
  /** The body as it was sent. @throws AppError `unsupported_media`, `too_large`, `unavailable` */
  raw(): Promise<Buffer>;
  /** @throws AppError `unsupported_media` unless it is a multipart form */
  parts(): AsyncGenerator<MultipartPart>;
  /** Counts bytes of the parts that the call keeps in memory until it is answered. @throws AppError `unavailable` */
  hold(bytes: number): void;
  /** The JSON body of an endpoint that takes another one, too. */
  json(): Promise<unknown>;
  headers: Headers;
  method: string;
  requestId: string;
  /** The caller's network address. */
  address: string;
  /** The query as it was sent. */
  search: URLSearchParams;
  /** The address of the console as the caller sees it, such as `https://console.example`. */
  origin: string;
  /** Whether the caller came over HTTPS, to the console or a proxy. */
  secure: boolean;
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
}

interface Described<A = Access, P = z.ZodType, Q = z.ZodType, B = z.ZodType> {
  method: Method;
  /** Below the host, with parameters in braces: `/api/personas/{id}`. */
  path: string;
  summary: string;
  description?: string;
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  /** A JSON body that `handle` reads by `raw`, for the API reference. */
  rawBody?: z.ZodType;
  /** Of a JSON or raw body; 1 MB by default. */
  maxBytes?: number;
  /** Whether the last parameter takes the rest of the address with its slashes. */
  takesRest?: true;
  /** Fields of a multipart form, for the API reference; `handle` reads its `parts`. */
  form?: z.ZodType;
  upload?: UploadLimits;
  response?: z.ZodType;
  /** Media types of a response, beside the JSON of `response`. */
  produces?: string | readonly string[];
  /** Statuses of refusals that don't follow from the rest, for the API reference. */
  refusals?: readonly number[];
}

type Success = 200 | 201 | 202 | 204 | 302 | 303;

interface Declaration<A, P, Q, B> extends Described<A, P, Q, B> {
  status?: Success;
  /** Beside `status`, of the same form but for 204, for the API reference. */
  otherStatuses?: readonly Success[];
  /** @returns the JSON of the response or an `Answer`, or a promise of one */
  handle(call: Call<ActorOf<A>, Parsed<P>, Parsed<Q>, Parsed<B>>): unknown;
}

export interface Endpoint extends Described {
  /** Its group in the API reference. */
  tag: string;
  status: number;
  otherStatuses?: readonly number[];
  handle(call: Call<Actor | undefined>): unknown;
}

/** Declares a call of the API. Authentication, limits, parsing, errors and the API reference follow from it. */
export function endpoint<
  const A extends Access,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(declaration: Declaration<A, P, Q, B>): Omit<Endpoint, "tag"> {
  // Safe, since each endpoint gets what its own schemas parsed.
  return { status: 200, ...declaration } as unknown as Omit<Endpoint, "tag">;
}

/** A noun's endpoints under one heading of the API reference. */
export function endpoints(tag: string, list: readonly Omit<Endpoint, "tag">[]): readonly Endpoint[] {
  return list.map((one) => ({ ...one, tag }));
}

const optionalBodies = new WeakMap<z.ZodType, boolean>();

/** Whether a call with this schema says all without a body. Found at its first call: all of them took a tenth of a start. */
export function needsNoBody(schema: z.ZodType): boolean {
  const isOptional = optionalBodies.get(schema) ?? schema.safeParse({}).success;
  optionalBodies.set(schema, isOptional);
  return isOptional;
}

/**
 * Formats an error in the caller's protocol; the content type defaults to JSON.
 *
 * @param headers the call's, unless it was refused before it was read
 */
export type Refuse = (
  error: AppError,
  requestId: string,
  headers?: Headers,
) => {
  status: number;
  body: unknown;
  contentType?: string;
  headers?: Record<string, string> | undefined;
};

/** Addresses that programs call. Express answers them without Remix: bytes and methods as they are sent. */
export interface Program {
  /** The beginning of their addresses, such as `/v1`. */
  under: string;
  /** Who calls: those with an API token alone, or anyone, as the address is the secret. By default as elsewhere. */
  callers?: "tokens" | "anyone";
  /** Whether its own pages alone may send changes: those of other sites are refused. */
  isOwnPage?: true;
  /** Problem+json by default. */
  refuse?: Refuse;
  /** The form of these errors, for the API reference. */
  refusal?: z.ZodType;
  /** The form of JSON refusals that handlers write themselves beside problem+json, for the API reference. */
  ownRefusal?: z.ZodType;
}

/** Silence after which a stream says that it goes on, in ms: proxies close streams that are silent for a minute. */
export const HEARTBEAT_MS = 15_000;
export const HEARTBEAT_COMMENT = ": still here\n\n";

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
  | { kind: "stream"; type: string; body: Readable; headers: Fields }
  | { kind: "bytes"; type: string; body: string | Uint8Array; headers: Fields; status: number }
  | { kind: "relay"; relay: Relay; heartbeat: string; headers: Fields }
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

export const created = (value: unknown, location: string): Answer =>
  reply(value, { status: 201, headers: { Location: location } });

/** @param location where the outcome will be */
export const accepted = (value: unknown, location?: string): Answer =>
  reply(value, { status: 202, ...(location ? { headers: { Location: location } } : {}) });

export const nothing = (): Answer => reply(null, { status: 204 });

/** A JSON array, with the next page in the `Link` header (RFC 8288). @param list the list's address if it isn't the call's */
export const page = (items: readonly unknown[], next: string | undefined, list?: string): Answer =>
  new Answer({ kind: "page", items, next, ...(list === undefined ? {} : { list }) });

/** To a screen of the console. @param notice is what it says first */
export const redirect = (to: string, notice: Notice): Answer => new Answer({ kind: "redirect", to, notice });

/** Server-sent events. @param open returns a function that cleans up */
export const events = (open: (sink: EventSink) => () => void, headers: Fields = {}): Answer =>
  new Answer({ kind: "events", open, headers });

/** A text, written as it comes. @param type its media type @param open returns a function that cleans up */
export const text = (type: string, open: (sink: TextSink) => () => void, headers: Fields = {}): Answer =>
  new Answer({ kind: "text-stream", type, open, headers });

/** Bytes as they are read. @param type their media type */
export const stream = (type: string, body: Readable, headers: Fields = {}): Answer =>
  new Answer({ kind: "stream", type, body, headers });

/** What is ready, in a form of its own. @param type its media type */
export const bytes = (type: string, body: string | Uint8Array, headers: Fields = {}, status = 200): Answer =>
  new Answer({ kind: "bytes", type, body, headers, status });

/**
 * Server-sent events that come from elsewhere, as fast as the caller takes them.
 * @param heartbeat is written after `HEARTBEAT_MS` of silence, so each piece must be whole events
 */
export const relay = (run: Relay, heartbeat: string, headers: Fields = {}): Answer =>
  new Answer({ kind: "relay", relay: run, heartbeat, headers });

type Of<K extends Content["kind"]> = Omit<Extract<Content, { kind: K }>, "kind">;

/** Untrusted bytes as an attachment. @param content.size in bytes */
export const file = (content: Of<"file">): Answer => new Answer({ kind: "file", ...content });

/** A text as an attachment, written while it is sent. */
export const textFile = (content: Of<"text-file">): Answer => new Answer({ kind: "text-file", ...content });

/** A raster image to show, revalidated by its tag. */
export const image = (content: Of<"image">): Answer => new Answer({ kind: "image", ...content });
