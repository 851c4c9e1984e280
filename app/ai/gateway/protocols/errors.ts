import { now } from "~/core/clock.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { eventFrame } from "./sse-frames";

interface Meaning {
  status: number;
  type: string;
  code: string | null;
  anthropic: string;
}

const invalid = (status: number, code: string | null, anthropic = "invalid_request_error"): Meaning => ({
  status,
  type: "invalid_request_error",
  code,
  anthropic,
});
const failed = (status: number, code: string, anthropic = "api_error"): Meaning => ({
  status,
  type: "server_error",
  code,
  anthropic,
});

/**
 * Errors in the callers' protocols. Official clients retry 408, 409, 429 and 5xx, so permanent errors use other
 * statuses (https://github.com/openai/openai-node#retries), or say so in a header.
 */
const MEANING: Record<ErrorCode, Meaning> = {
  invalid: invalid(400, null),
  unauthenticated: invalid(401, "invalid_api_key", "authentication_error"),
  forbidden: invalid(403, "insufficient_permissions", "permission_error"),
  not_found: invalid(404, "not_found", "not_found_error"),
  method_not_allowed: invalid(405, "method_not_allowed"),
  conflict: invalid(400, "conflict"),
  gone: invalid(410, "gone", "not_found_error"),
  too_large: invalid(413, "request_too_large", "request_too_large"),
  unsupported_media: invalid(415, "unsupported_media_type"),
  rate_limited: {
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    anthropic: "rate_limit_error",
  },
  // Not OpenAI's 429 for an exhausted quota, which clients would retry in vain.
  budget_exceeded: {
    status: 402,
    type: "insufficient_quota",
    code: "budget_exceeded",
    anthropic: "billing_error",
  },
  egress_refused: failed(422, "egress_refused"),
  // As OpenAI and Azure name a refusal of theirs.
  guardrail: invalid(400, "content_filter"),
  unprocessable: failed(422, "unprocessable"),
  provider_missing: invalid(404, "provider_missing", "not_found_error"),
  provider_key: failed(502, "provider_key"),
  provider_model: invalid(404, "model_not_found", "not_found_error"),
  provider_quota: failed(503, "insufficient_quota"),
  // The provider refused the request; a retry can't help.
  provider_rejected: invalid(400, "provider_rejected"),
  provider_timeout: failed(504, "provider_timeout", "timeout_error"),
  provider_unavailable: failed(502, "provider_unavailable"),
  timeout: invalid(408, "timeout", "timeout_error"),
  cancelled: failed(499, "cancelled"),
  unavailable: failed(503, "unavailable", "overloaded_error"),
  disk_full: failed(507, "disk_full"),
  damaged: failed(500, "damaged"),
  internal: failed(500, "internal_error"),
};

/** Members of an error in the caller's own protocol, as its client expects them. */
export interface OwnMembers {
  /** The provider's status. */
  status?: number | undefined;
  code?: string | undefined;
  param?: string | undefined;
  details?: Record<string, unknown> | undefined;
  /** The provider's, by which clients pace themselves. */
  headers?: Record<string, string> | undefined;
  /** The console's own limit that refused the call. */
  rate?: CallRate | undefined;
}

interface CallRate {
  /** Calls per minute. */
  limit: number;
  /** Time until all of them are available again, in ms. */
  resetMs: number;
}

const openAiRate = ({ limit, resetMs }: CallRate) => ({
  "x-ratelimit-limit-requests": String(limit),
  "x-ratelimit-remaining-requests": "0",
  "x-ratelimit-reset-requests": `${Math.ceil(resetMs / 1000)}s`,
});

const anthropicRate = ({ limit, resetMs }: CallRate) => ({
  "anthropic-ratelimit-requests-limit": String(limit),
  "anthropic-ratelimit-requests-remaining": "0",
  "anthropic-ratelimit-requests-reset": new Date(now() + resetMs).toISOString(),
});

/** A refusal that clients of the protocol recognize by its own members. */
export class ProtocolRefusal extends AppError {
  readonly own: OwnMembers;

  constructor(base: AppError, own: OwnMembers) {
    const { code, message, fields, retryAfter } = base;
    super(code, message, {
      cause: base,
      ...(fields ? { fields } : {}),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
    this.own = own;
  }
}

const ANTHROPIC_TYPES: Record<number, string> = {
  404: "not_found_error",
  413: "request_too_large",
  529: "overloaded_error",
};

const ownOf = (error: AppError): OwnMembers => (error instanceof ProtocolRefusal ? error.own : {});

/** Failures at the provider that last until an admin acts. */
const LASTING: readonly ErrorCode[] = ["provider_key", "provider_quota"];

/** The official clients of both protocols obey it. */
const NO_RETRY = { "x-should-retry": "false" };

const headersOf = (
  { code }: AppError,
  headers: Record<string, string> | undefined,
): Record<string, string> | undefined => (LASTING.includes(code) ? { ...headers, ...NO_RETRY } : headers);

export function toOpenAiError(error: AppError) {
  const { code, message, fields, retryAfter } = error;
  const own = ownOf(error);
  const { status, type, code: usual } = MEANING[code];
  const param = Object.keys(fields ?? {})[0] ?? (code === "provider_model" ? "model" : null);
  const names = { param: own.param ?? param, code: own.code ?? usual };
  const headers = headersOf(error, own.rate ? openAiRate(own.rate) : own.headers);
  return { status: own.status ?? status, body: { error: { message, type, ...names } }, retryAfter, headers };
}

export function toAnthropicError(error: AppError, requestId: string | null) {
  const { code, message, retryAfter } = error;
  const { status = MEANING[code].status, details, rate, ...own } = ownOf(error);
  const headers = headersOf(error, rate ? anthropicRate(rate) : own.headers);
  const type = ANTHROPIC_TYPES[status] ?? MEANING[code].anthropic;
  const body = { type: "error" as const, error: { type, message, details }, request_id: requestId };
  return { status, body, retryAfter, headers };
}

/** How far a stream has come, for an error at its end. */
export interface StreamProgress {
  /** The response as its last event had it. */
  response?: object | undefined;
  /** Of its last event. */
  sequence?: number | undefined;
}

/** Error formats: before a response, and as a stream's last frame. */
export interface ErrorFormat {
  refuse(
    error: AppError,
    requestId: string,
  ): { status: number; body: unknown; headers?: Record<string, string> | undefined };
  /** @param progress how far the stream has come */
  frame(error: AppError, requestId: string, progress: StreamProgress): string;
}

export const openAiErrors: ErrorFormat = {
  refuse: (error) => toOpenAiError(error),
  frame: (error) => `data: ${JSON.stringify(toOpenAiError(error).body)}\n\n`,
};

/** The failed response, then the event on which clients throw: some know only one of them. */
export const responsesErrors: ErrorFormat = {
  refuse: openAiErrors.refuse,
  frame(error, requestId, { response, sequence = -1 }) {
    const { message, type, code: known, param } = toOpenAiError(error).body.error;
    const code = known ?? type;
    const failed = {
      id: requestId,
      object: "response",
      output: [],
      ...response,
      status: "failed",
      error: { code, message },
    };
    const own = { type, code, message, param };
    return [
      eventFrame({ type: "response.failed", sequence_number: sequence + 1, response: failed }),
      eventFrame({ type: "error", sequence_number: sequence + 2, code, message, param, error: own }),
    ].join("");
  },
};

export const anthropicErrors: ErrorFormat = {
  refuse: toAnthropicError,
  frame: (error, requestId) => eventFrame(toAnthropicError(error, requestId).body),
};
