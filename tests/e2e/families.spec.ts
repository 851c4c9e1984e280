import { readdirSync } from "node:fs";
import type { Page } from "@playwright/test";
import { z } from "zod";
import { test as base, expect, openSettings } from "../support/fixtures";
import { type Gateway, openGateway } from "../support/gateway";
import { type Answer, type MockServer, startMockServer } from "../support/mock-server";
import { playReplay, type Replay, readReplay } from "../support/replay";

/**
 * Whole journeys, one for each family of providers, whose requests are checked as strictly as its server does. The server
 * makes the same parts of all: `npm run test:providers` walks each, `npm test` one that signs its thoughts and one that doesn't.
 */
const FOLDER = "tests/fixtures/streams/replays";
const SHORT = ["anthropic", "deepseek"];
const JOURNEY = /^journey-(.+)\.replay$/;
const journeys = readdirSync(FOLDER).flatMap((file) => {
  const [, family] = JOURNEY.exec(file) ?? [];
  return family && (process.env.PROVIDER_MATRIX === "all" || SHORT.includes(family))
    ? [{ family, replay: readReplay(`${FOLDER}/${file}`) }]
    : [];
});

/** Addresses at which the protocols generate; these servers answer no other call of the console. */
const ASKS = /\/(?:chat\/completions|responses|messages)$|:streamGenerateContent/;

interface Families extends MockServer {
  answers: Map<string, Answer>;
}

/** A console with a provider for each family, at a server that answers under the family's name. */
const test = base.extend<object, { families: Families; gateway: Gateway }>({
  families: [
    async ({ playwright: _ }, use) => {
      const answers = new Map<string, Answer>();
      const server = await startMockServer((request, response) => {
        const [path = ""] = request.url?.split("?") ?? [];
        const answer = ASKS.test(path) ? answers.get(path.split("/")[1] ?? "") : undefined;
        return answer ? answer(request, response) : response.writeHead(404).end();
      });
      await use({ ...server, answers });
      await server.close();
    },
    { scope: "worker" },
  ],
  gateway: [
    async ({ families }, use) => {
      const gateway = await openGateway();
      for (const { family, replay } of journeys)
        for (const { type, model, config } of replay.providers)
          await gateway.addProvider({
            provider: type,
            displayName: family,
            baseUrl: `${families.origin}/${family}${type === "local-ollama" ? "" : "/v1"}`,
            models: [model],
            key: type !== "custom" && type !== "local-ollama",
            ...(config.api === "chat" || config.api === "responses" ? { api: config.api } : {}),
          });
      await use(gateway);
      await gateway.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  server: async ({ gateway }, use) => use(gateway.server),
});

test.use({ role: "member" });

const Part = z.object({ type: z.string(), text: z.string().default(""), toolName: z.string().default("") });
const Stored = z.object({ parts: z.array(Part) });

/** What the page shows of the stored answer that a replay expects: the model's steps in their order. */
function shownParts({ steps }: Replay) {
  const expected = steps.findLast((step) => step.kind === "answer");
  const { parts } = Stored.parse(expected?.expected);
  const textsOf = (type: string) => parts.filter((part) => part.type === type).map(({ text }) => text);
  const tools = parts.filter(({ type }) => type === "tool").map(({ toolName }) => toolName);
  return { thoughts: textsOf("reasoning"), tools, texts: textsOf("text") };
}

async function expectAnswer(page: Page, replay: Replay) {
  const { thoughts, tools, texts } = shownParts(replay);
  const answer = page.getByRole("article", { name: "Assistant" });
  for (const text of texts) await expect(answer.getByText(text, { exact: true })).toBeVisible();
  await expect(answer.getByTitle("Duration")).toBeVisible();
  const calls = answer.locator("[data-tool-call] summary");
  await expect(calls).toHaveText(
    tools.map((name) => new RegExp(`^${name.replaceAll(".", "\\.")}(?:· .+)?done$`)),
  );
  await expect(answer.locator("summary", { hasText: /^(?:Thought for|Reasoning)/ })).toHaveCount(
    thoughts.length,
  );
  for (const text of thoughts) await expect(answer.getByText(text, { exact: true })).toBeHidden();
}

for (const { family, replay } of journeys)
  test(`${family}: calls a tool, then another, and answers, with its thoughts folded`, {
    tag: "@no-javascript",
  }, async ({ page, open, families }) => {
    const { found, answer } = playReplay(replay, Number.POSITIVE_INFINITY);
    families.answers.set(family, answer);
    await open("/chat");
    await openSettings(page);
    const picker = page.getByRole("combobox", { name: "Model", exact: true }).last();
    const model = await picker.locator(`optgroup[label="${family}"] option`).getAttribute("value");
    await picker.selectOption(model);
    for (const name of shownParts(replay).tools) await page.getByRole("checkbox", { name }).check();
    for (const step of replay.steps) {
      if (step.kind === "effort") await page.getByLabel("Effort").selectOption(step.effort);
      if (step.kind === "ask") await page.getByRole("textbox", { name: "Message" }).fill(step.text);
    }
    await page.getByRole("button", { name: "Send" }).click();
    await expectAnswer(page, replay);
    await expect(page).toHaveURL(/\/chat\/con_/);
    // Without script an answer is streamed beside its conversation's page.
    await open(page.url().replace(/\/live$/, ""));
    await expectAnswer(page, replay);
    expect(found).toEqual([]);
  });
