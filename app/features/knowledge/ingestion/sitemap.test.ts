import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database";
import { type FarEnd, openFarEnd } from "../../../../tests/support/far-end";
import { parseSitemap, readSitemap } from "./sitemap.server";

const urls = (...locations: string[]) =>
  `<urlset>${locations.map((location) => `<url><loc>${location}</loc></url>`).join("")}</urlset>`;
const maps = (...locations: string[]) =>
  `<sitemapindex>${locations.map((location) => `<sitemap><loc>${location}</loc></sitemap>`).join("")}</sitemapindex>`;

describe("parsing a sitemap", () => {
  it("takes the addresses of pages, not those of their images or translations", () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
      <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><loc> https://a.example/1?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>
        <image:image><image:loc>https://a.example/1.png</image:loc></image:image></url>
      <url><loc><![CDATA[https://a.example/2]]></loc></url></urlset>`;
    expect(parseSitemap(xml, "a.example", 10)).toEqual({
      kind: "urlset",
      locations: ["https://a.example/1?x=1&y=2", "https://a.example/2"],
    });
  });

  it("stops at the limit", () => {
    const many = urls(...Array.from({ length: 1000 }, (_, index) => `https://a.example/${index}`));
    expect(parseSitemap(many, "a.example", 500).locations).toHaveLength(500);
  });

  it.each([
    ["a page", "<html><body><p>Hello</p></body></html>", "not a sitemap"],
    ["broken XML", "<urlset><url><loc>x</urlset>", "not well-formed"],
    ["an unknown entity", urls("&boom;"), "not well-formed"],
    ["nothing", "", "not"],
  ])("refuses %s", (_, xml, words) => {
    expect(() => parseSitemap(xml, "a.example", 10)).toThrow(words);
  });

  it("expands no entities of a document type", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${urls("https://a.example/&b;")}`;
    expect(() => parseSitemap(bomb, "a.example", 10)).toThrow("not well-formed");
  });
});

describe("reading a sitemap", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let far: FarEnd;
  let answers: Record<string, string | Buffer>;
  const { signal } = new AbortController();
  beforeEach(async () => {
    test = openTestDatabase({ EGRESS_ALLOW: "127.0.0.1" });
    answers = {};
    far = await openFarEnd((request, response) => {
      const body = answers[request.url ?? ""];
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
  });
  afterEach(async () => {
    await far.close();
    test.close();
  });

  it("keeps to its own site and names each page once", async () => {
    const { origin } = far;
    answers["/sitemap.xml"] = urls(
      `${origin}/a`,
      "https://other.example/b",
      `${origin}/a#part`,
      "not one",
      `${origin}/c`,
    );
    expect(await readSitemap(`${origin}/sitemap.xml`, signal)).toEqual([`${origin}/a`, `${origin}/c`]);
  });

  it("follows an index one level deep, packed or not", async () => {
    const { origin } = far;
    answers["/index.xml"] = maps(`${origin}/1.xml.gz`, `${origin}/2.xml`, "https://other.example/3.xml");
    answers["/1.xml.gz"] = gzipSync(urls(`${origin}/a`));
    answers["/2.xml"] = maps(`${origin}/deeper.xml`);
    expect(await readSitemap(`${origin}/index.xml`, signal)).toEqual([`${origin}/a`]);
    expect(far.requests.map(({ url }) => url)).toEqual(["/index.xml", "/1.xml.gz", "/2.xml"]);
  });

  it("ends a packed sitemap that grows beyond its limit", async () => {
    answers["/bomb.gz"] = gzipSync(Buffer.alloc(60_000_000, 32));
    await expect(readSitemap(`${far.origin}/bomb.gz`, signal)).rejects.toMatchObject({ code: "too_large" });
  });

  it("says that there is none, or none of its own pages", async () => {
    await expect(readSitemap(`${far.origin}/none.xml`, signal)).rejects.toThrow("answered 404 Not Found.");
    answers["/other.xml"] = urls("https://other.example/");
    await expect(readSitemap(`${far.origin}/other.xml`, signal)).rejects.toThrow("no page of its own site");
  });
});
