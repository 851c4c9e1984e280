import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from "dependency-cruiser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const config = createRequire(import.meta.url)("../../.dependency-cruiser.cjs") as IFlattenedRuleSet & {
  options: ICruiseOptions;
};

/** A file, what it imports, and the rule that must catch it. */
const FORBIDDEN: [rule: string, from: string, to: string][] = [
  ["no-cycles", "app/features/a/ring-one.server.ts", "app/features/a/ring-two.server.ts"],
  ["nothing-imports-routes", "app/features/a/a.service.server.ts", "app/routes/a/page.tsx"],
  ["nothing-imports-routes", "app/routes/b/page.tsx", "app/routes/a/page.tsx"],
  ["routes", "app/routes/c/page.tsx", "app/core/db.server.ts"],
  ["routes", "app/routes/d/page.tsx", "app/features/a/a.repo.server.ts"],
  ["routes", "app/routes/e/page.tsx", "db/schema.ts"],
  ["schemas", "app/features/a/a.schema.ts", "app/core/errors.ts"],
  ["schemas", "app/features/b/b.schema.ts", "app/features/b/b.service.server.ts"],
  ["repos", "app/features/c/c.repo.server.ts", "app/features/a/a.service.server.ts"],
  ["repos", "app/features/d/d.repo.server.ts", "app/features/a/a.repo.server.ts"],
  ["components", "app/features/a/components/card.tsx", "app/features/b/components/panel.tsx"],
  ["components", "app/features/c/components/card.tsx", "app/features/c/c.service.server.ts"],
  ["components", "app/features/d/components/card.tsx", "app/core/actor.ts"],
  ["features", "app/features/e/e.service.server.ts", "app/features/a/a.repo.server.ts"],
  ["features", "app/features/f/f.service.server.ts", "app/http/form.server.ts"],
  ["features", "app/features/g/g.service.server.ts", "app/features/g/components/card.tsx"],
  ["features", "app/features/h/tools/one.tool.server.ts", "app/features/a/rules.server.ts"],
  ["http", "app/http/one.server.ts", "app/features/b/b.service.server.ts"],
  ["http", "app/http/two.server.ts", "app/ui/button.tsx"],
  ["shared", "app/features/i/i.shared.ts", "app/features/b/b.service.server.ts"],
  [
    "documents-know-no-ingestion",
    "app/features/knowledge/documents/one.server.ts",
    "app/features/knowledge/ingestion/two.server.ts",
  ],
  [
    "index-knows-no-evaluation",
    "app/features/knowledge/index/one.server.ts",
    "app/features/knowledge/evaluation/two.server.ts",
  ],
  [
    "search-knows-no-ingestion",
    "app/features/knowledge/search/one.server.ts",
    "app/features/knowledge/ingestion/two.server.ts",
  ],
  [
    "leaves-of-knowledge",
    "app/features/knowledge/extraction/one.ts",
    "app/features/knowledge/language/two.ts",
  ],
  ["ui", "app/ui/one.tsx", "app/features/b/b.schema.ts"],
  ["core", "app/core/one.server.ts", "app/features/members/member.service.server.ts"],
  ["core", "app/core/two.server.ts", "app/http/form.server.ts"],
  ["workers", "app/workers/one.worker.ts", "app/features/b/b.service.server.ts"],
  ["workers-stay-pure", "app/workers/two.worker.ts", "app/features/a/not-pure.server.ts"],
  ["entries", "app/entry.server.tsx", "app/features/a/a.repo.server.ts"],
  ["server", "server.ts", "app/core/db.server.ts"],
  ["db", "db/seed.ts", "app/core/actor.ts"],
  ["programs", "programs/seed.ts", "app/http/form.server.ts"],
  ["bench", "bench/one.ts", "app/features/a/a.repo.server.ts"],
  ["scripts", "scripts/one.mjs", "app/core/errors.ts"],
  [
    "thread-sql-lives-in-queries",
    "app/features/knowledge/search/retrieval/rank.ts",
    "app/features/knowledge/search/retrieval/statements.ts",
  ],
  ["no-test-code-in-the-product", "app/core/three.server.ts", "tests/support/database.ts"],
];

/** Imports that the rules must allow. */
const ALLOWED: [from: string, to: string][] = [
  ["app/routes/z/page.tsx", "app/features/a/a.service.server.ts"],
  ["app/routes/z/page.tsx", "app/features/a/components/title.tsx"],
  ["app/routes/z/page.tsx", "app/features/members/authorisation.server.ts"],
  ["app/features/z/z.service.server.ts", "app/features/a/a.service.server.ts"],
  ["app/features/z/z.service.server.ts", "app/features/z/z.repo.server.ts"],
  ["app/features/z/z.repo.server.ts", "app/core/db.server.ts"],
  ["app/features/z/components/card.tsx", "app/features/a/a.schema.ts"],
  ["app/features/z/components/card.tsx", "app/features/a/labels.shared.ts"],
  ["app/http/z.server.ts", "app/features/members/member.service.server.ts"],
  ["app/workers/z.worker.ts", "app/features/a/rules.server.ts"],
  [
    "app/features/knowledge/search/retrieval/z.queries.ts",
    "app/features/knowledge/search/retrieval/statements.ts",
  ],
  ["app/core/z.server.test.ts", "tests/support/database.ts"],
];

describe("the dependency rules", () => {
  let folder: string;
  let caught: Map<string, Set<string>>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "quarterdeck-rules-"));
    const imports = new Map<string, Set<string>>();
    const add = (from: string, to: string) => {
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
      if (!imports.has(to)) imports.set(to, new Set());
    };
    for (const [, from, to] of FORBIDDEN) add(from, to);
    for (const [from, to] of ALLOWED) add(from, to);
    add("app/features/a/ring-two.server.ts", "app/features/a/ring-one.server.ts");
    add("app/features/a/not-pure.server.ts", "app/features/a/a.service.server.ts");
    for (const [file, targets] of imports) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      const lines = [...targets].map((to, index) => {
        const specifier = relative(dirname(path), join(folder, to)).replace(/^(?!\.)/, "./");
        return `import * as m${index} from "${specifier.replace(/\.tsx?$/, "")}"; void m${index};`;
      });
      writeFileSync(path, `${lines.join("\n")}\nexport const here = 1;\n`);
    }
    const { tsConfig: _unused, ...options } = config.options;
    const result = await cruise(["app", "db", "programs", "bench", "tests", "scripts", "server.ts"], {
      ...options,
      baseDir: folder,
      validate: true,
      ruleSet: { forbidden: config.forbidden },
    });
    caught = new Map();
    for (const violation of (result.output as ICruiseResult).summary.violations) {
      const edge = `${violation.from} -> ${violation.to}`;
      caught.set(edge, (caught.get(edge) ?? new Set()).add(violation.rule.name));
    }
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(FORBIDDEN)("%s catches %s importing %s", (rule, from, to) => {
    const reached = rule === "workers-stay-pure" ? "app/features/a/a.service.server.ts" : to;
    expect([...(caught.get(`${from} -> ${reached}`) ?? [])]).toContain(rule);
  });

  it.each(ALLOWED)("%s may import %s", (from, to) => {
    expect([...(caught.get(`${from} -> ${to}`) ?? [])]).toEqual([]);
  });

  it("tests every import rule with a forbidden import", () => {
    const packages = [
      "sql-lives-in-repos",
      "services-know-no-http",
      "no-development-packages-in-the-product",
    ];
    const others = [...packages, "resolvable", "no-vite-only-imports", "sitemap", "server-types"];
    const shown = new Set(FORBIDDEN.map(([rule]) => rule));
    const names = (config.forbidden ?? []).map((rule) => rule.name ?? "");
    expect(names.filter((name) => !shown.has(name) && !others.includes(name))).toEqual([]);
  });
});
