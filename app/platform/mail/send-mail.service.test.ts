import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { SMTPServer, type SMTPServerOptions } from "../../../tests/support/sdks";
import { sendMail } from "./send-mail.service.server";

const never = new AbortController().signal;
const message = {
  to: ["a@b.example", "c@d.example"],
  subject: "Grüße",
  body: "Hello\n.\nEnd",
  messageId: "run_1:s",
};

let server: SMTPServer | undefined;
afterEach(async () => {
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
  setEnv(undefined);
});

/** A mail server on this machine that keeps what it gets. */
async function startServer(options: SMTPServerOptions = {}, query = "?tls=off", user = "") {
  const received: { from: string; to: string[]; source: string }[] = [];
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : "";
        received.push({
          from,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  const listening = server.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  const { port } = listening.address() as AddressInfo;
  setEnv({
    LOG_LEVEL: "silent",
    PUBLIC_URL: "https://console.example.com",
    SMTP_URL: `smtp://${user}127.0.0.1:${port}/${query}`,
  });
  return received;
}

describe("an email", () => {
  it("reaches the mail server with its message id", async () => {
    const received = await startServer();
    expect(await sendMail({ ...message, messageId: "run_1:each[3].send-2" }, "test:smtp", never)).toEqual({
      messageId: "<run_1.each-5b3-5d-2esend-2d2@console.example.com>",
      accepted: message.to,
      rejected: [],
    });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ from: "no-reply@console.example.com", to: message.to });
    expect(received[0]?.source).toMatch(
      /^Message-ID: <run_1\.each-5b3-5d-2esend-2d2@console\.example\.com>/m,
    );
    expect(received[0]?.source).toMatch(/^Subject: =\?UTF-8\?/m);
  });

  it("needs a mail server", async () => {
    setEnv({ LOG_LEVEL: "silent" });
    await expect(sendMail(message, "test:smtp", never)).rejects.toThrow("Set SMTP_URL to send email.");
  });

  it.each([{ subject: "a\r\nBcc: x@y.example" }, { to: ["a@b.example\nBcc: x@y.example"] }])(
    "rejects line breaks in headers: %j",
    async (change) => {
      const received = await startServer();
      await expect(sendMail({ ...message, ...change }, "test:smtp", never)).rejects.toMatchObject({
        code: "invalid",
      });
      expect(received).toEqual([]);
    },
  );

  it("requires TLS unless SMTP_URL turns it off", async () => {
    const received = await startServer({}, "");
    await expect(sendMail(message, "test:smtp", never)).rejects.toMatchObject({
      code: "provider_rejected",
      message: expect.stringContaining("no trusted TLS"),
    });
    expect(received).toEqual([]);
  });

  it("fails with the mail server's message, never with the password", async () => {
    const onAuth: SMTPServerOptions["onAuth"] = (_, __, done) => done(new Error("unknown user"));
    await startServer({ authOptional: false, allowInsecureAuth: true, onAuth }, "?tls=off", "me:hunter2@");
    const refused = await sendMail(message, "test:smtp", never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "provider_key", message: expect.stringContaining("unknown user") });
    expect(String(refused)).not.toContain("hunter2");
  });

  it("reports rejected recipients", async () => {
    const onRcptTo: SMTPServerOptions["onRcptTo"] = ({ address }, _, done) =>
      done(address.startsWith("c@") ? Object.assign(new Error("no such user"), { responseCode: 550 }) : null);
    await startServer({ onRcptTo });
    expect(await sendMail(message, "test:smtp", never)).toMatchObject({
      accepted: ["a@b.example"],
      rejected: ["c@d.example"],
    });
    await expect(sendMail({ ...message, to: ["c@d.example"] }, "test:smtp", never)).rejects.toMatchObject({
      code: "provider_rejected",
      permanent: true,
    });
  });

  it("stops when its step is canceled", async () => {
    const stop = new AbortController();
    await startServer({ onConnect: () => stop.abort(new Error("stopped")) });
    await expect(sendMail(message, "test:smtp", stop.signal)).rejects.toThrow("stopped");
  });

  it("can't reach a cloud metadata address", async () => {
    setEnv({ LOG_LEVEL: "silent", SMTP_URL: "smtp://169.254.169.254:25" });
    await expect(sendMail(message, "test:smtp", never)).rejects.toMatchObject({ code: "egress_refused" });
  });
});
