import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { parseHTML } from "linkedom";
import { expect } from "vitest";
import type { Effects, Installation } from "./effect";
import { askModel, inDatabase } from "./installation";

const page = { as: "member", headers: { accept: "text/html" } } as const;

const header =
  (name: string, path: string) =>
  async ({ server }: Installation) => {
    const response = await server.ask(path, {
      ...page,
      headers: { ...page.headers, origin: "https://other.example" },
    });
    await response.body?.cancel();
    return response.headers.get(name);
  };

/** How many requests the model hubs get for lists that are two minutes old. */
async function askHubsAgain(installation: Installation): Promise<number> {
  const { server } = installation;
  const discover = async () => {
    const { hubs } = (await (await server.ask("/api/models/discover", { as: "owner", json: {} })).json()) as {
      hubs: { fetchedAt: string }[];
    };
    return hubs.map(({ fetchedAt }) => Date.parse(fetchedAt));
  };
  await discover();
  inDatabase(installation, (database) =>
    database.prepare("UPDATE discovered_models SET fetched_at = fetched_at - 120000").run(),
  );
  const stored = await discover();
  return stored.filter((at) => at > Date.now() - 60_000).length;
}

/** The content coding of an answer; `fetch` hides it. */
function encodingOf({ server }: Installation): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.baseUrl}/api/openapi.json`, { headers: { "accept-encoding": "gzip" } });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.headers["content-encoding"]);
    });
    sent.on("error", reject);
    sent.end();
  });
}

export const performance: Effects<"performance"> = {
  enableCaching: { to: null, observe: askHubsAgain, before: 0, after: 2 },
  cacheTimeout: { alone: true, to: "60", observe: askHubsAgain, before: 0, after: 2 },
  enableCompression: { to: null, observe: encodingOf, before: "gzip", after: undefined },
  enableMinification: {
    to: null,
    given: () => ({ branding: { customCss: "main { color: red }" } }),
    async observe({ server }) {
      const html = await (await server.ask("/personas", page)).text();
      const [address = ""] = /\/custom\.css[^"]*/.exec(html) ?? [];
      return (await server.ask(address)).text();
    },
    before: "main:where([data-custom-css],[data-custom-css] *){color:red}",
    after: "main:where([data-custom-css],[data-custom-css] *) {\n  color:red\n}\n",
  },
  rateLimitEnabled: {
    to: null,
    given: () => ({ performance: { rateLimitEnabled: true } }),
    observe: header("ratelimit-policy", "/api/tools"),
    before: '"default";q=100;w=60',
    after: null,
  },
  rateLimit: {
    to: "250",
    given: () => ({ performance: { rateLimitEnabled: true } }),
    observe: header("ratelimit-policy", "/api/tools"),
    before: '"default";q=100;w=60',
    after: '"default";q=250;w=60',
  },
};

/** Signs someone in, lets ten minutes pass for the session, and looks whether it still holds. */
async function isSessionAlive(installation: Installation): Promise<boolean> {
  const { server } = installation;
  const cookie = await server.signIn("viewer@example.org", "correct horse battery");
  inDatabase(installation, (database) =>
    database
      .prepare("UPDATE sessions SET last_seen_at = last_seen_at - 600000 WHERE user_id = 'usr_viewer'")
      .run(),
  );
  return (await server.ask("/api/tools", { headers: { cookie } })).status === 200;
}

/** What a session that began with a password alone may call. */
async function passwordSession({ server }: Installation): Promise<number> {
  const cookie = await server.signIn("viewer@example.org", "correct horse battery");
  return (await server.ask("/api/tools", { headers: { cookie } })).status;
}

async function newestEntry({ server }: Installation): Promise<string> {
  const title = `Key ${Math.random()}`;
  await server.ask("/api/personas", {
    as: "owner",
    json: { name: title, systemPrompt: "x", defaultModel: "gpt-4o", mode: "default", tools: [] },
  });
  const entries = (await (await server.ask("/api/audit?limit=5", { as: "owner" })).json()) as {
    action: string;
    details?: { name?: string };
  }[];
  return entries.some(({ details }) => details?.name === title) ? "recorded" : "not recorded";
}

async function allowsLinks({ server }: Installation): Promise<boolean> {
  const chat = await server.ask("/api/ai/chat", {
    as: "member",
    json: { messages: [{ role: "user", content: "Hello" }], model: "quarterdeck-offline" },
  });
  await chat.text();
  const id = chat.headers.get("x-conversation-id");
  const sharing = await server.ask(`/api/ai/conversations/${id}/sharing`, { as: "member" });
  return ((await sharing.json()) as { linksAllowed: boolean }).linksAllowed;
}

async function temporaryChat({ server }: Installation): Promise<number> {
  const json = {
    messages: [{ role: "user", content: "Hello" }],
    model: "quarterdeck-offline",
    temporary: true,
  };
  const response = await server.ask("/api/ai/chat", { as: "member", json });
  await response.text();
  return response.status;
}

async function retentionShown({ server }: Installation): Promise<string | undefined> {
  const html = await (await server.ask("/chat/all", page)).text();
  return /Each is deleted [^.]+\./.exec(html)?.[0];
}

async function offersMemory({ server }: Installation): Promise<boolean> {
  await server.ask("/api/user/settings", { as: "member", method: "PUT", json: { memory: true } });
  const { document } = parseHTML(await (await server.ask("/chat", page)).text());
  return document.querySelector('input[type="checkbox"][name="memory"]') !== null;
}

export const security: Effects<"security"> = {
  allowShareLinks: { to: "on", observe: allowsLinks, before: false, after: true },
  allowTemporaryChats: { to: null, observe: temporaryChat, before: 200, after: 403 },
  allowMemory: { to: null, observe: offersMemory, before: true, after: false },
  conversationRetention: {
    to: "30",
    observe: retentionShown,
    before: undefined,
    after: "Each is deleted 30 days after its last message.",
  },
  enableCSP: {
    to: null,
    observe: async (installation) =>
      (await header("content-security-policy", "/personas")(installation)) !== null,
    before: true,
    after: false,
  },
  enableCORS: {
    to: "on",
    observe: header("access-control-allow-origin", "/api/tools"),
    before: null,
    after: "*",
  },
  corsOrigins: {
    to: "https://one.example",
    given: () => ({ security: { enableCORS: true } }),
    observe: header("access-control-allow-origin", "/api/tools"),
    before: "*",
    after: null,
  },
  sessionTimeout: { to: "300", observe: isSessionAlive, before: true, after: false },
  requireSecondFactor: { to: "on", observe: passwordSession, before: 200, after: 401 },
  enforceHttps: {
    to: "on",
    secure: true,
    observe: async ({ server }) =>
      (await server.ask("/personas", { as: "member", headers: { accept: "text/html" } })).status,
    before: 200,
    after: 308,
  },
  enableAuditLogs: { to: null, observe: newestEntry, before: "recorded", after: "not recorded" },
};

/** Makes a request fail that no one expects to fail: its table is away meanwhile. */
async function failUnexpectedly(installation: Installation): Promise<void> {
  const move = (from: string, to: string) =>
    inDatabase(installation, (database) => database.exec(`ALTER TABLE ${from} RENAME TO ${to}`));
  move("notification_deliveries", "deliveries_away");
  await (await installation.server.ask("/api/notifications/deliveries", { as: "owner" })).text();
  move("deliveries_away", "notification_deliveries");
}

async function reportsErrors(installation: Installation): Promise<boolean> {
  const { server } = installation;
  await server.ask("/api/system/errors", { as: "owner", method: "DELETE" });
  await failUnexpectedly(installation);
  const reports = (await (await server.ask("/api/system/errors", { as: "owner" })).json()) as unknown[];
  return reports.length > 0;
}

/** Whether a request's own line is in the log, ahead of the line of an error after it. */
async function logsRequests(installation: Installation): Promise<boolean> {
  const { server } = installation;
  const path = `/api/personas/per_${crypto.randomUUID()}`;
  await (await server.ask(path, { as: "owner" })).text();
  const errors = () => server.output.split('"level":50').length;
  const before = errors();
  await failUnexpectedly(installation);
  await expect.poll(errors).toBeGreaterThan(before);
  return server.output.includes(path);
}

/** Lets the time of a schedule come, and waits for its job. */
async function passTime(installation: Installation, kind: string): Promise<void> {
  const finished = () =>
    inDatabase(installation, (database) =>
      database.prepare("SELECT count(*) FROM jobs WHERE kind = ? AND state = 'succeeded'").pluck().get(kind),
    );
  const before = Number(finished());
  inDatabase(installation, (database) =>
    database.prepare("UPDATE schedules SET next_at = ? WHERE key = ?").run(Date.now() - 1000, kind),
  );
  // The queue looks for due times whenever something is queued.
  const json = { title: crypto.randomUUID(), text: crypto.randomUUID() };
  await installation.server.ask("/api/rag/ingest", { as: "owner", json });
  await expect.poll(finished).toBe(before + 1);
}

/** @returns how often the console probes a provider that failed */
async function countProbes(installation: Installation): Promise<number> {
  const probes = () => installation.upstream.requests.filter(({ url }) => url.startsWith("/down/")).length;
  const before = probes();
  await passTime(installation, "providers.probe");
  return probes() - before;
}

/** Ids of traces of requests that may have been sent since the last one that was. */
let awaited: string[] = [];

async function sendsTraces({ server, upstream }: Installation): Promise<boolean> {
  const trace = randomBytes(16).toString("hex");
  const headers = { traceparent: `00-${trace}-${"1".repeat(16)}-01` };
  await (await server.ask("/api/tools", { as: "owner", headers })).text();
  awaited.push(trace);
  const sent = upstream.requests.filter(({ url }) => url.startsWith("/traces")).map(({ body }) => body);
  const isSent = awaited.some((trace) => sent.some((body) => body.includes(trace)));
  if (isSent) awaited = [];
  return isSent;
}

async function passesTraceOn(installation: Installation): Promise<boolean> {
  await askModel(installation, "calm");
  const call = installation.upstream.requests.findLast(({ url }) => url.startsWith("/first/chat"));
  return call?.headers.traceparent !== undefined;
}

export const monitoring: Effects<"monitoring"> = {
  enableMetrics: {
    to: null,
    async observe({ server }) {
      const token = await server.createToken("owner", ["metrics.read"]);
      return (await server.ask("/metrics", { token })).status;
    },
    before: 200,
    after: 404,
  },
  enableTracing: { to: "on", eventually: true, observe: sendsTraces, before: false, after: true },
  propagateTraces: {
    alone: true,
    given: () => ({ monitoring: { enableTracing: true } }),
    to: null,
    observe: passesTraceOn,
    before: true,
    after: false,
  },
  logLevel: { to: "error", observe: logsRequests, before: true, after: false },
  errorReporting: { to: null, observe: reportsErrors, before: true, after: false },
  healthChecks: {
    to: null,
    observe: async (installation) => (await countProbes(installation)) > 0,
    before: true,
    after: false,
  },
};

/** When the newest scheduled backup was written. */
function lastBackupAt({ server }: Installation): number {
  const folder = join(server.dataDir, "backups");
  if (!existsSync(folder)) return 0;
  const scheduled = readdirSync(folder).filter((name) => name.endsWith("-scheduled.tar.gz"));
  return Math.max(0, ...scheduled.map((name) => statSync(join(folder, name)).mtimeMs));
}

export const backups: Effects<"backups"> = {
  schedule: {
    alone: true,
    to: "off",
    async observe(installation) {
      const before = lastBackupAt(installation);
      await passTime(installation, "backups.schedule");
      return lastBackupAt(installation) > before;
    },
    before: true,
    after: false,
  },
  keep: {
    alone: true,
    to: "1",
    // An old backup beside the new one.
    async observe(installation) {
      const folder = join(installation.server.dataDir, "backups");
      const newest = readdirSync(folder).find((name) => name.endsWith("-scheduled.tar.gz")) ?? "";
      const old = join(folder, newest.replace(/\d{4}/, "2020"));
      copyFileSync(join(folder, newest), old);
      await passTime(installation, "backups.schedule");
      const isKept = existsSync(old);
      rmSync(old, { force: true });
      return isKept;
    },
    before: true,
    after: false,
  },
};
