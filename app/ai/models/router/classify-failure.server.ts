import { APICallError, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { AppError, type ErrorCode } from "~/core/errors";
import { findStorageFault } from "~/core/storage-faults.server";
import {
  EmptyResponse,
  errorChain,
  findErrorResponse,
  isAbort,
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderTimeout,
  ProviderUnreachable,
} from "../provider-errors.server";
import {
  isFilterFault,
  isKeyFault,
  isLoadingFault,
  isModelFault,
  isQuotaFault,
  isRegionFault,
  isTransientFault,
  isUnknownThread,
  type ProviderFault,
  readProviderFault,
} from "../provider-fault";

export interface Failure {
  /** `transient`: retry here. `provider`: try the next one. `caller`: the request's fault. `aborted`: by the caller. */
  kind: "transient" | "provider" | "caller" | "aborted";
  retryAfterMs?: number | undefined;
  /** The server loads the model: it answers once that is done. */
  isLoading?: boolean;
  /** Effect on health: `none` if not called, `unhealthy` counts for the breaker, `refused` is a key or quota. */
  health: "unhealthy" | "refused" | "healthy" | "none";
}

function classifyStatus(status: number, fault: ProviderFault, retryAfter: number | undefined): Failure {
  const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1000;
  if (status === 402 || isKeyFault(status, fault) || (status === 429 && isQuotaFault(status, fault)))
    return { kind: "provider", health: "refused" };
  if (isFilterFault(status, fault)) return { kind: "caller", health: "healthy" };
  if (isRegionFault(status, fault)) return { kind: "provider", health: "healthy" };
  if ([408, 409, 429].includes(status)) return { kind: "transient", retryAfterMs, health: "healthy" };
  if (isLoadingFault(status, fault)) return { kind: "transient", isLoading: true, health: "healthy" };
  if (status >= 500) return { kind: "transient", retryAfterMs, health: "unhealthy" };
  if (status === 403 || status === 404 || isModelFault(status, fault) || isUnknownThread(fault))
    return { kind: "provider", health: "healthy" };
  return { kind: "caller", health: "healthy" };
}

const isFailedResponse = (one: unknown) =>
  one instanceof ProviderTimeout ||
  one instanceof ProviderHtmlResponse ||
  one instanceof ProviderDisconnected;

function classifyAppError(code: ErrorCode): Failure {
  if (["provider_key", "egress_refused", "provider_missing"].includes(code))
    return { kind: "provider", health: "healthy" };
  // Of a response: the caller's own body was read before.
  if (code.startsWith("provider_") || code === "too_large") return { kind: "provider", health: "unhealthy" };
  // Untranslatable here; another provider may speak the caller's protocol.
  return { kind: code === "invalid" ? "provider" : "caller", health: "none" };
}

/**
 * Decides whether a failed call is retried here, moves to the next provider or goes back to the caller. Timeouts and
 * interrupted answers aren't retried at the same provider, which may bill them.
 */
export function classifyFailure(error: unknown): Failure {
  if (isAbort(error)) return { kind: "aborted", health: "healthy" };
  // The console's own disk; the provider did nothing wrong.
  if (findStorageFault(error)) return { kind: "caller", health: "none" };
  const chain = errorChain(error);
  const response = findErrorResponse(chain);
  if (response?.status !== undefined)
    return classifyStatus(response.status, response.fault, response.retryAfter);
  if (chain.some(isFailedResponse)) return { kind: "provider", health: "unhealthy" };
  if (chain.some((one) => one instanceof ProviderUnreachable))
    return { kind: "transient", health: "unhealthy" };
  if (chain.some((one) => one instanceof EmptyResponse)) return { kind: "provider", health: "healthy" };
  const appError = chain.find((one) => one instanceof AppError);
  if (appError) return classifyAppError(appError.code);
  // Of the adapter, before anything is sent; another provider may take it.
  if (chain.some((one) => UnsupportedFunctionalityError.isInstance(one)))
    return { kind: "provider", health: "none" };
  if (error instanceof Error && !APICallError.isInstance(error))
    return { kind: "provider", health: "unhealthy" };
  // Errors within a stream are plain data.
  return isTransientFault(readProviderFault(error))
    ? { kind: "transient", health: "unhealthy" }
    : { kind: "provider", health: "healthy" };
}
