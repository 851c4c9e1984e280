import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { watchAuditHead } from "~/console/audit/audit-watch.service.server";
import { indexEntries } from "~/console/audit/search-index.service.server";
import { setClock } from "~/core/clock.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase, transaction } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { pickOne, seededRandom } from "~/core/seeded-random";
import { append } from "~/platform/audit/audit.service.server";
import { saveOrgRecord } from "~/platform/settings/org-records.service.server";
import { addPeople, people } from "../tests/support/people";
import { TestServer } from "../tests/support/server";
import { quantile } from "./statistics";

// `npm run build && npm run bench:dashboard [-- rows [folder [fill]]]`: dashboard, usage and audit pages,
// search, export and verification with 1,000,000 calls and audit entries. Needs Linux and about 2 GB of
// disk.
const ROWS = Number(process.argv[2] ?? 1_000_000);
const REQUESTS = 40;
const BATCH = 10_000;
const DAY = 24 * 60 * 60_000;
const ORG = "org_test";

let cookie = "";

const random = seededRandom(3);
const many = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}_${n}`);
const PEOPLE = ["usr_owner", "usr_admin", "usr_member", ...many(40, "usr")];
const MODELS = many(12, "model");
const PROVIDERS = many(5, "prv");
const PERSONAS = many(6, "per");
const WORKFLOWS = many(10, "wf");
const TOKENS = many(5, "tok");
const TOOLS = ["web.fetch", "qdrant.search", "http.request", "kv.get"];
const some = (share: number, values: readonly string[]) =>
  random() < share ? pickOne(random, values) : null;

function addUsage(end: number): void {
  const insert = rawDatabase().prepare(
    `INSERT INTO usage_records (id, org_id, user_id, provider_id, provider_type, model, input_tokens, output_tokens,
       cost_micros, first_token_ms, duration_ms, outcome, source, token_id, workflow_id, persona_id, tool, created_at, day)
     VALUES (?, '${ORG}', ?, ?, 'openai', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let from = 0; from < ROWS; from += BATCH) {
    transaction(
      () => {
        for (let n = from; n < Math.min(ROWS, from + BATCH); n++) {
          const at = Math.round(end - 365 * DAY * (1 - n / ROWS));
          const tool = some(0.15, TOOLS);
          const failed = random() < 0.02;
          const person = Math.floor(random() * PEOPLE.length);
          const model = (person + (random() < 0.3 ? 1 : 0)) % MODELS.length;
          const source = pickOne(random, ["chat", "gateway", "workflow"]);
          insert.run(
            `use_${n}`,
            PEOPLE[person],
            tool ? null : PROVIDERS[model % PROVIDERS.length],
            tool ? "" : MODELS[model],
            Math.round(random() * 4000),
            Math.round(random() * 800),
            Math.round(random() * 9000),
            tool || failed ? null : Math.round(200 + random() * 900),
            1000,
            failed ? "error" : "ok",
            source,
            source === "gateway" ? TOKENS[person % TOKENS.length] : null,
            source === "workflow" ? WORKFLOWS[person % WORKFLOWS.length] : null,
            source === "chat" && random() < 0.4 ? PERSONAS[person % PERSONAS.length] : null,
            tool,
            at,
            new Date(at).toISOString().slice(0, 10),
          );
        }
      },
      { durable: false },
    );
  }
  rawDatabase().exec(`INSERT INTO usage_days SELECT org_id, day, source, model, coalesce(provider_id, ''), user_id,
    coalesce(persona_id, ''), coalesce(workflow_id, ''), coalesce(token_id, ''), coalesce(tool, ''), count(*),
    sum(outcome = 'error'), sum(coalesce(input_tokens, 0)), sum(coalesce(output_tokens, 0)),
    sum(coalesce(cost_micros, 0)), sum(cost_micros IS NULL), sum(coalesce(first_token_ms, 0)), count(first_token_ms)
    FROM usage_records GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`);
}

function addEntries(end: number): void {
  for (let from = 0; from < ROWS; from += BATCH) {
    transaction(
      (tx) => {
        for (let n = from; n < Math.min(ROWS, from + BATCH); n++) {
          const at = Math.round(end - 365 * DAY * (1 - n / ROWS));
          setClock(() => at);
          const actor = { userId: pickOne(random, PEOPLE), orgId: ORG, address: `192.0.2.${n % 200}` };
          const id = pickOne(random, WORKFLOWS);
          append(tx, actor, {
            action: "workflow.executed",
            resource: `workflow:${id}`,
            details: { workflowName: `Digest ${id}`, steps: 3, run: `run_${n}` },
          });
        }
      },
      { durable: false },
    );
  }
  setClock();
}

async function fill(folder: string) {
  const sessions = await addPeople(folder);
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder });
  setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
  const stopWatching = await watchAuditHead();
  const end = Date.now();
  addUsage(end);
  addEntries(end);
  await stopWatching();
  transaction((tx) => saveOrgRecord(tx, ORG, "usage-zone", { timeZone: "UTC" }));
  const filled = Date.now();
  await indexEntries();
  console.log(`Indexed the entries for searches in ${((Date.now() - filled) / 1000).toFixed(0)} s`);
  const days = rawDatabase().prepare("SELECT count(*) FROM usage_days").pluck().get() as number;
  closeDatabase();
  console.log(
    `${ROWS} calls (${days} daily sums) and ${ROWS} entries in ${((Date.now() - end) / 1000).toFixed(0)} s`,
  );
  return sessions;
}

/** Private memory, without mapped pages of the database. */
const memoryMb = (server: TestServer) =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024;

/** Processor time of the main thread and its longest event-loop tick since the last call (ms). */
async function turns(server: TestServer): Promise<{ used: number; longest: number }> {
  const reports = server.output.split("@turns").length;
  process.kill(server.pid, "SIGUSR2");
  for (;;) {
    await delay(5);
    const lines = server.output.split("@turns");
    if (lines.length > reports) return JSON.parse(lines.at(-1)?.split("\n")[0] ?? "");
  }
}

async function timeOf(server: TestServer, path: string): Promise<number> {
  const begun = performance.now();
  const response = await server.ask(path, { headers: { cookie, accept: "text/html" } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path} returned HTTP ${response.status}.`);
  return performance.now() - begun;
}

const figures = (times: readonly number[]) =>
  [0.5, 0.95, 0.99, 1].map((share) => quantile(times, share).toFixed(0)).join(" | ");

async function measurePages(server: TestServer): Promise<void> {
  console.log("\n| page | processor, ms | p50, ms | p95 | p99 | most |\n|---|---|---|---|---|---|");
  for (const path of [
    "/",
    "/usage",
    "/usage?range=90d&by=person&metric=spend",
    "/usage?range=24h",
    "/usage?range=custom&from=2020-01-01&to=2099-12-31",
    "/audit",
    "/audit?range=all&action=workflow",
    "/audit?range=all&person=usr_3",
    "/audit?range=all&search=run_999",
    "/audit?range=all&search=nothing-has-this",
    "/audit?range=all&search=zz",
    "/audit?range=all&search=workflow+zz",
    "/audit?range=all&search=日本語",
  ]) {
    const times: number[] = [];
    await timeOf(server, path);
    await timeOf(server, path);
    await turns(server);
    for (let n = 0; n < REQUESTS; n++) times.push(await timeOf(server, path));
    const { used } = await turns(server);
    console.log(`| ${path} | ${(used / REQUESTS).toFixed(0)} | ${figures(times)} |`);
  }
}

/** Sends small requests while the work runs, from a separate process: this one is busy reading the responses. */
async function timesDuring(server: TestServer, work: Promise<unknown>): Promise<number[]> {
  const prober = fork(fileURLToPath(new URL("prober.mjs", import.meta.url)), [
    `${server.baseUrl}/api/health`,
  ]);
  await once(prober, "message");
  try {
    await work;
  } finally {
    prober.send("stop");
  }
  const [times] = await once(prober, "message");
  return times as number[];
}

async function measureExport(server: TestServer): Promise<void> {
  const before = memoryMb(server);
  const quarters = [0, 0, 0, 0];
  let bytes = 0;
  const begun = performance.now();
  const read = async () => {
    const response = await server.ask("/api/audit/export?format=csv", { headers: { cookie } });
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      // Rows are about 255 bytes.
      const quarter = Math.min(3, Math.floor((bytes / (ROWS * 255)) * 4));
      quarters[quarter] = Math.max(quarters[quarter] ?? 0, memoryMb(server));
    }
  };
  await turns(server);
  const times = await timesDuring(server, read());
  const { longest } = await turns(server);
  const seconds = (performance.now() - begun) / 1000;
  console.log(
    `\nExport: ${(bytes / 2 ** 20).toFixed(0)} MB in ${seconds.toFixed(1)} s, memory ${before.toFixed(0)} MB before, at most ${quarters.map((mb) => mb.toFixed(0)).join(", ")} MB in each quarter; another request meanwhile (p50 | p95 | p99 | most, ms): ${figures(times)}; longest turn ${longest.toFixed(0)} ms of processor time`,
  );
}

async function measureVerification(server: TestServer): Promise<void> {
  const alone = await timesDuring(server, delay(10_000));
  const begun = performance.now();
  const verify = async () => {
    // An empty list, so that the page itself costs little.
    const response = await server.ask("/audit?resource=none", {
      headers: { cookie, origin: server.baseUrl },
      form: { intent: "verify" },
    });
    const text = await response.text();
    if (!text.includes("The audit trail is intact"))
      throw new Error(
        `The trail isn't intact: ${text.match(/First broken entry[^.]*/)?.[0] ?? response.status}`,
      );
  };
  await turns(server);
  const times = await timesDuring(server, verify());
  const { longest } = await turns(server);
  console.log(
    `Verification: ${((performance.now() - begun) / 1000).toFixed(1)} s; another request (p50 | p95 | p99 | most, ms): ${figures(times)}, without it ${figures(alone)}; longest turn ${longest.toFixed(0)} ms of processor time`,
  );
}

const givenFolder = process.argv[3];
const part = process.argv[4];
const folder = givenFolder ?? mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
const probe = {
  NODE_OPTIONS: `--import ${pathToFileURL(resolve("tests/support/turn-probe.mjs")).href}`,
  TURN_PROBE: "1",
};
const isFilled = existsSync(join(folder, "quarterdeck.sqlite"));
mkdirSync(folder, { recursive: true });
const server = new TestServer(folder, probe, isFilled ? {} : await fill(folder));
if (part === "fill") process.exit();
try {
  console.log(`Load ${loadavg()[0]?.toFixed(1)}`);
  await server.start();
  cookie = await server.signIn(people.owner.email, people.owner.password);
  await measurePages(server);
  await measureExport(server);
  await measureVerification(server);
  console.log(`Load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await (givenFolder === undefined ? server.close() : server.stop());
}
