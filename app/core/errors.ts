/**
 * Every way in which a use case can refuse. One table (`http/status.server.ts`) maps a code to an HTTP status,
 * so that a service never speaks of HTTP.
 */
export const ERROR_CODES = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "gone",
  "too_large",
  "unsupported_media",
  "rate_limited",
  "budget_exceeded",
  "egress_refused",
  "unprocessable",
  "provider_missing",
  "provider_key",
  "provider_model",
  "provider_quota",
  "provider_rejected",
  "provider_timeout",
  "provider_unavailable",
  "cancelled",
  "unavailable",
  "internal",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Messages by field name, as a form shows them beside its inputs. A nested field is `a.b`. */
export type FieldErrors = Record<string, string[]>;

interface AppErrorOptions {
  fields?: FieldErrors;
  cause?: unknown;
  /** Seconds until another try makes sense. */
  retryAfter?: number;
  /** The upstream's failure is permanent: a retry won't help. */
  lasting?: boolean;
}

/** The one error class of the services. `message` is for a person and never holds a secret. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  readonly retryAfter: number | undefined;
  readonly lasting: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.fields = options.fields;
    this.retryAfter = options.retryAfter;
    this.lasting = options.lasting ?? false;
  }
}
