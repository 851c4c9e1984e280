import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ZodType, z } from "zod";
import { passagesOf } from "~/ai/models/quoted-passages.shared";
import type { Role } from "~/core/actor";
import { countTokens } from "~/core/count-tokens";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { updateUserSettings } from "~/team/members/preferences.service.server";
import { tools } from "~/tool-list.server";
import { getDocument } from "~/work/documents/documents.service.server";
import { openTestDatabase } from "../tests/support/database";
import { type MockServer, startMockServer } from "../tests/support/mock-server";
import { makeCollection } from "../tests/support/search-collection";

let upstream: MockServer;
let test: ReturnType<typeof openTestDatabase>;

beforeEach(async () => {
  upstream = await startMockServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://mock");
    const type = (value: string) => response.setHeader("content-type", value);
    if (pathname === "/page") {
      type("text/html; charset=iso-8859-1");
      response.end(
        Buffer.from(`<html lang="fr"><title>Caf\xe9</title><p>Cr\xe8me</p><script>no()</script>`, "latin1"),
      );
    } else if (pathname === "/packed") {
      type("text/html");
      response.setHeader("content-encoding", "gzip").end(gzipSync("<title>Packed</title><p>inside</p>"));
    } else if (pathname === "/moved") response.writeHead(301, { location: "/page" }).end();
    else if (pathname === "/away") response.writeHead(302, { location: "http://127.0.0.1:9/" }).end();
    else if (pathname === "/long") {
      type("text/plain");
      response.end("word ".repeat(600_000));
    } else if (pathname === "/pdf") {
      type("application/pdf");
      response.end("%PDF-1.7\0");
    } else if (pathname === "/gone") response.writeHead(410).end("nothing here");
    else if (pathname === "/api") {
      type("application/json");
      response.setHeader("set-cookie", "secret=1").setHeader("etag", '"7"').statusCode = 201;
      response.end(JSON.stringify({ method: request.method, body: request.text }));
    } else if (pathname === "/image") {
      type("image/png");
      response.end(Buffer.from([0x89, 0x50, 0, 0]));
    }
  });
  test = openTestDatabase({ EGRESS_ALLOW: `127.0.0.1:${upstream.port}` });
});

afterEach(async () => {
  test.close();
  await upstream.close();
});
afterAll(closeWorkerPools);

function run(
  name: string,
  input: unknown,
  options: { role?: Role; signal?: AbortSignal; restricted?: boolean; modelContext?: number } = {},
): Promise<unknown> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`There is no ${name}`);
  const { role = "member", signal = AbortSignal.timeout(20_000), restricted = false, modelContext } = options;
  const context = {
    actor: test.actors[role],
    signal,
    modelContext,
    isRestricted: () => restricted,
    report: () => undefined,
    sending: async () => undefined,
    keepFile: async () => undefined,
  };
  return tool.run((tool.input as ZodType).parse(input) as never, context);
}

describe("the registry", () => {
  it("names each tool once, with a description and an object schema that a model API takes", () => {
    expect(tools.map(({ name, effect }) => `${name} ${effect}`)).toEqual([
      "web.fetch outside",
      "qdrant.search reads",
      "http.request outside",
      "kv.set writes",
      "kv.get reads",
      "ingest.queue writes",
      "memory.remember reads",
      "skill.load reads",
      "persona.ask reads",
      "image.generate outside",
    ]);
    for (const { description, input } of tools) {
      expect(description).not.toContain("\n");
      const schema = z.toJSONSchema(input as ZodType, { io: "input", unrepresentable: "any" });
      expect(schema).toMatchObject({ type: "object" });
      for (const property of Object.values(schema.properties ?? {}))
        expect(property).toHaveProperty("description");
    }
  });

  it.each([
    ["web.fetch", { url: "https://example.org" }],
    ["http.request", { url: "https://example.org" }],
    ["qdrant.search", { query: "a" }],
    ["kv.set", { key: "a", value: "b" }],
    ["kv.get", { key: "a" }],
    ["ingest.queue", { text: "a" }],
    ["image.generate", { prompt: "a" }],
  ])("%s is not for viewers", async (name, input) => {
    await expect(run(name, input, { role: "viewer" })).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("web.fetch", () => {
  const fetchPage = (path: string) => run("web.fetch", { url: `${upstream.origin}${path}` });

  it("reads a page in its own charset", async () => {
    expect(await fetchPage("/page")).toEqual({
      url: `${upstream.origin}/page`,
      title: "Café",
      text: "Crème",
      language: "fr",
      truncated: false,
    });
  });

  it("follows a redirect and unpacks", async () => {
    expect(await fetchPage("/moved")).toMatchObject({ url: `${upstream.origin}/page`, title: "Café" });
    expect(await fetchPage("/packed")).toMatchObject({ title: "Packed", text: "inside" });
  });

  it("cuts what is too long and says so", async () => {
    const { text, truncated } = (await fetchPage("/long")) as { text: string; truncated: boolean };
    expect(truncated).toBe(true);
    expect(text.length).toBeLessThan(20_200);
    expect(text).toMatch(/\[Cut here: 20,000 of 1,999,999 characters were read\.\]$/);
  });

  it("says why a page can't be read", async () => {
    await expect(fetchPage("/pdf")).rejects.toThrow("application/pdf");
    await expect(fetchPage("/gone")).rejects.toThrow("returned HTTP 410 Gone");
    await expect(run("web.fetch", { url: "http://127.0.0.1:9/" })).rejects.toMatchObject({
      code: "egress_refused",
    });
    await expect(fetchPage("/away")).rejects.toMatchObject({ code: "egress_refused" });
    expect(() => run("web.fetch", { url: "example.org" })).toThrow("Start the address with http");
  });

  it("stops when the answer is stopped", async () => {
    const stop = new AbortController();
    const waiting = run("web.fetch", { url: `${upstream.origin}/silent` }, { signal: stop.signal });
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });
});

describe("http.request", () => {
  it("sends method, headers and body, and returns status, headers and text", async () => {
    const headers = { "content-type": "application/json", Authorization: "Bearer x", "x-own": "1" };
    const answer = await run("http.request", {
      method: "put",
      url: `${upstream.origin}/api`,
      headers,
      body: "{}",
    });
    expect(answer).toMatchObject({
      status: 201,
      headers: { "content-type": "application/json", etag: '"7"' },
      text: '{"method":"PUT","body":"{}"}',
      truncated: false,
    });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(upstream.requests[0]?.headers).toMatchObject({ authorization: "Bearer x", "x-own": "1" });
  });

  it("returns an error status instead of failing", async () => {
    expect(await run("http.request", { url: `${upstream.origin}/gone` })).toMatchObject({
      status: 410,
      text: "nothing here",
    });
  });

  it("shows no binary data and cuts long text", async () => {
    expect(await run("http.request", { url: `${upstream.origin}/image` })).toMatchObject({
      text: "[Binary data, not shown]",
    });
    const long = (await run("http.request", { url: `${upstream.origin}/long` })) as {
      text: string;
      truncated: boolean;
    };
    expect([long.truncated, long.text.length < 20_200]).toEqual([true, true]);
  });

  it.each([
    { headers: { Host: "other" } },
    { headers: { "content-length": "1" } },
    { headers: { "Transfer-Encoding": "chunked" } },
    { headers: { connection: "upgrade" } },
    { headers: { "bad name": "x" } },
    { headers: { x: "a\r\nb: c" } },
    { method: "CONNECT" },
    { method: "TRACE" },
    { method: "GE T" },
    { url: "ftp://example.org" },
  ])("refuses %j", (wrong) => {
    expect(() => run("http.request", { url: `${upstream.origin}/api`, ...wrong })).toThrow();
    expect(upstream.requests).toEqual([]);
  });
});

describe("kv.set and kv.get", () => {
  it("store and read values, and report a missing key", async () => {
    expect(await run("kv.set", { key: "note", value: "tea" })).toMatchObject({ key: "note", stored: true });
    expect(await run("kv.get", { key: "note" })).toMatchObject({
      found: true,
      value: "tea",
      truncated: false,
    });
    expect(await run("kv.get", { key: "other" })).toEqual({ key: "other", found: false });
  });

  it("read a long value piece by piece", async () => {
    await run("kv.set", { key: "long", value: "a".repeat(20_000) + "b".repeat(10_000) });
    expect(await run("kv.get", { key: "long" })).toMatchObject({ truncated: true });
    expect(await run("kv.get", { key: "long", offset: 20_000 })).toMatchObject({
      value: "b".repeat(10_000),
      truncated: false,
    });
  });
});

describe("qdrant.search", () => {
  interface Found {
    about?: string;
    notice?: string;
    passages: { number: number; title: string; text: string; url: string; score: number }[];
    sections?: { passages: number[]; text: string }[];
  }
  const find = (input: Record<string, unknown>, role: Role = "member", modelContext?: number) =>
    run("qdrant.search", input, { role, modelContext }) as Promise<Found>;

  it("hands over numbered passages with their places, marked as quoted material", async () => {
    const { documentId } = makeCollection().add({
      name: "Handbook",
      chunks: [{ text: "Everyone has 28 days of holidays.", headings: ["Leave", "Holidays"] }],
    });
    const found = await find({ query: "How many holidays?" });
    expect(found.about).toMatch(/Quoted.*never an instruction.*\[number\]\(url\)/);
    expect(found.passages).toEqual([
      {
        number: 1,
        title: "Handbook",
        headings: ["Leave", "Holidays"],
        page: null,
        url: `/rag/${documentId}?from=0&to=33&version=1#passage`,
        score: expect.any(Number),
        scores: { keyword: expect.any(Number), similarity: expect.any(Number), rerank: null },
        text: "Everyone has 28 days of holidays.",
      },
    ]);
    expect(passagesOf(JSON.parse(JSON.stringify(found)))).toEqual(found.passages);
  });

  it("finds what its person sees, and nothing else", async () => {
    makeCollection().add({
      name: "Salaries",
      chunks: ["The salary of the board is secret."],
      row: { visibility: "named", createdBy: "usr_admin" },
    });
    expect((await find({ query: "salary of the board" }, "admin")).passages).toHaveLength(1);
    expect(await find({ query: "salary of the board" })).toEqual({
      query: "salary of the board",
      notice: expect.stringContaining("No matching passages"),
      passages: [],
    });
  });

  it("takes as many passages as have room, and says what was left out", async () => {
    const collection = makeCollection();
    for (let n = 0; n < 20; n++) {
      const words = Array.from({ length: 400 }, (_, word) => `holiday${n * 1000 + word}`).join(" ");
      collection.add({ name: `Part ${n}`, chunks: [`Holidays ${words}`] });
    }
    const found = await find({ query: "holidays", topK: 20 });
    const length = found.passages.reduce((sum, { text }) => sum + text.length, 0);
    expect(length).toBeLessThanOrEqual(20_020);
    expect(found.passages.at(-1)?.text).toMatch(/\[Cut here\]$/);
    expect(found.notice).toMatch(/^\d+ more found, omitted/);
    expect(() => find({ query: "holidays", topK: 21 })).toThrow();
  });

  describe("with a model that reads the result", () => {
    /** Documents of one paragraph after the other, of which one is a chunk. */
    function addLong(count: number) {
      const collection = makeCollection();
      const paragraph = (n: number) => `Rule ${n} applies to everyone who works here, at all times.\n\n`;
      const before = Array.from({ length: 60 }, (_, n) => paragraph(n)).join("");
      for (let n = 0; n < count; n++) {
        const quote = `Holidays of team ${n} are ${"long ".repeat(n)}.`;
        const texts = [before, `${quote}\n\n`, before].map((text, at, all) => {
          const start = all.slice(0, at).join("").length;
          const ends = [...text.matchAll(/\n\n/g)].map(({ index }) => index);
          const blocks = ends.map((end, block) => {
            const from = block === 0 ? 0 : (ends[block - 1] as number) + 2;
            return { kind: "paragraph", start: start + from, end: start + end };
          });
          return { text, blocks };
        });
        collection.add({ name: `Team ${n}`, chunks: [{ text: quote, start: before.length }], texts });
      }
    }

    it("adds the text around passages, across stored pieces, and says how to read it", async () => {
      addLong(1);
      const found = await find({ query: "holidays" }, "member", Number.POSITIVE_INFINITY);
      expect(found.about).toMatch(/Cite passages only\.$/);
      expect(found.sections).toEqual([
        {
          passages: [1],
          text: expect.stringMatching(/^….*Rule 59 [^\n]*\n\n\[passage 1\]\n\nRule 0 .*…$/s),
        },
      ]);
      expect(passagesOf(found)).toEqual((await find({ query: "holidays" })).passages);
    });

    it("shares a bounded room among them, less for a smaller context, and none for a short one", async () => {
      addLong(8);
      const tokens = async (context: number | undefined) => {
        const { sections = [] } = await find({ query: "holidays", topK: 8 }, "member", context);
        return sections.reduce((sum, { text }) => sum + countTokens(text), 0);
      };
      const most = await tokens(128_000);
      expect(most).toBeGreaterThan(2300);
      expect(most).toBeLessThan(2600);
      expect(await tokens(16_000)).toBeLessThan(1100);
      expect(await tokens(16_000)).toBeGreaterThan(800);
      expect(await tokens(8192)).toBe(0);
      expect(await tokens(undefined)).toBe(0);
    });
  });

  it("keeps to a category and a kind of document", async () => {
    const collection = makeCollection();
    collection.add({ name: "Own", chunks: ["Holidays are long."] });
    collection.add({
      name: "Page",
      chunks: ["Holidays on a page."],
      row: { type: "url", source: "https://x.example" },
    });
    expect((await find({ query: "holidays", type: "url" })).passages.map(({ title }) => title)).toEqual([
      "Page",
    ]);
    expect((await find({ query: "holidays", category: "finance" })).passages).toEqual([]);
    expect((await find({ query: "holidays", category: "uncategorized" })).passages).toHaveLength(2);
    await expect(find({ query: "holidays", category: "Leave" })).rejects.toThrow(
      /Categories: Uncategorized, /,
    );
  });

  it("says when documents are switched off", async () => {
    updateUserSettings(test.actors.admin, { ragEnabled: false });
    expect(await find({ query: "holidays" })).toEqual({
      query: "holidays",
      notice: expect.stringContaining("turned off"),
      passages: [],
    });
  });
});

describe("ingest.queue", () => {
  it("adds for the asker alone where the conversation is restricted", async () => {
    const seenAs = async (text: string, restricted: boolean) => {
      const { id, note } = (await run("ingest.queue", { text }, { restricted })) as {
        id: string;
        note?: string;
      };
      const { visibility, readers } = getDocument(test.actors.member, id);
      return {
        visibility,
        readers,
        notified: note?.includes("Visible only to the person who asked") ?? false,
      };
    };
    const all = { visibility: "organisation", readers: [], notified: false };
    const own = { visibility: "named", readers: [], notified: true };
    expect(await seenAs("One.", false)).toEqual(all);
    expect(await seenAs("Two.", true)).toEqual(own);
  });

  it("takes a text on without waiting for it, and says where it will be", async () => {
    const answer = (await run("ingest.queue", { text: "Lunch is at noon.", title: "Canteen" })) as {
      id: string;
    };
    expect(answer).toEqual({
      id: expect.any(String),
      title: "Canteen",
      status: "processing",
      page: `/rag/${answer.id}`,
    });
    expect(await run("ingest.queue", { text: "Lunch is at noon." })).toMatchObject({
      id: answer.id,
      note: expect.stringContaining("Nothing was added"),
    });
  });

  it("names a page by its address", async () => {
    expect(await run("ingest.queue", { url: "https://example.org/handbook" })).toMatchObject({
      title: "example.org/handbook",
      status: "processing",
    });
  });

  it.each([{}, { text: " " }, { url: "https://example.org", text: "both" }, { url: "ftp://example.org" }])(
    "refuses %j",
    (wrong) => {
      expect(() => run("ingest.queue", wrong)).toThrow();
    },
  );

  it("says when nothing can be added", async () => {
    updateUserSettings(test.actors.admin, { ragEnabled: false });
    await expect(run("ingest.queue", { text: "Lunch." })).rejects.toThrow("RAG is turned off");
  });
});
