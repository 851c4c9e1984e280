import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { fieldLabel } from "../entry-labels.shared";
import { entryAddress, isFiltered } from "./audit-address";
import { EntryDrawer, resourceAddress } from "./entry-drawer";

it.each([
  ["workflowName", "Workflow name"],
  ["enableCSP", "Enable CSP"],
  ["brokenAt", "Broken at"],
  ["source", "Source"],
  ["means", "How"],
])("labels the field %s", (name, label) => {
  expect(fieldLabel(name)).toBe(label);
});

it.each([
  ["workflow:wf_1", "/workflows/wf_1"],
  ["document:doc_1", "/rag/doc_1"],
  ["provider:prv_1", "/settings/providers"],
  ["kv:a/b", undefined],
  ["user", undefined],
  ["constructor:x", undefined],
])("leads from %s to its screen", (resource, address) => {
  expect(resourceAddress(resource)).toBe(address);
});

it("opens an entry beside the filtered list", () => {
  expect(entryAddress({}, "aud_1")).toBe("/audit?dialog=entry&id=aud_1");
  expect(entryAddress({ range: "all", search: "a b" }, "aud_1")).toBe(
    "/audit?range=all&search=a+b&dialog=entry&id=aud_1",
  );
});

it("counts all time as no filter, and a shorter range as one", () => {
  const query = { range: "all", action: "all", limit: 100, depth: 1 } as const;
  expect(isFiltered(query)).toBe(false);
  expect(isFiltered({ ...query, range: "1d" })).toBe(true);
});

const entry = {
  id: "aud_1",
  action: "persona.updated",
  resource: "persona:per_1",
  details: { tools: ["kv.get"], note: "Renamed", reason: null },
  before: { maxSteps: 5, name: "Ada" },
  after: { maxSteps: 8, name: "" },
  userId: "usr_1",
  actorKind: "user" as const,
  address: null,
  orgId: "org_1",
  createdAt: "2026-11-27T09:00:00.000Z",
  sentence: "Ada updated the persona Ada",
};

it("shows an entry's details and each changed field, with a dash for what is empty", async () => {
  const { document } = await rendered(<EntryDrawer entry={entry} people={{}} closeTo="/audit" />);
  const terms = [...document.querySelectorAll("dt")].map(({ textContent }) => textContent);
  const values = [...document.querySelectorAll("dd")].map(({ textContent }) => textContent);
  const shown = Object.fromEntries(terms.map((term, at) => [term, values[at]]));
  expect(shown).toMatchObject({ Address: "—", Tools: '["kv.get"]', Note: "Renamed", Reason: "—" });
  const changes = [...document.querySelectorAll("tbody tr")].map((row) =>
    [...row.children].slice(1).map(({ textContent }) => textContent),
  );
  expect(changes, "the values before and after").toEqual([
    ["5", "8"],
    ["Ada", "—"],
  ]);
});

it("says that an entry is gone or not to be seen", async () => {
  const page = await rendered(<EntryDrawer entry={undefined} people={{}} closeTo="/audit" />);
  expect(page.text).toContain("Entry not found");
  expect(page.text).toContain("was dropped at a checkpoint, or you don't have access to it.");
});
