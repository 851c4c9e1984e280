import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AttackedServer, type Cost, isWholeMatrix, PAGE_MS, startAttacked } from "../support/attack";
import { hostileMarkdown } from "../support/hostile-texts";

/** All in the whole matrix, else every third. */
const textsOf = (length: number) => hostileMarkdown(length).filter((_, n) => isWholeMatrix || n % 3 === 0);
/** Other tests run beside the short form. */
const LIMIT_MS = isWholeMatrix ? PAGE_MS : 2 * PAGE_MS;
const LENGTHS = isWholeMatrix ? [20_000, 200_000] : [200_000];

let attacked: AttackedServer;
beforeAll(async () => {
  attacked = await startAttacked();
  for (let i = 0; i < 5; i++)
    await pageOf(await converse("# A **plain** answer\n\n- `one`\n\n|a|b|\n|-|-|\n|1|2|"));
});
afterAll(() => attacked.server.close());

/** Stores a conversation in which the text is an answer, and asks on. @returns its address */
async function converse(text: string): Promise<string> {
  const response = await attacked.server.ask("/api/ai/chat", {
    as: "member",
    json: {
      model: "quarterdeck-offline",
      tools: [],
      messages: [
        { role: "user", content: "Write it" },
        { role: "assistant", content: text },
        { role: "user", content: "Thanks" },
      ],
    },
  });
  expect(response.status, response.ok ? "" : await response.text()).toBe(200);
  await response.text();
  return `/chat/${response.headers.get("x-conversation-id")}`;
}

async function pageOf(path: string): Promise<string> {
  const response = await attacked.server.ask(path, { as: "member", headers: { accept: "text/html" } });
  expect(response.status).toBe(200);
  return response.text();
}

const report = (what: string, cost: Cost) =>
  `${what}: ${cost.used.toFixed(0)} ms, longest turn ${cost.longest.toFixed(0)} ms, ${cost.grownMb.toFixed(0)} MB`;

const cheaper = (one: Cost, other: Cost) => (one.used < other.used ? one : other);

describe.each(LENGTHS)("an answer of %i characters", (length) => {
  it.each(textsOf(length))("of %s is stored and drawn in a page's time", async (_, text) => {
    let path = "";
    const storing = await attacked.cost(async () => {
      path = await converse(text);
    });
    let first = await attacked.cost(() => pageOf(path));
    // The cheaper of two, since one may hold a garbage collection. A message is rendered once, so the other is new.
    if (first.used >= LIMIT_MS) {
      path = await converse(text);
      first = cheaper(first, await attacked.cost(() => pageOf(path)));
    }
    let again = await attacked.cost(() => pageOf(path));
    if (again.used >= LIMIT_MS) again = cheaper(again, await attacked.cost(() => pageOf(path)));
    const seen = [report("stored", storing), report("drawn", first), report("again", again)].join("; ");
    expect(storing.used, seen).toBeLessThan(LIMIT_MS);
    expect(first.used, seen).toBeLessThan(LIMIT_MS);
    expect(again.used, seen).toBeLessThan(LIMIT_MS);
  });
});
