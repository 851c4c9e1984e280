import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const wide = (length: number) =>
  `${"|a".repeat(1000)}|\n${"|-".repeat(1000)}|\n${"|\n".repeat(length / 2)}`.slice(0, length);
const HOSTILE: [string, string][] = [
  ["a wide table", wide(20_000)],
  ["a wide table as long as a message may be", wide(190_000)],
  ["_a_a_a", "_a".repeat(95_000)],
  ["**a", "**a".repeat(60_000)],
  ["many short lists", "- a\n* b\n".repeat(20_000)],
  ["many small tables", `${"|a".repeat(50)}|\n${"|-".repeat(50)}|\n|b|\n\n`.repeat(900)],
  ["a text without any marks", "word ".repeat(38_000)],
];

/** A conversation that begins with an answer. */
async function conversationWith(content: string): Promise<string> {
  const messages = [
    { role: "assistant", content },
    { role: "user", content: "Well?" },
  ];
  const json = { model: "quarterdeck-offline", tools: [], messages };
  const response = await server.ask("/api/ai/chat", { as: "member", json });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  return response.headers.get("x-conversation-id") ?? "";
}

/** Processor time of the server's event loop, in ms: that of the process's first thread, in hundredths of a second. */
function loopMs(): number {
  const stat = readFileSync(`/proc/${server.pid}/task/${server.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function renderingsOf(conversationId: string): { version: number; trees: string; nodes: number }[] {
  const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"));
  try {
    return raw
      .prepare<[string], { version: number; trees: string; nodes: number }>(
        "SELECT r.version, r.trees, r.nodes FROM message_renderings r JOIN messages m ON m.id = r.message_id WHERE m.conversation_id = ? ORDER BY m.position",
      )
      .all(conversationId);
  } finally {
    raw.close();
  }
}

async function view(path: string): Promise<string> {
  const response = await server.ask(path, { as: "member", headers: { accept: "text/html" } });
  const page = await response.text();
  expect(response.status, page.slice(0, 500)).toBe(200);
  return page;
}

describe("a hostile answer", () => {
  // Whatever is drawn for the first time is compiled then.
  beforeAll(async () => {
    for (let time = 0; time < 5; time++)
      await view(`/chat/${await conversationWith("| a |\n|-|\n| *b* |\n".repeat(50))}`);
  });

  it.each(HOSTILE)("costs the event loop little, the first time and later: %s", async (_, content) => {
    const id = await conversationWith(content);
    const before = loopMs();
    const others = Array.from({ length: 5 }, () => server.ask("/api/health"));
    const first = await view(`/chat/${id}`);
    for (const response of await Promise.all(others)) expect(response.status).toBe(200);
    const between = loopMs();
    const [stored] = renderingsOf(id);
    expect(stored).toBeDefined();
    const second = await view(`/chat/${id}`);
    const after = loopMs();
    expect(second.length).toBeGreaterThan(first.length / 2);
    expect({ first: between - before, second: after - between }).toEqual({
      first: expect.toSatisfy((ms: number) => ms < 600),
      second: expect.toSatisfy((ms: number) => ms < 500),
    });
    // A rendered text is cached.
    expect(renderingsOf(id)[0]).toEqual(stored);
  });
});

it("a stored tree of another version, or one that can't be read, is made again from the text", async () => {
  const id = await conversationWith("Some **bold** words.");
  await view(`/chat/${id}`);
  const [stored] = renderingsOf(id);
  for (const change of ["version = 0", `trees = '{"version":1,"parts":[{"length":20}]}'`, "trees = 'x'"]) {
    const raw = new Database(join(server.dataDir, "quarterdeck.sqlite"));
    raw.exec(`UPDATE message_renderings SET ${change}`);
    raw.close();
    expect(await view(`/chat/${id}`)).toContain("bold</strong>");
    expect(renderingsOf(id)[0]).toEqual(stored);
  }
});

it("the text of an answer has one form of line end, and no half of a pair, wherever it goes", async () => {
  const id = await conversationWith("a\r\nb\ud800c\0d\u0001");
  const page = await view(`/chat/${id}`);
  expect(page).toContain("a\nb\ufffdc\u2400d\u2401");
  const loaded = await (await server.ask(`/chat/${id}.data`, { as: "member" })).text();
  expect(loaded).not.toMatch(/\\ud800|\\r\\n|\\u0000/);
});
