import type { LLMock } from "@copilotkit/aimock";
import type { Page } from "@playwright/test";
import type { Role } from "~/core/actor";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, expectAccessible, expectToFit, IS_FULL, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

// States that screens.spec.ts doesn't show and no journey asks axe about, for `npm run test:axe`.

interface Around {
  page: Page;
  open: (path: string) => Promise<void>;
  server: TestServer;
  hubs: { page: string };
}

interface State {
  name: string;
  role?: Role;
  /** Shows it, and sees that it shows. */
  show(around: Around): Promise<void>;
}

const AWAY_MODEL = "llama-3.3-70b";
const TEXT = "The office opens at eight. Everyone has thirty days of holidays a year.";

async function send(server: TestServer, path: string, json: unknown, options: object = {}) {
  const response = await server.ask(path, { as: "owner", json, ...options });
  const text = await response.text();
  expect(response.status, `${path}: ${text.slice(0, 300)}`).toBeLessThan(300);
  return { text, headers: response.headers };
}

const list = async <T>(server: TestServer, path: string) =>
  (await (await server.ask(path, { as: "owner" })).json()) as T[];

async function upload(server: TestServer, name: string, content: BlobPart): Promise<string> {
  const body = new FormData();
  body.append("files", new File([content], name));
  await send(server, "/api/rag/upload", undefined, { body, headers: { accept: "application/json" } });
  const find = () => list<{ id: string; status: string }>(server, `/api/rag/documents?search=${name}`);
  const areReady = (documents: { status: string }[]) =>
    documents.length > 0 && documents.every(({ status }) => status === "ready");
  await expect.poll(async () => areReady(await find())).toBe(true);
  return (await find()).at(0)?.id ?? "";
}

async function ask(server: TestServer, content: string, model: string, tools: string[] = []) {
  const json = { messages: [{ role: "user", content }], model, tools };
  const { headers } = await send(server, "/api/ai/chat", json);
  return headers.get("x-conversation-id") ?? "";
}

async function addProviders(server: TestServer, modelServer: string): Promise<void> {
  const add = (displayName: string, baseUrl: string, models: string[]) =>
    send(server, "/api/providers", { provider: "custom", displayName, config: { baseUrl, models } });
  await add("Away", "http://127.0.0.1:9/v1", [AWAY_MODEL]);
  await add("Team server", modelServer, [AIMOCK_MODEL, "text-embedding-3-small"]);
  const providers = await list<{ id: string; displayName: string }>(server, "/api/providers");
  const target = (name: string, model: string) => ({
    providerId: providers.find(({ displayName }) => displayName === name)?.id,
    model,
  });
  const targets = [target("Away", AWAY_MODEL), target("Team server", AIMOCK_MODEL)];
  const routing = { policy: "priority", fallbacks: [AIMOCK_MODEL], targets };
  await send(server, "/api/models", { id: "team-best", name: "Team best", routing });
}

const dialog = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).last().click();

const EMPTY: State[] = [
  {
    name: "no documents, for a viewer",
    role: "viewer",
    async show({ page, open }) {
      await open("/rag");
      await expect(page.getByText(/No documents/).first()).toBeVisible();
    },
  },
  {
    name: "a sign-in that the provider declined",
    async show({ page, open }) {
      await page.context().clearCookies();
      await open("/login?error=declined");
      await expect(page.getByText("The provider declined the sign-in.")).toBeVisible();
    },
  },
];

const FILLED: State[] = [
  {
    name: "the offer of an embedding model",
    async show({ page, open }) {
      await open("/rag?panel=settings");
      await expect(page.getByRole("button", { name: "Not Now" })).toBeVisible();
    },
  },
  {
    name: "what a rebuild costs, and what comes after it",
    async show({ page, open, server }) {
      await send(server, "/api/user/settings", { ragVectorMode: "off" }, { method: "PUT" });
      await open("/rag?panel=settings&dialog=rebuild");
      await expect(page.getByRole("heading", { name: /Rebuild/ }).last()).toBeVisible();
      // The change back is shown at once.
      await expectAccessible(page);
      await send(server, "/api/user/settings", { ragVectorMode: "sqlite" }, { method: "PUT" });
    },
  },
  {
    name: "an address that can't be ingested",
    async show({ page, open }) {
      await open("/rag?dialog=ingest&tab=url");
      await dialog(page)
        .getByRole("textbox", { name: /URL/ })
        .first()
        .fill("http://169.254.169.254/latest/meta-data");
      await press(page, /^Ingest URL/);
      await expect(dialog(page).getByRole("alert").first()).toBeVisible();
    },
  },
  {
    name: "a file whose name an older document has, in the list and on its page",
    async show({ page, open, server }) {
      await upload(server, "rota.md", `${TEXT} First.`);
      await upload(server, "rota.md", `${TEXT} Second.`);
      await open("/rag?find=rota");
      await expect(page.getByRole("button", { name: /New Version/ }).first()).toBeVisible();
      await expectAccessible(page);
      const documents = await list<{ id: string; sameNameAs?: unknown }>(
        server,
        "/api/rag/documents?search=rota",
      );
      await open(`/rag/${documents.find(({ sameNameAs }) => sameNameAs)?.id}`);
      await expect(page.getByRole("button", { name: /Keep Both/ }).first()).toBeVisible();
    },
  },
  {
    name: "a guessed encoding, and the choice of another",
    async show({ page, open, server }) {
      const text = "Die Öffnungszeiten der Küche ändern sich über Weihnachten. Grüße aus München. ".repeat(
        20,
      );
      const id = await upload(server, "kitchen.txt", Buffer.from(text, "latin1"));
      await open(`/rag/${id}?tab=details`);
      await expect(page.getByText(/Encoding/).first()).toBeVisible();
      await expectAccessible(page);
      await open(`/rag/${id}?tab=details&dialog=encoding`);
      await expect(page.getByRole("heading", { name: /encoding/i }).last()).toBeVisible();
    },
  },
  {
    name: "an older version of a document",
    async show({ page, open, server }) {
      const { text } = await send(server, "/api/rag/ingest", { title: "Hours", text: `${TEXT} Older.` });
      const { id } = JSON.parse(text) as { id: string };
      await send(server, `/api/rag/documents/${id}/versions`, { text: `${TEXT} Newer.` });
      const versions = () => list<{ state: string }>(server, `/api/rag/documents/${id}/versions`);
      const states = async () => (await versions()).map(({ state }) => state).sort();
      await expect.poll(states).toEqual(["replaced", "served"]);
      await open(`/rag/${id}?version=1&from=0&to=26`);
      await expect(page.getByText("This is version 1. The current version is 2.")).toBeVisible();
    },
  },
  {
    name: "the retrieval check, for a viewer",
    role: "viewer",
    async show({ page, open }) {
      await open("/rag/check");
      await expect(page.getByRole("heading", { level: 1 })).toContainText("Retrieval Check");
    },
  },
  {
    name: "an answer's attempts, and the provider that failed",
    async show({ page, open, server }) {
      const id = await ask(server, "greet the team", "team-best");
      await open(`/chat/${id}`);
      await page.locator("summary", { hasText: "Routing details" }).first().click();
      await expect(page.getByRole("list", { name: "Attempts" })).toBeVisible();
      await expectAccessible(page);
      await open("/settings/providers");
      await expect(page.getByText(/Last failure/).first()).toBeVisible();
    },
  },
  {
    name: "an answer's rating with a comment, which can be removed",
    async show({ page, open, server }) {
      const id = await ask(server, "greet the team", AIMOCK_MODEL);
      const messages = await list<{ id: string; role: string }>(
        server,
        `/api/ai/conversations/${id}/messages`,
      );
      const messageId = messages.find(({ role }) => role === "assistant")?.id;
      const rating = { messageId, rating: "down", comment: "Too short." };
      await send(server, `/api/ai/conversations/${id}/feedback`, rating, { method: "PUT" });
      await open(`/chat/${id}?panel=comment&of=${messageId}`);
      await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("Too short.");
      await expect(page.getByRole("button", { name: /Remove/ }).first()).toBeVisible();
    },
  },
  {
    name: "a fetched page with its quote",
    async show({ page, open, server, hubs }) {
      const id = await ask(server, `web.fetch ${hubs.page}`, "quarterdeck-offline", ["web.fetch"]);
      await open(`/chat/${id}`);
      await page.locator("summary", { hasText: "web.fetch" }).first().click();
      const read = page.getByRole("link", { name: "Pager handbook" }).first();
      await expect(read).toBeVisible();
      await expectAccessible(page);
      await open((await read.getAttribute("href")) ?? "");
      await expect(page.getByText("At night the pager is answered").first()).toBeVisible();
    },
  },
  {
    name: "a comparison with a failed column, and the dialog that deletes it",
    async show({ page, open, server }) {
      const models = [AIMOCK_MODEL, AWAY_MODEL];
      await send(server, "/api/ai/comparisons", { prompt: "greet me", models });
      const newest = async () =>
        (await list<{ id: string; running: boolean }>(server, "/api/ai/comparisons?limit=1"))[0];
      await expect.poll(async () => (await newest())?.running, { timeout: 30_000 }).toBe(false);
      const { id } = (await newest()) ?? {};
      await open(`/compare/${id}`);
      await expect(page.getByText(/Failed/).first()).toBeVisible();
      await expectAccessible(page);
      await open(`/compare/${id}?dialog=delete`);
      await expect(page.getByRole("alertdialog").first()).toBeVisible();
    },
  },
  {
    name: "a budget that blocks",
    async show({ page, open }) {
      await open("/usage/budgets");
      await expect(page.getByText("Blocked").first()).toBeVisible();
    },
  },
  {
    name: "an answer and a comparison that a budget refuses",
    role: "member",
    async show({ page, open }) {
      await open(`/chat?model=${AIMOCK_MODEL}`);
      await page.getByRole("textbox", { name: "Message" }).fill("greet me");
      await press(page, "Send");
      await expect(page.getByText(/budget/i).last()).toBeVisible();
      await expectAccessible(page);
      await open("/compare");
      await page.getByRole("textbox", { name: "Prompt" }).fill("greet me");
      await page.getByLabel("Model 1").selectOption(AIMOCK_MODEL);
      await page.getByLabel("Model 2").selectOption("team-best");
      await page.getByRole("button", { name: "Compare", exact: true }).click();
      await expect(page.getByText(/budget/i).last()).toBeVisible();
    },
  },
  {
    name: "a model's dialog with errors",
    async show({ page, open }) {
      await open("/settings/providers/models?dialog=add-model");
      await press(page, "Add Model");
      await expect(dialog(page).locator("[aria-invalid=true]").first()).toBeVisible();
    },
  },
  {
    name: "a group's dialog with errors",
    async show({ page, open }) {
      await open("/settings/members?dialog=group");
      await press(page, /Group$/);
      await expect(dialog(page).locator("[aria-invalid=true]").first()).toBeVisible();
    },
  },
  {
    name: "a suspended member",
    async show({ page, open, server }) {
      await send(server, "/api/members/usr_viewer/suspend", undefined, { method: "POST" });
      await open("/settings/members");
      await expect(page.getByText("Suspended").first()).toBeVisible();
      await expectAccessible(page);
      await send(server, "/api/members/usr_viewer/resume", undefined, { method: "POST" });
    },
  },
  {
    name: "a kind of models that has none",
    async show({ page, open }) {
      await open("/settings/providers/catalogue?search=nothing-has-this");
      await expect(page.getByText("No models found").first()).toBeVisible();
    },
  },
];

if (IS_FULL)
  test.describe("axe finds nothing on", () => {
    test.use({ serverOf: "states" });
    let mock: LLMock;
    test.beforeAll(async ({ servers }) => {
      mock = await startAimock({ embeds: true });
      await servers.of("states");
    });
    test.afterAll(() => mock.stop());

    for (const [states, isEmpty] of [
      [EMPTY, true],
      [FILLED, false],
    ] as const)
      test.describe(isEmpty ? "an empty server" : "a filled one", () => {
        if (!isEmpty)
          test.beforeAll(async ({ servers }) => {
            const server = await servers.of("states");
            await addProviders(server, `${mock.url}/v1`);
            const limit = { unit: "money", limit: 0, period: "day", warnAt: null };
            await send(server, "/api/budgets", { target: "person:usr_member", ...limit });
            await upload(server, "handbook.md", `# Handbook\n\n${TEXT}`);
          });
        for (const { name, role = "owner", show } of states)
          test.describe(name, () => {
            test.use({ role });
            test("with and without script", { tag: "@no-javascript" }, async ({
              page,
              open,
              server,
              hubs,
            }) => {
              test.slow();
              await show({ page, open, server, hubs });
              await expectAccessible(page);
              await expectToFit(page);
            });
          });
      });
  });
