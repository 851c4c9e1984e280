import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AttackedServer, type Cost, isWholeMatrix, PAGE_MS, startAttacked } from "../support/attack";
import { type MockServer, startMockServer } from "../support/mock-server";

/** Conversations of an export; `npm run test:attack` takes as many as a person has after years. */
const CONVERSATIONS = isWholeMatrix ? 3000 : 1000;
/** Two evaluations of a step: an expression may be cut off, and its error is recorded. */
const STEP_MS = 500;

const item = (title: string, description: string) =>
  `<item><title><![CDATA[${title}]]></title><description><![CDATA[${description}]]></description></item>`;
const feedOf = (items: string) => `<rss><channel><title>Feed</title>${items}</channel></rss>`;
const FEEDS: Record<string, string> = {
  "/deep": `<rss>${"<a>".repeat(100_000)}`,
  "/large": feedOf(item("x", "x".repeat(6_000_000))),
  "/open": feedOf(item("x", "<".repeat(8000)).repeat(230)),
  "/links": feedOf(item("<a ".repeat(2600), "x").repeat(230)),
};

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString("base64");
/** A header that says 60,000 times 60,000 pixels. */
const HUGE = Buffer.from(
  "89504e470d0a1a0a0000000d494844520000ea600000ea6008060000000000000049454e44ae426082",
  "hex",
).toString("base64");
/** What a provider of images answers, by its model. */
const IMAGES: Record<string, string> = {
  "flux-address": JSON.stringify({ data: [{ url: "http://169.254.169.254/latest/meta-data" }] }),
  "flux-many": JSON.stringify({ data: Array.from({ length: 300_000 }, () => ({ b64_json: "AA==" })) }),
  "flux-deep": `{"data":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  "flux-long": JSON.stringify({ data: [{ b64_json: "A".repeat(33_000_000) }] }),
  "flux-html": "<h1>Welcome</h1>",
  "flux-svg": JSON.stringify({ data: [{ b64_json: SVG }] }),
  "flux-huge": JSON.stringify({ data: [{ b64_json: HUGE }] }),
};

let attacked: AttackedServer;
let site: MockServer;
beforeAll(async () => {
  site = await startMockServer((request, response) => {
    if (request.url === "/v1/images/generations") {
      const { model } = JSON.parse(request.text) as { model: string };
      response.writeHead(200, { "content-type": "application/json" }).end(IMAGES[model]);
      return;
    }
    if (request.url === "/away") {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();
      return;
    }
    response.setHeader("content-type", "application/rss+xml");
    response.end(FEEDS[request.url ?? ""] ?? feedOf(item("Calm", "weather")));
  });
  attacked = await startAttacked({ EGRESS_ALLOW: `127.0.0.1:${site.port}` });
  const installed = await attacked.server.ask("/api/plugins/feed-reader/install", {
    as: "owner",
    method: "POST",
  });
  expect(installed.ok, await installed.text()).toBe(true);
});
afterAll(async () => {
  await attacked.server.close();
  await site.close();
});

const seen = ({ used, longest }: Cost) => `${used.toFixed(0)} ms, longest turn ${longest.toFixed(0)} ms`;

async function tryStep(step: object, trigger: unknown): Promise<{ ok: boolean; error: string | null }> {
  const response = await attacked.server.ask("/api/workflows/try-step", {
    as: "member",
    json: { step, trigger },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { ok: boolean; error: string | null };
}

const nested = `${"json(".repeat(26)}'"'${")".repeat(26)}`;

describe("an expression", () => {
  it.each([
    ["a duration of many digits", "{{ duration(trigger.s) }}", "1".repeat(400_000)],
    ["escapes of escapes", `{{ size(${nested}) }}`, ""],
    [
      "texts cut up and joined",
      `{{ [1, 2, 3, 4, 5, 6, 7, 8, 9].map(n, [1, 2, 3, 4, 5, 6, 7, 8, 9].map(m, trigger.s${".split('').join('')".repeat(12)})) }}`,
      "x".repeat(90_000),
    ],
    ["a search for a long text", "{{ trigger.s.contains(trigger.s + 'b') }}", "a".repeat(400_000)],
    ["hundreds of loops", "{{ trigger.s.split('').map(a, a + a).size() }}".repeat(200), "x".repeat(50_000)],
  ])("with %s is cut off", async (_, message, s) => {
    await tryStep({ type: "log", config: { message: "{{ trigger.s }}" } }, { s: "warm" });
    let tried: { ok: boolean; error: string | null } | undefined;
    const cost = await attacked.cost(async () => {
      tried = await tryStep({ type: "log", config: { message } }, { s });
    });
    expect(tried).toMatchObject({ ok: false, error: expect.stringMatching(/took longer|more than/) });
    expect(cost.longest, seen(cost)).toBeLessThan(STEP_MS);
  });
});

describe("a feed", () => {
  it.each(["/open", "/links"])("of tags without an end (%s) is read beside other requests", async (path) => {
    const read = (address: string) =>
      tryStep(
        {
          type: "run_tool",
          config: { tool: "feed-reader.read", input: JSON.stringify({ url: `${site.origin}${address}` }) },
        },
        {},
      );
    expect(await read("/calm")).toMatchObject({ ok: true });
    const cost = await attacked.cost(() => read(path));
    expect(cost.longest, seen(cost)).toBeLessThan(PAGE_MS);
  });
});

interface ToolPart {
  type: string;
  state: string;
  error?: string;
  output?: { files: { id: string; mediaType: string }[] };
}

describe("a provider of images", () => {
  beforeAll(async () => {
    const config = { baseUrl: `${site.origin}/v1`, models: Object.keys(IMAGES) };
    const json = { provider: "custom", displayName: "Painter", enabled: true, config };
    expect((await attacked.server.ask("/api/providers", { as: "owner", json })).status).toBe(201);
  });

  const draw = async (model: string) => {
    const choice = { policy: "priority", imageModel: model };
    const path = "/api/settings/routing";
    const saved = await attacked.server.ask(path, { as: "owner", method: "PUT", json: choice });
    expect(saved.status, await saved.text()).toBe(200);
    const asked = { model: "quarterdeck-offline", tools: ["image.generate"] };
    const messages = [{ role: "user", content: "image.generate A ship" }];
    const sent = await attacked.server.ask("/api/ai/chat", { as: "member", json: { ...asked, messages } });
    const id = sent.headers.get("x-conversation-id");
    await sent.text();
    const read = await attacked.server.ask(`/api/ai/conversations/${id}`, { as: "member" });
    const { messages: stored } = (await read.json()) as { messages: { parts: ToolPart[] }[] };
    return stored.at(-1)?.parts.find(({ type }) => type === "tool");
  };

  it.each(Object.keys(IMAGES).filter((model) => model !== "flux-huge"))(
    "whose answer is %s makes none, while others are answered",
    async (model) => {
      let part: ToolPart | undefined;
      const cost = await attacked.cost(async () => {
        part = await draw(model);
      });
      expect(part).toMatchObject({ state: "failed", error: expect.any(String) });
      expect(cost.longest, seen(cost)).toBeLessThan(PAGE_MS);
    },
  );

  it("can't show an image of more pixels than a browser unpacks", async () => {
    const [file] = (await draw("flux-huge"))?.output?.files ?? [];
    expect(file?.mediaType).toBe("application/octet-stream");
    const response = await attacked.server.ask(`/api/tool-files/${file?.id}`, { as: "member" });
    expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
  });
});

describe("a feed trigger", () => {
  const watch = async (path: string) => {
    const made = await attacked.server.ask("/api/workflows", {
      as: "member",
      json: {
        name: `Watch ${path}`,
        triggers: [{ type: "feed", id: "feed", config: { url: `${site.origin}${path}` } }],
        steps: [{ type: "log", config: { message: "New" } }],
      },
    });
    const { id } = (await made.json()) as { id: string };
    const poll = async () => {
      const listed = await attacked.server.ask(`/api/workflows/${id}/checks`, { as: "member" });
      const [first] = (await listed.json()) as { checkedAt: string | null; error: string | null }[];
      return first?.error ?? (first?.checkedAt ? "read" : "waiting");
    };
    return expect.poll(poll);
  };

  it.each([
    ["/open", /^read$/],
    ["/deep", /nested too deeply/],
    ["/large", /larger|more than|too large/i],
    ["/away", /private|not allowed|isn't allowed|refused/i],
  ])("of a hostile site (%s) is read beside other requests", async (path, says) => {
    await (await watch("/calm")).toBe("read");
    const cost = await attacked.cost(async () => (await watch(path)).toMatch(says));
    expect(cost.longest, seen(cost)).toBeLessThan(PAGE_MS);
  });
});

it("an export of thousands of conversations is imported in turns", async () => {
  const conversation = (n: number) => ({
    conversation_id: `c${n}`,
    title: `Conversation ${n}`,
    mapping: {
      a: {
        id: "a",
        parent: null,
        message: { author: { role: "user" }, content: { content_type: "text", parts: [`Question ${n}`] } },
      },
    },
    current_node: "a",
  });
  const file = JSON.stringify(Array.from({ length: CONVERSATIONS }, (_, n) => conversation(n)));
  const states = async () => {
    const response = await attacked.server.ask("/api/ai/imports", { as: "member" });
    return ((await response.json()) as { state: string; report: { imported: number } }[])[0];
  };
  const cost = await attacked.cost(async () => {
    const form = new FormData();
    form.append("file", new Blob([file], { type: "application/json" }), "conversations.json");
    const response = await attacked.server.ask("/api/ai/imports", { as: "member", body: form });
    expect(response.ok, await response.text()).toBe(true);
    await expect.poll(async () => (await states())?.state).toBe("done");
  });
  expect((await states())?.report.imported).toBe(CONVERSATIONS);
  expect(cost.longest, seen(cost)).toBeLessThan(PAGE_MS);
}, 90_000);

it("a webhook's run leaves the console working, also after a restart", async () => {
  const { server } = attacked;
  const made = await server.ask("/api/workflows", {
    as: "member",
    json: {
      name: "Hooked",
      triggers: [{ id: "hook", type: "webhook", config: {} }],
      steps: [{ type: "log", config: { message: "{{ duration(trigger.body.d) }}" } }],
    },
  });
  const { id } = (await made.json()) as { id: string };
  const hooks = await server.ask(`/api/workflows/${id}/webhooks`, { as: "member" });
  const path = /\/api\/hooks\/[\w-]+/.exec(await hooks.text())?.[0] ?? "";
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  const headers = { "content-type": "application/json" };
  expect((await server.ask(path, { body: deep, headers })).status).toBe(400);
  expect((await server.ask(path, { json: { d: "1".repeat(20_000) } })).status).toBe(202);
  const runs = async () =>
    (await (await server.ask("/api/runs", { as: "member" })).json()) as { state: string; error: string }[];
  await expect.poll(async () => (await runs())[0]?.state).toBe("failed");
  expect((await runs())[0]?.error).toContain("more than 40 characters");
  await server.kill();
  await server.start();
  expect((await server.ask("/healthz")).status).toBe(200);
});
