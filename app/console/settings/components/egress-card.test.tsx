import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { EgressCard } from "./egress-card";

const call = {
  at: "2026-11-27T09:00:00.000Z",
  purpose: "tool:web.fetch",
  method: "GET",
  host: "10.1.2.3",
  port: 8080,
  verdict: "refused",
  reason: "a private address",
} as const;
const buttons = ({ document }: { document: Document }) =>
  [...document.querySelectorAll("li button")].map((button) => button.getAttribute("aria-label"));

it("says that no private host is allowed and nothing was called", async () => {
  const page = await rendered(<EgressCard allow={[]} calls={[]} result={undefined} />);
  expect(page.text).toContain("No private hosts allowed yet. EGRESS_ALLOW may allow more.");
  expect(page.text).toContain("No calls since the last start.");
});

it("allows a refused host by a button, until it is on the list", async () => {
  const refused = await rendered(<EgressCard allow={[]} calls={[call]} result={undefined} />);
  expect(refused.text).toMatch(/GET 10\.1\.2\.3:8080.*tool:web\.fetch.*a private address.*Refused/);
  expect(buttons(refused)).toEqual(["Allow 10.1.2.3:8080"]);
  const listed = await rendered(<EgressCard allow={["10.1.2.3:8080"]} calls={[call]} result={undefined} />);
  expect(buttons(listed), "a listed host can only be removed").toEqual(["Remove 10.1.2.3:8080"]);
});

it("offers no button for a call that wasn't refused", async () => {
  const calls = [
    { ...call, verdict: "failed" as const, reason: "timed out" },
    { ...call, verdict: "allowed" as const, status: 200, reason: undefined as never },
  ];
  const page = await rendered(<EgressCard allow={[]} calls={calls} result={undefined} />);
  expect(page.text).toMatch(/Failed.*Allowed, 200/);
  expect(buttons(page)).toEqual([]);
});

it("keeps a refused entry with its error", async () => {
  const result = {
    status: "error",
    initialValue: { entry: "10.1" },
    error: { entry: ["Not a host"] },
  } as const;
  const page = await rendered(<EgressCard allow={[]} calls={[]} result={result as never} />);
  expect(page.document.querySelector('[name="entry"]')?.getAttribute("value")).toBe("10.1");
  expect(page.text).toContain("Not a host");
});

it("folds all but the ten latest calls", async () => {
  const calls = Array.from({ length: 12 }, (_, index) => ({ ...call, port: 8000 + index }));
  const { document } = await rendered(<EgressCard allow={[]} calls={calls} result={undefined} />);
  expect(document.querySelectorAll("[aria-label='Last outgoing calls'] > li")).toHaveLength(10);
  const folded = document.querySelector("details:not([open])");
  expect(folded?.querySelector("summary")?.textContent).toBe("Earlier calls (2)");
  expect(folded?.textContent).toMatch(/:8010.*:8011/);
});
