import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { VersionChangesCard, VersionsCard } from "./version-changes";

const connection = {
  kind: "added" as const,
  part: "connection" as const,
  id: "ask>send",
  type: "",
  name: null,
  label: "From ask to send",
  fields: [],
};
const step = {
  kind: "changed" as const,
  part: "step" as const,
  id: "ask",
  type: "model",
  name: null,
  label: "Ask a model",
  fields: [
    { field: "config.prompt", label: "Prompt", before: "x".repeat(2001), after: "Short" },
    { field: "options.retries", label: "Retries", before: null, after: "2" },
  ],
};

const without = { drawing: undefined, mayWrite: false, back: "/workflows/1" };

it("shows what two versions differ in, with the values before and after, the long ones cut", async () => {
  const page = await rendered(
    <VersionChangesCard from={1} to={2} changes={[connection, step]} {...without} />,
  );
  const [added, changed] = [...page.document.querySelectorAll("li")];
  expect(added?.textContent).toBe("AddedConnectionFrom ask to send");
  expect(changed?.querySelector("p")?.textContent).toBe("ChangedStepAsk a modelask");
  const values = [...(changed?.querySelectorAll("dd") ?? [])].map(({ textContent }) => textContent);
  expect(values).toEqual([`Before: ${"x".repeat(2000)}…`, "After: Short", "Before: Not set", "After: 2"]);
});

it("draws the changes, each box with its change in words", async () => {
  const node = { type: "Log Output", kind: "action" as const, icon: "ScrollText", x: 8 };
  const drawing = {
    width: 200,
    height: 200,
    nodes: [
      { ...node, id: "kept", title: "Kept", y: 8, change: "same" as const },
      { ...node, id: "gone", title: "Gone", y: 90, change: "removed" as const },
    ],
    lines: [
      {
        id: "kept>gone:",
        from: { x: 80, y: 40 },
        to: { x: 80, y: 90 },
        branch: null,
        change: "removed" as const,
      },
    ],
  };
  const { document } = await rendered(
    <VersionChangesCard from={1} to={2} changes={[connection]} {...without} drawing={drawing} />,
  );
  const graph = document.querySelector("[aria-label='Graph of the changes']");
  expect([...(graph?.querySelectorAll("[title]") ?? [])].map(({ textContent }) => textContent)).toEqual([
    "KeptLog Output",
    "GoneRemoved",
  ]);
  expect(graph?.querySelector("path[stroke-dasharray]")).not.toBeNull();
});

it("says that two versions are the same", async () => {
  const page = await rendered(<VersionChangesCard from={1} to={2} changes={[]} {...without} />);
  expect(page.text).toContain("The two versions have the same triggers, steps and connections.");
});

const versions = [2, 1].map((version) => ({
  version,
  current: version === 2,
  steps: version,
  createdBy: { id: "usr_1", name: "Ada" },
  createdAt: "2026-11-27T09:00:00.000Z",
}));

it.each([true, false])(
  "compares former versions with the current one and restores them (may write: %s)",
  async (mayWrite) => {
    const { document } = await rendered(<VersionsCard versions={versions} mayWrite={mayWrite} />);
    const [current, former] = [...document.querySelectorAll("li")];
    expect(current?.textContent).toMatch(/^Version 2 Current2 steps · Ada/);
    expect(current?.querySelector("a, button")).toBeNull();
    expect(former?.textContent).toMatch(/^Version 1 1 step · Ada/);
    expect(former?.querySelector("a")?.getAttribute("href")).toMatch(/\?from=1&to=2$/);
    expect(former?.querySelector("button")?.getAttribute("aria-label")).toBe(
      mayWrite ? "Restore version 1" : undefined,
    );
  },
);
