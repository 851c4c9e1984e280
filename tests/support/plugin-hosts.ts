import { checksumOf } from "~/work/plugins/catalog/read-catalog";
import type { MockServer } from "./mock-server";
import { startMockServer } from "./mock-server";

const PAGE = `<!doctype html><html><head><title>Harbor news</title></head><body>
<article><h1>Harbor opens</h1><p>${"The harbor opened its gates in the early morning. ".repeat(8)}</p>
<a href="/two">Second page</a><a href="javascript:alert(1)">Script</a>
<table><caption>Ships</caption><tr><th>Name</th><th>Tons</th></tr><tr><td>Ada</td><td>120</td></tr></table>
</article></body></html>`;

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbor feed</title>
<item><title>First &amp; best</title><link>https://example.org/1</link><pubDate>Mon, 23 Nov 2026 08:00:00 GMT</pubDate>
<description><![CDATA[<p>Gates <b>open</b>.</p>]]></description></item>
<item><title>Second</title><link>https://example.org/2</link></item></channel></rss>`;

const ISSUE = { title: "Leak", state: "open", labels: ["bug"], updated_at: "2026-11-23T08:00:00Z" };
const GITHUB = {
  ...ISSUE,
  number: 7,
  html_url: "https://github.com/a/b/issues/7",
  body: "It leaks.",
  user: { login: "ada" },
  comments: 0,
};
const GITLAB = {
  ...ISSUE,
  iid: 9,
  web_url: "https://gitlab.com/a/b/-/issues/9",
  description: "It leaks.",
  author: { username: "bo" },
};

const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Ships" },
  paths: {
    "/ships/{id}": {
      get: { operationId: "readShip", parameters: [{ name: "id", in: "path", required: true }] },
      delete: { operationId: "deleteShip", parameters: [{ name: "id", in: "path", required: true }] },
    },
  },
};

type Body = readonly [type: string, body: string];
const json = (value: unknown): Body => ["application/json", JSON.stringify(value)];

const BODIES: Record<string, Body> = {
  "/page": ["text/html", PAGE],
  "/robots.txt": ["text/plain", "User-agent: *\nDisallow: /closed\n"],
  "/closed/page": ["text/html", PAGE],
  "/feed": ["application/rss+xml", FEED],
  "/ships.csv": ["text/csv", "name;tons\nAda;120\nBea;80\n"],
  "/github/repos/a/b/issues/7": json(GITHUB),
  "/github/repos/a/b/issues/7/comments?per_page=30": json([{ body: "Same here.", user: { login: "cy" } }]),
  "/github/repos/a/b/issues?state=open&sort=updated&per_page=100": json([
    GITHUB,
    { ...GITHUB, pull_request: {} },
  ]),
  "/api/v4/projects/a%2Fb/issues?state=opened&order_by=updated_at&per_page=20": json([GITLAB]),
  "/searx/search?q=tides&format=json": json({
    results: [{ title: "Tides", url: "https://example.org/tides", content: "High at noon." }],
  }),
  "/openapi.json": json(OPENAPI),
  "/ships/Ada%2F1": json({ id: "Ada/1", tons: 120 }),
  "/hook": json({ ok: true }),
};

const entryOf = (entry: Record<string, unknown>) => {
  const whole = {
    author: "Example",
    description: "Tides of every harbor.",
    version: "1.0.0",
    released: "2026-11-01",
    categories: ["data"],
    ...entry,
  };
  return { ...whole, sha256: checksumOf(whole) };
};

/** An MCP server, a paid plugin, and an impostor of a bundled one. */
const catalog = (origin: string) => ({
  format: "plugins/1",
  plugins: [
    entryOf({ id: "tides", title: "Tides", server: { url: `${origin}/mcp` } }),
    entryOf({
      id: "tides-pro",
      title: "Tides Pro",
      pricing: "premium",
      price: 12,
      purchaseUrl: "https://example.com/buy",
    }),
    entryOf({
      id: "calculator",
      title: "Calculator",
      verified: true,
      purchaseUrl: "https://example.com/buy",
    }),
  ],
});

/** Hosts that bundled plugins contact. */
export function openPluginHosts(): Promise<MockServer> {
  return startMockServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/catalog.json")
      return void response.end(JSON.stringify(catalog(`http://${request.headers.host}`)));
    if (path === "/sitemap.xml") {
      const loc = `http://${request.headers.host}/page`;
      const body = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${loc}</loc></url></urlset>`;
      return void response.writeHead(200, { "content-type": "application/xml" }).end(body);
    }
    const found = BODIES[path];
    response
      .writeHead(found ? 200 : 404, { "content-type": found?.[0] ?? "text/plain" })
      .end(found?.[1] ?? "Not here");
  });
}
