import { AppError } from "~/core/errors";

export class ProviderHttpError extends Error {
  readonly statusCode: number;
  /** To classify errors; never shown or logged. */
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

export class ProviderTimeout extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super(`The provider was silent for ${ms} ms`);
    this.name = "ProviderTimeout";
    this.ms = ms;
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

/** Errors that are already classified. */
export function isClassified(error: unknown): boolean {
  if (error instanceof AppError) return error.code !== "provider_unavailable";
  return error instanceof ProviderTimeout || error instanceof ProviderHtmlResponse;
}
