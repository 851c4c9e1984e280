import { gzipSync } from "node:zlib";
import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRaster } from "~/core/raster";
import { makePdf } from "../support/document-files";
import { type PlainPage, plainBrowser } from "../support/forms";
import { makeMixedEml, makeZip } from "../support/mail-files";
import { type MockServer, startMockServer } from "../support/mock-server";
import { startReadingServer } from "../support/reading-server";
import { startServer, type TestServer } from "../support/server";
import { batchEnded, readBatch, upload, uploadForm } from "../support/uploads";

let server: TestServer;
let upstream: MockServer;

/** Contents of upstream pages that change during a test; pages without an entry don't exist. */
let sitemap: string | undefined;
let words: string | undefined;

const pages: Record<
  string,
  () => { status?: number; headers?: Record<string, string>; body?: string | Buffer }
> = {
  "/one": () => ({ body: "<title>One</title><p>The first page of the guide.</p>" }),
  "/two": () => ({ body: "<title>Two</title><p>The second page of the guide.</p>" }),
  "/inside": () => ({ status: 302, headers: { location: "http://10.1.2.3/secret" } }),
  "/metadata": () => ({ status: 302, headers: { location: "http://169.254.169.254/latest/meta-data/" } }),
  "/members": () => ({ status: 401 }),
  "/account": () => ({ status: 302, headers: { location: "/login?next=/account" } }),
  "/login?next=/account": () => ({ body: "<form><input type=password></form>" }),
  "/sitemap.xml": () => ({
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      <url><loc>${upstream.origin}/one</loc></url><url><loc>${upstream.origin}/two</loc></url>
      <url><loc>${upstream.origin}/gone</loc></url><url><loc>https://elsewhere.example/x</loc></url></urlset>`,
  }),
  "/index.xml": () => ({
    body: `<sitemapindex><sitemap><loc>${upstream.origin}/packed.xml.gz</loc></sitemap></sitemapindex>`,
  }),
  "/packed.xml.gz": () => ({
    headers: { "content-type": "application/gzip" },
    body: gzipSync(`<urlset><url><loc>${upstream.origin}/one</loc></url></urlset>`),
  }),
};

beforeAll(async () => {
  upstream = await startMockServer((request, response) => {
    if (request.url === "/endless") {
      const more = () => {
        while (!response.destroyed && response.write("<p>and so on</p>".repeat(4096)));
      };
      response.writeHead(200, { "content-type": "text/html" });
      response.on("drain", more);
      more();
      return;
    }
    if (request.url?.startsWith("/silent")) return;
    const changing = { "/later.xml": sitemap, "/almanac": words && `<p>${words}</p>` }[request.url ?? ""];
    const page = changing === undefined ? pages[request.url ?? ""]?.() : { body: changing };
    const { status = page ? 200 : 404, headers = { "content-type": "text/html" }, body } = page ?? {};
    response.writeHead(status, headers).end(body);
  });
  server = await startServer({ env: { EGRESS_ALLOW: `127.0.0.1:${upstream.port}` } });
});
afterAll(async () => {
  await server?.close();
  await upstream?.close();
});

describe("a scanned page", () => {
  const typed = { dictionary: "", data: Buffer.from("BT /F1 11 Tf 72 700 Td (Typed page) Tj ET") };
  /** A page that is a picture, told from others by its size. */
  const scan = (height: number) => ({ dictionary: "", data: Buffer.from(`0 0 595 ${height} re f`) });
  const pdfOf = (contents: readonly (typeof typed)[]) =>
    new Uint8Array(
      makePdf(
        contents.map(() => []),
        { content: (at) => contents[at] ?? typed },
      ),
    );
  const addPdf = async (name: string, ...contents: (typeof typed)[]) => {
    const { batchId } = await upload(server, [[name, pdfOf(contents), "application/pdf"]]);
    const [document] = (await batchEnded(server, batchId)).documents;
    return document;
  };
  const choose = async (json: Record<string, string>) => {
    const response = await server.ask("/api/rag/recognition", { as: "admin", method: "PUT", json });
    expect(response.status, await response.clone().text()).toBe(200);
  };

  it("is read by the server that an admin named, and by no other", async () => {
    const answers = ["", "Harbor dues are paid monthly.\n\nShips above forty tons pay twice."];
    let failures = 1;
    const reading = await startReadingServer({
      read: () => answers.pop() ?? "",
      instead: (response) => {
        if (failures === 0) return false;
        failures--;
        response.writeHead(503).end();
        return true;
      },
    });
    await choose({ reader: "off", address: `${reading.origin}/docling` });
    expect(await addPdf("dues-before.pdf", scan(700))).toMatchObject({
      status: "failed",
      error: expect.stringContaining("Page 1 is a picture without text"),
    });
    expect(reading.requests).toEqual([]);

    await choose({ reader: "docling" });
    const document = await addPdf("dues.pdf", typed, scan(701), scan(702));
    expect(document).toMatchObject({ status: "ready", error: null });
    // The first call failed and was repeated; then each page was one.
    expect(reading.requests.map(({ url }) => url)).toEqual(Array(3).fill("/docling/v1/convert/file"));
    // 200 dots per inch of A4, in gray.
    for (const { body } of reading.requests) expect(body).toContain("IHDR\0\0\x06u\0\0\x09#\x08\0");
    const { version } = await documentOf(document?.id ?? "");
    expect(version).toMatchObject({ facts: { recognizedPages: [2], imagePages: [3] } });
    const json = { query: "harbor dues", filters: {} };
    const found = await (await server.ask("/api/rag/search", { as: "member", json })).json();
    expect(JSON.stringify(found)).toContain("Harbor dues are paid monthly.");
    await reading.close();
    await choose({ reader: "builtin" });
  });

  it("stays unread, with the reason, where the server rejects the key", async () => {
    const reading = await startReadingServer({ key: "another" });
    await choose({ reader: "mistral", address: `${reading.origin}/mistral` });
    expect(await addPdf("refused.pdf", scan(600))).toMatchObject({
      status: "failed",
      error: expect.stringContaining("needs a key"),
    });
    expect(reading.requests).toHaveLength(1);
    await reading.close();
    await choose({ reader: "builtin" });
  });
});

const ingest = async (json: unknown) => {
  const response = await server.ask("/api/rag/ingest", { as: "member", json });
  return { response, body: (await response.json()) as Record<string, unknown> };
};
const documentOf = async (id: string) =>
  (await (await server.ask(`/api/rag/documents/${id}`, { as: "member" })).json()) as Record<string, unknown>;

/** The message that a form's answer leaves for the next page. */
function toastOf(response: Response): Record<string, unknown> {
  const [, text = ""] = /qd_toast=([\w-]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  return JSON.parse(Buffer.from(text, "base64url").toString());
}

describe("POST /api/rag/ingest", () => {
  it("answers 201 with title, chunks and hasEmbeddings", async () => {
    const { response, body } = await ingest({ text: "Quarterdecks are raised.", title: "Decks" });
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toBe(`/api/rag/documents/${body.id}`);
    expect(body).toMatchObject({
      title: "Decks",
      chunks: expect.any(Number),
      hasEmbeddings: expect.any(Boolean),
    });
  });

  it("answers 200 with the existing document for the same content", async () => {
    const { body: first } = await ingest({ text: "Said once." });
    const { response, body } = await ingest({ text: "Said once.", title: "Again" });
    expect([response.status, body.id, body.duplicate]).toEqual([200, first.id, true]);
  });

  it.each([
    [{}, "text", "Please enter text content"],
    [{ text: "" }, "text", "Please enter text content"],
    [{ url: "" }, "url", "Please enter a URL"],
  ])("refuses %j", async (json, field, message) => {
    const { response, body } = await ingest(json);
    expect(response.status).toBe(400);
    expect(body).toMatchObject({ errors: { [field]: [message] } });
  });

  it("reads an address and names it by host and path", async () => {
    const { response, body } = await ingest({ url: `${upstream.origin}/one` });
    expect([response.status, body.title]).toEqual([201, "127.0.0.1/one"]);
  });

  const failedFrom = async (path: string) => {
    const response = await server.ask("/api/rag/documents?status=failed&limit=100", { as: "member" });
    const list = (await response.json()) as { error: string; metadata: { source: string } }[];
    return list.find(({ metadata }) => metadata.source === upstream.origin + path);
  };

  it.each([
    ["/nothing", /returned HTTP 404 Not Found\.$/],
    ["/members", /returned HTTP 401 Unauthorized: the page needs a sign-in/],
    ["/account", /redirects to a sign-in page/],
    ["/endless", /is larger than 50 MB\.$/],
  ])("says why %s can't be read, and keeps the document, marked as failed", async (path, reason) => {
    const { response, body } = await ingest({ url: upstream.origin + path });
    expect([response.status, body.detail]).toEqual([422, expect.stringMatching(reason)]);
    expect((await failedFrom(path))?.error).toMatch(reason);
  });

  it.each([
    ["/inside", /10\.1\.2\.3 was refused: it is a private address/],
    ["/metadata", /169\.254\.169\.254 was refused: .* never allowed/],
  ])("says why %s is refused, and keeps no document", async (path, reason) => {
    const { response, body } = await ingest({ url: upstream.origin + path });
    expect([response.status, body.detail]).toEqual([422, expect.stringMatching(reason)]);
    expect(await failedFrom(path)).toBeUndefined();
  });
});

describe("the form for addresses", () => {
  const form = () => plainBrowser(server, "member").open("/rag?dialog=ingest&tab=url");
  const alerts = ({ document }: PlainPage) =>
    [...document.querySelectorAll("dialog [role=alert]")].map(({ textContent }) => textContent).join(" | ");

  it("says why a page can't be fetched, and keeps what was typed", async () => {
    const blank = await (await form()).submit("ingest-url");
    expect([blank.status, blank.described("url")]).toEqual([
      400,
      expect.stringContaining("Please enter a URL"),
    ]);
    const url = `${upstream.origin}/inside`;
    const refused = await blank.submit("ingest-url", { url, refresh: "daily", category: "Service" });
    expect(refused.status).toBe(422);
    expect(alerts(refused)).toMatch(
      /Ingestion Failed.*Failed to ingest document\. Please try again\..*private address/,
    );
    expect(refused.fields("ingest-url")).toMatchObject({ url });
    const chosen = refused.document.querySelector("[name=refresh] option[selected]");
    expect(chosen?.getAttribute("value")).toBe("daily");
    const missing = await refused.submit("ingest-url", {
      url: `${upstream.origin}/nowhere`,
      category: "Service",
    });
    expect(alerts(missing)).toContain("HTTP 404");
    // This document stays, with a way to try again.
    const list = await plainBrowser(server, "member").open("/rag?status=failed&find=nowhere");
    const row = list.document.querySelector("main li[data-row]")?.textContent;
    expect(row).toMatch(/127\.0\.0\.1\/nowhere.*Failed/);
    const toast = (await (await list.submit("retry")).follow()).document.querySelector("[data-toast]");
    expect(toast?.textContent).toContain('"127.0.0.1/nowhere" is being processed again');
  });

  it("names the address of a list that can't be used", async () => {
    const addresses = "https://example.org/one\n\nftp://example.org/two";
    const refused = await (await form()).submit("ingest-url", { kind: "list", addresses });
    expect([refused.status, refused.described("addresses")]).toEqual([
      400,
      expect.stringContaining("Address 2 (ftp://example.org/two) can't be used"),
    ]);
    expect(refused.fields("ingest-url")).toMatchObject({ kind: "list", addresses });
  });
});

describe("POST /api/rag/upload", () => {
  it("takes several files at once, each its own document, and works on them", async () => {
    const sent = await upload(
      server,
      [
        ["notes.txt", "Plain notes about anchors."],
        ["guide.md", "# Guide\n\nHow to tie a bowline."],
        ["page.html", "<title>Page</title><p>Sails and masts.</p>", "text/html"],
      ],
      { fields: { category: "Products" } },
    );
    expect(sent.files.map(({ name, error }) => [name, error])).toEqual([
      ["notes.txt", null],
      ["guide.md", null],
      ["page.html", null],
    ]);
    const batch = await batchEnded(server, sent.batchId);
    expect(batch.counts).toEqual({ total: 3, processing: 0, ready: 3, failed: 0 });
    for (const { id } of sent.files)
      expect(await documentOf(id)).toMatchObject({
        status: "ready",
        metadata: { category: "Products", type: "file" },
      });
  });

  it("takes attachments and the files of an archive as documents of the same batch", async () => {
    const head = { From: "ann@example.org", Subject: "Moorings" };
    const mail = makeMixedEml(head, [
      { type: "text/plain", body: "The list is attached." },
      { type: "text/csv", name: "moorings.csv", body: "berth,boat\n1,Zephyr\n" },
    ]);
    const archive = makeZip({ "north/list.txt": "The northern list.", "setup.exe": "MZ" });
    const sent = await upload(server, [
      ["moorings.eml", Uint8Array.from(mail)],
      ["lists.zip", Uint8Array.from(archive)],
    ]);
    const { counts, documents } = await batchEnded(server, sent.batchId);
    expect(counts).toEqual({ total: 4, processing: 0, ready: 3, failed: 1 });
    expect(documents.find(({ name }) => name === "lists.zip")?.error).toBe(
      "1 file was added to the documents. Not added: setup.exe (file type not supported).",
    );
    const attached = documents.find(({ name }) => name === "moorings.csv");
    const parent = { id: sent.files[0]?.id, name: "moorings.eml" };
    expect(await documentOf(attached?.id ?? "")).toMatchObject({ parent, attachments: [] });
    expect(await documentOf(sent.files[0]?.id ?? "")).toMatchObject({
      attachments: [{ id: attached?.id, name: "moorings.csv" }],
    });
  });

  it("tells of an older file of the same name, which a call makes its new version", async () => {
    const [older] = (await upload(server, [["knots.txt", "Six knots."]])).files;
    const sent = await upload(server, [["knots.txt", "Seven knots."]]);
    await batchEnded(server, sent.batchId);
    const [file] = sent.files;
    expect(file).toMatchObject({ sameNameAs: { id: older?.id, name: "knots.txt" } });
    const response = await server.ask(`/api/rag/documents/${file?.id}/same-name`, {
      as: "member",
      json: { choice: "version" },
    });
    expect([response.status, ((await response.json()) as { id: string }).id]).toEqual([200, older?.id]);
  });

  it("recognises a file that is there already", async () => {
    const [first] = (await upload(server, [["a.txt", "The very same bytes."]])).files;
    const again = await upload(server, [["b.txt", "The very same bytes."]]);
    expect(again.files).toEqual([
      expect.objectContaining({ id: first?.id, duplicateOf: "a.txt", error: null }),
    ]);
    const batch = await batchEnded(server, again.batchId);
    expect(batch.documents).toMatchObject([{ id: first?.id, name: "a.txt" }]);
  });

  it("tells of each file that can't be taken, and takes the others", async () => {
    const { files, batchId } = await upload(server, [
      ["empty.txt", ""],
      ["large.txt", new Uint8Array(50_000_001)],
      ["good.txt", "After the large one."],
      ["../../etc/pass\u0007wd\u202Etxt.exe", "A hostile name."],
      [`${"long".repeat(100)}.txt`, "A long name."],
    ]);
    expect(files.map(({ name, error }) => [name, error])).toEqual([
      ["empty.txt", "The file is empty. Choose another file."],
      ["large.txt", "The file is larger than 50 MB. Split it into smaller files."],
      ["good.txt", null],
      ["pass wd txt.exe", "File type not supported."],
      [expect.stringMatching(/^(long)+\.txt$/), null],
    ]);
    expect(files[4]?.name.length).toBeLessThanOrEqual(200);
    const batch = await batchEnded(server, batchId);
    expect(batch.counts).toMatchObject({ total: 4, failed: 2, ready: 2 });
    expect(await documentOf(files[1]?.id ?? "")).toMatchObject({
      status: "failed",
      error: "The file is larger than 50 MB. Split it into smaller files.",
    });
  });

  it("sends a browser's form on to its batch", async () => {
    const response = await server.ask("/rag/upload", {
      as: "member",
      body: uploadForm([["form.txt", "From a form."]]),
    });
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/rag\?batch=bat_/),
    ]);
  });

  it.each([
    // A browser's form data for an empty file field.
    ["without a file", ["", ""], "Please choose a file"],
    [
      "with a file that isn't supported",
      ["old.key", "x"],
      "old.key: File type not supported: save it as .pptx or PDF.",
    ],
  ] as const)(
    "shows a browser's form %s again, with the reason and what was chosen",
    async (_, file, reason) => {
      const response = await server.ask("/rag/upload", {
        as: "member",
        body: uploadForm([[...file]], { category: "Finance" }),
      });
      expect([response.status, response.headers.get("set-cookie")]).toEqual([400, null]);
      const { document } = parseHTML(await response.text());
      const dialog = document.querySelector("dialog");
      expect(dialog?.querySelector("[role=alert]")?.textContent).toContain(reason);
      expect(dialog?.querySelector("option[selected]")?.textContent).toBe("Finance");
    },
  );

  it.each([
    ["another body", { json: {} }, 415],
    [
      "a body that breaks off",
      {
        body: '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhalf',
        headers: { "content-type": "multipart/form-data; boundary=x" },
      },
      400,
    ],
    [
      "a form without boundary",
      { body: "x", headers: { "content-type": "multipart/form-data; charset=x" } },
      400,
    ],
    ["an unknown category", { body: uploadForm([["c.txt", "x"]], { category: "Nowhere" }) }, 400],
    [
      "another site",
      { body: uploadForm([["d.txt", "x"]]), headers: { origin: "https://evil.example" } },
      403,
    ],
  ])("refuses %s", async (_, ask, status) => {
    const response = await server.ask("/api/rag/upload", { method: "POST", as: "member", ...ask });
    expect([response.status, await response.text()]).toEqual([status, expect.any(String)]);
  });

  it("takes no readers behind a file: it would have been everyone's for a while", async () => {
    const form = uploadForm([["late.txt", "Too late."]]);
    form.append("visibility", "named");
    const response = await server.ask("/api/rag/upload", { as: "member", body: form });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("before the files"),
    ]);
    const list = (await (
      await server.ask("/api/rag/documents?search=late.txt", { as: "admin" })
    ).json()) as unknown[];
    expect(list).toEqual([]);
  });

  it("marks a file as failed whose upload was broken off", async () => {
    const leaving = new AbortController();
    const form = '--x\r\nContent-Disposition: form-data; name="files"; filename="half.txt"\r\n\r\n';
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(form + "half of it ".repeat(50_000)));
      },
    });
    const sending = fetch(`${server.baseUrl}/api/rag/upload`, {
      method: "POST",
      body,
      duplex: "half",
      signal: leaving.signal,
      headers: {
        cookie: server.cookieOf("member"),
        origin: server.baseUrl,
        "content-type": "multipart/form-data; boundary=x",
      },
    } as RequestInit).catch((error: unknown) => error);
    const half = async () => {
      const response = await server.ask("/api/rag/documents?search=half.txt", { as: "member" });
      return ((await response.json()) as { status: string; error: string | null }[])[0];
    };
    await expect.poll(half).toMatchObject({ status: "processing" });
    leaving.abort();
    await sending;
    await expect.poll(half).toMatchObject({
      status: "failed",
      error: "The upload was interrupted. Upload the file again.",
    });
  });

  it("refuses an upload beyond its limit before it comes", async () => {
    const response = await server
      .ask("/api/rag/upload", {
        as: "member",
        body: "x",
        headers: { "content-type": "multipart/form-data; boundary=x", "content-length": "1000000001" },
      })
      .catch(() => undefined);
    // fetch refuses to lie about a length; the edge's own test covers it where it does.
    expect([undefined, 413, 400]).toContain(response?.status);
  });
});

describe("a page of a PDF as a picture", () => {
  it("is drawn, and refused for other pages and files", async () => {
    const page = (text: string) => [{ text, x: 72, y: 700, size: 12 }];
    const pdf = Buffer.from(makePdf([page("The first page."), page("The second page.")]));
    const { files, batchId } = await upload(server, [
      ["drawn.pdf", pdf],
      ["plain.txt", "No pages."],
    ]);
    await batchEnded(server, batchId);
    const ask = (file: number, at: string) =>
      server.ask(`/api/rag/documents/${files[file]?.id}/pages/${at}`, { as: "viewer" });
    const drawn = await ask(0, "2");
    expect([drawn.status, drawn.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(readRaster(new Uint8Array(await drawn.arrayBuffer()))).toMatchObject({ width: 1200 });
    const refusals = await Promise.all([ask(0, "3"), ask(0, "0"), ask(1, "1")]);
    expect(refusals.map(({ status }) => status)).toEqual([404, 400, 404]);
    expect(await refusals[0]?.json()).toMatchObject({ detail: "This PDF has no page 3." });
  });
});

describe("batches of addresses", () => {
  const begin = async (json: unknown) => {
    const response = await server.ask("/api/rag/batches", { as: "member", json });
    return { status: response.status, body: (await response.json()) as { id: string; detail?: string } };
  };

  it("reads the addresses of a sitemap on its own site", async () => {
    const { status, body } = await begin({ sitemap: `${upstream.origin}/sitemap.xml`, category: "Service" });
    expect(status).toBe(202);
    const batch = await batchEnded(server, body.id);
    expect(batch.sitemap).toEqual({ isActive: false, error: null });
    expect(batch.documents.map(({ name, status }) => [name, status]).sort()).toEqual([
      ["127.0.0.1/gone", "failed"],
      ["127.0.0.1/one", "ready"],
      ["127.0.0.1/two", "ready"],
    ]);
  });

  it("reads a packed sitemap through an index", async () => {
    const { body } = await begin({ sitemap: `${upstream.origin}/index.xml` });
    const batch = await batchEnded(server, body.id);
    expect(batch.documents.map(({ name }) => name)).toEqual(["127.0.0.1/one"]);
  });

  it("are filtered in the list of documents, also without script", async () => {
    const { body } = await begin({
      urls: Array.from({ length: 12 }, (_, n) => `${upstream.origin}/gone?many=${n}`),
    });
    expect((await batchEnded(server, body.id)).documents).toHaveLength(12);
    const page = await (await server.ask(`/rag?batch=${body.id}`, { as: "member" })).text();
    expect(page).toContain("0 of 12 documents ready, 12 failed");
    expect(page.match(/<li[^>]* data-row=/g)?.length).toBe(10);
    expect(page).toMatch(new RegExp(`href="/rag\\?[^"]*batch=${body.id}`));
  });

  it("says what is wrong with a sitemap", async () => {
    const { body } = await begin({ sitemap: `${upstream.origin}/one` });
    const batch = await batchEnded(server, body.id);
    expect(batch.sitemap?.error).toMatch(/not a sitemap|not well-formed/);
    const page = await (await server.ask(`/rag?batch=${body.id}`, { as: "member" })).text();
    expect(page).toContain("No documents were added");
  });

  it("takes a list of addresses, and names the one that isn't", async () => {
    const { status, body } = await begin({ urls: [`${upstream.origin}/one`, "http://"] });
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining("Address 2 (http://) can't be used"),
    ]);
    const good = await begin({
      urls: [`${upstream.origin}/one`, `${upstream.origin}/one`, `${upstream.origin}/two`],
    });
    expect(good.status).toBe(202);
    expect((await batchEnded(server, good.body.id)).counts).toMatchObject({ total: 2, ready: 2 });
  });

  it("has the documents that one may view", async () => {
    const { body } = await begin({ urls: [`${upstream.origin}/one?named`], visibility: "named" });
    expect((await batchEnded(server, body.id)).counts.total).toBe(1);
    expect((await server.ask(`/api/rag/batches/${body.id}`, { as: "owner" })).status).toBe(404);
  });

  it("can be cancelled, and its documents retried", async () => {
    const { body } = await begin({ urls: [`${upstream.origin}/silent?1`, `${upstream.origin}/silent?2`] });
    const offersCancel = async (as: "member" | "viewer") =>
      (await (await server.ask(`/rag?batch=${body.id}`, { as })).text()).includes("Cancel Remaining");
    expect([await offersCancel("member"), await offersCancel("viewer")]).toEqual([true, false]);
    const response = await server.ask(`/api/rag/batches/${body.id}/cancel`, { as: "member", method: "POST" });
    expect([response.status, await response.json()]).toEqual([200, { documents: 2 }]);
    const batch = await readBatch(server, body.id);
    expect(batch.counts).toEqual({ total: 2, processing: 0, ready: 0, failed: 2 });
    const id = batch.documents[0]?.id ?? "";
    expect((await documentOf(id)).status).toBe("failed");
    const retried = await server.ask(`/api/rag/documents/${id}/retry`, { as: "member", method: "POST" });
    expect([retried.status, ((await retried.json()) as { status: string }).status]).toEqual([
      202,
      "processing",
    ]);
  });
});

describe("Refresh Now on a document's page", () => {
  it("says the result, without script too", async () => {
    words = "The first edition of the almanac.";
    const { id } = (await ingest({ url: `${upstream.origin}/almanac` })).body;
    const press = async () =>
      toastOf(await server.ask(`/rag/${id}`, { as: "member", form: { intent: "refresh-now" } }));
    expect(await press()).toMatchObject({ kind: "info", title: expect.stringContaining("is unchanged") });
    words = "The second edition of the almanac.";
    expect(await press()).toMatchObject({
      kind: "success",
      title: expect.stringContaining("has changed"),
      // A number of its own may have gone to the reading that found nothing new.
      description: expect.stringMatching(/^Version [23] is current, with 1 chunk\.$/),
    });
    words = undefined;
    expect(await press()).toMatchObject({
      kind: "error",
      description: expect.stringMatching(/returned HTTP 404.* The previous content is still searched\.$/),
    });
    const pageOf = async (as: "member" | "viewer") => (await server.ask(`/rag/${id}`, { as })).text();
    const page = await pageOf("member");
    for (const words of ["The last update failed", "stays current", "Retry", "tab=search"])
      expect(page).toContain(words);
    expect(await pageOf("viewer")).not.toContain('value="retry"');
    expect(await documentOf(String(id))).toMatchObject({ status: "ready", canRetry: true });
  });
});

describe("a switched-off RAG", () => {
  it("takes nothing on and says why", async () => {
    const set = (ragEnabled: boolean) =>
      server.ask("/api/user/settings", { method: "PUT", as: "admin", json: { ragEnabled } });
    expect((await set(false)).status).toBe(200);
    const { response, body } = await ingest({ text: "Not now." });
    expect([response.status, body.detail]).toEqual([409, expect.stringContaining("RAG is turned off")]);
    expect((await set(true)).status).toBe(200);
  });
});
