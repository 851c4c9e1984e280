import { expect, it } from "vitest";
import { fieldLabel } from "../field-label.shared";
import { entryAddress, isFiltered } from "./audit-address";
import { resourceAddress } from "./resource-address";

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
