import { APICallError } from "@ai-sdk/provider";
import { readRetryAfter } from "./provider-client.service.server";
import { ProviderHttpError } from "./provider-errors.server";
import { type ProviderFault, readProviderFault } from "./provider-fault";

/** Its message is never shown: it can contain a key or prompt. */
export interface ErrorResponse {
  status: number | undefined;
  fault: ProviderFault;
  retryAfter?: number | undefined;
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "ResponseAborted");
}

/** The error and its causes, outermost first. */
export function errorChain(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 6; ) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

function retryAfterSeconds(headers: Record<string, string> | undefined): number | undefined {
  const ms = headers && readRetryAfter(new Headers(headers), Date.now());
  return ms === undefined ? undefined : Math.ceil(ms / 1000);
}

export function findErrorResponse(chain: readonly unknown[]): ErrorResponse | undefined {
  for (const error of chain) {
    const failed =
      error instanceof ProviderHttpError ||
      (APICallError.isInstance(error) && error.statusCode !== undefined);
    // An unreadable successful response is also an APICallError, with its 2xx status.
    if (!failed || (error.statusCode ?? 0) < 400) continue;
    return {
      status: error.statusCode,
      fault: readProviderFault(error.responseBody ?? ""),
      retryAfter: retryAfterSeconds(error.responseHeaders),
    };
  }
  return undefined;
}
