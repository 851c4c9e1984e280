/**
 * Who may import whom. Six rules hold the floors of docs/architecture.md; three more keep threads and programs loadable.
 * A rule is never loosened to let a change through. scripts/checks/dependency-rules.test.ts shows each one something that
 * it must catch.
 */

const TEST = "\\.test\\.tsx?$";
/** What a worker runs: it may load no service and no repo, opens its own connection, and takes what it needs by itself. */
const THREAD = "\\.thread\\.ts$";
/** SQL runs in repos; in threads in their queries. */
const SQL = ["\\.repo\\.server\\.ts$", "\\.queries\\.ts$", THREAD];

/** The floors, lowest first, each with its rooms in the order in which they may import each other. */
const FLOORS = [
  ["db", "app/core", "app/ui", "app/patches"],
  [
    "app/platform/catalogue",
    "app/platform/rights",
    "app/platform/endpoint",
    "app/platform/events",
    "app/platform/audit",
    "app/platform/settings",
    "app/platform/jobs",
    "app/platform/files",
    "app/platform/mail",
  ],
  [
    "app/team/organization",
    "app/team/members",
    "app/team/branding",
    "app/team/keys",
    "app/team/notifications",
    "app/team/budgets",
    "app/team/usage",
    "app/team/errors",
    "app/team/backups",
  ],
  ["app/ai/guardrails", "app/ai/models", "app/ai/tools", "app/ai/kv", "app/ai/gateway"],
  [
    "app/work/extraction",
    "app/work/index",
    "app/work/search",
    "app/work/documents",
    "app/work/prompts",
    "app/work/skills",
    "app/work/personas",
    "app/work/chat",
    "app/work/comparisons",
    "app/work/evaluations",
    "app/work/widgets",
    "app/work/workflows",
    "app/work/plugins",
  ],
  [
    "app/console/audit",
    "app/console/settings",
    "app/console/landing",
    "app/console/monitoring",
    "app/console/offboarding",
    "app/console/dashboard",
    "app/console/palette",
    "app/console/shell",
  ],
  ["app/http"],
  ["app/workers", "app/routes", "programs"],
];
const ROOMS = FLOORS.flat();

/** Rooms that were one feature before: the second knows the first one's own files. */
const HALVES = [
  ["app/work/extraction", "app/work/(index|search|documents)"],
  ["app/work/index", "app/work/(search|documents)"],
  ["app/work/search", "app/work/documents"],
  ["app/platform/audit", "app/console/audit"],
  ["app/platform/settings", "app/console/settings"],
];

/** What a room shows to others: services, schemas, and code without a schema that a browser may run. */
const DOOR = "\\.(service\\.server|schema|shared)\\.ts$";
/** Rooms that are tables for everyone, without a door. */
const OPEN = "^(db|app/core|app/ui|app/platform/catalogue|app/platform/rights|app/http)/";

const inside = (room) => `^${room}/`;

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...ROOMS.slice(0, -1).map((room, index) => ({
      name: "floors",
      comment: "A floor imports only floors below it, and a room only rooms before it on its own floor.",
      severity: "error",
      from: { path: inside(room), pathNot: TEST },
      to: {
        path: [...ROOMS.slice(index + 1).map(inside), "^app/[^/]+\\.tsx?$", "^server\\.ts$"],
      },
    })),
    {
      name: "floors",
      comment: "Routes and programs are the top: only the tree's entries and tests import them.",
      severity: "error",
      from: {
        path: "^(app|db|programs)/",
        pathNot: [TEST, "^app/[^/]+\\.tsx?$", "^app/routes/", "^programs/"],
      },
      to: { path: "^(app/routes|programs)/" },
    },
    {
      name: "floors",
      comment: "What two screens need lies below them.",
      severity: "error",
      from: { path: "^app/routes/", pathNot: TEST },
      to: { path: "^app/routes/|^app/[^/]+\\.tsx?$", pathNot: "^app/routes/$1" },
    },
    {
      name: "floors",
      comment:
        "server.ts reaches the app through the build's entry alone; imported code would be a second copy.",
      severity: "error",
      from: { path: "^server\\.ts$" },
      to: {
        path: "^(app|db|programs|tests|bench|scripts)/",
        pathNot: "^scripts/node-version\\.mjs$",
        dependencyTypesNot: ["type-only", "type-import"],
      },
    },
    {
      name: "no-cycles",
      comment: "A cycle has no order to read it in, and none to load it in.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    ...ROOMS.filter((room) => /^app\/(platform|team|ai|work|console|routes|http)(\/|$)/.test(room)).map(
      (room) => ({
        name: "doors",
        comment: "Another feature is reached by its services and schemas; its components by screens alone.",
        severity: "error",
        from: { path: inside(room), pathNot: [TEST, THREAD] },
        to: {
          path: "^app/(platform|team|ai|work|console)/",
          pathNot: [
            inside(room),
            DOOR,
            OPEN,
            ...HALVES.filter(([, halves]) => new RegExp(`^${halves}$`).test(room)).map(([half]) =>
              inside(half),
            ),
            ...(room === "app/routes" || room === "app/console/shell" ? ["/components/"] : []),
          ],
        },
      }),
    ),
    {
      name: "sql-lives-in-repos",
      comment: "SQL is in repos and in the threads' queries; core has the connection, db the schema.",
      severity: "error",
      from: { path: "^app/", pathNot: [TEST, ...SQL, "^app/core/", "^app/workers/"] },
      to: { path: "(^|/)node_modules/(drizzle-orm|better-sqlite3)/|^db/schema" },
    },
    {
      name: "sql-lives-in-repos",
      comment: "A search's statements are its queries'; the thread opens the connection.",
      severity: "error",
      from: { path: "^app/", pathNot: [TEST, ...SQL] },
      to: { path: "^app/work/search/retrieval/statements\\.ts$" },
    },
    {
      name: "browser",
      comment: "What a browser loads reaches no file of the server's.",
      severity: "error",
      from: {
        path: "/components/|^app/ui/|^app/entry\\.client\\.tsx$|\\.(shared|schema)\\.tsx?$",
        pathNot: TEST,
      },
      to: { path: "\\.server\\.tsx?$" },
    },
    {
      name: "product",
      comment: "The product has no code of tests, and no package that the container is built without.",
      severity: "error",
      from: { path: "^(app|db|programs)/|^server\\.ts$", pathNot: TEST },
      to: { path: ["^(tests|bench)/", TEST] },
    },
    {
      name: "product",
      comment:
        "The container is built without development packages. server.ts loads Vite in development only. What draws is bundled for the browser, which alone loads it.",
      severity: "error",
      from: {
        path: "^(app|db|programs)/",
        pathNot: [TEST, "^app/routes\\.ts$", "^app/work/chat/drawing/(safe-svg|mermaid\\.frame)\\.ts$"],
      },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only", "type-import"] },
    },
    {
      name: "workers-stay-pure",
      comment: "What a worker loads mustn't reach a service or a repo: it would open a second writer.",
      severity: "error",
      from: { path: "^app/workers/", pathNot: TEST },
      to: { path: "\\.(service|repo)\\.server\\.ts$", reachable: true },
    },
    {
      name: "no-vite-only-imports",
      comment: "Programs, benches, core, workers and features' server sides also run under tsx and esbuild.",
      severity: "error",
      from: {
        path: ["^(db|programs|bench|app/core|app/workers)/", "\\.server\\.ts$"],
        pathNot: TEST,
      },
      to: { path: ["\\?(raw|url|inline|worker)", "^virtual:"] },
    },
    {
      name: "services-know-no-http",
      comment: "Request, Response, cookies and redirects end at the edge.",
      severity: "error",
      from: { path: "^app/(?!http|routes|entry|root).+\\.(server|api)\\.tsx?$", pathNot: TEST },
      to: { path: "(^|/)node_modules/(@remix-run/(node|react|express|server-runtime)|express|helmet)/" },
    },
    {
      name: "scripts",
      comment: "Scripts run before anything is installed.",
      severity: "error",
      from: { path: "^scripts/", pathNot: TEST },
      to: { path: "^(app|db|programs|tests|bench)/|^server\\.ts$" },
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
    // Everything built or stored, and programs whose packages one command alone installs.
    exclude: {
      path: "^(build|data|coverage|screenshots|test-results|playwright-report|tests/clients/programs)/",
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json"],
    },
  },
};
