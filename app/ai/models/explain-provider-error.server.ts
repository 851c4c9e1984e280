import { UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { MINUTE } from "~/core/durations";
import { connectionFailure } from "~/core/egress/errors.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { explainStorageFault } from "~/core/storage-faults.server";
import type { ModelKind } from "./models.schema";
import {
  EmptyResponse,
  type ErrorResponse,
  errorChain,
  findErrorResponse,
  isAbort,
  MalformedResponse,
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderTimeout,
  ProviderUnreachable,
} from "./provider-errors.server";
import {
  isContextFault,
  isFilterFault,
  isLoadingFault,
  isModelFault,
  isOverloadedFault,
  isPermissionFault,
  isQuotaFault,
  isRateFault,
  isRegionFault,
  isTransientFault,
  mentionsKeyFault,
  readProviderFault,
} from "./provider-fault";
import { shortReason } from "./provider-words";

export interface CallTarget {
  provider: string;
  model?: string | undefined;
  /** Chat by default. */
  kind?: ModelKind | undefined;
}

const MALFORMED = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_InvalidStreamPartError",
]);

const FEWER_TEXTS = [
  "The text is too long",
  "Send shorter texts or fewer at once, or choose a model that takes more.",
] as const;
/** What is too long for a model of each kind, and what helps. */
const TOO_LONG: Readonly<Record<ModelKind, readonly [problem: string, advice: string]>> = {
  chat: [
    "The text is too long",
    "Shorten it, start a new conversation, or choose a model with a longer context.",
  ],
  embedding: FEWER_TEXTS,
  rerank: FEWER_TEXTS,
  image: [
    "The request is too long",
    "Shorten the description, send fewer or smaller images, or choose another model.",
  ],
  transcription: ["The recording is too long", "Send it in parts, or choose another model."],
  speech: ["The text is too long", "Send it in parts, or choose another model."],
};

type Explanation = [code: ErrorCode, text: string];

/** Who calls a model may not change its provider; who tests a provider, without a model, may. */
const forAdmin = (model: string | undefined, remedy: string) =>
  model
    ? `Choose another model, or have an admin ${remedy}.`
    : `${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`;

function inTime(seconds: number | undefined): string {
  if (!seconds) return "in a moment";
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} minutes`;
}

function explainErrorResponse(
  { status, fault, retryAfter }: ErrorResponse,
  { provider, model, kind = "chat" }: CallTarget,
): Explanation {
  const named = model ? `"${model}"` : "a model";
  const remedy = (what: string) => forAdmin(model, what);
  if (isQuotaFault(status, fault)) {
    const advice = remedy("check the plan and billing there");
    return ["provider_quota", `The quota at ${provider} is used up for ${named}. ${advice}`];
  }
  if (isContextFault(status, fault)) {
    const [problem, advice] = TOO_LONG[kind];
    return ["provider_rejected", `${problem} for ${named} at ${provider}. ${advice}`];
  }
  if (isFilterFault(status, fault)) {
    const [what, change] =
      kind === "chat" ? ["conversation", "Ask in other words"] : ["request", "Change what you send"];
    const problem = `A content filter of ${provider} refused this ${what} for ${named}.`;
    return ["provider_rejected", `${problem} ${change}, or choose another model.`];
  }
  if (isRegionFault(status, fault)) {
    const advice = remedy("use a provider that serves it");
    return ["provider_model", `${provider} doesn't offer ${named} in this server's region. ${advice}`];
  }
  if (isPermissionFault(status, fault)) {
    const advice = remedy("use another key");
    return ["provider_key", `${provider} rejected the key for ${named}: it lacks permission. ${advice}`];
  }
  if (mentionsKeyFault(status, fault)) {
    const advice = remedy("check the key reference and its environment variable");
    return ["provider_key", `${provider} rejected the key for ${named}. ${advice}`];
  }
  if (model && isModelFault(status, fault)) {
    const problem = `${provider} doesn't offer the model ${named}, or the key has no access to it.`;
    return ["provider_model", `${problem} Choose another model.`];
  }
  if (status === 403) {
    const advice = remedy("use another key");
    return ["provider_key", `${provider} rejected the key for ${named}: it lacks permission. ${advice}`];
  }
  if (status === 404 && !(model && fault.isStructured)) {
    const advice = remedy("check its base URL");
    return ["provider_unavailable", `${provider} returned "not found" for ${named}. ${advice}`];
  }
  if (isRateFault(status, fault))
    return [
      "rate_limited",
      `${provider} reached its rate limit for ${named}. Try again ${inTime(retryAfter)}.`,
    ];
  if (isLoadingFault(status, fault))
    return ["provider_unavailable", `${provider} is still loading ${named}. Try again in a minute.`];
  if (isOverloadedFault(status, fault)) {
    const advice = model ? ", or choose another model" : "";
    return [
      "provider_unavailable",
      `${provider} is overloaded for ${named}. Try again in a moment${advice}.`,
    ];
  }
  if (status === 408 || status === 504)
    return ["provider_timeout", `${provider} took too long to answer for ${named}. Try again.`];
  if ((status ?? 0) >= 500 || (status === undefined && isTransientFault(fault))) {
    const error = `an error${status ? ` (HTTP ${status})` : ""}`;
    return ["provider_unavailable", `${provider} returned ${error} for ${named}. Try again in a moment.`];
  }
  if (status === undefined)
    return ["provider_rejected", `${provider} reported an error while answering with ${named}. Try again.`];
  return ["provider_rejected", `${provider} rejected the request for ${named} (HTTP ${status}).`];
}

function explainStreamError(error: unknown, target: CallTarget): Explanation {
  const fault = readProviderFault(error);
  return explainErrorResponse({ status: undefined, fault, retryAfter: fault.retryAfter }, target);
}

const formatMinutes = (ms: number) =>
  ms < 2 * MINUTE ? `${Math.max(1, Math.round(ms / 1000))} s` : `${Math.round(ms / MINUTE)} min`;

function explain(error: unknown, chain: readonly unknown[], target: CallTarget): Explanation {
  const { provider, model } = target;
  const named = model ? `"${model}"` : "its models";
  const some = (test: (one: unknown) => boolean) => chain.some(test);
  const unavailable = (text: string): Explanation => ["provider_unavailable", text];
  const timeout = chain.find((one) => one instanceof ProviderTimeout);
  if (timeout instanceof ProviderTimeout && !timeout.hasBegun) {
    const within = `within ${Math.max(1, Math.round(timeout.ms / 1000))} s`;
    const advice = "Try again, or have an admin let it wait longer in the provider's settings.";
    return ["provider_timeout", `${provider} didn't begin to answer for ${named} ${within}. ${advice}`];
  }
  if (timeout instanceof ProviderTimeout && timeout.wasBusy) {
    const within = `within ${formatMinutes(timeout.ms)}`;
    const advice =
      "Choose a lower effort, or have an admin allow a longer silence in the provider's settings.";
    return [
      "provider_timeout",
      `${provider} sent nothing of an answer from ${named} ${within}, only thoughts or signs of life. ${advice}`,
    ];
  }
  if (timeout) return ["provider_timeout", `${provider} stopped sending data for ${named}. Try again.`];
  if (some((one) => one instanceof ProviderHtmlResponse)) {
    const advice = forAdmin(model, "check its base URL");
    return unavailable(`${provider} returned a web page instead of data for ${named}. ${advice}`);
  }
  if (some((one) => one instanceof ProviderDisconnected)) {
    const lost = `The connection to ${provider} was lost before the answer from ${named} was complete.`;
    return unavailable(`${lost} Try again.`);
  }
  if (some((one) => one instanceof EmptyResponse)) {
    const advice =
      "It may be too long for the model: start a new one, or choose a model with a longer context.";
    return unavailable(`${provider} sent an empty answer for ${named} to this conversation. ${advice}`);
  }
  const response = findErrorResponse(chain);
  if (response) return explainErrorResponse(response, target);
  if (some((one) => one instanceof ProviderUnreachable)) {
    const reason = chain.map(connectionFailure).find((one) => one !== undefined);
    const problem = `${provider} couldn't be reached for ${named}${reason ? `: ${reason}` : ""}.`;
    return unavailable(`${problem} ${forAdmin(model, "check its base URL and the network")}`);
  }
  if (some(isTooLarge)) {
    const problem = `${provider} sent too much data for ${named}, so the call was stopped.`;
    return unavailable(`${problem} Choose another model.`);
  }
  const unsupported = chain.find((one) => UnsupportedFunctionalityError.isInstance(one));
  if (unsupported) {
    const what = shortReason(unsupported.functionality) ?? "a feature";
    const advice = "Leave it out, or choose another model.";
    return [
      "provider_rejected",
      `${provider} doesn't support part of the request for ${named}: ${what}. ${advice}`,
    ];
  }
  if (some((one) => one instanceof MalformedResponse || (one instanceof Error && MALFORMED.has(one.name))))
    return unavailable(`${provider} sent an invalid response for ${named}. Try again.`);
  // Errors within a stream are plain data.
  if (!(error instanceof Error)) return explainStreamError(error, target);
  return unavailable(`${provider} couldn't answer for ${named}. Try again.`);
}

const isTooLarge = (error: unknown) => error instanceof AppError && error.code === "too_large";

function isWrapped(chain: readonly unknown[], error: unknown): boolean {
  const above = chain.slice(0, chain.indexOf(error));
  return above.some((one) => one instanceof ProviderUnreachable || one instanceof ProviderDisconnected);
}

/**
 * Explains an error in one sentence with provider and model. Keeps only the kinds of causes, since bodies can contain
 * keys and prompts.
 */
export function explainProviderError(error: unknown, target: CallTarget): AppError {
  if (isAbort(error)) return new AppError("cancelled", "The answer was stopped.");
  const fault = explainStorageFault(error);
  if (fault instanceof AppError && fault !== error) return fault;
  const chain = errorChain(error);
  // Errors of the egress guard, and those already explained.
  const explained = chain.find(
    (one) => one instanceof AppError && !isWrapped(chain, one) && !isTooLarge(one),
  );
  if (explained instanceof AppError) return explained;
  const [code, message] = explain(error, chain, target);
  const response = findErrorResponse(chain);
  const kinds = chain.map((one) => (one instanceof Error ? one.name : typeof one)).join(" < ");
  return new AppError(code, message, {
    cause: new Error(`${kinds}${response?.status ? ` (HTTP ${response.status})` : ""}`),
    ...(response?.retryAfter === undefined ? {} : { retryAfter: response.retryAfter }),
    ...(response && isFilterFault(response.status, response.fault) && { refuses: "request" as const }),
  });
}
