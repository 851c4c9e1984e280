import { log } from "~/core/log.server";
import { reportRequest } from "~/core/telemetry.server";

const SECRET_LINK = /^\/+(invite|approve|shared|api\/+hooks)\/+(?=[^/])/i;

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Removes the secret at the end of a link's or webhook's path. */
export function loggablePath(path: string): string {
  const link = SECRET_LINK.exec(decoded(path))?.[1];
  return link ? `/${link.toLowerCase().replace(/\/+/, "/")}/***` : path;
}

/** Logs a finished request. `started` is from `performance.now()`. */
export function logRequest(
  requestId: string,
  method: string | undefined,
  path: string,
  status: number,
  started: number,
): void {
  reportRequest(requestId, method ?? "GET", path, status, started);
  log.info("request", {
    requestId,
    method,
    path: loggablePath(path),
    status,
    durationMs: Math.round(performance.now() - started),
  });
}
