import type { Page, Request } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import { hold } from "../support/hold";
import { signInAgain } from "../support/sign-in-again";

test.use({ role: "member" });

const node = (page: Page, title: string) => page.locator(".react-flow__node").filter({ hasText: title });
const palette = (page: Page, label: string) =>
  page.getByRole("region", { name: "Components" }).getByRole("button", { name: label, exact: true });

/** Adds a component by keyboard, whose form then takes the focus. */
async function add(page: Page, label: string): Promise<void> {
  await palette(page, label).press("Enter");
  await expect(page.getByRole("region", { name: label, exact: true }).locator(":focus")).toBeVisible();
}

test("an unsaved workflow is kept when the session ends, over a reload, and dropped once saved or discarded", async ({
  page,
  open,
  context,
}) => {
  const name = page.getByLabel("Workflow name");
  const restored = page.getByText("Unsaved changes restored");
  await open("/workflows/builder");
  await name.fill("Kept draft");
  await add(page, "Manual Trigger");
  await add(page, "Log Output");
  const message = page
    .getByRole("region", { name: "Log Output", exact: true })
    .getByLabel("Message", { exact: true });
  await page.getByText("Try this step").click();
  const sample = page.getByLabel("Trigger data");
  await sample.fill('{"kept": true}');
  // The check of the message finds the session ended, not what is loaded after it. A check before it may still load.
  let hasEnded = false;
  await page.route(/\.data/, async (route) => {
    const request = route.request();
    if (hasEnded && request.method() === "GET") return;
    if (/Kept.message/.test(request.postData() ?? "")) {
      hasEnded = true;
      await context.clearCookies();
    }
    await route.continue();
  });
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    return dialog.accept();
  });
  await message.fill("Kept message");
  await name.focus();
  await expect(page).toHaveURL(/\/login/);
  expect(asked).toEqual([]);
  await page.unrouteAll();
  await signInAgain(page, "member");
  await expect(restored).toBeVisible();
  await expect(name).toHaveValue("Kept draft");
  await expect(node(page, "Log Output")).toBeVisible();
  // Browsers ask only on pages that were used.
  await node(page, "Log Output").click();
  await expect(sample).toHaveValue('{"kept": true}');
  await expect(message).toHaveValue("Kept message");
  await context.clearCookies();
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page).toHaveURL(/\/login/);
  expect(asked).toEqual([]);
  await signInAgain(page, "member");
  await expect(restored).toBeVisible();
  await node(page, "Log Output").click();
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
  await expect(name).toHaveValue("Kept draft");
  const keptOnceSaved = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        new MutationObserver((_, observer) => {
          if (!document.body.textContent?.includes("Workflow created successfully")) return;
          observer.disconnect();
          resolve(Object.keys(sessionStorage).filter((key) => key.startsWith("workflow:")));
        }).observe(document.body, { childList: true, subtree: true });
      }),
  );
  await page.getByRole("button", { name: "Save Workflow" }).click();
  expect(await keptOnceSaved).toEqual([]);
  await open("/workflows/builder");
  await expect(name).toHaveValue("");
  await expect(restored).toHaveCount(0);

  await name.fill("Another name");
  await page.reload();
  await expect(restored).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(name).toHaveValue("");
  await page.reload();
  await expect(name).toHaveValue("");
  await expect(restored).toHaveCount(0);
});

test("a workflow is built on the canvas, saved, reopened and edited as a list", async ({
  page,
  open,
  server,
}) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Drawn");
  await add(page, "Manual Trigger");
  await expect(node(page, "Manual Trigger")).toBeVisible();
  await palette(page, "If Condition").dragTo(page.locator(".react-flow__pane"), {
    targetPosition: { x: 420, y: 440 },
  });
  const condition = page.getByRole("region", { name: "If Condition", exact: true });
  await condition.getByRole("button", { name: "Edit as Text" }).click();
  const text = condition.getByLabel("Condition", { exact: true });
  await text.pressSequentially("tri");
  await expect(page.getByRole("option", { name: /^trigger/ })).toBeVisible();
  await text.press("Enter");
  await text.pressSequentially(".urgent == true");
  await expect(text).toHaveValue("trigger.urgent == true");

  // Its label fits better than the category Logic.
  await page.getByLabel("Search components").fill("log");
  await page.getByLabel("Search components").press("Enter");
  const log = page.getByRole("region", { name: /^(Log Output|Note it)$/ });
  const message = log.getByLabel("Message", { exact: true });
  await log.getByLabel("Step name").fill("Note it");
  await expect(message, "nobody typed into it yet").toHaveAccessibleDescription("");
  await page.locator(".react-flow__pane").hover({ position: { x: 420, y: 540 } });
  await page.mouse.wheel(0, 3000);
  await expect(node(page, "Note it")).not.toBeInViewport();
  await page.getByRole("button", { name: "Save Workflow" }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "Failed to create workflow" });
  await expect(refusal).toBeInViewport({ ratio: 1 });
  await expect(message).toHaveAccessibleDescription("Enter a message");
  await expect(node(page, "Note it")).toContainText("1 problem");
  await expect(node(page, "Note it")).toBeInViewport({ ratio: 1 });
  await message.fill("Urgent");
  await log.getByLabel("Step name").focus();
  await expect(node(page, "Note it")).not.toContainText("problem");

  await page.getByRole("button", { name: "Fit to view" }).click();
  await node(page, "If Condition").click();
  await condition.getByLabel("Connect to").selectOption({ label: "Note it" });
  await condition.getByLabel("Branch").selectOption("false");
  await condition.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(condition.getByRole("button", { name: "Disconnect Note it" })).toHaveCount(2);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(condition.getByRole("button", { name: "Disconnect Note it" })).toHaveCount(0);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(condition.getByRole("button", { name: "Disconnect Note it" })).toHaveCount(2);
  await page.getByRole("button", { name: "Tidy" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow created successfully")).toBeVisible();
  const [toast, field] = await Promise.all(
    [page.locator("[data-toast]"), page.getByLabel("Workflow name")].map((part) => part.boundingBox()),
  );
  expect(toast?.y).toBeGreaterThan((field?.y ?? Number.NaN) + (field?.height ?? 0));

  const listed = (await (await server.ask("/api/workflows", { as: "member" })).json()) as {
    id: string;
    name: string;
    connections: unknown[];
  }[];
  const made = listed.find(({ name }) => name === "Drawn");
  expect(made?.connections).toContainEqual({ from: "condition_1", to: "log_1", branch: "false" });

  await expect(page, "saving stays on the builder").toHaveURL(
    new RegExp(`/workflows/builder\\?id=${made?.id}$`),
  );
  await node(page, "Note it").click();
  await page.keyboard.press("Delete");
  await expect(node(page, "Note it")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(node(page, "Note it")).toBeVisible();
  await page.getByRole("button", { name: "List" }).click();
  const last = page.getByRole("group", { name: "2. Note it" });
  await last.getByLabel("Message", { exact: true }).fill("Changed in the list");
  await last.getByRole("button", { name: "Move up Note it" }).click();
  await expect(page.getByRole("group", { name: "1. Note it" })).toBeFocused();
  await page.getByRole("button", { name: "Canvas" }).click();
  await expect(node(page, "Note it")).toBeVisible();
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow saved")).toBeVisible();
  const after = await (await server.ask(`/api/workflows/${made?.id}`, { as: "member" })).json();
  expect(after).toMatchObject({ steps: [{ config: { message: "Changed in the list" } }, {}], version: 2 });
});

test("a daily digest is built on the canvas with the keyboard alone", async ({ page, open, server }) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Digest by keyboard");
  const { keyboard } = page;
  const search = page.getByLabel("Search components");
  const form = (name: string) => page.getByRole("region", { name, exact: true });
  // From the search the next stop is the category, then the component; its form takes the focus, and Escape gives it back.
  const add = async (label: string) => {
    await search.focus();
    await keyboard.press("ControlOrMeta+a");
    await keyboard.type(label);
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await expect(palette(page, label)).toBeFocused();
    await keyboard.press("Enter");
    await expect(form(label).locator(":focus")).toBeVisible();
  };
  const leave = async (label: string) => {
    await keyboard.press("Escape");
    await expect(palette(page, label)).toBeFocused();
  };
  await add("Schedule Trigger");
  await expect(form("Schedule Trigger").getByLabel("Repeat")).toBeFocused();
  await expect(form("Schedule Trigger").getByLabel("Cron expression")).toHaveValue("0 9 * * *");
  await leave("Schedule Trigger");
  await add("Search Documents");
  await keyboard.type("decisions");
  await leave("Search Documents");
  await add("AI Chat");
  await form("AI Chat").getByLabel("Prompt", { exact: true }).focus();
  await keyboard.type("Sum up: {{ steps.s");
  await expect(page.getByRole("option", { name: /^steps\.search_documents_1\.text/ })).toBeVisible();
  await keyboard.press("Enter");
  await leave("AI Chat");
  await add("Send Email");
  await keyboard.type("team@example.com");
  // The next stop is the field's Insert data.
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await keyboard.type("Your digest");
  await leave("Send Email");
  // A refused save opens the step at the field that is missing.
  await page.getByRole("button", { name: "Save Workflow" }).press("Enter");
  await expect(form("Send Email").getByLabel("Body")).toBeFocused();
  await keyboard.type("{{ steps.ai_completion_1.text }}");
  await page.getByRole("button", { name: "Save Workflow" }).press("Enter");
  await expect(page.getByText("Workflow created successfully")).toBeVisible();
  const listed = (await (await server.ask("/api/workflows", { as: "member" })).json()) as {
    name: string;
    steps: { type: string; config: Record<string, unknown> }[];
  }[];
  const made = listed.find(({ name }) => name === "Digest by keyboard");
  expect(made?.steps.map(({ type }) => type)).toEqual(["search_documents", "ai_completion", "send_email"]);
  expect(made?.steps[1]?.config.prompt).toBe("Sum up: {{ steps.search_documents_1.text }}");

  // Put into service from its card.
  await open("/workflows");
  const card = page
    .getByRole("article")
    .or(page.getByRole("listitem"))
    .filter({ hasText: "Digest by keyboard" });
  const disable = page.getByRole("button", { name: "Disable Digest by keyboard" });
  const enable = page.getByRole("button", { name: "Enable Digest by keyboard" });
  await expect(card.first()).toContainText("Disabled");
  await enable.focus();
  await keyboard.press("Enter");
  await expect(disable).toBeFocused();
  await expect(card.first()).toContainText("Active");
});

/** A point of an element, in the window's pixels. */
async function middleOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} isn't shown`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
const pane = ".react-flow__pane";
const insert = (page: Page, from: string, to: string) =>
  page.getByRole("button", { name: `Insert between ${from} and ${to}`, exact: true });

test("the canvas fills the window, and what is dropped on it stays there or is inserted on its line", async ({
  page,
  open,
}) => {
  await open("/workflows/builder");
  const area = await page.locator(".react-flow").boundingBox();
  expect(((area?.width ?? 0) * (area?.height ?? 0)) / (1440 * 900)).toBeGreaterThanOrEqual(0.75);
  expect((area?.y ?? 0) + (area?.height ?? 0), "the window's end").toBe(900);

  const at = { x: 620, y: 200 };
  await palette(page, "Manual Trigger").dragTo(page.locator(pane), { targetPosition: at });
  await expect(node(page, "Manual Trigger")).toBeVisible();
  const middle = async () => {
    const { x, y } = await middleOf(page, "[data-id=manual_1]");
    return { x: x - (area?.x ?? 0), y: y - (area?.y ?? 0) };
  };
  const first = await middle();
  expect(
    Math.abs(first.x - at.x) + Math.abs(first.y - at.y),
    "the first node is where it was dropped",
  ).toBeLessThan(40);

  await palette(page, "Log Output").dragTo(page.locator(pane), { targetPosition: { x: 620, y: 480 } });
  await expect(insert(page, "Manual Trigger", "Log Output")).toBeVisible();
  expect(await middle()).toEqual(first);
  await expect(insert(page, "Manual Trigger", "Log Output")).toBeVisible();
  await palette(page, "Delay").dragTo(insert(page, "Manual Trigger", "Log Output"));
  await expect(insert(page, "Manual Trigger", "Delay")).toBeVisible();
  await insert(page, "Delay", "Log Output").click();
  await expect(page.getByText("Between Delay and Log Output")).toBeVisible();
  await page.getByLabel("Search components").fill("if condition");
  await palette(page, "If Condition").click();
  await page.getByRole("button", { name: "Add after If Condition (false)" }).click();
  await page.getByLabel("Search components").fill("send email");
  await palette(page, "Send Email").click();
  await expect(insert(page, "If Condition (false)", "Send Email")).toBeVisible();
  await expect(insert(page, "If Condition (true)", "Log Output")).toBeVisible();
  await expectAccessible(page);

  // After a press on the empty canvas too.
  await page.locator(pane).click({ position: { x: 780, y: 110 } });
  for (const [before, after] of [
    ["Send Email", "If Condition"],
    ["If Condition", "Delay"],
  ] as const) {
    await page.keyboard.press("ControlOrMeta+z");
    await expect(node(page, before)).toHaveCount(0);
    await expect(node(page, after)).toBeVisible();
  }
});

/** Once the canvas, which moves when a form beside it closes, has come to rest. */
async function steadyMiddleOf(page: Page, selector: string) {
  let last = await middleOf(page, selector);
  await expect
    .poll(async () => {
      const before = last;
      last = await middleOf(page, selector);
      return last.x === before.x && last.y === before.y;
    })
    .toBe(true);
  return last;
}

test("lines that would close a cycle are refused, and one drawn back reorders the list", async ({
  page,
  open,
}) => {
  await open("/workflows/builder");
  for (const label of ["Manual Trigger", "Log Output", "Delay"]) await add(page, label);
  await page.keyboard.press("Escape");
  const draw = async (from: string, to: string) => {
    const start = await steadyMiddleOf(page, `[data-id=${from}] .react-flow__handle.source`);
    const end = await steadyMiddleOf(page, `[data-id=${to}] .react-flow__handle.target`);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(end.x, end.y, { steps: 5 });
    await page.mouse.up();
  };
  // Lines are there once the nodes are measured.
  await expect(insert(page, "Log Output", "Delay")).toBeVisible();
  await draw("delay_1", "log_1");
  await expect(insert(page, "Manual Trigger", "Delay")).toBeVisible();
  await expect(insert(page, "Delay", "Log Output")).toBeVisible();
  await expect(insert(page, "Log Output", "Delay")).toHaveCount(0);
  await draw("log_1", "delay_1");
  await expect(page.getByText(/^The steps form a cycle: .* → .*\./)).toBeVisible();
  await expect(insert(page, "Log Output", "Delay")).toHaveCount(0);
});

test("nodes are selected, copied, pasted and deleted together, and the wheel moves the canvas", async ({
  page,
  open,
}) => {
  await open("/workflows/builder?template=nine-oclock-digest");
  const nodes = page.locator(".react-flow__node");
  const selected = page.locator(".react-flow__node.selected");
  await expect(nodes.first()).toBeVisible();
  const count = await nodes.count();
  await page.locator(pane).click({ position: { x: 1000, y: 150 } });
  // A box around the first two.
  const ids = await nodes.evaluateAll((all) => all.map((one) => one.getAttribute("data-id")));
  const boxes = await Promise.all(
    ids.slice(0, 2).map((id) => page.locator(`.react-flow__node[data-id=${id}]`).boundingBox()),
  );
  const edges = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  await page.keyboard.down("Shift");
  await page.mouse.move(Math.min(...edges.map(({ x }) => x)) - 12, Math.min(...edges.map(({ y }) => y)) - 12);
  await page.mouse.down();
  await page.mouse.move(
    Math.max(...edges.map(({ x, width }) => x + width)) + 12,
    Math.max(...edges.map(({ y, height }) => y + height)) + 12,
    { steps: 4 },
  );
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(selected).toHaveCount(2);
  await page.keyboard.press("ControlOrMeta+a");
  await expect(selected).toHaveCount(count);
  await page.keyboard.press("ControlOrMeta+c");
  await page.keyboard.press("ControlOrMeta+v");
  await expect(nodes).toHaveCount(2 * count);
  await expect(selected).toHaveCount(count);
  await page.keyboard.press("Delete");
  await expect(nodes).toHaveCount(count);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ControlOrMeta+d");
  await expect(nodes).toHaveCount(2 * count);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(nodes).toHaveCount(count);

  const viewport = () =>
    page
      .locator(".react-flow__viewport")
      .evaluate((element) => new DOMMatrix(getComputedStyle(element).transform));
  const before = await viewport();
  const { x, y } = await middleOf(page, pane);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 120);
  await expect.poll(async () => (await viewport()).f).toBeLessThan(before.f);
  expect((await viewport()).a, "the wheel alone doesn't zoom").toBe(before.a);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 120);
  await page.keyboard.up("Control");
  await expect.poll(async () => (await viewport()).a).toBeLessThan(before.a);
});

test("Run saves what was built and draws the run on it", async ({ page, open }) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Run here");
  await add(page, "Manual Trigger");
  await add(page, "Log Output");
  const message = page
    .getByRole("region", { name: "Log Output", exact: true })
    .getByLabel("Message", { exact: true });
  await message.fill("Hello");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const strip = page.getByRole("region", { name: "Run" });
  await expect(strip.getByRole("status")).toContainText("Succeeded");
  await expect(node(page, "Log Output")).toContainText("Succeeded");
  await expect(node(page, "Manual Trigger")).toContainText("Started the run");
  await expectAccessible(page);
  // What was typed before it was saved can still be undone.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(message).toHaveValue("");
  await page.getByRole("button", { name: "Redo" }).click();
  await page.getByRole("button", { name: "List" }).click();
  await expect(page.getByRole("group", { name: "1. Log Output" })).toContainText("Succeeded");
  await strip.getByRole("link", { name: "Hide this run" }).click();
  await expect(strip).toHaveCount(0);
});

test("a run is drawn although a check of what was typed ends in the middle", async ({ page, open }) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Run while checked");
  await add(page, "Manual Trigger");
  await add(page, "Log Output");
  // The check is answered once the run's page is asked for. What is loaded after the check arrives first, and the router
  // takes it for that page.
  const isCheck = (request: Request) => request.postData()?.includes("intent=check") ?? false;
  const isOfRun = (request: Request) => request.method() === "GET" && request.url().includes("run=");
  const asked = page.waitForRequest(isOfRun);
  const followed = asked.then((first) =>
    page.waitForEvent("requestfinished", (request) => isOfRun(request) && request !== first),
  );
  await page.route("**/workflows/builder.data*", async (route) => {
    const request = route.request();
    if (isCheck(request)) await asked;
    else if (request === (await Promise.race([asked, undefined]))) await followed;
    // The router ends the first one.
    await route.continue().catch(() => undefined);
  });
  const checked = page.waitForRequest(isCheck);
  await page
    .getByRole("region", { name: "Log Output", exact: true })
    .getByLabel("Message", { exact: true })
    .fill("Hello");
  await checked;
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Run" }).getByRole("status")).toBeVisible();
  await expect(page.getByText("Unsaved changes")).toHaveCount(0);
});

test("a step is tested with sample input", async ({ page, open }) => {
  await open("/workflows/builder?view=list");
  await page.getByLabel("New step").selectOption({ label: "Log Output" });
  await page.getByRole("button", { name: "Add Step" }).click();
  await page
    .getByRole("group", { name: "1. Log Output" })
    .getByLabel("Message")
    .fill("Hello {{ trigger.name }}");
  await page.getByText("Try a step").click();
  await page.getByLabel("Trigger data").fill('{"name": "Ada"}');
  await page.getByRole("button", { name: "Try Step" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.getByText("Succeeded")).toBeVisible();
  await expect(result.getByRole("list", { name: "Log" })).toContainText("Hello Ada");
  await expect(page.getByLabel("Trigger data")).toHaveValue('{"name": "Ada"}');
  await expectAccessible(page);
});

/** In the page: whether a text was ever shown. */
const WATCH = `new MutationObserver(() => {
  if (document.body.innerText.includes("Enter a message")) window.__wasShown = true;
}).observe(document.body, { subtree: true, childList: true, characterData: true });`;
/** In the page: two frames. */
const DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

test("a check's problems are about the present draft, and move nothing under a press", async ({
  page,
  open,
}) => {
  await open("/workflows/builder?view=list");
  await page.evaluate(WATCH);
  const isCheck = (url: URL) => url.pathname === "/workflows/builder.data";
  const nextCheck = () => page.waitForResponse((response) => isCheck(new URL(response.url())));
  const first = await hold(page, isCheck, "POST");
  await page.getByLabel("New step").selectOption({ label: "Log Output" });
  const added = page.waitForRequest((request) => isCheck(new URL(request.url())));
  await page.getByRole("button", { name: "Add Step" }).click();
  await added;
  const message = page.getByRole("group", { name: "1. Log Output" }).getByLabel("Message");
  await message.fill("Typed while the check is on its way");
  const answered = nextCheck();
  first.release();
  await answered;
  const again = nextCheck();
  await page.getByLabel("Workflow name").fill("Checked");
  await again;

  // Before the pause in typing after which it is checked.
  const second = await hold(page, isCheck, "POST");
  await message.fill("");
  expect(await page.evaluate("window.__wasShown")).toBeUndefined();
  await page.getByText("Try a step").hover();
  await page.mouse.down();
  const late = nextCheck();
  second.release();
  await (await late).finished();
  await page.evaluate(DRAWN);
  await page.mouse.up();
  await expect(page.getByLabel("Trigger data")).toBeVisible();
  await expect(page.getByText("Enter a message")).toBeVisible();
});

test("leaving a changed workflow asks", async ({ page, open }) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Half done");
  const leave = page.getByRole("navigation").getByRole("link", { name: "Personas", exact: true });
  await leave.click();
  const question = page.getByRole("alertdialog", { name: "Discard your changes to this workflow?" });
  await expect(question.getByRole("button", { name: "Keep Editing" })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Workflow name")).toHaveValue("Half done");
  await leave.click();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(page).toHaveURL(/\/personas$/);
});

test("earlier outputs are inserted with their values, and a tool has a form", async ({
  page,
  open,
  server,
}) => {
  const made = await server.ask("/api/workflows", {
    as: "member",
    json: {
      name: "Inserted",
      triggers: [{ type: "manual" }],
      steps: [
        {
          id: "first",
          type: "return",
          config: { value: "{{ {'city': 'Graz'} }}" },
          options: { onError: "continue" },
        },
        { id: "fetch", type: "run_tool", config: { tool: "web.fetch", input: {} } },
        { id: "say", type: "log", config: { level: "info", message: "Hello " } },
      ],
    },
  });
  const { id } = (await made.json()) as { id: string };
  await server.ask(`/api/workflows/run/${id}`, { as: "member", method: "POST" });
  await expect
    .poll(async () => {
      const runs = (await (await server.ask(`/api/runs?workflow=${id}`, { as: "member" })).json()) as {
        state: string;
      }[];
      return runs[0]?.state;
    })
    .toBe("succeeded");

  await open(`/workflows/builder?id=${id}&view=list`);
  const log = page.getByRole("group", { name: "3. Log Output" });
  await log.getByRole("button", { name: "Insert data" }).click();
  const panel = page.getByRole("dialog", { name: "Insert data" });
  await expect(panel.getByRole("button", { name: /^steps\.first\.city Graz/ })).toBeVisible();
  await expectAccessible(page);
  await panel.getByRole("searchbox").fill("city");
  await page.keyboard.press("Enter");
  const message = log.getByLabel("Message", { exact: true });
  await expect(message).toHaveValue("Hello {{ steps.first.city }}");
  await expect(message).toBeFocused();
  // An error is marked while one types.
  await message.pressSequentially(" {{ steps.nobody }}");
  await expect(message).toHaveAccessibleDescription(/Step "nobody" doesn't exist/);
  await message.fill("Hello {{ steps.first.city }}");

  const tool = page.getByRole("group", { name: "2. Run Tool" });
  await tool.getByLabel("URL").fill("https://example.com/{{ steps.first.city }}");
  await page.getByText("Try a step").click();
  await page.getByLabel("Step to try").selectOption("say");
  await page.getByRole("button", { name: "Try Step" }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText("Hello Graz");
  // A pinned output takes the place of its step.
  await page.getByLabel("Step to try").selectOption("first");
  await page.getByRole("button", { name: "Pin Last Output" }).click();
  await expect(page.getByRole("button", { name: "Unpin Output" })).toBeVisible();
  await expect(message).toHaveValue("Hello {{ steps.first.city }}");
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow saved")).toBeVisible();
  const saved = await (await server.ask(`/api/workflows/${id}`, { as: "member" })).json();
  expect(saved).toMatchObject({
    steps: [{}, { config: { input: { url: "https://example.com/{{ steps.first.city }}" } } }, {}],
  });
});
