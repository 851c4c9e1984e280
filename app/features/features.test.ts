import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type FeatureFacts, fillSentence } from "./facts.schema";
import { auditSentences, permissions, topics } from "./index.schema";
import { screens } from "./screens.schema";

/** The facts of every folder that has some, whether the index lists them or not. */
async function readFacts(): Promise<FeatureFacts[]> {
  const folders = readdirSync("app/features").filter((folder) =>
    existsSync(`app/features/${folder}/feature.schema.ts`),
  );
  return Promise.all(
    folders.map(async (folder) => {
      const module: { feature: FeatureFacts } = await import(`./${folder}/feature.schema.ts`);
      return module.feature;
    }),
  );
}

describe("the facts of the features", () => {
  it("are all in the index", async () => {
    for (const feature of await readFacts()) {
      expect(permissions).toMatchObject(feature.permissions ?? {});
      expect(auditSentences).toMatchObject(feature.audit ?? {});
      expect(topics).toMatchObject(feature.topics ?? {});
    }
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
    const keys = screens.map(({ key }) => key);
    const sides = screens.flatMap((screen) => ("side" in screen ? [screen.side] : []));
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(sides).size).toBe(sides.length);
  });
});
