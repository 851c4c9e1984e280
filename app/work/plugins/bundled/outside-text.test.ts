import { afterAll, describe, expect, it, vi } from "vitest";
import { runWithTimeLimit } from "~/core/time-limit.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import type { PluginContext } from "../plugin";
import { githubIssues } from "./github-issues/plugin.server";
import { readOperations } from "./openapi-caller/operations";
import { readOutsideText } from "./outside-text.server";
import { parseOutsideText } from "./outside-text-task";

afterAll(closeWorkerPools);

const feedOf = (field: string, n: number) =>
  `<rss><channel>${`<item><title><![CDATA[${field}]]></title><description><![CDATA[${field}]]></description></item>`.repeat(n)}</channel></rss>`;

it.each([
  ["tags without an end", "<".repeat(8000)],
  ["names without an end", "<a ".repeat(2600)],
  ["one tag at the very end", `${"<".repeat(7999)}>`],
])("reads a feed with %s in linear time", (_, field) => {
  const read = () => parseOutsideText({ kind: "feed", text: feedOf(field, 100), limit: 500 });
  expect(runWithTimeLimit(read, 1500)).toBeDefined();
});

it("refuses JSON with too many values before it is parsed", () => {
  const text = `[${"{},".repeat(3_000_000)}{}]`;
  const read = () => runWithTimeLimit(() => parseOutsideText({ kind: "json", text }), 1500);
  expect(read).toThrow("The JSON contains more than 100000 values.");
});

it("never parses what GitHub returned on the main thread", async () => {
  const issue = {
    number: 7,
    title: "Leak",
    state: "open",
    html_url: "https://a.example",
    body: "long ".repeat(20),
  };
  const text = JSON.stringify(Array(100).fill(issue));
  const parse = vi.spyOn(JSON, "parse");
  const { signal } = new AbortController();
  const response = Object.defineProperty(new Response(text), "url", { value: "https://api.github.com/" });
  const context = {
    settings: { address: "https://api.github.com" },
    fetch: async () => response,
    key: () => undefined,
    signal,
  } as unknown as PluginContext;
  const list = githubIssues.tools.find(({ name }) => name === "list");
  const input = { repository: "a/b", state: "open", limit: 2 };
  try {
    expect(await list?.run(input, context)).toMatchObject({ issues: [{ number: 7 }, { number: 7 }] });
    expect(parse.mock.calls.filter(([parsed]) => parsed === text)).toEqual([]);
  } finally {
    parse.mockRestore();
  }
});

describe("parts of a page", () => {
  /** The selector takes time by the square of the elements. */
  const slow = {
    kind: "page" as const,
    text: `<p>${"<i></i>".repeat(20_000)}</p>`,
    url: "https://a.example",
    selection: { kind: "select" as const, selector: "i:nth-last-of-type(2)" },
    limit: 10,
  };

  it("hold up no other text", async () => {
    const controller = new AbortController();
    const page = readOutsideText(slow, controller.signal).catch((error: unknown) => error);
    const { signal } = new AbortController();
    expect(await readOutsideText({ kind: "json", text: '{"a":1}' }, signal)).toEqual({ a: 1 });
    controller.abort(new Error("given up"));
    expect(await page).toEqual(new Error("given up"));
  });

  it("that take too long are refused in words about the time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const page = readOutsideText(slow, new AbortController().signal);
      vi.advanceTimersByTime(10_000);
      await expect(page).rejects.toThrow("Processing took longer than 10 seconds.");
    } finally {
      vi.useRealTimers();
    }
  });
});

it("takes a feed's text out of its tags", () => {
  const text = feedOf("Big <b>n</b>ews<br/>to<p class='x'>day &amp; 1 < 2", 1);
  expect(parseOutsideText({ kind: "feed", text, limit: 1 })).toMatchObject({
    items: [{ title: "Big news to day & 1 < 2" }],
  });
});

it.each(["../user", "..", "../..", "./x", "x/..", "x/.", "x/y/z", "x%2f..", "x/y?z"])(
  "refuses %s as a repository, which would lead to another call",
  (repository) => {
    const tool = githubIssues.tools.find(({ name }) => name === "list");
    expect(tool?.input.safeParse({ repository, state: "open", limit: 5 }).success).toBe(false);
    expect(tool?.input.safeParse({ repository: "a.b/.github", state: "open", limit: 5 }).success).toBe(true);
  },
);

it("leaves out paths that would change the host", () => {
  const get = { get: { operationId: "x" } };
  const text = JSON.stringify({
    openapi: "3.0.0",
    paths: { "/own": get, "@evil.example/": get, ".evil/": get },
  });
  expect(readOperations(text).operations.map(({ path }) => path)).toEqual(["/own"]);
});
