import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchAnswer } from "~/work/search/search.schema";
import { type PlainPage, plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;

const documents = [
  {
    title: "Returns",
    text: "# Returns\n\nCustomers who send goods back within thirty days get a full refund.",
    format: "markdown",
    category: "Customers",
  },
  {
    title: "Printer",
    text: "The printer on the second floor takes toner cartridge TN-2420.",
    category: "Inventory",
  },
  { title: "Merger", text: "The refund of the merger's fee is secret until spring.", visibility: "named" },
];

beforeAll(async () => {
  server = await startServer();
  for (const json of documents) {
    const response = await server.ask("/api/rag/ingest", { as: "member", json });
    if (response.status !== 201) throw new Error(`${json.title}: ${await response.text()}`);
  }
});
afterAll(() => server?.close());

async function search(
  query: string,
  more: object = {},
  who: Parameters<TestServer["ask"]>[1] = { as: "viewer" },
): Promise<SearchAnswer> {
  const response = await server.ask("/api/rag/search", { ...who, json: { query, ...more } });
  expect(response.status).toBe(200);
  return (await response.json()) as SearchAnswer;
}
const titles = ({ results }: SearchAnswer) => results.map(({ metadata }) => metadata.title);

describe("the search of the documents' page", () => {
  const open = (query: string) => plainBrowser(server, "viewer").open(`/rag?dialog=search&${query}`);
  const dialog = ({ document }: PlainPage) => document.querySelector("dialog");

  it("shows passages with their ranks, what was found in them, and the way to them", async () => {
    const page = dialog(await open("q=Who+gets+a+refund"));
    expect(page?.querySelector("[role=status]")?.textContent).toMatch(/^Found \d results?$/);
    const first = page?.querySelector("article");
    expect(first?.textContent).toMatch(/Returns.*Keywords#1/s);
    expect([...(first?.querySelectorAll("mark") ?? [])].map(({ textContent }) => textContent)).toContain(
      "refund",
    );
    const [to] = [...(first?.querySelectorAll("a") ?? [])]
      .map((link) => link.getAttribute("href"))
      .filter((href) => href?.includes("#"));
    expect(to).toMatch(/^\/rag\/doc_.*from=\d+&to=\d+&version=1#passage$/);
  });

  it("asks for words, and says when nothing was found", async () => {
    expect((await open("q=")).described("q")).toBe("Please enter a search query");
    expect(dialog(await open("q=refund&in=Inventory"))?.textContent).toContain(
      "No matching passages. Try other words, or fewer filters.",
    );
  });
});

describe("POST /api/rag/search", () => {
  it("answers with passages that say where they stand and what their score consists of", async () => {
    const answer = await search("Who gets a refund?");
    const [best] = answer.results;
    expect(best).toMatchObject({
      content: expect.stringContaining("full refund"),
      metadata: { title: "Returns", category: "Customers", type: "text", headings: ["Returns"], version: 1 },
      scores: { keyword: { rank: 1 }, rerank: null },
    });
    expect(best?.metadata.url).toMatch(/^\/rag\/[^/?]+\?from=\d+&to=\d+&version=1#passage$/);
    expect(answer).toMatchObject({
      store: "sqlite",
      embedder: "the built-in lexical embedder",
      notice: null,
    });
  });

  it("shows a document of named members to them alone, also to a token of theirs", async () => {
    expect(titles(await search("merger fee secret"))).not.toContain("Merger");
    expect(titles(await search("merger fee secret", {}, { as: "owner" }))).not.toContain("Merger");
    expect(titles(await search("merger fee secret", {}, { as: "member" }))[0]).toBe("Merger");
    const token = await server.createToken("member", ["documents.search"]);
    const headers = { authorization: `Bearer ${token}` };
    expect(titles(await search("merger fee secret", {}, { headers }))[0]).toBe("Merger");
  });

  it("limits by category and finds identifiers", async () => {
    expect(titles(await search("TN-2420"))[0]).toBe("Printer");
    expect(titles(await search("refund printer", { filters: { category: "Inventory" } }))).toEqual([
      "Printer",
    ]);
  });

  it("no longer finds what was deleted, from that moment on", async () => {
    const [found] = (await search("toner")).results;
    const path = `/api/rag/documents/${found?.metadata.documentId}`;
    expect((await server.ask(path, { as: "member", method: "DELETE" })).status).toBe(204);
    expect(titles(await search("toner"))).not.toContain("Printer");
  });

  it("leads to the words it found also after their document has changed, as long as they are kept", async () => {
    const words = "A rented boat is brought back before the sun sets.";
    const json = { title: "Boats", text: words };
    const made = await server.ask("/api/rag/ingest", { as: "member", json });
    const { id } = (await made.json()) as { id: string };
    const [found] = (await search("rented boat sun sets")).results;
    expect(found?.metadata).toMatchObject({ documentId: id, version: 1 });
    const link = found?.metadata.url ?? "";
    const page = async () =>
      (await (await server.ask(link, { as: "viewer" })).text()).replaceAll("<!-- -->", "");
    const mark = (text: string) => /<mark id="passage"[^>]*>([^<]*)/.exec(text)?.[1];
    expect(mark(await page())).toBe(words);
    expect(await page()).not.toMatch(/This is version|no longer kept/);
    const path = `/api/rag/documents/${id}`;
    const numbers = async () => {
      const versions = await (await server.ask(`${path}/versions`, { as: "viewer" })).json();
      return (versions as { number: number; state: string }[])
        .filter(({ state }) => state === "served" || state === "replaced")
        .map(({ number }) => number);
    };
    for (const number of [2, 3, 4, 5, 6]) {
      const text = `Edition ${number} says where boats lie. ${words}`;
      const response = await server.ask(`${path}/versions`, { as: "member", json: { text } });
      expect(response.status).toBe(202);
      await expect.poll(async () => (await numbers())[0]).toBe(number);
      const served = async () =>
        (await (await server.ask(path, { as: "viewer" })).json()) as { status: string };
      await expect.poll(async () => (await served()).status).toBe("ready");
      if (number > 2) continue;
      const old = await page();
      expect(mark(old)).toBe(words);
      expect(old).toContain("This is version 1. The current version is 2.");
      const present = /<a[^>]*href="([^"]*)"[^>]*>Show Current Text/.exec(old)?.[1]?.replaceAll("&amp;", "&");
      const html = await (await server.ask(present ?? "", { as: "viewer" })).text();
      expect(mark(html)).toBeUndefined();
      expect(html).not.toContain("This is version");
    }
    await expect.poll(numbers).toEqual([6, 5, 4, 3, 2]);
    const gone = await server.ask(link, { as: "viewer" });
    expect(gone.status).toBe(200);
    const text = (await gone.text()).replaceAll("<!-- -->", "");
    expect(mark(text)).toBeUndefined();
    expect(text).toMatch(/The cited passage is from version 1, which is no longer available/);
    expect(text).toContain("Edition 6 says where boats lie.");
  });

  it.each([
    ["no query", { query: "" }, 400],
    ["a query too long", { query: "x".repeat(2001) }, 400],
    ["too many wanted", { query: "x", topK: 51 }, 400],
    ["no date", { query: "x", filters: { from: "yesterday" } }, 400],
    ["an unknown collection", { query: "x", collection: "recipes" }, 404],
    ["the index's own language", { query: '" OR NEAR(* AND "', topK: 50 }, 200],
  ])("takes %s for what it is", async (_, json, status) => {
    expect((await server.ask("/api/rag/search", { as: "viewer", json })).status).toBe(status);
  });
});
