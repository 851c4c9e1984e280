/** Error codes of services with their HTTP statuses. 499: the client disconnected. */
const STATUSES = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  budget_exceeded: 402,
  egress_refused: 422,
  guardrail: 422,
  unprocessable: 422,
  provider_missing: 409,
  provider_key: 502,
  provider_model: 400,
  provider_quota: 503,
  provider_rejected: 502,
  provider_timeout: 504,
  provider_unavailable: 502,
  timeout: 408,
  cancelled: 499,
  unavailable: 503,
  disk_full: 507,
  damaged: 500,
  internal: 500,
} as const;
export type ErrorCode = keyof typeof STATUSES;
export const ERROR_CODES = Object.keys(STATUSES) as [ErrorCode, ...ErrorCode[]];

export const statusOf = (code: ErrorCode): number => STATUSES[code];

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
