import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { addKey } from "~/team/keys/keys.service.server";
import { createWorkflow } from "~/work/workflows/workflows.service.server";
import { openTestDatabase } from "../support/database";
import { bundleProgram, lookInto } from "../support/faults";
import { mailWithFile, startImapServer } from "../support/imap-server";
import { type MockServer, startMockServer } from "../support/mock-server";

/** `npm run test:faults` kills more often. */
const KILLS = Math.min(50, Number(process.env.FAULT_KILLS ?? 1));
/** New entries and messages before each kill: a check starts runs for at most twenty, and an hour sixty. */
const NEW = KILLS > 3 ? 1 : 6;

let bundle: string;
let folder: string;
let child: ChildProcess | undefined;
let mail: Awaited<ReturnType<typeof startImapServer>>;
let site: MockServer;
const titles: string[] = [];

beforeAll(async () => {
  bundle = await bundleProgram("faulty-polls");
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-poll-faults-"));
  mail = await startImapServer([mailWithFile({ subject: "Old" })]);
  site = await startMockServer((_, response) => {
    const items = titles.map((title) => `<item><guid>${title}</guid><title>${title}</title></item>`);
    response.end(`<rss><channel><title>News</title>${items.toReversed().join("")}</channel></rss>`);
  });
});
afterAll(async () => {
  child?.kill("SIGKILL");
  mail.close();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

function createWorkflows(): void {
  const test = openTestDatabase();
  vi.stubEnv("QUARTERDECK_KEY_MAIL", "testpass");
  try {
    const provider = "other" as const;
    const origin = "https://127.0.0.1";
    const key = addKey(test.actors.owner, { provider, alias: "QUARTERDECK_KEY_MAIL", origin }).id;
    const config = { host: "127.0.0.1", port: mail.port, user: "testuser", key };
    for (const [trigger, title] of [
      [{ type: "feed", id: "feed", config: { url: `${site.origin}/feed` } }, "{{ trigger.item.title }}"],
      [{ type: "email", id: "mail", config }, "{{ trigger.mail.subject }}"],
    ] as const)
      createWorkflow(test.actors.member, {
        name: trigger.id,
        description: "",
        triggers: [trigger],
        steps: [{ type: "log", id: "say", config: { message: title } }],
        connections: [],
      });
    rawDatabase().pragma("wal_checkpoint(TRUNCATE)");
    rawDatabase().exec(`VACUUM INTO '${join(folder, "quarterdeck.sqlite")}'`);
  } finally {
    vi.unstubAllEnvs();
    test.close();
  }
}

const COUNT = "SELECT count(*) FROM workflow_runs WHERE trigger_type = ?";

/** Checks until so many runs were started in all, and is killed in the middle; without a number until the checks end. */
async function live(type: string, runs = Number.POSITIVE_INFINITY): Promise<void> {
  const running = spawn(process.execPath, [bundle, folder], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, QUARTERDECK_KEY_MAIL: "testpass" },
  });
  child = running;
  const exit = once(running, "exit");
  let isDone = false;
  running.stdout.on("data", () => {
    isDone = true;
  });
  const raw = new Database(join(folder, "quarterdeck.sqlite"), { readonly: true });
  try {
    const started = raw.prepare<[string], number>(COUNT).pluck();
    while (!isDone && running.exitCode === null && (started.get(type) ?? 0) < runs) await turn();
  } finally {
    raw.close();
  }
  running.kill("SIGKILL");
  await exit;
}

const subjects = (type: string) =>
  lookInto({ dataDir: folder }, (raw) =>
    raw
      .prepare(
        "SELECT coalesce(payload ->> '$.item.title', payload ->> '$.mail.subject') FROM workflow_runs WHERE trigger_type = ? ORDER BY rowid",
      )
      .pluck()
      .all(type),
  );

it(
  "starts one run for each entry and message, whenever a check is killed",
  async () => {
    createWorkflows();
    await live("feed");
    expect([subjects("feed"), subjects("email")]).toEqual([[], []]);
    const expected: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const added = Array.from({ length: NEW }, (_, index) => `New ${kill}.${index}`);
      expected.push(...added);
      titles.push(...added);
      mail.arrive(...added.map((subject) => mailWithFile({ subject })));
      const type = kill % 2 === 0 ? "email" : "feed";
      await live(type, subjects(type).length + 1 + Math.floor(Math.random() * NEW));
    }
    await live("feed");
    expect(subjects("feed")).toEqual(expected);
    expect(subjects("email")).toEqual(expected);
    lookInto({ dataDir: folder }, (raw) => {
      const files = raw.prepare("SELECT count(*), count(DISTINCT run_id) FROM tool_files").raw().get();
      expect(files, "each message's file once").toEqual([expected.length, expected.length]);
      expect(raw.prepare("SELECT error FROM workflow_polls").pluck().all()).toEqual([null, null]);
    });
  },
  60_000 + KILLS * 15_000,
);
