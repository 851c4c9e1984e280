import { connectionFailure } from "~/core/egress/errors.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { explainStorageFault } from "~/core/storage-faults.server";
import { type ErrorResponse, errorChain, findErrorResponse, isAbort } from "./provider-error-causes.server";
import {
  MalformedResponse,
  ProviderDisconnected,
  ProviderHtmlResponse,
  ProviderTimeout,
  ProviderUnreachable,
} from "./provider-errors.server";
import {
  isContextFault,
  isModelFault,
  isQuotaFault,
  isRateFault,
  isTransientFault,
  mentionsKeyFault,
  readProviderFault,
} from "./provider-fault";

/** The provider and, if any, the model. */
export interface CallTarget {
  provider: string;
  model?: string | undefined;
}

const MALFORMED = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_InvalidStreamPartError",
]);

type Explanation = [code: ErrorCode, text: string];

/** Who calls a model may not change its provider; who tests a provider, without a model, may. */
const forAdmin = (model: string | undefined, remedy: string) =>
  model
    ? `Choose another model, or have an admin ${remedy}.`
    : `${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`;

function explainErrorResponse(
  { status, fault }: ErrorResponse,
  { provider, model }: CallTarget,
): Explanation {
  const quotedModel = model ? `"${model}"` : "a model";
  const is = (...codes: number[]) => status !== undefined && codes.includes(status);
  if (isQuotaFault(status, fault)) {
    return [
      "provider_quota",
      `The quota at ${provider} is used up for ${quotedModel}. ${forAdmin(model, "check the plan and billing there")}`,
    ];
  }
  if (isContextFault(status, fault)) {
    return [
      "provider_rejected",
      `The conversation is too long for ${quotedModel} at ${provider}. Start a new one or choose a model with a longer context.`,
    ];
  }
  if (mentionsKeyFault(status, fault)) {
    return [
      "provider_key",
      `${provider} rejected the key for ${quotedModel}. ${forAdmin(model, "check the key reference and its environment variable")}`,
    ];
  }
  if (model && isModelFault(status, fault)) {
    return [
      "provider_model",
      `${provider} doesn't offer the model ${quotedModel}, or the key has no access to it. Choose another model.`,
    ];
  }
  if (is(403)) {
    return [
      "provider_key",
      `${provider} rejected the key for ${quotedModel}: it lacks permission. ${forAdmin(model, "use another key")}`,
    ];
  }
  if (is(404) && !(model && fault.isStructured)) {
    return [
      "provider_unavailable",
      `${provider} returned "not found" for ${quotedModel}. ${forAdmin(model, "check its base URL")}`,
    ];
  }
  if (isRateFault(status, fault)) {
    return ["rate_limited", `${provider} reached its rate limit for ${quotedModel}. Try again in a moment.`];
  }
  if (is(408, 504))
    return ["provider_timeout", `${provider} took too long to answer for ${quotedModel}. Try again.`];
  if ((status ?? 0) >= 500 || (status === undefined && isTransientFault(fault))) {
    const how = status ? ` (HTTP ${status})` : "";
    return [
      "provider_unavailable",
      `${provider} returned an error${how} for ${quotedModel}. Try again in a moment.`,
    ];
  }
  if (status === undefined) {
    return [
      "provider_rejected",
      `${provider} reported an error while answering with ${quotedModel}. Try again.`,
    ];
  }
  return ["provider_rejected", `${provider} rejected the request for ${quotedModel} (HTTP ${status}).`];
}

function explain(error: unknown, chain: readonly unknown[], target: CallTarget): Explanation {
  const { provider, model } = target;
  const quotedModel = model ? `"${model}"` : "its models";
  const some = (test: (one: unknown) => boolean) => chain.some(test);
  if (some((one) => one instanceof ProviderTimeout)) {
    return ["provider_timeout", `${provider} stopped sending data for ${quotedModel}. Try again.`];
  }
  if (some((one) => one instanceof ProviderHtmlResponse)) {
    return [
      "provider_unavailable",
      `${provider} returned a web page instead of data for ${quotedModel}. ${forAdmin(model, "check its base URL")}`,
    ];
  }
  if (some((one) => one instanceof ProviderDisconnected)) {
    return [
      "provider_unavailable",
      `The connection to ${provider} was lost before the answer from ${quotedModel} was complete. Try again.`,
    ];
  }
  const response = findErrorResponse(chain);
  if (response) return explainErrorResponse(response, target);
  if (some((one) => one instanceof ProviderUnreachable)) {
    const reason = chain.map(connectionFailure).find((one) => one !== undefined);
    const how = reason ? `: ${reason}` : "";
    return [
      "provider_unavailable",
      `${provider} couldn't be reached for ${quotedModel}${how}. ${forAdmin(model, "check its base URL and the network")}`,
    ];
  }
  if (some(isTooLarge)) {
    return [
      "provider_unavailable",
      `${provider} sent too much data for ${quotedModel}, so the call was stopped. Choose another model.`,
    ];
  }
  if (some((one) => one instanceof MalformedResponse || (one instanceof Error && MALFORMED.has(one.name)))) {
    return ["provider_unavailable", `${provider} sent an invalid response for ${quotedModel}. Try again.`];
  }
  // Errors within a stream are plain data.
  if (!(error instanceof Error)) {
    return explainErrorResponse({ status: undefined, fault: readProviderFault(error) }, target);
  }
  return ["provider_unavailable", `${provider} couldn't answer for ${quotedModel}. Try again.`];
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
  });
}
