import { APICallError } from "@ai-sdk/provider";
import { AppError } from "~/core/errors";
import { causes, isAbort, refusalIn } from "../provider-errors.server";
import {
  ProviderBroken,
  ProviderSilence,
  ProviderUnreachable,
  ProviderWebPage,
  QUOTA,
} from "../resilient-fetch.server";

export interface Failure {
  /**
   * `again`: transient, retry here. `next`: try another provider. `caller`: the request's fault, no retry. `aborted`:
   * nobody waits.
   */
  verdict: "again" | "next" | "caller" | "aborted";
  retryAfterMs?: number | undefined;
  /** Effect on health: `none` if not called, `unhealthy` counts for the breaker, `refused` is a key or quota. */
  health: "unhealthy" | "refused" | "healthy" | "none";
}

const NO_MODEL =
  /model_not_found|not_found_error|no such model|model.{0,200}(not found|does not exist|not supported|not available)|unknown model/is;
const BAD_KEY = /invalid_api_key|api[_ ]key[_ ](not valid|invalid)|authentication_error|invalid x-api-key/i;
const PASSING = /overloaded|rate_limit|too many requests|server_error|unavailable|internal|timeout/i;

function byStatus(status: number, body: string, retryAfter: number | undefined): Failure {
  const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1000;
  if (status === 402 || (status === 429 && QUOTA.test(body))) return { verdict: "next", health: "refused" };
  if (status === 401 || BAD_KEY.test(body)) return { verdict: "next", health: "refused" };
  if (status === 429) return { verdict: "again", retryAfterMs, health: "healthy" };
  if (status === 408 || status === 409) return { verdict: "again", retryAfterMs, health: "healthy" };
  if (status >= 500) return { verdict: "again", retryAfterMs, health: "unhealthy" };
  if (status === 403 || status === 404 || NO_MODEL.test(body)) return { verdict: "next", health: "healthy" };
  return { verdict: "caller", health: "healthy" };
}

/**
 * 408, 409, 429 and 5xx are transient, 400 is the caller's fault, 401 and quotas last. Silence and started answers
 * aren't retried at the same provider, which may bill them.
 */
export function classifyFailure(error: unknown): Failure {
  if (isAbort(error)) return { verdict: "aborted", health: "healthy" };
  const chain = causes(error);
  const refusal = refusalIn(chain);
  if (refusal?.status !== undefined) return byStatus(refusal.status, refusal.body, refusal.retryAfter);
  const some = (test: (one: unknown) => boolean) => chain.some(test);
  if (some((one) => one instanceof ProviderSilence)) return { verdict: "next", health: "unhealthy" };
  if (some((one) => one instanceof ProviderWebPage || one instanceof ProviderBroken)) {
    return { verdict: "next", health: "unhealthy" };
  }
  if (some((one) => one instanceof ProviderUnreachable)) return { verdict: "again", health: "unhealthy" };
  const appError = chain.find((one) => one instanceof AppError);
  if (appError instanceof AppError) {
    if (
      appError.code === "provider_key" ||
      appError.code === "egress_refused" ||
      appError.code === "provider_missing"
    )
      return { verdict: "next", health: "healthy" };
    if (appError.code.startsWith("provider_")) return { verdict: "next", health: "unhealthy" };
    // Untranslatable here; another provider may speak the caller's protocol.
    return { verdict: appError.code === "invalid" ? "next" : "caller", health: "none" };
  }
  if (error instanceof Error && !APICallError.isInstance(error))
    return { verdict: "next", health: "unhealthy" };
  // Errors within a stream are plain data.
  const text = typeof error === "string" ? error : (JSON.stringify(error) ?? "");
  return PASSING.test(text.slice(0, 10_000))
    ? { verdict: "again", health: "unhealthy" }
    : { verdict: "next", health: "healthy" };
}
