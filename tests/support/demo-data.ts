import { setTimeout } from "node:timers/promises";
import { AIMOCK_MODEL } from "./aimock";
import type { TestServer } from "./server";

const LONG_NAME =
  "Donaudampfschifffahrtsgesellschaftskapitänsmützenbeauftragte for the Northern Region and Overseas";

async function post(server: TestServer, path: string, json: unknown): Promise<void> {
  const response = await server.ask(path, { as: "owner", json });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
}

const persona = (name: string, systemPrompt: string, mode = "research") => ({
  name,
  systemPrompt,
  defaultModel: "gpt-4o",
  mode,
  tools: ["web.fetch", "kv.get"],
});

const ask = (content: string, model: string) => ({ messages: [{ role: "user", content }], model });

/** Compares, and waits until every answer is there. */
async function compare(server: TestServer, prompt: string, models: readonly string[]): Promise<void> {
  await post(server, "/api/ai/comparisons", { prompt, models });
  const list = async () =>
    (await (await server.ask("/api/ai/comparisons?limit=1", { as: "owner" })).json()) as {
      running: boolean;
    }[];
  while ((await list())[0]?.running) await setTimeout(100);
}

/** What a team has after some days: a provider, a key, some personas and conversations. */
export async function addUsual(server: TestServer, modelServer: string): Promise<void> {
  const provider = {
    provider: "custom",
    enabled: true,
    config: { baseUrl: modelServer, models: [AIMOCK_MODEL] },
  };
  await post(server, "/api/providers", { ...provider, displayName: "Team server" });
  await post(server, "/api/keys", { provider: "openai", alias: "OPENAI_API_KEY" });
  await post(
    server,
    "/api/personas",
    persona("Research assistant", "Answer with sources, and say what you don't know."),
  );
  await post(
    server,
    "/api/personas",
    persona("Operations", "You help the people on call. Be brief.", "operations"),
  );
  await post(
    server,
    "/api/personas",
    persona("Reviewer", "Read the change and name its risks.", "development"),
  );
  await post(server, "/api/ai/chat", ask("kv.set greeting hello", "quarterdeck-offline"));
  await post(server, "/api/ai/chat", ask("Show me a table", AIMOCK_MODEL));
  await compare(server, "Show me a table", [AIMOCK_MODEL, "quarterdeck-offline"]);
  await post(server, "/api/members", { email: "new.colleague@example.org", role: "member" });
}

/** More than anybody has, with names as long as they may be. */
export async function addCrowd(server: TestServer, modelServer: string): Promise<void> {
  for (let n = 0; n < 12; n++) {
    await post(server, "/api/providers", {
      provider: "custom",
      displayName: `${LONG_NAME} ${n}`.slice(-100),
      enabled: n % 3 > 0,
      config: { baseUrl: modelServer, models: [`${AIMOCK_MODEL}-with-a-name-that-never-seems-to-end-${n}`] },
    });
  }
  for (let n = 0; n < 60; n++) {
    const name = n % 4 === 0 ? `${LONG_NAME} ${n}`.slice(-80) : `Persona ${n}`;
    await post(server, "/api/personas", persona(name, `${LONG_NAME}. `.repeat((n % 5) + 1)));
  }
  for (let n = 0; n < 25; n++) {
    await post(server, "/api/ai/chat", ask(`Question ${n}: ${LONG_NAME}`, "quarterdeck-offline"));
    await post(server, "/api/members", {
      email: `person.${n}@a-rather-long-department.example.org`,
      role: "viewer",
    });
  }
  for (let n = 0; n < 15; n++) {
    await compare(server, `Please greet ${n}: ${LONG_NAME}`, [AIMOCK_MODEL, "quarterdeck-offline"]);
  }
  const long = [1, 2].map((n) => `${AIMOCK_MODEL}-with-a-name-that-never-seems-to-end-${n}`);
  const models = [AIMOCK_MODEL, ...long, "quarterdeck-offline"];
  await compare(server, `Please make it long. ${`${LONG_NAME}. `.repeat(40)}`, models);
}
