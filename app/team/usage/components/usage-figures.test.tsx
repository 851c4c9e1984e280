import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import type { UsageQuery } from "../usage.schema";
import { UsageFilters } from "./usage-filters";

const query: UsageQuery = { by: "person", metric: "tokens", range: "30d" };
const days = { from: "2026-11-01", to: "2026-11-27" };

it("names the groups that usage is narrowed to and keeps them when the form is sent", async () => {
  const narrowed = await rendered(
    <UsageFilters query={{ ...query, person: "usr_1" }} days={days} narrowed={{ person: "Ada" }} />,
  );
  const hidden = narrowed.document.querySelector('input[type="hidden"]');
  expect([hidden?.getAttribute("name"), hidden?.getAttribute("value")]).toEqual(["person", "usr_1"]);
  const filter = narrowed.document.querySelector('[aria-label="Remove filter: Person Ada"]');
  expect(filter?.getAttribute("href"), "the filter's link removes it").not.toContain("usr_1");
  expect(narrowed.text).toContain("Clear");
  const all = await rendered(<UsageFilters query={query} days={days} narrowed={{}} />);
  expect(all.document.querySelector('input[type="hidden"]')).toBeNull();
  expect(all.text, "there is nothing to clear").not.toContain("Clear");
});
