import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Widget } from "~/work/widgets/widgets.schema";
import { plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const SITE = "https://www.example.com";
/** As the script of the page asks. */
const SCRIPT = { accept: "text/event-stream" };

async function make(name: string, more: object = {}): Promise<Widget> {
  const json = { name, greeting: "Hello!", origins: [SITE], ...more };
  const made = await server.ask("/api/widgets", { as: "admin", json });
  expect(made.status).toBe(201);
  return (await made.json()) as Widget;
}

it("a widget is made, asked, read and turned off by forms alone", async () => {
  const admin = plainBrowser(server, "admin");
  const sent = await (await admin.open("/settings/widgets?dialog=new")).submit("create", {
    name: "Harbor desk",
    starters: "Is the harbor open?\nWho are you?",
    origins: "not an origin",
  });
  expect(sent.status).toBe(400);
  expect(sent.described("origins")).toContain("https://www.example.com");
  const made = await (await sent.submit("create", { origins: `${SITE}/` })).follow();
  expect(made.text).toContain("Open to visitors");
  const path = made.document.querySelector('a[href^="/w/"]')?.getAttribute("href") ?? "";

  const visitor = plainBrowser(server);
  const page = await visitor.open(path);
  expect(page.document.querySelector("h1")?.textContent).toBe("Harbor desk");
  const first = await page.submit("Who are you?");
  expect(first.text).toContain("built-in model");
  const second = await first.submit("Send", { message: "<b>And now?</b>" });
  expect([...second.document.querySelectorAll(".talk > li")].map(({ className }) => className)).toEqual([
    "assistant",
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  expect(second.document.querySelector(".talk b")).toBeNull();
  const empty = await second.submit("Send", { message: " " });
  expect([empty.status, empty.text]).toEqual([400, expect.stringContaining("Enter a message")]);

  const id = await listed("Harbor desk");
  const read = await admin.open(`/settings/widgets/${id}`);
  expect(read.text).toContain("Who are you?");
  const link = read.document.querySelector('a[href*="conversation="]')?.getAttribute("href") ?? "";
  expect((await admin.open(link)).text).toContain("And now?");
  await made.submit("disable");
  expect((await visitor.open(path)).status).toBe(404);
});

async function listed(name: string): Promise<string> {
  const widgets = (await (await server.ask("/api/widgets", { as: "admin" })).json()) as Widget[];
  return widgets.find((widget) => widget.name === name)?.id ?? "";
}

describe("a widget's page", () => {
  it("may be framed by its sites alone, sets no cookie and names nothing of the console", async () => {
    const { path } = await make("Framed");
    const page = await server.ask(path, { as: "owner" });
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain(`frame-ancestors ${SITE}`);
    expect(policy).toContain("default-src 'none'");
    expect(page.headers.get("x-frame-options")).toBeNull();
    expect(page.headers.getSetCookie()).toEqual([]);
    const html = await page.text();
    const addresses = [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.every((address) => address === path || address === "/widget-frame.js")).toBe(true);
    expect((await server.ask("/widget.js")).headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    // The rest of the console can't be framed.
    for (const other of ["/", "/login", "/settings/widgets", `${path}/messages`]) {
      const { headers } = await server.ask(other, { as: "owner" });
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }
  });

  it("streams to itself, and refuses who asks in its place", async () => {
    const { path } = await make("Streaming");
    const ask = (
      headers: Record<string, string>,
      form: Record<string, string> = { message: "Hello" },
      at = path,
    ) => server.ask(at, { form, headers: { ...SCRIPT, ...headers } });
    for (const headers of [{}, { origin: SITE }, { origin: "null" }, { "sec-fetch-site": "cross-site" }])
      expect((await ask(headers as Record<string, string>)).status).toBe(403);
    const own = { origin: server.baseUrl };
    expect((await ask(own, undefined, "/w/unknown")).status).toBe(404);
    const answered = await ask(own);
    expect(answered.headers.get("content-type")).toContain("text/event-stream");
    const events = (await answered.text()).split("\n\n").flatMap((part) => {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      return data ? [JSON.parse(data)] : [];
    });
    expect(events[0]).toMatchObject({ type: "start" });
    expect(events.at(-1)).toMatchObject({ type: "end", html: expect.stringContaining("<strong>") });
    const { visitor, conversation } = events[0];
    const again = async (key: string) => {
      const page = await ask({ ...own, accept: "text/html" }, { visitor: key, conversation });
      return (await page.text()).match(/<li class="(?:user|assistant)"/g)?.length;
    };
    // The greeting, question and answer.
    expect([await again(visitor), await again("x".repeat(43))]).toEqual([3, 1]);
    const refusal = await ask(own, { message: " ", visitor, conversation });
    expect([refusal.status, await refusal.text()]).toEqual([400, expect.stringContaining("Enter a message")]);
  });

  it("is asked so often from one network, and then says when again", async () => {
    const { path } = await make("Busy", { perNetwork: 2 });
    const ask = () => server.ask(path, { form: { message: "Hello" }, headers: { origin: server.baseUrl } });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("Too many messages were sent");
  });
});
