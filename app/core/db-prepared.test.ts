import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { auditEntries, conversations, usageRecords } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../tests/support/database";
import {
  db,
  prepared,
  preparedHas,
  preparedInsert,
  preparedUpdate,
  rawDatabase,
  transaction,
} from "./db.server";

describe("prepared statements", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("prepares a statement once per connection", () => {
    let made = 0;
    const statement = prepared(() => ++made);
    expect([statement(db()), statement(db())]).toEqual([1, 1]);
    test.close();
    test = openTestDatabase();
    expect(statement(db())).toBe(2);
  });

  it("checks for a row without reading its columns", () => {
    const prepare = vi.spyOn(rawDatabase(), "prepare");
    const hasTitle = preparedHas(conversations, "title");
    expect(hasTitle(db(), "t")).toBe(false);
    const at = { createdAt: 1, updatedAt: 1 };
    preparedInsert(conversations)(db(), {
      id: "a",
      orgId: ORG_ID,
      userId: "usr_member",
      title: "t",
      model: "m",
      ...at,
    });
    expect(hasTitle(db(), "t")).toBe(true);
    expect(prepare.mock.calls[0]?.[0]).toMatch(/^select 1 from/);
  });

  it("inserts the same values as the query builder: JSON, booleans, nulls and defaults", () => {
    const at = { createdAt: 1, updatedAt: 1 };
    const row = { orgId: ORG_ID, userId: "usr_member", title: "t", model: "m", ...at };
    const insert = preparedInsert(conversations);
    insert(db(), { id: "a", ...row });
    insert(db(), { id: "b", ...row, settings: { tools: ["x"] }, lastEventId: 7 });
    db()
      .insert(conversations)
      .values({ id: "c", ...row })
      .run();
    const [a, b, c] = db().select().from(conversations).orderBy(conversations.id).all();
    expect({ ...a, id: "c" }).toEqual(c);
    expect(b).toMatchObject({ settings: { tools: ["x"] }, lastEventId: 7, comparisonId: null });
  });

  it("update only the given columns", () => {
    const at = { createdAt: 1, updatedAt: 1 };
    const row = { orgId: ORG_ID, userId: "usr_member", title: "t", model: "m", archivedAt: 5, ...at };
    for (const id of ["a", "b"]) preparedInsert(conversations)(db(), { id, ...row });
    const update = preparedUpdate(conversations, "id");
    const before = db().select().from(conversations).orderBy(conversations.id).all();
    update(db(), "a", { title: "n", settings: { tools: ["x"] }, archivedAt: null });
    update(db(), "a", { title: "new", settings: { tools: ["y"] }, archivedAt: null, model: undefined });
    update(db(), "b", {});
    const [a, b] = db().select().from(conversations).orderBy(conversations.id).all();
    expect(a).toEqual({ ...before[0], title: "new", settings: { tools: ["y"] }, archivedAt: null });
    expect(b).toEqual(before[1]);
  });

  it("leave null in a JSON column null", () => {
    const call = { providerType: "custom", model: "m", outcome: "ok" as const, createdAt: 1 };
    preparedInsert(usageRecords)(db(), { id: "u", orgId: ORG_ID, userId: "x", ...call, route: null });
    expect(db().select({ route: usageRecords.route }).from(usageRecords).get()).toEqual({ route: null });
    expect(db().select().from(usageRecords).get()).toMatchObject({ source: "chat" });
  });

  it("leave a counted key to SQLite", () => {
    const entry = {
      orgId: ORG_ID,
      userId: "u",
      action: "a.b",
      resource: "r",
      details: {},
      createdAt: 1,
      mac: "m",
    };
    transaction((tx) => {
      for (const id of ["1", "2"]) preparedInsert(auditEntries)(tx, { id, ...entry });
    });
    expect(db().select({ seq: auditEntries.seq }).from(auditEntries).all()).toEqual([{ seq: 1 }, { seq: 2 }]);
  });
});
