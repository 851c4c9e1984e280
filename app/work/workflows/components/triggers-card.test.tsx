import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { TriggersCard } from "./triggers-card";

const triggers = [
  { id: "daily", type: "schedule", label: "Schedule", detail: "0 9 * * *" },
  { id: "hook", type: "webhook", label: "Webhook" },
];
const show = (mayWrite: boolean) =>
  rendered(
    <TriggersCard
      triggers={triggers}
      dueTimes={{ daily: ["2026-11-28T09:00:00.000Z", "2026-11-29T09:00:00.000Z"] }}
      webhooks={[{ triggerId: "hook", address: "https://console.example.com/hooks/1" }]}
      calls={[
        {
          id: "call_1",
          triggerId: "hook",
          status: 409,
          reason: "Already running",
          at: "2026-11-27T09:00:00.000Z",
        },
      ]}
      mayWrite={mayWrite}
    />,
  );

it("shows when a schedule runs next, and who called a webhook", async () => {
  const { document } = await show(true);
  const [daily, hook] = [...document.querySelectorAll("ul.gap-4 > li")];
  expect(daily?.querySelector("p")?.textContent, "a trigger's detail").toBe("Schedule0 9 * * *");
  const times = [...(daily?.querySelectorAll('[aria-label="Next runs"] time') ?? [])];
  expect(times.map((time) => time.getAttribute("dateTime") ?? time.getAttribute("datetime"))).toEqual([
    "2026-11-28T09:00:00.000Z",
    "2026-11-29T09:00:00.000Z",
  ]);
  expect(hook?.querySelector('[aria-label="Next runs"]'), "a webhook has no due times").toBeNull();
  expect(hook?.querySelector("code")?.textContent).toBe("https://console.example.com/hooks/1");
  expect(hook?.querySelector("details")?.textContent).toMatch(/^Last calls409 · .* · Already running$/);
});

it("lets only those change a webhook's address who may change workflows", async () => {
  const rotates = async (mayWrite: boolean) =>
    (await show(mayWrite)).document.querySelectorAll('button[value="rotate"]').length;
  expect([await rotates(true), await rotates(false)]).toEqual([1, 0]);
});
