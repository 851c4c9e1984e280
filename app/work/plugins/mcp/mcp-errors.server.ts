import { AppError, type ErrorCode } from "~/core/errors";

const MAX_DEPTH = 5;

/** Libraries wrap what their `fetch` throws. */
function ownError(error: unknown): AppError | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_DEPTH && current instanceof Error; depth++) {
    if (current instanceof AppError) return current;
    current = current.cause;
  }
  return undefined;
}

const firstLine = (text: string) => text.slice(0, 2000).replaceAll(/\s+/g, " ").trim().slice(0, 300);

/** Of a response that the transport refused. */
export const httpStatus = (error: unknown) => {
  const { status, data } = (error ?? {}) as { status?: unknown; data?: { status?: unknown } };
  return status ?? data?.status;
};

/** The server's own JSON-RPC error: its text can repeat the caller's, so it decides nothing. */
export const isProtocolError = (error: unknown) =>
  typeof (error as { code?: unknown } | null)?.code === "number";

/** The SDK's own words before a reason. */
const SDK_PREFIX =
  /^(Version negotiation (probe )?failed|Error POSTing to endpoint): (the server answered the probe with )?/;

/** Whether the first response was none of the protocol: another API, a page, or nothing at this address. */
export function isNoMcp(error: unknown): boolean {
  if (isProtocolError(error)) return false;
  const message = error instanceof Error ? error.message : "";
  const status = httpStatus(error);
  if (status === 404 || status === 405) return true;
  return /^Version negotiation probe failed: (\[|the server answered with an unusable reply)/.test(message);
}

/** A server's error page isn't shown as text. */
function reasonOf(error: unknown, message: string): string {
  const reason = message.replace(SDK_PREFIX, "");
  const isPage = /^\s*</.test(reason) && httpStatus(error) !== undefined;
  return firstLine(isPage ? `HTTP ${httpStatus(error)}` : reason) || "the connection failed";
}

/** Contains nothing of the request's headers. */
export function toAppError(error: unknown, title: string): AppError {
  const own = ownError(error);
  if (own) return own;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const failure = (code: ErrorCode, text: string) => new AppError(code, `${title}${text}`, { cause: error });
  if (name === "UnauthorizedError" || httpStatus(error) === 401)
    return failure("provider_key", " refused the sign-in. Check its key reference.");
  if (isNoMcp(error))
    return failure("provider_unavailable", " doesn't answer as an MCP server. Check its address.");
  // Validation errors are lists for programs.
  if (name === "ZodError" || (!isProtocolError(error) && /^(Invalid result for \S+: )?\[/.test(message)))
    return failure("provider_unavailable", " sent a response that isn't valid.");
  if (!isProtocolError(error) && /timed? ?out/i.test(message))
    return failure("provider_timeout", " didn't answer in time.");
  return failure("provider_unavailable", `: ${reasonOf(error, message)}`);
}
