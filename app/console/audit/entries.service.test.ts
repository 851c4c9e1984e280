import { afterEach, beforeEach, expect, it } from "vitest";
import type { Actor } from "~/core/actor";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase, transaction } from "~/core/db.server";
import { DAY } from "~/core/durations";
import { entriesQuery } from "~/platform/audit/audit.repo.server";
import { type AuditExportQuery, AuditQuery } from "~/platform/audit/audit.schema";
import { append } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { indexEntries } from "./background.service.server";
import { pageAudit } from "./entries.service.server";
import { exportAudit } from "./export.service.server";

const START = Date.UTC(2026, 4, 1, 12);

let test: ReturnType<typeof openTestDatabase>;
beforeEach(async () => {
  test = openTestDatabase();
  const { admin, member } = test.actors;
  const entries: (() => void)[] = [
    () => note(member, "persona.created", "persona:1", { name: "Analyst" }),
    () => note(admin, "provider.created", "provider:1", { provider: "openai" }),
    () =>
      note({ ...member, address: "192.0.2.7" }, "document.uploaded", "document:1", {
        filename: "50%_plan.pdf",
      }),
    () => note(admin, "persona.deleted", "persona:1", { name: "Analyst" }),
    () => note(admin, "user.updated", "user:usr_member", {}),
  ];
  for (const [day, add] of entries.entries()) {
    setClock(() => START + day * DAY);
    add();
    if (day === 2) await indexEntries();
  }
});
afterEach(() => {
  setClock();
  test.close();
});

function note(
  actor: Actor,
  action: "persona.created" | "persona.deleted" | "provider.created" | "document.uploaded" | "user.updated",
  resource: string,
  details: Record<string, string>,
): void {
  transaction((tx) => append(tx, actor, { action, resource, details: details as never }));
}

const find = async (query: Record<string, string>, actor = test.actors.admin) => {
  const { entries } = await pageAudit(actor, AuditQuery.parse(query));
  return entries.map(({ action, resource }) => `${action} ${resource}`);
};
const DOCUMENT = "document.uploaded document:1";

it.each([
  [{ action: "document" }, [DOCUMENT]],
  [{ action: "persona.deleted" }, ["persona.deleted persona:1"]],
  [{ resource: "persona:1" }, ["persona.deleted persona:1", "persona.created persona:1"]],
  [{ person: "usr_member" }, [DOCUMENT, "persona.created persona:1"]],
  [{ address: "192.0.2.7" }, [DOCUMENT]],
  [{ from: "2026-05-03", to: "2026-05-04" }, [DOCUMENT]],
  [{ from: "2026-05-02T12:00:00Z", to: "2026-05-03T12:00:00Z" }, ["provider.created provider:1"]],
])("filters by %j", async (query, expected) => {
  expect(await find(query)).toEqual(expected);
});

it.each([
  ["openai", ["provider.created provider:1"]],
  ["deleted analyst", ["persona.deleted persona:1"]],
  ["member", ["user.updated user:usr_member", DOCUMENT, "persona.created persona:1"]],
  ["50%_P", [DOCUMENT]],
  ["5_%", []],
  // LIKE wildcards are escaped.
  ["50", [DOCUMENT]],
  ["50%_plan.pdf".padEnd(190, "x"), []],
  ['"OR" -plan*', []],
])("finds %j", async (search, expected) => {
  expect(await find({ search })).toEqual(expected);
  await indexEntries();
  expect(await find({ search })).toEqual(expected);
});

it.each(["STRASSEN", "strassenverkehr", "verkehr", "假期", "الاجازه", "müller", "mueller", "persona 假期"])(
  "finds %j in folded texts, in the index and behind it",
  async (search) => {
    note(test.actors.admin, "persona.created", "persona:2", {
      name: "Straßenverkehr Müller 我的假期 إجازة",
    });
    expect(await find({ search })).toEqual(["persona.created persona:2"]);
    await indexEntries();
    expect(await find({ search })).toEqual(["persona.created persona:2"]);
  },
);

it("looks at a bounded number of entries while most of them aren't in the index", async () => {
  const { entries, reached, next } = await pageAudit(
    test.actors.admin,
    { limit: 100, search: "provider" },
    1,
  );
  expect([entries, reached, next]).toEqual([[], expect.anything(), expect.anything()]);
});

it.each([
  [{ search: "persona", from: "2026-05-02" }, ["persona.deleted persona:1"]],
  [{ search: "persona", to: "2026-05-03" }, ["persona.created persona:1"]],
  [{ search: "analyst", person: "usr_member" }, ["persona.created persona:1"]],
  [{ search: "plan", address: "192.0.2.7" }, [DOCUMENT]],
  [{ search: "plan", address: "192.0.2.8" }, []],
])("finds %j within its filters", async (query, expected) => {
  await indexEntries();
  expect(await find(query)).toEqual(expected);
});

it("pages through a search", async () => {
  await indexEntries();
  const { admin } = test.actors;
  const first = await pageAudit(admin, { limit: 1, search: "analyst" });
  expect(first.entries).toEqual([expect.objectContaining({ action: "persona.deleted" })]);
  const second = await pageAudit(admin, { limit: 1, search: "analyst", cursor: first.next });
  expect(second.entries).toEqual([expect.objectContaining({ action: "persona.created" })]);
  expect(second.next).toBeUndefined();
});

it.each([
  ["too short for the index", "de", ["persona.deleted persona:1", DOCUMENT, "provider.created provider:1"]],
  ["of the index, without its last word", "per zz", []],
])(
  "looks at a bounded number of entries for words %s, and goes on behind them",
  async (_, search, expected) => {
    await indexEntries();
    const { admin } = test.actors;
    const found: string[] = [];
    const reached: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const page = await pageAudit(admin, { limit: 100, search, cursor }, 2);
      found.push(...page.entries.map(({ action, resource }) => `${action} ${resource}`));
      reached.push(page.reached);
      cursor = page.next;
    } while (cursor);
    expect(found).toEqual(expected);
    expect(reached.length).toBeGreaterThan(1);
    expect(reached.at(-1)).toBeUndefined();
  },
);

it("limits members to their own entries regardless of the filter", async () => {
  const { member } = test.actors;
  expect(await find({}, member)).toEqual([DOCUMENT, "persona.created persona:1"]);
  expect(await find({ search: "analyst" }, member)).toEqual(["persona.created persona:1"]);
  expect(await find({ person: "usr_admin" }, member)).toEqual([]);
});

it("pages through matching entries", async () => {
  const { admin } = test.actors;
  const query = { limit: 1, resource: "persona:1" };
  const first = await pageAudit(admin, query);
  expect(first.entries).toMatchObject([{ action: "persona.deleted" }]);
  const second = await pageAudit(admin, { ...query, cursor: first.next });
  expect(second.entries).toMatchObject([{ action: "persona.created" }]);
  expect(second.next).toBeUndefined();
});

it.each([
  [{}, "audit_entries_org"],
  [{ action: "user" }, "audit_entries_kind"],
  [{ userId: "usr_member" }, "audit_entries_user"],
  [{ resource: "persona:1" }, "audit_entries_resource"],
])("finds %j by an index, without sorting", (filter, index) => {
  const query = { orgId: "org_test", limit: 10, from: 1, ...filter };
  const { sql, params } = entriesQuery(db(), { ...query, after: { createdAt: START, seq: 3 } });
  const plan = rawDatabase()
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...params) as { detail: string }[];
  const steps = plan.map(({ detail }) => detail);
  expect(steps).toContainEqual(expect.stringContaining(`INDEX ${index} (`));
  expect(steps.filter((step) => step.includes("TEMP B-TREE"))).toHaveLength(1);
});

async function readPieces(query: AuditExportQuery): Promise<string[]> {
  const { pieces } = exportAudit(test.actors.admin, query);
  const read: string[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
}

const readAll = async (format: AuditExportQuery["format"]) =>
  (await readPieces({ format, action: "document" })).join("");

it("exports matching entries in each format and records the export", async () => {
  expect(JSON.parse(await readAll("json"))).toMatchObject([{ action: "document.uploaded" }]);
  expect(
    (await readAll("ndjson"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ resource: "document:1", before: null, after: null }]);
  const csv = (await readAll("csv")).split("\r\n");
  expect(csv[0]).toContain('"time","action","description"');
  expect(csv[1]).toContain('"document.uploaded","Added the document 50%_plan.pdf","member","usr_member"');
  expect(await find({ action: "audit.exported" })).toHaveLength(3);
});

it.each([undefined, "document"])("exports old entries well formed, searching %j", async (search) => {
  rawDatabase().exec(String.raw`UPDATE audit_entries SET details = '{"filename":"a\ud800"}' WHERE seq = 3`);
  const text = (await readPieces({ format: "ndjson", action: "document", search })).join("");
  expect(JSON.parse(text)).toMatchObject({ details: { filename: "a\ufffd" } });
});

it.each([undefined, "note"])("exports few entries in a turn, searching %j", async (search) => {
  for (let count = 0; count < 60; count++)
    note(test.actors.admin, "persona.created", `persona:note${count}`, { name: "Note" });
  let turns = 0;
  const count = () => {
    turns++;
    turning = setImmediate(count);
  };
  let turning = setImmediate(count);
  const seen: number[] = [];
  const { pieces } = exportAudit(test.actors.admin, { format: "ndjson", search });
  for await (const piece of pieces) if (piece) seen.push(turns);
  clearImmediate(turning);
  expect(seen.length).toBeGreaterThanOrEqual(3);
  expect(new Set(seen).size).toBe(seen.length);
});

it("refuses a member's export", () => {
  expect(() => exportAudit(test.actors.member, { format: "csv" })).toThrow("Only admins and owners");
});
