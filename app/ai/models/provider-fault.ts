import { z } from "zod";
import { parseWellFormed } from "~/core/well-formed";

/**
 * A provider's error object. Its message can repeat what the caller sent, such as the name of a tool, so decisions
 * follow status and codes, and of the message only how it begins.
 */
export interface ProviderFault {
  /** `code`, `type`, `status`, Google's reasons and Anthropic's `details.error_code`, in lower case. */
  codes: ReadonlySet<string>;
  /** False for plain text. */
  isStructured: boolean;
  code: string | undefined;
  param: string | undefined;
  message: string | undefined;
  /** Anthropic's details of an error, by which its clients recover. */
  details: Record<string, unknown> | undefined;
  /** In seconds, where the body says when to try again. */
  retryAfter: number | undefined;
}

const MAX_CODE = 100;
const text = z.string().max(MAX_CODE).optional().catch(undefined);
const code = z
  .union([z.string().max(MAX_CODE), z.number().transform(String)])
  .optional()
  .catch(undefined);

const Details = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()).max(50)]);

const Members = z.object({
  message: z.string().optional().catch(undefined),
  code,
  type: text,
  status: text,
  param: text,
  details: Details.optional().catch(undefined),
  /** Azure's. */
  innererror: z.object({ code: text }).optional().catch(undefined),
});
type Members = z.infer<typeof Members>;

/** FastAPI's list of what is wrong with a body, of which the first counts; Mistral's API puts it into its message. */
const Detail = z
  .array(
    z.object({ type: text, msg: z.string().optional(), loc: z.array(z.union([z.string(), z.number()])) }),
  )
  .min(1)
  .transform(([first]) => ({
    message: first?.msg,
    code: first?.type,
    param: first?.loc.filter((at) => at !== "body").join("."),
  }));

/** The same list as Python prints it, which llama-cpp-python puts into its message. */
const PRINTED_DETAIL =
  /^\d{1,4} validation errors?:\s*\{'type': '(\w{1,100})', 'loc': \('body', ([^)]{1,200})\)/;

function printedDetail({ message = "" }: Partial<Members>): Partial<Members> {
  const [, code, place = ""] = PRINTED_DETAIL.exec(message.slice(0, 400)) ?? [];
  const param = place.replaceAll(/['\s]/g, "").split(",").filter(Boolean).join(".");
  return code ? { code, param } : {};
}

/** The forms of OpenAI, Anthropic and Google; Responses' event; Ollama's and Hugging Face's; FastAPI's; vLLM's. */
const Body = z.union([
  z.object({ error: Members }).transform(({ error }) => error),
  z.object({ response: z.object({ error: Members }) }).transform(({ response }) => response.error),
  z.object({ error: z.string(), code }).transform(({ error, code }) => ({ message: error, code })),
  z.object({ detail: z.string() }).transform(({ detail }) => ({ message: detail })),
  z.object({ detail: Detail }).transform(({ detail }) => detail),
  z.object({ message: z.object({ detail: Detail }) }).transform(({ message }) => message.detail),
  Members,
]);

/** Such as `34s` of Google's RetryInfo. */
const Retry = z.object({ retryDelay: z.string().regex(/^\d{1,6}(?:\.\d{1,9})?s$/) });
/** How the sentences begin that end with a time; nothing before it comes from the caller. */
const LIMITED = /^(?:rate limit|you exceeded your current quota|too many requests|resource[ _]exhausted)/i;
/** Such as "Please try again in 6m0s", as OpenAI and Groq write it. */
const RETRY_IN =
  /(?:try again|retry) in (?:(\d{1,3})h)?(?:(\d{1,3})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)(m?s))?/i;

function retryAfterIn({ details, message = "" }: Partial<Members>): number | undefined {
  for (const detail of Array.isArray(details) ? details : []) {
    const { data } = Retry.safeParse(detail);
    if (data) return Math.ceil(Number.parseFloat(data.retryDelay));
  }
  if (!LIMITED.test(message.trimStart())) return undefined;
  const [, hours, minutes, seconds, unit] = RETRY_IN.exec(message.slice(0, 1000)) ?? [];
  if (!hours && !minutes && !seconds) return undefined;
  const last = Number(seconds ?? 0) / (unit === "ms" ? 1000 : 1);
  return Math.ceil(Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + last);
}

function codesIn({ code, type, status, details, innererror }: Partial<Members>): Set<string> {
  const inDetails = Array.isArray(details) ? details : [details];
  const named = z.object({ reason: text, error_code: text });
  const all = [code, type, status, innererror?.code];
  for (const detail of inDetails) {
    const { data } = named.safeParse(detail);
    all.push(data?.reason, data?.error_code);
  }
  return new Set(all.flatMap((one) => (one === undefined ? [] : [one.toLowerCase()])));
}

function parseText(text: string): unknown {
  try {
    return parseWellFormed(text.slice(0, 64_000));
  } catch {
    return undefined;
  }
}

/** @param error a response's body as text, or an error event's data */
export function readProviderFault(error: unknown): ProviderFault {
  const parsed = typeof error === "string" ? parseText(error) : error;
  const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const isStructured = typeof value === "object" && value !== null;
  const plain = typeof error === "string" ? { message: error } : {};
  const given: Partial<Members> = isStructured ? (Body.safeParse(value).data ?? {}) : plain;
  const members = { ...given, ...printedDetail(given) };
  const { code, param, message, details } = members;
  return {
    isStructured,
    codes: codesIn(members),
    code,
    param,
    message,
    details: Array.isArray(details) ? undefined : details,
    retryAfter: retryAfterIn(members),
  };
}

const QUOTA_CODES = new Set([
  "insufficient_quota",
  "insufficient_balance",
  "billing_error",
  "billing_not_active",
  "billing_hard_limit_reached",
  "credits_exhausted",
  "exceeded_current_quota_error",
  "insufficient_credits",
  "insufficient_funds",
]);
const QUOTA =
  /exceeded your current quota|insufficient[ _]quota|billing|credit balance|credits? (are|is) too low/i;
const KEY_CODES = new Set([
  "invalid_api_key",
  "incorrect_api_key",
  "api_key_invalid",
  "api_key_expired",
  "authentication_error",
  "invalid_authentication",
  "unauthenticated",
]);
const MODEL_CODES = new Set([
  "model_not_found",
  "model_not_supported",
  "model_decommissioned",
  "invalid_model",
  "unknown_model",
  "deploymentnotfound",
]);
/** Codes of a 404 that don't say what is missing. */
const NOT_FOUND_CODES = new Set([
  "404",
  "api_error",
  "invalid_request_error",
  "not_found",
  "not_found_error",
  "notfounderror",
]);
const CONTEXT_CODES = new Set([
  "context_length_exceeded",
  "string_above_max_length",
  "exceed_context_size_error",
  "contextwindowexceedederror",
]);
const FILTER_CODES = new Set([
  "content_filter",
  "content_filter_error",
  "content_policy_violation",
  // OpenAI's image API returns this one.
  "moderation_blocked",
  "responsibleaipolicyviolation",
  "data_inspection_failed",
  "datainspectionfailed",
]);
const REGION_CODES = new Set(["unsupported_country_region_territory"]);
const OVERLOADED_CODES = new Set([
  "overloaded",
  "overloaded_error",
  "engine_overloaded",
  "engine_overloaded_error",
  "model_overloaded",
]);
const THREAD_CODES = new Set(["thread_not_found", "previous_response_not_found"]);
const RATE_CODES = new Set([
  "rate_limit",
  "rate_limit_error",
  "rate_limit_exceeded",
  "too_many_requests",
  "resource_exhausted",
  "429",
]);
const TRANSIENT_CODES =
  /^(?:(?:engine_|model_)?overloaded(?:_error)?|(?:internal_)?server_error|api_error|internal(?:_error)?|(?:service_)?unavailable(?:_error)?|timeout(?:_error)?|deadline_exceeded|5\d\d)$/;
/** Words that a provider may put before the one that counts. */
const FILLERS =
  "(?:(?:the|this|our|your|requested|request|model|server|service|provider|engine|system|upstream|is|was|currently|temporarily|an?|has|error|http|[45]\\d\\d)[ :]{1,2}){0,8}";

/** Sentences with which providers begin; nothing before the match comes from the caller. */
const OPENINGS = {
  quota: /^(?:your credit balance is too low|you exceeded your current quota|insufficient[ _]quota)/i,
  key: /^(?:api[ _]key (?:not valid|invalid|expired)|(?:incorrect|invalid) api key)/i,
  model:
    /^(?:(?:the )?(?:requested )?models?[ :=]{1,3}["'`]?[\w./:@-]{1,200}["'`]? (?:is |was )?(?:currently )?(?:does |do )?not (?:found|exists?|supported|available)\b(?! with)|no such model|(?:invalid|unknown) model\b|model not (?:found|exist))/i,
  context:
    /^(?:litellm\.contextwindowexceedederror|prompt is too long|input is too long|(?:this|the) (?:model|endpoint)(?:'s|’s) maximum context length|the input token count|input length exceeds|the request exceeds the available context|requested tokens|input validation error: `inputs` tokens|too many tokens|input length and `max_tokens` exceed|(?:this|the) model's maximum prompt length|your request exceeded model token limit|prompt (?:contains|exceeds) (?:\d+ tokens|max length)|the prompt is too long|'?max_(?:completion_)?tokens'?(?: or 'max_completion_tokens')? is too large: \d+\. this model's maximum context)/i,
  filter:
    /^(?:the response was filtered|content exists risk|your chosen model requires moderation|invalid prompt: your prompt was flagged|your (?:input|prompt) was flagged|output blocked by content filter|input (?:text )?data may contain inappropriate|the request was rejected because it was considered high risk)/i,
  region:
    /^(?:country, region, or territory not supported|user location is not supported|(?:this|the) model is not available in your (?:region|country))/i,
  permission: /^you have insufficient permissions/i,
  rate: new RegExp(`^${FILLERS}(?:rate[ _]limit|too many requests|resource[ _]exhausted)`, "i"),
  transient: new RegExp(
    `^${FILLERS}(?:overloaded|unavailable|internal (?:server )?error|timeout|timed out|server[ _]error)`,
    "i",
  ),
} as const;

const OVERLOADED = new RegExp(`^${FILLERS}(?:overloaded|too busy|at capacity)`, "i");

type Status = number | undefined;

const hasCode = ({ codes }: ProviderFault, known: ReadonlySet<string>) =>
  [...codes].some((one) => known.has(one));

/** True if the message of a refusal or of an event without a status begins with a provider's own sentence. */
function begins({ message }: ProviderFault, kind: keyof typeof OPENINGS, status: Status): boolean {
  if (message === undefined || (status !== undefined && (status < 400 || status > 428))) return false;
  return OPENINGS[kind].test(message.slice(0, 400).trimStart());
}

/** In seconds: a limit that passes sooner is one of a rate, though a provider may call it a quota. */
const QUOTA_LASTS = 3600;

export function isQuotaFault(status: Status, fault: ProviderFault): boolean {
  if (status === 402 || hasCode(fault, QUOTA_CODES)) return true;
  if (fault.retryAfter !== undefined && fault.retryAfter < QUOTA_LASTS) return false;
  const message = fault.message?.slice(0, 1000) ?? "";
  return status === 429 || status === 403 ? QUOTA.test(message) : begins(fault, "quota", status);
}

/** What a call continues isn't at this provider, but may be at another one. */
export const isUnknownThread = (fault: ProviderFault) => hasCode(fault, THREAD_CODES);

/** By status and codes alone, since it makes the provider count as refused for everyone. */
export function isKeyFault(status: Status, fault: ProviderFault): boolean {
  return status === 401 || hasCode(fault, KEY_CODES);
}

/** Also by the message's opening: only an explanation depends on it. */
export function mentionsKeyFault(status: Status, fault: ProviderFault): boolean {
  return isKeyFault(status, fault) || fault.codes.has("permission_denied") || begins(fault, "key", status);
}

/** A key that is known, but may not do this. */
export const isPermissionFault = (status: Status, fault: ProviderFault): boolean =>
  begins(fault, "permission", status);

export const isFilterFault = (status: Status, fault: ProviderFault): boolean =>
  hasCode(fault, FILTER_CODES) || begins(fault, "filter", status);

export const isRegionFault = (status: Status, fault: ProviderFault): boolean =>
  hasCode(fault, REGION_CODES) || begins(fault, "region", status);

export function isOverloadedFault(status: Status, fault: ProviderFault): boolean {
  if (status === 529 || hasCode(fault, OVERLOADED_CODES)) return true;
  const said = fault.message?.slice(0, 400).trimStart() ?? "";
  return (status === undefined || status >= 500) && OVERLOADED.test(said);
}

/** As llama.cpp says it. */
export const isLoadingFault = (status: Status, fault: ProviderFault): boolean =>
  status === 503 && /^loading model/i.test(fault.message?.trimStart() ?? "");

/** A 404 with another code or member is about something else, such as an earlier response or a thread. */
export function isModelFault(status: Status, fault: ProviderFault): boolean {
  if (hasCode(fault, MODEL_CODES) || begins(fault, "model", status)) return true;
  if (status !== 404 || !fault.isStructured || (fault.param ?? "model") !== "model") return false;
  return [...fault.codes].every((one) => NOT_FOUND_CODES.has(one));
}

export function isContextFault(status: Status, fault: ProviderFault): boolean {
  return status === 413 || hasCode(fault, CONTEXT_CODES) || begins(fault, "context", status);
}

export function isRateFault(status: Status, fault: ProviderFault): boolean {
  return (
    status === 429 || hasCode(fault, RATE_CODES) || (status === undefined && begins(fault, "rate", status))
  );
}

/** Of an event without a status. */
export function isTransientFault(fault: ProviderFault): boolean {
  return (
    isRateFault(undefined, fault) ||
    [...fault.codes].some((one) => TRANSIENT_CODES.test(one)) ||
    begins(fault, "transient", undefined)
  );
}
