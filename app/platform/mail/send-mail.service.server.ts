import { isIP, type Socket } from "node:net";
import type { Options as SmtpOptions } from "nodemailer/lib/smtp-transport";
import { onAbort } from "~/core/abort";
import { openGuardedSocket } from "~/core/egress/index.server";
import { env, publicUrl } from "~/core/env.server";
import { AppError, type ErrorCode } from "~/core/errors";
import { withoutOverrides } from "~/core/well-formed";

/** Timeout of the greeting and between responses, in ms. */
const SILENCE = 30_000;
const HAS_LINE_BREAK = /[\r\n\u2028\u2029\0]/;

export interface MailMessage {
  to: string[];
  subject: string;
  body: string;
  messageId: string;
  attachments?: readonly { name: string; mediaType: string; bytes: Buffer }[];
}

/** A type, not an interface: a step returns it as JSON. */
export type SentMail = { messageId: string; accepted: string[]; rejected: string[] };

/** @throws AppError `conflict` without a mail server */
function readServer(): { options: SmtpOptions; from: string } {
  const { SMTP_URL, SMTP_FROM } = env();
  if (!SMTP_URL) throw new AppError("conflict", "Set SMTP_URL to send email.", { permanent: true });
  const url = new URL(SMTP_URL);
  const secure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const user = decodeURIComponent(url.username);
  const off = url.searchParams.get("tls") === "off";
  return {
    from: SMTP_FROM ?? (user.includes("@") ? user : `no-reply@${new URL(publicUrl()).hostname}`),
    options: {
      host,
      port: Number(url.port) || (secure ? 465 : 587),
      secure,
      requireTLS: !secure && !off,
      ignoreTLS: !secure && off,
      // SNI allows names only; an address's certificate is still checked.
      tls: isIP(host) ? {} : { servername: host },
      ...(user ? { auth: { user, pass: decodeURIComponent(url.password) } } : {}),
      greetingTimeout: SILENCE,
      socketTimeout: SILENCE,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
  };
}

export const hasMailServer = (): boolean => env().SMTP_URL !== undefined;

/** A Message-ID (RFC 5322, 3.6.4) derived from a text. */
function toMessageId(text: string): string {
  const local = text.replace(/[^A-Za-z0-9_:]/g, (character) =>
    [...Buffer.from(character)].map((byte) => `-${byte.toString(16).padStart(2, "0")}`).join(""),
  );
  return `<${local.replaceAll(":", ".")}@${new URL(publicUrl()).hostname}>`;
}

function explain(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const { code, responseCode, response } = error as Error & {
    code?: string;
    responseCode?: number;
    response?: string;
  };
  const answer = response ? ` It responded: ${response.slice(0, 300)}` : "";
  const isPermanent = responseCode !== undefined && responseCode >= 500;
  const fail = (as: ErrorCode, message: string, permanent = isPermanent) =>
    new AppError(as, message, { cause: error, permanent });
  if (code === "EAUTH")
    return fail("provider_key", `The mail server rejected the sign-in. Check SMTP_URL.${answer}`);
  if (code === "ETLS")
    return fail(
      "provider_rejected",
      "The mail server has no trusted TLS certificate. Install one, or check the host in SMTP_URL.",
      true,
    );
  if (code === "ETIMEDOUT") return fail("provider_timeout", "The mail server took too long. Try again.");
  if (responseCode !== undefined)
    return fail("provider_rejected", `The mail server rejected the message.${answer}`);
  return fail("provider_unavailable", `The connection to the mail server failed: ${error.message}`);
}

/**
 * Sends a message as plain text over SMTP_URL.
 * @param purpose label in the log and the record of calls, such as `workflow:smtp`
 * @throws AppError with a message for the user; the signal's reason
 */
export async function sendMail(
  message: MailMessage,
  purpose: string,
  signal: AbortSignal,
): Promise<SentMail> {
  const { to, body, attachments = [] } = message;
  const { options, from } = readServer();
  // A name in it may turn the rest around.
  const subject = withoutOverrides(message.subject);
  if ([subject, ...to].some((header) => HAS_LINE_BREAK.test(header)))
    throw new AppError("invalid", "Remove line breaks from the subject and addresses.");
  const { createTransport } = await import("nodemailer");
  let socket: Socket | undefined;
  const release = onAbort(signal, () => socket?.destroy());
  const transport = createTransport({
    ...options,
    getSocket({ host = "", port = 0 }, done) {
      openGuardedSocket({
        purpose,
        host: String(host),
        port: Number(port),
        allowPrivate: true,
        signal,
      }).then(
        (connection) => {
          socket = connection;
          done(null, { connection });
        },
        (error: Error) => done(error, undefined),
      );
    },
  });
  try {
    const messageId = toMessageId(message.messageId);
    const sent = await transport.sendMail({
      from,
      to,
      subject,
      text: body,
      messageId,
      attachments: attachments.map(({ name, mediaType, bytes }) => ({
        filename: name,
        contentType: mediaType,
        content: bytes,
      })),
    });
    const addresses = (list: readonly (string | { address: string })[]) =>
      list.map((one) => (typeof one === "string" ? one : one.address));
    return { messageId, accepted: addresses(sent.accepted), rejected: addresses(sent.rejected) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw explain(error);
  } finally {
    release();
    transport.close();
    socket?.destroy();
  }
}
