import type { LLMock } from "@copilotkit/aimock";
import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AIMOCK_MODEL, addMockProvider, startAimock } from "../support/aimock";
import { type PlainPage, plainBrowser, submissionOf } from "../support/forms";
import { type Hubs, startHubs } from "../support/hubs";
import { startServer, type TestServer } from "../support/server";

const OFFLINE = "quarterdeck-offline";

let hubs: Hubs;
let mock: LLMock;
let server: TestServer;
let open: (path: string) => Promise<PlainPage>;
beforeAll(async () => {
  [hubs, mock] = await Promise.all([startHubs(), startAimock()]);
  server = await startServer({ env: hubs.env });
  await addMockProvider(server, mock);
  ({ open } = plainBrowser(server, "member"));
});
afterAll(async () => {
  await server?.close();
  await Promise.all([mock?.stop(), hubs?.close()]);
});

/** Sends messages over the API and waits for the answer. @returns the page of the conversation */
async function talk(content: string | object[], model: string, tools: string[] = []): Promise<PlainPage> {
  const messages = typeof content === "string" ? [{ role: "user", content }] : content;
  const sent = await server.ask("/api/ai/chat", { as: "member", json: { messages, model, tools } });
  await sent.text();
  const page = await open(`/chat/${sent.headers.get("x-conversation-id")}`);
  expect(page.status).toBe(200);
  return page;
}

const articles = ({ document }: PlainPage, name: "You" | "Assistant") => [
  ...document.querySelectorAll(`article[aria-label="${name}"]`),
];
const last = (page: PlainPage, name: "You" | "Assistant") =>
  (articles(page, name).at(-1)?.textContent ?? "").replaceAll(/\s+/g, " ");
const marks = ({ document }: PlainPage) =>
  [...document.querySelectorAll("mark")].map(({ textContent }) => textContent).join("\n");
const pressed = ({ document }: PlainPage, label: string) =>
  document.querySelector(`button[aria-label="${label}"]`)?.getAttribute("aria-pressed");

/** Reads the page of an answer to its end, then the conversation's. */
async function answered(sent: PlainPage): Promise<PlainPage> {
  expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/^\/chat\/con_\w+\/live$/)]);
  await sent.follow();
  return open(sent.location?.replace(/\/live$/, "") ?? "");
}

describe("a message and its answer", () => {
  it("are replaced by other versions, which are switched and branched off", async () => {
    const begun = await talk("Please kv.set colour blue", OFFLINE);
    const editing = await begun.follow("Edit message");
    expect(editing.fields("edit")).toMatchObject({ content: "Please kv.set colour blue" });
    const edited = await answered(await editing.submit("edit", { content: "What is the colour?" }));
    expect(last(edited, "You")).toMatch(/What is the colour\?.*Version 2 \/ 2/);
    const again = await edited.follow("Regenerate with another model");
    const panel = again.document.querySelector('select[aria-label="Regenerate with"]')?.closest("form");
    expect(panel?.querySelector("button")?.getAttribute("value")).toBe("regenerate");
    const { messageId } = again.fields("regenerate");
    expect(panel?.querySelector('[name="messageId"]')?.getAttribute("value")).toBe(messageId);
    const regenerated = await answered(await again.submit("regenerate", { model: OFFLINE }));
    expect(last(regenerated, "Assistant")).toContain("Version 2 / 2");

    const comparing = await regenerated.follow("Compare versions");
    const headings = [...comparing.document.querySelectorAll("h3, h4")].map((one) => one.textContent ?? "");
    expect(headings.filter((text) => /^Version [12]/.test(text))).toHaveLength(2);
    const chosen = await (await comparing.submit("Use This Version")).follow();
    expect(last(chosen, "Assistant")).toContain("Version 1 / 2");
    const former = await (await chosen.submit("Previous version")).follow();
    expect(last(former, "You")).toContain("Please kv.set colour blue");
    const branched = await former.submit("Branch from here");
    expect(branched.location).not.toBe(begun.location);
    const branch = await branched.follow();
    expect(last(branch, "You")).toContain("Please kv.set colour blue");
    expect(branch.text).not.toContain("Version 1 /");
  });

  it("are rated with a comment, which is changed, and taken back with the rating", async () => {
    const rate = async (page: PlainPage, label: string) => (await page.submit(label)).follow();
    const bad = await rate(await talk("Please kv.set colour blue", OFFLINE), "Bad answer");
    expect([pressed(bad, "Bad answer"), pressed(bad, "Good answer")]).toEqual(["true", "false"]);
    const asked = await bad.follow("Add comment");
    const comment = "Too short <b>& plain</b>";
    const noted = await (await asked.submit("Save Comment", { comment })).follow();
    const editing = await noted.follow("Edit comment");
    expect(editing.fields("Save Comment")).toMatchObject({ comment });
    const changed = await (await editing.submit("Save Comment", { comment: "Too long" })).follow();
    const good = await rate(changed, "Good answer");
    expect([pressed(good, "Bad answer"), pressed(good, "Good answer")]).toEqual(["false", "true"]);
    // A second press shows the comment that would be removed.
    const removing = await rate(good, "Good answer");
    expect(pressed(removing, "Good answer")).toBe("true");
    expect(removing.fields("Save Comment")).toMatchObject({ comment: "Too long" });
    const removed = await (await removing.submit("Remove Rating and Comment")).follow();
    expect([pressed(removed, "Bad answer"), pressed(removed, "Good answer")]).toEqual(["false", "false"]);
    const again = await rate(removed, "Good answer");
    expect((await again.follow("Add comment")).fields("Save Comment")).toMatchObject({ comment: "" });
    const without = await rate(again, "Good answer");
    expect(pressed(without, "Good answer")).toBe("false");
    expect(without.text).not.toContain("Add comment");
  });
});

describe("the page of a conversation", () => {
  it("says who was asked for an answer, and why it failed", async () => {
    const attempts = ({ document }: PlainPage) =>
      [...document.querySelectorAll('[aria-label="Attempts"] li')].map(({ textContent }) => textContent);
    const answered = await talk("greet me", AIMOCK_MODEL);
    expect(attempts(answered)).toEqual([expect.stringMatching(/^Mock gpt-4o.*Answered.*\d m?s$/)]);
    expect(last(answered, "Assistant")).toContain("Routing details");
    const failed = await talk("refused please", AIMOCK_MODEL);
    expect(last(failed, "Assistant")).toMatch(/key/i);
    expect(attempts(failed).at(-1)).toMatch(/Failed: .*key/i);
  });

  it("has a tool call collapsed, with its parameters and result inside", async () => {
    const { document } = await talk("remember this", AIMOCK_MODEL, ["kv.set"]);
    const call = [...document.querySelectorAll("details")].find(({ textContent }) =>
      /kv\.set.*done/.test(textContent ?? ""),
    );
    expect(call?.hasAttribute("open")).toBe(false);
    const part = (name: string) => call?.querySelector(`[aria-label="${name}"]`)?.textContent;
    expect(part("Parameters")).toContain("greeting");
    expect(part("Result")).toContain("stored");
  });

  it("cites a fetched page, which opens as fetched with the quote highlighted", async () => {
    const page = await talk(`Read ${hubs.page}`, OFFLINE, ["web.fetch"]);
    const source = [...page.document.querySelectorAll('article a[href*="/sources/"]')].find(
      ({ textContent }) => textContent?.includes("Pager handbook"),
    );
    const fetched = await open(source?.getAttribute("href") ?? "none");
    expect(fetched.document.querySelector("h1")?.textContent).toBe("Pager handbook");
    expect(marks(fetched)).toContain("At night the pager is answered within five minutes.");
    expect(fetched.document.querySelector("article")?.textContent).toContain(
      "During the day the team shares it.",
    );
  });

  it("marks where earlier messages begin that are too long for a summary, too", async () => {
    const id = "short-memory";
    const model = { id, name: "Short memory", provider: "custom", maxTokens: 8192 };
    const added = await server.ask("/api/models", { as: "owner", json: model });
    expect(added.status, await added.clone().text()).toBe(201);
    const messages = [
      { role: "user", content: "tide ".repeat(39_000) },
      { role: "assistant", content: "A long story." },
      { role: "user", content: "greet me" },
    ];
    const { text } = await talk(messages, id);
    expect(text).toMatch(
      /A long story\..*Messages above aren't sent to the model[^.]*8,192 tokens.*greet me/,
    );
    await server.ask(`/api/models/${id}`, { as: "owner", method: "DELETE" });
  });

  it("quotes a document with links to its passages, which keep to the cited version", async () => {
    const words = "Everyone has 28 days of holidays a year.";
    const json = { title: "Handbook", text: `# Handbook\n\n## Holidays\n\n${words}` };
    const made = await server.ask("/api/rag/ingest", { as: "member", json });
    const { id } = (await made.json()) as { id: string };
    const documentOf = async () => {
      const read = await server.ask(`/api/rag/documents/${id}`, { as: "member" });
      return (await read.json()) as { status: string; version: { number: number } | null };
    };
    await expect.poll(documentOf).toMatchObject({ status: "ready" });
    const page = await talk("How many days of holidays do we have?", OFFLINE, ["qdrant.search"]);
    const answer = articles(page, "Assistant").at(-1);
    expect(answer?.querySelector("blockquote")?.textContent).toContain("28 days of holidays");
    expect(answer?.querySelector('[aria-label="Sources"] a')?.textContent).toContain("Handbook");
    const link = answer?.querySelector('a[aria-label^="Source 1: Handbook"]')?.getAttribute("href") ?? "none";
    expect(link).toMatch(new RegExp(`^/rag/${id}\\?about=.+&from=\\d+&to=\\d+&version=1#passage$`));
    const marked = async (path: string) => {
      const read = await open(path);
      return {
        text: read.text,
        marks: marks(read),
        isOpen: read.document.querySelector("mark#passage") !== null,
      };
    };
    const first = await marked(link);
    expect(first).toMatchObject({ isOpen: true, marks: expect.stringContaining("28 days of holidays") });

    const text = `# Handbook\n\nShips see it from afar.\n\n## Holidays\n\n${words}`;
    await server.ask(`/api/rag/documents/${id}/versions`, { as: "member", json: { text } });
    await expect.poll(documentOf).toMatchObject({ status: "ready", version: { number: 2 } });
    const cited = await marked(link);
    expect(cited.text).toContain("This is version 1. The current version is 2.");
    expect(cited.text).not.toContain("Ships see it from afar.");
    expect(cited).toMatchObject({ isOpen: true, marks: first.marks });
    const current = await marked(`/rag/${id}`);
    expect(current.text).toContain("Ships see it from afar.");
    expect(current.text).not.toContain("This is version");
    expect(current.isOpen).toBe(false);
  });
});

describe("a plain form of the chat", () => {
  it("explains a decision that comes after another one", async () => {
    await server.ask("/api/tools/kv.set/policy", { as: "admin", method: "PUT", json: { policy: "ask" } });
    const page = await talk("remember this", AIMOCK_MODEL, ["kv.set"]);
    expect(last(page, "Assistant")).toContain("Waiting for your approval.");
    const { toolCallId } = page.fields("Refuse Call");
    const conversation = /con_\w+/.exec(
      page.document.querySelector('a[href*="/share?"]')?.getAttribute("href") ?? "",
    );
    const decided = await server.ask(`/api/ai/chat/${conversation}/approvals`, {
      as: "member",
      json: { toolCallId, decision: "approve" },
    });
    expect(decided.status, await decided.clone().text()).toBe(200);
    const late = await page.submit("Refuse Call", { reason: "Not on a Sunday" });
    expect(late.status).toBe(409);
    expect(late.text).toContain("This call is no longer waiting for approval.");
    await server.ask("/api/tools/kv.set/policy", { as: "admin", method: "PUT", json: { policy: "default" } });
  });

  it("asks for a writing tool after content from outside, until it is approved for the conversation", async () => {
    const begun = await talk(`Read ${hubs.page}`, OFFLINE, ["web.fetch", "kv.set"]);
    const asked = await answered(await begun.submit("send", { content: "Please kv.set colour blue" }));
    expect(asked.text).toContain("This conversation contains content from outside");
    const done = await answered(await asked.submit("Approve for This Conversation"));
    expect(last(done, "Assistant")).toMatch(/kv\.set.*done/);
    expect(done.text).not.toContain("Approve for This Conversation");
    const withdrawn = await (await done.submit("Withdraw the approval of kv.set")).follow();
    expect(() => withdrawn.fields("Withdraw the approval of kv.set")).toThrow("no button");
  });

  it("stops an answer on the page that streams it, whose text stays until it is generated again", async () => {
    const start = await open("/chat");
    const sent = await start.submit("send", { content: "long please", model: AIMOCK_MODEL });
    const path = sent.location ?? "none";
    const live = await server.ask(path, { as: "member", headers: { accept: "text/html" } });
    const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
    let read = "";
    while (!read.includes("word3 ")) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`The page ended early: ${read.slice(-300)}`);
      read += value;
    }
    const { action, fields: form } = submissionOf(parseHTML(read).document, "stop");
    const stopped = await server.ask(action, { as: "member", form, headers: { accept: "text/html" } });
    expect(stopped.status).toBe(303);
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) read += next.value;
    expect(read).not.toContain("word199");
    const page = await open(path.replace(/\/live$/, ""));
    expect(last(page, "Assistant")).toMatch(/word3(?!\d).*Stopped/);
    const again = await answered(await page.submit("Regenerate", { model: OFFLINE }));
    expect(last(again, "Assistant")).toContain("not a language model");
    expect(last(again, "Assistant")).not.toMatch(/word3|Stopped/);
  });

  it("sends files to the open conversation, and keeps the message if one is refused", async () => {
    const begun = await talk("greet me", OFFLINE);
    const { action = "" } = submissionOf(begun.document, "send");
    const send = async (name: string, content: Uint8Array<ArrayBuffer>) => {
      const body = new FormData();
      for (const [field, value] of Object.entries({ content: "Read this", model: OFFLINE, maxSteps: "5" }))
        body.append(field, value);
      body.append("files", new Blob([content]), name);
      return server.ask(action, { as: "member", body, headers: { accept: "text/html" } });
    };
    const refused = await send("tool.exe", new Uint8Array([77, 90, 0, 1, 2, 3]));
    expect(refused.status).toBe(400);
    const { document } = parseHTML(await refused.text());
    expect(document.body.textContent, "the refused file is named").toContain("tool.exe: ");
    expect(document.querySelector('textarea[name="content"]')?.textContent, "the message stays").toBe(
      "Read this",
    );
    const sent = await send("notes.txt", new TextEncoder().encode("The pager is red."));
    expect(sent.status, "the answer is read on its own page").toBe(303);
    expect(sent.headers.get("location"), "in the same conversation").toBe(`${action}/live`);
    await (await server.ask(`${action}/live`, { as: "member" })).text();
    const page = await open(action);
    expect(articles(page, "You")).toHaveLength(2);
    expect(last(page, "You")).toMatch(/Read this.*notes\.txt|notes\.txt.*Read this/);
  });

  it("goes on with an answer that ended at its limit, and leads who may to that limit", async () => {
    const half = await talk("Please send half a greeting", AIMOCK_MODEL);
    expect(last(half, "Assistant")).toMatch(
      /Hello from the oth.*Stopped at the length limit of 4,096 tokens/,
    );
    expect(half.document.body.textContent).not.toContain("Raise Max tokens");
    const whole = await answered(await half.submit("continue"));
    expect(last(whole, "Assistant")).toMatch(/Hello from the other end, again\..*Version 2 \/ 2/);
    expect(last(whole, "Assistant")).not.toContain("length limit");
    const admin = plainBrowser(server, "admin");
    const sent = await server.ask("/api/ai/chat", {
      as: "admin",
      json: { messages: [{ role: "user", content: "half a greeting" }], model: AIMOCK_MODEL, tools: [] },
    });
    await sent.text();
    const page = await admin.open(`/chat/${sent.headers.get("x-conversation-id")}`);
    const settings = await page.follow("Raise Max tokens");
    const card = settings.document.getElementById("ai-configuration");
    expect(card?.textContent).toContain("Max tokens");
  });

  it("says on the dashboard that the chosen model is gone, and keeps the message", async () => {
    const dashboard = await open("/");
    const refused = await dashboard.submit("Send", { content: "Hello teak", model: "no-such-model" });
    expect(refused.control("content")?.textContent).toContain("Hello teak");
    expect(refused.described("content")).toContain('No provider offers the model "no-such-model"');
  });

  it("regenerates with the conversation's model where none is chosen", async () => {
    const begun = await talk("greet me", AIMOCK_MODEL);
    const again = await begun.follow("Regenerate with another model");
    const regenerated = await answered(await again.submit("regenerate", { model: "" }));
    expect(last(regenerated, "Assistant")).toContain(`${AIMOCK_MODEL} · Mock`);
    expect(last(regenerated, "Assistant")).toContain("Version 2 / 2");
  });

  it("applies a persona's model and tools, and keeps the message", async () => {
    const json = { name: "Scout of models", defaultModel: AIMOCK_MODEL, tools: ["kv.get"] };
    const made = await server.ask("/api/personas", { as: "member", json });
    const { id } = (await made.json()) as { id: string };
    const start = await open("/chat");
    const used = await start.submit("Use Persona", { content: "greet me", model: OFFLINE, persona: id });
    expect(used.text).toContain("Answers with its default model, GPT-4o");
    expect(used.fields("send")).toMatchObject({
      content: "greet me",
      model: AIMOCK_MODEL,
      persona: id,
      tools: "kv.get",
    });
    const page = await answered(await used.submit("send"));
    expect(last(page, "Assistant")).toContain(`${AIMOCK_MODEL} · Mock`);
    const linked = await open(`/chat?persona=${id}`);
    expect(linked.fields("send"), "a link to a persona's chat applies it too").toMatchObject({
      model: AIMOCK_MODEL,
      persona: id,
      tools: "kv.get",
    });
    await server.ask(`/api/personas/${id}`, { as: "member", method: "DELETE" });
  });
});

describe("a temporary chat", () => {
  const HERE = "/chat/temporary";
  const stored = async () => {
    const list = await server.ask("/api/ai/conversations", { as: "member" });
    return ((await list.json()) as { id: string }[]).map(({ id }) => id);
  };

  it("goes on from page to page, is stored nowhere, and is kept as a conversation on request", async () => {
    const before = await stored();
    const begun = await open(HERE);
    expect(begun.text).toContain("This chat is kept nowhere");
    expect(begun.document.querySelector('button[value="keep"]')).toBeNull();
    const first = await begun.submit("send", { content: "Hello zebrawood", model: OFFLINE });
    expect([first.status, last(first, "You")]).toEqual([200, expect.stringContaining("Hello zebrawood")]);
    expect(last(first, "Assistant")).toContain("not a language model");
    const second = await first.submit("send", { content: "And again" });
    expect(articles(second, "You").map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining("Hello zebrawood"),
      expect.stringContaining("And again"),
    ]);
    expect(articles(second, "Assistant")).toHaveLength(2);
    const refused = await second.submit("send", { content: " " });
    expect([refused.status, articles(refused, "You").length]).toEqual([400, 2]);
    expect(await stored()).toEqual(before);

    const kept = await refused.submit("keep", {});
    expect([kept.status, kept.location]).toEqual([303, expect.stringMatching(/^\/chat\/con_\w+$/)]);
    const conversation = await kept.follow();
    expect(articles(conversation, "You")).toHaveLength(2);
    expect(await stored()).toHaveLength(before.length + 1);
  });

  it("can still be kept once an admin has turned temporary chats off", async () => {
    const allow = (allowTemporaryChats: boolean) =>
      server.ask("/api/settings/advanced", {
        as: "owner",
        method: "PUT",
        json: { security: { allowTemporaryChats } },
      });
    const begun = await (await open(HERE)).submit("send", { content: "Hello rosewood", model: OFFLINE });
    try {
      await allow(false);
      const refused = await begun.submit("send", { content: "And again" });
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("turned off")]);
      expect(last(refused, "You")).toContain("Hello rosewood");
      const kept = await refused.submit("keep");
      expect(last(await kept.follow(), "You")).toContain("Hello rosewood");
      expect((await open(HERE)).document.querySelector('button[value="keep"]')).toBeNull();
      expect((await open("/search?q=temporary")).text).not.toContain("Start temporary chat");
    } finally {
      await allow(true);
    }
    expect((await open("/search?q=temporary")).text).toContain("Start temporary chat");
  });

  it("is read as a stream that names no conversation", async () => {
    const before = await stored();
    const messages = [{ role: "user", content: "Hello" }];
    const json = { messages, model: OFFLINE, temporary: true };
    const answer = await server.ask("/api/ai/chat", { as: "member", json });
    expect([answer.status, answer.headers.get("x-conversation-id")]).toEqual([200, null]);
    expect(await answer.text()).toMatch(/"type":"start".*"type":"finish".*\[DONE\]/s);
    expect(await stored()).toEqual(before);
  });
});
