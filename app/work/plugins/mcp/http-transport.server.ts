import type { JSONRPCMessage, StreamableHTTPClientTransport, Transport } from "@modelcontextprotocol/client";
import { MAX_QUESTIONS, QUESTION_MINUTES } from "~/ai/tools/question.shared";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { keyForWorkflow } from "~/team/keys/keys.service.server";
import type { McpTarget } from "../plugins.repo.server";
import { boundAnswer } from "./bounded-answer.server";
import { tokenSource } from "./oauth/credentials.server";

const MAX_BYTES = 5_000_000;
/** Request timeout, in ms. */
const REQUEST_TIMEOUT = 65_000;
/** Beside it, for the questions of a call: its own time limit stands still meanwhile. */
export const QUESTIONS_TIMEOUT = MAX_QUESTIONS * QUESTION_MINUTES * 60_000;
/** Delay before a broken response is resumed, in ms, of what a server may ask for. */
const RESUME = { min: 100, first: 500, max: 30_000, attempts: 3 };

/** Keys are read per request. @throws AppError `provider_key` */
function keyHeaders({ orgId, target, keys }: McpTarget): [string, string][] {
  const { origin } = new URL(target);
  return keys.map(({ name, keyId, prefix }) => [name, prefix + keyForWorkflow(orgId, keyId, origin)]);
}

function fetchFor(server: McpTarget, takesQuestions: boolean): typeof fetch {
  const timeout = takesQuestions ? REQUEST_TIMEOUT + QUESTIONS_TIMEOUT : REQUEST_TIMEOUT;
  const guarded = guardedFetch(`plugin:${server.id}`, {
    hosts: [new URL(server.target).host],
    timeoutMs: timeout,
    silenceMs: timeout,
    maxBytes: MAX_BYTES,
    secretHeaders: server.keys.map(({ name }) => name),
    sendsTrace: true,
  });
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    // Refuses a permanent notification stream per server; a response that broke off is resumed.
    if (init?.method === "GET" && !headers.has("last-event-id")) return new Response(null, { status: 405 });
    for (const [name, value] of keyHeaders(server)) headers.set(name, value);
    return boundAnswer(await guarded(input, { ...init, headers }), server.title);
  };
}

/** How long a server may leave a stream open after its response, in ms. */
const LINGER = 1000;

/** A request whose response hasn't come. */
interface Pending {
  /** Ends its stream and attempts to resume it. */
  controller: AbortController;
  settle(): void;
}

/**
 * Makes a request fail as soon as its response stream has ended for good, which the library leaves to the timeout, and
 * stops resuming once the request was cancelled, which it does in the newest protocol only.
 */
function followRequests(transport: Transport, title: string): void {
  const pending = new Map<unknown, Pending>();
  const finish = (id: unknown) => {
    pending.get(id)?.settle();
    pending.delete(id);
  };
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    receive?.(message, extra);
    if (!("method" in message)) finish(message.id);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message: JSONRPCMessage, options) => {
    if (!("method" in message && "id" in message)) {
      await send(message, options);
      if (!("method" in message) || message.method !== "notifications/cancelled") return;
      const id = message.params?.requestId;
      pending.get(id)?.controller.abort();
      finish(id);
      return;
    }
    const { id } = message;
    const controller = new AbortController();
    let reject: (error: AppError) => void = () => undefined;
    const answered = new Promise<void>((settle, refuse) => {
      reject = refuse;
      pending.set(id, { controller, settle });
    });
    answered.catch(() => undefined);
    const { requestSignal, onRequestStreamEnd } = options ?? {};
    requestSignal?.addEventListener(
      "abort",
      () => {
        controller.abort();
        finish(id);
      },
      { once: true },
    );
    try {
      await send(message, {
        ...options,
        requestSignal: controller.signal,
        onRequestStreamEnd: () => {
          onRequestStreamEnd?.();
          reject(new AppError("provider_unavailable", `${title} closed the connection before it answered.`));
        },
      });
      await answered;
    } finally {
      pending.delete(id);
      setTimeout(() => controller.abort(), LINGER).unref();
    }
  };
}

/** How long and how far the first event of the older transport is waited for, in ms and bytes. */
const OLDER = { timeoutMs: 5000, silenceMs: 5000, maxBytes: 10_000 };

/**
 * Tells the transport before 2025-03-26 by its first event, once the newer one was refused, as the specification has it.
 * @throws AppError if the server speaks the older transport
 */
export async function refuseOlderTransport(server: McpTarget): Promise<void> {
  const hosts = [new URL(server.target).host];
  const headers = Object.fromEntries([["accept", "text/event-stream"], ...keyHeaders(server)]);
  const secretHeaders = server.keys.map(({ name }) => name);
  const send = guardedFetch(`plugin:${server.id}`, { ...OLDER, hosts, secretHeaders });
  let isOlder = false;
  try {
    const { headers: received, body } = await send(server.target, { headers });
    if (!received.get("content-type")?.startsWith("text/event-stream") || !body) return void body?.cancel();
    let text = "";
    // Leaving the loop closes the stream, which has no end.
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      isOlder = /^event: ?endpoint\r?$/m.test(text);
      if (isOlder || text.includes("\n\n")) break;
    }
  } catch (error) {
    log.debug("an MCP server has no stream either", { purpose: `plugin:${server.id}`, error });
  }
  if (isOlder)
    throw new AppError(
      "unprocessable",
      `${server.title} speaks the older transport HTTP+SSE, which isn't supported. Enter the address of its streamable HTTP endpoint, or update the server.`,
    );
}

/** Not yet connected; it resumes a response that the server broke off (SEP-1699). */
export async function openHttpTransport(
  server: McpTarget,
  takesQuestions: boolean,
): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const authProvider = tokenSource(server);
  const transport = new StreamableHTTPClientTransport(new URL(server.target), {
    fetch: fetchFor(server, takesQuestions),
    ...(authProvider && { authProvider }),
    onInsufficientScope: "throw",
    reconnectionOptions: {
      maxRetries: RESUME.attempts,
      initialReconnectionDelay: RESUME.first,
      maxReconnectionDelay: RESUME.max,
      reconnectionDelayGrowFactor: 2,
    },
    reconnectionScheduler: (reconnect, delay) => {
      const timer = setTimeout(reconnect, Math.min(Math.max(delay, RESUME.min), RESUME.max));
      timer.unref();
      return () => clearTimeout(timer);
    },
  });
  followRequests(transport, server.title);
  return transport;
}
