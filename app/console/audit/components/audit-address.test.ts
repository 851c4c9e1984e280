import { expect, it } from "vitest";
import { AuditScreenQuery } from "~/platform/audit/audit.schema";
import { moreAddress } from "./audit-address";

const more = (query: object, reached?: string) =>
  moreAddress(AuditScreenQuery.parse(query), { next: "c1", reached, added: "#log-9" });

it("Load More Logs extends the list up to its maximum, then opens the next page", () => {
  expect(more({})).toBe("/audit?limit=200#log-9");
  expect(more({ limit: 450, search: "x" })).toBe("/audit?search=x&limit=500#log-9");
  expect(more({ limit: 500 })).toBe("/audit?limit=500&cursor=c1");
});

it("Load More Logs extends a partial search, then opens the next page", () => {
  const reached = "2026-01-01T00:00:00.000Z";
  expect(more({ search: "zz" }, reached)).toBe("/audit?search=zz&depth=2#log-9");
  expect(more({ search: "zz", depth: 5 }, reached)).toBe("/audit?search=zz&cursor=c1");
});
