import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { ErrorReports } from "./error-reports";

const AT = "2026-11-27T09:00:00.000Z";
const once = { message: "Index failed", detail: null, stack: null, requestId: null, count: 1 };
const often = {
  message: "Request failed",
  detail: "no such table",
  stack: "Error: no such table\n    at run",
  requestId: "req_1",
  count: 3,
};

it("lists each error with how often it occurred, its request and its stack, and clears them", async () => {
  const errors = [once, often].map((error) => ({ ...error, firstAt: AT, lastAt: AT }));
  const { document } = await rendered(<ErrorReports errors={errors} isOn />);
  const [first, second] = [...document.querySelectorAll("li")];
  expect(first?.textContent).toMatch(/^Index failedOnce, last /);
  expect(first?.textContent).not.toContain("in request");
  expect(first?.querySelector("details")).toBeNull();
  expect(second?.textContent).toMatch(/^Request failed: no such table3 times, last .* in request req_1Stack/);
  expect(second?.querySelector("pre")?.textContent).toBe(often.stack);
  expect(document.querySelector("button[value=clear-errors]")?.textContent).toBe("Clear");
});

it("says that there are none, or that none are kept", async () => {
  const on = await rendered(<ErrorReports errors={[]} isOn />);
  expect(on.text).toContain("No unexpected error has occurred.");
  expect(on.document.querySelector("button")).toBeNull();
  expect((await rendered(<ErrorReports errors={[]} isOn={false} />)).text).toContain(
    "Error reporting is off.",
  );
});
