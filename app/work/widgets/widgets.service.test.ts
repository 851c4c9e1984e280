import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { offerBuiltIn } from "~/ai/tools/tools.service.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { listAudit } from "~/platform/audit/audit.service.server";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { listBudgets, updateBudget } from "~/team/budgets/budgets.service.server";
import { updateOrganisation } from "~/team/organization/organization.service.server";
import { allowAnswers } from "~/work/chat/answer/active-generation.server";
import { stopAllAnswers } from "~/work/chat/answer/answers.server";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona, deletePersona, ownedPersonas } from "~/work/personas/personas.service.server";
import { usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { tools } from "../../tool-list.server";
import { answersHtml, visitorPolicy } from "./visitor-page.server";
import { askWidget, citeSources, openWidget, readOwnConversation } from "./visitors.service.server";
import { WidgetInput } from "./widgets.schema";
import {
  createWidget,
  deleteVisitorConversation,
  deleteWidget,
  listVisitorConversations,
  listWidgets,
  readVisitorConversation,
  removeOldConversations,
  startWidgets,
  updateWidget,
} from "./widgets.service.server";

let test: ReturnType<typeof openTestDatabase>;
let stop: () => void;
beforeEach(() => {
  test = openTestDatabase();
  offerBuiltIn(tools);
  stop = startWidgets();
});
afterEach(async () => {
  stop();
  await stopAllAnswers();
  allowAnswers();
  test.close();
});

const make = (more: Partial<WidgetInput> = {}) =>
  createWidget(
    test.actors.admin,
    WidgetInput.parse({ name: "Ask us", greeting: "Hello!", model: OFFLINE_MODEL, ...more }),
  );
const ADDRESS = "192.0.2.1";
const ask = async (token: string, message: string, more: object = {}, address = ADDRESS) => {
  const answer = await askWidget(token, { message, ...more }, address);
  return { ...answer, stored: await answer.done };
};
const read = (token: string, keys: { visitor?: string; conversation?: string }) =>
  readOwnConversation(openWidget(token), keys, ADDRESS);
const refused = (code: string) => expect.objectContaining({ code });

describe("a widget", () => {
  it("is managed by admins alone, and audited", async () => {
    const widget = make({ origins: ["https://www.example.com/"] });
    expect(widget).toMatchObject({ origins: ["https://www.example.com"], state: "open", problem: null });
    expect(() => listWidgets(test.actors.member)).toThrow(refused("forbidden"));
    updateWidget(test.actors.admin, widget.id, { greeting: "Good day!" });
    updateWidget(test.actors.admin, widget.id, { enabled: false });
    updateWidget(test.actors.admin, widget.id, { enabled: true });
    expect(() => updateWidget(test.actors.admin, widget.id, { name: "X" }, widget.updatedAt)).toThrow(
      refused("conflict"),
    );
    const { conversation } = await ask(widget.token, "Hello");
    deleteVisitorConversation(test.actors.admin, widget.id, conversation);
    deleteWidget(test.actors.admin, widget.id);
    const actions = listAudit(test.actors.admin, { limit: 20 }).entries.map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith("widget.")).toReversed()).toEqual([
      "widget.created",
      "widget.updated",
      "widget.disabled",
      "widget.enabled",
      "widget.conversation_deleted",
      "widget.deleted",
    ]);
    expect(listWidgets(test.actors.admin)).toEqual([]);
  });

  it.each([
    ["name", { name: "Ask us" }],
    ["persona", { name: "Two", persona: "per_unknown" }],
    ["persona", { name: "Two", persona: "Host" }],
    ["model", { name: "Two", model: "unknown" }],
    ["tools", { name: "Two", tools: ["kv.set"] }],
    ["tools", { name: "Two", tools: ["qdrant.search"] }],
    ["documents", { name: "Two", documents: "cat_unknown" }],
  ])("refuses a wrong %s", (field, more) => {
    // A name could be another persona's tomorrow.
    createPersona(test.actors.admin, PersonaInput.parse({ name: "Host", defaultModel: OFFLINE_MODEL }));
    make();
    expect(() => make(more)).toThrow(expect.objectContaining({ fields: { [field]: expect.any(Array) } }));
  });

  it.each([
    "https://a.example https://b.example",
    "https://*.example.com",
    "javascript:alert(1)",
    "https://a.example/x",
    "*",
    "'self'",
    "https://a.example;script-src *",
  ])("doesn't take %s as a site", (origin) => {
    expect(WidgetInput.safeParse({ name: "A", greeting: "B", origins: [origin] }).success).toBe(false);
  });

  it("keeps a persona that it uses from being deleted, and says when it can't answer", () => {
    const persona = createPersona(
      test.actors.admin,
      PersonaInput.parse({ name: "Host", defaultModel: OFFLINE_MODEL }),
    );
    const widget = make({ persona: persona.id, model: "" });
    expect(() => deletePersona(test.actors.admin, persona.id)).toThrow(/the widget "Ask us"/);
    rawDatabase().prepare("UPDATE personas SET visibility = 'own'").run();
    expect(listWidgets(test.actors.admin)[0]).toMatchObject({ id: widget.id, problem: expect.any(String) });
  });

  it("goes on when who made it and its persona leaves, whose persona is transferred", async () => {
    const { admin, member } = test.actors;
    const persona = createPersona(member, PersonaInput.parse({ name: "Host", defaultModel: OFFLINE_MODEL }));
    const { token } = make({ persona: persona.id, model: "" });
    rawDatabase().prepare("UPDATE widgets SET created_by = ?").run(member.userId);
    const leave = (decision: { recipient?: string }) =>
      transaction((tx) => ownedPersonas.apply(tx, member, decision, 200, []));
    expect(() => leave({})).toThrow(/Transfer them: they are used by the widget "Ask us"/);
    expect(leave({ recipient: admin.userId })).toBe(1);
    expect((await ask(token, "Hello")).stored.status).toBe("complete");
    expect(listWidgets(admin)[0]?.problem).toBeNull();
  });

  it("ends where it ended when another zone is set and another field changed", () => {
    const { id } = make({ expiresOn: "2030-05-01" });
    const endOf = () => rawDatabase().prepare("SELECT expires_at FROM widgets").pluck().get();
    const end = endOf();
    updateOrganisation(test.actors.owner, { timeZone: "Pacific/Auckland" });
    updateWidget(test.actors.admin, id, { greeting: "Good day!" });
    expect(endOf()).toBe(end);
  });

  it("is removed with its conversations, which have a retention", async () => {
    const [one, two] = [make(), make({ name: "Two" })];
    const old = await ask(one.token, "Hello");
    await ask(one.token, "Hello again");
    await ask(two.token, "Hello");
    rawDatabase()
      .prepare("UPDATE widget_conversations SET updated_at = updated_at - ? WHERE id = ?")
      .run(31 * DAY, old.conversation);
    deleteWidget(test.actors.admin, two.id);
    while (removeOldConversations() > 0);
    expect(listVisitorConversations(test.actors.admin, one.id, { limit: 9 }).total).toBe(1);
    const counts = ["widgets", "widget_conversations", "widget_messages"].map((table) =>
      rawDatabase().prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    );
    expect(counts).toEqual([1, 1, 2]);
  });
});

describe("a visitor", () => {
  it("is answered, and goes on with the keys of the first answer", async () => {
    const { id, token } = make();
    const first = await ask(token, "  Hello  ");
    expect(first.stored).toMatchObject({ role: "assistant", status: "complete" });
    const second = await ask(token, "And more", first);
    expect(second.conversation).toBe(first.conversation);
    const roles = read(token, first).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
    expect(readVisitorConversation(test.actors.admin, id, first.conversation)).toHaveLength(4);
    expect(listVisitorConversations(test.actors.admin, id, { limit: 9 }).conversations).toMatchObject([
      { firstMessage: "Hello", questions: 2 },
    ]);
  });

  it("reads and continues no conversation of another", async () => {
    const { token } = make();
    const other = make({ name: "Other" });
    const mine = await ask(token, "My secret");
    const stranger = await ask(token, "Go on", { conversation: mine.conversation });
    expect(stranger.conversation).not.toBe(mine.conversation);
    const { conversation } = mine;
    expect(read(token, { conversation, visitor: stranger.visitor })).toEqual([]);
    expect(read(token, { conversation })).toEqual([]);
    expect(read(other.token, mine)).toEqual([]);
    expect(read(token, mine)).toHaveLength(2);
  });

  it("finds no widget that is off, ended, deleted or unknown", async () => {
    const { admin } = test.actors;
    const { id, token } = make();
    updateWidget(admin, id, { enabled: false });
    await expect(ask(token, "Hello")).rejects.toEqual(refused("not_found"));
    updateWidget(admin, id, { enabled: true, expiresOn: "2020-01-01" });
    expect(() => openWidget(token)).toThrow(refused("not_found"));
    updateWidget(admin, id, { expiresOn: "" });
    openWidget(token);
    deleteWidget(admin, id);
    for (const wrong of [token, id, "", "x".repeat(43), "%' OR 1=1"])
      expect(() => openWidget(wrong)).toThrow(refused("not_found"));
  });

  it("keeps to the limits of messages, visitors and networks", async () => {
    const { token } = make({ perVisitor: 2, perNetwork: 4, maxLength: 10, maxQuestions: 2 });
    await expect(ask(token, "x".repeat(11))).rejects.toEqual(refused("invalid"));
    await expect(ask(token, " \n ")).rejects.toEqual(refused("invalid"));
    const first = await ask(token, "One");
    await ask(token, "Two", first);
    await expect(ask(token, "Three", first)).rejects.toEqual(refused("conflict"));
    const { visitor } = first;
    await expect(ask(token, "Three", { visitor })).rejects.toEqual(refused("rate_limited"));
    await ask(token, "Three");
    await expect(ask(token, "Four")).rejects.toEqual(refused("rate_limited"));
    await ask(token, "Three", {}, "2001:db8::1");
    for (let count = 0; count < 3; count++) await ask(token, "Four", {}, `2001:db8::${count}`);
    await expect(ask(token, "Five", {}, "2001:db8::ffff")).rejects.toEqual(refused("rate_limited"));
  });

  it("runs a few answers at once from one network", async () => {
    const { token } = make();
    const begun = await Promise.all([1, 2, 3].map(() => askWidget(token, { message: "Hello" }, ADDRESS)));
    await expect(ask(token, "Hello")).rejects.toEqual(refused("rate_limited"));
    const [first] = begun;
    for (const { done } of begun) await done;
    await ask(token, "Hello");
    const second = await askWidget(token, { message: "And", ...first }, ADDRESS);
    await expect(ask(token, "Before that?", first, "192.0.2.2")).rejects.toEqual(refused("rate_limited"));
    await second.done;
    await ask(token, "After that?", first, "192.0.2.2");
  });

  it("is shown what was said so often, as that is formatted each time", async () => {
    const { token } = make();
    const mine = await ask(token, "Hello");
    for (let count = 0; count < 600; count++) read(token, mine);
    expect(() => read(token, mine)).toThrow(refused("rate_limited"));
  });

  it("costs the widget's budget, as a source and a person of its own", async () => {
    const { id, token } = make();
    await ask(token, "Hello");
    const records = db().select().from(usageRecords).all();
    expect(records.map(({ source, userId }) => [source, userId])).toEqual([["widget", `widget:${id}`]]);
    expect(listBudgets(test.actors.admin)).toMatchObject([
      { target: `widget:${id}`, name: "Ask us", unit: "money", period: "day", limit: 5 },
    ]);
  });

  it("gets no tool but those that were chosen", async () => {
    const { token } = make({ tools: ["kv.get"] });
    const read = await ask(token, "kv.get greeting");
    const written = await ask(token, "kv.set greeting hello");
    const searched = await ask(token, "qdrant.search harbor");
    const called = db()
      .select()
      .from(usageRecords)
      .all()
      .flatMap(({ tool }) => tool ?? []);
    expect([read, written, searched].map(({ stored }) => stored.status)).toEqual([
      "complete",
      "complete",
      "complete",
    ]);
    expect(called).toEqual(["kv.get"]);
  });

  it("is cut off when the widget is turned off", async () => {
    const { id, token } = make();
    const answer = await askWidget(token, { message: "Hello" }, ADDRESS);
    updateWidget(test.actors.admin, id, { enabled: false });
    expect(await answer.done).toMatchObject({ status: "stopped" });
  });

  it("is told nothing of why it can't answer", async () => {
    const { id, token } = make();
    rawDatabase().prepare("UPDATE widgets SET model = 'gone'").run();
    await expect(ask(token, "Hello")).rejects.toThrow("The answer couldn't be written");
    const [budget] = listBudgets(test.actors.admin);
    updateBudget(test.actors.admin, budget?.id ?? "", { limit: 0 });
    expect(listVisitorConversations(test.actors.admin, id, { limit: 9 }).total).toBe(0);
  });
});

describe("what visitors are shown", () => {
  const OWN = "https://console.example";
  const html = async (content: string, sources: { title: string; location: string }[] = []) =>
    (await answersHtml([{ content, sources }], OWN))[0] ?? "";

  it("cites documents by number and title, without a link", () => {
    const passage = {
      number: 3,
      title: "Berths",
      headings: [],
      page: 2,
      url: "/rag/doc_1?start=4#p",
      score: 1,
      text: "",
    };
    const text =
      "So [3](/rag/doc_1?start=4#p) and [3](/rag/doc_1?start=4#p), not [here](/settings). [4](/rag/d";
    expect(citeSources(text, [passage as never])).toEqual({
      content: "So [1] and [1], not here. ",
      sources: [{ title: "Berths", location: expect.stringContaining("2") }],
    });
  });

  it("runs and loads nothing of what a model wrote, and leads nowhere into the console", async () => {
    const hostile = [
      "<script>alert(1)</script><img src=x onerror=alert(1)>",
      "[a](javascript:alert(1)) [b](/settings) [c](https://console.example/chat) [d](//console.example)",
      '![i](https://tracker.example/x.png) [ok](https://www.example.com/?a=1&b="2")',
      "`<b>` $x<y$",
      "```html\n<iframe src=/></iframe>\n```",
      "| <u>a</u> | b |\n|-|-|\n| 1 | <svg onload=alert(1)> |",
      "[r][1]\n\n[1]: /rag/doc_1",
    ].join("\n\n");
    const shown = await html(hostile, [{ title: "<b>Title</b>", location: "" }]);
    expect(
      shown.match(/<[a-z]+[^>]*>/g)?.filter((tag) => /script|img|iframe|svg|onerror|<b>|<u>/.test(tag)),
    ).toEqual([]);
    // A picture is a link.
    expect(shown.match(/href="[^"]*"/g)).toEqual([
      'href="https://tracker.example/x.png"',
      expect.stringMatching(/^href="https:\/\/www\.example\.com\//),
    ]);
  });

  it("may be framed by the allowed sites alone, and call its own address", () => {
    const widget = openWidget(make({ origins: ["https://a.example", "http://b.example:81"] }).token);
    const policy = visitorPolicy(widget, OWN, "n");
    expect(policy).toContain("frame-ancestors https://a.example http://b.example:81");
    for (const directive of ["connect-src", "form-action"])
      expect(policy).toContain(`${directive} ${OWN}/w/${widget.row.token};`);
    const closed = openWidget(make({ name: "Two" }).token);
    expect(visitorPolicy(closed, OWN, "n")).toContain("frame-ancestors 'none'");
  });
});
