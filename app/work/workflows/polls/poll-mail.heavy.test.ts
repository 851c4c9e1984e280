import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openResultFile } from "~/ai/tools/files/result-files.service.server";
import { now, setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { MINUTE } from "~/core/durations";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { wakeDispatcher } from "~/platform/jobs/job-kind.service.server";
import { addKey } from "~/team/keys/keys.service.server";
import { makeCertificate } from "../../../../tests/support/collector";
import { openTestDatabase } from "../../../../tests/support/database";
import { mailWithFile, startImapServer } from "../../../../tests/support/imap-server";
import { startWorkflows } from "../runs.service.server";
import { workflowJobs } from "../workflows.jobs.server";
import { createWorkflow, readWorkflow, updateWorkflow } from "../workflows.service.server";
import { checkNow, listPolls } from "./polls.service.server";

interface Payload {
  mail: Record<string, unknown>;
  files: { id: string }[];
}

let test: ReturnType<typeof openTestDatabase>;
let stops: (() => unknown)[];
let server: Awaited<ReturnType<typeof startImapServer>>;
let key: string;

const message = (subject: string, from?: string, body?: string) =>
  mailWithFile({ subject, ...(from && { from }), ...(body && { body }) });

beforeEach(async () => {
  server = await startImapServer([message("Old")]);
  test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1,localhost" });
  vi.stubEnv("QUARTERDECK_KEY_MAIL", "testpass");
  key = addKey(test.actors.owner, {
    provider: "other",
    alias: "QUARTERDECK_KEY_MAIL",
    origin: "https://127.0.0.1",
  }).id;
  stops = [() => server.close(), startWorkflows(), startJobs(workflowJobs)];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  setClock();
  vi.unstubAllEnvs();
  test.close();
});
afterAll(closeWorkerPools);

const watch = (config: Record<string, unknown> = {}) =>
  createWorkflow(test.actors.member, {
    name: "Desk",
    description: "",
    triggers: [
      {
        type: "email",
        id: "mail",
        config: { host: "127.0.0.1", port: server.port, user: "testuser", key, ...config },
      },
    ],
    steps: [{ type: "log", id: "say", config: { message: "{{ trigger.mail.subject }}" } }],
    connections: [],
  });
const pollOf = (id: string) => listPolls(test.actors.member, id)[0];
const isChecked = (id: string) =>
  expect.poll(() => [pollOf(id)?.checkedAt !== null, pollOf(id)?.error]).toEqual([true, null]);
/** In the order in which they were accepted. */
const runsOf = (id: string) =>
  rawDatabase()
    .prepare("SELECT payload FROM workflow_runs WHERE workflow_id = ? ORDER BY rowid")
    .pluck()
    .all(id)
    .map((payload) => JSON.parse(payload as string) as Payload);
const subjects = (id: string) => runsOf(id).map(({ mail }) => mail.subject);
/** Once no check is at work: its end plans the next one by the clock. */
async function check() {
  const busy = () =>
    rawDatabase()
      .prepare("SELECT count(*) FROM jobs WHERE kind = 'workflows.poll' AND state IN ('queued', 'running')")
      .pluck()
      .get();
  await expect.poll(busy).toBe(0);
  const at = now() + 5 * MINUTE;
  setClock(() => at);
  wakeDispatcher();
}

it("starts a run for each new message, with its text and its attachments as files", async () => {
  const { id } = watch();
  await isChecked(id);
  expect(subjects(id)).toEqual([]);
  server.arrive(message("First"), message("Second"));
  await check();
  await expect.poll(() => subjects(id)).toEqual(["First", "Second"]);
  const [first] = runsOf(id);
  expect(first).toMatchObject({
    mail: {
      id: "<First@example.com>",
      from: "Ada <ada@example.com>",
      sender: "ada@example.com",
      to: ["desk@example.com"],
      date: "2026-11-29T09:00:00.000Z",
      text: "Hello.",
      notes: [],
    },
    files: [{ name: ".._list.csv", mediaType: "text/csv", size: 3 }],
  });
  expect(openResultFile(test.actors.member, first?.files[0]?.id ?? "").bytes.toString()).toBe("a,b");
});

it("starts none twice when the end of a check is lost, nor when UIDVALIDITY changes", async () => {
  const { id } = watch({ first: "newest" });
  await expect.poll(() => subjects(id)).toEqual(["Old"]);
  await isChecked(id);
  server.arrive(message("New"));
  const state = () => rawDatabase().prepare("SELECT state FROM workflow_polls").pluck().get();
  const before = state();
  await check();
  await expect.poll(() => subjects(id)).toEqual(["Old", "New"]);
  await expect.poll(state).not.toBe(before);
  const after = state();
  // As if the console had been killed after the run was accepted.
  rawDatabase().prepare("UPDATE workflow_polls SET state = ?").run(before);
  await check();
  await expect.poll(state).toBe(after);
  expect(subjects(id)).toEqual(["Old", "New"]);
  server.setUidValidity(77);
  await check();
  await expect.poll(state).toContain('"77"');
  expect(subjects(id)).toEqual(["Old", "New"]);
});

it("starts only for the chosen senders and subjects, and reads past what can't be read", async () => {
  const { id } = watch({ from: "@EXAMPLE.com", subject: "order" });
  await isChecked(id);
  server.arrive(
    message("Order 1", "eve@evil.test"),
    message("Other"),
    `From: ada@example.com\r\nSubject: Order 2\r\nContent-Type: application/pkcs7-mime\r\n\r\nMII`,
    message("Order 3", "Ada <ada@example.com>", "x".repeat(200_000)),
    mailWithFile({ subject: "Order 4", file: "x".repeat(4_100_000) }),
  );
  await check();
  await expect.poll(() => subjects(id)).toEqual(["Order 2", "Order 3", "Order 4"]);
  const [encrypted, long, large] = runsOf(id);
  expect(encrypted?.mail).toMatchObject({ text: "", notes: [expect.stringContaining("encrypted")] });
  expect(long?.mail).toMatchObject({ notes: [expect.stringContaining("longer than 100,000")] });
  const note = 'The attachment "../list.csv" was left out: a file has at most 4 MB.';
  expect(large?.mail).toMatchObject({ notes: [note] });
});

it("says why a mailbox can't be read", async () => {
  const { id } = watch({ user: "nobody" });
  const says = (text: string) => expect.poll(() => pollOf(id)?.error).toContain(text);
  await says("127.0.0.1 refused the sign-in of nobody.");
  server.close();
  const silent = createServer((socket) => socket.end("* BYE go away\r\n")).listen(server.port, "127.0.0.1");
  await once(silent, "listening");
  checkNow(test.actors.member, id, "mail");
  await says("The connection to 127.0.0.1 failed");
  silent.close();
});

it("passes on what the server says of a command that it refuses", async () => {
  const refusing = createServer((socket) => {
    socket.write("* OK ready\r\n");
    socket.on("data", (data) => {
      for (const [, tag, verb] of data.toString().matchAll(/^(\S+) (\S+)/gm))
        socket.write(
          verb === "EXAMINE"
            ? `${tag} BAD Closed for maintenance\r\n`
            : `* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`,
        );
    });
  }).listen(0, "127.0.0.1");
  await once(refusing, "listening");
  onTestFinished(() => void refusing.close());
  const { id } = watch({ port: (refusing.address() as AddressInfo).port });
  await expect
    .poll(() => pollOf(id)?.error)
    .toBe("127.0.0.1 refused what it was asked: Closed for maintenance");
});

it("starts runs for another mailbox's messages that have the same numbers", async () => {
  const { id } = watch({ first: "newest" });
  await expect.poll(() => subjects(id)).toEqual(["Old"]);
  await isChecked(id);
  const other = await startImapServer([message("Elsewhere")]);
  onTestFinished(() => other.close());
  const { triggers } = readWorkflow(test.actors.member, id);
  const [mail] = triggers.map((trigger) => ({
    ...trigger,
    config: { ...trigger.config, port: other.port },
  }));
  updateWorkflow(test.actors.member, id, { triggers: mail ? [mail] : [] });
  await expect.poll(() => subjects(id)).toEqual(["Old", "Elsewhere"]);
});

it("checks at once what a change may have corrected", async () => {
  vi.stubEnv("QUARTERDECK_KEY_OLD", "before");
  const old = { provider: "other", alias: "QUARTERDECK_KEY_OLD", origin: "https://127.0.0.1" } as const;
  const { id } = watch({ key: addKey(test.actors.owner, old).id });
  await expect.poll(() => pollOf(id)?.error).toContain("refused the sign-in");
  const { triggers, steps, connections } = readWorkflow(test.actors.member, id);
  const [mail] = triggers.map((trigger) => ({ ...trigger, config: { ...trigger.config, key } }));
  updateWorkflow(test.actors.member, id, { triggers: mail ? [mail] : [], steps, connections });
  await isChecked(id);
  updateWorkflow(test.actors.member, id, { name: "Help desk" });
  expect(Date.parse(pollOf(id)?.nextAt ?? "")).toBeGreaterThan(Date.now() + MINUTE);
});

describe("STARTTLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-imap-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const files = makeCertificate(folder);
  const certificate = { key: readFileSync(files.key), cert: readFileSync(files.cert) };
  const trusted = getCACertificates();
  afterEach(() => setDefaultCACertificates(trusted));

  async function watchBy(own?: typeof certificate) {
    const secured = await startImapServer([message("Old")], own);
    stops.push(() => secured.close());
    vi.stubEnv("QUARTERDECK_KEY_LOCAL", "testpass");
    const localKey = addKey(test.actors.owner, {
      provider: "other",
      alias: "QUARTERDECK_KEY_LOCAL",
      origin: "https://localhost",
    }).id;
    const said: string[] = [];
    secured.onConnection((socket) => socket.on("data", (bytes) => said.push(String(bytes))));
    const { id } = watch({
      host: "localhost",
      port: secured.port,
      security: "starttls",
      key: localKey,
      first: "newest",
    });
    return { id, said };
  }

  it("encrypts before the password is sent", async () => {
    setDefaultCACertificates([...trusted, certificate.cert.toString()]);
    const { id, said } = await watchBy(certificate);
    await expect.poll(() => subjects(id)).toEqual(["Old"]);
    await isChecked(id);
    expect(said.join("")).toContain("STARTTLS");
    expect(said.join("")).not.toContain("testpass");
  });

  it.each([
    ["no TLS", undefined, "does not support STARTTLS"],
    ["a certificate that isn't trusted", certificate, "certificate"],
  ])("sends no password to a server with %s", async (_, own, reason) => {
    const { id, said } = await watchBy(own);
    await expect.poll(() => pollOf(id)?.error).toContain(reason);
    expect(said.join("")).not.toMatch(/LOGIN|AUTHENTICATE|testpass/);
  });
});

it("refuses a key that is bound to another server", () => {
  expect(() => watch({ host: "imap.evil.test" })).toThrow(/can only be sent to https:\/\/127.0.0.1/);
});
