import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type FeatureFacts, fillSentence } from "./facts.shared";
import { auditSentences, permissions, topics } from "./index.schema";
import { screens } from "./screens.schema";

const folders = readdirSync("app/features").filter((folder) =>
  existsSync(`app/features/${folder}/feature.schema.ts`),
);

async function readFactsOf(folder: string): Promise<FeatureFacts> {
  const module: { feature: FeatureFacts } = await import(`./${folder}/feature.schema.ts`);
  return module.feature;
}

/** The facts of every folder that has some, whether the index lists them or not. */
const readFacts = () => Promise.all(folders.map(readFactsOf));

describe("the facts of the features", () => {
  it.each(folders)("%s is listed in index.schema.ts", async (folder) => {
    const facts = await readFactsOf(folder);
    const missing = Object.entries({ permissions, audit: auditSentences, topics }).flatMap(([part, index]) =>
      Object.keys(facts[part as keyof FeatureFacts] ?? {}).filter((name) => !(name in index)),
    );
    expect(missing, `Add "${folder}" to app/features/index.schema.ts`).toEqual([]);
  });

  it("name no permission, action or topic twice", async () => {
    const names = (await readFacts()).flatMap(({ permissions = {}, audit = {}, topics = {} }) =>
      [permissions, audit, topics].flatMap((part, index) =>
        Object.keys(part).map((name) => `${index} ${name}`),
      ),
    );
    expect(names).toEqual([...new Set(names)]);
  });

  it("give every audit action a sentence whose details can be filled in", () => {
    for (const [action, sentence] of Object.entries(auditSentences)) {
      const details = new Proxy({}, { get: () => "x" });
      expect([action, fillSentence(sentence, details)]).toEqual([
        action,
        expect.stringMatching(/^[A-Z][^{}]+$/),
      ]);
    }
  });

  it("ask for a permission that exists on every topic", () => {
    for (const permission of Object.values(topics)) expect(permissions).toHaveProperty([permission]);
  });

  it("give no number key and no place in the navigation to two screens", () => {
    const keys = screens.flatMap((screen) => ("key" in screen ? [screen.key] : []));
    const sides = screens.flatMap((screen) => ("side" in screen ? [screen.side] : []));
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(sides).size).toBe(sides.length);
  });
});
