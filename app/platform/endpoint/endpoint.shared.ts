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
  /** The JSON body of an endpoint that takes another one, too. */
  json(): Promise<unknown>;
  headers: Headers;
  method: string;
  requestId: string;
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
  /** Media type of a response that isn't JSON. */
  produces?: string;
}

interface Declaration<A, P, Q, B> extends Described<A, P, Q, B> {
  status?: 200 | 201 | 202 | 204 | 302 | 303;
  /** @returns the JSON of the response or an `Answer`, or a promise of one */
  handle(call: Call<ActorOf<A>, Parsed<P>, Parsed<Q>, Parsed<B>>): unknown;
}

export interface Endpoint extends Described {
  /** Its group in the API reference. */
  tag: string;
  status: number;
  /** Whether no body says all. */
  isBodyOptional: boolean;
  handle(call: Call<Actor | undefined>): unknown;
}

/** Declares a call of the API. Authentication, limits, parsing, errors and the API reference follow from it. */
export function endpoint<
  const A extends Access,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(declaration: Declaration<A, P, Q, B>): Omit<Endpoint, "tag"> {
  const isBodyOptional = declaration.body !== undefined && needsNoBody(declaration.body);
  // Safe, since each endpoint gets what its own schemas parsed.
  return { status: 200, isBodyOptional, ...declaration } as unknown as Omit<Endpoint, "tag">;
}

/** A noun's endpoints under one heading of the API reference. */
export function endpoints(tag: string, list: readonly Omit<Endpoint, "tag">[]): readonly Endpoint[] {
  return list.map((one) => ({ ...one, tag }));
}

/** Whether a call with this schema says all without a body. */
export const needsNoBody = (schema: z.ZodType): boolean => schema.safeParse({}).success;

/** Formats an error in the caller's protocol; the content type defaults to JSON. */
export type Refuse = (
  error: AppError,
  requestId: string,
) => { status: number; body: unknown; contentType?: string };

/**
 * Addresses that programs call. They are answered by Express itself, without Remix: bytes as they come, methods as they
 * are sent.
 */
export interface Program {
  /** The beginning of their addresses, such as `/v1`. */
  under: string;
  /** Who calls: those with an API token alone, or anyone, as the address is the secret. By default as elsewhere. */
  callers?: "tokens" | "anyone";
  /** Problem+json by default. */
  refuse?: Refuse;
}
