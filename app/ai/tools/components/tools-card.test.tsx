import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { ToolsCard } from "./tools-card";

it("shows each tool's policy, or the default of its effect", async () => {
  const tools = [
    { name: "kv.get", title: "Read a value", effect: "reads", policy: "never", isDefaultPolicy: false },
    { name: "web.fetch", title: "Fetch a page", effect: "outside", policy: "ask", isDefaultPolicy: true },
  ] as const;
  const { document } = await rendered(<ToolsCard forms={[[...tools]]} />);
  const chosen = [...document.querySelectorAll("select")].map((select) => [
    select.getAttribute("aria-label"),
    select.querySelector("option[selected]")?.textContent,
  ]);
  expect(chosen).toEqual([
    ["When kv.get runs", "Never run"],
    ["When web.fetch runs", "Default: ask after outside content"],
  ]);
});
