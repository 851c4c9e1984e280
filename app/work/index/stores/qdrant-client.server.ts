import { QdrantClient } from "@qdrant/js-client-rest";
import { withDeadline } from "~/core/abort";
import { now } from "~/core/clock.server";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { kept } from "~/core/process.server";
import { readSettings } from "~/platform/settings/settings.service.server";
import { keyFor } from "~/team/keys/keys.service.server";

/** Time limits per call (ms). */
const TIMES = { search: 3000, write: 30_000 };
/** Consecutive calls without an answer in time after which no more are made. */
const MAX_TIMEOUTS = 2;
/** Delay between attempts to reach a Qdrant that isn't asked (ms). */
const PROBE_DELAY = 5000;

type Api = ReturnType<QdrantClient["api"]>;
let cached: { address: string; api: Api } | undefined;

/** The official client's calls, each of which takes what `fetch` takes. */
function apiAt(address: string): Api {
  if (cached?.address === address) return cached.api;
  const { protocol, pathname, origin } = new URL(address);
  const client = new QdrantClient({
    url: origin,
    prefix: pathname === "/" ? "" : pathname,
    // The client would take 6333 in place of the scheme's default port.
    port: protocol === "https:" ? 443 : 80,
    // It would send a request and write to the console.
    checkCompatibility: false,
    // Our signal enforces the timeout; the client's timer would replace it.
    timeout: Number.POSITIVE_INFINITY,
  });
  cached = { address, api: client.api() };
  return cached.api;
}

export function qdrantProblem(orgId: string): string | undefined {
  const { QDRANT_URL } = env();
  if (!QDRANT_URL) return "Qdrant is selected, but QDRANT_URL isn't set on the server.";
  try {
    const key = keyFor(orgId, { kind: "qdrant", origin: new URL(QDRANT_URL).origin });
    if (readSettings(orgId, "rag").ragVectorMode !== "qdrant-cloud") return undefined;
    if (!QDRANT_URL.startsWith("https:")) return "Qdrant Cloud needs an https address in QDRANT_URL.";
    return key === undefined
      ? "Qdrant Cloud needs a key. An admin can add a Qdrant reference under Settings › API Keys."
      : undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

interface Breaker {
  /** Since the last answer. */
  timeouts: number;
  /** Why the last call failed; undefined once one succeeds. */
  error: string | undefined;
  /** Since when calls fail (ms since the epoch). */
  failingSince: number | undefined;
  probe: NodeJS.Timeout | undefined;
  listeners: Set<() => void>;
}

const breaker = () =>
  kept(
    "breaker of Qdrant",
    (): Breaker => ({
      timeouts: 0,
      error: undefined,
      failingSince: undefined,
      probe: undefined,
      listeners: new Set(),
    }),
  );

/** The last calls' outcome. While it is paused no call is made. */
export function qdrantState(): { isPaused: boolean; error: string | null; failingSince: number | null } {
  const { timeouts, error, failingSince } = breaker();
  return { isPaused: timeouts >= MAX_TIMEOUTS, error: error ?? null, failingSince: failingSince ?? null };
}

/** Calls the listener when Qdrant answers again. @returns a stop function */
export function onQdrantBack(listener: () => void): () => void {
  breaker().listeners.add(listener);
  return () => void breaker().listeners.delete(listener);
}

export function resetQdrantState(): void {
  const state = breaker();
  clearTimeout(state.probe);
  Object.assign(state, { timeouts: 0, error: undefined, failingSince: undefined, probe: undefined });
}

function recordSuccess(): void {
  const wasFailing = breaker().failingSince !== undefined;
  resetQdrantState();
  if (wasFailing) for (const listener of breaker().listeners) listener();
}

function recordFailure(orgId: string, error: AppError, isTimeout: boolean): void {
  const state = breaker();
  state.timeouts = isTimeout ? state.timeouts + 1 : 0;
  state.error = error.message;
  state.failingSince ??= now();
  if (state.timeouts < MAX_TIMEOUTS || state.probe) return;
  log.warn("Qdrant doesn't answer and isn't asked until it does");
  state.probe = setTimeout(() => void probe(orgId), PROBE_DELAY);
  state.probe.unref();
}

async function probe(orgId: string): Promise<void> {
  breaker().probe = undefined;
  // A failure schedules the next attempt.
  await probeQdrant(orgId).catch(() => undefined);
}

/** Asks a Qdrant that may be paused. @throws AppError `unavailable` */
export async function probeQdrant(orgId: string): Promise<void> {
  await ask(orgId, (api, init) => api.collectionExists({ collection_name: "quarterdeck" }, init), {
    kind: "search",
  });
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  const reason =
    status === 401 || status === 403
      ? "rejected the key. Check it under Settings › API Keys"
      : typeof status === "number"
        ? `returned HTTP ${status}. See its log`
        : "couldn't be reached. Check QDRANT_URL and that it is running";
  const kind = error instanceof Error ? error.name : typeof error;
  return new AppError("unavailable", `Qdrant ${reason}.`, { cause: new Error(kind) });
}

type Work<T> = (api: Api, init: RequestInit) => Promise<T>;
interface CallOptions {
  kind?: keyof typeof TIMES;
  signal?: AbortSignal | undefined;
}

/**
 * Calls Qdrant, unless it didn't answer the last calls in time.
 * @throws AppError `unavailable` that says what is wrong; the signal's reason
 */
export async function callQdrant<T>(orgId: string, work: Work<T>, options: CallOptions = {}): Promise<T> {
  if (breaker().timeouts >= MAX_TIMEOUTS)
    throw new AppError("unavailable", "Qdrant doesn't answer. It is asked again once it does.");
  return ask(orgId, work, options);
}

/** Through the process's dispatcher, since the client's own undici agent would bypass the egress guard. */
async function ask<T>(orgId: string, work: Work<T>, { kind = "write", signal }: CallOptions): Promise<T> {
  const problem = qdrantProblem(orgId);
  const address = env().QDRANT_URL;
  if (problem || !address)
    throw new AppError("unavailable", problem ?? "QDRANT_URL isn't set on the server.");
  const key = keyFor(orgId, { kind: "qdrant", origin: new URL(address).origin });
  let isTimeout = false;
  const timeoutError = () => {
    isTimeout = true;
    return new AppError("unavailable", `Qdrant took longer than ${TIMES[kind] / 1000} seconds.`);
  };
  try {
    const result = await withDeadline({ ms: TIMES[kind], timeoutError, signal }, async (ending) => {
      const init: RequestInit & { dispatcher: undefined } = {
        signal: ending,
        redirect: "error",
        dispatcher: undefined,
        ...(key ? { headers: { "api-key": key } } : {}),
      };
      try {
        return await work(apiAt(address), init);
      } catch (error) {
        throw toAppError(error);
      }
    });
    recordSuccess();
    return result;
  } catch (error) {
    if (error instanceof AppError && !signal?.aborted) recordFailure(orgId, error, isTimeout);
    throw error;
  }
}

export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof Error && "status" in error && error.status === status;

/** @returns undefined if there is no such collection */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}
