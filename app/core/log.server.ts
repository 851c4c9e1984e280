import { type Logger, pino } from "pino";
import { env } from "./env.server";
import { explainStorageFault } from "./storage-faults.server";
import { clip } from "./well-formed";

/** Allowed fields of a log line. Others are dropped, so that no prompt, header or key reaches the log. */
const FIELDS = [
  "requestId",
  "method",
  "route",
  "path",
  "status",
  "durationMs",
  "bytes",
  "userId",
  "orgId",
  "tokenId",
  "code",
  "host",
  "port",
  "address",
  "reason",
  "purpose",
  "provider",
  "providerId",
  "model",
  "hub",
  "attempt",
  "attempts",
  "conversationId",
  "messageId",
  "tool",
  "runId",
  "job",
  "kind",
  "index",
  "group",
  "fields",
  "count",
  "worker",
  "version",
  "file",
  "signal",
  "error",
] as const;

const ALLOWED: ReadonlySet<string> = new Set(FIELDS);

function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  return {
    name: error.name,
    message: error.message.slice(0, 1000),
    stack: error.stack?.slice(0, 4000),
    ...(error.cause !== undefined && depth < 3 ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}

/** A field that would be dropped is a type error. */
export type LogFields = Partial<Record<(typeof FIELDS)[number], unknown>>;

function pick(fields: LogFields): LogFields {
  const allowed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (!ALLOWED.has(key) || value === undefined) continue;
    allowed[key] = key === "error" ? describeError(value) : value;
  }
  return allowed;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

let logger: Logger | undefined;

function target(): Logger {
  const level = env().LOG_LEVEL ?? "info";
  logger ??= pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  return logger;
}

export function setLogLevel(level: LogLevel): void {
  if (env().LOG_LEVEL === undefined) target().level = level;
}

export interface LoggedError {
  message: string;
  requestId?: string;
  error?: { name: string; message: string; stack: string | undefined };
}

const errorListeners = new Set<(logged: LoggedError) => void>();

export function onErrorLogged(listener: (logged: LoggedError) => void): () => void {
  errorListeners.add(listener);
  return () => errorListeners.delete(listener);
}

function reportError(message: string, { error, requestId }: LogFields): void {
  if (errorListeners.size === 0) return;
  const logged: LoggedError = { message };
  if (typeof requestId === "string") logged.requestId = requestId;
  if (error instanceof Error) {
    const { name, stack } = error;
    logged.error = { name, message: clip(error.message, 1000), stack: stack && clip(stack, 4000) };
  }
  for (const listener of errorListeners) listener(logged);
}

/** Background work reports its errors only here, so that a damaged database is known wherever it is met. */
function noteFault({ error }: LogFields): void {
  if (error !== undefined) explainStorageFault(error);
}

export const log = {
  debug: (message: string, fields: LogFields = {}) => target().debug(pick(fields), message),
  info: (message: string, fields: LogFields = {}) => target().info(pick(fields), message),
  warn: (message: string, fields: LogFields = {}) => {
    noteFault(fields);
    target().warn(pick(fields), message);
  },
  error: (message: string, fields: LogFields = {}) => {
    noteFault(fields);
    target().error(pick(fields), message);
    reportError(message, fields);
  },
};
