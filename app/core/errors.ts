/** Error codes of services. `http/status.server.ts` maps them to HTTP statuses. */
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
  "guardrail",
  "unprocessable",
  "provider_missing",
  "provider_key",
  "provider_model",
  "provider_quota",
  "provider_rejected",
  "provider_timeout",
  "provider_unavailable",
  "timeout",
  "cancelled",
  "unavailable",
  "disk_full",
  "damaged",
  "internal",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export type StorageFault = Extract<ErrorCode, "disk_full" | "damaged">;

export type FieldErrors = Record<string, string[]>;

interface AppErrorOptions {
  fields?: FieldErrors;
  cause?: unknown;
  /** In seconds. */
  retryAfter?: number;
  /** Methods that `method_not_allowed` names in its header. */
  allow?: string;
  /** Whether a retry can't help. */
  permanent?: boolean;
  /** What a rule or a provider's filter refused for what it says. */
  refuses?: "request" | "answer";
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: string | undefined;
  readonly permanent: boolean;
  readonly refuses: AppErrorOptions["refuses"];

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.fields = options.fields;
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
    this.permanent = options.permanent ?? false;
    this.refuses = options.refuses;
  }
}

/** Shown for what a shutdown refuses or cuts off. */
export const RESTARTING = "The console is restarting. Try again in a moment.";
