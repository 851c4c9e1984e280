import { expect, it } from "vitest";
import { rendered } from "../../../../tests/support/rendered";
import { TriggersCard } from "./triggers-card";
import { ChangeAddressDialog } from "./workflow-dialogs";

const triggers = [
  {
    id: "daily",
    type: "schedule",
    label: "Schedule",
    detail: "Every day at 09:00",
    schedule: { sentence: "Every day at 09:00", timeZone: "UTC", next: "Sat 28 Nov" },
  },
  { id: "hook", type: "webhook", label: "Webhook" },
];
const due = (day: string) => ({ at: `2026-11-${day}T09:00:00.000Z`, text: `Sat ${day} Nov at 09:00` });
const show = (mayWrite: boolean) =>
  rendered(
    <TriggersCard
      triggers={triggers}
      dueTimes={{ daily: [due("28"), due("29")] }}
      webhooks={[
        {
          triggerId: "hook",
          address: "https://console.example.com/hooks/1",
          curl: { line: "curl -X POST …", secret: "QUARTERDECK_KEY_HOOK" },
        },
      ]}
      calls={[
        {
          id: "call_1",
          triggerId: "hook",
          status: 409,
          reason: "Already running",
          at: "2026-11-27T09:00:00.000Z",
        },
      ]}
      polls={[]}
      mayWrite={mayWrite}
      rotateTo={(id) => `?dialog=rotate&id=${id}`}
    />,
  );

it("shows when a schedule runs next, and who called a webhook", async () => {
  const { document } = await show(true);
  const [daily, hook] = [...document.querySelectorAll("ul.gap-4 > li")];
  expect([...(daily?.querySelectorAll("p") ?? [])].map((line) => line.textContent)).toEqual([
    "Schedule",
    "Every day at 09:00, UTC; next: Sat 28 Nov",
  ]);
  const times = [...(daily?.querySelectorAll('[aria-label="Next runs"] time') ?? [])];
  expect(times.map((time) => time.getAttribute("dateTime") ?? time.getAttribute("datetime"))).toEqual([
    "2026-11-28T09:00:00.000Z",
    "2026-11-29T09:00:00.000Z",
  ]);
  expect(hook?.querySelector('[aria-label="Next runs"]'), "a webhook has no due times").toBeNull();
  expect(hook?.querySelector("code")?.textContent).toBe("https://console.example.com/hooks/1");
  const [curl, calls] = [...(hook?.querySelectorAll("details") ?? [])].map((part) => part.textContent);
  expect(curl).toMatch(
    /^Call it with curlcurl -X POST ….*Set KEY to the secret of QUARTERDECK_KEY_HOOK first/,
  );
  expect(calls).toMatch(/^Last calls409 · .* · Already running$/);
});

it("lets only those change a webhook's address who may change workflows", async () => {
  const rotates = async (mayWrite: boolean) =>
    (await show(mayWrite)).document.querySelectorAll('a[href="/?dialog=rotate&id=hook"]').length;
  expect([await rotates(true), await rotates(false)]).toEqual([1, 0]);
});

it("links the address of a form, which people open, but not that of a webhook", async () => {
  const page = await rendered(
    <TriggersCard
      triggers={[
        { id: "ask", type: "form", label: "Form Trigger" },
        { id: "hook", type: "webhook", label: "Webhook" },
      ]}
      dueTimes={{}}
      webhooks={[
        { triggerId: "ask", address: "https://console.example.com/form/1", isForm: true },
        { triggerId: "hook", address: "https://console.example.com/api/hooks/1", isForm: false },
      ]}
      calls={[]}
      polls={[]}
      mayWrite={false}
      rotateTo={(id) => id}
    />,
  );
  const links = [...page.document.querySelectorAll("a")].map((link) => link.getAttribute("href"));
  expect(links).toEqual(["https://console.example.com/form/1"]);
});

it("asks before an address changes, and says what stops working", async () => {
  const ask = (isForm: boolean) =>
    rendered(<ChangeAddressDialog triggerId="hook" isForm={isForm} closeTo="/workflows/wfl_1" />);
  const [form, hook] = [await ask(true), await ask(false)];
  expect(form.text).toContain("nobody who has it can open or send the form");
  expect(hook.text).toContain("calls to it fail");
  expect(hook.document.querySelector("[name=trigger]")?.getAttribute("value")).toBe("hook");
  expect(hook.document.querySelectorAll('button[value="rotate"]')).toHaveLength(1);
});

it("tells when a feed was checked, and when its check failed", async () => {
  const lineOf = async (poll: object) => {
    const { document } = await rendered(
      <TriggersCard
        triggers={[{ id: "news", type: "feed", label: "Feed" }]}
        dueTimes={{}}
        webhooks={[]}
        calls={[]}
        polls={[
          {
            triggerId: "news",
            checkedAt: null,
            failedAt: null,
            nextAt: "2026-11-28T09:00:00.000Z",
            next: "today at 09:00",
            error: null,
            failures: 0,
            ...poll,
          },
        ]}
        mayWrite={true}
        rotateTo={(id) => id}
      />,
    );
    return document.querySelector("p.text-muted")?.textContent;
  };
  const at = new Date().toISOString();
  const error = "The feed answered 500.";
  expect(await lineOf({})).toBe("Not checked yet · next check today at 09:00");
  expect(await lineOf({ checkedAt: at })).toBe("Checked just now · next check today at 09:00");
  expect(await lineOf({ failedAt: at, error, failures: 1 })).toBe(
    "Last check failed just now · no check succeeded yet · next check today at 09:00",
  );
  expect(await lineOf({ checkedAt: at, failedAt: at, error, failures: 1 })).toBe(
    "Last check failed just now · last success just now · next check today at 09:00",
  );
});
