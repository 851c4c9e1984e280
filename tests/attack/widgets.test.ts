import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Widget } from "~/work/widgets/widgets.schema";
import { type AttackedServer, expectCheap, isWholeMatrix, PAGE_MS, startAttacked } from "../support/attack";
import { type MockServer, startMockServer } from "../support/mock-server";

const SITE = "https://www.example.com";
const EVIL = "https://evil.example";
const MODEL = "hostile";

/** What a model says after a visitor told it to. */
const MARKUP = [
  "<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>",
  "[a](javascript:alert(1)) [b](data:text/html,x) [c](/settings) [d](//evil.example) ![e](https://evil.example/x.png)",
  '[f](https://evil.example/"onmouseover="alert(1)) <https://evil.example/?a="b>',
  '```html\n</code></pre><iframe src=/></iframe>\n```\n\n```mermaid\ngraph TD; A["<img src=x onerror=alert(1)>"]\n```',
  "|a|<b onclick=x>|\n|:-:|-|\n|<style>*{}</style>|$\\href{javascript:alert(1)}{x}$|",
].join("\n\n");

const fill = (unit: string) => unit.repeat(Math.ceil(19_000 / unit.length)).slice(0, 19_000);

/** Texts that are slow to format, each a tenth in the short form. */
const SLOW = ["*a_", "[a](", "> ", "- a\n", "|a|b|\n|-|-|\n", "`a", "$x$ ", "**a** *b* "].slice(
  0,
  isWholeMatrix ? undefined : 3,
);

let attacked: AttackedServer;
let model: MockServer;
let says = "Hello";
/** While it is pending, the model writes nothing more. */
let goesOn = Promise.resolve();
beforeAll(async () => {
  model = await startMockServer(async (_, response) => {
    const part = (content: string, reason: string | null) =>
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: MODEL, choices: [{ index: 0, delta: { content }, finish_reason: reason }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(part(says, null));
    await goesOn;
    response.end(`${part("", "stop")}data: [DONE]\n\n`);
  });
  attacked = await startAttacked({ EGRESS_ALLOW: `127.0.0.1:${model.port}` });
  const config = { baseUrl: `${model.origin}/v1`, models: [MODEL] };
  const json = { provider: "custom", displayName: "Hostile", enabled: true, config };
  expect((await attacked.server.ask("/api/providers", { as: "owner", json })).status).toBe(201);
  const performance = { rateLimitEnabled: false };
  const settings = { method: "PUT", json: { performance } };
  expect((await attacked.server.ask("/api/settings/advanced", { as: "owner", ...settings })).ok).toBe(true);
});
afterAll(async () => {
  await attacked.server.close();
  await model.close();
});
beforeEach(() => {
  says = "Hello";
  goesOn = Promise.resolve();
});

let count = 0;
async function make(more: object = {}): Promise<Widget> {
  count += 1;
  const json = { name: `Desk ${count}`, greeting: "Hello!", origins: [SITE], model: MODEL, ...more };
  const made = await attacked.server.ask("/api/widgets", { as: "admin", json });
  const text = await made.text();
  expect(made.status, text).toBe(201);
  return JSON.parse(text) as Widget;
}

interface Asked {
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

/** As the page's form does. */
const post = (path: string, message: string | undefined, { fields, headers }: Asked = {}) =>
  attacked.server.ask(path, {
    form: message === undefined ? { ...fields } : { message, ...fields },
    headers: { origin: attacked.server.baseUrl, ...headers },
  });

const keysIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/name="(visitor|conversation)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  ) as { visitor: string; conversation: string };

const statusesOf = (sent: Promise<Response>[]) => Promise.all(sent.map(async (one) => (await one).status));

describe("a token", () => {
  it("that is forged, closed or deleted looks like one that never was", async () => {
    const { path, id } = await make();
    const closed = await make();
    const change = (json: object) =>
      attacked.server.ask(`/api/widgets/${closed.id}`, { as: "admin", method: "PATCH", json });
    await change({ enabled: false });
    const gone = await make();
    await attacked.server.ask(`/api/widgets/${gone.id}`, { as: "admin", method: "DELETE" });
    const forged = [id, "x".repeat(43), `${path.slice(3)}%00`, "..%2fsettings", "x".repeat(5000)];
    const pages = new Set<string>();
    for (const tried of [closed.path, gone.path, ...forged.map((token) => `/w/${token}`)])
      for (const page of [await attacked.server.ask(tried), await post(tried, "Hello")]) {
        expect([400, 404], tried).toContain(page.status);
        if (page.status === 404) pages.add((await page.text()).replaceAll(/nonce="[^"]*"/g, ""));
      }
    expect(pages.size).toBe(1);
  });

  it("opens no conversation of another visitor or widget, and none once it is deleted", async () => {
    const [mine, other] = [await make(), await make()];
    const keys = keysIn(await (await post(mine.path, "My secret")).text());
    const again = async (path: string, fields: Record<string, string>) =>
      (await (await post(path, undefined, { fields })).text()).includes("My secret");
    expect(await again(mine.path, keys)).toBe(true);
    expect(await again(other.path, keys)).toBe(false);
    expect(await again(mine.path, { ...keys, visitor: "x".repeat(43) })).toBe(false);
    expect(await again(mine.path, { conversation: keys.conversation })).toBe(false);
    const at = `/api/widgets/${mine.id}/conversations/${keys.conversation}`;
    expect((await attacked.server.ask(at, { as: "member" })).status).toBe(403);
    expect((await attacked.server.ask(at.replace(mine.id, other.id), { as: "admin" })).status).toBe(404);
    await attacked.server.ask(at, { as: "admin", method: "DELETE" });
    expect(await again(mine.path, keys)).toBe(false);
  });

  it("that is closed while an answer runs ends it", async () => {
    const { path, id } = await make();
    goesOn = new Promise(() => {});
    const running = await post(path, "Hello", { headers: { accept: "text/event-stream" } });
    await attacked.server.ask(`/api/widgets/${id}`, { as: "admin", method: "DELETE" });
    expect(await running.text()).toContain("The answer was stopped.");
  });
});

describe("another site", () => {
  it.each([
    ["its origin", { origin: EVIL }],
    ["a site that may show the widget", { origin: SITE }],
    ["no origin", { origin: "null" }],
    ["a browser's word", { origin: "", "sec-fetch-site": "cross-site" }],
  ])("can't ask in a visitor's place, by %s", async (_, headers) => {
    const { path } = await make();
    expect((await post(path, "Hello", { headers })).status).toBe(403);
  });

  it("gets no answer that it could read, and no frame", async () => {
    const { path } = await make();
    for (const page of [
      await attacked.server.ask(path, { headers: { origin: EVIL } }),
      await attacked.server.ask(path, { method: "OPTIONS", headers: { origin: EVIL } }),
    ])
      expect(page.headers.get("access-control-allow-origin")).toBeNull();
    const page = await attacked.server.ask(path, { as: "owner" });
    expect(page.headers.get("content-security-policy")).toContain(`frame-ancestors ${SITE}`);
    expect(page.headers.getSetCookie()).toEqual([]);
  });
});

describe("what a model was talked into", () => {
  it("runs, loads and leads nowhere, on the page and for its script", async () => {
    const { path } = await make();
    says = `${MARKUP}\n\n[own](${attacked.server.baseUrl}/settings) [ok](https://www.example.com/)`;
    const page = await (await post(path, MARKUP)).text();
    const stream = await (await post(path, MARKUP, { headers: { accept: "text/event-stream" } })).text();
    const html = stream
      .split("\n\n")
      .flatMap((part) => (part.startsWith("data: ") ? [JSON.parse(part.slice(6)).html ?? ""] : []));
    const shown = [page.slice(page.indexOf('<ol class="talk">'), page.indexOf("</main>")), html.at(-1) ?? ""];
    for (const text of shown) {
      const tags = [...text.matchAll(/<([a-z]+\d?)((?:\s[^>]*)?)>/g)];
      expect(tags.length).toBeGreaterThan(10);
      const names = new Set(tags.map(([, name]) => name));
      for (const name of ["script", "img", "svg", "iframe", "style", "b", "form", "input"])
        expect(names, name).not.toContain(name);
      expect(tags.filter(([, , attributes]) => /\son\w+=/.test(attributes ?? ""))).toEqual([]);
      const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href ?? "");
      expect(links.every((href) => /^https:\/\/(?:www\.example\.com|evil\.example)\//.test(href))).toBe(true);
    }
  });

  it.each(SLOW)("takes its time beside other requests: %j", async (unit) => {
    const { path } = await make({ perVisitor: 1000, maxLength: 10_000 });
    says = fill(unit);
    const keys = keysIn(await (await post(path, "Hello")).text());
    const send = async () => {
      const page = await post(path, fill(unit).slice(0, 10_000), { fields: keys });
      await page.text();
      return page.status;
    };
    await expectCheap(attacked, [{ what: unit, send }], PAGE_MS);
  });
});

describe("a flood", () => {
  it("of one network is refused, and others are answered", async () => {
    const { path } = await make({ perNetwork: 4 });
    const sent = Array.from({ length: 12 }, () => post(path, "Hello"));
    const statuses = await statusesOf(sent);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    expect((await post((await make()).path, "Hello")).status).toBe(200);
  });

  it("of answers that never end takes three places, which are free once they are left", async () => {
    const { path } = await make();
    goesOn = new Promise(() => {});
    const leaving = new AbortController();
    const open = () =>
      attacked.server.ask(path, {
        form: { message: "Hello" },
        headers: { origin: attacked.server.baseUrl, accept: "text/event-stream" },
        signal: leaving.signal,
      });
    await Promise.all([open(), open(), open()]);
    expect((await post(path, "Hello")).status).toBe(429);
    goesOn = Promise.resolve();
    leaving.abort();
    await expect.poll(async () => (await post(path, "Hello")).status).toBe(200);
  });

  it("of a conversation's questions at once stays within its limit, in their order", async () => {
    const { path, id } = await make({ maxQuestions: 2 });
    const fields = keysIn(await (await post(path, "First")).text());
    const statuses = await statusesOf(["a", "b", "c"].map((text) => post(path, text, { fields })));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const said = await attacked.server.ask(`/api/widgets/${id}/conversations/${fields.conversation}`, {
      as: "admin",
    });
    const roles = ((await said.json()) as { role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("spends a budget once, though many ask together", async () => {
    const { id, path } = await make();
    const { id: tokens } = (await (
      await attacked.server.ask("/api/budgets", {
        as: "admin",
        json: { target: `widget:${id}`, unit: "tokens", period: "day", limit: 1, warnAt: null },
      })
    ).json()) as { id: string };
    expect(tokens).toBeTruthy();
    const pages = await Promise.all(["a", "b", "c"].map(async (text) => (await post(path, text)).text()));
    expect(pages.filter((page) => page.includes("couldn&#39;t be written"))).toHaveLength(2);
  });

  it.each([
    ["a body of a megabyte", "message=".padEnd(1_000_000, "x")],
    ["a hundred thousand fields", "a=b&".repeat(24_000)],
    ["bytes that are no text", "%ff".repeat(30_000)],
    ["keys that are none", "visitor=__proto__&conversation[]=1&message=x&message=y&constructor=1"],
  ])("of %s costs little", async (what, body) => {
    const { path } = await make({ perVisitor: 1000, perNetwork: 1000 });
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      origin: attacked.server.baseUrl,
    };
    const send = async () => {
      const page = await attacked.server.ask(path, { body, headers });
      await page.text();
      return page.status;
    };
    await expectCheap(attacked, [{ what, send }], PAGE_MS);
  });
});
