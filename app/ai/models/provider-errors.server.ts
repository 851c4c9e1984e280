import { APICallError } from "@ai-sdk/provider";
import { retryAfterOf } from "~/core/durations";
import { AppError } from "~/core/errors";
import { type ProviderFault, readProviderFault } from "./provider-fault";

export class ProviderHttpError extends Error {
  readonly statusCode: number;
  /** To classify errors; only `provider-words` shows of it, and nothing logs it. */
  readonly responseBody: string;
  readonly responseHeaders: Record<string, string>;

  constructor(statusCode: number, responseBody: string, headers: Headers) {
    super(`HTTP ${statusCode}`);
    this.name = "ProviderHttpError";
    this.statusCode = statusCode;
    this.responseBody = responseBody;
    this.responseHeaders = Object.fromEntries(headers);
  }
}

/** A response or stream of an unexpected shape. */
export class MalformedResponse extends Error {
  constructor(cause?: unknown) {
    super("The response is invalid", { cause });
    this.name = "MalformedResponse";
  }
}

/** A response without text, thoughts or calls: some servers answer so to a prompt that is too long. */
export class EmptyResponse extends Error {
  constructor() {
    super("The response is empty");
    this.name = "EmptyResponse";
  }
}

export class ProviderTimeout extends Error {
  readonly ms: number;
  /** Whether anything of the answer had come. */
  readonly hasBegun: boolean;
  /** Whether something came meanwhile, such as thoughts or comments, and nothing of an answer. */
  readonly wasBusy: boolean;
  constructor(ms: number, hasBegun = true, wasBusy = false) {
    super(`The provider was silent for ${ms} ms`);
    this.name = "ProviderTimeout";
    this.ms = ms;
    this.hasBegun = hasBegun;
    this.wasBusy = wasBusy;
  }
}

/** The response is a web page: the base URL isn't a model API. */
export class ProviderHtmlResponse extends Error {
  constructor() {
    super("The provider returned a web page");
    this.name = "ProviderHtmlResponse";
  }
}

/** No connection after all attempts. */
export class ProviderUnreachable extends Error {
  constructor(cause: unknown) {
    super("The provider could not be reached", { cause });
    this.name = "ProviderUnreachable";
  }
}

export class ProviderDisconnected extends Error {
  constructor(cause?: unknown) {
    super("The provider closed the connection before the response was complete", { cause });
    this.name = "ProviderDisconnected";
  }
}

export function isClassified(error: unknown): boolean {
  if (error instanceof AppError) return error.code !== "provider_unavailable";
  return error instanceof ProviderTimeout || error instanceof ProviderHtmlResponse;
}

/** Its message is never shown: it can contain a key or prompt. */
export interface ErrorResponse {
  status: number | undefined;
  fault: ProviderFault;
  retryAfter?: number | undefined;
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "ResponseAborted");
}

export function errorChain(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && next !== null && chain.length < 6; ) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

export function findErrorResponse(chain: readonly unknown[]): ErrorResponse | undefined {
  for (const error of chain) {
    const failed =
      error instanceof ProviderHttpError ||
      (APICallError.isInstance(error) && error.statusCode !== undefined);
    // An unreadable successful response is also an APICallError, with its 2xx status.
    if (!failed || (error.statusCode ?? 0) < 400) continue;
    const fault = readProviderFault(error.responseBody ?? "");
    const inBody = error.statusCode === 429 ? fault.retryAfter : undefined;
    const { retryAfter = inBody } = retryAfterOf(new Headers(error.responseHeaders));
    return { status: error.statusCode, fault, retryAfter };
  }
  return undefined;
}
