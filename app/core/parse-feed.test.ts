import { expect, it } from "vitest";
import { parseFeed } from "./parse-feed";

const rdf = `<rdf:RDF xmlns:rdf="r" xmlns="u"><channel rdf:about="c"><title>News</title></channel>
<item rdf:about="https://example.com/1"><title>One</title><dc:creator>Ada</dc:creator><dc:date>2026-11-01</dc:date></item></rdf:RDF>`;
const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><author><name>Nobody</name></author>
<entry><media:title>Picture</media:title><id>urn:1</id><title type="html">&lt;b&gt;One&lt;/b&gt;</title>
<link rel="self" href="https://example.com/self"/><link href="https://example.com/1"/>
<author><name>Ada</name><email>ada@example.com</email></author><updated>2026-11-01T09:00:00Z</updated>
<summary>Text</summary></entry></feed>`;
const json = JSON.stringify({
  version: "https://jsonfeed.org/version/1.1",
  title: "News",
  items: [
    {
      id: 1,
      url: "https://example.com/1",
      title: "One",
      content_html: "<p>Text</p>",
      authors: [{ name: "Ada" }],
    },
    "no item",
  ],
});

it.each([
  ["RSS 1.0", rdf, { id: "https://example.com/1", link: "https://example.com/1", published: "2026-11-01" }],
  [
    "Atom",
    atom,
    { id: "urn:1", link: "https://example.com/1", published: "2026-11-01T09:00:00Z", summary: "Text" },
  ],
  ["JSON Feed", json, { id: "1", link: "https://example.com/1", summary: "Text" }],
])("reads %s", (_, text, item) => {
  const { title, items } = parseFeed(text, 10);
  expect(title).toBe("News");
  expect(items).toEqual([expect.objectContaining({ title: "One", author: "Ada", ...item })]);
});

it("expands no entities of a DTD, and reads no file that one names", () => {
  const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>
<rss><channel><item><title>x&b;y</title><guid>&c;</guid></item></channel></rss>`;
  const [item] = parseFeed(bomb, 10).items;
  expect(JSON.stringify(item)).not.toMatch(/aaaa|root:/);
});

it.each([
  ["a page", "<html></html>"],
  ["other JSON", `{"items": []}`],
  ["broken JSON", "{"],
  ["deep nesting", `<rss>${"<a>".repeat(300)}`],
])("refuses %s", (_, text) => {
  expect(() => parseFeed(text, 10)).toThrow();
});
