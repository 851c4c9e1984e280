import { APICallError } from "@ai-sdk/provider";
import { AppError, type ErrorCode } from "~/core/errors";
import { ProviderNonsense, ProviderStatus } from "./providers/model-list.server";
import {
  ProviderBroken,
  ProviderSilence,
  ProviderUnreachable,
  ProviderWebPage,
  QUOTA,
  readRetryAfter,
} from "./resilient-fetch.server";

/** The provider and, if any, the model. */
export interface CallTarget {
  provider: string;
  model?: string | undefined;
}

/** Never shown: a body can contain a key or prompt. */
export interface Refusal {
  status: number | undefined;
  body: string;
  retryAfter?: number | undefined;
}

const TOO_LONG =
  /context_length_exceeded|maximum context length|prompt is too long|context window|input token count|too many tokens|string_above_max_length/i;
const NO_MODEL =
  /model_not_found|not_found_error|no such model|model.{0,200}(not found|does not exist|not supported)|unknown model/is;
const BAD_KEY =
  /invalid_api_key|api[_ ]key[_ ](not valid|invalid)|authentication_error|invalid x-api-key|permission_denied/i;
const RATE = /rate_limit|too many requests|resource_exhausted/i;
const OVERLOADED = /overloaded|server_error|unavailable|internal/i;
const MALFORMED = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_InvalidStreamPartError",
]);

type Sentence = [code: ErrorCode, text: string];

function explainRefusal({ status, body }: Refusal, { provider, model }: CallTarget): Sentence {
  const named = model ? `"${model}"` : "a model";
  const is = (...codes: number[]) => status !== undefined && codes.includes(status);
  if (is(402) || QUOTA.test(body)) {
    return [
      "provider_quota",
      `The quota at ${provider} is used up for ${named}. Check your plan and billing there.`,
    ];
  }
  if (is(413) || TOO_LONG.test(body)) {
    return [
      "provider_rejected",
      `The conversation is too long for ${named} at ${provider}. Start a new one or choose a model with a longer context.`,
    ];
  }
  if (is(401) || BAD_KEY.test(body)) {
    return [
      "provider_key",
      `${provider} rejected the key for ${named}. Check the key reference and its environment variable.`,
    ];
  }
  if (model && (NO_MODEL.test(body) || (is(404) && isJson(body)))) {
    return [
      "provider_model",
      `${provider} doesn't offer the model ${named}, or the key has no access to it. Choose another model.`,
    ];
  }
  if (is(403)) {
    return [
      "provider_key",
      `${provider} rejected the key for ${named}: it lacks permission. Use another key.`,
    ];
  }
  if (is(404)) {
    return ["provider_unavailable", `${provider} returned "not found" for ${named}. Check its base URL.`];
  }
  if (is(429) || RATE.test(body)) {
    return ["rate_limited", `${provider} reached its rate limit for ${named}. Try again in a moment.`];
  }
  if (is(408, 504))
    return ["provider_timeout", `${provider} took too long to answer for ${named}. Try again.`];
  if ((status ?? 0) >= 500 || (status === undefined && OVERLOADED.test(body))) {
    const how = status ? ` (HTTP ${status})` : "";
    return [
      "provider_unavailable",
      `${provider} returned an error${how} for ${named}. Try again in a moment.`,
    ];
  }
  if (status === undefined) {
    return ["provider_rejected", `${provider} reported an error while answering with ${named}. Try again.`];
  }
  return ["provider_rejected", `${provider} rejected the request for ${named} (HTTP ${status}).`];
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/** Outermost first. */
export function causes(error: unknown): unknown[] {
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

export function refusalIn(chain: readonly unknown[]): Refusal | undefined {
  for (const error of chain) {
    const failed =
      error instanceof ProviderStatus || (APICallError.isInstance(error) && error.statusCode !== undefined);
    // An unreadable success is an APICallError with its good status too.
    if (!failed || (error.statusCode ?? 0) < 400) continue;
    return {
      status: error.statusCode,
      body: error.responseBody ?? "",
      retryAfter: retryAfterSeconds(error.responseHeaders),
    };
  }
  return undefined;
}

function sentenceFor(error: unknown, chain: readonly unknown[], target: CallTarget): Sentence {
  const { provider, model } = target;
  const named = model ? `"${model}"` : "its models";
  const some = (test: (one: unknown) => boolean) => chain.some(test);
  if (some((one) => one instanceof ProviderSilence)) {
    return ["provider_timeout", `${provider} stopped sending data for ${named}. Try again.`];
  }
  if (some((one) => one instanceof ProviderWebPage)) {
    return [
      "provider_unavailable",
      `${provider} returned a web page instead of data for ${named}. Check its base URL.`,
    ];
  }
  if (some((one) => one instanceof ProviderBroken)) {
    return [
      "provider_unavailable",
      `The connection to ${provider} was lost before the answer from ${named} was complete. Try again.`,
    ];
  }
  const refusal = refusalIn(chain);
  if (refusal) return explainRefusal(refusal, target);
  if (some((one) => one instanceof ProviderUnreachable)) {
    return [
      "provider_unavailable",
      `${provider} couldn't be reached for ${named}. Check its base URL and the network.`,
    ];
  }
  if (some((one) => one instanceof ProviderNonsense || (one instanceof Error && MALFORMED.has(one.name)))) {
    return ["provider_unavailable", `${provider} sent an invalid response for ${named}. Try again.`];
  }
  // Errors within a stream are plain data.
  if (!(error instanceof Error)) {
    const body = typeof error === "string" ? error : (JSON.stringify(error) ?? "");
    return explainRefusal({ status: undefined, body: body.slice(0, 10_000) }, target);
  }
  return ["provider_unavailable", `${provider} couldn't answer for ${named}. Try again.`];
}

function explainedBelow(chain: readonly unknown[], error: unknown): boolean {
  const above = chain.slice(0, chain.indexOf(error));
  return above.some((one) => one instanceof ProviderUnreachable || one instanceof ProviderBroken);
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "ResponseAborted");
}

/**
 * Explains an error in one sentence with provider and model. Keeps only the kinds of causes, since bodies can contain
 * keys and prompts.
 */
export function explainProviderError(error: unknown, target: CallTarget): AppError {
  if (isAbort(error)) return new AppError("cancelled", "The answer was stopped.");
  const chain = causes(error);
  // Errors of the egress guard, and those already explained.
  const explained = chain.find((one) => one instanceof AppError && !explainedBelow(chain, one));
  if (explained instanceof AppError) return explained;
  const [code, message] = sentenceFor(error, chain, target);
  const refusal = refusalIn(chain);
  const kinds = chain.map((one) => (one instanceof Error ? one.name : typeof one)).join(" < ");
  return new AppError(code, message, {
    cause: new Error(`${kinds}${refusal?.status ? ` (HTTP ${refusal.status})` : ""}`),
    ...(refusal?.retryAfter === undefined ? {} : { retryAfter: refusal.retryAfter }),
  });
}
