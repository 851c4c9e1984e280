import { isIP, type Socket } from "node:net";
import type { FetchMessageObject, ImapFlow } from "imapflow";
import { z } from "zod";
import { onAbort } from "~/core/abort";
import { isoTime } from "~/core/durations";
import { openGuardedSocket, startTls } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { derivedId } from "~/core/ids.server";
import { clip } from "~/core/well-formed";
import { keyForWorkflow } from "~/team/keys/keys.service.server";
import type { email } from "../triggers/polled.triggers.server";
import type { ReadMail } from "./inbound.schema";
import { type PollContext, type Polled, readInbound } from "./inbound.server";

type Config = z.infer<typeof email.config>;

/** Of a message, in bytes; a larger one starts a run without its text. */
const MAX_BYTES = 15_000_000;
/** Messages whose heads a check looks at. */
const MAX_LOOKED_AT = 500;
/** Silence of the server, in ms. */
const SILENCE = 60_000;

/** A folder whose UIDVALIDITY changes has given its messages other numbers (RFC 9051, 2.3.1.1). */
const MailState = z.object({ uidValidity: z.string(), lastUid: z.number() });
type MailState = z.infer<typeof MailState>;

const hostOf = (host: string) => host.replace(/^\[|\]$/g, "").toLowerCase();

/** As key references name it. */
export const mailOrigin = (host: string): string => {
  const name = hostOf(host);
  return `https://${isIP(name) === 6 ? `[${name}]` : name}`;
};

/** Only there a connection without TLS is no risk; the guard must allow it too. */
const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);

/** What went wrong, in a sentence. */
function explain(error: unknown, { host, user, folder }: Config): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const { authenticationFailed, mailboxMissing, responseStatus, responseText, code } = error as Error & {
    authenticationFailed?: boolean;
    mailboxMissing?: boolean;
    /** Of a refused command, with the server's words. */
    responseStatus?: string;
    responseText?: string;
    code?: string;
  };
  if (authenticationFailed) return new AppError("provider_key", `${host} refused the sign-in of ${user}.`);
  const words = responseText ? `: ${clip(responseText.toWellFormed(), 200)}` : ".";
  if (mailboxMissing || responseStatus === "NO")
    return new AppError("provider_rejected", `${host} doesn't open the folder ${folder}${words}`);
  if (responseStatus === "BAD")
    return new AppError("provider_rejected", `${host} refused what it was asked${words}`);
  if (/TooLarge|TooManyTokens/.test(code ?? ""))
    return new AppError("provider_rejected", `${host} sent more than is read.`);
  return new AppError(
    "provider_unavailable",
    `The connection to ${host} failed: ${clip(error.message, 200)}`,
    { cause: error },
  );
}

/** Signed in, with the folder open for reading: nothing is marked as seen. */
async function connect(config: Config, pass: string, socket: Socket): Promise<ImapFlow> {
  const { ImapFlow } = await import("imapflow");
  const client = new ImapFlow({
    host: hostOf(config.host),
    port: config.port,
    // A server that offers no STARTTLS is refused before the sign-in.
    ...(config.security === "starttls" ? { secure: false, doSTARTTLS: true } : { secure: true }),
    // The socket is connected, by TLS unless that comes later or it is to loopback.
    transport: {
      connect(_options, onConnect) {
        setImmediate(onConnect);
        return socket;
      },
      upgrade: (plain, _options, onSecure) =>
        startTls(plain as Socket, hostOf(config.host)).once("secureConnect", onSecure),
    },
    auth: { user: config.user, pass },
    clientInfo: { name: "Quarterdeck" },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    greetingTimeout: SILENCE / 4,
    socketTimeout: SILENCE,
    maxLineLength: 1_000_000,
    maxLiteralSize: MAX_BYTES + 1_000_000,
    maxResponseSize: MAX_BYTES + 3_000_000,
    maxResponseTokens: 50_000,
  });
  // An error in a command rejects it; without a listener the event would end the process.
  client.on("error", () => undefined);
  await client.connect();
  await client.mailboxOpen(config.folder, { readOnly: true });
  return client;
}

const hasText = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

function matches({ envelope }: FetchMessageObject, { from, subject }: Config): boolean {
  const senders = (envelope?.from ?? []).map(({ name = "", address = "" }) => `${name} <${address}>`);
  return (
    (from === "" || senders.some((sender) => hasText(sender, from))) &&
    (subject === "" || hasText(envelope?.subject ?? "", subject))
  );
}

const UNREAD: ReadMail = { from: "", to: [], cc: [], subject: "", date: "", text: "", files: [], notes: [] };

/** A message that can't be read has the reason in its notes: it mustn't hold up those after it. */
async function readMessage(
  client: ImapFlow,
  { uid, size = 0 }: FetchMessageObject,
  signal: AbortSignal,
): Promise<ReadMail | undefined> {
  const unread = (reason: string) => ({ ...UNREAD, notes: [reason] });
  if (size > MAX_BYTES)
    return unread(`The message has ${Math.ceil(size / 1e6)} MB; at most ${MAX_BYTES / 1e6} MB are read.`);
  const message = await client.fetchOne(String(uid), { source: true }, { uid: true });
  // Another program has deleted it since.
  if (message === false || message.source === undefined) return undefined;
  const { source } = message;
  try {
    return await readInbound({ kind: "mail", bytes: source }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return unread(error.message);
    throw error;
  }
}

/** Messages of another mailbox or folder may have the same numbers. */
const keyOf = ({ host, port, user, folder }: Config, { uidValidity }: MailState, uid: number) =>
  `${derivedId("box", host, port, user, folder)}:${uidValidity}:${uid}`;

function startOf(key: string, { envelope }: FetchMessageObject, read: ReadMail) {
  const { files, date, ...mail } = read;
  const sender = envelope?.from?.[0]?.address ?? "";
  const at = Date.parse(date) || new Date(envelope?.date ?? Number.NaN).getTime();
  return {
    key,
    files,
    payload: {
      mail: {
        ...mail,
        id: clip(envelope?.messageId ?? "", 1000),
        from: mail.from || sender,
        sender: clip(sender, 320),
        subject: mail.subject || clip(envelope?.subject ?? "", 1000),
        date: Number.isFinite(at) ? isoTime(at) : date,
      },
    },
  };
}

/** Uids after the last one, oldest first; without one the newest, if it is to start a run. */
async function findNew(client: ImapFlow, lastUid: number, isFirst: boolean): Promise<number[]> {
  const range = isFirst ? "*" : `${lastUid + 1}:*`;
  const found = (await client.search({ uid: range }, { uid: true })) || [];
  // `n:*` finds the last message, even if it is before n.
  return found.filter((uid) => isFirst || uid > lastUid).sort((one, other) => one - other);
}

/** @throws AppError with why the mailbox can't be read */
export async function* pollMail(
  config: Config,
  stored: unknown,
  { orgId, limit, signal }: PollContext,
): AsyncGenerator<Polled> {
  const host = hostOf(config.host);
  const pass = keyForWorkflow(orgId, config.key, mailOrigin(host));
  const socket = await openGuardedSocket({
    purpose: "workflow:imap",
    host,
    port: config.port,
    tls: config.security === "tls" && !isLoopback(host),
    signal,
  });
  const release = onAbort(signal, () => socket.destroy());
  try {
    const client = await connect(config, pass, socket);
    yield* readNew(client, config, MailState.safeParse(stored).data, limit, signal);
    await client.logout();
  } catch (error) {
    signal.throwIfAborted();
    throw explain(error, config);
  } finally {
    release();
    socket.destroy();
  }
}

async function* readNew(
  client: ImapFlow,
  config: Config,
  known: MailState | undefined,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Polled> {
  const { mailbox } = client;
  if (!mailbox) throw new AppError("provider_unavailable", `${config.host} closed the folder.`);
  const uidValidity = String(mailbox.uidValidity);
  const state = known?.uidValidity === uidValidity ? known : undefined;
  const lastUid = state?.lastUid ?? Math.max(0, mailbox.uidNext - 1);
  // Only the first check starts with the newest message: after a change of UIDVALIDITY that one may have started a run.
  if (!state && (known || config.first === "nothing")) return yield { state: { uidValidity, lastUid } };
  let reached = state ? lastUid : 0;
  let started = 0;
  for (const uid of (await findNew(client, lastUid, !state)).slice(0, MAX_LOOKED_AT)) {
    signal.throwIfAborted();
    if (started >= limit) break;
    const head = await client.fetchOne(String(uid), { uid: true, envelope: true, size: true }, { uid: true });
    const read = head && matches(head, config) ? await readMessage(client, head, signal) : undefined;
    reached = uid;
    if (!head || !read) continue;
    started += 1;
    const next = { uidValidity, lastUid: state ? uid : Math.max(uid, lastUid) };
    yield { start: startOf(keyOf(config, next, uid), head, read), state: next };
  }
  yield { state: { uidValidity, lastUid: state ? reached : Math.max(reached, lastUid) } };
}
