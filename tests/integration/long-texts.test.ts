import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainBrowser } from "../support/forms";
import { startServer, type TestServer } from "../support/server";

/** The documented limits, in characters. */
const MAX_LENGTH = 200_000;
const TOO_LONG = "Use at most 200,000 characters, or upload the text as a file";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** A text of exactly so many characters that no other test has; lines of words, as people write them. */
function textOf(script: "latin" | "chinese", length: number, mark: string): string {
  const line =
    script === "latin"
      ? "The ship lies at the northern quay today.\n"
      : "船今天停在北边的码头上，明天再出发。\n";
  return `${(mark + line.repeat(Math.ceil(length / line.length))).slice(0, length - 1)}x`;
}

async function documentsNamed(title: string): Promise<{ id: string; status: string }[]> {
  const response = await server.ask(`/api/rag/documents?search=${encodeURIComponent(title)}`, {
    as: "member",
  });
  return (await response.json()) as { id: string; status: string }[];
}

async function lengthOf(id: string): Promise<number> {
  const response = await server.ask(`/api/rag/documents/${id}/original`, { as: "member" });
  return new TextDecoder().decode(await response.arrayBuffer()).length;
}

/** A screen's form as a browser sends it: every line's end takes two characters. */
function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value.replaceAll("\n", "\r\n"));
  return form;
}

/** The content of the page's only textarea. */
function textareaOf(page: string): string {
  const [, content = ""] = /<textarea[^>]*>([^<]*)<\/textarea>/.exec(page) ?? [];
  return content
    .replace(/^\n/, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
}

describe.each(["latin", "chinese"] as const)("a text in %s", (script) => {
  // The one that has more bytes goes every way.
  const itIfLarger = it.runIf(script === "chinese");

  it("of 200,000 characters is taken over the API, also with every character escaped", async () => {
    const title = `Long by the API ${script}`;
    const text = textOf(script, MAX_LENGTH, title);
    const escaped = JSON.stringify({ text, title }).replaceAll(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const headers = { "content-type": "application/json" };
    const response = await server.ask("/api/rag/ingest", { as: "member", body: escaped, headers });
    expect([201, 202]).toContain(response.status);
    const { id } = (await response.json()) as { id: string };
    expect(await lengthOf(id)).toBe(MAX_LENGTH);
  });

  itIfLarger("of 200,000 characters is taken from the form", async () => {
    const title = `Long by the form ${script}`;
    const body = formOf({ intent: "ingest-text", title, text: textOf(script, MAX_LENGTH, title) });
    const response = await server.ask("/rag", { as: "member", body, headers: { accept: "text/html" } });
    expect(response.status).toBe(303);
    const [document] = await documentsNamed(title);
    expect(await lengthOf(document?.id ?? "")).toBe(MAX_LENGTH);
  });

  it("of one more is refused at its field, and nothing is added", async () => {
    const title = `Too long ${script}`;
    const text = textOf(script, MAX_LENGTH + 1, title);
    const called = await server.ask("/api/rag/ingest", { as: "member", json: { text, title } });
    expect(called.status).toBe(400);
    expect(await called.json()).toMatchObject({ errors: { text: [TOO_LONG] } });
    const body = formOf({ intent: "ingest-text", title, text });
    const sent = await server.ask("/rag?dialog=ingest", {
      as: "member",
      body,
      headers: { accept: "text/html" },
    });
    expect(sent.status).toBe(400);
    const page = await sent.text();
    expect(page).toContain(TOO_LONG);
    // The typed text is kept in its field.
    expect(textareaOf(page)).toBe(text);
    expect(await documentsNamed(title)).toEqual([]);
  });

  itIfLarger("of 200,000 characters replaces another, over the API and from the form", async () => {
    const added = await server.ask("/api/rag/ingest", {
      as: "member",
      json: { text: `Short, in ${script}.` },
    });
    const { id } = (await added.json()) as { id: string };
    const path = `/api/rag/documents/${id}/versions`;
    const more = await server.ask(path, {
      as: "member",
      json: { text: textOf(script, MAX_LENGTH + 1, "a") },
    });
    expect(more.status).toBe(400);
    const called = await server.ask(path, { as: "member", json: { text: textOf(script, MAX_LENGTH, "b") } });
    expect(called.status).toBe(202);
    await expect.poll(async () => (await documentOf(id)).status).toBe("ready");
    const body = formOf({ intent: "version-text", text: textOf(script, MAX_LENGTH, "c") });
    const sent = await server.ask(`/rag/${id}`, { as: "member", body, headers: { accept: "text/html" } });
    expect(sent.status).toBe(303);
    expect(sent.headers.get("location")).toBe(`/rag/${id}`);
    await expect.poll(async () => (await documentOf(id)).version?.number).toBe(3);
  });
});

async function documentOf(id: string): Promise<{ status: string; version: { number: number } | null }> {
  const response = await server.ask(`/api/rag/documents/${id}`, { as: "member" });
  return (await response.json()) as { status: string; version: { number: number } | null };
}

it("a long text of marks stands in its field as it was typed; one far too long isn't shown again", async () => {
  const refused = (text: string) =>
    server.ask("/rag?dialog=ingest", {
      as: "member",
      body: formOf({ intent: "ingest-text", title: "t".repeat(201), text }),
      headers: { accept: "text/html" },
    });
  const text = `\n${`</textarea><b>"&amp;"$&'\\u0041\n`.repeat(2000)}x`;
  const drawn = await refused(text);
  expect(drawn.status).toBe(400);
  expect(textareaOf(await drawn.text())).toBe(text);
  const endless = await refused("x".repeat(300_000));
  expect(endless.status).toBe(400);
  expect(textareaOf(await endless.text())).toBe("");
});

it.each([
  ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  ["no JSON", '{"text":'],
  ["too deep", "[".repeat(65) + "]".repeat(65)],
  ["of other types", '{"text":{"a":[1]},"title":5,"visibility":"nobody"}'],
  ["of other types within", '{"text":"a","readers":[1,null,"b"]}'],
  ["no object", '"text"'],
])("a body that is %s is refused in the same words, small or large", async (_, small) => {
  const bytes = Buffer.from(small);
  const answers = [bytes, Buffer.concat([bytes, Buffer.alloc(2_000_000, " ")])].map(async (body) => {
    const headers = { "content-type": "application/json" };
    const response = await server.ask("/api/rag/ingest", { as: "member", body, headers });
    const { requestId: _id, ...problem } = (await response.json()) as Record<string, unknown>;
    return { status: response.status, problem };
  });
  const [one, two] = await Promise.all(answers);
  expect(one).toMatchObject({ status: 400, problem: { code: "invalid" } });
  expect(two).toEqual(one);
});

it.each([
  ["300 KB is refused at its field, which keeps it", 50_000, 400, "Use at most 200,000 characters"],
  ["1 MB is refused before it is read", 180_000, 413, "shorten"],
])("a message of %s", async (_, times, status, reason) => {
  const content = `${"greet ".repeat(times)}me`;
  const { open } = plainBrowser(server, "member");
  const sent = await (await open("/chat")).submit("send", { content, model: "quarterdeck-offline" });
  expect([sent.status, sent.text]).toEqual([status, expect.stringMatching(new RegExp(reason, "i"))]);
  if (status === 400) expect(sent.fields("send")).toMatchObject({ content });
});
