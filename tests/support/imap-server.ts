import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import hoodiecrow from "hoodiecrow-imap";

interface Certificate {
  key: Buffer;
  cert: Buffer;
}

/**
 * A mail server on loopback, with the user "testuser", the password "testpass" and a folder INBOX.
 * @param certificate offers STARTTLS; without one there is no TLS
 */
export async function startImapServer(messages: readonly string[], certificate?: Certificate) {
  const server = hoodiecrow({
    ...(certificate && { plugins: ["STARTTLS"], credentials: certificate }),
    storage: { INBOX: { messages: messages.map((raw) => ({ raw })) } },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    arrive(...raw: string[]) {
      for (const one of raw) server.appendMessage("INBOX", [], false, one);
    },
    /** As if the folder had been deleted and made again. */
    setUidValidity(value: number) {
      const { INBOX } = server.folderCache;
      if (INBOX) INBOX.uidvalidity = value;
    },
    /** Sees what clients send, encrypted or not. */
    onConnection: (listener: (socket: Socket) => void) => void server.server.on("connection", listener),
    close: () => server.close(),
  };
}

interface MailFacts {
  subject: string;
  from?: string;
  body?: string;
  file?: string;
}

/** A message with a text and an attachment. */
export const mailWithFile = ({
  subject,
  from = "Ada <ada@example.com>",
  body = "Hello.",
  file = "a,b",
}: MailFacts): string =>
  [
    `From: ${from}`,
    "To: desk@example.com",
    `Subject: ${subject}`,
    "Date: Sun, 29 Nov 2026 09:00:00 +0000",
    `Message-ID: <${subject.replaceAll(" ", ".")}@example.com>`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    body,
    "--b",
    'Content-Type: text/csv; name="../list.csv"',
    "Content-Disposition: attachment",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(file).toString("base64"),
    "--b--",
    "",
  ].join("\r\n");
