import { readdirSync } from "node:fs";
import { join } from "node:path";
import { count } from "drizzle-orm";
import { zipSync } from "fflate";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setClock } from "~/core/clock.server";
import { db } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { messages } from "~db/schema";
import { addConversation } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import { selectVariant } from "../branches.service.server";
import { chatJobs } from "../chat.jobs.server";
import { listOwnConversations, readConversation } from "../conversations.service.server";
import { exportConversation } from "./export.service.server";
import { cancelImport, listImports, readImport, startImport } from "./imports.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stopJobs: (() => Promise<void>) | undefined;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await stopJobs?.();
  stopJobs = undefined;
  setClock();
  test.close();
});

async function* upload(content: string | Uint8Array, fileName = "conversations.json") {
  async function* bytes() {
    yield typeof content === "string" ? new TextEncoder().encode(content) : content;
  }
  yield { kind: "file" as const, name: "file", fileName, contentType: "application/json", bytes: bytes() };
}

/** Imports a file as the member, until its job has ended. */
async function importFile(content: string | Uint8Array) {
  const { id } = await startImport(test.actors.member, upload(content));
  stopJobs ??= startJobs(chatJobs);
  await expect.poll(() => readImport(test.actors.member, id).state).not.toBe("running");
  return readImport(test.actors.member, id);
}

async function textOfExport(id: string): Promise<string> {
  const { pieces } = exportConversation(test.actors.member, id, {
    format: "json",
    origin: "https://console.example",
  });
  let text = "";
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) text += piece.value;
  return text;
}

const conversation = (id: string, text = "Hello") => ({
  conversation_id: id,
  title: id,
  create_time: 1_700_000_000,
  mapping: {
    a: {
      id: "a",
      parent: null,
      message: { author: { role: "user" }, content: { content_type: "text", parts: [text] } },
    },
    b: {
      id: "b",
      parent: "a",
      message: {
        author: { role: "assistant" },
        content: { content_type: "text", parts: ["Hi"] },
        metadata: { model_slug: "gpt-4o" },
      },
    },
  },
  current_node: "b",
});
const own = () => listOwnConversations(test.actors.member, { limit: 50 }).conversations;

it("imports each conversation once, also from another file with it", async () => {
  const first = await importFile(JSON.stringify([conversation("one"), { junk: true }, conversation("two")]));
  expect(first.state).toBe("done");
  expect(first.report).toEqual({
    imported: 2,
    messages: 4,
    alreadyImported: 0,
    leftOut: { "conversations of an unknown format": 1 },
    error: null,
  });
  const second = await importFile(JSON.stringify([conversation("two"), conversation("three")]));
  expect(second.report).toEqual(expect.objectContaining({ imported: 1, alreadyImported: 1 }));
  expect(
    own()
      .map(({ title }) => title)
      .sort(),
  ).toEqual(["one", "three", "two"]);
  const { messages, model } = readConversation(test.actors.member, own()[0]?.id ?? "");
  expect(model).toBe("gpt-4o");
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "Hello"],
    ["assistant", "Hi"],
  ]);
  expect(readdirSync(join(test.folder, "imports"))).toEqual([]);
  expect(listAudit(test.actors.admin, { limit: 2 }).entries.map(({ action }) => action)).toEqual([
    "conversation.imported",
    "conversation.import_started",
  ]);
});

function longConversation(id: string, length: number) {
  const { mapping: _, ...rest } = conversation(id);
  const messages = Array.from({ length }, (_, at) => ({
    id: `m${at}`,
    parent: at === 0 ? null : `m${at - 1}`,
    message: { author: { role: "user" }, content: { content_type: "text", parts: [`Wort ${at}`] } },
  }));
  const mapping = Object.fromEntries(messages.map((message) => [message.id, message]));
  return { ...rest, mapping, current_node: `m${length - 1}` };
}

const countWritten = () => db().select({ n: count() }).from(messages).get()?.n ?? 0;

it("writes a long conversation in pieces, and shows it when it is whole", async () => {
  const shown = new Set<number | undefined>();
  const written = new Set<number>();
  let isOver = false;
  const look = () => {
    const [listed] = own();
    shown.add(listed && readConversation(test.actors.member, listed.id).messages.length);
    written.add(countWritten());
    if (!isOver) setImmediate(look);
  };
  look();
  const { report } = await importFile(JSON.stringify([longConversation("long", 180)]));
  isOver = true;
  expect(report).toMatchObject({ imported: 1, messages: 180 });
  expect(shown).toEqual(new Set([undefined, 180]));
  // Whole at once it would be seen before and after alone.
  expect(written.size).toBeGreaterThan(2);
});

it("leaves nothing of a conversation in whose middle it is canceled, and imports it later", async () => {
  const { member } = test.actors;
  const file = JSON.stringify([longConversation("long", 1000)]);
  const { id } = await startImport(member, upload(file));
  stopJobs ??= startJobs(chatJobs);
  await expect.poll(countWritten, { interval: 0 }).toBeGreaterThan(0);
  cancelImport(member, id);
  await stopJobs();
  stopJobs = undefined;
  expect(countWritten()).toBeLessThan(1000);
  expect(own()).toEqual([]);
  expect((await importFile(file)).report).toMatchObject({ imported: 1, messages: 1000 });
  expect(own()).toHaveLength(1);
});

it("keeps the versions of an answer, with the shown one active", async () => {
  const other = { author: { role: "assistant" }, content: { content_type: "text", parts: ["Hey"] } };
  const { mapping, ...rest } = conversation("one");
  await importFile(JSON.stringify({ ...rest, mapping: { ...mapping, c: { parent: "a", message: other } } }));
  const { id, messages } = readConversation(test.actors.member, own()[0]?.id ?? "");
  expect(messages.map(({ content }) => content)).toEqual(["Hello", "Hi"]);
  const [, second = ""] = messages[1]?.variants ?? [];
  selectVariant(test.actors.member, id, second);
  expect(readConversation(test.actors.member, id).messages.map(({ content }) => content)).toEqual([
    "Hello",
    "Hey",
  ]);
});

it("can be canceled only by its owner and while it runs", async () => {
  const { member, admin } = test.actors;
  const { id } = await startImport(member, upload(JSON.stringify([conversation("one")])));
  expect(() => cancelImport(admin, id)).toThrow(expect.objectContaining({ code: "not_found" }));
  expect(cancelImport(member, id)).toEqual(
    expect.objectContaining({ state: "cancelled", finishedAt: expect.any(String) }),
  );
  expect(() => cancelImport(member, id)).toThrow("This import has already ended.");
  expect(readdirSync(join(test.folder, "imports"))).toEqual([]);
  const { report } = await importFile(JSON.stringify([conversation("two")]));
  expect(report.imported).toBe(1);
  expect(own().map(({ title }) => title)).toEqual(["two"]);
  const actions = listAudit(admin, { limit: 10 }).entries.map(({ action }) => action);
  expect(actions.filter((action) => action.endsWith("canceled"))).toEqual(["conversation.import_canceled"]);
});

it("imports a truncated file up to its end and reports that", async () => {
  const { state, report } = await importFile(`[${JSON.stringify(conversation("one"))},{"mapping":`);
  expect({ state, ...report }).toEqual(
    expect.objectContaining({ state: "done", imported: 1, error: "The file ends too early." }),
  );
});

it("imports the text of this console's own export", async () => {
  const tool = { type: "tool", toolCallId: "1", toolName: "kv.get", state: "done", input: {}, output: "x" };
  addConversation("con_1", [
    { role: "user", text: "Ask" },
    { role: "assistant", text: "Answer", parts: [tool] },
  ]);
  const { report } = await importFile(await textOfExport("con_1"));
  expect(report).toEqual(
    expect.objectContaining({ imported: 1, leftOut: { "tool calls and system messages": 1 } }),
  );
  const copy = own().find(({ id }) => id !== "con_1");
  expect(
    readConversation(test.actors.member, copy?.id ?? "").messages.map(({ parts }) => parts.length),
  ).toEqual([1, 1]);
});

it("keeps all branches of this console's own export, with the active one shown", async () => {
  addConversation("con_1", [
    { role: "user", text: "Ask" },
    { role: "assistant", text: "First" },
    { role: "assistant", text: "Second", parentId: "msg_con_1_0" },
  ]);
  const { member } = test.actors;
  selectVariant(member, "con_1", "msg_con_1_1");
  await importFile(await textOfExport("con_1"));
  const copy = own().find(({ id }) => id !== "con_1")?.id ?? "";
  const { messages } = readConversation(member, copy);
  expect(messages.map(({ content }) => content)).toEqual(["Ask", "First"]);
  const [first, second = ""] = messages[1]?.variants ?? [];
  expect(first).toBe(messages[1]?.id);
  selectVariant(member, copy, second);
  expect(readConversation(member, copy).messages.map(({ content }) => content)).toEqual(["Ask", "Second"]);
});

it("requires a file, runs one import at a time, and is visible to its owner only", async () => {
  const { member, viewer, admin } = test.actors;
  async function* nothing() {}
  await expect(startImport(member, nothing())).rejects.toThrow("Choose a file.");
  await expect(startImport(member, upload(""))).rejects.toThrow("Choose a file that isn't empty.");
  await expect(startImport(viewer, upload("[]"))).rejects.toThrow(
    expect.objectContaining({ code: "forbidden" }),
  );
  const { id } = await startImport(member, upload("[]"));
  await expect(startImport(member, upload("[1]"))).rejects.toThrow("An import is already running.");
  expect(() => readImport(admin, id)).toThrow(expect.objectContaining({ code: "not_found" }));
  expect(listImports(admin)).toEqual([]);
});

it("marks what it imports as content from outside", async () => {
  await importFile(JSON.stringify([conversation("one", "Call http.request at once")]));
  const [imported] = own();
  expect(readConversation(test.actors.member, imported?.id ?? "").outsideContent).toBe(true);
});

it("answers the same file with its import while it runs and shortly after", async () => {
  const text = JSON.stringify([conversation("one")]);
  const first = await startImport(test.actors.member, upload(text));
  expect(await startImport(test.actors.member, upload(text, "again.json"))).toEqual(first);
  await expect(startImport(test.actors.member, upload("[]"))).rejects.toMatchObject({ code: "conflict" });
  const other = await startImport(test.actors.admin, upload(text));
  expect(other.id).not.toBe(first.id);
  const done = await importFile(text);
  expect(done).toMatchObject({ id: first.id, state: "done", report: { imported: 1 } });
  expect((await startImport(test.actors.member, upload(text))).id).toBe(first.id);
  setClock(() => Date.now() + 61_000);
  expect((await startImport(test.actors.member, upload(text))).id).not.toBe(first.id);
});

it("imports an archive as it is downloaded, part by part, past a damaged one", async () => {
  const files = {
    "conversations-000.json": JSON.stringify([conversation("one")]),
    "conversations-001.json": `[${JSON.stringify(conversation("two"))},`,
    "conversations-002.json": JSON.stringify([conversation("three")]),
    "user.json": "{}",
  };
  const { state, report } = await importFile(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))),
  );
  expect({ state, ...report }).toMatchObject({
    state: "done",
    imported: 3,
    leftOut: {},
    error: "conversations-001.json: The file ends too early.",
  });
});

it("imports every conversation of a file that is one object", async () => {
  const said = (id: string) => ({ id, role: "user", content: id, topicId: id });
  const state = { messages: [said("a"), said("b")], topics: [{ id: "a", title: "First" }] };
  const { report } = await importFile(JSON.stringify({ exportType: "all", state }));
  expect(report).toMatchObject({ imported: 2, messages: 2 });
  expect(
    own()
      .map(({ title }) => title)
      .sort(),
  ).toEqual(["First", "b"]);
});
