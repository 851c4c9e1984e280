import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";

const lucide = createRequire(import.meta.url)("lucide-react");
const PACKAGE = "lucide-react";
const MODULE = "virtual:icon-sprite";
const IMPORT = /import (?!type\b)\{([^}]*)\} from "lucide-react"/g;

/** `CircleAlert` -> `circle-alert` */
const idOf = (name) => name.replace(/([a-z])([A-Z0-9])/g, "$1-$2").toLowerCase();

/** `CircleAlert, X as Close` -> `[["CircleAlert", "CircleAlert"], ["X", "Close"]]`, without types. */
const iconsIn = (imported) =>
  imported
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "" && !one.startsWith("type "))
    .map((one) => one.split(" as "))
    .map(([name, local = name]) => [name, local]);

/**
 * Names of all icons that files of the app import, sorted.
 * @param {string} app the folder of the app
 * @returns {string[]}
 */
function listIcons(app) {
  const names = new Set();
  for (const file of readdirSync(app, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const [, imported] of readFileSync(join(app, file), "utf8").matchAll(IMPORT))
      for (const [name] of iconsIn(imported)) names.add(name);
  }
  return [...names].sort();
}

function drawSymbol(name) {
  const svg = renderToStaticMarkup(createElement(lucide[name]));
  return `<symbol id="${idOf(name)}" viewBox="0 0 24 24">${svg.replace(/^<svg[^>]*>|<\/svg>$/g, "")}</symbol>`;
}

/**
 * Replaces the package's icons by references into one SVG file: scripts then carry the names alone.
 * @param {string} app the folder of the app
 * @returns {import("vite").Plugin}
 */
export function iconSprite(app) {
  const names = listIcons(app);
  const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${names.map(drawSymbol).join("")}</svg>`;
  const fileName = `assets/icons-${createHash("sha256").update(sprite).digest("base64url").slice(0, 8)}.svg`;
  return {
    name: "icon-sprite",
    // In development the server imports packages as they are: its HTML would have other icons than the browser's.
    apply: "build",
    enforce: "pre",
    resolveId(id) {
      // Types are gone by now: what is left would bring the package's own drawings into the scripts.
      if (id === PACKAGE) this.error(`Import icons by name: import { X } from "${PACKAGE}".`);
      return id === MODULE ? `\0${MODULE}` : undefined;
    },
    load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      return [
        'import { spriteIcon } from "~/ui/sprite-icon";',
        `export const icon = (id) => spriteIcon("/${fileName}", id);`,
      ].join("\n");
    },
    transform(code) {
      const replaced = code.replace(IMPORT, (_, imported) =>
        [
          `import { icon } from "${MODULE}";`,
          ...iconsIn(imported).map(
            ([name, local]) => `const ${local} = /*#__PURE__*/ icon("${idOf(name)}");`,
          ),
        ].join(" "),
      );
      return replaced === code ? undefined : { code: replaced, map: null };
    },
    generateBundle() {
      if (this.environment?.name !== "ssr") this.emitFile({ type: "asset", fileName, source: sprite });
    },
  };
}
