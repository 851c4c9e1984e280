import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const FOLDER = "build/client/assets";
/** Dynamic imports have a parenthesis. */
const STATIC_IMPORT = /\b(?:from|import)\s*"\.\/([^"]+\.js)"/g;

/** The first cycle as its chunks in order, or undefined. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const finished = new Set<string>();
  const visit = (chunk: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(chunk)) return [...path.slice(path.indexOf(chunk)), chunk];
    if (finished.has(chunk)) return undefined;
    for (const imported of imports.get(chunk) ?? []) {
      const cycle = visit(imported, [...path, chunk]);
      if (cycle) return cycle;
    }
    finished.add(chunk);
    return undefined;
  };
  for (const chunk of imports.keys()) {
    const cycle = visit(chunk, []);
    if (cycle) return cycle;
  }
  return undefined;
}

// A chunk in a cycle may run before the one it imports: "Cannot access before initialization".
it("built chunks import each other without a cycle", () => {
  const imports = new Map(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith(".js"))
      .map((name) => {
        const code = readFileSync(join(FOLDER, name), "utf8");
        return [name, [...code.matchAll(STATIC_IMPORT)].map(([, imported = ""]) => imported)] as const;
      }),
  );
  // Every screen needs the framework.
  expect([...imports.values()].filter((list) => list.length > 0).length).toBeGreaterThan(50);
  expect(findCycle(imports)).toBeUndefined();
});

it("a cycle of chunks is found behind chunks without one", () => {
  const imports = new Map([
    ["page.js", ["framework.js", "ui.js"]],
    ["framework.js", []],
    ["ui.js", ["framework.js", "later.js"]],
    ["later.js", ["ui.js"]],
  ]);
  expect(findCycle(imports)).toEqual(["ui.js", "later.js", "ui.js"]);
});

// The log's stack traces name them.
it("the server's functions keep their names", () => {
  const folder = "build/server";
  const code = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(code.some((text) => text.includes("function groupedTransaction("))).toBe(true);
});
