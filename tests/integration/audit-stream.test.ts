import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeCertificate, startCollector, startSyslog } from "../support/collector";
import { lookInto } from "../support/faults";
import { plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

const KILLS = Number(process.env.FAULT_KILLS ?? 1);
/** Of what another process does, in ms. */
const PATIENCE = { timeout: 60_000, interval: 50 };

let folder: string;
let files: { key: string; cert: string };
let server: TestServer;
let collector: Awaited<ReturnType<typeof startCollector>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-collector-"));
  files = makeCertificate(folder);
  const env = { NODE_EXTRA_CA_CERTS: files.cert, QUARTERDECK_KEY_AUDIT: "s3cret-of-the-collector" };
  server = await startServer({ env });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  await save({ enabled: false });
  await collector.close();
});

interface State {
  waiting: number;
  position: number | null;
  error: string | null;
  failures: number;
  succeededAt: string | null;
}

const save = async (json: object) => {
  const response = await server.ask("/api/audit/stream", { as: "owner", method: "PUT", json });
  expect([response.status, await response.clone().text()]).toEqual([200, expect.any(String)]);
  return (await response.json()) as State;
};
const state = async () => (await (await server.ask("/api/audit/stream", { as: "owner" })).json()) as State;
const http = (more: object = {}) => ({
  enabled: true,
  protocol: "http",
  url: collector.url,
  format: "json",
  ...more,
});

let added = 0;
const addPersona = async () => {
  added += 1;
  const json = {
    name: `Persona ${added}`,
    systemPrompt: "x",
    defaultModel: "gpt-4o",
    mode: "default",
    tools: [],
  };
  expect((await server.ask("/api/personas", { as: "member", json })).status).toBe(201);
};

interface Entry {
  seq: number;
  mac: string;
  action: string;
  createdAt: string;
}

const entriesIn = (body: string) => JSON.parse(body) as Entry[];
const batches = () => collector.received.map(({ body }) => entriesIn(body).map(({ seq }) => seq));
const stored = () =>
  lookInto(server, (raw) =>
    raw.prepare("SELECT seq, mac, action FROM audit_entries ORDER BY seq").all(),
  ) as Entry[];

/** How collectors read what they get. */
const FORMS = [
  { format: "json", type: "application/json", read: entriesIn },
  {
    format: "ndjson",
    type: "application/x-ndjson",
    read: (body: string) => body.split("\n").flatMap((line) => (line ? [JSON.parse(line) as Entry] : [])),
  },
  { format: "loki", type: "application/json", read: readLoki },
];

/** Lines of the one stream, each with its time in ns. */
function readLoki(body: string): Entry[] {
  const { streams } = JSON.parse(body) as { streams: { stream: object; values: [string, string][] }[] };
  expect(streams.map(({ stream }) => stream)).toEqual([{ job: "quarterdeck", log: "audit" }]);
  return streams.flatMap(({ values }) =>
    values.map(([time, line]) => {
      const entry = JSON.parse(line) as Entry;
      expect(time).toBe(`${Date.parse(entry.createdAt)}000000`);
      return entry;
    }),
  );
}

describe("the stream of audit entries", () => {
  it("is off until an owner sets it", async () => {
    expect(await state()).toMatchObject({ settings: { enabled: false }, position: null, waiting: 0 });
    const form = await plainBrowser(server, "owner").open("/audit/stream");
    const refused = await form.submit("save", { enabled: "on", url: "" });
    expect(refused.described("url")).toContain("Enter the collector's address");
    const saved = await form.submit("save", { enabled: "on", url: collector.url });
    expect((await saved.follow()).text).toContain("Stream saved");
    await addPersona();
    await expect.poll(() => collector.received.length, PATIENCE).toBeGreaterThan(0);
    expect(stored().map(({ action }) => action)).toContain("audit.stream_updated");
  });

  it.each(FORMS)("sends all entries from the oldest on as $format, with the key", async (form) => {
    await save(
      http({
        start: "beginning",
        format: form.format,
        keyVariable: "QUARTERDECK_KEY_AUDIT",
        keyHeader: "x-api-key",
        keyScheme: "",
      }),
    );
    await expect.poll(() => state(), PATIENCE).toMatchObject({ waiting: 0, error: null });
    const sent = collector.received.flatMap(({ body }) => form.read(body));
    expect(sent.map(({ seq, mac, action }) => ({ seq, mac, action }))).toEqual(stored());
    expect(collector.received[0]?.headers).toMatchObject({
      "content-type": form.type,
      "x-api-key": "s3cret-of-the-collector",
    });
  });

  it("says why a collector refuses, keeps the entries, and goes on after it", async () => {
    collector.answers((response) => response.writeHead(400).end("no such <index>"));
    const { position } = await save(http({ start: "now" }));
    await addPersona();
    await expect.poll(async () => (await state()).failures, PATIENCE).toBeGreaterThan(1);
    expect(await state()).toMatchObject({
      position,
      error: "The collector returned HTTP 400: no such <index>",
    });
    const page = await plainBrowser(server, "owner").open("/audit/stream");
    expect(page.text).toContain("The collector returned HTTP 400: no such <index>");
    expect(page.text).toContain("No entry is skipped.");
    collector.answers((response) => response.writeHead(204).end());
    await expect.poll(() => state(), PATIENCE).toMatchObject({ waiting: 0, error: null });
    expect(batches().at(-1)).toEqual(stored().flatMap(({ seq }) => (seq > Number(position) ? [seq] : [])));
  });

  it("isn't led astray by redirects, and doesn't wait for bodies without an end", async () => {
    const other = await startCollector();
    try {
      collector.answers((response) => response.writeHead(307, { location: other.url }).end());
      await save(http({ start: "now" }));
      await addPersona();
      await expect.poll(async () => (await state()).error, PATIENCE).toMatch(/redirect/);
      expect(other.received).toEqual([]);
      collector.answers((response) => {
        response.writeHead(200);
        const endless = () => {
          while (response.write("x".repeat(65_536)));
          response.once("drain", endless);
        };
        endless();
      });
      await expect.poll(() => state(), PATIENCE).toMatchObject({ waiting: 0, error: null });
    } finally {
      await other.close();
    }
  });

  it("makes batches smaller that are too large for the collector", async () => {
    collector.answers((response, { body }) =>
      response.writeHead(entriesIn(body).length > 2 ? 413 : 200).end(),
    );
    await save(http({ start: "now" }));
    for (let count = 0; count < 3; count += 1) await addPersona();
    await save({ start: "beginning" });
    await expect.poll(() => state(), PATIENCE).toMatchObject({ waiting: 0, error: null });
    expect(batches().at(-1)?.length).toBeLessThanOrEqual(2);
  });

  it("takes Elasticsearch's word for each entry", async () => {
    const verdict = (status: number) => (body: string) =>
      JSON.stringify({
        errors: status > 201,
        items: body
          .trim()
          .split("\n")
          .filter((_, at) => at % 2 === 0)
          .map(() => ({ create: { status, error: { reason: "closed index" } } })),
      });
    collector.answers((response, { body }) => response.writeHead(200).end(verdict(403)(body)));
    await save(http({ start: "now", format: "elastic" }));
    await addPersona();
    await expect.poll(async () => (await state()).error, PATIENCE).toContain("(HTTP 403): closed index");
    collector.answers((response) => response.writeHead(200).end("garbage"));
    await expect.poll(async () => (await state()).error, PATIENCE).toContain("not Elasticsearch's");
    // It has them from an attempt whose answer was lost.
    collector.answers((response, { body }) => response.writeHead(200).end(verdict(409)(body)));
    await expect.poll(() => state(), PATIENCE).toMatchObject({ waiting: 0, error: null });
  });

  it("holds nothing else up while a collector hangs, and drops no entry that it hasn't sent", async () => {
    collector.answers(() => undefined);
    await save(http({ start: "beginning" }));
    await expect.poll(() => collector.received.length, PATIENCE).toBe(1);
    await addPersona();
    const upTo = stored().at(-1)?.seq;
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const sealed = await server.ask("/api/audit/checkpoints", { as: "owner", json: { before: day } });
    expect(await sealed.json()).toMatchObject({ upToSeq: upTo });
    const dropped = await server.ask(`/api/audit/checkpoints/${upTo}`, { as: "owner", method: "DELETE" });
    expect([dropped.status, await dropped.text()]).toEqual([
      409,
      expect.stringContaining("turn the stream off"),
    ]);
    expect((await state()).waiting).toBeGreaterThan(0);
  });

  it("tests a collector, and says what is wrong with it", async () => {
    await save(http({ enabled: false, format: "splunk" }));
    const test = async () => {
      const response = await server.ask("/api/audit/stream/test", { as: "owner", method: "POST" });
      return [response.status, await response.text()];
    };
    expect(await test()).toEqual([204, ""]);
    expect(JSON.parse(collector.received[0]?.body ?? "")).toMatchObject({
      sourcetype: "_json",
      event: { seq: 0, action: "audit.stream_tested", details: { test: true } },
    });
    collector.answers((response) => response.writeHead(503).end());
    expect(await test()).toEqual([502, expect.stringContaining("The collector returned HTTP 503.")]);
    await save({ url: "http://169.254.169.254/" });
    expect(await test()).toEqual([422, expect.stringContaining("link-local")]);
  });

  it("tells /metrics what waits", async () => {
    collector.answers((response) => response.writeHead(500).end());
    await save(http({ start: "now" }));
    await addPersona();
    await expect.poll(async () => (await state()).failures, PATIENCE).toBeGreaterThan(0);
    const token = await server.createToken("owner", ["metrics.read"]);
    const metrics = await (await server.ask("/metrics", { token })).text();
    expect(metrics).toMatch(/^quarterdeck_audit_stream_waiting [1-9]/m);
    expect(metrics).toMatch(/^quarterdeck_audit_stream_failures [1-9]/m);
  });

  it.each(["syslog-tls", "syslog-tcp"])("speaks %s", async (protocol) => {
    const syslog = await startSyslog(protocol === "syslog-tls" ? files : undefined);
    try {
      await save({ enabled: true, protocol, syslogServer: syslog.server, start: "beginning" });
      await expect.poll(() => state(), PATIENCE).toMatchObject({ waiting: 0, error: null });
      const messages = syslog.messages.map((message) =>
        /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ quarterdeck - (\S+) - (\{.*\})$/.exec(message),
      );
      const sent = messages.map((message) => JSON.parse(message?.[2] ?? "") as Entry);
      expect(sent.map(({ seq, mac, action }) => ({ seq, mac, action }))).toEqual(stored());
      expect(messages.map((message) => message?.[1])).toEqual(sent.map(({ action }) => action.slice(0, 32)));
    } finally {
      await syslog.close();
    }
  });

  it("trusts no certificate that isn't signed", async () => {
    const stranger = mkdtempSync(join(folder, "other-"));
    const untrusted = await startSyslog(makeCertificate(stranger));
    try {
      const to = { protocol: "syslog-tls", syslogServer: untrusted.server };
      await save({ enabled: true, ...to, start: "beginning" });
      await expect.poll(async () => (await state()).error, PATIENCE).toMatch(/certificate/);
      expect(untrusted.messages).toEqual([]);
    } finally {
      await untrusted.close();
    }
  });

  it(`loses no entry and keeps their order over ${KILLS} kills`, async () => {
    await save(http({ start: "beginning" }));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = collector.received.length;
      // Killed when the collector has taken a batch and before it says so, and after.
      const isAnswered = kill % 2 === 1;
      const arrived = new Promise<void>((resolve) =>
        collector.answers((response) => {
          if (isAnswered) response.writeHead(200).end();
          resolve();
        }),
      );
      for (let count = 0; count < 5; count += 1) await addPersona();
      await arrived;
      await server.kill();
      expect(collector.received.length).toBeGreaterThan(before);
      collector.answers((response) => response.writeHead(200).end());
      await server.start();
    }
    await expect.poll(() => state(), PATIENCE).toMatchObject({ waiting: 0, error: null });
    const all = stored().map(({ seq }) => seq);
    let next = all[0] ?? 0;
    const starts = new Set<number>();
    for (const batch of batches()) {
      const first = batch[0] ?? 0;
      // A batch follows the one before, or begins where one began that is repeated.
      expect(first === next || starts.has(first)).toBe(true);
      expect(batch).toEqual(all.slice(all.indexOf(first), all.indexOf(first) + batch.length));
      starts.add(first);
      next = Math.max(next, (batch.at(-1) ?? 0) + 1);
    }
    expect(next).toBe((all.at(-1) ?? 0) + 1);
  });
});

it("keeps the key out of the database and the trail", async () => {
  expect(readFileSync(join(server.dataDir, "quarterdeck.sqlite")).includes("s3cret-of-the-collector")).toBe(
    false,
  );
});
