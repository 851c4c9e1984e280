import { AppError, type ErrorCode } from "~/core/errors";

interface Meaning {
  status: number;
  /** The `type` and `code` of OpenAI's error object. */
  type: string;
  code: string | null;
  /** Anthropic's name for it. */
  anthropic: string;
}

/**
 * Errors in the callers' protocols. Official clients retry 408, 409, 429 and 5xx, so permanent errors use other
 * statuses (https://github.com/openai/openai-node#retries).
 */
const MEANING: Record<ErrorCode, Meaning> = {
  invalid: { status: 400, type: "invalid_request_error", code: null, anthropic: "invalid_request_error" },
  unauthenticated: {
    status: 401,
    type: "invalid_request_error",
    code: "invalid_api_key",
    anthropic: "authentication_error",
  },
  forbidden: {
    status: 403,
    type: "invalid_request_error",
    code: "insufficient_permissions",
    anthropic: "permission_error",
  },
  not_found: { status: 404, type: "invalid_request_error", code: "not_found", anthropic: "not_found_error" },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    code: "method_not_allowed",
    anthropic: "invalid_request_error",
  },
  conflict: {
    status: 400,
    type: "invalid_request_error",
    code: "conflict",
    anthropic: "invalid_request_error",
  },
  gone: { status: 410, type: "invalid_request_error", code: "gone", anthropic: "not_found_error" },
  too_large: {
    status: 413,
    type: "invalid_request_error",
    code: "request_too_large",
    anthropic: "request_too_large",
  },
  unsupported_media: {
    status: 415,
    type: "invalid_request_error",
    code: "unsupported_media_type",
    anthropic: "invalid_request_error",
  },
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
  egress_refused: { status: 422, type: "server_error", code: "egress_refused", anthropic: "api_error" },
  unprocessable: { status: 422, type: "server_error", code: "unprocessable", anthropic: "api_error" },
  provider_missing: {
    status: 404,
    type: "invalid_request_error",
    code: "provider_missing",
    anthropic: "not_found_error",
  },
  provider_key: { status: 502, type: "server_error", code: "provider_key", anthropic: "api_error" },
  provider_model: {
    status: 404,
    type: "invalid_request_error",
    code: "model_not_found",
    anthropic: "not_found_error",
  },
  provider_quota: { status: 503, type: "server_error", code: "insufficient_quota", anthropic: "api_error" },
  // The provider refused the request; a retry can't help.
  provider_rejected: {
    status: 400,
    type: "invalid_request_error",
    code: "provider_rejected",
    anthropic: "invalid_request_error",
  },
  provider_timeout: {
    status: 504,
    type: "server_error",
    code: "provider_timeout",
    anthropic: "timeout_error",
  },
  provider_unavailable: {
    status: 502,
    type: "server_error",
    code: "provider_unavailable",
    anthropic: "api_error",
  },
  timeout: { status: 408, type: "invalid_request_error", code: "timeout", anthropic: "timeout_error" },
  cancelled: { status: 499, type: "server_error", code: "cancelled", anthropic: "api_error" },
  unavailable: { status: 503, type: "server_error", code: "unavailable", anthropic: "overloaded_error" },
  disk_full: { status: 507, type: "server_error", code: "disk_full", anthropic: "api_error" },
  damaged: { status: 500, type: "server_error", code: "damaged", anthropic: "api_error" },
  internal: { status: 500, type: "server_error", code: "internal_error", anthropic: "api_error" },
};

/** Members of an error in the caller's own protocol, as its client expects them. */
export interface OwnMembers {
  /** The provider's status. */
  status?: number | undefined;
  code?: string | undefined;
  param?: string | undefined;
  details?: Record<string, unknown> | undefined;
}

/** A refusal that clients of the protocol recognize by its own members. */
export class ProtocolRefusal extends AppError {
  readonly own: OwnMembers;

  constructor(base: AppError, own: OwnMembers) {
    super(base.code, base.message, { cause: base, ...(base.fields ? { fields: base.fields } : {}) });
    this.own = own;
  }
}

const ANTHROPIC_TYPES: Record<number, string> = { 404: "not_found_error", 413: "request_too_large" };

interface OpenAiErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

interface AnthropicErrorBody {
  type: "error";
  error: { type: string; message: string; details?: Record<string, unknown> };
  request_id: string | null;
}

export interface ProtocolError<Body> {
  status: number;
  body: Body;
  /** In seconds. */
  retryAfter?: number | undefined;
}

/** Errors other than AppError are logged and reveal nothing. */
function explain(error: unknown): { meaning: Meaning; message: string; appError: AppError | undefined } {
  if (error instanceof AppError)
    return { meaning: MEANING[error.code], message: error.message, appError: error };
  const message = "Something went wrong on the server. Find the reason in its log by the request ID.";
  return { meaning: MEANING.internal, message, appError: undefined };
}

const asRefusal = (error: unknown): { own: OwnMembers } =>
  error instanceof ProtocolRefusal ? error : { own: {} };

export function toOpenAiError(error: unknown): ProtocolError<OpenAiErrorBody> {
  const { meaning, message, appError } = explain(error);
  const param =
    Object.keys(appError?.fields ?? {})[0] ?? (appError?.code === "provider_model" ? "model" : null);
  const { own } = asRefusal(error);
  const { type } = meaning;
  const status = own.status ?? meaning.status;
  const names = { param: own.param ?? param, code: own.code ?? meaning.code };
  return { status, body: { error: { message, type, ...names } }, retryAfter: appError?.retryAfter };
}

export function toAnthropicError(
  error: unknown,
  requestId: string | null,
): ProtocolError<AnthropicErrorBody> {
  const { meaning, message, appError } = explain(error);
  const { own } = asRefusal(error);
  const type = ANTHROPIC_TYPES[own.status ?? 0] ?? meaning.anthropic;
  const body = {
    type: "error" as const,
    error: { type, message, ...(own.details ? { details: own.details } : {}) },
    request_id: requestId,
  };
  return { status: own.status ?? meaning.status, body, retryAfter: appError?.retryAfter };
}

/** Error formats: before a response, and as a stream's last frame. */
export interface ErrorFormat {
  refuse(error: unknown, requestId: string): { status: number; body: unknown };
  frame(error: unknown, requestId: string): string;
}

export const openAiErrors: ErrorFormat = {
  refuse: (error) => toOpenAiError(error),
  frame: (error) => `data: ${JSON.stringify(toOpenAiError(error).body)}\n\n`,
};

export const anthropicErrors: ErrorFormat = {
  refuse: toAnthropicError,
  frame: (error, requestId) =>
    `event: error\ndata: ${JSON.stringify(toAnthropicError(error, requestId).body)}\n\n`,
};
