import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { updateSettings } from "~/platform/settings/settings.service.server";
import { addToGroup, createGroup, removeFromGroup } from "~/team/members/groups.service.server";
import { changeRole, resumeMember, suspendMember } from "~/team/members/member.service.server";
import { IngestInput } from "~/work/documents/ingestion/ingest.schema";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { addConversation, addMessages } from "../../../../tests/support/conversations";
import { openTestDatabase } from "../../../../tests/support/database";
import {
  getSharedConversation,
  hasSharedConversations,
  isSharedByOther,
  listSharedConversations,
  openShareLink,
  readSharedConversation,
} from "./shared-conversations.service.server";
import {
  createShareLink,
  listOrganizationLinks,
  pageOrganizationLinks,
  readSharing,
  revokeOrganizationLink,
  revokeShareLink,
  shareConversation,
} from "./shares.service.server";

let test: ReturnType<typeof openTestDatabase>;
let member: Actor;
let viewer: Actor;
let admin: Actor;
let time = Date.UTC(2026, 0, 1);

beforeEach(() => {
  test = openTestDatabase();
  ({ member, viewer, admin } = test.actors);
  time = Date.UTC(2026, 0, 1);
  setClock(() => time);
});
afterEach(() => {
  setClock();
  test.close();
});

const MISSING = expect.objectContaining({ code: "not_found" });
const everyone = { audience: "everyone" as const, readers: [] };
const contents = (actor: Actor, id: string) =>
  getSharedConversation(actor, id).messages.map(({ content, omitted }) => (omitted ? null : content));
const found = (actor: Actor) =>
  listSharedConversations(actor, { limit: 10 }).conversations.map(({ id }) => id);

it("isSharedByOther is true for its readers only", () => {
  addConversation("con_1", [{ role: "user", text: "Hello" }]);
  const readers = () => [viewer, admin, member].map((actor) => isSharedByOther(actor, "con_1"));
  expect(readers()).toEqual([false, false, false]);
  expect(hasSharedConversations(viewer)).toBe(false);
  shareConversation(member, "con_1", { audience: "members", readers: [viewer.userId] });
  expect(readers()).toEqual([true, false, false]);
  expect([viewer, admin, member].map(hasSharedConversations)).toEqual([true, false, false]);
});

/** A conversation whose first answer quotes a document of its owner alone. */
function addQuoting(id: string) {
  const { id: secret } = queueIngest(
    member,
    IngestInput.parse({ text: "Layoffs in May.", title: "Plan", visibility: "named" }),
  );
  const passage = {
    number: 1,
    title: "Plan",
    text: "Layoffs in May.",
    headings: [],
    page: null,
    url: `/rag/${secret}?passage=1`,
    score: 1,
    scores: { keyword: 1, similarity: null, rerank: null },
  };
  const tool = {
    type: "tool",
    toolCallId: "1",
    toolName: "qdrant.search",
    state: "done",
    input: { query: "plan" },
    output: { passages: [passage] },
    questions: [
      {
        id: "q",
        asker: "Lab",
        message: "Who?",
        end: { outcome: "accepted", content: { name: "Secretly Ada" } },
      },
    ],
  };
  addConversation(id, [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "Good day" },
    { role: "user", text: "What is planned?" },
    { role: "assistant", text: "Layoffs [1]", parts: [tool] },
    { role: "user", text: "When?" },
    { role: "assistant", text: "In May." },
  ]);
}

describe("sharing with members", () => {
  it("shows the conversation to the named members and returns 404 to others", () => {
    addConversation("con_1", [
      { role: "user", text: "Hello" },
      { role: "assistant", text: "Good day" },
    ]);
    expect(() => getSharedConversation(viewer, "con_1")).toThrow(MISSING);
    shareConversation(member, "con_1", { audience: "members", readers: ["usr_viewer"] });
    expect(found(viewer)).toEqual(["con_1"]);
    expect(contents(viewer, "con_1")).toEqual(["Hello", "Good day"]);
    expect(found(admin)).toEqual([]);
    expect(() => getSharedConversation(admin, "con_1")).toThrow(MISSING);
    shareConversation(member, "con_1", everyone);
    expect(found(admin)).toEqual(["con_1"]);
    expect(found(member)).toEqual([]);
    shareConversation(member, "con_1", { audience: "nobody", readers: [] });
    expect(() => getSharedConversation(viewer, "con_1")).toThrow(MISSING);
    expect(listAudit(admin, { limit: 3 }).entries.map(({ action }) => action)).toEqual([
      "conversation.unshared",
      "conversation.shared",
      "conversation.shared",
    ]);
  });

  it("shows it to a group's members while they belong to it", () => {
    addConversation("con_1", [{ role: "user", text: "Hello" }]);
    const { id: group } = createGroup(admin, { name: "Harbor", members: ["usr_viewer"] });
    shareConversation(member, "con_1", { audience: "members", readers: [group] });
    expect(readSharing(member, "con_1").readers).toEqual([{ id: group, name: "Harbor", kind: "group" }]);
    expect([found(viewer), found(admin)]).toEqual([["con_1"], []]);
    removeFromGroup(admin, group, "usr_viewer");
    expect(() => getSharedConversation(viewer, "con_1")).toThrow(MISSING);
    addToGroup(admin, group, "usr_viewer");
    shareConversation(member, "con_1", { audience: "members", readers: ["usr_admin"] });
    expect([found(viewer), found(admin)]).toEqual([[], ["con_1"]]);
  });

  it("shows messages up to the last one when it was shared", () => {
    addConversation("con_1", [{ role: "user", text: "Hello" }]);
    shareConversation(member, "con_1", everyone);
    addMessages("con_1", [{ role: "assistant", text: "Good day" }], 1);
    expect(contents(viewer, "con_1")).toEqual(["Hello"]);
    expect(readSharing(member, "con_1").newer).toBe(1);
    shareConversation(member, "con_1", everyone);
    expect(contents(viewer, "con_1")).toEqual(["Hello", "Good day"]);
  });

  it("omits messages that quote a document hidden from the reader, and later answers", async () => {
    addQuoting("con_1");
    shareConversation(member, "con_1", everyone);
    expect(contents(viewer, "con_1")).toEqual(["Hello", "Good day", "What is planned?", null, "When?", null]);
    expect(contents(member, "con_1")[3]).toBe("Layoffs [1]");
    const page = await readSharedConversation(viewer, "con_1", 1);
    expect(JSON.stringify(page)).not.toContain("Layoffs");
    rawDatabase().exec("UPDATE documents SET visibility = 'organisation'");
    expect(contents(viewer, "con_1")[3]).toBe("Layoffs [1]");
    const shown = JSON.stringify(await readSharedConversation(viewer, "con_1", 1));
    expect(shown).toContain("passages");
    expect(shown).not.toContain("Secretly Ada");
    rawDatabase().exec("UPDATE documents SET deleted_at = 1");
    expect(contents(viewer, "con_1")[3]).toBeNull();
  });

  it("hides answers with truncated results in a restricted conversation", () => {
    const tool = {
      type: "tool",
      toolCallId: "1",
      toolName: "crm.find",
      state: "done",
      input: {},
      output: { truncated: true, text: "Layoffs" },
    };
    addConversation("con_1", [{ role: "assistant", text: "Layoffs", parts: [tool] }], { restrictedAt: 1 });
    shareConversation(member, "con_1", everyone);
    expect(contents(viewer, "con_1")).toEqual([null]);
  });

  it("requires the owner, members of the organization and a message", () => {
    addConversation("con_1", [{ role: "user", text: "Hello" }]);
    addConversation("con_empty", []);
    expect(() => shareConversation(admin, "con_1", everyone)).toThrow(MISSING);
    expect(() => readSharing(admin, "con_1")).toThrow(MISSING);
    const wrong = (readers: string[]) => () =>
      shareConversation(member, "con_1", { audience: "members", readers });
    expect(wrong([])).toThrow("Choose at least one person or group.");
    expect(wrong(["usr_member"])).toThrow("Choose at least one person or group.");
    expect(wrong(["usr_other"])).toThrow("Choose members and groups of this organization only.");
    expect(() => shareConversation(member, "con_empty", everyone)).toThrow("There is nothing to share yet.");
  });
});

describe("a read-only link", () => {
  // The limit on openings goes by the clock, which each test begins again.
  let address = 1;
  beforeEach(() => {
    address++;
  });
  const open = (secret: string) => openShareLink(secret, 1, `192.0.2.${address}`);
  const texts = async (secret: string) =>
    (await open(secret))?.messages.map(({ message, omitted }) => (omitted ? null : message.content));
  const allow = (on: boolean) => updateSettings(admin, "security", { allowShareLinks: on });

  it("works only while an admin allows links", async () => {
    addConversation("con_1", [{ role: "user", text: "Hello" }]);
    expect(() => createShareLink(member, "con_1", { expiresInDays: undefined })).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    allow(true);
    const { secret } = createShareLink(member, "con_1", { expiresInDays: undefined });
    expect(await texts(secret)).toEqual(["Hello"]);
    allow(false);
    expect(await open(secret)).toBeUndefined();
  });

  it("hides restricted messages even from its owner, and records its last visit", async () => {
    allow(true);
    addQuoting("con_1");
    const { secret, link } = createShareLink(member, "con_1", { expiresInDays: undefined });
    expect(await texts(secret)).toEqual(["Hello", "Good day", "What is planned?", null, "When?", null]);
    expect(JSON.stringify(await open(secret))).not.toContain("Layoffs");
    expect(link.lastOpenedAt).toBeNull();
    expect(readSharing(member, "con_1").links[0]?.lastOpenedAt).toMatch(/^2026-01-01/);
  });

  it("opens only while its owner may share, and is listed and revoked by admins", async () => {
    allow(true);
    addConversation("con_1", [{ role: "user", text: "Hello" }]);
    const { secret, link } = createShareLink(member, "con_1", { expiresInDays: undefined });
    const { owner } = test.actors;
    suspendMember(owner, member.userId);
    expect(await open(secret)).toBeUndefined();
    expect(listOrganizationLinks(admin, { limit: 500 })).toEqual({
      links: [{ ...link, owner: { id: member.userId, name: expect.any(String) }, opens: false }],
    });
    resumeMember(owner, member.userId);
    expect(await texts(secret)).toEqual(["Hello"]);
    changeRole(owner, member.userId, "viewer");
    expect(await open(secret)).toBeUndefined();
    changeRole(owner, member.userId, "member");
    expect(() => listOrganizationLinks(member, { limit: 500 })).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    expect(() => revokeOrganizationLink(member, link.id)).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    revokeOrganizationLink(admin, link.id);
    expect(await open(secret)).toBeUndefined();
    expect(listAudit(admin, { limit: 1 }).entries[0]).toMatchObject({
      action: "conversation.link_revoked",
      resource: "conversation:con_1",
    });
    expect(() => revokeOrganizationLink(admin, link.id)).toThrow(MISSING);
  });

  it("is reached by admins beyond the newest 500", () => {
    allow(true);
    const made = Array.from({ length: 26 }, (_, at) => {
      const id = `con_${at}`;
      addConversation(id, [{ role: "user", text: "Hello" }]);
      return Array.from({ length: 20 }, () => createShareLink(member, id, { expiresInDays: 1 }).link.id);
    }).flat();
    const last = pageOrganizationLinks(admin, 99);
    expect(last.pageInfo).toEqual({ page: 11, size: 50, total: made.length });
    const pages = Array.from({ length: 11 }, (_, at) => pageOrganizationLinks(admin, at + 1).items);
    expect(pages.at(-1)).toEqual(last.items);
    const listed = pages.flat().map(({ id }) => id);
    expect(new Set(listed)).toEqual(new Set(made));
    const first = listOrganizationLinks(admin, { limit: 500 });
    const rest = listOrganizationLinks(admin, { limit: 500, cursor: first.next });
    expect([...first.links, ...rest.links].map(({ id }) => id)).toEqual(listed);
    expect(rest.next).toBeUndefined();
    const [oldest] = last.items.slice(-1);
    revokeOrganizationLink(admin, oldest?.id ?? "");
    expect(pageOrganizationLinks(admin, 11).items).toHaveLength(19);
  });

  it("is stored as a hash, and doesn't open when revoked, expired or guessed", async () => {
    allow(true);
    addConversation("con_1", [{ role: "user", text: "Hello" }]);
    const first = createShareLink(member, "con_1", { expiresInDays: undefined });
    const second = createShareLink(member, "con_1", { expiresInDays: 1 });
    const stored = JSON.stringify(rawDatabase().prepare("SELECT * FROM conversation_links").all());
    expect(stored).not.toContain(first.secret);
    expect(() => revokeShareLink(admin, "con_1", first.link.id)).toThrow(MISSING);
    revokeShareLink(member, "con_1", first.link.id);
    expect(await open(first.secret)).toBeUndefined();
    expect(listAudit(admin, { limit: 3 }).entries.map(({ action }) => action)).toEqual([
      "conversation.link_revoked",
      "conversation.link_created",
      "conversation.link_created",
    ]);
    expect(await texts(second.secret)).toEqual(["Hello"]);
    time += 24 * 60 * 60_000;
    expect(await open(second.secret)).toBeUndefined();
    for (const guess of ["", "x", "a".repeat(43), "../con_1", second.link.id])
      expect(await open(guess)).toBeUndefined();
  });

  it("is refused after too many openings from one address", async () => {
    for (let n = 0; n < 60; n++) expect(await openShareLink("x", 1, "198.51.100.9")).toBeUndefined();
    await expect(openShareLink("x", 1, "198.51.100.9")).rejects.toThrow(
      expect.objectContaining({ code: "rate_limited" }),
    );
  });

  it("is deleted with its conversation", async () => {
    allow(true);
    addConversation("con_1", [{ role: "user", text: "Hello" }]);
    const { secret } = createShareLink(member, "con_1", { expiresInDays: undefined });
    shareConversation(member, "con_1", everyone);
    expect([await open(secret), hasSharedConversations(viewer)]).toEqual([expect.anything(), true]);
    rawDatabase().exec("UPDATE conversations SET deleted_at = 1");
    expect(await open(secret)).toBeUndefined();
    expect([found(viewer), hasSharedConversations(viewer)]).toEqual([[], false]);
    expect([viewer, member].map((actor) => isSharedByOther(actor, "con_1"))).toEqual([false, false]);
    for (const actor of [viewer, member])
      expect(() => getSharedConversation(actor, "con_1")).toThrow(MISSING);
    rawDatabase().exec("DELETE FROM conversations");
    expect(await open(secret)).toBeUndefined();
  });
});
