import type { Socket } from "node:net";
import { z } from "zod";
import { withDeadline } from "~/core/abort";
import { retryAfterOf, SECOND } from "~/core/durations";
import { guardedFetch, openGuardedSocket } from "~/core/egress/index.server";
import { publicUrl } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { clip, parseWellFormed } from "~/core/well-formed";
import { readNamedSecret } from "~/team/keys/keys.service.server";
import { encodeBatch, encodeSyslog, type SentEntry } from "./batch.server";
import { type StreamSettings, SYSLOG_SERVER } from "./stream.schema";

/** Of an attempt, in ms. */
const TIMEOUT = 30 * SECOND;
/** Read of a refusal, in bytes. */
const MAX_EXCERPT = 2000;
/** Of Elasticsearch's verdict on each entry of a batch, in bytes. */
const MAX_VERDICT = 2_000_000;

function keyHeader({ keyVariable, keyHeader: name, keyScheme }: StreamSettings): Record<string, string> {
  if (keyVariable === "") return {};
  const key = readNamedSecret(keyVariable);
  return { [name || "Authorization"]: keyScheme ? `${keyScheme} ${key}` : key };
}

/** The beginning of a body. A body that breaks off or never ends doesn't hide the status. */
async function readExcerpt(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > MAX_EXCERPT) break;
    }
  } catch {
    return "";
  }
  return clip(text.replace(/\s+/g, " ").trim(), 200);
}

async function refusalOf(response: Response): Promise<AppError> {
  const { status } = response;
  const excerpt = await readExcerpt(response);
  const message = `The collector returned HTTP ${status}${excerpt ? `: ${excerpt}` : "."}`;
  const pause = retryAfterOf(response.headers);
  if (status === 413) return new AppError("too_large", message, pause);
  if (status === 429) return new AppError("rate_limited", message, pause);
  return new AppError(status >= 500 ? "provider_unavailable" : "provider_rejected", message, pause);
}

const Verdict = z.object({
  errors: z.boolean(),
  items: z.array(
    z.record(
      z.string(),
      z.object({ status: z.int(), error: z.object({ reason: z.string().optional() }).optional() }),
    ),
  ),
});

/** Elasticsearch answers 200 even if it took no entry. 409: it has the entry from an earlier attempt. */
async function assertTaken(response: Response, count: number): Promise<void> {
  const unknown = () =>
    new AppError(
      "provider_rejected",
      "The collector's response is not Elasticsearch's answer to a bulk request.",
    );
  let body: unknown;
  try {
    body = parseWellFormed(await response.text());
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unknown();
  }
  const { data } = Verdict.safeParse(body);
  if (data?.items.length !== count) throw unknown();
  const refused = data.items
    .flatMap((item) => Object.values(item))
    .find(({ status }) => status >= 300 && status !== 409);
  if (!refused) return;
  const reason = clip(refused.error?.reason ?? "no reason given", 200);
  throw new AppError(
    "provider_rejected",
    `Elasticsearch refused an entry (HTTP ${refused.status}): ${reason}`,
  );
}

async function post(
  settings: StreamSettings,
  entries: readonly SentEntry[],
  signal: AbortSignal,
): Promise<void> {
  const { format, url } = settings;
  if (url === "") throw new AppError("conflict", "Enter the collector's address.");
  const body = encodeBatch(entries, format);
  const fetch = guardedFetch("audit:stream", {
    timeoutMs: TIMEOUT,
    maxBytes: MAX_VERDICT,
    maxRedirects: 0,
    allowOrigins: [new URL(url).origin],
  });
  const headers = { ...keyHeader(settings), "content-type": body.type };
  const response = await fetch(url, { method: "POST", headers, body: body.text, signal });
  if (!response.ok) throw await refusalOf(response);
  if (format === "elastic") await assertTaken(response, entries.length);
  // The status says all, so an endless body is not waited for.
  else await response.body?.cancel();
}

/**
 * Writes and waits until the server closes, too. Syslog has no acknowledgement, but a server that closes in order has
 * read all; one that ends or drops the batch before resets the connection.
 */
function writeAll(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const lost = (cause?: unknown) =>
      reject(
        new AppError(
          "provider_unavailable",
          "The syslog server closed the connection before it had read the batch.",
          {
            cause,
          },
        ),
      );
    socket.once("error", lost);
    socket.once("end", () => (socket.writableFinished ? resolve() : lost()));
    socket.once("close", () => lost());
    signal.addEventListener("abort", () => socket.destroy(), { once: true });
    // What a server sends is not part of the protocol.
    socket.resume();
    socket.end(text);
  });
}

async function sendSyslog(
  { protocol, syslogServer }: StreamSettings,
  entries: readonly SentEntry[],
  signal: AbortSignal,
): Promise<void> {
  const { host, port } = SYSLOG_SERVER.exec(syslogServer)?.groups ?? {};
  if (!host) throw new AppError("conflict", "Enter the syslog server.");
  const tls = protocol === "syslog-tls";
  const socket = await openGuardedSocket({
    purpose: "audit:stream",
    host,
    port: port === undefined ? (tls ? 6514 : 601) : Number(port),
    tls,
    allowPrivate: true,
    signal,
  });
  const timeoutError = () =>
    new AppError(
      "provider_timeout",
      `${host} did not close the connection within ${TIMEOUT / SECOND} seconds.`,
    );
  try {
    await withDeadline({ ms: TIMEOUT, timeoutError, signal }, (ending) =>
      writeAll(socket, encodeSyslog(entries, new URL(publicUrl()).hostname), ending),
    );
  } finally {
    socket.destroy();
  }
}

/**
 * Sends a batch.
 * @throws AppError unless the collector has taken all of it; the signal's reason
 */
export function sendBatch(
  settings: StreamSettings,
  entries: readonly SentEntry[],
  signal: AbortSignal,
): Promise<void> {
  return settings.protocol === "http"
    ? post(settings, entries, signal)
    : sendSyslog(settings, entries, signal);
}
