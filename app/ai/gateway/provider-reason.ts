import { z } from "zod";
import { type RouteTarget, readProviderFault, redact, shortReason } from "~/ai/models/models.service.server";
import { AppError } from "~/core/errors";
import { type OwnMembers, ProtocolRefusal } from "./protocols/errors";

/** A provider's error with its body, as thrown by `RouteTarget.send` and adapters. */
const ProviderError = z.object({
  statusCode: z.number(),
  responseBody: z.string(),
  responseHeaders: z.record(z.string(), z.string()).optional(),
});

const RETURNED_HEADERS =
  /^(?:x-ratelimit-[a-z-]{1,60}|anthropic-ratelimit-[a-z-]{1,60}|openai-processing-ms)$/;

/** Of a provider's headers those by which clients pace themselves. */
export const returnedHeaders = (headers: Iterable<[name: string, value: string]>): Record<string, string> =>
  Object.fromEntries(
    [...headers].filter(([name, value]) => RETURNED_HEADERS.test(name) && /^[\w.:, -]{1,100}$/.test(value)),
  );

/** Anthropic's status of a provider that has too much to do, as which its clients know the error. */
const OVERLOADED = 529;
/** Statuses about the caller's request, and overload; others may reveal our key or internals. */
const SHOWN_STATUSES = new Set([400, 404, 413, 422, OVERLOADED]);

/** A provider's refusal of the caller's request: its text, and what the caller's client may recognize. */
interface ProviderRefusal {
  reason: string | undefined;
  own: OwnMembers;
}

const MAX_DETAILS = 4000;
/** Names and ids; a credential has another form or is longer. */
const PLAIN_VALUE = /^[\w.:[\]-]{0,100}$/;

/** Numbers, flags, short names and lists of them; anything else is left out. */
function plainDetails(details: Record<string, unknown> | undefined): OwnMembers["details"] {
  if (!details || JSON.stringify(details).length > MAX_DETAILS) return undefined;
  const isPlain = (value: unknown): boolean =>
    typeof value === "string"
      ? PLAIN_VALUE.test(value) && redact(value) === value
      : typeof value !== "object";
  const kept = Object.entries(details).filter(([, value]) =>
    Array.isArray(value) ? value.every(isPlain) : isPlain(value),
  );
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** A code that repeats the status says nothing. */
const plain = (value: string | undefined) =>
  value && PLAIN_VALUE.test(value) && redact(value) === value && !/^\d+$/.test(value) ? value : undefined;

/** @param error of a response, or the data of an error within a stream */
export function readRefusal(error: unknown): ProviderRefusal | undefined {
  const { data } = ProviderError.safeParse(error);
  if (data ? !SHOWN_STATUSES.has(data.statusCode) : error instanceof Error) return undefined;
  const fault = readProviderFault(data ? data.responseBody : error);
  if (!fault.isStructured) return undefined;
  const { message, details } = fault;
  const status = fault.codes.has("overloaded_error") ? OVERLOADED : data?.statusCode;
  return {
    reason: shortReason(message),
    own: {
      status,
      code: plain(fault.code),
      param: plain(fault.param),
      details: plainDetails(details),
    },
  };
}

/**
 * Appends the provider's reason to the message.
 *
 * @param isOwn true if the provider speaks the caller's protocol
 */
export function withRefusal<E>(error: E, refusal: ProviderRefusal | undefined, isOwn: boolean): E | AppError {
  if (
    error instanceof AppError &&
    error.code === "provider_unavailable" &&
    refusal?.own.status === OVERLOADED
  )
    return isOwn ? new ProtocolRefusal(error, { status: OVERLOADED }) : error;
  const isRefusal =
    error instanceof AppError && (error.code === "provider_rejected" || error.code === "provider_model");
  if (!isRefusal || !refusal) return error;
  const { reason, own } = refusal;
  const text = reason ? `${error.message} Its message: ${reason}` : error.message;
  const explained = new AppError(error.code, text, { cause: error });
  if (!isOwn) return explained;
  // An unknown model has one status, whichever the provider uses.
  const { status, ...names } = own;
  return new ProtocolRefusal(explained, error.code === "provider_model" ? names : { ...names, status });
}

/** Adds the headers of a provider that speaks the caller's protocol to what its client recognizes. */
function withHeaders(error: unknown, headers: Record<string, string>): unknown {
  if (!(error instanceof AppError) || Object.keys(headers).length === 0) return error;
  const { own } = error instanceof ProtocolRefusal ? error : { own: {} };
  return new ProtocolRefusal(error, { ...own, headers });
}

/** Attempts of a call, and its error with what the last provider said of it. */
export function keepRefusal<T>(
  protocol: keyof RouteTarget["wire"],
  attempt: (target: RouteTarget) => Promise<T>,
) {
  let refusal: ProviderRefusal | undefined;
  let headers: Record<string, string> = {};
  let isOwn = false;
  return {
    async attempt(target: RouteTarget): Promise<T> {
      refusal = undefined;
      headers = {};
      isOwn = target.wire[protocol] !== undefined;
      try {
        return await attempt(target);
      } catch (error) {
        refusal = readRefusal(error);
        if (isOwn)
          headers = returnedHeaders(
            Object.entries(ProviderError.safeParse(error).data?.responseHeaders ?? {}),
          );
        throw error;
      }
    },
    explain: (error: unknown): unknown => withHeaders(withRefusal(error, refusal, isOwn), headers),
  };
}
