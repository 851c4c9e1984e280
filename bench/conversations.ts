import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { closeDatabase, openConnection, rawDatabase, setDatabase, transaction } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { seededRandom } from "~/core/seeded-random";
import { addPeople } from "../tests/support/people";
import { TestServer } from "../tests/support/server";
import { UsageMonitor } from "./process-usage";
import { quantile } from "./statistics";

// `npm run build && npm run bench:conversations [-- messages]`: opens a conversation of 5,000 messages, and searches the
// 100,000 messages of one person, through the built server. It needs Linux.
const MESSAGES = Number(process.argv[2] ?? 100_000);
const LONG = 5000;
const PER_CONVERSATION = 20;
const REQUESTS = 40;
/** The long conversation is loaded as a whole. */
const OPENINGS = 6;
const BATCH = 5000;

const random = seededRandom(7);
/** Zipf-distributed words. */
const word = () => `w${Math.floor(2000 ** random())}x`;
const textOf = (words: number) => Array.from({ length: words }, word).join(" ");

function fill(): void {
  const conversation = rawDatabase().prepare(
    `INSERT INTO conversations (id, org_id, user_id, title, model, settings, last_event_id, title_source, created_at,
       updated_at) VALUES (?, 'org_test', 'usr_member', ?, 'quarterdeck-offline', '{}', 0, 'message', ?, ?)`,
  );
  const message = rawDatabase().prepare(
    `INSERT INTO messages (id, conversation_id, parent_id, position, role, status, parts, created_at, finished_at)
       VALUES (?, ?, ?, ?, ?, 'complete', ?, ?, ?)`,
  );
  const start = Date.now() - MESSAGES * 1000;
  for (let from = 0; from < MESSAGES; from += BATCH) {
    transaction(
      () => {
        for (let n = from; n < Math.min(MESSAGES, from + BATCH); n++) {
          const isLong = n >= MESSAGES - LONG;
          const id = isLong ? "con_long" : `con_${Math.floor(n / PER_CONVERSATION)}`;
          const position = isLong ? n - (MESSAGES - LONG) : n % PER_CONVERSATION;
          const at = start + n * 1000;
          if (position === 0) conversation.run(id, textOf(6), at, at);
          const role = n % 2 === 0 ? "user" : "assistant";
          const parts = JSON.stringify([{ type: "text", id: "0", text: textOf(role === "user" ? 30 : 120) }]);
          const parent = position === 0 ? null : `msg_${n - 1}`;
          message.run(`msg_${n}`, id, parent, position, role, parts, at, role === "user" ? null : at);
        }
      },
      { durable: false },
    );
  }
  rawDatabase().exec(
    `UPDATE conversations SET active_message_id =
       (SELECT m.id FROM messages m WHERE m.conversation_id = conversations.id ORDER BY m.position DESC LIMIT 1)`,
  );
}

async function prepare(folder: string) {
  const sessions = await addPeople(folder);
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: folder });
  setDatabase(openConnection(join(folder, "quarterdeck.sqlite")));
  const begun = performance.now();
  fill();
  closeDatabase();
  console.log(`${MESSAGES} messages in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return sessions;
}

async function timeOf(server: TestServer, path: string): Promise<number> {
  const begun = performance.now();
  const response = await server.ask(path, { as: "member", headers: { accept: "text/html" } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path} returned HTTP ${response.status}.`);
  return performance.now() - begun;
}

const search = (words: string) => `/api/ai/conversations/search?q=${encodeURIComponent(words)}`;
const PATHS: readonly (readonly [name: string, path: () => string])[] = [
  [`conversation of ${LONG} messages`, () => "/chat/con_long"],
  ["conversation of 20 messages", () => "/chat/con_7"],
  ["list of conversations", () => "/chat/all"],
  ["search, one word", () => search(word())],
  ["search, two words", () => search(`${word()} ${word()}`)],
  ["search, the beginning of a word", () => search(word().slice(0, 3))],
  ["search, the most frequent word", () => search("w1x")],
  ["search, no result", () => search("nothing-has-this")],
];

async function measure(server: TestServer): Promise<void> {
  console.log("\n| what | p50, ms | p95, ms | most, ms |\n|---|---|---|---|");
  for (const [name, path] of PATHS) {
    const times: number[] = [];
    const count = path() === "/chat/con_long" ? OPENINGS : REQUESTS;
    for (let n = 0; n < count; n++) times.push(await timeOf(server, path()));
    const figures = [0.5, 0.95, 1].map((share) => quantile(times.slice(2), share).toFixed(0));
    console.log(`| ${name} | ${figures.join(" | ")} |`);
  }
}

const folder = mkdtempSync(join(tmpdir(), "quarterdeck-bench-"));
const server = new TestServer(folder, {}, await prepare(folder));
try {
  console.log(`Load ${loadavg()[0]?.toFixed(1)}`);
  await server.start();
  const watch = new UsageMonitor(server.pid);
  await watch.during(() => measure(server));
  const { idleMb, peakMb } = watch.usage;
  console.log(`\nMemory ${idleMb.toFixed(0)} to ${peakMb.toFixed(0)} MB. Load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
