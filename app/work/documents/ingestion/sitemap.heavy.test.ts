import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { readSitemap } from "./sitemap.server";
import { parseSitemap } from "./sitemap-task";

const urls = (...locations: string[]) =>
  `<urlset>${locations.map((location) => `<url><loc>${location}</loc></url>`).join("")}</urlset>`;
const maps = (...locations: string[]) =>
  `<sitemapindex>${locations.map((location) => `<sitemap><loc>${location}</loc></sitemap>`).join("")}</sitemapindex>`;

const parse = (xml: string | Buffer, limit = 10) =>
  parseSitemap({ bytes: Buffer.from(xml), host: "a.example", limit });

describe("parsing a sitemap", () => {
  it("reads the URLs of pages, not of their images or translations", async () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
      <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><loc> https://a.example/1?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>
        <image:image><image:loc>https://a.example/1.png</image:loc></image:image></url>
      <url><loc><![CDATA[https://a.example/2]]></loc></url></urlset>`;
    expect(await parse(xml)).toEqual({
      kind: "urlset",
      locations: ["https://a.example/1?x=1&y=2", "https://a.example/2"],
    });
  });

  it("stops at the limit without reading further", async () => {
    const many = urls(...Array.from({ length: 5000 }, (_, index) => `https://a.example/${index}`));
    expect((await parse(many, 500)).locations).toHaveLength(500);
    const broken = Buffer.concat([Buffer.from(many), Buffer.alloc(200_000, "<")]);
    expect((await parse(broken, 500)).locations).toHaveLength(500);
    expect((await parse(gzipSync(broken), 500)).locations).toHaveLength(500);
  });

  it.each([
    ["a page", "<html><body><p>Hello</p></body></html>", "not a sitemap"],
    ["broken XML", "<urlset><url><loc>x</urlset>", "not well-formed"],
    ["an unknown entity", urls("&boom;"), "not well-formed"],
    ["nothing", "", "not"],
    ["endless nesting", `<urlset>${"<a>".repeat(100_000)}`, "nested too deeply"],
    ["invalid gzip data", Buffer.from([0x1f, 0x8b, 1, 2, 3]), "can't be unpacked"],
  ])("refuses %s", async (_, xml, words) => {
    await expect(parse(xml)).rejects.toThrow(words);
  });

  it("skips URLs that are too long", async () => {
    const xml = urls(
      "https://a.example/1",
      `https://a.example/${"x".repeat(1_000_000)}`,
      "https://a.example/2",
    );
    expect((await parse(xml)).locations).toEqual(["https://a.example/1", "https://a.example/2"]);
  });

  it("decodes characters split across two chunks", async () => {
    const page = `https://a.example/${"é".repeat(1500)}`;
    const xml = urls(...Array.from({ length: 60 }, () => page));
    expect(new Set((await parse(xml, 100)).locations)).toEqual(new Set([page]));
  });

  it("expands no entities of a document type", async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${urls("https://a.example/&b;")}`;
    await expect(parse(bomb)).rejects.toThrow("not well-formed");
  });
});

describe("reading a sitemap", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let upstream: MockServer;
  let answers: Record<string, string | Buffer>;
  const { signal } = new AbortController();
  beforeEach(async () => {
    test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
    answers = {};
    upstream = await startMockServer((request, response) => {
      // Never responds.
      if (request.url?.startsWith("/slow")) return;
      const body = answers[request.url ?? ""];
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
  });
  afterEach(async () => {
    await upstream.close();
    test.close();
  });
  afterAll(closeWorkerPools);

  it("stays on its own site and lists each page once", async () => {
    const { origin } = upstream;
    answers["/sitemap.xml"] = urls(
      `${origin}/a`,
      "https://other.example/b",
      `${origin}/a#part`,
      "not one",
      `${origin}/c`,
    );
    expect(await readSitemap(`${origin}/sitemap.xml`, signal)).toEqual([`${origin}/a`, `${origin}/c`]);
  });

  it("follows an index one level deep, compressed or not", async () => {
    const { origin } = upstream;
    answers["/index.xml"] = maps(`${origin}/1.xml.gz`, `${origin}/2.xml`, "https://other.example/3.xml");
    answers["/1.xml.gz"] = gzipSync(urls(`${origin}/a`));
    answers["/2.xml"] = maps(`${origin}/deeper.xml`);
    expect(await readSitemap(`${origin}/index.xml`, signal)).toEqual([`${origin}/a`]);
    expect(upstream.requests.map(({ url }) => url)).toEqual(["/index.xml", "/1.xml.gz", "/2.xml"]);
  });

  it("doesn't block the event loop", async () => {
    const entry = "<url><lastmod>2026-01-01</lastmod><priority>0.5</priority></url>";
    answers["/large.xml.gz"] = gzipSync(`<urlset>${entry.repeat(450_000)}</urlset>`);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    await expect(readSitemap(`${upstream.origin}/large.xml.gz`, signal)).rejects.toThrow("lists no pages");
    clearInterval(timer);
    // Parsing takes more than half a second of processor time.
    expect(ticks).toBeGreaterThan(40);
  });

  it("stops when all sitemaps together take too long", async () => {
    const { origin } = upstream;
    answers["/index.xml"] = maps(...Array.from({ length: 40 }, (_, n) => `${origin}/slow/${n}.xml`));
    const found = readSitemap(`${origin}/index.xml`, signal, 300);
    await expect(found).rejects.toMatchObject({ code: "unprocessable", message: /took longer than/ });
    expect(upstream.requests.length).toBeLessThan(5);
  });

  it("stops unpacking a sitemap beyond its limit", async () => {
    answers["/bomb.gz"] = gzipSync(Buffer.alloc(60_000_000, 32));
    await expect(readSitemap(`${upstream.origin}/bomb.gz`, signal)).rejects.toMatchObject({
      code: "too_large",
    });
  });

  it("reports a missing sitemap, or one without pages of its own site", async () => {
    await expect(readSitemap(`${upstream.origin}/none.xml`, signal)).rejects.toThrow(
      "returned HTTP 404 Not Found.",
    );
    answers["/other.xml"] = urls("https://other.example/");
    await expect(readSitemap(`${upstream.origin}/other.xml`, signal)).rejects.toThrow(
      "no pages of its own site",
    );
  });
});
