import { AppError } from "../errors";

/** Why the guard refused; `host` is the requested host, `address` what it resolved to. */
export class EgressRefusal extends AppError {
  constructor(
    readonly host: string,
    readonly reason: string,
    readonly address?: string,
    readonly allowable?: string,
  ) {
    super("egress_refused", `The request to ${host || "this address"} was refused: ${reason}.`);
  }
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(2))} second${ms === 1000 ? "" : "s"}`;
}

export function timeoutError(host: string, ms: number): AppError {
  return new AppError("provider_timeout", `${host} did not complete its response within ${seconds(ms)}.`);
}

function silenceError(host: string, ms: number, cause: unknown): AppError {
  return new AppError("provider_timeout", `${host} sent no data for ${seconds(ms)}.`, { cause });
}

function size(bytes: number): string {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1000} kB`;
}

export function tooLargeError(host: string, limit: number): AppError {
  return new AppError("too_large", `The response from ${host} is larger than ${size(limit)}.`);
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOTFOUND: "its host name can't be resolved",
  EAI_AGAIN: "its host name can't be resolved right now",
  ECONNREFUSED: "it refused the connection",
  ECONNRESET: "the connection was closed",
  EHOSTUNREACH: "it can't be reached",
  ENETUNREACH: "its network can't be reached",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_SOCKET: "the connection was closed",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate isn't trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate isn't trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate isn't trusted",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

/** Errors that persist until someone fixes the cause, including OpenSSL's own codes. */
const LASTING: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // All addresses failed: report the first error.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const INVALID_HTTPS = "it sent an invalid HTTPS response";

/** Why a connection failed, such as by name resolution or certificate; undefined if unknown. */
export function connectionFailure(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code?.startsWith("ERR_SSL_")) return INVALID_HTTPS;
  return code === undefined ? undefined : CAUSES[code];
}

/**
 * Describes a failure below HTTP.
 * @param begun whether the response had begun
 * @param silenceMs the allowed silence, in milliseconds
 */
export function explainFailure(error: unknown, host: string, begun: boolean, silenceMs: number): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return silenceError(host, silenceMs, error);
  }
  const isSsl = code?.startsWith("ERR_SSL_") ?? false;
  const why = connectionFailure(error) ?? (code ? `failure ${code}` : "the connection failed");
  const what = begun ? `The connection to ${host} was lost` : `${host} could not be reached`;
  const permanent = isSsl || (code !== undefined && LASTING.has(code));
  return new AppError("provider_unavailable", `${what}: ${why}.`, { cause: error, permanent });
}
