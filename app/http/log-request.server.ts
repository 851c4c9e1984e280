import { log } from "~/core/log.server";
import { reportRequest } from "~/core/telemetry.server";
import { loggablePath } from "./loggable-path";

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
