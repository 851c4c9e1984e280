import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { ComparisonList } from "./comparison-list";

it("marks comparisons whose answers are still being written, and names their models", async () => {
  const createdAt = "2026-11-27T09:00:00.000Z";
  const comparisons = [
    { id: "cmp_1", title: "Write a plan", models: ["gpt-4o", "gone"], running: true, createdAt },
    { id: "cmp_2", title: "Sum up", models: ["gpt-4o"], running: false, createdAt },
  ];
  const { document } = await rendered(
    <ComparisonList
      comparisons={comparisons}
      names={{ "gpt-4o": "GPT-4o" }}
      deleteTo={(id) => `/compare?dialog=delete&id=${id}`}
    />,
  );
  const [running, done] = [...document.querySelectorAll("li")].map(({ textContent }) => textContent);
  expect(running, "a model without a name is shown by its ID").toMatch(
    /^Write a planWriting…GPT-4o · gone · /,
  );
  expect(done).toMatch(/^Sum upGPT-4o · /);
  const links = [...document.querySelectorAll("a")].map((link) => link.getAttribute("href"));
  expect(links.slice(0, 2)).toEqual(["/compare/cmp_1", "/compare?dialog=delete&id=cmp_1"]);
});
