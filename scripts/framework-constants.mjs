/** Packages of the router, whose warnings are for developers only. */
const ROUTER = /\/node_modules\/(?:@remix-run\/(?:router|react)|react-router|react-router-dom)\//;
const WARNINGS = new Set(["warning", "warningOnce", "logDeprecation", "logV6DeprecationWarnings"]);

/** Flags that Remix's `RemixBrowser` always sets on its router. */
const ROUTER_FLAGS = [
  "v7_normalizeFormMethod",
  "v7_partialHydration",
  "v7_prependBasename",
  "v7_fetcherPersist",
  "v7_relativeSplatPath",
  "v7_skipActionErrorRevalidation",
];

/**
 * Calls `visit` for a node and its descendants; skips the descendants if `visit` returns true.
 * @param {object} node
 * @param {(node: object) => boolean | undefined} visit
 */
function walk(node, visit) {
  if (visit(node)) return;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") walk(child, visit);
}

const isMember = (node, object, property) =>
  node.type === "MemberExpression" && node.object.name === object && node.property.name === property;

/**
 * Makes the router's build-time decisions constant: the flags of remix.config.js, no developer warnings, and invariants
 * without their messages. The bundler then drops unreachable branches.
 * @param {import("@remix-run/dev").VitePluginConfig["future"]} future the flags of remix.config.js
 * @returns {import("vite").Plugin}
 */
export function frameworkConstants(future) {
  const remixFlags = Object.entries(future ?? {}).flatMap(([name, isOn]) => (isOn ? [name] : []));

  function replacementOf(node, isRouter) {
    if (node.type === "CallExpression") {
      if (WARNINGS.has(node.callee.name?.replace("UNSAFE_", "")) || isMember(node.callee, "console", "warn"))
        return "void 0";
      return undefined;
    }
    if (node.type !== "MemberExpression" || node.computed) return undefined;
    const { object, property } = node;
    const isFuture = object.name === "future" || object.property?.name === "future";
    if (!isRouter && isFuture && remixFlags.includes(property.name)) return "true";
    if (isRouter && object.name === "future" && ROUTER_FLAGS.includes(property.name)) return "true";
    return isMember(object, "window", "__remixContext") && property.name === "isSpaMode"
      ? "false"
      : undefined;
  }

  return {
    name: "framework-constants",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    transform(code, id) {
      if (!ROUTER.test(id)) return null;
      const isRouter = id.includes("/@remix-run/router/");
      /** @type {[start: number, end: number, text: string][]} */
      const edits = [];
      walk(this.parse(code), (node) => {
        const text = replacementOf(node, isRouter);
        if (text !== undefined) {
          edits.push([node.start, node.end, text]);
          return true;
        }
        if (node.type === "CallExpression" && node.callee.name === "invariant" && node.arguments.length > 1)
          edits.push([node.arguments[0].end, node.arguments.at(-1).end, ""]);
        return false;
      });
      let result = code;
      for (const [start, end, text] of edits.sort(([a], [b]) => b - a))
        result = result.slice(0, start) + text + result.slice(end);
      return { code: result, map: null };
    },
  };
}
