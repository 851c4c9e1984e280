import { createHash } from "node:crypto";
import { z } from "zod";
import { retryAfterOf } from "~/core/durations";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { parseWellFormed } from "~/core/well-formed";
import { keyFor } from "~/team/keys/keys.service.server";
import type { Found } from "./masking";

/** For one call of a checking service (ms): a person waits for it. */
const TIMEOUT = 20_000;
const MAX_ANSWER_BYTES = 4_000_000;

/** A service that checks texts, named by an admin, which is consent to send them there. */
export interface CheckService {
  orgId: string;
  name: string;
  /** Without a slash at its end. */
  address: string;
  keyId: string;
}

export const trimAddress = (address: string) => address.replace(/\/+$/, "").replace(/\/v1$/, "");

/** @throws AppError that names the service; the signal's reason */
async function post(
  { orgId, name, address, keyId }: CheckService,
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { origin, host } = new URL(address);
  const key = keyId ? keyFor(orgId, { kind: "other", keyId, origin }) : undefined;
  // A redirect could send the text to another host.
  const fetch = guardedFetch(`guardrails:${name.toLowerCase()}`, {
    allowOrigins: [origin],
    maxBytes: MAX_ANSWER_BYTES,
    maxRedirects: 0,
    timeoutMs: TIMEOUT,
    silenceMs: TIMEOUT,
    sendsTrace: true,
  });
  const response = await fetch(`${address}${path}`, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
  if (!response.ok) {
    await response.body?.cancel();
    const { status } = response;
    throw new AppError(
      "provider_unavailable",
      `${name} at ${host} returned an error (HTTP ${status}).`,
      status === 429 || status >= 500 ? retryAfterOf(response.headers) : { permanent: true },
    );
  }
  try {
    return parseWellFormed(await response.text());
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("provider_unavailable", `${name} at ${host} sent no JSON.`, { cause: error });
  }
}

function readAnswer<T>({ name, address }: CheckService, schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new AppError(
    "provider_unavailable",
    `${name} at ${new URL(address).host} answered in an unknown form. Check that the address is right.`,
  );
}

const Moderations = z.object({
  results: z
    .array(
      z.object({
        flagged: z.boolean(),
        categories: z.record(z.string().max(100), z.unknown()).catch({}),
      }),
    )
    .max(1000),
});

/**
 * Asks a service with OpenAI's `/v1/moderations`.
 *
 * @returns the categories that were found; undefined if there are none
 */
export async function askModeration(
  service: CheckService,
  model: string,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const answer = await post(service, "/v1/moderations", { model, input: texts }, signal);
  const { results } = readAnswer(service, Moderations, answer);
  // A service that leaves out a result has not judged the text.
  if (results.length < texts.length) readAnswer(service, z.never(), answer);
  const flagged = results.find((result) => result.flagged);
  if (!flagged) return undefined;
  const categories = Object.entries(flagged.categories).flatMap(([name, is]) =>
    is === true && /^[\w /-]{1,60}$/.test(name) ? [name] : [],
  );
  return categories.slice(0, 5).join(", ") || "flagged";
}

/** Of what Presidio found, how sure it must be (0 to 1): a phone number without a word that says so has 0.4. */
const MIN_SCORE = 0.4;

const Findings = z
  .array(
    z.object({
      entity_type: z.string().regex(/^[A-Z][A-Z_]{0,39}$/),
      start: z.int().min(0),
      end: z.int().min(0),
      score: z.number(),
    }),
  )
  .max(50_000);

interface PresidioOptions {
  language: string;
  entities: readonly string[];
}

/** Asks a Presidio analyzer, which counts in code points. */
export async function askPresidio(
  service: CheckService,
  { language, entities }: PresidioOptions,
  text: string,
  signal?: AbortSignal,
): Promise<Found[]> {
  const answer = await post(
    service,
    "/analyze",
    { text, language, score_threshold: MIN_SCORE, ...(entities.length > 0 && { entities }) },
    signal,
  );
  const found = readAnswer(service, Findings, answer).filter(({ score }) => score >= MIN_SCORE);
  const offsets = found.length > 0 ? offsetsOf(text) : [];
  return found.flatMap(({ entity_type: label, start, end }) => {
    const [from, to] = [offsets[start], offsets[end]];
    return from !== undefined && to !== undefined && from < to ? [{ label, start: from, end: to }] : [];
  });
}

/** The UTF-16 offset of each code point, and of the end. */
function offsetsOf(text: string): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return [...offsets, at];
}

const MAX_KNOWN = 20_000;

/** Results by a digest of what was asked: a conversation's earlier texts aren't sent again with each message. */
export class KnownResults<T> {
  readonly #results = new Map<string, T>();

  async get(key: readonly string[], ask: () => Promise<T>, keeps: (result: T) => boolean): Promise<T> {
    const digest = createHash("sha256").update(JSON.stringify(key)).digest("base64");
    const known = this.#results.get(digest);
    if (known !== undefined) {
      this.#results.delete(digest);
      this.#results.set(digest, known);
      return known;
    }
    const result = await ask();
    if (keeps(result)) this.#results.set(digest, result);
    const [oldest] = this.#results.keys();
    if (this.#results.size > MAX_KNOWN && oldest !== undefined) this.#results.delete(oldest);
    return result;
  }
}
