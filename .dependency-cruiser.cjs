/**
 * Who may import whom: the table of the architecture, row by row. A rule is never loosened to let a change through.
 * scripts/checks/dependency-rules.test.ts shows each rule something that it must catch.
 */

const TEST = "\\.test\\.tsx?$";
const SCHEMA = "^app/features/.+\\.schema\\.ts$";
// Code without a schema that server and browser both run.
const SHARED = "^app/features/.+\\.shared\\.ts$";
// The services are the one door to a feature's server side. The table of permissions is part of that door.
const SERVICE = [
  "^app/features/.+\\.service\\.server\\.ts$",
  "^app/features/members/authorisation\\.server\\.ts$",
];
const REPO = "^app/features/.+\\.repo\\.server\\.ts$";
// SQL that runs in threads, where no repo may be loaded.
const QUERIES = "\\.queries\\.ts$";
/** The check of the built programs, which needs no package. */
const NODE_VERSION = "^scripts/node-version\\.mjs$";
const COMPONENT = "^app/features/[^/]+/components/";
const INSIDE = "^(app|db|programs|tests|bench|scripts)/|^server\\.ts$";

/** Forbids everything of ours but what is listed; packages are another rule's business. */
function only(name, comment, from, allowed) {
  return {
    name,
    comment,
    severity: "error",
    from: { pathNot: TEST, ...from },
    to: { path: INSIDE, pathNot: allowed },
  };
}

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A cycle has no order to read it in, and none to load it in.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "nothing-imports-routes",
      comment: "A route only translates: what two of them need lies below them.",
      severity: "error",
      from: { path: INSIDE, pathNot: [TEST, "^tests/"] },
      to: { path: "^app/(routes/|routes\\.ts$|root\\.tsx$)" },
    },
    only(
      "routes",
      "Routes parse, call one service and answer: http, ui, services, schemas and components.",
      { path: ["^app/routes/", "^app/root\\.tsx$"] },
      // The stylesheet and the sitemap's own folder are the document's, not another layer's.
      ["^app/http/", "^app/ui/", ...SERVICE, SCHEMA, SHARED, COMPONENT, "^app/styles\\.css$"],
    ),
    only(
      "sitemap",
      "The sitemap names files by strings; it is loaded without the app.",
      { path: "^app/routes\\.ts$" },
      ["^$"],
    ),
    only("schemas", "A schema is safe in the browser: it knows schemas and shared code.", { path: SCHEMA }, [
      SCHEMA,
      SHARED,
    ]),
    only("shared", "Shared code is safe in the browser.", { path: SHARED, pathNot: TEST }, [
      SCHEMA,
      SHARED,
      "^app/core/well-formed\\.ts$",
    ]),
    only("repos", "A repo has the SQL and nothing else.", { path: REPO }, [
      "^app/core/db\\.server\\.ts$",
      "^db/schema\\.ts$",
    ]),
    only(
      "components",
      "A component knows its own feature's components, schemas, and ui. Only routes compose several features.",
      { path: "^app/features/([^/]+)/components/" },
      ["^app/features/$1/components/", SCHEMA, SHARED, "^app/ui/"],
    ),
    only(
      "features",
      "A feature's server side: its own modules but the components, other features' services and schemas, core.",
      { path: "^app/features/([^/]+)/", pathNot: [TEST, SCHEMA, SHARED, REPO, COMPONENT] },
      ["^app/features/$1/(?!components/)", ...SERVICE, SCHEMA, SHARED, "^app/core/"],
    ),
    only(
      "http",
      "The edge's shared code: core, and the services of members and audit.",
      { path: "^app/http/" },
      [
        "^app/http/",
        "^app/core/",
        "^app/features/(members|audit)/[^/]+\\.service\\.server\\.ts$",
        "^app/features/members/authorisation\\.server\\.ts$",
      ],
    ),
    {
      name: "documents-know-no-ingestion",
      comment: "Documents are what ingestion fills and search reads: neither may be needed to keep them.",
      severity: "error",
      from: { path: "^app/features/knowledge/documents/", pathNot: TEST },
      to: { path: "^app/features/knowledge/(ingestion|search|screens|evaluation)/" },
    },
    {
      name: "index-knows-no-evaluation",
      comment: "An index is built without what measures it; the comparison before a switch is registered.",
      severity: "error",
      from: { path: "^app/features/knowledge/index/", pathNot: TEST },
      to: { path: "^app/features/knowledge/(ingestion|search|screens|evaluation)/" },
    },
    {
      name: "search-knows-no-ingestion",
      comment: "Search reads what is there, however it came in.",
      severity: "error",
      from: { path: "^app/features/knowledge/search/", pathNot: TEST },
      to: { path: "^app/features/knowledge/(ingestion|screens|evaluation)/" },
    },
    {
      name: "leaves-of-knowledge",
      comment: "Extraction and language are leaves: text in, text out.",
      severity: "error",
      from: { path: "^app/features/knowledge/(extraction|language)/", pathNot: TEST },
      to: {
        path: "^app/features/knowledge/",
        pathNot: "^app/features/knowledge/$1/",
      },
    },
    only("ui", "The design system knows itself only.", { path: "^app/ui/" }, ["^app/ui/"]),
    only("core", "Core is a leaf: nothing in app, and of db the schema.", { path: "^app/core/" }, [
      "^app/core/",
      "^db/schema\\.ts$",
    ]),
    only("workers", "Worker threads run core and a feature's pure modules.", { path: "^app/workers/" }, [
      "^app/workers/",
      "^app/core/",
      "^app/features/[^/]+/(?!components/)(?!.*(service|repo)\\.server\\.ts$)",
    ]),
    {
      name: "workers-stay-pure",
      comment: "What a worker loads mustn't reach a service or a repo either: it would open a second writer.",
      severity: "error",
      from: { path: "^app/workers/", pathNot: TEST },
      to: { path: "\\.(service|repo)\\.server\\.ts$", reachable: true },
    },
    only(
      "entries",
      "The entries put the process together: http, services, core and the migrations; the renderer tells slices their turn.",
      { path: "^app/[^/]+\\.tsx?$", pathNot: [TEST, "^app/(root\\.tsx|routes\\.ts)$"] },
      [
        "^app/[^/]+\\.tsx?$",
        "^app/http/",
        ...SERVICE,
        "^app/core/",
        "^db/migrate\\.ts$",
        "^app/ui/(render-batch\\.tsx|(before-hydration|single-submit)\\.ts)$",
      ],
    ),
    {
      name: "server",
      comment:
        "server.ts reaches the app through the build's entry alone; imported code would be a second copy.",
      severity: "error",
      from: { path: "^server\\.ts$" },
      to: { path: INSIDE, pathNot: NODE_VERSION, dependencyTypesNot: ["type-only", "type-import"] },
    },
    only("server-types", "Of the app, server.ts knows the entry's types.", { path: "^server\\.ts$" }, [
      "^app/entry\\.server\\.tsx$",
      NODE_VERSION,
    ]),
    only("db", "The schema, its migrations and a copy of the file.", { path: "^db/" }, ["^db/"]),
    only("programs", "What an operator runs beside the server: core and services.", { path: "^programs/" }, [
      "^programs/",
      "^db/",
      "^app/core/",
      ...SERVICE,
      NODE_VERSION,
    ]),
    only(
      "bench",
      "Benchmarks: core and services by plain imports, and the tests' server.",
      { path: "^bench/" },
      ["^bench/", "^app/core/", ...SERVICE, "^tests/support/"],
    ),
    only("scripts", "Scripts run before anything is installed.", { path: "^scripts/" }, ["^scripts/"]),
    {
      name: "no-vite-only-imports",
      comment: "db, bench, core, workers and features' server sides also run under tsx and esbuild.",
      severity: "error",
      from: {
        path: ["^db/", "^programs/", "^bench/", "^app/core/", "^app/workers/", "\\.server\\.ts$"],
        pathNot: TEST,
      },
      to: { path: ["\\?(raw|url|inline|worker)", "^virtual:"] },
    },
    {
      name: "sql-lives-in-repos",
      comment:
        "Only repos have SQL; core has the connection and db the schema and the programs on the whole file.",
      severity: "error",
      from: { path: "^app/", pathNot: [TEST, REPO, "^app/core/", "^app/workers/"] },
      to: { path: "(^|/)node_modules/(drizzle-orm|better-sqlite3)/" },
    },
    {
      name: "thread-sql-lives-in-queries",
      comment: "In threads only *.queries.ts have SQL; the worker opens the connection.",
      severity: "error",
      from: { path: "^app/", pathNot: [TEST, QUERIES, "^app/workers/search-connection\\.ts$"] },
      to: { path: "^app/features/knowledge/search/retrieval/statements\\.ts$" },
    },
    {
      name: "services-know-no-http",
      comment: "Request, Response, cookies and redirects end at the edge.",
      severity: "error",
      from: { path: ["^app/core/", "^app/features/.+\\.server\\.tsx?$"], pathNot: TEST },
      to: { path: "(^|/)node_modules/(@remix-run/(node|react|express|server-runtime)|express|helmet)/" },
    },
    {
      name: "no-test-code-in-the-product",
      comment: "Tests' helpers stay among the tests.",
      severity: "error",
      from: { path: "^(app|db|programs)/|^server\\.ts$", pathNot: TEST },
      to: { path: ["^tests/", TEST] },
    },
    {
      name: "no-development-packages-in-the-product",
      comment: "The container is built without them. server.ts loads Vite in development only.",
      severity: "error",
      from: { path: "^(app|db|programs)/", pathNot: [TEST, "^app/routes\\.ts$"] },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "type-import"] },
    },
    {
      name: "resolvable",
      comment: "What can't be found can't be judged.",
      severity: "error",
      from: { pathNot: "^scripts/bundle\\.mjs$" },
      to: { couldNotResolve: true, pathNot: "^virtual:" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // The tests' folder of fixtures and everything built or stored.
    exclude: { path: "^(build|data|coverage|screenshots|test-results|playwright-report)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json"],
    },
  },
};
