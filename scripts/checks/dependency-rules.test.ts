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
  ["floors", "db/schema.ts", "app/core/actor.ts"],
  ["floors", "app/core/one.server.ts", "app/ui/button.tsx"],
  ["floors", "app/core/two.server.ts", "app/team/members/member.service.server.ts"],
  ["floors", "app/ui/one.tsx", "app/platform/catalogue/screens.ts"],
  ["floors", "app/platform/audit/one.server.ts", "app/team/members/member.service.server.ts"],
  ["floors", "app/platform/catalogue/one.ts", "app/platform/rights/roles.schema.ts"],
  ["floors", "app/team/usage/one.service.server.ts", "app/ai/models/models.service.server.ts"],
  ["floors", "app/ai/models/one.service.server.ts", "app/ai/tools/tools.service.server.ts"],
  ["floors", "app/ai/tools/one.tool.server.ts", "app/work/search/search.service.server.ts"],
  ["floors", "app/work/personas/one.service.server.ts", "app/work/chat/chat.service.server.ts"],
  ["floors", "app/work/chat/one.service.server.ts", "app/console/audit/export.service.server.ts"],
  ["floors", "app/console/audit/one.service.server.ts", "app/http/form.server.ts"],
  ["floors", "app/http/one.server.ts", "app/routes/a/page.tsx"],
  ["floors", "app/routes/b/page.tsx", "app/routes/a/page.tsx"],
  ["floors", "app/work/chat/two.service.server.ts", "app/job-kinds.server.ts"],
  ["floors", "app/work/chat/three.service.server.ts", "programs/seed.ts"],
  ["floors", "server.ts", "app/core/db.server.ts"],
  ["no-cycles", "app/work/a/ring-one.server.ts", "app/work/a/ring-two.server.ts"],
  ["doors", "app/work/chat/four.service.server.ts", "app/team/members/user.repo.server.ts"],
  ["doors", "app/work/chat/five.service.server.ts", "app/ai/models/rules.server.ts"],
  ["doors", "app/work/chat/components/card.tsx", "app/team/members/components/panel.tsx"],
  ["doors", "app/routes/d/page.tsx", "app/team/members/user.repo.server.ts"],
  ["doors", "app/http/two.server.ts", "app/team/members/user.repo.server.ts"],
  ["sql-lives-in-repos", "app/work/chat/six.service.server.ts", "db/schema.ts"],
  ["sql-lives-in-repos", "app/routes/e/page.tsx", "db/schema.ts"],
  ["sql-lives-in-repos", "app/work/search/retrieval/rank.ts", "app/work/search/retrieval/statements.ts"],
  ["workers-stay-pure", "app/workers/three.worker.ts", "app/work/chat/one.thread.ts"],
  ["browser", "app/work/chat/components/form.tsx", "app/work/chat/chat.service.server.ts"],
  ["browser", "app/work/chat/chat.schema.ts", "app/core/db.server.ts"],
  ["browser", "app/work/chat/text.shared.ts", "app/core/db.server.ts"],
  ["browser", "app/ui/two.tsx", "app/core/db.server.ts"],
  ["product", "app/core/three.server.ts", "tests/support/database.ts"],
  ["workers-stay-pure", "app/workers/two.worker.ts", "app/work/a/not-pure.server.ts"],
  ["scripts", "scripts/one.mjs", "app/core/errors.ts"],
];

/** Imports that the rules must allow. */
const ALLOWED: [from: string, to: string][] = [
  ["app/routes/z/page.tsx", "app/team/members/member.service.server.ts"],
  ["app/routes/z/page.tsx", "app/team/members/components/title.tsx"],
  ["app/routes/z/page.tsx", "app/platform/rights/authorization.server.ts"],
  ["app/work/chat/z.service.server.ts", "app/team/members/member.service.server.ts"],
  ["app/work/chat/z.service.server.ts", "app/work/chat/z.repo.server.ts"],
  ["app/work/chat/z.repo.server.ts", "db/schema.ts"],
  ["app/work/chat/components/z.tsx", "app/ai/models/a.schema.ts"],
  ["app/work/chat/components/z.tsx", "app/ai/models/labels.shared.ts"],
  ["app/work/search/retrieval/z.queries.ts", "db/schema.ts"],
  ["app/work/search/retrieval/z.queries.ts", "app/work/search/retrieval/statements.ts"],
  ["app/work/plugins/z.thread.ts", "app/work/extraction/rules.ts"],
  ["app/console/audit/z.server.ts", "app/platform/audit/audit.repo.server.ts"],
  ["app/http/z.server.ts", "app/team/members/member.service.server.ts"],
  ["app/workers/z.worker.ts", "app/work/a/rules.server.ts"],
  ["programs/z.ts", "app/team/members/member.service.server.ts"],
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
    add("app/work/a/ring-two.server.ts", "app/work/a/ring-one.server.ts");
    add("app/work/a/not-pure.server.ts", "app/work/a/a.service.server.ts");
    add("app/work/chat/one.thread.ts", "app/work/a/a.service.server.ts");
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
    const result = await cruise(["app", "db", "programs", "tests", "scripts", "server.ts"], {
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
    const reached = rule === "workers-stay-pure" ? "app/work/a/a.service.server.ts" : to;
    expect([...(caught.get(`${from} -> ${reached}`) ?? [])]).toContain(rule);
  });

  it.each(ALLOWED)("%s may import %s", (from, to) => {
    expect([...(caught.get(`${from} -> ${to}`) ?? [])]).toEqual([]);
  });

  it("tests every import rule with a forbidden import", () => {
    // Of packages, and of imports that no file can have here.
    const others = ["services-know-no-http", "resolvable", "no-vite-only-imports"];
    const shown = new Set(FORBIDDEN.map(([rule]) => rule));
    const names = (config.forbidden ?? []).map((rule) => rule.name ?? "");
    expect(names.filter((name) => !shown.has(name) && !others.includes(name))).toEqual([]);
  });
});
